"""The balance of momentum of one body over a step, projected on six unknowns.

Directors obey d_i(1) - d_i(0) = h ω × d_i(mean): the update is R1 = cay(h ω) R0. Their momentum balance, projected with
the null space of their constraints in the middle of the step and multiplied by N(a) = I - â + a aᵀ, a = ½ h ω,
is linear:

    2 [(J + ½ h L) ω - p] = h N(a) m,    B = R E Rᵀ, P = V E Rᵀ,  J = tr(B) I - B,  L = tr(P) I - P,  p = axial(P)

with the directors R and their velocities V at the start; Betsch, Leyendecker (2006), Int. J. Numer. Meth. Eng. 67, 499.
For the Lie form, with p = R J ω the momentum at the start (Austin, Krishnaprasad, Wang (1993), J. Comput. Phys. 107,
105):

    2 [(I + â + a aᵀ) J ω - (I + a aᵀ) p] = h N(a) m
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel

from visviva.kernels.multibody.algebra import (  # isort: skip
    NOTHING, ONE, Matrix, Vector, add_outer, axial, cross, dot, halfway, hat, hat_mul, matminus, matmul, matplus,
    matrix, mattimes, minus, moment, mul, mul_t, plus, put, put_matrix, size_of, times, to_middle, trace_less, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    DU, DW, FORCE, H_START, INERTIA, KVV, KVW, KWV, KWW, LOAD_F, LOAD_M, MASS, MOMENTUM, OWN_F, OWN_M, PHI, ROT,
    SHRINK, SIZE_R, SIZE_T, SPIN, TORQUE, VEL, A, E, U, W,
)  # fmt: skip

NEEDLE = 1e-9  # of the trace of the inertia, added to the matrix only: an axis without inertia that joints hold
THIN = 1e-6  # of the sum of moments of inertia: the smallest one of a needle is less


@inner
def _weighted(R: Matrix, e: Vector) -> Matrix:
    """diag(e) Rᵀ."""
    return (
        e[0] * R[0], e[0] * R[3], e[0] * R[6],
        e[1] * R[1], e[1] * R[4], e[1] * R[7],
        e[2] * R[2], e[2] * R[5], e[2] * R[8],
    )  # fmt: skip


@inner
def euler_tensor(B: Array, b: int) -> Matrix:
    """R E Rᵀ at the start of a step."""
    R = matrix(B, b, ROT)
    return matmul(R, _weighted(R, vector(B, b, E)))


@inner
def begin_bodies(B: Array, lie: int, h: float) -> None:
    """What the balance of momentum needs of the start of a step."""
    for b in range(B.shape[0] - 1):
        R = matrix(B, b, ROT)
        ERt = _weighted(R, vector(B, b, E))
        if lie:
            put_matrix(B, b, INERTIA, mattimes(2.0, matmul(R, ERt)))
            w = vector(B, b, SPIN)
            put(B, b, MOMENTUM, mul(mattimes(2.0, R), (B[b, E] * w[0], B[b, E + 1] * w[1], B[b, E + 2] * w[2])))
        else:
            P = matmul(matrix(B, b, SPIN), ERt)
            put_matrix(B, b, INERTIA, trace_less(matplus(mattimes(2.0, matmul(R, ERt)), mattimes(h, P))))
            put(B, b, MOMENTUM, times(2.0, axial(P)))


@inner
def load_moment(a: Vector, m: Vector) -> Vector:
    """A moment m given as ½ m × d_i on the directors, pulled back to rotations: ½ (tr(D Dᵀ) I - D Dᵀ) m."""
    s = dot(a, a)
    return times(0.5 / (1.0 + s), minus(times(2.0 + s, m), times(dot(a, m), a)))


@inner
def turned(B: Array, b: int, a: Vector, x: Vector) -> Vector:
    """A vector in principal axes, in the world in the middle of a step: that of the mean of both ends; a = ½ h ω."""
    if x[0] == 0.0 and x[1] == 0.0 and x[2] == 0.0:
        return x
    return to_middle(a, 1.0 / (1.0 + dot(a, a)), mul(matrix(B, b, ROT), x))


@inner
def force_on(B: Array, b: int, a: Vector) -> Vector:
    """Of all inputs on a body in the middle of a step."""
    return plus(vector(B, b, LOAD_F), turned(B, b, a, vector(B, b, OWN_F)))


@inner
def moment_on(B: Array, b: int, a: Vector) -> Vector:
    """Of all inputs on a body in the middle of a step, to be pulled back by `load_moment`."""
    return plus(vector(B, b, LOAD_M), turned(B, b, a, vector(B, b, OWN_M)))


@inner
def balance_bodies(B: Array, lie: int, gravity: Array, h: float) -> None:
    """Residual of the balance of momentum without joints and elements, and the size of its terms."""
    g = (gravity[0], gravity[1], gravity[2])
    for b in range(B.shape[0] - 1):
        m2, u, v, w = 2.0 * B[b, MASS], vector(B, b, U), vector(B, b, VEL), vector(B, b, W)
        a, p, x = times(0.5 * h, w), vector(B, b, MOMENTUM), mul(matrix(B, b, INERTIA), w)
        f = times(h, plus(times(B[b, MASS], g), force_on(B, b, a)))
        put(B, b, FORCE, minus(times(m2, minus(u, v)), f))
        B[b, SIZE_T] = m2 * (size_of(u) + size_of(v)) + size_of(f)
        put(B, b, A, a)
        B[b, SHRINK] = 1.0 / (1.0 + dot(a, a))
        B[b, SIZE_R] = size_of(x) + size_of(p)
        if lie:
            x = plus(plus(x, cross(a, x)), times(dot(a, minus(x, p)), a))
        load = times(h, moment(a, load_moment(a, moment_on(B, b, a))))
        B[b, SIZE_R] += size_of(load)
        put(B, b, TORQUE, minus(minus(x, p), load))


@inner
def with_needle(K: Matrix, B: Array, b: int, lie: int) -> Matrix:
    """The block of a body's rotation, with some inertia about an axis that has none, which joints hold."""
    e = vector(B, b, E)
    total = e[0] + e[1] + e[2]
    least = min(e[0], min(e[1], e[2])) if lie else 0.5 * (total - max(e[0], max(e[1], e[2])))
    return matplus(K, mattimes(NEEDLE * (K[0] + K[4] + K[8]), ONE)) if least <= THIN * total else K


@inner
def slope_bodies(B: Array, lie: int, h: float) -> None:
    """Derivative of the same by u and ω. That of inputs is left out but for its leading part.

    A force that turns with its body has ∂f/∂ω = -½ h f̂; a moment that does has none: as its axes turn, so does N(a).
    """
    for b in range(B.shape[0] - 1):
        m2 = 2.0 * B[b, MASS]
        put_matrix(B, b, KVV, (m2, 0.0, 0.0, 0.0, m2, 0.0, 0.0, 0.0, m2))
        K, a, f = matrix(B, b, INERTIA), vector(B, b, A), vector(B, b, OWN_F)
        put_matrix(B, b, KVW, NOTHING)
        if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0:
            put_matrix(B, b, KVW, mattimes(0.5 * h * h, hat(turned(B, b, a, f))))
        put_matrix(B, b, KWV, NOTHING)
        if lie:
            x, p = mul(K, vector(B, b, W)), vector(B, b, MOMENTUM)
            rest, s = minus(x, p), dot(a, minus(x, p))
            slope = add_outer((s, x[2], -x[1], -x[2], s, x[0], x[1], -x[0], s), a, rest)
            K = matplus(matplus(K, hat_mul(a, K)), add_outer(mattimes(0.5 * h, slope), a, mul_t(K, a)))
        m = vector(B, b, LOAD_M)
        if m[0] != 0.0 or m[1] != 0.0 or m[2] != 0.0:
            K = matminus(K, mattimes(0.5 * h * h, hat(m)))
        put_matrix(B, b, KWW, with_needle(K, B, b, lie))


@inner
def move_bodies(B: Array, part: float) -> None:
    """Take a part of the increments that the matrix has given."""
    for b in range(B.shape[0] - 1):
        put(B, b, U, plus(vector(B, b, U), times(part, vector(B, b, DU))))
        put(B, b, W, plus(vector(B, b, W), times(part, vector(B, b, DW))))


@inner
def end_bodies(B: Array, lie: int, h: float) -> None:
    """The state at the end of a step that was solved: it becomes the start of the next."""
    for b in range(B.shape[0] - 1):
        u, w, R = vector(B, b, U), vector(B, b, W), matrix(B, b, ROT)
        put(B, b, PHI, plus(vector(B, b, PHI), times(h, u)))
        put(B, b, VEL, minus(times(2.0, u), vector(B, b, VEL)))
        a = times(0.5 * h, w)
        D = matmul(halfway(a, 1.0 / (1.0 + dot(a, a))), R)
        if lie:
            put(B, b, SPIN, minus(times(2.0, mul_t(R, w)), vector(B, b, SPIN)))
        else:
            put_matrix(B, b, SPIN, matminus(mattimes(2.0, hat_mul(w, D)), matrix(B, b, SPIN)))
        put_matrix(B, b, ROT, orthonormal(matminus(mattimes(2.0, D), R)))


@inner
def orthonormal(R: Matrix) -> Matrix:
    """R (3 I - RᵀR)/2: it takes back the rounding of a step, so that it does not add up."""
    S = (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    return matminus(mattimes(1.5, R), mattimes(0.5, matmul(R, matmul(S, R))))


@inner
def kinetic(B: Array, lie: int, b: int) -> float:
    """Kinetic energy of a body at the start of a step."""
    v = vector(B, b, VEL)
    total = 0.5 * B[b, MASS] * dot(v, v)
    for i in range(3):
        k = SPIN + i
        square = B[b, k] * B[b, k]
        if not lie:
            square += B[b, k + 3] * B[b, k + 3] + B[b, k + 6] * B[b, k + 6]
        total += 0.5 * B[b, E + i] * square
    return total


@inner
def spin(B: Array, lie: int, b: int) -> Vector:
    """Angular velocity in world axes at the start of a step: ½ Σ d_i × ḋ_i, or R ω."""
    R, V = matrix(B, b, ROT), matrix(B, b, SPIN)
    if lie:
        return mul(R, (V[0], V[1], V[2]))
    return times(0.5, axial(matmul(V, (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]))))


@inner
def potential(B: Array, gravity: Array, b: int) -> float:
    """-m g·φ at the start of a step."""
    return -B[b, MASS] * (gravity[0] * B[b, PHI] + gravity[1] * B[b, PHI + 1] + gravity[2] * B[b, PHI + 2])


@inner
def load_work(B: Array, b: int, f: Vector, m: Vector, h: float) -> float:
    """Work of a force and a moment on a body over the step."""
    u, w, a = vector(B, b, U), vector(B, b, W), vector(B, b, A)
    return h * (dot(f, u) + dot(load_moment(a, m), w))


@kernel
def start_energies(B: Array, lie: int, gravity: Array) -> None:
    """Keep the energies at the start of a run: the scale of energy counts the changes since."""
    for b in range(B.shape[0] - 1):
        B[b, H_START] = kinetic(B, lie, b)
        B[b, H_START + 1] = potential(B, gravity, b)
