"""What is given by mistake: other kinds of values than are taken are told by name."""

from functools import cache

import numpy as np
import pytest

from visviva import ModelError, control, copter

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


@pytest.mark.parametrize("name", KINDS)
def test_another_kind_of_value_is_told(name):
    call, said = KINDS[name]
    with pytest.raises(ModelError, match=f"(?s){said}"):
        call()


def test_flights_with_perfect_state_have_ribbons():
    assert hop().sankey().axes


def test_a_gust_is_three_numbers_or_a_function():
    plan = hop().plan
    steady, same = (copter.fly(plan, QUAD, sensors=SENSORS, gust=gust) for gust in ((0, 1, 0), lambda t: (0, 1, 0)))
    assert np.array_equal(steady.trace[0], same.trace[0])
    assert abs(steady.trace[0][:, 1]).max() > 1e-3
