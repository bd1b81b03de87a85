"""Mechanisms are built once per process, and each test gets one of its own to add to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import visviva as vv


def once(build: Callable[[], vv.Mechanism]) -> Callable[[], vv.Mechanism]:
    """It is built at the first call, and all calls give snapshots of it, which share its parts."""
    built = cache(build)
    return lambda: built().snapshot()
