"""Direct products of groups: the configuration space of several things at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.group import AbstractLieGroup, Branches
from visviva.geometry.linear import block_diagonal


@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class AbstractProduct(AbstractLieGroup):
    """G₁ × … × G_k, operated on factor by factor; `Product(G₁, …, G_k)` makes the group.

    Coordinates of the algebra are those of the factors, one after the other; matrices are block-diagonal.
    """

    factors: tuple[AbstractLieGroup, ...]
    groups: ClassVar[tuple[type[AbstractLieGroup], ...]]

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch shape."""
        return np.broadcast_shapes(*(factor.shape for factor in self.factors))

    @property
    def matrix(self) -> Array:
        """diag(matrix₁, …, matrix_k)."""
        return block_diagonal([factor.matrix for factor in self.factors])

    @classmethod
    def identity(cls, shape: tuple[int, ...] = ()) -> Self:
        """All identities."""
        return cls(tuple(group.identity(shape) for group in cls.groups))

    def __matmul__(self, other: Self) -> Self:
        self._check_kind(other)
        return type(self)(tuple(a @ b for a, b in zip(self.factors, other.factors, strict=True)))

    def inverse(self) -> Self:
        """All inverses."""
        return type(self)(tuple(factor.inverse() for factor in self.factors))

    @classmethod
    def hat(cls, xi: ArrayLike) -> Array:
        """diag(hat₁, …, hat_k)."""
        return cls._blocks(lambda group, part: group.hat(part), xi)

    @classmethod
    def vee(cls, Xi: ArrayLike) -> Array:
        """Inverse of `hat`."""
        Xi = np.asarray(Xi, dtype=np.float64)
        parts, start = [], 0
        for group in cls.groups:
            stop = start + group.identity().matrix.shape[-1]
            parts.append(group.vee(Xi[..., start:stop, start:stop]))
            start = stop
        return np.concatenate(parts, axis=-1)

    @classmethod
    def exp(cls, xi: ArrayLike) -> Self:
        """All exponentials."""
        return cls(tuple(group.exp(part) for group, part in cls._split(xi)))

    def log_with_branch(self) -> tuple[Array, Branches]:
        """All logarithms; HALF_TURN where any factor says so."""
        logs, branches = zip(*(factor.log_with_branch() for factor in self.factors), strict=True)
        return self._join(logs), np.maximum.reduce(np.broadcast_arrays(*branches))

    @classmethod
    def dexp(cls, xi: ArrayLike) -> Array:
        """diag(dexp₁, …, dexp_k)."""
        return cls._blocks(lambda group, part: group.dexp(part), xi)

    @classmethod
    def dexp_inv(cls, xi: ArrayLike) -> Array:
        """diag(dexp_inv₁, …, dexp_inv_k)."""
        return cls._blocks(lambda group, part: group.dexp_inv(part), xi)

    @classmethod
    def cay(cls, xi: ArrayLike) -> Self:
        """All Cayley maps, each in the standard representation of its factor."""
        return cls(tuple(group.cay(part) for group, part in cls._split(xi)))

    def cay_inv(self) -> Array:
        """All inverse Cayley maps."""
        return self._join(tuple(factor.cay_inv() for factor in self.factors))

    @classmethod
    def dcay(cls, xi: ArrayLike) -> Array:
        """diag(dcay₁, …, dcay_k)."""
        return cls._blocks(lambda group, part: group.dcay(part), xi)

    @classmethod
    def dcay_inv(cls, xi: ArrayLike) -> Array:
        """diag(dcay_inv₁, …, dcay_inv_k)."""
        return cls._blocks(lambda group, part: group.dcay_inv(part), xi)

    def Ad(self) -> Array:
        """diag(Ad₁, …, Ad_k)."""
        return block_diagonal([factor.Ad() for factor in self.factors])

    @classmethod
    def ad(cls, xi: ArrayLike) -> Array:
        """diag(ad₁, …, ad_k)."""
        return cls._blocks(lambda group, part: group.ad(part), xi)

    @classmethod
    def _split(cls, xi: ArrayLike) -> list[tuple[type[AbstractLieGroup], Array]]:
        ends = np.cumsum([group.dim for group in cls.groups])[:-1]
        return list(zip(cls.groups, np.split(cls.coordinates(xi), ends, axis=-1), strict=True))

    @classmethod
    def _blocks(cls, f: Callable[[type[AbstractLieGroup], Array], Array], xi: ArrayLike) -> Array:
        return block_diagonal([f(group, part) for group, part in cls._split(xi)])

    def _join(self, parts: tuple[Array, ...]) -> Array:
        """Coordinates of the factors side by side; factors may have smaller batch shapes that broadcast."""
        shape = self.shape
        return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)


@cache
def Product(*groups: type[AbstractLieGroup]) -> type[AbstractProduct]:
    """The group G₁ × … × G_k, a class: `Product(SO3, Rn(2)).exp(xi)`; the same class at every call."""
    if not groups:
        raise ModelError("Product takes at least one group, for example Product(SO3, Rn(3)).")
    name = "x".join(group.__name__ for group in groups)
    body = {
        "__doc__": f"The direct product {name}.",
        "__reduce__": _reduce,
        "dim": sum(group.dim for group in groups),
        "groups": groups,
    }
    return cast(type[AbstractProduct], type(name, (AbstractProduct,), body))


def _reduce(product: AbstractProduct) -> tuple[Any, ...]:
    """For pickle, which does not find by name a class made at run time."""
    return _restore, (product.factors,)


def _restore(factors: tuple[AbstractLieGroup, ...]) -> AbstractProduct:
    return Product(*(type(factor) for factor in factors))(factors)
