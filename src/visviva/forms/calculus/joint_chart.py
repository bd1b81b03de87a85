"""Coordinates of any joint of the library, by the one definition of it: the chain of its motions."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.forms.calculus.charts import AbstractChart, Matrix, Quaternion
from visviva.forms.calculus.maps import Polynomial
from visviva.geometry.se3 import SE3
from visviva.library.joints import AbstractJoint, AbstractMotion, Angle, Ball, Flight, along
from visviva.numerics.rank import counted, singular_values


@final
class JointChart(AbstractChart):
    """The coordinates q of a joint, with their rates as velocities; its ball, if it has one, by a rotation.

    With the motions X = X_1 ... X_n of its chain, each with a constant twist s_k of its own,

        V = Σ S_k ξ_k,   S_k = Ad((X_k+1 ... X_n)⁻¹) s_k,   bias = Σ -ad(Σ_j>k S_j ξ_j) S_k ξ_k.

    A ball, for which the joint has a rotation vector that is a chart only, is by quaternion or matrix, in body
    velocities ω, behind all other coordinates, and turns over as often as it likes.

    Limits:  where S(q) loses rank, coordinates without a name end, those of a rod that has turned far; an error.
    """

    def __init__(self, joint: AbstractJoint, rotation: Matrix | Quaternion) -> None:
        balls = [motion for motion in joint.chain if isinstance(motion, Ball)]
        if len(balls) > 1 or any(isinstance(motion, Flight) for motion in joint.chain):
            raise ModelError(
                f"a {joint.kind} joint has no coordinates of its own: its chain flies, or has several balls.\n"
                "Give the body coordinates.free(...), and close a Loop with the joint."
            )
        self.joint, self.ball, self.rotation = joint, bool(balls), rotation
        self.k = joint.nv - 3 * self.ball  # number of scalar coordinates
        own = {motion.coordinates.start for motion in joint.chain if _is_scalar(motion)}
        self.place = {at: i for i, at in enumerate(sorted(own))}  # among the scalars, by their numbers in the joint
        names = _suffixes(joint)
        names = tuple(names[at] for at in self.place)
        self.coordinates = (*names, *(rotation.coordinates if self.ball else ()))
        self.velocities = (*(f"{name}_rate" for name in names), *(rotation.velocities if self.ball else ()))
        self.q0 = np.concatenate([np.zeros(self.k), rotation.q0 if self.ball else np.zeros(0)])
        self.A, self.phi = self._kinematics()
        self.sizes = np.linalg.norm(self._own(self._columns(self.q0)), axis=0)

    def _kinematics(self) -> tuple[Polynomial, Polynomial]:
        k, nu, rotation = self.k, len(self.q0), self.rotation
        a, b = np.zeros((nu, self.joint.nv)), np.zeros((nu, self.joint.nv, nu))
        a[:k, :k] = np.eye(k)
        if not self.ball:
            return Polynomial(nu, a), Polynomial(nu, np.zeros(0))
        b[k:, k:, k:] = rotation.A.slope(rotation.q0)
        bent = np.zeros((len(rotation.phi.a), nu, nu))
        bent[:, k:, k:] = rotation.phi.bend(rotation.q0)
        return Polynomial(nu, a, b), Polynomial(nu, rotation.phi.a, np.zeros((len(bent), nu)), bent)

    def pose(self, q: Array) -> Array:  # noqa: D102
        X = np.eye(4)
        for motion in self.joint.chain:
            X = X @ self._motion(motion, q)
        return X

    def twists(self, q: Array) -> Array:  # noqa: D102
        S = self._columns(q)
        if self.k > len(self.joint.coordinates) and counted(singular_values(self._own(S) / self.sizes)) < self.k:
            at = ", ".join(f"{value:g}" for value in q[: self.k])
            raise AssemblyError(
                f"coordinates of a {self.joint.kind} joint end at ({at}): they are a chart, in which it cannot go on.\n"
                "Build it nearer to where it moves, or give the body coordinates of its own and close a Loop with it."
            )
        return S

    def bias(self, q: Array, xi: Array) -> Array:  # noqa: D102
        bias, after = np.zeros(6), np.zeros(6)  # after: twist of the motions behind, in the child
        for at, S in self._twists(q):
            V = S @ xi[at]
            bias = bias - SE3.ad(after) @ V
            after = after + V
        return bias

    def advance(self, q: Array, delta: Array) -> Array:
        """Scalars q + δ, and the rotation by exp(δ)."""
        base = q[: self.k] + delta[: self.k]
        return np.concatenate([base, self.rotation.advance(q[self.k :], delta[self.k :])]) if self.ball else base

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        if not self.ball:
            return xi
        return np.concatenate([xi[: self.k], self.rotation.inverse_tangent(delta[self.k :], xi[self.k :])])

    def restoring(self, q: Array) -> Array:  # noqa: D102
        still = np.zeros(self.k)
        return np.concatenate([still, self.rotation.restoring(q[self.k :])]) if self.ball else still

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return np.concatenate([q[: self.k], self.rotation.nearest(q[self.k :])]) if self.ball else q

    def columns(self, motion: AbstractMotion) -> slice:
        """The velocities of a motion of the chain."""
        if isinstance(motion, Ball):
            return slice(self.k, self.k + 3)
        at = self.place[motion.coordinates.start] if _is_scalar(motion) else 0
        return slice(at, at + motion.coordinates.stop - motion.coordinates.start)

    def own_twist(self, motion: AbstractMotion) -> Array:
        """s of a motion, constant in its own velocities, (6, n)."""
        return np.eye(6)[:, :3] if isinstance(motion, Ball) else motion.twist(np.zeros(self.joint.nv))

    def _twists(self, q: Array) -> list[tuple[slice, Array]]:
        """Velocities and S_k of all motions, from the last to the first."""
        found, back = [], SE3.identity()
        for motion in reversed(self.joint.chain):
            found.append((self.columns(motion), back.Ad() @ self.own_twist(motion)))
            X = self._motion(motion, q)
            back = back @ SE3(X[:3, :3], X[:3, 3]).inverse()
        return found

    def _columns(self, q: Array) -> Array:
        S = np.zeros((6, self.joint.nv))
        for at, part in self._twists(q):
            S[:, at] += part
        return S

    def _motion(self, motion: AbstractMotion, q: Array) -> Array:
        """X_k, (4, 4)."""
        if isinstance(motion, Ball):
            return self.rotation.pose(q[self.k :])
        full = np.zeros(self.joint.nv)
        full[list(self.place)] = q[: self.k]
        return motion.pose(full).matrix

    def _own(self, S: Array) -> Array:
        """What of the scalars' S a ball at the end of the chain cannot do as well."""
        last = self.ball and isinstance(self.joint.chain[-1], Ball)
        return S[3:, : self.k] if last else S[:, : self.k]


def _is_scalar(motion: AbstractMotion) -> bool:
    """Whether it has one coordinate."""
    return motion.coordinates.stop - motion.coordinates.start == 1


def _suffixes(joint: AbstractJoint) -> tuple[str, ...]:
    """Of the names of coordinates: none where there is one, else angles and axes; numbers where they have no name."""
    if joint.nv == 1:
        return ("",)
    angles = [y for y in joint.coordinates if isinstance(y, Angle)]
    found = []
    for j in range(joint.nv):
        y = joint.coordinates[j] if j < len(joint.coordinates) else None
        if isinstance(y, Angle):
            found.append("_angle" if len(angles) == 1 else f"_angle{angles.index(y) + 1}")
        else:
            found.append(next((f"_r{axis}" for i, axis in enumerate("xyz") if y == along(i)), f"_q{j + 1}"))
    return tuple(found)
