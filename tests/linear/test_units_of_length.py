"""The unit of length does not matter: small motions, equilibria and runs of a mechanism at any scale are the same.

Masses stay, lengths are multiplied by L, inertias and moments by L², gravity by L: all rates stay as they are.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv


def between(*lengths):
    """Lengths between the extremes, which take their time."""
    return [pytest.param(L, marks=pytest.mark.slow) for L in lengths]


SCALES = (1e-9, 1e-6, 1e3, 1e9, *between(1e-5, 1e-3, 1e6))
G = 9.81
CORNERS = np.array([(0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1.0, 0, 0)])
X, Y = np.array([1.0, 0, 0]), (0, 1, 0)


def bar(m, name, a, b):
    d = b - a
    J = (d @ d * np.eye(3) - np.outer(d, d)) / 12 + 1e-3 * d @ d * np.eye(3)
    return m.body(name, mass=1.0, inertia=J, at=(a + b) / 2)


def bars(L):
    A, B, C, D = L * CORNERS
    m = vv.Mechanism("bars", gravity=(0, 0, -G * L))
    crank, coupler, rocker = bar(m, "crank", A, B), bar(m, "coupler", B, C), bar(m, "rocker", D, C)
    m.revolute("A", m.ground, crank, at=A, axis=Y)
    m.revolute("D", m.ground, rocker, at=D, axis=Y, friction=0.02 * L**2)
    return m, crank, coupler, rocker


def four_bar(L):
    m, crank, coupler, rocker = bars(L)
    m.revolute("B", crank, coupler, at=L * CORNERS[1], axis=Y)
    m.revolute("C", coupler, rocker, at=L * CORNERS[2], axis=Y)
    return m


def four_bar_that_slides(L):
    """With a coordinate that is a length, and rows that are not redundant."""
    m, crank, coupler, rocker = bars(L)
    m.cylindrical("B", crank, coupler, at=L * CORNERS[1], axis=Y)
    m.spherical("C", coupler, rocker, at=L * CORNERS[2])
    m.torsion("coil", "A", k=3.0 * L**2)
    return m


def four_bar_with_a_rod(L):
    """A coupler without mass, whose row is a square of a length."""
    A, B, C, D = L * CORNERS
    m = vv.Mechanism("rod", gravity=(0, 0, -G * L))
    m.revolute("A", m.ground, bar(m, "crank", A, B), at=A, axis=Y)
    m.revolute("D", m.ground, bar(m, "rocker", D, C), at=D, axis=Y)
    m.distance("rod", "crank", "rocker", at_a=B, at_b=C)
    return m


def four_bar_without_mass(L):
    """Of its coupler, whose share in a nearest motion is that of a mass and of a moment of others."""
    A, B, C, D = L * CORNERS
    m = vv.Mechanism("massless", gravity=(0, 0, -G * L))
    m.revolute("A", m.ground, bar(m, "crank", A, B), at=A, axis=Y)
    m.revolute("D", m.ground, bar(m, "rocker", D, C), at=D, axis=Y, friction=0.05 * L**2)
    m.body("coupler", massless=True, at=(B + C) / 2)
    m.revolute("B", "crank", "coupler", at=B, axis=Y)
    m.revolute("C", "coupler", "rocker", at=C, axis=Y)
    m.torsion("coil", "A", k=8.0 * L**2)
    return m


def wheels_and_rack(L):
    """With all joints at centres of mass: lengths are those between the bodies."""
    m = vv.Mechanism("wheels", gravity=(0, 0, -G * L))
    m.body("large", mass=1.0, inertia=np.array([0.1, 0.2, 0.1]) * L**2, at=(0, 0, 0))
    m.body("small", mass=0.5, inertia=np.array([0.03, 0.05, 0.03]) * L**2, at=L * X)
    m.body("slide", mass=0.3, inertia=np.full(3, 0.01 * L**2), at=2 * L * X)
    m.revolute("A", m.ground, "large", at=(0, 0, 0), axis=Y)
    m.revolute("B", m.ground, "small", at=L * X, axis=Y, friction=0.05 * L**2)
    m.prismatic("rail", m.ground, "slide", at=2 * L * X, axis=X)
    m.gear("gear", "A", "B", ratio=-2.0)
    m.rack("rack", "B", "rail", radius=0.2 * L)
    m.torsion("coil", "A", k=3.0 * L**2)
    m.spring("spring", "slide", m.ground, k=9.0, length=0.5 * L, at_a=2 * L * X, at_b=3 * L * X)
    return m


def slider_crank(L):
    A, B, C = L * np.array([(0, 0, 0), (0.3, 0, 0.4), (1.5, 0, 0)])
    m = vv.Mechanism("slider-crank", gravity=(0, 0, -G * L))
    crank, conrod = bar(m, "crank", A, B), bar(m, "conrod", B, C)
    slider = m.body("slider", mass=1.0, inertia=np.full(3, 0.01 * L**2), at=C)
    m.revolute("A", m.ground, crank, at=A, axis=Y)
    m.revolute("B", crank, conrod, at=B, axis=Y)
    m.revolute("C", conrod, slider, at=C, axis=Y)
    m.prismatic("guide", m.ground, slider, at=C, axis=(1, 0, 0), friction=0.3)
    m.spring("spring", slider, m.ground, k=30.0, length=0.5 * L, at_a=C, at_b=C + L * X)
    return m


HOOKS = np.array([(0.5, 0.3), (-0.5, 0.3), (0.0, -0.6)])


def plate(L):
    m = vv.Mechanism("plate", gravity=(0, 0, -G * L))
    m.body("plate", mass=1.0, inertia=np.array([0.1, 0.2, 0.25]) * L**2, at=(0, 0, -L))
    return m


def on_springs(L):
    """Without any joint: its lengths are those of the springs."""
    m = plate(L)
    for k, (x, y) in enumerate(L * HOOKS):
        ends = {"at_a": (1.3 * x, 1.2 * y, 0), "at_b": (x, y, -L)}
        m.spring(f"s{k}", m.ground, "plate", k=50.0, length=0.5 * L, damping=0.2, **ends)
    return m


def on_rods(L):
    m = plate(L)
    for k, (x, y) in enumerate(L * HOOKS):
        m.distance(f"r{k}", m.ground, "plate", at_a=(1.3 * x, 1.2 * y, 0), at_b=(x, y, -L))
    return m


def lagrangian_four_bar(L):
    """Angles of three bars, with a loop that is closed in metres."""
    a, b, c, d = L * np.array([0.4, 1.3, np.hypot(0.2, 0.9), 1.0])

    def V(q):
        return G * L * (1.5 * a * np.sin(q[0]) + b / 2 * np.sin(q[1]) + c / 2 * np.sin(q[2]))

    def M(q):
        both = a * b / 2 * np.cos(q[0] - q[1])
        return [[4 * a * a / 3, both, 0], [both, b * b / 3, 0], [0, 0, c * c / 3]]

    def g(q):
        along = a * np.cos(q[0]) + b * np.cos(q[1]) - c * np.cos(q[2]) - d
        return [along, a * np.sin(q[0]) + b * np.sin(q[1]) - c * np.sin(q[2])]

    start = (np.pi / 2, np.arctan2(0.5, 1.2), np.arctan2(0.9, 0.2))
    return vv.lagrangian("bars", q=("A", "B", "C"), M=M, V=V, g=g, damping=np.diag([0.02 * L**2, 0, 0]), q0=start)


def lagrangian_pendulum(L):
    """Cartesian, on a spring: no polynomial of its coordinates."""

    def V(q):
        return 10.0 * (np.sqrt(q.x**2 + q.y**2) - L) ** 2 + G * L * q.y

    return vv.lagrangian("on a spring", q=("x", "y"), M=np.eye(2), V=V, q0=(0.01 * L, -1.2 * L))


BARS = (four_bar, four_bar_that_slides, four_bar_with_a_rod, four_bar_without_mass)
MECHANISMS = (*BARS, slider_crank, wheels_and_rack, on_springs, on_rods)


@cache
def poles(build, L):
    found = vv.linearise(build(L)).poles()
    return found[np.lexsort((found.real.round(6), found.imag.round(6)))]


@cache
def in_motion(build, L):
    return vv.linearise(build(L), {"A.rate": 2.0}, residual_ok=True)


@cache
def rest_and_end(build, L):
    """Stability, then where the last body goes in lengths, and the energy at rest in squares of them."""
    m = build(L)
    rest, run = vv.equilibrium(m), vv.simulate(m, 0.1, 0.005)
    return rest.stability, np.array([*(np.ravel(run[f"{m.bodies[-1].name}.r"][-1]) / L), rest.energy / L**2])


@pytest.mark.parametrize("L", SCALES)
@pytest.mark.parametrize("build", MECHANISMS)
def test_small_motions_of_mechanisms(build, L):
    one = poles(build, 1.0)
    assert_allclose(poles(build, L), one, rtol=0, atol=1e-9 * np.abs(one).max())


@pytest.mark.parametrize("L", [1e-6, 1e3, *between(1e-5, 1e-3)])
@pytest.mark.parametrize("build", [*BARS, slider_crank, wheels_and_rack])
def test_small_motions_about_a_motion(build, L):
    """Velocities as fast, and the same ones are independent."""
    one, found = in_motion(build, 1.0), in_motion(build, L)
    assert found.states == one.states
    assert_allclose(found.A, one.A, rtol=0, atol=1e-7 * np.abs(one.A).max())


@pytest.mark.parametrize("L", [1e-6, 1e-5, 1e-3, 1e3])
@pytest.mark.parametrize("build", [lagrangian_four_bar, lagrangian_pendulum])
def test_small_motions_of_lagrangians(build, L):
    one = poles(build, 1.0)
    assert_allclose(poles(build, L), one, rtol=0, atol=1e-9 * np.abs(one).max())


@pytest.mark.parametrize("L", [1.0, *SCALES])
def test_a_pendulum_with_a_spring_has_its_frequency(L):
    """ω² = (k + m g l)/(J + m l²)."""
    m = vv.Mechanism("pendulum", gravity=(0, 0, -G * L))
    m.body("arm", mass=1.0, inertia=np.array([0.2, 0.3, 0.1]) * L**2, at=(0, 0, -0.5 * L))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=Y)
    m.torsion("coil", "hinge", k=7.0 * L**2)
    assert_allclose(np.abs(vv.linearise(m).poles()), np.sqrt((7.0 + 0.5 * G) / (0.3 + 0.25)), rtol=1e-10)
    angle = vv.lagrangian("angle", q=("a",), M=[[L**2]], V=lambda q: -G * L**2 * np.cos(q.a), q0=(0.1,))
    assert_allclose(np.abs(vv.linearise(angle).poles()), np.sqrt(G), rtol=1e-9)
    on_circle = vv.lagrangian(
        "on a circle",
        q=("x", "z"),
        M=np.eye(2),
        V=lambda q: G * L * q.z,
        g=lambda q: [q.x**2 + q.z**2 - L**2],
        q0=(0.0, -L),
    )
    assert_allclose(np.abs(vv.linearise(on_circle).poles()), [np.sqrt(G)] * 2, rtol=1e-9)


@pytest.mark.parametrize("L", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize(("angle", "mass"), [(0.0, 1.0), (0.3, 0.3), (1.2, 5.0)])
def test_rods_that_fold_are_singular_wherever_they_come_from(angle, mass, L):
    """They hang down folded, forces along their arms: what is left of a moment is judged by force times arm."""
    m = vv.Mechanism("folding", gravity=(0, 0, -G * L))
    a = L * np.array([np.cos(angle), 0, -np.sin(angle)])
    b, turn = 2 * a * X, np.array([(np.cos(angle), 0, np.sin(angle)), Y, (-np.sin(angle), 0, np.cos(angle))])
    m.body("one", inertia=vv.inertia.rod(1.0, L, axis="x"), at=a / 2, rotation=turn)
    m.body("two", inertia=vv.inertia.rod(mass, L, axis="x"), at=(a + b) / 2, rotation=turn.T)
    m.revolute("a", m.ground, "one", at=(0, 0, 0), axis=Y)
    m.universal("b", "one", "two", at=a, axes=(Y, (0, 0, 1)))
    m.point_on_plane("c", m.ground, "two", at=b, normal=(0, 0, 1))
    with pytest.raises(vv.AssemblyError, match="'folding' is singular in this configuration"):
        vv.linearise(m)


@pytest.mark.parametrize("L", [1e-6, *between(1e-3, 1e3)])
@pytest.mark.parametrize("build", MECHANISMS)
def test_equilibria_and_runs(build, L):
    (stability, one), (same, found) = rest_and_end(build, 1.0), rest_and_end(build, L)
    assert same == stability
    assert_allclose(found, one, rtol=0, atol=1e-9)


@pytest.mark.parametrize("L", [1e-7, 1e-6, 1e-5, 1e-4, 1e-2, 1.0, 1e3])
def test_equations_by_hand_vary_on_any_length(L):
    """Steps of a metre in sin(x/L) give numbers, too: they are not taken."""
    flow = vv.HandFlow(lambda t, q, xi: [-4.0 * L * np.sin(q[0] / L) - 0.3 * xi[0]], n=1, names=("x", "v"), name="hand")
    assert_allclose(vv.linearise(flow, at=([0.0], [0.0])).A, [[0, 1], [-4.0, -0.3]], atol=1e-8)


def test_a_length_that_differences_cannot_see_is_refused():
    flow = vv.HandFlow(lambda t, q, xi: [-4e-18 * np.sin(q[0] / 1e-18)], n=1, names=("x", "v"), name="hand")
    with pytest.raises(vv.ModelError, match="not smooth in 'x' here"):
        vv.linearise(flow, at=([0.0], [0.0]))
