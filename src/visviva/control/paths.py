"""Ready-made paths: polynomials, splines, circles, straight and swinging motions, and their sequence in time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_direction, finite_number, finite_vector
from visviva._suggestions import helpful, suggesting
from visviva.control.abstract_path import ALWAYS, AbstractPath, Computed, Hold, as_path, before, combine_paths
from visviva.control.series import Series
from visviva.errors import ModelError

CONTINUOUS = 1e-9  # relative gap between pieces that are joined


@suggesting
@final
@dataclass(frozen=True, eq=False, repr=False)
class Polynomials(AbstractPath):
    """Pieces Σ_k c_k s^k = Σ_k b_k (s - 1)^k with s = (t - begin)/length from 0 to 1 in each.

    knots: (n + 1,) [s].   c, b: (n, degree + 1, *shape): about the nearer knot no digits cancel, and ends are exact.
    """

    knots: Array
    c: Array
    b: Array

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Of a value."""
        return self.c.shape[2:]

    @property
    def ends(self) -> tuple[float, float]:  # type: ignore[override]
        """First and last knot."""
        return float(self.knots[0]), float(self.knots[-1])

    @property
    def breaks(self) -> tuple[float, ...]:  # type: ignore[override]
        """Knots between pieces."""
        return tuple(self.knots[1:-1].tolist())

    @property
    def degree(self) -> int:
        """Of the pieces."""
        return self.c.shape[1] - 1

    def inner(self, t: float, order: int) -> Series:
        """By repeated synthetic division: Horner's scheme for all derivatives."""
        k = min(max(int(np.searchsorted(self.knots, t, side="right")) - 1, 0), len(self.c) - 1)
        length = self.knots[k + 1] - self.knots[k]
        s = (t - self.knots[k]) / length
        s, a = (s, self.c[k].copy()) if s <= 0.5 else ((t - self.knots[k + 1]) / length, self.b[k].copy())
        found = np.zeros((order + 1, *self.shape))
        for j in range(min(order, self.degree) + 1):
            for i in range(self.degree - 1, j - 1, -1):
                a[i] += s * a[i + 1]
            found[j] = a[j] / length**j
        return Series(found)

    def inner_many(self, t: Array, order: int) -> Series:
        """The same for all pieces at once."""
        k = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.c) - 1)
        length = self.knots[k + 1] - self.knots[k]
        s, e = (t - self.knots[k]) / length, (t - self.knots[k + 1]) / length
        near, each = s <= 0.5, (len(t), *(1,) * len(self.shape))
        a = np.where(near.reshape(-1, 1, *each[1:]), self.c[k], self.b[k]).swapaxes(0, 1)
        s, length = np.where(near, s, e).reshape(each), length.reshape(each)
        found = np.zeros((order + 1, len(t), *self.shape))
        for j in range(min(order, self.degree) + 1):
            for i in range(self.degree - 1, j - 1, -1):
                a[i] += s * a[i + 1]
            found[j] = a[j] / length**j
        return Series(found, 2)


@helpful
def polynomial(
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    degree: int | None = None,
    start_rates: Sequence[ArrayLike] = (),
    end_rates: Sequence[ArrayLike] = (),
    begin: float = 0.0,
) -> Polynomials:
    """From a number or vector to another in some time: from rest to rest, or between given derivatives.

    degree:      odd: (degree - 1)/2 derivatives are given at each end, zero by default; 5 has the least jerk, 7 the
                 least snap, 9 is smooth enough for a quadcopter. As many as are named need by default, at least 5.
    start_rates: derivatives 1, 2, … at the begin, end_rates at the end; what is left out is zero.
    begin:       [s].
    """
    y0, y1 = finite_array(start, "start of a polynomial"), finite_array(end, "end of a polynomial")
    T = finite_number(duration, "duration of a polynomial", positive=True)
    if y0.shape != y1.shape:
        raise ModelError(f"start and end of a polynomial are of one shape, got {y0.shape} and {y1.shape}.")
    named = max(len(start_rates), len(end_rates))
    degree = max(5, 2 * named + 1) if degree is None else degree
    if degree != int(degree) or degree < 1 or degree % 2 == 0:
        raise ModelError(
            f"degree={degree!r} of a polynomial: as many derivatives are given at both ends, which takes an odd one, "
            "e.g. 5 (least jerk), 7 (least snap) or 9."
        )
    n = (int(degree) + 1) // 2
    if named > n - 1:
        raise ModelError(
            f"a polynomial of degree {degree} has {n - 1} derivatives at each end, and {named} are given: "
            f"take degree={2 * named + 1}."
        )
    rates = np.zeros((2, n, *y0.shape))
    for own, given in zip(rates, (start_rates, end_rates), strict=True):
        for k, value in enumerate(given, 1):
            number = finite_array(value, "derivative at the end of a polynomial")
            if number.shape != y0.shape:
                raise ModelError(f"derivatives of a polynomial are of its shape {y0.shape}, got {number.shape}.")
            own[k] = number * T**k / math.factorial(k)
    t0 = finite_number(begin, "begin of a polynomial")
    signs = (-1.0) ** np.arange(2 * n).reshape(-1, *(1,) * y0.ndim)
    c = _hermite_coefficients(y0, y1, rates[0], rates[1])
    b = _hermite_coefficients(y1, y0, rates[1] * signs[:n], rates[0] * signs[:n]) * signs
    return Polynomials(np.array([t0, t0 + T]), c[None], b[None])


def _hermite_coefficients(y0: Array, y1: Array, rates0: Array, rates1: Array) -> Array:
    """Coefficients over s in [0, 1] of a polynomial with given derivatives/k! at both ends, about the first."""
    n = len(rates0)
    c = np.concatenate([rates0, np.zeros_like(rates0)])
    ahead = np.array([[math.comb(j, k) for j in range(2 * n)] for k in range(n)], dtype=float)
    missing = rates1 - np.tensordot(ahead[:, :n], c[:n], 1)
    missing[0] += y1 - y0  # differences: a move far from zero loses no digits
    exact = np.rint(np.linalg.inv(ahead[:, n:]))  # the determinant is one: the inverse has whole entries
    c[n:] = np.tensordot(exact, missing, 1)
    c[0] = y0
    return c


@helpful
def spline(
    points: ArrayLike, times: ArrayLike, *, degree: int = 5, closed: bool = False, natural: bool = False
) -> AbstractPath:
    """Through points at times, with degree - 1 continuous derivatives; at rest at its ends.

    points:  (n, ...).   times: (n,) [s], increasing.   degree: odd, 5 or 7, say.
    closed:  the last point is the first, and all derivatives go on there: repeated for ever.
    natural: ends are free instead of at rest: their highest derivatives vanish.
    """
    y, t = finite_array(points, "points of a spline"), finite_array(times, "times of a spline")
    if t.ndim != 1 or len(t) < 2 or y.shape[:1] != t.shape:
        raise ModelError(f"a spline takes as many points as times, at least two, got {y.shape} and {t.shape}.")
    if not (np.diff(t) > 0).all():
        raise ModelError(f"times of a spline increase, got {t.tolist()}.")
    if degree not in (3, 5, 7, 9):
        raise ModelError(f"degree={degree!r} of a spline: 3, 5, 7 or 9. The tracking of a mechanism takes 5.")
    from scipy.interpolate import make_interp_spline

    n = (degree - 1) // 2
    conditions: Any
    if closed:
        if np.abs(y[0] - y[-1]).max(initial=0.0) > CONTINUOUS * max(1.0, np.abs(y).max()):
            raise ModelError(f"a closed spline ends where it begins, got {y[0].tolist()} and {y[-1].tolist()}.")
        y[-1], conditions = y[0], "periodic"
    else:
        orders = range(degree - n, degree) if natural else range(1, n + 1)
        conditions = ([(k, np.zeros(y.shape[1:])) for k in orders],) * 2
    found = make_interp_spline(t, y, k=degree, bc_type=conditions)
    knots = np.unique(np.clip(found.t, t[0], t[-1]))
    h = np.diff(knots).reshape(-1, *(1,) * (y.ndim - 1))
    slopes = [found.derivative(k) if k else found for k in range(degree + 1)]
    c, b = (
        np.stack([slope(x) * h**k / math.factorial(k) for k, slope in enumerate(slopes)], axis=1)
        for x in (knots[:-1], np.nextafter(knots[1:], -math.inf))
    )
    pieces = Polynomials(knots, c, b)
    return repeated(pieces) if closed else pieces


@helpful
def hold(value: ArrayLike, duration: float = math.inf) -> Hold:
    """It stays at a value, always or for some seconds in a sequence."""
    ends = ALWAYS
    if duration != math.inf:
        ends = (0.0, finite_number(duration, "duration of a hold", positive=True))
    return Hold(finite_array(value, "value of a hold"), ends)


@helpful
def line(start: ArrayLike, velocity: ArrayLike, *, duration: float = math.inf) -> Computed:
    """start + velocity t, always or from 0 to some seconds. From rest to rest: `polynomial` of two points."""
    y, v = finite_array(start, "start of a line"), finite_array(velocity, "velocity of a line")
    if y.shape != v.shape:
        raise ModelError(f"start and velocity of a line are of one shape, got {y.shape} and {v.shape}.")
    ends = ALWAYS if duration == math.inf else (0.0, finite_number(duration, "duration of a line", positive=True))

    def inner(t: Any, order: int) -> Series:
        return Series.time(t, order) * v + y

    return Computed(inner, y.shape, ends, many=True)


@helpful
def circle(
    radius: float,
    angle: Any,
    *,
    centre: ArrayLike = (0.0, 0.0, 0.0),
    normal: ArrayLike = "z",
    toward: ArrayLike | None = None,
) -> AbstractPath:
    """A point on a circle in space, (3,): centre + radius (cos φ a + sin φ n x a).

    angle:  φ(t), a path or a function of time [rad]; a number is a constant rate [rad/s].
    toward: direction a of φ = 0, made perpendicular to the normal n; x of the world by default, or y, or z.
    """
    rho = finite_number(radius, "radius of a circle", positive=True)
    r, n = finite_vector(centre, "centre of a circle", 3), _unit(normal, "normal of a circle")
    if isinstance(angle, int | float):
        angle = line(0.0, angle)
    phi = as_path(angle, (), "angle of a circle")
    given = toward if toward is not None else "x" if abs(n[0]) < 0.9 else "y"
    a = finite_direction(given, "direction of a circle")
    a = _unit(a - n * (n @ a), "direction of a circle, perpendicular to its normal,")
    b = np.cross(n, a)
    return combine_paths(lambda x: x.cos() * (rho * a) + x.sin() * (rho * b) + r, phi)


@helpful
def lissajous(
    amplitudes: ArrayLike, frequencies: ArrayLike, *, phases: ArrayLike = 0.0, centre: ArrayLike = 0.0
) -> AbstractPath:
    """centre + amplitude sin(2π frequency t + phase) in each component; frequencies in [Hz], phases in [rad]."""
    numbers = [
        finite_array(amplitudes, "amplitudes of a Lissajous figure"),
        2.0 * np.pi * finite_array(frequencies, "frequencies of a Lissajous figure"),
        finite_array(phases, "phases of a Lissajous figure"),
        finite_array(centre, "centre of a Lissajous figure"),
    ]
    try:
        A, w, phase, middle = np.broadcast_arrays(*numbers)
    except ValueError:
        shapes = ", ".join(str(each.shape) for each in numbers)
        raise ModelError(f"a Lissajous figure has as many of everything as amplitudes, got shapes {shapes}.") from None
    return combine_paths(lambda t: (t * w + phase).sin() * A + middle, line(0.0, 1.0))


@helpful
def repeated(path: AbstractPath) -> Computed:
    """A path with two ends again and again, in both directions of time."""
    begin, end = _both_ends(path, "a path that is repeated")
    T = end - begin

    def inner(t: Any, order: int) -> Series:
        at = begin + (t - begin) % T
        return path.inner_many(at, order) if isinstance(at, np.ndarray) else path.inner(at, order)

    # breaks are known for a while: those of the first round and its ends
    return Computed(inner, path.shape, ALWAYS, path.breaks, many=True)


@helpful
def joined(*paths: Any) -> AbstractPath:
    """One path after the other: each begins where and when the one before it has ended.

    The first keeps its time, others are shifted. Positions and velocities must go on without a jump.
    """
    each = [as_path(one, None, "a path that is joined") for one in paths]
    if not each:
        raise ModelError("joined() takes paths: joined(hold(0.0, 1.0), polynomial(0.0, 1.0, 2.0), hold(1.0)).")
    if isinstance(each[-1], Hold) and each[-1].ends == ALWAYS and len(each) > 1:
        each[-1] = Hold(each[-1].value, (0.0, math.inf))
    placed = [each[0]]
    for path in each[1:]:
        _, end = placed[-1].ends
        if not math.isfinite(end) or not math.isfinite(path.ends[0]):
            raise ModelError(
                f"a path that is followed by another has an end, and one that follows has a begin: got {placed[-1]!r} "
                f"and {path!r}.\nGive durations: hold(value, duration), line(start, velocity, duration=...)."
            )
        if path.shape != placed[-1].shape:
            raise ModelError(f"paths that are joined are of one shape, got {placed[-1].shape} and {path.shape}.")
        placed.append(path.delayed(end - path.ends[0]))
        _check_joint(placed[-2], placed[-1], end)
    starts = [path.ends[0] for path in placed[1:]]

    def inner(t: Any, order: int) -> Series:
        k = np.searchsorted(starts, t, side="right")
        if not isinstance(t, np.ndarray):
            return placed[int(k)].inner(t, order)
        c = np.empty((order + 1, len(t), *placed[0].shape))
        for j in np.unique(k).tolist():
            c[:, k == j] = placed[j].inner_many(t[k == j], order).c
        return Series(c, 2)

    breaks = sorted({*starts, *itertools.chain.from_iterable(path.breaks for path in placed)})
    return Computed(inner, placed[0].shape, (placed[0].ends[0], placed[-1].ends[1]), tuple(breaks), many=True)


def _check_joint(first: AbstractPath, second: AbstractPath, t: float) -> None:
    ahead, after = first.inner(before(t), 1), second.inner(t, 1)
    for k, what in enumerate(("a position", "a speed")):
        gap = float(np.abs(after.c[k] - ahead.c[k]).max(initial=0.0))
        if gap > CONTINUOUS * max(1.0, float(np.abs(ahead.c).max(initial=0.0))):
            raise ModelError(
                f"paths that are joined at t = {t:g} s have {what} that jumps by {gap:.4g} there: from "
                f"{ahead.c[k].tolist()} to {after.c[k].tolist()}.\nLet the second begin as the first ends, e.g. "
                "polynomial(start, end, duration, start_rates=[...])."
            )


def _both_ends(path: AbstractPath, what: str) -> tuple[float, float]:
    begin, end = path.ends
    if not (math.isfinite(begin) and math.isfinite(end)):
        raise ModelError(f"{what} has a begin and an end, got {path!r}.")
    return begin, end


def _unit(given: ArrayLike, what: str) -> Array:
    vector = finite_direction(given, what)
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise ModelError(f"{what} must not be zero.")
    return np.asarray(vector / length)
