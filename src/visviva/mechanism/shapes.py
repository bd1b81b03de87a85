"""Shapes: what a body looks like, where that is known. They have no mass, and only pictures read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from visviva._arrays import Array, freeze
from visviva.mechanism.world_fields import AXES, POINT


@final
@dataclass(frozen=True, eq=False)
class Shape:
    """A solid that moves with its body.

    kind: "box", "cylinder" (along z), "sphere" or "mesh".   half: half its extents [m], zero for a mesh.
    R_WS, r_WS: its axes and centre in the world as built.   mesh: a path, as text.   colour: (r, g, b) from 0 to 1.
    """

    kind: str
    half: Array  # (3,)
    R_WS: Array = field(metadata=AXES)  # (3, 3)
    r_WS: Array = field(metadata=POINT)  # (3,)
    mesh: str | None = None
    colour: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        freeze(self, "half", "R_WS", "r_WS")
