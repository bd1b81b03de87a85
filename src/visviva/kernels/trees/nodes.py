"""States, energies and constraints of a mechanism at many nodes of a motion of its tree."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.cache import kernel
from visviva.kernels.multibody.accounts import energies, rates, worst_gap
from visviva.kernels.multibody.bodies import start_energies
from visviva.kernels.multibody.functions import place_function
from visviva.kernels.multibody.states import Places, write_state
from visviva.kernels.trees.acting import Acting, move_carried, place_bodies


@kernel
def log_nodes(
    a: Acting, at: Places, Q: Array, XI: Array, begins: bool, every: int, x: Array, energy: Array, g: Array, g_v: Array
) -> None:
    """x[r] of the model at Q[r], XI[r], and with them what compiled steps of a mechanism count, see `Tallies`.

    begins: whether the first node is the start of a run, from which changes of energy count.
    energy: (nodes, 4), or without rows: states alone.   g, g_v: (nodes - 1, ...) of the nodes after the first; g_v may
    have no rows.
    every:  x has each so many-th node, and the last.
    """
    M, e, l, f = a.machine, a.elements, a.limbs, a.feedback
    B, lie, rows = M.B, M.sizes[0], M.sizes[1]
    last = Q.shape[0] - 1
    for r in range(Q.shape[0]):
        for k in range(Q.shape[1]):
            l.q[k] = Q[r, k]
        for k in range(XI.shape[1]):
            l.xi[k] = XI[r, k]
        place_bodies(M, e, l)
        move_carried(B, l)
        if r % every == 0 or r == last:
            row = (r + every - 1) // every
            write_state(B, e.y, f.bodies, f.y, x[row])
            for k in range(f.turned.shape[0]):
                x[row, f.turned[k, 0]] = l.q[f.turned[k, 1]]
        if energy.shape[0] == 0:
            continue
        if r == 0 and begins:
            start_energies(B, lie, M.gravity)
        energies(B, lie, M.gravity, energy[r])
        if r > 0:
            for i in range(rows):
                place_function(B, M.X, M.K, i)
            g[r - 1] = worst_gap(M.X, M.K, rows)
            if g_v.shape[0] > 0:
                rates(B, M.X, M.K, rows, lie, at.owner, at.directors, g_v[r - 1])
