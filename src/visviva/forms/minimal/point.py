"""A mechanism at one state of its minimal form: Jacobians, inertia and forces, each computed once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.kane.matrices import KaneMatrices, kane_matrices
from visviva.forms.minimal.point_unknowns import PointUnknowns
from visviva.forms.minimal.tree_motion import TreeMotion, tree_motion
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply
from visviva.mechanism.coordinates import POSES
from visviva.model.driven import row_inputs
from visviva.numerics.rank import velocity_units

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm, Solved


@final
class Point:
    """State (q, ξ, s), or many of them with leading axes.

    The velocities of the bodies in the Model's Lie form, spin in principal axes and velocity of the centre of mass in
    world axes, are V = S(q) ξ; V̇ = S ξ̇ + Ṡ ξ.
    """

    def __init__(self, form: MinimalForm, q: Array, xi: Array, s: Array) -> None:
        self.form, self.q, self.xi, self.s = form, q, xi, s
        self._unknowns: tuple[bytes, PointUnknowns] | None = None

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
        """Mass matrix SᵀM_b S, (n, n), with what boxes tie to joints; Konz (3.108)."""
        inner = self.form.inner
        if inner is None or not inner.tied:
            return self.body_M
        return self.body_M + self.S.T @ self.unknowns(np.zeros(len(self.form.inputs.base))).inertia @ self.S

    @cached_property
    def body_M(self) -> Array:
        """SᵀM_b S of the bodies alone, (n, n)."""
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

    def unknowns(self, u: Array) -> PointUnknowns:
        """Those of boxes, at one state; the last ones are kept."""
        assert self.form.inner is not None
        key = u.tobytes()
        if self._unknowns is None or self._unknowns[0] != key:
            self._unknowns = key, PointUnknowns(self.form.inner, self, u)
        return self._unknowns[1]

    def flow(self, u: Array, V_dot: Array | None = None) -> Array:
        """(J - R) z + B u of the Model without multipliers, over all of its variables.

        V_dot: accelerations of the bodies, to which forces of what boxes tie to joints belong; None: without these.
        """
        form = self.form
        if form.inner is None:
            return form.open.flow(self.x, self.z, u)
        if self.q.ndim > 1:
            u = np.broadcast_to(u, (len(self.q), u.shape[-1]))
            return np.array([
                one.flow(u[k], None if V_dot is None else V_dot[k]) for k, one in enumerate(self._each)
            ])  # fmt: skip
        found = self.unknowns(u)
        flow = found.flow if V_dot is None else found.tied(V_dot)[1]
        rows = np.zeros(form.open.layout.solved - form.open.layout.dim)
        return np.concatenate([flow[: form.open.layout.dim], rows, flow[form.full.layout.solved :]])

    def all_efforts(self, u: Array, solved: Solved | None = None) -> Array:
        """Efforts of the Model with unknowns of boxes and multipliers: those of a solution, else zero."""
        form = self.form
        if form.inner is None:
            z = np.array(self.z)
        elif self.q.ndim > 1:
            u = np.broadcast_to(u, (len(self.q), u.shape[-1]))
            return np.array([one.all_efforts(u[k]) for k, one in enumerate(self._each)])
        else:
            z = np.array(self.unknowns(u).z if solved is None else self.unknowns(u).tied(solved.V_dot)[0])
        if solved is not None and form.open.kinds:
            z[form.full.layout.act(tuple(part.name for part in form.open.constraints))] = solved.w
        return z

    @cached_property
    def _each(self) -> list[Point]:
        """The states of many, one by one."""
        s = np.broadcast_to(self.s, (len(self.q), self.s.shape[-1]))
        return [Point(self.form, *one) for one in zip(self.q, self.xi, s, strict=True)]

    def force(self, u: Array) -> Array:
        """Generalised force Sᵀf of all that acts but inertia, (n,); what boxes tie to joints without its inertia."""
        inner = self.form.inner
        tied = None if inner is None or not inner.tied else self.S_dot @ self.xi
        return self.S.T @ (self.flow(u, tied)[self.form.at_z] + self.gyroscopic)

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
