"""Implicit port-Hamiltonian systems: a Dirac structure whose ports are the rates of states, and ports outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.numerics.rank import TOLERANCE
from visviva.structure.dirac import Dirac
from visviva.structure.ports import Ports, known, mask, quoted, spans, total
from visviva.structure.subspace import range_and_complement


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Implicit:
    """F1 ẋ + F2 f + E1 dH - E2 e = 0,   hence   dH·ẋ = e·f:   what is stored came in through the ports.

    states: the ports of x, rates ẋ and efforts dH.   ports: those outside, e·f positive into the system.
    constraints: rows C with C dH = 0, by the names of what makes them, such as joints; Cᵀλ are the rates of reactions.
    Rows that hold neither ẋ nor f are algebraic constraints; rates that no row holds are those of reactions, which
    follow only once the constraints are differentiated.

    Limits:  at one point of the state space.
    Source:  Stramigioli, Maschke and Bidard (35) to (37).
    """

    F1: Array  # (n, dim x)
    F2: Array  # (n, dim f)
    E1: Array  # (n, dim x)
    E2: Array  # (n, dim f)
    states: Ports
    ports: Ports
    constraints: dict[str, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, structure: Dirac, states: Iterable[str], constraints: Mapping[str, Array] | None = None) -> Self:
        """The system whose states sit at the named ports of a structure; a storage there has f = -ẋ, e = dH.

        constraints: what the algebraic constraints go by, if they have names: rows over dH, in the order of `states`.
        """
        names = known(states, structure.ports)
        outside = [name for name in structure.ports if name not in names]
        structure = structure.permute(*names, *outside)
        stored = mask(names, structure.ports)
        F, E, dims = structure.F, structure.E, structure.ports
        return cls(
            -F[:, stored],
            F[:, ~stored],
            E[:, stored],
            -E[:, ~stored],
            {name: dims[name] for name in names},
            {name: dims[name] for name in outside},
            dict(constraints or {}),
        )

    @property
    def n(self) -> int:
        """Number of equations, and of states and ports together."""
        return len(self.F1)

    def rank(self, tolerance: float = TOLERANCE) -> int:
        """Rank of F1: how many rates the equations determine as they stand."""
        return range_and_complement(self.F1, tolerance=tolerance)[0].shape[1]

    def algebraic(self, tolerance: float = TOLERANCE) -> tuple[Array, Array]:
        """(C, D) with C dH = D e: what holds between efforts alone, from the left null space of [F1 F2]."""
        free = range_and_complement(np.hstack([self.F1, self.F2]), tolerance=tolerance)[1].T
        return free @ self.E1, free @ self.E2

    def undetermined(self, tolerance: float = TOLERANCE) -> Array:
        """Orthonormal basis of ker F1, shape (dim x, k): the rates that reactions may take."""
        return range_and_complement(self.F1.T, tolerance=tolerance)[1]

    def undetermined_reactions(self, tolerance: float = TOLERANCE) -> dict[str, Array]:
        """Multipliers λ with Σ Cᵀλ = 0 by the name of their constraint, an orthonormal basis (rows, k) altogether.

        Reactions that no state and no load determines: self-stress. Names without a share are left out.
        """
        rows = [np.zeros((0, total(self.states))), *self.constraints.values()]
        Y = range_and_complement(np.vstack(rows), tolerance=tolerance)[1]
        at = spans({name: len(C) for name, C in self.constraints.items()})
        found = {name: Y[part] for name, part in at.items()}
        return {name: part for name, part in found.items() if np.abs(part).max(initial=0.0) > tolerance}

    def residual(
        self,
        x_dot: Mapping[str, ArrayLike],
        dH: Mapping[str, ArrayLike],
        f: Mapping[str, ArrayLike] | None = None,
        e: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        """F1 ẋ + F2 f + E1 dH - E2 e for values by port; zero if the system allows them, shape (n,)."""
        stored = self.F1 @ _joined(x_dot, self.states, "x_dot") + self.E1 @ _joined(dH, self.states, "dH")
        return stored + self.F2 @ _joined(f or {}, self.ports, "f") - self.E2 @ _joined(e or {}, self.ports, "e")

    def __str__(self) -> str:
        counts = f"{self.n} equations, {total(self.states)} states, {total(self.ports)} port variables"
        lines = [
            f"{counts}; rank F1 {self.rank()}",
            f"states: {_listed(self.states)}",
            f"ports: {_listed(self.ports)}",
            f"algebraic constraints: {len(self.algebraic()[0])}",
        ]
        loose = self.undetermined_reactions()
        for name, C in self.constraints.items():
            lines.append(f"  {name}: {_counted(len(C), 'row')}" + _share(loose.get(name), TOLERANCE))
        if loose:
            lines.append(f"self-stress: {_counted(next(iter(loose.values())).shape[1], 'state')}, without any load")
        return "\n".join(lines)


def _share(Y: Array | None, tolerance: float) -> str:
    """How many reactions of a constraint are undetermined."""
    if Y is None:
        return ""
    count = range_and_complement(Y, tolerance=tolerance, scale=1.0)[0].shape[1]
    return f", {count} of its reactions undetermined"


def _counted(n: int, word: str) -> str:
    return f"{n} {word}{'s' if n != 1 else ''}"


def _joined(values: Mapping[str, ArrayLike], ports: Ports, what: str) -> Array:
    known(values, ports)
    missing = [name for name in ports if name not in values]
    if missing:
        raise ModelError(f"{what} has no value for {quoted(missing)}; it is given at every port.")
    parts = [finite_vector(np.atleast_1d(values[name]), f"{what} at '{name}'", dim) for name, dim in ports.items()]
    return np.concatenate([np.zeros(0), *parts])


def _listed(ports: Ports) -> str:
    return ", ".join(f"{name} ({dim})" for name, dim in ports.items()) or "none"
