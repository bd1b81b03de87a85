"""All conditions of a mechanism as rows over the velocities of its bodies."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.coordinates import space_of
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.kinematics import Int, Kinematics
from visviva.mechanism.parts import Body, Particle

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@final
class ConditionRows:
    """Rows of conditions, one condition after the other; q are the coordinates of all bodies, see `Kinematics`.

    held_at: a configuration; what conditions leave open as assembled must stay as it is there. Default: it is open.
    m: number of rows.   rows: where those of each condition are.   owner: the condition of each row.
    """

    def __init__(
        self, kinematics: Kinematics, conditions: Sequence[AbstractCondition], held_at: Array | None = None
    ) -> None:
        self.conditions = tuple(conditions)
        self.kinematics = kinematics
        ends = np.cumsum([0, *(part.rows for part in conditions)]).tolist()
        self.m = int(ends[-1])
        self.rows = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self.owner = [part for part in conditions for _ in range(part.rows)]
        number = {body.name: k for k, body in enumerate(kinematics.bodies)}
        self._movers = [[number[mover.name] for mover in part.movers] for part in conditions]
        self.near = dict.fromkeys((name for part in conditions for name in part.follows), 0.0)
        self._held_at = held_at
        for part in conditions:
            self.near |= {name: float(at) for name, at in zip(part.follows, part.expects, strict=True) if at != 0}

    @property
    def speeds(self) -> Array:
        """What the rows must be at the start of a run, (m,): rates of driven ones, else zero."""
        return np.array([0.0 if part.law is None else part.law.rate(0.0) for part in self.owner])

    def held(self, q: Array) -> ConditionRows:
        """The same conditions, with what they leave open as assembled held as it is at a configuration."""
        rows = ConditionRows(self.kinematics, self.conditions, q)
        rows.near |= self.near
        return rows

    @cached_property
    def positional(self) -> Array:
        """Rows that positions must satisfy: 1, else 0."""
        held = self._held_at is not None
        closed = [part.kind != "nonholonomic" and (held or part.target is not None) for part in self.owner]
        return np.array(closed, dtype=np.float64)

    @cached_property
    def _targets(self) -> Array:
        targets = np.array([part.target or 0.0 for part in self.owner])
        if self._held_at is None:
            return targets
        return np.where([part.target is None for part in self.owner], self._values(self._held_at), targets)

    def _own(self, k: int, q: Array) -> Array:
        """The coordinates of the movers of one condition."""
        return q[..., self._places(k)]

    def _places(self, k: int) -> Int:
        return _joined([self.kinematics.places[body] for body in self._movers[k]])

    def _columns(self, k: int) -> Int:
        return _joined([self.kinematics.columns[body] for body in self._movers[k]])

    def value(self, q: Array) -> Array:
        """g of what must be closed, less its target; zero for other rows, (..., m)."""
        return (self._values(q) - self._targets) * self.positional

    def _values(self, q: Array) -> Array:
        g = np.zeros((*q.shape[:-1], self.m))
        for k, part in enumerate(self.conditions):
            turned = np.broadcast_to([self.near[name] for name in part.follows], (*q.shape[:-1], len(part.follows)))
            g[..., self.rows[k]] = part.value(self._own(k, q), turned)
        return g

    def follow(self, q: Array) -> None:
        """Let angles continue from those at a configuration: they count over many turns, and targets stay."""
        self._targets  # noqa: B018 - with the angles as they were
        for k, part in enumerate(self.conditions):
            if isinstance(part, Coupling):
                angles = part.angles(self._own(k, q), np.array([self.near[name] for name in part.follows]))
                self.near |= dict(zip(part.follows, angles.tolist(), strict=True))

    def dense(self, q: Array) -> Array:
        """The rows over all velocities, (..., m, n)."""
        C = np.zeros((*q.shape[:-1], self.m, self.kinematics.n))
        for k, part in enumerate(self.conditions):
            own = self._own(k, q)
            C[..., self.rows[k], self._columns(k)] = _lifted(part.C(own, own), own, part.movers)
        return C

    def matrix(self, q: Array) -> csr_array:
        """The same at one configuration, sparse."""
        import scipy.sparse

        rows, columns, values = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)], [np.zeros(0)]
        for k, part in enumerate(self.conditions):
            own, at = self._own(k, q), self._columns(k)
            C = _lifted(part.C(own, own), own, part.movers)
            rows.append(np.repeat(np.arange(self.rows[k].start, self.rows[k].stop), len(at)))
            columns.append(np.tile(at, part.rows))
            values.append(C.ravel())
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return scipy.sparse.csr_array(entries, shape=(self.m, self.kinematics.n))

    def drift(self, q: Array, V: Array) -> Array:
        """The part of the rows' derivative that is there without accelerations, (..., m); that of s is not in it."""
        fall = np.zeros((*q.shape[:-1], self.m))
        for k, part in enumerate(self.conditions):
            own, v, i, j = self._own(k, q), V[..., self._columns(k)], 0, 0
            q_dot, drift = [], []
            for mover in part.movers:
                space = space_of(mover)
                x, xi = own[..., i : i + space.size], v[..., j : j + space.dim]
                q_dot.append(space.push(x, xi))
                drift.append(space.drift(x, xi))
                i, j = i + space.size, j + space.dim
            bent = part.bend(own, np.concatenate(q_dot, -1))
            fall[..., self.rows[k]] = bent + apply(part.C(own, own), np.concatenate(drift, -1))
        return fall


def _lifted(C: Array, q: Array, movers: Sequence[Body | Particle]) -> Array:
    """Rows over coordinates as rows over velocities."""
    parts, first = [], 0
    for mover in movers:
        space = space_of(mover)
        parts.append(space.pull(C[..., first : first + space.size], q[..., first : first + space.size]))
        first += space.size
    return np.concatenate(parts, axis=-1)


def _joined(parts: list[slice]) -> Int:
    return np.concatenate([np.arange(part.start, part.stop, dtype=np.intp) for part in parts])
