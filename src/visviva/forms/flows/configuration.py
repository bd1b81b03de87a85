"""Configurations as products of vectors, rotations and poses, with the local coordinates of one step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SO3
from visviva.geometry.quaternion import rotated, turned

SIZES = {"ball": (4, 3), "free": (7, 6)}  # coordinates and velocities; a vector has as many as it says


@final
@dataclass(frozen=True)
class Configuration:
    """Blocks in the order of q and ξ: a number for a vector of that length, "ball" or "free".

    vector: q in Rᵏ, ξ = q̇.
    ball:   a unit quaternion (w, x, y, z) of R, ξ = ω in the axes that turn: Ṙ = R ω̂.
    free:   a position r and a quaternion, ξ = (ω; v) in the axes that turn: ṙ = R v.

    The local coordinates δ of a step from (r0, R0) are R = R0 exp(δ̂_R), r = r0 + R0 δ_r; their rates are
    δ̇_R = dexp⁻¹(δ_R) ω with the left-trivialised tangent, and δ̇_r = exp(δ̂_R) v.
    """

    blocks: tuple[int | str, ...]

    def __post_init__(self) -> None:
        for block in self.blocks:
            if block not in SIZES and (not isinstance(block, int) or isinstance(block, bool) or block < 0):
                raise ModelError(
                    f"blocks of a configuration are numbers of coordinates, 'ball' or 'free', got {block!r}."
                )

    @cached_property
    def places(self) -> tuple[tuple[int | str, slice, slice], ...]:
        """Kind of each block, and where it is in q and in ξ; neighbouring vectors are one."""
        found: list[tuple[int | str, slice, slice]] = []
        at_q = at_v = 0
        for block in self.blocks:
            size, n = SIZES[block] if isinstance(block, str) else (block, block)
            if isinstance(block, int) and found and isinstance(found[-1][0], int):
                length, q, v = found.pop()
                found.append((int(length) + block, slice(q.start, at_q + size), slice(v.start, at_v + n)))
            else:
                found.append((block, slice(at_q, at_q + size), slice(at_v, at_v + n)))
            at_q, at_v = at_q + size, at_v + n
        return tuple(found)

    @property
    def size_q(self) -> int:
        """Number of coordinates."""
        return self.places[-1][1].stop if self.places else 0

    @property
    def n(self) -> int:
        """Number of velocities."""
        return self.places[-1][2].stop if self.places else 0

    def advance(self, q: Array, delta: Array) -> Array:
        """The configuration at the local coordinates δ (..., n) from q (..., size)."""
        q, delta = np.asarray(q, dtype=np.float64), np.asarray(delta, dtype=np.float64)
        if len(self.places) == 1 and isinstance(self.places[0][0], int):
            return q + delta
        result = np.empty((*np.broadcast_shapes(q.shape[:-1], delta.shape[:-1]), self.size_q))
        for kind, at, v in self.places:
            own, step = q[..., at], delta[..., v]
            if kind == "ball":
                result[..., at] = turned(own, step)
            elif kind == "free":
                r, w = own[..., :3], own[..., 3:]
                result[..., at] = np.concatenate([r + rotated(w, step[..., 3:]), turned(w, step[..., :3])], axis=-1)
            else:
                result[..., at] = own + step
        return result

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:
        """δ̇ of the local coordinates δ at the velocities ξ."""
        rate = xi.copy()
        for kind, _, v in self.places:
            if isinstance(kind, str):
                turn = slice(v.start, v.start + 3)
                rate[turn] = SO3.dexp_inv(delta[turn]) @ xi[turn]
            if kind == "free":
                shift = slice(v.start + 3, v.stop)
                rate[shift] = SO3.exp(delta[v][:3]).R @ xi[shift]
        return rate

    def sizes(self, q: Array) -> Array:
        """Units in which errors of the local coordinates count: radians, and positions of the size of q, at least 1."""
        units = np.ones(self.n)
        for kind, at, v in self.places:
            if kind == "free":
                units[v][3:] = max(1.0, float(np.abs(q[at][:3]).max()))
            elif kind != "ball":
                units[v] = max(1.0, float(np.abs(q[at]).max(initial=0.0)))
        return units
