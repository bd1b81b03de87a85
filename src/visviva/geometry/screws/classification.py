"""Types of screw systems.

The rule: with the normal form of `principal`, a system of rank 2 or 3 is of

    type II   if all its screws that are no translations have one pitch, type I otherwise,
    A B C D   if it has 0, 1, 2 or 3 independent translations.

Where the principal pitches of a type differ in a way that matters, the name says so. Systems of rank 4 and 5 have the
type of their reciprocal system. Source: Gibson and Hunt (1990), Hunt, Kinematic Geometry of Mechanisms (1978), ch. 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.geometry.screws.principal import Principal
from visviva.numerics.rank import TOLERANCE


@final
@dataclass(frozen=True)
class Type:
    """rank, "IA" and the like (empty for ranks 0, 1 and 6), and the name in words."""

    rank: int
    label: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.label})" if self.label else self.name


def classify(form: Principal, reciprocal: Principal, length: float) -> Type:
    """The type of a system of any rank, given its reciprocal one and the unit of length."""
    rank = len(form.screws)
    if rank in (4, 5):
        other = classify(reciprocal, form, length)
        return Type(rank, other.label, f"{rank}-system reciprocal to {_with_article(other.name)}")
    if rank not in (2, 3):
        return Type(rank, "", _trivial(form, rank, length))
    pitches = form.finite_pitches
    one = len(form.any_pitch) == 0 and bool(_equal(pitches, length).all())
    label = ("II" if one else "I") + "ABCD"[len(form.translations)]
    lines = one and len(pitches) > 0 and _vanishes(pitches[0], length)
    return Type(rank, label, (_LINES if lines else _NAMES)[rank, label + _detail(form, one, length)])


def _detail(form: Principal, one: bool, length: float) -> str:
    """What tells systems of one label apart: how many pitches are principal, whether two are equal, an angle."""
    pitches = form.finite_pitches
    if len(form.any_pitch):
        if len(pitches):
            return "3"
        return "0" if form.angles[0] <= TOLERANCE else ""
    if len(pitches) == 3 and not one:
        return "2" if _equal(pitches, length).any() else "1"
    return ""


def _trivial(form: Principal, rank: int, length: float) -> str:
    if rank == 0:
        return "0-system: no screw but zero"
    if rank == 6:
        return "6-system: all screws"
    if len(form.translations):
        return "1-system: a free vector"
    pitch = float(form.finite_pitches[0])
    return "1-system: a line" if _vanishes(pitch, length) else f"1-system: a screw of pitch {pitch:.6g} m/rad"


def _equal(pitches: Array, length: float) -> Mask:
    """Of pitches in order: which neighbours are the same."""
    return np.asarray(-np.diff(pitches) <= TOLERANCE * max(length, np.abs(pitches).max(initial=0.0)))


def _vanishes(pitch: float, length: float) -> bool:
    return abs(pitch) <= TOLERANCE * length


def _with_article(name: str) -> str:
    return name.removeprefix("1-system: ") if name.startswith("1") else f"a {name}"


_NAMES = {
    (2, "IA"): "general 2-system, axes on a cylindroid",
    (2, "IB0"): "2-system of screws of all pitches on one axis",
    (2, "IB"): "2-system of parallel axes in a plane, the pitch changing across it",
    (2, "IIA"): "2-system of screws of one pitch in a plane through a point",
    (2, "IIB"): "2-system of parallel screws of one pitch in a plane",
    (2, "IIC"): "2-system of the free vectors of a plane",
    (3, "IA1"): "general 3-system",
    (3, "IA2"): "3-system with two equal principal pitches",
    (3, "IB"): "3-system of two principal screws and the translation normal to both",
    (3, "IB3"): "3-system of one principal screw and one of any pitch normal to it",
    (3, "IC0"): "3-system of parallel screws of all pitches in a plane",
    (3, "IC"): "3-system of all parallel axes, the pitch changing across them",
    (3, "IIA"): "3-system of all screws of one pitch through a point",
    (3, "IIB"): "3-system of all screws of one pitch in a plane",
    (3, "IIC"): "3-system of all parallel screws of one pitch",
    (3, "IID"): "3-system of all free vectors",
}
_LINES = {
    (2, "IIA"): "2-system of lines in a plane through a point, a planar pencil",
    (2, "IIB"): "2-system of parallel lines in a plane, a planar pencil",
    (3, "IIA"): "3-system of all lines through a point",
    (3, "IIB"): "3-system of all lines of a plane",
    (3, "IIC"): "3-system of all parallel lines",
}
