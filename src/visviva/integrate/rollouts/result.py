"""Rollouts: what many runs leave, stacked by member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import ModelError
from visviva.integrate.rollouts.inputs import HeldTable
from visviva.integrate.rollouts.member import FIGURES, Member, MemberRuns, Rolling
from visviva.model import State
from visviva.results import Run
from visviva.results.audit_warnings import DRIFT_WARNING


@final
@dataclass(frozen=True, eq=False)
class RolloutAudit:
    """Figures of the audit of each member, (B,); not a number where one was not measured: see `unmeasured`.

    first_law:  largest |ΔH + heat - work| of one step, relative to the energy that moves.   drift: of all steps in sum.
    second_law: smallest entropy production of a component in one step [J/K].   g: largest violation of a constraint.
    closed:     whether the balance of energy of every step is closed to rounding.
    exact:      whether the scheme claims that it is; others keep it as far as they are accurate.
    unmeasured: figures that are nan, and why.
    """

    first_law: Array
    drift: Array
    second_law: Array
    g: Array
    closed: Mask
    exact: bool
    unmeasured: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        closed = f"{int(self.closed.sum())} of {len(self.closed)} closed to rounding"
        lines = [f"first law   {_largest(self.first_law)} in a step; {closed}"]
        lines += [] if self.exact else ["            the scheme does not claim it: an error of the motion"]
        lines += [f"constraints {_largest(self.g)}"]
        lines += [f"{name} was not measured: {why}" for name, why in self.unmeasured.items()]
        return "\n".join(lines)


def _largest(values: Array) -> str:
    known = values[np.isfinite(values)]
    return f"{known.max():.1e} at most" if len(known) else "not measured"


@final
class Rollouts:
    """Many runs: `many["tool.r"]` has the shape (B, nodes, 3), and is not a number behind the failure of a member.

    t:      times of the nodes [s], (nodes,), or (B, nodes) where members start at different times.
    status: of each member: "ok"; "not closed: …", where steps miss energy although the scheme claims that they do not,
            or so much that the motion is inaccurate; "failed at t = …".   ok: (B,) whether it is the first.
    steps:  (B,) steps that were made.   initial, final: states at both ends.
    audit:  figures of each member, see `RolloutAudit`.   run(i): one of them as a whole `Run`.
    """

    def __init__(
        self, rollings: list[Rolling], initial: list[State], held: HeldTable, members: Sequence[Member]
    ) -> None:
        self._rollings, self._held, rolling = rollings, held, rollings[0]
        self.initial = initial
        self.final = [member.final for member in members]
        self.steps = np.array([member.done for member in members])
        self.audit = _audit(rolling, members)
        self.status = tuple(_status(rolling, member) for member in members)
        self.ok: Mask = np.array([status == "ok" for status in self.status])
        kept = np.minimum(rolling.every * np.arange(-(-rolling.steps // rolling.every) + 1), rolling.steps)
        t = np.array([_times(state, rolling.h, kept) for state in initial])
        self.t = t[0] if (t == t[0]).all() else t
        self._values = {name: _stacked(name, members, kept) for name in rolling.names}

    @property
    def names(self) -> tuple[str, ...]:
        """Of the quantities that were recorded."""
        return tuple(self._values)

    def __getitem__(self, name: str) -> Array:
        """A quantity of all members, (B, nodes, ...); those that live at the middles of steps have one node less."""
        if name not in self._values:
            kept = ", ".join(self.names) or "nothing"
            raise ModelError(
                f"{name!r} was not recorded: record= of the rollout of {self._rollings[0].model.name!r} kept {kept}.\n"
                "Add it there, or ask one member: many.run(i)."
            )
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __len__(self) -> int:
        return len(self.final)

    def run(self, i: int) -> Run:
        """A member as a Run, with everything that can be asked of one; its steps are made once more."""
        if not -len(self) <= i < len(self):
            raise ModelError(f"the rollout has {len(self)} members, numbered from 0; got {i}.")
        i = range(len(self))[i]
        rolling = self._rollings[i if len(self._rollings) > 1 else 0]
        return MemberRuns(rolling).run(self.initial[i], self._held.rows(i))

    def __repr__(self) -> str:
        r, bad = self._rollings[0], np.flatnonzero(~self.ok)
        first = f"; {len(bad)} not ok, the first is {bad[0]}: {self.status[bad[0]]}" if len(bad) else ""
        span = f"{r.steps} steps of h = {r.h:g} s"
        return f"<{len(self)} rollouts of {r.model.name!r} with {type(r.scheme).__name__}, {span}{first}>"


def _times(start: State, h: float, kept: Array) -> Array:
    """Times of the nodes, as a run counts them."""
    t0, steps = (start.t0, start.steps) if start.steps > 0 and start.h == h else (start.t, 0)
    return np.asarray(t0 + (steps + kept) * h)


def _stacked(name: str, members: Sequence[Member], kept: Array) -> Array:
    """(B, nodes, ...), not a number where a member did not come."""
    found = next((member.values[name] for member in members if name in member.values and member.done), np.zeros(1))
    reached = [_reached(member, kept) for member in members]
    lengths = [len(member.values[name]) if name in member.values else 0 for member in members]
    middles = any(0 < length < nodes for length, nodes in zip(lengths, reached, strict=True))
    stack = np.full((len(members), len(kept) - middles, *found.shape[1:]), np.nan)
    for i, member in enumerate(members):
        if name in member.values:
            stack[i, : reached[i] - middles] = member.values[name][: reached[i] - middles]
    return stack


def _reached(member: Member, kept: Array) -> int:
    """How many of the nodes that are kept a member has."""
    return int((kept <= member.done).sum())


def _status(rolling: Rolling, member: Member) -> str:
    if member.error:
        return f"failed at t = {member.final.t:g} s: {member.error}"
    law, drift = member.figures["first_law"], member.figures["drift"]
    if "energy" in rolling.scheme.preserves and not member.closed:
        return f"not closed: a step misses {law:.1e} of the energy that moves"
    if drift is not None and not drift <= DRIFT_WARNING:  # also where it is not a number
        return f"not closed: the steps miss {drift:.1e} of the energy that moves, so large is the error of the motion"
    return "ok"


def _audit(rolling: Rolling, members: Sequence[Member]) -> RolloutAudit:
    columns = {
        name: np.array([np.nan if (value := member.figures[name]) is None else value for member in members])
        for name in FIGURES
    }
    closed = np.array([member.closed for member in members])
    unmeasured = next((member.unmeasured for member in members if member.done), {})
    return RolloutAudit(**columns, closed=closed, exact="energy" in rolling.scheme.preserves, unmeasured=unmeasured)
