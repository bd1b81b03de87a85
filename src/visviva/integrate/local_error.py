"""How far two ends of the same time span are apart, in units in which every quantity of a model is about one.

Of a mechanism, positions count relative to its size L, rotations in radians, velocities relative to the speed

    S² = max(|v|², L |Δv|/Δt),

that of the fastest point or of a fall through L, so that nothing is divided by zero where the motion turns back.
Velocities are those on the tangent space of the constraints: the scheme's own may alternate about them. Every other
variable counts relative to the largest value that it had so far; what follows the configuration is left out. What
grows from zero, with a power of time, has no step that is short relative to itself: the entropy of a thermal node
counts at least relative to its heat capacity, which is the relative error of its temperature, and another variable at
least relative to a thousandth of what the first step that is tried, the longest, makes of it.
"""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.linkage import Linkage
from visviva.model import Model
from visviva.model.heat import HeatCapacity
from visviva.model.linked import configuration
from visviva.results.motion import momenta

FROM_ZERO = 1e-3  # of what the first step that is tried makes of a variable that begins at zero


@final
class Distance:
    """The largest scaled difference of two states of one model."""

    def __init__(self, model: Model, x: Array) -> None:
        self.model = model
        self._linkage = None if model.definition is None else Linkage(model.definition)
        bodies = set() if self._linkage is None else {body.name for body in self._linkage.bodies}
        moving = {f"{name}.{letter}" for name in bodies for letter in "qv"} | set(model.measured)
        self._others = [at for name, at in model.layout.x.items() if name not in moving]
        self._largest = [float(np.linalg.norm(x[at])) for at in self._others]
        capacities = {part.variable: part.c for part in model.storages if isinstance(part, HeatCapacity)}
        self._least = [capacities.get(name, 0.0) for name in model.layout.x if name not in moving]
        self._tried = False
        self.length = 1.0 if self._linkage is None else _size(model, self._linkage, x)

    def __call__(self, x0: Array, one: Array, other: Array, span: float) -> float:
        """Of `one` and `other`, both reached from x0 in the time `span`; infinite where one is no number."""
        found = [0.0]
        for k, at in enumerate(self._others):
            self._largest[k] = max(self._largest[k], float(np.linalg.norm(x0[at])))  # `one` may yet be refused
            reached = float(np.linalg.norm(one[at]))
            if not self._tried and self._largest[k] == 0 and np.isfinite(reached):
                self._least[k] = max(self._least[k], FROM_ZERO * reached)
            largest = max(self._largest[k], self._least[k], reached)
            found.append(float(np.linalg.norm(one[at] - other[at])) / (largest or 1.0))
        self._tried = True
        if self._linkage is not None:
            found.append(self._of_bodies(self._linkage, np.array([x0, one, other]), span))
        distance = max(found)
        return distance if np.isfinite(found).all() else np.inf

    def _of_bodies(self, linkage: Linkage, x: Array, span: float) -> float:
        q, P = configuration(self.model, linkage, x), momenta(self.model, x)
        lengths = np.where(linkage.turning, self.length, 1.0)  # all velocities as speeds
        V = lengths * P[:2] / linkage.metric
        rise = float(np.abs(V[1] - V[0]).max(initial=0.0)) * self.length / span
        speed = float(np.sqrt(max(float((V**2).max(initial=0.0)), rise))) or 1.0
        apart = lengths * linkage.solve(q[1:2], P[1:2] - P[2:], np.zeros((1, linkage.m)))[0]
        gaps = [q[1, at] - q[2, at] for at in linkage.kinematics.places]
        moved = max(float(np.linalg.norm(gap[:3])) for gap in gaps) / self.length
        turned = max(float(np.linalg.norm(gap[3:])) for gap in gaps) / np.sqrt(2.0)
        return max(moved, turned, float(np.abs(apart).max(initial=0.0)) / speed)


def _size(model: Model, linkage: Linkage, x: Array) -> float:
    """How far the bodies of a mechanism are from each other, or joints from centres of mass, if that is more [m]."""
    q = configuration(model, linkage, x)
    centres = np.array([q[at][:3] for at in linkage.kinematics.places])
    return max(float(np.ptp(centres, axis=0).max()), linkage.length)
