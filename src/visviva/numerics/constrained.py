"""Constrained solves: motions under inertia and rows, also where rows depend on each other or inertia vanishes.

    M a + Zᵀ w = b,    Z a = z                                                      `constrained`

With a basis N of what the rows annihilate, Z N = 0, and any p with Z p = z, by least squares where rows contradict,

    a = p + N α,    Nᵀ M N α = Nᵀ (b - M p),    Zᵀ w = b - M a,

so that M need be definite on N alone: bodies without mass, and directors of flat ones, move as others let them. a is
unique; where rows depend on each other w is not, and that of least norm is given, in the units of the rows as they are.
Velocities count in units in which their own inertia is one, rows in those of their terms: see `numerics.rank`.

    minimise |Z x - z|², then |Z₂ x - z₂|², then ½ xᵀ M x                            `least_change`

is the change of a state towards what it should satisfy: a step of Gauss and Newton's, or with damping of Levenberg and
Marquardt's. The rows of each level are taken as the level above leaves them. `numerics.projection` goes on with it
until a state satisfies its constraints.

Source: Konz, dissertation, section 3.5, (3.125)-(3.132); Nakamura (1991), Advanced Robotics, chapter 4, for levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.numerics.nullspace import Split, split, split_alike
from visviva.numerics.rank import EPS, LEAST, LIGHTEST, TOLERANCE, velocity_units

LIGHT = 1e-9  # inertia of motions without any, in units in which that of others is one, where a least change is sought


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


def least_change(
    Z: Array,
    z: Array,
    M: Array | None = None,
    *,
    free: Mask | None = None,
    units: Array | None = None,
    terms: Array | None = None,
    alike: bool = False,
    damping: float = 0.0,
    then: tuple[Array, Array] | None = None,
    follow: float = TOLERANCE,
) -> Array:
    """x (n,) with Z x = z as well as can be, then Z₂ x = z₂ as well as that leaves, then least in the metric M.

    M:       positive semidefinite: what has no inertia counts as light. Default: that of the units.
    free:    the x that may change, (n,); others stay zero.   units: see `constrained`; without M default: ones.
    terms:   sizes of the terms of each row over x in these units, (m,).   then: Z₂ and z₂.
    alike:   rows are of one kind, all in units of the longest one, see `split_alike`.
    damping: μ of ½ xᵀM x + |Z x - z|²/(2 μ), of rows in their units, which is least then: see Levenberg (1944).
    follow:  singular values of the second level, beside its largest one, below which it is not followed.
    """
    if free is not None and not free.all():
        x = np.zeros(len(free))
        M, units = (M if M is None else M[np.ix_(free, free)]), (units if units is None else units[free])
        second = None if then is None else (then[0][:, free], then[1])
        x[free] = least_change(
            Z[:, free], z, M, units=units, terms=terms, alike=alike, damping=damping, then=second, follow=follow
        )
        return x
    n = Z.shape[1]
    if units is None:
        units = np.ones(n) if M is None else velocity_units(np.diagonal(M), lightest=LEAST)
    parts = split_alike(Z * units) if alike else split(Z * units, terms)
    if M is None and not damping and then is None:
        return units * parts.solve(z)
    metric = np.eye(n) if M is None else _definite(units[:, None] * M * units)
    N, G = parts.Z, metric @ parts.Z
    inner = N.T @ G
    x = _damped(parts, metric, G, z, damping) if damping else parts.solve(z)
    if N.size:
        x = x - N @ definite_solve(inner, G.T @ x, LEAST)
    if then is not None and len(then[1]) and N.size:
        rows = then[0] * units
        x = x + N @ _followed(rows @ N, then[1] - rows @ x, inner, follow)
    return units * x


def _damped(parts: Split, M: Array, G: Array, z: Array, damping: float) -> Array:
    """The part V y of x in the row space: (μ S + s²) y = s Uᵀz, with the inertia S that is left of M beside N."""
    left = parts.V.T @ M @ parts.V
    if G.size:
        across = G.T @ parts.V
        left = left - across.T @ np.linalg.solve(parts.Z.T @ G, across)
    return np.asarray(
        parts.V @ np.linalg.solve(damping * left + np.diag(parts.s**2), parts.s * (parts.U.T @ (z / parts.units)))
    )


def _followed(rows: Array, left: Array, M: Array, follow: float) -> Array:
    """α of rows α = left by least squares of rows as they are, least in the metric M, as far as they are followed."""
    L = np.linalg.cholesky(M)
    over = np.linalg.solve(L, rows.T).T
    return np.asarray(np.linalg.solve(L.T, np.linalg.lstsq(over, left, rcond=follow)[0]))


def _definite(M: Array) -> Array:
    """A metric in its units; motions without inertia count as light ones, so that they change least."""
    return M if np.linalg.eigvalsh(M)[0] > 1e-3 * LIGHT else M + LIGHT * np.eye(len(M))
