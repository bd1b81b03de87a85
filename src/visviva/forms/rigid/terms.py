"""What the equations of motion of a rigid system consist of, and what solves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from visviva._arrays import Array


@final
@dataclass(frozen=True, eq=False)
class Terms:
    """The equations of motion at one state,  M ξ̇ + c + f^D + f^K + f^G = f^E,  and the energies."""

    M: Array  # (n, n) inertia
    c: Array  # (n,) gyroscopic and other forces quadratic in ξ
    D: Array  # (n, n) damping
    f_D: Array  # (n,) D ξ, less what moving fluids exert
    f_K: Array  # (n,) gradient of the energy of springs
    f_G: Array  # (n,) gradient of the energy of gravity
    f_E: Array  # (n,) forces from outside
    T: float  # kinetic energy [J]
    V_K: float  # energy of springs [J]
    V_G: float  # energy of gravity [J]

    @property
    def H(self) -> float:
        """T + V [J]."""
        return self.T + self.V_K + self.V_G

    @property
    def b(self) -> Array:
        """f^E - c - f^D - f^K - f^G: M times the accelerations without constraints."""
        return self.f_E - self.c - self.f_D - self.f_K - self.f_G


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """Accelerations, and by constraint its multipliers λ and its reaction -Zᵀ λ in the velocities ξ."""

    xi_dot: Array  # (n,)
    multipliers: dict[str, Array]
    reactions: dict[str, Array]
