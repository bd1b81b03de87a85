"""What the derivatives of a tree work in: made once, and used by one call at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.trees.tables import TreeTables

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int


@final
class Differentiation:
    """`Differentiation(parts)(sizes, Q, XI, TAU, L, out)` writes derivatives of motions to out, (3, motions, n, n)."""

    def __init__(self, parts: TreeTables) -> None:
        from visviva.kernels.trees.runs import PANEL, Memory
        from visviva.kernels.trees.sweeps import ROT, ROWS, A, Evaluated, Sweeps
        from visviva.kernels.trees.tables import memory

        T, n = parts.tables, len(parts.tables.E)
        Y = np.zeros((int(ROWS), parts.bodies.shape[1] + 1))
        Y[[ROT, ROT + 4, ROT + 8], -1] = 1.0
        Y[A + 3 : A + 6, -1] = -T.gravity
        self._paths, self._sweeps = parts.paths, Sweeps(T.S, parts.bodies, Y, np.zeros((n, 6)))
        self._evaluated = Evaluated(np.zeros(4, dtype=np.int64), T.C, T.K, T.E, np.zeros((0, 6)), memory(T))
        self._memory = Memory(
            np.zeros((n, parts.largest + 4)),
            np.zeros((n, -(-3 * parts.largest // PANEL) * PANEL + 8)),
            np.zeros((parts.paths.slots[-1, 0] + 1, 6 * PANEL)),
            np.zeros((6, PANEL)),
        )

    def __call__(self, sizes: Int, Q: Array, XI: Array, TAU: Array, L: Array, out: Array) -> int:
        """A link whose joint has no inertia, or -1."""
        from visviva.kernels.trees.addresses import accelerations
        from visviva.kernels.trees.derivatives import differentiate

        at, xi_dot = self._evaluated._replace(sizes=sizes, L=np.empty(L.shape[1:])), np.empty(XI.shape)
        given = accelerations(), at, self._sweeps, self._paths, self._memory
        return differentiate(*given, Q, XI, TAU, L, xi_dot, out[0], out[1], out[2])
