"""Quadcopter: flat by the position of its centre of mass and its heading.

Thrust acts along the upright axis z of the body alone, hence, with accelerations a_G of gravity and isotropic drag d,

    z = f/|f|,    f = r̈ - a_G + (d/m) ṙ .

With a heading φ, R = R_z(φ) R_y(β) R_x(α): the axis x lies in the vertical plane of the heading, x ∥ y_φ × z with
y_φ = (-sin φ, cos φ, 0). Without one the body does not turn about z, ω_z = 0: ẋ = -(x·ż) z, parallel transport.

Source: Konz, (5.69) with the sign of α corrected, and (5.70).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful
from visviva.control.abstract_path import AbstractPath, Computed, as_path, before, together
from visviva.control.flat.smooth import require_smooth
from visviva.control.rotations import PosePath, RotationPath
from visviva.control.series import Series, cross, stacked
from visviva.errors import ModelError

WEIGHTLESS = 1e-9  # [m/s²]
SIDEWAYS = 1e-9  # cosine of the roll angle: the heading of a body that lies on its side is none
SPACING = 0.01  # [s] between nodes of the transported axis
ORDER = 10  # of Taylor's method in between
TRUNCATED = 1e-15  # what the last term may be


class Tilt(NamedTuple):
    """Roll α and pitch β [rad] in R = R_z(φ) R_y(β) R_x(α)."""

    roll: float
    pitch: float


def tilt(upright: ArrayLike, heading: float) -> Tilt:
    """Roll and pitch from the upright axis, (3,), of a body with a heading φ [rad].

    α = arcsin(sin φ z_x - cos φ z_y),   β = atan2(cos φ z_x + sin φ z_y, z_z).
    """
    z, phi = finite_vector(upright, "upright axis", 3), finite_number(heading, "heading")
    length = float(np.linalg.norm(z))
    if not length:
        raise ModelError("the upright axis must not be zero.")
    x, y, up = z / length
    s, c = math.sin(phi), math.cos(phi)
    across, along = s * x - c * y, c * x + s * y
    return Tilt(math.atan2(across, math.hypot(along, up)), math.atan2(along, up))


@helpful
def quadcopter(
    position: Any, heading: Any = 0.0, *, gravity: float = 9.81, drag: float = 0.0, start: float = 0.0
) -> PosePath:
    """The pose of a quadcopter whose centre of mass follows a path, with thrust along z of the body, upwards.

    position: (3,) with three continuous derivatives, e.g. polynomial(a, b, 1.5, degree=9).
    heading:  φ(t) [rad], a path, function or number; None: it never turns about its axis z, ω_z = 0, which has no
              singular attitude: for loopings and flips.
    gravity:  [m/s²] along -z of the world.   drag: d/m [1/s], isotropic, of the velocity.
    start:    heading at the begin, where there is none.
    """
    r = as_path(position, (3,), "position of a quadcopter")
    g, d = finite_number(gravity, "gravity"), finite_number(drag, "drag", minimum=0.0)
    if g < 0:
        raise ModelError(f"gravity acts along -z of the world and is counted positive: give gravity={-g:g}, got {g:g}.")
    require_smooth(r, 3, "the position of a quadcopter")

    def upright(t: Any, order: int) -> Series:
        """z, at one time or at many."""
        v = r.series(t, order + 2).rate
        f = v.rate + np.array([0.0, 0.0, g])
        if d:
            f = f + v.upto(order) * d
        square = (f * f).sum()
        if (square.c[0] < WEIGHTLESS**2).any():
            at = _worst(t, square)
            raise ModelError(f"the quadcopter falls freely at t = {at:g} s: without thrust, no direction is upright.")
        return f / square.sqrt()

    if heading is None:
        axes = _Transported(upright, r, finite_number(start, "heading at the start")).series
        return PosePath(r, RotationPath(Computed(axes, (3, 3), r.ends, r.breaks, True, True)))
    phi = as_path(heading, (), "heading of a quadcopter")
    require_smooth(phi, 1, "the heading of a quadcopter")

    def matrix(t: Any, order: int) -> Series:
        z, angle = upright(t, order), phi.series(t, order)
        x = cross(stacked([-angle.sin(), angle.cos(), angle * 0.0]), z)
        square = (x * x).sum()
        if (square.c[0] < SIDEWAYS**2).any():
            raise ModelError(
                f"the quadcopter lies on its side at t = {_worst(t, square):g} s: there its heading is not defined.\n"
                "Fly along its heading, or without one: heading=None."
            )
        return _columns(x / square.sqrt(), z)

    ends, breaks = together([r, phi])
    return PosePath(r, RotationPath(Computed(matrix, (3, 3), ends, breaks, True, True)))


def _columns(x: Series, z: Series) -> Series:
    """R of two of its axes."""
    return stacked([x, cross(z, x), z]).T


@final
class _Transported:
    """Axes that do not turn about z: the axis x by Taylor's method from node to node, made orthonormal again."""

    def __init__(self, upright: Any, path: AbstractPath, heading: float) -> None:
        self._upright, self._breaks = upright, sorted({*path.breaks, *(x for x in path.ends if math.isfinite(x))})
        self._begin = path.ends[0] if math.isfinite(path.ends[0]) else 0.0
        self._side = np.array([-math.sin(heading), math.cos(heading), 0.0])
        self._nodes = dict[int, Array]()
        self._turned = dict[int, Array]()  # of many times, apart: values at one time do not depend on who has asked
        self._ways = dict[int, Array]()  # series of x about these, (ORDER + 1, 3)
        self._last: tuple[float, Array] | None = None

    def series(self, t: Any, order: int) -> Series:
        """R, at one time or at many."""
        if isinstance(t, np.ndarray):
            z = self._upright(t, order)
            return _columns(_transport(self._axes(t, z.c[0]), z), z)
        k = math.trunc((t - self._begin) / SPACING)
        last = self._last
        if last is None or last[0] != t:  # values and rates at one time are asked for one after the other
            self._last = last = t, self._advance(self._node(k), self._begin + k * SPACING, t)
        x, z = last[1], self._upright(t, order)
        return _columns(_transport(x, z), z)

    def _axes(self, t: Array, z: Array) -> Array:
        """x at many times, (n, 3), from their nodes; z: there."""
        nodes, at = np.unique(np.trunc((t - self._begin) / SPACING).astype(int), return_inverse=True)
        self._know(nodes)
        starts = (self._begin + nodes * SPACING)[at]
        ways, h = np.stack([self._ways[k] for k in nodes.tolist()], axis=1), t - starts  # (ORDER + 1, nodes, 3)
        x, ahead = ways[0, at], ways[-1, at]
        for c in ways[-2::-1]:
            ahead = ahead * h[:, None] + c[at]
        found, back, far = _across(z, ahead), self._goes_back(starts, t), _truncates(ways[-2:, at], h)
        for stop in self._breaks:
            far |= (starts < stop) & (stop < t)
        far &= ~back
        found[far] = _across(z[far], np.einsum("nij,nj->ni", self._turns(starts[far], t[far]), x[far]))
        for i in np.flatnonzero(back).tolist():
            found[i] = self._advance(x[i], float(starts[i]), float(t[i]))
        return found

    def _know(self, nodes: NDArray[np.int64]) -> None:
        """x at nodes, and its series: one after the other, but turned by what is computed for all at once."""
        self._turned.setdefault(0, self._node(0))
        for step, some in ((1, np.arange(nodes.max(initial=0) + 1)), (-1, np.arange(0, nodes.min(initial=0) - 1, -1))):
            new = np.array([k for k in some.tolist() if k not in self._turned], dtype=np.int64)
            if not len(new):
                continue
            t, end = (np.asarray(self._begin + k * SPACING) for k in (new - step, new))
            back, z = self._goes_back(t, end), self._upright(end, 0).c[0]
            turns = np.zeros((len(new), 3, 3))
            turns[~back] = self._turns(t[~back], end[~back])
            x, gone = self._turned[int(new[0]) - step], np.empty((len(new), 3))
            for i in range(len(new)):
                x = gone[i] = self._advance(x, float(t[i]), float(end[i])) if back[i] else turns[i] @ x
            self._turned.update(zip(new.tolist(), _across(z, gone), strict=True))
        new = np.array([k for k in nodes.tolist() if k not in self._ways], dtype=np.int64)
        if len(new):
            x = np.array([self._turned[k] for k in new.tolist()])
            ways = _transport(x, self._upright(self._begin + new * SPACING, ORDER)).c.swapaxes(0, 1)
            self._ways.update(zip(new.tolist(), ways, strict=True))

    def _turns(self, t: Array, end: Array) -> Array:
        """How x turns on each of many ways, (n, 3, 3): to a jump and from there, in halves if a step is too long."""
        if not len(t):
            return np.zeros((0, 3, 3))
        for stop in self._breaks:
            over = (t < stop) & (stop < end)
            if over.any():
                found, at = np.empty((len(t), 3, 3)), np.full(np.count_nonzero(over), stop)
                found[~over] = self._turns(t[~over], end[~over])
                found[over] = self._turns(at, end[over]) @ self._turns(t[over], at)
                return found
        z, h = self._upright(t, ORDER), end - t
        ways = _transport(np.tile(np.eye(3)[:, None], (1, len(t), 1)), z).c  # (ORDER + 1, axis, n, 3)
        found = np.einsum("kn,kani->nia", h ** np.arange(ORDER + 1)[:, None], ways)
        far = _truncates(ways, h).any(axis=0)
        if far.any():
            middle = 0.5 * (t[far] + end[far])
            found[far] = self._turns(middle, end[far]) @ self._turns(t[far], middle)
        return found

    def _goes_back(self, start: Array, end: Array) -> NDArray[np.bool_]:
        """Whether a way leads back from where a derivative may jump, or over that."""
        found = np.zeros(len(start), dtype=bool)
        for stop in self._breaks:
            found |= (end < stop) & (stop <= start)
        return found

    def _node(self, k: int) -> Array:
        if not self._nodes:
            z = self._upright(self._begin, 0).c[0]
            x = np.cross(self._side, z)
            if np.linalg.norm(x) < SIDEWAYS:
                raise ModelError("the quadcopter lies on its side at the begin: there its heading is not defined.")
            self._nodes[0] = x / np.linalg.norm(x)
        sign, last = (1 if k > 0 else -1), k
        while last not in self._nodes:
            last -= sign
        while last != k:
            t0, t1 = (self._begin + j * SPACING for j in (last, last + sign))
            last += sign
            self._nodes[last] = self._advance(self._nodes[last - sign], t0, t1)
        return self._nodes[k]

    def _advance(self, x: Array, t: float, end: float) -> Array:
        """In steps that end where a derivative may jump."""
        ahead = end >= t
        stops = [s for s in self._breaks if min(t, end) < s < max(t, end)]
        for stop in (*(stops if ahead else stops[::-1]), end):
            while t != stop:
                z = self._upright(t if ahead else before(t), ORDER)
                c, h = _transport(x, z).c, stop - t
                while _truncates(c, h):
                    h *= 0.5
                t = stop if h == stop - t else t + h
                x = np.tensordot(h ** np.arange(ORDER + 1), c, 1)
                x = _across(self._upright(t if ahead else before(t), 0).c[0], x)
        return x


def _transport(x: Array, z: Series) -> Series:
    """Series of x from ẋ = -(x·ż) z."""
    rate, found, turn = z.rate.c, [x], list[Array]()
    for k in range(z.order):
        turn.append(np.asarray(sum((found[j] * rate[k - j]).sum(-1, keepdims=True) for j in range(k + 1))))
        found.append(np.asarray(-sum(turn[j] * z.c[k - j] for j in range(k + 1)) / (k + 1)))
    return Series(np.array(found), z.lead)


def _worst(t: Any, square: Series) -> float:
    """The time, or the one of many, at which a length is the least."""
    return float(np.ravel(t)[np.argmin(square.c[0])])


def _across(z: Array, x: Array) -> Array:
    """The part of x across z, of length one."""
    found = x - z * (x * z).sum(-1, keepdims=True)
    return np.asarray(found / np.sqrt((found * found).sum(-1, keepdims=True)))


def _truncates(c: Array, h: Any) -> Any:
    """Whether the last terms of a series at s = h are more than rounding."""
    last, before = (np.abs(c[-k]).max(-1) * np.abs(h) ** (ORDER + 1 - k) for k in (1, 2))
    return (last > TRUNCATED) | (before > 10 * TRUNCATED)
