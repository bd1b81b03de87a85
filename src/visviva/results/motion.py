"""The motion of a mechanism, read from a run: poses and twists, whatever the form it was integrated in."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler import compile_mechanism
from visviva.geometry import SE3
from visviva.geometry.linear import apply, transpose
from visviva.library.joints import Angle
from visviva.mechanism import Definition
from visviva.mechanism.coordinates import POSES, frame_in_body, movers, space_of
from visviva.mechanism.joint_coordinates import coordinate_rows, coordinate_values, turn_names
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body, Frame, Ground, Joint, Particle
from visviva.model import Model
from visviva.model.holonomic import lift_rows
from visviva.results.record import Record


@final
class MechanismMotion:
    """Kinematics at the nodes of a record.

    Public velocities are the projections of the scheme's own on the tangent space of the constraints, nearest in
    the metric of kinetic energy; the scheme's own stay in `State`.

    like: a motion of the same mechanism, whose tables it takes.
    """

    def __init__(
        self, model: Model, definition: Definition, record: Record, like: MechanismMotion | None = None
    ) -> None:
        self.model = model
        self.definition = definition
        self.record = record
        self._like = like

    def over(self, record: Record) -> MechanismMotion:
        """The motion at the nodes of another record."""
        return MechanismMotion(self.model, self.definition, record, self._like or self)

    @cached_property
    def lie(self) -> Model:
        """The mechanism in Lie form, in which velocities and reactions are read."""
        return compile_mechanism(self.definition, "lie") if self._like is None else self._like.lie

    def q(self, part: Body | Particle) -> Array:
        """Coordinates of a body or particle, (N+1, 12) or (N+1, 3)."""
        return self.record.x[..., self.model.layout.x[f"{part.name}.q"]]

    # -- poses --------------------------------------------------------------------------------------------------

    def pose(self, part: Body | Frame) -> SE3:
        """Pose in the world of a body frame or of a named frame, as a batch."""
        carrier = part.carrier if isinstance(part, Frame) else part
        N = len(self.record.t)
        if isinstance(carrier, Ground):
            assert isinstance(part, Frame)
            return SE3(np.broadcast_to(part.R_WF, (N, 3, 3)), np.broadcast_to(part.r_WF, (N, 3)))
        return self._principal_pose(carrier) @ frame_in_body(part)

    def position(self, part: Body | Frame) -> Array:
        """Origin of its frame in the world, (N+1, 3)."""
        carrier = part.carrier if isinstance(part, Frame) else part
        if isinstance(carrier, Ground):
            return self.pose(part).r
        return self._principal_pose(carrier).act(frame_in_body(part).r)

    def rotation(self, part: Body | Frame) -> Array:
        """Its orientation R_WB, (N+1, 3, 3)."""
        return self.pose(part).R

    def centre(self, part: Body | Particle) -> Array:
        """Centre of mass in the world, (N+1, 3)."""
        return self.q(part)[..., :3]

    def point(self, part: Body | Particle, r_W: Array) -> Array:
        """Path of the material point that was at the world point r_W as built, (N+1, 3)."""
        if isinstance(part, Particle):
            return self.q(part)
        return self._principal_pose(part).act(part.to_principal(r_W))

    def twist(self, part: Body | Frame) -> Array:
        """Its twist (ω; v) in its own axes, (N+1, 6)."""
        carrier = part.carrier if isinstance(part, Frame) else part
        if isinstance(carrier, Ground):
            return np.zeros((len(self.record.t), 6))
        V = self._velocity(carrier)
        v_C = apply(transpose(self._principal_pose(carrier).R), V[..., 3:])
        return apply(frame_in_body(part).inverse().Ad(), np.concatenate([V[..., :3], v_C], axis=-1))

    def velocity(self, particle: Particle) -> Array:
        """Velocity of a particle, (N+1, 3)."""
        return self._velocity(particle)

    def _principal_pose(self, body: Body) -> SE3:
        q = self.q(body)
        return SE3(POSES.rotation(q), POSES.translation(q))

    # -- velocities ---------------------------------------------------------------------------------------------

    @cached_property
    def linkage(self) -> Linkage:
        """Its joints as rows over the velocities of all bodies."""
        return Linkage(self.definition) if self._like is None else self._like.linkage

    @cached_property
    def configurations(self) -> Array:
        """Coordinates of all bodies at the nodes, (N+1, size)."""
        return np.concatenate([self.q(body) for body in self.linkage.bodies], axis=-1)

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Where the velocity of each body is among all of them, in Lie form."""
        return {body.name: at for body, at in zip(self.linkage.bodies, self.linkage.kinematics.columns, strict=True)}

    def _velocity(self, part: Body | Particle) -> Array:
        return self.tangent_velocities[..., self.columns[part.name]]

    @cached_property
    def driven(self) -> dict[str, int]:
        """Which row of the linkage each drive is."""
        rows = zip(self.linkage.conditions.conditions, self.linkage.conditions.rows, strict=True)
        first = self.linkage.kinematics.m
        return {part.name: first + at.start for part, at in rows if part.law is not None}

    @cached_property
    def tangent_velocities(self) -> Array:
        """V nearest in the metric of kinetic energy: M V + Cᵀμ = P, C V = ṡ with the momenta P of the scheme."""
        rows = np.zeros((len(self.record.t), self.linkage.m))
        for name, column in self.model.port_columns.items():
            if name in self.driven:
                rows[:, self.driven[name]] = self.record.u[:, column.start]
        return self.linkage.nearest(self.configurations, momenta(self.model, self.record.x), rows)

    # -- joints -------------------------------------------------------------------------------------------------

    def coordinates(self, joint: Joint) -> Array:
        """Coordinates of a joint, angles continuous over many turns; (N+1,) where it has one, else (N+1, k)."""
        turning = all(isinstance(part, Angle) for part in joint.joint.coordinates)
        shape = (len(self.record.t), len(joint.joint.coordinates))
        values = np.empty(shape) if turning else coordinate_values(joint, self._q_of(joint))
        names = [turn.name for turn in self.model.turns]
        angles = iter(self.record.angles[:, names.index(name)] for name in turn_names(joint))
        for k, part in enumerate(joint.joint.coordinates):
            if isinstance(part, Angle):
                values[:, k] = next(angles)
        return values[:, 0] if values.shape[1] == 1 else values

    def rates(self, joint: Joint) -> Array:
        """Rates of the coordinates of a joint; (N+1,) where it has one, else (N+1, k)."""
        spaces = tuple(space_of(mover) for mover in movers(joint))
        q = self._q_of(joint)
        V = np.concatenate([self._velocity(mover) for mover in movers(joint)], axis=-1)
        rates = apply(lift_rows(coordinate_rows(joint, q), q, spaces), V)
        return rates[:, 0] if rates.shape[1] == 1 else rates

    def _q_of(self, joint: Joint) -> Array:
        return np.concatenate([self.q(mover) for mover in movers(joint)], axis=-1)

    @cached_property
    def momentum(self) -> Array:
        """Total momentum (angular about the world's origin; linear) in world axes, (N+1, 6), of the scheme."""
        total, P = np.zeros((len(self.record.t), 6)), momenta(self.model, self.record.x)
        for part in self.definition.bodies:
            columns = self.columns[part.name]
            p = P[..., columns.stop - 3 : columns.stop]
            spin = np.zeros_like(p)
            if isinstance(part, Body):
                spin = apply(self._principal_pose(part).R, P[..., columns.start : columns.start + 3])
            total += np.concatenate([spin + np.cross(self.centre(part), p), p], axis=-1)
        return total


def momenta(model: Model, x: Array) -> Array:
    """M V of states of a mechanism's model, over twists: for directors the lifted Nᵀ M v."""
    parts = {name: storage.dH(x[..., model.layout.x[name]]) for name, storage in model.kinetic.items()}
    lifted = [name for name, P in parts.items() if P.shape[-1] == POSES.size]
    if lifted:  # all at once
        q = np.stack([x[..., model.layout.x[name.removesuffix(".v") + ".q"]] for name in lifted], axis=-2)
        P = POSES.pull(np.stack([parts[name] for name in lifted], axis=-2)[..., None, :], q)
        parts |= {name: P[..., k, 0, :] for k, name in enumerate(lifted)}
    return np.concatenate(list(parts.values()), axis=-1)
