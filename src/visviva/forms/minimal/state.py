"""A state in minimal velocities, and where a run starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from visviva._arrays import Array
from visviva.mechanism import Motion
from visviva.mechanism.assembly import Moving

STATES = (Motion, Moving, Mapping, np.ndarray)  # what has no coordinates q of its own


class Coordinates(NamedTuple):
    """Coordinates q, velocities ξ and other states s."""

    q: Array
    xi: Array
    s: Array


class Started(Protocol):
    """A form of a mechanism that knows how it is assembled, and reads states of models and runs."""

    @property
    def initial(self) -> Coordinates: ...  # noqa: D102

    def coordinates(self, state: Any) -> Coordinates: ...  # noqa: D102


def start_of(form: Started, initial: Any) -> Any:
    """As assembled, what `coordinates` reads, or what was given, with s as assembled where it was left out."""
    if initial is None:
        return form.initial
    if isinstance(initial, STATES):
        return form.coordinates(initial)
    if isinstance(initial, Sequence) and len(initial) == 2:
        return (*initial, form.initial.s)
    return initial
