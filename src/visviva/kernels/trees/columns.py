"""M x = r of a tree for many right-hand sides, in O(n) for each whatever the depth of the tree.

With e the wrench D⁻¹ Uᵀ that the joint takes of accelerations, and its unit velocities S, all about one origin in one
set of axes, nothing is transformed from link to link:

    inwards:    y = r - S·p,            p_P += p + Σ e y
    outwards:   x = D⁻¹ y - e·a_P,      a = a_P + Σ S x

It is M = Lᵀ D L, with L_jk = e_j·S_k where k is between j and the ground, without L. Of the velocities of one joint
e_j·S_k is 1 or 0: they are taken one by one, with p and a in place. It is 24 products for each entry of x, where `runs`
has twice the depth. Source: Featherstone (2008), section 7.3.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Place
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.algebra import Six
from visviva.kernels.trees.lanes import load_four, store_four
from visviva.kernels.trees.runs import PANEL, Memory, Paths, times_inverse
from visviva.kernels.trees.tables import AT_V, COUNT, PARENT


@inner
def solve_by_links(K: Int, t: Paths, block: int, Y: Array, unit: Place, e: Place, D: Array, m: Memory) -> None:
    """X <- M⁻¹ X in the rows of a block, a panel of columns at a time. unit, e: rows of Y where S and e begin."""
    from_link, to_link, start, end = t.blocks[block, 0], t.blocks[block, 1], t.blocks[block, 2], t.blocks[block, 3]
    X, A, ground, width = m.X, m.A, m.A.shape[0] - 1, 3 * (end - start)
    for left in range(0, width, PANEL):
        right = min(left + PANEL, width)
        for i in range(to_link - 1, from_link - 1, -1):
            own, at = t.slots[i, 0], t.slots[K[i, PARENT], 0]
            for c in range(0, 6 * PANEL if t.slots[i, 1] else 0, 4):
                store_four(A, own, c, 0.0)
            for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
                _pass(Y, unit, e, k, 1.0, X, left, right, A, own)
            for c in range(0, 6 * PANEL if own != at and at != ground else 0, 4):
                store_four(A, at, c, load_four(A, at, c) + load_four(A, own, c))
        for i in range(from_link, to_link):
            own, at, count = t.slots[i, 0], t.slots[K[i, PARENT], 0], K[i, COUNT]
            for c in range(0, 6 * PANEL if own != at else 0, 4):
                store_four(A, own, c, load_four(A, at, c))
            if count > 1:
                times_inverse(D, K[i, AT_V], count, X, left, m.B)
            for k in range(K[i, AT_V], K[i, AT_V] + count):
                _pass(Y, e, unit, k, D[k, 0] if count == 1 else 1.0, X, left, right, A, own)


@woven
def _pass(
    Y: Array, taken: Place, given: Place, k: int, scale: float, X: Array, left: int, right: int, A: Array, own: int
) -> None:
    """x <- scale x - s·b,  b += w x  in row k, with s and w from the rows `taken` and `given` of Y."""
    for c in range(left, right, 8):
        s, w = _six_of(Y, taken, k), _six_of(Y, given, k)  # read again: twelve registers have b and d
        b, d = _six_rows(A, own, c - left), _six_rows(A, own, c - left + 4)
        x, y = scale * load_four(X, k, c) - _dot(s, b), scale * load_four(X, k, c + 4) - _dot(s, d)
        store_four(X, k, c, x)
        store_four(X, k, c + 4, y)
        _put_rows(A, own, c - left, _plus(b, w, x))
        _put_rows(A, own, c - left + 4, _plus(d, w, y))


@woven
def _six_of(Y: Array, row: Place, k: int) -> Six:
    return (Y[row, k], Y[row + 1, k], Y[row + 2, k], Y[row + 3, k], Y[row + 4, k], Y[row + 5, k])


@woven
def _six_rows(A: Array, i: int, k: int) -> Six:
    """Four columns of the panel of link i."""
    return (
        load_four(A, i, k), load_four(A, i, k + PANEL), load_four(A, i, k + 2 * PANEL),
        load_four(A, i, k + 3 * PANEL), load_four(A, i, k + 4 * PANEL), load_four(A, i, k + 5 * PANEL),
    )  # fmt: skip


@woven
def _put_rows(A: Array, i: int, k: int, x: Six) -> None:
    store_four(A, i, k, x[0])
    store_four(A, i, k + PANEL, x[1])
    store_four(A, i, k + 2 * PANEL, x[2])
    store_four(A, i, k + 3 * PANEL, x[3])
    store_four(A, i, k + 4 * PANEL, x[4])
    store_four(A, i, k + 5 * PANEL, x[5])


@woven
def _dot(S: Six, x: Six) -> float:
    return (S[0] * x[0] + S[1] * x[1] + S[2] * x[2]) + (S[3] * x[3] + S[4] * x[4] + S[5] * x[5])


@woven
def _plus(a: Six, S: Six, x: float) -> Six:
    return (a[0] + S[0] * x, a[1] + S[1] * x, a[2] + S[2] * x, a[3] + S[3] * x, a[4] + S[4] * x, a[5] + S[5] * x)
