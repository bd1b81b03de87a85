"""Aircraft that fly upright in a vertical plane by two thrusts which are tilted inwards: PVTOL and bicopter.

A thrust beside the centre of mass pushes sideways when it turns. The point y = r + ε (-sin α, cos α), at the height
ε = Θ tan β/(m l) above it, feels no such push: its acceleration against gravity is along the upright axis,

    (ÿ₁, ÿ₂ + g) ∥ (-sin α, cos α),    r = y - ε (-sin α, cos α).

Source: Konz, sections 4.8.2 and 4.8.4; signs of (4.132) and (4.133) are corrected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful, suggesting
from visviva.control.abstract_path import AbstractPath, Computed, as_path
from visviva.control.flat.smooth import require_smooth
from visviva.control.rotations import PosePath, RotationPath
from visviva.control.series import Series, stacked
from visviva.errors import ModelError

SPACING = 0.02  # [s] between times at which turns are counted
WEIGHTLESS = 1e-9  # [m/s²]
PLANES = {"xz": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), "yz": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}
PLANES["xy"] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
Plane = Literal["xz", "yz", "xy"]


@suggesting
@final
@dataclass(frozen=True, eq=False)
class PlanarFlight:
    """The motion of a body in a plane: along, up: displacements of its centre of mass [m], angle: [rad] from the first
    axis of the plane towards the second, turns counted; pose: the same in space.
    """

    along: AbstractPath
    up: AbstractPath
    angle: AbstractPath
    pose: PosePath


@helpful
def pvtol(
    y: Any, *, height: float, gravity: float = 9.81, plane: Plane = "xz", origin: ArrayLike = (0.0, 0.0, 0.0)
) -> PlanarFlight:
    """The motion of a PVTOL aircraft from the path y of its flat output, (2,): along the plane, and up.

    height:  ε = Θ tan β/(m l) [m] of the flat output above the centre of mass, of thrusts tilted by β at arms l.
    plane:   its axes, the second one is up.   origin: of the plane.   gravity: [m/s²] downwards.
    """
    output, eps = as_path(y, (2,), "flat output"), finite_number(height, "height of the flat output")
    g = finite_number(gravity, "gravity")
    if plane not in PLANES:
        raise ModelError(f"plane={plane!r} of a flight: one of {', '.join(map(repr, PLANES))}, the second axis is up.")
    require_smooth(output, 3, "the path of the flat output")
    first, second = (np.array(axis) for axis in PLANES[plane])
    at = finite_vector(origin, "origin of a plane", 3)

    def upright(t: float, order: int) -> Series:
        """(sin α, cos α)."""
        a = output.series(t, order + 2).rate.rate
        up = a[1] + g
        size = (a[0] * a[0] + up * up).c[0]
        if size < WEIGHTLESS**2:
            raise ModelError(f"the flat output falls freely at t = {t:g} s: without thrust, no direction is upright.")
        length = a[0].hypot(up)
        return stacked([-a[0] / length, up / length])

    def place(t: float, order: int) -> Series:
        s = upright(t, order)
        return output.series(t, order) + stacked([s[0] * eps, s[1] * -eps])

    def matrix(t: float, order: int) -> Series:
        s = upright(t, order)
        n = np.cross(first, second)
        K = np.outer(second, first) - np.outer(first, second)
        return s[1] * (np.outer(first, first) + np.outer(second, second)) + s[0] * K + np.outer(n, n)

    def computed(f: Any, shape: tuple[int, ...]) -> Computed:
        return Computed(f, shape, output.ends, output.breaks, True)

    r = computed(place, (2,))
    position = r.mapped(lambda x: x[0] * first + x[1] * second + at)
    turning = computed(_Turns(upright, output.ends[0]).series, ())
    return PlanarFlight(r[0], r[1], turning, PosePath(position, RotationPath(computed(matrix, (3, 3)))))


@helpful
def bicopter(
    y: Any,
    *,
    mass: float,
    inertia: ArrayLike,
    arms: ArrayLike,
    tilt: float,
    gravity: float = 9.81,
    origin: ArrayLike = (0.0, 0.0, 0.0),
) -> PlanarFlight:
    """A bicopter that flies in its own plane y, z, from the path of a flat output there, (2,); loopings included.

    inertia: (3,) [kg m²] about x, y, z.   arms: (l_y, l_z) [m] of the propellers.   tilt: β [rad] of them inwards.
    The flat output is ε = Θ_x sin β/(m (l_y cos β - l_z sin β)) above the centre of mass. Rows along x are met as long
    as it neither pitches nor yaws.
    """
    m, moments = finite_number(mass, "mass", positive=True), finite_vector(inertia, "inertia of a bicopter", 3)
    (ly, lz), beta = finite_vector(arms, "arms of a bicopter", 2), finite_number(tilt, "tilt of propellers")
    arm = ly * math.cos(beta) - lz * math.sin(beta)
    if abs(arm) < 1e-12:
        raise ModelError("thrusts of the bicopter pass through its centre of mass: it cannot roll.")
    eps = float(moments[0]) * math.sin(beta) / (m * arm)
    return pvtol(y, height=eps, gravity=gravity, plane="yz", origin=origin)


@final
class _Turns:
    """α(t) of (sin α, cos α) with turns counted from the begin."""

    def __init__(self, of: Any, begin: float) -> None:
        self._of, self._begin = of, begin if math.isfinite(begin) else 0.0
        self._nodes = dict[int, Array]()

    def series(self, t: float, order: int) -> Series:
        """Of α."""
        found = self._angle(t, order)
        k = math.trunc((t - self._begin) / SPACING)
        found.c[0] = self._near(found.c[0], self._node(k), t - (self._begin + k * SPACING))
        return found

    def _angle(self, t: float, order: int) -> Series:
        s = self._of(t, order)
        return s[0].arctan2(s[1])

    def _node(self, k: int) -> Array:
        """(α, α̇) at a node."""
        self._nodes.setdefault(0, self._angle(self._begin, 1).c)
        sign, last = (1 if k > 0 else -1), k
        while last not in self._nodes:
            last -= sign
        while last != k:
            last += sign
            c = self._angle(self._begin + last * SPACING, 1).c
            c[0] = self._near(c[0], self._nodes[last - sign], sign * SPACING)
            self._nodes[last] = c
        return self._nodes[k]

    @staticmethod
    def _near(value: Array, node: Array, h: float) -> Array:
        expected = node[0] + h * node[1]
        return np.asarray(value + 2 * np.pi * np.round((expected - value) / (2 * np.pi)))
