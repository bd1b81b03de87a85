"""Four motions of one tree at once, in the vector registers of the processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.flows.explicit import RK4_TABLE, dop853_table
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.loops import field_of
from visviva.forms.trees.time_inputs import unchanged

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import Int


@final
class TreeAbreast:
    """`TreeAbreast(dynamics, scheme, ports)(q, xi, h, u)`: the motions of `TreeLoop`, bit for bit, four at a time.

    For hinges and sliders under forces in joints. ports: the velocity that each input acts on, another one each.
    """

    schemes = "RK4", "DOP853"

    def __init__(self, dynamics: TreeDynamics, scheme: str, ports: Int) -> None:
        from visviva.kernels.trees.abreast import Abreast
        from visviva.kernels.trees.lanes import WIDTH

        table, n, size = RK4_TABLE if scheme == "RK4" else dop853_table(), dynamics.n, dynamics.size_q
        s = len(table.b)
        delta, gain, xi = np.zeros((3, n, WIDTH))
        V, D = np.zeros((2, s, n, WIDTH))
        A, q = np.ascontiguousarray(table.A), np.zeros((size, WIDTH))
        self._stages = Abreast(A, table.b, V, D, np.zeros((s, WIDTH)), delta, gain, q, xi)
        field = field_of(dynamics, lanes=True)
        damped = bool(dynamics.parts.tables.E[:, 0].any())
        self._field = field._replace(drive=unchanged(ports, np.zeros(len(ports))).drive(WIDTH), active=damped)
        self.width = WIDTH

    def __call__(self, q: Array, xi: Array, h: float, n: int, u: list[Array]) -> tuple[Array, Array, Array] | None:
        """Coordinates (members, n + 1, nq), velocities, and what damping has taken [J]; None where one cannot go on.

        q, xi: of up to four members.   u: inputs of each, (n or 1, inputs), held over steps.
        """
        from visviva.kernels.trees.abreast import steps_abreast

        lanes, members = np.minimum(np.arange(self.width), len(q) - 1), len(q)  # the last one fills what is left
        Q, XI = np.empty((n + 1, q.shape[1], self.width)), np.empty((n + 1, xi.shape[1], self.width))
        lost, end = np.zeros((n + 1, self.width)), np.zeros(5, dtype=np.int64)
        Q[0], XI[0] = q[lanes].T, xi[lanes].T
        rows = max(map(len, u))
        U = np.ascontiguousarray(np.stack([np.broadcast_to(u[k], (rows, u[k].shape[1])) for k in lanes], axis=-1))
        steps_abreast(self._field, self._stages, U, Q, XI, lost, h, end)
        if end[0] < n:
            return None
        each = (np.ascontiguousarray(np.moveaxis(part, -1, 0)[:members]) for part in (Q, XI, lost))
        found_q, found_xi, found_lost = each
        return found_q, found_xi, found_lost
