"""Outputs of a mechanism by name: what a state says of its bodies, joints and ports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry import SE3
from visviva.geometry.linear import apply, transpose
from visviva.geometry.turning import continued
from visviva.library.joints import Angle
from visviva.linear.equations import Reference
from visviva.linear.mechanism_names import conjugate_units, numbered
from visviva.mechanism.coordinates import movers, space_of
from visviva.mechanism.joint_coordinates import coordinate_rows, coordinate_values
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Frame, Ground, Joint, Particle
from visviva.model.holonomic import lift_rows

Read = Callable[[Reference, Point, Array, Array], Array]


@final
@dataclass(frozen=True, eq=False)
class OutputReader:
    """units: by name, one for each number.

    read: these numbers, one row for each of many states next to the reference, from it, them, their u and ε.
    """

    units: dict[str, str]
    read: Read


def output_readers(form: MinimalForm, outputs: Iterable[str] | None, positions: tuple[str, ...]) -> list[OutputReader]:
    """Readers of some outputs, none by default; an unknown name is an error."""
    known = _known(form, positions)
    found = []
    for name in outputs or ():
        if name not in known:
            raise unknown_name(str(name), known, f"the outputs of mechanism {form.name!r}")
        found.append(known[name])
    return found


def _known(form: MinimalForm, positions: tuple[str, ...]) -> dict[str, OutputReader]:
    """Every output, by name."""
    table = dict[str, OutputReader]()

    def add(name: str, units: Sequence[str], read: Read) -> None:
        table.setdefault(name, OutputReader(dict(zip(numbered(name, len(units)), units, strict=True)), read))

    for name, part in form.definition.parts.items():
        match part:
            case Body() | Frame() if not isinstance(getattr(part, "carrier", part), Ground):
                add(f"{name}.r", ["m"] * 3, partial(_position, form, part))
                add(f"{name}.twist", ["rad/s"] * 3 + ["m/s"] * 3, partial(_twist, form, part))
            case Particle():
                add(f"{name}.r", ["m"] * 3, partial(_state, form, f"{name}.q"))
                add(f"{name}.v", ["m/s"] * 3, partial(_state, form, f"{name}.v"))
            case Joint() if part.joint.coordinates:
                units = ["rad" if isinstance(c, Angle) else "m" for c in part.joint.coordinates]
                add(f"{name}.q", units, partial(_coordinates, form, part))
                add(f"{name}.rate", [f"{unit}/s" for unit in units], partial(_joint_rates, form, part))
    driven = {port.name for port in form.open.prescribed.values()}  # their forces are reactions, and no states
    for port in form.full.ports:
        if port.name in driven:
            continue
        add(
            f"{port.name}.y",
            conjugate_units(form, port.name, port.width),
            partial(_conjugate, form, form.full.port_columns[port.name]),
        )
    for names, read in ((positions, _increment), (form.xi_names, _velocity), (form.s_names, _other)):
        for k, name in enumerate(names):
            add(name, [""], partial(read, k))
    return table


def _increment(k: int, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    return eps[:, k : k + 1]


def _velocity(k: int, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    return point.xi[:, k : k + 1]


def _other(k: int, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    return point.s[:, k : k + 1]


def _state(form: MinimalForm, name: str, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    return point.x[:, form.model.layout.x[name]]


def _conjugate(form: MinimalForm, at: slice, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    """y = Bᵀz: what makes power with the input of a port."""
    return form.full.outputs(point.x, point.all_efforts(u))[:, at]


def _pose(form: MinimalForm, part: Body | Frame, point: Point) -> tuple[int, SE3]:
    """The link that carries it, and its pose in the axes of that link."""
    body = part.carrier if isinstance(part, Frame) else part
    assert isinstance(body, Body)
    k = form.spanning.link[body.name]
    X = form.tree.links[k].X_LB
    X_LB = SE3(X[:3, :3], X[:3, 3])
    if isinstance(part, Frame):
        X_LB = X_LB @ SE3(body.R_WB, body.r_WB).inverse() @ SE3(part.R_WF, part.r_WF)
    return k, X_LB


def _position(form: MinimalForm, part: Body | Frame, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    k, X = _pose(form, part, point)
    return point.tree.r[:, k] + point.tree.R[:, k] @ X.r


def _twist(form: MinimalForm, part: Body | Frame, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    k, X = _pose(form, part, point)
    back = transpose(point.tree.R[:, k] @ X.R)
    w, v = (apply(part[:, k], point.xi) for part in (point.tree.Jw, point.tree.Jv))
    return np.concatenate([apply(back, w), apply(back, v + np.cross(w, point.tree.R[:, k] @ X.r))], axis=1)


def _coordinates(form: MinimalForm, joint: Joint, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    near = Point(form, ref.q, ref.xi, ref.s)
    now, before = (coordinate_values(joint, _movers_q(form, joint, at)) for at in (point, near))
    turns = np.array([isinstance(part, Angle) for part in joint.joint.coordinates])
    return np.where(turns, continued(now, before), now)


def _joint_rates(form: MinimalForm, joint: Joint, ref: Reference, point: Point, u: Array, eps: Array) -> Array:
    q, spaces = _movers_q(form, joint, point), tuple(space_of(mover) for mover in movers(joint))
    V = np.concatenate([point.x[:, form.model.layout.x[f"{mover.name}.v"]] for mover in movers(joint)], axis=1)
    return apply(lift_rows(coordinate_rows(joint, q), q, spaces), V)


def _movers_q(form: MinimalForm, joint: Joint, point: Point) -> Array:
    return np.concatenate([point.x[..., form.model.layout.x[f"{mover.name}.q"]] for mover in movers(joint)], axis=-1)
