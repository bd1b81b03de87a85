"""Couplings of a mechanism as tables, see `kernels.multibody.couplings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, final

import numpy as np

from visviva.compiler.machine_functions import Int, table
from visviva.mechanism.coupling import Coupling
from visviva.model import Model
from visviva.model.conditioned import Conditioned

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Couplings


@final
class MachineCouplings:
    """Grows coupling by coupling; bodies: their numbers by name."""

    def __init__(self, model: Model, bodies: Mapping[str, int]) -> None:
        self.model = model
        self._bodies = bodies
        self._parts: list[Conditioned] = []
        self._terms: list[tuple[int, int, int, int]] = []
        self._coefficients: list[float] = []
        self._touched: list[int] = []
        self._spans: list[tuple[int, int, int, int]] = []
        self._followed: list[tuple[int, int]] = []

    def follow(self, turn: int, place: int) -> None:
        """An angle that is a state: its turn, and its place in x."""
        self._followed.append((turn, place))

    def add(self, part: Conditioned, terms: list[tuple[int, int, int, int]]) -> None:
        """A coupling with its terms: first measure, first slope, turn or -1, first function."""
        assert isinstance(part.condition, Coupling)
        first, body = len(self._terms), len(self._touched)
        self._terms += terms
        self._coefficients += [term.coefficient for term in part.condition.terms]
        self._touched += [self._bodies[mover.name] for mover in part.condition.movers]
        self._spans.append((first, len(self._terms), body, len(self._touched)))
        self._parts.append(part)

    def number(self, name: str) -> int:
        """Which of the couplings has a name."""
        return [part.name for part in self._parts].index(name)

    def places(self) -> Int:
        """Places of their multipliers in the algebraic unknowns of the model."""
        layout = self.model.layout
        return np.array([layout.z[part.name].start - layout.dim for part in self._parts], dtype=np.int64)

    def owners(self) -> list[int]:
        """Numbers of their constraints in the model."""
        numbers = {part.name: k for k, part in enumerate(self.model.constraints)}
        return [numbers[part.name] for part in self._parts]

    def tables(self, measures: int, first: int) -> Couplings:
        """As the kernels want them; first: multiplier of the first coupling."""
        from visviva.kernels.multibody.ggl_couplings import COUPLED_RATES
        from visviva.kernels.multibody.tables import Couplings

        layout, columns = self.model.layout, self.model.port_columns
        rows, shifts, constant = [], list[tuple[int, int]](), []
        for k, (part, (a, b, c, d), owner) in enumerate(zip(self._parts, self._spans, self.owners(), strict=True)):
            condition = part.condition
            assert isinstance(condition, Coupling)
            shift = -1
            if condition.shifted:
                shift = len(shifts)
                driven = columns[part.name].start if condition.law is not None else -1
                shifts.append((layout.x[part.reads[-1]].start, driven))
            rows.append((first + k, a, b, shift, c, d, owner))
            constant.append(condition.offset or 0.0)
        return Couplings(
            rows=table(rows, 7),
            terms=table(self._terms, 4),
            coefficients=np.array(self._coefficients, dtype=np.float64),
            constant=np.array(constant, dtype=np.float64),
            size=np.ones(len(rows)),
            bodies=np.array(self._touched, dtype=np.int64),
            shifts=table(shifts, 2),
            shift=np.zeros(len(shifts)),
            followed=table(self._followed, 2),
            secant=np.zeros(measures),
            end=np.zeros(measures),
            rate=np.zeros((COUPLED_RATES, measures)),
            speed=np.zeros((len(rows), 2)),
            pad=np.zeros((2, 3, 24)),
        )
