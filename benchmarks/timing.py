"""How everything here is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

Call = Callable[[], object]


def seconds(call: Call) -> float:
    """CPU time of this thread: what other processes do to the machine counts less than on the clock on the wall."""
    began = time.thread_time()
    call()
    return time.thread_time() - began


def fastest(calls: Sequence[Call], repeats: int) -> list[float]:
    """The least time of each call [s], taken in turn, so that a busy moment of the machine hits all of them."""
    rounds = [[seconds(call) for call in calls] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]
