"""Lists of names, as users give them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visviva.errors import ModelError


def listed(names: Any, what: str) -> tuple[str, ...]:
    """The names of an iterable, each of them once; what: how errors call it, and the argument that it is."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModelError(f"{what} are a list of names, e.g. {what}=[{names!r}].")
    found = tuple(str(name) for name in names)
    twice = [name for name in dict.fromkeys(found) if found.count(name) > 1]
    if twice:
        raise ModelError(f"{what} name {', '.join(map(repr, twice))} twice.")
    return found
