"""Small motions that the field knows: the bicycle, rotors, columns, beams, satellites."""

import numpy as np
import pytest
from linear_models import G, bicycle, bicycle_poles, gimbal_top, internally_damped
from numpy.testing import assert_allclose

import visviva as vv


@pytest.mark.parametrize("speed", [0.0, 3.0, 10.0])
def test_the_bicycle_benchmark(speed):
    """Meijaard, Papadopoulos, Ruina, Schwab (2007): eigenvalues of lean and steer; all else moves freely."""
    lin = vv.linearise(bicycle(speed), steady=True)
    found, exact = lin.poles(), bicycle_poles(speed)
    assert lin.mechanics.K.shape == (3, 7)  # lean, steer and speed; place, heading and angles of the wheels beside
    assert (found[:6] == 0).all()
    assert_allclose(np.sort_complex(found[6:]), exact, rtol=1e-8)


@pytest.mark.parametrize(("speed", "stable"), [(4.292, False), (4.293, True), (6.024, True), (6.0245, False)])
def test_the_bicycle_is_stable_between_weave_and_capsize(speed, stable):
    """Weave speed 4.2924 m/s, capsize speed 6.0243 m/s."""
    assert vv.linearise(bicycle(speed), steady=True).grows != stable


def test_damping_that_turns_with_the_shaft_drives_it_above_its_threshold():
    """m z̈ + (d_e + d_i) ż + (k - i Ω d_i) z = 0 grows where Ω > ω (1 + d_e/d_i); Ω d_i is a circulatory force."""
    mass, k, outer, inner = 2.0, 800.0, 1.5, 3.0
    threshold = np.sqrt(k / mass) * (1 + outer / inner)
    for speed in (0.97 * threshold, 1.03 * threshold):
        lin = vv.linearise(internally_damped(speed, mass, k, outer, inner), steady=True)
        whirl = np.roots([mass, outer + inner, k - 1j * speed * inner])
        for exact in whirl:
            assert np.abs(lin.poles() - exact).min() < 1e-8
        assert lin.grows == (speed > threshold)
        xy = np.ix_(*2 * [[lin.states.index("x.q"), lin.states.index("y.q")]])
        assert_allclose(np.abs(lin.mechanics.circulatory[xy]), speed * inner * (1 - np.eye(2)), rtol=1e-8)


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_a_spinning_wheel_holds_an_inverted_pendulum_upright_until_it_is_damped(factor):
    """(C Ω)² > 4 A m g l; damping destroys what gyroscopic forces have stabilised (Thomson and Tait)."""
    A, C, mgl = 0.1 + 0.25, 0.08, 0.5 * G
    spin = factor * np.sqrt(4 * A * mgl) / C
    lin = vv.linearise(gimbal_top(spin), steady=True)
    assert lin.grows == (factor < 1)
    assert not lin.stable
    assert_allclose(np.sort(np.linalg.eigvalsh(lin.mechanics.stiffness)[:2]), [-mgl, -mgl], rtol=1e-8)
    assert vv.linearise(gimbal_top(spin, friction=0.01), steady=True).grows


@pytest.mark.parametrize("mu", [0.038, 0.039])
def test_triangular_points_are_stable_up_to_routh_s_ratio(mu):
    """λ⁴ + λ² + 27/4 μ (1 - μ) = 0 in axes that turn with both masses; stable below μ = 0.03852."""

    def L(q, v):
        near, far = ((q.x - 1 + mu) ** 2 + q.y**2) ** 0.5, ((q.x + mu) ** 2 + q.y**2) ** 0.5
        return 0.5 * ((v.x - q.y) ** 2 + (v.y + q.x) ** 2) + (1 - mu) / far + mu / near

    model = vv.lagrangian("restricted problem", q=("x", "y"), L=L, q0=(0.5 - mu, np.sqrt(0.75)))
    lin = vv.linearise(model)
    assert len(lin.poles()) == 4
    assert_allclose(lin.poles() ** 4 + lin.poles() ** 2, -6.75 * mu * (1 - mu), atol=1e-9)
    assert lin.grows == (mu > 0.0385208965)


def column(load, links=4, c=3.0, length=0.5):
    """A column of links with springs between them, on a hinge, its top guided; the load pushes along it."""
    m = vv.Mechanism("column")
    below = m.ground
    for k in range(links):
        bar = m.body(f"bar{k}", inertia=vv.inertia.rod(1.0, length, axis="z"), at=(0, 0, (k + 0.5) * length))
        m.revolute(f"hinge{k}", below, bar, at=(0, 0, k * length), axis=(0, 1, 0))
        if k:
            m.torsion(f"spring{k}", f"hinge{k}", k=c)
        below = bar
    m.body("cap", mass=0.1, inertia=(1, 1, 1), at=(0, 0, links * length))
    m.revolute("top", below, "cap", at=(0, 0, links * length), axis=(0, 1, 0))
    m.prismatic("guide", m.ground, "cap", axis=(0, 0, 1))
    m.force("load", "guide")
    at = vv.analytical(m).initial
    return vv.linearise(m, (at.q, at.xi, at.s), operating={"load": -load})


def test_a_column_buckles_at_its_critical_load():
    """P = 4 c/l sin²(π/2n): springs at all inner hinges, both ends pinned; the load acts through reactions."""
    critical = 4 * 3.0 / 0.5 * np.sin(np.pi / 8) ** 2
    assert not column(0.999 * critical).grows
    assert column(1.001 * critical).grows
    lowest = [np.linalg.eigvalsh(column(load).mechanics.stiffness)[0] for load in (0.999 * critical, 1.001 * critical)]
    assert lowest[0] > 0 > lowest[1]


def test_a_chain_of_hinges_becomes_a_beam():
    """ω = 1.8751² √(EI/ρA L⁴) of a clamped beam of length, mass and stiffness one, with an error of 1/n²."""

    def first(n):
        m = vv.Mechanism("cantilever")
        before = m.ground
        for k in range(n):
            bar = m.body(f"bar{k}", inertia=vv.inertia.rod(1 / n, 1 / n, axis="x"), at=((k + 0.5) / n, 0, 0))
            m.revolute(f"hinge{k}", before, bar, at=(k / n, 0, 0), axis=(0, 1, 0))
            m.torsion(f"spring{k}", f"hinge{k}", k=n * (1.0 if k else 2.0))  # half a link at the wall
            before = bar
        return 2 * np.pi * vv.linearise(m, vv.analytical(m).initial).modes().frequencies

    exact = np.array([1.875104069, 4.694091133]) ** 2
    errors = [np.abs(first(n)[:2] / exact - 1) for n in (8, 16)]
    assert_allclose(errors[0] / errors[1], 4.0, rtol=0.15)
    assert errors[1][0] < 3e-3


def test_free_bodies_have_as_many_zeros_as_they_may_move():
    """Two bodies in space: a spring between their centres resists one motion of twelve, a bushing six."""
    mass = (2.0, 3.0)
    m = vv.Mechanism("pair")
    for k in range(2):
        m.body(f"body{k}", mass=mass[k], inertia=(0.1, 0.2, 0.25), at=(float(k), 0, 0))
    m.spring("spring", "body0", "body1", k=5.0)
    at = vv.analytical(m).initial
    lin = vv.linearise(m, at)
    assert lin.mechanics.conservative
    assert (lin.poles() == 0).sum() == 22
    assert_allclose(np.abs(lin.poles()[-1]), np.sqrt(5.0 * (1 / 2.0 + 1 / 3.0)), rtol=1e-9)
    m.bushing("bushing", "body0", "body1", K=np.diag([2.0, 3.0, 4.0, 50.0, 60.0, 70.0]), D=0.01 * np.eye(6))
    damped = vv.linearise(m, at)
    assert (damped.poles() == 0).sum() == 12
    assert (damped.poles()[12:].real < 0).all()
    assert not damped.stable
    assert not damped.grows
