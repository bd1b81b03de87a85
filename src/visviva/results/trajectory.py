"""Trajectory: what the simulation of a system without a Model returns."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva._suggestions import suggesting
from visviva.errors import ModelError
from visviva.mechanism.names import unknown_name
from visviva.results.notes import cautions, first_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.audit import Audit


@final
@suggesting
class Trajectory:
    """Quantities over time by name.

    t:      times of the nodes [s].   final: what continues the run, `simulate(..., initial=run.final)`.
    notes:  what the user should know.   engine: how its steps were made.   steps: how many, also those not kept.
    read:   (name, t) to a value between nodes.   audited: gives the audit.
    """

    def __init__(
        self,
        name: str,
        values: dict[str, Array],
        final: Any,
        integrator: object,
        notes: tuple[str, ...],
        steps: int,
        read: Callable[[str, float], Array],
        audited: Callable[[Trajectory], Audit],
    ) -> None:
        self.name = name
        self.values = values
        for column in values.values():
            column.flags.writeable = False
        self.final = final
        self.integrator = integrator
        self.notes = notes
        self.steps = steps
        self.engine = "NumPy"
        self._read = read
        self._audited = audited

    @property
    def t(self) -> Array:
        """Times of the nodes [s], (N+1,)."""
        return self.values["t"]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What `simulate` warned of: the cautions among the notes."""
        return tuple(cautions(self.notes))

    @property
    def names(self) -> list[str]:
        """All names that can be asked for."""
        return sorted(self.values)

    def select(self, *patterns: str) -> dict[str, Array]:
        """Quantities by name, for all names that fit one of the patterns."""
        found = {pattern: fnmatch.filter(self.names, pattern) or [pattern] for pattern in patterns}
        return {name: self[name] for names in found.values() for name in names}

    def __getitem__(self, name: str) -> Array:
        """A quantity by name, such as run["q"]; time is the first axis."""
        if name not in self:
            raise unknown_name(str(name), self.names, f"the run of {self.name!r}")
        return self.values[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.values

    def at(self, t: float, name: str) -> Array:
        """A quantity at any time of the run [s]: steps of the scheme itself from the node before, of its own order."""
        t, value = finite_number(t, "the time of run.at [s]"), self[name]
        if not self.t[0] <= t <= self.t[-1]:
            raise ModelError(f"run.at({t:g}, {name!r}) lies outside of t = {self.t[0]:g} to {self.t[-1]:g} s.")
        node = np.flatnonzero(self.t == t)
        return np.asarray(value[node[0]]) if len(node) else self._read(name, t)

    def audit(self) -> Audit:
        """The balance of energy of each step, measured by the quadrature of the scheme, and the constraints.

        Of what a flow does not tell, figures are None: `unmeasured` says why.
        """
        return self._audited(self)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g} s, {len(self.t) - 1} intervals"
        return f"<Trajectory of {self.name!r} with {type(self.integrator).__name__}: {span}{first_of(self.warnings)}>"

    def plot(self, *names: str, path: str | PathLike[str] | IO[bytes] | None = None) -> Figure:
        """Quantities by name or pattern against time, "q" by default; saved where a path is given."""
        from visviva.results.plot_quantities import Line, names_and_path, plot_lines

        names, path = names_and_path(names, path, self)
        names = names or ("q",)
        lines = []
        for name, value in self.select(*names).items():
            flat = value.reshape(len(value), -1)
            labels = [name] if value.ndim == 1 else [f"{name}[{k}]" for k in range(flat.shape[1])]
            lines += [Line(label, "", self.t, flat[:, k]) for k, label in enumerate(labels)]
        return plot_lines(f"{self.name}: {', '.join(names)}", lines, path)

    def to_csv(self, path: str | PathLike[str], *names: str) -> None:
        """A table by name or pattern, everything by default, one column for each component: q[0], q[1], …"""
        from visviva.results.tables import write_csv

        columns: dict[str, Array] = {}
        for name, value in self.select(*(names or self.names)).items():
            for at in np.ndindex(value.shape[1:]):
                columns[name + (f"[{','.join(map(str, at))}]" if at else "")] = value[(slice(None), *at)]
        columns.pop("t", None)
        write_csv(path, self.t, columns)
