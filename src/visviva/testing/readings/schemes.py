"""Runs of a mechanism: their accelerations, heat and work at the start are those of the Model; compiled is NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError, RunWarning
from visviva.integrate import PHMP, PHMPGGL, AbstractIntegrator, LieMidpoint, simulate
from visviva.testing.laws import require
from visviva.testing.readings.instant import Instant

if TYPE_CHECKING:
    from visviva.results import Run

SCHEMES: dict[str, Callable[..., AbstractIntegrator]] = {
    "PHMP": PHMP,
    "PHMPGGL": PHMPGGL,
    "LieMidpoint": LieMidpoint,
}
SHORT = (2e-4, 2e-5)  # steps from which accelerations are taken, in units of time
CLOSURE = 2e-14  # accuracy of closed positions, in units of length
SOLVED = 1e-12  # accuracy of velocities and energies of a step, relatively
ROUNDING = 1e-12  # accuracy of runs that go on with boxes, of the largest state
FIRST_LAW, CLOSED = 1e-13, 1e-12  # what the balance of a step and constraints may leave, relatively


def simulated(now: Instant, t_end: float, h: float, **options: Any) -> Run:
    """A run, without its warnings: what they would say is measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        return simulate(now.case.mechanism, t_end, h, inputs=now.case.inputs, **options)


@lru_cache(maxsize=16)
def run_of(now: Instant, scheme: str, compiled: bool, h: float, steps: int) -> Run:
    """A run of a few steps from the instant."""
    run = simulated(now, steps * h, h, integrator=SCHEMES[scheme](compiled=compiled), initial=now.motion)
    if compiled and run.engine != "compiled":
        raise ModelError("; ".join(run.notes))
    return run


def require_laws(run: Run) -> None:
    """The balance of energy is closed and constraints are kept, to rounding."""
    audit = run.audit()
    require("first law", audit.first_law or 0.0, 0.0, FIRST_LAW, 1.0)
    require("constraints", audit.g or 0.0, 0.0, CLOSED, 1.0)


def at_the_start(values: Array, h: float) -> Array:
    """The rate at the first of five values, by a difference of fourth order; the errors of a scheme are of second.

    One of third order may cancel them at one length of steps, and then be what is seen at half of it.
    """
    return (-25 * values[0] + 48 * values[1] - 36 * values[2] + 16 * values[3] - 3 * values[4]) / (12 * h)


def start_gap(now: Instant, scheme: str, step: float) -> tuple[float, float]:
    """How far accelerations, heat and work of a run at its start are from those of the Model, relatively; its noise.

    Where a drive prescribes rates, what errors of single steps do to its force cancels in pairs of them. The noise is
    what steps that are solved to `SOLVED` leave in differences.
    """
    pairs = 2 if any(part.law for part in now.case.mechanism.conditions) else 1
    h = step * now.units.time
    run = run_of(now, scheme, False, h, 4 * pairs)
    require_laws(run)
    assert run.motion is not None, "runs of mechanisms have a motion"
    span, V = pairs * h, run.motion.tangent_velocities[::pairs]
    size = max(abs(now.heat), abs(now.power), now.units.power)
    heat, work = (float(at_the_start(run[name][::pairs], span)) for name in ("heat", "work"))
    apart = float(np.abs((at_the_start(V, span) - now.v_dot) / now.v_dot_unit).max()) / now.scale
    fast = float(np.abs(V / now.v_dot_unit).max()) / now.scale
    noise = SOLVED * max(fast, run.energy_unit / size) / span
    return max(apart, abs(heat - now.heat) / size, abs(work - now.power) / size), noise


def in_numpy(scheme: str) -> Callable[[Instant], None]:
    """The check of a scheme in NumPy, by the order with which it comes to the Model; in shorter steps if stiff."""

    def check(now: Instant) -> None:
        for step in SHORT:
            (coarse, _), (fine, noise) = (start_gap(now, scheme, size) for size in (2 * step, step))
            if fine <= 1e-5:
                break
        require("rates at the start", fine, 0.0, 1e-5, 1.0)
        if not (coarse >= 3.5 * fine or fine <= noise):
            raise AssertionError(
                f"order: the rates at the start are off by {coarse:.3g}, with half the step {fine:.3g}"
            )

    return check


def compiled(scheme: str) -> Callable[[Instant], None]:
    """The check of a compiled scheme, against the same in NumPy, to rounding."""

    def check(now: Instant) -> None:
        fast, plain = (run_of(now, scheme, flag, now.case.h, now.case.steps) for flag in (True, False))
        require_laws(fast)
        scale = np.maximum(np.abs(plain.record.x).max(0), now.units.model_states(plain.model, now.case.mechanism))
        # velocities are differences of positions over a step, which are closed as well as their rows allow
        accuracy = max(1e-11, CLOSURE * now.amplification * now.units.time / now.case.h)
        require("states", fast.record.x / scale, plain.record.x / scale, accuracy, 1.0)
        unit = max(now.units.energy, plain.energy_unit)
        for name in ("heat", "work", "energy"):
            size = np.abs(plain[name]).max()
            require(name, fast[name], plain[name], 1.0, 1e-9 * size + 1e-12 * unit)

    return check


def continuation(now: Instant) -> None:
    """A run to the middle and on from there is the whole run, bit for bit; with boxes to rounding.

    What the rows of boxes start with in a step is that of steps before, and no part of a state.
    """
    allowed = ROUNDING if now.case.mechanism.boxes else 0.0
    h, steps = now.case.h, now.case.steps
    whole, half = (run_of(now, "PHMP", True, h, count) for count in (2 * steps, steps))
    rest = simulated(now, 2 * steps * h, h, initial=half.final)
    require("states", rest.final.x, whole.final.x, allowed)
    require("multipliers", rest.final.w, whole.final.w, allowed)
