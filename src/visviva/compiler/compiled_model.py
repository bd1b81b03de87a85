"""CompiledModel: a program with what is needed to run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Mask
from visviva.model import Model

if TYPE_CHECKING:
    from visviva.compiler.tableau import Tableau
    from visviva.kernels.program import Idle, Program

Int = NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A program, the pattern of its matrix, and which power belongs to which component.

    rows, cols: places of the entries of the matrix; behind them V has a pad for what is not solved.
    """

    model: Model
    program: Program
    tableau: Tableau
    rows: Int
    cols: Int
    values: int  # length of V
    inputs: int
    groups: int

    @property
    def unknowns(self) -> int:
        """Numbers to be solved for in a step."""
        return self.model.layout.solved * self.tableau.stages

    def idle(self, active: Mask) -> Idle:
        """Rows that a step does not solve."""
        from visviva.kernels.program import Idle

        S = self.tableau.stages
        out = self.model.layout.dim + np.flatnonzero(~active)
        rows = (out[:, None] * S + np.arange(S)).ravel()
        within = np.isin(self.rows, rows) if len(rows) else np.zeros(len(self.rows), dtype=bool)
        on_diagonal = within & (self.rows == self.cols)
        return Idle(rows, np.flatnonzero(on_diagonal), np.flatnonzero(within & ~on_diagonal))
