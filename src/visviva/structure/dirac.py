"""Dirac structures: how ports exchange power without storing or losing any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask, finite_array, finite_vector
from visviva.errors import ModelError
from visviva.structure import representations as forms
from visviva.structure.checks import POWER, check_power, check_projector, check_rank, check_skew
from visviva.structure.ports import Ports, checked_ports, known, mask, quoted, spans, total, unique
from visviva.structure.subspace import column_space


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Dirac:
    """An n-dimensional space of flows and efforts (f, e) over named ports without power, Σ e·f = 0.

    F f + E e = 0   with   E Fᵀ + F Eᵀ = 0   and   rank [F E] = n;   hence also   (f, e) = (Eᵀλ, Fᵀλ).

    Flows are positive into the structure: a storage with rate ẋ and effort dH joined to a port has f = -ẋ, e = dH.
    The rows of [F E] are kept orthonormal, so all ranks are judged at one scale. The constructor trusts its
    arrays; the class methods check theirs.

    Limits:  one point of the state space. Couplings below 1e-12 of the others count as absent: choose units.
    Source:  Stramigioli, Maschke and Bidard (23) to (25), where the condition on the rank is missing.
    """

    F: Array  # (n, n)
    E: Array  # (n, n)
    ports: Ports

    @property
    def n(self) -> int:
        """Dimension: the number of flows."""
        return total(self.ports)

    @classmethod
    def kernel(cls, F: ArrayLike, E: ArrayLike, ports: Mapping[str, int]) -> Self:
        """F f + E e = 0; more rows than flows are welcome if they depend on each other."""
        ports = checked_ports(ports)
        F, E = _pair(F, E, total(ports))
        Z = forms.kernel_basis(F, E)
        check_rank(len(Z) - Z.shape[1], "[F E]", ports)
        check_power(Z, ports)
        return cls._spanned(Z, ports)

    @classmethod
    def image(cls, F: ArrayLike, E: ArrayLike, ports: Mapping[str, int]) -> Self:
        """f = Eᵀ λ, e = Fᵀ λ; any number of parameters λ."""
        ports = checked_ports(ports)
        F, E = _pair(F, E, total(ports))
        return cls.basis(np.vstack([E.T, F.T]), ports)

    @classmethod
    def basis(cls, Z: ArrayLike, ports: Mapping[str, int]) -> Self:
        """(f; e) = Z λ; the columns of Z (2n, k) span the structure, and may depend on each other."""
        ports = checked_ports(ports)
        columns = column_space(_matrix(Z, "the basis Z", (2 * total(ports), None)))
        check_rank(columns.shape[1], "the basis Z", ports)
        check_power(columns, ports)
        return cls._spanned(columns, ports)

    @classmethod
    def projector(cls, P: ArrayLike, ports: Mapping[str, int]) -> Self:
        """The range of the orthogonal projector P (2n, 2n), which is what makes two structures equal."""
        ports = checked_ports(ports)
        P = _matrix(P, "the projector P", (2 * total(ports),) * 2)
        check_projector(P)
        return cls.basis(P, ports)

    @classmethod
    def input_output(cls, J: ArrayLike, ports: Mapping[str, int], effort_in: Iterable[str] | None = None) -> Self:
        """Outputs = -J inputs with J skew; f = -J e if every port takes its effort.

        effort_in: ports whose effort is the input and whose flow is the output, default all; at the others it is
        the reverse. Source: the reversible components of Lohmayer, Capobianco and Leyendecker print -J, as in
        (3), (19), (21) and, with mixed causality, (27).
        """
        ports = checked_ports(ports)
        J = _matrix(J, "J", (total(ports),) * 2)
        check_skew(J, "J", ports)
        return cls._spanned(forms.input_output_basis(J, _efforts_in(effort_in, ports)), ports)

    @classmethod
    def constrained(cls, J: ArrayLike, C: ArrayLike, ports: Mapping[str, int]) -> Self:
        """f = -J e - Cᵀ λ, C e = 0; a storage at each port then has ẋ = J e + Cᵀ λ.

        Source: Lohmayer, Capobianco and Leyendecker (28), with the opposite sign of λ.
        """
        ports = checked_ports(ports)
        J, C = _matrix(J, "J", (total(ports),) * 2), _matrix(C, "C", (None, total(ports)))
        check_skew(J, "J", ports)
        return cls._spanned(forms.constrained_basis(J, C), ports)

    @classmethod
    def presymplectic(cls, omega: ArrayLike, ports: Mapping[str, int]) -> Self:
        """e = ω f with ω skew, of any rank."""
        ports = checked_ports(ports)
        omega = _matrix(omega, "ω", (total(ports),) * 2)
        check_skew(omega, "ω", ports)
        return cls._spanned(forms.input_output_basis(-omega, mask((), ports)), ports)

    @classmethod
    def _spanned(cls, Z: Array, ports: Ports) -> Self:
        """From an orthonormal basis (2n, n) without power up to rounding, which a large J amplifies.

        With G = F Fᵀ + E Eᵀ - I and S = F Eᵀ + E Fᵀ, F - (G F + S E)/2 and E - (G E + S F)/2 are a Newton step to
        G = S = 0 that leaves small entries their digits; two take 1e-5 below rounding.
        """
        E, F = (half.T for half in np.split(Z, 2))
        for _ in range(2):
            G, S = F @ F.T + E @ E.T - np.eye(len(F)), F @ E.T + E @ F.T
            F, E = F - (G @ F + S @ E) / 2, E - (G @ E + S @ F) / 2
        return cls(F, E, ports)

    def to_kernel(self) -> tuple[Array, Array]:
        """(F, E) with F f + E e = 0, orthonormal rows."""
        return self.F, self.E

    def to_image(self) -> tuple[Array, Array]:
        """(F, E) with f = Eᵀ λ, e = Fᵀ λ: the same matrices as those of the kernel."""
        return self.F, self.E

    def to_basis(self) -> Array:
        """Orthonormal Z (2n, n) with (f; e) = Z λ."""
        return np.vstack([self.E.T, self.F.T])

    def to_projector(self) -> Array:
        """Z Zᵀ (2n, 2n): one matrix per structure, whatever it was built from."""
        Z = self.to_basis()
        return Z @ Z.T

    def to_input_output(self, effort_in: Iterable[str] | None = None) -> Array:
        """J of `input_output`; an error where the structure ties the chosen inputs to each other."""
        return forms.input_output_matrix(self.to_basis(), _efforts_in(effort_in, self.ports), self.ports)

    def to_constrained(self) -> tuple[Array, Array]:
        """(J, C) of `constrained`, which always exist; C has orthonormal rows and J Cᵀ = 0."""
        return forms.constrained_matrices(self.to_basis())

    def to_presymplectic(self) -> Array:
        """ω of e = ω f; an error where the structure ties the flows to each other."""
        return -self.to_input_output(effort_in=())

    def residual(self, f: ArrayLike, e: ArrayLike) -> Array:
        """F f + E e, zero if the structure allows these flows and efforts."""
        return self.F @ finite_vector(f, "flows", self.n) + self.E @ finite_vector(e, "efforts", self.n)

    def same_as(self, other: Dirac, tolerance: float = POWER) -> bool:
        """Whether both are one space over the same ports, in any order of these."""
        if self.ports != other.ports:  # without regard to order
            return False
        gap = self.to_projector() - other.permute(*self.ports).to_projector()
        return bool(np.abs(gap).max(initial=0.0) <= tolerance)

    def role_swap(self, *names: str) -> Self:
        """f and e exchanged at the named ports: a wrench that was an effort becomes a flow."""
        swap = mask(names, self.ports)
        return type(self)(np.where(swap, self.E, self.F), np.where(swap, self.F, self.E), self.ports)

    def flip(self, *names: str) -> Self:
        """f and e with opposite sign at the named ports. Of f alone the sign would turn the port's power."""
        sign = np.where(mask(names, self.ports), -1.0, 1.0)
        return type(self)(self.F * sign, self.E * sign, self.ports)

    def reverse(self) -> Self:
        """All flows positive out of the structure: it then holds (ẋ, dH), and J becomes -J.

        Source: the convention of Stramigioli, Maschke and Bidard (35).
        """
        return type(self)(-self.F, self.E, self.ports)

    def rename(self, names: Mapping[str, str]) -> Self:
        """Ports under new names; those that are not mentioned keep theirs."""
        known(names, self.ports)
        renamed = [names.get(name, name) for name in self.ports]
        unique(renamed, "the renamed structure")
        return type(self)(self.F, self.E, dict(zip(renamed, self.ports.values(), strict=True)))

    def permute(self, *order: str) -> Self:
        """The same structure with its ports in another order."""
        unique(known(order, self.ports), "the new order")
        if len(order) != len(self.ports):
            missing = [name for name in self.ports if name not in order]
            raise ModelError(f"the new order leaves out {quoted(missing)}; name every port once.")
        at = spans(self.ports)
        entries = np.concatenate([np.arange(self.n)[at[name]] for name in order] or [np.arange(0)])
        return type(self)(self.F[:, entries], self.E[:, entries], {name: self.ports[name] for name in order})


def _matrix(value: ArrayLike, what: str, shape: tuple[int | None, int | None]) -> Array:
    matrix = finite_array(value, what, shape)
    if matrix.ndim != 2:
        raise ModelError(f"{what} must be one matrix, got shape {matrix.shape}.")
    return matrix


def _pair(F: ArrayLike, E: ArrayLike, n: int) -> tuple[Array, Array]:
    F, E = _matrix(F, "F", (None, n)), _matrix(E, "E", (None, n))
    if len(F) != len(E):
        raise ModelError(f"F has {len(F)} rows and E has {len(E)}; each row of both is one equation.")
    return F, E


def _efforts_in(names: Iterable[str] | None, ports: Ports) -> Mask:
    return mask(ports if names is None else names, ports)
