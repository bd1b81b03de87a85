"""Feedback: inputs that are functions of time, states and efforts, solved inside the step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.model.course import AbstractCourse
from visviva.model.sensor import AbstractSensor


class AbstractInputLaw(ABC):
    """Inputs u(t, q, z; p) of one port, with any leading batch shapes.

    failure: an exception of a law of the user, when it was asked last and gave no number.
    """

    failure: Exception | None = None

    @abstractmethod
    def inputs(self, t: Array, q: Array, z: Array, p: Array) -> Array:
        """Shape (..., width)."""


@final
@dataclass(frozen=True, eq=False)
class Feedback:
    """The inputs of a port by a law. reads: variables whose coordinates it sees; feels: names whose efforts it sees.

    breaks:  times at which it may jump or bend, as far as they are known, in order [s].
    sensors: what it sees of the motion of a mechanism; their numbers follow the coordinates.
    own:     whether it is a force of the model itself, which inputs of a run do not replace.
    """

    port: str
    reads: tuple[str, ...]
    feels: tuple[str, ...]
    law: AbstractInputLaw
    parameters: Array
    breaks: tuple[float, ...] = ()
    sensors: tuple[AbstractSensor, ...] = ()
    own: bool = False

    def inputs(self, t: Array, q: Array, z: Array, seen: Sequence[Array]) -> Array:
        """Its inputs, shape (..., width); q, z: what it reads and feels; seen: what its sensors read."""
        return self.law.inputs(t, np.concatenate([q, *seen], axis=-1), z, self.parameters)

    def sensed(self, course: AbstractCourse) -> list[Array]:
        """What its sensors read."""
        return [sensor.read(course) for sensor in self.sensors]
