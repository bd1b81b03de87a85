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

from visviva.geometry.screws.principal import Principal


@final
@dataclass(frozen=True)
class Type:
    """rank, "IA" and the like (empty for ranks 0, 1 and 6), and the name in words."""

    rank: int
    label: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.label})" if self.label else self.name


def classify(form: Principal, reciprocal: Principal, tolerance: float) -> Type:
    """The type of a system of any rank; the tolerance is that of pitches, in units of length."""
    rank = len(form.screws)
    if rank > 3 and rank < 6:
        other = classify(reciprocal, form, tolerance)
        what = other.name.removeprefix("1-system: ")
        return Type(rank, other.label, f"{rank}-system reciprocal to {_with_article(what)}")
    if rank < 2 or rank == 6:
        return Type(rank, "", _trivial(form, rank, tolerance))
    pitches, translations = form.finite_pitches, len(form.translations)
    one = len(form.any_pitch) == 0 and (len(pitches) < 2 or np.ptp(pitches) <= _scaled(tolerance, pitches.max()))
    label = ("II" if one else "I") + "ABCD"[translations]
    lines = one and (len(pitches) == 0 or abs(pitches[0]) <= tolerance)
    names = {**_NAMES, **_LINES} if lines else _NAMES
    return Type(rank, label, names[rank, label + _detail(form, tolerance)])


def _detail(form: Principal, tolerance: float) -> str:
    """What tells systems of one label apart: translation along an axis, two equal pitches."""
    if len(form.any_pitch) and len(form.finite_pitches) == 0:
        return "0" if form.cosines[0] >= 1 - tolerance else ""
    pitches = form.finite_pitches
    if len(pitches) == 3 and np.ptp(pitches) > _scaled(tolerance, np.abs(pitches).max()):
        gap = np.abs(np.diff(pitches)).min()
        return "2" if gap <= _scaled(tolerance, np.abs(pitches).max()) else "1"
    if len(pitches) == 1 and len(form.any_pitch):
        return "3"
    return ""


def _trivial(form: Principal, rank: int, tolerance: float) -> str:
    if rank == 0:
        return "0-system: no screw but zero"
    if rank == 6:
        return "6-system: all screws"
    if len(form.translations):
        return "1-system: a free vector"
    pitch = float(form.finite_pitches[0])
    return "1-system: a line" if abs(pitch) <= tolerance else f"1-system: a screw of pitch {pitch:.6g} m/rad"


def _scaled(tolerance: float, pitch: float) -> float:
    return float(tolerance * max(1.0, abs(pitch)))


def _with_article(name: str) -> str:
    return name if name.startswith("a ") else f"a {name}"


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
