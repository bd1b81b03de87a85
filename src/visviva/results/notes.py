"""Notes of a run: what a user should know about it. A caution is one that should not be missed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

DRIVE_JUMPS = "the rate of drive"  # what begins so explains rates and energies that are off
TOO_LONG = "steps are too long"  # how a caution begins that was found by steps of other lengths


@final
class Caution(str):
    """A note on something that may make a run another than it was meant to be; `simulate` warns of it as well."""

    __slots__ = ()


def cautions(notes: Iterable[str]) -> list[str]:
    """The notes that are warned of."""
    return [str(note) for note in notes if isinstance(note, Caution)]


def first_of(warnings: tuple[str, ...]) -> str:
    """Warnings in the `repr` of a run: how many, and the first; empty without any."""
    if not warnings:
        return ""
    count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings, the first"
    return f"; {count}: {warnings[0]}"
