"""The multibond graph of a mechanism, at a configuration.

Bodies    a 1-junction of the twist in body axes, with I (mass and inertia), MGY (Euler's junction structure, ad_Vᵀ) and
          MSe (weight); of a particle, its velocity.
Joints    parent -> MTF -> 0 -> MTF -> child: twists in the world at its origin, one wrench, that of the parent on the
          child; rate -> MTF (S) -> 0 adds the relative twist S q̇. Friction, springs about the joint, motors and inputs
          are at the 1-junction of q̇. Its flow is a state, and the inertias that hang on it follow.
Springs   both bodies -> MTF -> 0 -> C, R: the flows add up to the rates of what the spring measures.

A joint that closes a loop imposes its wrench: it is whatever keeps the loop closed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.bonds.elements import GY, MGY, MTF, TF, Element, I, R, Se, one, zero
from visviva.bonds.graph import BondGraph
from visviva.errors import ModelError
from visviva.geometry.hat import skew
from visviva.mechanism import Mechanism
from visviva.mechanism.assembly import Motion, motion_of
from visviva.mechanism.builder import kind_of
from visviva.mechanism.elements import Element as Spring
from visviva.mechanism.elements import Stop
from visviva.mechanism.joints_only import check_joints_only
from visviva.mechanism.network import pair_of
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Motor, Particle, WrenchPort
from visviva.mechanism.port_values import body_pose, driven_coordinate, inertia_of, relative_rates, twist_of
from visviva.mechanism.thermal import Thermal

SPATIAL, PLAIN = "spatial", "translation"


def mechanism_graph(m: Mechanism, motion: Motion | None = None) -> BondGraph:
    """The graph of a mechanism, moduli at a motion; as assembled by default."""
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    check_joints_only(m, "a bond graph")
    others: list[Stop | Thermal] = [*m.stops, *m.thermals]
    if others:
        names = ", ".join(f"{kind_of(part)} {part.name!r}" for part in others)
        raise ModelError(f"{names} of mechanism {m.name!r} have no elements in a bond graph: leave them out for that.")
    return _Builder(m, motion_of(m, motion)).graph()


class _Builder:
    def __init__(self, m: Mechanism, motion: Motion) -> None:
        self.m, self.motion = m, motion
        self.elements: dict[str, Element] = {}
        self.bonds: list[str] = []

    def graph(self) -> BondGraph:
        """All parts, in the order of building."""
        for body in self.m.bodies:
            self._body(body)
        closing = _closing(self.m)
        for joint in self.m.joints:
            self._joint(joint, joint in closing)
        for spring in self.m.elements:
            self._spring(spring)
        for port in self.m.ports:
            if isinstance(port, WrenchPort):
                self._add(port.name, Se(width=3 if isinstance(port.carrier, Particle) else 6), f"> {port.carrier.name}")
        return BondGraph(self.m.name, self.elements, self.bonds, theta0=self.m.theta0)

    def _add(self, name: str, element: Element, *ends: str) -> None:
        """An element with bonds: "< a" from a, "> b" to b."""
        self.elements[name] = element
        for end in ends:
            direction, other = end.split()
            self.bonds.append(f"{name} -> {other}" if direction == ">" else f"{other} -> {name}")

    def _body(self, body: Body | Particle) -> None:
        name, g = body.name, self.m.gravity
        if isinstance(body, Particle):
            self.elements[name] = one(domain=PLAIN, width=3)
            self._add(f"{name}.m", replace(I(body.mass), label="m"), f"< {name}")
            if g.any():
                self._add(f"{name}.g", Se(body.mass * g, label="mg"), f"> {name}")
            return
        self.elements[name] = one(domain=SPATIAL, width=6)
        M, V = inertia_of(body), twist_of(body, self.motion)
        P = M @ V
        structure = np.block([[skew(P[:3]), skew(P[3:])], [skew(P[3:]), np.zeros((3, 3))]])
        self._add(f"{name}.M", replace(I(M), label="M"), f"< {name}")
        self._add(f"{name}.ad", MGY(-structure, label="ad*"), f"< {name}")
        if g.any():
            down = body_pose(body, self.motion).R.T @ g * body.mass
            weight = Se(np.concatenate([np.cross(body.com, down), down]), label="mg")
            self._add(f"{name}.g", replace(weight, modulated=True), f"> {name}")

    def _joint(self, joint: Joint, closing: bool) -> None:
        S = pair_of(joint, self.motion).S
        particle = isinstance(joint.child, Particle)
        wrench = f"{joint.name}.F"
        self.elements[wrench] = replace(zero(domain=SPATIAL, width=6), free=closing or particle, label=joint.name)
        if not isinstance(joint.parent, Ground):
            self._add(
                f"{joint.name}.parent",
                MTF(self._to_world(joint.parent), label="Ad"),
                f"< {joint.parent.name}",
                f"> {wrench}",
            )
        if isinstance(joint.child, Body):
            out = MTF(np.linalg.inv(self._to_world(joint.child)), label="Ad⁻¹")
            self._add(f"{joint.name}.child", out, f"< {wrench}", f"> {joint.child.name}")
        elif isinstance(joint.child, Particle):
            self._add(
                f"{joint.name}.child",
                MTF(-self._to_world(joint.child), label="-1"),
                f"< {joint.child.name}",
                f"> {wrench}",
            )
        if S.shape[1]:
            rate = f"{joint.name}.rate"
            self.elements[rate] = replace(one(width=S.shape[1], free=True), label=f"q̇ {joint.name}")
            self._add(f"{joint.name}.S", MTF(S, label="S"), f"< {rate}", f"> {wrench}")
            self._about(joint, rate, S.shape[1])

    def _about(self, joint: Joint, rate: str, k: int) -> None:
        """What acts on the rates of a joint."""
        if joint.friction.any():
            D = np.zeros((k, k))
            D[range(len(joint.friction)), range(len(joint.friction))] = joint.friction
            self._add(f"{joint.name}.friction", R(D if k > 1 else float(D[0, 0]), label="friction"), f"< {rate}")
        for torsion in self.m.torsions:
            if torsion.joint is joint:
                here = self._single(torsion.name, rate, 0, k)
                if torsion.energy is not None:
                    law = Element("C", None, {}, None, (1,), energy=True, system=torsion.energy, label=torsion.name)
                    self._add(f"{torsion.name}.spring", law, f"< {here}")
                if torsion.damping:
                    self._add(f"{torsion.name}.damping", R(torsion.damping, label="d"), f"< {here}")
        for port in self.m.ports:
            if not isinstance(port, WrenchPort) and port.joint is joint:
                here = self._single(port.name, rate, driven_coordinate(port), k)
                if isinstance(port, Motor):
                    self._motor(port, here)
                else:
                    self._add(port.name, Se(), f"> {here}")

    def _single(self, name: str, rate: str, coordinate: int, k: int) -> str:
        """A junction of one of the rates of a joint."""
        if k == 1:
            return rate
        self.elements[f"{name}.rate"] = one()
        self._add(f"{name}.coordinate", TF(np.eye(k)[[coordinate]], label="1"), f"< {rate}", f"> {name}.rate")
        return f"{name}.rate"

    def _motor(self, motor: Motor, rate: str) -> None:
        name = motor.name
        self.elements[f"{name}.i"] = one(domain="electric")
        self._add(name, Se(), f"> {name}.i")
        self._add(f"{name}.L", replace(I(motor.inductance), label="L"), f"< {name}.i")
        self._add(f"{name}.R", R(motor.resistance, label="R"), f"< {name}.i")
        self._add(f"{name}.k", GY(motor.k, label="k"), f"< {name}.i", f"> {rate}")

    def _spring(self, spring: Spring) -> None:
        Y = relative_rates(spring.rows, spring, self.motion)
        self.elements[spring.name] = replace(zero(width=len(Y)), label=spring.name)
        for end, sign, side in ((spring.parent, -1.0, "parent"), (spring.child, 1.0, "child")):
            if not isinstance(end, Ground):
                modulus = MTF(sign * Y @ self._to_world(end), label="Y")
                self._add(f"{spring.name}.{side}", modulus, f"< {end.name}", f"> {spring.name}")
        if spring.energy is not None:
            law = Element("C", None, {}, None, (len(Y),), energy=True, system=spring.energy, label="U")
            self._add(f"{spring.name}.U", law, f"< {spring.name}")
        if spring.damping is not None:
            self._add(f"{spring.name}.D", R(self._resistance(spring), label="D"), f"< {spring.name}")

    def _resistance(self, spring: Spring) -> Any:
        """D over the rates of what is measured; of a line, y = ½ l² has ẏ = l l_dot."""
        assert spring.damping is not None
        D = np.atleast_2d(spring.damping)
        if spring.line:
            from visviva.mechanism.placement import frame_pose

            P, C = (frame_pose(spring, end, self.motion) for end in (spring.parent, spring.child))
            D = D / max(float((C.r - P.r) @ (C.r - P.r)), 1e-300)
        return D if len(D) > 1 else float(D[0, 0])

    def _to_world(self, end: Carrier) -> Array:
        """Twists in the world from those of the junction of a body, or velocities of a particle."""
        if isinstance(end, Body):
            return body_pose(end, self.motion).Ad()
        assert isinstance(end, Particle)
        return np.vstack([np.zeros((3, 3)), np.eye(3)])


def _closing(m: Mechanism) -> list[Joint]:
    """The joints that close loops: those between parts that others connect already."""
    group: dict[str, str] = {}

    def root(name: str) -> str:
        while name in group:
            name = group[name]
        return name

    found = []
    for joint in m.joints:
        a, b = root(joint.parent.name), root(joint.child.name)
        if a == b:
            found.append(joint)
        else:
            group[b] = a
    return found
