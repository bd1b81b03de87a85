"""The energy account of flights by sensors: closed to rounding, each term by another formula, and no term too many."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, copter
from visviva.copter.energy.energy_account import account
from visviva.copter.energy.flown_steps import FlownSteps
from visviva.copter.models.gyrostat import gyrostat
from visviva.copter.models.plant import advance_plant, plant_memory, plant_start, prepare
from visviva.copter.vehicles.blades import STILL

MANOEUVRES = ("tricopter transitions", "transitions", "looping", "flip")

by_sensors = lru_cache(lambda name: copter.fly(name, sensors=copter.Sensors()))


def steps_of(vehicle, x, h, count, currents, wanted, gust, air=STILL):
    """Some steps of the plant, in Python."""
    p, path = gyrostat(vehicle), [x.copy()]
    memory = plant_memory(p)
    prepare(p, x, h, memory)
    for _ in range(count):
        advance_plant(p, x, h, currents, wanted, gust, memory, air)
        path.append(x.copy())
    acting = (np.tile(given, (count, 1)) for given in (currents, wanted, gust, air))
    return FlownSteps(h * np.arange(count + 1), np.array(path), *acting)


def with_options(vehicle):
    """Blades, and a battery that limits the strongest of the currents of `on_the_way`."""
    blades = {"drag": 1e-4, "inflow": 2e-4, "flapping": 1.5e-2, "hub": 3e-6, "radius": 0.12}
    rotors = tuple(replace(rotor, **blades) for rotor in vehicle.rotors)
    return replace(vehicle, rotors=rotors, battery=copter.Battery(9.0, 0.05, 2.2))


def on_the_way(name, t, count=10, h=1e-3, options=False):
    """Steps from a state of the reference of a manoeuvre, with propellers that change their speeds and a gust.

    options: in wind and near the ground as well, see `with_options`.
    """
    plan = copter.manoeuvre(name)
    own = replace(plan.vehicle, bias=np.array([0.05, -0.02, 0.01, 0.1, -0.2, 0.3]))
    own, air = (with_options(own), np.array([2.0, -3.0, 1.0, 0.15])) if options else (own, STILL)
    now, hover, tilting = plan.path.motion(t), own.hover, list(own.tilting)
    x = plant_start(now.X.r, now.X.R, hover.tilts[tilting] + 0.2, 1.1 * hover.speeds)
    x[7 + len(tilting) :][:6] = now.V
    wanted, gust = hover.tilts[tilting] - 0.1, np.array([1.0, -0.5, 0.2])
    if options:
        air[3] -= x[2]
    currents = np.linspace(0.8, 4.0 if options else 1.5, len(own.rotors)) * hover.currents
    return own, steps_of(own, x, h, count, currents, wanted, gust, air)


def audit_of(own, flown):
    return account("steps", "in Python", own, flown)


@pytest.mark.parametrize("name", MANOEUVRES)
@pytest.mark.parametrize("h", [1e-3, 1e-2])
@pytest.mark.parametrize("options", [False, True])
def test_a_step_closes_to_rounding_whatever_its_length(name, h, options):
    """States know nothing of the works: the motion obeys the equations, and no term is missing."""
    for t in (0.5, 1.2):
        audit = audit_of(*on_the_way(name, t, h=h, options=options))
        assert audit.first_law < 1e-14
        assert audit.is_closed
        used = [*audit.supplied.values(), *audit.spent.values()]
        assert all(np.abs(work).max() > 1e-7 or not work.any() for work in used)


@pytest.mark.parametrize("name", ["tricopter transitions", "looping"])
@pytest.mark.parametrize("options", [False, True])
def test_without_any_of_its_terms_a_step_does_not_close(name, options):
    audit = audit_of(*on_the_way(name, 1.2, options=options))
    if options:
        assert {"battery", "wind"} < set(audit.supplied)
        assert {"blades", "battery resistance"} < set(audit.spent)
    for part in (audit.supplied, audit.spent, audit.stored):
        for term in [term for term, values in part.items() if np.ptp(values) or values.any()]:
            others = {other: values for other, values in part.items() if other != term}
            which = next(key for key in ("supplied", "spent", "stored") if getattr(audit, key) is part)
            broken = replace(audit, **{which: others})
            assert broken.first_law > 1e-9
            assert not broken.is_closed
            assert "NOT CLOSED" in str(broken)
            assert "no verdict" not in str(broken)
            for said in ("no verdict", "to their accuracy only"):
                assert said in str(replace(broken, exact=False))


def test_works_are_those_of_the_mechanism():
    """Bodies that turn, by another integrator and another audit: works of 20 ms agree to the order of both."""
    import visviva as vv

    own = replace(copter.quadcopter(), bias=np.zeros(6))
    m, air, hover = copter.mechanism(own), copter.air(own), own.hover
    currents, twist = np.array([1.3, 0.9, 1.2, 1.0]) * hover.currents, np.array([3.0, -2.0, 1.0, 2.0, 1.0, -3.0])
    held = {f"{rotor.name}_motor": rotor.k_M * i for rotor, i in zip(own.rotors, currents, strict=True)}
    start = {f"{rotor.name}_spin.rate": w for rotor, w in zip(own.rotors, hover.speeds, strict=True)}
    run = vv.simulate(
        m, t_end=0.02, h=1e-3, initial=start | {"craft.twist": twist}, inputs=lambda t, x: air(x) | held,
        integrator=vv.RK4(),
    )  # fmt: skip
    x = plant_start(np.zeros(3), np.eye(3), np.zeros(0), hover.speeds)
    x[7:13] = twist
    here = audit_of(own, steps_of(own, x, 2e-4, 100, currents, np.zeros(0), np.zeros(3)))
    there = copter.energy_audit(run, own)
    assert there.ok
    assert not there.exact
    assert_allclose(np.asarray(run["craft.r"])[-1], x[:3], atol=2e-8)
    for name in ("wake", "drag", "bearings"):
        assert_allclose(here.spent[name].sum(), there.spent[name].sum(), rtol=2e-4)
    assert_allclose(here.spent["windings"].sum(), there.spent["windings"].sum(), rtol=1e-9)
    assert_allclose(here.supplied["motors"].sum(), there.supplied["motors"].sum(), rtol=1e-5)
    assert_allclose(np.ptp(here.energy[[0, -1]]), np.ptp(there.energy[[0, -1]]), rtol=2e-4)


def test_works_of_tilting_rotors_are_quadratures_of_forces():
    """Wake, drag and gust against ∫ force · velocity over states, force from the allocation of the vehicle."""
    own, flown = on_the_way("tricopter transitions", 1.2, count=40, h=2.5e-4)
    audit, powers = audit_of(own, flown), {"wake": [], "drag": [], "dampers": [], "gust": []}
    s = len(own.tilting)
    for theta, xi, R in zip(flown.theta, flown.xi, flown.R, strict=True):
        F = np.array([rotor.kappa_F for rotor in own.rotors]) * xi[6 + s :] ** 2
        torque = np.array([rotor.kappa_T for rotor in own.rotors]) * xi[6 + s :] ** 2
        powers["wake"].append(torque @ xi[6 + s :] - xi[:6] @ own.allocation(theta) @ F)
        powers["drag"].append(xi[:6] @ own.drag.matrix @ xi[:6])
        powers["dampers"].append(sum(r.servo.k_D * w**2 for r, w in zip(own.rotors, xi[6 : 6 + s], strict=True)))
        powers["gust"].append(flown.gust[0] @ R @ (xi[3:6] + np.cross(xi[:3], own.com)))
    found = {name: np.trapezoid(power, flown.t) for name, power in powers.items()}
    assert_allclose(audit.spent["wake"].sum(), found["wake"], rtol=1e-5)
    assert_allclose(audit.spent["drag"].sum(), found["drag"], rtol=1e-5)
    assert_allclose(audit.spent["servo dampers"].sum(), found["dampers"], rtol=1e-3)
    assert_allclose(audit.supplied["gust"].sum(), found["gust"], rtol=1e-5)


def test_an_audit_tells_where_air_drives_a_propeller():
    """Climbing at 9 m/s against the air; κ_T ϖ/κ_F is 7 m/s at the speeds of a hover."""
    own = copter.quadcopter().without_bias()
    for climb, wind, told in ((6.0, 0.0, False), (9.0, 0.0, True), (6.0, -3.0, True), (9.0, 3.0, False)):
        x = plant_start(np.zeros(3), np.eye(3), np.zeros(0), own.hover.speeds)
        x[12] = climb
        flown = steps_of(
            own, x, 1e-3, 3, np.array(own.hover.currents), np.zeros(0), np.zeros(3), np.array([0, 0, wind, np.inf])
        )
        audit = audit_of(own, flown)
        assert ("the air drives 'rotor" in str(audit)) == told
        assert (", and 3 others" in str(audit)) == told
        assert audit.ok == (not told)
        assert audit.is_closed
        assert (audit.power["wake"] < 0) == told


def test_a_part_of_an_audit_is_that_of_its_steps():
    audit = audit_of(*on_the_way("looping", 1.2))
    part = audit.between(2e-3, 5e-3)
    assert len(part.t) == 4
    assert_allclose(part.spent["wake"], audit.spent["wake"][2:5])
    assert part.is_closed
    assert_allclose(sum(part.power[name] for name in part.spent) * 3e-3, sum(x.sum() for x in part.spent.values()))
    with pytest.raises(ModelError, match="there is no step between 3 and 4 s"):
        audit.between(3.0, 4.0)


def test_an_audit_is_drawn():
    audit = audit_of(*on_the_way("tricopter transitions", 1.2, count=60))
    powers, closure = audit.plot().axes
    names = [text.get_text() for text in powers.get_legend().get_texts()]
    assert {"motors", "wake", "stored"} <= set(names)
    assert closure.get_ylabel().startswith("first law")
    assert audit.sankey().axes


@pytest.mark.slow
@pytest.mark.parametrize("name", MANOEUVRES)
def test_whole_flights_close_in_each_step(name):
    flight = by_sensors(name)
    audit = flight.audit()
    assert audit.first_law < 1e-12
    assert audit.is_closed
    assert len(audit.closure) == len(flight.steps.h) > 1000 * flight.plan.duration
    assert "every joule accounted for" in str(audit)
    terms = copter.energies(flight)
    paid = sum(terms[each] for each in ("stored", "wake", "drag", "bearings", "winding"))
    taken = sum(terms[each] for each in ("electrical", "servos", "bias", "gust"))
    assert_allclose(taken, paid, atol=1e-12 * terms["electrical"][-1])
    assert_allclose(flight.steps.x[:: flight.record.between.shape[1]][:-1], flight.record.x[flight._flown])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tricopter transitions", "transitions"])
def test_flights_with_all_options_close_in_each_step(name):
    own = with_options(by_sensors(name).vehicle)
    own = replace(own, battery=copter.Battery((9.9, 12.6), 0.03, 2.2))
    wind = copter.Turbulence((2.0, 0.0, 0.0), 0.5, 10.0)
    flight = copter.fly(name, own, agent=copter.Agent(own), wind=wind, ground=-0.3)
    audit, terms = flight.audit(), copter.energies(flight)
    assert audit.first_law < 1e-12
    assert audit.is_closed
    for row in ("battery", "wind", "bias"):
        assert audit.supplied[row].any()
    for row in ("blades", "battery resistance"):
        assert audit.spent[row].any()
    paid = sum(terms[each] for each in ("stored", "wake", "drag", "blades", "bearings", "winding", "sag"))
    taken = sum(terms[each] for each in ("battery", "servos", "bias", "gust", "wind"))
    assert_allclose(taken, paid, atol=1e-12 * terms["battery"][-1])
    assert "% left" in str(flight)


@pytest.mark.slow
def test_agents_that_hover_feed_the_wake_as_the_mechanism_does():
    """69 W and 8 W of Table 5.1, and a little more as estimates settle."""
    power = by_sensors("looping").audit(-1.5, -0.5).power
    assert_allclose(power["wake"], 69.0, rtol=0.03)
    assert_allclose(power["bearings"], 8.26, rtol=0.01)
    gust = copter.fly("looping", sensors=copter.Sensors(), gust=lambda t: (0, 2.0 if 0 < t < 1 else 0, 0))
    assert gust.audit().is_closed
    assert abs(gust.audit().supplied["gust"].sum()) > 0.05
