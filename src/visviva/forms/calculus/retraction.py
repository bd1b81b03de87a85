"""Local coordinates of a redundant parameterisation: the tangent space at a configuration."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.errors import ConvergenceError
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.geometry.nullspace import split

ITERATIONS = 30
EXACT = 1e-14  # of φ, in the size of its terms


def advance(p: Parameterisation, q: Array, delta: Array) -> Array:
    """The configuration over q + A δ, along the normals Φᵀ there: δ = Y (q' - q) with Y = A⁺, and φ(q') = 0.

    Laws:    advance(q, 0) = q; its derivative at δ = 0 is A; φ is zero to rounding, at any δ where it exists.
    Limits:  δ up to about the radius of curvature: half a turn of a rotation has none.
    """
    moved = q + p.A(q) @ delta
    normals = p.Phi(q).T
    if not normals.shape[1]:
        return moved
    size = max(1.0, float(np.abs(normals).max() * np.abs(q).max()))
    last = np.inf
    for _ in range(ITERATIONS):
        phi = p.phi(moved)
        error = float(np.abs(phi).max())
        if error <= EXACT * size or (error < 1e3 * EXACT * size and error >= last / 2):
            return moved
        last = error
        moved = moved - normals @ split(p.Phi(moved) @ normals).solve(phi)  # rows of φ may be redundant
    raise ConvergenceError(
        f"no configuration lies over a step of length {float(np.linalg.norm(delta)):.3g} from here: φ stays at"
        f" {error:.1e}.\nLocal coordinates reach less than a quarter turn of a rotation: take a shorter step."
    )


def local_rate(p: Parameterisation, q: Array, delta: Array, xi: Array) -> Array:
    """δ̇ = Y(q) A(q') ξ of the local coordinates δ from q, at the configuration q' = advance(q, δ)."""
    return np.asarray(split(p.A(q)).solve(p.A(advance(p, q, delta)) @ xi))
