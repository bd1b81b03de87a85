"""Derivatives of samples by Savitzky and Golay, and the means of everything else that match them.

The estimate of a derivative is a sum of differences, and so a weighted mean of the true one over the window:

    Σ w_j x_{k+j} = Σ g_j (x_{k+j+1} - x_{k+j})/T,     g_j = -T Σ_{i≤j} w_i,     Σ g_j = 1

An equation ẋ = f holds exactly between this and the mean Σ g_j ∫ f dt/T. To compare the estimate with f at the middle
of the window instead would take its smoothing for damping. The same goes twice for ẍ = f, with hats over two steps.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import savgol_coeffs

from visviva._arrays import Array
from visviva.errors import ModelError


class SavitzkyGolay:
    """Estimates over windows of samples (n, ...) with a period T [s]; results have n - window + 1 rows.

    window: number of samples, odd.   order: of the polynomial in a window.
    """

    def __init__(self, window: int, order: int, T: float, derivative: int) -> None:
        whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in (window, order))
        if not (whole and window % 2 and window > order >= derivative):
            raise ModelError(
                f"window is an odd number of samples above the order, which is {derivative} at least, both whole "
                f"numbers; got window={window!r}, order={order!r}."
            )
        self.window, self.T = int(window), T
        w = savgol_coeffs(window, order, deriv=derivative, delta=T, use="dot")
        self._w = w - w.mean()  # rounding
        g = -T * np.cumsum(self._w)[:-1]
        self._g = g if derivative == 1 else -T * np.cumsum(g - g.mean())[:-1]
        self._smooth = savgol_coeffs(window, order, use="dot")
        self._share = float(self._smooth[window // 2])

    def derivative(self, x: Array) -> Array:
        """The estimate Σ w_j x_{k+j}."""
        return _slide(self._w, x)

    def mean(self, f: Array) -> Array:
        """The mean of f that matches it, of a smooth f: the trapezoidal rule once, that of Numerov twice."""
        if len(self._g) == self.window - 1:
            return _slide(self._g, (f[1:] + f[:-1]) / 2)
        return _slide(self._g, (f[2:] + 10 * f[1:-1] + f[:-2]) / 12)

    def mean_held(self, u: Array) -> Array:
        """The same of an input that is held from each time to the next, exactly."""
        if len(self._g) == self.window - 1:
            return _slide(self._g, u[:-1])
        return _slide(self._g, (u[1:-1] + u[:-2]) / 2)

    def mean_rate(self, x: Array) -> Array:
        """The mean of ẋ that matches an estimate of ẍ, exactly."""
        return _slide(self._g, (x[2:] - x[:-2]) / (2 * self.T))

    def middle(self, t: Array) -> Array:
        """Times of the middles of the windows."""
        half = self.window // 2
        return t[half : len(t) - half]

    def noise(self, x: Array) -> Array:
        """Standard deviation of white noise on samples, from what the polynomials leave, per column."""
        left = self.middle(x) - _slide(self._smooth, x)
        return np.asarray(np.sqrt(np.mean(left**2, axis=0) / (1 - self._share)))

    def derivative_noise(self, x: Array) -> Array:
        """Standard deviation of the derivative, of the same noise."""
        return np.asarray(self.noise(x) * np.linalg.norm(self._w))


def _slide(weights: Array, x: Array) -> Array:
    """Σ_j weights_j x_{k+j}."""
    n = len(x) - len(weights) + 1
    found = np.zeros((n, *x.shape[1:]))
    for j, weight in enumerate(weights):
        found += weight * x[j : j + n]
    return found
