"""The weld."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain
from visviva.library.joints.scalars import MEET, Product, cosine


@final
@dataclass(frozen=True)
class Fixed(AbstractJoint):
    """The child does not move against the parent.

    Of the rotations, its rows admit the identity and the half turns about the three axes, and no others.
    """

    kind: ClassVar[str] = "fixed"
    glyph: ClassVar[str] = "weld"
    chain: ClassVar[Chain] = ()
    rows: ClassVar[tuple[Product, ...]] = (*MEET, cosine(2, 0), cosine(2, 1), cosine(1, 0))
    upright: ClassVar[tuple[Product, ...]] = (cosine(2, 2), cosine(0, 0))
