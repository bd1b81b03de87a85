"""The energy account of flights by sensors: closed to rounding, each term by another formula, and no term too many."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, copter
from visviva.copter import energy_account
from visviva.copter.energy_audit import EnergyAudit
from visviva.copter.flown_steps import FlownSteps
from visviva.copter.gyrostat import gyrostat
from visviva.copter.plant import advance_plant, plant_start, step_inverse

MANOEUVRES = ("tricopter transitions", "transitions", "looping", "flip")

by_sensors = lru_cache(lambda name: copter.fly(name, sensors=copter.Sensors()))


def steps_of(vehicle, x, h, count, currents, wanted, gust):
    """Some steps of the plant, in Python."""
    p, path = gyrostat(vehicle), [x.copy()]
    inverse, grown = step_inverse(p, x, h), np.zeros(len(p.M))
    for _ in range(count):
        advance_plant(p, x, h, currents, wanted, gust, inverse, grown)
        path.append(x.copy())
    acting = (np.tile(given, (count, 1)) for given in (currents, wanted, gust))
    return FlownSteps(h * np.arange(count + 1), np.array(path), *acting)


def on_the_way(name, t, count=10, h=1e-3):
    """Steps from a state of the reference of a manoeuvre, with propellers that change their speeds and a gust."""
    plan = copter.manoeuvre(name)
    own = replace(plan.vehicle, bias=np.array([0.05, -0.02, 0.01, 0.1, -0.2, 0.3]))
    now, hover, tilting = plan.path.motion(t), own.hover, list(own.tilting)
    x = plant_start(now.X.r, now.X.R, hover.tilts[tilting] + 0.2, 1.1 * hover.speeds)
    x[7 + len(tilting) :][:6] = now.V
    wanted, gust = hover.tilts[tilting] - 0.1, np.array([1.0, -0.5, 0.2])
    return own, steps_of(own, x, h, count, np.linspace(0.8, 1.5, len(own.rotors)) * hover.currents, wanted, gust)


def audit_of(own, flown):
    parts = (term(own, flown) for term in (energy_account.supplied, energy_account.spent, energy_account.stored))
    names = [rotor.name for rotor in own.rotors]
    air = dict(zip(names, -energy_account.wakes(own, flown).T, strict=True))
    return EnergyAudit("steps", "in Python", flown.t, *parts, air)


@pytest.mark.parametrize("name", MANOEUVRES)
@pytest.mark.parametrize("h", [1e-3, 1e-2])
def test_a_step_closes_to_rounding_whatever_its_length(name, h):
    """States know nothing of the works: the motion obeys the equations, and no term is missing."""
    for t in (0.5, 1.2):
        audit = audit_of(*on_the_way(name, t, h=h))
        assert audit.first_law < 1e-14
        assert audit.is_closed
        used = [*audit.supplied.values(), *audit.spent.values()]
        assert all(np.abs(work).max() > 1e-7 or not work.any() for work in used)


@pytest.mark.parametrize("name", ["tricopter transitions", "looping"])
def test_without_any_of_its_terms_a_step_does_not_close(name):
    audit = audit_of(*on_the_way(name, 1.2))
    for part in (audit.supplied, audit.spent, audit.stored):
        for term in [term for term, values in part.items() if np.ptp(values) or values.any()]:
            others = {other: values for other, values in part.items() if other != term}
            which = next(key for key in ("supplied", "spent", "stored") if getattr(audit, key) is part)
            broken = replace(audit, **{which: others})
            assert broken.first_law > 1e-9
            assert not broken.is_closed
            assert "NOT CLOSED" in str(broken)
            assert "to their accuracy only" in str(replace(broken, exact=False))


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
    assert_allclose(here.spent["windings"].sum(), there.spent["winding"].sum(), rtol=1e-9)
    assert_allclose(here.supplied["motors"].sum(), there.supplied["motors"].sum(), rtol=1e-5)
    assert_allclose(np.ptp(here.energy[[0, -1]]), np.ptp(there.energy[[0, -1]]), rtol=2e-4)


def test_works_of_tilting_rotors_are_quadratures_of_forces():
    """Wake, drag and gust against ∫ force · velocity over states, force from the allocation of the vehicle."""
    own, flown = on_the_way("tricopter transitions", 1.2, count=40, h=2.5e-4)
    spent, powers = energy_account.spent(own, flown), {"wake": [], "drag": [], "dampers": [], "gust": []}
    s = len(own.tilting)
    for theta, xi, R in zip(flown.theta, flown.xi, flown.R, strict=True):
        F = np.array([rotor.kappa_F for rotor in own.rotors]) * xi[6 + s :] ** 2
        torque = np.array([rotor.kappa_T for rotor in own.rotors]) * xi[6 + s :] ** 2
        powers["wake"].append(torque @ xi[6 + s :] - xi[:6] @ own.allocation(theta) @ F)
        powers["drag"].append(xi[:6] @ own.drag.matrix @ xi[:6])
        powers["dampers"].append(sum(r.servo.k_D * w**2 for r, w in zip(own.rotors, xi[6 : 6 + s], strict=True)))
        powers["gust"].append(flown.gust[0] @ R @ (xi[3:6] + np.cross(xi[:3], own.com)))
    found = {name: np.trapezoid(power, flown.t) for name, power in powers.items()}
    assert_allclose(spent["wake"].sum(), found["wake"], rtol=1e-5)
    assert_allclose(spent["drag"].sum(), found["drag"], rtol=1e-5)
    assert_allclose(spent["servo dampers"].sum(), found["dampers"], rtol=1e-3)
    assert_allclose(energy_account.supplied(own, flown)["gust"].sum(), found["gust"], rtol=1e-5)


def test_an_audit_tells_where_air_drives_a_propeller():
    """Climbing at 9 m/s; κ_T ϖ/κ_F is 7 m/s at the speeds of a hover."""
    own = copter.quadcopter().without_bias()
    for climb, told in ((6.0, False), (9.0, True)):
        x = plant_start(np.zeros(3), np.eye(3), np.zeros(0), own.hover.speeds)
        x[12] = climb
        flown = steps_of(own, x, 1e-3, 3, np.array(own.hover.currents), np.zeros(0), np.zeros(3))
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
def test_agents_that_hover_feed_the_wake_as_the_mechanism_does():
    """69 W and 8 W of Table 5.1, and a little more as estimates settle."""
    power = by_sensors("looping").audit(-1.5, -0.5).power
    assert_allclose(power["wake"], 69.0, rtol=0.03)
    assert_allclose(power["bearings"], 8.26, rtol=0.01)
    gust = copter.fly("looping", sensors=copter.Sensors(), gust=lambda t: (0, 2.0 if 0 < t < 1 else 0, 0))
    assert gust.audit().is_closed
    assert abs(gust.audit().supplied["gust"].sum()) > 0.1
