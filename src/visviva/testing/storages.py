"""The laws of storages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva.model.storage import AbstractStorage
from visviva.testing.laws import require

SIZES = (1.0, 1e-3, 1e-5, 1e-8)
EPS = float(np.finfo(np.float64).eps)


def check_storage(
    storage: AbstractStorage, n: int, *, sizes: Sequence[float] = SIZES, samples: int = 16, seed: int = 0
) -> None:
    """Test on random states of n coordinates; AssertionError names the law that fails.

    "gradient":       dH is the derivative of H.
    "secant":         mean_effort·(q1 - q0) = H(q1) - H(q0), to the rounding of H, at every size of step.
    "consistency":    mean_effort tends to dH at the mean, with the square of the step.
    """
    rng = np.random.default_rng(seed)
    q0 = rng.uniform(-1, 1, (samples, n))
    direction = rng.uniform(-1, 1, (samples, n))
    h = 1e-5
    slope = (storage.H(q0 + h * direction) - storage.H(q0 - h * direction)) / (2 * h)
    require("gradient", (storage.dH(q0) * direction).sum(-1), slope, 1e-7, 1.0 + float(np.abs(slope).max()))
    for size in sizes:
        q1 = q0 + size * direction
        e, H0, H1 = storage.mean_effort(q0, q1), storage.H(q0), storage.H(q1)
        rounding = 64 * EPS * float(np.maximum(np.abs(H0), np.abs(H1)).max() + 1e-300)
        moved = float(np.abs(H1 - H0).max())
        require("secant", (e * (q1 - q0)).sum(-1), H1 - H0, 1.0, rounding + 1e-13 * moved)
        middle = storage.dH(0.5 * (q0 + q1))
        unit = 1.0 + float(np.abs(middle).max())
        require("consistency", e, middle, size**2 + 1e-7, unit)
