"""A mechanism at one state of its minimal form: Jacobians, inertia and forces, each computed once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.kane.matrices import KaneMatrices, kane_matrices
from visviva.forms.minimal.tree_motion import TreeMotion, tree_motion
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply
from visviva.mechanism.coordinates import POSES
from visviva.model.driven import row_inputs
from visviva.numerics.rank import velocity_units

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm


@final
class Point:
    """State (q, ξ, s), or many of them with leading axes.

    The velocities of the bodies in the Model's Lie form, spin in principal axes and velocity of the centre of mass in
    world axes, are V = S(q) ξ; V̇ = S ξ̇ + Ṡ ξ.
    """

    def __init__(self, form: MinimalForm, q: Array, xi: Array, s: Array) -> None:
        self.form, self.q, self.xi, self.s = form, q, xi, s

    @cached_property
    def tree(self) -> TreeMotion:
        """Its links."""
        return tree_motion(self.form.spanning, self.q, self.xi)

    @cached_property
    def _bodies(self) -> tuple[Array, Array, Array, Array]:
        """Per body R_WC (..., b, 3, 3), centre of mass (..., b, 3), angular and linear rows (..., b, 6, n), rates."""
        form, tree, k = self.form, self.tree, self.form.link
        R = tree.R[..., k, :, :] @ form.R_LC
        arm = apply(tree.R[..., k, :, :], form.arm)
        Jw, Jw_dot = tree.Jw[..., k, :, :], tree.Jw_dot[..., k, :, :]
        w = apply(Jw, self.xi[..., None, :])
        arm_hat, arm_rate = skew(arm), skew(np.cross(w, arm))
        Rt = np.swapaxes(R, -1, -2)
        S = np.concatenate([Rt @ Jw, tree.Jv[..., k, :, :] - arm_hat @ Jw], axis=-2)
        linear = tree.Jv_dot[..., k, :, :] - arm_hat @ Jw_dot - arm_rate @ Jw
        S_dot = np.concatenate([Rt @ (Jw_dot - skew(w) @ Jw), linear], axis=-2)
        return R, tree.r[..., k, :] + arm, S, S_dot

    @cached_property
    def S(self) -> Array:
        """V = S ξ, (..., m, n)."""
        return self._rows(self._bodies[2])

    @cached_property
    def S_dot(self) -> Array:
        """Ṡ along the motion, (..., m, n)."""
        return self._rows(self._bodies[3])

    def _rows(self, part: Array) -> Array:
        n, moving = self.form.n, self.form.moving
        rows = part.reshape(*part.shape[:-3], 6 * part.shape[-3], n)
        return rows if len(moving) == rows.shape[-2] else rows[..., moving, :]

    @cached_property
    def V(self) -> Array:
        """Velocities of all bodies, (..., m)."""
        return apply(self.S, self.xi)

    @cached_property
    def x(self) -> Array:
        """The state of the Model."""
        R, r, _, _ = self._bodies
        if self.form.rigid.all():
            poses = POSES.point(R, r).reshape(*r.shape[:-2], -1)
        else:
            rigid = enumerate(self.form.rigid)
            each = [POSES.point(R[..., k, :, :], r[..., k, :]) if turns else r[..., k, :] for k, turns in rigid]
            poses = np.concatenate(each, axis=-1)
        return self.form.states.x(self.q, poses, self.V, self.s)

    @cached_property
    def z(self) -> Array:
        """Efforts of the Model without the constraints of the tree, multipliers zero."""
        return self.form.open.z(self.x)

    # -- inertia ------------------------------------------------------------------------------------------------

    @cached_property
    def M(self) -> Array:
        """Mass matrix SᵀM_b S, (n, n); Konz (3.108)."""
        return self.S.T @ (self.form.masses[:, None] * self.S)

    @cached_property
    def gyroscopic(self) -> Array:
        """Moments ω x Jω of all bodies, over their velocities, (m,)."""
        return self.form.gyroscopic(self.V)

    @cached_property
    def kane(self) -> KaneMatrices:
        """A, D, p and the gyration force Dᵀξ of Kane's equations, from the twists of the bodies in body axes."""
        R, _, S, S_dot = self._bodies
        turns = self.form.rigid[:, None, None]  # particles do not turn: their axes are those of the world
        R, angular, angular_dot = np.where(turns, R, np.eye(3)), turns * S[:, :3], turns * S_dot[:, :3]
        Rt, w = np.swapaxes(R, -1, -2), (R @ (angular @ self.xi)[..., None])[..., 0]
        linear, linear_dot = Rt @ S[:, 3:], Rt @ (S_dot[:, 3:] - skew(w) @ S[:, 3:])
        S, S_dot = np.concatenate([angular, linear], axis=1), np.concatenate([angular_dot, linear_dot], axis=1)
        return kane_matrices(S, S_dot, S @ self.xi, self.form.inertias)

    # -- forces and constraints ---------------------------------------------------------------------------------

    def flow(self, u: Array) -> Array:
        """(J - R) z + B u of the Model without multipliers, over all of its variables."""
        return self.form.open.flow(self.x, self.z, u)

    def force(self, u: Array) -> Array:
        """Generalised force Sᵀf of all that acts but inertia, (n,)."""
        return self.S.T @ (self.flow(u)[self.form.at_z] + self.gyroscopic)

    @cached_property
    def C(self) -> Array:
        """Rows over the velocities of the bodies that the tree does not hold, (..., k, m)."""
        model = self.form.open
        first = model.layout.dim
        C = np.zeros((*self.q.shape[:-1], len(model.kinds), first))
        for part in model.constraints:
            rows, (q, _) = model.layout.z[part.name], model.local(part, self.x)
            C[..., np.arange(rows.start - first, rows.stop - first)[:, None], model.acts(part)] = part.C(q)
        return C[..., self.form.at_z]

    @cached_property
    def Z(self) -> Array:
        """The same rows over ξ, (..., k, n)."""
        return self.C @ self.S

    @cached_property
    def velocity_units(self) -> Array:
        """Units of ξ in which the inertia of each velocity is one, (..., n)."""
        return velocity_units(np.diagonal(self.M, axis1=-2, axis2=-1), sizes=self.form.lengths)

    @cached_property
    def row_terms(self) -> Array:
        """Sizes of the terms of each entry of Z, (k, n), whatever the direction of turns and shifts of the bodies."""
        k, n, parts = len(self.C), self.form.n, 2 * len(self.form.rigid)
        blocks, columns = np.zeros((k, 3 * parts)), np.zeros((3 * parts, n))
        blocks[:, self.form.moving], columns[self.form.moving] = self.C, self.S
        arms = np.linalg.norm(columns.reshape(parts, 3, n), axis=1)
        return np.asarray(np.linalg.norm(blocks.reshape(k, parts, 3), axis=2) @ arms)

    def row_rates(self, u_dot: Array) -> Array:
        """What Z ξ̇ must be, (k,): -(Ċ V + C Ṡ ξ) and the second derivatives of what is driven."""
        model = self.form.open
        bias = [part.bias(*model.local(part, self.x, self.z)) for part in model.constraints]
        total = np.concatenate([np.zeros(0), *bias]) + self.C @ (self.S_dot @ self.xi)
        return -total - row_inputs(model, self.x, u_dot)
