"""The laws of state spaces in embedding coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.linear import apply
from visviva.testing.laws import require

SIZES = (1.0, 1e-3, 1e-5, 1e-8)
EPS = float(np.finfo(np.float64).eps)


def check_space(
    space: AbstractSpace, point: np.ndarray, *, sizes: Sequence[float] = SIZES, samples: int = 8, seed: int = 0
) -> None:
    """Test on random increments from a point of the space; AssertionError names the law that fails.

    "stays in the space":   retract leads to points of the space.
    "lift is the tangent":  d/dε retract(q, ε ξ) = N(q) ξ at ε = 0.
    "discrete chain rule":  q1 - q0 = N((q0 + q1)/2) Δ to rounding, at every size.
    "push is the lift":     push(q, ξ) = N(q) ξ, and "pull is the lift": pull(C, q) = C N(q); of few points and of many.
    "drift":                d/dt (N(q) ξ) = drift(q, ξ) along the motion with constant ξ.
    """
    rng = np.random.default_rng(seed)
    for size in sizes:
        delta = size * rng.uniform(-1, 1, (samples, space.dim))
        q0 = space.retract(np.broadcast_to(point, (samples, space.size)), rng.uniform(-1, 1, (samples, space.dim)))
        q1 = space.retract(q0, delta)
        require("stays in the space", space.defect(q1), 0.0, 1e-13, 1.0)
        bound = 1e-12 * float(np.abs(q1 - q0).max()) + 4 * EPS * float(np.abs(q0).max())  # the rounding of q1 - q0
        require("discrete chain rule", apply(space.lift(0.5 * (q0 + q1)), delta), q1 - q0, 1.0, bound)
        h, xi, unit = 1e-5, delta / size, 1.0 + float(np.abs(q0).max())
        ahead, behind = space.retract(q0, h * xi), space.retract(q0, -h * xi)
        require("lift is the tangent", (ahead - behind) / (2 * h), apply(space.lift(q0), xi), 1e-8, unit)
        middles, rows = 0.5 * (q0 + q1), rng.normal(size=(samples, 2, space.size))
        for q, own in ((middles, rows), (np.repeat(middles, 4, axis=0), np.repeat(rows, 4, axis=0)), (q0[0], rows[0])):
            xis = np.resize(xi, (*q.shape[:-1], space.dim))
            require("push is the lift", space.push(q, xis), apply(space.lift(q), xis), 1e-13, unit)
            for C in (own, rows[0]):
                require("pull is the lift", space.pull(C, q), C @ space.lift(q), 1e-13, unit)
        turn = (apply(space.lift(ahead), xi) - apply(space.lift(behind), xi)) / (2 * h)
        require("drift", turn, space.drift(q0, xi), 1e-8, unit)
