"""Machines, heat and liquids about their equilibria, and motions of very different speeds in one system."""

import numpy as np
import pytest
from linear_models import G, rods
from numpy.testing import assert_allclose

import visviva as vv
from visviva import bonds
from visviva.language import compose
from visviva.library import electric, hydraulic, rotation, thermal
from visviva.linear import LinearSystem, of_mechanisms
from visviva.linear.assembly import inverted
from visviva.linear.eigen import eigen


def system(A, B=None, C=None, name="given"):
    A = np.array(A, dtype=float)
    n = len(A)
    B, C = np.ones((n, 1)) if B is None else np.array(B, float), np.eye(n) if C is None else np.array(C, float)
    states, outputs = tuple("abcdefgh"[:n]), tuple(f"y{k}" for k in range(len(C)))
    return LinearSystem(name, A, B, C, np.zeros((len(C), B.shape[1])), states, ("u",), outputs)


# -- machines ---------------------------------------------------------------------------------------------------

MOTOR = {"resistance": 1.5, "inductance": 0.01, "k": 0.2}


def flywheel(b=0.03):
    m = vv.Mechanism("drive")
    m.body("wheel", mass=1.0, inertia=(0.01, 0.01, 0.02))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis=(0, 0, 1), friction=b)
    m.motor("motor", "axle", **MOTOR)
    return m


def test_a_motor_has_its_transfer_function_down_to_frequency_zero():
    """ω/U = k/((L s + R)(J s + b) + k²); its angle is free, and has no response at frequency zero."""
    lin = vv.linearise(flywheel(), outputs=["axle.q", "axle.rate", "motor.y"])
    w = np.array([0.0, 0.7, 12.0, 300.0])
    R, L, k = MOTOR.values()
    s = 1j * w
    under = (L * s + R) * (0.02 * s + 0.03) + k**2
    speed = lin.select(outputs=["axle.rate", "motor.y"]).frequency_response(w)
    assert_allclose(speed["axle.rate", "motor"], k / under, rtol=1e-9)
    assert_allclose(speed["motor.y", "motor"], (0.02 * s + 0.03) / under, rtol=1e-9)
    with pytest.raises(vv.ModelError, match=r"pole at 0 rad/s: its response from 'motor' to 'axle.q' there"):
        lin.frequency_response(w)
    assert_allclose(lin.frequency_response(w[1:])["axle.q", "motor"], (k / under)[1:] / s[1:], rtol=1e-9)


def test_a_current_that_rises_is_no_equilibrium():
    """Nothing moves yet, but the voltage is on."""
    with pytest.raises(vv.AssemblyError, match=r"not at rest in 'motor.flux', which changes by 3 per second"):
        vv.linearise(flywheel(), at=([0.0], [0.0], [0.0]), operating={"motor": 3.0})


def test_large_mechanisms_are_taken_in_pieces(monkeypatch):
    whole = vv.linearise(rods(3, friction=0.1), ([0.0] * 3, [0.0] * 3))
    monkeypatch.setattr(of_mechanisms, "MANY", 400)
    assert_allclose(vv.linearise(rods(3, friction=0.1), ([0.0] * 3, [0.0] * 3)).A, whole.A, rtol=1e-12)


def test_a_motor_of_the_language_is_the_same_machine():
    parts = {
        "coil": electric.inductor(MOTOR["inductance"]),
        "wire": electric.resistor(MOTOR["resistance"]),
        "machine": electric.motor(MOTOR["k"]),
        "rotor": rotation.inertia(0.02),
        "bearing": rotation.damper(0.03),
        "room": thermal.environment(300.0),
    }
    joined = {
        "phi": ("coil.phi", "wire.phi", "machine.phi"),
        "shaft": ("machine.p", "rotor.p", "bearing.p"),
        "s": ("wire.s", "bearing.s", "room.s"),
    }
    lin = vv.linearise(compose("motor", parts, joined, outer=("phi",)), outputs=["phi.y"])
    of_mechanism = vv.linearise(flywheel(), outputs=["motor.y"])
    w = np.geomspace(0.1, 1e3, 7)
    one, other = (found.frequency_response(w).G[:, 0, 0] for found in (lin, of_mechanism))
    assert_allclose(np.abs(one), np.abs(other), rtol=1e-9)
    assert_allclose(np.sort(lin.poles().real), np.sort(of_mechanism.poles().real)[:2], rtol=1e-9)


# -- heat and liquids -------------------------------------------------------------------------------------------


def test_a_wall_of_two_layers_cools_with_its_time_constants():
    """c1 θ̇1 = k (θ2 - θ1), c2 θ̇2 = k (θ1 - θ2) + h (θ0 - θ2)."""
    c, k, h = (50.0, 80.0), 3.0, 1.2
    parts = {
        "inner": thermal.capacity(c[0]),
        "wall": thermal.conduction(k),
        "outer": thermal.capacity(c[1]),
        "surface": thermal.conduction(h),
        "air": thermal.environment(300.0),
    }
    joined = {
        "s1": ("inner.s", "wall.s1"),
        "s2": ("wall.s2", "outer.s", "surface.s1"),
        "s0": ("surface.s2", "air.s"),
    }
    lin = vv.linearise(compose("wall", parts, joined))
    exact = np.linalg.eigvals([[-k / c[0], k / c[0]], [k / c[1], -(k + h) / c[1]]])
    assert_allclose(np.sort(lin.poles().real), np.sort(exact), rtol=1e-8)
    assert not lin.poles().imag.any()
    assert lin.stable
    assert lin.unit("s1") == "J/K"


def test_a_line_of_liquid_has_the_waves_of_a_closed_pipe():
    """n volumes between n - 1 columns: ω = 2/√(LC) sin(j π/2n), and the liquid as a whole stays."""
    n, C, L = 5, 2e-12, 3e6
    parts = {f"v{k}": hydraulic.compliance(C) for k in range(n)}
    joined = {}
    for k in range(n - 1):
        parts |= {f"column{k}": hydraulic.inertance(L), f"flow{k}": hydraulic.line(a=-1, b=1)}
        joined[f"Gam{k}"] = (f"flow{k}.Gam", f"column{k}.Gam")
    for k in range(n):
        ends = [f"flow{k - 1}.b"] * (k > 0) + [f"flow{k}.a"] * (k < n - 1)
        joined[f"V{k}"] = (f"v{k}.V", *ends)
    lin = vv.linearise(compose("pipe", parts, joined))
    exact = 2 / np.sqrt(L * C) * np.sin(np.arange(1, n) * np.pi / (2 * n))
    assert_allclose(np.sort(np.abs(lin.poles().imag))[1::2], exact, rtol=1e-9)
    assert lin.poles()[0] == 0
    assert not lin.grows


# -- numbers ----------------------------------------------------------------------------------------------------


def two_masses(fast, slow, damping=(0.0, 0.0)):
    m = vv.Mechanism("fast and slow")
    for name, k, d in zip(("fast", "slow"), (fast, slow), damping, strict=True):
        body = m.body(name, mass=1.0, inertia=(1, 1, 1))
        m.prismatic(f"{name} slide", m.ground, body, axis=(1, 0, 0))
        m.spring(f"{name} spring", m.ground, body, at_a=(-1, 0, 0), at_b=(0, 0, 0), k=k, damping=d)
    return vv.linearise(m, vv.analytical(m).initial)


def test_slow_motions_beside_fast_ones_are_not_rounded_away():
    """Frequencies 10⁶ apart: the slow one has its own, and its damping, however small against the fast one."""
    lin = two_masses(1e12, 1.0)
    assert_allclose(2 * np.pi * lin.modes().frequencies, [1.0, 1e6], rtol=1e-9)
    assert lin.modes().real
    damped = two_masses(1e12, 1.0, (0.0, 1e-4))
    assert_allclose(np.diagonal(damped.mechanics.damping), [0.0, 1e-4], rtol=1e-9)
    assert_allclose(damped.poles()[:2].real, -5e-5, rtol=1e-9)
    assert not damped.stable  # the fast one rings on
    assert two_masses(1e12, 1.0, (1.0, 1e-4)).stable


@pytest.mark.parametrize("slow", [-1e-5, -1e-9])
def test_a_slow_pole_beside_a_fast_one_is_stable(slow):
    lin = system(np.diag([-1e9, slow]))
    assert_allclose(lin.poles(), [slow, -1e9], rtol=1e-12)
    assert lin.stable
    assert not lin.grows
    assert system(np.diag([-1e9, -slow])).grows


def test_free_motions_beside_fast_ones_are_zero():
    """A cart that rolls freely, beside a stiff oscillator and a slow decay; its chain has two zeros."""
    A = np.zeros((5, 5))
    A[0, 1], A[2, 3], A[3, 2], A[3, 3], A[4, 4] = 1.0, 1.0, -1e12, -10.0, -1e-6
    A[1, 2], A[4, 0] = 1e3, 2.0  # pushed by the oscillator, and pushing
    of = eigen(A)
    assert (of.values[:2] == 0).all()
    assert_allclose(np.sort(np.abs(of.values[2:])), [1e-6, 1e6, 1e6], rtol=1e-9)
    size = np.abs(A) @ np.abs(of.vectors)
    assert (np.abs(A @ of.vectors - of.vectors * of.values)[:, 2:] <= 1e-9 * size[:, 2:].max(axis=0)).all()


def test_what_rounding_could_decide_is_neither_stable_nor_grows():
    for real in (-1e-12, 1e-12):
        lin = system([[real, 1], [-1, real]])
        assert not lin.stable
        assert not lin.grows


def test_what_almost_vanishes_is_not_zero():
    """A slow leak between two nearly equal rates: λ = -ε/2."""
    assert_allclose(eigen(np.array([[-1.0, 1.0], [1.0, -1.0 - 1e-9]])).values.real.max(), -5e-10, rtol=1e-5)


def test_defective_and_repeated_poles():
    """A critically damped oscillator, and two that resonate: rounding moves their poles by its root, and it is said."""
    critical = system([[0, 1], [-4, -4]])
    assert_allclose(critical.poles(), -2.0, atol=1e-6)
    assert critical.stable
    assert_allclose([mode.damping_ratio for mode in critical.modes()], 1.0, rtol=1e-9)
    resonant = np.array([[0, 1, 0, 0], [-1, 0, 1, 0], [0, 0, 0, 1], [0, 0, -1, 0]])
    rng = np.random.default_rng(2)
    T = rng.normal(size=(4, 4))
    pair = system(T @ resonant @ np.linalg.inv(T))
    assert_allclose(np.abs(pair.poles().imag), 1.0, atol=1e-6)
    assert (pair.modes().errors > 1e-9).all()
    assert not pair.stable
    assert not pair.grows
    twice = system(np.diag([-1.0, -1.0, -1.0]))
    assert_allclose(twice.poles(), -1.0)


def test_an_overdamped_pendulum_creeps():
    d = 8.0
    lin = vv.linearise(rods(friction=d))
    exact = np.roots([1 / 3, d, G / 2])
    assert_allclose(np.sort(lin.poles().real), np.sort(exact), rtol=1e-9)
    assert [mode.frequency for mode in lin.modes()] == [0.0, 0.0]
    assert [mode.damping_ratio for mode in lin.modes()] == [1.0, 1.0]
    assert lin.stable


def test_a_spherical_pendulum_has_one_frequency_twice():
    m = vv.Mechanism("bob", gravity=(0, 0, -G))
    m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1))
    m.spherical("pivot", m.ground, "bob", at=(0, 0, 0))
    lin = vv.linearise(m)
    assert_allclose(2 * np.pi * lin.modes().frequencies, [0, *2 * [np.sqrt(G / 1.1)]], rtol=1e-9)
    shapes = np.array([mode.vector[:3].real for mode in lin.modes()])
    assert np.linalg.matrix_rank(shapes, tol=1e-6) == 3


def test_a_torque_accelerates_and_an_inverted_pendulum_grows():
    m = rods(up=True)
    m.torque("hand", "hinge0")
    lin = vv.linearise(m, ([0.0], [0.0]))
    assert_allclose(lin.B, [[0.0], [3.0]], atol=1e-10)
    assert_allclose(lin.mechanics.B, [[1.0]], rtol=1e-10)
    assert lin.grows
    assert not vv.linearise(rods()).grows


def test_a_mass_matrix_without_inertia_has_no_inverse():
    assert_allclose(inverted(np.diag([2.0, 4e-9]), "it"), np.diag([0.5, 0.25e9]))
    with pytest.raises(vv.ModelError, match="it has a motion without inertia"):
        inverted(np.array([[1.0, 2.0], [2.0, 4.0]]), "it")


# -- responses --------------------------------------------------------------------------------------------------


def test_responses_at_frequency_zero_leave_out_what_neither_shows_nor_is_reached():
    shown = [[0, 1, 0], [0, -2, 0], [0, 0, 0]]  # a place, its speed, and something constant
    assert_allclose(system(shown, [[0], [1], [0]], [[0, 1, 0]]).frequency_response(0.0).G, [[[0.5]]])
    assert_allclose(system(shown, [[0], [1], [0]], [[0, 1, 1]]).frequency_response(0.0).G, [[[0.5]]])
    with pytest.raises(vv.ModelError, match="pole at 0 rad/s"):
        system(shown, [[0], [1], [0]], [[1, 0, 0]]).frequency_response(0.0)
    with pytest.raises(vv.ModelError, match="pole at 0 rad/s"):
        system(shown, [[0], [0], [1]], [[0, 0, 1]]).frequency_response(0.0)


def test_a_force_on_one_of_two_free_masses_stretches_the_spring_between_them():
    """Both accelerate by F/(m1 + m2) for ever; the spring holds the second one's part of the force."""
    m1, m2, k, d = 1.0, 3.0, 2.0, 0.3
    A = [[0, 0, 1, 0], [0, 0, 0, 1], [-k / m1, k / m1, -d / m1, d / m1], [k / m2, -k / m2, d / m2, -d / m2]]
    lin = system(A, [[0], [0], [1 / m1], [0]], [[1, -1, 0, 0], [0, 0, 1, 0]])
    assert_allclose(lin.select(outputs=["y0"]).frequency_response(0.0).G, [[[m2 / (m1 + m2) / k]]], rtol=1e-12)
    with pytest.raises(vv.ModelError, match="from 'u' to 'y1' there has no bound"):
        lin.frequency_response(0.0)


def test_a_stiff_system_has_a_response_at_low_frequencies():
    lin = system([[0, 1, 0], [-1e14, -1e3, 0], [0, 0, -1e-3]], [[0], [1], [1]])
    G0 = lin.frequency_response([0.0, 1e-6]).G[:, :, 0]
    assert_allclose(G0[0], [1e-14, 0.0, 1e3], atol=1e-20)
    assert_allclose(G0[1, 2], 1 / (1e-3 + 1e-6j), rtol=1e-9)


def test_a_step_response_finds_its_times():
    slow = system([[-0.1, 0], [0, -10.0]]).step_response()
    assert slow.t[-1] == pytest.approx(60.0)
    assert_allclose(slow.y[-1, :, 0], [10.0, 0.1], rtol=0.01)
    ringing = system([[0, 1], [-4, -0.04]]).step_response()
    assert ringing.t[-1] == pytest.approx(20.0)
    assert system([[0.0]]).step_response().y[-1, 0, 0] == pytest.approx(1.0)


def test_what_makes_power_with_an_input_has_its_unit():
    m = rods()
    m.torque("hand", "hinge0")
    m.wrench("wind", "rod0")
    lin = vv.linearise(m, vv.analytical(m).initial, outputs=["hand.y", "wind.y"])
    assert [lin.unit(name) for name in lin.outputs] == ["rad/s", *3 * ["rad/s"], *3 * ["m/s"]]
    assert [lin.unit(name) for name in lin.inputs] == ["N m", *3 * ["N m"], *3 * ["N"]]
    assert vv.linearise(flywheel(), outputs=["motor.y"]).unit("motor.y") == "A"


def test_bode_plots_show_sharp_resonances(tmp_path):
    """The peak 1/(2 ζ) of a damping ratio of 1e-5 is in the picture, although its width is not that of a pixel."""
    lin = system([[0, 1], [-1, -2e-5]], [[0], [1]], [[1, 0]])
    figure = lin.bode(path=tmp_path / "sharp.png")
    assert figure.axes[0].lines[0].get_ydata().max() == pytest.approx(5e4, rel=1e-3)


def test_step_responses_are_drawn_by_unit(tmp_path):
    lin = vv.linearise(flywheel(), outputs=["axle.rate", "motor.y"])
    path = tmp_path / "steps.png"
    figure = lin.step_response().plot(path)
    assert [axes.get_ylabel() for axes in figure.axes] == ["[rad/s]", "[A]"]
    assert_allclose(figure.axes[0].lines[0].get_ydata()[-1], 0.2 / (1.5 * 0.03 + 0.2**2), rtol=0.01)
    assert path.stat().st_size > 10_000


def test_a_mass_that_depends_on_the_place_is_seen_by_accelerations():
    """(1 + q²) v̇ = -(k q + q v²) at any instant: the inertia force changes with q as well."""
    k, q, v = 2.0, 0.5, 0.3
    model = vv.lagrangian("heavier outside", q=("x",), L=lambda q, v: 0.5 * (1 + q.x**2) * v.x**2 - 0.5 * k * q.x**2)
    lin = vv.linearise(model, at=[q, v], residual_ok=True)
    by_q = -(k + v**2) / (1 + q**2) + 2 * q**2 * (k + v**2) / (1 + q**2) ** 2
    assert_allclose(lin.A, [[0, 1], [by_q, -2 * q * v / (1 + q**2)]], rtol=1e-9, atol=1e-12)


def test_a_bond_graph_has_the_modes_of_its_circuit():
    """-R/2L ± i √(1/LC - (R/2L)²)."""
    elements = {"v": bonds.Se(), "i": bonds.one(), "L": bonds.I(0.1), "C": bonds.C(1e-3), "R": bonds.R(2.0)}
    graph = vv.BondGraph("circuit", elements, ["v -> i", "i -> L", "i -> C", "i -> R"])
    decay = 2.0 / 0.2
    fast = 1j * np.sqrt(1e4 - decay**2)
    assert_allclose(sorted(vv.linearise(graph).poles(), key=np.imag), [-decay - fast, -decay + fast], rtol=1e-9)
