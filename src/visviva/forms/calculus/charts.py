"""Ready-made coordinates of the motions of joints, with q̇ = A(q) ξ, φ(q) and their derivatives in closed form.

Rotations are a pair (c, s) in the plane, nine entries of the matrix, column by column, or a quaternion (w, x, y, z).
Velocities are those of the body: ω, or (ω; v). All A and φ are polynomials of at most second degree.

Source: Konz (2.7) for matrices, (3.48) for poses; restoring terms (A.10)-(A.12).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.maps import Polynomial
from visviva.geometry.hat import isotropic2, skew
from visviva.geometry.linear import homogeneous
from visviva.geometry.quaternion import matrix_of, turned
from visviva.geometry.rotations import nearest_rotation
from visviva.geometry.se2 import SE2
from visviva.geometry.se3 import SE3
from visviva.geometry.so3 import SO3


def _to_unit_length(q: Array) -> Array:
    """-(|q|² - 1) q."""
    return np.asarray((1 - q @ q) * q)


def _of_unit_length(q: Array) -> Array:
    """q/|q|."""
    length = float(np.sqrt(q @ q))
    if not length > 0:
        raise ModelError("coordinates of a rotation are all zero: (c, s) and quaternions have the length 1.")
    return np.asarray(q / length)


def _plane_rates() -> Array:
    """∂A/∂q (4, 3, 4) of q = (x, y, c, s), ξ = (ω; v_x, v_y)."""
    b = np.zeros((4, 3, 4))
    b[2:, 0, 2:] = [[0, -1], [1, 0]]  # (c, s) turns with ω
    b[0, 1:, 2:] = [[1, 0], [0, -1]]  # ẋ = c v_x - s v_y
    b[1, 1:, 2:] = [[0, 1], [1, 0]]  # ẏ = s v_x + c v_y
    return b


def _matrix_rates() -> Array:
    """∂A/∂q (9, 3, 9) of Ṙ_rj = R_rc ω̂_cj, entry R_rj at 3 j + r; Konz (2.7)."""
    b = np.zeros((3, 3, 3, 3, 3))  # j, r, ω, c, r
    for r in range(3):
        b[:, r, :, :, r] = np.transpose(skew(np.eye(3)), (2, 0, 1))
    return b.reshape(9, 3, 9)


def _matrix_conditions() -> Array:
    """∂²φ/∂q² (6, 9, 9) of φ = R_i·R_j - δ_ij, columns i <= j."""
    c = np.zeros((6, 3, 3, 3, 3))  # row, column, entry, column, entry
    for row, (i, j) in enumerate(zip(*np.triu_indices(3), strict=True)):
        c[row, i, :, j, :] += np.eye(3)
        c[row, j, :, i, :] += np.eye(3)
    return c.reshape(6, 9, 9)


def _quaternion_rates() -> Array:
    """∂A/∂q (4, 3, 4) of A = ½ [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]."""
    b = np.zeros((4, 3, 4))
    for a, entries in enumerate([(-2, -3, -4), (1, -4, 3), (4, 1, -2), (-3, 2, 1)]):  # ± place of w, x, y, z
        for i, place in enumerate(entries):
            b[a, i, abs(place) - 1] = np.sign(place) / 2
    return b


def _quaternion_matrix() -> Array:
    """Second derivatives (3, 3, 4, 4) of the entries of |q|² R(q), from their values at unit vectors and sums."""
    e = np.eye(4)
    pairs = e[:, None] + e[None, :]  # (4, 4, 4)
    squares = np.einsum("abi,abi->ab", pairs, pairs)[..., None, None]
    sums = squares * matrix_of(pairs / np.sqrt(squares[..., 0]))  # f(e_a + e_b)
    alone = matrix_of(e)
    return np.moveaxis(np.round(sums - alone[:, None] - alone[None, :]), (0, 1), (2, 3))


class AbstractChart(ABC):
    """Coordinates q of motions, embedded in the poses of space.

    Laws:    Ẋ = X (S(q) ξ)^ on φ = 0, the derivative of `advance` at δ = 0 is A, and along q̇ = A ξ + rate·restoring
             each φ decays.
    """

    coordinates: tuple[str, ...]  # suffixes of the names
    velocities: tuple[str, ...]
    q0: Array  # (ν,)
    A: Polynomial  # (ν, n)
    phi: Polynomial  # (m,)

    @abstractmethod
    def pose(self, q: Array) -> Array:
        """X(q), shape (4, 4); a rotation also where |q| differs from 1, for (c, s) and quaternions."""

    @abstractmethod
    def twists(self, q: Array) -> Array:
        """S(q), shape (6, n)."""

    @abstractmethod
    def bias(self, q: Array, xi: Array) -> Array:
        """Ṡ ξ along q̇ = A ξ, shape (6,)."""

    @abstractmethod
    def advance(self, q: Array, delta: Array) -> Array:
        """The configuration at local coordinates δ from q, shape (ν,)."""

    @abstractmethod
    def inverse_tangent(self, delta: Array, xi: Array) -> Array:
        """δ̇ of these local coordinates when the velocity is ξ, shape (n,)."""

    @abstractmethod
    def restoring(self, q: Array) -> Array:
        """Direction in which φ decays at the rate 2 near φ = 0, orthogonal to motions, shape (ν,)."""

    @abstractmethod
    def nearest(self, q: Array) -> Array:
        """The nearest configuration with φ = 0."""


class AbstractGroupChart(AbstractChart):
    """Coordinates of a group of motions: S is constant, and `advance` is X exp(S δ)."""

    S: Array  # (6, n)

    def twists(self, q: Array) -> Array:  # noqa: D102
        return self.S

    def bias(self, q: Array, xi: Array) -> Array:  # noqa: D102
        return np.zeros(6)


@final
class Line(AbstractGroupChart):
    """One coordinate of its own along a constant screw: an angle, a shift, or both. X = exp(S q), q̇ = ξ."""

    def __init__(self, screw: Array) -> None:
        self.screw = screw  # (6,)
        self.coordinates = ("",)
        self.velocities = ("_rate",)
        self.q0 = np.zeros(1)
        self.A = Polynomial(1, np.ones((1, 1)))
        self.phi = Polynomial(1, np.zeros(0))
        self.S = screw[:, None]

    def pose(self, q: Array) -> Array:  # noqa: D102
        return SE3.exp(self.screw * q[0]).matrix

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        return q + delta

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        return xi

    def restoring(self, q: Array) -> Array:  # noqa: D102
        return np.zeros(1)

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return q


@final
class Circle(AbstractGroupChart):
    """A turn about an axis by (c, s): ċ = -s ω, ṡ = c ω, φ = c² + s² - 1."""

    def __init__(self, axis: Array) -> None:
        self.axis = axis  # (3,), of length 1
        self.coordinates = ("_c", "_s")
        self.velocities = ("_rate",)
        self.q0 = np.array([1.0, 0.0])
        self.A = Polynomial(2, np.zeros((2, 1)), np.array([[[0.0, -1.0]], [[1.0, 0.0]]]))
        self.phi = Polynomial(2, np.array([-1.0]), np.zeros((1, 2)), 2 * np.eye(2)[None])
        self.S = np.concatenate([axis, np.zeros(3)])[:, None]

    def pose(self, q: Array) -> Array:  # noqa: D102
        c, s = _of_unit_length(q)
        R = c * np.eye(3) + s * skew(self.axis) + (1 - c) * np.outer(self.axis, self.axis)
        return homogeneous(R, np.zeros(3), 1.0)

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        return np.asarray(isotropic2(np.cos(delta[0]), np.sin(delta[0])) @ q)

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        return xi

    def restoring(self, q: Array) -> Array:  # noqa: D102
        return _to_unit_length(q)

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return _of_unit_length(q)


@final
class Plane(AbstractGroupChart):
    """A pose of the xy plane by (x, y, c, s), in body velocities (ω; v_x, v_y)."""

    def __init__(self) -> None:
        self.coordinates = ("_x", "_y", "_c", "_s")
        self.velocities = ("_w", "_vx", "_vy")
        self.q0 = np.array([0.0, 0.0, 1.0, 0.0])
        self.S = np.eye(6)[:, 2:5]
        self.A = Polynomial(4, np.zeros((4, 3)), _plane_rates())
        self.phi = Polynomial(4, np.array([-1.0]), np.zeros((1, 4)), 2 * np.diag([0.0, 0, 1, 1])[None])

    def pose(self, q: Array) -> Array:  # noqa: D102
        c, s = _of_unit_length(q[2:])
        return np.array([[c, -s, 0, q[0]], [s, c, 0, q[1]], [0, 0, 1, 0], [0, 0, 0, 1]])

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        X = SE2(isotropic2(q[2], q[3]), q[:2]) @ SE2.exp(delta)
        return np.concatenate([X.r, X.R[:, 0]])

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        return np.asarray(SE2.dexp_inv(delta) @ xi)

    def restoring(self, q: Array) -> Array:  # noqa: D102
        return np.concatenate([np.zeros(2), _to_unit_length(q[2:])])

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return np.concatenate([q[:2], _of_unit_length(q[2:])])


@final
class Matrix(AbstractGroupChart):
    """A rotation by the nine entries of R, column by column: Ṙ = R ω̂, φ = the six entries of RᵀR - I on and above
    the diagonal.
    """

    def __init__(self) -> None:
        self.coordinates = tuple(f"_{row}{column}" for column in "xyz" for row in "xyz")
        self.velocities = ("_wx", "_wy", "_wz")
        self.q0 = np.eye(3).ravel()
        self.S = np.eye(6)[:, :3]
        self.A = Polynomial(9, np.zeros((9, 3)), _matrix_rates())
        self.phi = Polynomial(9, -np.array([1.0, 0, 0, 1, 0, 1]), np.zeros((6, 9)), _matrix_conditions())

    def pose(self, q: Array) -> Array:  # noqa: D102
        return homogeneous(q.reshape(3, 3).T, np.zeros(3), 1.0)

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        return (q.reshape(3, 3).T @ SO3.exp(delta).R).T.ravel()

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        return np.asarray(SO3.dexp_inv(delta) @ xi)

    def restoring(self, q: Array) -> Array:  # noqa: D102
        R = q.reshape(3, 3).T
        return -(R @ (R.T @ R - np.eye(3))).T.ravel()

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return nearest_rotation(q.reshape(3, 3).T, "rotation", 3).T.ravel()


@final
class Quaternion(AbstractGroupChart):
    """A rotation by a quaternion of unit length: q̇ = ½ q ∘ (0, ω), φ = |q|² - 1."""

    def __init__(self) -> None:
        self.coordinates = ("_w", "_x", "_y", "_z")
        self.velocities = ("_wx", "_wy", "_wz")
        self.q0 = np.array([1.0, 0.0, 0.0, 0.0])
        self.S = np.eye(6)[:, :3]
        self.A = Polynomial(4, np.zeros((4, 3)), _quaternion_rates())
        self.phi = Polynomial(4, np.array([-1.0]), np.zeros((1, 4)), 2 * np.eye(4)[None])

    def pose(self, q: Array) -> Array:  # noqa: D102
        return homogeneous(matrix_of(_of_unit_length(q)), np.zeros(3), 1.0)

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        return turned(q, delta)

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        return np.asarray(SO3.dexp_inv(delta) @ xi)

    def restoring(self, q: Array) -> Array:  # noqa: D102
        return _to_unit_length(q)

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return _of_unit_length(q)


@final
class Space(AbstractGroupChart):
    """A pose of space: position, then a rotation by matrix or quaternion; ṙ = R v, in body velocities (ω; v)."""

    def __init__(self, rotation: Matrix | Quaternion) -> None:
        self.rotation = rotation
        nu = 3 + len(rotation.q0)
        b, c = np.zeros((nu, 6, nu)), np.zeros((nu, 6, nu, nu))
        b[3:, :3, 3:] = rotation.A.slope(rotation.q0)
        if isinstance(rotation, Matrix):
            for column in range(3):
                b[:3, 3 + column, 3 + 3 * column : 6 + 3 * column] = np.eye(3)
        else:
            c[:3, 3:, 3:, 3:] = _quaternion_matrix()
        curved = np.zeros((len(rotation.phi.a), nu, nu))
        curved[:, 3:, 3:] = rotation.phi.bend(rotation.q0)
        self.coordinates = ("_rx", "_ry", "_rz", *rotation.coordinates)
        self.velocities = ("_wx", "_wy", "_wz", "_vx", "_vy", "_vz")
        self.q0 = np.concatenate([np.zeros(3), rotation.q0])
        self.S = np.eye(6)
        self.A = Polynomial(nu, np.zeros((nu, 6)), b, c)
        self.phi = Polynomial(nu, rotation.phi.a, np.zeros((len(rotation.phi.a), nu)), curved)

    def pose(self, q: Array) -> Array:  # noqa: D102
        X = self.rotation.pose(q[3:])
        X[:3, 3] = q[:3]
        return X

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        moved = self.pose(q) @ SE3.exp(delta).matrix
        return np.concatenate([moved[:3, 3], self.rotation.advance(q[3:], delta[:3])])

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        return np.asarray(SE3.dexp_inv(delta) @ xi)

    def restoring(self, q: Array) -> Array:  # noqa: D102
        return np.concatenate([np.zeros(3), self.rotation.restoring(q[3:])])

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return np.concatenate([q[:3], self.rotation.nearest(q[3:])])


@final
class Rigid(AbstractGroupChart):
    """No motion at all."""

    def __init__(self) -> None:
        self.coordinates = ()
        self.velocities = ()
        self.q0 = np.zeros(0)
        self.S = np.zeros((6, 0))
        self.A = Polynomial(0, np.zeros((0, 0)))
        self.phi = Polynomial(0, np.zeros(0))

    def pose(self, q: Array) -> Array:  # noqa: D102
        return np.eye(4)

    def advance(self, q: Array, delta: Array) -> Array:  # noqa: D102
        return q

    def inverse_tangent(self, delta: Array, xi: Array) -> Array:  # noqa: D102
        return xi

    def restoring(self, q: Array) -> Array:  # noqa: D102
        return q

    def nearest(self, q: Array) -> Array:  # noqa: D102
        return q
