"""Parts of one kind, among many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def of_kind(parts: Iterable[Any], kind: Any) -> list[Any]:
    """Those that are instances of a class, or of one of several, in their order.

    Why:     each type is asked once. Abstract classes take long to answer, and mechanisms have thousands of parts.
    """
    given = list(parts)
    fitting = {own for own in set(map(type, given)) if issubclass(own, kind)}
    return [part for part in given if type(part) in fitting]
