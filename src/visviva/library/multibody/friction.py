"""Viscous friction in a joint: an irreversible process that turns motion into heat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.language import Irreversible, Quantity, irreversible
from visviva.library.multibody.parameters import entries, filled, taking

ENTROPY = Quantity("R", "entropy")


def viscous(momentum: Quantity, mu: Array) -> Irreversible:
    """Friction force μ u_r at p_r, and the entropy u_r·μ u_r / θ leaving at s.

    M = [[θ μ, -μ u_r], [-(μ u_r)ᵀ, u_r·μ u_r / θ]];   source: Lohmayer, Capobianco and Leyendecker (29).
    """
    n = len(mu)
    grid, values = entries("mu", np.triu(mu))
    if n == 1:
        grid, values = np.array([["mu"]], dtype=object), {"mu": float(mu[0, 0])}
    grid[np.tril_indices(n, -1)] = grid.T[np.tril_indices(n, -1)]

    def M(given: dict[str, Any]) -> Any:
        tensor, u, theta = filled(grid, given), np.atleast_1d(given["e"].p_r), given["theta"].s
        drag = tensor @ u
        return np.block([[theta * tensor, -drag[:, None]], [-drag[None, :], np.array([[(u @ drag) / theta]])]])

    return irreversible({"p_r": momentum, "s": ENTROPY}, M=taking(("e", "theta", *values), M), **values)


def along_line(measure: Quantity, momentum: Quantity, c: float) -> Irreversible:
    """Damping c l_dot of a length with y = ½ l² at the port y: as l_dot = y_dot / l, it is c / 2y on the rate of y."""

    def M(x: Any, e: Any, theta: Any, c: Any) -> Any:
        mu, u, hot = c / (2 * np.abs(x.y)), e.p_r, theta.s
        return np.array([[hot * mu, -mu * u], [-mu * u, mu * u**2 / hot]], dtype=object)

    return irreversible({"y": measure.state, "p_r": momentum, "s": ENTROPY}, M=M, c=c)


def friction_tensor(friction: ArrayLike, units: tuple[str, ...], kind: str) -> Array:
    """μ as a symmetric matrix ⪰ 0 from a number, its diagonal or itself."""
    what, n = f"friction of a {kind} joint", len(units)
    array = finite_array(friction, what)
    if array.ndim == 0:
        if len(set(units)) > 1:
            raise ModelError(
                f"{what} is one number, but its freedoms have the units {', '.join(units)}.\n"
                f"Give {n} numbers, one for each, or a matrix ({n}, {n})."
            )
        array = np.full(n, float(array))
    if array.shape == (n,):
        array = np.diag(array)
    if array.shape != (n, n):
        raise ModelError(f"{what} must be a number, ({n},) or ({n}, {n}), got shape {array.shape}.")
    size = float(np.abs(array).max())
    if np.abs(array - array.T).max() > 1e-12 * size or np.linalg.eigvalsh(array)[0] < -1e-12 * size:
        raise ModelError(f"{what} must be symmetric and positive semidefinite, or it would drive the joint: {array}.")
    if size == 0:
        raise ModelError(f"{what} is zero: leave it out, and the joint has no heat port either.")
    return (array + array.T) / 2
