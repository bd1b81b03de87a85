"""Placements of bodies, frames and particles as traced functions see them, and where they come from."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.trace import Pose, UntraceableError, traced_array
from visviva.mechanism.coordinates import space_of
from visviva.mechanism.parts import Body, Frame, Ground, Particle

Placed = Body | Particle | Frame


@final
class Point:
    """The placement of a particle: r, and no orientation."""

    def __init__(self, r: Any) -> None:
        self.r = r

    def __getattr__(self, name: str) -> Any:
        raise UntraceableError(f"it asks for .{name} of a particle, which has a position .r only")


@final
@dataclass(frozen=True, eq=False)
class Placements:
    """What parts look like, as affine functions y = L q + c of the coordinates of their movers.

    y: of a body or frame its origin r, then its orientation R row by row; of a particle r. All in world axes.
    """

    parts: tuple[Placed, ...]
    movers: tuple[Body | Particle, ...]
    L: Array  # (y, q)
    c: Array  # (y,)

    def y(self, q: Array) -> Array:
        """Placements at the coordinates of the movers, (..., y)."""
        return q @ self.L.T + self.c

    def symbols(self) -> list[Any]:
        """One for each entry of y."""
        import sympy

        return [sympy.Symbol(f"y{k}", real=True) for k in range(len(self.c))]

    def names(self) -> dict[Any, Any]:
        """Symbols that read as what a user's function sees, by those of y."""
        import sympy

        entries = [f"r[{i}]" for i in range(3)] + [f"R[{i}, {j}]" for i in range(3) for j in range(3)]
        names = [
            f"{part.name}.{entry}"
            for part in self.parts
            for entry in entries[: 3 if isinstance(part, Particle) else 12]
        ]
        return {y: sympy.Symbol(name, real=True) for y, name in zip(self.symbols(), names, strict=True)}

    def traced(self) -> list[Any]:
        """The placements in these symbols, one for each part."""
        numbers, seen, first = traced_array(self.symbols()), list[Any](), 0
        for part in self.parts:
            r = numbers[first : first + 3]
            first += 3
            if isinstance(part, Particle):
                seen.append(Point(r))
                continue
            seen.append(Pose(numbers[first : first + 9].reshape(3, 3), r))
            first += 9
        return seen


def placements_of(parts: Sequence[Placed]) -> Placements:
    """The placements of some parts; frames on the ground are constant."""
    carriers = [part.carrier if isinstance(part, Frame) else part for part in parts]
    movers = tuple(dict.fromkeys(carrier for carrier in carriers if not isinstance(carrier, Ground)))
    ends = np.cumsum([0, *(space_of(mover).size for mover in movers)])
    first = {mover: int(ends[k]) for k, mover in enumerate(movers)}
    L, c = [np.zeros((0, int(ends[-1])))], [np.zeros(0)]
    for part, carrier in zip(parts, carriers, strict=True):
        own = np.zeros((3 if isinstance(part, Particle) else 12, int(ends[-1])))
        constant = np.zeros(len(own))
        if isinstance(carrier, Particle):
            own[:, first[carrier] : first[carrier] + 3] = np.eye(3)
        else:
            R_W, r_W = _as_built(part)
            if isinstance(carrier, Ground):
                constant[:] = np.concatenate([r_W, R_W.ravel()])
            else:
                own[:, first[carrier] : first[carrier] + 12] = _on_body(carrier, R_W, r_W)
        L.append(own)
        c.append(constant)
    return Placements(tuple(parts), movers, np.concatenate(L), np.concatenate(c))


def _as_built(part: Placed) -> tuple[Array, Array]:
    if isinstance(part, Frame):
        return part.R_WF, part.r_WF
    assert isinstance(part, Body)
    return part.R_WB, part.r_WB


def _on_body(body: Body, R_W: Array, r_W: Array) -> Array:
    """(r, R row by row) of a frame that is at (R_W, r_W) as built, over q = (φ, d1, d2, d3), (12, 12)."""
    L = np.zeros((12, 12))
    R_CF, arm = body.R_WC.T @ R_W, body.to_principal(r_W)
    for i in range(3):
        L[i, i] = 1.0
        for k in range(3):  # r = φ + Σ arm_k d_k,  R_ij = Σ (d_k)_i (R_CF)_kj
            L[i, 3 + 3 * k + i] = arm[k]
            L[3 + 3 * i : 6 + 3 * i, 3 + 3 * k + i] = R_CF[k]
    return L


def check_arguments(function: Any, parts: Sequence[Placed], what: str) -> None:
    """An error if something is no function of as many placements as there are parts."""
    names = ", ".join(part.name for part in parts)
    if not callable(function):
        raise ModelError(f"{what} must be a function of the placements of {names}, got {function!r}.")
    try:
        inspect.signature(function).bind(*parts)
    except TypeError:
        count = f"each of its {len(parts)} parts" if len(parts) > 1 else "its part"
        raise ModelError(f"{what} must take one placement for {count}: {names}.") from None
    except ValueError:  # a function of another language has no signature
        return
