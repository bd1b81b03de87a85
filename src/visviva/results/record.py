"""What a run leaves in memory: nodes, steps and the accounts kept at every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array


@final
@dataclass(frozen=True, eq=False)
class Record:
    """Kept nodes (N + 1 of them) and the N intervals between them; an interval is one step unless `every` > 1.

    Sums and maxima over an interval account for every step in it, so that nothing escapes the audit.
    """

    t: Array  # (N+1,)
    x: Array  # (N+1, size)
    angles: Array  # (N+1, turns)
    taken: Array  # (N+1, reservoirs) what they have taken up since the start
    u: Array  # (N+1, inputs) inputs at the nodes
    t_mid: Array  # (N,) midpoint of the last step of the interval
    h: Array  # (N,) its length
    count: Array  # (N,) number of steps in the interval
    error: Array  # (N,) estimated local errors, summed; zero where the scheme has no estimate
    u_mid: Array  # (N, inputs) inputs of that step
    w_mid: Array  # (N, rows) its algebraic unknowns
    x_before: Array  # (N, size) the state it started from
    heat: Array  # (N, dissipations) exergy destroyed, sum over the interval [J]
    work: Array  # (N, ports) sum over the interval [J]
    carried: Array  # (N, ports) θ0 times the entropy that came in with the work, sum over the interval [J]
    power: Array  # (N, ports) of the last step of the interval [W]
    closure: Array  # (N,) largest |ΔH + heat - work| of a step, or of the balance of energy with entropy [J]
    drift: Array  # (N,) signed sum of the same [J]
    lowest_heat: Array  # (N,) smallest heat of one dissipation in one step [J]
    g: Array  # (N,) largest |g| of any holonomic row, relative to the size of its terms
    turn: Array  # (N,) largest angle turned in a step by a joint [rad]
    iterations: Array  # (N,) Newton iterations, summed
    residual: Array  # (N,) largest scaled residual left
    scale: Array  # (N,) largest value of what the energy scale is made of [J]
    rounding: Array  # (N,) largest rounding of a step's balance, see `results.rounding` [J]
    g_v: Array  # (N, constraints) largest |C v| of each constraint
    g_v_terms: Array  # (N, constraints) largest |C| |v|: the terms that cancel in it
    g_v_rows: Array  # (N, constraints) largest |C|

    @property
    def steps(self) -> int:
        """Number of intervals."""
        return len(self.t_mid)


def nodes_with(t: Array, x: Array, angles: Array, u: Array, columns: dict[str, Array]) -> Record:
    """A record of nodes, from which a motion can be read, and of some columns of all steps between them."""
    known = columns | {"t": t, "x": x, "angles": angles, "u": u}
    return Record(**{name: known.get(name, _NOTHING) for name in Record.__dataclass_fields__})


_NOTHING = np.zeros((0, 0))
SUMS = ("count", "error", "heat", "work", "carried", "drift", "iterations")
HIGHEST = ("closure", "g", "turn", "residual", "scale", "rounding", "g_v", "g_v_terms", "g_v_rows")
LOWEST = ("lowest_heat",)
NODES = ("t", "x", "angles", "taken", "u")


def thin(record: Record, every: int) -> Record:
    """Keep each `every`-th node, and the last; sums and maxima are taken over what lies between."""
    if every == 1 or record.steps == 0:
        return record
    ends = np.unique(np.append(np.arange(every, record.steps + 1, every), record.steps))
    starts = np.concatenate([[0], ends[:-1]])
    values: dict[str, Array] = {}
    for name, column in vars(record).items():
        if name in NODES:
            values[name] = column[np.concatenate([[0], ends])]
        elif name in SUMS:
            values[name] = np.add.reduceat(column, starts, axis=0)
        elif name in HIGHEST:
            values[name] = np.maximum.reduceat(column, starts, axis=0)
        elif name in LOWEST:
            values[name] = np.minimum.reduceat(column, starts, axis=0)
        else:
            values[name] = column[ends - 1]
    return Record(**values)


def joined(*records: Record) -> Record:
    """Records in sequence; each starts where the one before ends."""
    records = tuple(record for record in records if record.steps) or records[:1]
    first, *rest = records
    if not rest:  # arrays are not copied
        return first
    values = {}
    for name, column in vars(first).items():
        more = [getattr(record, name)[1:] if name in NODES else getattr(record, name) for record in rest]
        values[name] = _in_sequence([column, *more])
    return Record(**values)


def _in_sequence(columns: list[Array]) -> Array:
    """Columns one after the other; where they follow each other in one array, they are not copied."""
    first, owner = columns[0], columns[0].base
    if isinstance(owner, np.ndarray) and owner.ndim == first.ndim and owner.flags.c_contiguous and first.nbytes:
        apart, follows = owner.strides[0], first.ctypes.data
        row, rest = divmod(follows - owner.ctypes.data, apart)
        for column in columns:
            same = column.base is owner and column.shape[1:] == owner.shape[1:] and column.flags.c_contiguous
            if not same or (column.ctypes.data != follows and len(column)):
                return np.concatenate(columns)
            follows += column.nbytes
        if rest == 0:
            return owner[row : row + sum(map(len, columns))]
    return np.concatenate(columns)


def part(record: Record, first: int, last: int) -> Record:
    """The intervals first..last-1 with the nodes around them."""
    nodes, steps = slice(first, last + 1), slice(first, last)
    return Record(**{name: column[nodes if name in NODES else steps] for name, column in vars(record).items()})


@final
class Recorder:
    """Collects steps and keeps each `every`-th node, however the steps arrive; what was added up is not kept."""

    def __init__(self, start: Record, every: int) -> None:
        self._kept = [start]
        self._open: Record | None = None  # steps that do not make up a whole interval yet, as one
        self._count = 0  # number of these steps
        self._every = every

    def add(self, fresh: Record) -> None:
        """Append steps that follow on the last ones."""
        if self._every == 1:
            self._kept += [fresh] * bool(fresh.steps)
            return
        if self._open is not None:
            fill = min(self._every - self._count, fresh.steps)
            self._extend(part(fresh, 0, fill))
            fresh = part(fresh, fill, fresh.steps)
        whole = fresh.steps - fresh.steps % self._every
        if whole:
            self._kept.append(thin(part(fresh, 0, whole), self._every))
        if whole < fresh.steps:
            self._extend(part(fresh, whole, fresh.steps))

    def _extend(self, steps: Record) -> None:
        """Add steps, at least one, to the open interval; close it if it is full."""
        if not steps.steps:
            return
        self._count += steps.steps
        one = thin(steps, steps.steps)
        self._open = one if self._open is None else thin(joined(self._open, one), 2)
        if self._count == self._every:
            self._kept.append(self._open)
            self._open, self._count = None, 0

    def take(self) -> Record:
        """What was kept; from then on only the last node of it is."""
        kept = joined(*self._kept)
        self._kept = [part(kept, kept.steps, kept.steps)]
        return kept

    def close(self) -> None:
        """End the open interval where it is."""
        if self._open is not None:
            self._kept.append(self._open)
            self._open, self._count = None, 0

    def record(self) -> Record:
        """All that was kept, and the last node."""
        return joined(*self._kept, *([] if self._open is None else [self._open]))
