"""Screw systems: the subspaces of se(3), of freedoms of a body and of the wrenches that resist it."""

from __future__ import annotations

from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.geometry.refusal import refuse
from visviva.geometry.screws.classification import Type, classify
from visviva.geometry.screws.forms import KLEIN
from visviva.geometry.screws.principal import Principal, principal_form
from visviva.geometry.screws.screw import Screw
from visviva.geometry.se3 import SE3
from visviva.numerics.nullspace import split
from visviva.numerics.rank import TOLERANCE


@final
class System:
    """All linear combinations of some screws.

    screws:  screws, geometric screws, vectors (6,), or arrays and lists of them; they may depend on each other.
    length:  [m] what counts as one unit of length where turns and shifts are compared, about the size of the mechanism.

    `A + B` is the span of both, `A & B` what they share, `A == B` and `A <= B` compare them, `s in A` asks for a screw;
    all to the tolerance of `numerics.rank`, 1.5e-8.
    """

    __hash__ = None  # type: ignore[assignment]  # equality has a tolerance

    def __init__(self, *screws: ArrayLike, length: float = 1.0) -> None:
        self.length = finite_number(length, "length of the screw system", positive=True)
        given = np.concatenate([np.zeros((0, 6)), *(_rows(s) for s in screws)])
        refuse(~given.any(axis=-1), "screw of the system", "is zero and spans nothing.\nLeave it out.")
        scaled = given / self._units
        unit = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
        self._rows = np.ascontiguousarray(split(unit).V.T)

    @classmethod
    def all_screws(cls, length: float = 1.0) -> Self:
        """The 6-system."""
        return cls(np.eye(6), length=length)

    @property
    def rank(self) -> int:
        """Dimension of the system."""
        return len(self._rows)

    @property
    def basis(self) -> Array:
        """Independent rows (rank, 6)."""
        return self._rows * self._units

    def reciprocal(self) -> System:
        """All screws s with s∘t = 0 for each t here, rank 6 - rank: wrenches that do no work on these twists."""
        Z = split(self._rows @ KLEIN).Z
        return System((Z.T * self._units), length=self.length)

    def principal(self) -> Principal:
        """Principal screws and pitches."""
        form = principal_form(self._rows, TOLERANCE)
        to = self._units
        return Principal(
            form.principal * to,
            form.any_pitch * to,
            form.translations,
            form.finite_pitches * self.length,
            form.angles,
        )

    @property
    def type(self) -> Type:
        """What kind of system it is, by name."""
        return classify(self.principal(), self.reciprocal().principal(), self.length)

    def contains(self, screw: ArrayLike) -> bool:
        """Whether a screw, or each of several, is a combination of those here."""
        s = _rows(screw) / self._units
        size = np.linalg.norm(s, axis=-1)
        return bool((np.linalg.norm(s - s @ self._rows.T @ self._rows, axis=-1) <= TOLERANCE * size).all())

    def combination(self, weights: ArrayLike) -> Screw:
        """Σ weights[i] principal().screws[i]."""
        w = finite_array(weights, "weights of the principal screws")
        if w.shape != (self.rank,):
            raise ModelError(f"a {self.rank}-system takes {self.rank} weights, got shape {w.shape}.")
        return Screw(sum((a * s.vector for a, s in zip(w, self.principal().screws, strict=True)), np.zeros(6)))

    def moved(self, X: SE3) -> System:
        """Ad_X of each screw: the system carried along by a displacement."""
        return System(self.basis @ X.Ad().T, length=self.length)

    def __contains__(self, screw: ArrayLike) -> bool:
        return self.contains(screw)

    def __le__(self, other: System) -> bool:
        return other.contains(self.basis)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, System):
            return NotImplemented
        return self.rank == other.rank and self <= other

    def __add__(self, other: System) -> System:
        return System(self.basis, other.basis, length=self.length)

    def __and__(self, other: System) -> System:
        """What both share is reciprocal to all that is reciprocal to one of them."""
        return (self.reciprocal() + other.reciprocal()).reciprocal()

    def __str__(self) -> str:
        form = self.principal()
        lines = [str(self.type)]
        lines += [f"  {Screw(s).geometric()}" for s in form.principal]
        for s, angle in zip(form.any_pitch, form.angles, strict=True):
            others = "on it" if angle <= TOLERANCE else "on parallel axes"
            lines.append(f"  {Screw(s).geometric()}, other pitches {others}")
        lines += [f"  {Screw(s).geometric()}" for s in form.translations]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<System of screws: {self.type}>"

    @property
    def _units(self) -> Array:
        return np.repeat([1.0, self.length], 3)


def _rows(screws: ArrayLike) -> Array:
    """One or several screws as rows (n, 6)."""
    return finite_array(screws, "screws of the system", (6,)).reshape(-1, 6)
