"""The motion of a run as a path of configurations."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.mechanism.paths import AbstractPath
from visviva.mechanism.positions import settled
from visviva.results.run import Run


@final
class RunPath(AbstractPath):
    """The configurations of a run; between nodes, the nearest closed one to their mean."""

    def __init__(self, run: Run) -> None:
        assert run.motion is not None
        self.linkage, self.label = run.motion.linkage, "t [s]"
        self._t, self._q = run.record.t, run.motion.configurations
        self.start, self.end = float(self._t[0]), float(self._t[-1])

    def at(self, s: float) -> Array:  # noqa: D102
        k = int(np.clip(np.searchsorted(self._t, s, side="right") - 1, 0, len(self._t) - 2))
        w = (s - self._t[k]) / (self._t[k + 1] - self._t[k])
        if w in (0.0, 1.0):
            return self._q[k + int(w)]
        mean = self.linkage.kinematics.orthonormal((1 - w) * self._q[k] + w * self._q[k + 1])
        found = settled(self.linkage, mean)
        if found is None:
            raise AssemblyError(
                f"between t = {self._t[k]:.6g} s and {self._t[k + 1]:.6g} s no closed configuration is near."
            )
        return found
