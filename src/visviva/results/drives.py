"""Motors, end stops and thermal nodes, read from a run, at the nodes."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.losses import temperatures
from visviva.mechanism.elements import Stop
from visviva.mechanism.other_states import flux_of
from visviva.mechanism.parts import Motor
from visviva.mechanism.thermal import Thermal
from visviva.results.motion import MechanismMotion


@final
class Drives:
    """What drives, stops and heats the mechanism of a record."""

    def __init__(self, motion: MechanismMotion) -> None:
        self.motion = motion

    def current(self, part: Motor) -> Array:
        """i [A], (N+1,)."""
        model = self.motion.model
        return np.asarray(self.motion.record.x[:, model.layout.x[flux_of(part)]][:, 0] / part.inductance)

    def torque(self, part: Motor) -> Array:
        """Of the parent on the child about the axis, k i [N m], (N+1,)."""
        return part.k * self.current(part)

    def temperature(self, part: Thermal) -> Array:
        """θ [K], (N+1,)."""
        return temperatures(self.motion.model, part, self.motion.record.x)

    def push(self, part: Stop) -> Array:
        """Force or torque on the child along the coordinate, loss included [N, N m], (N+1,)."""
        model, record = self.motion.model, self.motion.record
        y = record.x[:, model.layout.x[part.variable]]
        (storage,) = [storage for storage in model.storages if storage.variable == part.variable]
        e, rates = storage.dH(y)[:, 0], self.motion.rates(part.joint)
        rate = part.loss * np.sign(e) * (rates if rates.ndim == 1 else rates[:, part.at.number])
        return -e * (1.0 + rate / (1.0 + np.maximum(0.0, -rate)))
