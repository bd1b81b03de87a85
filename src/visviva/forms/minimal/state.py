"""A state in minimal velocities."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array


class Coordinates(NamedTuple):
    """Coordinates q, velocities ξ and other states s."""

    q: Array
    xi: Array
    s: Array
