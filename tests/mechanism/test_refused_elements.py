"""Wrong input for couplings, drives, constraints, friction, heat, motors and stops: what is said about it."""

from __future__ import annotations

import numpy as np
import pytest
from messages import says

import visviva as vv
from visviva import ModelError

NAN = float("nan")


def parts():
    m = vv.Mechanism("m")
    for k in range(4):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k, 0, 0))
    m.revolute("r", m.ground, "b0", at=(0, 0, 0), axis=(0, 0, 1))
    m.prismatic("s", m.ground, "b1", axis=(1, 0, 0))
    m.cylindrical("c", m.ground, "b2", at=(2, 0, 0), axis=(1, 0, 0))
    m.thermal("node", capacity=1.0)
    m.free("flies", m.ground, "b3")
    return m


def hinge(m, **options):
    return m.revolute("h", m.ground, "b3", at=(3, 0, 0), axis=(0, 1, 0), **options)


REFUSED = {
    "a string is no number": (lambda m: m.gear("x", "r", "s", ratio="2.0"), ["ratio of gear 'x'", "numbers", "'2.0'"]),
    "True is no number": (lambda m: hinge(m, friction=True), ["friction of joint 'h'", "True"]),
    "strings are no vector": (lambda m: m.particle("p", mass=1, at=("0", "1", "2")), ["at of particle 'p'", "numbers"]),
    "True is no coordinate": (lambda m: m.gear("x", "r", ("c", True)), ["('c', True)", "counted from 0"]),
    "a gear with itself": (lambda m: m.gear("x", "r", "r"), ["same coordinate of joint 'r' twice", "two joints"]),
    "a joint twice": (lambda m: m.coupler("x", {"r": 1.0, m["r"]: 2.0}), ["same coordinate of joint 'r' twice"]),
    "a part that is none": (
        lambda m: m.motor("x", ("c", 0, 1), resistance=1, inductance=1, k=1),
        ["('c', 0, 1)", "coordinate is"],
    ),
    "a drive of states": (lambda m: m.drive("x", "r", rate=lambda t, x: t), ["rate of drive 'x'", "time alone"]),
    "a drive of nothing": (lambda m: m.drive("x", "r", rate=lambda: 1.0), ["rate of drive 'x'", "lambda t"]),
    "a motor on a universal joint": (
        lambda m: m.motor(
            "x",
            m.universal("u", m.ground, "b3", at=(3, 0, 0), axes=((1, 0, 0), (0, 1, 0))),
            resistance=1,
            inductance=1,
            k=1,
        ),
        ["joint 'u'", "several coordinates", "Say which one: ('u', 0) for 'first'"],
    ),
    "g of too many": (lambda m: m.constraint("x", "b3", g=lambda a, b: a.r[0]), ["one placement for its part: b3"]),
    "g that is infinite": (
        lambda m: m.constraint("x", "b3", g=lambda a: 1 / a.r[1]),
        ["[inf] as built", "domain"],
    ),
    "g that is no number": (lambda m: m.constraint("x", "b3", g=lambda a: np.sqrt(a.r[0] - 9)), ["[nan] as built"]),
    "a row that is zero": (
        lambda m: m.velocity_constraint("x", "b3", A=lambda a: [[0, 0, 0, 0, 0, 1], [0] * 6]),
        ["row 1 of A of velocity constraint 'x' is zero"],
    ),
    "a row that is no number": (
        lambda m: m.velocity_constraint("x", "b3", A=lambda a: [NAN, 0, 0, 0, 0, 0]),
        ["A of velocity constraint 'x' must be finite"],
    ),
    "ragged friction": (lambda m: hinge(m, friction=(1, (2, 3))), ["friction of joint 'h'", "(1, (2, 3))"]),
    "a law that was not called": (lambda m: hinge(m, friction=vv.friction.coulomb), ["vv.friction.coulomb itself"]),
    "a factor that is a number": (
        lambda m: vv.friction.viscous(1.0, factor=2.0),
        ["of the temperature", "2.0"],
    ),
    "a factor of two numbers": (lambda m: vv.friction.viscous(1.0, factor=lambda T: (T, T)), ["one number", "(2,)"]),
    "ragged limits": (lambda m: hinge(m, limits=((1, 2), 3), stop_stiffness=1), ["stop of joint 'h'", "((1, 2), 3)"]),
    "limits at one end": (lambda m: hinge(m, limits=(None, 1), stop_stiffness=1), ["(None, 1)", "one end alone"]),
    "coordinate 1.0": (
        lambda m: m.stop("x", "c", -1, 1, stiffness=1, coordinate=1.0),
        ["('c', 1.0)", "counted from 0"],
    ),
    "two coordinates": (
        lambda m: m.stop("x", "c", -1, 1, stiffness=1, coordinate=np.array([0, 1])),
        ["array([0, 1])", "counted from 0"],
    ),
    "a wide stop": (lambda m: m.stop("x", "r", -1, 1, stiffness=1, width=3), ["width of stop 'x' is 3 rad", "-1 to 1"]),
    "a motion that is none": (
        lambda m: m.interconnection(3),
        ["the state of mechanism 'm'", "got int", "m.assemble()"],
    ),
    "an analysis of no motion": (lambda m: m.analysis("as built"), ["a Motion", "got str"]),
    "an equilibrium of no motion": (
        lambda m: vv.equilibrium(m, initial=3),
        ["the initial state of mechanism 'm'", "got int"],
    ),
    "a tolerance that is text": (lambda m: vv.Adaptive(tolerance="1e-6"), ["tolerance must be numbers", "'1e-6'"]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_and_why(what):
    act, parts_of_message = REFUSED[what]
    m = parts()
    before = dict(m.parts)
    with pytest.raises(ModelError, match=says(*parts_of_message)):
        act(m)
    assert all(m.parts[name] is part for name, part in before.items())


def test_whole_numbers_of_numpy_are_coordinates():
    m = parts()
    m.gear("mesh", "r", ("c", np.int64(0)))
    m.stop("end", "c", -1, 1, stiffness=10.0, coordinate=np.int32(1))
    assert m["mesh"].terms[1].joint is m["c"]
    assert m["end"].variable == "end.y"


@pytest.mark.parametrize(
    ("options", "parts_of_message"),
    [
        ({"damping": -0.1}, ["damping 'damping' of 'a'", "semidefinite", "-0.1"]),
        ({"damping": {"air": [[1, 2], [2, 1]]}}, ["damping 'air' of 'a'", "semidefinite"]),
        ({"inputs": [1, 0]}, ["inputs of 'a' are given by name", "[1, 0]"]),
    ],
)
def test_what_lagrangian_refuses(options, parts_of_message):
    with pytest.raises(ModelError, match=says(*parts_of_message)):
        vv.lagrangian("a", q=("x", "y"), M=1.0, **options)


def test_the_name_of_a_lagrangian_system_is_text():
    with pytest.raises(ModelError, match="first argument"):
        vv.lagrangian(3, q=1, M=1.0)
