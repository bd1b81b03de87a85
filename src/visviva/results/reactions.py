"""Reactions of joints, read from a run: at the nodes from accelerations, at midpoints from the steps' multipliers."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.compiler import lie_state
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.parts import Joint
from visviva.mechanism.singular import regularity
from visviva.model import Model
from visviva.model.inner import inner_rows, instant_efforts
from visviva.results.motion import MechanismMotion
from visviva.results.wrenches import wrench_on_child


@final
class Reactions:
    """Constraint wrenches (m; f) on the child, in the joint frame on the child, or along the axes of the world.

    The moment is about the origin of that frame. What motors and friction do along a joint's coordinates is not in
    them. A particle has no axes of its own: there they are those of the joint as built. Where constraints are
    redundant, the multipliers are those of least Euclidean norm in SI units.

    in_steps: whether the steps have multipliers; else those at their midpoints are means of both ends.
    """

    def __init__(self, motion: MechanismMotion, *, in_steps: bool = True) -> None:
        self.motion = motion
        self._in_steps = in_steps

    @cached_property
    def _kept(self) -> Mask:
        """Rows of joints that are independent where the run starts, or near by."""
        return regularity(self.motion.linkage, self.motion.configurations[0]).kept

    @cached_property
    def _node_multipliers(self) -> Array:
        """Multipliers at the nodes from the index-1 form, M V̇ + Cᵀλ = f, C V̇ = s̈ - Ċ V."""
        lie, linkage, q = self.motion.lie, self.motion.linkage, self.motion.configurations
        if not len(q):  # part of a record that has no nodes
            return np.zeros((0, len(lie.kinds)))
        V = self.motion.tangent_velocities
        x = lie_state(self.motion.model, lie, self.motion.record.x)
        x[:, lie.layout.read(tuple(lie.kinetic))] = V
        u = self.motion.record.u
        force = lie.flow(x, instant_efforts(lie, x, u), u)[:, lie.layout.act(tuple(lie.kinetic))]
        rows = -linkage.drift(linkage.kinematics.place(q), V)
        for name, row in self.motion.driven.items():
            law = next(part.law for part in linkage.conditions.conditions if part.name == name)
            rows[:, row] += [law.acceleration(t) for t in self.motion.record.t.tolist()] if law is not None else 0.0
        return self._placed(linkage.least(q, linkage.solve(q, force, rows)[1], self._kept))

    def _placed(self, lam: Array) -> Array:
        """Multipliers of joints and conditions at their places in the Lie form, among those of boxes, (N, rows)."""
        lie = self.motion.lie
        first = sum(junction.dim for junction in lie.junctions)
        return np.pad(lam, ((0, 0), (first, len(lie.kinds) - first - lam.shape[1])))

    def at_nodes(self, joint: Joint, *, world: bool = False) -> Array:
        """Wrench (m; f) on the child in the joint frame on the child, or in world axes, at the nodes, (N+1, 6)."""
        if not joint.joint.rows:
            return np.zeros((len(self.motion.record.t), 6))
        x = lie_state(self.motion.model, self.motion.lie, self.motion.record.x)
        return reaction(self.motion.lie, joint, x, self._node_multipliers, world=world)

    def at_midpoints(self, joint: Joint, *, world: bool = False) -> Array:
        """The same from the multipliers of the steps, at their midpoints, (N, 6)."""
        if not joint.joint.rows:
            return np.zeros((self.motion.record.steps, 6))
        return reaction(self.motion.lie, joint, self._middles, self._step_multipliers, world=world)

    def forces_at_nodes(self, condition: AbstractCondition) -> Array:
        """Generalised forces -λ of a condition at the nodes; (N+1,) where it has one row, else (N+1, rows)."""
        return self._forces(condition, self._node_multipliers)

    def forces_at_midpoints(self, condition: AbstractCondition) -> Array:
        """The same from the multipliers of the steps, (N,) or (N, rows)."""
        return self._forces(condition, self._step_multipliers)

    def _forces(self, condition: AbstractCondition, lam: Array) -> Array:
        rows = self.motion.lie.layout.act((condition.name,)) - self.motion.lie.layout.dim
        return -lam[:, rows[0]] if condition.rows == 1 else -lam[:, rows]

    @cached_property
    def _middles(self) -> Array:
        """Means of both ends of all steps, in Lie form."""
        record = self.motion.record
        return lie_state(self.motion.model, self.motion.lie, 0.5 * (record.x_before + record.x[1:]))

    @cached_property
    def _step_multipliers(self) -> Array:
        """Multipliers of joints and conditions at midpoints, in the order of the Lie form, (N, rows)."""
        if not self._in_steps:
            return self._mean_multipliers
        first, lie = self.motion.model.layout.dim, self.motion.lie
        inside = inner_rows(lie)
        at = [self.motion.model.layout.act((p.name,)) - first for p in lie.constraints if p not in inside]
        lam = self.motion.record.w_mid[:, np.concatenate([np.zeros(0, dtype=np.intp), *at])]
        q = [self._middles[:, lie.layout.x[f"{body.name}.q"]] for body in self.motion.linkage.bodies]
        return self._placed(self.motion.linkage.least(np.concatenate(q, axis=-1), lam, self._kept))

    @cached_property
    def _mean_multipliers(self) -> Array:
        """Means of the multipliers at both ends of the steps, from accelerations with the inputs of the step."""
        record, found = self.motion.record, []
        for x, t in (record.x_before, record.t_mid - 0.5 * record.h), (record.x[1:], record.t_mid + 0.5 * record.h):
            ends = dataclasses.replace(record, x=x, t=t, u=record.u_mid)
            motion = self.motion.over(ends)
            found.append(Reactions(motion)._node_multipliers)
        return np.asarray(0.5 * (found[0] + found[1]))


def reaction(lie: Model, joint: Joint, x: Array, lam: Array, *, world: bool = False) -> Array:
    """Wrench (m; f) of a joint's multipliers on its child in the joint frame there, (..., 6); x: of the Lie form.

    world: in world axes, about the same point. It is -Cᵀλ on the child; on the ground, minus that on the parent.
    """
    part = next(part for part in lie.constraints if part.name == joint.name)
    rows = lie.layout.act((part.name,)) - lie.layout.dim
    q = lie.local(part, x)[0]
    pull = -apply(transpose(part.C(q)), lam[..., rows])
    for name in joint.sum_names:
        own = next(part for part in lie.constraints if part.name == name)
        rows = lie.layout.act((name,)) - lie.layout.dim
        pull = pull - apply(transpose(own.C(lie.local(own, x)[0])), lam[..., rows])
    return wrench_on_child(joint, q, pull, world=world)
