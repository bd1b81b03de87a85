"""The equations of a step: residual, matrix and powers of a compiled model.

    E ξ_i = flow(X_i, z_i, u_i),   0 = algebraic rows of flow(X_i, z_i, u_i)        at every stage i

Stages and nodes follow from a tableau (flattened in this order): c (S) stage times, b (S) weights, A (S, S) stage
states, beta (nodes, S) states at the nodes, W (S, segments) efforts from the discrete gradients of the segments, and
the segments themselves, (segments, 2) nodes, as floats. Node 0 is the start and the last node is the end.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.calls import call_energy, call_flow, call_pull, call_retract
from visviva.kernels.functions import inner, kernel, woven
from visviva.kernels.program import DIM, GAINS, OUTPUTS, SCRATCH, SOLVED, STAGES, VALUES, Idle, Program, Work, Z

RESIDUAL, MATRIX, POWERS, ROUNDING = range(4)  # what to evaluate


@kernel
def evaluate(prog: Program, idle: Idle, work: Work, u: Array, t: float, h: float, mode: int) -> tuple[float, int]:
    """Evaluate the step at work.y; returns the largest scaled residual and its row, nan if a number is not finite.

    RESIDUAL: r.   MATRIX: r, the matrix V and the sizes of the rows.   ROUNDING: the same, with sizes that count the
    rounding of the states behind the efforts as well.   POWERS: the powers of all components, for efforts as they are.
    """
    if mode == POWERS:
        powers(prog, work, u, t, h)
        return 0.0, -1
    return rows(prog, idle, work, u, t, h, mode)


@woven
def rows(prog: Program, idle: Idle, work: Work, u: Array, t: float, h: float, mode: int) -> tuple[float, int]:
    """`evaluate` without powers."""
    S, kind = prog.sizes[STAGES], RESIDUAL if mode == RESIDUAL else MATRIX
    if S == 1:
        _midpoint(prog, work, h, kind)
    else:
        _collocation(prog, work, h, kind)
    _inertia(prog, work, kind)
    if kind == MATRIX:
        _amplitudes(prog, work, h, mode == ROUNDING)
    _flows(prog, work, u, t, h, kind)
    _leave_out(idle, work, kind)
    if kind == MATRIX:
        _sizes(prog, work, mode == ROUNDING)
    largest, row, total = 0.0, -1, 0.0
    for k in range(prog.sizes[SOLVED] * S):
        value = abs(work.r[k]) / work.size[prog.group[k]]
        total += value
        if value > largest:
            largest, row = value, k
    return largest + (total - total), row  # a maximum forgets nan, a sum does not


@woven
def powers(prog: Program, work: Work, u: Array, t: float, h: float) -> None:
    """The powers of all components, for efforts as they are."""
    for i in range(prog.sizes[STAGES]):
        for k in range(prog.sizes[OUTPUTS]):
            work.out[i, k] = 0.0
    _flows(prog, work, u, t, h, POWERS)


@woven
def _flows(prog: Program, work: Work, u: Array, t: float, h: float, kind: int) -> None:
    """What all structures add to the rows, or their powers."""
    d = 8
    for i in range(prog.sizes[STAGES]):
        for law in range(prog.flows.shape[0]):
            call_flow(
                prog.flows[law, 0],
                (
                    prog.flows[law, 1],
                    prog.T.ctypes.data + prog.flows[law, 2] * d,
                    prog.P.ctypes.data,
                    work.s.ctypes.data + i * work.s.shape[1] * d,
                    work.end.ctypes.data,
                    work.z.ctypes.data + i * work.z.shape[1] * d,
                    u.ctypes.data + i * u.shape[1] * d,
                    work.dE.ctypes.data + i * work.dE.shape[1] * d,
                    work.dX.ctypes.data,
                    work.cx.ctypes.data + i * work.cx.shape[1] * d,
                    work.amp.ctypes.data + i * work.amp.shape[1] * d,
                    t + prog.tableau[i] * h,
                    1.0 / h,
                    i,
                    kind,
                    work.r.ctypes.data,
                    work.rs.ctypes.data,
                    work.V.ctypes.data,
                    work.out.ctypes.data + i * work.out.shape[1] * d,
                ),
            )


@woven
def _leave_out(idle: Idle, work: Work, mode: int) -> None:
    """Replace rows that are not solved by "unknown = 0", and keep what they leave."""
    for k in range(idle.rows.size):
        work.rest[k] = abs(work.r[idle.rows[k]])
        work.r[idle.rows[k]] = work.y[idle.rows[k]]
    if mode == MATRIX:
        for k in range(idle.others.size):
            work.V[idle.others[k]] = 0.0
        for k in range(idle.diagonal.size):
            work.V[idle.diagonal[k]] = 1.0


@woven
def _sizes(prog: Program, work: Work, whole: bool) -> None:
    """The size of each group of rows: that of its largest one; as a whole at least 1e-12 of the largest of all.

    That compares rows of different units, so it is for groups at rest only, which have no size of their own.
    """
    most = 0.0
    for g in range(work.size.size):
        work.size[g] = 0.0
    for k in range(prog.sizes[SOLVED] * prog.sizes[STAGES]):
        g = prog.group[k]
        if work.rs[k] > work.size[g]:
            work.size[g] = work.rs[k]
            most = max(most, work.rs[k])
    floor = max(1e-12 * most, 1e-300) if whole else 1e-300
    for g in range(work.size.size):
        work.size[g] = max(work.size[g], floor)


@woven
def energies(prog: Program, start: Array, end: Array, e: Array, dE: Array, h: float, mode: int) -> None:
    """Discrete gradients of all storages between two states, added to e and dE."""
    d = 8
    for law in range(prog.energies.shape[0]):
        call_energy(
            prog.energies[law, 0],
            (
                prog.energies[law, 1],
                prog.T.ctypes.data + prog.energies[law, 2] * d,
                prog.P.ctypes.data,
                start.ctypes.data,
                end.ctypes.data,
                e.ctypes.data,
                dE.ctypes.data,
                h,
                mode,
            ),
        )


@woven
def _midpoint(prog: Program, work: Work, h: float, mode: int) -> None:
    """Ends, means and efforts of a step with one stage."""
    x0, x1, s, z, dE, y = work.x, work.end, work.s[0], work.z[0], work.dE[0], work.y
    work.cx[0, 0], work.cx[0, 1] = 0.5 * h, h
    for k in range(prog.flat.shape[0]):
        i = prog.flat[k, 0]
        x1[i] = x0[i] + h * y[prog.flat[k, 1]]
        s[prog.flat[k, 2]] = 0.5 * (x0[i] + x1[i])
    d = 8
    for k in range(prog.turned.shape[0]):
        call_retract(
            prog.turning[0],
            (
                prog.turned.ctypes.data + k * prog.turned.shape[1] * d,
                h,
                x0.ctypes.data,
                y.ctypes.data,
                x1.ctypes.data,
                s.ctypes.data,
                work.dX.ctypes.data,
            ),
        )
    for k in range(prog.sizes[DIM]):
        z[k] = 0.0
    for k in range(prog.sizes[Z], prog.sizes[Z] + prog.sizes[SCRATCH]):
        z[k] = 0.0
    if mode == MATRIX:
        for k in range(prog.sizes[GAINS]):
            dE[k] = prog.gains[0, k]
    energies(prog, x0, x1, z, dE, h, mode)
    for k in range(prog.turned.shape[0]):
        call_pull(
            prog.turning[1],
            (
                prog.turned.ctypes.data + k * prog.turned.shape[1] * d,
                h,
                mode,
                s.ctypes.data,
                z.ctypes.data,
                dE.ctypes.data,
                work.dX.ctypes.data,
            ),
        )
    for k in range(prog.sizes[DIM], prog.sizes[SOLVED]):
        z[k] = y[k]


@inner
def _collocation(prog: Program, work: Work, h: float, mode: int) -> None:
    """States at nodes and stages and efforts of a step with several stages, on flat spaces."""
    S, tab, y, dim = prog.sizes[STAGES], prog.tableau, work.y, prog.sizes[DIM]
    nodes, segments = work.nodes.shape[0], work.D.shape[0]
    beta = 2 * S + S * S
    W = beta + nodes * S
    pair = W + S * segments
    for k in range(prog.flat.shape[0]):
        x, c, at = prog.flat[k, 0], prog.flat[k, 1], prog.flat[k, 2]
        for i in range(S):
            value = work.x[x]
            for j in range(S):
                value += h * tab[2 * S + i * S + j] * y[c * S + j]
            work.s[i, at] = value
        for node in range(nodes):
            value = work.x[x]
            for j in range(S):
                value += h * tab[beta + node * S + j] * y[c * S + j]
            work.nodes[node, x] = value
        work.end[x] = work.nodes[nodes - 1, x]
    for i in range(S):
        for j in range(S):
            work.cx[i, j] = h * tab[2 * S + i * S + j]
            work.cx[i, S + j] = h * tab[S + j]
        for k in range(dim):
            work.z[i, k] = 0.0
        for k in range(dim, prog.sizes[SOLVED]):
            work.z[i, k] = y[k * S + i]
    if mode == MATRIX:
        for i in range(S):
            for k in range(prog.sizes[GAINS]):
                work.dE[i, k] = prog.gains[i, k]
    for g in range(segments):
        a, b = int(tab[pair + 2 * g]), int(tab[pair + 2 * g + 1])
        for k in range(dim):
            work.D[g, k] = 0.0
        if mode == MATRIX:
            for k in range(prog.sizes[GAINS]):
                work.dDa[g, k] = 0.0
                work.dDb[g, k] = 0.0
            energies(prog, work.nodes[b], work.nodes[a], work.D[g], work.dDa[g], h, mode)
            for k in range(dim):
                work.D[g, k] = 0.0
        energies(prog, work.nodes[a], work.nodes[b], work.D[g], work.dDb[g], h, mode)
        for i in range(S):
            weight = tab[W + i * segments + g]
            for k in range(dim):
                work.z[i, k] += weight * work.D[g, k]
            if mode == MATRIX:
                for v in range(prog.blocks.shape[0]):
                    n, at = prog.blocks[v, 1], prog.blocks[v, 2]
                    for l in range(n):
                        for m in range(n):
                            left, right = work.dDa[g, at + l * n + m], work.dDb[g, at + l * n + m]
                            for j in range(S):
                                work.dE[i, at + (l * n + m) * S + j] += weight * (
                                    left * tab[beta + a * S + j] + right * tab[beta + b * S + j]
                                )


@woven
def _inertia(prog: Program, work: Work, mode: int) -> None:
    """Start of r, rs and V: E times the rates."""
    S, r, rs = prog.sizes[STAGES], work.r, work.rs
    for k in range(prog.sizes[Z] * S):
        r[k] = 0.0
    for k in range(prog.units.size):
        for i in range(prog.units[k] * S, (prog.units[k] + 1) * S):
            r[i] = work.y[i]
    for k in range(prog.masses.shape[0]):
        at, n, M = prog.masses[k, 0], prog.masses[k, 1], prog.masses[k, 2]
        for i in range(n):
            for j in range(n):
                for stage in range(S):
                    r[(at + i) * S + stage] += prog.P[M + i * n + j] * work.y[(at + j) * S + stage]
    if mode == MATRIX:
        for k in range(prog.sizes[Z] * S):
            rs[k] = abs(r[k])
        for k in range(prog.sizes[VALUES]):
            work.V[k] = 0.0
        for k in range(prog.E_at.size):
            work.V[prog.E_at[k]] += prog.E_value[k]


@woven
def _amplitudes(prog: Program, work: Work, h: float, whole: bool) -> None:
    """Size of what is rounded in each effort: itself, and as a whole the temperature θ0 and the state behind it.

    Efforts θ - θ0 round by ε θ0, but a step can be solved for the rounded ones: small heats have no other size.
    """
    S = prog.sizes[STAGES]
    for i in range(S):
        for k in range(prog.sizes[Z]):
            work.amp[i, k] = abs(work.z[i, k])
        if not whole:
            continue
        for k in range(prog.hot.size):
            work.amp[i, prog.hot[k]] += prog.theta0[0]
        for v in range(prog.blocks.shape[0]):
            first, n, at, x = prog.blocks[v, 0], prog.blocks[v, 1], prog.blocks[v, 2], prog.blocks[v, 3]
            for l in range(n):
                work.rs[(first + l) * S + i] += abs(work.x[x + l]) / abs(h)
                total = 0.0
                for m in range(n):
                    for j in range(S):
                        total += abs(work.dE[i, at + (l * n + m) * S + j]) * abs(work.x[x + m])
                work.amp[i, first + l] += total / abs(h)
