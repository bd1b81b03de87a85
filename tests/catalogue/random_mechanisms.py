"""Mechanisms drawn at random: trees with all kinds of joints, closed to loops, with springs, friction and inputs.

A tree is consistent as built, whatever its joints; a joint that closes a loop is added where its ends are as built.
Initial velocities are drawn for all bodies, and the nearest ones that the joints allow are taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import visviva as vv

KINDS = {
    "revolute": 1,
    "prismatic": 1,
    "cylindrical": 2,
    "universal": 2,
    "spherical": 3,
    "planar": 3,
    "fixed": 0,
    "distance": 5,
    "point_on_plane": 5,
    "point_on_line": 4,
}  # and the velocities that each leaves free
LOOSE = ("distance", "point_on_plane", "point_on_line")  # orientation does not matter: particles, too


@dataclass(frozen=True)
class Sample:
    """A mechanism with its initial motion and its inputs; `dissipates` says whether it has friction or dampers."""

    mechanism: vv.Mechanism
    motion: object
    inputs: dict
    dissipates: bool

    @property
    def bodies(self):
        """Names of the bodies, without the particles."""
        return [part.name for part in self.mechanism.bodies if hasattr(part, "J_C")]


def random_mechanism(seed, bodies, *, loops=None, dissipates=None):
    """A mechanism of the given number of bodies (a few of them particles); the same one for the same arguments.

    loops:      how many joints close a loop, or, each second time, four parallel hinges; drawn by default.
    dissipates: whether there are friction and dampers; drawn by default.
    """
    draw = _Draw(np.random.default_rng([seed, bodies]), dissipates)
    loops = int(draw.rng.integers(0, 2 + bodies // 5)) if loops is None else loops
    hinged = min(loops // 2 + int(loops and draw.rng.random() < 0.5), bodies // 4) if bodies > 3 else 0
    for i in range(bodies - 3 * hinged):
        draw.member(f"b{i}", last=i == bodies - 3 * hinged - 1)
    for i in range(hinged):
        draw.four_bar(f"loop{i}")
    for i in range(loops - hinged):
        draw.closure(f"closure{i}")
    for i in range(int(draw.rng.integers(1, 3 + bodies // 3))):
        draw.spring(f"spring{i}")
    for i in range(int(draw.rng.integers(0, 2 + bodies // 4))):
        draw.port(f"port{i}")
    motion, _ = draw.m.assemble(fixed=())
    return Sample(draw.m, motion, draw.inputs, draw.dissipates)


class _Draw:
    """A mechanism that grows, and the dice."""

    def __init__(self, rng, dissipates):
        self.rng = rng
        gravity = rng.normal(size=3) * 5 if rng.random() < 0.8 else np.zeros(3)
        self.m = vv.Mechanism("random", gravity=gravity)
        self.places = {"ground": np.zeros(3)}  # of all that can carry a joint
        self.free = 0  # velocities that the joints leave
        self.inputs = {}
        self.dissipates = bool(rng.random() < 0.5) if dissipates is None else dissipates

    # -- bodies and the joints of the tree ----------------------------------------------------------------------

    def member(self, name, *, last):
        """One more body and the joint that holds it; the last one may be a particle."""
        kinds = [kind for kind in KINDS if kind != "fixed" or (len(self.places) > 1 and self.rng.random() < 0.5)]
        kind = str(self.rng.choice(kinds))
        parent = str(self.rng.choice(list(self.places)[-3:]))
        at = self.places[parent] + 0.6 * self.direction() + 0.2 * self.rng.normal(size=3)
        if last and kind in LOOSE:
            self.m.particle(name, mass=self.rng.uniform(0.3, 2), at=at, velocity=0.5 * self.rng.normal(size=3))
            self.free += KINDS[kind] - 3
            self.join(f"{name}_joint", kind, parent, name, at)
            return
        self.body(name, at)
        self.free += KINDS[kind]
        self.join(f"{name}_joint", kind, parent, name, 0.5 * (at + self.places[parent]))
        self.places[name] = at

    def body(self, name, at):
        """A body of random inertia, one in five flat, its frame away from its centre of mass."""
        parts = self.rng.uniform(0.02, 0.2, 3)
        if self.rng.random() < 0.2:
            parts[0] = 0.0
        axes = self.rotation()
        R = self.rotation()
        com = 0.1 * self.rng.normal(size=3)
        self.m.body(
            name,
            mass=self.rng.uniform(0.5, 3),
            inertia=axes @ np.diag(parts.sum() - parts) @ axes.T,
            com=com,
            at=at - R @ com,
            rotation=R,
            twist=np.concatenate([0.8 * self.rng.normal(size=3), 0.5 * self.rng.normal(size=3)]),
        )

    def join(self, name, kind, parent, child, at):
        """A joint of the given kind at a point."""
        d = self.direction()
        friction = self.rng.uniform(0.01, 0.2) if self.dissipates and self.rng.random() < 0.5 else 0.0
        method = getattr(self.m, kind)
        match kind:
            case "spherical" | "fixed":
                method(name, parent, child, at=at)
            case "universal":
                method(name, parent, child, at=at, axes=(d, np.cross(d, self.direction())))
            case "planar":
                method(name, parent, child, at=at, normal=d, friction=friction * np.array([0.1, 1, 1]))
            case "cylindrical":
                method(name, parent, child, at=at, axis=d, friction=friction * np.array([0.1, 1]))
            case "point_on_plane":
                method(name, parent, child, at=at, normal=d)
            case "point_on_line":
                method(name, parent, child, at=at, axis=d)
            case "distance":
                away = self.places[parent] + 0.15 * self.direction()
                method(name, parent, child, at_a=away, at_b=at)
            case _:
                method(name, parent, child, at=at, axis=d, friction=friction)

    # -- loops --------------------------------------------------------------------------------------------------

    def four_bar(self, name):
        """Three bars on four parallel hinges, in any plane, on any carrier: three rows too many."""
        base = str(self.rng.choice(list(self.places)))
        R, origin = self.rotation(), self.places[base] + 0.3 * self.direction()
        corners = np.array([(0, 0, 0), (0.1, 0.5, 0), (0.8, 0.7, 0), (0.9, 0, 0)]) @ R.T + origin
        ring = [base, *(f"{name}_{i}" for i in range(3)), base]
        for link, a, b in zip(ring[1:4], corners, corners[1:], strict=False):
            self.body(link, 0.5 * (a + b))
        for i, corner in enumerate(corners):
            self.m.revolute(f"{name}_hinge{i}", ring[i], ring[i + 1], at=corner, axis=R[:, 2])
        self.places[ring[2]] = 0.5 * (corners[1] + corners[2])
        self.free += 1

    def closure(self, name):
        """One more joint between two carriers, if enough motion is left."""
        if len(self.places) < 3:
            return
        a, b = self.rng.choice(list(self.places), 2, replace=False)
        kind = str(self.rng.choice(["spherical", "distance", "distance", "point_on_plane", "point_on_line"]))
        if self.free - (6 - KINDS[kind]) < 2:
            return
        if b == "ground":
            a, b = b, a
        self.free -= 6 - KINDS[kind]
        self.join(name, kind, str(a), str(b), 0.5 * (self.places[a] + self.places[b]) + 0.2 * self.direction())

    # -- springs and inputs -------------------------------------------------------------------------------------

    def spring(self, name):
        """A spring of a random kind between two carriers, or about a joint."""
        rng, damped = self.rng, self.dissipates and self.rng.random() < 0.5
        a, b = (
            (str(end) for end in rng.choice(list(self.places), 2, replace=False)) if len(self.places) > 1 else 2 * ("",)
        )
        if not a:
            return
        hinges = [joint.name for joint in self.m.joints if joint.joint.kind in ("revolute", "cylindrical")]
        kinds = ["spring", "energy", "bushing", "trace_spring", "point_springs"] + 2 * ["torsion"] * bool(hinges)
        k = rng.uniform(5, 40)
        match str(rng.choice(kinds)):
            case "spring":
                self.m.spring(name, a, b, k=k, length=rng.uniform(0.2, 1), damping=0.5 * damped, **self.ends(a, b))
            case "energy":
                self.m.spring(name, a, b, energy=lambda l: k * (l - 0.5) ** 2 + k * l**4, **self.ends(a, b))
            case "bushing":
                K = np.concatenate([rng.uniform(1, 4, 3), rng.uniform(10, 40, 3)])
                self.m.bushing(name, a, b, K=K, D=0.02 * K if damped else None, rotation=self.rotation())
            case "trace_spring":
                G, K = rng.uniform(0.5, 2, 3), rng.uniform(10, 40, 3)
                self.m.trace_spring(name, a, b, G=np.diag(G), K=np.diag(K), at=self.places[b] + 0.1 * self.direction())
            case "point_springs":
                points = {end: self.places[end] + 0.3 * rng.normal(size=(4, 3)) for end in (a, b)}
                stiffness, c = rng.uniform(2, 10, 4), 0.2 * damped
                self.m.point_springs(name, a, b, k=stiffness, at_parent=points[a], at_child=points[b], damping=c)
            case "torsion":
                hinge = str(rng.choice(hinges))
                self.m.torsion(name, hinge, k=k / 10, angle=rng.uniform(-1, 1), damping=0.05 * damped)

    def ends(self, a, b):
        return {"at_a": self.places[a] + 0.2 * self.direction(), "at_b": self.places[b] + 0.2 * self.direction()}

    def port(self, name):
        """A torque, a force or a wrench that varies in time."""
        joints = self.m.joints
        turning = [joint.name for joint in joints if joint.joint.kind in ("revolute", "cylindrical", "planar")]
        sliding = [joint.name for joint in joints if joint.joint.kind in ("prismatic", "cylindrical")]
        bodies = [part.name for part in self.m.bodies if hasattr(part, "J_C")]
        kinds = ["wrench"] * bool(bodies) + ["torque"] * bool(turning) + ["force"] * bool(sliding)
        if not kinds:
            return
        kind = str(self.rng.choice(kinds))
        on = str(self.rng.choice({"wrench": bodies, "torque": turning, "force": sliding}[kind]))
        getattr(self.m, kind)(name, on)
        size, pace = self.rng.normal(size=6 if kind == "wrench" else 1), self.rng.uniform(2, 9)
        self.inputs[name] = lambda t: size * np.sin(pace * t + 0.3)

    # -- dice ---------------------------------------------------------------------------------------------------

    def direction(self):
        """A unit vector, uniform over the sphere."""
        v = self.rng.normal(size=3)
        return v / np.linalg.norm(v)

    def rotation(self):
        """A rotation, uniform."""
        Q, R = np.linalg.qr(self.rng.normal(size=(3, 3)))
        Q = Q * np.sign(np.diag(R))
        return Q * np.linalg.det(Q)
