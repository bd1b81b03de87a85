"""Reactions of joints, read from a run: at the nodes from accelerations, at midpoints from the steps' multipliers."""

from __future__ import annotations

from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.compiler import lie_state
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.parts import Joint
from visviva.mechanism.singular import regularity
from visviva.results.motion import MechanismMotion
from visviva.results.wrenches import wrench_on_child


@final
class Reactions:
    """Constraint wrenches (m; f) on the child, in the joint frame on the child.

    The moment is about the origin of that frame. What motors and friction do along a joint's coordinates is not in
    them. A particle has no axes of its own: there they are those of the joint as built. Where constraints are
    redundant, the multipliers are those of least Euclidean norm in SI units.
    """

    def __init__(self, motion: MechanismMotion) -> None:
        self.motion = motion

    @cached_property
    def _kept(self) -> Mask:
        """Rows of joints that are independent where the run starts, or near by."""
        return regularity(self.motion.linkage, self.motion.configurations[0]).kept

    @cached_property
    def _node_multipliers(self) -> Array:
        """Multipliers at the nodes from the index-1 form, M V̇ + Cᵀλ = f, C V̇ = -Ċ V."""
        lie, linkage, q = self.motion.lie, self.motion.linkage, self.motion.configurations
        V = self.motion.tangent_velocities
        x = lie_state(self.motion.model, lie, self.motion.record.x)
        x[:, lie.layout.read(tuple(lie.kinetic))] = V
        force = lie.flow(x, lie.z(x), self.motion.record.u)[:, lie.layout.act(tuple(lie.kinetic))]
        drift = linkage.kinematics.drift(linkage.kinematics.place(q), V)
        return linkage.least(q, linkage.solve(q, force, -drift)[1], self._kept)

    def at_nodes(self, joint: Joint) -> Array:
        """Wrench (m; f) on the child in the joint frame on the child at the nodes, (N+1, 6)."""
        if not joint.joint.rows:
            return np.zeros((len(self.motion.record.t), 6))
        x = lie_state(self.motion.model, self.motion.lie, self.motion.record.x)
        return self._wrench_on_child(joint, x, self._node_multipliers)

    def at_midpoints(self, joint: Joint) -> Array:
        """The same from the multipliers of the steps, at their midpoints, (N, 6)."""
        if not joint.joint.rows:
            return np.zeros((self.motion.record.steps, 6))
        x = lie_state(
            self.motion.model, self.motion.lie, 0.5 * (self.motion.record.x_before + self.motion.record.x[1:])
        )
        q = np.concatenate(
            [x[:, self.motion.lie.layout.x[f"{body.name}.q"]] for body in self.motion.linkage.bodies], axis=-1
        )
        return self._wrench_on_child(joint, x, self.motion.linkage.least(q, self._step_multipliers(), self._kept))

    def _step_multipliers(self) -> Array:
        """Multipliers of the joints, in the order of the Lie form, (N, rows)."""
        first = self.motion.model.layout.dim
        at = [self.motion.model.layout.act((part.name,)) - first for part in self.motion.lie.constraints]
        return self.motion.record.w_mid[:, np.concatenate([np.zeros(0, dtype=np.intp), *at])]

    def _wrench_on_child(self, joint: Joint, x: Array, lam: Array) -> Array:
        """-Cᵀλ on the child (on the ground: minus that on the parent), at the joint frame that moves with the child."""
        part = next(part for part in self.motion.lie.constraints if part.name == joint.name)
        rows = self.motion.lie.layout.act((part.name,)) - self.motion.lie.layout.dim
        q = self.motion.lie.local(part, x)[0]
        return wrench_on_child(joint, q, -apply(transpose(part.C(q)), lam[..., rows]))
