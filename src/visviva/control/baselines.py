"""Laws to compare with, as templates of their own: computed torque, PD laws, operational space.

With e = q - q_R along the velocities and v_E = v - v_R,

    computed torque             v̇ = a_R - D v_E - K e                                  M̄ = I            Konz (4.40)
    augmented PD                M(v̇ - a_R) + C v_E + D v_E + K e = 0                   M̄ = M            Konz (4.38)
    PD with gravity             M v̇ + c + passive + D v_E + K e = 0: u compensates weights alone; a_R is not used
    compensation
    operational space           J v̇ + J̇ v = ẍ_R - D ẋ_E - K x_E of a tool, dynamically consistent, all else damped

The joints' gains are numbers per velocity; a pair's are those of the tool's error in axes of the world (Khatib 1987).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.control.gains import Gains
from visviva.control.pair_template import AbstractTemplate, TemplatePoint
from visviva.control.templates import EnergyRate, Template
from visviva.errors import ModelError
from visviva.forms.dynamics.entries import find
from visviva.forms.dynamics.handle import Dynamics
from visviva.geometry import SO3
from visviva.mechanism.names import unknown_name

BASELINES = ("computed torque", "augmented PD", "PD with gravity compensation", "operational space")


def baseline(d: Dynamics, gains: Any, approach: str) -> AbstractTemplate:
    """The template of a baseline, its gains checked."""
    if not isinstance(gains, Mapping) or not gains:
        raise ModelError(
            f"gains of {approach!r} are given by name, e.g. {{'hinge': vv.control.gains(...)}}; got {gains!r}."
        )
    for key, own in gains.items():
        if not isinstance(own, Gains):
            raise ModelError(f"gains of {key!r} are made by vv.control.gains(mass=..., damping=..., stiffness=...).")
    if approach == "operational space":
        return OperationalSpace(d, gains)
    return JointTemplate(d, _by_velocity(d, gains), approach)


@final
class JointTemplate:
    """A law on errors of coordinates; D, K: per velocity."""

    def __init__(self, d: Dynamics, gains: tuple[Array, Array, Array], approach: str) -> None:
        self.d, self.title = d, approach
        self.m, self.damping, self.stiffness = gains

    def lines(self) -> list[str]:
        """Gains of each velocity."""
        own = zip(self.d.names, self.m, self.damping, self.stiffness, strict=True)
        return [f"{name}: inertia {m:.6g}, damping {c:.6g}, stiffness {k:.6g}" for name, m, c, k in own]

    def at(self, q: Array, v: Array, q_R: Array, v_R: Array, a_R: Array) -> TemplatePoint:
        """M̄, b̄ and ½ v_Eᵀ M̄ v_E + ½ eᵀ K e."""
        d, e, v_E = self.d, self.d.difference(q_R, q), v - v_R
        f_D, f_K = self.damping * v_E, self.stiffness * e
        C = np.zeros((d.nv, d.nv))
        if self.title == "computed torque":
            M, c = np.diag(self.m), -self.m * a_R
        else:
            M = d.mass_matrix(q)
            C = d.coriolis_matrix(q, v)
            c = C @ v_E - M @ a_R if self.title == "augmented PD" else d.coriolis(q, v) + d.passive(q, v)
        V, T = float(e @ f_K) / 2, float(v_E @ M @ v_E) / 2
        found = Template(M, np.diag(self.damping), c, f_D, f_K, V, T, v_E)
        slope = M @ v_E
        drift = float(v_E @ (C @ v_E + f_K) - slope @ a_R)
        return TemplatePoint(found, EnergyRate(slope, drift, float(v_E @ f_D)))

    def linear(self, q_R: Array) -> tuple[Array, Array, Array]:
        """Of small errors; passive forces are not in it."""
        M = np.diag(self.m) if self.title == "computed torque" else self.d.mass_matrix(q_R)
        return M, np.diag(self.damping), np.diag(self.stiffness)


@final
class OperationalSpace:
    """A law on the pose of one frame, M̄ = M."""

    def __init__(self, d: Dynamics, gains: Mapping[Any, Gains]) -> None:
        keys = [key for key in gains if isinstance(key, tuple)]
        if len(keys) != 1 or len(keys[0]) != 2 or str(getattr(keys[0][0], "name", keys[0][0])) != "ground":
            raise ModelError("operational space has one pair ('ground', tool), and joints for what it leaves free.")
        self.d, self.title = d, "operational space"
        self.tool = str(getattr(keys[0][1], "name", keys[0][1]))
        if self.tool not in d.frames:
            raise unknown_name(self.tool, d.frames, f"mechanism {d.name!r} with its frames, bodies and particles")
        own = gains[keys[0]]
        self.point = own.is_scalar
        m, c, k = own.scalars
        self.kd, self.kp = c / m, k / m
        rest = {key: one for key, one in gains.items() if not isinstance(key, tuple)}
        self.rest = _by_velocity(d, rest, partly=True)

    def lines(self) -> list[str]:
        """Of the tool."""
        what = "position" if self.point else "pose"
        return [f"{what} of {self.tool}: damping {self.kd:.6g}, stiffness {self.kp:.6g} per unit of inertia"]

    def at(self, q: Array, v: Array, q_R: Array, v_R: Array, a_R: Array) -> TemplatePoint:
        """M̄ = M and b̄ = -M a of the accelerations a that the tool wants, others damped."""
        d, rows = self.d, slice(3, 6) if self.point else slice(0, 6)
        M = d.mass_matrix(q)
        J, J_R = d.jacobian(self.tool, q)[rows], d.jacobian(self.tool, q_R)[rows]
        X, X_R = d.pose(self.tool, q), d.pose(self.tool, q_R)
        e = np.concatenate([SO3(X.R @ X_R.R.T).log(), X.r - X_R.r])[rows]
        e_dot = J @ v - J_R @ v_R
        wanted_R = J_R @ a_R + d.bias_acceleration(self.tool, q_R, v_R)[rows]
        wanted = wanted_R - self.kd * e_dot - self.kp * e
        M_J = np.linalg.solve(M, J.T)
        back = M_J @ np.linalg.pinv(J @ M_J)  # dynamically consistent inverse
        a = back @ (wanted - d.bias_acceleration(self.tool, q, v)[rows])
        _, c, k = self.rest
        null = np.eye(d.nv) - back @ J
        a += null @ (-c * v - k * d.difference(q_R, q))
        V, T = self.kp * float(e @ e) / 2, float(e_dot @ e_dot) / 2
        found = Template(M, np.zeros_like(M), -M @ a, np.zeros(d.nv), np.zeros(d.nv), V, T, v - v_R)
        drift = d.bias_acceleration(self.tool, q, v)[rows] - wanted_R
        lost = self.kd * float(e_dot @ e_dot)
        return TemplatePoint(found, EnergyRate(J.T @ e_dot, float(e_dot @ drift + self.kp * e @ e_dot), lost))

    def linear(self, q_R: Array) -> tuple[Array, Array, Array]:
        """Of small errors."""
        d, rows = self.d, slice(3, 6) if self.point else slice(0, 6)
        M, J = d.mass_matrix(q_R), d.jacobian(self.tool, q_R)[rows]
        M_J = np.linalg.solve(M, J.T)
        back = M_J @ np.linalg.pinv(J @ M_J)
        _, c, k = self.rest
        null = np.eye(d.nv) - back @ J
        return M, M @ (self.kd * back @ J + null * c), M @ (self.kp * back @ J + null * k)


def _by_velocity(d: Dynamics, gains: Mapping[Any, Gains], partly: bool = False) -> tuple[Array, Array, Array]:
    """Numbers per velocity of d, by joint or coordinate."""
    found = np.full((3, d.nv), np.nan)
    places = {name: k for k, name in enumerate(d.names)}
    for key, own in gains.items():
        if isinstance(key, tuple):
            raise ModelError(f"gains of this law are those of joints, not of the pair {key!r}.")
        if not own.is_scalar:
            raise ModelError(f"gains of the joint {key!r} are numbers, not moment matrices.")
        for k in find(d.entries, key, d.form).xi:
            if d.form.xi_names[k] in places:
                found[:, places[d.form.xi_names[k]]] = own.scalars
    missing = [name for name, m in zip(d.names, found[0], strict=True) if np.isnan(m)]
    if missing and not partly:
        raise ModelError(f"there are no gains for {', '.join(missing)}: this law needs those of all velocities.")
    m, c, k = np.nan_to_num(found)
    return m, c, k
