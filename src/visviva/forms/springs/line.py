"""A spring between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.springs.abstract import AbstractPoseEnergy
from visviva.geometry.hat import skew
from visviva.geometry.se3 import SE3


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class LineEnergy(AbstractPoseEnergy):
    """V = ½ k (l - length)² with the distance l = |r + R h - p| of the point p of frame a and the point h of frame b.

    k: [N/m], positive.   length: [m], at least 0. Where it is positive and l = 0 there is no direction: an error.
    """

    k: float
    p: Array
    h: Array
    length: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", finite_number(self.k, "k of the line spring [N/m]", positive=True))
        object.__setattr__(self, "length", finite_number(self.length, "length of the line spring [m]", minimum=0.0))
        object.__setattr__(self, "p", finite_vector(self.p, "p of the line spring", 3))
        object.__setattr__(self, "h", finite_vector(self.h, "h of the line spring", 3))

    def energy(self, X: SE3) -> float:  # noqa: D102
        return self.k * (float(np.linalg.norm(X.act(self.h) - self.p)) - self.length) ** 2 / 2

    def wrench(self, X: SE3) -> Array:  # noqa: D102
        return np.asarray(self._lever().T @ self._force(X)[0])

    def hessian(self, X: SE3) -> Array:  # noqa: D102
        force, stiffness = self._force(X)
        L = self._lever()
        turned = np.hstack([skew(force), np.zeros((3, 3))])  # axes of b turn under the force
        return np.asarray(L.T @ (turned + stiffness @ L))

    def _lever(self) -> Array:
        """Velocity of the point h by twists, in axes of b."""
        return np.hstack([-skew(self.h), np.eye(3)])

    def _force(self, X: SE3) -> tuple[Array, Array]:
        """Force on the spring at h and its derivative by the place of h, in axes of b."""
        d = X.R.T @ (X.act(self.h) - self.p)
        if self.length == 0:
            return self.k * d, self.k * np.eye(3)
        l = float(np.linalg.norm(d))
        if l == 0:
            raise ModelError(
                f"the ends of a line spring of length {self.length:g} m coincide: its force has no direction there.\n"
                "Start it elsewhere, or give it the length 0."
            )
        u = d / l
        slack = self.length / l
        return self.k * (1 - slack) * d, self.k * ((1 - slack) * np.eye(3) + slack * np.outer(u, u))
