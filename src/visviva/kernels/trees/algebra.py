"""Symmetric matrices as six numbers (xx, xy, xz, yy, yz, zz), and turns about coordinate axes.

They hold for numbers and for `Lanes`.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import woven
from visviva.kernels.multibody.algebra import Matrix, Place, Vector, cross, dot, minus, plus, times
from visviva.kernels.trees.lanes import floor, load, reciprocal, store

Six = tuple[float, float, float, float, float, float]
Articulated = tuple[Six, Matrix, Six, Vector, Vector]  # J, H, M, n, f
NONE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@woven
def vector(T: Array, i: int, k: Place) -> Vector:
    """Three numbers of row i from column k on."""
    return (load(T, i, k), load(T, i, k + 1), load(T, i, k + 2))


@woven
def six(T: Array, i: int, k: Place) -> Six:
    """Six numbers of row i from column k on."""
    return (
        load(T, i, k), load(T, i, k + 1), load(T, i, k + 2), load(T, i, k + 3), load(T, i, k + 4), load(T, i, k + 5),
    )  # fmt: skip


@woven
def matrix(T: Array, i: int, k: Place) -> Matrix:
    """Nine numbers of row i from column k on."""
    return (
        load(T, i, k), load(T, i, k + 1), load(T, i, k + 2),
        load(T, i, k + 3), load(T, i, k + 4), load(T, i, k + 5),
        load(T, i, k + 6), load(T, i, k + 7), load(T, i, k + 8),
    )  # fmt: skip


@woven
def put(T: Array, i: int, k: Place, x: Vector) -> None:
    """Write a vector to row i."""
    store(T, i, k, x[0])
    store(T, i, k + 1, x[1])
    store(T, i, k + 2, x[2])


@woven
def put_six(T: Array, i: int, k: Place, A: Six) -> None:
    """Write six numbers to row i."""
    put(T, i, k, (A[0], A[1], A[2]))
    put(T, i, k + 3, (A[3], A[4], A[5]))


@woven
def put_matrix(T: Array, i: int, k: Place, A: Matrix) -> None:
    """Write a matrix to row i."""
    put(T, i, k, (A[0], A[1], A[2]))
    put(T, i, k + 3, (A[3], A[4], A[5]))
    put(T, i, k + 6, (A[6], A[7], A[8]))


@woven
def add_to(T: Array, i: int, k: Place, x: Vector) -> None:
    """Add a vector to what is there."""
    put(T, i, k, plus(vector(T, i, k), x))


@woven
def sym(A: Six, x: Vector) -> Vector:
    """A x."""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[1] * x[0] + A[3] * x[1] + A[4] * x[2],
        A[2] * x[0] + A[4] * x[1] + A[5] * x[2],
    )


@woven
def around(w: Vector, x: Vector) -> Vector:
    """w × (w × x)."""
    return minus(times(dot(w, x), w), times(dot(w, w), x))


@woven
def about_z(c: float, s: float, x: Vector) -> Vector:
    """Rz x."""
    return (c * x[0] - s * x[1], s * x[0] + c * x[1], x[2])


@woven
def about_x(c: float, s: float, x: Vector) -> Vector:
    """Rx x."""
    return (x[0], c * x[1] - s * x[2], s * x[1] + c * x[2])


@woven
def in_plane(c: float, s: float, a: float, b: float, d: float, e: float) -> tuple[float, float, float, float]:
    """R [[a, b], [d, e]] Rᵀ of a turn in the plane; trace and skew part stay, the rest turns by twice the angle.

    It has four products beside s² and s c, where two turns have sixteen: products are what limits these kernels.
    """
    x, y, p, o = s * s, s * c, a - e, b + d
    t, u = x * p + y * o, y * p - x * o
    return a - t, b + u, d + u, e + t


@woven
def sym_about_z(c: float, s: float, A: Six) -> Six:
    """Rz A Rzᵀ."""
    x, y, _, z = in_plane(c, s, A[0], A[1], A[1], A[3])
    return (x, y, c * A[2] - s * A[4], z, s * A[2] + c * A[4], A[5])


@woven
def sym_about_x(c: float, s: float, A: Six) -> Six:
    """Rx A Rxᵀ."""
    x, y, _, z = in_plane(c, s, A[3], A[4], A[4], A[5])
    return (A[0], c * A[1] - s * A[2], s * A[1] + c * A[2], x, y, z)


@woven
def full_about_z(c: float, s: float, A: Matrix) -> Matrix:
    """Rz A Rzᵀ."""
    x, y, z, w = in_plane(c, s, A[0], A[1], A[3], A[4])
    return (
        x, y, c * A[2] - s * A[5],
        z, w, s * A[2] + c * A[5],
        c * A[6] - s * A[7], s * A[6] + c * A[7], A[8],
    )  # fmt: skip


@woven
def sym_turned(R: Matrix, A: Six) -> Six:
    """R A Rᵀ of a rotation R; the trace stays."""
    x, y = sym(A, (R[0], R[1], R[2])), sym(A, (R[3], R[4], R[5]))
    a = x[0] * R[0] + x[1] * R[1] + x[2] * R[2]
    d = y[0] * R[3] + y[1] * R[4] + y[2] * R[5]
    return (
        a,
        x[0] * R[3] + x[1] * R[4] + x[2] * R[5],
        x[0] * R[6] + x[1] * R[7] + x[2] * R[8],
        d,
        y[0] * R[6] + y[1] * R[7] + y[2] * R[8],
        A[0] + A[3] + A[5] - a - d,
    )


@woven
def sym_inverse(A: Six) -> tuple[Six, float]:
    """A⁻¹ by cofactors, and det A."""
    c0, c1, c2 = A[3] * A[5] - A[4] * A[4], A[2] * A[4] - A[1] * A[5], A[1] * A[4] - A[2] * A[3]
    d = A[0] * c0 + A[1] * c1 + A[2] * c2
    s = reciprocal(d)
    inverse = (
        s * c0, s * c1, s * c2,
        s * (A[0] * A[5] - A[2] * A[2]), s * (A[1] * A[2] - A[0] * A[4]), s * (A[0] * A[3] - A[1] * A[1]),
    )  # fmt: skip
    return inverse, d


@woven
def rotation(w: float, x: float, y: float, z: float) -> Matrix:
    """Of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@woven
def cos_sin(t: float) -> tuple[float, float]:
    """cos t and sin t to rounding for |t| < 10⁶: t less a multiple of π/2 in three parts, then polynomials.

    The reduction is that of Cody and Waite (1980), the polynomials are Chebyshev's of (sin y - y)/y³ and
    (cos y - 1 + y²/2)/y⁴ on |y| <= π/4. No branch, so that it
    holds for lanes; the quadrant chooses and signs by arithmetic.
    """
    k = floor(t * 0.6366197723675814 + 0.5)
    y = ((t - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21
    z = y * y
    s = y + y * z * (-0.16666666666666666 + z * (0.008333333333330827 + z * (-0.0001984126983657571 + z * (
        2.755731600817155e-06 + z * (-2.5051112272573243e-08 + z * 1.5916726193889336e-10)))))  # fmt: skip
    c = 1.0 - 0.5 * z + z * z * (0.041666666666666664 + z * (-0.0013888888888887322 + z * (
        2.4801587298651292e-05 + z * (-2.755731721268659e-07 + z * (
            2.0876134024090145e-09 + z * -1.1381754653662937e-11)))))  # fmt: skip
    quadrant = k - 4.0 * floor(0.25 * k)
    half = floor(0.5 * quadrant)
    odd = quadrant - 2.0 * half
    sign = 1.0 - 2.0 * half
    return sign * (1.0 - 2.0 * odd) * (c + odd * (s - c)), sign * (s + odd * (c - s))


@woven
def cross_columns(r: Vector, A: Six) -> Matrix:
    """r̂ A."""
    a, b, c = cross(r, (A[0], A[1], A[2])), cross(r, (A[1], A[3], A[4])), cross(r, (A[2], A[4], A[5]))
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])
