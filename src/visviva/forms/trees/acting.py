"""What acts on the bodies of a tree in its compiled loops, besides gravity: elements, laws, stops and inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array

if TYPE_CHECKING:
    from visviva.kernels.multibody.states import Places
    from visviva.kernels.multibody.tables import Int
    from visviva.kernels.trees.acting import Acting
    from visviva.kernels.trees.wrenches import Pushes


@final
@dataclass(frozen=True, eq=False)
class TreeActing:
    """Tables of all that acts, see `kernels.trees.acting`.

    pushes: where wrenches on bodies that fly are all of it, a shorter way to them; see `kernels.trees.wrenches`.
    size:   sum of the sizes of all terms of the energy at (q, ξ) [J].
    places: where things are in states of the model.   plain: whether its joints have no rows but those of their kinds.
    """

    tables: Acting
    size: Callable[[Array, Array], float]
    places: Places
    plain: bool
    pushes: Pushes | None = None

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return len(self.tables.limbs.u)

    @property
    def ports(self) -> int:
        """Number of ports, of one or more inputs each."""
        return len(self.tables.elements.works)

    @property
    def powers(self) -> int:
        """Number of what is integrated along with a motion: supplied, dissipated, by port, inputs, by dissipation."""
        return 2 + self.ports + self.inputs + len(self.tables.elements.heats)

    def addresses(self, *, counts: bool) -> tuple[int, int]:
        """Of what acts, and of what it stores; 0: nothing is stored, or it is not counted."""
        from visviva.kernels.trees.acting import acts, stores
        from visviva.kernels.trees.wrenches import pushes

        if self.pushes is not None:
            return pushes(), 0
        return acts(), stores() if counts else 0

    def row(self, lanes: int) -> Int:
        """As loops hand it on; it is valid as long as this object lives."""
        from visviva.kernels.trees.acting import tables_of
        from visviva.kernels.trees.wrenches import row_of

        if self.pushes is None:
            return tables_of(self.tables, lanes)
        l = self.tables.limbs
        return row_of(self.pushes, lanes, len(l.q), len(l.xi), len(l.K), self.ports)

    def wrenches(self, lanes: tuple[int, ...]) -> Array:
        """Room for the wrenches on moving links."""
        return np.zeros((len(self.tables.limbs.K), 6, *lanes))
