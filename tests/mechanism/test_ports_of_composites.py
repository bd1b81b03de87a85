"""Ports of a mechanism in the language have the quantity of what moves there: components of the library fit or not."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ModelError
from visviva.language import Quantity, compose
from visviva.library import electric, rotation, translation
from visviva.library.quantities import angular_momentum, momentum
from visviva.library.thermal import environment

ANGULAR, LINEAR = angular_momentum, momentum
AXIS = (0, 1, 0)


def arm(joint="revolute", port="torque", **more):
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0.5, 0, 0))
    if joint == "planar":
        m.planar("joint", m.ground, "rod", at=(0, 0, 0), normal=AXIS)
    else:
        getattr(m, joint)("joint", m.ground, "rod", at=(0, 0, 0), axis=AXIS, **more)
    getattr(m, port)("port", "joint")
    return m


def tied():
    """A hinge that repeats another one is a tie of rows."""
    m = arm()
    m.revolute("second", m.ground, "rod", at=(0, 0.3, 0), axis=AXIS)
    return m


def pushed(kind):
    m = vv.Mechanism("free")
    if kind == "particle":
        m.particle("p", mass=1.0, at=(0, 0, 0))
        m.wrench("port", "p")
    else:
        m.body("p", mass=1.0, inertia=(1, 1, 1))
        m.wrench("port", "p")
    return m


@pytest.mark.parametrize(
    ("m", "quantity"),
    [
        (arm(), ANGULAR),
        (tied(), ANGULAR),
        (arm("screw", pitch=0.1), ANGULAR),
        (arm("cylindrical"), ANGULAR),
        (arm("planar"), ANGULAR),
        (arm("prismatic", "force"), LINEAR),
        (arm("cylindrical", "force"), LINEAR),
        (pushed("particle"), Quantity("R3", "momentum")),
        (pushed("body"), Quantity("R6", "momentum")),
    ],
    ids=["revolute", "tie", "screw", "cylindrical", "planar", "prismatic", "cylindrical slides", "particle", "body"],
)
def test_a_port_has_the_quantity_of_what_moves(m, quantity):
    assert m.system().interface["port"].quantity == quantity


@pytest.mark.parametrize(
    ("m", "fits", "other"),
    [
        (arm(), rotation.inertia(0.1), translation.mass(0.1)),
        (arm("prismatic", "force"), translation.mass(0.1), rotation.inertia(0.1)),
    ],
    ids=["turns", "slides"],
)
def test_only_what_moves_alike_can_be_joined(m, fits, other):
    compose("both", {"arm": m.system(), "rotor": fits}, {"shaft": ("arm.port", "rotor.p")})
    with pytest.raises(ModelError, match=r"momentum.*momentum"):
        compose("both", {"arm": m.system(), "rotor": other}, {"shaft": ("arm.port", "rotor.p")})


def test_a_motor_of_the_library_drives_a_hinge_as_a_motor_of_the_builder_does():
    """Both have second order: their difference falls by four with the step, and both laws close."""
    R, L, K, u = 2.0, 0.05, 0.4, 12.0
    built = arm("revolute", "torque")
    boxes = {"arm": built.system(), "coil": electric.inductor(L), "machine": electric.motor(K),
             "wire": electric.resistor(R)}  # fmt: skip
    junctions = {"shaft": ("arm.port", "machine.p"), "supply": ("coil.phi", "machine.phi", "wire.phi")}
    boxes["env"], junctions["heat"] = environment(300.0), ("wire.s", "env.s")
    driven = compose("driven", boxes, junctions, outer=("supply",))
    own = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    own.body("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0.5, 0, 0))
    own.revolute("joint", own.ground, "rod", at=(0, 0, 0), axis=AXIS)
    own.motor("port", "joint", resistance=R, inductance=L, k=K)

    scheme = vv.DiscreteGradient(compiled=False)

    def gap(h):
        start = {"supply": [0.0]}
        one = vv.simulate(driven, 0.1, h, initial=start, inputs={"supply": u}, integrator=scheme)
        two = vv.simulate(own, 0.1, h, inputs={"port": u}, integrator=vv.LieMidpoint())
        assert one.audit().first_law < 1e-13
        assert one["supply.work"][-1] == pytest.approx(two["port.work"][-1], rel=30 * h**2)
        return np.abs(one["arm.q_rod"][-1, :3] - two["rod.r"][-1]).max()

    coarse, fine = gap(0.02), gap(0.01)
    assert coarse < 2e-4
    assert fine < 0.35 * coarse
