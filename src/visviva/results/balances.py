"""Quantities that every run has: energy, exergy, entropy, heat, work, powers, constraints and the work of Newton."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array, Mask
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.parts import Force, Motor, Torque, WrenchPort
from visviva.model import Model, RowKind
from visviva.model.closure import Closure
from visviva.model.structure import AbstractPort
from visviva.results.accounts import rated_constraints
from visviva.results.boxes import flow_unit
from visviva.results.port_names import power_readers
from visviva.results.reader import VECTOR, WRENCH, Reader, column

if TYPE_CHECKING:
    from visviva.results.run import Run


def balances(run: Run) -> dict[str, Reader]:
    """Names and readers of all of them; totals keep their names, whatever environments are called."""
    table = power_readers(run) | _stored(run) | _totals(run) | _made(run) | _supplied(run) | _constraints(run)
    return table | {
        f"opening.{part.name}": Reader(partial(opening, run, part), "rad, m") for part in run.model.closures
    }


def _totals(run: Run) -> dict[str, Reader]:
    model, record = run.model, run.record
    heat = record.heat.sum(-1)
    table = {
        "t": Reader(lambda: record.t, "s"),
        "energy": Reader(partial(model.energy, record.x), "J"),
        "exergy": Reader(partial(model.H, record.x), "J"),
        "heat": Reader(partial(_running_sum, heat), "J", adds_up=True),
        "entropy": Reader(partial(_running_sum, heat / model.theta0), "J/K", adds_up=True),
        "work": Reader(partial(_running_sum, record.work.sum(-1)), "J", adds_up=True),
        "first_law": Reader(lambda: record.closure / run.energy_unit, "1"),
        "second_law": Reader(lambda: record.lowest_heat / model.theta0, "J/K"),
        "newton.iterations": Reader(lambda: record.iterations, "1"),
        "newton.residual": Reader(lambda: record.residual, "1"),
    }
    if not getattr(run.integrator, "fixed_step", True):  # only then errors are estimated
        table |= {"local_error": Reader(lambda: record.error, "1"), "step_size": Reader(lambda: record.h, "s")}
    return table


def _stored(run: Run) -> dict[str, Reader]:
    """Energy, exergy and entropy by component that holds them; environments hold what they have taken up."""
    model, record, table = run.model, run.record, dict[str, Reader]()
    hot = {variable.name for variable in model.variables if variable.entropy}
    for name in dict.fromkeys(part.name for part in model.storages):
        table[f"energy.{name}"] = Reader(partial(_energy_of, run, name), "J")
        table[f"exergy.{name}"] = Reader(partial(_exergy_of, run, name), "J")
    entropies: dict[str, Callable[[], Array]] = {
        part.name: partial(_sum, record.x, model.layout.x[part.variable])
        for part in model.storages
        if part.variable in hot
    }
    for reservoir in model.reservoirs:
        at = model.layout.z[reservoir.name]
        columns = slice(at.start - model.layout.solved, at.stop - model.layout.solved)
        table[reservoir.name] = Reader(partial(column, record.taken, columns), "J/K" if reservoir.entropy else "")
        if reservoir.entropy:
            entropies[reservoir.name] = partial(_sum, record.taken, columns)
    if entropies:
        table["entropy_stored"] = Reader(lambda: np.sum([read() for read in entropies.values()], axis=0), "J/K")
    return table | {f"entropy_stored.{name}": Reader(read, "J/K") for name, read in entropies.items()}


def _made(run: Run) -> dict[str, Reader]:
    """Exergy destroyed and entropy produced by each dissipation since the start; those of one name add up."""
    names, table = [part.name for part in run.model.dissipations], dict[str, Reader]()
    for name in dict.fromkeys(names):
        heat = run.record.heat[:, [other == name for other in names]].sum(-1)
        table[f"heat.{name}"] = Reader(partial(_running_sum, heat), "J", adds_up=True)
        table[f"entropy.{name}"] = Reader(partial(_running_sum, heat / run.model.theta0), "J/K", adds_up=True)
    return table


def _supplied(run: Run) -> dict[str, Reader]:
    """Inputs, their powers and works; of sources the flows that it takes as well."""
    model, record, table = run.model, run.record, dict[str, Reader]()
    for k, port in enumerate(model.ports):
        values = partial(column, record.u_mid, model.port_columns[port.name])
        unit = input_unit(model, port.name)
        components = {"N m, N": WRENCH, "N": VECTOR}.get(unit, ()) if port.width > 1 else ()
        table[f"{port.name}.u"] = Reader(values, unit, components=components)
        table[f"{port.name}.work"] = Reader(partial(_running_sum, record.work[:, k]), "J", adds_up=True)
        table[f"{port.name}.power"] = Reader(partial(column, record.power, k), "W")
        if port.name in model.sources:
            table[f"{port.name}.flow"] = Reader(partial(_flow, run, port))
    return table


def _flow(run: Run, port: AbstractPort) -> Array:
    """What a source has to give: y = Bᵀλ of its rows, at the middles of steps."""
    model, record = run.model, run.record
    at = model.layout.act(port.acts) - model.layout.dim
    B = port.B(model.local(port, 0.5 * (record.x_before + record.x[1:]))[0])
    return column(apply(transpose(B), record.w_mid[:, at]), slice(0, port.width))


def _constraints(run: Run) -> dict[str, Reader]:
    """Constraint functions and their rates, all together and by name; NaN where a row has none at states."""
    model, x = run.model, run.record.x
    first = model.layout.dim + sum(junction.dim for junction in model.junctions)
    known = np.repeat(rated_constraints(model), [part.rows for part in model.constraints])
    table = {
        "g": Reader(lambda: _where(model.has_g[first - model.layout.dim :], model.g(x))),
        "g_v": Reader(lambda: _where(known, model.g_v(x, run.record.u))),
    }
    for part in (part for part in model.constraints if not part.internal):
        rows = slice(model.layout.z[part.name].start - first, model.layout.z[part.name].stop - first)
        table[f"g.{part.name}"] = Reader(partial(_rows, run, "g", rows))
        table[f"g_v.{part.name}"] = Reader(partial(_rows, run, "g_v", rows))
        if part.kind is RowKind.EFFORT:  # ports that are joined: what goes from one to the other
            own = model.layout.z[part.name]
            at = slice(own.start - model.layout.dim, own.stop - model.layout.dim)
            table[f"{part.name}.flow"] = Reader(partial(column, run.record.w_mid, at))
    return table


def _energy_of(run: Run, name: str) -> Array:
    return run.model.energies(run.record.x)[name]


def _exergy_of(run: Run, name: str) -> Array:
    mine = [part.name == name for part in run.model.storages]
    return np.asarray(run.model.exergies(run.record.x)[:, mine].sum(-1))


def opening(run: Run, part: Closure) -> Array:
    """Rotation vector and shift by which a joint is open that rows on velocities hold, (N+1, 6)."""
    return part.gap(*(run.record.x[:, run.model.layout.x[name]] for name in part.reads))


def _where(measured: Mask | bool, values: Array) -> Array:
    """What was measured; no number for the rest."""
    return np.where(measured, values, np.nan)


def _rows(run: Run, name: str, rows: slice) -> Array:
    return column(run[name], rows)


def _sum(values: Array, at: slice) -> Array:
    return np.asarray(values[:, at].sum(-1))


def _running_sum(values: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(values)])


def input_unit(model: Model, port: str) -> str:
    """Of what an input of a mechanism gives; empty where nobody said it."""
    if model.definition is None:
        return ""
    for box in model.definition.boxes:
        if port in box.inputs.values():
            return flow_unit(box, port)
    match model.definition.parts.get(port):
        case Torque():
            return "N m"
        case Force():
            return "N"
        case WrenchPort(width=width):
            return "N m, N" if width == 6 else "N"
        case Motor():
            return "V"
        case Coupling(terms=(term,)):
            return "rad/s" if term.turns else "m/s"
    return ""
