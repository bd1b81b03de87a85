"""Fields of parts that say where something is in the world as built, marked so that one function moves any part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from typing import Any, Literal, get_args

Place = Literal["axes", "point", "vector", "pose"]

# A rigid motion x ↦ R x + r of the world takes axes to R·axes, a point to R·point + r, a vector to R·vector, and a
# pose, (axes, origin), to both; None stays None.
AXES: Mapping[str, Place] = {"place": "axes"}
POINT: Mapping[str, Place] = {"place": "point"}
VECTOR: Mapping[str, Place] = {"place": "vector"}
POSE: Mapping[str, Place] = {"place": "pose"}


def place_of(field: Field[Any]) -> Place | None:
    """How a rigid motion of the world changes a field; None: not at all."""
    found: Place | None = field.metadata.get("place")
    assert found is None or found in get_args(Place)
    return found
