"""Kinematics and balance of momentum of one body over a step that keeps the rates of constraints as well.

Unknowns are the velocities u, ω that move it from the start to the end, R1 = cay(h ω) R, and its velocities at the end:
v1, and ψ with which its directors have the velocities V1 = cay(h ω) ψ̂ R: the angular velocity, seen from the start.
Projected on rotations as in `bodies`, all is polynomial. With a = ½ h ω, B = R E Rᵀ, Z = V Rᵀ at the start, and with
forces f at arms p (at the start) along the rows of joints, f' their rates, multipliers Λ and G:

    W = ½ [(I + â) ψ̂ + (I - â) Z],   S = (ω̂ - W) B + (I - â) Σ G f pᵀ
    m (u - ½ (v0 + v1)) + Σ G f = 0,               axial(S) = 0
    m (v1 - v0) - h F + Σ (Λ f - h G f') = 0
    axial([(I + â) ψ̂ - (I - â) Z] B + h W S) + N(a) (Σ C p × (Λ f - h G f') - h M) = 0

S is what is left of the directors' own multipliers, and symmetric at the solution; C p is the arm in the middle of the
step. The scheme is eq. (61) of Latussek, Kinon, Betsch, with γ = -G.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.bodies import (
    euler_tensor,
    force_on,
    load_moment,
    moment_on,
    orthonormal,
    turned,
    with_needle,
)

from visviva.kernels.multibody.algebra import (  # isort: skip
    NOTHING, ZERO, Matrix, Vector, add_to, axial, cross_product, dot, halfway, hat, hat_mul, lowered, matminus,
    matmul, matplus, matrix, mattimes, minus, moment, mul, plus, put, put_matrix, size_of, times, to_middle, trace_less,
    transpose, vector,
)  # fmt: skip
from visviva.kernels.multibody.ggl_tables import (  # isort: skip
    B0, KIN_R, KIN_T, PSI, PUSH, Q, S_, V1, W_, Z0,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    FORCE, KVV, KVW, KWV, KWW, LOAD_M, MASS, OWN_F, PHI, ROT, SHRINK, SIZE_R, SIZE_T, SPIN, TORQUE, VEL, A, U, W,
)  # fmt: skip


@inner
def begin_rates(B: Array, C: Array) -> None:
    """What both levels need of the start of a step; C: table of the second level."""
    for b in range(B.shape[0] - 1):
        put_matrix(C, b, B0, euler_tensor(B, b))
        put_matrix(C, b, Z0, matmul(matrix(B, b, SPIN), transpose(matrix(B, b, ROT))))


@inner
def end_turn(B: Array, b: int, x: Vector) -> Vector:
    """A vector fixed in a body, from the start of a step to its end: cay(h ω) x."""
    return minus(times(2.0, to_middle(vector(B, b, A), B[b, SHRINK], x)), x)


@inner
def end_turn_back(B: Array, b: int, x: Vector) -> Vector:
    """From the end to the start: cay(h ω)ᵀ x."""
    return minus(times(2.0, to_middle(times(-1.0, vector(B, b, A)), B[b, SHRINK], x)), x)


@inner
def open_balances(B: Array, C: Array, gravity: Array, h: float) -> None:
    """Middle of the step, and the balances of momentum without joints, elements and S."""
    g = (gravity[0], gravity[1], gravity[2])
    for b in range(B.shape[0] - 1):
        mass, v0, v1 = B[b, MASS], vector(B, b, VEL), vector(C, b, V1)
        a = times(0.5 * h, vector(B, b, W))
        f = times(h, plus(times(mass, g), force_on(B, b, a)))
        put(B, b, FORCE, minus(times(mass, minus(v1, v0)), f))
        B[b, SIZE_T] = mass * (size_of(v0) + size_of(v1) + size_of(vector(B, b, U))) + size_of(f)
        put(B, b, A, a)
        B[b, SHRINK] = 1.0 / (1.0 + dot(a, a))
        load = times(h, moment(a, load_moment(a, moment_on(B, b, a))))
        put(B, b, TORQUE, times(-1.0, load))
        B[b, SIZE_R] = size_of(load)
        put(C, b, PUSH, ZERO)
        put_matrix(C, b, Q, NOTHING)


@inner
def close_balances(B: Array, C: Array, h: float) -> None:
    """The rest, when all forces have added up in PUSH and Q."""
    for b in range(B.shape[0] - 1):
        mean = times(0.5, plus(vector(B, b, VEL), vector(C, b, V1)))
        put(C, b, KIN_T, plus(times(B[b, MASS], minus(vector(B, b, U), mean)), vector(C, b, PUSH)))
        B[b, SIZE_T] += size_of(vector(C, b, PUSH))
        a, B_, Z = vector(B, b, A), matrix(C, b, B0), matrix(C, b, Z0)
        psi = hat(vector(C, b, PSI))
        change, total = matminus(psi, Z), matplus(psi, Z)
        W1 = mattimes(0.5, matplus(total, hat_mul(a, change)))
        S = matplus(matmul(matminus(hat(vector(B, b, W)), W1), B_), matmul(lowered(a), matrix(C, b, Q)))
        spin = axial(matmul(matplus(change, hat_mul(a, total)), B_))
        put(C, b, KIN_R, axial(S))
        add_to(B, b, TORQUE, plus(spin, times(h, axial(matmul(W1, S)))))
        J, Q_ = trace_less(B_), matrix(C, b, Q)
        B[b, SIZE_R] += size_of(mul(J, vector(B, b, W))) + size_of(mul(J, vector(C, b, PSI)))
        B[b, SIZE_R] += size_of(axial(matmul(Z, B_))) + abs(Q_[0]) + abs(Q_[4]) + abs(Q_[8])
        put_matrix(C, b, W_, W1)
        put_matrix(C, b, S_, S)


@inner
def _own(B: Array, b: int, vv: float, ww: Matrix) -> None:
    """The blocks of a body with itself."""
    put_matrix(B, b, KVV, (vv, 0.0, 0.0, 0.0, vv, 0.0, 0.0, 0.0, vv))
    put_matrix(B, b, KVW, NOTHING)
    put_matrix(B, b, KWV, NOTHING)
    put_matrix(B, b, KWW, ww)


@inner
def slope_kinematics(B: Array, C: Array, h: float) -> None:
    """Derivative of the kinematics by u and ω, at constant forces and arms: what these add comes with the joints."""
    for b in range(B.shape[0] - 1):
        B_, change = matrix(C, b, B0), matminus(hat(vector(C, b, PSI)), matrix(C, b, Z0))
        K = trace_less(matminus(B_, mattimes(0.25 * h, matmul(change, B_))))
        _own(B, b, B[b, MASS], with_needle(K, B, b, 0))


@inner
def slope_kinematics_end(B: Array, C: Array) -> None:
    """Derivative of the kinematics by v1 and ψ; x -> axial(A x̂ B) is `cross_product(A, Bᵀ)`."""
    for b in range(B.shape[0] - 1):
        raised = lowered(times(-1.0, vector(B, b, A)))
        _own(B, b, -0.5 * B[b, MASS], mattimes(-0.5, cross_product(raised, matrix(C, b, B0))))


@inner
def slope_momentum(B: Array, C: Array, h: float) -> None:
    """Derivative of the balances of momentum by u and ω."""
    for b in range(B.shape[0] - 1):
        B_, Z, psi = matrix(C, b, B0), matrix(C, b, Z0), hat(vector(C, b, PSI))
        change, total = matminus(psi, Z), matplus(psi, Z)
        S, Y = matrix(C, b, S_), matminus(B_, mattimes(0.25 * h, matmul(change, B_)))
        Y = matminus(Y, mattimes(0.5 * h, matrix(C, b, Q)))
        K = mattimes(0.5 * h, trace_less(matmul(total, B_)))
        K = matplus(K, mattimes(0.25 * h * h, trace_less(matmul(change, S))))
        K = matplus(K, mattimes(h, cross_product(matrix(C, b, W_), transpose(Y))))
        _own(B, b, 0.0, matminus(K, mattimes(0.5 * h * h, hat(vector(B, b, LOAD_M)))))
        f = vector(B, b, OWN_F)
        if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0:
            put_matrix(B, b, KVW, mattimes(0.5 * h * h, hat(turned(B, b, vector(B, b, A), f))))


@inner
def slope_momentum_end(B: Array, C: Array, h: float) -> None:
    """Derivative of the balances of momentum by v1 and ψ."""
    for b in range(B.shape[0] - 1):
        B_, raised = matrix(C, b, B0), lowered(times(-1.0, vector(B, b, A)))
        half = mattimes(0.5 * h, matmul(matrix(C, b, W_), raised))
        K = cross_product(matminus(raised, half), B_)
        K = matplus(K, cross_product(mattimes(0.5 * h, raised), transpose(matrix(C, b, S_))))
        _own(B, b, B[b, MASS], with_needle(K, B, b, 0))


@inner
def end_rates(B: Array, C: Array, h: float) -> None:
    """The state at the end of a step that was solved: it becomes the start of the next."""
    for b in range(B.shape[0] - 1):
        R, a = matrix(B, b, ROT), vector(B, b, A)
        w = end_turn(B, b, vector(C, b, PSI))
        D = matmul(halfway(a, B[b, SHRINK]), R)
        R = orthonormal(matminus(mattimes(2.0, D), R))
        put(B, b, PHI, plus(vector(B, b, PHI), times(h, vector(B, b, U))))
        put(B, b, VEL, vector(C, b, V1))
        put_matrix(B, b, ROT, R)
        put_matrix(B, b, SPIN, hat_mul(w, R))
