"""Energy of a tree: kinetic, of gravity, and of the springs in its joints.

T = ½ ω·J ω + ½ m v·v + v·(ω × h),   V = -g·(m r + R h),   ½ c (q - q_r)²
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel
from visviva.kernels.multibody.algebra import cross, dot, mul_t, plus
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.algebra import matrix, put, six, sym, vector
from visviva.kernels.trees.joints import relative_velocity
from visviva.kernels.trees.kinematics import place

from visviva.kernels.trees.tables import (  # isort: skip
    ARM, AT_Q, AT_V, AXIS, HEIGHT, HINGE, INERTIA, KIND, LINEAR, MASS, MOMENT, OMEGA, PARENT, R_PL, RELAXED, STIFFNESS,
    UP,
)  # fmt: skip


@inner
def energy(C: Array, K: Int, E: Array, q: Array, xi: Array, W: Array) -> float:
    """T + V [J]."""
    total = 0.0
    for i in range(K.shape[0]):
        p, k = K[i, PARENT], K[i, AT_V]
        place(C, K, W, i, q)
        R, r, m, h = matrix(W, i, R_PL), vector(W, i, ARM), C[i, MASS], vector(C, i, MOMENT)
        w_P, up = vector(W, p, OMEGA), vector(W, p, UP)
        if K[i, KIND] == HINGE:
            w, v = (0.0, 0.0, xi[k]), (0.0, 0.0, 0.0)
        else:
            w, v = relative_velocity(C, K, i, xi)
        w = plus(w, mul_t(R, w_P))
        v = plus(v, mul_t(R, plus(vector(W, p, LINEAR), cross(w_P, r))))
        height = W[p, HEIGHT] + dot(up, r)
        up = mul_t(R, up)
        put(W, i, OMEGA, w)
        put(W, i, LINEAR, v)
        put(W, i, UP, up)
        W[i, HEIGHT] = height
        total += (
            0.5 * (dot(w, sym(six(C, i, INERTIA), w)) + m * dot(v, v)) + dot(v, cross(w, h)) + m * height + dot(up, h)
        )
        if K[i, KIND] <= AXIS:
            x = q[K[i, AT_Q]] - E[k, RELAXED]
            total += 0.5 * E[k, STIFFNESS] * x * x
    return total


@kernel
def energies(C: Array, K: Int, E: Array, Q: Array, XI: Array, H: Array, W: Array) -> None:
    """H[b] at Q[b], XI[b]."""
    for b in range(Q.shape[0]):
        H[b] = energy(C, K, E, Q[b], XI[b], W)
