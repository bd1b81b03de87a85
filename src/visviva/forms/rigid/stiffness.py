"""Linear springs between two bodies, however many, as one stiffness with its rest pose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.forms.kinds import of_kind
from visviva.forms.rigid.body_motion import pose_of
from visviva.forms.rigid.moments import Moments
from visviva.forms.springs.abstract import AbstractPoseEnergy
from visviva.forms.springs.constellation import Minimum, minimum_of, springs_with
from visviva.geometry.moments import matrix_of_moments, moment_wrench
from visviva.geometry.se3 import SE3
from visviva.geometry.special_polar import special_polar


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Stiffness(AbstractPoseEnergy):
    """Potential of the pose X of frame b in frame a about its rest pose X_R.

        V = ½ tr((X - X_R) K' (X - X_R)ᵀ) + V_0

    Seventeen numbers, exact for any motion: six of X_R, ten of K', one of V_0. The wrench on b is -f^K with
    f^K = vee2((I - X⁻¹ X_R) K'); that on a its opposite, so springs of (a, b) and of (b, a) are the same thing.

    a, b:    names of frames.
    moments: K', with total stiffness k [N/m], centre of stiffness h and moment of stiffness Π in frame b.
    rest:    X_R, a pose (4, 4) or SE3 at which f^K vanishes; the identity by default.
    V_0:     energy that is left in the springs there [J].

    Source:  Konz, dissertation, (3.61)-(3.72), (3.92c), (3.115), (3.116).
    """

    a: str
    b: str
    moments: Moments
    rest: SE3 = field(default_factory=SE3.identity)
    V_0: float = 0.0

    def __post_init__(self) -> None:
        of_kind(self.moments, Moments, f"moments of the springs between '{self.a}' and '{self.b}'", "Moments")
        finite_number(self.V_0, f"V_0 of the springs between '{self.a}' and '{self.b}'")
        what = f"rest pose of the springs between '{self.a}' and '{self.b}'"
        object.__setattr__(self, "rest", pose_of(self.rest, what))
        if self.a == self.b:
            raise ModelError(f"springs between '{self.b}' and itself never move: give two different frames.")

    @classmethod
    def of_springs(cls, a: str, b: str, k: ArrayLike, p: ArrayLike, h: ArrayLike) -> Self:
        """Any set of springs of stiffness k (N,) from points p (N, 3) of a to points h (N, 3) of b, of no free length.

        With the centres p, h and P_s = Σ k h_p p_pᵀ - k h pᵀ, the special polar decomposition P_sᵀ = R_R Wed(Π_s)
        gives the rest pose, r_R = p - R_R h, and Π = Π_s + k ĥ ĥᵀ.

        Limits:  where Π_s is singular (springs on a line, or less) the rest pose is one of many; V and f^K are exact
                 all the same. K' is in general not Σ k (h; 1)(h; 1)ᵀ, and may be indefinite.

        Source:  Konz (3.63), (3.66)-(3.70).
        """
        what = f"springs between '{a}' and '{b}'"
        k, p, h = _checked(k, p, h, what)
        total = float(k.sum())
        if not total > 0:
            raise ModelError(f"{what}: the sum of stiffnesses must be positive, got {total:g} N/m.")
        p_mean, h_mean = k @ p / total, k @ h / total
        P_s = (k[:, None] * (h - h_mean)).T @ (p - p_mean)
        polar = special_polar(P_s.T)
        second = polar.stretch + total * np.outer(h_mean, h_mean)  # Π' of Π = Π_s + k ĥ ĥᵀ
        matrix = np.block([[second, total * h_mean[:, None]], [total * h_mean[None, :], np.array([[total]])]])
        rest = SE3(polar.R, p_mean - polar.R @ h_mean)
        gaps = h @ rest.R.T + rest.r - p
        return cls(a, b, Moments(matrix), rest, float(k @ (gaps**2).sum(axis=1)) / 2)

    def energy(self, X: SE3) -> float:
        """V at the pose X of b in a."""
        gap = (X.matrix - self.rest.matrix)[:3]
        return float(np.einsum("ij,jk,ik->", gap, self.moments.matrix, gap)) / 2 + self.V_0

    def wrench(self, X: SE3) -> Array:
        """f^K = vee2((I - X⁻¹ X_R) K') (6,): the gradient of V in twists of b relative to a, in frame b."""
        return moment_wrench((np.eye(4) - (X.inverse() @ self.rest).matrix) @ self.moments.matrix)

    def hessian(self, X: SE3) -> Array:
        """Vee(X⁻¹ X_R K') (6, 6): the rate of the wrench is it times the twist; K = Vee K' at the rest pose."""
        return matrix_of_moments((X.inverse() @ self.rest).matrix @ self.moments.matrix)

    @property
    def centre(self) -> Array:
        """h (3,), the centre of stiffness in frame b: a force on it turns nothing."""
        return self.moments.centre

    def minimum(self) -> Minimum:
        """The lowest energy over all poses, and whether one pose alone has it; an error where there is no lowest."""
        return minimum_of(self.moments, self.rest, self.V_0, self._what)

    def springs(self) -> tuple[Array, Array, Array]:
        """k (8,), p (8, 3) of a and h (8, 3) of b: springs of which `of_springs` makes this energy."""
        return springs_with(self.moments, self.rest, self.V_0, self._what)

    def size(self, X: SE3) -> float:
        """Of wrenches, were no part of them cancelled by another: the unit of their rounding."""
        return float(np.linalg.norm(self.moments.matrix) * (1 + np.linalg.norm((X.inverse() @ self.rest).matrix)))

    @property
    def _what(self) -> str:
        return f"springs between '{self.a}' and '{self.b}'"


def _checked(k: ArrayLike, p: ArrayLike, h: ArrayLike, what: str) -> tuple[Array, Array, Array]:
    stiffness = np.atleast_1d(finite_array(k, f"{what}: stiffnesses"))
    ends = [np.atleast_2d(finite_array(end, f"{what}: points", (3,))) for end in (p, h)]
    if any(end.shape != (len(stiffness), 3) for end in ends):
        raise ModelError(
            f"{what}: there are {len(stiffness)} stiffnesses, points of shape {ends[0].shape} on the first frame\n"
            f"and {ends[1].shape} on the second. Each spring has one of each."
        )
    if (stiffness < 0).any():
        raise ModelError(f"{what}: stiffnesses must not be negative, got {stiffness.min():g} N/m.")
    return stiffness, ends[0], ends[1]
