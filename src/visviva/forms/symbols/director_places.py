"""Places of parts over directors: coordinates (φ, d1, d2, d3) of bodies and their rates, all points and axes affine."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from visviva.forms.calculus.moving import Moving, stacked
from visviva.forms.minimal.model_states import ModelStates
from visviva.forms.symbols.moving import constant
from visviva.forms.symbols.parameters import Parameters, directions
from visviva.forms.symbols.places import AbstractPlaces, size_of
from visviva.forms.symbols.steps import Steps, cross, zeros
from visviva.forms.symbols.variables import Variables
from visviva.mechanism import Definition
from visviva.mechanism.linkage import euler_moments
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Pair, Particle
from visviva.views.equations_names import Label


@final
class DirectorPlaces(AbstractPlaces):
    """An axis on a body is Σ a_i d_i, a point φ + Σ p_i d_i, in the principal axes of the body."""

    def __init__(
        self,
        m: Definition,
        states: ModelStates,
        variables: Variables,
        constraints: tuple[str, ...],
        parameters: Parameters,
        steps: Steps,
    ) -> None:
        self.m, self.states, self.variables, self.constraints = m, states, variables, constraints
        self.parameters, self.steps, self.n = parameters, steps, len(variables.xi)
        self.scale = size_of(m)
        self._points: dict[Any, Any] = {}
        self._first: dict[str, int] = {}
        first = 0
        for body in m.bodies:
            self._first[body.name] = first
            first += 12 if isinstance(body, Body) else 3

    def _affine(self, carrier: Body | Particle, weights: Any) -> Moving:
        """Σ w_k x_k of the vectors φ, d1, d2, d3 of a body."""
        row, first = zeros(3, self.n), self._first[carrier.name]
        for k, weight in enumerate(weights):
            for i in range(3):
                row[i, first + 3 * k + i] += weight
        return Moving(row @ self.variables.q, row, row @ self.variables.xi, zeros(3))

    def centre(self, carrier: Body | Particle) -> Moving:  # noqa: D102
        return self._affine(carrier, [1])

    def principal(self, body: Body) -> list[Moving]:  # noqa: D102
        return [self._affine(body, [0] * (1 + i) + [1]) for i in range(3)]

    def axis(self, pair: Pair, end: Carrier, i: int) -> Moving:  # noqa: D102
        a = pair.frame_on(end)[0][:, i]
        if not isinstance(end, Body):
            return constant(directions(a), self.n)
        return self._affine(end, [0, *directions(end.R_WC.T @ a)])

    def attached(self, end: Ground | Body, r_W: Any, label: Label) -> Moving:  # noqa: D102
        key = end.name, label
        if key not in self._points:
            local = r_W if isinstance(end, Ground) else end.to_principal(r_W)
            self._points[key] = self.parameters.vector(local, label, "m", self.scale)
        p = self._points[key]
        return constant(p, self.n) if isinstance(end, Ground) else self._affine(end, [1, *p])

    def twist(self, body: Body | Particle) -> Moving:
        """ω = ½ Σ d_i x ḋ_i of a rigid motion; its rate has no part without accelerations."""
        centre = self.centre(body)
        linear = Moving(zeros(3), centre.row, centre.rate, zeros(3))
        if isinstance(body, Particle):
            return linear
        d = self.principal(body)
        row = sum((cross(e.value, e.row) for e in d), zeros(3, self.n)) / 2
        return stacked([Moving(zeros(3), row, row @ self.variables.xi, zeros(3)), linear])

    def own(self, joint: Joint, k: int) -> Moving | None:
        """No coordinate of a joint is one of the directors."""
        return None

    def masses(self) -> Any:
        """m of φ and E_i = ½ (J_j + J_k - J_i) of the directors, (n,); Latussek, Kinon, Betsch (31)."""
        found: list[Any] = []
        for body in self.m.bodies:
            found += [self.parameters.number(body.mass, Label("m", (body.name,)), "kg")] * 3
            if isinstance(body, Body):
                for i, value in enumerate(euler_moments(body)):
                    found += [self.parameters.number(value, Label("E", (body.name, str(i + 1))), "kg m²")] * 3
        return np.array(found, dtype=object)
