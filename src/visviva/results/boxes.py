"""What a run tells of boxes: their states by name, and forces and powers through the ports at coordinates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.library import quantities
from visviva.mechanism.box import Box
from visviva.mechanism.coordinates import movers, pair_functions
from visviva.mechanism.joint_coordinates import pair_value
from visviva.mechanism.parts import Along, JointCoordinate, PairCoordinate, PairTwist
from visviva.model import Model
from visviva.model.joined import JoinedPorts
from visviva.model.placed import PlacedDissipation, PlacedRouting, PlacedRows
from visviva.model.structure import AbstractConstraint, AbstractDissipation, AbstractRouting
from visviva.results.powers import step_efforts
from visviva.results.reader import Reader, column

if TYPE_CHECKING:
    from visviva.results.run import Run

UNITS = {
    quantities.displacement: "m",
    quantities.momentum: "kg m/s",
    quantities.angle: "rad",
    quantities.angular_momentum: "kg m²/s",
    quantities.charge: "C",
    quantities.flux: "V s",
    quantities.volume: "m³",
    quantities.pressure_momentum: "Pa s",
    quantities.entropy: "J/K",
}


FLOWS = {
    quantities.displacement: "m/s",
    quantities.momentum: "N",
    quantities.angle: "rad/s",
    quantities.angular_momentum: "N m",
    quantities.charge: "A",
    quantities.flux: "V",
    quantities.volume: "m³/s",
    quantities.pressure_momentum: "Pa",
    quantities.entropy: "W/K",
}


def flow_unit(box: Box, name: str) -> str:
    """Unit of an input of a box by its name: the flow of a port; of sources inside empty, as they give efforts."""
    port = next(port for port, one in box.inputs.items() if one == name)
    return FLOWS.get(box.flat.interface[port].quantity, "") if port in box.flat.interface else ""


def state_unit(box: Box, junction: str) -> str:
    """Unit of a state, empty where its numbers have several, as those of a gas."""
    return UNITS.get(box.flat.junctions[junction].quantity, "")


def box_readers(run: Run, box: Box) -> dict[str, Reader]:
    """States `<box>.<junction>`, temperatures of entropies, `.length`, `.force` and `.power` of ports."""
    table: dict[str, Reader] = {}
    followed = [box.flat.outer[port] for port in box.places]
    for name in (*box.states, *followed):
        variable, quantity = box.variable(name), box.flat.junctions[name].quantity
        at = run.model.layout.x[variable]
        numbers = at.start if at.stop == at.start + 1 else at  # a scalar is one number at each node, (N+1,)
        table[variable] = Reader(partial(column, run.record.x, numbers), state_unit(box, name))
        if quantity.is_entropy:
            table[f"{variable}.temperature"] = Reader(partial(_temperature, run, variable), "K")
    for port in box.lengths:
        variable = box.length(port)
        table[variable] = Reader(partial(column, run.record.x, run.model.layout.x[variable].start), "m")
    for port, one in box.along.items():
        name = box.variable(port)
        table[f"{name}.force"] = Reader(partial(_force, run, box, port), _force_unit(one))
        table[f"{name}.power"] = Reader(partial(_power, run, box, port, one), "W")
    return table


def _force_unit(one: Along) -> str:
    """Empty for a wrench, which has two."""
    if isinstance(one, PairTwist) and len({entry < 3 for entry in one.twist.entries}) > 1:
        return ""
    return "N m" if one.turns else "N"


def _temperature(run: Run, variable: str) -> Array:
    """θ at the nodes."""
    model = run.model
    return np.asarray(model.theta0 + model.z(run.record.x)[:, model.layout.z[variable]][:, 0])


def _force(run: Run, box: Box, port: str) -> Array:
    """Of the parent on the child along the coordinate at a port, at midpoints, (N,)."""
    model, record = run.model, run.record
    z = step_efforts(model, record, stabilised=len(run.final.gam) > 0)
    return port_force(model, box, port, z, (record.x_before, record.x[1:]))


def port_force(model: Model, box: Box, port: str, z: Array, ends: tuple[Array, Array]) -> Array:
    """Of the parent on the child along the coordinate at a port, (N,), for efforts z (N, total) between two ends."""
    junction = box.variable(box.flat.outer[port])
    if port in box.places:
        return np.asarray(-z[:, model.layout.z[junction]][:, 0])
    width = box.rates[port].width
    total = np.zeros((len(z), width))
    for part in model.structures:
        if isinstance(part, JoinedPorts) and part.name == box.tie(port):
            total -= z[:, model.layout.z[part.name]]
        if (
            not isinstance(part, PlacedRouting | PlacedDissipation | PlacedRows)
            or junction not in part.placing.measures
        ):
            continue
        inner = part.placing.inner
        if junction not in inner.acts:
            continue
        q, outer = model.local(part, 0.5 * (ends[0] + ends[1]), z, ends)
        own, e = part.placing.own(q), apply(part.placing.T(q), outer)
        match inner:
            case AbstractRouting():
                flow = apply(inner.J(own), e)
            case AbstractDissipation():
                flow = -apply(inner.R(own, e), e)
            case AbstractConstraint():
                flow = -apply(transpose(inner.C(own)), z[:, model.layout.z[part.name]])
        first = sum(part.placing.dims[name] for name in inner.acts[: inner.acts.index(junction)])
        total += flow[:, first : first + width]
    return total[:, 0] if width == 1 else total


def _power(run: Run, box: Box, port: str, one: Along) -> Array:
    """Into the box through a port, at midpoints, (N,): what its force takes from the joint, or from the points."""
    force = run[f"{box.variable(port)}.force"]
    return np.asarray(-(force * _rate(run, one)).reshape(len(force), -1).sum(axis=1))


def _rate(run: Run, one: Along) -> Array:
    """Of a coordinate over each step, (N,), or a twist, (N, k)."""
    record, layout = run.record, run.model.layout
    if isinstance(one, JointCoordinate):
        q = run[f"{one.joint.name}.q"].reshape(len(record.t), -1)[:, one.number]
        return np.asarray(np.diff(q) / record.h)
    bodies = record.x[:, layout.read(tuple(f"{end.name}.q" for end in movers(one)))]
    if isinstance(one, PairCoordinate):
        return np.asarray(np.diff(pair_value(one, bodies)) / record.h)
    y = pair_functions(one, one.twist.products).value(bodies)
    rates = apply(one.twist.matrix(0.5 * (y[:-1] + y[1:])), np.diff(y, axis=0)) / record.h[:, None]
    return rates[:, 0] if one.width == 1 else rates
