"""No joint at all: it says where a body belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import Product


@final
@dataclass(frozen=True)
class Free(AbstractJoint):
    """The child moves freely; q is a screw displacement, a chart only.

    X_PC(q) = exp(q),   S(q) = dexp(q)
    """

    kind: ClassVar[str] = "free"
    nv: ClassVar[int] = 6
    rows: ClassVar[tuple[Product, ...]] = ()

    def S(self, q: Array) -> Array:  # noqa: D102
        return SE3.dexp(q)

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3.exp(q)
