"""Inputs of a tree over time, as numbers that compiled loops read: no Python runs while they step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.flows.local import stage_times

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int
    from visviva.kernels.trees.field import Drive

DEGREE = 16
CLOSE = 1e-14  # of the largest input: last coefficients of a polynomial that is good enough
SHORT = 1e-12  # of an interval: a piece with a jump in it is made no shorter
PIECES = 500  # of an interval


class TooManyPieces(ModelError):
    """Inputs that no reasonable number of polynomials follows."""


@final
@dataclass(frozen=True, eq=False)
class TreeInputs:
    """Inputs at the stages of fixed steps, or polynomials in time between nodes.

    ports:    the velocity that each input acts on; -1: what acts on bodies knows where.
    constant: inputs that do not change, in place of both.
    """

    ports: Int  # (m,)
    U: Array  # (steps, stages, m)
    breaks: Array  # (pieces + 1,) times
    P: Array  # (pieces, DEGREE + 1, m)
    constant: Array | None = None  # (m,)

    def drive(self, lanes: int = 0) -> Drive:
        """As compiled loops want them."""
        from visviva.kernels.trees.field import Drive

        u = np.zeros((len(self.ports), *([lanes] if lanes else [])))
        if self.constant is not None:
            u.T[:] = self.constant
        return Drive(self.ports, self.U, self.breaks, self.P, u, np.zeros(lanes or 1))


@cache
def no_inputs() -> TreeInputs:
    """None: τ is constant."""
    return TreeInputs(np.zeros(0, dtype=np.int64), np.zeros((0, 0, 0)), np.zeros(1), np.zeros((0, 0, 0)))


def unchanged(ports: Int, u: Array) -> TreeInputs:
    """Inputs that do not change."""
    return TreeInputs(ports, np.zeros((0, 0, 0)), np.zeros(1), np.zeros((0, 0, 0)), u)


def sampled(ports: Int, u: Callable[[float], Array], starts: Array, h: float, c: Array) -> TreeInputs:
    """u at the stages, at parts c of steps of length h that begin at some times."""
    U = np.array([[u(float(x)) for x in stage_times(float(t), h, c)] for t in starts])
    return TreeInputs(ports, U.reshape(len(starts), len(c), len(ports)), np.zeros(1), np.zeros((0, 0, 0)))


def interpolated(ports: Int, u: Callable[[float], Array], nodes: Array) -> TreeInputs:
    """u as polynomials between nodes, to rounding: where one does not follow it, halves of the interval are tried.

    A jump is closed in by ever shorter pieces, of at last 10⁻¹² of the interval. Polynomials go through u at the zeros
    of Chebyshev's, whose last coefficients say how well they follow it (Trefethen (2013), Approximation Theory and
    Approximation Practice, chapters 3 and 4).
    """
    pieces = list[tuple[float, Array]]()
    size = 0.0
    for begin, end in pairwise(nodes):
        first, left = len(pieces), [(float(begin), float(end))]
        while left:
            a, b = left.pop()
            values = np.array([u(0.5 * (a + b) + 0.5 * (b - a) * x) for x in _points()]).reshape(-1, len(ports))
            size = max(size, float(np.abs(values).max(initial=0.0)))
            coefficients = _transform() @ values
            tail = np.abs(coefficients[-3:]).max(initial=0.0)
            if tail <= CLOSE * size or b - a <= SHORT * (end - begin):
                pieces.append((b, coefficients))
            else:
                left += [(0.5 * (a + b), b), (a, 0.5 * (a + b))]
            if len(pieces) + len(left) - first > PIECES:
                raise TooManyPieces(f"the inputs change too often between t = {begin:g} s and {end:g} s.")
    breaks = np.array([float(nodes[0]), *(b for b, _ in pieces)])
    P = np.array([each for _, each in pieces]).reshape(len(pieces), DEGREE + 1, len(ports))
    return TreeInputs(ports, np.zeros((0, 0, 0)), breaks, P)


@cache
def _points() -> Array:
    return np.asarray(np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1)))


@cache
def _transform() -> Array:
    """From values at the points to coefficients."""
    k = np.arange(DEGREE + 1)
    T = 2.0 / (DEGREE + 1) * np.cos(np.pi * np.outer(k, k + 0.5) / (DEGREE + 1))
    T[0] *= 0.5
    return np.asarray(T)
