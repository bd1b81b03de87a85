"""No joint: the child moves as it likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import Chain, Flight
from visviva.library.joints.scalars import Product


@final
@dataclass(frozen=True)
class Free(AbstractJoint):
    """The child moves freely; q is a screw displacement, a chart only.

    X_PC(q) = exp(q),   S(q) = dexp(q)
    """

    kind: ClassVar[str] = "free"
    glyph: ClassVar[str] = "nothing"
    chain: ClassVar[Chain] = (Flight(),)
    rows: ClassVar[tuple[Product, ...]] = ()
