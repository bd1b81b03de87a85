"""Results by dotted name: what can be asked of a run, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Frame, Joint, Particle
from visviva.results.motion import MechanismMotion
from visviva.results.reactions import Reactions

if TYPE_CHECKING:
    from visviva.errors import ModelError
    from visviva.results.run import Run

Reader = Callable[[], Array]


def readers(run: Run) -> dict[str, Reader]:
    """Every name that a run answers to, with the function that reads it."""
    table = _accounts(run)
    if run.motion is not None:
        return table | _mechanism(run, run.motion)
    return table | {name: partial(_column, run.record.x, at) for name, at in run.model.layout.x.items()}


def no_such_quantity(run: Run, name: str, known: list[str]) -> ModelError:
    """The error for a name that a run does not answer to."""
    return unknown_name(str(name), known, f"the run of {run.model.name!r}")


def _accounts(run: Run) -> dict[str, Reader]:
    """Energy, heat, entropy, power and constraints: what every model has."""
    model, record, theta0 = run.model, run.record, run.model.theta0
    heat = record.heat.sum(-1)
    table: dict[str, Reader] = {
        "t": lambda: record.t,
        "energy": partial(_total_energy, run),
        "exergy": partial(model.H, record.x),
        "g": partial(model.g, record.x),
        "g_v": partial(model.g_v, record.x),
        "heat": partial(_running_sum, heat),
        "entropy": partial(_running_sum, heat / theta0),
        "work": partial(_running_sum, record.work.sum(-1)),
    }
    for name in dict.fromkeys(part.name for part in model.storages):
        table[f"energy.{name}"] = partial(_energy, run, name)
    for reservoir in model.reservoirs:
        at = model.layout.z[reservoir.name]
        first = model.layout.solved
        table[reservoir.name] = partial(_column, record.taken, slice(at.start - first, at.stop - first))
    for k, part in enumerate(model.dissipations):
        table[f"heat.{part.name}"] = partial(_running_sum, record.heat[:, k])
        table[f"entropy.{part.name}"] = partial(_running_sum, record.heat[:, k] / theta0)
    for k, port in enumerate(model.ports):
        table[f"{port.name}.u"] = partial(_column, record.u_mid, model.port_columns[port.name])
        table[f"{port.name}.work"] = partial(_running_sum, record.work[:, k])
        table[f"{port.name}.power"] = partial(_column, record.power, k)
    return table


def _mechanism(run: Run, motion: MechanismMotion) -> dict[str, Reader]:
    """Poses, velocities, joint coordinates and reactions."""
    table: dict[str, Reader] = {"momentum": lambda: motion.momentum}
    reactions = Reactions(motion)
    for name, part in motion.mechanism.parts.items():
        match part:
            case Body() | Frame():
                table[f"{name}.r"] = partial(motion.position, part)
                table[f"{name}.R"] = partial(motion.rotation, part)
                table[f"{name}.twist"] = partial(motion.twist, part)
            case Particle():
                table[f"{name}.r"] = partial(motion.q, part)
                table[f"{name}.v"] = partial(motion.velocity, part)
            case Joint():
                table[f"{name}.reaction"] = partial(reactions.at_nodes, part)
                table[f"{name}.reaction_mid"] = partial(reactions.at_midpoints, part)
    for k, turn in enumerate(run.model.turns):
        table[f"{turn.name}.q"] = partial(_column, run.record.angles, k)
        table[f"{turn.name}.rate"] = partial(motion.turn_rate, k)
    return table


def _column(values: Array, at: slice | int) -> Array:
    return values[:, at]


def _total_energy(run: Run) -> Array:
    """Stored energy: exergy plus θ0 times the entropy stored (not that of the environment)."""
    return run.model.H(run.record.x) + run.model.theta0 * run.model.entropy(run.record.x)


def _energy(run: Run, name: str) -> Array:
    return run.model.energies(run.record.x)[name]


def _running_sum(values: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(values)])
