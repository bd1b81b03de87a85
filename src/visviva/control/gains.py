"""Control parameters: desired inertia, damping and stiffness of the errors of a pair of frames, or of a coordinate.

Each is a 4×4 moment matrix P' = Σ p_i [h_i; 1][h_i; 1]ᵀ of weighted points of the second frame (Konz 3.91, 4.12 with
its off-diagonal blocks exchanged), and stands for the 6×6 matrix

    P = Vee(P') = [[Π, k ĥ], [k ĥᵀ, k I]]        on twists (ω; v); the dissertation has (v; ω).

What has to be positive semidefinite is P, that is k ≥ 0 and the moment about the centre, Π - k ĥ ĥᵀ ⪰ 0, not P':
matched controllers of aircraft (Υ_x = Υ_y = 0 < Υ_z) and all planar ones have indefinite P'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.geometry.hat import skew
from visviva.geometry.moments import body_moments, matrix_of_moments

SIGN_RTOL = 1e-10  # of the largest eigenvalue: a negative one below it is rounding
ABOUT = ("origin", "centre")
NAMES = {"mass": "desired inertia", "damping": "damping", "stiffness": "stiffness"}


@helpful
def moments(k: float, h: ArrayLike = (0, 0, 0), Pi: ArrayLike = 0.0, *, about: str = "origin") -> Array:
    """Moment matrix P' (4, 4) of a total k with the centre h [m] and the moment Π; Konz (3.91).

    Pi:    Σ p_i ĥ_i ĥ_iᵀ: a number for all axes, three numbers, or (3, 3).
    about: "origin": Π is about the origin of the frame, as in sections 4.1 to 4.7; "centre": about h, as in 4.8.2 to
           4.8.4, Π_origin = Π + k ĥ ĥᵀ.
    """
    total = finite_number(k, "total k of the moments")
    centre = finite_vector(h, "centre h of the moments", 3)
    if about not in ABOUT:
        raise ModelError(f"moments are about the frame's 'origin' or about their own 'centre', got about={about!r}.")
    return body_moments(total, centre, _tensor(Pi) + (about == "centre") * total * skew(centre) @ skew(centre).T)


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Gains:
    """Moment matrices of desired inertia, damping and stiffness, each (4, 4); of a coordinate the last entry alone."""

    mass: Array
    damping: Array
    stiffness: Array

    @property
    def matrices(self) -> tuple[Array, Array, Array]:
        """M̄, D̄, K̄ (6, 6) on twists (ω; v)."""
        return matrix_of_moments(self.mass), matrix_of_moments(self.damping), matrix_of_moments(self.stiffness)

    @property
    def scalars(self) -> tuple[float, float, float]:
        """The last entries: gains of a coordinate."""
        return float(self.mass[3, 3]), float(self.damping[3, 3]), float(self.stiffness[3, 3])

    @property
    def is_scalar(self) -> bool:
        """Whether there is nothing but totals at the origin."""
        return not any(np.abs(P - P[3, 3] * _LAST).any() for P in (self.mass, self.damping, self.stiffness))

    @property
    def point(self) -> Array | None:
        """h (3,) where all three are those of one point h, P' = k [h; 1][h; 1]ᵀ; None else."""
        h = None if not self.stiffness[3, 3] else self.stiffness[:3, 3] / self.stiffness[3, 3]
        if h is None:
            return None
        one = np.append(h, 1.0)
        off = [np.abs(P - P[3, 3] * np.outer(one, one)).max() for P in (self.mass, self.damping, self.stiffness)]
        size = max(float(np.abs(P).max()) for P in (self.mass, self.damping, self.stiffness))
        return h if max(off) <= SIGN_RTOL * size else None

    def __repr__(self) -> str:
        if self.is_scalar:
            return "gains(mass={:g}, damping={:g}, stiffness={:g})".format(*self.scalars)
        rows = [f"{name}: k = {P[3, 3]:g}, k h = {P[:3, 3]}" for name, P in vars(self).items()]
        return f"gains({'; '.join(rows)})"


_LAST = np.diag([0.0, 0.0, 0.0, 1.0])


@helpful
def gains(mass: Any = 1.0, damping: Any = 0.0, stiffness: Any = 0.0, *, indefinite: bool = False) -> Gains:
    """Parameters of the error of a pair of frames, or of a coordinate of a joint.

    Each: a number k, that of a point at the frame's origin (the only one for a coordinate: [kg, N s/m, N/m] where it
    slides, [kg m², N m s, N m] where it turns); (k, h, Π) with Π about the frame's origin; or a moment matrix (4, 4),
    such as `moments(k, h, Pi, about="centre")` makes.

    indefinite: let single ones be indefinite, as matched ones of several pairs may be: their sum decides.
    """
    found = {}
    for name, given in (("mass", mass), ("damping", damping), ("stiffness", stiffness)):
        found[name] = _moment_matrix(name, given)
        if not indefinite:
            _check_sign(name, found[name])
    return Gains(**found)


def point_gains(h: ArrayLike, *, mass: float, damping: float, stiffness: float) -> Gains:
    """Gains of one point h [m] of the second frame, P' = k [h; 1][h; 1]ᵀ: a tool whose direction does not matter."""
    one = np.append(finite_vector(h, "point of the gains", 3), 1.0)
    return gains(*(k * np.outer(one, one) for k in (mass, damping, stiffness)))


def _tensor(Pi: ArrayLike) -> Array:
    given = finite_array(Pi, "moment Pi")
    if given.shape not in ((), (3,), (3, 3)):
        raise ModelError(f"a moment Pi is a number, three numbers or a matrix (3, 3), got shape {given.shape}.")
    return given if given.ndim == 2 else np.diag(given * np.ones(3))


def _moment_matrix(name: str, given: Any) -> Array:
    what = f"{name} of the gains"
    if isinstance(given, tuple) and len(given) == 3 and np.shape(given[0]) == ():
        return frozen(moments(*given))
    array = finite_array(given, what)
    if array.shape == ():
        return frozen(float(array) * _LAST)
    if array.shape != (4, 4):
        raise ModelError(
            f"{what} has shape {array.shape}: give a number k, (k, h, Pi), or a moment matrix (4, 4) as "
            "vv.control.moments makes it.\nA 6×6 matrix on twists has one too: vv.geometry.moments.moments_of_matrix."
        )
    if np.abs(array - array.T).max() > SIGN_RTOL * np.abs(array).max():
        raise ModelError(f"{what} is not symmetric:\n{array}.\nMoment matrices are sums of p [h; 1][h; 1]ᵀ.")
    return frozen((array + array.T) / 2)


def _check_sign(name: str, P: Array) -> None:
    """Vee(P') ⪰ 0."""
    eigenvalues = np.linalg.eigvalsh(matrix_of_moments(P))
    if eigenvalues[0] >= -SIGN_RTOL * max(np.abs(eigenvalues).max(), 1e-300):
        return
    k = P[3, 3]
    if k < 0:
        found = f"its total is {k:g}"
    elif k == 0:
        found = f"its total is zero and its first moment {P[:3, 3]}, or its moment is indefinite"
    else:
        h = P[:3, 3] / k
        about = np.linalg.eigvalsh(matrix_of_moments(P)[:3, :3] - k * skew(h) @ skew(h).T)
        found = f"its moment about its centre {h.round(6)} has the eigenvalue {about[0]:.3g}"
    raise ModelError(
        f"the {NAMES[name]} of the gains is indefinite: {found}.\nIt must be k ≥ 0 with Π ⪰ k ĥ ĥᵀ about the frame's "
        'origin; where Π is meant about the centre h, say vv.control.moments(k, h, Pi, about="centre").\n'
        "Single pairs of a matched controller may be indefinite: gains(..., indefinite=True)."
    )
