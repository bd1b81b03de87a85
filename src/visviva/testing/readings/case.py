"""A mechanism that is read in many ways, and the units in which the readings are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.library.joints import Product
from visviva.linear.mechanism_names import increment_names, port_units, sizes_and_units
from visviva.mechanism import Mechanism
from visviva.mechanism.parts import Joint
from visviva.model import Model


@final
@dataclass(frozen=True)
class Units:
    """Typical length [m], time [s] and mass [kg] of a mechanism: numbers are compared in units made of them."""

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0

    @property
    def energy(self) -> float:
        """m l²/t² [J]."""
        return self.mass * self.length**2 / self.time**2

    @property
    def power(self) -> float:
        """Energy over time [W]."""
        return self.energy / self.time

    def coordinates(self, joint: Joint) -> Array:
        """Of the coordinates of a joint that have a name: 1 of angles, the length of displacements."""
        return np.array([self.length if isinstance(one, Product) else 1.0 for one in joint.joint.coordinates])

    def body_velocities(self, form: MinimalForm) -> Array:
        """Of the velocities of all bodies in the Model: spins, and velocities of centres of mass, (m,)."""
        both = np.array(3 * [1.0 / self.time] + 3 * [self.length / self.time])
        return np.tile(both, len(form.rigid))[form.moving]

    def increments(self, form: MinimalForm) -> Array:
        """Of increments of the coordinates of a tree, (n,): angles and lengths; over a time, those of ξ."""
        names = increment_names(form)
        kinds = sizes_and_units(form, names, ())[1]
        return np.array([1.0 if kinds[name] == "rad" else self.length for name in names])

    def states(self, form: MinimalForm) -> Array:
        """Of other states: fluxes in volts times seconds, entropies at the temperature of the environment, angles."""
        kinds = sizes_and_units(form, increment_names(form), ())[1]
        sizes = {"Wb": self.time, "J/K": self.energy / form.model.theta0}
        return np.array([sizes.get(kinds[name], 1.0) for name in form.s_names])

    def model_states(self, model: Model, m: Mechanism) -> Array:
        """Of the states of a Model of a mechanism, in Lie form or in directors: placements, velocities, others."""
        L, T = self.length, self.time
        units = np.ones(model.layout.size)
        for body in m.bodies:
            q, v = (model.layout.x[f"{body.name}.{letter}"] for letter in "qv")
            units[q] = np.where(np.arange(q.stop - q.start) < 3, L, 1.0)
            spins = np.arange(v.stop - v.start)
            turning = {3: spins < 0, 6: spins < 3, 12: spins >= 3}[len(spins)]
            units[v] = np.where(turning, 1.0, L) / T
        for name in model.measured:
            units[model.layout.x[name]] = 1.0 if name.endswith("angle") else L
        for variable in model.variables:
            if variable.entropy:
                units[model.layout.x[variable.name]] = self.energy / model.theta0
            elif variable.name.endswith(".flux"):
                units[model.layout.x[variable.name]] = T
        return units

    def inputs(self, form: MinimalForm) -> Array:
        """Of all that ports take, one after the other: torques, forces, volts, rates of what drives."""
        sizes = {
            "N m": self.energy,
            "N": self.energy / self.length,
            "rad/s": 1 / self.time,
            "m/s": self.length / self.time,
        }
        kinds = [kind for port in form.full.ports for kind in port_units(form, port.name, port.width)]
        return np.array([sizes.get(kind, 1.0) for kind in kinds])


@final
@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism, inputs of its ports as `simulate` takes them, and its units.

    h, steps: step size [s] and number of steps of the runs that are compared with each other.
    """

    mechanism: Mechanism
    inputs: Mapping[str, Any] = field(default_factory=dict)
    units: Units = field(default_factory=Units)
    h: float = 1e-2
    steps: int = 3

    @cached_property
    def constant_inputs(self) -> dict[str, Any]:
        """The inputs as they are at the start."""
        return {name: u(0.0) if callable(u) else u for name, u in self.inputs.items()}
