"""One state of a mechanism, and what its Model in Lie form says there: what every reading is compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.state import Coordinates
from visviva.mechanism import Motion
from visviva.model import Model
from visviva.numerics.rank import significant, singular_values, unit_rows
from visviva.testing.laws import require
from visviva.testing.readings.case import Case, Units

ACCELERATIONS = 1e-12  # of the largest one, for constraints whose rows are at right angles


@final
@dataclass(frozen=True, eq=False)
class Instant:
    """A consistent state, with what the Model in Lie form has there.

    q, xi, s, motion: the same state in minimal velocities, and for mechanisms.   u, u_dot: inputs, rates of drives.
    v_dot, s_dot:     rates of velocities, and of fluxes, entropies and angles.
    H, heat, power:   stored energy [J], and what is lost and supplied [W].
    """

    case: Case
    form: MinimalForm
    q: Array
    xi: Array
    s: Array
    x: Array
    u: Array
    u_dot: Array
    motion: Motion
    v_dot: Array
    s_dot: Array
    H: float
    heat: float
    power: float

    @property
    def model(self) -> Model:
        """In Lie form."""
        return self.form.model

    @property
    def units(self) -> Units:
        """Of the mechanism."""
        return self.case.units

    @cached_property
    def xi_dot(self) -> Array:
        """Accelerations of the Model in minimal velocities: V̇ = S ξ̇ + Ṡ ξ."""
        point = self.form.at(self.q, self.xi, self.s)
        rows, columns = self.units.body_velocities(self.form), self.xi_unit
        S, right = point.S * columns / rows[:, None], (self.v_dot - point.S_dot @ self.xi) / rows
        return columns * np.linalg.lstsq(S, right, rcond=None)[0]

    @cached_property
    def v_dot_unit(self) -> Array:
        """Units of the accelerations of bodies, (m,)."""
        return self.units.body_velocities(self.form) / self.units.time

    @cached_property
    def xi_unit(self) -> Array:
        """Units of minimal velocities, (n,)."""
        return self.units.increments(self.form) / self.units.time

    @cached_property
    def s_unit(self) -> Array:
        """Units of other states."""
        return self.units.states(self.form)

    @cached_property
    def amplification(self) -> float:
        """How much rounding may grow in constraints: one over the least singular value of unit rows that counts."""
        rows = unit_rows(self.model.C(self.x)[:, self.form.at_z] * self.units.body_velocities(self.form))[0]
        sizes = singular_values(rows) if rows.size else np.ones(1)
        return 1.0 / min(1.0, float(sizes[significant(sizes)].min()))

    @property
    def accuracy(self) -> float:
        """To which accelerations agree, of the largest."""
        return ACCELERATIONS * self.amplification

    @property
    def scale(self) -> float:
        """The largest acceleration, in units of the mechanism."""
        return float(np.abs(self.v_dot / self.v_dot_unit).max())

    def split_by_body(self, values: Array) -> list[Array]:
        """Values over the velocities of all bodies, one array for each."""
        widths = [len(self.motion.V[body.name]) for body in self.form.definition.bodies]
        return np.split(values, np.cumsum(widths)[:-1])

    def same_accelerations(self, found: Array) -> None:
        """AssertionError unless they are those of the Model."""
        close(found / self.v_dot_unit, self.v_dot / self.v_dot_unit, "accelerations", accuracy=self.accuracy)

    def same_states(self, found: Array) -> None:
        """AssertionError unless these are the rates of fluxes, entropies and angles."""
        unit = self.s_unit / self.units.time
        close(found / unit, self.s_dot / unit, "other states", 1.0)

    def same_energy(self, found: float, accuracy: float = 1e-11, heat: float = 0.0) -> None:
        """AssertionError unless it is that of the Model; heat: [J] in the capacities, whose differences round."""
        unit = self.units.energy
        close(found / unit, self.H / unit, "energy", 1.0 + heat / unit, accuracy)

    def same_power(self, found: float, expected: float | None = None, what: str = "power") -> None:
        """AssertionError unless it is what is expected; by default what the Model is supplied with less its heat."""
        unit = self.units.power
        size = 1.0 + (abs(self.power) + abs(self.heat)) / unit
        close(found / unit, (self.power - self.heat if expected is None else expected) / unit, what, size)


def instant(case: Case, state: Coordinates) -> Instant:
    """What the Model says at a state (q, ξ, s) that satisfies all constraints to rounding."""
    form = MinimalForm(case.mechanism, inputs=case.inputs)
    q, xi, s = state
    x, model = form.x(q, xi, s), form.model
    u, u_dot = form.inputs_at(0.0, form.at(q, xi, s))
    found = model.accelerations(x, u=u, u_dot=u_dot)
    z = model.z(x, found.w)
    flow = model.flow(x, z, u)
    s_dot = np.concatenate([np.zeros(0), *(flow[model.layout.z[name]] for name in form.states.s)])
    return Instant(
        case, form, q, xi, s, x, u, u_dot, form.motion(q, xi, s), found.v_dot, s_dot,
        float(model.H(x)), float(model.heats(x, z).sum()), float(model.outputs(x, z) @ u),
    )  # fmt: skip


def close(found: ArrayLike, expected: ArrayLike, what: str, size: float = 0.0, accuracy: float = 1e-9) -> None:
    """AssertionError unless both agree, relative to the largest of what is expected, a size, and a thousandth."""
    scale = max(float(np.abs(expected).max(initial=0.0)), 1e-3, size)
    require(what, found, expected, accuracy, scale)


def slope(f: Callable[[float], Array], h: float = 1e-4) -> Array:
    """Derivative at zero, by a central difference of order four."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
