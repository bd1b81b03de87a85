"""How a law is tested: two sides that must agree, relative to a scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def require(law: str, left: ArrayLike, right: ArrayLike, tolerance: float, scale: float | None = None) -> None:
    """AssertionError naming the law if both sides differ by more than tolerance x scale.

    scale: default the largest entry of the right side.
    """
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    unit = float(np.abs(b).max(initial=0.0)) if scale is None else scale
    gap = float(np.abs(a - b).max(initial=0.0))
    if not gap <= tolerance * unit:
        raise AssertionError(f"{law}: the sides differ by {gap:.3g}; allowed are {tolerance:.3g} of {unit:.3g}")
