"""The audit: where every joule went, and whether the run deserves trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from functools import partial
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.model import Model
from visviva.results.accounts import rate_violations, rated_constraints
from visviva.results.audit_warnings import audit_warnings
from visviva.results.columns import highest
from visviva.results.components import Account, accounts
from visviva.results.record import Record
from visviva.results.rounding import ROUNDINGS
from visviva.results.run import FIRST_LAW, Run

FEW = 16  # steps
CONSTRAINT = 1e-9  # largest |g|, relative to the size of its terms


@final
@dataclass(frozen=True, eq=False)
class Audit:
    """Figures of a run; relative ones refer to `unit` or to the size of the terms that cancel.

    A figure is None where it could not be measured, and zero where there was nothing to measure: `unmeasured` and
    `vacuous` say why, figure by figure.

    unit:       `energy_scale`, but never so small that the rounding of a balance would count [J].
    first_law:  largest |ΔH + heat - work| of one step, relative.   drift: the same for the sum over all steps.
    rounding:   ε times the terms that are added and subtracted in the balance of a step, the largest of all steps [J].
    roundings:  largest |ΔH + heat - work| of one step in units of it: the balance is closed up to 64 of them.
    second_law: smallest entropy production of a component in one step [J/K]; it must not be negative.
    g, g_v:     largest violation of a holonomic constraint, and of its rate, relative.
    ok:         what the scheme claims to keep holds to rounding: the first law, for schemes that claim it, and always
                the second law and the constraints.   warnings: what may still be wrong.
    exact:      whether the scheme claims the first law at any step; others keep it as far as they are accurate, and
                their figures of it are errors of the motion, no defects.
    held:       whether constraints are rows on positions, which the scheme keeps. Joints that rows on velocities hold
                open as far as the scheme is inaccurate: g is then the largest opening, an angle [rad] or a
                shift relative to the longest arm, and an error of the motion, no defect.
    without_g:  constraints on velocities alone beside those that have a g: blades, rolling, drives by their rate.
                They have none, and g_v tells of them.
    law_texts:  gives what control laws have to tell, which is computed when the audit is printed.
    components: the accounts by name.   is_thermal: whether the model accounts for entropy itself.
    """

    name: str
    integrator: str
    t: tuple[float, float]
    steps: int
    first_law: float | None
    drift: float | None
    rounding: float
    roundings: float
    second_law: float | None
    g: float | None
    g_v: float | None
    energy_scale: float
    unit: float
    theta0: float
    iterations: float
    components: dict[str, Account]
    warnings: tuple[str, ...]
    is_thermal: bool = False
    exact: bool = True
    unmeasured: Mapping[str, str] = field(default_factory=dict)
    vacuous: Mapping[str, str] = field(default_factory=dict)
    held: bool = True
    without_g: tuple[str, ...] = ()
    law_texts: Callable[[], tuple[str, ...]] = tuple

    @property
    def ok(self) -> bool:
        """Whether the laws that the scheme claims, and the constraints, hold to rounding, as far as measured."""
        kept = self.g is None or not self.held or self.g <= CONSTRAINT
        return (self.is_closed or not self.exact) and self.heat_flows_forward and kept

    @property
    def is_closed(self) -> bool:
        """Whether the balance of energy of every step is closed to rounding."""
        return self.roundings <= ROUNDINGS

    @property
    def heat_flows_forward(self) -> bool:
        """Whether no component produced negative entropy, to rounding; without an exact first law, to its error."""
        bound = FIRST_LAW if self.exact or self.first_law is None else max(FIRST_LAW, self.first_law)
        return self.second_law is None or self.second_law * self.theta0 >= -bound * self.unit

    def table(self) -> NDArray[np.void]:
        """The accounts as a structured array, one row for each component; `pandas.DataFrame` takes it as it is."""
        width = max((len(name) for name in self.components), default=1)
        numbers = [(each.name, np.float64) for each in fields(Account)]
        rows = [(name, *astuple(account)) for name, account in self.components.items()]
        return np.array(rows, dtype=[("component", f"U{width}"), *numbers])

    def __str__(self) -> str:
        from visviva.results.audit_text import audit_text

        return audit_text(self)


def audit(run: Run) -> Audit:
    """Add up the accounts of a run."""
    record, unit = run.record, run.energy_unit
    vacuous, unmeasured = vacuous_figures(run), unmeasured_figures(run)
    found = figures(run)
    return Audit(
        name=run.model.name,
        integrator=type(run.integrator).__name__,
        t=(float(run.t[0]), float(run.t[-1])),
        steps=run.steps,
        **found,
        rounding=run.rounding,
        roundings=roundings(run),
        energy_scale=run.energy_scale,
        unit=unit,
        theta0=run.model.theta0,
        iterations=float(record.iterations.sum()) / max(1, run.steps),
        components=accounts(run),
        warnings=tuple(audit_warnings(run, found["g_v"])),
        is_thermal=run.model.is_thermal,
        exact=run.exact,
        unmeasured=unmeasured,
        vacuous=vacuous,
        held=bool(run.model.has_g.any()) or not run.model.closures,
        without_g=constraints_without_g(run),
        law_texts=partial(law_texts, run),
    )


def law_texts(run: Run) -> tuple[str, ...]:
    """What control laws have to tell of a run, or why they have not; it takes time where a run is long."""
    try:
        return tuple(str(record) for record in run.law_records)
    except ModelError as reason:
        return (f"control law: {reason}",)


class Measured(Protocol):
    """What has figures: a run, or what is left of one."""

    @property
    def model(self) -> Model: ...  # noqa: D102
    @property
    def record(self) -> Record: ...  # noqa: D102
    @property
    def steps(self) -> int: ...  # noqa: D102
    @property
    def energy_unit(self) -> float: ...  # noqa: D102
    @property
    def rounding(self) -> float: ...  # noqa: D102


FIGURES: dict[str, Callable[[Any], float]] = {
    "first_law": lambda run: float(run.record.closure.max()) / run.energy_unit,
    "drift": lambda run: abs(float(run.record.drift.sum())) / run.energy_unit,
    "second_law": lambda run: float(run.record.lowest_heat.min()) / run.model.theta0,
    "g": lambda run: float(run.record.g.max()),
    "g_v": lambda run: relative_g_v(run),
}


def figures(run: Measured, names: Sequence[str] = tuple(FIGURES)) -> dict[str, float | None]:
    """Figures of a run by name: zero where there was nothing to measure, None where it could not be measured."""
    vacuous, unmeasured = vacuous_figures(run), unmeasured_figures(run)
    return {name: 0.0 if name in vacuous else None if name in unmeasured else FIGURES[name](run) for name in names}


def roundings(run: Measured) -> float:
    """Largest |ΔH + heat - work| of one step in units of the rounding of its balance."""
    return float(run.record.closure.max(initial=0.0)) / (run.rounding or 1.0)


def vacuous_figures(run: Measured) -> dict[str, str]:
    """Figures that are zero because a run or model has nothing of the kind, and what it has not."""
    model, missing = run.model, dict[str, str]()
    if not run.steps:
        missing |= dict.fromkeys(("first_law", "drift", "second_law", "g"), "no step was made")
    if not model.dissipations:
        missing["second_law"] = "nothing in the model makes entropy"
    if not model.constraints:
        missing |= dict.fromkeys(("g", "g_v"), "the model has no constraints")
    return missing


def unmeasured_figures(run: Measured) -> dict[str, str]:
    """Figures that a run says nothing about, with the reason."""
    model, missing = run.model, dict[str, str]()
    if model.constraints and not model.has_g.any() and not model.closures:
        missing["g"] = "all rows are on velocities, and know no positions"
    if model.constraints and not rated_constraints(model).any():
        missing["g_v"] = "its terms are efforts of steps, no states"
    return missing


def constraints_without_g(run: Run) -> tuple[str, ...]:
    """Constraints on velocities alone, where others have a g."""
    parts = run.model.constraints
    return tuple(part.name for part in parts if not part.has_g) if any(part.has_g for part in parts) else ()


def relative_g_v(run: Run) -> float:
    """Largest |C v| relative to the largest |C| |v| of its constraint, or to |C| times the speed of the run.

    The speed of the run is that of its energy, √(2 unit / mass): where nothing moves, rounding is not measured by
    rounding. The first node counts, too, which no step has led to.
    """
    record, model = run.record, run.model
    value, terms, rows = (highest(column) for column in (record.g_v, record.g_v_terms, record.g_v_rows))
    first = rate_violations(model, record.x[0], record.u[0])
    return _relative(run, *(np.maximum(*pair) for pair in zip((value, terms, rows), first, strict=True)))


def bound_of_g_v(run: Run) -> float:
    """The same of steps alone, or more: the sizes that it is relative to are looked for at a few steps only."""
    record = run.record
    few = slice(None, None, max(1, record.steps // FEW))
    return _relative(run, highest(record.g_v), highest(record.g_v_terms[few]), highest(record.g_v_rows[few]))


def _relative(run: Run, value: Array, terms: Array, rows: Array) -> float:
    mass = run.model.largest_mass(run.record.x[0])
    size = np.maximum(terms, rows * float(np.sqrt(2.0 * run.energy_unit / mass)))
    return float((value / np.where(size > 0, size, 1.0)).max(initial=0.0))
