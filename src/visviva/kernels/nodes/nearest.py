"""The motion nearest in the metric of kinetic energy that satisfies all rows, along the tree of a mechanism.

    M V + Cᵀμ = p,   C V = b

Rows of a joint of the tree give the motion of a body by that of the body above, V = K V_above + N ξ. From the leaves to
the ground, with the inertia A and the momenta p of all that a body carries,

    L Lᵀ = Nᵀ A N,  Z = L⁻¹ Nᵀ A,  z = L⁻¹ Nᵀ p,   A_above += Kᵀ (A - Zᵀ Z) K,   p_above += Kᵀ (p - Zᵀ z)

and back ξ = L⁻ᵀ (z - Z K V_above): articulated bodies (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7) for
velocities. Rows E of loops and conditions are added by their Schur complement, S μ = E V - b with S = E Y and Y the
motions that follow Eᵀ. Of redundant rows a largest independent set is taken; where rows are so near to redundant that
this is a matter of rounding, or contradict each other, or a motion has no inertia, the kernel says so.
"""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel
from visviva.kernels.multibody.tables import Int
from visviva.kernels.nodes.rows import place_bodies, place_rows, take_momenta

from visviva.kernels.nodes.tables import (  # isort: skip
    ABOVE, BODY, COLUMN, END, FIRST, LAST, PAIR, POINT, WIDTH, Linked, Loops, Memory,
)  # fmt: skip

SMALLEST = 1e-9  # of a row's own size: a pivot of a joint; of the inertia of a motion before others are eliminated
LIGHT = 0.5  # of the inertia of a motion by the metric, which is positive for all: less is none
INDEPENDENT = 1e-6  # of a row's size in the metric: what is left of its square beyond other rows
DEPENDENT = 1e-12
MISSED = 1e-9  # of the terms of a row: what rows that were left out may miss


@inner
def _joint_motions(
    C: Array, first: int, last: int, own: int, length: float, W: Array, order: Int, N: Array, K: Array
) -> int:
    """N and K of a joint from its rows, by elimination with complete pivoting; number of free motions, -1: dependent.

    own: where the velocities of the body are in its rows.
    """
    rows, other, per_length = last - first, 6 - own, 1.0 / length
    for i in range(rows):
        for j in range(6):
            W[i, j], W[i, 6 + j] = C[first + i, own + j], C[first + i, other + j]
    for j in range(6):
        order[j] = j
    for s in range(rows):
        best, at_i, at_j = 0.0, s, s
        for i in range(s, rows):
            for j in range(s, 6):
                k = order[j]
                size = abs(W[i, k]) * per_length if k < 3 else abs(W[i, k])
                if size > best:
                    best, at_i, at_j = size, i, j
        if not best > SMALLEST:
            return -1
        order[s], order[at_j] = order[at_j], order[s]
        if at_i != s:
            for j in range(12):
                W[s, j], W[at_i, j] = W[at_i, j], W[s, j]
        k = order[s]
        pivot = W[s, k]
        for j in range(s + 1, 6):  # columns before are those of unit vectors, and not read again
            W[s, order[j]] /= pivot
        for j in range(6, 12):
            W[s, j] /= pivot
        for i in range(rows):
            share = W[i, k]
            if i != s and share != 0.0:
                for j in range(s + 1, 6):
                    W[i, order[j]] -= share * W[s, order[j]]
                for j in range(6, 12):
                    W[i, j] -= share * W[s, j]
    for j in range(6):
        for i in range(6):
            N[i, j] = K[i, j] = 0.0
    for e in range(rows, 6):
        N[order[e], e - rows] = 1.0
        for s in range(rows):
            N[order[s], e - rows] = -W[s, order[e]]
    for s in range(rows):
        for j in range(6):
            K[order[s], j] = -W[s, 6 + j]
    return 6 - rows


@inner
def _eliminate(A: Array, N: Array, Z: Array, L: Array, metric: Array, b: int, free: int) -> bool:
    """Z and L of a body; A becomes A - Zᵀ Z. False where a free motion has no inertia."""
    for i in range(free):
        for j in range(6):
            Z[i, j] = N[0, i] * A[0, j]
        for k in range(1, 6):
            share = N[k, i]
            for j in range(6):
                Z[i, j] += share * A[k, j]
    for i in range(free):
        own = 0.0
        for j in range(i + 1):
            total = 0.0
            for k in range(6):
                total += Z[i, k] * N[k, j]
            own = total
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total / L[j, j] if j < i else total
        least = 0.0
        for k in range(6):
            least += N[k, i] * N[k, i] * metric[b, k]
        if not (L[i, i] > SMALLEST * own and own > LIGHT * least):
            return False
        L[i, i] = math.sqrt(L[i, i])
    for i in range(free):
        for j in range(6):
            for k in range(i):
                Z[i, j] -= L[i, k] * Z[k, j]
            Z[i, j] /= L[i, i]
    for i in range(6):
        for k in range(free):
            share = Z[k, i]
            for j in range(6):
                A[i, j] -= share * Z[k, j]
    return True


@inner
def _carry(A: Array, K: Array, above: Array, W: Array) -> None:
    """A_above += Kᵀ A K."""
    for i in range(6):  # rows of W in the innermost loops: four of their entries at a time
        for j in range(6):
            W[i, j] = A[i, 0] * K[0, j]
        for k in range(1, 6):
            share = A[i, k]
            for j in range(6):
                W[i, j] += share * K[k, j]
    for i in range(6):
        for j in range(6):
            W[i, 6 + j] = K[0, i] * W[0, j]
        for k in range(1, 6):
            share = K[k, i]
            for j in range(6):
                W[i, 6 + j] += share * W[k, j]
        for j in range(6):
            above[i, j] += W[i, 6 + j]


@inner
def factor_joints(
    C: Array, inertia: Array, metric: Array, branches: Int, length: float, A: Array, N: Array, K: Array, Z: Array,
    L: Array, free: Int, W: Array,
) -> bool:  # fmt: skip
    """N, K, Z and L of all bodies; False where rows of a joint depend on each other, or a motion has no inertia."""
    n = branches.shape[0]
    for b in range(n + 1):
        for i in range(6):
            for j in range(6):
                A[b, i, j] = inertia[b, i] if i == j and b < n else 0.0
    order = free[n:]
    for k in range(n - 1, -1, -1):
        b = branches[k, BODY]
        free[b] = _joint_motions(
            C, branches[k, FIRST], branches[k, LAST], branches[k, END], length, W, order, N[b], K[b]
        )
        if free[b] < 0 or not _eliminate(A[b], N[b], Z[b], L[b], metric, b, free[b]):
            return False
        if branches[k, ABOVE] < n:
            _carry(A[b], K[b], A[branches[k, ABOVE]], W)
    return True


@inner
def solve_tree(branches: Int, free: Int, N: Array, K: Array, Z: Array, L: Array, z: Array, p: Array, V: Array) -> None:
    """V of momenta p, which are used up; the last row of both is that of the ground."""
    n = branches.shape[0]
    for k in range(n - 1, -1, -1):
        b, above = branches[k, BODY], branches[k, ABOVE]
        for i in range(free[b]):
            total = 0.0
            for j in range(6):
                total += N[b, j, i] * p[b, j]
            for j in range(i):
                total -= L[b, i, j] * z[b, j]
            z[b, i] = total / L[b, i, i]
        if above < n:
            for i in range(free[b]):
                for j in range(6):
                    p[b, j] -= Z[b, i, j] * z[b, i]
            for j in range(6):
                for i in range(6):
                    p[above, j] += K[b, i, j] * p[b, i]
    for i in range(6):
        V[n, i] = 0.0
    for k in range(n):
        b, above = branches[k, BODY], branches[k, ABOVE]
        for i in range(6):
            total = 0.0
            for j in range(6):
                total += K[b, i, j] * V[above, j]
            V[b, i] = total
        for i in range(free[b]):
            for j in range(6):
                z[b, i] -= Z[b, i, j] * V[b, j]
        for i in range(free[b] - 1, -1, -1):
            for j in range(i + 1, free[b]):
                z[b, i] -= L[b, j, i] * z[b, j]
            z[b, i] /= L[b, i, i]
        for j in range(6):
            for i in range(free[b]):
                V[b, j] += N[b, j, i] * z[b, i]


@inner
def _load(E: Array, k: int, p: Array) -> None:
    """Momenta of a row."""
    for b in range(p.shape[0]):
        for i in range(6):
            p[b, i] = E[k, 6 * b + i] if b < p.shape[0] - 1 else 0.0


@inner
def _schur(t: Linked, m: Memory, o: Loops) -> int:
    """S of rows E, scaled by their sizes, as far as they are independent: their number, -1: a matter of rounding."""
    E, Y, S, mu, order, n = o.E, o.Y, o.S, o.mu, o.order, t.branches.shape[0]
    p, V = m.p, m.V
    count = E.shape[0]
    for k in range(count):
        size = 0.0
        for b in range(n):
            for i in range(6):
                size += E[k, 6 * b + i] * E[k, 6 * b + i] / t.metric[b, i]
        mu[2, k] = 1.0 / math.sqrt(size) if size > 0.0 else 0.0
        _load(E, k, p)
        solve_tree(t.branches, m.free, m.N, m.K, m.Z, m.L, m.z, p, V)
        for b in range(n):
            for i in range(6):
                Y[k, 6 * b + i] = V[b, i]
        order[k] = k
    for k in range(count):
        for l in range(k + 1):
            total = 0.0
            for j in range(6 * n):
                total += E[k, j] * Y[l, j]
            S[k, l] = S[l, k] = mu[2, k] * mu[2, l] * total
    for s in range(count):
        best = s
        for k in range(s + 1, count):
            if S[order[k], order[k]] > S[order[best], order[best]]:
                best = k
        order[s], order[best] = order[best], order[s]
        pivot = S[order[s], order[s]]
        if pivot < DEPENDENT:
            return s
        if not pivot > INDEPENDENT:
            return -1
        root = math.sqrt(pivot)
        for k in range(s, count):
            S[order[k], order[s]] /= root
        for k in range(s + 1, count):
            for l in range(s + 1, k + 1):
                S[order[k], order[l]] -= S[order[k], order[s]] * S[order[l], order[s]]
                S[order[l], order[k]] = S[order[k], order[l]]
    return count


@inner
def _missing(E: Array, b: Array, V: Array, mu: Array, k: int) -> float:
    """E V - b of a row in units of its size, left in its place; returns the terms of it."""
    total, terms = -b[k], abs(b[k])
    for a in range(V.shape[0] - 1):
        for i in range(6):
            total += E[k, 6 * a + i] * V[a, i]
            terms += abs(E[k, 6 * a + i] * V[a, i])
    mu[1, k] = total * mu[2, k]
    return terms * mu[2, k]


@inner
def _hold_rows(o: Loops, V: Array, b: Array, rank: int) -> bool:
    """V with all rows E kept, once more for what rounding leaves; False where rows that depend on others miss."""
    E, Y, S, mu, order = o.E, o.Y, o.S, o.mu, o.order
    for k in range(E.shape[0]):
        mu[0, k] = _missing(E, b, V, mu, k)
    for _ in range(2):
        for s in range(rank):
            k = order[s]
            _missing(E, b, V, mu, k)
            for l in range(s):
                mu[1, k] -= S[k, order[l]] * mu[1, order[l]]
            mu[1, k] /= S[k, k]
        for s in range(rank - 1, -1, -1):
            k = order[s]
            for l in range(s + 1, rank):
                mu[1, k] -= S[order[l], k] * mu[1, order[l]]
            mu[1, k] /= S[k, k]
        for s in range(rank):
            k = order[s]
            for a in range(V.shape[0] - 1):
                for i in range(6):
                    V[a, i] -= mu[1, k] * mu[2, k] * Y[k, 6 * a + i]
    for s in range(rank, E.shape[0]):
        k = order[s]
        _missing(E, b, V, mu, k)
        if not abs(mu[1, k]) <= MISSED * mu[0, k]:
            return False
    return True


@inner
def _close(t: Linked, C: Array, E: Array) -> None:
    """Rows that close loops over the velocities of all bodies."""
    for k in range(t.closing.size):
        row = t.closing[k]
        for j in range(E.shape[1]):
            E[k, j] = 0.0
        for end in range(2):
            body = t.ends[t.rows[row, PAIR], end]
            if body < t.branches.shape[0]:
                for i in range(6):
                    E[k, 6 * body + i] += C[row, 6 * end + i]


@inner
def _copy(x: Array, y: Array) -> None:
    """Velocities or momenta of all bodies and the ground."""
    for a in range(x.shape[0]):
        for i in range(6):
            y[a, i] = x[a, i]


@inner
def nearest(t: Linked, m: Memory, o: Loops | None, b: Array) -> bool:
    """V nearest to the momenta p, of bodies and rows that are placed; b: of closing rows, then of others in E."""
    if not factor_joints(m.C, t.inertia, t.metric, t.branches, t.size[0], m.A, m.N, m.K, m.Z, m.L, m.free, m.W):
        return False
    if o is None:
        solve_tree(t.branches, m.free, m.N, m.K, m.Z, m.L, m.z, m.p, m.V)
        return True
    _close(t, m.C, o.E)
    kept = m.A[:, 0]  # the elimination is done
    _copy(m.p, kept)
    rank = _schur(t, m, o)
    _copy(kept, m.p)
    solve_tree(t.branches, m.free, m.N, m.K, m.Z, m.L, m.z, m.p, m.V)
    return rank >= 0 and _hold_rows(o, m.V, b, rank)


@kernel
def nearest_velocities(
    t: Linked, m: Memory, o: Loops | None, q: Array, P: Array, E: Array, b: Array, out: Array, done: Array
) -> None:
    """Velocities out (n, velocities) at configurations q (n, size) with momenta P; done: 1 where they are found.

    E: (n, k, 6 bodies) other rows.   b: (n, closing + k) what closing rows and these must be.
    """
    for k in range(q.shape[0]):
        place_bodies(t.bodies, q[k], m.R, m.r)
        place_rows(t.bodies, t.ends, t.arms, t.axes, t.rows, m.R, m.r, m.C, m.g)
        take_momenta(t.bodies, P[k], m.p)
        if o is not None:
            for i in range(E.shape[1]):
                for j in range(E.shape[2]):
                    o.E[t.closing.size + i, j] = E[k, i, j]
        done[k] = 1.0 if nearest(t, m, o, b[k]) else 0.0
        give_velocities(t.bodies, m.V, out[k])


@inner
def give_velocities(bodies: Int, V: Array, out: Array) -> None:
    """Velocities of all bodies in a row, in the order of `Linkage`."""
    for a in range(bodies.shape[0]):
        width = 3 if bodies[a, WIDTH] == POINT else 6
        for i in range(width):
            out[bodies[a, COLUMN] + i] = V[a, 6 - width + i]
