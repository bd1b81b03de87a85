"""Equations of motion as linearisation sees them: forces, rows, other rates and outputs of one state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from types import MappingProxyType
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, Mask
from visviva.errors import ModelError
from visviva.forms.flows.flow import Flow, FlowState

Index = NDArray[np.intp]
SLIGHT = 1e-3  # of the size of another state


@final
@dataclass(frozen=True, eq=False)
class Reference:
    """One instant of the motion that others are compared with."""

    t: float
    q: Array
    xi: Array
    s: Array
    xi_dot: Array
    w: Array


@final
@dataclass(frozen=True, eq=False)
class Values:
    """What equations say at states, one in a row.

    force: M ξ̇ + c - τ + Zᵀw, zero along a motion (..., n).   rates: ṡ of the other states.   outputs: y.
    """

    force: Array
    rates: Array
    outputs: Array

    @classmethod
    def joined(cls, parts: Sequence[Values]) -> Values:
        """The rows of all."""
        force, rates, outputs = zip(*((part.force, part.rates, part.outputs) for part in parts), strict=True)
        return cls(np.concatenate(force), np.concatenate(rates), np.concatenate(outputs))


def check_place(at: object, flow: Flow, others: str = "") -> None:
    """An error where what `at=` was given is no place of a flow at all; others: what else may be given there."""
    if isinstance(at, FlowState) or (isinstance(at, Sequence) and not isinstance(at, str) and len(at) in (2, 3)):
        return
    raise ModelError(
        f"{flow.name!r} is linearised at={short(at)}, which is no state of it. Give at=(q, xi), "
        f"{flow.size_q} coordinates and {flow.n} velocities{others}."
    )


class AbstractEquations(ABC):
    """M(q) ξ̇ + c(q, ξ) - τ(q, ξ, s, u) + Z(q)ᵀw = 0,   Z(q) ξ = …,   ṡ = f(q, ξ, s, u).

    title: what its user calls it.   name: how errors do.
    positions: names of the increments ε of the configuration, one for each velocity.   velocities, others, inputs,
    outputs: names.   units: of positions, others, inputs and outputs, by name; velocities have those per second.
    drives:    drives that are inputs, by name, with the order of the derivative that is given: 0, 1 or 2. All others
               are held, or go on as they do.
    sizes:     of the increments, in which differences count (n,).
    holonomic: which rows follow from functions of the configuration (k,).   rank: of the rows where they are regular.
    has_mass:  whether M is inertia, and not just the identity before ξ̇.
    offset:    how large the numbers are from which forces are computed, in sizes: a stiff spring far from the origin
               feels their last digit.
    """

    title: str
    name: str
    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    others: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    drives: Mapping[str, int] = MappingProxyType({})
    units: dict[str, str]
    sizes: Array
    holonomic: Mask
    rank: int | None = None
    has_mass: bool = True
    offset: float = 1.0

    @property
    def n(self) -> int:
        """Number of velocities."""
        return len(self.velocities)

    @abstractmethod
    def start(self, at: object, steady: bool) -> Reference:
        """The instant that a user means; None: as assembled, at rest unless steady."""

    @abstractmethod
    def continued(self, q: Array, xi: Array, s: Array, t: float) -> Reference:
        """The instant at a state, with the accelerations and multipliers that the equations have there."""

    @abstractmethod
    def advance(self, q: Array, eps: Array) -> Array:
        """The configurations at the increments ε (..., n) from q."""

    @abstractmethod
    def turn(self, q: Array, xi: Array) -> Array:
        """(n, n): δξ = ε̇ + turn ε about a motion with velocities ξ."""

    @abstractmethod
    def mass(self, q: Array) -> Array:
        """M, (n, n)."""

    @abstractmethod
    def Z(self, ref: Reference) -> Array:
        """Rows over velocities that bind them, (k, n)."""

    def row_terms(self, ref: Reference) -> Array | None:
        """Sizes of the terms of each entry of Z, (k, n), where known: where they cancel, a row says nothing."""
        return None

    def rank_at(self, ref: Reference) -> int | None:
        """Number of independent rows at an instant, where that is decided elsewhere; None: by the rows themselves."""
        return None

    @abstractmethod
    def rows(self, ref: Reference, eps: Array) -> Array:
        """Z ξ and what is prescribed, (..., k), at q advanced by ε (..., n): zero on the constraints."""

    def driving(self, ref: Reference) -> Array:
        """What the rates ṡ of drives that are inputs add to the rows, (k, drives): Z ζ + driving ṡ = 0."""
        return np.zeros((len(self.holonomic), len(self.drives)))

    def velocity_sizes(self, ref: Reference, N: Array, eta: Index) -> Array:
        """How far velocities go in differences, (n,); N, eta: independent velocities and which they are."""
        return self.sizes

    def input_sizes(self, ref: Reference) -> Array:
        """How far inputs go in differences."""
        return np.ones(len(self.inputs))

    def natural_rates(self, ref: Reference, N: Array, eta: Index, forces: Array) -> Array:
        """How fast forces (n,) move independent increments by their sizes [1/s], √(F/(M size)), (n,).

        Of all others the least.
        """
        inertia, forces = self.inertia(ref, N), np.abs(N).T @ forces
        own = np.sqrt(np.where(inertia > 0, forces / np.where(inertia > 0, inertia, 1.0), 0.0) / self.sizes[eta])
        found = np.full(self.n, float(own[own > 0].min()) if (own > 0).any() else 0.0)
        found[eta] = np.maximum(own, found[eta])
        return found

    def inertia(self, ref: Reference, N: Array) -> Array:
        """Of each independent velocity."""
        return np.asarray(((self.mass(ref.q) @ N) * N).sum(axis=0))

    def other_sizes(self, ref: Reference) -> Array:
        """How far other states go in differences."""
        return np.ones(len(self.others))

    @abstractmethod
    def rates(self, ref: Reference) -> Array:
        """ṡ of the other states."""

    @abstractmethod
    def values(self, ref: Reference, eps: Array, zeta: Array, sigma: Array, du: Array) -> Values:
        """At q advanced by ε, ξ + ζ, s + σ and inputs that differ by δu, many of them: each one has a row.

        Accelerations and multipliers are as they were.
        """

    @abstractmethod
    def force_sizes(self, ref: Reference) -> Array:
        """Terms that add up to the force along each velocity, reactions among them, if none cancelled another, (n,)."""

    def near_forces(self, ref: Reference) -> Array:
        """Forces along each velocity that a tenth of the size of each increment makes, (n,).

        Those at hand may all vanish; rounding is relative to these all the same.
        """
        eps = 0.1 * np.diag(self.sizes)
        return self._forces_beside(ref, eps, np.zeros((len(eps), len(self.others))))

    def slight_forces(self, ref: Reference) -> Array:
        """The same of a slight change of each other state: of windings and teeth that alone push a body."""
        sigma = SLIGHT * np.diag(self.other_sizes(ref))
        return self._forces_beside(ref, np.zeros((len(sigma), self.n)), sigma)

    def _forces_beside(self, ref: Reference, eps: Array, sigma: Array) -> Array:
        """The largest along each velocity at q advanced by ±ε and s ± σ, many of them or none."""
        if not len(eps):
            return np.zeros(self.n)
        eps, sigma = np.vstack([eps, -eps]), np.vstack([sigma, -sigma])
        with np.errstate(all="ignore"):
            found = np.abs(self.values(ref, eps, 0 * eps, sigma, np.zeros((len(eps), len(self.inputs)))).force)
        return np.asarray(np.where(np.isfinite(found), found, 0.0).max(axis=0, initial=0.0))

    def spin(self, ref: Reference) -> Array:
        """W, (n, n): the axes in which the motion is steady turn against those of the velocities, ξ̇ = -W ξ."""
        return np.zeros((self.n, self.n))

    def later(self, ref: Reference, W: Array, t: float) -> Reference:
        """The instant after a time t of steady motion."""
        return ref
