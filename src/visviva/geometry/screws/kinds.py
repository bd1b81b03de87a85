"""The sets of se(3) that have a meaning of their own.

    R = {ω·v = 0}   line vectors: turns about lines, and translations, which are lines at infinity
    𝔞 = {ω = 0}     free vectors: translations, or couples; a sub-space of R
    L = R without 𝔞 bound line vectors: turns about lines, or forces along them; no sub-space

Source: Stramigioli, Maschke and Bidard, definitions 2 to 4 and section 2.5.3.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask
from visviva.geometry.linear import dot
from visviva.geometry.screws.products import parts, perpendicular, reciprocal

TOLERANCE = 1e-9  # relative to ω² + v², one metre being the unit of length


class Kind(StrEnum):
    """What a screw vector is."""

    ZERO = "zero"
    FREE = "free vector"
    LINE = "bound line vector"
    SCREW = "screw"


def is_line_vector(s: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """Whether s is in R: reciprocal to itself."""
    return np.asarray(np.abs(reciprocal(s, s)) <= 2 * tolerance * _square(s))


def is_free(s: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """Whether s is in 𝔞: its Killing form is zero."""
    return np.asarray(perpendicular(s, s) <= tolerance**2 * _square(s))


def is_bound_line(s: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """Whether s is in L: reciprocal to itself, and no translation."""
    return np.asarray(is_line_vector(s, tolerance) & ~is_free(s, tolerance))


def kind(s: ArrayLike, tolerance: float = TOLERANCE) -> Kind:
    """Of one screw vector."""
    if _square(s) == 0:
        return Kind.ZERO
    if is_free(s, tolerance):
        return Kind.FREE
    return Kind.LINE if is_line_vector(s, tolerance) else Kind.SCREW


def _square(s: ArrayLike) -> Array:
    w, v = parts(s)
    return dot(w, w) + dot(v, v)
