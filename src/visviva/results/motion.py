"""The motion of a mechanism, read from a run: poses and twists, whatever the form it was integrated in."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler import compile_mechanism, lie_state
from visviva.geometry import SE3
from visviva.geometry.linear import apply, transpose
from visviva.geometry.nullspace import RANK_TOLERANCE
from visviva.mechanism import Mechanism
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.parts import Body, Frame, Ground, Particle
from visviva.model import Model
from visviva.results.record import Record


@final
class MechanismMotion:
    """Kinematics at the nodes of a record.

    Public velocities are the projections of the scheme's own on the tangent space of the constraints, nearest in
    the metric of kinetic energy; the scheme's own stay in `State`.
    """

    def __init__(self, model: Model, mechanism: Mechanism, record: Record) -> None:
        self.model = model
        self.mechanism = mechanism
        self.record = record

    @cached_property
    def lie(self) -> Model:
        """The mechanism in Lie form, in which velocities and reactions are read."""
        return compile_mechanism(self.mechanism, "lie")

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
        return self._principal_pose(carrier) @ self._offset(part)

    def position(self, part: Body | Frame) -> Array:
        """Origin of its frame in the world, (N+1, 3)."""
        return self.pose(part).r

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
        return apply(self._offset(part).inverse().Ad(), np.concatenate([V[..., :3], v_C], axis=-1))

    def velocity(self, particle: Particle) -> Array:
        """Velocity of a particle, (N+1, 3)."""
        return self._velocity(particle)

    def _principal_pose(self, body: Body) -> SE3:
        q = self.q(body)
        return SE3(POSES.rotation(q), POSES.translation(q))

    def _offset(self, part: Body | Frame) -> SE3:
        """X_CF: the frame in principal coordinates of its body."""
        if isinstance(part, Body):
            return SE3(part.R_BC, part.com).inverse()
        body = part.carrier
        assert isinstance(body, Body)
        return SE3(body.R_WC, body.r_WC).inverse() @ SE3(part.R_WF, part.r_WF)

    # -- velocities ---------------------------------------------------------------------------------------------

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Where the velocity of each body is among all of them, in Lie form."""
        first = min(self.lie.layout.z[variable].start for variable in self.lie.kinetic)
        at = self.lie.layout.z
        return {v.removesuffix(".v"): slice(at[v].start - first, at[v].stop - first) for v in self.lie.kinetic}

    def _velocity(self, part: Body | Particle) -> Array:
        return self.tangent_velocities[..., self.columns[part.name]]

    @cached_property
    def masses(self) -> Array:
        """Mass matrix over all velocities in Lie form."""
        at = self.lie.layout.act(tuple(self.lie.kinetic))
        E: Array = self.lie.E(np.zeros(self.lie.layout.size))
        return E[np.ix_(at, at)]

    @cached_property
    def tangent_velocities(self) -> Array:
        """V = Z (ZᵀM Z)⁻¹ Zᵀ P with the momenta P of the scheme and Z a basis of the admissible velocities."""
        x = lie_state(self.model, self.lie, self.record.x)
        at = self.lie.layout.act(tuple(self.lie.kinetic))
        C = self.lie.C(x)[..., at]
        momenta, result = self._momenta(), np.empty((len(x), len(at)))
        if not C.shape[-2]:
            return np.asarray(np.linalg.solve(self.masses, momenta.T).T, dtype=np.float64)
        _, s, Vt = np.linalg.svd(C)
        ranks = (s > RANK_TOLERANCE * s[:, :1]).sum(-1)
        for rank in np.unique(ranks):
            nodes = ranks == rank
            Z = transpose(Vt[nodes, rank:])
            y = np.linalg.solve(transpose(Z) @ self.masses @ Z, apply(transpose(Z), momenta[nodes])[..., None])
            result[nodes] = (Z @ y)[..., 0]
        return result

    def _momenta(self) -> Array:
        """M V of the scheme, over twists: for directors the lifted Nᵀ M v."""
        parts = []
        for variable, storage in self.model.kinetic.items():
            P = storage.dH(self.record.x[..., self.model.layout.x[variable]])
            if P.shape[-1] == POSES.size:
                q = self.record.x[..., self.model.layout.x[variable.removesuffix(".v") + ".q"]]
                P = apply(transpose(POSES.lift(q)), P)
            parts.append(P)
        return np.concatenate(parts, axis=-1)

    def turn_rate(self, k: int) -> Array:
        """Rate of the k-th joint that turns, (N+1,)."""
        turn = self.lie.turns[k]
        x = lie_state(self.model, self.lie, self.record.x)
        at = [self.columns[name.removesuffix(".q")] for name in turn.reads]
        V = np.concatenate([self.tangent_velocities[..., columns] for columns in at], axis=-1)
        rate: Array = (turn.rate_row(x[..., self.lie.layout.read(turn.reads)]) * V).sum(-1)
        return rate

    @cached_property
    def momentum(self) -> Array:
        """Total momentum (angular about the world's origin; linear) in world axes, (N+1, 6), of the scheme."""
        total, P = np.zeros((len(self.record.t), 6)), self._momenta()
        for part in self.mechanism.bodies:
            columns = self.columns[part.name]
            p = P[..., columns.stop - 3 : columns.stop]
            spin = np.zeros_like(p)
            if isinstance(part, Body):
                spin = apply(self._principal_pose(part).R, P[..., columns.start : columns.start + 3])
            total += np.concatenate([spin + np.cross(self.centre(part), p), p], axis=-1)
        return total
