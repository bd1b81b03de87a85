"""Every joint and every element that a mechanism can be built of, each in one small mechanism.

An arm turns about a skew axis on the ground; a hand hangs on it by the joint, and the element acts on the hand, on the
joint or between both. Inertias are unsymmetrical, no direction is special.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import visviva as vv
from visviva.geometry import SO3
from visviva.language import compose, starting, storage
from visviva.library import hydraulic, rotation, translation
from visviva.library.multibody.friction import viscous as viscous_at
from visviva.library.quantities import displacement, momentum3, momentum6

GRAVITY = (0.4, -0.3, -9.81)
PLACE, AXIS = (0.8, 0.2, 0.1), (0.2, -0.4, 1.0)
ARM_INERTIA = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.35]])
HAND_INERTIA = np.array([[0.15, -0.01, 0.02], [-0.01, 0.2, 0.01], [0.02, 0.01, 0.11]])
K6 = np.diag([3.0, 4, 5, 60, 70, 80]) + 0.3
D6 = np.diag([0.3, 0.4, 0.5, 6, 7, 8]) + 0.03
POINTS = np.array([(1.1, 0.2, 0.2), (0.9, 0.5, 0.1), (1.0, 0.3, 0.5)])

JOINTS: dict[str, dict[str, Any]] = {
    "fixed": {"at": PLACE},
    "revolute": {"at": PLACE, "axis": AXIS},
    "prismatic": {"at": PLACE, "axis": AXIS},
    "cylindrical": {"at": PLACE, "axis": AXIS},
    "screw": {"at": PLACE, "axis": AXIS, "pitch": 0.13},
    "universal": {"at": PLACE, "axes": ((1, 0, 0.5), (0.2, 1, -0.4))},
    "spherical": {"at": PLACE},
    "planar": {"at": PLACE, "normal": AXIS},
    "free": {},
    "distance": {"at_a": (0.7, 0.1, 0.1), "at_b": (1.0, 0.4, 0.2)},
    "point_on_plane": {"at": PLACE, "normal": AXIS},
    "point_on_line": {"at": PLACE, "axis": AXIS},
    "rzeppa": {"at": PLACE, "axis": AXIS},
}
COORDINATES = {  # whether each coordinate of a joint slides, or turns
    "revolute": [False], "screw": [False], "universal": [False, False], "prismatic": [True], "point_on_line": [True],
    "cylindrical": [False, True], "planar": [False, True, True], "point_on_plane": [True, True],
}  # fmt: skip


class NotApplicable(Exception):
    """A joint has nothing that this element could act on."""


@dataclass(frozen=True)
class Element:
    """add: puts it into a mechanism with the joint "wrist".   options: what the joint is given for it.

    joint:  on which it is looked at, where it is looked at alone.   inputs: of its port.
    """

    add: Callable[[vv.Mechanism, str], object] = lambda m, joint: None
    options: Callable[[str], Mapping[str, Any]] = lambda joint: {}
    joint: str = "cylindrical"
    inputs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Sample:
    """A mechanism of a joint and an element, and constant inputs of its ports."""

    joint: str
    element: str
    mechanism: vv.Mechanism
    inputs: dict[str, Any]


def join(m: vv.Mechanism, kind: str, *ends: str, **options: Any) -> object:
    """A joint by the method of its kind, or by the one for all kinds."""
    if hasattr(m, kind):
        return getattr(m, kind)(*ends, **options)
    name, *rest = ends
    return m.joint(name, kind, *rest, **options)


def coordinate(joint: str, slides: bool | None = None) -> tuple[str, int]:
    """The first coordinate of the wrist that turns, or slides, or any."""
    kinds = COORDINATES.get(joint, [])
    fitting = [k for k, sliding in enumerate(kinds) if slides is None or sliding is slides]
    if not fitting:
        raise NotApplicable(joint)
    return ("wrist", fitting[0])


def last(joint: str, slides: bool) -> tuple[str, int]:
    """The last coordinate of the wrist that turns, or slides."""
    kinds = COORDINATES.get(joint, [])
    first = coordinate(joint, slides)[1]
    return "wrist", max([first, *(k for k, sliding in enumerate(kinds) if sliding is slides)])


def turning(add):
    """Of an element along an angle: joints without one are left out."""

    def added(m, joint):
        return add(m, last(joint, slides=False))

    return added


def across(m, joint):
    """Energy and damping of the hinge of the arm and all coordinates of the wrist."""
    coordinate(joint)
    own = [("wrist", k) for k in range(len(COORDINATES[joint]))]
    D = np.diag([0.2, 0.3, 0.4, 0.5][: len(own) + 1]) + 0.1
    m.joint_spring(
        "magnets", ["base", *own], energy=lambda a, *q: -2 * np.cos(2 * (a - q[0])) + 3 * q[-1] ** 2, damping=D
    )


def matrix(joint: str) -> dict[str, Any]:
    """Friction of all coordinates on each other, or of a ball by its spin."""
    if joint in ("spherical", "rzeppa"):
        return {"friction": np.diag([0.2, 0.3, 0.4]) + 0.1}
    coordinate(joint)
    if len(COORDINATES[joint]) == 1:
        raise NotApplicable(joint)
    return {"friction": np.diag([0.2, 0.3, 0.4][: len(COORDINATES[joint])]) + 0.1}


def friction(joint: str, values: list[Any]) -> Any:
    """One value for each coordinate of a joint; a ball has one for all."""
    if joint in ("spherical", "rzeppa"):
        return values[0]
    coordinate(joint)
    count = len(COORDINATES[joint])
    return values[:count] if count > 1 else values[0]


def viscous(joint: str) -> dict[str, Any]:
    return {"friction": friction(joint, [0.2, 0.3, 0.4])}


def dry(joint: str) -> dict[str, Any]:
    sticky = vv.friction.stribeck(coulomb=0.3, static=0.5, speed=0.4, v_reg=0.1)
    return {"friction": friction(joint, [vv.friction.coulomb(0.4, v_reg=0.2), sticky, lambda v: 0.4 * v**3])}


def warm(joint: str) -> dict[str, Any]:
    oil = vv.friction.coulomb(0.5, v_reg=0.3, factor=lambda theta: np.exp(-(theta - 300) / 40))
    return {"friction": friction(joint, [oil, 0.3, 0.4]), "heat_to": "oil"}


def potential(joint: str) -> dict[str, Any]:
    if joint != "revolute":
        raise NotApplicable(joint)
    return {"potential": lambda a: 1.5 * a**4 - a}


def wind(m, joint):
    m.stream("wind", twist=(0.3, 0.2, 2, 5, 0, 1), rate=lambda t: 1 + 0.1 * np.sin(t + 0.3))
    m.damper("drag", "wind", "hand", d=0.5, points=[(1.1, 0.2, 0.3)])


def disc(m, joint):
    """A disc on a plane that the hand carries."""
    lean = 0.3
    m.body("disc", mass=0.8, inertia=(0.1, 0.2, 0.1), at=(1.0, 0.3, 0.4 + 0.3 * np.cos(lean)))
    axis = (0, np.cos(lean), np.sin(lean))
    m.rolling_disc("edge", "hand", "disc", radius=0.3, axis=axis, normal=(0, 0, 1), point=(1.0, 0.3, 0.4))


def rack(m, joint):
    slide = coordinate(joint, slides=True)
    turns = ("wrist", 0) if False in COORDINATES[joint] else "base"
    m.rack("rack", turns, slide, radius=0.3)


def gear(m, joint):
    m.gear("gear", coordinate(joint, slides=False), "base", ratio=-2.5)


def differential(m, joint):
    terms = {("wrist", k): c for k, c in enumerate([1.0, -2.0, 0.7][: len(COORDINATES.get(joint, []))])}
    coordinate(joint)
    m.coupler("coupler", {**terms, "base": 0.5})


def sphere(m, joint):
    m.constraint("sphere", ("hand",), g=lambda b: b.r @ b.r + 0.3 * b.R[0, 1] - 1.13)


def skate(m, joint):
    m.velocity_constraint("skate", ("hand",), A=lambda b: [[b.r[0], 1.0, b.R[0, 2], 0.3, 0.0, np.cos(b.r[2])]])


def stop(m, joint):
    _, k = coordinate(joint)
    m.stop("stop", "wrist", -0.4, 0.5, stiffness=30.0, damping=5.0, width=0.4, coordinate=k)


def counted(joint: str) -> dict[str, Any]:
    """Coordinates that are not zero as built."""
    coordinate(joint)
    values = [0.2 if slides else 0.9 for slides in COORDINATES[joint]]
    return {"q_built": values if len(values) > 1 else values[0]}


def coiled(m, joint):
    """A spring that counts from the zero of the coordinate, where there is an axis for one."""
    if joint in ("revolute", "screw", "cylindrical", "planar"):
        m.torsion("coil", "wrist", k=3.0, angle=0.5)


def strut(m, joint):
    """A spring and a damper between two eyes, on ports of the distance and of the momentum along it."""
    line = ((m.ground, (1, 1, 1)), ("hand", (1.1, 0.4, 0.3)))
    stored = storage({"q": displacement}, H=lambda x, k, l: 0.5 * k * (x.q - l) ** 2, k=30.0, l=0.5)
    parts = {"coil": stored, "oil": translation.damper(1.7)}
    inside = compose("strut", parts, {"q": ("coil.q",), "p": ("oil.p",), "s": ("oil.s",)}, outer=("q", "p", "s"))
    m.box("strut", inside, {"q": line, "p": line})


def ram(m, joint):
    """A cylinder with a closed chamber between two eyes, on a port of the momentum alone."""
    parts = {"chamber": hydraulic.compliance(0.02), "piston": hydraulic.cylinder(0.3)}
    inside = compose("ram", parts, {"V": ("chamber.V", "piston.V"), "rod": ("piston.p",)}, outer=("rod",))
    m.box("ram", starting(inside, {"V": 0.05}), {"rod": ((m.ground, (1, 1, 1)), ("hand", (1.1, 0.4, 0.3)))})


ALONG = (("hand", (1.1, 0.4, 0.3)), (0.2, 0.3, 1.0))  # a point, and an axis of the ground
OWN_AXES = ("hand", "body")  # its motion against the ground, in axes of its own


def hoist(m, joint):
    """A spring and a damper of how far a point of the hand has gone along an axis of the ground."""
    inside = {"spring": translation.hard_spring(20.0, 30.0), "oil": translation.damper(1.7)}
    hanger = compose("hoist", inside, {"q": ("spring.q",), "p": ("oil.p",), "s": ("oil.s",)}, outer=("q", "p", "s"))
    m.box("hoist", hanger, {"q": ALONG, "p": ALONG})


def hull(m, joint):
    """A drag of six numbers on a body, and friction between turns of two bodies and between their points."""
    parts = {
        "drag": viscous_at({"p": momentum6}, D6),
        "rub": viscous_at({"f": momentum3}, D6[3:, 3:]),
        "brake": rotation.damper(0.4),
    }
    junctions = {"p": ("drag.p",), "f": ("rub.f",), "w": ("brake.p",), "s": ("drag.s", "rub.s", "brake.s")}
    inside = compose("hull", parts, junctions, outer=("p", "f", "w", "s"))
    places = {"p": OWN_AXES, "f": (("hand", (1.1, 0.4, 0.3)), "arm"), "w": ("hand", (0.2, 0.3, 1.0), "arm")}
    m.box("hull", inside, places)


def grease(m, joint):
    """A matrix of friction on the angular velocity of a ball."""
    if joint != "spherical":
        raise NotApplicable(joint)
    inside = compose("grease", {"d": viscous_at({"p": momentum3}, D6[:3, :3])}, {"p": ("d.p",), "s": ("d.s",)},
                     outer=("p", "s"))  # fmt: skip
    m.box("grease", inside, {"p": "wrist"})


ELEMENTS: dict[str, Element] = {
    "gravity": Element(),
    "spring": Element(lambda m, _: m.spring("cord", m.ground, "hand", at_a=(1, 1, 1), k=30.0, length=0.5)),
    "spring of a given energy": Element(
        lambda m, _: m.spring("cord", m.ground, "hand", at_a=(1, 1, 1), energy=lambda l: 3 * l**4 - l)
    ),
    "line damper": Element(lambda m, _: m.spring("oil damper", m.ground, "hand", at_a=(1, 1, 1), damping=1.7)),
    "torsion spring": Element(turning(lambda m, at: m.torsion("coil", at, k=3.0, angle=0.4, damping=0.2))),
    "spring across joints": Element(across),
    "spring along a slide": Element(
        lambda m, j: m.joint_spring("coil", last(j, slides=True), energy=lambda x: 5 * x**2 + 3 * x**4, damping=0.3)
    ),
    "potential of a hinge": Element(options=potential, joint="revolute"),
    "bushing": Element(lambda m, _: m.bushing("rubber", m.ground, "hand", K=K6, D=D6)),
    "trace spring": Element(
        lambda m, _: m.trace_spring(
            "soft", "arm", "hand", G=(1, 2, 3), K=(10, 20, 30), rest=(SO3.exp([0.3, -0.2, 0.5]), (0.1, 0.2, 0.1))
        )
    ),
    "point springs": Element(
        lambda m, _: m.point_springs(
            "net", m.ground, "hand", k=[10, 20, 30], at_parent=POINTS + 0.1, at_child=POINTS, damping=0.3
        )
    ),
    "pose spring": Element(
        lambda m, _: m.pose_spring(
            "own", "arm", "hand", energy=lambda R, p: 5 * (p @ p) + 2 * (1 - R[2, 2]) ** 2 + R[0, 1]
        )
    ),
    "stiffness of moments": Element(
        lambda m, _: m.stiffness("points", m.ground, "hand", K=np.diag([1.0, 2, 3, 40]) + 0.2)
    ),
    "any stiffness": Element(lambda m, _: m.stiffness("any", m.ground, "hand", K=K6)),
    "drag": Element(lambda m, _: m.damper("drag", m.ground, "hand", d=[0.3, 0.5, 0.4], points=POINTS)),
    "stream": Element(wind),
    "end stop": Element(stop),
    "coordinates as built": Element(coiled, options=counted),
    "viscous friction": Element(options=viscous),
    "friction matrix": Element(options=matrix),
    "friction matrix of a ball": Element(options=matrix, joint="spherical"),
    "friction law": Element(options=dry),
    "friction that heats": Element(options=warm),
    "motor": Element(
        turning(lambda m, at: m.motor("motor", at, resistance=2.0, inductance=0.1, k=-0.3, current=1.5, heat_to="oil")),
        inputs={"motor": 5.0},
    ),
    "torque": Element(turning(lambda m, at: m.torque("torque", at)), inputs={"torque": 0.7}),
    "force": Element(lambda m, j: m.force("force", last(j, slides=True)), inputs={"force": 1.1}),
    "wrench": Element(lambda m, _: m.wrench("load", "hand"), inputs={"load": (0.3, -0.2, 0.1, 1.0, 2.0, -0.5)}),
    "wrench in body axes": Element(
        lambda m, _: m.wrench("load", "hand", frame="body"), inputs={"load": (0.3, -0.2, 0.1, 1.0, 2.0, -0.5)}
    ),
    "gear": Element(gear),
    "rack": Element(rack),
    "coupler": Element(differential),
    "drive by rate": Element(lambda m, j: m.drive("drive", coordinate(j), rate=lambda t: 0.3 * np.cos(2 * t + 0.4))),
    "drive by position": Element(
        lambda m, j: m.drive("drive", coordinate(j), position=lambda t: 0.1 * np.sin(3.0 * t + 0.4))
    ),
    "box between two points": Element(strut),
    "box with a state between two points": Element(ram),
    "box on a point along an axis": Element(hoist),
    "box on twists of bodies": Element(hull),
    "box on the spin of a ball": Element(grease, joint="spherical"),
    "rolling disc": Element(disc),
    "knife edge": Element(
        lambda m, _: m.knife_edge("blade", "arm", "hand", at=(1.1, 0.4, 0.2), direction=(0.2, 1, 0.3))
    ),
    "own constraint": Element(sphere),
    "own velocity constraint": Element(skate),
}


def bead(m, joint):
    m.particle("bead", mass=0.3, at=(1.2, 0.5, 0.4))
    m.distance("string", "hand", "bead", at_a=(1.1, 0.3, 0.2))


def massless(m, joint):
    """A rod without mass on a hinge of the hand, which swings a particle."""
    m.body("rod", massless=True, at=(1.15, 0.4, 0.3))
    m.revolute("pin", "hand", "rod", at=(1.1, 0.3, 0.2), axis=(0.5, -1, 0.3))
    m.particle("bob", mass=0.3, at=(1.2, 0.5, 0.4))
    m.spherical("eye", "rod", "bob")


def needle(m, joint):
    """A rod without a moment about its own axis."""
    m.body("needle", inertia=vv.inertia.rod(0.5, 0.4, axis="x"), at=(1.3, 0.3, 0.2))
    m.revolute("pin", "hand", "needle", at=(1.1, 0.3, 0.2), axis=(0.2, 1, 0.3))


def twin(m, joint):
    """The same joint once more: all its rows are redundant."""
    if joint == "free":
        raise NotApplicable(joint)
    join(m, joint, "twin", "arm", "hand", **JOINTS[joint])


BODIES: dict[str, Element] = {
    "particle": Element(bead),
    "massless body": Element(massless),
    "thin rod": Element(needle),
    "closed loop": Element(
        lambda m, _: m.distance("strut", m.ground, "hand", at_a=(1.5, 1, -0.3), at_b=(1.0, 0.4, 0.2))
    ),
    "redundant joint": Element(twin),
}
WARM = {"friction that heats", "motor"}


@cache
def sample(joint: str, element: str = "gravity", held: bool = False) -> Sample:
    """The mechanism of a joint and an element; held: with a soft spring at the hand, so that it has an equilibrium."""
    part = (ELEMENTS | BODIES)[element]
    m = vv.Mechanism(f"{joint}, {element}", gravity=GRAVITY, theta0=290.0)
    if element in WARM:
        m.thermal("oil", capacity=20.0, temperature=320.0, conductance_to_environment=0.5)
    m.body(
        "arm",
        mass=2.0,
        inertia=ARM_INERTIA,
        at=(0.5, 0.1, -0.2),
        com=(0.05, 0.03, 0.02),
        rotation=SO3.exp([0.4, 0, 0.2]),
    )
    m.revolute("base", m.ground, "arm", at=(0, 0.1, 0), axis=(0.3, 1, 0.2))
    m.body("hand", mass=1.2, inertia=HAND_INERTIA, at=(1.0, 0.3, 0.2), com=(0.02, -0.04, 0.05))
    join(m, joint, "wrist", "arm", "hand", **JOINTS[joint], **part.options(joint))
    part.add(m, joint)
    if held:
        m.trace_spring("hold", m.ground, "hand", G=(4, 5, 6), K=(300, 400, 500))
    return Sample(joint, element, m, part.inputs)
