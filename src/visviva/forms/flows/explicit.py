"""Explicit Runge-Kutta steps of flows: any table, and the error estimate of Dormand and Prince's method of order 8."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.flows.local import Local, stage_times


@final
@dataclass(frozen=True, eq=False)
class Table:
    """A Butcher table: stages Y_i = y0 + h Σ a_ij k_j at t + c_i h, y1 = y0 + h Σ b_i k_i.

    E3, E5: weights of the errors of embedded methods of orders 3 and 5, if there are any.
    """

    A: Array
    b: Array
    c: Array
    E3: Array | None = None
    E5: Array | None = None


RK4_TABLE = Table(
    A=np.array([[0.0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]]),
    b=np.array([1.0, 2.0, 2.0, 1.0]) / 6.0,
    c=np.array([0.0, 0.5, 0.5, 1.0]),
)


@cache
def dop853_table() -> Table:
    """Dormand and Prince's method of order 8 with twelve stages, from the attributes of SciPy's solver class.

    Hairer, Nørsett, Wanner (1993), section II.5. The errors of the embedded methods need no thirteenth stage.
    """
    from scipy.integrate import DOP853

    A, b, c = (np.array(part, dtype=np.float64) for part in (DOP853.A, DOP853.B, DOP853.C))
    return Table(A, b, c, np.array(DOP853.E3[:-1]), np.array(DOP853.E5[:-1]))


def stages(local: Local, table: Table, h: float) -> tuple[Array, Array]:
    """States Y and rates K of all stages, (stages, 2n + extra) each."""
    times, Y = stage_times(local.start.t, h, table.c), np.empty((len(table.b), len(local.y0)))
    K = np.empty_like(Y)
    for i, row in enumerate(table.A):
        Y[i] = local.y0 + h * (row[:i] @ K[:i])
        K[i] = local.rate(times[i], Y[i])
    return Y, K


def error_estimate(local: Local, table: Table, K: Array, h: float) -> float:
    """Local error in the units of `Local.sizes`, root mean square; infinite where it is not finite.

    The estimates e5 and e3 of two embedded methods make h e5²/√(e5² + e3²/100), of order 8: Hairer, Nørsett, Wanner
    (1993), section II.10.
    """
    assert table.E3 is not None
    assert table.E5 is not None
    units = local.sizes(h, K[0])
    e5, e3 = (float(np.linalg.norm(E @ K / units)) for E in (table.E5, table.E3))
    if not np.isfinite(e5 + e3):
        return np.inf
    if e5 == 0.0:
        return 0.0
    return abs(h) * e5**2 / float(np.sqrt((e5**2 + 0.01 * e3**2) * len(units)))
