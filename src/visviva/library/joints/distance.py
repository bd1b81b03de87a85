"""The massless rod between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3, SO3
from visviva.geometry.hat import skew
from visviva.geometry.linear import transpose
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.scalars import Product, rod


@final
@dataclass(frozen=True)
class Distance(AbstractJoint):
    """The origins of both frames keep their distance; as built the child's lies on the z axis of the parent's.

    q = (a, w), a chart only: r_PC = length R e_z with R = exp(a_1, a_2, 0), and R_PC = exp(w).
    S(q) = (0, dexp(w); -length R_PCᵀ R ê_z dexp(a), 0)
    """

    length: float  # [m], positive
    kind: ClassVar[str] = "distance"
    nv: ClassVar[int] = 5

    @property
    def rows(self) -> tuple[Product, ...]:  # noqa: D102
        return (rod(self.length),)

    @property
    def offset(self) -> Array:  # noqa: D102
        return np.array([0.0, 0.0, self.length])

    def S(self, q: Array) -> Array:  # noqa: D102
        a, R_PC = _tilt(q), self.X_PC(q).R
        S = np.zeros((*q.shape[:-1], 6, 5))
        S[..., :3, 2:] = SO3.dexp(q[..., 2:])
        S[..., 3:, :2] = -transpose(R_PC) @ SO3.exp(a).R @ skew(self.offset) @ SO3.dexp(a)[..., :2]
        return S

    def X_PC(self, q: Array) -> SE3:  # noqa: D102
        return SE3(SO3.exp(q[..., 2:]).R, SO3.exp(_tilt(q)).act(self.offset))


def _tilt(q: Array) -> Array:
    return q[..., :2] @ np.eye(3)[:2]
