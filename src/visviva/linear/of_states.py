"""Flows without a configuration of their own: ẋ = f(x), x the coordinates and velocities or momenta of a user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.forms.flows.flow import Flow
from visviva.geometry.differences import each, slopes
from visviva.linear.system import LinearSystem
from visviva.mechanism.names import unknown_name

BALANCED = 1e-6  # of the rates a tenth of a unit away: what may be left of them
FAR = 0.1


def linearise_states(
    flow: Flow, at: Any, outputs: Iterable[str] | None, steady: bool, residual_ok: bool
) -> LinearSystem:
    """δẋ = ∂f/∂x δx + G δu about a state at rest, inputs of the flow at zero; time is no state.

    steady: states on which nothing depends may change, as the angle of a wheel does.
    """
    if at is None:
        raise ModelError(f"{flow.name!r} does not say where it rests: give at=(q, xi).")
    state = flow.checked(at)
    coordinates = flow.extra - flow.has_clock
    moving, others = _names(flow)
    clock = state.s[coordinates:]

    def rates(x: Array) -> Array:
        place, xi = x[:coordinates], x[coordinates:]
        xi_dot, s_dot = flow.rates(state.t, state.q, xi, np.concatenate([place, clock]))
        return np.concatenate([s_dot[:coordinates], xi_dot])

    x, names = np.concatenate([state.s[:coordinates], state.xi]), (*others[:coordinates], *moving)
    found = slopes(each(lambda d: rates(x + d)), len(x), np.ones(len(x)))
    if found.rough:
        where = ", ".join(repr(names[k]) for k in found.rough)
        raise ModelError(f"the rates of {flow.name!r} are not smooth in {where} here: they have no linear part.")
    if not residual_ok:
        _check_rest(flow.name, names, rates, x, found.J, steady)
    shown = tuple(outputs or names)
    for name in shown:
        if name not in names:
            raise unknown_name(str(name), names, f"the outputs of {flow.name!r}")
    C = np.eye(len(x))[[names.index(name) for name in shown]]
    inputs, G = flow.inputs_of(state)
    B, D = np.vstack([np.zeros((coordinates, len(inputs))), G]), np.zeros((len(shown), len(inputs)))
    return LinearSystem(flow.name, found.J, B, C, D, names, inputs, shown, dict.fromkeys((*names, *inputs), ""))


def _names(flow: Flow) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of what is in the place of velocities, and of other states."""
    names = flow.names or tuple(f"xi[{k}]" for k in range(flow.n)) + tuple(f"s[{k}]" for k in range(flow.extra))
    return names[: flow.n], names[flow.n :]


def _check_rest(name: str, names: tuple[str, ...], rates: Any, x: Array, A: Array, steady: bool) -> None:
    left = rates(x)
    if steady:
        left = np.where(A.any(axis=0), left, 0.0)
    ways = FAR * np.vstack([np.eye(len(x)), -np.eye(len(x))])
    with np.errstate(all="ignore"):
        near = np.abs([rates(x + way) for way in ways]).max(axis=0, initial=0.0)
    bound = BALANCED * np.where(np.isfinite(near), near, 0.0)
    k = int((np.abs(left) / np.maximum(bound, 1e-300)).argmax()) if len(x) else 0
    if len(x) and abs(left[k]) > bound[k]:
        raise AssemblyError(
            f"{name!r} is not at rest in this state: {names[k]!r} changes by {left[k]:.3g} per second.\n"
            "Start where it rests, or allow it with residual_ok=True; steady=True allows it in states on which nothing "
            "depends."
        )
