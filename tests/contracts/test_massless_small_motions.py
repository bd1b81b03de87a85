"""Small motions of mechanisms with massless parts are the derivatives of their accelerations.

Whatever holds a part without inertia: a drive, a gear, a coupler, a screw, a weld, a loop. The slopes of the compared
accelerations are central differences of the minimal form, whose force balance does not know of linearisation.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv

G = 9.81


def car(road, rate=0.0, k=100.0):
    """A chassis on a spring over a road that something holds, or moves evenly."""
    m = vv.Mechanism("car", gravity=(0, 0, -G))
    m.body("chassis", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 1))
    m.prismatic("strut", m.ground, "chassis", at=(0, 0, 1), axis=(0, 0, 1))
    road(m, rate)
    m.spring("spring", "road", "chassis", k=k, length=1.0)
    return m


def driven(m, rate):
    m.body("road", massless=True, at=(0, 0, 0))
    m.prismatic("slide", m.ground, "road", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("bump", "slide", rate=rate)


def heavy(m, rate):
    m.body("road", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0))
    m.prismatic("slide", m.ground, "road", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("bump", "slide", rate=rate)


def light(m, rate):
    m.body("road", mass=1e-20, inertia=(1e-20, 1e-20, 1e-20), at=(0, 0, 0))
    m.prismatic("slide", m.ground, "road", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("bump", "slide", rate=rate)


def welded(m, rate):
    m.body("road", massless=True, at=(0, 0, 0))
    m.fixed("weld", m.ground, "road", at=(0, 0, 0))


def chained(m, rate):
    """A driven slide on a driven slide on a weld, all without mass."""
    m.body("pier", massless=True, at=(0, 0, -1))
    m.fixed("weld", m.ground, "pier", at=(0, 0, -1))
    m.body("lift", massless=True, at=(0, 0, -0.5))
    m.prismatic("jack", "pier", "lift", at=(0, 0, -0.5), axis=(0, 0, 1))
    m.drive("raise", "jack", rate=0.0)
    m.body("road", massless=True, at=(0, 0, 0))
    m.prismatic("slide", "lift", "road", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("bump", "slide", rate=rate)


def on_a_screw(m, rate):
    """A nut that cannot turn on a massless screw that a drive turns."""
    m.body("screw", massless=True, at=(0, 0, 0))
    m.revolute("bearing", m.ground, "screw", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("motor", "bearing", rate=rate)
    m.body("road", massless=True, at=(0, 0, 0))
    m.screw("thread", "screw", "road", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.1)
    m.prismatic("key", m.ground, "road", at=(0, 0, 0), axis=(0, 0, 1))


HOLDS = [driven, light, welded, chained, on_a_screw]


@pytest.mark.parametrize("road", HOLDS)
@pytest.mark.parametrize("k", [20.0, 1e2, 1e9])
def test_a_massless_road_carries_the_spring_that_stands_on_it(road, k):
    found = vv.linearise(car(road, k=k))
    assert_allclose(found.mechanics.K, [[k]], rtol=1e-9)
    assert_allclose(np.abs(found.poles()), np.sqrt(k), rtol=1e-9)


@pytest.mark.parametrize("road", [driven, chained])
def test_it_carries_it_as_well_while_it_moves(road):
    """A drive at a constant rate: the frozen coefficients are those of rest, as the spring is linear."""
    m = car(road, rate=0.5)
    found = vv.linearise(m, m.assemble()[0], residual_ok=True)
    assert_allclose(found.mechanics.K, [[100.0]], rtol=1e-9)


@pytest.mark.parametrize("order", ["position", "rate", "acceleration"])
def test_a_massless_road_excites_as_a_heavy_one(order):
    found, expected = (
        vv.linearise(car(road), inputs=[f"bump.{order}"], outputs=["strut.q"]) for road in (driven, heavy)
    )
    w = np.array([1.0, 7.0, 20.0])
    assert_allclose(found.frequency_response(w).G, expected.frequency_response(w).G, rtol=1e-9)


def geared(massless):
    """A disc on a spring, geared to an idler, and a rack that the idler moves."""
    m = vv.Mechanism("geared", gravity=(0, 0, -G))
    m.body("disc", mass=2.0, inertia=(0.1, 0.2, 0.1), at=(0, 0, 0))
    m.revolute("axle", m.ground, "disc", at=(0, 0, 0), axis=(0, 1, 0))
    given = {"massless": True} if massless else {"mass": 1e-9, "inertia": (1e-9, 1e-9, 1e-9)}
    m.body("idler", at=(1, 0, 0), **given)
    m.revolute("pin", m.ground, "idler", at=(1, 0, 0), axis=(0, 1, 0))
    m.gear("mesh", "axle", "pin", ratio=-2.0)
    m.torsion("wire", "pin", k=3.0, angle=0.2)
    m.spring("pull", "idler", m.ground, at_a=(1.3, 0, 0), at_b=(1.3, 0, -1.0), k=40.0, length=0.7)
    return m


def test_a_massless_gear_passes_on_what_acts_on_it():
    found, expected = (vv.linearise(geared(massless)) for massless in (True, False))
    assert_allclose(found.poles(), expected.poles(), rtol=1e-6)


def four_bar(massless):
    """The coupler is held by its two hinges alone; a spring and a weight act on it."""
    m = vv.Mechanism("four bar", gravity=(0, 0, -G))
    given = {"massless": True} if massless else {"mass": 1e-9, "inertia": (1e-9, 1e-9, 1e-9)}
    m.body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0.2))
    m.body("coupler", at=(0.5, 0, 0.4), **given)
    m.body("rocker", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(1.0, 0, 0.2))
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("B", "crank", "coupler", at=(0, 0, 0.4), axis=(0, 1, 0))
    m.revolute("C", "coupler", "rocker", at=(1.0, 0, 0.4), axis=(0, 1, 0))
    m.revolute("D", m.ground, "rocker", at=(1.0, 0, 0), axis=(0, 1, 0))
    m.spring("up", "coupler", m.ground, at_a=(0.5, 0, 0.4), at_b=(0.5, 0, 1.2), k=500.0, length=0.75)
    return m


def test_a_massless_coupler_passes_on_what_acts_on_it():
    found, expected = (vv.linearise(four_bar(massless), velocities=["A.rate"]) for massless in (True, False))
    assert_allclose(found.A, expected.A, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("make", [lambda: car(driven), lambda: geared(True), lambda: four_bar(True)])
def test_coefficients_are_derivatives_of_accelerations(make):
    m = make()
    at = vv.equilibrium(m)
    found, form = vv.linearise(m, at), vv.analytical(m)
    ref = form.coordinates(at.motion)
    k = form.xi_names.index(found.states[1])

    def acceleration(h: float) -> float:
        eps = np.zeros(form.n)
        eps[k] = h
        q, xi, s = form.projected(0.0, form.advance_q(ref.q, eps), np.zeros(form.n), ref.s)
        return form.accelerations(q, xi, s)[k] / (q[k] - ref.q[k])

    assert found.A[1, 0] == pytest.approx(0.5 * (acceleration(1e-4) + acceleration(-1e-4)), rel=1e-6)


# -- what is called an equilibrium -------------------------------------------------------------------------------------


def test_what_is_out_of_balance_is_no_equilibrium_beside_what_has_no_inertia():
    """A force on a massless body makes no acceleration to compare with: 9.81 N on the chassis are not little."""
    m = car(driven)
    with pytest.raises(
        vv.AssemblyError, match=r"this is no equilibrium of mechanism 'car': along 'strut.rate' a force"
    ):
        vv.linearise(m, m.assemble()[0])


def test_what_is_light_does_not_excuse_what_is_heavy():
    m = vv.Mechanism("pair", gravity=(0, 0, -G))
    for name, mass, x in (("rock", 1e3, 0.0), ("dust", 1e-9, 1.0)):
        m.body(name, mass=mass, inertia=(mass, mass, mass), at=(x, 0, 0))
        m.prismatic(f"{name} slide", m.ground, name, at=(x, 0, 0), axis=(0, 0, 1))
        m.spring(f"{name} spring", name, m.ground, at_b=(x, 0, 1), k=1e6, length=1.0)
    assert_allclose(np.sort(np.abs(vv.linearise(m).poles()))[::2], [np.sqrt(1e3), np.sqrt(1e15)], rtol=1e-9)
    with pytest.raises(vv.AssemblyError, match=r"no equilibrium of mechanism 'pair': along 'rock slide.rate'"):
        vv.linearise(m, m.assemble()[0])


@pytest.mark.parametrize("at", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("k", [1e2, 1e5, 1e9])
def test_it_does_not_matter_where_the_origin_is(at, k):
    m = vv.Mechanism("scale", gravity=(0, 0, -G))
    m.body("pan", mass=2.0, inertia=(1, 1, 1), at=(at, at, at))
    m.prismatic("guide", m.ground, "pan", at=(at, at, at), axis=(0, 0, 1))
    m.spring("spring", "pan", m.ground, at_b=(at, at, at + 1.0), k=k, length=1.0)
    assert_allclose(np.abs(vv.linearise(m).poles()), np.sqrt(k / 2.0), rtol=1e-9 * max(1.0, at))


# -- drives that hardly move -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("road", [driven, heavy, welded])
def test_a_drive_whose_speed_is_rounding_rests(road):
    found = vv.linearise(car(road, rate=7.7e-173))
    assert_allclose(np.abs(found.poles()), 10.0, rtol=1e-9)
    m = car(road, rate=7.7e-173)
    for given in ({"at": vv.equilibrium(m)}, {"at": vv.equilibrium(m), "steady": True}):
        assert_allclose(np.abs(vv.linearise(m, **given).poles()), 10.0, rtol=1e-9)


@pytest.mark.parametrize("road", [driven, heavy])
def test_a_drive_that_moves_does_not_rest(road):
    m = car(road, rate=1e-9)
    with pytest.raises(
        vv.AssemblyError, match=r"drive 'bump' of mechanism 'car' moves at the start, by 1e-09 per second"
    ):
        vv.linearise(m)


# -- inputs in the search for rest -------------------------------------------------------------------------------------


def test_a_force_that_carries_the_weight_is_part_of_the_search_for_rest():
    m = vv.Mechanism("hover", gravity=(0, 0, -G))
    m.body("stone", mass=2.0, inertia=(1, 1, 1))
    m.prismatic("guide", m.ground, "stone", at=(0, 0, 0), axis=(0, 0, 1))
    m.wrench("lift", "stone", frame="world")
    with pytest.raises(vv.AssemblyError, match="no equilibrium of mechanism 'hover'"):
        vv.linearise(m)
    found = vv.linearise(m, operating={"lift": [0, 0, 0, 0, 0, 2.0 * G]})
    assert_allclose(found.poles(), 0.0, atol=1e-9)
