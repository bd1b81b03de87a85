"""All steps of a flight by sensors, one after the other, with what acted in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.copter.models.plant import Q_AT, THETA_AT
from visviva.geometry.quaternion import matrix_of

if TYPE_CHECKING:
    from visviva.copter.agents.agent_loop import Record


class FlownSteps(NamedTuple):
    """N steps of the plant, in which currents, tilts, gust and wind are constant; see `copter.models.plant` for x."""

    t: Array  # (N + 1,) [s]
    x: Array  # (N + 1, ...) true states
    currents: Array  # (N, n) [A]
    wanted: Array  # (N, s) tilts that servos are asked for [rad]
    gust: Array  # (N, 3) force in world axes [N]
    air: Array  # (N, 4) wind [m/s], and minus the height of the ground

    @property
    def h(self) -> Array:
        """(N,) [s]."""
        return np.diff(self.t)

    @property
    def r(self) -> Array:
        """(N + 1, 3)."""
        return self.x[:, :Q_AT]

    @property
    def R(self) -> Array:
        """(N + 1, 3, 3)."""
        return matrix_of(self.x[:, Q_AT:THETA_AT])

    @property
    def theta(self) -> Array:
        """(N + 1, s)."""
        return self.x[:, THETA_AT : THETA_AT + self.wanted.shape[1]]

    @property
    def xi(self) -> Array:
        """(N + 1, 6 + s + n)."""
        return self.x[:, THETA_AT + self.wanted.shape[1] :]


def flown_steps(record: Record, first: int, t: Array) -> FlownSteps:
    """Steps from a tick on, at which the vehicle is let go; t: of all ticks."""
    steps = record.between.shape[1]
    path = record.between[first:]
    x = np.concatenate([record.x[first : first + 1], path.reshape(-1, path.shape[-1])])
    h = (t[1] - t[0]) / steps
    currents, tilts, gust = (
        np.repeat(own[first:], steps, axis=0) for own in (record.currents, record.tilts, record.gust)
    )
    t_of = t[first] + h * np.arange(len(x))
    return FlownSteps(t_of, x, currents, tilts, gust, record.air[first:].reshape(-1, 4))
