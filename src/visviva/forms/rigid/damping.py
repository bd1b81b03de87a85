"""Viscous friction of a body in a fluid that is carried by another frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import ModelError
from visviva.forms.kinds import of_kind
from visviva.forms.rigid.moments import Moments, smallest_eigenvalue
from visviva.geometry.se3 import SE3

Stream = Callable[[float, SE3], Array]  # time and pose X_ab -> wrench (m; f) of the fluid's own motion on b, in b


@final
@dataclass(frozen=True, eq=False)
class RigidStream:
    """The wrench D Ad(X_ab)⁻¹ V_F of a fluid with the twist V_F = (ω; v) in a, numbers or a function of time."""

    D: Array  # (6, 6)
    twist: Array | Callable[[float], ArrayLike]
    what: str

    def __call__(self, t: float, X_ab: SE3) -> Array:
        """The wrench on b."""
        V_F = finite_vector(self.twist(t), self.what, 6) if callable(self.twist) else self.twist
        wrench: Array = self.D @ (X_ab.inverse().Ad() @ V_F)
        return wrench


@final
@dataclass(frozen=True, eq=False)
class PointStream:
    """The wrench Σ d_p (ĥ_p; I) R_abᵀ v(t, r_p) of a fluid with the velocities v at the points h_p of b."""

    d: Array  # (N,)
    h: Array  # (N, 3)
    velocity: Callable[[float, Array], ArrayLike]
    what: str

    def __call__(self, t: float, X_ab: SE3) -> Array:
        """The wrench on b."""
        v = finite_array(self.velocity(t, self.h @ X_ab.R.T + X_ab.r), self.what)
        if v.shape != self.h.shape:
            raise ModelError(f"{self.what} must have shape {self.h.shape}, got {v.shape}.")
        forces = self.d[:, None] * (v @ X_ab.R)
        return np.concatenate([np.cross(self.h, forces).sum(axis=0), forces.sum(axis=0)])


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Damping:
    """Drag d_p on the points h_p of body b, in a fluid at rest in frame a: the wrench -D V_ab on b, the opposite on a.

        R = ½ V_abᵀ D V_ab,   D = Vee D' ⪰ 0

    The pair is ordered: the drag belongs to points of b, hence (a, b) and (b, a) differ, unlike for springs.
    A fluid that moves relative to a adds the wrench `stream(t, X_ab)`, see `in_stream` and `of_points`.

    a, b:    names of frames; moments of the drag coefficients [N s/m] in frame b.

    Source:  Konz, dissertation, 3.3.5, (3.75), (3.117).
    """

    a: str
    b: str
    moments: Moments
    stream: Stream | None = None

    def __post_init__(self) -> None:
        of_kind(self.moments, Moments, f"moments of the damping of '{self.b}'", "Moments")
        lowest = smallest_eigenvalue(self.moments.spatial())
        if lowest < 0:
            raise ModelError(
                f"damping of '{self.b}' against '{self.a}' is indefinite: D has the eigenvalue {lowest:.3g}.\n"
                "Friction takes energy out of every motion. Check signs, and that the moment about the origin\n"
                "of the frame contains that of the centre, Υ ⪰ d (|l|² I - l lᵀ)."
            )
        if self.a == self.b:
            raise ModelError(f"damping of '{self.b}' against itself has no effect: give two different frames.")

    @classmethod
    def in_stream(cls, a: str, b: str, moments: Moments, twist: ArrayLike | Callable[[float], ArrayLike]) -> Self:
        """In a fluid that moves like a rigid body relative to a: D V_E with V_E = V_ab - Ad(X_ab)⁻¹ V_F.

        twist: V_F = (ω; v) of the fluid relative to a, at the origin and in the axes of a; or a function of time.

        Source:  Konz (3.75), (3.76). With a fluid frame R of pose X_aR and body twist V_R, V_F = Ad(X_aR) V_R.
        """
        what = f"twist of the fluid about '{b}'"
        V_F = twist if callable(twist) else finite_vector(twist, what, 6)
        return cls(a, b, moments, RigidStream(moments.spatial(), V_F, what))

    @classmethod
    def of_points(
        cls,
        a: str,
        b: str,
        d: ArrayLike,
        h: ArrayLike,
        velocity: Callable[[float, Array], ArrayLike] | None = None,
    ) -> Self:
        """Drag coefficients d (N,) at points h (N, 3) of b, in a fluid of any velocity field relative to a.

        velocity: (t, r) -> (N, 3), of the fluid at the places r (N, 3), both in coordinates of a; zero by default.

            f^D = D V - Σ d_p (ĥ_p; I) R_abᵀ v_p

        Source:  Konz (3.74), whose angular part has the wrong sign in print.
        """
        moments = Moments.from_points(d, h)
        if velocity is None:
            return cls(a, b, moments)
        points, drag = np.atleast_2d(np.array(h, float)), np.atleast_1d(np.array(d, float))
        return cls(a, b, moments, PointStream(drag, points, velocity, f"velocity of the fluid at the points of '{b}'"))
