"""Jumps of inputs: where an input changes all at once, as far as it is known, else found by bisection."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.inputs import BadInput, TimeInputs
from visviva.integrate.integrator import Inputs
from visviva.results.notes import Caution

if TYPE_CHECKING:
    from visviva.results.record import Record

HALVINGS = range(2, 7)  # of an interval: by then a smooth input changes by a small part of what it changes in all
SUDDEN = 0.5  # of the largest change, if it is still within so short an interval: a jump
NARROW = 1e-15  # of the interval that was asked for: a jump is located no closer
STEEP = 4.0  # times the usual slope between two points: worth a look
SMALL = 1e-9  # of the range of an input: changes below are rounding
COARSE = 0.02  # of the range of an input, in half a step: worth a look
LOOKS, FOUND = 100, 3  # so many intervals are looked at in a run, and so many jumps are sought
ON_NODE = 1e-6  # of a step: a jump that is nearer to its end falls on it
NOTHING, ROUNDINGS = 1e-12, 4.0  # of a time span, and of its ends: what is nearer to a break is at it
MANY = 16  # breaks in one pair of steps, from which on it does not end on those that are bends
SAMPLES = 15  # times inside of a pair of steps at which inputs are compared
WALKED = 1000  # breaks that are looked at in a run with steps of one length


def locate_jump(u: Callable[[float], Array], a: float, b: float, k: int) -> tuple[float, float] | None:
    """Times right before and after a jump of the input number k between a and b; None if it has none there.

    The half with the larger change is halved again. What changes smoothly changes ever less; over a jump, or over a
    slope that is far shorter than the interval, the change stays.
    """
    ua, ub = float(u(a)[k]), float(u(b)[k])
    largest, shortest, halvings = abs(ub - ua), NARROW * (b - a), 0
    while b - a > shortest and a < (middle := 0.5 * (a + b)) < b:
        um = float(u(middle)[k])
        first, second = abs(um - ua), abs(ub - um)
        a, ua, b, ub = (a, ua, middle, um) if first >= second else (middle, um, b, ub)
        largest, halvings = max(largest, first, second), halvings + 1
        if halvings in HALVINGS and abs(ub - ua) <= SUDDEN * largest:
            return None
    return a, b


def breaks_between(inputs: Inputs, start: float, end: float, most: int) -> list[float]:
    """Times inside of a time span at which inputs may jump or bend, as far as they are known; at most so many."""
    found, apart = list[float](), rounded(start, end)
    t = start + apart
    while len(found) < most and (t := inputs.next_break(t)) < end - apart:
        found.append(t)
        t += apart
    return found


def rounded(start: float, end: float) -> float:
    """A time that is nothing beside a time span, and more than the rounding of its ends."""
    return NOTHING * (end - start) + ROUNDINGS * float(np.spacing(max(abs(start), abs(end))))


@final
class JumpFinder:
    """The next jump of any input, for steps that are to end on it.

    First come the breaks that are known: where an input is said to jump, where it compares its time with numbers, and
    where a traced one changes its branch. They are exact, however short a pulse is. A table may have very many; then
    only jumps count, not bends. What else jumps is found by samples: inputs are compared at some times of an interval,
    spread by the golden ratio, which repeats no period, and where one of them changes far more steeply than elsewhere
    it is bisected. A pulse between two of these times is not seen.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        golden = (np.arange(1, SAMPLES + 1) * 0.5 * (np.sqrt(5.0) - 1.0)) % 1.0
        self._parts = np.concatenate([[0.0], np.sort(golden), [1.0]])
        self._low = self._high = np.zeros(0)

    def first(self, start: float, end: float) -> float | None:
        """When the first jump in a time span is over; None without any, and where it is right at the start."""
        if not start < end < np.inf:
            return None
        known = breaks_between(self._inputs, start, end, MANY)
        if self._inputs.constant is not None:
            return known[0] if known else None
        try:
            if len(known) == MANY:
                known = [t for t in known if self._jumps_at(t, rounded(start, end))]
            if known:
                return known[0]
            return self._sampled(start, end)
        except BadInput:  # the step that asks for it says so
            return None

    def _jumps_at(self, t: float, apart: float) -> bool:
        before, after = self._inputs(t - apart), self._inputs(t + apart)
        size = np.maximum(np.abs(before), np.abs(after))
        return bool((np.abs(after - before) > SMALL * size).any())

    def _sampled(self, start: float, end: float) -> float | None:
        times = start + (end - start) * self._parts
        values = np.array([self._inputs(t) for t in times.tolist()])
        self._low = np.minimum(values.min(0), self._low if len(self._low) else np.inf)
        self._high = np.maximum(values.max(0), self._high if len(self._high) else -np.inf)
        slopes = np.abs(np.diff(values, axis=0)) / np.diff(times)[:, None]
        changed = np.abs(np.diff(values, axis=0)) > SMALL * (self._high - self._low)
        steep = changed & (slopes > STEEP * np.median(slopes, axis=0))
        for (a, b), ports in zip(pairwise(times.tolist()), steep, strict=True):
            found = [locate_jump(self._inputs, a, b, int(k)) for k in np.flatnonzero(ports)]
            ends = [jump[1] for jump in found if jump is not None and jump[1] - start > ON_NODE * (end - start)]
            if ends:
                return min(ends)
        return None


@final
class JumpWatch:
    """Whether inputs jump inside of steps of one length: at breaks that are known, and from their values in the record.

    quiet: whether functions must not be called for it; then only what they are said to do is looked at.
    """

    def __init__(self, inputs: TimeInputs, *, quiet: bool = False) -> None:
        self._inputs = inputs
        self._quiet = quiet
        self._looks, self._walked = LOOKS, 0
        self._found: dict[str, float] = {}
        self._ports = {k: name for name, at in inputs.columns.items() for k in range(at.start, at.stop)}
        varying = (*inputs.functions, *inputs.laws, *inputs.efforts)
        self._varying = [k for k, name in self._ports.items() if name in varying]
        self._low, self._high = np.full(len(self._ports), np.inf), np.full(len(self._ports), -np.inf)

    def look(self, fresh: Record) -> None:
        """Look at steps that follow on the last ones."""
        if not self._varying or not fresh.steps:
            return
        if self._quiet:
            for name, said in self._inputs.said_breaks.items():
                inside = [t for t in said if fresh.t[0] < t < fresh.t[-1] and not self._on_node(t, fresh)]
                for t in inside[:1]:
                    self._found.setdefault(name, t)
            return
        self._walk(fresh)
        if not self._looks:
            return
        times = np.sort(np.concatenate([fresh.t, fresh.t_mid]))
        values = np.empty((len(times), fresh.u.shape[1]))
        values[::2], values[1::2] = fresh.u, fresh.u_mid
        self._low, self._high = np.minimum(self._low, values.min(0)), np.maximum(self._high, values.max(0))
        change = np.abs(np.diff(values, axis=0)) / np.maximum(self._high - self._low, np.finfo(float).tiny)
        where = [(float(change[i, k]), int(i), k) for k in self._varying for i in np.flatnonzero(change[:, k] > COARSE)]
        for _, i, k in sorted(where, key=lambda each: -each[0]):
            if not self._looks or len(self._found) == FOUND:
                return
            if self._ports[k] in self._found:
                continue
            self._looks -= 1
            try:
                jump = locate_jump(self._inputs, float(times[i]), float(times[i + 1]), k)
            except BadInput:
                continue
            if jump is not None and not self._on_node(jump[1], fresh):
                self._found[self._ports[k]] = jump[1]

    def _on_node(self, t: float, fresh: Record) -> bool:
        i = int(np.clip(np.searchsorted(fresh.t, t), 1, fresh.steps))
        return bool(np.abs(fresh.t[i - 1 : i + 1] - t).min() <= ON_NODE * fresh.h[i - 1])

    def _walk(self, fresh: Record) -> None:
        """Look at the breaks that are known, whether they are jumps."""
        start, end = float(fresh.t[0]), float(fresh.t[-1])
        if self._walked == WALKED or len(self._found) == FOUND:
            return
        breaks = breaks_between(self._inputs, start, end, WALKED - self._walked)
        self._walked += len(breaks)
        for t in breaks:
            if self._on_node(t, fresh):
                continue
            apart = rounded(t, t + float(fresh.h[0]))
            try:
                before, after = self._inputs(t - apart), self._inputs(t + apart)
            except BadInput:
                continue
            size = np.maximum(np.maximum(np.abs(before), np.abs(after)), np.abs(fresh.u).max(0))
            for k in np.flatnonzero(np.abs(after - before) > SMALL * size).tolist():
                if k in self._varying:
                    self._found.setdefault(self._ports[k], t)

    def notes(self) -> list[str]:
        """What a user should know about jumps."""
        return [
            Caution(
                f"the input {name!r} jumps inside of a step, at t = {t:.6g} s, and steps take inputs for smooth: that "
                "is an error of first order in h. Choose h so that steps end on jumps, or use vv.Adaptive(), whose "
                "steps do."
            )
            for name, t in self._found.items()
        ]
