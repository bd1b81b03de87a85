"""Joints and conditions as power-preserving interconnections of bodies in director form.

A body α with the coordinates q = (φ, d1, d2, d3) and the velocity v = q̇ is a port-Hamiltonian system of its own, with
a port at each of its joints,

    y = B(q)ᵀ v,   force B(q) u,

where y are those components of its twist that the joint blocks. Joining two bodies says u_A + u_B = 0, y_A = y_B: no
power is stored or lost there. What follows is the same as what kinematic pairs say, Latussek, Kinon, Betsch, (38)-(48).

A condition over any number of bodies, such as a gear, rolling, a blade or a drive, is the dual of it: the force is one
and the velocities add up,

    Σ_α y_α = ṡ,   u_α = u,   hence   Σ_α u_α·y_α = u·ṡ

with ṡ = 0, or with an open port to what drives it.
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
from visviva.mechanism.box import refuse_ties
from visviva.mechanism.condition_twists import linear_conditions
from visviva.mechanism.coordinates import joint_rows, movers, orthonormality, space_of
from visviva.mechanism.joint_pairs import pair_of
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body, Joint, Particle
from visviva.mechanism.placement import coordinates_of
from visviva.numerics.nullspace import split
from visviva.numerics.rank import TOLERANCE
from visviva.structure import Dirac, LinearCondition, close, compose
from visviva.structure.subspace import range_and_complement

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


@final
@dataclass(frozen=True, eq=False)
class Interconnection:
    """The bodies of a mechanism joined by ports, at a motion; velocities are v of all bodies, one after the other."""

    definition: Definition
    motion: Motion

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Where the velocities of each body are: twelve of a body, three of a particle."""
        ends = np.cumsum([0, *(space_of(part).size for part in self.definition.bodies)]).tolist()
        return {part.name: slice(a, b) for part, a, b in zip(self.definition.bodies, ends, ends[1:], strict=False)}

    @property
    def size(self) -> int:
        """Number of velocities."""
        return sum(at.stop - at.start for at in self.columns.values())

    @cached_property
    def internal(self) -> dict[str, dict[str, Array]]:
        """B of what a joint blocks, by joint and end that moves, shape (velocities of the end, k); (40)."""
        return {joint.name: self._ports(joint, pair_of(joint, self.motion).A) for joint in self.definition.joints}

    @cached_property
    def external(self) -> dict[str, dict[str, Array]]:
        """B of what a joint leaves free, in the same form, shape (velocities of the end, 6 - k)."""
        return {
            joint.name: self._ports(joint, np.asarray(np.linalg.pinv(pair_of(joint, self.motion).S)))
            for joint in self.definition.joints
        }

    @cached_property
    def condition_ports(self) -> dict[str, dict[str, Array]]:
        """B of what a condition blocks or drives, by condition and body, shape (velocities of the body, k)."""
        parts = {part.name: part for part in self.definition.bodies}
        return {
            name: {body: (A @ twist_map(parts[body], self.motion)).T for body, A in condition.rows.items()}
            for name, condition in self._conditions.items()
        }

    @cached_property
    def _conditions(self) -> dict[str, LinearCondition]:
        return linear_conditions(self.definition, self.motion)

    @property
    def drives(self) -> tuple[str, ...]:
        """Conditions that are driven: their ports stay open."""
        return tuple(name for name, condition in self._conditions.items() if condition.driven)

    def structure(self) -> Dirac:
        """Dirac structure over the momenta of all bodies, effort v, composed by (41): equal y, and u in balance.

        A joint to the ground has y = 0. A condition has y in balance, and equal u; one that is driven is a port of its
        own name, with the rate ṡ as effort and the force u as flow, so that u·ṡ is power into the bodies.
        """
        found = self._structure_in_units
        at, one = self.columns, np.ones
        sizes = np.concatenate([self._units[at[p]] if p in at else one(k) for p, k in found.ports.items()])
        basis = np.concatenate([1 / sizes, sizes])[:, None] * found.to_basis()
        E, F = (half.T for half in np.split(range_and_complement(basis, rank=found.n)[0], 2))
        return Dirac(F, E, found.ports)

    @cached_property
    def _units(self) -> Array:
        """Units in which velocities are compared, (velocities,): a length of the mechanism, and 1 of directors."""
        length = Linkage(self.definition).length
        sizes = [np.repeat([length, 1.0], [3, space_of(part).size - 3]) for part in self.definition.bodies]
        return np.concatenate(sizes)

    @cached_property
    def _structure_in_units(self) -> Dirac:
        """The structure over the velocities of bodies in their units: ranks do not depend on the unit of length."""
        parts = {part.name: self._body(part) for part in self.definition.bodies}
        joined, held = dict[str, tuple[str, ...]](), list[str]()
        for name in self.internal:
            members = tuple(f"{end}.{name}" for end in self._unit_ports[name])
            if len(members) == 2:
                joined[name] = members
            else:
                held += members
        balances = {f"sum {name}": self._balance(name) for name in self.condition_ports if self._unit_ports[name]}
        for name in self.condition_ports:
            ends = self._unit_ports[name]
            joined |= {f"{name} on {body}": (f"{body}.{name}", f"sum {name}.{body}") for body in ends}
        network = compose(parts | balances, joined)
        for port in held:
            network = close(network, port, "effort")
        names = {f"{name}.p": name for name in parts}
        return network.rename(names | {f"sum {name}.{name}": name for name in self.drives})

    @cached_property
    def _unit_ports(self) -> dict[str, dict[str, Array]]:
        """B of all ports over velocities in units, with columns that are orthonormal, of drives of length one.

        y and u at all ends change by one matrix: what is composed knows no units. Without columns there is no port.
        """
        found = {}
        for name, ends in (self.internal | self.condition_ports).items():
            B = np.vstack([self._units[self.columns[end], None] * own for end, own in ends.items()])
            basis = B / _lengths(B) if name in self.drives else range_and_complement(B, tolerance=TOLERANCE)[0]
            places = np.cumsum([len(own) for own in ends.values()])[:-1]
            found[name] = dict(zip(ends, np.split(basis, places), strict=True)) if basis.shape[1] else {}
        return found

    def admissible(self) -> Array:
        """Orthonormal basis of the velocities that the structure allows, shape (velocities, mobility); (46).

        With drives at rest: their ports are closed.
        """
        structure = self._structure_in_units
        for name in self.drives:
            structure = close(structure, name, "effort")
        E = np.split(structure.permute(*self.columns).to_basis(), 2)[1]
        return self._in_si(range_and_complement(E, tolerance=TOLERANCE, scale=1.0)[0])

    def admissible_by_pairs(self) -> Array:
        """The same from the constraint functions of bodies and joints, ∇g v = 0; (47). By (48) both span one space.

        Conditions have their gradients, or their rows over velocities; a screw has that of its lead.
        """
        rows = [np.zeros((0, self.size)), *(self._rigidity(part) for part in self.definition.bodies)]
        for joint in self.definition.joints:
            gradient = joint_rows(joint).gradient(coordinates_of(joint, self.motion))
            rows.append(self._over_all(movers(joint), gradient))
        for condition in self.definition.conditions:
            q = np.concatenate([self.motion.q[mover.name] for mover in condition.movers])
            rows.append(self._over_all(condition.movers, condition.C(q, q)))
        return self._in_si(split(np.vstack(rows) * self._units).Z)

    def J(self) -> Array:
        """Skew matrix of (44a) over (v, multipliers of the bodies, of the joints, of the conditions).

        The rows of a drive are ṡ, those of all other multipliers zero.
        """
        rows = [self._rigidity(part) for part in self.definition.bodies]
        for joint, ends in self.internal.items():
            parent = self.definition.parts[joint].parent.name  # type: ignore[union-attr]
            block = np.zeros((next(iter(ends.values())).shape[1], self.size))
            for end, B in ends.items():
                block[:, self.columns[end]] = -B.T if end == parent else B.T
            rows.append(block)
        for bodies in self.condition_ports.values():
            block = np.zeros((next(iter(bodies.values())).shape[1], self.size))
            for body, B in bodies.items():
                block[:, self.columns[body]] = B.T
            rows.append(block)
        C = np.vstack([np.zeros((0, self.size)), *rows])
        J = block_diagonal([np.zeros((self.size, self.size)), np.zeros((len(C), len(C)))])
        J[self.size :, : self.size], J[: self.size, self.size :] = C, -C.T
        return J

    def _in_si(self, basis: Array) -> Array:
        """Orthonormal basis of velocities that are given in their units."""
        return range_and_complement(self._units[:, None] * basis, rank=basis.shape[1])[0]

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
        ports = {name: ends[part.name] for name, ends in self._unit_ports.items() if part.name in ends}
        n, at = space_of(part).size, self.columns[part.name]
        B = np.hstack([np.zeros((n, 0)), *ports.values()])
        rigid, free = range_and_complement(self._rigidity(part)[:, at].T)  # directors have the unit 1
        k, m = B.shape[1], rigid.shape[1]
        F = np.vstack([np.zeros((k + m, n + k)), np.hstack([free.T, free.T @ B])])
        E = np.vstack([np.hstack([-B.T, np.eye(k)]), np.hstack([rigid.T, np.zeros((m, k))]), np.zeros((n - m, n + k))])
        return Dirac.kernel(F, E, {"p": n, **{name: one.shape[1] for name, one in ports.items()}})

    def _balance(self, condition: str) -> Dirac:
        """Σ y - ṡ = 0 at equal u, over one port per body, and one for ṡ by the name of a condition that is driven."""
        ends = self._unit_ports[condition]
        k = int(next(iter(ends.values())).shape[1])
        rows, ports = [np.eye(k)] * len(ends), dict.fromkeys(ends, k)
        if condition in self.drives:
            own = self.condition_ports[condition]
            lengths = _lengths(np.vstack([self._units[self.columns[end], None] * B for end, B in own.items()]))
            rows, ports = [*rows, -np.diag(1 / lengths)], ports | {condition: k}
        n = sum(ports.values())
        return Dirac.constrained(np.zeros((n, n)), np.hstack(rows), ports)


def _lengths(B: Array) -> Array:
    """Of the columns; one of those that are zero, (k,)."""
    lengths = np.linalg.norm(B, axis=0)
    return np.where(lengths > 0, lengths, 1.0)


def twist_map(end: Body | Particle, motion: Motion) -> Array:
    """W(q) with the twist W v in the world at its origin: ω = ½ Σ d_i x ḋ_i, shape (6, velocities).

    Wᵀ gives the forces of a wrench on the directors, as (32) of Latussek, Kinon, Betsch does.
    """
    q = motion.q[end.name]
    if isinstance(end, Particle):
        return np.vstack([np.zeros((3, 3)), np.eye(3)])
    spin = np.hstack([np.zeros((3, 3)), *(0.5 * skew(d) for d in q[3:].reshape(3, 3))])
    return np.vstack([spin, np.hstack([np.eye(3), np.zeros((3, 9))]) + skew(q[:3]) @ spin])


def interconnection_of(m: Definition, at: StateLike | None = None) -> Interconnection:
    """The interconnection of a mechanism at a motion; as assembled by default."""
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    refuse_ties(m, "its interconnection")
    motion = motion_of(m, at)
    return Interconnection(m, motion)
