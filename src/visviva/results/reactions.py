"""Reactions of joints, read from a run: at the nodes from accelerations, at midpoints from the steps' multipliers."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler import lie_state
from visviva.geometry import SO3
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.coordinates import POSES, movers
from visviva.mechanism.parts import Body, Joint
from visviva.results.motion import MechanismMotion

MID_RANK_TOLERANCE = 1e-7  # at the mean of two states redundant rows are dependent only up to the step's own error


@final
class Reactions:
    """Constraint wrenches (m; f) on the child, in the joint frame on the child.

    What motors and friction do about a joint's axis is not in them. Where constraints are redundant, the
    multipliers are those of least Euclidean norm in SI units.
    """

    def __init__(self, motion: MechanismMotion) -> None:
        self.motion = motion

    @cached_property
    def _node_multipliers(self) -> Array:
        """Multipliers at the nodes from the index-1 form, least norm where constraints are redundant."""
        x = lie_state(self.motion.model, self.motion.lie, self.motion.record.x)
        u = self.motion.record.u
        V = self.motion.tangent_velocities
        return np.array([self.motion.lie.accelerations(x[i], V[i], u[i]).w for i in range(len(x))])

    def at_nodes(self, joint: Joint) -> Array:
        """Wrench (m; f) on the child in the joint frame on the child at the nodes, (N+1, 6)."""
        x = lie_state(self.motion.model, self.motion.lie, self.motion.record.x)
        return self._wrench_on_child(joint, x, self._node_multipliers)

    def at_midpoints(self, joint: Joint) -> Array:
        """The same from the multipliers of the steps, at their midpoints, (N, 6)."""
        x = lie_state(
            self.motion.model, self.motion.lie, 0.5 * (self.motion.record.x_before + self.motion.record.x[1:])
        )
        return self._wrench_on_child(joint, x, self._least_norm(x, self._step_multipliers()))

    def _step_multipliers(self) -> Array:
        """Multipliers of the joints, in the order of the Lie form, (N, rows)."""
        first = self.motion.model.layout.dim
        at = [self.motion.model.layout.act((part.name,)) - first for part in self.motion.lie.constraints]
        return self.motion.record.w_mid[:, np.concatenate([np.zeros(0, dtype=np.intp), *at])]

    def _least_norm(self, x: Array, lam: Array) -> Array:
        """The multipliers of least norm that give the same forces, Cᵀλ."""
        Ct = transpose(self.motion.lie.C(x)[..., self.motion.lie.layout.act(tuple(self.motion.lie.kinetic))])
        inverse: Array = np.asarray(np.linalg.pinv(Ct, rcond=MID_RANK_TOLERANCE))
        return apply(inverse, apply(Ct, lam))

    def _wrench_on_child(self, joint: Joint, x: Array, lam: Array) -> Array:
        """-Cᵀλ on the child (on the ground: minus that on the parent), at the joint frame that moves with the child."""
        part = next(part for part in self.motion.lie.constraints if part.name == joint.name)
        rows = self.motion.lie.layout.act((part.name,)) - self.motion.lie.layout.dim
        forces = -apply(transpose(part.C(self.motion.lie.local(part, x)[0])), lam[..., rows])
        end = joint.child if joint.child in movers(joint) else movers(joint)[0]
        width = self.motion.columns[end.name].stop - self.motion.columns[end.name].start
        F = forces[..., -width:] if end is joint.child else -forces[..., :width]
        q = x[..., self.motion.lie.layout.x[f"{end.name}.q"]]
        f_W, m_W, r_J = F[..., -3:], np.zeros_like(F[..., -3:]), q[..., :3]
        R_WJ = np.broadcast_to(joint.R_W, (*q.shape[:-1], 3, 3))
        if isinstance(end, Body):
            R_WC = SO3.nearest(POSES.rotation(q)).R
            r_J = q[..., :3] + apply(R_WC, end.to_principal(joint.r_W))
            m_W = apply(R_WC, F[..., :3]) + np.cross(q[..., :3] - r_J, f_W)
            if end is joint.child:
                R_WJ = R_WC @ end.R_WC.T @ joint.R_W
        return np.concatenate([apply(transpose(R_WJ), m_W), apply(transpose(R_WJ), f_W)], axis=-1)
