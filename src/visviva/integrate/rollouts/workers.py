"""Who makes the runs of a rollout: this thread, several threads, or an executor of the user."""

from __future__ import annotations

import pickle
import queue
import threading
from concurrent.futures import Executor, ThreadPoolExecutor

from visviva.errors import ModelError
from visviva.integrate.rollouts.inputs import HeldTable
from visviva.integrate.rollouts.member import Member, MemberRuns, Rolling
from visviva.model import State

GROUP = 4  # members that may be made at once
PARCELS = 32  # of an executor: chunks of members, so that none waits for long


def members_of(rolling: Rolling, starts: list[State], held: HeldTable, workers: int | Executor) -> list[Member]:
    """All members, in order. Each is made by itself: who makes it does not show."""
    if isinstance(workers, Executor):
        return _by_executor(rolling, starts, held, workers)
    count = min(workers, -(-len(starts) // GROUP))
    if count == 1:
        return made(rolling, starts, held)
    return _by_threads([MemberRuns(rolling) for _ in range(count)], starts, held)


def made(rolling: Rolling, starts: list[State], held: HeldTable) -> list[Member]:
    """Members one after the other."""
    runs = MemberRuns(rolling)
    groups = range(0, len(starts), GROUP)
    return [member for first in groups for member in _group(runs, starts, held, first)]


def _group(runs: MemberRuns, starts: list[State], held: HeldTable, first: int) -> list[Member]:
    own = starts[first : first + GROUP]
    return runs.group(own, [held.rows(first + k) for k in range(len(own))])


def _by_threads(runs: list[MemberRuns], starts: list[State], held: HeldTable) -> list[Member]:
    """Compiled code runs without the lock of Python; every thread takes the next member that is left."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    found: dict[int, list[Member]] = {}
    stopped = threading.Event()
    for first in range(0, len(starts), GROUP):
        waiting.put(first)

    def work(own: MemberRuns) -> None:
        while not stopped.is_set():
            try:
                first = waiting.get_nowait()
            except queue.Empty:
                return
            found[first] = _group(own, starts, held, first)

    found[waiting.get()] = _group(runs[0], starts, held, 0)  # what has to be compiled is compiled once
    with ThreadPoolExecutor(len(runs), "rollout") as pool:
        futures = [pool.submit(work, own) for own in runs]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stopped.set()
            raise
    return [member for first in sorted(found) for member in found[first]]


def _by_executor(rolling: Rolling, starts: list[State], held: HeldTable, executor: Executor) -> list[Member]:
    """In chunks, which processes get as files do: the model, its inputs and states."""
    try:
        pickle.dumps(rolling)
    except Exception as error:
        raise ModelError(
            f"members of a rollout are sent to an executor as files are, and {rolling.model.name!r} with its inputs "
            f"cannot be: {error}.\nFunctions of time must be defined at the top of a module; or give a number of "
            "threads: workers=2."
        ) from error
    size = GROUP * max(1, -(-len(starts) // (PARCELS * GROUP)))
    futures = [
        executor.submit(made, rolling, starts[first : first + size], held.part(slice(first, first + size)))
        for first in range(0, len(starts), size)
    ]
    try:
        return [member for future in futures for member in future.result()]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
