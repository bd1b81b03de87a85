"""KanePoint: Kane's equations at one state, in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.kane.matrices import KaneMatrices
from visviva.numerics.constrained import NoInertia, check_definite


@final
@dataclass(frozen=True, eq=False)
class KanePoint:
    """Matrices, forces and rates at (t, q, ξ); indices u of unknown velocities, c of known ones.

    xi, tau and the matrices have all columns, that of explicit time included.
    """

    names: tuple[str, ...]  # of the columns
    unknown: tuple[int, ...]
    matrices: KaneMatrices
    xi: Array  # (c,)
    known_rates: Callable[[], Array]  # of the known velocities, which the momentum form does not need
    tau: Array  # (c,) generalised impressed forces (53), those of the potential included
    supplied: Array  # (c,) the same without those of the potential
    q_dot: Array  # (R,)
    potential: float
    potential_t: float  # ∂V/∂t

    @property
    def A(self) -> Array:
        """Mass matrix (55)."""
        return np.asarray(self.matrices.A)

    @property
    def D(self) -> Array:
        """Gyrator matrix (56)."""
        return np.asarray(self.matrices.D)

    @property
    def p(self) -> Array:
        """Generalised momenta (54), A ξ."""
        return np.asarray(self.matrices.p)

    @property
    def gyration(self) -> Array:
        """Generalised gyration force (57), Dᵀξ."""
        return np.asarray(self.matrices.gyration)

    @property
    def known(self) -> tuple[int, ...]:
        """Columns of known velocities."""
        return tuple(k for k in range(len(self.names)) if k not in self.unknown)

    @cached_property
    def known_dot(self) -> Array:
        """Rates of the known velocities."""
        return self.known_rates()

    @property
    def p_dot(self) -> Array:
        """ᵘṗ = ᵘτ + ᵘ(Dᵀξ), equations (25), (49)."""
        return (self.tau + self.gyration)[list(self.unknown)]

    @cached_property
    def xi_dot(self) -> Array:
        """ᵘξ̇ = ᵘᵘA⁻¹(ᵘτ - ᵘᶜA ᶜξ̇ - ᵘD ξ), equations (14), (47)."""
        return self.solved(self.tau - self.D @ self.xi)

    def solved(self, force: Array) -> Array:
        """ᵘξ̇ from A ξ̇ = force, whose known velocities have known rates."""
        u, c = list(self.unknown), list(self.known)
        A_uu = self.A[np.ix_(u, u)]
        check_mass(A_uu, [self.names[k] for k in u])
        return np.asarray(np.linalg.solve(A_uu, force[u] - self.A[np.ix_(u, c)] @ self.known_dot))

    @cached_property
    def drives(self) -> dict[str, float]:
        """Forces of the drives on known velocities by name: ᶜA ξ̇ + ᶜD ξ by (48), less what is impressed there.

        The one of "time" is the power [W] that explicitly prescribed motion supplies.
        """
        u, c = list(self.unknown), list(self.known)
        xi_dot = np.zeros(len(self.names))
        xi_dot[u], xi_dot[c] = self.xi_dot, self.known_dot
        force = self.A @ xi_dot + self.D @ self.xi - self.tau
        return {self.names[k]: float(force[k]) for k in c}

    @property
    def kinetic(self) -> float:
        """½ ξᵀA ξ, equation (18) [J]."""
        return float(self.xi @ self.p / 2)

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J]."""
        return self.kinetic + self.potential

    @property
    def power(self) -> float:
        """Rate of the energy [W]: of impressed forces without a potential, of drives, and of a potential in time."""
        driven = sum(force * self.xi[self.names.index(name)] for name, force in self.drives.items())
        return float(self.supplied @ self.xi + driven + self.potential_t)


def check_mass(A: Array, names: list[str]) -> None:
    """An error that names the velocity which moves no mass, if the mass matrix is singular."""
    try:
        check_definite(A)
    except NoInertia as light:
        mixed = np.abs(light.motion)
        shown = [name for name, part in zip(names, mixed, strict=True) if part > 0.1 * mixed.max()]
        raise singular_mass(" and ".join(shown)) from None


def singular_mass(which: str) -> ModelError:
    """The error of velocities that move no mass."""
    what = "a combination of the velocities" if " and " in which else "the velocity"
    return ModelError(
        f"the mass matrix A is singular: {what} {which} moves no mass here.\n"
        "Give it mass or inertia, prescribe it by known=, or leave it out."
    )
