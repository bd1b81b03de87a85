"""Several Euclidean spaces that move relative to each other and have the improper hyperplane in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import ModelError
from visviva.geometry.frames import Pose
from visviva.geometry.se3 import SE3
from visviva.geometry.spatial import Twist

TOLERANCE = 1e-9  # relative to the velocities of the system

Motion = Callable[[float], tuple[SE3, ArrayLike]]


@final
@dataclass(frozen=True, eq=False)
class EuclideanSystem:
    """S = {E_1, …, E_m}: an observer for each set of things that do not move relative to each other.

    motions:   for each space the function t -> (X_0i, T_i^{i,0}), its pose in the inertial space and its body twist.
    inertial:  name of E_0, the space in which the motions are given; it rests.

    Source: Stramigioli, Maschke and Bidard (9).
    """

    motions: Mapping[str, Motion]
    inertial: str = "inertial"

    def __post_init__(self) -> None:
        if self.inertial in self.motions:
            raise ModelError(
                f"the inertial space '{self.inertial}' has a motion.\nMotions are relative to it: leave it out."
            )

    @property
    def spaces(self) -> tuple[str, ...]:
        """All names, the inertial one first."""
        return (self.inertial, *self.motions)

    def pose(self, i: str, j: str, t: float) -> Pose:
        """h_i^j at the time t: coordinates in i to coordinates in j."""
        return Pose(self._state(j, t)[0].inverse() @ self._state(i, t)[0], src=i, dst=j)

    def twist(self, i: str, j: str, t: float) -> Twist:
        """T_i^{j,j}: the motion of i as an observer in j sees it."""
        (X_i, T_i), (X_j, T_j) = self._state(i, t), self._state(j, t)
        return Twist((X_j.inverse() @ X_i).Ad() @ T_i - T_j, of=i, wrt=j, frame=j)

    def inertially_equivalent(self, i: str, j: str, times: Sequence[float]) -> bool:
        """Whether i only translates in j, with constant velocity, at the given times.

        The Killing form of the relative twist is zero, T_i^{j,j} in 𝔞, and the twist is the same at all times.
        """
        if len(times) < 2:
            raise ModelError(f"a constant velocity shows at two times or more, got {len(times)}.")
        twists = np.stack([self.twist(i, j, t).vector for t in finite_array(times, "times", (None,))])
        bound = TOLERANCE * (1.0 + np.abs(twists).max())
        turns = np.abs(twists[:, :3]).max() > bound
        return not turns and bool(np.ptp(twists, axis=0).max() <= bound)

    def inertial_spaces(self, times: Sequence[float]) -> tuple[str, ...]:
        """The inertial class: all that are equivalent to E_0 at the given times."""
        return tuple(i for i in self.spaces if self.inertially_equivalent(i, self.inertial, times))

    def _state(self, i: str, t: float) -> tuple[SE3, Array]:
        if i == self.inertial:
            return SE3.identity(), np.zeros(6)
        if i not in self.motions:
            raise ModelError(f"there is no space '{i}' in the system; there are: {', '.join(self.spaces)}.")
        X, T = self.motions[i](t)
        return X, finite_vector(T, f"twist of '{i}'", 6)
