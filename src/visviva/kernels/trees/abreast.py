"""Explicit Runge-Kutta steps of four motions of one tree at once, one lane each: hinges and sliders, forces in joints.

Each lane has the sums and products of `explicit` in the same order, so that a motion does not depend on how it is made.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import kernel, woven
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.field import DONE, STALLED, Field, accelerate, bounded, failed
from visviva.kernels.trees.lanes import WIDTH
from visviva.kernels.trees.tables import AT_Q, AT_V, DAMPING


class Abreast(NamedTuple):
    """Memory of a method with s stages, four motions wide."""

    A: Array  # (s, s)
    b: Array  # (s,)
    V: Array  # (s, n, 4) ξ̇
    D: Array  # (s, n, 4) δ̇
    P: Array  # (s, 4) power of damping
    delta: Array  # (n, 4)
    gain: Array  # (n, 4)
    q: Array  # (size_q, 4)
    xi: Array  # (n, 4)


@woven
def _sum(s: Abreast, a: Array, count: int, h: float) -> None:
    """δ and the gain of ξ from the first stages, by the weights a."""
    n, first = s.delta.shape[0], True
    for l in range(count):
        x = h * a[l]
        if x != 0.0 and first:
            first = False
            for k in range(n):
                for j in range(WIDTH):
                    s.delta[k, j] = x * s.D[l, k, j]
                    s.gain[k, j] = x * s.V[l, k, j]
        elif x != 0.0:
            for k in range(n):
                for j in range(WIDTH):
                    s.delta[k, j] += x * s.D[l, k, j]
                    s.gain[k, j] += x * s.V[l, k, j]
    if first:
        for k in range(n):
            for j in range(WIDTH):
                s.delta[k, j] = 0.0
                s.gain[k, j] = 0.0


@kernel
def steps_abreast(f: Field, s: Abreast, U: Array, Q: Array, XI: Array, lost: Array, h: float, end: Int) -> None:
    """Rows of Q, (nodes, size_q, 4), and XI, (nodes, n, 4), one step of length h apart; row 0 is given.

    U: (steps or 1, ports, 4) inputs that are held.   lost: (nodes, 4) what damping has taken [J].
    end: rows filled, how it ended, and where; one lane ends all.
    """
    n, ports, stages = XI.shape[1], f.drive.ports, s.b.shape[0]
    end[0], end[1] = 0, DONE
    for r in range(1, Q.shape[0]):
        row = U[r - 1 if U.shape[0] > 1 else 0]
        for p in range(ports.shape[0]):
            for j in range(WIDTH):
                f.tau[ports[p], j] = row[p, j]
        for stage in range(stages):
            _sum(s, s.A[stage], stage, h)
            for k in range(n):
                for j in range(WIDTH):
                    s.xi[k, j] = XI[r - 1, k, j] + s.gain[k, j]
                    s.D[stage, k, j] = s.xi[k, j]
            for i in range(f.K.shape[0]):
                for j in range(WIDTH):
                    s.q[f.K[i, AT_Q], j] = Q[r - 1, f.K[i, AT_Q], j] + s.delta[f.K[i, AT_V], j]
            singular = accelerate(f, s.q, s.xi, s.V[stage])
            if singular >= 0:
                failed(singular, s.q, s.xi, end)
                return
            for j in range(WIDTH):
                s.P[stage, j] = 0.0
            for k in range(n if f.active else 0):
                for j in range(WIDTH):
                    s.P[stage, j] += f.E[k, DAMPING] * s.xi[k, j] * s.xi[k, j]
        _sum(s, s.b, stages, h)
        for k in range(n):
            for j in range(WIDTH):
                XI[r, k, j] = XI[r - 1, k, j] + s.gain[k, j]
        for i in range(f.K.shape[0]):
            for j in range(WIDTH):
                Q[r, f.K[i, AT_Q], j] = Q[r - 1, f.K[i, AT_Q], j] + s.delta[f.K[i, AT_V], j]
        for j in range(WIDTH):
            lost[r, j] = lost[r - 1, j]
            for stage in range(stages if f.active else 0):
                lost[r, j] += h * s.b[stage] * s.P[stage, j]
        if not (bounded(Q[r]) and bounded(XI[r])):
            end[1] = STALLED
            return
        end[0] = r
