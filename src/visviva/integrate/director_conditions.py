"""Conditions in the director schemes: their rows, put among the quadratic ones of joints."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.integrate.newton import difference_jacobian, difference_size
from visviva.model import Model
from visviva.model.conditioned import Conditioned
from visviva.model.layout import Index


@final
class DirectorConditions:
    """All conditions of a model in director form, with their places; derivatives are made by differences within each.

    n: number of coordinates of all bodies.
    """

    def __init__(self, model: Model, n: int) -> None:
        self._parts: list[tuple[Conditioned, Index, Index, Index]] = []
        for part in model.constraints:
            if isinstance(part, Conditioned):
                reads, rows = model.layout.read(part.reads), model.layout.act((part.name,)) - model.layout.dim
                self._parts.append((part, rows, reads[: part.size], reads[part.size :] - 2 * n))

    def add_gaps(self, g: Array, q0: Array, q1: Array, rest: Array) -> None:
        """g at the end of a step; for rows without one what their velocities miss in the way made."""
        for part, rows, at, others in self._parts:
            if part.has_g:
                end = np.concatenate([q1[at], rest[others]])
                g[rows] += part.value(np.concatenate([end, end]))
            else:
                g[rows] += part.condition.C(q0[at], q1[at]) @ (q1[at] - q0[at])

    def add_gap_slopes(self, G: Array, q0: Array, q1: Array) -> None:
        """∂g/∂q1."""
        for part, rows, at, _ in self._parts:
            if part.has_g:
                G[np.ix_(rows, at)] += part.condition.C(q1[at], q1[at])
                continue

            def gap(q: Array, part: Conditioned = part, q0: Array = q0[at]) -> Array:
                return apply(part.condition.C(np.broadcast_to(q0, q.shape), q), q - q0)

            G[np.ix_(rows, at)] += difference_jacobian(gap, q1[at], difference_size(q1[at]))

    def add_rows(self, G: Array, q0: Array, q1: Array) -> None:
        """C(q0, q1)."""
        for part, rows, at, _ in self._parts:
            G[np.ix_(rows, at)] += part.condition.C(q0[at], q1[at])

    def add_bend(self, K: Array, q0: Array, q1: Array, lam: Array) -> None:
        """∂(C(q0, q1)ᵀλ)/∂q1."""
        for part, rows, at, _ in self._parts:

            def force(q: Array, part: Conditioned = part, q0: Array = q0[at], lam: Array = lam[rows]) -> Array:
                return apply(transpose(part.condition.C(np.broadcast_to(q0, q.shape), q)), lam)

            K[np.ix_(at, at)] += difference_jacobian(force, q1[at], difference_size(q1[at]))

    def add_rate_secants(self, D_q: Array, D_v: Array, q0: Array, q1: Array, v0: Array, v1: Array) -> None:
        """Discrete derivatives of C v by q and v; none for rows without a g."""
        for part, rows, at, _ in self._parts:
            if part.has_g:
                by_q, by_v = part.condition.rate_secants(q0[at], q1[at], v0[at], v1[at])
                D_q[np.ix_(rows, at)] += by_q
                D_v[np.ix_(rows, at)] += by_v

    def add_rate_bends(
        self, q0: Array, q1: Array, v0: Array, v1: Array, gam: Array, K: tuple[tuple[Array, Array], tuple[Array, Array]]
    ) -> None:
        """∂(D_qᵀγ, D_vᵀγ)/∂(q1, v1), added to the four matrices K."""
        for part, rows, at, _ in self._parts:
            if not part.has_g:
                continue
            k = len(at)

            def forces(
                y: Array, part: Conditioned = part, q0: Array = q0[at], v0: Array = v0[at], gam: Array = gam[rows]
            ) -> Array:
                n = y.shape[-1] // 2
                start = np.broadcast_to(q0, y[..., :n].shape), np.broadcast_to(v0, y[..., :n].shape)
                by_q, by_v = part.condition.rate_secants(start[0], y[..., :n], start[1], y[..., n:])
                return np.concatenate([apply(transpose(by_q), gam), apply(transpose(by_v), gam)], axis=-1)

            y = np.concatenate([q1[at], v1[at]])
            slope = difference_jacobian(forces, y, np.concatenate([difference_size(q1[at]), difference_size(v1[at])]))
            for i, own in enumerate((slice(0, k), slice(k, 2 * k))):
                for j, other in enumerate((slice(0, k), slice(k, 2 * k))):
                    K[i][j][np.ix_(at, at)] += slope[own, other]

    def add_speed_slopes(self, G_q: Array, q1: Array, v1: Array) -> None:
        """∂(C(q1, q1) v1)/∂q1."""
        for part, rows, at, _ in self._parts:
            if part.has_g:

                def speed(q: Array, part: Conditioned = part, v: Array = v1[at]) -> Array:
                    return apply(part.condition.C(q, q), v)

                G_q[np.ix_(rows, at)] += difference_jacobian(speed, q1[at], difference_size(q1[at]))
