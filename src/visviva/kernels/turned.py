"""Spaces with rotations in a midpoint step: retraction, mean, and the pull-back of gradients, with derivatives.

With Δ = h ω and R1 = R0 cay(Δ), as in `visviva.geometry.embedding`:

    R̄ = (R0 + R1)/2,   Q = R̄⁻ᵀ = R0 (I + Δ̂/2),   e_ω = Qᵀ Σ_i d̄_i x D_i,   e_v = Qᵀ D_r (turning) or D_r

where D is the discrete gradient in coordinates (r, d1, d2, d3). Q is linear in Δ, so nothing is inverted.

A variable is a product of factors, one row of `Program.turned` each; the derivatives dX of its coordinates by its rates
are one matrix, with the rows of Q below those of the coordinates. Where a factor does not act, dX stays zero.
"""

from __future__ import annotations

from functools import cache

from visviva._arrays import Array
from visviva.kernels.functions import addressable
from visviva.kernels.program import (
    AT_D,
    AT_DD,
    AT_E,
    AT_P,
    AT_Q,
    AT_S,
    AT_X,
    AT_Z,
    COL,
    KIND,
    MOVES,
    ROW,
    ROW_Q,
    WIDTH_X,
    WIDTH_Z,
    Int,
)
from visviva.kernels.signatures import PULL, RETRACT

FLAT = 0  # KIND: a flat factor, of as many numbers as MOVES says; else the dimension of the space that is turned
ALONE, BODY, WORLD = 0, 1, 2  # MOVES: no translation, one that turns with the body, one that does not


def retract(row: Int, h: float, x0: Array, y: Array, x1: Array, s: Array, dX: Array) -> None:
    """End, mean and Q of one factor, and the derivatives of the first and the last by the rates."""
    n, moves = row[KIND], row[MOVES]
    ax, az, at, Q, nz = row[AT_X], row[AT_Z], row[AT_S], row[AT_Q], row[WIDTH_Z]
    P = row[AT_P] + row[ROW] * nz + row[COL]
    PQ = row[AT_P] + row[ROW_Q] * nz + row[COL]
    if n == FLAT:
        for k in range(moves):
            x1[ax + k] = x0[ax + k] + h * y[az + k]
            s[at + k] = 0.5 * (x0[ax + k] + x1[ax + k])
            dX[P + k * nz + k] = h
        return
    head = n if moves != ALONE else 0
    turns = 3 if n == 3 else 1
    w0 = h * y[az] if n == 3 else 0.0
    w1 = h * y[az + 1] if n == 3 else 0.0
    w2 = h * y[az + 2] if n == 3 else h * y[az]
    scale = 1.0 / (1.0 + 0.25 * (w0 * w0 + w1 * w1 + w2 * w2))
    # the Cayley map is I + scale C with C = ŵ + ŵ²/2, entry by entry
    c00, c01, c02 = -0.5 * (w1 * w1 + w2 * w2), 0.5 * w0 * w1 - w2, 0.5 * w0 * w2 + w1
    c10, c11, c12 = 0.5 * w0 * w1 + w2, -0.5 * (w0 * w0 + w2 * w2), 0.5 * w1 * w2 - w0
    c20, c21, c22 = 0.5 * w0 * w2 - w1, 0.5 * w1 * w2 + w0, -0.5 * (w0 * w0 + w1 * w1)
    for i in range(n):  # row i of R1 and Q, from row i = (a, b, c) of R0
        a, b = x0[ax + head + i], x0[ax + head + n + i]
        c = x0[ax + head + 2 * n + i] if n == 3 else 0.0
        x1[ax + head + i] = a + scale * (a * c00 + b * c10 + c * c20)
        x1[ax + head + n + i] = b + scale * (a * c01 + b * c11 + c * c21)
        s[Q + i] = a + 0.5 * (b * w2 - c * w1)
        s[Q + n + i] = b + 0.5 * (c * w0 - a * w2)
        p, q = P + (head + i) * nz, PQ + i * nz
        if n == 3:
            x1[ax + head + 2 * n + i] = c + scale * (a * c02 + b * c12 + c * c22)
            s[Q + 6 + i] = c + 0.5 * (a * w1 - b * w0)
            dX[q + 2], dX[q + 1] = 0.5 * h * b, -0.5 * h * c
            dX[q + 3 * nz], dX[q + 3 * nz + 2] = 0.5 * h * c, -0.5 * h * a
            dX[q + 6 * nz + 1], dX[q + 6 * nz] = 0.5 * h * a, -0.5 * h * b
        else:
            dX[q], dX[q + 2 * nz] = 0.5 * h * b, -0.5 * h * a
        for k in range(turns):  # ∂R1/∂ω_k = h R0 (scale ∂C + ∂scale C), ∂scale = -scale² w_k / 2
            e0, e1 = 1.0 if turns == 3 and k == 0 else 0.0, 1.0 if k == 1 else 0.0
            e2 = 1.0 if k == turns - 1 else 0.0
            fall = -0.5 * scale * scale * (w0 * e0 + w1 * e1 + w2 * e2)
            d01, d02, d12 = 0.5 * (w0 * e1 + w1 * e0), 0.5 * (w0 * e2 + w2 * e0), 0.5 * (w1 * e2 + w2 * e1)
            d00, d11, d22 = -(w1 * e1 + w2 * e2), -(w0 * e0 + w2 * e2), -(w0 * e0 + w1 * e1)
            dX[p + k] = h * (scale * (a * d00 + b * (d01 + e2) + c * (d02 - e1)) + fall * (a * c00 + b * c10 + c * c20))
            dX[p + n * nz + k] = h * (
                scale * (a * (d01 - e2) + b * d11 + c * (d12 + e0)) + fall * (a * c01 + b * c11 + c * c21)
            )
            if n == 3:
                dX[p + 6 * nz + k] = h * (
                    scale * (a * (d02 + e1) + b * (d12 - e0) + c * d22) + fall * (a * c02 + b * c12 + c * c22)
                )
    for i in range(head):
        for k in range(turns):
            dX[P + i * nz + k] = 0.0
        change = 0.0
        for j in range(n):
            v = h * y[az + turns + j]
            if moves == WORLD:
                change += v if i == j else 0.0
                dX[P + i * nz + turns + j] = h if i == j else 0.0
            else:
                change += s[Q + n * j + i] * v
                dX[P + i * nz + turns + j] = h * s[Q + n * j + i]
                for k in range(turns):
                    dX[P + i * nz + k] += v * dX[PQ + (n * j + i) * nz + k]
        x1[ax + i] = x0[ax + i] + change
    for k in range(head + n * n):
        s[at + k] = 0.5 * (x0[ax + k] + x1[ax + k])


def pull(row: Int, h: float, jac: int, s: Array, z: Array, dE: Array, dX: Array) -> None:
    """Efforts of one factor from the discrete gradient in coordinates, e = N(x̄)ᵀ D, and their derivatives.

    z holds D of the variable at AT_D, dE holds h ∂D/∂x1 at AT_DD, and dX holds ∂x1/∂(rates).
    """
    n, moves = row[KIND], row[MOVES]
    az, at, Q, P, o, nx, nz = row[AT_Z], row[AT_S], row[AT_Q], row[AT_P], row[ROW], row[WIDTH_X], row[WIDTH_Z]
    D, DD, E = row[AT_D] + o, row[AT_DD] + o * nx, row[AT_E] + row[COL] * nz
    if n == FLAT:
        for j in range(moves):
            z[az + j] = z[D + j]
            for k in range(nz if jac == 1 else 0):
                for l in range(nx):
                    dE[E + j * nz + k] += dE[DD + j * nx + l] * dX[P + l * nz + k] / h
        return
    head = n if moves != ALONE else 0
    turns = 3 if n == 3 else 1
    for k in range(-1, nz if jac == 1 else 0):  # the moment m = Σ d̄_i x D_i and the force f, then their derivatives
        m0 = m1 = m2 = f0 = f1 = f2 = 0.0
        for i in range(head, head + n * n, n):
            d0, d1, d2 = s[at + i], s[at + i + 1], s[at + i + 2] if n == 3 else 0.0
            g0, g1, g2 = z[D + i], z[D + i + 1], z[D + i + 2] if n == 3 else 0.0
            if k >= 0:
                t0, t1 = 0.5 * dX[P + (o + i) * nz + k], 0.5 * dX[P + (o + i + 1) * nz + k]
                t2 = 0.5 * dX[P + (o + i + 2) * nz + k] if n == 3 else 0.0
                m0 += t1 * g2 - t2 * g1
                m1 += t2 * g0 - t0 * g2
                m2 += t0 * g1 - t1 * g0
                g0 = g1 = g2 = 0.0
                for l in range(nx):
                    v = dX[P + l * nz + k] / h
                    g0 += dE[DD + i * nx + l] * v
                    g1 += dE[DD + (i + 1) * nx + l] * v
                    g2 += dE[DD + (i + 2) * nx + l] * v if n == 3 else 0.0
            m0 += d1 * g2 - d2 * g1
            m1 += d2 * g0 - d0 * g2
            m2 += d0 * g1 - d1 * g0
        if moves != ALONE and k < 0:
            f0, f1, f2 = z[D], z[D + 1], z[D + 2] if n == 3 else 0.0
        elif moves != ALONE:
            for l in range(nx):
                v = dX[P + l * nz + k] / h
                f0 += dE[DD + l] * v
                f1 += dE[DD + nx + l] * v
                f2 += dE[DD + 2 * nx + l] * v if n == 3 else 0.0
        for j in range(turns):
            q = Q + 3 * j
            value = s[q] * m0 + s[q + 1] * m1 + s[q + 2] * m2 if n == 3 else m2
            if k < 0:
                z[az + j] = value
            else:
                dE[E + j * nz + k] += value
        for j in range(head):
            q = Q + n * j
            value = f0 if j == 0 else f1 if j == 1 else f2
            if moves == BODY:
                value = s[q] * f0 + s[q + 1] * f1 + (s[q + 2] * f2 if n == 3 else 0.0)
            if k < 0:
                z[az + turns + j] = value
            else:
                dE[E + (turns + j) * nz + k] += value
    if jac != 1:
        return
    m0 = m1 = m2 = 0.0  # and the part from ∂Q
    for i in range(head, head + n * n, n):
        if n == 3:
            m0 += s[at + i + 1] * z[D + i + 2] - s[at + i + 2] * z[D + i + 1]
            m1 += s[at + i + 2] * z[D + i] - s[at + i] * z[D + i + 2]
            m2 += s[at + i] * z[D + i + 1] - s[at + i + 1] * z[D + i]
    for k in range(row[COL], row[COL] + turns):
        for j in range(turns if n == 3 else 0):
            p = P + (row[ROW_Q] + 3 * j) * nz + k
            dE[E + j * nz + k] += dX[p] * m0 + dX[p + nz] * m1 + dX[p + 2 * nz] * m2
        for j in range(head if moves == BODY else 0):
            p = P + (row[ROW_Q] + n * j) * nz + k
            value = dX[p] * z[D] + dX[p + nz] * z[D + 1] + (dX[p + 2 * nz] * z[D + 2] if n == 3 else 0.0)
            dE[E + (turns + j) * nz + k] += value


@cache
def turning() -> tuple[int, int]:
    """Addresses of both functions: they are compiled for models that have rotations, and once."""
    return addressable(RETRACT, retract), addressable(PULL, pull)
