"""The inertia of a rigid body as a value: what it weighs, where, and how it resists turning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_vector, frozen
from visviva.errors import ModelError
from visviva.geometry.hat import skew
from visviva.geometry.inertia.consistency import check_inertia
from visviva.geometry.inertia.euler import euler_tensor, inertia_tensor
from visviva.geometry.inertia.principal import principal_axes
from visviva.geometry.inertia.spatial import split_matrix
from visviva.geometry.rotations import checked_rotation


@final
@dataclass(frozen=True, eq=False, init=False, repr=False)  # arrays have no single truth value
class Inertia:
    """Mass, centre of mass and inertia tensor of a rigid body in its body frame B.

    mass: [kg], positive.
    J: (3, 3) about the centre of mass in the axes of B [kg m²], J_xy = -∫xy dm; also three principal moments.
    com: (3,) centre of mass in B [m], the origin of B by default.

    A tensor that no distribution of mass has is refused, see `check_inertia`.
    """

    mass: float
    J: Array
    com: Array

    def __init__(self, mass: float, J: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        checked_mass, tensor = check_inertia(mass, J)
        object.__setattr__(self, "mass", checked_mass)
        object.__setattr__(self, "J", frozen(tensor))
        object.__setattr__(self, "com", frozen(finite_vector(com, "centre of mass", 3)))

    @classmethod
    def from_euler(cls, mass: float, E: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """From the Euler tensor E = ∫ x xᵀ dm about the centre of mass, (3, 3) or its diagonal (3,)."""
        tensor = finite_array(E, "Euler tensor")
        if tensor.shape not in ((3,), (3, 3)):
            raise ModelError(f"Euler tensor must have shape (3,) or (3, 3), got {tensor.shape}.")
        return cls(mass, inertia_tensor(np.diag(tensor) if tensor.ndim == 1 else tensor), com)

    @classmethod
    def from_matrix(cls, M: ArrayLike) -> Self:
        """From the 6×6 matrix about the origin of B for twists (ω; v), the inverse of `matrix()`.

        Limits:  J is what remains of the upper left block without m (|c|² I - c cᵀ): digits that a
                 distant centre of mass has hidden there do not come back.
        """
        return cls(*split_matrix(M))

    def euler(self) -> Array:
        """Euler tensor E = ∫ x xᵀ dm = ½ tr(J) I - J about the centre of mass, (3, 3)."""
        return euler_tensor(self.J)

    def principal(self) -> tuple[Array, Array]:
        """Principal moments (3,) and axes R_BP (3, 3), columns: J = R_BP diag(moments) R_BPᵀ.

        Right-handed and close to the axes of B; the identity, in the given order, when J is diagonal.
        """
        return principal_axes(self.J)

    def matrix(self, about: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Inertia 𝓘 (6, 6) for twists (ω; v) taken at the point `about` of B, in the axes of B.

        With c the way from that point to the centre of mass,

            𝓘 = [ J - m ĉ ĉ    m ĉ ]       T = ½ Vᵀ 𝓘 V,   momentum (m; f) = 𝓘 V
                [   -m ĉ       m I ]

        Source:  Konz, dissertation, eq. (3.51), (3.56), in our order of ω and v.
        """
        c = self.com - finite_vector(about, "reference point", 3)
        mc_hat = self.mass * skew(c)
        J_about = self.J + inertia_tensor(self.mass * np.outer(c, c))
        return np.block([[J_about, mc_hat], [-mc_hat, self.mass * np.eye(3)]])

    def moved(self, rotation: ArrayLike | None = None, at: ArrayLike = (0.0, 0.0, 0.0)) -> Inertia:
        """The same body, described in a frame A in which B has rotation R_AB and stands at r_AB_A.

        c_A = R_AB c_B + r_AB_A,   J_A = R_AB J_B R_ABᵀ,   hence 𝓘_B = Ad(X_AB)ᵀ 𝓘_A Ad(X_AB).

        Source:  the Adᵀ that pulls wrenches, hence momenta, back from A to B: Stramigioli, Maschke and
                 Bidard, sections 2.3.3 and 2.4.1.
        """
        r_AB = finite_vector(at, "position", 3)
        R_AB = np.eye(3) if rotation is None else checked_rotation(rotation, "rotation", 3)
        return Inertia(self.mass, R_AB @ self.J @ R_AB.T, R_AB @ self.com + r_AB)

    def kinetic_energy(self, V: ArrayLike) -> float:
        """T = ½ Vᵀ 𝓘 V = ½ m |v + ω × c|² + ½ ωᵀ J ω [J] of the twist V = (ω; v) at the origin of B."""
        w, v = np.split(finite_vector(V, "twist", 6), 2)
        v_com = v + np.cross(w, self.com)
        return float(self.mass * (v_com @ v_com) + w @ self.J @ w) / 2

    def __add__(self, other: Inertia) -> Inertia:
        """Two bodies as one, both given in the same frame."""
        return _joined(self, other, 1.0) if isinstance(other, Inertia) else NotImplemented

    def __radd__(self, other: int) -> Inertia:
        """`sum(parts)` starts from the number 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Inertia) -> Inertia:
        """This body with a hole in the shape of `other`; refused when no body can have that hole."""
        if not isinstance(other, Inertia):
            return NotImplemented
        if other.mass >= self.mass:
            raise ModelError(
                f"cannot take {other.mass:g} kg out of a body of {self.mass:g} kg.\n"
                "A hole is lighter than its body: check which is which, and that both have the same density."
            )
        try:
            return _joined(self, other, -1.0)
        except ModelError as cause:
            raise ModelError(
                f"no body is left around this hole: its {cause}\n"
                "A hole lies within its body: check its size, its place and its frame."
            ) from cause

    def __repr__(self) -> str:
        return f"Inertia(mass={self.mass!r}, J={self.J.tolist()!r}, com={self.com.tolist()!r})"

    def __str__(self) -> str:
        J = np.where(np.abs(self.J) > 1e-12 * np.abs(self.J).max(), self.J, 0.0)  # rounding is no news
        rows = ["[" + " ".join(f"{entry:>11.5g}" for entry in row) + "]" for row in J]
        x, y, z = self.com
        return (
            f"mass {self.mass:.6g} kg, centre of mass ({x:.6g}, {y:.6g}, {z:.6g}) m\n"
            f"J about it [kg m²]  {rows[0]}\n{'':20}{rows[1]}\n{'':20}{rows[2]}"
        )


def _joined(a: Inertia, b: Inertia, sign: float) -> Inertia:
    """E = E_a ± E_b + μ d dᵀ with d from one centre to the other and μ = m_a m_b / m, a hole having m_b < 0.

    Why:     with the reduced mass μ nothing large is subtracted, wherever the frame stands.
    """
    m_b = sign * b.mass
    mass, d = a.mass + m_b, b.com - a.com
    return Inertia(
        mass,
        a.J + sign * b.J + inertia_tensor(a.mass * m_b / mass * np.outer(d, d)),
        a.com + m_b / mass * d,
    )
