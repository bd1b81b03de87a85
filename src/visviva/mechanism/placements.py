"""Placements of bodies, frames and particles as traced functions see them, and where they come from."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.trace import Pose, Traced, UntraceableError, traced_array
from visviva.mechanism.coordinates import space_of
from visviva.mechanism.parts import Body, Frame, Ground, Particle

Placed = Body | Particle | Frame
STRUCTURE = (0.0, 1.0, -1.0)


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
    form: PlacementForm
    numbers: Array  # those of L and c that are parameters of their form

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


@final
@dataclass(frozen=True)
class PlacementForm:
    """How y = L q + c is made of numbers, and which of these are none: 0, 1 and -1 stand for structure.

    parts:   "frame", "particle" or "ground", and the number of the mover.   starts: of the coordinates of movers.
    numbers: of each frame twelve, its origin and its axes in its carrier: None where a number is a parameter.
    """

    parts: tuple[tuple[str, int], ...]
    starts: tuple[int, ...]
    size: int  # of q
    numbers: tuple[float | None, ...]

    @property
    def width(self) -> int:
        """How many parameters there are."""
        return sum(number is None for number in self.numbers)

    def matrices(self) -> tuple[Any, Any]:
        """L and c with symbols p0, p1, … for the parameters."""
        import sympy

        symbols = iter(sympy.Symbol(f"p{k}", real=True) for k in range(self.width))
        values = [Traced(next(symbols)) if number is None else number for number in self.numbers]
        return _affine(self, np.array(values, dtype=object))


def placements_of(parts: Sequence[Placed]) -> Placements:
    """The placements of some parts; frames on the ground are constant."""
    carriers = [part.carrier if isinstance(part, Frame) else part for part in parts]
    movers = tuple(dict.fromkeys(carrier for carrier in carriers if not isinstance(carrier, Ground)))
    ends = np.cumsum([0, *(space_of(mover).size for mover in movers)]).tolist()
    found, numbers = list[tuple[str, int]](), [np.zeros(0)]
    for part, carrier in zip(parts, carriers, strict=True):
        if isinstance(carrier, Particle):
            found.append(("particle", movers.index(carrier)))
            continue
        R_W, r_W = _as_built(part)
        if isinstance(carrier, Ground):
            found.append(("ground", -1))
            numbers += [r_W, R_W.ravel()]
        else:
            found.append(("frame", movers.index(carrier)))
            numbers += [carrier.to_principal(r_W), (carrier.R_WC.T @ R_W).ravel()]
    values = np.concatenate(numbers)
    structure = tuple(number if number in STRUCTURE else None for number in values.tolist())
    form = PlacementForm(tuple(found), tuple(ends[:-1]), ends[-1], structure)
    L, c = _affine(form, values)
    given = values[[number is None for number in structure]]
    return Placements(tuple(parts), movers, L.astype(np.float64), c.astype(np.float64), form, given)


def _affine(form: PlacementForm, numbers: Any) -> tuple[Any, Any]:
    """L and c of numbers that are floats or symbols: r = φ + Σ arm_k d_k,  R_ij = Σ (d_k)_i (R_CF)_kj."""
    blocks, constants, first = [np.zeros((0, form.size))], [np.zeros(0)], 0
    for kind, mover in form.parts:
        n = 3 if kind == "particle" else 12
        L, c = np.zeros((n, form.size), dtype=numbers.dtype), np.zeros(n, dtype=numbers.dtype)
        own, start = numbers[first : first + 12], form.starts[mover] if mover >= 0 else 0
        if kind == "particle":
            L[:, start : start + 3] = np.eye(3)
        elif kind == "ground":
            c[:] = own
        else:
            arm, R_CF = own[:3], own[3:].reshape(3, 3)
            for i in range(3):
                L[i, start + i] = 1.0
                for k in range(3):
                    L[i, start + 3 + 3 * k + i] = arm[k]
                    L[3 + 3 * i : 6 + 3 * i, start + 3 + 3 * k + i] = R_CF[k]
        first += 0 if kind == "particle" else 12
        blocks.append(L)
        constants.append(c)
    return np.concatenate(blocks), np.concatenate(constants)


def _as_built(part: Placed) -> tuple[Array, Array]:
    if isinstance(part, Frame):
        return part.R_WF, part.r_WF
    assert isinstance(part, Body)
    return part.R_WB, part.r_WB


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
