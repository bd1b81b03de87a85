"""A catalogue of mechanisms on which all formulations must agree: every joint, both ways round, loops, rolling, drives.

The traits say what an entry is there for; `inputs` are constants for its ports, so that they act.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import mechanism_models
import nonholonomic_models
import numpy as np
from once import once
from parts import ARM_INERTIA as J
from parts import AXIS, JOINTS, PLACE, join

import visviva as vv
from visviva import demo

E1, E2, E3 = np.eye(3)
DOWN = (0.3, -0.2, -9.81)


@dataclass(frozen=True)
class Entry:
    build: Callable[[], vv.Mechanism]
    traits: frozenset[str]
    inputs: dict[str, object] = field(default_factory=dict)


CATALOGUE: dict[str, Entry] = {}


def entry(name, *traits, **inputs):
    def register(build):
        given = {key.replace("_", " "): value for key, value in inputs.items()}
        CATALOGUE[name] = Entry(once(build), frozenset(traits), given)
        return build

    return register


def start(name, **more):
    """A mechanism with an arm that turns about a skew axis, to hang things on."""
    m = vv.Mechanism(name, gravity=DOWN)
    m.body("arm", mass=2.0, inertia=J, at=(0.5, 0.1, -0.2), com=(0.05, 0.03, 0.02), rotation=vv.geometry.SO3.exp(E1))
    m.revolute("base", m.ground, "arm", at=(0, 0.1, 0), axis=(0.3, 1, 0.2), rate=0.7, **more)
    return m


def hand(m):
    return m.body("hand", mass=1.2, inertia=0.5 * J, at=(1.0, 0.3, 0.2), com=(0.02, -0.04, 0.05))


HANGING = [kind for kind in JOINTS if kind != "distance"]


def hanging(kind, reverse):
    """A joint of each kind between arm and hand; reversed, its parent is what the tree has below."""

    def build():
        m = start(f"{kind}{' reversed' if reverse else ''}", friction=0.1)
        hand(m)
        ends = ("hand", "arm") if reverse else ("arm", "hand")
        join(m, kind, "joint", *ends, **JOINTS[kind])
        m.spring("spring", m.ground, "hand", at_a=(1, 1, 1), k=3.0, length=0.5, damping=0.4)
        m.wrench("load", "hand")
        return m

    return build


for _kind in HANGING:
    for _reverse in (False, True):
        entry(
            f"{_kind}{', reversed' if _reverse else ''}", "tree", "joint", "springs", "damped",
            load=(0.3, -0.2, 0.1, 1.0, 2.0, -0.5),
        )(hanging(_kind, _reverse))  # fmt: skip


@entry("distance", "loop", "joint")
def distance():
    m = start("distance")
    hand(m)
    m.distance("rod", "arm", "hand", at_a=(0.7, 0.1, 0.1), at_b=(1.0, 0.4, 0.2))
    return m


@entry("particles", "loop", "springs", "damped")
def particles():
    """A bead on a line of the arm, one on a ball, a pendulum of rods, and one that flies; a body that hangs on one."""
    m = start("particles")
    m.particle("bead", mass=0.4, at=(0.9, 0.2, 0.3))
    m.point_on_line("wire", "arm", "bead", axis=(1, 0.2, 0.1), friction=0.3)
    m.particle("pin", mass=0.3, at=(0.6, 0.6, 0))
    m.spherical("socket", "pin", "arm")
    hand(m)
    m.spherical("hinge", "pin", "hand")
    m.particle("bob", mass=0.5, at=(0.2, 0, -1.0), velocity=(0, 1.0, 0))
    m.distance("string", m.ground, "bob", at_a=(0, 0, 0))
    m.particle("ball", mass=0.2, at=(2, 0, 0), velocity=(0, 0, 1))
    m.spring("elastic", "bob", "ball", k=4.0, damping=0.1)
    return m


@entry("frames that assembling brings together", "tree", "joint")
def frames():
    m = start("frames")
    hand(m)
    turned = vv.geometry.SO3.exp
    m.frame("on arm", "arm", at=(0.8, 0.1, 0.3), rotation=turned([0.3, 0.2, 0.1]))
    m.frame("on hand", "hand", at=(0.9, 0.3, 0.2), rotation=turned([-0.4, 0.1, 0.5]))
    m.cylindrical("sleeve", "on arm", "on hand")
    return m


@entry("branching tree", "tree", "joint", "damped")
def branching():
    return mechanism_models.skew_tree(friction=0.2)


@entry("flying tree", "tree", "joint")
def flying():
    """Nothing holds it: its first body flies, and a second tree hangs on no one."""
    m = vv.Mechanism("flying tree", gravity=DOWN)
    m.body("base", mass=3.0, inertia=J, at=(0.1, 0.2, 0.3), com=(0.1, 0, 0), twist=(0.1, 0.2, -0.3, 1, 0, 0.5))
    hand(m)
    m.revolute("wrist", "hand", "base", at=(0.5, 0.2, 0.3), axis=(0.1, 0.3, 1), rate=2.0)
    m.body("moon", mass=0.7, inertia=0.3 * J, at=(3, 0, 0), twist=(0.3, 0, 0, 0, 0, 1))
    m.bushing("field", "moon", "base", K=(1, 2, 3, 4, 5, 6), D=(0.1, 0.1, 0.2, 0.3, 0.2, 0.1))
    return m


for _name in ("pendulum", "double_pendulum", "heavy_top"):
    entry(_name.replace("_", " "), "tree")(getattr(demo, _name))
entry("cylindrical pair", "tree")(mechanism_models.cylindrical_pair)
entry("folded chain", "tree")(lambda: demo.folded_chain(6))
entry("gyroscope in warm bearings", "tree", "thermal", "damped")(demo.gyroscope)


# -- loops -------------------------------------------------------------------------------------------------------------

entry("four bar", "loop", "over-constrained")(demo.four_bar)
entry("Bennett linkage", "loop", "spatial loop", "over-constrained")(demo.bennett)
entry("Sarrus linkage", "loop", "spatial loop", "over-constrained")(demo.sarrus)
entry("spatial slider-crank", "loop", "spatial loop")(mechanism_models.slider_crank)
entry("Stewart platform", "loop", "spatial loop", "springs", "damped")(demo.stewart)
entry("ring of balls", "loop", "spatial loop", load=(6.0, 0, 0, 8.0, 0, 0))(mechanism_models.free_four_bar)
entry("screw press", "loop", "over-constrained", "springs", "damped")(demo.screw_press)
entry("motor on a crank", "loop", "thermal", "damped", motor=12.0)(demo.driven_crank)


@entry("tilted four bar", "loop", "over-constrained")
def tilted_four_bar():
    """A planar loop in a plane of no special direction: rows that say nothing are zero but for rounding."""
    m = vv.Mechanism("tilted four bar", gravity=DOWN)
    R = vv.geometry.SO3.exp([0.4, -0.7, 0.3]).R
    A, B, C, D = np.array([(0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1.0, 0, 0)]) @ R.T + [0.3, 0.2, 0.1]
    for name, a, b in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        mechanism_models.bar(m, name, a, b)
    ends = (("a", "ground", "crank", A), ("b", "crank", "coupler", B), ("c", "coupler", "rocker", C))
    for name, parent, child, at in (*ends, ("d", "ground", "rocker", D)):
        m.revolute(name, parent, child, at=at, axis=R[:, 1], rate=3.0 if name == "a" else None)
    return m


@entry("massless coupler", "loop", "light")
def coupler():
    """A rod without mass between two cranks, on a hinge and a ball, with a third joint that takes its spin."""
    m = vv.Mechanism("massless coupler", gravity=(0, 0, -9.81))
    A, B, C, D = np.array([(0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1.0, 0, 0)])
    for name, a, b in (("crank", A, B), ("rocker", D, C)):
        mechanism_models.bar(m, name, a, b)
    m.body("coupler", at=(B + C) / 2, massless=True)
    m.revolute("a", m.ground, "crank", at=A, axis=E2, rate=2.0)
    m.revolute("b", "crank", "coupler", at=B, axis=E2)
    m.spherical("c", "coupler", "rocker", at=C)
    m.revolute("d", m.ground, "rocker", at=D, axis=E2)
    return m


@entry("thin rods", "loop")
def thin():
    """Rods without a moment about their own axes, held by hinges."""
    m = vv.Mechanism("thin rods", gravity=(0, 0, -9.81))
    m.body("one", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.body("two", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(1.5, 0, 0))
    m.revolute("a", m.ground, "one", at=(0, 0, 0), axis=E2, rate=1.0)
    m.universal("b", "one", "two", at=(1, 0, 0), axes=(E2, E3))
    m.point_on_plane("c", m.ground, "two", at=(2, 0, 0), normal=E3)
    return m


# -- couplings and user constraints ------------------------------------------------------------------------------------

entry("differential", "loop", "coupled", "damped", engine=3.0)(demo.differential)


@entry("gear in a loop", "loop", "coupled", "springs")
def gear_in_a_loop():
    """A gear and a torsion spring on a hinge that is cut or not: its angle counts over many turns either way."""
    m = demo.four_bar()
    m.body("wheel", inertia=vv.inertia.cylinder(1.0, 0.2, 0.05, axis="y"), at=(2, 0, 0))
    m.revolute("axle", m.ground, "wheel", at=(2, 0, 0), axis=(0, 1, 0))
    for hinge in "ABCD":
        m.torsion(f"spring {hinge}", hinge, k=1.0, angle=0.3)
    m.gear("gear", "axle", "C", ratio=2.0)
    return m


@entry("rack and screw", "loop", "coupled")
def rack():
    m = start("rack")
    m.body("slide", mass=1.0, inertia=J, at=(1, 0, 0))
    m.prismatic("rail", "arm", "slide", axis=(1, 0.3, 0))
    m.body("spindle", mass=0.6, inertia=0.2 * J, at=(0.5, 0.5, 0))
    m.screw("thread", "slide", "spindle", at=(0.6, 0.4, 0), axis=AXIS, pitch=-0.2)
    m.rack("pinion", "thread", "rail", radius=0.15)
    return m


@entry("user constraint", "loop", "coupled")
def user_constraint():
    m = start("user constraint")
    hand(m)
    m.spherical("wrist", "arm", "hand", at=PLACE)
    m.constraint("surface", ("hand",), g=lambda b: b.r[2] - 0.1 * b.r[0] ** 2 - 0.3 * b.R[0, 1] - 0.1)
    return m


# -- rolling and blades ------------------------------------------------------------------------------------------------

entry("rolling disc", "nonholonomic")(lambda: demo.rolling_disc(nod=0.3))
entry("snakeboard", "nonholonomic", "springs", "damped", twist=1.0, front_steer=-0.4)(demo.snakeboard)
entry("Chaplygin sleigh", "nonholonomic")(nonholonomic_models.sleigh_mechanism)


@entry("blade on an arm", "nonholonomic")
def blade():
    m = start("blade")
    hand(m)
    m.spherical("wrist", "arm", "hand", at=PLACE)
    m.knife_edge("blade", "arm", "hand", at=(1.1, 0.4, 0.2), direction=(0.2, 1, 0.3))
    m.velocity_constraint("twist", ("hand",), A=lambda b: [b.r[0], 1.0, b.R[0, 2], 0.3, 0.0, 0.2])
    return m


# -- drives ------------------------------------------------------------------------------------------------------------


@entry("driven pivot", "driven")
def driven_pivot():
    m = vv.Mechanism("driven pivot", gravity=DOWN)
    m.body("cart", mass=1.0, inertia=J)
    m.prismatic("rail", m.ground, "cart", axis=(1, 0, 0.2))
    hand(m)
    m.revolute("pivot", "cart", "hand", at=PLACE, axis=(0.1, 1, 0), rate=1.0)
    m.drive("shaker", "rail", position=lambda t: 0.1 * np.sin(3.0 * t + 0.4))
    return m


@entry("driven loop", "driven", "loop")
def driven_loop():
    m = demo.four_bar()
    m.drive("motor", "A", rate=lambda t: 6.0 + np.sin(2.0 * t))
    return m


@entry("driven cut hinge", "driven", "loop")
def driven_cut_hinge():
    """The hinge between coupler and rocker is the one that the tree leaves out."""
    m = mechanism_models.planar_four_bar(rate=None)
    m.drive("motor", "c", rate=lambda t: 1.0 + 0.5 * np.cos(t + 0.3))
    return m


@entry("driven and sprung tree", "driven", "springs", "damped")
def driven_tree():
    m = start("driven tree")
    hand(m)
    m.universal("wrist", "arm", "hand", at=PLACE, axes=(E1, E2), friction=(0.1, 0.2))
    m.drive("second", ("wrist", 1), rate=lambda t: 2.0 * np.cos(t + 0.2))
    m.stop("stops", "wrist", -1.5, 1.5, stiffness=20.0, damping=2.0)
    m.torsion("spring", "base", k=3.0, angle=0.2, damping=0.1)
    m.trace_spring("soft", "arm", "hand", G=(1, 2, 3), K=(3, 4, 5))
    return m


@entry("laws of friction", "tree", "damped")
def laws():
    m = start("laws", friction=vv.friction.coulomb(0.5, v_reg=0.1))
    hand(m)
    m.spherical("wrist", "arm", "hand", at=PLACE, friction=vv.friction.coulomb(0.2, v_reg=0.3, viscous=0.1))
    return m
