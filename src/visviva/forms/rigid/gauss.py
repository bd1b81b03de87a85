"""Gauss' principle of least constraint: of all accelerations that constraints allow, the nearest to the free one.

    minimise  ½ ξ̇ᵀ M ξ̇ - ξ̇ᵀ b   subject to   Z ξ̇ = z

Source:  Konz, dissertation, 3.5, (3.126)-(3.132).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final, get_args

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, Mask
from visviva.errors import AssemblyError, ModelError
from visviva.numerics.constrained import NoInertia, constrained
from visviva.numerics.nullspace import split
from visviva.numerics.rank import EPS, LEAST, counted, singular_values, unit_rows, velocity_units
from visviva.numerics.saddle import full_saddle

Method = Literal["auto", "null space", "kkt", "range space"]
NOTHING = (
    1e-14  # rows of this size are zero: a constraint that coordinates satisfy by themselves has no other to measure
)
CONSISTENT = 1e-6  # what constraints may contradict each other by, relative to the accelerations they ask for


@final
@dataclass(frozen=True, eq=False)
class Constrained:
    """Accelerations ξ̇ and multipliers λ with M ξ̇ + Zᵀ λ = b, Z ξ̇ = z.

    The reaction of the constraints on the system is -Zᵀ λ (not +Zᵀ λ as below (3.130) in print). It is unique; where
    rows of Z depend on each other λ is not, and that of least norm is given.
    """

    xi_dot: Array  # (n,)
    lam: Array  # (c,)


def least_constraint(
    M: Array,
    b: Array,
    Z: Array,
    z: Array,
    method: Method = "auto",
    names: Sequence[str] = (),
    velocities: Sequence[str] = (),
    terms: Array | None = None,
) -> Constrained:
    """Solve Gauss' principle for symmetric M (n, n), b (n,), Z (c, n) and z (c,).

    method: "range space" (3.132) needs M positive definite and rows of Z that are independent; "kkt" (3.130) needs
            independent rows; "null space" (3.129) takes any Z, and an M that is positive definite on what Z leaves
            free. "auto" takes the range space where it can and the null space otherwise.
    names:  of the rows of Z, for errors;   velocities: names of the entries of ξ, likewise.
    terms:  sizes of the numbers that add up to Z, (c, n); without them rows below 1e-14 are zero.

    Velocities count in units in which their inertia is one, rows in those of their terms: see `numerics.rank`.
    """
    checked_method(method)
    unit = velocity_units(np.diag(M))
    M, b, Z = unit[:, None] * M * unit, unit * b, Z * unit
    Z, scale = rows_of_one_size(Z, None if terms is None else terms * unit)
    z = z / scale

    def plain() -> Constrained:
        return _null_space(M, b, Z, z, names, velocities)

    solution = None
    if not len(z):
        solution = plain()
    elif method in ("auto", "range space"):
        solution = _range_space(M, b, Z, z)
    elif method == "kkt":
        solution = _kkt(M, b, Z, z, plain) if _independent(Z.T) else None
    if solution is None and method in ("range space", "kkt"):
        raise AssemblyError(_dependent(method, Z, names))
    if solution is None:
        solution = plain()
    return Constrained(unit * solution.xi_dot, solution.lam / scale)


def checked_method(method: Method) -> Method:
    """The method, if there is one of that name."""
    if method not in get_args(Method):
        raise ModelError(f"method must be one of {', '.join(map(repr, get_args(Method)))}, got {method!r}.")
    return method


def rows_of_one_size(Z: Array, terms: Array | None = None) -> tuple[Array, Array]:
    """Rows in units of their terms (c, n), since units of constraints differ, and these units.

    Without terms rows have length one, and rounding of zero becomes zero.
    """
    if terms is not None:
        return unit_rows(Z, np.linalg.norm(terms, axis=1))
    size = np.linalg.norm(Z, axis=1)
    there = size > max(NOTHING, EPS * float(size.max(initial=0.0)))
    return unit_rows(np.where(there[:, None], Z, 0.0), np.where(there, size, 1.0))


def _range_space(M: Array, b: Array, Z: Array, z: Array) -> Constrained | None:
    """ξ̇ = M⁻¹ (b + Zᵀ (Z M⁻¹ Zᵀ)⁻¹ (z - Z M⁻¹ b)); None where M or Z M⁻¹ Zᵀ is not safely definite."""
    L = _cholesky(M)
    if L is None:
        return None
    Y, y = np.linalg.solve(L, Z.T), np.linalg.solve(L, b)  # Z M⁻¹ Zᵀ = Yᵀ Y
    if not _independent(Y):
        return None
    Q, R = np.linalg.qr(Y)  # the factor R of Yᵀ Y = Rᵀ R, without forming the product
    lam = -np.linalg.solve(R, np.linalg.solve(R.T, z) - Q.T @ y)
    return Constrained(np.asarray(np.linalg.solve(L.T, y - Y @ lam), np.float64), lam)


def _kkt(M: Array, b: Array, Z: Array, z: Array, plain: Callable[[], Constrained]) -> Constrained:
    """[[M, Zᵀ], [Z, 0]] (ξ̇; λ) = (b; z) for independent rows; where it is singular the null space says why."""
    found = full_saddle(M, Z, b, z)
    return plain() if found is None else Constrained(*found)


def _null_space(M: Array, b: Array, Z: Array, z: Array, names: Sequence[str], velocities: Sequence[str]) -> Constrained:
    """ξ̇ = W α + w with Z W = 0, Z w = z and Wᵀ M W α = Wᵀ (b - M w); W has n - rank Z columns."""
    try:
        found = constrained(M, Z, b, z, np.ones(len(b)), np.ones(len(Z)), lightest=LEAST)
    except NoInertia as light:
        raise AssemblyError(_weightless(light, velocities)) from None
    gap = found.parts.Y @ (found.parts.Y.T @ z)
    if np.abs(gap).max(initial=0.0) > CONSISTENT * max(float(np.abs(z).max(initial=0.0)), _size(M, b)):
        raise AssemblyError(_contradiction(gap, names))
    return Constrained(found.a, found.w)


def _independent(Y: NDArray[np.floating[Any]]) -> bool:
    """Are the columns of Y (n, c) independent, with a margin that their solution survives?"""
    if Y.shape[1] > Y.shape[0]:
        return False
    return counted(singular_values(np.asarray(Y, np.float64))) == Y.shape[1]


def _cholesky(M: Array) -> Array | None:
    """L of M = L Lᵀ; None where M is not definite beyond rounding, after its diagonal was scaled to one."""
    sizes = np.sqrt(np.abs(np.diag(M)))
    if not sizes.all():
        return None
    try:
        L = np.linalg.cholesky(M / np.outer(sizes, sizes))  # units of velocities differ
    except np.linalg.LinAlgError:
        return None
    return sizes[:, None] * L if np.diag(L).min() ** 2 > len(L) * EPS else None


def _weightless(light: NoInertia, velocities: Sequence[str]) -> str:
    """The velocity with the largest share in a motion that has no inertia."""
    motion = np.abs(light.motion)
    i = int(np.argmax(motion))
    name = repr(velocities[i]) if velocities else f"number {i}"
    others = [other for k, other in enumerate(velocities) if motion[k] > 0.1 * motion[i] and k != i]
    beside = f" (moving with {', '.join(map(repr, others))})" if others else ""
    return (
        f"the velocity {name}{beside} has no inertia: the mass matrix has the eigenvalue {light.eigenvalue:.3g} for\n"
        "it. Every motion that constraints leave free must move some mass: give a body with mass or inertia to a\n"
        "frame that this velocity moves, or constrain it."
    )


def _size(M: Array, b: Array) -> float:
    """A size of the free accelerations, without a solution of them: M may be singular."""
    return float(np.linalg.norm(b) / np.linalg.norm(M)) if np.any(M) else 0.0


def _contradiction(gap: Array, names: Sequence[str]) -> str:
    return (
        f"constraints contradict each other: {_named(np.abs(gap) / np.abs(gap).max() > 1e-3, names)}.\n"
        "No acceleration satisfies all of them: their rows depend on each other, what they ask for does not agree.\n"
        "Remove one of them, or correct what it asks for."
    )


def _dependent(method: str, Z: Array, names: Sequence[str]) -> str:
    vanishing = split(Z, np.ones(len(Z))).Y  # combinations of rows
    which = _named(np.abs(vanishing).max(axis=1, initial=0.0) > 1e-6, names)
    return (
        f"the {method} method needs a positive definite mass matrix and independent constraints"
        + (f" ({which}).\n" if which else ".\n")
        + "Use method='null space' or 'auto', which take both as they are."
    )


def _named(rows: Mask, names: Sequence[str]) -> str:
    """The constraints that some rows belong to, each once."""
    all_names = names or [f"row {i}" for i in range(len(rows))]
    return ", ".join(dict.fromkeys(name for name, there in zip(all_names, rows, strict=True) if there))
