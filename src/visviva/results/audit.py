"""The audit: where every joule went, and whether the run deserves trust."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva.mechanism.parts import Body
from visviva.results.accounts import rate_violations
from visviva.results.run import FIRST_LAW, Run

CONSTRAINT = 1e-9  # largest |g|, relative to the size of its terms
SPEED_WARNING = 0.02  # |g_v| relative to the size of its terms: beyond it the step is too large
SPIN_WARNING = 1.0  # angle of a body per step; the schemes are of second order in it
TURN_WARNING = 0.75 * np.pi  # angle per step; half a turn could no longer be told from its opposite


@final
@dataclass(frozen=True)
class Account:
    """One component over the whole run [J]; `energy_in` adds up to zero over all components, to rounding.

    energy_in: what it took from the others.   stored: of that, what it holds now more than at the start.
    exergy_destroyed: of that, what became heat at the temperature of the environment.
    """

    energy_in: float
    stored: float = 0.0
    exergy_destroyed: float = 0.0


@final
@dataclass(frozen=True, eq=False)
class Audit:
    """Figures of a run; relative ones refer to `unit` or to the size of the terms that cancel.

    unit:       `energy_scale`, but never so small that the rounding of the stored energies would count [J].
    first_law:  largest |ΔH + heat - work| of one step, relative.   drift: the same for the sum over all steps.
    second_law: smallest entropy production of a component in one step [J/K]; it must not be negative.
    g, g_v:     largest violation of a holonomic constraint, and of its rate, relative.
    ok:         both laws and the constraints hold to rounding.   warnings: what may still be wrong.
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

    @property
    def ok(self) -> bool:
        """Whether the laws and the constraints hold to rounding."""
        return self.first_law <= FIRST_LAW and self.heat_flows_forward and self.g <= CONSTRAINT

    @property
    def heat_flows_forward(self) -> bool:
        """Whether no component produced negative entropy, to rounding."""
        return self.second_law * self.theta0 >= -FIRST_LAW * self.unit

    def __str__(self) -> str:
        from visviva.results.audit_text import audit_text

        return audit_text(self)


def audit(run: Run) -> Audit:
    """Add up the accounts of a run."""
    record, unit = run.record, run.energy_unit
    g_v = _relative_g_v(run)
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
        components=_components(run),
        warnings=_warnings(run, g_v),
    )


def _components(run: Run) -> dict[str, Account]:
    model, record = run.model, run.record
    accounts: dict[str, Account] = {}
    for name, energy in model.energies(record.x).items():
        gain = float(energy[-1] - energy[0])
        accounts[name] = Account(energy_in=gain, stored=gain)
    for reservoir in model.reservoirs:
        at = slice(*(end - model.layout.solved for end in _ends(model.layout.z[reservoir.name])))
        taken = float(record.taken[-1, at].sum() - record.taken[0, at].sum())
        accounts[reservoir.name] = Account(energy_in=model.theta0 * taken if reservoir.entropy else 0.0)
    for k, part in enumerate(model.dissipations):
        heat = float(record.heat[:, k].sum())
        before = accounts.get(part.name, Account(0.0))
        left = 0.0 if model.is_thermal else heat  # else it passes the energy on, as heat to some junction
        accounts[part.name] = Account(before.energy_in + left, before.stored, before.exergy_destroyed + heat)
    for k, port in enumerate(model.ports):
        name = port.name if port.name not in accounts else f"{port.name} (input)"
        accounts[name] = Account(energy_in=-float(record.work[:, k].sum() + record.carried[:, k].sum()))
    for constraint in model.constraints:
        if not constraint.internal:
            accounts.setdefault(constraint.name, Account(0.0))
    return accounts


def _ends(part: slice) -> tuple[int, int]:
    return part.start, part.stop


def _relative_g_v(run: Run) -> float:
    """Largest |C v| relative to the largest |C| |v| of its constraint, or to |C| times the speed of the run.

    The speed of the run is that of its energy, √(2 unit / mass): where nothing moves, rounding is not measured by
    rounding.
    """
    record, model = run.record, run.model
    first = rate_violations(model, record.x[0])
    value, terms, rows = (
        np.maximum(column.max(0, initial=0.0), start)
        for column, start in zip((record.g_v, record.g_v_terms, record.g_v_rows), first, strict=True)
    )
    mass = max((float(np.abs(part.M).max()) for part in model.kinetic.values()), default=1.0)
    size = np.maximum(terms, rows * float(np.sqrt(2.0 * run.energy_unit / mass)))
    return float((value / np.where(size > 0, size, 1.0)).max(initial=0.0))


def _warnings(run: Run, g_v: float) -> tuple[str, ...]:
    found = list(run.notes)
    if g_v > SPEED_WARNING:
        found.append(
            f"velocities violate the constraints by {g_v:.2g} of their size: the step is too large for this motion. "
            "Exact energy is no proof of accuracy; halve h, or use PHMPGGL."
        )
    turn = float(run.record.turn.max(initial=0.0))
    if turn > TURN_WARNING:
        found.append(f"a joint turned by {turn:.2g} rad in one step: its angle may be wrong by whole turns. Reduce h.")
    spin, body = _largest_spin(run)
    if spin > SPIN_WARNING:
        found.append(f"{body} turns by about {spin:.2g} rad per step: the motion is not resolved. Reduce h.")
    if 1e-9 * run.energy_unit < run.energy_scale < 1e-3 * run.energy_unit:  # not where everything is at rest
        found.append(
            f"stored energies are so large that rounding hides changes below {FIRST_LAW * run.energy_unit:.2g} J; "
            "relative figures refer to that. Heights are best counted from near the mechanism."
        )
    redundant = _redundant(run)
    if redundant:
        found.append(
            f"redundant constraints in {', '.join(redundant)}: follow from the others and are checked at every step; "
            "their reactions are the ones of least norm."
        )
    return tuple(found)


def _largest_spin(run: Run) -> tuple[float, str]:
    """Largest angle that a body turns in a step, from its angular velocity at the kept nodes."""
    if run.motion is None or not run.record.steps:
        return 0.0, ""
    h = float(run.record.h.max())
    bodies = [part for part in run.motion.mechanism.bodies if isinstance(part, Body)]
    spins = {part.name: h * float(np.linalg.norm(run[f"{part.name}.twist"][:, :3], axis=1).max()) for part in bodies}
    name = max(spins, key=lambda part: spins[part], default="")
    return (spins[name], f"body {name!r}") if name else (0.0, "")


def _redundant(run: Run) -> list[str]:
    rows = zip(run.model.kinds, run.final.active, strict=True)
    return list(dict.fromkeys(name for (name, _), solved in rows if not solved))
