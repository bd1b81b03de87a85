"""A line on the terminal while something is compiled, for users who would wonder what takes so long."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.7  # [s] a wait below this needs no explanation
PACE = 1.0  # [s] between two looks at how far it is
_compiled: list[str] = []  # functions that this process has compiled


def count(function: str) -> None:
    """Note that a function has been compiled."""
    _compiled.append(function)


@contextmanager
def announce(what: str) -> Iterator[None]:
    """Says on standard error what is compiled, once that takes longer than `PATIENCE`, how far it is, and the time.

    Silent where standard error is no terminal, unless $VISVIVA_PROGRESS is set; then without how far it is.
    """
    stream = sys.stderr
    if stream is None or not (os.environ.get("VISVIVA_PROGRESS") or stream.isatty()):
        yield
        return
    begin, before, over = time.perf_counter(), len(_compiled), threading.Event()
    line, spoken = f"visviva: compiling {what}, once per machine ...", threading.Event()

    def progress() -> str:
        made = len(_compiled) - before
        return f" {made} function{'s' * (made != 1)}," if made else ""

    def speak() -> None:
        if over.wait(PATIENCE):
            return
        print(line, end="", file=stream, flush=True)
        spoken.set()
        while stream.isatty() and not over.wait(PACE):
            print(f"\r{line}{progress()} {time.perf_counter() - begin:.0f} s", end="", file=stream, flush=True)

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    outcome = "stopped after"
    try:
        yield
        outcome = "done in"
    finally:
        over.set()
        speaker.join()  # so that nothing is written to the stream after this
        if spoken.is_set():
            start = f"\r{line}" if stream.isatty() else ""
            print(f"{start}{progress()} {outcome} {time.perf_counter() - begin:.0f} s", file=stream, flush=True)
