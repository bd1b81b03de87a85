"""Run: what a simulation returns."""

from __future__ import annotations

import fnmatch
from dataclasses import replace
from functools import cached_property, partial
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, with_own_arrays
from visviva._suggestions import suggesting
from visviva.errors import ModelError
from visviva.mechanism import Definition, Motion
from visviva.model import Model, State
from visviva.model.control_law import AbstractControlLaw, Clock, laws_in
from visviva.model.instant import check_mechanism
from visviva.results.accounts import energy_scale
from visviva.results.motion import MechanismMotion
from visviva.results.notes import cautions, first_of
from visviva.results.powers import Powers, port_powers
from visviva.results.quantities import common_readers, no_such_quantity, own_readers
from visviva.results.reader import Reader
from visviva.results.record import Record
from visviva.results.rounding import EPS, ROUNDINGS, start_terms
from visviva.results.untold import untold

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.audit import Audit

FIRST_LAW = 1e-13  # largest |ΔH + heat - work| of one step, relative to the unit of energy: the bound of the audit


@final
@suggesting
class Run:
    """Trajectories by dotted name, the audit, pictures, tables. It can be pickled.

    t, t_mid: times of the nodes and of the steps' midpoints.   final: the `State` that continues the run.
    notes:    what the user should know, such as a changed step size.   warnings: what should not be missed.
    recorded: the quantities that `simulate(record=...)` kept, if it was asked to keep only some; None else.
    engine:   "compiled" or "NumPy": how its steps were made.
    sampled:  control laws that were asked at ticks, with their clocks; laws inside of steps are the model's.
    """

    def __init__(
        self,
        model: Model,
        record: Record,
        final: State,
        integrator: object,
        notes: tuple[str, ...],
        recorded: dict[str, Array] | None = None,
        engine: str = "compiled",
        sampled: tuple[tuple[AbstractControlLaw, Clock], ...] = (),
    ) -> None:
        self.model = model
        self.recorded = recorded
        self.record = record
        for column in vars(record).values():
            column.flags.writeable = False
        self.final = with_own_arrays(final, writeable=False)
        self.integrator = integrator
        self.notes = notes
        self.engine = engine
        self.sampled = sampled

    def __reduce__(self) -> tuple[type[Run], tuple[Any, ...]]:
        """What it was made from: all that was read from it since can be read again."""
        made = (
            self.model,
            self.record,
            self.final,
            self.integrator,
            self.notes,
            self.recorded,
            self.engine,
            self.sampled,
        )
        return Run, made

    def over(self, record: Record, final: State) -> Run:
        """The same run over other steps, with the tables of its mechanism that are the same for all."""
        other = Run(self.model, record, final, self.integrator, self.notes, None, self.engine, self.sampled)
        if self.motion is not None:
            other.motion = self.motion.over(record)
        return other

    def motion_of(self, m: Definition) -> Motion:
        """The motion at its end, of the mechanism that it is a run of: a run stands for its final state."""
        if self.model.definition is None:
            raise ModelError(f"the run of {self.model.name!r} is not one of a mechanism: it has no motion.")
        check_mechanism(self.final, m)
        return self.final.motion_of(self.model.definition)

    # -- by name ------------------------------------------------------------------------------------------------

    @property
    def t(self) -> Array:
        """Times of the nodes [s], (N+1,)."""
        return self.record.t if self.recorded is None else self.recorded["t"]

    @property
    def t_mid(self) -> Array:
        """Midpoints of the steps [s], (N,): where multipliers, inputs and powers live."""
        return self.record.t_mid if self.recorded is None else self.recorded["t_mid"]

    @cached_property
    def motion(self) -> MechanismMotion | None:
        """The motion of the mechanism, if the model is one."""
        mechanism = self.model.definition
        return None if mechanism is None else MechanismMotion(self.model, mechanism, self.record)

    @cached_property
    def powers(self) -> Powers:
        """Power into each component at each junction it is connected to."""
        scheme = type(self.integrator).__name__
        return port_powers(self.model, self.record, scheme, stabilised=len(self.final.gam) > 0)

    @cached_property
    def _common(self) -> dict[str, Reader]:
        return common_readers(self)

    @cached_property
    def _own(self) -> dict[str, Reader]:
        return own_readers(self)

    def _reader(self, name: str) -> Reader | None:
        """How a quantity is read, by the table that has it; the other one is not made for it."""
        if self.recorded is not None:
            return self._readers.get(name)
        return self._own.get(name) or self._common.get(name)

    @cached_property
    def _readers(self) -> dict[str, Reader]:
        table = self._common | self._own
        if self.recorded is None:
            return table
        kept = {name: values for name, values in self.recorded.items() if name in table}
        return {name: replace(table[name], read=partial(np.asarray, values)) for name, values in kept.items()}

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

    def select(self, *patterns: str) -> dict[str, Array]:
        """Trajectories by name, for all names that fit one of the patterns; a plain name fits itself.

        A pattern is of what the record can tell, see `left_out`.
        """
        found: dict[str, Array] = {}
        for pattern in patterns:
            matched = [pattern] if pattern in self else self.match(pattern)
            silent = set[str]() if pattern in matched else untold(self, matched)
            found |= {name: self[name] for name in matched or [pattern] if name not in silent}
        return found

    def left_out(self, *patterns: str) -> tuple[str, ...]:
        """Names that fit a pattern and that the record does not tell, so that selections and files are without them.

        Powers through ports where the steps of the scheme are no midpoints; reactions at the nodes where boxes have
        inertias (`<joint>.reaction_mid` is told). Asked for by its name, such a quantity is an error that says why.
        """
        matched = [name for one in patterns or ("*",) if one not in self for name in self.match(one)]
        return tuple(sorted(untold(self, matched)))

    def __getitem__(self, name: str) -> Array:
        """A trajectory by name, e.g. run["rod.r"]; time is the first axis."""
        reader = self._reader(name) if isinstance(name, str) else None
        if reader is None:
            if self.recorded is not None and isinstance(name, str) and name in self._common | self._own:
                raise ModelError(
                    f"{name!r} was not recorded: record= of simulate() kept {', '.join(self.names)}. Add it there."
                )
            raise no_such_quantity(self, name, self.names)
        if name not in self._values:
            value = np.asarray(reader.read()).view()
            value.flags.writeable = False  # it is shared with whoever asks next
            self._values[name] = value
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._reader(name) is not None

    def adds_up(self, name: str) -> bool:
        """Whether a quantity is a sum from the start of the run, such as work and heat."""
        reader = self._reader(name)
        return reader is not None and reader.adds_up

    def unit(self, name: str) -> str:
        """The unit of a quantity; empty where nobody said it."""
        if name not in self:
            raise no_such_quantity(self, name, self.names)
        return self._readers[name].unit

    def components(self, name: str) -> tuple[str, ...]:
        """What the components of a quantity are called, such as x, y, z; empty where they are numbered."""
        if name not in self:
            raise no_such_quantity(self, name, self.names)
        return self._readers[name].components

    def at(self, t: float, name: str) -> Array:
        """A quantity at any time of the run [s]; between nodes by cubic interpolation where its rate is known.

        Else linear: the error is then of second order in the distance of the nodes, as that of most schemes is.
        """
        from visviva.results.interpolation import value_at

        return value_at(self, t, name)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g} s, {len(self.t) - 1} intervals"
        return f"<Run of {self.model.name!r} with {type(self.integrator).__name__}: {span}{first_of(self.warnings)}>"

    # -- energy -------------------------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """Number of steps made, also those whose nodes were not kept."""
        return int(self.record.count.sum())

    @cached_property
    def _storage_energies(self) -> list[Array]:
        return [part.H(self.record.x[:, self.model.layout.place(part.reads)]) for part in self.model.storages]

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
        first, _ = start_terms(self.model, self.record.x[0])
        start = float(energy_scale(self.model, np.zeros_like(first), first))
        return max(start, float(self.record.scale.max(initial=0.0)))

    @cached_property
    def energy_unit(self) -> float:
        """The energy scale, or what the rounding of its balance allows to resolve, if that is more [J]."""
        return energy_unit(self.energy_scale, self.rounding)

    @cached_property
    def rounding(self) -> float:
        """The largest rounding of the balance of energy of a step [J], see `results.rounding`."""
        start = EPS * start_terms(self.model, self.record.x[0])[1]
        return max(start, float(self.record.rounding.max(initial=0.0)))

    @property
    def exact(self) -> bool:
        """Whether the scheme claims to close the first law at any step, so that the audit may ask for it."""
        return "energy" in getattr(self.integrator, "preserves", ("energy",))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What `simulate` warned of: the cautions among the notes, and what the record shows."""
        from visviva.results.audit import bound_of_g_v, relative_g_v
        from visviva.results.audit_warnings import SPEED_WARNING, record_warnings

        g_v = bound_of_g_v(self)  # all of it costs more than short runs, and rarely matters
        g_v = relative_g_v(self) if not g_v <= SPEED_WARNING else g_v
        return (*cautions(self.notes), *record_warnings(self, g_v))

    @cached_property
    def law_records(self) -> tuple[Any, ...]:
        """What the control laws of the run have to tell of it, of those that tell something."""
        laws: list[tuple[AbstractControlLaw, Clock | None]] = [(law, None) for law in laws_in(self.model)]
        found = [law.record_of(self, clock) for law, clock in [*laws, *self.sampled]]
        return tuple(record for record in found if record is not None)

    @property
    def tracking(self) -> Any:
        """How a tracking law did: errors, energies and inputs at the nodes, and the template's balance of energy.

        See `vv.control.TrackingRecord`; of several laws the first one is told, others are in `law_records`.
        """
        if not self.law_records and (self.sampled or laws_in(self.model)):
            raise ModelError(
                f"the run of {self.model.name!r} has a control law, but too few nodes to tell of it: record= or\n"
                "every= of simulate() left some out, or no step was made, or the law tells nothing."
            )
        if not self.law_records:
            raise ModelError(
                f"the run of {self.model.name!r} has no tracking law: give one as inputs=law.at(goal), or as\n"
                "sampled=vv.Sampled(law.at(goal), period=...), with law = vv.control.tracking(m, ...)."
            )
        return self.law_records[0]

    def audit(self) -> Audit:
        """First and second law, constraints and warnings, per component; prints as a table."""
        from visviva.results.audit import audit

        return audit(self)

    # -- pictures and files -------------------------------------------------------------------------------------

    def plot(self, *names: str, path: str | PathLike[str] | IO[bytes] | None = None) -> Figure:
        """A picture: "energy" by default, "heat", "audit", "motion", "tracking"; or names and patterns of quantities.

        path: where it is saved as well; a last name that ends as a picture does, "energy.png", is taken for it.
        """
        from visviva.results.plot import plot

        return plot(self, names, path)

    def sankey(self, path: str | PathLike[str] | None = None, what: str | None = None) -> Figure:
        """Where energy and exergy came from and went over the whole run. Saved where a path is given.

        what: "energy" or "exergy"; both by default where the model has entropy, else they are one and the same.
        """
        from visviva.results.sankey import sankey

        return sankey(self, path, what)

    def page(self, path: str | PathLike[str]) -> None:
        """Write one self-contained web page: motion, energy, audit. It opens without a network."""
        from visviva.results.page import write_page

        write_page(self, path)

    def to_pandas(self, *names: str) -> Any:
        """A `pandas.DataFrame` by name or pattern, indexed by time; all that lives at the nodes by default."""
        from visviva.results.tables import to_pandas

        return to_pandas(self, names)

    def to_xarray(self, *names: str) -> Any:
        """An `xarray.Dataset` by name or pattern, everything by default, with both clocks and units."""
        from visviva.results.tables import to_xarray

        return to_xarray(self, names)

    def to_csv(self, path: str | PathLike[str], *names: str) -> None:
        """Write a table of quantities by name or pattern; all that lives at the nodes by default."""
        from visviva.results.tables import to_csv

        to_csv(self, path, names)

    def to_npz(self, path: str | PathLike[str], *names: str) -> None:
        """Write arrays by name or pattern, everything by default, with times and units; read by `numpy.load`."""
        from visviva.results.tables import to_npz

        to_npz(self, path, names)


def energy_unit(scale: float, rounding: float) -> float:
    """What relative figures of energy refer to [J]: its scale, never so small that rounding would count."""
    return max(scale, ROUNDINGS * rounding / FIRST_LAW) or 1.0
