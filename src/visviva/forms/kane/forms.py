"""KaneForm: Kane's equations in one of their forms, as a flow that schemes integrate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.kane.point import KanePoint
from visviva.forms.kane.rates import rule
from visviva.forms.kane.system import KaneSystem
from visviva.results.trajectory import Trajectory


@final
class KaneForm(Flow):
    """The unknown velocities or their momenta, and the coordinates, with their rates.

    Coordinates are the flow's other states s: q̇ = Q ξ may have more coordinates than velocities. Where anything
    depends on time, time is the last of them. A run has "q", "xi" and "p" (of the unknown velocities), all of them by
    name, momenta as "p_<velocity>", forces of drives as "<velocity>.drive", and "energy" and "power".
    """

    size_q = 0

    def __init__(self, system: KaneSystem, form: str) -> None:
        chosen = rule(system, form)
        self.system, self.form, self.in_momenta = system, form, chosen.momenta
        self._rate = chosen.rate(system)
        self.n = len(system.unknown)
        self.extra = len(system.coordinates) + system.timed
        self.name, self.has_clock = system.name, system.timed
        moving = (f"p_{name}" for name in system.unknown) if self.in_momenta else system.unknown
        self.names = (*moving, *system.coordinates, *(("t",) if system.timed else ()))

    def point(self, t: float, y: Array, q: Array) -> KanePoint:
        """Kane's equations at velocities or momenta y."""
        return self.system.point(t, q, self.system.velocity(t, q, y) if self.in_momenta else y)

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """Of the velocities or momenta, and of the coordinates."""
        place = s[: len(self.system.coordinates)]
        point = self.point(t, xi, place)
        state = np.concatenate([place, point.xi[: len(self.system.velocities)], [t]])
        s_dot = np.concatenate([point.q_dot, [1.0]]) if self.system.timed else point.q_dot
        return self._rate(point, state), s_dot

    def advance_q(self, q: Array, delta: Array) -> Array:
        """There are no coordinates but those among the other states."""
        return q

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """Nothing to follow, hence no rate."""
        return np.zeros(self.n)

    def other_sizes(self, s: Array, moved: Array) -> Array:
        """Coordinates count by their size, at least 1: radians and metres."""
        return np.maximum(np.abs(s), 1.0)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """Kinetic and potential [J]."""
        t = float(s[-1]) if self.system.timed else 0.0
        return self.point(t, xi, s[: len(self.system.coordinates)]).energy

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """Of impressed forces and drives [W]."""
        return self.point(t, xi, s[: len(self.system.coordinates)]).power

    def violations(self, state: FlowState) -> dict[str, float | None]:
        """Velocities satisfy all constraints by themselves."""
        return {}

    def quantities(self, state: FlowState) -> dict[str, Array]:
        """Coordinates, velocities and momenta, and forces of drives."""
        system, q = self.system, state.s[: len(self.system.coordinates)]
        point = self.point(state.t, state.xi, q)
        u = list(point.unknown)
        shown = {"q": q, "xi": point.xi[u], "p": point.p[u]} | dict(zip(system.coordinates, q, strict=True))
        shown |= dict(zip(system.velocities, point.xi, strict=False))
        shown |= {f"p_{system.velocities[k]}": point.p[k] for k in u}
        return shown | {f"{name}.drive": np.asarray(force) for name, force in point.drives.items()}

    def checked(self, initial: Any) -> FlowState:
        """From (q, xi) or (q, xi, t), in every form with velocities, or from `run.final` of any form."""
        if isinstance(initial, Trajectory):
            initial = initial.final
        if isinstance(initial, FlowState):
            if (len(initial.q), len(initial.xi), len(initial.s)) != (0, self.n, self.extra):
                raise ModelError(
                    f"{self.name!r} cannot continue a run of something else: its states have other numbers."
                )
            return initial if initial.momenta == self.in_momenta else self._converted(initial)
        if not isinstance(initial, Sequence) or isinstance(initial, str) or len(initial) not in (2, 3):
            raise ModelError(
                f"{self.name!r} starts from initial=(q, xi), coordinates ({', '.join(self.system.coordinates)}) and "
                f"velocities ({', '.join(self.system.unknown)}); got {type(initial).__name__}."
            )
        t = finite_number(initial[2], "time t") if len(initial) == 3 else 0.0
        point = self.system.at(initial[0], initial[1], t)
        q = finite_vector(initial[0], "coordinates", len(self.system.coordinates))
        u = list(point.unknown)
        return FlowState(
            t,
            np.zeros(0),
            (point.p if self.in_momenta else point.xi)[u],
            np.concatenate([q, [t]]) if self.system.timed else q,
            momenta=self.in_momenta,
        )

    def _converted(self, state: FlowState) -> FlowState:
        """The same instant with momenta p = A ξ in place of velocities, or the other way round."""
        system, q = self.system, state.s[: len(self.system.coordinates)]
        if self.in_momenta:
            point = system.point(state.t, q, state.xi)
            moving = point.p[list(point.unknown)]
        else:
            moving = system.velocity(state.t, q, state.xi)
        return FlowState(state.t, state.q, moving, state.s, state.h, momenta=self.in_momenta)
