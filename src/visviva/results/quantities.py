"""Results by dotted name: what can be asked of a run, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Frame, Joint, Particle
from visviva.results.motion import MechanismMotion

if TYPE_CHECKING:
    from visviva.errors import ModelError
    from visviva.results.run import Run

Reader = Callable[[], Array]


def readers(run: Run) -> dict[str, Reader]:
    """Every name that a run answers to, with the function that reads it."""
    table = _accounts(run)
    if run.motion is not None:
        table |= _mechanism(run, run.motion)
    else:
        for variable in run.model.variables:
            at = run.model.layout.x[variable.name]
            table[variable.name] = lambda at=at: run.record.x[:, at]
    return table


def no_such_quantity(run: Run, name: str, known: list[str]) -> ModelError:
    """The error for a name that a run does not answer to."""
    return unknown_name(name, known, f"the run of {run.model.name!r}")


def _accounts(run: Run) -> dict[str, Reader]:
    """Energy, heat, entropy, power and constraints: what every model has."""
    model, record = run.model, run.record
    table: dict[str, Reader] = {
        "t": lambda: record.t,
        "energy": lambda: model.H(record.x),
        "g": lambda: model.g(record.x),
        "g_v": lambda: model.g_v(record.x),
        "heat": lambda: _running_sum(record.heat.sum(-1)),
        "entropy": lambda: _running_sum(record.heat.sum(-1)) / model.theta0,
        "work": lambda: _running_sum(record.work.sum(-1)),
    }
    for name in dict.fromkeys(part.name for part in model.storages):
        table[f"energy.{name}"] = lambda name=name: model.energies(record.x)[name]
    for k, part in enumerate(model.dissipations):
        table[f"heat.{part.name}"] = lambda k=k: _running_sum(record.heat[:, k])
        table[f"entropy.{part.name}"] = lambda k=k: _running_sum(record.heat[:, k]) / model.theta0
    for k, port in enumerate(model.ports):
        at = model.port_columns[port.name]
        table[f"{port.name}.u"] = lambda at=at: record.u_mid[:, at]
        table[f"{port.name}.work"] = lambda k=k: _running_sum(record.work[:, k])
        table[f"{port.name}.power"] = lambda k=k: record.work[:, k] / np.diff(record.t)
    return table


def _mechanism(run: Run, motion: MechanismMotion) -> dict[str, Reader]:
    """Poses, velocities, joint coordinates and reactions."""
    table: dict[str, Reader] = {"momentum": lambda: motion.momentum}
    for part in motion.mechanism.parts.values():
        name = part.name
        match part:
            case Body() | Frame():
                table[f"{name}.r"] = lambda part=part: motion.pose(part).r
                table[f"{name}.R"] = lambda part=part: motion.pose(part).R
                table[f"{name}.twist"] = lambda part=part: motion.twist(part)
            case Particle():
                table[f"{name}.r"] = lambda part=part: motion.q(part)
                table[f"{name}.v"] = lambda part=part: motion.velocity(part)
            case Joint():
                table[f"{name}.reaction"] = lambda part=part: motion.reaction(part)
                table[f"{name}.reaction_mid"] = lambda part=part: motion.reaction_mid(part)
    for k, turn in enumerate(run.model.turns):
        table[f"{turn.name}.q"] = lambda k=k: run.record.angles[:, k]
        table[f"{turn.name}.rate"] = lambda k=k: motion.turn_rate(k)
    return table


def _running_sum(values: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(values)])
