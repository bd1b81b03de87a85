"""A progress line for runs that take a while, in a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, final

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE_SECONDS = 1.0


@final
class Progress:
    """Shows nothing until a run has taken more than a second, unless it is asked for.

    span: times where the run starts and ends [s].
    wanted: True always, False never, None where standard error is a terminal.
    """

    def __init__(self, name: str, span: tuple[float, float], wanted: bool | None) -> None:
        self._name = name
        self._span = span
        self._wanted = sys.stderr.isatty() if wanted is None else wanted
        self._leaves_a_line = wanted is True
        self._shows_at = time.perf_counter() + (PATIENCE_SECONDS if wanted is None else 0.0)
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def update(self, t: float) -> None:
        """Report the time reached."""
        if not self._wanted or time.perf_counter() < self._shows_at:
            return
        if self._bar is None:
            self._start()
        assert self._bar is not None
        self._bar.update(self._bar.task_ids[0], completed=t - self._span[0], description=f"{self._name}  t = {t:.4g} s")

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(console=Console(file=sys.stderr), transient=not self._leaves_a_line)
        self._bar.add_task(self._name, total=self._span[1] - self._span[0])
        self._bar.start()

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()
