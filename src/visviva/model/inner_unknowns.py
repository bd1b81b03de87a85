"""Unknowns inside of boxes: efforts of junctions, multipliers, and momenta that are tied to velocities of joints.

With the unknowns w of boxes their rows are F(x, w) = 0, and K = ∂F/∂w is skew but for dissipation. Where K is regular,
w follows from the state. Combinations N of rows with NᵀK = 0 do not contain w: they tie efforts e of storages in boxes
to velocities V of bodies,

    C_V V + C_e e = 0,    C_V V̇ + C_e H'' ẋ + b = 0,    ẋ = f - C_eᵀ μ,

as a rotor of a box is tied to its joint. With A = C_e H'' C_eᵀ the multipliers are μ = A⁻¹(C_V V̇ + C_e H'' f + b), so
that a tie is an inertia C_Vᵀ A⁻¹ C_V of the bodies, and a force.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.differences import each, slopes
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.mechanism.storage_states import state_with_effort
from visviva.model.inner import inner_places, inner_rows, unknowns_at
from visviva.numerics.rank import TOLERANCE

if TYPE_CHECKING:
    from visviva.model.model import Model

LINEAR = 1e-13  # of an effort: what second differences of a linear one leave


@final
@dataclass(frozen=True, eq=False)
class Ties:
    """Rows (r, ...) over the velocities of the bodies and over the other efforts, the matrix A, and N."""

    C_V: Array
    C_e: Array
    H: Array  # H'' over the other efforts
    A: Array
    N: Array

    @property
    def rigid(self) -> bool:
        """Whether rows bind velocities of bodies alone."""
        scale = np.sqrt(np.maximum(np.diag(self.A), 1e-300))
        return bool(len(self.A)) and bool(
            np.linalg.svd(self.A / np.outer(scale, scale), compute_uv=False)[-1] < TOLERANCE
        )


@final
class InnerUnknowns:
    """Those of a mechanism's model, with or without the constraints of joints.

    start: a state of it.   at_V, at_e: where efforts of bodies are, and all others.
    """

    def __init__(self, model: Model, start: Array) -> None:
        self.model, self.start = model, start
        self.at = inner_places(model)
        self.at_V = model.layout.act(tuple(model.kinetic))
        self.at_e = np.setdiff1d(np.arange(model.layout.dim), self.at_V)
        self._owners = {k: name for name, at in model.layout.z.items() for k in range(at.start, at.stop)}

    def unknowns(self, x: Array, u: Array) -> tuple[Array, Array, Array]:
        """z with the unknowns that follow from a state, flows (J - R) z + B u with it, and N."""
        z, w, N = unknowns_at(self.model, x, u, self.at)
        z[self.at] = w
        return z, self.model.flow(x, z, u), N

    def ties(self, x: Array, N: Array) -> Ties:
        """Of one state."""
        found = self._ties(x, N)
        if found.rigid:
            names = ", ".join(dict.fromkeys(repr(self._owners[self.at[k]]) for k in np.flatnonzero(N.any(axis=1))))
            raise ModelError(
                f"{names} of mechanism {self.model.name!r} ties joints rigidly, without an inertia of the box between "
                "them.\nUse m.gear(...), m.rack(...), m.coupler(...) or m.drive(...) for that, or simulate with "
                "vv.PHMP(), vv.PHMPGGL()\nor vv.LieMidpoint()."
            )
        return found

    def _ties(self, x: Array, N: Array) -> Ties:
        rows = N.T @ self.model.J(x)[self.at]
        C_e, H = rows[:, self.at_e], self._hessian(x, rows)
        return Ties(rows[:, self.at_V], C_e, H, C_e @ H @ C_e.T, N)

    def completes(self) -> bool:
        """Whether rows that tie have momenta which follow as a whole: joints are not tied to each other."""
        ties = self._ties(self.start, self._free(self.start))
        return not ties.rigid and all(self._followers(ties).values())

    def _followers(self, ties: Ties) -> dict[str, bool]:
        """Variables with an entry for each row that ties, by pivots in units of energy; whether all of it follows."""
        import scipy.linalg

        if not len(ties.A):
            return {}
        size = np.sqrt(np.maximum(np.diag(ties.H), 0.0))
        pivots = scipy.linalg.qr(ties.C_e * size, pivoting=True, mode="r")[1][: len(ties.A)]
        owners = [self._owners[self.at_e[k]] for k in sorted(pivots.tolist())]
        x = self.model.layout.x
        return {name: owners.count(name) == x[name].stop - x[name].start for name in owners}

    def _free(self, x: Array) -> Array:
        """N at a state without inputs."""
        return unknowns_at(self.model, x, np.zeros(sum(port.width for port in self.model.ports)), self.at)[2]

    def _hessian(self, x: Array, rows: Array) -> Array:
        """H'' of the storages that rows act on, zero of all others, (others, others)."""
        model, found = self.model, np.zeros((self.model.layout.dim,) * 2)
        spaces = {one.name: one.space for one in model.variables}
        for name in {self._owners[k] for k in self.at_e[rows[:, self.at_e].any(axis=0)]}:
            at, here, space = model.layout.z[name], model.layout.x[name], spaces[name]

            def effort(step: Array, at: slice = at, here: slice = here, space: AbstractSpace = space) -> Array:
                moved = x.copy()
                moved[here] = space.retract(moved[here], step)
                return model.z(moved)[at]

            width = space.dim
            sizes = np.maximum(np.abs(x[here]), 1.0) if isinstance(space, Flat) else np.ones(width)
            middle, ahead, behind = (
                effort(np.zeros(width)), *(np.array([effort(s * e) for e in np.diag(sizes)]) for s in (1.0, -1.0))
            )  # fmt: skip
            bent = np.abs(ahead - 2 * middle + behind)
            if (bent <= LINEAR * np.maximum(np.abs(ahead), np.abs(behind))).all():
                found[at, at] = ((ahead - behind) / (2 * sizes[:, None])).T
            else:
                found[at, at] = slopes(each(effort), width, sizes).J
        return found[np.ix_(self.at_e, self.at_e)]

    # -- momenta that follow ------------------------------------------------------------------------------------

    @cached_property
    def tied(self) -> tuple[str, ...]:
        """Variables that follow from velocities: they have as many numbers as there are rows that tie."""
        N = self._free(self.start)
        if not N.shape[1]:
            return ()
        names = self._followers(self.ties(self.start, N))
        for name, follows in names.items():
            if not follows:
                raise ModelError(
                    f"{name!r} of mechanism {self.model.name!r} has several numbers, and rows of its box bind some of "
                    "them, which minimal velocities\ncannot eliminate. Put a mechanism into another one with "
                    "m.include(...), or simulate with vv.PHMP(), vv.PHMPGGL() or vv.LieMidpoint()."
                )
        return tuple(names)

    def check(self) -> None:
        """An error for rows that change with what they tie, or that an input moves."""
        model, N = self.model, self._free(self.start)
        ties = self.ties(self.start, N)
        tied = {self._owners[self.at_e[k]] for k in np.flatnonzero(ties.C_e.any(axis=0))}
        moving = {self._owners[self.at[k]] for k in np.flatnonzero(ties.N.any(axis=1))}
        for part in inner_rows(model):
            if part.name in moving and tied & set(part.reads):
                raise ModelError(
                    f"{part.name!r} of mechanism {model.name!r} reads a state that it ties to a joint, which minimal "
                    "velocities cannot eliminate.\nSimulate with vv.PHMP(), vv.PHMPGGL() or vv.LieMidpoint()."
                )
            if part.name in moving and any(part.name in port.acts for port in model.ports):
                raise ModelError(
                    f"{part.name!r} of mechanism {model.name!r} prescribes the speed of what has an inertia, whose "
                    "force belongs to\nthe rate of an input. Use m.drive(...), or simulate with vv.PHMP(), "
                    "vv.PHMPGGL() or vv.LieMidpoint()."
                )

    def completed(self, x: Array) -> Array:
        """States with the tied variables as they follow from all others, dH = e; of many, one in a row."""
        if not self.tied:
            return x
        flat = x.reshape(-1, x.shape[-1])
        return np.array([self._completed(one) for one in flat]).reshape(x.shape)

    def _completed(self, x: Array) -> Array:
        model, x = self.model, x.copy()
        N = self._free(x)
        rows, z = N.T @ model.J(x)[self.at], model.z(x)
        mine = model.layout.act(self.tied)
        z[mine] = 0.0
        z[self.at] = 0.0
        efforts = np.asarray(np.linalg.solve(rows[:, mine], -rows @ z))
        first = 0
        for name in self.tied:
            here, at = model.layout.x[name], model.layout.z[name]
            effort = efforts[first : (first := first + at.stop - at.start)]

            def dH(p: Array, here: slice = here, at: slice = at) -> Array:
                moved = x.copy()
                moved[here] = p
                return model.z(moved)[at]

            x[here] = state_with_effort(dH, x[here], effort)
        return x
