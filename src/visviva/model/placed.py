"""Structures of a box at the coordinates of a mechanism: what acts on a junction there acts on velocities.

The effort of a junction without storage that sits on a coordinate y is its rate, e = ẏ = C V, or a twist, so that a
structure with the matrix A over its own efforts e_box = T (V, e) has Tᵀ A T over those of the mechanism: nothing is
lost on the way. Over a step C is that between both ends, C Δ = Δy: rates are Δy/h exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.linear import apply, transpose
from visviva.model.measured import Measured, MeasuredAngle, MeasuredLength
from visviva.model.rows import RowKind
from visviva.model.structure import AbstractConstraint, AbstractDissipation, AbstractRouting, AbstractStructure
from visviva.model.twists import MeasuredTwist

Measure = Measured | MeasuredAngle | MeasuredLength | MeasuredTwist


@final
@dataclass(frozen=True, eq=False)
class Placing:
    """The map T from the efforts of a mechanism to those of a structure in a box.

    inner:    the structure, with junctions by the names of the mechanism.
    measures: of its junctions that sit on coordinates, by name.
    sizes:    number of coordinates of what is read, by name.   dims: number of efforts of what is acted on, by name.
    """

    inner: AbstractStructure
    measures: Mapping[str, Measure]
    sizes: Mapping[str, int]
    dims: Mapping[str, int]

    @cached_property
    def places(self) -> tuple[Measure, ...]:
        """The measures of the junctions that the structure acts on."""
        return tuple(self.measures[name] for name in self.inner.acts if name in self.measures)

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Coordinates of bodies, then what the structure reads itself."""
        bodies = [name for one in self.places for name in one.reads]
        return tuple(dict.fromkeys([*bodies, *self.inner.reads]))

    @cached_property
    def acts(self) -> tuple[str, ...]:
        """Velocities of bodies, in the order of their coordinates, then what the structure acts on otherwise."""
        bodies = [name for one in self.places for name in one.acts[1:]]
        return tuple(dict.fromkeys([*bodies, *(name for name in self.inner.acts if name not in self.measures)]))

    def T(self, q: Array) -> Array:
        """Between both ends q = (q0, q1), shape (..., own efforts, efforts)."""
        q0, q1 = np.split(q, 2, axis=-1)
        rows = []
        for name in self.inner.acts:
            one = self.measures.get(name)
            row = np.zeros((*q.shape[:-1], self.dims[name], self._dim))
            if one is None:
                at = self._columns[name]
                row[..., np.arange(self.dims[name]), np.arange(at.start, at.stop)] = 1.0
            else:
                seen = np.concatenate([end[..., self._seen(one.reads)] for end in (q0, q1)], axis=-1)
                C, first = one.between(seen), 0
                for part in one.acts[1:]:
                    at = self._columns[part]
                    row[..., at] += C[..., first : first + self.dims[part]]
                    first += self.dims[part]
            rows.append(row)
        return np.concatenate(rows, axis=-2)

    def own(self, q: Array) -> Array:
        """What the structure reads itself: the mean of both ends."""
        q0, q1 = np.split(q, 2, axis=-1)
        at = self._seen(self.inner.reads)
        return np.asarray(0.5 * (q0[..., at] + q1[..., at]))

    @cached_property
    def _dim(self) -> int:
        return sum(self.dims[name] for name in self.acts)

    @cached_property
    def _columns(self) -> dict[str, slice]:
        ends = np.cumsum([0, *(self.dims[name] for name in self.acts)]).tolist()
        return {name: slice(a, b) for name, a, b in zip(self.acts, ends, ends[1:], strict=False)}

    def _seen(self, names: tuple[str, ...]) -> list[int]:
        """Where the coordinates of some names are among those read."""
        ends = np.cumsum([0, *(self.sizes[name] for name in self.reads)]).tolist()
        starts = dict(zip(self.reads, ends, strict=False))
        return [k for name in names for k in range(starts[name], starts[name] + self.sizes[name])]


class _AtCoordinates(AbstractStructure):
    """What a structure at coordinates reads and acts on: both ends of what its map does."""

    placing: Placing
    two_ended: ClassVar[bool] = True

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the map."""
        return self.placing.reads

    @property
    def acts(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the map."""
        return self.placing.acts


@final
@dataclass(frozen=True, eq=False)
class PlacedRouting(_AtCoordinates, AbstractRouting):
    """J = Tᵀ J_box T."""

    name: str
    placing: Placing

    def J(self, q: Array) -> Array:  # noqa: D102
        assert isinstance(self.placing.inner, AbstractRouting)
        T = self.placing.T(q)
        return np.asarray(transpose(T) @ self.placing.inner.J(self.placing.own(q)) @ T)


@final
@dataclass(frozen=True, eq=False)
class PlacedDissipation(_AtCoordinates, AbstractDissipation):
    """R = Tᵀ R_box(q, T z) T ⪰ 0.   v_reg: the speed of a dry friction, see `Dissipation`."""

    name: str
    placing: Placing
    v_reg: float | None = None

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        assert isinstance(self.placing.inner, AbstractDissipation)
        T = self.placing.T(q)
        return np.asarray(transpose(T) @ self.placing.inner.R(self.placing.own(q), apply(T, z)) @ T)


@final
@dataclass(frozen=True, eq=False)
class PlacedRows(_AtCoordinates, AbstractConstraint):
    """C = C_box T: rows of a box on rates of coordinates and on its own efforts."""

    name: str
    placing: Placing

    @property
    def _rows(self) -> AbstractConstraint:
        assert isinstance(self.placing.inner, AbstractConstraint)
        return self.placing.inner

    @property
    def rows(self) -> int:  # type: ignore[override]
        """As in the box."""
        return self._rows.rows

    @property
    def kind(self) -> RowKind:  # type: ignore[override]
        """As in the box."""
        return self._rows.kind

    @property
    def internal(self) -> bool:  # type: ignore[override]
        """No: it is a part of its own."""
        return False

    def C(self, q: Array) -> Array:  # noqa: D102
        return np.asarray(self._rows.C(self.placing.own(q)) @ self.placing.T(q))

    def bias(self, q: Array, z: Array) -> Array:  # noqa: D102
        raise ModelError(f"the rows of {self.name!r} are given on the level of velocities only: no accelerations.")

    def value(self, q: Array) -> Array:  # noqa: D102
        return np.zeros((*q.shape[:-1], self.rows))

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return np.ones((*q.shape[:-1], self.rows))


def placed(part: AbstractStructure, name: str, placing: Placing) -> AbstractStructure:
    """A structure of a box at its place in a mechanism."""
    match part:
        case AbstractRouting():
            return PlacedRouting(name, placing)
        case AbstractDissipation():
            return PlacedDissipation(name, placing, getattr(part, "v_reg", None))
        case AbstractConstraint():
            return PlacedRows(name, placing)
    raise ModelError(f"{name!r} is of the kind {type(part).__name__}, which cannot sit on a coordinate.")
