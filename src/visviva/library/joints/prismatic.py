"""The slide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Shift
from visviva.library.joints.scalars import Product, Scalar, along, cosine


@final
@dataclass(frozen=True)
class Prismatic(AbstractJoint):
    """The child moves by q [m] along the common z axis and does not turn.

    X_PC(q) = exp(S q),   S = (0; e_z)
    """

    kind: ClassVar[str] = "prismatic"
    glyph: ClassVar[str] = "slide"
    chain: ClassVar[Chain] = (Shift(2),)
    rows: ClassVar[tuple[Product, ...]] = (along(0), along(1), cosine(2, 0), cosine(2, 1), cosine(1, 0))
    coordinates: ClassVar[tuple[Scalar, ...]] = (along(2),)
    names: ClassVar[tuple[str, ...]] = ("displacement",)
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2), cosine(0, 0))
