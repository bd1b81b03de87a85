"""Powers of steps that also solve the constraints' rates: what the multipliers of the velocity level do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.model import Model
from visviva.model.curved import Curved
from visviva.model.holonomic import Holonomic
from visviva.model.layout import Index
from visviva.model.structure import AbstractConstraint
from visviva.results.record import Record

RANK_TOLERANCE = 1e-10
CHUNK = 256  # steps whose matrices are in memory at a time


@final
class Stabilised:
    """A step of M (q1 - q0) = h (M v̄ + Gᵀγ): forces do their work on q1 - q0, not on h v̄ (see `PHMPGGL`).

    γ is the one of least norm that explains the difference; where constraints are redundant, so are its shares.
    """

    def __init__(self, model: Model, record: Record) -> None:
        self.model = model
        n = len(model.layout.act(tuple(model.kinetic)))  # states are (q, v, y): as many velocities as coordinates
        x0, x1, h = record.x_before, record.x[1:], record.h[:, None]
        self.rate = (x1[:, :n] - x0[:, :n]) / h
        v0, v1 = x0[:, n : 2 * n], x1[:, n : 2 * n]
        self.v_mid, self.v_dot = 0.5 * (v0 + v1), (v1 - v0) / h
        self.q_mid = 0.5 * (x0[:, :n] + x1[:, :n])
        self.ends = x0, x1
        self.n = n

    def efforts(self, z: Array) -> Array:
        """The efforts of a step, with the velocities on which its forces do their work."""
        return np.concatenate([z[:, : self.n], self.rate, z[:, 2 * self.n :]], axis=-1)

    def powers(self) -> Iterator[tuple[str, str, Array]]:
        """γ·(∂_q(G v̄) q̇ + G v̇) of each constraint at each velocity it acts on [W]."""
        model, gam, first = self.model, self._gam(), self.model.layout.dim
        for part in model.constraints:
            at, rows = model.layout.read(part.reads), model.layout.act((part.name,)) - first
            G, turn = self._slopes(part, at)
            terms = turn * self.rate[:, None, at] + G * self.v_dot[:, None, at]  # (N, rows, k)
            power = apply(transpose(terms), gam[:, rows])
            ends = np.cumsum([0, *(model.layout.z[name].stop - model.layout.z[name].start for name in part.acts)])
            for name, a, b in zip(part.acts, ends, ends[1:], strict=False):
                yield part.name, name, power[:, a:b].sum(-1)

    def _slopes(self, part: AbstractConstraint, at: Index) -> tuple[Array, Array]:
        """(G, W) of a constraint with G Δv + W Δq = Δ(∇g v), (N, rows, k) each."""
        if isinstance(part, Curved):
            q0, q1 = (end[:, at] for end in self.ends)
            return 0.5 * (part.gradient(q0) + part.gradient(q1)), part.turn(q0, q1, self.v_mid[:, at])
        assert isinstance(part, Holonomic)  # the director schemes take no others
        return part.g.gradient(self.q_mid[:, at]), part.g.turn(self.v_mid[:, at])

    def _gam(self) -> Array:
        """γ of every step, (N, rows)."""
        n = self.n
        if self.model.coordinates:
            return self._gam_of_lagrangian()
        M = self.model.E(np.zeros(self.model.layout.size))[n : 2 * n, n : 2 * n]
        rest = np.zeros((len(self.q_mid), self.model.layout.size - 2 * n))  # which no constraint reads
        x, lag = np.concatenate([self.q_mid, self.v_mid, rest], axis=-1), (self.rate - self.v_mid) @ M
        gam = np.empty((len(x), self.model.layout.solved - self.model.layout.dim))
        for first in range(0, len(x), CHUNK):
            steps = slice(first, first + CHUNK)
            Gt = transpose(self.model.C(x[steps])[..., n : 2 * n])
            gam[steps] = apply(np.asarray(np.linalg.pinv(Gt, rcond=RANK_TOLERANCE)), lag[steps])
        return gam

    def _gam_of_lagrangian(self) -> Array:
        """The same from Aᵀ (r - ē) = Ḡᵀ γ; see `integrate.lagrangian_ggl`."""
        model, n = self.model, self.n
        A = model.mass("v", 0.5 * (self.ends[0] + self.ends[1]), self.ends)
        lag = apply(transpose(A), self.rate - model.mean_z(*self.ends)[:, n : 2 * n])
        G = [self._slopes(part, model.layout.read(part.reads))[0] for part in model.constraints]
        Gt = transpose(np.concatenate([np.zeros((len(lag), 0, n)), *G], axis=-2))
        return apply(np.asarray(np.linalg.pinv(Gt, rcond=RANK_TOLERANCE)), lag)
