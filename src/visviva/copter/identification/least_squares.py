"""Unknowns of equations that are linear in them: least squares, intervals, and what the data do not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.stats

from visviva._arrays import Array
from visviva.errors import ModelError

SEEN = 2.0  # times what noise alone would make: below, a combination of unknowns is not seen
ROUNDING = 1e-9  # of the largest singular value, or of what is measured
CONFIDENCE = 0.95
NAMED = 0.2  # of the largest part of a combination: what is told of it
ROUNDS = 4  # of weights by the residuals of rows
SEED = 1  # of the noise that is added to see what noise does


class Fit(NamedTuple):
    """Unknowns x of A x = y."""

    x: Array  # (k,)
    covariance: Array  # (k, k)
    bias: Array  # (k,) that noise on A makes, an estimate
    half: Array  # (k,) half widths of the 95 % intervals, the bias on top
    residuals: Array  # (n, m)
    quantile: float


def fit(
    regressors: Callable[[Sequence[Array]], Array],
    y: Array,
    signals: Sequence[Array],
    noise: Sequence[Array],
    names: Sequence[str],
    units: Sequence[str],
    correlated: int,
) -> Fit:
    """Least squares with equations weighted by what they leave.

    regressors: A (n, m, k) of n times, m equations and k unknowns, from signals.   y: (n, m).
    noise:      standard deviations of white noise on the signals, by column.
    correlated: number of neighbouring rows that share noise, the window of a filter; 1 of none.

    Intervals take noise to be correlated over twice as many rows (Newey and West). Noise on A makes unknowns small; the
    noise of the signals is added to them once more to see how much, and the intervals are widened by that.

    Errors: a combination of unknowns of which A shows no more than `SEEN` times what noise alone would.
    """
    A = regressors(signals)
    n, m, k = A.shape
    rng = np.random.default_rng(SEED)
    noisy = regressors([x + s * rng.standard_normal(x.shape) for x, s in zip(signals, noise, strict=True)]) - A
    weight = np.ones(m)
    for _ in range(ROUNDS if m > 1 else 1):
        x, covariance, own = _solve(A * weight[:, None], y * weight, noisy * weight[:, None], names, units, correlated)
        rest = y - A @ x
        size = np.sqrt(np.mean(rest**2, axis=0))
        weight = 1 / np.maximum(size, ROUNDING * np.sqrt(np.mean(y**2)))
    free = max(n / correlated - k, 1.0)
    quantile = float(scipy.stats.t.ppf(0.5 + CONFIDENCE / 2, free))
    return Fit(x, covariance, own, quantile * np.sqrt(np.diag(covariance)) + np.abs(own), rest, quantile)


def _solve(
    A: Array, y: Array, noisy: Array, names: Sequence[str], units: Sequence[str], correlated: int
) -> tuple[Array, Array, Array]:
    """x, its covariance and its bias."""
    k = A.shape[2]
    size = np.sqrt(np.mean(A**2, axis=(0, 1)))
    if not size.all():
        unseen = [name for name, some in zip(names, size, strict=True) if not some]
        raise ModelError(f"the data do not depend on {', '.join(unseen)}: record a motion that does.")
    rows = (A / size).reshape(-1, k)
    _, s, V = np.linalg.svd(rows, full_matrices=False)
    own = np.sqrt(np.mean(((noisy / size).reshape(-1, k) @ V.T) ** 2, axis=0))
    shown = s / np.sqrt(len(rows))
    for j in reversed(range(k)):
        if s[j] <= ROUNDING * s[0] or shown[j] < SEEN * own[j]:
            raise _unseen(V[j], size, names, units, shown[j], own[j])
    normal = (V.T / s**2) @ V
    x = normal @ (rows.T @ y.reshape(-1))
    rest = (y.reshape(-1) - rows @ x).reshape(y.shape)
    u = np.einsum("tmk,tm->tk", A / size, rest)
    S, lags = u.T @ u, 2 * correlated if correlated > 1 else 0
    for lag in range(1, min(lags, len(u))):
        both = u[lag:].T @ u[:-lag]
        S += (1 - lag / lags) * (both + both.T)
    covariance = normal @ S @ normal * (y.size / max(y.size - k, 1))
    shift = (noisy / size).reshape(-1, k)
    bias = -normal @ (shift.T @ shift) @ x
    return x / size, covariance / np.outer(size, size), bias / size


def _unseen(
    v: Array, size: Array, names: Sequence[str], units: Sequence[str], shown: float, noise: float
) -> ModelError:
    """One combination of unknowns that changes nothing."""
    change = v / size
    told = np.flatnonzero(np.abs(v) > NAMED * np.abs(v).max()).tolist()
    change = change / change[told[0]]
    parts = [f"{names[j]} by {change[j]:.3g} {units[j]}" for j in told]
    why = f"{shown / noise:.2g} times what noise makes" if noise > ROUNDING * shown else "rounding"
    return ModelError(
        f"the data do not see this combination of unknowns: {', '.join(parts)}"
        f"{' together' if len(parts) > 1 else ''} changes them by {why}.\nRecord a motion in which it matters "
        f"(at least {SEEN:g} times the noise), or take some of these as known."
    )
