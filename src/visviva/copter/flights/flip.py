"""The path of a flip: what turns by a given angle and pushes with a given force, and ends where it began.

    r̈ = f (sin θ e_x + cos θ e_z) - g e_z - d ṙ

The thrust throws the vehicle up, θ turns once around while it rises and falls, and the thrust catches it. Lying on its
side it pushes sideways, the more so as quick changes of ω take thrust of rotors that may not stand still: two leans
before, one to either side, shove it so that it comes through the middle on its back, and two after bring it to rest.
Both halves are mirrored, θ(T - t) = 2π - θ(t), f(T - t) = f(t), so that without drag the path is too.

f and θ are splines of degree five. Of all with largest values like those of Table 5.2, rotors of the quadcopter of
Table 5.1 between 0.4 N and 7.4 N with the moments that ω̇ takes, and less than 0.93 m of height, these go aside least:
4.5 cm. Found by sequential quadratic programming, with a small price on second differences of f and ω̇. What drag adds
is made up for by two forces and two leans, which follow from where it ends.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.control.abstract_path import AbstractPath, Computed
from visviva.control.paths import Polynomials, polynomial, spline
from visviva.errors import ModelError

ANGLES = (0, 1.69, 6.66, 5.32, -5.72, -17.13, -19.33, -9.95, 11.08, 43.69, 85.81, 131.86, 180)  # [°] up to the middle
THRUSTS = (9.81, 12.17, 16.69, 16.36, 10.63, 8.31, 15.20, 21.10, 14.70, 7.67, 3.54, 3.82, 6.99)  # [m/s²] over mass
EVERY, EARTH = 0.82 / 12, 9.81  # [s] between these, [m/s²]; thrusts go with g, times with 1/√g
GRID, ORDER, GAUSS = 5e-3, 10, 12  # [s] of pieces, their degree; points of a quadrature in each
ENDS = 1e-12  # [m], [m/s] what may be left at the end
HEIGHT = 1.0  # [m] where it begins


@lru_cache(maxsize=16)
def flip_path(d: float, g: float) -> tuple[AbstractPath, AbstractPath]:
    """r(t), (3,), and θ(t) about y [rad], for a drag d over mass [1/s]."""
    every, n = EVERY * math.sqrt(EARTH / g), 2 * len(ANGLES) - 1
    times, half = every * np.arange(n), np.radians(ANGLES)
    turn = spline(np.concatenate([half, 2 * math.pi - half[-2::-1]]), times)
    push = spline(g / EARTH * np.array([*THRUSTS, *THRUSTS[-2::-1]]), times)
    T = float(times[-1])
    parts = [turn, push, _bump(every, 5 * every), _bump(T - 11 * every, 5 * every)]
    breaks = sorted({0.0, T, *(x for path in parts for x in (*path.ends, *path.breaks))})
    u = _solved(parts, breaks, d, g)
    theta, f = _theta(parts, u), _force(parts, u)
    turning = Computed(theta.series, (), (0.0, T), tuple(breaks[1:-1]), True, True)
    return _integrated(theta, f, breaks, d, g), turning


def _theta(parts: list[Any], u: Array) -> Any:
    """θ of paths, or of their values."""
    turn, _, before, after = parts
    return turn - u[2] * before + u[3] * after


def _force(parts: list[Any], u: Array) -> Any:
    """f over mass of paths, or of their values."""
    _, push, before, after = parts
    return push + u[0] * before + u[1] * after


def _bump(begin: float, half: float) -> AbstractPath:
    """Up to one and down again."""
    return polynomial(0.0, 1.0, half, begin=begin) - polynomial(0.0, 1.0, half, begin=begin + half)


def _solved(parts: list[Any], breaks: list[float], d: float, g: float) -> Array:
    """Two forces [m/s²] and two leans [rad] for which it ends at rest where it began: Newton's method.

    ṙ(T) = ∫ e^{-d (T-t)} A dt,   r(T) - r(0) = ∫ (1 - e^{-d (T-t)})/d A dt .
    """
    x, weight = np.polynomial.legendre.leggauss(GAUSS)
    spans = [np.linspace(a, b, 2 + int((b - a) / 0.05)) for a, b in pairwise(breaks)]
    ends = np.array([(a, b) for span in spans for a, b in pairwise(span)])
    half = np.diff(ends)[:, 0] / 2
    t = (ends.mean(axis=1)[:, None] + half[:, None] * x).ravel()
    h = (half[:, None] * weight).ravel()
    values = [path(t) for path in parts]
    _, _, before, after = values
    left = breaks[-1] - t
    kernels = np.array([np.exp(-d * left), left if d == 0 else -np.expm1(-d * left) / d]) * h

    def missed(u: Array) -> tuple[Array, Array]:
        theta, f = _theta(values, u), _force(values, u)
        s, c = np.sin(theta), np.cos(theta)
        slopes = [before * s, after * s, -f * c * before, f * c * after]
        slopes_z = [before * c, after * c, f * s * before, -f * s * after]
        off = np.concatenate([kernels @ (f * s), kernels @ (f * c - g)])
        return off, np.concatenate([kernels @ np.transpose(slopes), kernels @ np.transpose(slopes_z)])

    u = np.zeros(4)
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

    return Computed(pieces.series, (3,), (knots[0], knots[-1]), tuple(breaks[1:-1]), many=True)
