"""Chunk: what a number of steps leaves, column by column."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Self, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.integrate.integrator import Step
from visviva.model import State
from visviva.results.tallies import Tallies

HISTORY = 4  # rates of so many steps are kept: start values continue them as a cubic at most


@final
@dataclass(frozen=True, eq=False)
class Chunk:
    """n accepted steps; `failure` says why there are no more of them, if there should be.

    Columns are those of `Step`; x has the state before the first step as well. active: rows solved at each step.
    parts: into how many smaller ones each step had to be divided.   pivots: see `State`.
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

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.x) - 1

    def first(self, n: int, failure: BaseException | None) -> Self:
        """The first n steps, and why there are no more."""
        columns = {
            part.name: getattr(self, part.name)[: n + 1 if part.name == "x" else n]
            for part in dataclasses.fields(self)
            if part.name not in ("failure", "pivots", "tallies")
        }
        tallies = None if self.tallies is None else self.tallies.first(n)
        return dataclasses.replace(self, **columns, failure=failure, tallies=tallies)

    def state(self, before: State, k: int, taken: Array, angles: Array) -> State:
        """The state after k steps; taken, angles: what belongs to it."""
        if k == 0:
            return before
        rates = [*self.rate[max(0, k - HISTORY) : k][::-1], *before.rate]
        return dataclasses.replace(
            before,
            x=self.x[k],
            w=self.w[k - 1],
            gam=self.gam[k - 1],
            rate=tuple(rates[:HISTORY]),
            active=self.active[k - 1],
            taken=taken,
            angles=angles,
            steps=before.steps + k,
            pivots=self.pivots,
        )


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
