"""What a Lie group provides: the contract of every configuration space in the package.

A group is a class; an element, or a batch of elements of any leading shape, is a value of it. Vectors of the
Lie algebra are coordinate arrays (..., dim). Everything is left-trivialised: the rate xi of a curve X(t) is
defined by dX/dt = X hat(xi), as in Lohmayer, Capobianco and Leyendecker, "Exergetic port-Hamiltonian systems
for multibody dynamics", (11).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.linear import transpose


class LogBranch(IntEnum):
    """Whether a logarithm was unique."""

    PRINCIPAL = 0  # angle below π: the only logarithm there
    HALF_TURN = 1  # angle π to rounding: both signs of the axis serve, one was chosen


Branches = NDArray[np.int8]  # LogBranch values, one per element of the batch


class AbstractLieGroup(ABC):
    """A Lie group with its exponential and Cayley charts.

    Two elements compose by `A @ B`, with the usual broadcasting of their batch shapes.
    `visviva.testing.check_group` tests the laws that tie these methods together.
    """

    dim: ClassVar[int]

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Batch shape; () for a single element."""

    @property
    @abstractmethod
    def matrix(self) -> Array:
        """Standard matrix representation (..., n, n), a homomorphism."""

    @classmethod
    @abstractmethod
    def identity(cls, shape: tuple[int, ...] = ()) -> Self:
        """The neutral element, `shape` times."""

    @abstractmethod
    def __matmul__(self, other: Self) -> Self: ...

    def _check_kind(self, other: object) -> None:
        """Only elements of one group compose: a rotation times a pose would lose the translation."""
        if type(other) is not type(self):
            mine, yours = type(self).__name__, type(other).__name__
            raise ModelError(f"an element of {mine} composes with elements of {mine} only, got {yours}.")

    @abstractmethod
    def inverse(self) -> Self:
        """X⁻¹."""

    @classmethod
    @abstractmethod
    def hat(cls, xi: ArrayLike) -> Array:
        """Matrix (..., n, n) of a Lie algebra vector in the standard representation."""

    @classmethod
    @abstractmethod
    def vee(cls, Xi: ArrayLike) -> Array:
        """Inverse of `hat`, shape (..., dim)."""

    @classmethod
    @abstractmethod
    def exp(cls, xi: ArrayLike) -> Self:
        """End of the one-parameter subgroup with rate xi at time 1."""

    @abstractmethod
    def log_with_branch(self) -> tuple[Array, Branches]:
        """The logarithm and, for each element of the batch, whether it was unique (`LogBranch`)."""

    def log(self) -> Array:
        """xi with exp(xi) = X and the smallest angle, at most π.

        At half turns the sign is free: `log_with_branch` states the choice.
        """
        return self.log_with_branch()[0]

    @classmethod
    @abstractmethod
    def dexp(cls, xi: ArrayLike) -> Array:
        """Left-trivialised derivative (..., dim, dim): d/dt exp(xi) = exp(xi) hat(dexp(xi) dxi/dt)."""

    @classmethod
    @abstractmethod
    def dexp_inv(cls, xi: ArrayLike) -> Array:
        """Inverse of `dexp(xi)`; singular where the angle reaches 2π."""

    @classmethod
    @abstractmethod
    def cay(cls, xi: ArrayLike) -> Self:
        """Cayley map in the standard representation: (I - hat(xi)/2)⁻¹ (I + hat(xi)/2)."""

    @abstractmethod
    def cay_inv(self) -> Array:
        """xi with cay(xi) = X. It grows as 2 tan(angle/2): half turns have none."""

    @classmethod
    @abstractmethod
    def dcay(cls, xi: ArrayLike) -> Array:
        """Left-trivialised derivative (..., dim, dim): d/dt cay(xi) = cay(xi) hat(dcay(xi) dxi/dt)."""

    @classmethod
    @abstractmethod
    def dcay_inv(cls, xi: ArrayLike) -> Array:
        """Inverse of `dcay(xi)`."""

    @abstractmethod
    def Ad(self) -> Array:
        """Adjoint (..., dim, dim): hat(Ad xi) = X hat(xi) X⁻¹. Takes velocities in B to A if X is X_AB."""

    @classmethod
    @abstractmethod
    def ad(cls, xi: ArrayLike) -> Array:
        """Lie bracket (..., dim, dim): ad(xi) eta = [xi, eta]; along a curve dAd/dt = Ad ad(xi)."""

    def coAd(self) -> Array:
        """Ad⁻ᵀ (..., dim, dim): takes forces and momenta in B to A if X is X_AB.

        So <coAd F, Ad xi> = <F, xi>: power does not depend on the frame. It is the inverse of Ad* = Adᵀ in
        Lohmayer, Capobianco and Leyendecker (14), which pulls back, from A to B.
        """
        return transpose(self.inverse().Ad())

    @classmethod
    def coad(cls, xi: ArrayLike) -> Array:
        """adᵀ (..., dim, dim): <coad(xi) p, eta> = <p, [xi, eta]>.

        This is ad* in Lohmayer, Capobianco and Leyendecker (15). With this sign, a momentum p in the body
        frame moves by dp/dt = coad(xi) p + F.
        """
        return transpose(cls.ad(xi))

    @classmethod
    def coordinates(cls, xi: ArrayLike) -> Array:
        """`xi` as a float array (..., dim), or an error."""
        array = np.asarray(xi, dtype=np.float64)
        if array.shape[-1:] != (cls.dim,):
            raise ModelError(
                f"{cls.__name__} takes Lie algebra vectors of {cls.dim} numbers in the last axis,"
                f" got shape {array.shape}."
            )
        return array


def half_turn_error(group: str, count: int) -> ModelError:
    """For `cay_inv`: the image of the Cayley map leaves out the half turns."""
    which = "the element is a half turn" if count == 1 else f"{count} elements are half turns"
    return ModelError(
        f"{group}.cay_inv: {which}, and a Cayley vector has length 2 tan(angle/2).\n"
        "Use log() where the angle may reach π, or take the step from a nearer element."
    )
