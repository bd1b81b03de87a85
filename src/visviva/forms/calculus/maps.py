"""Smooth functions of coordinates, velocities and time, with exact first and second derivatives.

A map takes one vector x, its arguments one after the other, for example x = (q, ξ, t).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError

Taylor = tuple[Array, Array, Array]  # value, first and second derivative along a curve


@final
@dataclass(frozen=True)
class Arguments:
    """What a function can ask for: vectors with named entries, and the time t, a number."""

    vectors: tuple[tuple[str, tuple[str, ...]], ...]  # such as (("q", ("c", "s")), ("xi", ("w",)))
    time: bool = False

    @property
    def size(self) -> int:
        """Length of x."""
        return sum(len(names) for _, names in self.vectors) + self.time

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entries of x."""
        return (*(name for _, names in self.vectors for name in names), *(("t",) if self.time else ()))

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arguments."""
        return (*(key for key, _ in self.vectors), *(("t",) if self.time else ()))

    def shown(self, x: Sequence[Any] | Array) -> str:
        """Values by name, for messages."""
        return ", ".join(f"{name} = {value:g}" for name, value in zip(self.names, x, strict=True))


class AbstractMap(ABC):
    """An array of smooth functions of x."""

    @abstractmethod
    def value(self, x: Array) -> Array:
        """f(x), shape (...)."""

    @abstractmethod
    def slope(self, x: Array) -> Array:
        """∂f/∂x, shape (..., N)."""

    @abstractmethod
    def bend(self, x: Array) -> Array:
        """∂²f/∂x², shape (..., N, N)."""

    @abstractmethod
    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:
        """f, d/dt f and d²/dt² f on a curve through x."""

    @abstractmethod
    def expressions(self, symbols: Sequence[Any]) -> Any:
        """f of SymPy symbols, an object array."""


@final
@dataclass(frozen=True, eq=False)
class Polynomial(AbstractMap):
    """f(x) = a + b x + ½ x·c x; without b it is constant, without c it is affine."""

    size: int  # N
    a: Array  # (...)
    b: Array | None = None  # (..., N)
    c: Array | None = None  # (..., N, N), symmetric in the last two

    def value(self, x: Array) -> Array:  # noqa: D102
        if self.b is None:
            return self.a
        b = self.b if self.c is None else self.b + 0.5 * (self.c @ x)
        return np.asarray(self.a + b @ x)

    def slope(self, x: Array) -> Array:  # noqa: D102
        if self.b is None:
            return np.zeros((*self.a.shape, self.size))
        return self.b if self.c is None else np.asarray(self.b + self.c @ x)

    def bend(self, x: Array) -> Array:  # noqa: D102
        return np.zeros((*self.a.shape, self.size, self.size)) if self.c is None else self.c

    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:  # noqa: D102
        return taylor(self, x, x_dot, x_ddot)

    def expressions(self, symbols: Sequence[Any]) -> Any:  # noqa: D102
        x, total = np.array(symbols, dtype=object), _exact(self.a)
        for factor in (self.b,) if self.b is not None else ():
            total = total + _exact(factor) @ x
        for factor in (self.c,) if self.c is not None else ():
            total = total + (_exact(factor / 2) @ x) @ x
        return total


@final
@dataclass(frozen=True, eq=False)
class Block:
    """A map of some entries of x that fills some entries of an array."""

    f: AbstractMap
    read: slice
    fill: tuple[slice | int, ...]


@final
@dataclass(frozen=True, eq=False)
class Blocks(AbstractMap):
    """An array made of blocks, zero elsewhere."""

    size: int  # N
    shape: tuple[int, ...]
    blocks: tuple[Block, ...]

    def value(self, x: Array) -> Array:  # noqa: D102
        total = np.zeros(self.shape)
        for block in self.blocks:
            total[block.fill] = block.f.value(x[block.read])
        return total

    def slope(self, x: Array) -> Array:  # noqa: D102
        total = np.zeros((*self.shape, self.size))
        for block in self.blocks:
            total[(*block.fill, block.read)] = block.f.slope(x[block.read])
        return total

    def bend(self, x: Array) -> Array:  # noqa: D102
        total = np.zeros((*self.shape, self.size, self.size))
        for block in self.blocks:
            total[(*block.fill, block.read, block.read)] = block.f.bend(x[block.read])
        return total

    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:  # noqa: D102
        totals = np.zeros(self.shape), np.zeros(self.shape), np.zeros(self.shape)
        for block in self.blocks:
            parts = block.f.along(x[block.read], x_dot[block.read], x_ddot[block.read])
            for total, part in zip(totals, parts, strict=True):
                total[block.fill] = part
        return totals

    def expressions(self, symbols: Sequence[Any]) -> Any:  # noqa: D102
        total = _exact(np.zeros(self.shape))
        for block in self.blocks:
            total[block.fill] = block.f.expressions(symbols[block.read])
        return total


@final
@dataclass(frozen=True, eq=False)
class Product(AbstractMap):
    """f(x) = A(x) B(x), a product of matrices."""

    A: AbstractMap
    B: AbstractMap

    def value(self, x: Array) -> Array:  # noqa: D102
        return np.asarray(self.A.value(x) @ self.B.value(x))

    def slope(self, x: Array) -> Array:  # noqa: D102
        A, B = self.A, self.B
        return _join(A.slope(x), B.value(x), "ijz,jk->ikz") + _join(A.value(x), B.slope(x), "ij,jkz->ikz")

    def bend(self, x: Array) -> Array:  # noqa: D102
        A, B = self.A, self.B
        cross = _join(A.slope(x), B.slope(x), "ijy,jkz->ikyz")
        outer = _join(A.bend(x), B.value(x), "ijyz,jk->ikyz") + _join(A.value(x), B.bend(x), "ij,jkyz->ikyz")
        return outer + cross + np.swapaxes(cross, -1, -2)

    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:  # noqa: D102
        A, dA, ddA = self.A.along(x, x_dot, x_ddot)
        B, dB, ddB = self.B.along(x, x_dot, x_ddot)
        return A @ B, dA @ B + A @ dB, ddA @ B + 2 * dA @ dB + A @ ddB

    def expressions(self, symbols: Sequence[Any]) -> Any:  # noqa: D102
        return self.A.expressions(symbols) @ self.B.expressions(symbols)


def taylor(f: AbstractMap, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:
    """What `along` gives, from slope and bend."""
    slope = f.slope(x)
    return f.value(x), slope @ x_dot, (f.bend(x) @ x_dot) @ x_dot + slope @ x_ddot


def shaped(values: Any, what: str, shape: tuple[int | None, ...] | None) -> Any:
    """The values, if they have a shape; None in it stands for any length, `what` is how the error calls them.

    None for the shape itself: any will do.
    """
    if shape is None:
        return values
    fits = values.ndim == len(shape) and all(
        want is None or want == got for want, got in zip(shape, values.shape, strict=True)
    )
    if not fits:
        wanted = str(tuple("m" if k is None else k for k in shape)).replace("'", "")
        raise ModelError(f"{what} must have shape {wanted}, got {values.shape}.")
    return values


def _join(A: Array, B: Array, indices: str) -> Array:
    return np.asarray(np.einsum(indices, A, B))


def _exact(values: Array) -> Any:
    """Numbers as SymPy sees them: whole numbers and simple fractions stay exact."""
    from visviva.language.trace import expressions

    return expressions(np.asarray(values), "the numbers")
