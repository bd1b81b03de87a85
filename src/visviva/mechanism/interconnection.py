"""Joints as power-preserving interconnections of bodies in director form, each a port-Hamiltonian system of its own.

A body α with the coordinates q = (φ, d1, d2, d3) and the velocity v = q̇ has a port at each of its joints,

    y = B(q)ᵀ v,   force B(q) u,

where y are those components of its twist that the joint blocks. Joining two bodies says u_A + u_B = 0, y_A = y_B: no
power is stored or lost there. What follows is the same as what kinematic pairs say, Latussek, Kinon, Betsch, (38)-(48).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.hat import skew
from visviva.geometry.linear import block_diagonal
from visviva.mechanism.assembly import Motion, StateLike, motion_of
from visviva.mechanism.coordinates import joint_rows, movers, orthonormality, space_of
from visviva.mechanism.joint_pairs import pair_of
from visviva.mechanism.joints_only import check_joints_only
from visviva.mechanism.parts import Body, Joint, Particle
from visviva.mechanism.placement import coordinates_of
from visviva.numerics.nullspace import split
from visviva.numerics.rank import TOLERANCE
from visviva.structure import Dirac, close, compose
from visviva.structure.subspace import range_and_complement

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism


@final
@dataclass(frozen=True, eq=False)
class Interconnection:
    """The bodies of a mechanism joined by ports, at a motion; velocities are v of all bodies, one after the other."""

    mechanism: Mechanism
    motion: Motion

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Where the velocities of each body are: twelve of a body, three of a particle."""
        ends = np.cumsum([0, *(space_of(part).size for part in self.mechanism.bodies)]).tolist()
        return {part.name: slice(a, b) for part, a, b in zip(self.mechanism.bodies, ends, ends[1:], strict=False)}

    @property
    def size(self) -> int:
        """Number of velocities."""
        return sum(at.stop - at.start for at in self.columns.values())

    @cached_property
    def internal(self) -> dict[str, dict[str, Array]]:
        """B of what a joint blocks, by joint and end that moves, shape (velocities of the end, k); (40)."""
        return {joint.name: self._ports(joint, pair_of(joint, self.motion).A) for joint in self.mechanism.joints}

    @cached_property
    def external(self) -> dict[str, dict[str, Array]]:
        """B of what a joint leaves free, in the same form, shape (velocities of the end, 6 - k)."""
        return {
            joint.name: self._ports(joint, np.asarray(np.linalg.pinv(pair_of(joint, self.motion).S)))
            for joint in self.mechanism.joints
        }

    def structure(self) -> Dirac:
        """Dirac structure over the momenta of all bodies, effort v, composed by (41): equal y, and u in balance.

        A joint to the ground has y = 0.
        """
        parts = {part.name: self._body(part) for part in self.mechanism.bodies}
        joined, held = dict[str, tuple[str, ...]](), list[str]()
        for name, ends in self.internal.items():
            members = tuple(f"{end}.{name}" for end, B in ends.items() if B.shape[1])
            if len(members) == 2:
                joined[name] = members
            else:
                held += members
        network = compose(parts, joined)
        for port in held:
            network = close(network, port, "effort")
        return network.rename({f"{name}.p": name for name in parts})

    def admissible(self) -> Array:
        """Orthonormal basis of the velocities that the structure allows, shape (velocities, mobility); (46)."""
        structure = self.structure().permute(*self.columns)
        return range_and_complement(np.split(structure.to_basis(), 2)[1], tolerance=TOLERANCE)[0]

    def admissible_by_pairs(self) -> Array:
        """The same from the constraint functions of bodies and joints, ∇g v = 0; (47). By (48) both span one space.

        A screw has one more than the rows of its joint: that of its lead.
        """
        rows = [np.zeros((0, self.size)), *(self._rigidity(part) for part in self.mechanism.bodies)]
        for joint in self.mechanism.joints:
            gradient = joint_rows(joint).gradient(coordinates_of(joint, self.motion))
            rows.append(self._over_all(movers(joint), gradient))
        for lead in self.mechanism.conditions:
            q = np.concatenate([self.motion.q[mover.name] for mover in lead.movers])
            rows.append(self._over_all(lead.movers, lead.C(q, q)))
        return split(np.vstack(rows)).Z

    def J(self) -> Array:
        """Skew matrix of (44a) over (v, multipliers of the bodies, of the joints)."""
        rows = [self._rigidity(part) for part in self.mechanism.bodies]
        for joint, ends in self.internal.items():
            parent = self.mechanism.parts[joint].parent.name  # type: ignore[union-attr]
            block = np.zeros((next(iter(ends.values())).shape[1], self.size))
            for end, B in ends.items():
                block[:, self.columns[end]] = -B.T if end == parent else B.T
            rows.append(block)
        C = np.vstack([np.zeros((0, self.size)), *rows])
        J = block_diagonal([np.zeros((self.size, self.size)), np.zeros((len(C), len(C)))])
        J[self.size :, : self.size], J[: self.size, self.size :] = C, -C.T
        return J

    def _over_all(self, ends: Sequence[Body | Particle], gradient: Array) -> Array:
        """Rows over the velocities of some bodies, one after the other, as rows over those of all."""
        block, first = np.zeros((len(gradient), self.size)), 0
        for end in ends:
            at = self.columns[end.name]
            block[:, at] = gradient[:, first : first + at.stop - at.start]
            first += at.stop - at.start
        return block

    def _ports(self, joint: Joint, rows: Array) -> dict[str, Array]:
        return {end.name: (rows @ twist_map(end, self.motion)).T for end in movers(joint)}

    def _rigidity(self, part: Body | Particle) -> Array:
        """Rows that keep the directors orthonormal, over all velocities."""
        if isinstance(part, Particle):
            return np.zeros((0, self.size))
        block = np.zeros((6, self.size))
        block[:, self.columns[part.name]] = orthonormality().gradient(self.motion.q[part.name])
        return block

    def _body(self, part: Body | Particle) -> Dirac:
        """f_p + Σ B u = -∇gᵀλ,  ∇g v = 0,  y = Bᵀ v, with the effort v at the port p of its momentum."""
        ports = {name: ends[part.name] for name, ends in self.internal.items() if part.name in ends}
        ports = {name: B for name, B in ports.items() if B.shape[1]}
        n, at = space_of(part).size, self.columns[part.name]
        B = np.hstack([np.zeros((n, 0)), *ports.values()])
        rigid, free = range_and_complement(self._rigidity(part)[:, at].T)
        k, m = B.shape[1], rigid.shape[1]
        F = np.vstack([np.zeros((k + m, n + k)), np.hstack([free.T, free.T @ B])])
        E = np.vstack([np.hstack([-B.T, np.eye(k)]), np.hstack([rigid.T, np.zeros((m, k))]), np.zeros((n - m, n + k))])
        return Dirac.kernel(F, E, {"p": n, **{name: one.shape[1] for name, one in ports.items()}})


def twist_map(end: Body | Particle, motion: Motion) -> Array:
    """W(q) with the twist W v in the world at its origin: ω = ½ Σ d_i x ḋ_i, shape (6, velocities).

    Wᵀ gives the forces of a wrench on the directors, as (32) of Latussek, Kinon, Betsch does.
    """
    q = motion.q[end.name]
    if isinstance(end, Particle):
        return np.vstack([np.zeros((3, 3)), np.eye(3)])
    spin = np.hstack([np.zeros((3, 3)), *(0.5 * skew(d) for d in q[3:].reshape(3, 3))])
    return np.vstack([spin, np.hstack([np.eye(3), np.zeros((3, 9))]) + skew(q[:3]) @ spin])


def interconnection_of(m: Mechanism, at: StateLike | None = None) -> Interconnection:
    """The interconnection of a mechanism at a motion; as assembled by default."""
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    m = m.snapshot()
    check_joints_only(m, "an interconnection by ports")
    motion = motion_of(m, at)
    return Interconnection(m, motion)
