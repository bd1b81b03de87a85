"""What the joints of a mechanism allow and what they say twice: an account to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.mechanism.assembly import Motion, coordinates, linkage_of
from visviva.mechanism.kinematics import Placement
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.mobility import left_out
from visviva.mechanism.parts import Body
from visviva.mechanism.positions import close
from visviva.mechanism.singular import regularity

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism

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
    stresses:  states of self-stress: per state the wrench (m; f) on the child in the joint's frame on the child, by
               joint; they need no load. Each is scaled to a largest entry of 1 N or 1 N m.
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
            f"  loop margin       {self.margin:.3g} (0: singular)" if self.loops else "",
            f"  {self.warning}" if self.warning else "",
        ]
        return "\n".join(line for line in lines if line)


def analyse(m: Mechanism, motion: Motion | None = None) -> Analysis:
    """The analysis of a mechanism, as assembled or at another configuration of it."""
    linkage = linkage_of(m)
    kinematics = linkage.kinematics
    q = close(linkage, kinematics.as_built) if motion is None else coordinates(linkage, motion)
    place = kinematics.place(q)
    found, regular = linkage.dependence(place), regularity(linkage, q)
    particles = sum(not isinstance(body, Body) for body in linkage.bodies)
    return Analysis(
        name=m.name,
        bodies=len(linkage.bodies) - particles,
        particles=particles,
        joints=len(linkage.joints),
        loops=len(linkage.topology.loops),
        gruebler=kinematics.n - kinematics.m,
        mobility=kinematics.n - regular.rank,
        rows=kinematics.m,
        rank=regular.rank,
        redundant=left_out(linkage, found),
        stresses=tuple(_wrenches(linkage, place, Y) for Y in found.stresses.T),
        margin=regular.margin,
        warning=regular.warning,
    )


def _wrenches(linkage: Linkage, place: Placement, Y: Array) -> dict[str, Array]:
    """The wrenches of multipliers Y on the children, in the joint frames on the children, scaled to 1."""
    F = joint_wrenches(linkage, place, Y)
    F = F / np.abs(F).max()
    F = np.where(np.abs(F) > SHOWN, F, 0.0)
    return {joint.name: wrench for joint, wrench in zip(linkage.joints, F, strict=True) if wrench.any()}


def joint_wrenches(linkage: Linkage, place: Placement, lam: Array) -> Array:
    """Wrenches -Cᵀλ (m; f) of all joints on their children, in the joint frames there, for (..., m), (..., joints, 6).

    At the child's origin a row has the force f and the moment τ_child, see `kinematics`.
    """
    kinematics = linkage.kinematics
    f, moment = kinematics.forces(place)
    rows = -lam[..., None] * np.concatenate([moment[..., 1, :], f], axis=-1)
    F = np.zeros((*rows.shape[:-2], len(linkage.joints), 6))
    np.add.at(np.moveaxis(F, -2, 0), kinematics.pair, np.moveaxis(rows, -2, 0))
    axes = place.axes[..., 1, :, :]  # in rows: the inverse of the child's orientation
    return np.concatenate([apply(axes, F[..., :3]), apply(axes, F[..., 3:])], axis=-1)
