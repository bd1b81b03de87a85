"""The motion of a flow over time."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from visviva._arrays import Array, finite_number, with_own_arrays
from visviva.errors import ConvergenceError, Interrupted, ModelError
from visviva.forms.flows.account import FlowAccount
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.flows.pacing import Pacer
from visviva.forms.flows.schemes import DOP853, AbstractFlowScheme
from visviva.forms.flows.watch import Watch
from visviva.integrate.grid import divided_notes, fitted_steps
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.newton import NotConverged
from visviva.integrate.warn import warn
from visviva.results.trajectory import Trajectory


def trajectory(
    flow: Flow, t_end: float, h: float, integrator: AbstractIntegrator | None, initial: Any, every: int = 1
) -> Trajectory:
    """Integrate a flow from initial=(q, xi), (q, xi, s) or `run.final`, and keep each n-th node."""
    scheme = DOP853() if integrator is None else integrator
    if not isinstance(scheme, AbstractFlowScheme):
        raise ModelError(
            f"{type(scheme).__name__} does not integrate {flow.name!r}, which is no Model: use vv.DOP853(), vv.RK4(), "
            "vv.Gauss8(),\nvv.Relaxed() or vv.BalancedGauss8()."
        )
    t_end, h = finite_number(t_end, "t_end [s]"), finite_number(h, "h [s]", positive=True)
    state = flow.checked(initial)
    if t_end < state.t:
        raise ModelError(f"t_end = {t_end:g} s lies before the start of the run at t = {state.t:g} s.")
    flow.rates(state.t, state.q, state.xi, state.s)  # what is wrong from the start is said as such
    start, notes, count = state.t, list[str](), 0
    if scheme.fixed_step and t_end > start:
        count, h, notes = fitted_steps(t_end - start, h)
    pacer, nodes, made, divided, loose = Pacer(scheme, flow, h, t_end), [state], 0, 0, 0
    watch, account = Watch(scheme, flow, count), FlowAccount(flow, scheme)
    failure: BaseException | None = None
    while state.t < t_end and (not scheme.fixed_step or made < count):
        try:
            steps = pacer.steps(state)
            if scheme.fixed_step and len(steps) == 1:
                watch.look(state, steps[0])
        except (NotConverged, KeyboardInterrupt) as error:
            failure = error
            break
        made += 1
        account.add(state, steps)
        divided, loose = divided + (len(steps) > 1), loose + (not all(step.balanced for step in steps))
        state = steps[-1].end
        if scheme.fixed_step:
            state = dataclasses.replace(state, t=start + made * h if made < count else t_end)
        if made % every == 0:
            nodes.append(state)
    if nodes[-1] is not state:
        nodes.append(state)
    notes += step_notes(divided, loose, scheme) + watch.notes(h) + flow.cautions(nodes)

    def between(name: str, t: float) -> Array:
        node = nodes[int(np.searchsorted([node.t for node in nodes], t, side="right")) - 1]
        return _values(flow, [_advanced(scheme, flow, node, t, h)])[name][0]

    final = with_own_arrays(state, writeable=False)
    run = Trajectory(flow.name, _values(flow, nodes), final, scheme, tuple(notes), made, between, account.audit)
    if failure is not None:
        raise _error(failure, state, flow, run, pacer.h) from None
    warn(run.warnings)
    return run


def _advanced(scheme: AbstractFlowScheme, flow: Flow, state: FlowState, t: float, h: float) -> FlowState:
    """The state at a later time, by steps of at most h."""
    if scheme.fixed_step:
        h = (t - state.t) / np.ceil((t - state.t) / h)
    pacer = Pacer(scheme, flow, h, t)
    while state.t < t - 1e-9 * h:
        state = pacer.steps(state)[-1].end
    return state


def step_notes(divided: int, loose: int, scheme: AbstractIntegrator) -> list[str]:
    """What a user should know about steps that were not made as asked for."""
    notes: list[str] = [*divided_notes(divided)]
    if loose:
        notes.append(
            f"{type(scheme).__name__} could not close the balance of energy in {loose} steps, which were kept as they "
            "are: at rest it says nothing, elsewhere h is too large"
        )
    return notes


def _error(
    failure: BaseException, state: FlowState, flow: Flow, run: Trajectory, h: float
) -> ConvergenceError | Interrupted:
    if isinstance(failure, NotConverged):
        return ConvergenceError(
            f"{flow.name!r}: the step from t = {state.t:g} s with h = {h:g} s could not be made: {failure.reason}.\n"
            f"Nothing of that step was kept; error.run is valid up to there. {failure.way_out or 'Try a smaller h.'}",
            run,
        )
    text = f"interrupted at t = {state.t:g} s after {run.steps} steps; error.run is valid up to there."
    return Interrupted(text + " Continue with initial=error.run.final.", run)


def _values(flow: Flow, nodes: list[FlowState]) -> dict[str, Array]:
    """All quantities at some nodes, by name."""
    shown = [flow.quantities(node) for node in nodes]
    values = {name: np.array([each[name] for each in shown]) for name in shown[0]}
    values["t"] = np.array([node.t for node in nodes])
    if flow.has_energy:
        values["energy"] = np.array([flow.energy(node.q, node.xi, node.s) for node in nodes])
        values["power"] = np.array([flow.power(node.t, node.q, node.xi, node.s) for node in nodes])
    return values
