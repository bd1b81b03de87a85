"""Ctrl-C between steps: what was computed stays whole."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self, final


@final
class Interrupts:
    """While it is open, a first Ctrl-C is noted, to be asked for between chunks; a second one interrupts at once."""

    def __init__(self) -> None:
        self._asked = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

    def asked(self) -> KeyboardInterrupt | None:
        """The interruption, if there was one."""
        return KeyboardInterrupt() if self._asked else None

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
