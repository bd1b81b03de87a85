"""One small mechanism for every part that a mechanism can be built of, on a moving arm in no special direction."""

from __future__ import annotations

import numpy as np
from once import once

import visviva as vv
from visviva.geometry.so3 import SO3

AXIS, PLACE = (0.3, -1.0, 0.5), (0.4, 0.1, -0.2)
TURN = SO3.exp(np.array([0.3, -0.2, 0.5])).matrix
FEATURES = {}


def feature(build):
    FEATURES[build.__name__] = once(build)
    return build


def start(name, **more):
    """An arm on a skew hinge and a hand that hangs on it by a ball, a tree of two links."""
    m = vv.Mechanism(name, gravity=(0.4, -0.3, -9.81), **more)
    m.body("arm", mass=1.3, inertia=(0.2, 0.3, 0.4), at=(0.2, 0.1, 0), rotation=TURN, com=(0.05, 0.02, -0.03))
    m.revolute("shoulder", m.ground, "arm", at=(0, 0, 0), axis=(0.1, 1, -0.2))
    m.body("hand", mass=0.6, inertia=(0.03, 0.04, 0.05), at=(0.6, 0.2, -0.3), rotation=TURN.T)
    return m


def hinged(name, **more):
    m = start(name, **more)
    m.revolute("wrist", "arm", "hand", at=PLACE, axis=AXIS)
    return m


def balled(name, **more):
    m = start(name, **more)
    m.spherical("wrist", "arm", "hand", at=PLACE)
    return m


JOINTS = {
    "revolute": {"at": PLACE, "axis": AXIS},
    "prismatic": {"axis": AXIS},
    "cylindrical": {"at": PLACE, "axis": AXIS},
    "screw": {"at": PLACE, "axis": AXIS, "pitch": -0.13},
    "universal": {"at": PLACE, "axes": ((1, 0, 0.5), (0.2, 1, -0.4))},
    "planar": {"at": PLACE, "normal": AXIS},
    "point_on_line": {"at": PLACE, "axis": AXIS},
    "point_on_plane": {"at": PLACE, "normal": AXIS},
}
COUNTS = {"cylindrical": 2, "universal": 2, "planar": 3, "point_on_plane": 2}


def rubbing(kind):
    """A joint with viscous friction in all coordinates that heats a node."""

    def build():
        m = start(kind)
        m.thermal("node", capacity=3.0, conductance_to_environment=0.5)
        d = [0.2, 0.3, 0.4][: COUNTS.get(kind, 1)]
        getattr(m, kind)("wrist", "arm", "hand", **JOINTS[kind], friction=d if len(d) > 1 else d[0], heat_to="node")
        return m

    return build


FEATURES |= {f"{kind} with friction": once(rubbing(kind)) for kind in JOINTS}


@feature
def ball_with_friction():
    m = start("ball")
    m.spherical("wrist", "arm", "hand", at=PLACE, friction=0.3)
    return m


@feature
def ball_with_a_law():
    m = start("ball")
    m.spherical("wrist", "arm", "hand", at=PLACE, friction=vv.friction.coulomb(0.3, v_reg=0.1))
    return m


@feature
def laws_of_friction():
    m = start("laws")
    m.thermal("node", capacity=3.0, temperature=310.0, conductance_to_environment=0.5)
    m.cylindrical(
        "wrist", "arm", "hand", at=PLACE, axis=AXIS, heat_to="node",
        friction=[vv.friction.stribeck(coulomb=0.3, static=0.5, speed=0.2, v_reg=0.05), lambda v: 0.4 * v**3],
    )  # fmt: skip
    return m


@feature
def warm_law_of_friction():
    m = start("warm")
    m.thermal("node", capacity=3.0, temperature=310.0)
    m.revolute(
        "wrist",
        "arm",
        "hand",
        at=PLACE,
        axis=AXIS,
        heat_to="node",
        friction=lambda w, theta: 0.3 * w * np.exp(-theta / 300),
    )
    return m


@feature
def springs_along_lines():
    m = hinged("springs")
    m.thermal("node", capacity=2.0)
    m.particle("bead", mass=0.2, at=(1, 0.5, 0.3))
    m.frame("eye", "hand", at=(0.7, 0.3, -0.3))
    m.spring("soft", "ground", "eye", at_a=(0.5, 1, 0), k=20.0, length=0.3, damping=0.4, heat_to="node")
    m.spring("own", "eye", "bead", energy=lambda l: 3 * l**4 - l)
    m.spring("damper", "arm", "bead", damping=0.7)
    m.spring("zero", "ground", "bead", at_a=(0, 1, 0), k=5.0, length=0.0)
    return m


@feature
def torsions():
    m = hinged("torsions")
    m.torsion("coil", "wrist", k=3.0, angle=0.4, damping=0.2)
    m.torsion("own", "shoulder", energy=lambda a: 2 * np.cos(3 * a))
    return m


@feature
def potential_of_a_hinge():
    m = start("potential")
    m.revolute("wrist", "arm", "hand", at=PLACE, axis=AXIS, potential=lambda a: 1.5 * a**4 - a)
    return m


@feature
def springs_between_points():
    m = balled("points")
    a, b = np.random.default_rng(0).normal(size=(2, 4, 3))
    m.point_springs("net", "arm", "hand", k=[1, 2, 3, 4], at_parent=a, at_child=b, damping=0.3)
    return m


K6 = np.diag([3.0, 4, 5, 60, 70, 80]) + 0.3
D6 = np.diag([0.3, 0.4, 0.5, 6, 7, 8]) + 0.03


@feature
def bushing():
    m = balled("bushing")
    m.thermal("node", capacity=2.0)
    m.bushing("rubber", "ground", "hand", K=K6, D=D6, heat_to="node")
    return m


@feature
def trace_spring():
    m = balled("trace")
    m.trace_spring("spring", "arm", "hand", G=(1, 2, 3), K=(10, 20, 30), rest=(TURN, (0.1, 0.2, 0.1)))
    return m


@feature
def stiffnesses():
    m = balled("stiffness")
    m.stiffness("points", "arm", "hand", K=np.diag([1.0, 2, 3, 40]) + 0.2)
    m.stiffness("any", "ground", "hand", K=K6)
    return m


@feature
def pose_spring():
    m = balled("pose")
    m.pose_spring("own", "arm", "hand", energy=lambda R, p: 5 * (p @ p) + 2 * (1 - R[2, 2]) ** 2 + R[0, 1], D=D6)
    return m


@feature
def dampers_of_points():
    m = balled("drag")
    m.particle("bead", mass=0.2, at=(1, 0.5, 0.3), velocity=(1, 0, 2))
    m.damper("drag", "ground", "hand", d=[0.3, 0.5], points=[(0.6, 0.2, -0.2), (0.9, 0.2, -0.3)])
    m.damper("moments", "arm", "hand", D=np.diag([1.0, 2, 3, 0.4]) + 0.02)
    m.damper("bead drag", "arm", "bead", d=0.8)
    return m


@feature
def stream():
    m = balled("wind")
    m.stream("wind", twist=(0.3, 0.2, 2, 5, 0, 1), rate=lambda t: 1 + 0.1 * np.sin(t))
    m.damper("drag", "wind", "hand", d=[0.3, 0.5], points=[(0.6, 0.2, -0.2), (0.9, 0.2, -0.3)])
    return m


@feature
def straight_stream_on_a_body():
    m = balled("belt")
    m.stream("belt", twist=(0, 0, 0, 1, 2, 0), rate=0.7, against="arm")
    m.damper("drag", "belt", "hand", d=0.3, points=[(0.6, 0.2, -0.2)])
    return m


@feature
def stops():
    m = start("stops")
    m.revolute("wrist", "arm", "hand", at=PLACE, axis=AXIS, limits=(-0.02, 0.01), stop_stiffness=30.0, stop_damping=5.0)
    m.stop("other", "shoulder", -0.01, 0.02, stiffness=50.0, width=0.01)
    return m


@feature
def motors():
    m = hinged("motors", theta0=290.0)
    m.thermal("winding", capacity=2.0, conductance_to_environment=0.3)
    m.motor("motor", "wrist", resistance=2.0, inductance=0.01, k=-0.3, current=1.5, heat_to="winding")
    m.motor("other", "shoulder", resistance=1.0, inductance=0.02, k=0.2)
    return m


@feature
def ports():
    m = start("ports")
    m.cylindrical("wrist", "arm", "hand", at=PLACE, axis=AXIS)
    m.particle("bead", mass=0.2, at=(1, 0.5, 0.3))
    m.torque("twist", "wrist")
    m.force("push", "wrist")
    m.wrench("load", "hand")
    m.wrench("pull", "bead")
    return m


@feature
def gears_and_racks():
    m = hinged("gears")
    m.body("slide", mass=0.5, inertia=(0.01, 0.02, 0.03), at=(0.1, 0.9, 0))
    m.prismatic("rail", "arm", "slide", axis=(1, 2, 3))
    m.gear("gear", "wrist", "shoulder", ratio=-2.5)
    m.rack("rack", "wrist", "rail", radius=-0.3)
    return m


@feature
def couplers():
    m = start("couplers")
    m.planar("wrist", "arm", "hand", at=PLACE, normal=AXIS)
    m.coupler("three", {("wrist", 0): 1.0, ("wrist", 1): -2.0, "shoulder": 0.5}, offset=0.0)
    return m


@feature
def drives():
    m = start("drives")
    m.cylindrical("wrist", "arm", "hand", at=PLACE, axis=AXIS)
    m.drive("turn", ("wrist", 0), rate=lambda t: 0.3 * np.cos(2 * t))
    m.drive("slide", ("wrist", 1), position=lambda t: 0.1 * t**2 + 0.2 * t)
    return m


@feature
def drives_by_numbers():
    m = hinged("table")
    m.drive("turn", "wrist", rate=lambda t: float(np.interp(t, [0, 1], [0, 2])))
    return m


@feature
def constraints_of_ones_own():
    m = balled("own")
    m.particle("bead", mass=0.2, at=(1, 0.5, 0.3))
    m.frame("eye", "hand", at=(0.7, 0.3, -0.3), rotation=TURN)
    offset = np.array([0.7, 0.3, -0.3]) - (1, 0.5, 0.3)
    length = offset @ offset
    m.constraint("rod", ("eye", "bead"), g=lambda a, b: [(a.r - b.r) @ (a.r - b.r) - length, b.r[0] ** 2 - 1])
    m.velocity_constraint(
        "slow", ("eye", "bead"), A=lambda a, b: [[*a.R[:, 0], *(-a.R[:, 1]), b.r[0], 1, np.sin(b.r[2])]]
    )
    return m


@feature
def blades():
    m = balled("blades")
    m.knife_edge("edge", "ground", "hand", direction=AXIS, at=(0.6, 0.3, -0.3))
    m.knife_edge("on arm", "arm", "hand", direction=(1, 0.2, 0.3))
    return m


@feature
def disc_on_the_ground():
    m = vv.Mechanism("disc", gravity=(0, 0, -9.81))
    m.body("disc", mass=1.0, inertia=(0.1, 0.2, 0.1), at=(0, 0, 0.5 * np.cos(0.3)))
    m.rolling_disc("roll", m.ground, "disc", radius=0.5, axis=(0, np.cos(0.3), np.sin(0.3)))
    return m


@feature
def disc_on_a_body():
    m = vv.Mechanism("disc", gravity=(0, 0.5, -9.81))
    m.body("plate", mass=3.0, inertia=(1, 2, 3))
    m.spherical("ball", m.ground, "plate", at=(0, 0, -0.3))
    m.body("disc", mass=1.0, inertia=(0.1, 0.2, 0.1), at=(0, 0, 0.5 * np.cos(0.3)))
    m.rolling_disc("roll", "plate", "disc", radius=0.5, axis=(0, np.cos(0.3), np.sin(0.3)))
    return m


@feature
def hinge_beyond_a_ball():
    """Motions of one part are seen from axes of another."""
    m = balled("beyond")
    m.body("wheel", mass=0.4, inertia=(0.02, 0.03, 0.04), at=(0.8, 0.3, -0.1), com=(0.03, 0.01, -0.02))
    m.revolute("axle", "hand", "wheel", at=(0.7, 0.25, -0.2), axis=(0.2, 0.4, 1))
    return m


@feature
def balls_in_a_row():
    m = hinge_beyond_a_ball()
    m.body("tail", mass=0.3, inertia=(0.02, 0.02, 0.03), at=(1, 0.4, 0))
    m.spherical("last", "wheel", "tail", at=(0.9, 0.3, 0))
    return m


@feature
def massless_link():
    m = vv.Mechanism("massless", gravity=(0, 0, -9.81))
    m.body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.2, 0, 0))
    m.body("rod", massless=True, at=(0.8, 0, 0.2))
    m.body("slide", mass=0.5, inertia=(0.1, 0.1, 0.1), at=(1.2, 0, 0))
    m.revolute("a", m.ground, "crank", at=(0, 0, 0), axis=(0, 1, 0), rate=1.0)
    m.revolute("b", "crank", "rod", at=(0.4, 0, 0.2), axis=(0, 1, 0))
    m.revolute("c", "rod", "slide", at=(1.2, 0, 0), axis=(0, 1, 0))
    m.prismatic("d", m.ground, "slide", axis=(1, 0, 0))
    return m


@feature
def rods_and_free_bodies():
    m = hinged("rods")
    m.particle("bead", mass=0.2, at=(1, 0.5, 0.3))
    m.body("flyer", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0, 1, 1), rotation=TURN)
    m.free("air", "hand", "flyer")
    m.distance("rod", "hand", "bead")
    m.distance("line", "arm", "flyer", at_b=(0, 1.2, 1))
    return m


@feature
def welded_bodies():
    m = hinged("welded")
    m.body("box", mass=0.4, inertia=(0.1, 0.2, 0.25), at=(0.5, 0.5, 0.5), rotation=TURN)
    m.fixed("weld", "hand", "box")
    return m


@feature
def beads_on_lines():
    m = hinged("beads")
    m.particle("a", mass=0.2, at=(1, 0.5, 0.3))
    m.particle("b", mass=0.3, at=(0.2, 0.5, 0.3))
    m.point_on_line("wire", "hand", "a", axis=AXIS, friction=0.3)
    m.point_on_plane("floor", "arm", "b", normal=AXIS, friction=(0.3, 0.5))
    return m


@feature
def heated_dampers():
    m = balled("heated")
    m.thermal("node", capacity=2.0)
    m.pose_spring("own", "arm", "hand", energy=lambda R, p: p @ p, D=D6, heat_to="node")
    m.damper("drag", "ground", "hand", d=0.3, points=[(0.6, 0.2, -0.2)], heat_to="node")
    return m
