"""estimate: how wrong a run is, and which step size would be right; exact energy says nothing about either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.integrate.inputs import AllInputs
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.simulation import simulate
from visviva.integrate.start import Initial
from visviva.language import Composite
from visviva.mechanism import Definition, Mechanism
from visviva.mechanism.parts import Body
from visviva.model import Model
from visviva.numerics.step_control import StepController
from visviva.results import Run

RESOLVED = 0.1  # relative error above which both runs may be of different motions
GROWTH = 4.0  # the suggestion goes no further beyond the step sizes that were tried
LEAST_MOTION = 1e-6  # of the largest value: what moves less is measured by that, not by its own rounding
SHOWN = 12  # lines of a printed estimate


@final
@dataclass(frozen=True, eq=False)
class Estimate:
    """Errors of a run with steps of h, from a second run with h/2; prints as a table, worst first.

    errors:   largest error over the run, |y_h - y_{h/2}| 2^p/(2^p - 1) for a scheme of order p, by quantity.
    motions:  how far each quantity moves from its start; relative errors refer to that.
    run:      the run with h/2; its errors are smaller by 2^p.
    """

    h: float
    order: int
    tolerance: float
    errors: dict[str, float]
    motions: dict[str, float]
    run: Run = field(repr=False)

    @property
    def relative(self) -> dict[str, float]:
        """Errors relative to the motion of each quantity."""
        return {name: error / (self.motions[name] or 1.0) for name, error in self.errors.items()}

    @property
    def worst(self) -> str:
        """The quantity with the largest relative error."""
        relative = self.relative
        return max(relative, key=lambda name: relative[name])

    @property
    def resolved(self) -> bool:
        """Whether the error is small enough for the estimate to mean something."""
        return self.relative[self.worst] <= RESOLVED

    @property
    def suggested_h(self) -> float:
        """A step size for which the worst relative error is about the tolerance [s], rounded down to two digits."""
        controller = StepController(self.order, least=0.0, most=GROWTH)
        h = self.h * controller.kept(self.relative[self.worst] / self.tolerance)
        digit = 10.0 ** (np.floor(np.log10(h)) - 1.0)
        return float(np.floor(h / digit * (1.0 + 1e-12)) * digit)

    def __str__(self) -> str:
        relative = self.relative
        names = sorted(relative, key=lambda name: -relative[name])
        lines = [
            f"Errors of {self.run.model.name!r} with {type(self.run.integrator).__name__} of order {self.order}, "
            f"h = {self.h:g} s, t = {self.run.t[0]:g} … {self.run.t[-1]:g} s",
            f"{'quantity':<20}{'largest error':>15}{'motion':>12}{'relative':>12}",
        ]
        for name in names[:SHOWN]:
            lines.append(f"{name:<20}{self.errors[name]:>15.2e}{self.motions[name]:>12.3g}{relative[name]:>12.1e}")
        if len(names) > SHOWN:
            lines.append(f"and {len(names) - SHOWN} more with smaller errors")
        lines.append(f"for a relative error of {self.tolerance:g} take h = {self.suggested_h:g} s")
        if not self.resolved:
            lines.append("the motion is not resolved: errors are rough; estimate again with the smaller step")
        return "\n".join(lines)


@helpful
def estimate(
    what: Mechanism | Definition | Composite | Model,
    t_end: float,
    h: float,
    *,
    tolerance: float = 1e-3,
    quantities: Sequence[str] | None = None,
    integrator: AbstractIntegrator | None = None,
    initial: Initial = None,
    inputs: AllInputs | None = None,
) -> Estimate:
    """Errors of `simulate` with steps of h by Richardson's extrapolation, and a step size for a tolerance.

    It runs twice, with h and h/2. The error of a scheme of order p is C hᵖ, so the difference of both runs is its part
    1 - 2⁻ᵖ. That holds for motions that depend smoothly on their start: not over times at which chaos has taken over.

    tolerance:  largest error wanted, relative to how far a quantity moves in the run.
    quantities: names or patterns such as "rod.r" or "*.twist"; default: poses and velocities of all bodies, or all
                state variables. Quantities that live at the midpoints of steps cannot be compared.
    The other arguments are those of `simulate`.
    """
    tolerance = finite_number(tolerance, "tolerance", positive=True)
    if integrator is not None and not integrator.fixed_step:
        raise ModelError(
            "estimate() compares runs with steps of one length; vv.Adaptive chooses its own.\n"
            "Estimate its inner scheme, or compare runs with different tolerances."
        )
    coarse = simulate(what, t_end, h, integrator=integrator, initial=initial, inputs=inputs)
    if not coarse.record.steps:
        raise ModelError(f"estimate() needs at least one step, but t_end = {t_end:g} s is where the run starts.")
    h = float(coarse.record.h[0])  # as it was fitted to t_end
    fine = simulate(what, t_end, h / 2, integrator=integrator, initial=initial, inputs=inputs, every=2)
    scheme = coarse.integrator
    assert isinstance(scheme, AbstractIntegrator)
    names = _names(coarse, quantities)
    if not names:
        raise ModelError(f"{coarse.model.name!r} has no state variables whose errors could be estimated.")
    errors, motions = {}, {}
    for name in names:
        y, reference = coarse[name], fine[name]
        size = float(np.abs(reference).max(initial=0.0))
        errors[name] = _largest(y - reference) / (1.0 - 0.5**scheme.order)
        motions[name] = max(_largest(reference - reference[0]), LEAST_MOTION * size)
    return Estimate(h, scheme.order, tolerance, errors, motions, fine)


def _largest(y: Array) -> float:
    """Largest length over time, the last axis being components."""
    return float(np.linalg.norm(y.reshape(len(y), -1), axis=1).max())


def _names(run: Run, quantities: Sequence[str] | None) -> list[str]:
    if quantities is None:
        if run.motion is None:
            return list(run.model.layout.x)
        bodies = run.motion.definition.bodies
        return [
            f"{part.name}.{k}" for part in bodies for k in (("r", "R", "twist") if isinstance(part, Body) else "rv")
        ]
    if isinstance(quantities, str) or not quantities:
        raise ModelError(
            f"quantities are a list of names or patterns such as ['rod.r', '*.twist'], got {quantities!r}."
        )
    names = [name for pattern in quantities for name in run.match(pattern) or [pattern]]
    for name in names:
        if len(run[name]) != len(run.t):
            raise ModelError(f"{name!r} lives at the midpoints of steps, which differ with h: it cannot be compared.")
    return list(dict.fromkeys(names))
