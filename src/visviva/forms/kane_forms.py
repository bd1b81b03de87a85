"""KaneForm: Kane's equations in one of their forms, as a flow that schemes integrate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.forms.flow import Flow, FlowState
from visviva.forms.kane_point import KanePoint
from visviva.forms.kane_rates import rheonomic, rule
from visviva.forms.kane_system import KaneSystem


@final
class KaneForm(Flow):
    """The unknown velocities or their momenta, and the coordinates, with their rates.

    Coordinates are the flow's other states s, since q̇ = Q ξ leaves no local coordinates as many as velocities; where
    energy depends on time, time is the last of them. A run has them by name, and "energy" and "power".
    """

    size_q = 0

    def __init__(self, system: KaneSystem, form: str) -> None:
        chosen = rule(system, form)
        self.system, self.form, self.momenta = system, form, chosen.momenta
        self._rate = chosen.rate(system)
        self._timed = rheonomic(system)
        self.n = len(system.unknown)
        self.extra = len(system.coordinates) + self._timed
        self.name = system.name
        prefix = "p_" if self.momenta else ""
        time = ("clock",) if self._timed else ()
        self.names = (*(prefix + name for name in system.unknown), *system.coordinates, *time)

    def point(self, t: float, y: Array, q: Array) -> KanePoint:
        """Kane's equations at velocities or momenta y."""
        return self.system.point(t, q, self.system.velocity(t, q, y) if self.momenta else y)

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """Of the velocities or momenta, and of the coordinates."""
        place = s[: len(self.system.coordinates)]
        point = self.point(t, xi, place)
        state = np.concatenate([place, point.xi[: len(self.system.velocities)], [t]])
        s_dot = np.concatenate([point.q_dot, [1.0]]) if self._timed else point.q_dot
        return self._rate(point, state), s_dot

    def advance_q(self, q: Array, delta: Array) -> Array:
        """There are no coordinates but those among the other states."""
        return q

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """Nothing to follow."""
        return np.zeros(self.n)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """Kinetic and potential [J]."""
        return self._there(xi, s).energy

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """Of impressed forces and drives [W]."""
        return self._there(xi, s).power

    def _there(self, y: Array, s: Array) -> KanePoint:
        return self.point(float(s[-1]) if self._timed else 0.0, y, s[: len(self.system.coordinates)])

    def checked(self, initial: Any) -> FlowState:
        """From (q, xi) or (q, xi, t), in every form with velocities, or from `run.final`."""
        if isinstance(initial, FlowState):
            return initial
        if not isinstance(initial, Sequence) or isinstance(initial, str) or len(initial) not in (2, 3):
            raise ModelError(
                f"{self.name!r} starts from initial=(q, xi), coordinates ({', '.join(self.system.coordinates)}) and "
                f"velocities ({', '.join(self.system.unknown)}); got {type(initial).__name__}."
            )
        t = float(initial[2]) if len(initial) == 3 else 0.0
        point = self.system.at(initial[0], initial[1], t)
        q = finite_vector(initial[0], "coordinates", len(self.system.coordinates))
        u = list(point.unknown)
        return FlowState(
            t, np.zeros(0), (point.p if self.momenta else point.xi)[u], np.concatenate([q, [t]]) if self._timed else q
        )


def kane_form(system: KaneSystem, form: str = "velocity") -> KaneForm:
    """A form of the equations by name."""
    return KaneForm(system, form)
