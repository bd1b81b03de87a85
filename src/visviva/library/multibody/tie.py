"""What acts between two frames through rows: constraints as functions of both poses, springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.language import (
    AbstractSystem,
    Composite,
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
from visviva.library.multibody.parameters import constraint_box, numbered
from visviva.library.multibody.rows import End, ends_of, offset_box, row_matrix
from visviva.library.multibody.spatial import coupling
from visviva.library.quantities import momentum_along

BODIES = (False, False)


def tie(
    rows: Sequence[Product | Sum],
    o1: SE3 = HERE,
    o2: SE3 = HERE,
    *,
    particles: tuple[bool, bool] = BODIES,
    coordinates: Sequence[Scalar] = (),
    friction: Array | None = None,
    theta0: float = 300.0,
    drive: bool = False,
) -> Composite:
    """Functions of two frames that stay as they are; boxes hc, o1, o2, mf and env, outer ports q_1, q_2, p_1, p_2.

        0 = -∇y (u_j1, u_j2),   0 = u_r - ∇c (u_j1, u_j2),   0 = λ_r + μ u_r

    with the velocities u_j = (ω; v) of the joint frames in world axes, and the rates u_r of coordinates.

    rows:        the functions y, see `library.joints`; a distance is rod(), a point in a plane along(2);
                 sums of products too.
    o1, o2:      poses of the joint frames in the bodies, whose poses are in SO3xR3.
    particles:   which of the ends are particles, see `particle`.
    coordinates: functions c with a port p_r, the angle about z or displacements.
    friction:    μ (k, k) of their rates.   drive: True shows p_r, as for a `joint`.

    The functions y are quadratic in both poses, and their increments are exact at the mean of a step: other than a
    `joint`, which has a relative pose of its own, a tie stays closed, and may be one of several that repeat each other.
    Source: Stramigioli, Maschke and Bidard (31), of pairs that need be no subgroups.
    """
    acting = tuple(coordinates) if friction is not None or drive else ()
    ends = ends_of(rows, particles, acting)
    held = replace(_rows(rows, acting, ends, (o1, o2)), closure=RowClosure(tuple(rows), o1, o2))
    boxes: dict[str, AbstractSystem] = {"hc": held}
    junctions: dict[str, list[str]] = {"p_r": ["hc.p_r"]} if acting else {}
    if friction is not None:
        boxes |= {
            "mf": viscous(_momentum(acting), friction),
            "env": environment({"s": ENTROPY}, theta0),
        }
        junctions["p_r"].append("mf.p_r")
        junctions["s"] = ["mf.s", "env.s"]
    return _between(ends, (o1, o2), boxes, junctions, ("p_r",) if drive else ())


def spring(
    rows: Sequence[Product],
    o1: SE3 = HERE,
    o2: SE3 = HERE,
    *,
    particles: tuple[bool, bool] = BODIES,
    energy: Storage | None = None,
    damping: Array | None = None,
    line: bool = False,
    theta0: float = 300.0,
) -> Composite:
    """Energy U(y) and damping D ẏ of functions y of two frames; boxes pe, pkc, hc, o1, o2, mf and env, ports as a tie.

        y_dot = u_r,   0 = dU(y) + D u_r + λ,   0 = u_r - ∇y (u_j1, u_j2)

    energy:  a storage with the port y.   damping: D ⪰ 0, (k, k).   theta0: temperature of what takes the heat [K].
    line:    y = ½ d·d alone, and the damping is one of the length l = √(2y): D l_dot along the line.
    """
    ends = ends_of(rows, particles)
    k = len(rows)
    y = energy.interface["y"].quantity if energy is not None else Quantity(f"R{k}", "measure")
    momentum = _momentum(rows)
    boxes: dict[str, AbstractSystem] = {
        "pe": energy if energy is not None else storage({"y": y}, H=0.0),
        "pkc": reversible({"y": y, "p_r": momentum}, J=coupling(k)),
        "hc": _rows((), rows, ends, (o1, o2)),
    }
    junctions = {"y": ["pe.y", "pkc.y"], "p_r": ["pkc.p_r", "hc.p_r"]}
    if damping is not None:
        boxes["mf"] = along_line(y, momentum, float(damping[0, 0])) if line else viscous(momentum, damping)
        boxes["env"] = environment({"s": ENTROPY}, theta0)
        junctions["p_r"].append("mf.p_r")
        junctions["s"] = ["mf.s", "env.s"]
        if line:
            junctions["y"].append("mf.y")
    return _between(ends, (o1, o2), boxes, junctions, ())


def _rows(
    kept: Sequence[Product | Sum], moving: Sequence[Scalar], ends: tuple[End, End], offsets: tuple[SE3, SE3]
) -> Reversible:
    """0 = -∇y (u_1, u_2) of what is kept, 0 = u_r - ∇c (u_1, u_2) of what moves; λ is the force on body 2."""
    box = _rows_box(tuple(map(_plain, kept)), tuple(map(_plain, moving)), ends)
    return numbered(box, ends[0].values(offsets[0]) | ends[1].values(offsets[1]))


@cache
def _rows_box(kept: tuple[Product | Sum, ...], moving: tuple[Scalar, ...], ends: tuple[End, End]) -> Reversible:
    def C(given: dict[str, Any]) -> Any:
        slopes = -row_matrix((*kept, *moving), ends, given)
        rates = np.eye(len(slopes))[:, len(slopes) - n :]
        return np.hstack([slopes, rates])

    n = len(moving)
    ports = ends[0].reads | ends[1].reads | dict(end.velocity for end in ends)
    if moving:
        ports["p_r"] = _momentum(moving)
    return constraint_box(ports, C, [name for end in ends for name in end.values(HERE)])


def _momentum(moving: Sequence[Scalar]) -> Quantity:
    """Of the rates of functions: an angle turns, all else counts as displacement."""
    units = ("rad" if isinstance(each, Angle) else "m" for each in moving)
    return momentum_along(*units)


def _plain(row: Any) -> Any:
    """The row without its offset: derivatives of rods of all lengths are one law."""
    return replace(row, c=0.0) if isinstance(row, Product) else row


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
    return compose("tie", boxes, junctions, outer=(*shown, *outer))
