"""States in groups, such as rotations and poses: ẋ = N(x) f for a flow f of left-trivialised velocities, e = Nᵀ ∂H/∂x.

The same coordinates as `geometry.embedding`: (r, columns of R), with Ṙ = R ω̂ and ṙ = R v, or ṙ = v in a direct product.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.bonds.elements import Element
from visviva.errors import ModelError
from visviva.geometry.embedding import AbstractSpace, Flat, ProductSpace, Rotations
from visviva.geometry.hat import skew
from visviva.language import Quantity, Storage

GENERATORS = {2: np.array([[[0, -1], [1, 0]]]), 3: skew(np.eye(3)).astype(int)}  # of rotations, by dimension


def curved(quantity: Quantity) -> bool:
    """Whether its values are those of a group that is no vector space."""
    return quantity.space.embedding.size != quantity.space.dim


def space_of(element: Element) -> AbstractSpace | None:
    """The group in which a storage has its state; None for vectors."""
    if not isinstance(element.system, Storage):
        return None
    (port,) = element.system.interface.values()
    return port.quantity.space.embedding if curved(port.quantity) else None


def lift(space: AbstractSpace, x: Any) -> Any:
    """N(x) of expressions, (size, dim)."""
    match space:
        case Flat(n):
            return np.eye(n, dtype=int).astype(object)
        case ProductSpace(factors):
            N, i, j = np.zeros((space.size, space.dim), dtype=int).astype(object), 0, 0
            for factor in factors:
                N[i : i + factor.size, j : j + factor.dim] = lift(factor, x[i : i + factor.size])
                i, j = i + factor.size, j + factor.dim
            return N
        case Rotations(n, moves):
            head = n if moves else 0
            R = np.array(x[head:], dtype=object).reshape(n, n).T
            k = len(GENERATORS[n])
            N = np.zeros((space.size, space.dim), dtype=int).astype(object)
            for j, E in enumerate(GENERATORS[n]):
                N[head:, j] = (R @ E).T.ravel()
            if moves:
                N[:n, k:] = R if moves == "body" else np.eye(n, dtype=int)
            return N
    raise ModelError(f"states in {space!r} have no element in a bond graph.")


def sympified(values: Any) -> Any:
    """All entries as expressions."""
    import sympy

    flat = np.empty(values.size, dtype=object)
    flat[:] = [sympy.sympify(entry) for entry in values.ravel()]
    return flat.reshape(values.shape)
