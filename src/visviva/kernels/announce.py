"""A line on the terminal while something is compiled, for users who would wonder what takes so long."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.7  # [s] a wait below this needs no explanation


@contextmanager
def announce(what: str) -> Iterator[None]:
    """Says on standard error what is compiled, once it takes longer than `PATIENCE`, and how long it took.

    Silent where standard error is no terminal, unless $VISVIVA_PROGRESS is set.
    """
    stream = sys.stderr
    if stream is None or not (os.environ.get("VISVIVA_PROGRESS") or stream.isatty()):
        yield
        return
    begin = time.perf_counter()
    spoken = threading.Event()

    def speak() -> None:
        print(f"visviva: compiling {what}, once per machine ...", end="", file=stream, flush=True)
        spoken.set()

    timer = threading.Timer(PATIENCE, speak)
    timer.daemon = True
    timer.start()
    outcome = "stopped after"
    try:
        yield
        outcome = "done in"
    finally:
        timer.cancel()
        timer.join()  # so that nothing is written to the stream after this
        if spoken.is_set():
            print(f" {outcome} {time.perf_counter() - begin:.0f} s", file=stream, flush=True)
