"""simulate: from a description and a time span to a Run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number
from visviva.compiler import check_consistent, check_massless_motion, compile, initial_x
from visviva.errors import AssemblyError, ConvergenceError, Interrupted, ModelError
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.integrate.inputs import BadInput, Input, input_function
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.loop import G_TOLERANCE, Loop
from visviva.integrate.names import row_name
from visviva.integrate.newton import NotConverged
from visviva.integrate.phmp import PHMP
from visviva.integrate.progress import Progress
from visviva.integrate.redundancy import select_rows
from visviva.language import Composite
from visviva.mechanism import Mechanism, Motion
from visviva.model import Model, State
from visviva.results import Run, Snapshot
from visviva.results.record import joined, part, thin

CHUNK_SECONDS = 0.1
Initial = State | Motion | Mapping[str, ArrayLike] | None
Stop = Callable[[Snapshot], bool]


def simulate(
    what: Mechanism | Composite | Model,
    t_end: float,
    h: float,
    *,
    integrator: AbstractIntegrator | None = None,
    initial: Initial = None,
    inputs: Mapping[str, Input] | None = None,
    every: int = 1,
    stop: Stop | None = None,
    progress: bool | None = None,
) -> Run:
    """Integrate until t_end [s] with steps of h [s], and return the Run.

    what:       a Mechanism, a composite system of the language, or a Model.
    integrator: PHMP() by default for mechanisms, DiscreteGradient() for composites; for a Model give one.
    initial:    a `State` (such as `run.final`, which continues exactly), the motion from `m.assemble()`, or for a
                Model or a composite the values of its variables by name. Default for a mechanism: as built.
    inputs:     by port name, a constant or a function of time, evaluated at the midpoint of each step.
    every:      keep each n-th node; energy, heat and work are still accounted for at every step.
    stop:       called with a `Snapshot` of each step's end; the run ends at the first step where it is true.
    progress:   show a progress bar; default: where there is a terminal and the run takes more than a second.

    If a step cannot be solved, or on Ctrl-C, an error is raised whose `.run` holds the part that is valid.
    """
    scheme = _scheme(what, integrator)
    model = compile(what, scheme.form)
    state = _initial_state(model, initial)
    stepper = scheme.prepare(model)
    n, h, notes = _grid(state, finite_number(t_end, "t_end [s]"), finite_number(h, "h [s]", positive=True))
    if every < 1 or int(every) != every:
        raise ModelError(f"every must be a whole number of steps, at least 1, got {every!r}.")
    u = input_function(model, inputs)
    stepper.check(state, h, np.zeros(sum(port.width for port in model.ports)))
    loop = Loop(model, stepper, state, h, u)
    kept, waiting = loop.flush()[0], None

    def run(final: State) -> Run:
        record = kept if waiting is None else joined(kept, thin(waiting, every))
        return Run(model, record, final, scheme, tuple(notes))

    done, chunk = 0, 1
    with Progress(model.name, n, progress) as bar:
        while done < n:
            began = time.perf_counter()
            failure: Exception | KeyboardInterrupt | None = None
            try:
                loop.advance(min(chunk, n - done))
            except (NotConverged, BadInput, KeyboardInterrupt) as error:
                failure = error
            fresh, states = loop.flush()
            if stop is not None:
                cut = _first_stop(stop, Run(model, fresh, states[-1], scheme, ()))
                if cut is not None:
                    fresh, states, failure, n = part(fresh, 0, cut), states[: cut + 1], None, done + cut
                    notes.append(f"stopped by the stop condition at t = {states[-1].t:g} s")
            waiting = fresh if waiting is None else joined(waiting, fresh)
            whole = waiting.steps - waiting.steps % every
            if whole:
                kept = joined(kept, thin(part(waiting, 0, whole), every))
                waiting = part(waiting, whole, waiting.steps) if whole < waiting.steps else None
            done += fresh.steps
            if failure is not None:
                raise _as_error(failure, states[-1], model, run(states[-1]))
            bar.update(done, states[-1].t)
            chunk = _next_chunk(chunk, time.perf_counter() - began)
    return run(states[-1] if n else loop.state)


def _scheme(what: Mechanism | Composite | Model, integrator: AbstractIntegrator | None) -> AbstractIntegrator:
    if not isinstance(what, Mechanism | Composite | Model):
        raise ModelError(f"simulate() takes a Mechanism or a Model, got {type(what).__name__}; or a composite system.")
    if integrator is None and isinstance(what, Composite):
        return DiscreteGradient()
    if integrator is None:
        if isinstance(what, Model):
            raise ModelError(f"simulate() of model {what.name!r} needs integrator=, e.g. vv.DiscreteGradient().")
        return PHMP()
    if not isinstance(integrator, AbstractIntegrator):
        raise ModelError(f"integrator must be an integrator such as vv.PHMP(), got {integrator!r}.")
    return integrator


def _initial_state(model: Model, initial: Initial) -> State:
    if isinstance(initial, State):
        if initial.x.shape != (model.layout.size,) or initial.w.shape != (len(model.kinds),):
            raise ModelError(
                f"the initial state does not fit model {model.name!r}: {initial.x.size} coordinates and "
                f"{initial.w.size} multipliers,\nthe model has {model.layout.size} and {len(model.kinds)}. "
                "Continue with the same mechanism and the same kind of integrator."
            )
        return initial
    if isinstance(initial, Mapping):
        x = model.pack(initial)
        angles = model.angles(x)
    else:
        if model.mechanism is None:
            raise ModelError(f"simulate() of model {model.name!r} needs initial= with: {', '.join(model.layout.x)}.")
        motion = model.mechanism.assemble()[0] if initial is None else initial
        x = initial_x(model, motion)
        angles = np.array([motion.angles[turn.name] for turn in model.turns])
    model.check(x)
    check_massless_motion(model, x)
    check_consistent(model, x)
    _check_g(model, x)
    return State(
        x=x,
        w=np.zeros(len(model.kinds)),
        gam=np.zeros(0),
        taken=np.zeros(model.layout.total - model.layout.solved),
        angles=angles,
        active=select_rows(model, x),
    )


def _check_g(model: Model, x: Array) -> None:
    g = np.abs(model.g(x))
    relative = g / model.g_scale(x)
    if relative.max(initial=0.0) > G_TOLERANCE:
        worst = int(relative.argmax())
        name = row_name(model, worst + len(model.kinds) - len(g))
        raise AssemblyError(
            f"the initial state violates the {name}: g = {g[worst]:.3g}, {relative[worst]:.3g} of its scale.\n"
            "Start from a consistent configuration, e.g. the first result of m.assemble()."
        )


def _grid(state: State, t_end: float, h: float) -> tuple[int, float, list[str]]:
    """Number of steps and their length, so that the last one ends at t_end."""
    span = t_end - state.t
    if span < 0:
        raise ModelError(f"t_end = {t_end:g} s lies before the start of the run at t = {state.t:g} s.")
    n = round(span / h) if span else 0
    if span and n == 0:
        n = 1
    if abs(n * h - span) <= 1e-6 * h:
        return n, h, []
    fitted = span / n
    return n, fitted, [f"h changed from {h:g} to {fitted:.12g} s, so that {n} steps end at t_end"]


def _next_chunk(chunk: int, seconds: float) -> int:
    return max(1, min(2 * chunk, int(chunk * CHUNK_SECONDS / max(seconds, 1e-9))))


def _first_stop(stop: Stop, run: Run) -> int | None:
    return next((i for i in range(1, len(run.t)) if stop(Snapshot(run, i))), None)


def _as_error(failure: BaseException, state: State, model: Model, run: Run) -> ConvergenceError | Interrupted:
    if isinstance(failure, KeyboardInterrupt):
        text = f"interrupted at t = {state.t:g} s after {state.steps} steps; error.run is valid up to there."
        return Interrupted(text + " Continue with initial=error.run.final.", run)
    if isinstance(failure, BadInput):
        return ConvergenceError(f"{failure} The run is valid up to t = {state.t:g} s (error.run).", run)
    assert isinstance(failure, NotConverged)
    where = f", worst in the {failure.where}" if failure.where else ""
    return ConvergenceError(
        f"{model.name!r}: the step from t = {state.t:g} s with h = {state.h:g} s could not be solved: {failure.reason}"
        f"{where} (scaled residual {failure.residual:.2g}).\n"
        "Nothing of that step was kept; error.run is valid up to there. Try a smaller h; if it still fails, the\n"
        "mechanism is near a singular configuration there.",
        run,
    )
