"""Configurations of a tree as a manifold: steps from one along velocities, and velocities from one to another."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.flows.configuration import Configuration
from visviva.geometry import SE3, SO3
from visviva.geometry.quaternion import product, rotated, turned


@final
class Space:
    """q (..., nq) and v (..., n) of a `Configuration`: numbers, balls (w, x, y, z) and free links (r, w, x, y, z)."""

    def __init__(self, configuration: Configuration) -> None:
        self._places, self.nq, self.n = configuration.places, configuration.size_q, configuration.n
        self.flat = all(isinstance(kind, int) for kind, _, _ in self._places)

    def integrate(self, q: Array, v: Array) -> Array:
        """Where constant velocities v lead within a unit of time: a ball turns by exp(v), a free link makes a screw."""
        if self.flat:
            return q + v
        out = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.nq))
        for kind, at, own in self._places:
            x, d = q[..., at], v[..., own]
            if kind == "ball":
                out[..., at] = turned(x, d)
            elif kind == "free":
                out[..., at.start : at.start + 3] = x[..., :3] + rotated(x[..., 3:], SE3.exp(d).r)
                out[..., at.start + 3 : at.stop] = turned(x[..., 3:], d[..., :3])
            else:
                out[..., at] = x + d
        return out

    def difference(self, q0: Array, q1: Array) -> Array:
        """v with integrate(q0, v) = q1, of balls and free links the shortest turn."""
        if self.flat:
            return q1 - q0
        out = np.empty((*np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1]), self.n))
        for kind, at, own in self._places:
            a, b = q0[..., at], q1[..., at]
            if kind == "ball":
                out[..., own] = _turn(a, b)
            elif kind == "free":
                w = _turn(a[..., 3:], b[..., 3:])
                back = a[..., 3:] * np.array([1.0, -1.0, -1.0, -1.0])
                out[..., own] = SE3(SO3.exp(w).R, rotated(back, b[..., :3] - a[..., :3])).log()
            else:
                out[..., own] = b - a
        return out


def _turn(a: Array, b: Array) -> Array:
    """log of the rotation from a to b, in axes of a."""
    return SO3.from_quat(product(a * np.array([1.0, -1.0, -1.0, -1.0]), b)).log()
