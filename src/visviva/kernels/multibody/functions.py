"""Functions of the relative placement of two frames: rows of joints and lengths of springs, all at most quadratic.

    MEET   d = x_B - x_A             (three functions, in world axes)
    DOT    u·w                       u: vector on the parent A,   w: on the child B
    ALONG  u·d,   ALONG_CHILD  w·d
    ROD    ½ (d·d - l²)

With f_i = ∂g/∂y_i for the points and vectors y_i it depends on, the value at the end of a step is exact in its middle:

    g(q1)/h = g(q0)/h + F·(u_B - u_A) + M_A·ω_A + M_B·ω_B,    F = f of the child's point,  M = Σ p_i × f_i

p: arms in the middle, p = C p(0). Impulses Λ of a function enter the balances with Λ F, Λ N(a) M; C, N: see `bodies`.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven

from visviva.kernels.multibody.algebra import (  # isort: skip
    ZERO, Vector, add_to, cross, dot, matrix, minus, moment, mul, plus, put, size_of, times, to_middle, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ALONG, ALONG_CHILD, AM, AN, BM, BN, CHILD, CONST, DM, DN, DOT, F1, FORCE, KIND, MA, MA1, MB, MB1, MEET, PARENT, PHI,
    ROT, SHARED_ON_PARENT, SHRINK, SIZE_G, SIZE_R, SIZE_T, TORQUE, TWIN, UM, UN, WM, WN, XA, XB, XU, XW, A, F, G, Int,
    U, W,
)  # fmt: skip

TINY = 1e-30  # a size may be zero, where everything is at the origin


@inner
def place_function(B: Array, X: Array, K: Int, i: int) -> None:
    """Its vectors, points and value at the start of a step."""
    kind, P, C = K[i, KIND], K[i, PARENT], K[i, CHILD]
    RA, RB = matrix(B, P, ROT), matrix(B, C, ROT)
    if kind == DOT:
        u, w = mul(RA, vector(X, i, XU)), mul(RB, vector(X, i, XW))
        put(X, i, UN, u)
        put(X, i, WN, w)
        X[i, G] = dot(u, w) - X[i, CONST]
        X[i, SIZE_G] = 1.0
        return
    a, b = mul(RA, vector(X, i, XA)), mul(RB, vector(X, i, XB))
    xa, xb = plus(vector(B, P, PHI), a), plus(vector(B, C, PHI), b)
    d = minus(xb, xa)
    put(X, i, AN, a)
    put(X, i, BN, b)
    put(X, i, DN, d)
    size = size_of(vector(B, P, PHI)) + size_of(a) + size_of(vector(B, C, PHI)) + size_of(b)
    if kind == MEET:
        put(X, i, G, d)
    elif kind == ALONG:
        u = mul(RA, vector(X, i, XU))
        put(X, i, UN, u)
        X[i, G] = dot(u, d) - X[i, CONST]
    elif kind == ALONG_CHILD:
        w = mul(RB, vector(X, i, XW))
        put(X, i, WN, w)
        X[i, G] = dot(w, d) - X[i, CONST]
    else:
        X[i, G] = 0.5 * dot(d, d) - X[i, CONST]
        size *= size_of(d)
    X[i, SIZE_G] = size + TINY


@inner
def turned(B: Array, b: int, x: Vector) -> Vector:
    """A vector fixed in a body, from the start of a step to its middle."""
    return to_middle(vector(B, b, A), B[b, SHRINK], x)


@inner
def back(B: Array, b: int, x: Vector) -> Vector:
    """Cᵀ x of a body."""
    return to_middle(times(-1.0, vector(B, b, A)), B[b, SHRINK], x)


@woven
def meet_middle(B: Array, X: Array, K: Int, i: int) -> Vector:
    """Arms of both points in the middle of a step, and the velocity with which the points part."""
    P, C = K[i, PARENT], K[i, CHILD]
    a, b = turned(B, P, vector(X, i, AN)), turned(B, C, vector(X, i, BN))
    put(X, i, AM, a)
    put(X, i, BM, b)
    va, vb = cross(vector(B, P, W), a), cross(vector(B, C, W), b)
    return minus(plus(vector(B, C, U), vb), plus(vector(B, P, U), va))


@inner
def dot_middle(B: Array, X: Array, K: Int, i: int) -> float:
    """The same for a DOT: M_A = u × w = -M_B."""
    P, C = K[i, PARENT], K[i, CHILD]
    u, w = turned(B, P, vector(X, i, UN)), turned(B, C, vector(X, i, WN))
    m = cross(u, w)
    put(X, i, UM, u)
    put(X, i, WM, w)
    put(X, i, MA, m)
    return dot(m, minus(vector(B, P, W), vector(B, C, W)))


@woven
def hinge_middle(B: Array, X: Array, K: Int, i: int) -> tuple[float, float]:
    """The same for two DOTs that share an axis: it is turned once."""
    P, C, j = K[i, PARENT], K[i, CHILD], i + 1
    u, w = turned(B, P, vector(X, i, UN)), turned(B, C, vector(X, i, WN))
    put(X, i, UM, u)
    put(X, i, WM, w)
    m = cross(u, w)
    put(X, i, MA, m)
    apart = minus(vector(B, P, W), vector(B, C, W))
    first = dot(m, apart)
    if K[i, TWIN] == SHARED_ON_PARENT:
        w = turned(B, C, vector(X, j, WN))
    else:
        u = turned(B, P, vector(X, j, UN))
    put(X, j, UM, u)
    put(X, j, WM, w)
    m = cross(u, w)
    put(X, j, MA, m)
    return first, dot(m, apart)


@inner
def middle(B: Array, X: Array, K: Int, i: int, h: float) -> float:
    """Vectors, points and moments in the middle of a step; returns the rate (g(q1) - g(q0))/h. Not for MEET."""
    kind, P, C = K[i, KIND], K[i, PARENT], K[i, CHILD]
    if kind == DOT:
        return dot_middle(B, X, K, i)
    apart = meet_middle(B, X, K, i)
    a, b = vector(X, i, AM), vector(X, i, BM)
    shift = plus(
        times(0.5 * h, minus(vector(B, C, U), vector(B, P, U))),
        minus(vector(X, i, DN), minus(vector(X, i, BN), vector(X, i, AN))),
    )
    d = plus(shift, minus(b, a))
    put(X, i, DM, d)
    f, turning = d, 0.0
    mA, mB = ZERO, ZERO
    if kind == ALONG:
        f = turned(B, P, vector(X, i, UN))
        put(X, i, UM, f)
        mA = cross(f, d)
        turning = dot(mA, vector(B, P, W))
    elif kind == ALONG_CHILD:
        f = turned(B, C, vector(X, i, WN))
        put(X, i, WM, f)
        mB = cross(f, d)
        turning = dot(mB, vector(B, C, W))
    put(X, i, F, f)
    put(X, i, MA, minus(mA, cross(a, f)))
    put(X, i, MB, plus(mB, cross(b, f)))
    return dot(f, apart) + turning


@woven
def push_meet(B: Array, X: Array, K: Int, i: int, L: Vector) -> None:
    """Add the impulse L on the child's point, and its opposite on the parent's, to the balances of momentum."""
    P, C, size = K[i, PARENT], K[i, CHILD], size_of(L)
    if B.shape[0] - 1 > C:
        m = moment(vector(B, C, A), cross(vector(X, i, BM), L))
        add_to(B, C, FORCE, L)
        add_to(B, C, TORQUE, m)
        B[C, SIZE_T] += size
        B[C, SIZE_R] += size_of(m)
    if B.shape[0] - 1 > P:
        m = moment(vector(B, P, A), cross(L, vector(X, i, AM)))
        add_to(B, P, FORCE, times(-1.0, L))
        add_to(B, P, TORQUE, m)
        B[P, SIZE_T] += size
        B[P, SIZE_R] += size_of(m)


@inner
def push_dot(B: Array, X: Array, K: Int, i: int, impulse: float) -> None:
    """Add the impulse of a DOT to the balances of momentum."""
    push_moment(B, K[i, PARENT], K[i, CHILD], times(impulse, vector(X, i, MA)))


@woven
def push_moment(B: Array, P: int, C: int, m: Vector) -> None:
    """Add a moment on the parent, and its opposite on the child."""
    s = size_of(m)
    if B.shape[0] - 1 > C:
        add_to(B, C, TORQUE, times(-1.0, moment(vector(B, C, A), m)))
        B[C, SIZE_R] += s
    if B.shape[0] - 1 > P:
        add_to(B, P, TORQUE, moment(vector(B, P, A), m))
        B[P, SIZE_R] += s


@inner
def push(B: Array, X: Array, K: Int, i: int, impulse: float) -> None:
    """Add the impulse of a function that is no MEET to the balances of momentum."""
    if K[i, KIND] == DOT:
        push_dot(B, X, K, i, impulse)
        return
    P, C, f = K[i, PARENT], K[i, CHILD], times(impulse, vector(X, i, F))
    if B.shape[0] - 1 > C:
        m = times(impulse, moment(vector(B, C, A), vector(X, i, MB)))
        add_to(B, C, TORQUE, m)
        add_to(B, C, FORCE, f)
        B[C, SIZE_T] += size_of(f)
        B[C, SIZE_R] += size_of(m)
    if B.shape[0] - 1 > P:
        m = times(impulse, moment(vector(B, P, A), vector(X, i, MA)))
        add_to(B, P, TORQUE, m)
        add_to(B, P, FORCE, times(-1.0, f))
        B[P, SIZE_T] += size_of(f)
        B[P, SIZE_R] += size_of(m)


@inner
def end_slope(B: Array, X: Array, K: Int, i: int) -> None:
    """Derivative of g(q1)/h by u and ω of both bodies: F1 of the child (its opposite of the parent), MA1, MB1.

    Points and vectors at the end are twice those in the middle less those at the start.
    """
    kind, P, C = K[i, KIND], K[i, PARENT], K[i, CHILD]
    if kind == DOT:
        u, w = vector(X, i, UM), vector(X, i, WM)
        u1, w1 = minus(times(2.0, u), vector(X, i, UN)), minus(times(2.0, w), vector(X, i, WN))
        put(X, i, MA1, cross(u, back(B, P, w1)))
        put(X, i, MB1, cross(w, back(B, C, u1)))
        return
    a, b, d = vector(X, i, AM), vector(X, i, BM), vector(X, i, DM)
    d1 = minus(times(2.0, d), vector(X, i, DN))
    f, mA, mB = d1, ZERO, ZERO
    if kind == ALONG:
        u = vector(X, i, UM)
        f = minus(times(2.0, u), vector(X, i, UN))
        mA = cross(u, back(B, P, d1))
    elif kind == ALONG_CHILD:
        w = vector(X, i, WM)
        f = minus(times(2.0, w), vector(X, i, WN))
        mB = cross(w, back(B, C, d1))
    put(X, i, F1, f)
    put(X, i, MA1, minus(mA, cross(a, back(B, P, f))))
    put(X, i, MB1, plus(mB, cross(b, back(B, C, f))))
