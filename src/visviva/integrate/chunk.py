"""Chunk: what a number of steps leaves, column by column."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Self, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.integrate.integrator import Step
from visviva.model import State
from visviva.results.tallies import Tallies, joined_tallies

HISTORY = 4  # rates of so many steps are kept: start values continue them as a cubic at most


@final
@dataclass(frozen=True, eq=False)
class Pace:
    """The clock of n steps of various lengths.

    t: (n + 1,) times of the nodes.   h: (n,) lengths of the steps.   proposed: (n,) length to go on with after each.
    error: (n,) estimated local error of each, see `visviva.integrate.local_error`.
    """

    t: Array
    h: Array
    proposed: Array
    error: Array

    def first(self, n: int) -> Pace:
        """That of the first n steps."""
        return Pace(self.t[: n + 1], self.h[:n], self.proposed[:n], self.error[:n])


@final
@dataclass(frozen=True, eq=False)
class Chunk:
    """n accepted steps; `failure` says why there are no more of them, if there should be.

    Columns are those of `Step`; x has the state before the first step as well. active: rows solved at each step.
    parts: into how many smaller ones each step had to be divided.   pivots: see `State`.
    pace:  the clock of the steps, where they are not all of the length that the state before them says.
    """

    x: Array  # (n + 1, size)
    w: Array
    gam: Array
    rate: Array
    heat: Array
    work: Array
    taken: Array
    u: Array
    active: Mask
    iterations: Array
    residual: Array
    parts: Array
    failure: BaseException | None = None
    pivots: Array = field(default_factory=lambda: np.zeros(0))
    tallies: Tallies | None = None
    pace: Pace | None = None

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.x) - 1

    def first(self, n: int, failure: BaseException | None) -> Self:
        """The first n steps, and why there are no more."""
        columns = {
            part.name: getattr(self, part.name)[: n + 1 if part.name == "x" else n]
            for part in dataclasses.fields(self)
            if part.name not in ("failure", "pivots", "tallies", "pace")
        }
        tallies = None if self.tallies is None else self.tallies.first(n)
        pace = None if self.pace is None else self.pace.first(n)
        return dataclasses.replace(self, **columns, failure=failure, tallies=tallies, pace=pace)

    def state(self, before: State, k: int, taken: Array, angles: Array) -> State:
        """The state after k steps; taken, angles: what belongs to it."""
        if k == 0:
            return before
        rates = [*self.rate[max(0, k - HISTORY) : k][::-1], *before.rate]
        t0, steps, h = before.t0, before.steps + k, before.h
        if self.pace is not None:
            t0, steps, h = float(self.pace.t[k]), 0, float(self.pace.proposed[k - 1])
            rates = rates[: self._of_one_length(k, before)]
        return dataclasses.replace(
            before,
            x=self.x[k],
            w=self.w[k - 1],
            gam=self.gam[k - 1],
            rate=tuple(rates[:HISTORY]),
            active=self.active[k - 1],
            taken=taken,
            angles=angles,
            pivots=self.pivots,
            t0=t0,
            steps=steps,
            h=h,
        )

    def _of_one_length(self, k: int, before: State) -> int:
        """How many of the last steps have the length that the next one is to have, but at least one.

        Those before the first one that are known have the length `before.h`, unless it is one alone.
        """
        assert self.pace is not None
        lengths = [*self.pace.h[:k][::-1], *([before.h] * len(before.rate) if len(before.rate) > 1 else [])]
        same = [h == self.pace.proposed[k - 1] for h in lengths]
        return max(1, len(same) if all(same) else same.index(False))


def stack(
    before: State,
    steps: list[Step],
    u: list[Array],
    active: list[Mask],
    parts: list[int],
    failure: BaseException | None,
    pivots: Array,
) -> Chunk:
    """Single steps as one chunk."""

    def column(name: str) -> Array:
        rows = [getattr(step, name) for step in steps]
        return np.array(rows) if rows else np.zeros((0, 0))

    names = ("w", "gam", "rate", "heat", "work", "taken", "iterations", "residual")
    columns: dict[str, Any] = {name: column(name) for name in names}
    return Chunk(
        x=np.array([before.x, *(step.x for step in steps)]),
        u=np.array(u) if u else np.zeros((0, 0)),
        active=np.array(active) if active else np.zeros((0, len(before.active)), dtype=bool),
        parts=np.array(parts),
        failure=failure,
        pivots=pivots,
        **columns,
    )


def joined(chunks: list[Chunk], failure: BaseException | None) -> Chunk:
    """Chunks in sequence, at least one, each starting where the one before ends; and why there are no more steps."""
    chunks = [chunk for chunk in chunks if chunk.steps] or chunks[:1]
    first, last, columns = chunks[0], chunks[-1], dict[str, Any]()
    for part in dataclasses.fields(Chunk):
        if part.name in ("w", "gam", "rate", "heat", "work", "taken", "u", "active", "iterations", "residual", "parts"):
            columns[part.name] = np.concatenate([getattr(chunk, part.name) for chunk in chunks])
    tallies = [chunk.tallies for chunk in chunks if chunk.tallies is not None]
    paces = [chunk.pace for chunk in chunks if chunk.pace is not None]
    return dataclasses.replace(
        last,
        x=np.concatenate([first.x, *(chunk.x[1:] for chunk in chunks[1:])]),
        failure=failure,
        tallies=joined_tallies(tallies) if tallies else None,
        pace=_joined_paces(paces) if paces else None,
        **columns,
    )


def _joined_paces(paces: list[Pace]) -> Pace:
    t = np.concatenate([paces[0].t, *(pace.t[1:] for pace in paces[1:])])
    return Pace(t, *(np.concatenate([getattr(pace, name) for pace in paces]) for name in ("h", "proposed", "error")))
