"""An energy of a pose between two frames of a rigid system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.springs.abstract import AbstractPoseEnergy
from visviva.geometry.se3 import SE3


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Spring(AbstractPoseEnergy):
    """`law` of the pose of frame b in frame a: b feels the opposite of its wrench, a the wrench."""

    a: str
    b: str
    law: AbstractPoseEnergy

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise ModelError(f"a spring between '{self.b}' and itself never moves: give two different frames.")
        if not isinstance(self.law, AbstractPoseEnergy):
            raise ModelError(
                f"the law of the spring between '{self.a}' and '{self.b}' must be an energy of poses, such as"
                f" ChordEnergy or GivenEnergy(function); got {self.law!r}."
            )

    def energy(self, X: SE3) -> float:  # noqa: D102
        return self.law.energy(X)

    def wrench(self, X: SE3) -> Array:  # noqa: D102
        return self.law.wrench(X)

    def hessian(self, X: SE3) -> Array:  # noqa: D102
        return self.law.hessian(X)

    def size(self, X: SE3) -> float:
        """Of wrenches, were no part of them cancelled by another: the unit of their rounding."""
        return float(np.linalg.norm(self.hessian(X)) * (1 + np.linalg.norm(X.matrix)))
