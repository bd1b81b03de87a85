"""The audit: where every joule went, and whether the run deserves trust."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva.results.accounts import rate_violations
from visviva.results.audit_warnings import audit_warnings
from visviva.results.components import Account, accounts
from visviva.results.run import FIRST_LAW, Run

CONSTRAINT = 1e-9  # largest |g|, relative to the size of its terms


@final
@dataclass(frozen=True, eq=False)
class Audit:
    """Figures of a run; relative ones refer to `unit` or to the size of the terms that cancel.

    unit:       `energy_scale`, but never so small that the rounding of the stored energies would count [J].
    first_law:  largest |ΔH + heat - work| of one step, relative.   drift: the same for the sum over all steps.
    second_law: smallest entropy production of a component in one step [J/K]; it must not be negative.
    g, g_v:     largest violation of a holonomic constraint, and of its rate, relative.
    ok:         what the scheme claims to keep holds to rounding: the first law, for schemes that claim it, and always
                the second law and the constraints.   warnings: what may still be wrong.
    exact:      whether the scheme claims the first law at any step; others keep it as far as they are accurate, and
                their figures of it are errors of the motion, no defects.
    components: the accounts by name.   is_thermal: whether the model accounts for entropy itself.
    """

    name: str
    integrator: str
    t: tuple[float, float]
    steps: int
    first_law: float
    drift: float
    second_law: float
    g: float
    g_v: float
    energy_scale: float
    unit: float
    theta0: float
    iterations: float
    components: dict[str, Account]
    warnings: tuple[str, ...]
    is_thermal: bool = False
    exact: bool = True

    @property
    def ok(self) -> bool:
        """Whether the laws that the scheme claims, and the constraints, hold to rounding."""
        closed = self.first_law <= FIRST_LAW or not self.exact
        return closed and self.heat_flows_forward and self.g <= CONSTRAINT

    @property
    def heat_flows_forward(self) -> bool:
        """Whether no component produced negative entropy, to rounding; without an exact first law, to its error."""
        bound = FIRST_LAW if self.exact else max(FIRST_LAW, self.first_law)
        return self.second_law * self.theta0 >= -bound * self.unit

    def table(self) -> NDArray[np.void]:
        """The accounts as a structured array, one row for each component; `pandas.DataFrame` takes it as it is."""
        width = max((len(name) for name in self.components), default=1)
        numbers = [(field.name, np.float64) for field in fields(Account)]
        rows = [(name, *astuple(account)) for name, account in self.components.items()]
        return np.array(rows, dtype=[("component", f"U{width}"), *numbers])

    def __str__(self) -> str:
        from visviva.results.audit_text import audit_text

        return audit_text(self)


def audit(run: Run) -> Audit:
    """Add up the accounts of a run."""
    record, unit = run.record, run.energy_unit
    g_v = relative_g_v(run)
    return Audit(
        name=run.model.name,
        integrator=type(run.integrator).__name__,
        t=(float(run.t[0]), float(run.t[-1])),
        steps=run.steps,
        first_law=float(record.closure.max(initial=0.0)) / unit,
        drift=abs(float(record.drift.sum())) / unit,
        second_law=float(record.lowest_heat.min()) / run.model.theta0 if record.steps else 0.0,
        g=float(record.g.max(initial=0.0)),
        g_v=g_v,
        energy_scale=run.energy_scale,
        unit=unit,
        theta0=run.model.theta0,
        iterations=float(record.iterations.sum()) / max(1, run.steps),
        components=accounts(run),
        warnings=tuple(audit_warnings(run, g_v)),
        is_thermal=run.model.is_thermal,
        exact=run.exact,
    )


def relative_g_v(run: Run) -> float:
    """Largest |C v| relative to the largest |C| |v| of its constraint, or to |C| times the speed of the run.

    The speed of the run is that of its energy, √(2 unit / mass): where nothing moves, rounding is not measured by
    rounding.
    """
    record, model = run.record, run.model
    first = rate_violations(model, record.x[0], record.u[0])
    value, terms, rows = (
        np.maximum(column.max(0, initial=0.0), start)
        for column, start in zip((record.g_v, record.g_v_terms, record.g_v_rows), first, strict=True)
    )
    mass = max((float(np.abs(model.mass(name, record.x[0])).max()) for name in model.kinetic), default=1.0)
    size = np.maximum(terms, rows * float(np.sqrt(2.0 * run.energy_unit / mass)))
    return float((value / np.where(size > 0, size, 1.0)).max(initial=0.0))
