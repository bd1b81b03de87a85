"""Kinematic pairs by the twists they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.structure.dirac import Dirac
from visviva.structure.subspace import range_and_complement

PAIR, ACTUATOR = "pair", "actuator"


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Pair:
    """A kinematic pair: relative twists S θ̇ without friction, and the wrenches reciprocal to them.

    A T = 0,  Sᵀ W = 0   with   A S = 0,   the rows of A a basis of the constraint wrenches.

    The constructor trusts its arrays; `allowing` and `bearing` check them, the functions below give the usual pairs.

    Source: Stramigioli, Maschke and Bidard (31), (32), where T(x) stands for A and W(x) for Sᵀ.
    """

    S: Array  # (6, p) freedom twists
    A: Array  # (6 - p, 6) constraint wrenches, orthonormal rows

    @classmethod
    def allowing(cls, S: ArrayLike, frame: SE3 | None = None) -> Self:
        """The pair with the freedom twists S (6, p), given in a frame with pose X_WJ; default the reference."""
        S = finite_array(S, "the freedom twists S", (6, None))
        if S.ndim != 2:
            raise ModelError(f"the freedom twists S must be one matrix (6, p), got shape {S.shape}.")
        S = S if frame is None else _checked(frame).Ad() @ S
        freedom, constraint = range_and_complement(S)
        if freedom.shape[1] != S.shape[1]:
            raise ModelError(
                f"the {S.shape[1]} freedom twists of the pair have rank {freedom.shape[1]};"
                " give independent columns, one per freedom."
            )
        return cls(S, constraint.T)

    @classmethod
    def bearing(cls, W: ArrayLike, frame: SE3 | None = None) -> Self:
        """The pair with the constraint wrenches W (6, 6 - p), given in a frame with pose X_WJ: the other way round."""
        W = finite_array(W, "the constraint wrenches W", (6, None))
        if W.ndim != 2:
            raise ModelError(f"the constraint wrenches W must be one matrix (6, n), got shape {W.shape}.")
        W = W if frame is None else _checked(frame).inverse().Ad().T @ W
        constraint, freedom = range_and_complement(W)
        if constraint.shape[1] != W.shape[1]:
            raise ModelError(
                f"the {W.shape[1]} constraint wrenches of the pair have rank {constraint.shape[1]};"
                " give independent columns, one per constraint."
            )
        return cls(freedom, constraint.T)

    @property
    def freedom(self) -> int:
        """Number of independent relative motions."""
        return self.S.shape[1]

    def structure(self) -> Dirac:
        """Over the port 'pair' alone, f the relative twist and e the wrench on the pair."""
        A, S = self.A, self.S
        F, E = np.vstack([A, np.zeros_like(S.T)]), np.vstack([np.zeros_like(A), S.T])
        return Dirac.kernel(F, E, {PAIR: 6})

    def actuated(self) -> Dirac:
        """Over 'pair' and 'actuator': T = S θ̇ and Sᵀ W + τ = 0.

        A positive τ drives the body at the tail of the edge, which feels -W, along S. The actuator closed with
        zero effort is the free pair, with zero flow the weld.

        Source: remarks 2 and 3 of Stramigioli, Maschke and Bidard, which leave the equations open.
        """
        p = self.freedom
        if p == 0:
            raise ModelError("a pair without freedom has nothing to actuate; use structure().")
        A, S = self.A, self.S
        F = np.block([[A, np.zeros((6 - p, p))], [np.linalg.pinv(S), -np.eye(p)], [np.zeros((p, 6 + p))]])
        E = np.block([[np.zeros((6, 6 + p))], [S.T, np.eye(p)]])
        return Dirac.kernel(F, E, {PAIR: 6, ACTUATOR: p})


def revolute(frame: SE3 | None = None) -> Pair:
    """Turns about the z axis of the joint frame."""
    return Pair.allowing(_columns("wz"), frame)


def prismatic(frame: SE3 | None = None) -> Pair:
    """Slides along z."""
    return Pair.allowing(_columns("z"), frame)


def helical(pitch: float, frame: SE3 | None = None) -> Pair:
    """Turns about z and advances along it by `pitch` [m/rad]."""
    pitch = finite_number(pitch, "the pitch of the helical pair")
    return Pair.allowing(_columns("wz") + pitch * _columns("z"), frame)


def cylindrical(frame: SE3 | None = None) -> Pair:
    """Turns about z and slides along it."""
    return Pair.allowing(_columns("wz", "z"), frame)


def spherical(frame: SE3 | None = None) -> Pair:
    """Turns about every axis through the origin."""
    return Pair.allowing(_columns("wx", "wy", "wz"), frame)


def planar(frame: SE3 | None = None) -> Pair:
    """Turns about z and slides in the plane normal to it."""
    return Pair.allowing(_columns("wz", "x", "y"), frame)


def universal(parent: SE3, child: SE3) -> Pair:
    """Turns about z of the frame on the parent and x of the frame on the child, which meet in its origin.

    No subgroup: the freedom depends on the configuration, so both frames are given as they stand.
    """
    axes = np.column_stack([parent.R[:, 2], child.R[:, 0]])
    return Pair.allowing(np.vstack([axes, np.cross(child.r, axes, axis=0)]))


def distance(a: ArrayLike, b: ArrayLike) -> Pair:
    """Two points that keep their distance: all it bears is a force along the line between them."""
    a, b = finite_vector(a, "the first point of a distance", 3), finite_vector(b, "the second point of a distance", 3)
    u = b - a
    if not np.abs(u).max() > 0:
        raise ModelError(f"the points of a distance coincide at {tuple(a.tolist())}: use a spherical pair.")
    u = u / np.linalg.norm(u)
    return Pair.bearing(np.concatenate([np.cross(a, u), u])[:, None])


def point_on_plane(frame: SE3 | None = None) -> Pair:
    """The point at the origin slides along x and y, and the body turns about every axis through it."""
    return Pair.allowing(_columns("x", "y", "wx", "wy", "wz"), frame)


def point_on_line(frame: SE3 | None = None) -> Pair:
    """The point at the origin slides along z, and the body turns about every axis through it."""
    return Pair.allowing(_columns("z", "wx", "wy", "wz"), frame)


def fixed() -> Pair:
    """No motion."""
    return Pair.allowing(_columns())


def free() -> Pair:
    """Every motion."""
    return Pair.allowing(_columns("wx", "wy", "wz", "x", "y", "z"))


def _checked(frame: SE3) -> SE3:
    if not isinstance(frame, SE3) or frame.R.shape != (3, 3):
        raise ModelError(f"the frame of a pair is one pose, an SE3, got {frame!r}.")
    return frame


def _columns(*motions: str) -> Array:
    """Unit twists (ω; v) in the joint frame."""
    order = ("wx", "wy", "wz", "x", "y", "z")
    return np.eye(6)[:, [order.index(motion) for motion in motions]]
