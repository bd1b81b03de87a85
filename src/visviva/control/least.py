"""What goals leave open: the motion with the least kinetic energy among all that meet them.

v minimises vᵀM v/2 with A v = V: M v = Aᵀλ. The derivative of both along the motion gives its acceleration,

    M a - Aᵀμ = Ȧᵀλ - Ṁ v,    A a = V̇ - Ȧ v.

Such velocities are no gradient, so that configurations follow from them by integration from the begin, between nodes
by a commutator-free method of order four, and are then brought to the goals.

Source: Celledoni, Marthinsen and Owren, Commutator-free Lie group methods (2003), order four.
"""

from __future__ import annotations

import math
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.control.follow import Follower
from visviva.errors import ModelError
from visviva.numerics.constrained import constrained
from visviva.numerics.rank import velocity_units

DIFFERENCE = 1e-3  # [rad, typical lengths] of differences of order four, for Ṁ and Ȧ
STEPS = 4  # between nodes


@final
class LeastMotion:
    """(q, v, a) of a `Follower` that leaves something open."""

    def __init__(self, follower: Follower) -> None:
        if follower.keeps_loops:
            raise ModelError(
                f"rest='least' of mechanism {follower.d.name!r} with loops takes independent velocities: "
                "vv.control.reference(vv.dynamics(m, independent='rank'), ...)."
            )
        self._by, self._nodes = follower, dict[int, Array]()

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """At one time."""
        by = self._by
        k = math.trunc((t - by.begin) / by.step)
        q = self._flow(self._node(k), by.begin + k * by.step, t)
        v, lam = self._velocity(q, t)
        return q, v, self._acceleration(q, v, lam, t)

    def _node(self, k: int) -> Array:
        self._nodes.setdefault(0, self._by.start)
        sign, last = (1 if k > 0 else -1), k
        while last not in self._nodes:
            last -= sign
        while last != k:
            t0, t1 = (self._by.begin + j * self._by.step for j in (last, last + sign))
            self._nodes[last + sign] = self._flow(self._nodes[last], t0, t1)
            last += sign
        return self._nodes[k]

    def _flow(self, q: Array, t0: float, t1: float) -> Array:
        """Along the velocities of least energy, then to the goals."""
        h, move = (t1 - t0) / STEPS, self._by.d.integrate
        if not h:
            return q
        for j in range(STEPS):
            t = t0 + j * h
            F1 = h * self._velocity(q, t)[0]
            q2 = move(q, 0.5 * F1)
            F2 = h * self._velocity(q2, t + 0.5 * h)[0]
            F3 = h * self._velocity(move(q, 0.5 * F2), t + 0.5 * h)[0]
            F4 = h * self._velocity(move(q2, F3 - 0.5 * F1), t + h)[0]
            q = move(move(q, (3 * F1 + 2 * F2 + 2 * F3 - F4) / 12), (-F1 + 2 * F2 + 2 * F3 + 3 * F4) / 12)
        return self._by.corrected(q, t1)

    def _velocity(self, q: Array, t: float) -> tuple[Array, Array]:
        """v and λ, of rows in units."""
        by = self._by
        A, M = by.rows(q).A / by.units[:, None], by.d.mass_matrix(q)
        wanted = by.wanted(t).V
        found = constrained(M, A, np.zeros(by.d.nv), wanted / by.units, velocity_units(np.diag(M), sizes=by.d.sizes))
        by.check(A @ found.a * by.units - wanted, wanted, t, "/s")
        return found.a, -found.w

    def _acceleration(self, q: Array, v: Array, lam: Array, t: float) -> Array:
        by = self._by
        M, A, state = by.d.mass_matrix(q), by.rows(q).A / by.units[:, None], by.state(q, v)
        wanted = by.wanted(t).V_dot - np.concatenate([goal.bias(state) for goal in by.goals])
        unit = velocity_units(np.diag(M), sizes=by.d.sizes)
        a = constrained(M, A, self._rates(q, v, lam), wanted / by.units, unit).a
        by.check(A @ a * by.units - wanted, wanted, t, "/s²")
        return a

    def _rates(self, q: Array, v: Array, lam: Array) -> Array:
        """Ȧᵀλ - Ṁ v along the motion, by differences of order four."""
        by = self._by
        speed = float(np.abs(v / by.d.sizes).max(initial=0.0))
        if not speed:
            return np.zeros(by.d.nv)
        h = DIFFERENCE / speed

        def at(k: int) -> Array:
            there = by.d.integrate(q, k * h * v)
            A = by.rows(there).A / by.units[:, None]
            return np.asarray(A.T @ lam - by.d.mass_matrix(there) @ v)

        return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
