"""Sampled laws in compiled code: laws are asked at ticks, their values act after a delay, steps are made in between.

Steps, and what is read at a tick, are calls of other kernels by address, see `packed`: one kernel serves all mechanisms
and all schemes with steps of one length.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.calls import call_inputs, call_packed
from visviva.kernels.functions import inner, kernel
from visviva.kernels.multibody.tables import Int

ENDED, FULL, FAILED, UNCLEAR = range(4)  # why there are no more steps: all made; no room; not solved; a law is unclear
PERIOD, DELAY, FIRST_TICK, NEXT = range(4)  # columns of `times`
ASKED, ACTED = range(2)  # columns of `counts`
LAW, ROWS, SIZE = range(3)  # columns of `laws`
STEPS, NODES, PLACES, VELOCITIES = range(4)  # rows of `calls`
KNOWN, FIRST, COUNT, LENGTH, TIME = range(5)  # words of the call that makes steps
ORIGIN, DONE, H, USUAL, NEAR, END = range(6)  # of `clock`


class Ticks(NamedTuple):
    """Clocks of k laws, and their values on the way; those of the n-th tick are in place n mod s."""

    times: Array  # (k, 4) period, delay, first tick, next tick
    counts: Int  # (k, 2) ticks so far, and those whose values act
    late: Array  # (k, w) how late ticks are, from number `base` on; without columns: they are not
    base: Int  # (k,)
    arrival: Array  # (k, s) when values act
    order: Int  # (k, s) which of those that act at one time goes first
    values: Array  # (k, s, width)
    columns: Int  # (k, width) inputs that they are of
    asked: Int  # (1,) ticks of all laws so far


class Laws(NamedTuple):
    """Compiled laws, see `calls`, and what they see."""

    laws: Int  # (k, 3) address, first place in `rows`, number of values
    rows: Int
    numbers: Array
    seen: Array  # numbers that are read
    needs: Int  # (2,) whether places and velocities are read


class Stepped(NamedTuple):
    """What makes steps, where the motion is found after them, and what is read there."""

    calls: Int  # (4, 4) address of a packed call, of its results, its error and its row; 0: there is none
    row: Int  # arguments of the call that makes steps
    reals: Array  # the same words
    words: Int  # (5,) places in it, -1: none
    out: Int  # (2,) steps made, and why there are no more
    found: Int  # (1,) whether velocities were found
    history: Int  # (3,) solutions that start values follow from: most, gained by a step, left where its length changes
    inputs: Array  # (n, parts, inputs) over each step
    u: Array  # (inputs,) those that hold
    lengths: Array  # (n,) of each step
    times: Array  # (n + 1,) of its ends
    A: Array  # (n + 1, ...) the motion at nodes, and
    B: Array  # (n + 1, ...) or (n, ...): without the first, which is
    start: Array
    a: Array  # where it is read
    b: Array
    turns: Int  # places of angles in a, where they are not b
    angles: Array
    direct: Int  # (k, 3) numbers that laws see as they are: place, 0: in A, 1: in B, column


@inner
def _call(calls: Int, which: int) -> bool:
    """Whether a packed call came back without an error."""
    done: bool = call_packed(calls[which, 0], (calls[which, 1], calls[which, 2], calls[which, 3])) == 0
    return done


@inner
def _read(l: Laws, s: Stepped, node: int) -> bool:
    """What laws see at a node; False where velocities are not found."""
    for k in range(s.direct.shape[0]):
        column = s.direct[k, 2]
        l.seen[s.direct[k, 0]] = s.A[node, column] if s.direct[k, 1] == 0 else s.B[node, column]
    if not (l.needs[0] or l.needs[1]):
        return True
    skipped = s.A.shape[0] - s.B.shape[0]
    for j in range(s.a.size):
        s.a[j] = s.A[node, j]
    for j in range(s.b.size):
        s.b[j] = s.B[node - skipped, j] if node >= skipped else s.start[j]
    if s.calls[NODES, 0] != 0 and not _call(s.calls, NODES):
        return False
    for j in range(s.turns.size):
        s.angles[j] = s.a[s.turns[j]]
    if l.needs[0] and not _call(s.calls, PLACES):
        return False
    return not l.needs[1] or (_call(s.calls, VELOCITIES) and s.found[0] != 0)


@inner
def _ask(k: Ticks, l: Laws, law: int, t: float) -> bool:
    """Values of a law; False where one is no number."""
    values = k.values[law, k.counts[law, ASKED] % k.values.shape[1]]
    call_inputs(
        l.laws[law, LAW],
        (
            1, l.rows[l.laws[law, ROWS] :].ctypes.data, l.numbers.ctypes.data, t, l.seen.ctypes.data,
            values.ctypes.data,
        ),
    )  # fmt: skip
    finite = True
    for j in range(l.laws[law, SIZE]):
        finite = finite and math.isfinite(values[j])
    return finite


@inner
def _send(k: Ticks, law: int, t: float) -> None:
    """The values of a tick are on their way; the next tick."""
    place = k.counts[law, ASKED] % k.values.shape[1]
    k.arrival[law, place], k.order[law, place] = t + k.times[law, DELAY], k.asked[0]
    k.asked[0] += 1
    k.counts[law, ASKED] += 1
    n = k.counts[law, ASKED]
    late = k.late[law, n - k.base[law]] if k.late.shape[1] > 0 else 0.0
    k.times[law, NEXT] = k.times[law, FIRST_TICK] + n * k.times[law, PERIOD] + late


@inner
def _first_arrival(k: Ticks) -> tuple[float, int]:
    """When the next values act, and of which law; infinite where none are on the way."""
    first, law, order = math.inf, -1, 0
    for i in range(k.counts.shape[0]):
        if k.counts[i, ACTED] < k.counts[i, ASKED]:
            place = k.counts[i, ACTED] % k.values.shape[1]
            t, number = k.arrival[i, place], k.order[i, place]
            if law < 0 or t < first or (t == first and number < order):
                first, law, order = t, i, number
    return first, law


@inner
def _act(k: Ticks, l: Laws, u: Array, until: float) -> None:
    """Values that have arrived hold from now on."""
    first, law = _first_arrival(k)
    while law >= 0 and first <= until:
        place = k.counts[law, ACTED] % k.values.shape[1]
        for j in range(l.laws[law, SIZE]):
            u[k.columns[law, j]] = k.values[law, place, j]
        k.counts[law, ACTED] += 1
        first, law = _first_arrival(k)


@kernel
def run_ticks(k: Ticks, l: Laws, s: Stepped, clock: Array, most: int, replay: bool, made: Int) -> int:
    """Steps until the time at which a run ends, at most so many in all; why there are no more.

    clock:  time of the origin, steps since then, their length; usual length, what is near, end of the run.
    replay: make no steps, and let laws say what they have said: clocks as they are after some of the steps.
    made:   (1,) steps that were made, in and out.

    Events that are near to each other, or to a node, are one; those between nodes end a step.
    """
    while True:
        t = clock[ORIGIN] + clock[DONE] * clock[H]
        s.times[made[0]] = t
        if t >= clock[END] - clock[NEAR]:
            return ENDED
        if made[0] >= most:
            return FULL
        unread = True
        for law in range(k.counts.shape[0]):
            if k.times[law, NEXT] <= t + clock[NEAR]:
                if not replay:
                    if unread and not _read(l, s, made[0]):
                        return UNCLEAR
                    unread = False
                    if not _ask(k, l, law, t):
                        return UNCLEAR
                _send(k, law, t)
        _act(k, l, s.u, t + clock[NEAR])
        event = min(_first_arrival(k)[0], clock[END])
        for law in range(k.counts.shape[0]):
            event = min(event, k.times[law, NEXT])
        n = int((event - t + clock[NEAR]) / clock[USUAL])
        h = clock[USUAL] if n > 0 else event - t
        n = min(max(1, n), most - made[0])
        if h != clock[H]:
            clock[ORIGIN], clock[DONE], clock[H] = t, 0.0, h
            if s.words[KNOWN] >= 0:
                s.row[s.words[KNOWN]] = min(s.row[s.words[KNOWN]], s.history[2])
        if not replay:
            first = made[0]
            for i in range(first, first + n):
                s.lengths[i] = h
                for part in range(s.inputs.shape[1]):
                    for j in range(s.u.size):
                        s.inputs[i, part, j] = s.u[j]
            s.row[s.words[FIRST]], s.row[s.words[COUNT]], s.reals[s.words[LENGTH]] = first, n, h
            if s.words[TIME] >= 0:
                s.reals[s.words[TIME]] = t
            s.out[0] = 0
            solved = _call(s.calls, STEPS) and s.out[1] == 0
            if s.words[KNOWN] >= 0:
                s.row[s.words[KNOWN]] = min(s.history[0], s.row[s.words[KNOWN]] + s.history[1] * s.out[0])
            n, whole = s.out[0], solved and s.out[0] == n
        else:
            whole = True
        for _ in range(n):
            made[0] += 1
            clock[DONE] += 1.0
            s.times[made[0]] = clock[ORIGIN] + clock[DONE] * clock[H]
        if not whole:
            return FAILED
