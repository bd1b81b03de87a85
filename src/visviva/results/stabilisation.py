"""Powers of steps that also solve the constraints' rates: what the multipliers of the velocity level do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.model import Model
from visviva.model.conditioned import Conditioned
from visviva.model.curved import Curved
from visviva.model.holonomic import Holonomic
from visviva.model.layout import Index
from visviva.model.structure import AbstractConstraint
from visviva.numerics.rank import TOLERANCE
from visviva.results.record import Record

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
        self.q0, self.q1, self.v0, self.v1 = x0[:, :n], x1[:, :n], x0[:, n : 2 * n], x1[:, n : 2 * n]
        self.v_mid, self.v_dot = 0.5 * (self.v0 + self.v1), (self.v1 - self.v0) / h
        self.q_mid = 0.5 * (self.q0 + self.q1)
        self.ends = x0, x1
        self.n = n

    def efforts(self, z: Array) -> Array:
        """The efforts of a step, with the velocities on which its forces do their work."""
        return np.concatenate([z[:, : self.n], self.rate, z[:, 2 * self.n :]], axis=-1)

    def powers(self) -> Iterator[tuple[str, str, Array]]:
        """γ·(D_q q̇ + D_v v̇) of each constraint at each velocity it acts on [W]; D: derivatives of its rate."""
        model, gam, first = self.model, self._gam(), self.model.layout.dim
        for part in self._conditions:
            at, rows = self._places(part), model.layout.act((part.name,)) - first
            D_q, D_v = self._secants(part, slice(None))
            terms = D_q * self.rate[:, None, at] + D_v * self.v_dot[:, None, at]  # (N, rows, k)
            power = apply(transpose(terms), gam[:, rows])
            ends = np.cumsum([0, *(model.layout.z[name].stop - model.layout.z[name].start for name in part.acts)])
            for name, a, b in zip(part.acts, ends, ends[1:], strict=False):
                yield part.name, name, power[:, a:b].sum(-1)

    @property
    def _conditions(self) -> list[AbstractConstraint]:
        """Constraints of the motion, which have rates; others, of boxes, follow from it."""
        return [part for part in self.model.constraints if isinstance(part, Curved | Conditioned | Holonomic)]

    def _places(self, part: AbstractConstraint) -> Index:
        """Coordinates of the bodies that a constraint acts on."""
        return self.model.acts(part) - self.n

    def _secants(self, part: AbstractConstraint, steps: slice) -> tuple[Array, Array]:
        """Derivatives of its rate between the ends of steps, by coordinates and velocities, (N, rows, k)."""
        at = self._places(part)
        ends = (self.q0[steps, at], self.q1[steps, at], self.v0[steps, at], self.v1[steps, at])
        if isinstance(part, Curved):
            D_v = 0.5 * (part.gradient(ends[0]) + part.gradient(ends[1]))
            return part.turn(ends[0], ends[1], self.v_mid[steps, at]), D_v
        if isinstance(part, Conditioned):
            D_q, D_v = part.condition.rate_secants(*ends)
            return D_q * part.has_g, D_v * part.has_g
        assert isinstance(part, Holonomic)  # the director schemes take no others
        return part.g.turn(self.v_mid[steps, at]), part.g.gradient(self.q_mid[steps, at])

    def _gam(self) -> Array:
        """γ of every step, (N, rows)."""
        if self.model.coordinates:
            return self._gam_of_lagrangian()
        n, first = self.n, self.model.layout.dim
        M = self.model.E(np.zeros(self.model.layout.size))[n : 2 * n, n : 2 * n]
        lag = (self.rate - self.v_mid) @ M
        gam = np.empty((len(lag), self.model.layout.solved - first))
        for begin in range(0, len(lag), CHUNK):
            steps = slice(begin, begin + CHUNK)
            G = np.zeros((len(lag[steps]), gam.shape[1], n))
            for part in self._conditions:
                rows = self.model.layout.act((part.name,)) - first
                G[:, rows[:, None], self._places(part)] = self._secants(part, steps)[1]
            gam[steps] = apply(np.asarray(np.linalg.pinv(transpose(G), rcond=TOLERANCE)), lag[steps])
        return gam

    def _gam_of_lagrangian(self) -> Array:
        """The same from Aᵀ (r - ē) = Ḡᵀ γ; see `integrate.lagrangian_ggl`."""
        model, n = self.model, self.n
        A = model.mass("v", 0.5 * (self.ends[0] + self.ends[1]), self.ends)
        lag = apply(transpose(A), self.rate - model.mean_z(*self.ends)[:, n : 2 * n])
        G = [self._secants(part, slice(None))[1] for part in model.constraints]
        Gt = transpose(np.concatenate([np.zeros((len(lag), 0, n)), *G], axis=-2))
        return apply(np.asarray(np.linalg.pinv(Gt, rcond=TOLERANCE)), lag)
