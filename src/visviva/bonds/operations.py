"""What the steps of a tape do, to arrays of numbers and of expressions alike.

Known vectors have shape (w,), affine ones (w, 1 + n): see `tape`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from visviva.bonds.evaluation import Instant
    from visviva.bonds.formula import Formula

Operation = Callable[..., Any]
ONE = np.ones(1, dtype=int)


def multiply(matrix: Any, vector: Any) -> Any:
    """Matrix times vector; `dot` takes half of the time of `@` for small ones."""
    return matrix.dot(vector)


def solve(matrix: Any, vector: Any) -> Any:
    """matrix⁻¹ vector."""
    if matrix.dtype != object:
        return np.linalg.solve(matrix, vector)
    if vector.ndim == 1:
        return solved(matrix, vector)
    return np.stack([solved(matrix, column) for column in vector.T], axis=-1)


def known_flow(A: Any, Z: Any, p: Any, known: Any) -> Any:
    """ξ with Z ξ = ᶜf and A ξ = p but for what Zᵀ reaches; Phillips and Amirouche (50), where Z picks velocities.

    So p of velocities that are known does not matter, and A need be regular on the kernel of Z only.
    """
    n, k = len(p), len(known)
    saddle = np.zeros((n + k, n + k), dtype=A.dtype)
    saddle[:n, :n], saddle[:n, n:], saddle[n:, :n] = A, Z.T, Z
    return solve(saddle, np.concatenate([p, known]))[:n]


COUPLINGS: dict[tuple[bool, bool], Operation] = {
    (True, True): multiply,
    (False, True): lambda matrix, vector: matrix.T.dot(vector),
    (True, False): solve,
    (False, False): lambda matrix, vector: solve(matrix.T, vector),
}  # as it is or transposed, applied or inverted


def turned(turning: Any, vector: Any) -> Any:
    """The affine rate (r, c, 1 + n) of a matrix times a known vector."""
    return (turning * vector[:, None]).sum(1)


def turned_back(turning: Any, vector: Any) -> Any:
    """The same with the transposed matrix."""
    return (turning * vector[:, None, None]).sum(0)


def answer(formula: Formula) -> Operation:
    """A formula of what an element receives."""

    def operation(now: Instant, given: Any) -> Any:
        return formula.symbolic(given) if now.symbolic else formula.numbers(now.t, now.x, given)

    return operation


def states(place: slice) -> Operation:
    """Some of the states."""
    return lambda now: now.x[place]


def part(place: slice) -> Operation:
    """Some components."""
    return lambda vector: vector[place]


def joined(*vectors: Any) -> Any:
    """One after the other."""
    return np.concatenate(vectors)


def nothing(width: int) -> Operation:
    """Zeros."""
    zeros = np.zeros(width)
    return lambda: zeros


def entropy_flow(e: Any, f: Any, theta: Any) -> Any:
    """e·f/θ."""
    return (e @ f) / theta


def total(signs: tuple[int, ...], affine: tuple[bool, ...]) -> Operation:
    """A sum with signs; what is known is added to the first column of what is not."""
    plus = [k for k, sign in enumerate(signs) if sign > 0]
    minus = [k for k, sign in enumerate(signs) if sign < 0]
    if any(affine) != all(affine):
        some = total(*_of(signs, affine, True))
        others = total(*_of(signs, affine, False))
        which = [k for k, each in enumerate(affine) if each]
        rest = [k for k, each in enumerate(affine) if not each]

        def mixed(*vectors: Any) -> Any:
            found = some(*[vectors[k] for k in which]).copy()
            found[:, 0] += others(*[vectors[k] for k in rest])
            return found

        return mixed

    def operation(*vectors: Any) -> Any:
        found = vectors[plus[0]] if plus else -vectors[minus[0]]
        for k in plus[1:]:
            found = found + vectors[k]
        for k in minus if plus else minus[1:]:
            found = found - vectors[k]
        return found

    return operation


def _of(signs: tuple[int, ...], affine: tuple[bool, ...], kind: bool) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    chosen = tuple(sign for sign, each in zip(signs, affine, strict=True) if each == kind)
    return chosen, (kind,) * len(chosen)


def along(affine: tuple[bool, ...]) -> Operation:
    """The rate of a formula: slopes (..., k + 1) by some states and time, times their rates and 1."""
    mixed = any(affine)

    def operation(slopes: Any, *rates: Any) -> Any:
        if not mixed:
            return slopes.dot(np.concatenate([*rates, ONE]))
        n = next(rate.shape[1] for rate, each in zip(rates, affine, strict=True) if each)
        padded = [rate if each else first_column(rate, n) for rate, each in zip(rates, affine, strict=True)]
        return slopes.dot(np.concatenate([*padded, first_column(ONE, n)]))

    return operation


def first_column(vector: Any, n: int) -> Any:
    """A known vector as an affine one."""
    found = np.zeros((len(vector), n), dtype=vector.dtype)
    found[:, 0] = vector
    return found


def solved(matrix: Any, vector: Any) -> Any:
    """matrix⁻¹ vector of expressions."""
    import sympy

    if len(vector) == 1:
        return np.array([sympy.cancel(sympy.sympify(vector[0]) / matrix[0, 0])], dtype=object)
    found = sympy.Matrix(matrix.tolist()).LUsolve(sympy.Matrix(list(vector)))
    return np.array([sympy.cancel(sympy.together(entry)) for entry in found], dtype=object)
