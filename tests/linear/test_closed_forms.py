"""Small motions against formulas of textbooks."""

import numpy as np
import pytest
from linear_models import ROTOR, G, motor_arm, rods, rolling, rotor, sorted_poles, spring_chain
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo


def test_a_pendulum_has_the_frequency_of_its_formula():
    lin = vv.linearise(rods())
    assert lin.states == ("hinge0.q", "hinge0.rate")
    assert lin.mechanics.conservative
    assert_allclose(lin.M, [[1 / 3]], rtol=1e-13)
    assert_allclose(lin.K, [[G / 2]], rtol=1e-11)
    assert_allclose(lin.modes().frequencies, np.sqrt(1.5 * G) / (2 * np.pi), rtol=1e-11)


def test_a_damped_pendulum_has_its_damping_ratio():
    lin = vv.linearise(rods(friction=0.2))
    mode = lin.modes()[0]
    w = np.sqrt(1.5 * G)
    assert_allclose(lin.mechanics.damping, [[0.2]], rtol=1e-11)
    assert_allclose(mode.damping_ratio, 0.2 * 3 / (2 * w), rtol=1e-10)
    assert_allclose(mode.damped_frequency * 2 * np.pi, w * np.sqrt(1 - mode.damping_ratio**2), rtol=1e-10)
    assert lin.stable


def test_an_inverted_pendulum_falls_at_the_rate_of_its_formula():
    lin = vv.linearise(rods(up=True))
    rate = np.sqrt(1.5 * G)
    assert_allclose(sorted_poles(lin.poles()), [-rate, rate], atol=1e-9)
    assert [mode.frequency for mode in lin.modes()] == [0.0, 0.0]
    assert not lin.stable


def test_a_double_pendulum_has_both_modes():
    """In absolute angles M = [[4/3, 1/2], [1/2, 1/3]], K = g diag(3/2, 1/2)."""
    import scipy.linalg

    modes = vv.linearise(rods(2)).modes()
    squares, shapes = scipy.linalg.eigh(G * np.diag([1.5, 0.5]), [[4 / 3, 1 / 2], [1 / 2, 1 / 3]])
    assert_allclose((2 * np.pi * modes.frequencies) ** 2, squares, rtol=1e-11)
    for mode, (upper, lower) in zip(modes, shapes.T, strict=True):
        assert mode.vector.imag[:2].max() == 0.0
        assert_allclose(mode.shape["hinge1.q"] / mode.shape["hinge0.q"], (lower - upper) / upper, rtol=1e-9)


def test_a_chain_of_springs_has_its_waves():
    n, mass, k = 5, 0.7, 30.0
    modes = vv.linearise(spring_chain(n, mass, k)).modes()
    number = np.arange(1, n + 1)
    assert_allclose(2 * np.pi * modes.frequencies, 2 * np.sqrt(k / mass) * np.sin(np.pi * number / (2 * n + 2)), rtol=1e-11)
    shape = np.array([modes[1].shape[f"slide{i}.q"].real for i in range(n)])
    wave = np.sin(2 * np.pi * number / (n + 1))
    assert_allclose(shape / shape[0], wave / wave[0], atol=1e-9)


def test_dampers_beside_springs_damp_in_proportion():
    lin = vv.linearise(spring_chain(3, damping=0.6))
    assert_allclose(lin.mechanics.damping, 0.6 / 30.0 * lin.K, atol=1e-10)
    assert_allclose(lin.modes().damping_ratios, 0.02 * np.pi * lin.modes().frequencies, rtol=1e-9)


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("speed", [30.0, -100.0])
def test_a_rotor_whirls_forward_and_backward(speed, driven):
    """I_d φ̈ - i I_p Ω φ̇ + κ φ = 0 of the tilt φ; bending is not split."""
    lin = vv.linearise(rotor(speed, driven=driven), steady=True)
    Ip, Id = ROTOR["axial"] * abs(speed), ROTOR["diametral"]
    whirl = (Ip * np.array([-1, 1]) + np.sqrt(Ip**2 + 4 * Id * ROTOR["tilting"])) / (2 * Id)
    bending = np.sqrt(ROTOR["bending"] / ROTOR["mass"])
    found = np.sort(np.abs(lin.poles().imag))
    assert_allclose(found[-8:], np.sort(np.repeat([*whirl, bending, bending], 2)), rtol=1e-9)
    assert np.abs(lin.poles().real).max() < 1e-9
    tilts = [lin.states.index(f"tilt.q[{k}]") for k in range(2)]
    assert_allclose(np.abs(lin.mechanics.gyroscopic[np.ix_(tilts, tilts)]), [[0, Ip], [Ip, 0]], rtol=1e-9)
    assert not lin.mechanics.damping.any()


@pytest.mark.parametrize(("axial", "diametral"), [(0.5, 0.25), (1.0, 0.5), (0.3, 0.4)], ids=["disc", "hoop", "other"])
def test_a_disc_rolls_upright_above_its_critical_speed(axial, diametral):
    """λ² = g/r 1/(A + 1) - Ω² C (C + 1)/(A (A + 1)) with moments in units of m r²; thin disc Ω² > g/3r, hoop g/4r."""
    r = 0.3
    critical = np.sqrt(G / r * diametral / (axial * (axial + 1)))
    if axial in (0.5, 1.0):
        assert_allclose(critical**2, G / ((3 if axial == 0.5 else 4) * r))
    for spin in (0.5 * critical, 1.7 * critical):
        lin = vv.linearise(rolling(spin, axial, diametral, r), steady=True)
        square = G / r / (diametral + 1) - spin**2 * axial * (axial + 1) / (diametral * (diametral + 1))
        found = lin.poles()
        assert_allclose(np.sort_complex(found[-2:] ** 2).real, [square, square], rtol=1e-9)
        assert (found[:-2] == 0).all()  # place, heading, and speeds of rolling and turning
        assert lin.mechanics.K.shape == (3, 5)


def test_a_disc_in_a_steady_turn():
    """Its circle may lie elsewhere: a mode with the rate of turning; the other one is damped by nothing."""
    lin = vv.linearise(demo.rolling_disc(lean=1.2, turning=1.5), steady=True)
    assert_allclose(np.abs(lin.poles().real), 0.0, atol=1e-10)
    assert_allclose(np.sort(np.abs(lin.poles().imag))[4:6], 1.5, rtol=1e-9)


@pytest.mark.parametrize("spin", [40.0, 140.0])
def test_a_top_sleeps_above_its_critical_spin(spin):
    """A w² - C s w + m g l = 0, with moments about the tip, in axes that keep their direction."""
    m = vv.Mechanism("top", gravity=(0, 0, -G))
    top = m.body("top", mass=1.0, inertia=(0.1, 0.1, 0.02), at=(0, 0, 0.5), twist=(0, 0, spin, 0, 0, 0))
    m.spherical("tip", m.ground, top, at=(0, 0, 0))
    w = np.roots([0.1 + 0.25, -0.02 * spin, G * 0.5])
    lin = vv.linearise(m, steady=True)
    found = lin.poles()[np.abs(lin.poles()) > 1e-6]
    assert_allclose(sorted_poles(found), sorted_poles(np.concatenate([1j * w, -1j * w.conj()])), atol=1e-8)
    assert (np.abs(found.real).max() < 1e-9) == ((0.02 * spin) ** 2 > 4 * 0.35 * G * 0.5)


def test_a_motor_on_an_arm_has_its_electric_state():
    lin = vv.linearise(motor_arm(), outputs=["hinge0.q", "motor.y"])
    R, L, k, J = 2.0, 0.05, 0.3, 1 / 3
    assert lin.states == ("hinge0.q", "hinge0.rate", "motor.flux")
    assert lin.inputs == ("motor",)
    exact = [[0, 1, 0], [-G / 2 / J, 0, k / L / J], [0, -k, -R / L]]
    assert_allclose(lin.A, exact, atol=1e-9)
    assert_allclose(lin.B, [[0], [0], [1]], atol=1e-12)
    assert_allclose(lin.C, [[1, 0, 0], [0, 0, 1 / L]], atol=1e-9)
    assert (lin.unit("motor.flux"), lin.unit("motor"), lin.unit("hinge0.rate")) == ("Wb", "V", "rad/s")
    assert lin.stable


def test_a_held_arm_is_linearised_where_its_input_holds_it():
    m = rods()
    m.torque("hand", "hinge0")
    lin = vv.linearise(m, operating={"hand": 2.0})
    angle = np.arcsin(2.0 / (G / 2))
    assert_allclose(np.abs(lin.shapes.q), angle, rtol=1e-9)
    assert_allclose(lin.K, [[G / 2 * np.cos(angle)]], rtol=1e-9)


def test_feedback_closes_the_loop():
    m = rods(up=True)
    m.torque("hand", "hinge0")
    form = vv.analytical(m, inputs={"hand": lambda t, x, z: -20.0 * x["rod0.q"].r[0] - 6.0 * z["rod0.v"][3]})
    lin = vv.linearise(form, at=(np.zeros(1), np.zeros(1)))
    assert_allclose(lin.K, [[-G / 2 + 20.0 * 0.5]], rtol=1e-9)  # x = l/2 sin θ
    assert_allclose(lin.mechanics.damping, [[3.0]], rtol=1e-9)
    assert lin.stable
