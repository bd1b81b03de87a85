"""Run: what a simulation returns."""

from __future__ import annotations

import fnmatch
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SO3
from visviva.model import Model, State
from visviva.results.accounts import energy_scale
from visviva.results.motion import MechanismMotion
from visviva.results.quantities import Reader, no_such_quantity, readers
from visviva.results.record import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.audit import Audit

EPS = float(np.finfo(np.float64).eps)
FIRST_LAW = 1e-13  # largest |ΔH + heat - work| of one step, relative to the unit of energy: the bound of the audit


@final
class Run:
    """Trajectories by dotted name, the audit, pictures.

    t, t_mid: times of the nodes and of the steps' midpoints.   final: the `State` that continues the run.
    notes:    what the user should know, such as a changed step size.
    """

    def __init__(self, model: Model, record: Record, final: State, integrator: object, notes: tuple[str, ...]) -> None:
        self.model = model
        self.record = record
        for column in vars(record).values():
            column.flags.writeable = False
        self.final = final
        self.integrator = integrator
        self.notes = notes

    @property
    def t(self) -> Array:
        """Times of the nodes [s], (N+1,)."""
        return self.record.t

    @property
    def t_mid(self) -> Array:
        """Midpoints of the steps [s], (N,): where multipliers, inputs and powers live."""
        return self.record.t_mid

    @cached_property
    def motion(self) -> MechanismMotion | None:
        """The motion of the mechanism, if the model is one."""
        mechanism = self.model.mechanism
        return None if mechanism is None else MechanismMotion(self.model, mechanism, self.record)

    @cached_property
    def _readers(self) -> dict[str, Reader]:
        return readers(self)

    @cached_property
    def _values(self) -> dict[str, Array]:
        return {}

    @property
    def names(self) -> list[str]:
        """All names that can be asked for."""
        return sorted(self._readers)

    def match(self, pattern: str) -> list[str]:
        """Names that fit a pattern such as '*.r' or 'energy.*'."""
        return fnmatch.filter(self.names, pattern)

    def __getitem__(self, name: str) -> Array:
        """A trajectory by name, e.g. run["rod.r"]; time is the first axis."""
        if not isinstance(name, str) or name not in self._readers:
            raise no_such_quantity(self, name, self.names)
        if name not in self._values:
            value = np.asarray(self._readers[name]()).view()
            value.flags.writeable = False  # it is shared with whoever asks next
            self._values[name] = value
        return self._values[name]

    def at(self, t: float, name: str) -> Array:
        """A quantity at any time of the run, between nodes by interpolation: linear, rotations along the geodesic.

        The error is of second order in the distance of the nodes, as that of the schemes is.
        """
        values = self[name]
        times = self.t if len(values) == len(self.t) else self.t_mid
        if not times[0] <= t <= times[-1]:
            known = f"from t = {times[0]:g} to {times[-1]:g} s"
            raise ModelError(f"run.at({t:g}, {name!r}) lies outside of what is known, {known}.")
        k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, max(len(times) - 2, 0)))
        if len(times) == 1:
            return values[0]
        s = (t - times[k]) / (times[k + 1] - times[k])
        if name.endswith(".R") and values.shape[1:] == (3, 3):
            R0, R1 = SO3(values[k]), SO3(values[k + 1])
            return (R0 @ SO3.exp(s * (R0.inverse() @ R1).log())).R
        return np.asarray((1 - s) * values[k] + s * values[k + 1])

    def __contains__(self, name: str) -> bool:
        return name in self._readers

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g} s, {len(self.t) - 1} intervals"
        return f"<Run of {self.model.name!r} with {type(self.integrator).__name__}: {span}>"

    @property
    def steps(self) -> int:
        """Number of steps made, also those whose nodes were not kept."""
        return round(float((np.diff(self.t) / self.record.h).sum()))

    @cached_property
    def _storage_energies(self) -> list[Array]:
        return [part.H(self.record.x[:, self.model.layout.x[part.variable]]) for part in self.model.storages]

    def kinetic_and_potential(self) -> tuple[Array, Array]:
        """Energy of the velocities, and that of everything else [J], (N+1,) each."""
        kinetic = np.zeros(len(self.t))
        for part, energy in zip(self.model.storages, self._storage_energies, strict=True):
            kinetic = kinetic + energy if part.variable in self.model.kinetic else kinetic
        return kinetic, self["energy"] - kinetic

    @cached_property
    def energy_scale(self) -> float:
        """Largest Σ|H_i - H_i(0)| + kinetic and other quadratic energy + |work| over all steps [J].

        The unit of all relative bounds: it does not depend on where heights are counted from.
        """
        first = np.array([energy[0] for energy in self._storage_energies])
        start = float(energy_scale(self.model, first, first, np.zeros(())))
        return max(start, float(self.record.scale.max(initial=0.0)))

    @cached_property
    def energy_unit(self) -> float:
        """The energy scale, or what the rounding of the stored energies allows to resolve, if that is more [J]."""
        first = sum(abs(float(energy[0])) for energy in self._storage_energies)
        rounding = 8 * EPS * max(first, float(self.record.stored.max(initial=0.0)))
        return max(self.energy_scale, rounding / FIRST_LAW) or 1.0

    def audit(self) -> Audit:
        """First and second law, constraints and warnings, per component; prints as a table."""
        from visviva.results.audit import audit

        return audit(self)

    def plot(self, what: str = "energy", path: str | PathLike[str] | None = None) -> Figure:
        """A picture: "energy", or a name or pattern of quantities against time. Saved where a path is given."""
        from visviva.results.plot import plot

        return plot(self, what, path)

    def page(self, path: str | PathLike[str]) -> None:
        """Write one self-contained web page: motion, energy, audit. It opens without a network."""
        from visviva.results.page import write_page

        write_page(self, path)


@final
class Snapshot:
    """One node of a run, as a stop condition sees it: `now.t`, `now["hinge.q"]`."""

    def __init__(self, run: Run, i: int) -> None:
        self._run = run
        self._i = i

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._run.t[self._i])

    def __getitem__(self, name: str) -> Array:
        """Value of a quantity at this instant; those that live at midpoints belong to the step that ends here."""
        values = self._run[name]
        return values[self._i if len(values) == len(self._run.t) else self._i - 1]
