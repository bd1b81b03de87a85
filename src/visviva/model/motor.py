"""A direct-current machine between a flux linkage and the axis of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.model.measured import MeasuredAngle
from visviva.model.structure import AbstractRouting


@final
@dataclass(frozen=True, eq=False)
class MotorCoupling(AbstractRouting):
    """Torque k i about the axis of a joint, induced voltage k θ_dot: a gyrator; `acts` names the flux linkage first.

    Between both ends of a step θ_dot is Δθ/h exactly.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    angle: MeasuredAngle
    k: float  # [N m/A]
    two_ended: ClassVar[bool] = True

    def J(self, q: Array) -> Array:  # noqa: D102
        row = self.k * self.angle.C(q)[..., 0, :]
        J = np.zeros((*row.shape[:-1], 1 + row.shape[-1], 1 + row.shape[-1]))
        J[..., 0, 1:], J[..., 1:, 0] = -row, row
        return J
