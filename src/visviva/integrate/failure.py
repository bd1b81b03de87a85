"""Why a run ended early, as the error that a user sees: what happened, where, and the way out."""

from __future__ import annotations

import numpy as np

from visviva.errors import ConvergenceError, Interrupted
from visviva.integrate.domain import half_turn_text
from visviva.integrate.inputs import BadInput
from visviva.integrate.newton import NotConverged
from visviva.model import State
from visviva.results import Run
from visviva.results.singularity import singular_text

NEARLY = 0.05  # margin of loops below which a failing step is put down to it


class StopFailed(Exception):
    """The stop condition raised something."""


def as_error(failure: BaseException, state: State, run: Run) -> ConvergenceError | Interrupted:
    """The error for a run that ended at a state."""
    if isinstance(failure, KeyboardInterrupt):
        text = f"interrupted at t = {state.t:g} s after {run.steps} steps; error.run is valid up to there."
        return Interrupted(text + " Continue with initial=error.run.final.", run)
    if isinstance(failure, BadInput | StopFailed):
        return ConvergenceError(f"{failure} The run is valid up to t = {state.t:g} s (error.run).", run)
    assert isinstance(failure, NotConverged)
    where = f", worst in the {failure.where}" if failure.where else ""
    residual = f" (scaled residual {failure.residual:.2g})" if np.isfinite(failure.residual) else ""
    return ConvergenceError(
        f"{run.model.name!r}: the step from t = {state.t:g} s with h = {state.h:g} s could not be solved: "
        f"{failure.reason}{where}{residual}.\n"
        f"Nothing of that step was kept; error.run is valid up to there. {_way_out(failure, state, run)}",
        run,
    )


def _way_out(failure: NotConverged, state: State, run: Run) -> str:
    if failure.way_out:
        return failure.way_out
    turned = half_turn_text(run.model, state.x)
    if turned:
        return turned
    singular = singular_text(run.model, state.x, NEARLY)
    if singular:
        return f"There {singular}:\nthe motion may branch off or lock. Start it elsewhere, or try a smaller h."
    return "Try a smaller h; if it still fails, the\nmodel is near a singular configuration or leaves its domain there."
