"""Laws of inclusion: a module moves as the same parts built flat, on the ground, turned, and on a body that moves."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, get_args

import numpy as np
import pytest
from parts import ALONG, BODIES, ELEMENTS, GRAVITY, JOINTS, OWN_AXES, WARM, NotApplicable, Sample, join, sample
from readings import instant

import visviva as vv
from visviva.geometry import SE3, SO3
from visviva.mechanism.coupling import Term
from visviva.mechanism.inventory import Part
from visviva.mechanism.parts import Ground, JointCoordinate
from visviva.mechanism.sliding_contacts import Blade, Disc
from visviva.mechanism.world_fields import place_of

POSE = SE3(SO3.exp([0.7, -1.1, 0.4]).R, np.array([0.3, -2.0, 0.8]))
PAIRS = [
    *((part.joint, name) for name, part in (ELEMENTS | BODIES).items()),
    *((joint, "gravity") for joint in JOINTS if joint != "cylindrical"),
    ("planar", "viscous friction"),
    ("spherical", "friction law"),
    ("universal", "coordinates as built"),
    ("planar", "coordinates as built"),
]


def applicable(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    found = []
    for joint, element in pairs:
        try:
            (ELEMENTS | BODIES)[element].options(joint)
        except NotApplicable:
            continue
        found.append((joint, element))
    return found


CASES = pytest.mark.parametrize(("joint", "element"), applicable(PAIRS))


def prefixed(inputs: dict[str, Any]) -> dict[str, Any]:
    return {f"left.{name}": value for name, value in inputs.items()}


def dynamics(m: vv.Mechanism, x: Any, u: Any, u_dot: Any, inputs: dict[str, Any]) -> tuple[Any, ...]:
    """Accelerations, rates of other states, heats, energy and constraints of the Model in Lie form at a state."""
    form = vv.analytical(m, inputs=inputs)
    model = form.model
    solved = model.accelerations(x, u=u, u_dot=u_dot)
    z = model.z(x, solved.w)
    flow = model.flow(x, z, u)
    others = [flow[model.layout.z[name]] for name in form.states.s]
    return (
        solved.v_dot,
        np.concatenate([np.zeros(0), *others]),
        model.heats(x, z),
        model.H(x),
        model.g(x),
        model.g_v(x, u),
    )


def assert_close(found: tuple[Any, ...], expected: tuple[Any, ...], tolerance: float) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * (1 + np.abs(other).max(initial=0.0)))


@CASES
def test_a_module_on_the_ground_is_the_mechanism_bit_for_bit(joint, element):
    alone = sample(joint, element)
    now = instant(alone)
    m = vv.Mechanism("host", gravity=GRAVITY, theta0=290.0)
    m.include(alone.mechanism, "left")
    found = dynamics(m, now.x, now.u, now.u_dot, prefixed(alone.inputs))
    expected = dynamics(alone.mechanism, now.x, now.u, now.u_dot, alone.inputs)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


def turned(m: vv.Mechanism, model: Any, x: Any) -> Any:
    """A state of the Model in Lie form, with all bodies moved as one by `POSE`; spins are in axes of the bodies."""
    x = x.copy()
    for body in m.bodies:
        q, v = (model.layout.x[f"{body.name}.{letter}"] for letter in "qv")
        places, speeds = x[q].reshape(-1, 3) @ POSE.R.T, x[v].reshape(-1, 3)
        places[0] += POSE.r
        speeds[-1] = POSE.R @ speeds[-1]
        x[q], x[v] = places.ravel(), speeds.ravel()
    return x


def turned_rates(m: vv.Mechanism, v_dot: Any) -> Any:
    found, at = [], 0
    for body in m.bodies:
        n = 3 if isinstance(body, vv.mechanism.parts.Particle) else 6
        own = v_dot[at : at + n].reshape(-1, 3).copy()
        own[-1] = POSE.R @ own[-1]
        found.append(own.ravel())
        at += n
    return np.concatenate(found)


def raised(m: vv.Mechanism, H: Any) -> Any:
    """Energy of the mechanism moved by `POSE`: weights count from the origin of the world."""
    return H - sum(body.mass for body in m.bodies) * (POSE.R @ GRAVITY) @ POSE.r


def moved(m: vv.Mechanism, found: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `dynamics` says of a mechanism moved by `POSE`."""
    v_dot, others, heats, H, *rows = found
    return turned_rates(m, v_dot), others, heats, raised(m, H), *rows


def turned_inputs(element: str, u: Any) -> Any:
    """Wrenches in axes of the world are in those of the host."""
    return (u.reshape(-1, 3) @ POSE.R.T).ravel() if element == "wrench" else u


@CASES
def test_a_module_moves_the_same_wherever_it_is_mounted_and_gravity_is_turned_with_it(joint, element):
    alone = sample(joint, element)
    now = instant(alone)
    m = vv.Mechanism("host", gravity=POSE.R @ GRAVITY, theta0=290.0)
    m.include(alone.mechanism, "left", at=POSE.r, rotation=POSE.R)
    x, u = turned(alone.mechanism, now.model, now.x), turned_inputs(element, now.u)
    found = dynamics(m, x, u, now.u_dot, prefixed(alone.inputs))
    expected = dynamics(alone.mechanism, now.x, now.u, now.u_dot, alone.inputs)
    assert_close(found, moved(alone.mechanism, expected), 2e-12)


class OnCarrier:
    """A mechanism whose ground is a body for all that asks for it: the flat build by hand."""

    def __init__(self, m: vv.Mechanism, carrier: Any) -> None:
        self.mechanism, self.ground = m, carrier

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mechanism, name)

    def stream(self, *arguments: Any, **options: Any) -> Any:
        return self.mechanism.stream(*arguments, **options, against=self.ground)

    def box(self, name: str, system: Any, ports: Any) -> Any:
        own = {ALONG: (*ALONG, self.ground), OWN_AXES: ("hand", self.ground)}
        return self.mechanism.box(name, system, {port: own.get(at, at) for port, at in ports.items()})

    def constraint(self, name: str, parts: tuple[str], *, g: Any) -> Any:
        return self.mechanism.constraint(name, (self.ground, *parts), g=lambda c, b: g(against(c, b)))

    def velocity_constraint(self, name: str, parts: tuple[str], *, A: Any) -> Any:
        def rows(c: Any, b: Any) -> Any:
            (row,) = A(against(c, b))
            alpha, beta = c.R @ np.array(row[:3]), c.R @ np.array(row[3:])
            return [np.concatenate([-alpha - np.cross(b.r - c.r, beta), -beta, alpha, beta])]

        return self.mechanism.velocity_constraint(name, (self.ground, *parts), A=rows)


class Seen:
    def __init__(self, R: Any, r: Any) -> None:
        self.R, self.r = R, r


def against(c: Any, b: Any) -> Seen:
    return Seen(c.R.T @ b.R, c.R.T @ (b.r - c.r))


def add_carrier(m: vv.Mechanism, pose: SE3) -> Any:
    """A trolley on a hinge whose frame is the world of the module."""
    carrier = m.body(
        "trolley", mass=3.0, inertia=(0.5, 0.7, 0.6), com=(0.1, 0.2, -0.1), at=pose.r, rotation=SO3(pose.R)
    )
    m.revolute("pivot", m.ground, carrier, at=pose.r + pose.R @ (0.4, 0, 0.3), axis=pose.R @ (0.1, 0.5, 1), rate=0.6)
    return carrier


@cache
def flat_on_carrier(joint: str, element: str) -> Sample:
    """The sample of the catalogue, written down once more on a body that moves."""
    part = (ELEMENTS | BODIES)[element]
    m = vv.Mechanism("flat", gravity=GRAVITY, theta0=290.0)
    on: Any = OnCarrier(m, add_carrier(m, SE3.identity()))
    alone = sample(joint, element).mechanism
    if element in WARM:
        m.thermal("oil", capacity=20.0, temperature=320.0, conductance_to_environment=0.5)
    for name in ("arm", "hand"):
        body = alone.parts[name]
        m.body(name, mass=body.mass, inertia=body.J, com=body.com, at=body.r_WB, rotation=body.R_WB)
        if name == "arm":
            m.revolute("base", on.ground, "arm", at=(0, 0.1, 0), axis=(0.3, 1, 0.2))
    join(m, joint, "wrist", "arm", "hand", **JOINTS[joint], **part.options(joint))
    part.add(on, joint)
    return Sample(joint, element, m, part.inputs)


@CASES
def test_a_module_on_a_body_is_the_flat_build_by_hand(joint, element):
    flat = flat_on_carrier(joint, element)
    now = instant(flat)
    m = vv.Mechanism("host", gravity=GRAVITY, theta0=290.0)
    m.include(sample(joint, element).mechanism, "left", on=add_carrier(m, SE3.identity()))
    found = dynamics(m, now.x, now.u, now.u_dot, prefixed(flat.inputs))
    assert_close(found, dynamics(flat.mechanism, now.x, now.u, now.u_dot, flat.inputs), 2e-12)


@CASES
def test_a_host_turned_with_its_module_and_gravity_moves_the_same(joint, element):
    flat = flat_on_carrier(joint, element)
    now = instant(flat)
    m = vv.Mechanism("host", gravity=POSE.R @ GRAVITY, theta0=290.0)
    m.frame("plate", add_carrier(m, POSE), at=POSE.r, rotation=POSE.R)
    m.include(sample(joint, element).mechanism, "left", on="plate")
    x, u = turned(flat.mechanism, now.model, now.x), turned_inputs(element, now.u)
    found = dynamics(m, x, u, now.u_dot, prefixed(flat.inputs))
    expected = dynamics(flat.mechanism, now.x, now.u, now.u_dot, flat.inputs)
    assert_close(found, moved(flat.mechanism, expected), 5e-12)


def test_every_array_of_a_part_is_a_place_that_moves_or_known_to_stay():
    """A field that is added to a part must be marked as a place in the world, or be named here."""
    own = {  # in axes of their bodies, of joints, or of coordinates
        "Body": {"J", "com", "R_BC", "J_C", "twist"},
        "Joint": {"rate", "friction", "q_built", "spin_friction"},
        "Element": {"damping"},
        "JointElement": {"damping"},
        "Coupling": set(),
    }
    for kind in [*get_args(Part), *vv.mechanism.conditions.AbstractCondition.__subclasses__(), Blade, Disc]:
        if kind is vv.mechanism.conditions.AbstractCondition or kind is Ground:
            continue
        still = {one.name for one in fields(kind) if one.init and "Array" in str(one.type) and place_of(one) is None}
        assert still == own.get(kind.__name__, set()), kind
    for kind in (JointCoordinate, Term):
        assert not [one for one in fields(kind) if "Array" in str(one.type)]


@pytest.mark.parametrize("element", ["motor", "friction that heats", "rolling disc", "own constraint", "bushing"])
def test_runs_of_a_module_on_the_ground_are_those_of_the_mechanism_bit_for_bit(element):
    alone = sample("cylindrical", element)
    m = vv.Mechanism("host", gravity=GRAVITY, theta0=290.0)
    m.include(alone.mechanism, "left")
    found = vv.simulate(m, t_end=0.05, h=0.01, inputs=prefixed(alone.inputs))
    expected = vv.simulate(alone.mechanism, t_end=0.05, h=0.01, inputs=alone.inputs)
    for name in ("hand.r", "hand.twist", "wrist.q", "wrist.reaction"):
        assert np.array_equal(found[f"left.{name}"], expected[name])
    assert np.array_equal(found["energy"], expected["energy"])
    assert found.audit().ok
