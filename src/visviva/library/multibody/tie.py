"""What acts between two frames through rows: constraints as functions of both poses, springs and dampers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.language import (
    AbstractSystem,
    Composite,
    Irreversible,
    Quantity,
    Reversible,
    Storage,
    compose,
    environment,
    reversible,
    storage,
)
from visviva.library.joints import Angle, Product, Scalar, Sum
from visviva.library.multibody.closure import RowClosure
from visviva.library.multibody.friction import ENTROPY, along_line, viscous
from visviva.library.multibody.joint import HERE
from visviva.library.multibody.parameters import Grid, constraint_box, entries, numbered
from visviva.library.multibody.rows import End, Rate, TwistRate, ends_of, offset_box, row_matrix
from visviva.library.multibody.spatial import coupling
from visviva.library.quantities import momentum_along

BODIES = (False, False)
NOTHING: Mapping[str, Any] = MappingProxyType({})


def tie(
    rows: Sequence[Product | Sum],
    o1: SE3 = HERE,
    o2: SE3 = HERE,
    *,
    particles: tuple[bool, bool] = BODIES,
    rates: Mapping[str, Sequence[Rate]] = NOTHING,
    losses: Mapping[str, Irreversible] = NOTHING,
    theta0: float | None = 300.0,
) -> Composite:
    """Functions of two frames that stay as they are; boxes hc, o1, o2 and env, outer ports q_1, q_2, p_1, p_2.

        0 = -∇y (u_j1, u_j2),   0 = u_r - ∇c (u_j1, u_j2)

    with the velocities u_j = (ω; v) of the joint frames in world axes, and rates u_r.

    rows:      the functions y, see `library.joints`; a distance is rod(), a point in a plane along(2); sums too.
    o1, o2:    poses of the joint frames in the bodies, whose poses are in SO3xR3.
    particles: which of the ends are particles, see `particle`.
    rates:     by the name of a further outer port, functions c whose rates are its efforts: {"angle": (TURN,)} has the
               quantity of `library.rotation`, {"slide": (along(2),)} that of `library.translation`, and
               {"spin": SPIN} is the angular velocity of the child, in its axes, and other entries of its twist are
               rates too. What acts there acts along c.
    losses:    boxes by name with ports that are called like those of rates, and s; see `friction`.
    theta0:    temperature of the environment that takes their heat [K]; None shows the outer port s instead.

    Products are quadratic in both poses, and their increments are exact at the mean of a step: other than a `joint`,
    which has a relative pose of its own, a tie stays closed, and may be one of several that repeat each other. A sum
    with an angle opens by O(h²).
    Source: Stramigioli, Maschke and Bidard (31), of pairs that need be no subgroups.
    """
    moving = tuple(one for several in rates.values() for one in several)
    ends = ends_of(rows, particles, moving)
    held = replace(_rows(rows, rates, ends, (o1, o2)), closure=RowClosure(tuple(rows), o1, o2))
    boxes: dict[str, AbstractSystem] = {"hc": held, **losses}
    junctions = {port: [f"hc.{port}"] for port in rates}
    for name, box in losses.items():
        for port in box.interface:
            junctions.setdefault(port, []).append(f"{name}.{port}")
    return _between(ends, (o1, o2), *_heated(boxes, junctions, theta0), tuple(rates))


def spring(
    rows: Sequence[Product],
    o1: SE3 = HERE,
    o2: SE3 = HERE,
    *,
    particles: tuple[bool, bool] = BODIES,
    energy: Storage | None = None,
    damping: Array | None = None,
    line: bool = False,
    theta0: float | None = 300.0,
) -> Composite:
    """Energy U(y) and damping D ẏ of functions y of two frames; boxes pe, pkc, hc, o1, o2, mf and env, ports as a tie.

        y_dot = u_r,   0 = dU(y) + D u_r + λ,   0 = u_r - ∇y (u_j1, u_j2)

    energy:  a storage with the port y.   damping: D ⪰ 0, (k, k).
    line:    y = ½ d·d alone, and the damping is one of the length l = √(2y): D l_dot along the line.
    theta0:  temperature of what takes the heat [K]; None shows the outer port s instead.
    """
    ends = ends_of(rows, particles)
    k = len(rows)
    y = energy.interface["y"].quantity if energy is not None else Quantity(f"R{k}", "measure")
    momentum = rate_quantity(rows)
    boxes: dict[str, AbstractSystem] = {
        "pe": energy if energy is not None else storage({"y": y}, H=0.0),
        "pkc": reversible({"y": y, "p_r": momentum}, J=coupling(k)),
        "hc": _rows((), {"p_r": rows}, ends, (o1, o2)),
    }
    junctions = {"y": ["pe.y", "pkc.y"], "p_r": ["pkc.p_r", "hc.p_r"]}
    if damping is not None:
        boxes["mf"] = along_line(y, momentum, float(damping[0, 0])) if line else viscous({"p_r": momentum}, damping)
        junctions["p_r"].append("mf.p_r")
        junctions["s"] = ["mf.s"]
        if line:
            junctions["y"].append("mf.y")
    return _between(ends, (o1, o2), *_heated(boxes, junctions, theta0), ())


def rate_quantity(rates: Sequence[Rate]) -> Quantity:
    """That of a port of rates: an angle and a spin turn, all else counts as displacement."""
    turning = (isinstance(each, Angle) or (isinstance(each, TwistRate) and each.turns) for each in rates)
    return momentum_along(*("rad" if turns else "m" for turns in turning))


def _rows(
    kept: Sequence[Product | Sum],
    rates: Mapping[str, Sequence[Rate]],
    ends: tuple[End, End],
    offsets: tuple[SE3, SE3],
) -> Reversible:
    """0 = -∇y (u_1, u_2) of what is kept, 0 = u_r - ∇c (u_1, u_2) of what moves; λ is the force on body 2."""
    scalars, K = _scalars(kept)
    grid, factors = entries("k", K, (0.0, 1.0, -1.0))
    moving = tuple((port, tuple(map(_plain, several))) for port, several in rates.items())
    box = _rows_box(scalars, Grid.of(grid), moving, ends)
    return numbered(box, factors | ends[0].values(offsets[0]) | ends[1].values(offsets[1]))


@cache
def _rows_box(
    scalars: tuple[Scalar, ...], K: Grid, rates: tuple[tuple[str, tuple[Rate, ...]], ...], ends: tuple[End, End]
) -> Reversible:
    """Rows K ∇y of scalars y, and of rates."""
    moving, k = tuple(one for _, several in rates for one in several), K.shape[0]

    def C(given: dict[str, Any]) -> Any:
        slopes = -row_matrix((*scalars, *moving), ends, given)
        kept, free = slopes[: len(scalars)], slopes[len(scalars) :]
        rows = np.vstack([K.filled(given) @ kept if scalars else kept, free])
        return np.hstack([rows, np.eye(len(rows))[:, k:]])

    ports = ends[0].reads | ends[1].reads | dict(end.velocity for end in ends)
    ports |= {port: rate_quantity(several) for port, several in rates}
    return constraint_box(ports, C, [*K.names, *(name for end in ends for name in end.values(HERE))])


def _scalars(rows: Sequence[Product | Sum]) -> tuple[tuple[Scalar, ...], Array]:
    """The scalars of rows, one after the other, and the matrix that makes rows of them."""
    terms = [row.terms if isinstance(row, Sum) else ((1.0, row),) for row in rows]
    K, first = np.zeros((len(rows), sum(map(len, terms)))), 0
    for k, several in enumerate(terms):
        K[k, first : first + len(several)] = [c for c, _ in several]
        first += len(several)
    return tuple(_plain(scalar) for several in terms for _, scalar in several), K


def _plain(row: Any) -> Any:
    """The row without its offset: derivatives of rods of all lengths are one law."""
    return replace(row, c=0.0) if isinstance(row, Product) else row


def _heated(
    boxes: dict[str, AbstractSystem], junctions: dict[str, list[str]], theta0: float | None
) -> tuple[dict[str, AbstractSystem], dict[str, list[str]]]:
    """With an environment at the junction s, where there is one and a temperature is given."""
    if "s" not in junctions or theta0 is None:
        return boxes, junctions
    return boxes | {"env": environment({"s": ENTROPY}, theta0)}, junctions | {"s": [*junctions["s"], "env.s"]}


def _between(
    ends: tuple[End, End],
    offsets: tuple[SE3, SE3],
    boxes: dict[str, AbstractSystem],
    junctions: dict[str, list[str]],
    outer: tuple[str, ...],
) -> Composite:
    """The boxes with offsets o1 and o2 where the ends are bodies, and the ports of both ends."""
    boxes, junctions, shown = dict(boxes), dict(junctions), list[str]()
    for end, offset in zip(ends, offsets, strict=True):
        if not end.particle:
            boxes[f"o{end.number}"] = offset_box(end.number, offset)
            port = end.velocity[0]
            junctions[port] = [f"o{end.number}.{port}", f"hc.{port}"]
        for port in end.ports:
            inner = [box for box in ("hc", f"o{end.number}") if box in boxes and port in boxes[box].interface]
            if inner:
                junctions[port] = [f"{box}.{port}" for box in inner]
                shown.append(port)
    if "s" in junctions and "env" not in boxes:
        shown.append("s")
    return compose("tie", boxes, junctions, outer=(*shown, *outer))
