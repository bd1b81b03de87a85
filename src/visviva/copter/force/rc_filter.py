"""A filter of remote controls, Bessel's of order four: it keeps the shape of a signal and tells derivatives; (5.72).

    d/dt (y, ẏ, ÿ, y⃛) = A (y, ẏ, ÿ, y⃛) + b u,     with last row -a_0 … -a_3 of A and a_0 of b

Steps are exact for signals that are held between ticks, x[k+1] = e^{AT} x[k] + ∫ e^{As} ds b u[k].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.signal
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, frozen
from visviva._suggestions import helpful

ORDER = 4


class RCFilter(NamedTuple):
    """One period of the filter."""

    T_S: float  # [s]
    a: Array  # (4,) a_0 … a_3 [1/s⁴ … 1/s]
    A: Array  # (4, 4) of one period
    b: Array  # (4,)


@helpful
def rc_filter(T_S: float = 0.005, *, cutoff: float = 7.0) -> RCFilter:
    """The filter that has lost 3 dB at a cutoff [Hz]; the text does not say what its 7 Hz mean. T_S: period [s]."""
    period = finite_number(T_S, "period T_S [s]", positive=True)
    w = 2 * np.pi * finite_number(cutoff, "cutoff [Hz]", positive=True)
    a = scipy.signal.bessel(ORDER, w, analog=True, norm="mag")[1][:0:-1]
    A, b = np.diag(np.ones(ORDER - 1), 1), np.zeros((ORDER, 1))
    A[-1], b[-1] = -a, a[0]
    units = w ** np.arange(ORDER)  # of derivatives: they differ by powers of 44/s, and e^{AT} is found in equal ones
    scaled = A * units / units[:, None]
    over = scipy.signal.cont2discrete((scaled, b / units[:, None], np.eye(ORDER), np.zeros((ORDER, 1))), period)
    return RCFilter(period, frozen(a), frozen(over[0] * units[:, None] / units), frozen(over[1][:, 0] * units))


def rc_filter_start(p: RCFilter, values: ArrayLike) -> Array:
    """State (channels, 4) where signals have rested at values: y, then three derivatives, of each."""
    held = np.atleast_1d(finite_array(values, "values of the channels"))
    return np.concatenate([held[:, None], np.zeros((len(held), ORDER - 1))], axis=1)


def filter_rc(p: RCFilter, x: Array, u: Array) -> Array:
    """State (channels, 4) at k + 1 from signals u[k] (channels,)."""
    out = np.empty(x.shape)
    for i in range(len(x)):
        out[i] = np.dot(p.A, x[i]) + p.b * u[i]
    return out
