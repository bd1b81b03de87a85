"""The path of a flip: what turns by a given angle and pushes with a given force, and ends where it began.

    r̈ = f (sin θ e_x + cos θ e_z) - g e_z - d ṙ

θ turns once around between two phases in which the thrust first throws the vehicle up and then catches it; a lean in
these against the way it will be pushed while it lies on its side keeps it in place. f and θ are sums of polynomials of
degree five, so that the fourth derivative of r is continuous. Two forces and two leans follow from where it ends.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.control.abstract_path import AbstractPath, Computed
from visviva.control.paths import Polynomials, polynomial
from visviva.control.series import Series
from visviva.errors import ModelError

TURN, THROW = 0.913, 0.357  # [s] of the turn, of the throw and of the catch
ABOVE, ASIDE = 7.56, 2.32  # [m/s²] thrust over mass while upside down, and towards which it falls in between
RISE, LEAD, FALL, PEAK = 0.206, 0.079, 0.404, 0.146  # [s] in which f rises and falls, and when
GRID, ORDER, GAUSS = 5e-3, 10, 12  # [s] of pieces, their degree; points of a quadrature in each
ENDS = 1e-12  # [m], [m/s] what may be left at the end
HEIGHT = 1.0  # [m] where it begins


@lru_cache(maxsize=16)
def flip_path(d: float, g: float) -> tuple[AbstractPath, AbstractPath]:
    """r(t), (3,), and θ(t) about y [rad], for a drag d over mass [1/s]."""
    T, middle, after = TURN + 2 * THROW, THROW + TURN / 2, THROW + TURN
    angles = [_step(THROW, TURN), _bump(0.0, THROW / 2), _bump(after, THROW / 2)]
    forces = [
        _step(0.0, RISE), _step(THROW + LEAD, FALL), _step(after - LEAD - FALL, FALL), _step(T - RISE, RISE),
        _bump(middle - PEAK, PEAK),
    ]  # fmt: skip
    breaks = sorted({0.0, T, *(x for path in (*angles, *forces) for x in (*path.ends, *path.breaks))})
    u = _solved(angles, forces, breaks, d, g)

    theta, f = _theta(angles, u), _force(forces, u, g)
    turning = Computed(theta.series, (), (0.0, T), tuple(breaks[1:-1]), True)
    return _integrated(theta, f, breaks, d, g), turning


def _theta(parts: list[Any], u: Array) -> Any:
    """θ of paths, or of their values."""
    turn, first, second = parts
    return 2 * math.pi * turn - u[2] * first + u[3] * second


def _force(parts: list[Any], u: Array, g: float) -> Any:
    """f over mass of paths, or of their values."""
    rise, fall, again, end, peak = parts
    levels = (u[0] - g) * rise + (ASIDE - u[0]) * fall + (u[1] - ASIDE) * again + (g - u[1]) * end
    return g + levels + (ABOVE - ASIDE) * peak


def _step(begin: float, duration: float) -> AbstractPath:
    return polynomial(0.0, 1.0, duration, begin=begin)


def _bump(begin: float, half: float) -> AbstractPath:
    """Up to one and down again."""
    return _step(begin, half) - _step(begin + half, half)


def _solved(angles: list[AbstractPath], forces: list[AbstractPath], breaks: list[float], d: float, g: float) -> Array:
    """Two forces [m/s²] and two leans [rad] for which it ends at rest where it began: Newton's method.

    ṙ(T) = ∫ e^{-d (T-t)} A dt,   r(T) - r(0) = ∫ (1 - e^{-d (T-t)})/d A dt .
    """
    x, weight = np.polynomial.legendre.leggauss(GAUSS)
    spans = [np.linspace(a, b, 2 + int((b - a) / 0.05)) for a, b in pairwise(breaks)]
    ends = np.array([(a, b) for span in spans for a, b in pairwise(span)])
    half = np.diff(ends)[:, 0] / 2
    t = (ends.mean(axis=1)[:, None] + half[:, None] * x).ravel()
    h = (half[:, None] * weight).ravel()
    turns, pushes = [path(t) for path in angles], [path(t) for path in forces]
    (_, first, second), (rise, fall, again, end, _) = turns, pushes
    left = breaks[-1] - t
    kernels = np.array([np.exp(-d * left), left if d == 0 else -np.expm1(-d * left) / d]) * h

    def missed(u: Array) -> tuple[Array, Array]:
        theta, f = _theta(turns, u), _force(pushes, u, g)
        s, c = np.sin(theta), np.cos(theta)
        slopes = [(rise - fall) * s, (again - end) * s, -f * c * first, f * c * second]
        slopes_z = [(rise - fall) * c, (again - end) * c, f * s * first, -f * s * second]
        off = np.concatenate([kernels @ (f * s), kernels @ (f * c - g)])
        return off, np.concatenate([kernels @ np.transpose(slopes), kernels @ np.transpose(slopes_z)])

    u = np.array([15.0, 15.0, 0.2, 0.2])
    for _ in range(30):
        off, slope = missed(u)
        if np.abs(off).max() < ENDS:
            return u
        u = u - np.linalg.solve(slope, off)
    raise ModelError(f"there is no flip of this kind under drag/mass = {d:g} 1/s and gravity {g:g} m/s².")


def _integrated(theta: AbstractPath, f: AbstractPath, breaks: list[float], d: float, g: float) -> AbstractPath:
    """Pieces of Taylor polynomials of r, from piece to piece."""
    knots = [breaks[0]]
    for a, b in pairwise(breaks):
        knots += np.linspace(a, b, 2 + int((b - a) / GRID))[1:].tolist()
    state, found = np.array([[0.0, 0.0, HEIGHT], [0.0, 0.0, 0.0]]), []
    for a, b in pairwise(knots):
        just = math.nextafter(a, b)  # a polynomial that ends here knows nothing of what follows
        angle, force = theta.series(just, ORDER), f.series(just, ORDER)
        push = np.zeros((ORDER + 1, 3))
        push[:, 0], push[:, 2] = (force * angle.sin()).c, (force * angle.cos()).c
        push[0, 2] -= g
        r = np.zeros((ORDER + 1, 3))
        r[0], v = state[0], np.zeros((ORDER + 1, 3))
        v[0] = state[1]
        for k in range(ORDER):
            v[k + 1] = (push[k] - d * v[k]) / (k + 1)
            r[k + 1] = v[k] / (k + 1)
        powers = (b - a) ** np.arange(ORDER + 1)
        found.append(r * powers[:, None])
        state = np.array([powers @ r, powers @ v])
    c = np.array(found)
    shift = np.array([[math.comb(j, i) for j in range(ORDER + 1)] for i in range(ORDER + 1)], dtype=float)
    pieces = Polynomials(np.array(knots), c, np.einsum("ij,njk->nik", shift, c))

    def inner(t: float, order: int) -> Series:
        return pieces.inner(t, order)

    return Computed(inner, (3,), (knots[0], knots[-1]), tuple(breaks[1:-1]))
