"""Quadratic programmes of tracking control: the input nearest to a wanted one within linear limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeGuard, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import ModelError
from visviva.kernels import quadratic_program as kernels

SYMMETRIC_RTOL = 1e-10  # of the largest entry of H


@final
class QuadraticStatus(IntEnum):
    """How a quadratic programme ended; the numbers are those of `visviva.kernels.quadratic_program`."""

    OPTIMAL = kernels.OPTIMAL
    INFEASIBLE_LEAST_VIOLATION = kernels.INFEASIBLE_LEAST_VIOLATION
    ITERATION_LIMIT = kernels.ITERATION_LIMIT
    NOT_DEFINITE = kernels.NOT_DEFINITE
    NOT_FINITE = kernels.NOT_FINITE


STATUSES = tuple(QuadraticStatus)  # by number


@final
@dataclass(frozen=True, eq=False)
class QuadraticSolution:
    """Solution of a quadratic programme.   H (u - u₀) + Wᵀ μ = 0,   μ ≥ 0,   W u ≤ l + s/σ,   μ · (W u - l - s/σ) = 0

    u:           (n,) input.
    multipliers: (m,) μ, positive for rows that hold u back.
    active:      rows of the last working set; the start of the next programme like this one.
    status:      OPTIMAL, where s = 0; INFEASIBLE_LEAST_VIOLATION; ITERATION_LIMIT, where only rows in `active` hold.
    violation:   s, the largest σ_i (w_i · u - l_i) with σ_i = 1/√(w_iᵀ H⁻¹ w_i): by how far, in the metric of H, u lies
                 beyond the limits. Rows of zeros have σ_i = 1.
    iterations:  changes of the working set.
    """

    u: Array
    multipliers: Array
    active: tuple[int, ...]
    status: QuadraticStatus
    violation: float
    iterations: int


@final
class QuadraticProgram:
    """Programmes  min ½ (u - u₀)ᵀ H (u - u₀)  subject to  W u ≤ l  with the same H and W, prepared once.

    H: (n, n) weights, symmetric and positive definite.   W: (m, n) rows of the limits; (0, n) if there are none.

    Limits:  it works in memory of its own: one thread at a time.
    Source:  Goldfarb, Idnani (1983), Math. Programming 27, 1-33; see `visviva.kernels.quadratic_program`.
    """

    def __init__(self, H: ArrayLike, W: ArrayLike) -> None:
        weights, rows = finite_array(H, "H of a quadratic programme"), finite_array(W, "W of a quadratic programme")
        n = weights.shape[0] if weights.ndim else 0
        if weights.shape != (n, n) or n == 0:
            raise ModelError(
                f"H of a quadratic programme has shape {weights.shape}. It is a square matrix, a row for each input."
            )
        if rows.ndim != 2 or rows.shape[1] != n:
            raise ModelError(
                f"W of a quadratic programme has shape {rows.shape}, H has shape {weights.shape}.\n"
                f"W has a column for each input: (m, {n}), with m = 0 where nothing limits them."
            )
        _require_symmetric(weights)
        self._work = kernels.workspace(n, len(rows))
        if kernels.prepare(weights, rows, self._work) != kernels.OPTIMAL:
            values = np.linalg.eigvalsh(weights)
            raise ModelError(
                "H of a quadratic programme is not positive definite: "
                f"its eigenvalues lie between {values[0]:.3g} and {values[-1]:.3g}.\n"
                "Only then there is one nearest input. Where an input costs nothing, give it a small weight of its\n"
                "own: H + 1e-6 * np.eye(n)."
            )

    @property
    def inputs(self) -> int:
        """Number of inputs, n."""
        return len(self._work.y)

    @property
    def rows(self) -> int:
        """Number of rows of W, m."""
        return len(self._work.d)

    def solve(
        self,
        u0: ArrayLike,
        l: ArrayLike,
        active: Sequence[int] | NDArray[np.int64] | None = None,
        iteration_limit: int | None = None,
    ) -> QuadraticSolution:
        """The u nearest to u₀ in the metric of H with W u ≤ l.

        u0:     (n,) wanted input.   l: (m,) limits; `np.inf` is none.
        active: rows to start from, as `QuadraticSolution.active` of a programme like this one. They save time if they
                are the right ones, and do not change what is found.
        iteration_limit: number of changes of the working set; by default 20 for each input and row.

        Where no u satisfies all limits, u violates them least: first the largest violation is as small as possible,
        then u as near to u₀ as that allows.
        """
        n, m = self._work.A.shape
        wanted = u0 if _plain(u0, n) else finite_vector(u0, "u0 of a quadratic programme", n)
        limits = l if _plain(l, m) else _limits(l, m)
        start = _start(active, n)
        most = 20 * (n + m) if iteration_limit is None else int(iteration_limit)
        u, multipliers, report = np.empty(n), np.empty(m), np.empty(2)
        status = kernels.solve(self._work, wanted, limits, start, most, u, multipliers, report)
        if status == kernels.NOT_FINITE:
            finite_vector(wanted, "u0 of a quadratic programme", n), _limits(limits, m)
            raise ModelError(
                "a quadratic programme has numbers whose squares overflow: "
                f"u0 has {np.abs(wanted).max():.3g}, l has {np.abs(limits).max(initial=0.0):.3g}.\n"
                "Give inputs and limits in units in which they are of the size of 1."
            )
        violation, iterations = report.tolist()
        rows = tuple(i for i in start.tolist() if i >= 0)
        return QuadraticSolution(u, multipliers, rows, STATUSES[status], violation, int(iterations))


def solve_quadratic_program(
    H: ArrayLike,
    u0: ArrayLike,
    W: ArrayLike,
    l: ArrayLike,
    active: Sequence[int] | NDArray[np.int64] | None = None,
) -> QuadraticSolution:
    """Solution of one programme  min ½ (u - u₀)ᵀ H (u - u₀)  subject to  W u ≤ l; see `QuadraticProgram`."""
    return QuadraticProgram(H, W).solve(u0, l, active)


def _require_symmetric(H: Array) -> None:
    gap = np.abs(H - H.T)
    i, j = np.unravel_index(np.argmax(gap), gap.shape)
    if gap[i, j] > SYMMETRIC_RTOL * np.abs(H).max():
        raise ModelError(
            f"H of a quadratic programme is not symmetric: H[{i}, {j}] = {H[i, j]:g}, H[{j}, {i}] = {H[j, i]:g}.\n"
            "Only its symmetric part counts in uᵀ H u: give (H + H.T) / 2."
        )


def _plain(value: ArrayLike, n: int) -> TypeGuard[Array]:
    """Whether a kernel can read it as it is; it finds what is not finite by itself."""
    return type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (n,) and value.flags.c_contiguous


def _limits(l: ArrayLike, m: int) -> Array:
    """A copy of l, in which inf is allowed."""
    given = np.asarray(l)
    if given.dtype.kind == "f" and given.shape == (m,):
        if (given > -np.inf).all():  # false for nan
            return np.array(given, dtype=np.float64)
        i = int(np.argmin(given > -np.inf))
        raise ModelError(
            f"l of a quadratic programme has {given[i]} in row {i}. A limit is a number, or inf where there is none."
        )
    return finite_vector(l, "l of a quadratic programme", m)


def _start(active: Sequence[int] | NDArray[np.int64] | None, n: int) -> NDArray[np.int64]:
    """The working set as its kernel wants it: n places, -1 behind the last row."""
    rows = [] if active is None else list(active)
    start = np.array((rows + [-1] * n)[:n])
    if start.dtype != np.int64 or start.ndim != 1:
        raise ModelError(f"rows to start a quadratic programme from are whole numbers, got {active!r}.")
    return start
