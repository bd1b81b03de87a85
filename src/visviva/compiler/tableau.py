"""Tableaus: where the stages, nodes and segments of a step lie, see `kernels.residual`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array


@final
@dataclass(frozen=True, eq=False)
class Tableau:
    """c: stage times, b: weights, A: stage states, beta: states at the nodes (first the start, last the end),
    segments: pairs of nodes, W: efforts of the stages from the discrete gradients of the segments.
    """

    c: Array  # (S,)
    b: Array  # (S,)
    A: Array  # (S, S)
    beta: Array  # (nodes, S)
    segments: Array  # (segments, 2)
    W: Array  # (S, segments)

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.c)

    @cached_property
    def array(self) -> Array:
        """All in one."""
        return np.concatenate([np.ravel(part) for part in (self.c, self.b, self.A, self.beta, self.W, self.segments)])


MIDPOINT = Tableau(
    c=np.array([0.5]),
    b=np.array([1.0]),
    A=np.array([[0.5]]),
    beta=np.array([[0.0], [1.0]]),
    segments=np.array([[0.0, 1.0]]),
    W=np.array([[1.0]]),
)
