"""Spaces with rotations in a midpoint step: retraction, mean, and the pull-back of gradients, with derivatives.

With Δ = h ω and R1 = R0 cay(Δ), as in `visviva.geometry.embedding`:

    R̄ = (R0 + R1)/2,   Q = R̄⁻ᵀ = R0 (I + Δ̂/2),   e_ω = Qᵀ Σ_i d̄_i x D_i,   e_v = Qᵀ D_r (turning) or D_r

where D is the discrete gradient in coordinates (r, d1, d2, d3). Q is linear in Δ, so nothing is inverted.
"""

from __future__ import annotations

from functools import cache

from visviva._arrays import Array
from visviva.kernels.cache import addressable
from visviva.kernels.calls import PULL, RETRACT
from visviva.kernels.program import AT_D, AT_DD, AT_E, AT_P, AT_S, AT_X, AT_Z, KIND, MOVES, WIDTH_X, WIDTH_Z, Int

ALONE, BODY, WORLD = 0, 1, 2  # MOVES: no translation, one that turns with the body, one that does not


def retract(row: Int, h: float, x0: Array, y: Array, x1: Array, s: Array, dX: Array) -> None:
    """End, mean and Q of one space, and the derivatives of the first and the last by the rates."""
    kind, moves = row[KIND], row[MOVES]
    ax, az, at, P, nx, nz = row[AT_X], row[AT_Z], row[AT_S], row[AT_P], row[WIDTH_X], row[WIDTH_Z]
    n = kind
    head = n if moves != ALONE else 0
    turns = 3 if n == 3 else 1
    for k in range((nx + n * n) * nz):
        dX[P + k] = 0.0
    w0 = h * y[az] if n == 3 else 0.0
    w1 = h * y[az + 1] if n == 3 else 0.0
    w2 = h * y[az + 2] if n == 3 else h * y[az]
    scale = 1.0 / (1.0 + 0.25 * (w0 * w0 + w1 * w1 + w2 * w2))
    for k in range(head, nx):
        x1[ax + k] = x0[ax + k]
    # C = ŵ + ŵ²/2, entry by entry; the Cayley map is I + scale C
    c00, c01, c02 = -0.5 * (w1 * w1 + w2 * w2), 0.5 * w0 * w1 - w2, 0.5 * w0 * w2 + w1
    c10, c11, c12 = 0.5 * w0 * w1 + w2, -0.5 * (w0 * w0 + w2 * w2), 0.5 * w1 * w2 - w0
    c20, c21, c22 = 0.5 * w0 * w2 - w1, 0.5 * w1 * w2 + w0, -0.5 * (w0 * w0 + w1 * w1)
    for i in range(n):
        a, b = x0[ax + head + i], x0[ax + head + n + i]
        c = x0[ax + head + 2 * n + i] if n == 3 else 0.0
        x1[ax + head + i] += scale * (a * c00 + b * c10 + c * c20)
        x1[ax + head + n + i] += scale * (a * c01 + b * c11 + c * c21)
        if n == 3:
            x1[ax + head + 2 * n + i] += scale * (a * c02 + b * c12 + c * c22)
            p = P + i * nz
            for k in range(3):  # ∂R1/∂ω_k = h (scale R0 ∂C + ∂scale R0 C), ∂scale = -scale² w_k / 2
                w_k = w0 if k == 0 else w1 if k == 1 else w2
                fall = -0.5 * scale * scale * w_k
                e0, e1, e2 = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
                d00, d01, d02 = -(w1 * e1 + w2 * e2), 0.5 * (w0 * e1 + w1 * e0) - e2, 0.5 * (w0 * e2 + w2 * e0) + e1
                d10, d11, d12 = 0.5 * (w0 * e1 + w1 * e0) + e2, -(w0 * e0 + w2 * e2), 0.5 * (w1 * e2 + w2 * e1) - e0
                d20, d21, d22 = 0.5 * (w0 * e2 + w2 * e0) - e1, 0.5 * (w1 * e2 + w2 * e1) + e0, -(w0 * e0 + w1 * e1)
                dX[p + head * nz + k] = h * (
                    scale * (a * d00 + b * d10 + c * d20) + fall * (a * c00 + b * c10 + c * c20)
                )
                dX[p + (head + 3) * nz + k] = h * (
                    scale * (a * d01 + b * d11 + c * d21) + fall * (a * c01 + b * c11 + c * c21)
                )
                dX[p + (head + 6) * nz + k] = h * (
                    scale * (a * d02 + b * d12 + c * d22) + fall * (a * c02 + b * c12 + c * c22)
                )
        else:
            fall = -0.5 * scale * scale * w2
            p = P + i * nz
            dX[p + head * nz] = h * (scale * (-w2 * a + b) + fall * (a * c00 + b * c10))
            dX[p + (head + 2) * nz] = h * (scale * (-a - w2 * b) + fall * (a * c01 + b * c11))
    size = head + n * n
    for i in range(n):  # Q = R0 (I + ŵ/2), column by column, and its constant derivatives
        a, b = x0[ax + head + i], x0[ax + head + n + i]
        c = x0[ax + head + 2 * n + i] if n == 3 else 0.0
        s[at + size + i] = a + 0.5 * (b * w2 - c * w1)
        s[at + size + n + i] = b + 0.5 * (c * w0 - a * w2)
        p = P + (size + i) * nz
        if n == 3:
            s[at + size + 6 + i] = c + 0.5 * (a * w1 - b * w0)
            dX[p + 2], dX[p + 1] = 0.5 * h * b, -0.5 * h * c
            dX[p + 3 * nz], dX[p + 3 * nz + 2] = 0.5 * h * c, -0.5 * h * a
            dX[p + 6 * nz + 1], dX[p + 6 * nz] = 0.5 * h * a, -0.5 * h * b
        else:
            dX[p] = 0.5 * h * b
            dX[p + 2 * nz] = -0.5 * h * a
    if moves != ALONE:
        for i in range(n):
            change = 0.0
            for j in range(n):
                v = h * y[az + turns + j]
                if moves == WORLD:
                    change += v if i == j else 0.0
                    dX[P + i * nz + turns + j] = h if i == j else 0.0
                else:
                    q = at + size + n * j + i
                    change += s[q] * v
                    dX[P + i * nz + turns + j] = h * s[q]
                    for k in range(turns):
                        dX[P + i * nz + k] += v * dX[P + (size + n * j + i) * nz + k]
            x1[ax + i] = x0[ax + i] + change
    for k in range(size):
        s[at + k] = 0.5 * (x0[ax + k] + x1[ax + k])


def pull(row: Int, h: float, jac: int, s: Array, z: Array, dE: Array, dX: Array) -> None:
    """Efforts from the discrete gradient in coordinates, e = N(x̄)ᵀ D, and their derivatives by the rates.

    z holds D at AT_D, dE holds h ∂D/∂x1 at AT_DD and dX holds ∂x1/∂(rates).
    """
    kind, moves = row[KIND], row[MOVES]
    az, at, D, E, DD, P, nx, nz = (
        row[AT_Z], row[AT_S], row[AT_D], row[AT_E], row[AT_DD], row[AT_P], row[WIDTH_X], row[WIDTH_Z],
    )  # fmt: skip
    n = kind
    head = n if moves != ALONE else 0
    turns = 3 if n == 3 else 1
    size = head + n * n
    # the moment m = Σ d̄_i x D_i and the force f, then their derivatives column by column
    for k in range(-1, nz if jac else 0):
        m0 = m1 = m2 = 0.0
        f0 = f1 = f2 = 0.0
        if k < 0:
            for i in range(n):
                d, g = at + head + n * i, D + head + n * i
                if n == 3:
                    m0 += s[d + 1] * z[g + 2] - s[d + 2] * z[g + 1]
                    m1 += s[d + 2] * z[g] - s[d] * z[g + 2]
                m2 += s[d] * z[g + 1] - s[d + 1] * z[g]
            if moves != ALONE:
                f0, f1 = z[D], z[D + 1]
                f2 = z[D + 2] if n == 3 else 0.0
        else:
            for i in range(n):
                d, g = at + head + n * i, D + head + n * i
                t0, t1 = 0.5 * dX[P + (head + n * i) * nz + k], 0.5 * dX[P + (head + n * i + 1) * nz + k]
                t2 = 0.5 * dX[P + (head + n * i + 2) * nz + k] if n == 3 else 0.0
                b0 = b1 = b2 = 0.0
                for l in range(size):
                    v = dX[P + l * nz + k] / h
                    b0 += dE[DD + (head + n * i) * nx + l] * v
                    b1 += dE[DD + (head + n * i + 1) * nx + l] * v
                    if n == 3:
                        b2 += dE[DD + (head + n * i + 2) * nx + l] * v
                if n == 3:
                    m0 += t1 * z[g + 2] - t2 * z[g + 1] + s[d + 1] * b2 - s[d + 2] * b1
                    m1 += t2 * z[g] - t0 * z[g + 2] + s[d + 2] * b0 - s[d] * b2
                m2 += t0 * z[g + 1] - t1 * z[g] + s[d] * b1 - s[d + 1] * b0
            if moves != ALONE:
                for l in range(size):
                    v = dX[P + l * nz + k] / h
                    f0 += dE[DD + l] * v
                    f1 += dE[DD + nx + l] * v
                    if n == 3:
                        f2 += dE[DD + 2 * nx + l] * v
        for j in range(turns):
            if n == 3:
                q = at + size + 3 * j
                value = s[q] * m0 + s[q + 1] * m1 + s[q + 2] * m2
            else:
                value = m2
            if k < 0:
                z[az + j] = value
            else:
                dE[E + j * nz + k] += value
        if moves != ALONE:
            for j in range(n):
                if moves == BODY:
                    q = at + size + n * j
                    value = s[q] * f0 + s[q + 1] * f1 + (s[q + 2] * f2 if n == 3 else 0.0)
                else:
                    value = f0 if j == 0 else f1 if j == 1 else f2
                if k < 0:
                    z[az + turns + j] = value
                else:
                    dE[E + (turns + j) * nz + k] += value
    if not jac:
        return
    m0 = m1 = m2 = 0.0  # and the part from ∂Q
    for i in range(n):
        d, g = at + head + n * i, D + head + n * i
        if n == 3:
            m0 += s[d + 1] * z[g + 2] - s[d + 2] * z[g + 1]
            m1 += s[d + 2] * z[g] - s[d] * z[g + 2]
            m2 += s[d] * z[g + 1] - s[d + 1] * z[g]
    for k in range(turns):
        if n == 3:
            for j in range(3):
                p = P + (size + 3 * j) * nz + k
                dE[E + j * nz + k] += dX[p] * m0 + dX[p + nz] * m1 + dX[p + 2 * nz] * m2
        if moves == BODY:
            for j in range(n):
                p = P + (size + n * j) * nz + k
                value = dX[p] * z[D] + dX[p + nz] * z[D + 1]
                if n == 3:
                    value += dX[p + 2 * nz] * z[D + 2]
                dE[E + (turns + j) * nz + k] += value


@cache
def turning() -> tuple[int, int]:
    """Addresses of both functions: they are compiled for models that have rotations, and once."""
    return addressable(RETRACT, retract).address, addressable(PULL, pull).address
