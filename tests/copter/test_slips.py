"""What is given by mistake: other kinds of values than are taken, and numbers in other units, are told by name."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, control, copter
from visviva.errors import ArgumentError

QUAD = copter.quadcopter().without_bias()
MOVE = control.polynomial(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0]), 1.5, degree=9)
SENSORS = copter.Sensors()
ROTOR = QUAD.rotors[0]


@cache
def hop():
    path = control.flat.quadcopter(MOVE, drag=QUAD.drag.mean / QUAD.mass)
    return copter.fly(copter.Manoeuvre("hop", QUAD, path))


KINDS = {
    "nothing": (lambda: copter.fly(None, QUAD), "what is flown is a name.*got NoneType"),
    "points": (lambda: copter.fly([(0, 0, 1), (1, 0, 1)], QUAD), "what is flown is a name.*got list"),
    "points alone": (lambda: copter.fly([(0, 0, 1), (1, 0, 1)]), "what is flown is a name.*got list"),
    "points by sensors": (lambda: copter.fly([(0, 0, 1)], QUAD, sensors=SENSORS), "what is flown is a name.*got list"),
    "points of an agent": (lambda: copter.Agent(QUAD).fly([(0, 0, 1)], QUAD, SENSORS), "what is flown is a name"),
    "manoeuvre of none": (lambda: copter.manoeuvre(None), "what is flown is a name.*got NoneType"),
    "positions alone": (lambda: copter.Manoeuvre("s", QUAD, MOVE), "one of poses, got Polynomials.\nOf positions r"),
    "manoeuvre of a word": (lambda: copter.Manoeuvre("s", "quad", MOVE), "of the manoeuvre .s. is .*quad"),
    "endless": (lambda: copter.Manoeuvre("s", QUAD, control.pose(np.zeros(3), np.eye(3))), "'s' has no end"),
    "sticks": (lambda: copter.remote(3, 1.0), "sticks is a function of time.*got 3"),
    "remote": (lambda: copter.remote(lambda t: np.zeros(4), 1.0, "quad"), "vehicle is .*got 'quad'"),
    "law": (lambda: copter.controller("quad", None), "vehicle is .*got 'quad'"),
    "mechanism": (lambda: copter.mechanism("quad"), "vehicle is .*got 'quad'"),
    "vehicle": (lambda: copter.fly("looping", "quad"), "vehicle= is vv.copter.Vehicle.*got 'quad'"),
    "believed": (lambda: copter.fly("looping", believed="me"), "believed= is .*got 'me'"),
    "vehicle by sensors": (lambda: copter.fly("looping", "quad", sensors=SENSORS), "vehicle= is .*got 'quad'"),
    "name of a vehicle": (lambda: copter.manoeuvre("looping", "quad"), "vehicle is .*got 'quad'"),
    "agent": (lambda: copter.Agent("quad"), "vehicle of an agent is .*got 'quad'"),
    "gust of two": (lambda: copter.fly("looping", sensors=SENSORS, gust=(0, 3)), "force of a gust"),
    "gust of place": (lambda: copter.fly("looping", sensors=SENSORS, gust=lambda t, r: r), "gust= is a force "),
    "workers": (lambda: copter.spread("looping", workers=0), "workers is a whole number from 1 on, got 0"),
    "flights": (lambda: copter.spread("looping", flights="a"), "flights must be numbers, got 'a'"),
    "spread of a word": (lambda: copter.spread("looping", "quad"), "vehicle is .*got 'quad'"),
    "spread with a word": (lambda: copter.spread("looping", sensors="imu"), "sensors= is .*got 'imu'"),
    "one rotor": (
        lambda: copter.Vehicle("one", 1.0, np.zeros(3), QUAD.inertia, ROTOR), "are a list, got one rotor, 'rotor1'"
    ),
    "no list": (lambda: copter.Vehicle("one", 1.0, np.zeros(3), QUAD.inertia, 4), "values vv.copter.Rotor.*got 4"),
    "ring of a number": (lambda: copter.ring(ROTOR, 4, 1, radius=0.2), "angles of a ring"),
    "one spin": (lambda: copter.ring(ROTOR, [0.0, 1.0], 1, radius=0.2), "one spin for each angle.*spins=1"),
    "ring of a vehicle": (lambda: copter.ring(QUAD, [0.0], [1], radius=0.2), "a ring has rotors like one"),
    "audit": (lambda: hop().audit("a"), "since of an audit .s. must be numbers, got 'a'"),
    "gravity": (lambda: control.flat.quadcopter(MOVE, gravity=-9.81), "counted positive: give gravity=9.81, got -9.81"),
}  # fmt: skip


RIGHT = (0.0, 0.5 * math.pi, math.pi, 1.5 * math.pi)


def vehicle(rotor=ROTOR, **given):
    """That of Table 5.1 with one thing changed."""
    rotors = copter.ring(rotor, RIGHT, (1, -1, 1, -1), radius=QUAD.arm)
    return replace(QUAD, **({"rotors": rotors} | given))


def like(**given):
    return replace(ROTOR, **given)


UNITS = {
    "degrees": (lambda: copter.ring(ROTOR, [0, 90, 180, 270], (1, -1, 1, -1), radius=0.24), "90 deg are 1.571 rad"),
    "ring in mm": (lambda: copter.ring(ROTOR, RIGHT, (1, -1, 1, -1), radius=250), "250 mm are 0.25 m"),
    "place in cm": (lambda: like(position=(24.0, 0, 0)), "'rotor1' from the origin is 24.*24 cm are 0.24"),
    "lag in ms": (lambda: like(lag=20), "lag of rotor 'rotor1' is 20 s, .*20 ms are 0.02"),
    "delay in ms": (lambda: copter.fly("flip", sensors=copter.Sensors(delay=34)), "is 34 s, .*34 ms are 0.034"),
    "milliohms": (lambda: like(resistance=120), "resistance .* 120 Ω.*120 mΩ are 0.12"),
    "milliohms of a battery": (lambda: copter.Battery(16.0, 30, 2.2), "of a battery is 30.*30 mΩ are 0.03"),
    "mA h": (lambda: copter.Battery(16.0, 0.03, 2200), "capacity .*2200 mA h are 2.2"),
    "inches": (lambda: like(radius=10), "radius .*10 inch of diameter are 0.127 m"),
    "KV": (lambda: vehicle(like(k_M=920)), "A at hover, by k_M = 920 N m/A.*920 rpm/V are 0.01038"),
    "torque in N mm": (lambda: vehicle(like(kappa_T=2.4e-4)), "A at hover.*κ_T/κ_F is 16.7 m.*is 2.4e-07 in N m"),
    "kg mm²": (lambda: vehicle(inertia=(14000, 14000, 25000)), "up to 2.5e.04 kg m².*25000 kg mm² are 0.025"),
    "g mm²": (lambda: vehicle(inertia=(1.4e7, 1.4e7, 2.5e7), com=np.zeros(3)), "2.5e.07 g mm² are 0.025"),
    "nearly none": (lambda: vehicle(inertia=(2e-6, 2e-6, 3e-6), com=np.zeros(3)), "5.2e-05 times mass.*1.001 g are"),
    "propeller in kg mm²": (lambda: vehicle(like(inertia=36.0)), "rotor 'rotor1' is 36 kg m².*36 kg mm² are 3.6e-05"),
    "com in mm": (lambda: vehicle(com=(2.0, 0, 0)), "about the origin.*mm are .0.002, 0, 0. m"),
    "far com": (lambda: vehicle(com=(2.0, 4.0, 0), inertia=(100.0, 100.0, 100.0)), "4.* m from the nearest rotor"),
    "grams": (lambda: vehicle(mass=1200), "lift.*The mass is in kg: 1200 g are 1.2 kg"),
    "axes down": (lambda: vehicle(like(axis=(0, 0, -1))), "Their axes point down"),
    "per rpm²": (lambda: vehicle(like(kappa_F=1.44e-5 / 91.19)), "κ_F is in N s²/rad².*91.19"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNITS)
def test_another_unit_is_told(name):
    call, said = UNITS[name]
    with pytest.raises(ModelError, match=f"(?s){said}"):
        call()


def multicopter(mass, arm, size, rotor, n=4, **given):
    """n rotors on a ring; moments of inertia as shares of mass × arm²."""
    rotors = copter.ring(rotor, 2 * np.pi * np.arange(n) / n, [(-1) ** k for k in range(n)], radius=arm)
    drag = copter.Drag(d=0.2 * mass, centre=np.zeros(3), Upsilon=np.zeros(3))
    return copter.Vehicle("own", mass, np.zeros(3), size * mass * arm**2, rotors, drag=drag, **given)


def test_small_and_large_vehicles_are_taken():
    """20 g with brushed motors, RotorPy's Hummingbird, and 25 kg with propellers of 30 inches; hovers as by hand."""
    up, own = (0, 0, 1), {"position": np.zeros(3), "spin": 1}
    tiny = copter.Rotor(
        name="r", axis=up, kappa_F=1.3e-8, kappa_T=8e-11, inertia=1e-8, k_M=6.8e-4, tau_MB=1e-5, speeds=(200, 3300),
        resistance=2.5, radius=0.0225, lag=0.05, **own,
    )  # fmt: skip
    bird = copter.Rotor(
        name="r", axis=up, kappa_F=5.57e-6, kappa_T=1.36e-7, inertia=2e-6, k_M=5e-3, tau_MB=1e-4, speeds=(50, 1500),
        **own,
    )  # fmt: skip
    large = copter.Rotor(
        name="r", axis=up, kappa_F=6.5e-4, kappa_T=2.6e-5, inertia=4e-3, k_M=0.095, tau_MB=0.05, speeds=(50, 420),
        resistance=0.04, radius=0.38, lag=0.1, **own,
    )  # fmt: skip
    shares = np.array([0.3, 0.3, 0.5])
    battery = {"battery": copter.Battery((42.0, 50.4), 0.02, 44.0)}
    for mass, arm, rotor, n, more in (
        (0.020, 0.033, tiny, 4, {}), (0.5, 0.17, bird, 4, {}), (25.0, 0.8, large, 6, battery)
    ):  # fmt: skip
        hover = multicopter(mass, arm, shares, rotor, n, **more).hover
        F = mass * 9.81 / n
        assert_allclose(hover.currents, (rotor.drag_length * F + rotor.tau_MB) / rotor.k_M, rtol=1e-9)
    for k in (0.01, 30.0):
        assert multicopter(0.5, 0.17, k * shares, bird).hover.thrusts.min() > 0


@pytest.mark.parametrize("name", KINDS)
def test_another_kind_of_value_is_told(name):
    call, said = KINDS[name]
    with pytest.raises(ModelError, match=f"(?s){said}"):
        call()


@pytest.mark.parametrize(
    ("name", "meant"),
    [("identify_thrust", "identification.identify_thrust"), ("Quadcopter", "quadcopter"), ("flight", "Flight")],
)
def test_a_name_that_there_is_not_comes_with_the_one_that_there_is(name, meant):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'. Did you mean .*vv.copter.{meant}"):
        getattr(copter, name)


def test_an_attribute_that_a_vehicle_has_not_is_suggested():
    with pytest.raises(AttributeError, match=r"Vehicle has no attribute 'weigth'\. Did you mean 'weight'"):
        QUAD.weigth  # noqa: B018 - the access is the test
    with pytest.raises(ArgumentError, match=r"Manoeuvre\(\) needs 'path'"):
        copter.Manoeuvre(QUAD, "looping")


def test_flights_with_perfect_state_have_ribbons():
    assert hop().sankey().axes


def test_a_gust_is_three_numbers_or_a_function():
    plan = hop().plan
    steady, same = (copter.fly(plan, QUAD, sensors=SENSORS, gust=gust) for gust in ((0, 1, 0), lambda t: (0, 1, 0)))
    assert np.array_equal(steady.trace[0], same.trace[0])
    assert abs(steady.trace[0][:, 1]).max() > 1e-3


def test_agents_say_what_their_options_are():
    quad = copter.quadcopter()
    with pytest.raises(ModelError, match="lean of an agent is True or False, got 'no'"):
        copter.Agent(quad, lean="no")
    with pytest.raises(ModelError, match="thrust_share of an agent"):
        copter.Agent(quad, thrust_share=-1.0)


def test_a_flight_that_is_blown_away_says_so():
    flight = copter.fly("looping", wind=(40, 0, 0))
    assert any("control was lost: more than 1 m" in caution for caution in flight.cautions)
    assert "control was lost" in str(flight)
