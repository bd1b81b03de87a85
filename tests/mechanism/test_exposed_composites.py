"""Composites of mechanisms that show bodies and heat: joined to each other and to what is outside, they are one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.language import compose
from visviva.library import electric, thermal
from visviva.library.joints import Revolute
from visviva.library.multibody import joint, tie
from visviva.mechanism.placement import offset
from visviva.testing.readings.composite import rates_of

GRAVITY = (0.3, 0, -9.81)
AXIS, PIN = (0.2, 1, 0.1), (1.0, 0.1, 0)
SCHEME = vv.DiscreteGradient(compiled=False)


def add_arm(m, friction=0.2):
    m.body("arm", mass=1.0, inertia=(0.02, 0.1, 0.09), at=(0.5, 0, 0))
    m.revolute("base", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0.2), friction=friction, rate=1.5)


def add_hand(m):
    m.body("hand", mass=0.7, inertia=(0.03, 0.05, 0.06), at=(1.4, 0.2, 0.1))
    m.particle("bob", mass=0.3, at=(1.8, 0.3, -0.1))
    m.spring("cord", "hand", "bob", k=40.0, length=0.3, damping=0.5)


def whole():
    m = vv.Mechanism("whole", gravity=GRAVITY)
    add_arm(m)
    add_hand(m)
    m.revolute("pin", "arm", "hand", at=PIN, axis=AXIS)
    return m


def halves():
    one, two = vv.Mechanism("one", gravity=GRAVITY), vv.Mechanism("two", gravity=GRAVITY)
    add_arm(one)
    add_hand(two)
    return one, two


def pins(kind):
    """The pin of the whole as a box between the bodies of both halves."""
    pin = whole()["pin"]
    o1, o2 = offset(pin, pin.parent), offset(pin, pin.child)
    return tie(Revolute().rows, o1, o2) if kind == "tie" else joint("revolute", o1, o2, group="SO3xR3")


def joined(kind):
    """Both halves, at the motion of the whole."""
    one, two = halves()
    state = whole().system_state()
    boxes = {"one": one.system(expose="arm"), "two": two.system(expose=["hand"]), "pin": pins(kind)}
    junctions = {
        f"{letter}_{body}": (f"{box}.{letter}_{body}", f"pin.{letter}_{k}")
        for box, body, k in (("one", "arm", 1), ("two", "hand", 2))
        for letter in "qp"
    }
    inside = {"q_ground": "one", "q_bob": "two", "p_bob": "two", "cord.y": "two"}
    start = {f"{inside[name]}.{name}" if name in inside else name: value for name, value in state.items()}
    return compose("joined", boxes, junctions), start


def test_the_outer_ports_of_bodies_are_pose_and_momentum():
    system = halves()[0].system(expose=("arm", "ground", "s"))
    assert list(system.interface) == ["q_ground", "p_ground", "q_arm", "p_arm", "s"]
    assert [str(system.interface[f"{k}_arm"].quantity) for k in "qp"] == ["(SO3xR3, pose)", "(so3xr3*, momentum)"]


def relative_start(start):
    """With the relative pose of a joint that has one, as assembled."""
    return start | {"pin.q_r": np.array([1.0, 0.0, 0.0, 1.0])}


@pytest.mark.parametrize("kind", ["tie", "joint"])
def test_two_mechanisms_that_a_joint_joins_are_one(kind):
    """Accelerations to rounding; over a run to second order of the step, and the books close."""
    system, start = joined(kind)
    start = relative_start(start) if kind == "joint" else start
    m = whole()
    model, own = vv.compile(system), vv.compile(m.system())
    xs = [model.pack(start), own.pack(m.system_state())]
    none = np.zeros(0)
    found = [rates_of(one, x, none, none, np.ones(one.layout.dim))[0] for one, x in zip((model, own), xs, strict=True)]
    for name in ("p_arm", "p_hand"):
        assert_allclose(found[0][model.layout.z[name]], found[1][own.layout.z[name]], atol=1e-9)

    def gap(h):
        run = vv.simulate(system, 0.08, h, initial=start, integrator=SCHEME)
        two = vv.simulate(m.system(), 0.08, h, integrator=SCHEME)
        assert max(run.audit().first_law, two.audit().first_law) < 1e-13
        assert run.audit().second_law >= 0
        return max(np.abs(run[name][-1] - two[name][-1]).max() for name in ("q_arm", "q_hand"))

    if kind == "tie":
        assert gap(0.02) < 1e-11  # the same rows
    else:
        coarse, fine = gap(0.02), gap(0.01)
        assert coarse < 1e-3
        assert fine == pytest.approx(coarse / 4, rel=0.2)


def test_heat_goes_to_a_capacity_outside():
    """What friction loses, the capacity has."""
    one = halves()[0]
    boxes = {"arm": one.system(expose="s"), "block": thermal.capacity(5.0)}
    system = compose("warm", boxes, {"block": ("arm.s", "block.s")})
    run = vv.simulate(system, 0.2, 0.01, initial={"block": 0.0}, integrator=SCHEME)
    audit = run.audit()
    assert audit.first_law < 1e-13
    assert audit.second_law >= 0
    lost = vv.simulate(one.system(), 0.2, 0.01, integrator=SCHEME)["heat"][-1]
    assert lost > 0.1
    warmed = 5.0 * (thermal.temperature(run["block"][-1], 5.0)[0] - 300.0)
    assert warmed == pytest.approx(lost, rel=1e-9)


def test_a_node_can_be_warmed_from_outside():
    m = vv.Mechanism("oil bath", gravity=GRAVITY)
    m.thermal("oil", capacity=20.0, temperature=320.0)
    m.body("arm", mass=1.0, inertia=(0.02, 0.1, 0.09), at=(0.5, 0, 0))
    m.revolute("base", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), friction=0.3, heat_to="oil", rate=2.0)
    boxes = {"bath": m.system(expose="oil"), "wall": thermal.conduction(2.0), "block": thermal.capacity(8.0, 350.0)}
    system = compose("warm", boxes, {"oil": ("bath.s_oil", "wall.s1"), "block": ("wall.s2", "block.s")})
    run = vv.simulate(system, 0.2, 0.01, initial={"block": 0.0}, integrator=SCHEME)
    assert run.audit().first_law < 1e-13
    assert thermal.temperature(run["oil"][-1], 20.0, 320.0)[0] > 320.0
    assert thermal.temperature(run["block"][-1], 8.0, 350.0)[0] < 350.0


def test_a_motor_of_the_library_and_its_heat():
    m = halves()[0]
    m.torque("shaft", "base")
    boxes = {
        "arm": m.system(expose="s"),
        "coil": electric.inductor(0.05),
        "machine": electric.motor(0.4),
        "wire": electric.resistor(2.0),
        "block": thermal.capacity(10.0),
    }
    junctions = {
        "shaft": ("arm.shaft", "machine.p"),
        "supply": ("coil.phi", "machine.phi", "wire.phi"),
        "warmth": ("arm.s", "wire.s", "block.s"),
    }
    system = compose("driven", boxes, junctions, outer=("supply",))
    start = {"supply": 0.0, "warmth": 0.0}
    run = vv.simulate(system, 0.2, 0.01, initial=start, inputs={"supply": 12.0}, integrator=SCHEME)
    assert run.audit().first_law < 1e-13
    assert run["warmth"][-1] > 0


def test_what_is_not_there_cannot_be_shown():
    m = halves()[0]
    with pytest.raises(vv.ModelError, match=r"expose of the composite of mechanism 'one' has no 'leg'.*arm"):
        m.system(expose=("arm", "leg"))
    cold = vv.Mechanism("cold")
    add_arm(cold, friction=0.0)
    with pytest.raises(vv.ModelError, match=r"heat of mechanism 'cold', but nothing of it heats the environment.\n"):
        cold.system(expose="s")


def test_ports_that_are_shown_do_not_replace_inputs() -> None:
    for torque, shown in (("q_arm", "arm"), ("s", "s")):
        m = vv.Mechanism("m", gravity=(0, 0, -9.81))
        m.body("arm", mass=1.0, inertia=(0.02, 0.1, 0.09), at=(0.5, 0, 0))
        m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
        m.torque(torque, "hinge")
        assert torque in m.system().interface
        with pytest.raises(vv.ModelError, match=f"has inputs '{torque}', as ports that expose= adds are called"):
            m.system(expose=shown)


def test_parts_are_shown_by_handle_as_by_name() -> None:
    m = vv.Mechanism("m", gravity=(0, 0, -9.81))
    arm = m.body("arm", mass=1.0, inertia=(0.02, 0.1, 0.09), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    assert list(m.system(expose=arm).interface) == list(m.system(expose="arm").interface)
    with pytest.raises(vv.ModelError, match=r"has no 'None'\. Known: arm, ground, s"):
        m.system(expose=None)
    m.body("s", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 1))
    with pytest.raises(vv.ModelError, match="is the heat of mechanism 'm', and the name of a part of it"):
        m.system(expose="s")
