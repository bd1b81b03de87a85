"""End stops: a displacement is pushed back beyond its range, smoothly, with or without loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Irreversible, Storage, irreversible, storage
from visviva.library.onsager import heating
from visviva.library.quantities import displacement, entropy, momentum


def indentation(x: Any, width: Any) -> Any:
    """The positive part of x, rounded over a width w: δ(x) = (x + √(x² + w²))/2, which is x + O(w²/x) beyond."""
    return (x + np.sqrt(x**2 + width**2)) / 2


def stop_energy(q: Any, low: Any, high: Any, k: Any, width: Any) -> Any:
    """k (δ(low - q)² + δ(q - high)²)/2."""
    return 0.5 * k * (indentation(low - q, width) ** 2 + indentation(q - high, width) ** 2)


def stop_force(x: Any, k: Any, width: Any) -> Any:
    """k δ(x) δ'(x) = k δ²/√(x² + w²), the derivative of k δ(x)²/2: what a stop pushes with, never negative."""
    return k * indentation(x, width) ** 2 / np.sqrt(x**2 + width**2)


def stop_resistance(force: Any, out: Any, loss: Any) -> Any:
    """Resistance μ of the contact of a stop that pushes with a force F ≥ 0, at the rate v out of the range.

    The loss is a part of the elastic force: μ v = F χ(β v) with χ(s) = s/(1 + max(0, -s)) > -1. That is as much as Hunt
    and Crossley (1975) with exponent one where the contact closes, and F (1 + χ) never pulls where it opens.

    loss: β [s/m, s/rad], damping over stiffness.
    """
    s = loss * out
    return loss * force / (1 + (np.abs(s) - s) / 2)


def stops(low: float, high: float, k: float, width: float) -> Storage:
    """Elastic stops at both ends of a range: H(q) = k (δ(low - q)² + δ(q - high)²)/2.

    Inside the range the force falls off as k w⁴/(16 y³) with the distance y to a stop; no part of it is cut off, so
    that the energy is smooth and its discrete gradient exact.

    low, high: ends [m].   k: stiffness [N/m], positive.   width: over which contact sets in [m], positive.   Port: q.
    """
    low, high = _range(low, high)
    k = finite_number(k, "k of stops [N/m]", positive=True)
    width = finite_number(width, "width of stops [m]", positive=True)

    def H(x: Any, low: Any, high: Any, k: Any, width: Any) -> Any:
        return stop_energy(x.q, low, high, k, width)

    return storage({"q": displacement}, H=H, low=low, high=high, k=k, width=width)


def damped_stops(low: float, high: float, k: float, d: float, width: float) -> Irreversible:
    """Loss in end stops, a part of their elastic force: see `stop_resistance`. The stop of both never pulls.

    It grows with the contact, as d δ v far beyond the width while it closes, and does not jump when it begins.

    low, high, k, width: of the `stops` that it belongs to.   d: [N s/m²], positive.
    Ports: q (state only; join it with that of `stops`), p, s (the heat).
    """
    low, high = _range(low, high)
    k = finite_number(k, "k of damped stops [N/m]", positive=True)
    d = finite_number(d, "d of damped stops [N s/m²]", positive=True)
    width = finite_number(width, "width of damped stops [m]", positive=True)

    def M(x: Any, e: Any, theta: Any, low: Any, high: Any, k: Any, d: Any, width: Any) -> Any:
        below, above = stop_force(low - x.q, k, width), stop_force(x.q - high, k, width)
        mu = stop_resistance(below, -e.p, d / k) + stop_resistance(above, e.p, d / k)
        return heating(mu, e.p, theta.s)

    ports = {"q": displacement.state, "p": momentum, "s": entropy}
    return irreversible(ports, M=M, low=low, high=high, k=k, d=d, width=width)


def _range(low: float, high: float) -> tuple[float, float]:
    low, high = finite_number(low, "low end of stops [m]"), finite_number(high, "high end of stops [m]")
    if not low < high:
        raise ModelError(f"stops from {low:g} to {high:g} m leave no room: low must be less than high.")
    return low, high
