"""Constrained solves: motions under inertia and rows, also where rows depend on each other or inertia vanishes.

    M a + Zᵀ w = b,    Z a = z                                                      `constrained`

With a basis N of what the rows annihilate, Z N = 0, and any p with Z p = z, by least squares where rows contradict,

    a = p + N α,    Nᵀ M N α = Nᵀ (b - M p),    Zᵀ w = b - M a,

so that M need be definite on N alone: bodies without mass, and directors of flat ones, move as others let them. a is
unique; where rows depend on each other w is not, and that of least norm is given, in the units of the rows as they are.
Velocities count in units in which their own inertia is one, rows in those of their terms: see `numerics.rank`.

    minimise |A x - b|², then |A₂ x - b₂|², then ½ xᵀ M x                            `nearest`

is the change of a state towards what it should satisfy: a step of Gauss and Newton's, or with damping of Levenberg and
Marquardt's. The rows of each level are taken as the level above leaves them.

Source: Konz, dissertation, section 3.5, (3.125)-(3.132); Nakamura (1991), Advanced Robotics, chapter 4, for levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.numerics.nullspace import Split, split
from visviva.numerics.rank import EPS, LIGHTEST, TOLERANCE, counted, velocity_units


@final
class NoInertia(Exception):
    """Rows leave a motion (n,) that no inertia resists; eigenvalue: of the inertia on what they leave, in its units."""

    def __init__(self, motion: Array, eigenvalue: float) -> None:
        super().__init__(f"a motion has the inertia {eigenvalue:.3g}")
        self.motion = motion
        self.eigenvalue = eigenvalue


@final
@dataclass(frozen=True, eq=False)
class Constrained:
    """a (n,); multipliers w (m,), where rows depend on each other those of least norm; parts: the rows, split."""

    a: Array
    w: Array
    parts: Split

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return self.parts.rank


def constrained(
    M: Array,
    Z: Array,
    b: Array,
    z: Array,
    unit: Array | None = None,
    terms: Array | None = None,
    rank: int | None = None,
    decide: Callable[[], int | None] | None = None,
    lightest: float = LIGHTEST,
) -> Constrained:
    """a and w of M a + Zᵀ w = b, Z a = z, or `NoInertia`.

    unit:   of the velocities (n,); default: `velocity_units` of the diagonal of M.
    terms:  sizes of the terms of each row over velocities in these units, (m,), where they are known.
    rank:   the largest one that Z may have, where that is known: between the ends of a step loops are open by the error
            of a stage, and rows that follow from others are independent by as much.
    decide: see `nullspace.split`.
    lightest: inertia of a motion below which it has none, in these units; `rank.LEAST` where they are of no one kind.
    """
    unit = velocity_units(np.diagonal(M)) if unit is None else unit
    parts = split(Z * unit, terms, rank, decide)
    N, M, b, a = parts.Z, unit[:, None] * M * unit, unit * b, parts.solve(z)
    if N.size:
        try:
            a = a + N @ definite_solve(N.T @ M @ N, N.T @ (b - M @ a), lightest)
        except NoInertia as found:
            raise NoInertia(unit * (N @ found.motion), found.eigenvalue) from None
    return Constrained(unit * a, parts.solve_transposed(b - M @ a), parts)


def definite_solve(M: Array, b: Array, lightest: float = LIGHTEST) -> Array:
    """M⁻¹ b, or `NoInertia` where M is not positive definite.

    A pivot of Cholesky's is zero below `lightest`, or below what its own diagonal entry rounds to.
    """
    try:
        pivots = np.diagonal(np.linalg.cholesky(M)) ** 2
        singular = bool((pivots < np.maximum(lightest, len(M) * EPS * np.diagonal(M))).any())
    except np.linalg.LinAlgError:
        singular = True
    if singular:
        values, vectors = np.linalg.eigh(M)
        raise NoInertia(vectors[:, 0], float(values[0]))
    return np.asarray(np.linalg.solve(M, b))


def check_definite(M: Array, lightest: float = LIGHTEST) -> None:
    """`NoInertia` where M (n, n) is not positive definite, in units in which its diagonal is one.

    lightest: eigenvalue of a motion below which it has no inertia, in these units.
    """
    if not len(M):
        return
    diagonal = np.diagonal(M)
    if not (diagonal > 0).all():
        k = int(diagonal.argmin())
        raise NoInertia(np.eye(len(M))[k], float(diagonal[k]))
    unit = 1.0 / np.sqrt(diagonal)
    scaled = unit[:, None] * M * unit
    values, vectors = np.linalg.eigh((scaled + scaled.T) / 2)
    if not values[0] > lightest:
        raise NoInertia(vectors[:, 0], float(values[0]))


def nearest(
    M: Array,
    A: Array,
    b: Array,
    *,
    damping: float = 0.0,
    then: tuple[Array, Array] | None = None,
    follow: float = TOLERANCE,
    in_terms: bool = False,
) -> Array:
    """x (n,) with A x = b as well as can be, then A₂ x = b₂ as well as that leaves, then least in the metric M.

    M:        positive definite.   then: A₂ and b₂.
    follow:   singular values of the second level, beside its largest one, below which it is not followed.
    damping:  μ of the first level: singular values s become s/(s² + μ), in the units below.
    in_terms: rows are in units of their terms over the metric; else singular values count beside the largest one.
    """
    L = np.asarray(np.linalg.cholesky(M), dtype=np.float64)
    U, s, Vt = np.linalg.svd(_over(L, A))
    unit = 1.0 if in_terms else max(float(s.max(initial=0.0)), 1e-300)
    r = counted(s / unit) if len(s) else 0
    x = Vt[:r].T @ (s[:r] / (s[:r] ** 2 + damping * unit**2) * (U.T @ b)[:r])
    N = Vt[r:].T
    if then is not None and len(then[1]) and N.shape[1]:
        B = _over(L, then[0])
        x = x + N @ np.linalg.lstsq(B @ N, then[1] - B @ x, rcond=follow)[0]
    return np.asarray(np.linalg.solve(L.T, x))


def _over(L: Array, A: Array) -> Array:
    """Rows over velocities Lᵀ x, whose metric is one."""
    return np.asarray(np.linalg.solve(L, A.T).T, dtype=np.float64)
