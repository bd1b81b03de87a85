"""Powers of ports by name: `damper.s.power`, `hinge.rod.power`, and `rod.power` of what has one port only."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.names import split_name
from visviva.model import Model
from visviva.model.structure import AbstractPort
from visviva.results.reader import Reader

if TYPE_CHECKING:
    from visviva.results.run import Run


def power_readers(run: Run) -> dict[str, Reader]:
    """Power of energy into each component but the inputs, port by port; of exergy too where there is entropy.

    A port is called after the junction it is at (after the last part of its name, where that is clear enough), and
    in a mechanism after the body. A body's own port is the body's name: `rod.power` is what all joints, inputs and
    frictions give to it.
    """
    table: dict[str, Reader] = {}
    for component, junctions in _junctions(run.model).items():
        for port, behind in _ports(run.model, junctions).items():
            name = component if port == component else f"{component}.{port}"
            table[f"{name}.power"] = Reader(partial(_energy, run, component, behind), "W")
            if run.model.is_thermal:
                table[f"{name}.exergy_power"] = Reader(partial(_exergy, run, component, behind), "W")
    return table


def _junctions(model: Model) -> dict[str, list[str]]:
    """Where each component has its ports. The rows of a constraint are a port of it only if an input drives them."""
    found: dict[str, list[str]] = {}
    for storage in model.storages:
        found.setdefault(storage.name, []).extend(storage.reads)
    inner = {part.name for part in model.constraints if part.internal}
    stored = {part.variable for part in model.storages}
    counted = set(model.measured) - stored  # angles that are followed, and have no effort
    for part in model.structures:
        if part.name not in inner and not isinstance(part, AbstractPort):
            found.setdefault(part.name, []).extend(name for name in part.acts if name not in counted)
    driven = {name for port in model.ports for name in port.acts}
    for name in [part.name for part in model.constraints if part.name in driven]:
        found[name].append(name)
    for reservoir in model.reservoirs:
        found.setdefault(reservoir.name, []).append(reservoir.name)
    return {component: list(dict.fromkeys(names)) for component, names in found.items()}


def _ports(model: Model, junctions: list[str]) -> dict[str, list[str]]:
    """Names of the ports at some junctions; in a mechanism position and velocity of a body are one port."""
    ports: dict[str, list[str]] = {}
    if model.definition is not None:
        for junction in junctions:
            ports.setdefault(split_name(junction, model.definition.parts)[0], []).append(junction)
        return ports
    short = [junction.rpartition(".")[2] for junction in junctions]
    return {
        name if short.count(name) == 1 else junction: [junction]
        for name, junction in zip(short, junctions, strict=True)
    }


def _energy(run: Run, component: str, junctions: list[str]) -> Array:
    return np.sum([run.powers[component, junction].energy for junction in junctions], axis=0)


def _exergy(run: Run, component: str, junctions: list[str]) -> Array:
    return np.sum([run.powers[component, junction].exergy for junction in junctions], axis=0)
