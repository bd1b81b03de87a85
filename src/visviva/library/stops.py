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


def damped_stops(low: float, high: float, d: float, width: float) -> Irreversible:
    """Loss in end stops, in proportion to the indentation: force d (δ(low - q) + δ(q - high)) v.

    It grows with the contact and does not jump when it begins: Hunt and Crossley (1975), with exponent one.

    d: [N s/m²], positive.   Ports: q (state only; join it with that of `stops`), p, s (the heat).
    """
    low, high = _range(low, high)
    d = finite_number(d, "d of damped stops [N s/m²]", positive=True)
    width = finite_number(width, "width of damped stops [m]", positive=True)

    def M(x: Any, e: Any, theta: Any, low: Any, high: Any, d: Any, width: Any) -> Any:
        return heating(d * (indentation(low - x.q, width) + indentation(x.q - high, width)), e.p, theta.s)

    ports = {"q": displacement.state, "p": momentum, "s": entropy}
    return irreversible(ports, M=M, low=low, high=high, d=d, width=width)


def _range(low: float, high: float) -> tuple[float, float]:
    low, high = finite_number(low, "low end of stops [m]"), finite_number(high, "high end of stops [m]")
    if not low < high:
        raise ModelError(f"stops from {low:g} to {high:g} m leave no room: low must be less than high.")
    return low, high
