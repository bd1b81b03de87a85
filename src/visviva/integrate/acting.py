"""What acts on the velocities of a model in director form, with the states that only it changes.

States x = (q, v, y, s): y follow the configuration, see `model.measured`; s are flux linkages, entropies and the like.
Given the motion of a step, s follows from its own rows, Δs = h f(q̄, v̄, ē, w, u) with the efforts ē between both ends,
and so do the algebraic unknowns w of boxes and joined models, efforts of junctions and multipliers, from 0 = f(...):
they are solved here, and what is left for a scheme is a force on v that depends on q̄ and v̄. Where rows of boxes tie
joints to each other, w does not follow from a given motion: then s and w are unknowns of the step, `Motion.inner`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.integrate.names import unknown_name
from visviva.integrate.newton import Newton, NotConverged, difference_jacobian, difference_size
from visviva.model import Model
from visviva.model.inner import inner_rows
from visviva.model.layout import Index
from visviva.model.measured import AbstractMeasured
from visviva.model.storage import AbstractStorage
from visviva.model.structure import (
    AbstractConstraint,
    AbstractDissipation,
    AbstractPort,
    AbstractRouting,
    AbstractStructure,
)

Part = AbstractRouting | AbstractDissipation | AbstractPort | AbstractConstraint

SLIGHT = 1e-3  # of the heat capacity of a node: entropies that differences may add
LEAST = 1e-12  # of the largest terms of all algebraic rows: rows that are smaller round by those


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """A step as it acts: the mean of its coordinates, their rate (q1 - q0)/h, the rest (y, s) at its start, inputs.

    inner: rates of s, and w, where the step solves for them; None: they follow.
    """

    q: Array
    v: Array
    rest: Array
    u: Array
    h: float
    inner: Array | None = None


@final
@dataclass(frozen=True, eq=False)
class Slopes:
    """Of the force f on all velocities, and of what is left r of the rows of inner unknowns, by q̄, v̄ and these.

    Where inner unknowns follow, there are no such rows and columns.
    """

    f_q: Array
    f_v: Array
    f_w: Array
    r_q: Array
    r_v: Array
    r_w: Array


@final
@dataclass(frozen=True, eq=False)
class Outcome:
    """What a step leaves: (y, s) at its end, w with what was solved here, exergy destroyed, work by port, and what
    reservoirs took.
    """

    rest: Array
    w: Array
    heat: Array
    work: Array
    taken: Array


@final
class Acting:
    """Dissipations, ports, and routings that are neither q̇ = v nor measured; n: number of coordinates.

    plain:   those that act on velocities alone.   coupled: those that act on other states as well, or read them, and
             constraints that are no condition of a mechanism.
    others:  places of s in x.   algebraic: places of w in z, those of conditions left out.
    tied:    whether rows of it bind the motion, so that s and w are unknowns of the step.
    Ports that act on rows of conditions are no forces: they are left to the schemes.
    """

    def __init__(self, model: Model, n: int, tied: bool = False) -> None:
        self.model = model
        self.n = n
        self.tied = tied
        names = [variable.name for variable in model.variables]
        velocities, held = set(model.kinetic), {reservoir.name for reservoir in model.reservoirs}
        positions = {name for name in names if model.layout.x[name].stop <= n}
        parts: list[Part] = [
            part for part in model.routings if not isinstance(part, AbstractMeasured) and not set(part.acts) & positions
        ]
        own = inner_rows(model)
        algebraic = (*(junction.name for junction in model.junctions), *(part.name for part in own))
        acting: list[Part] = [*model.dissipations, *model.ports]
        parts += [part for part in acting if set(part.acts) <= {*names, *held, *algebraic}]
        parts += own
        self.plain = [
            part
            for part in parts
            if set(part.acts) <= velocities | held and set(part.reads) <= positions and part not in own
        ]
        self.coupled = [part for part in parts if part not in self.plain]
        moved = {name for part in self.coupled for name in part.acts}
        others = [name for name in names if name in moved - velocities and name not in model.measured]
        self.others = model.layout.read(tuple(others))
        self.algebraic = model.layout.act(algebraic)
        self._last: tuple[Motion, Array] | None = None  # what was solved last: start value within a step
        nodes = () if model.definition is None else model.definition.thermals
        capacities = {f"{node.name}.s": node.capacity for node in nodes}
        slight = {name: SLIGHT * capacities.get(name, 0.0) for name in others}
        self._slight = np.array([slight[name] for name in others for _ in model.layout.read((name,))])

    # -- forces -------------------------------------------------------------------------------------------------

    def force(self, m: Motion) -> Array:
        """On all velocities, (n,)."""
        f: Array = np.zeros(self.n)
        for part in self.plain:
            reads, acts = self._places(part)
            f[acts] += self._plain_force(part, m.u, m.h, np.concatenate([m.q[reads], m.v[acts]]))
        if self.coupled:
            f[self._touched] += self._coupled(m, self._local(m, self._unknowns(m)))[: len(self._touched)]
        return f

    def slopes(self, m: Motion) -> Slopes:
        """Of `force` and `left`, by differences within each structure."""
        f_q: Array = np.zeros((self.n, self.n))
        f_v: Array = np.zeros((self.n, self.n))
        for part in self.plain:
            reads, acts = self._places(part)
            y = np.concatenate([m.q[reads], m.v[acts]])
            size = np.concatenate([difference_size(m.q[reads]), difference_size(m.v[acts])])
            slope = difference_jacobian(partial(self._plain_force, part, m.u, m.h), y, size)
            f_q[np.ix_(acts, reads)] += slope[:, : len(reads)]
            f_v[np.ix_(acts, acts)] += slope[:, len(reads) :]
        b = 0 if m.inner is None else len(m.inner)
        f_w, r_q, r_v = np.zeros((self.n, b)), np.zeros((b, self.n)), np.zeros((b, self.n))
        if not self.coupled:
            return Slopes(f_q, f_v, f_w, r_q, r_v, np.zeros((b, b)))
        at, k = self._touched, len(self._touched)
        found = self._unknowns(m)
        sizes = self._unknown_sizes(m, found, self._terms(m, found))
        size = np.concatenate([difference_size(m.q[at]), difference_size(m.v[at]), sizes])
        slope = difference_jacobian(partial(self._coupled, m), self._local(m, found), size)
        if m.inner is not None:
            f_w[at], r_q[:, at], r_v[:, at] = slope[:k, 2 * k :], slope[k:, :k], slope[k:, k : 2 * k]
            f_q[np.ix_(at, at)] += slope[:k, :k]
            f_v[np.ix_(at, at)] += slope[:k, k : 2 * k]
            return Slopes(f_q, f_v, f_w, r_q, r_v, slope[k:, 2 * k :])
        unit = np.abs(slope[k:, 2 * k :]).max(1, initial=1e-300)[:, None]  # rows of one size, for the elimination
        moved = np.linalg.solve(slope[k:, 2 * k :] / unit, slope[k:, : 2 * k] / unit)
        total = slope[:k, : 2 * k] - slope[:k, 2 * k :] @ moved
        f_q[np.ix_(at, at)] += total[:, :k]
        f_v[np.ix_(at, at)] += total[:, k:]
        return Slopes(f_q, f_v, f_w, r_q, r_v, np.zeros((0, 0)))

    # -- unknowns of the step, where rows bind the motion ---------------------------------------------------------

    def start(self, w: Array) -> Array:
        """Start values of the inner unknowns of a step, none where they follow; w: multipliers of the last one."""
        if not self.tied:
            return np.zeros(0)
        return np.append(np.zeros(len(self.others)), w[self.algebraic - self.model.layout.dim])

    def left(self, m: Motion) -> tuple[Array, Array]:
        """What is left of the rows of inner unknowns, and the size of their terms; nothing where they follow."""
        if m.inner is None:
            return np.zeros(0), np.zeros(0)
        local = self._local(m, m.inner)
        F, size = self._coupled(m, local)[len(self._touched) :], self._flows(m, local)[1]
        rates = np.maximum(np.abs(m.inner[: len(self.others)]), size[self.others])
        rows = np.maximum(size, self._ways / abs(m.h))[self.algebraic]
        rows = np.maximum(rows, LEAST * rows.max(initial=0.0))
        return F, np.maximum(np.append(rates, rows), 1e-30)

    def inner_name(self, row: int) -> str:
        """Of a row of `left`."""
        return unknown_name(self.model, int(np.append(self.others, self.algebraic)[row]))

    @cached_property
    def _ways(self) -> Array:
        """1 of rows on velocities of bodies, (total,): over a step they are ways [m or rad], which round by that."""
        found = np.zeros(self.model.layout.total)
        for part in inner_rows(self.model):
            if set(part.acts) & set(self.model.kinetic):
                found[self.model.layout.z[part.name]] = 1.0
        return found

    def _terms(self, m: Motion, y: Array) -> Array:
        """How large the terms are that rates of s are sums of, and w."""
        return np.append(self._flows(m, self._local(m, y))[1][self.others], y[len(self.others) :])

    def following(self, q0: Array, q1: Array, rest: Array, shift: Array) -> Array:
        """(y, s) at the end of a step, of what constraints need: y, and s that inputs move by shift = h u."""
        x0, x1 = (np.concatenate([q, np.zeros(self.n), rest]) for q in (q0, q1))
        self._follow(x0, x1, shift)
        return x1[2 * self.n :]

    def _follow(self, x0: Array, x1: Array, shift: Array) -> None:
        """Complete the end of a step by what follows from the motion and from inputs, in place."""
        places = self.model.layout.x
        for name, port in self.model.prescribed.items():
            x1[..., places[name].start] += shift[self.model.port_columns[port.name].start]
        for name, part in self.model.measured.items():
            x1[..., places[name]] = self._measured(part, x0, x1, places[name])

    def outcome(self, m: Motion, w: Array) -> Outcome:
        """What the step leaves; w: its multipliers."""
        x0, x1, z = self._ends(m, self._local(m, self._unknowns(m)))
        solved = slice(self.model.layout.dim, self.model.layout.solved)
        inner = z[self.algebraic]
        z[solved] = w
        z[self.algebraic] = inner
        x = 0.5 * (x0 + x1)
        outputs, taken = self.model.outputs(x, z, (x0, x1)), np.zeros(0)
        if self.model.reservoirs:
            taken = m.h * self.model.flow(x, z, m.u, (x0, x1))[self.model.layout.solved :]
        return Outcome(
            rest=x1[2 * self.n :],
            w=z[solved],
            heat=m.h * self.model.heats(x, z, (x0, x1)),
            work=m.h * np.array([m.u[at] @ outputs[at] for at in self.model.port_columns.values()]),
            taken=taken,
        )

    # -- structures that act on velocities alone ----------------------------------------------------------------

    def _places(self, part: AbstractStructure) -> tuple[Index, Index]:
        """Coordinates that it reads, and velocities that it acts on."""
        acts = self.model.acts(part)
        return self.model.layout.read(part.reads), acts[acts < 2 * self.n] - self.n

    def _plain_force(self, part: Part, u: Array, h: float, y: Array) -> Array:
        """Force of one structure on the velocities it acts on; y are the coordinates it reads, then these."""
        reads = self.model.layout.read(part.reads)
        q, v = y[..., : len(reads)], y[..., len(reads) :]
        if part.two_ended:
            turn = 0.5 * h * v[..., : len(reads)]
            q = np.concatenate([q - turn, q + turn], axis=-1)
        if isinstance(part, AbstractPort):
            return np.broadcast_to(apply(part.B(q), u[self.model.port_columns[part.name]]), v.shape)
        assert not isinstance(part, AbstractConstraint)  # those are coupled
        held = np.zeros((*v.shape[:-1], len(self.model.acts(part)) - v.shape[-1]))
        z = np.concatenate([v, held], axis=-1)
        flow = apply(part.J(q), z) if isinstance(part, AbstractRouting) else -apply(part.R(q, z), z)
        return flow[..., : v.shape[-1]]

    # -- structures that act on other states, or read them ------------------------------------------------------

    @cached_property
    def _touched(self) -> Index:
        """Coordinates that the coupled structures read, or whose velocities they act on."""
        places = [np.concatenate(self._places(part)) for part in self.coupled]
        found = np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *places]))
        return found[found < self.n]

    @cached_property
    def _stored(self) -> list[AbstractStorage]:
        """Energies of y and s."""
        return [part for part in self.model.storages if self.model.layout.x[part.variable].start >= 2 * self.n]

    def _local(self, m: Motion, unknowns: Array) -> Array:
        return np.concatenate([m.q[self._touched], m.v[self._touched], unknowns])

    def _ends(self, m: Motion, local: Array) -> tuple[Array, Array, Array]:
        """Both ends of a step, and z between them; local = (q̄, v̄, rates of s, w), of what is touched, or a batch."""
        model, n, k, last = self.model, self.n, len(self._touched), 2 * len(self._touched) + len(self.others)
        x0 = np.empty((*local.shape[:-1], model.layout.size))
        q, v = (np.array(np.broadcast_to(given, (*local.shape[:-1], n))) for given in (m.q, m.v))
        q[..., self._touched], v[..., self._touched] = local[..., :k], local[..., k : 2 * k]
        x0[..., :n], x0[..., n : 2 * n], x0[..., 2 * n :] = q - 0.5 * m.h * v, v, m.rest
        x1 = x0.copy()
        x1[..., :n] = q + 0.5 * m.h * v
        x1[..., self.others] += m.h * local[..., 2 * k : last]
        self._follow(x0, x1, m.h * m.u)
        z = np.zeros((*local.shape[:-1], model.layout.total))
        z[..., n : 2 * n] = v
        for storage in self._stored:
            at = model.layout.x[storage.variable]
            z[..., at] += storage.mean_effort(x0[..., at], x1[..., at])
        z[..., self.algebraic] = local[..., last:]
        return x0, x1, z

    def _measured(self, part: AbstractMeasured, x0: Array, x1: Array, at: slice) -> Array:
        """y at the end of a step."""
        reads = self.model.layout.read(part.reads)
        return part.follow(x0[..., at], x0[..., reads], x1[..., reads])

    def _coupled(self, m: Motion, local: Array) -> Array:
        """Forces on the velocities that are touched, what the rates of s miss, and what is left of algebraic rows."""
        k, f = len(self._touched), self._flows(m, local)[0]
        rates = local[..., 2 * k : 2 * k + len(self.others)]
        return np.concatenate([f[..., self.n + self._touched], rates - f[..., self.others], f[..., self.algebraic]], -1)

    def _flows(self, m: Motion, local: Array) -> tuple[Array, Array]:
        """What the coupled structures add to all rows, and the size of its terms; local: as in `_ends`."""
        model = self.model
        x0, x1, z = self._ends(m, local)
        f, size = np.zeros((2, *local.shape[:-1], model.layout.total))
        for part in self.coupled:
            (q, e), acts = model.local(part, 0.5 * (x0 + x1), z, (x0, x1)), model.acts(part)
            match part:
                case AbstractPort():
                    matrix, given = part.B(q), m.u[model.port_columns[part.name]]
                case AbstractRouting():
                    matrix, given = part.J(q), e
                case AbstractDissipation():
                    matrix, given = -part.R(q, e), e
                case AbstractConstraint():
                    rows, C = model.layout.z[part.name], part.C(q)
                    f[..., rows] += apply(C, e)
                    size[..., rows] += apply(np.abs(C), np.abs(e))
                    matrix, given = -transpose(C), z[..., rows]
            f[..., acts] += apply(matrix, given)
            size[..., acts] += apply(np.abs(matrix), np.abs(given))
        return f, size

    def _unknowns(self, m: Motion) -> Array:
        """Rates of s in a step, and w."""
        if m.inner is not None:
            return m.inner
        k, many = len(self._touched), len(self.others)
        if not many and not len(self.algebraic):
            return np.zeros(0)
        start = np.zeros(many + len(self.algebraic))
        if self._last is not None and self._last[0].rest is m.rest and self._last[0].h == m.h:  # of the same step
            before, start = self._last
            if all((a == b).all() for a, b in ((before.q, m.q), (before.v, m.v), (before.u, m.u))):
                return start

        def missing(y: Array) -> Array:
            given = np.broadcast_to(self._local(m, np.zeros(0)), (*y.shape[:-1], 2 * k))
            return self._coupled(m, np.concatenate([given, y], axis=-1))[..., k:]

        def residual(y: Array) -> tuple[Array, Array]:
            F, terms = missing(y), self._flows(m, self._local(m, y))[1]
            size = np.maximum(terms[self.algebraic], LEAST * terms[self.algebraic].max(initial=0.0))
            moved = np.maximum(np.abs(y[:many]), terms[self.others])
            return F, np.maximum(np.concatenate([moved, size]), 1e-30)

        def jacobian(y: Array) -> Array:
            return difference_jacobian(missing, y, self._unknown_sizes(m, y, self._terms(m, y)))

        try:
            found = Newton().solve(residual, jacobian, start).y
            self._last = m, found
            return found
        except NotConverged as failure:
            boxes = [] if self.model.definition is None else [repr(box.name) for box in self.model.definition.boxes]
            where = "currents and temperatures" if self.model.definition is not None else "states beside the motion"
            where = f"states of box {', '.join(boxes)}" if boxes else where
            raise NotConverged(f"{failure.reason} in the {where}", -1, failure.residual) from None

    def _unknown_sizes(self, m: Motion, y: Array, terms: Array) -> Array:
        """For differences: rates of s as large as they or their terms are, or what warms a node a bit; w as it is."""
        slight = np.append(self._slight / m.h, np.zeros(len(self.algebraic)))
        sizes = np.maximum(np.maximum(np.abs(y), np.abs(terms)), slight)
        return np.where(sizes > 0, sizes, 1.0)
