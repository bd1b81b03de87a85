"""Who makes the runs of a rollout: this thread, several threads, or an executor of the user."""

from __future__ import annotations

import pickle
import queue
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import final

from visviva.errors import ModelError
from visviva.integrate.rollouts.inputs import HeldTable
from visviva.integrate.rollouts.member import Member, MemberRuns, Rolling
from visviva.model import State
from visviva.model.control_law import laws_in

GROUP = 4  # members that may be made at once
PARCELS = 32  # of an executor: chunks of members, so that none waits for long


def members_of(rollings: list[Rolling], starts: list[State], held: HeldTable, workers: int | Executor) -> list[Member]:
    """All members, in order. Each is made by itself: who makes it does not show.

    rollings: one for all members, or one for each.
    """
    if isinstance(workers, Executor):
        return _by_executor(rollings, starts, held, workers)
    if any(laws_in(rolling.model) for rolling in rollings):
        workers = 1  # a control law works in memory of its own
    count = min(workers, -(-len(starts) // GROUP))
    return made(rollings, starts, held) if count == 1 else _by_threads(rollings, starts, held, count)


def made(rollings: list[Rolling], starts: list[State], held: HeldTable) -> list[Member]:
    """Members one after the other."""
    hand = _Hand(rollings, starts, held)
    return [member for first in range(0, len(starts), GROUP) for member in hand.group(first)]


@final
class _Hand:
    """Makes groups of members; equations that all of them share are prepared once."""

    def __init__(self, rollings: list[Rolling], starts: list[State], held: HeldTable) -> None:
        self._rollings, self._starts, self._held = rollings, starts, held
        self._shared = MemberRuns(rollings[0]) if len(rollings) == 1 else None

    def group(self, first: int) -> list[Member]:
        """Some members from a number on."""
        own = range(first, min(first + GROUP, len(self._starts)))
        if self._shared is None:
            return [MemberRuns(self._rollings[i])(self._starts[i], self._held.rows(i)) for i in own]
        return self._shared.group([self._starts[i] for i in own], [self._held.rows(i) for i in own])


def _by_threads(rollings: list[Rolling], starts: list[State], held: HeldTable, count: int) -> list[Member]:
    """Compiled code runs without the lock of Python; every thread takes the next members that are left."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    found: dict[int, list[Member]] = {}
    stopped = threading.Event()
    for first in range(0, len(starts), GROUP):
        waiting.put(first)

    def work(hand: _Hand) -> None:
        while not stopped.is_set():
            try:
                first = waiting.get_nowait()
            except queue.Empty:
                return
            found[first] = hand.group(first)

    hands = [_Hand(rollings, starts, held) for _ in range(count)]
    found[waiting.get()] = hands[0].group(0)  # what has to be compiled is compiled once
    with ThreadPoolExecutor(count, "rollout") as pool:
        futures = [pool.submit(work, hand) for hand in hands]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stopped.set()
            raise
    return [member for first in sorted(found) for member in found[first]]


def _by_executor(rollings: list[Rolling], starts: list[State], held: HeldTable, executor: Executor) -> list[Member]:
    """In chunks, which processes get as files do: the model, its inputs and states."""
    try:
        pickle.dumps(rollings[0])
    except Exception as error:
        raise ModelError(
            f"members of a rollout are sent to an executor as files are, and {rollings[0].model.name!r} with its "
            f"inputs cannot be: {error}.\nFunctions of time must be defined at the top of a module; or give a number "
            "of threads: workers=2."
        ) from error
    size = GROUP * max(1, -(-len(starts) // (PARCELS * GROUP)))
    parts = [slice(first, first + size) for first in range(0, len(starts), size)]
    futures = [
        executor.submit(made, rollings if len(rollings) == 1 else rollings[own], starts[own], held.part(own))
        for own in parts
    ]
    try:
        return [member for future in futures for member in future.result()]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
