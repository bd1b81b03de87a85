"""The state a run starts from: as built, as given, or where another run ended; checked either way."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.compiler import check_consistent, check_massless_motion, initial_x
from visviva.compiler.consistent import TOLERANCE, algebraic_gap
from visviva.errors import AssemblyError, ModelError
from visviva.geometry.nullspace import split
from visviva.integrate.integrator import AbstractIntegrator, Inputs
from visviva.integrate.names import row_name
from visviva.integrate.redundancy import ROW_TOLERANCE, select_rows
from visviva.mechanism import Motion
from visviva.model import Model, State

Initial = State | Motion | Mapping[str, ArrayLike] | None


def start_state(model: Model, initial: Initial, scheme: AbstractIntegrator, inputs: Inputs) -> tuple[State, list[str]]:
    """The state for `initial`, and notes on what had to change."""
    if isinstance(initial, State):
        _check_same_model(model, initial)
        return _on_constraints(model, initial) if "g_v" in scheme.preserves else (initial, [])
    x, angles = _coordinates(model, initial)
    _check_temperatures(model, x)
    model.check(x)
    check_massless_motion(model, x)
    _check_g(model, x)
    check_consistent(model, x, model.supplied(0.0, x, model.z(x), inputs(0.0)))
    state = State(
        x=x,
        w=np.zeros(len(model.kinds)),
        gam=np.zeros(0),
        taken=np.zeros(model.layout.total - model.layout.solved),
        angles=angles,
        active=select_rows(model, x),
        names=_names(model),
    )
    return state, []


def _coordinates(model: Model, initial: object) -> tuple[Array, Array]:
    if isinstance(initial, Mapping):
        x = model.pack(initial)
        return x, model.angles(x)
    if model.mechanism is None:
        raise ModelError(f"simulate() of model {model.name!r} needs initial= with: {', '.join(model.layout.x)}.")
    if initial is not None and not isinstance(initial, Motion):
        hint = " m.assemble() returns two things: pass the first." if isinstance(initial, tuple) else ""
        raise ModelError(
            f"initial must be a State such as run.final, a Motion from m.assemble(), or values by variable name; "
            f"got {type(initial).__name__}.{hint}"
        )
    motion = model.mechanism.assemble()[0] if initial is None else initial
    if set(motion.q) != {part.name for part in model.mechanism.bodies}:
        listed = ", ".join(motion.q)
        raise ModelError(f"the initial motion is of other bodies ({listed}) than those of mechanism {model.name!r}.")
    return initial_x(model, motion), np.array([motion.angles[turn.name] for turn in model.turns])


def _names(model: Model) -> tuple[str, ...]:
    return (*model.layout.x, *(part.name for part in model.constraints))


def _check_same_model(model: Model, state: State) -> None:
    fits = state.x.shape == (model.layout.size,) and state.w.shape == (len(model.kinds),)
    if not fits or state.names != _names(model):
        raise ModelError(
            f"the initial state does not fit model {model.name!r}: it has {state.x.size} coordinates and "
            f"{state.w.size} multipliers of\n{', '.join(state.names)};\nthe model has {model.layout.size} and "
            f"{len(model.kinds)} of\n{', '.join(_names(model))}.\n"
            "Continue with the same mechanism and the same kind of integrator."
        )


def _on_constraints(model: Model, state: State) -> tuple[State, list[str]]:
    """The state with velocities projected on the constraints, in the metric of kinetic energy, if they are off them."""
    rest, size = algebraic_gap(model, state.x)
    if np.abs(rest).max(initial=0.0) <= TOLERANCE * float(size.max(initial=0.0)):
        return state, []
    at = model.layout.act(tuple(model.kinetic))
    M = model.E(state.x)[np.ix_(at, at)]
    Z = split(model.C(state.x)[:, at]).Z
    x, places = state.x.copy(), model.layout.read(tuple(model.kinetic))
    v = x[places]
    x[places] = Z @ np.linalg.lstsq(Z.T @ M @ Z, Z.T @ M @ v, rcond=None)[0]
    note = f"initial velocities were projected on the constraints, by up to {np.abs(x[places] - v).max():.2g}"
    return dataclasses.replace(state, x=x, rate=(), gam=np.zeros(0)), [note]


def _check_temperatures(model: Model, x: Array) -> None:
    for name, theta in model.temperatures(model.z(x)).items():
        if not theta > 0:
            raise AssemblyError(
                f"the initial entropy at junction {name!r} of {model.name!r} means a temperature of {theta:.4g} K.\n"
                "Absolute temperatures are positive: start with more entropy, or check the energy U(s)."
            )


def _check_g(model: Model, x: Array) -> None:
    g = np.abs(model.g(x))
    relative = g / model.g_scale(x)
    if relative.max(initial=0.0) > ROW_TOLERANCE:
        worst = int(relative.argmax())
        name = row_name(model, worst + len(model.kinds) - len(g))
        raise AssemblyError(
            f"the initial state violates the {name}: g = {g[worst]:.3g}, {relative[worst]:.3g} of its scale.\n"
            "Start from a consistent configuration, e.g. the first result of m.assemble()."
        )
