"""What the joints of a mechanism allow and what they say twice: an account to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.library.joints import Sum
from visviva.mechanism.assembly import StateLike, coordinates, count_turns, linkage_of, motion_of
from visviva.mechanism.box import refuse_ties
from visviva.mechanism.kinematics import Placement
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.mobility import left_out
from visviva.mechanism.parts import Body
from visviva.mechanism.positions import close
from visviva.mechanism.singular import regularity

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition

SHOWN = 1e-9  # of the largest entry of a self-stress; the rest is rounding
LISTED = 12  # joints


@final
@dataclass(frozen=True, eq=False)
class Analysis:
    """Kinematics of a mechanism at one configuration; prints as a table.

    bodies, particles, joints, loops: how many there are; loops are independent cycles.
    gruebler:  6 bodies + 3 particles - all rows (Grübler, Kutzbach): the mobility if no row were redundant.
    mobility:  number of independent velocities at this configuration.
    rows, rank: all rows of the joints, and how many of them are independent here.
    redundant: dependent rows by joint.
    on_velocities: rows by condition that take velocities and no positions (nonholonomic).
    stresses:  states of self-stress: per state the wrench (m; f) on the child in the joint's frame on the child, by
               joint, and the generalised force of each other condition; they need no load. Each is scaled to a
               largest entry of 1 N or 1 N m.
    margin:    how far the loops are from a singular configuration, see `Linkage.margin`: 0 there, else about 1.
    warning:   what to know about a singular configuration; empty else.
    """

    name: str
    bodies: int
    particles: int
    joints: int
    loops: int
    gruebler: int
    mobility: int
    rows: int
    rank: int
    redundant: dict[str, int]
    on_velocities: dict[str, int]
    stresses: tuple[dict[str, Array], ...]
    margin: float
    warning: str

    def __str__(self) -> str:
        listed = [f"{name} {count}" for name, count in self.redundant.items()]
        more = f", and {len(listed) - LISTED} more joints" if len(listed) > LISTED else ""
        lines = [
            f"mechanism {self.name!r}",
            f"  bodies            {self.bodies}" + (f", particles {self.particles}" if self.particles else ""),
            f"  joints            {self.joints}, closing {self.loops} loop{'s' if self.loops != 1 else ''}",
            f"  rows              {self.rows}, of rank {self.rank}",
            f"  Grübler-Kutzbach  {self.gruebler}",
            f"  mobility          {self.mobility}",
            f"  redundant rows    {self.rows - self.rank}"
            + (f": {', '.join(listed[:LISTED])}{more}" if listed else ""),
            f"  on velocities     {', '.join(f'{name} {rows}' for name, rows in self.on_velocities.items())}"
            if self.on_velocities
            else "",
            f"  loop margin       {self.margin:.3g} (0: singular)" if self.loops else "",
            f"  {self.warning}" if self.warning else "",
        ]
        return "\n".join(line for line in lines if line)


def analyse(m: Definition, at: StateLike | None = None) -> Analysis:
    """The analysis of a mechanism, as assembled or at another configuration of it."""
    refuse_ties(m, "its analysis")
    linkage = linkage_of(m)
    kinematics = linkage.kinematics
    if at is None:
        q = close(linkage, kinematics.as_built)
    else:
        motion = motion_of(m, at)
        count_turns(linkage, motion)
        q = coordinates(linkage, motion)
    place = kinematics.place(q)
    found, regular = linkage.dependence(place), regularity(linkage, q)
    particles = sum(not isinstance(body, Body) for body in linkage.bodies)
    return Analysis(
        name=m.name,
        bodies=len(linkage.bodies) - particles,
        particles=particles,
        joints=len(linkage.joints),
        loops=len(linkage.topology.loops),
        gruebler=kinematics.n - linkage.m,
        mobility=kinematics.n - regular.rank,
        rows=linkage.m,
        rank=regular.rank,
        redundant=left_out(linkage, found),
        on_velocities={part.name: part.rows for part in m.conditions if part.kind == "nonholonomic"},
        stresses=tuple(_wrenches(linkage, place, Y) for Y in found.stresses.T),
        margin=regular.margin,
        warning=regular.warning,
    )


def _wrenches(linkage: Linkage, place: Placement, Y: Array) -> dict[str, Array]:
    """The wrenches of multipliers Y on the children, in the joint frames there, and of conditions; scaled to 1."""
    F = dict(zip((joint.name for joint in linkage.joints), joint_wrenches(linkage, place, Y), strict=True))
    F |= condition_forces(linkage, Y)
    largest = max(float(np.abs(part).max()) for part in F.values())
    shown = {name: np.where(np.abs(part) > SHOWN * largest, part / largest, 0.0) for name, part in F.items()}
    return {name: part for name, part in shown.items() if part.any()}


def condition_forces(linkage: Linkage, lam: Array) -> dict[str, Array]:
    """Generalised forces -λ of conditions by name, for λ (m,); sums of joints are in the wrenches of these."""
    conditions, own = linkage.conditions, lam[linkage.kinematics.m :]
    sums = {name for joint in linkage.joints for name in joint.sum_names}
    parts = zip(conditions.conditions, conditions.rows, strict=True)
    return {part.name: -own[at] for part, at in parts if part.name not in sums}


def joint_wrenches(linkage: Linkage, place: Placement, lam: Array) -> Array:
    """Wrenches -Cᵀλ (m; f) of all joints on their children, in the joint frames there, for (..., m), (..., joints, 6).

    Of λ the rows of the joints count, and those of their leads; those of other conditions do not.
    At the child's origin a row has the force f and the moment τ_child, see `kinematics`.
    """
    kinematics = linkage.kinematics
    f, moment = kinematics.forces(place)
    rows = -lam[..., : kinematics.m, None] * np.concatenate([moment[..., 1, :], f], axis=-1)
    F = np.zeros((*rows.shape[:-2], len(linkage.joints), 6))
    np.add.at(np.moveaxis(F, -2, 0), kinematics.pair, np.moveaxis(rows, -2, 0))
    axes = place.axes[..., 1, :, :]  # in rows: the inverse of the child's orientation
    F = np.concatenate([apply(axes, F[..., :3]), apply(axes, F[..., 3:])], axis=-1)
    numbers = dict(zip(linkage.names, range(linkage.m), strict=True))
    for k, joint in enumerate(linkage.joints):
        for name, one in zip(joint.sum_names, joint.joint.sums, strict=True):
            F[..., k, :] -= lam[..., numbers[name], None] * _wrench(one, place, k)
    return F


def _wrench(total: Sum, place: Placement, k: int) -> Array:
    """Wrench (m; f) of a sum of scalars of pair k on the child in its frame, per unit of the multiplier, (..., 6)."""
    P, C, d = place.axes[..., k, 0, :, :], place.axes[..., k, 1, :, :], place.d[..., k, None, :]
    vectors = np.concatenate([P, C, d, np.broadcast_to(np.eye(3), P.shape)], axis=-2)
    f, _, moment = total.wrench_at(vectors)
    return np.concatenate([apply(C, moment), apply(C, f)], axis=-1)
