"""The four manoeuvres of Konz, Table 5.2: transitions of both vehicles, a looping and a flip.

The text gives largest values and durations, not the profiles: these are ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful, hint_of
from visviva.control import circle, flat, hold, joined, pose, turn
from visviva.control.abstract_path import AbstractPath, combine_paths, series_about
from visviva.control.paths import Polynomials, polynomial
from visviva.control.rotations import PosePath
from visviva.copter.flights.flip import flip_path
from visviva.copter.vehicles.standard import quadcopter, tricopter
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.errors import ModelError

ROUND = 2 * math.pi
LOOP = 2.95  # [s] of a looping
LOOP_SHAPE = (-0.507, 0.472)  # of its phase: faster below than a polynomial of degree nine
LOOP_WIDTH = 0.972  # over its height


class Figures(NamedTuple):
    """A column of Table 5.2: largest values of the reference, (5.75), and root mean squares of errors, (5.74)."""

    v: float  # [m/s]
    v_dot: float  # [m/s²]
    w: float  # [°/s]
    w_dot: float  # [°/s²]
    e_r: float  # [m]
    e_R: float  # [°]
    e_phi: float  # [°]


@final
@helpful
@dataclass(frozen=True, eq=False)
class Manoeuvre:
    """A path of poses of a vehicle's frame from rest at t = 0 to rest, and what was flown in reality, if it was.

    piloted: by `remote`: where it is is the pilot's care, and it need not rest in the end.
    """

    name: str
    vehicle: Vehicle
    path: PosePath
    flown: Figures | None = None
    piloted: bool = False

    def __post_init__(self) -> None:
        check_vehicle(self.vehicle, f"vehicle of the manoeuvre {self.name!r}")
        if not isinstance(self.path, PosePath):
            raise ModelError(
                f"the path of {self.name!r} is one of poses, got {type(self.path).__name__}.\nOf positions r, "
                "vv.control.flat.quadcopter(r) makes it, with the attitude that thrust asks for, and "
                "vv.control.pose(r, rotation) with one of your own, for rotors that tilt."
            )
        if not math.isfinite(self.path.ends[1]):
            raise ModelError(
                f"the path of {self.name!r} has no end: it takes a duration, such as that of vv.control.hold(r, 2.0)."
            )
        if (begin := self.path.ends[0]) > 0:
            raise ModelError(
                f"the path of {self.name!r} begins at t = {begin:g} s, and a manoeuvre at 0: its waiting would be "
                f"measured.\nGive path.delayed({-begin:g}), or join a hold before it."
            )

    @property
    def duration(self) -> float:
        """[s]."""
        return self.path.ends[1]

    def largest(self, samples: int = 401) -> tuple[float, float, float, float]:
        """max |v_R|, |v̇_R| in the world, |ω_R|, |ω̇_R| in degrees; (5.75)."""
        t = np.linspace(0.0, self.duration, samples)
        r = series_about(self.path.position.series, t, 2).derivatives
        w = series_about(self.path.rotation.spin, t, 1).derivatives
        v, a, rate, growth = np.linalg.norm(np.concatenate([r[1:], w]), axis=-1).max(axis=-1).tolist()
        return v, a, math.degrees(rate), math.degrees(growth)


@helpful
def manoeuvre(name: str, vehicle: Vehicle | None = None) -> Manoeuvre:
    """ "tricopter transitions", "transitions", "looping" or "flip", feasible for a vehicle with its drag.

    vehicle: that of Table 5.1 by default, without its bias.
    """
    build, _, flown = _named(name)
    if vehicle is None:
        return _standard(name)
    check_vehicle(vehicle)
    return Manoeuvre(name, vehicle, build(vehicle), flown)


def planned(what: str | Manoeuvre, vehicle: Vehicle | None = None) -> Manoeuvre:
    """A manoeuvre, by its name for a vehicle, or as it is."""
    return what if isinstance(what, Manoeuvre) else manoeuvre(what, vehicle)


@cache
def _standard(name: str) -> Manoeuvre:
    """With the vehicle of Table 5.1; flights that follow each other find one object, and what is known of it."""
    build, standard, flown = _named(name)
    own = standard().without_bias()
    return Manoeuvre(name, own, build(own), flown)


def standard_vehicle(what: str | Manoeuvre) -> Vehicle:
    """The vehicle of a manoeuvre with the bias of Table 5.1, if it has one; of `manoeuvre(name)` as of its name."""
    if not isinstance(what, Manoeuvre):
        return _named(what)[1]()
    is_standard = what.name in NAMED and what is _standard(what.name)
    return NAMED[what.name][1]() if is_standard else what.vehicle


def _named(name: str) -> tuple[Callable[[Vehicle], PosePath], Callable[[], Vehicle], Figures]:
    if not isinstance(name, str):
        raise ModelError(
            f"what is flown is a name, {', '.join(map(repr, NAMED))}, or vv.copter.Manoeuvre(name, vehicle, path), got "
            f"{type(name).__name__}."
        )
    if name not in NAMED:
        raise ModelError(f"there is no manoeuvre {name!r}. {hint_of(name, NAMED)}")
    return NAMED[name]


def looping(vehicle: Vehicle) -> PosePath:
    """A vertical circle of 2 m in the plane x-z, a little narrower than high, upside down above; its axis is ours.

    φ = 2π (σ + Σ a_k 4⁵ 8ᵏ s⁵ (1 - s)⁵ (s - 1/2)^(2k+1)), s = t/T, with the polynomial σ of degree nine.
    """
    phi = _phase()
    r = circle(1.0, phi, centre=(0.0, 0.0, 2.0), normal="y", toward="-z")
    r = r * np.array([LOOP_WIDTH, 1.0, 1.0])
    d, g = vehicle.drag.mean / vehicle.mass, vehicle.gravity
    return pose(r, turn("y", combine_paths(lambda v, a: _lean(v, a, d, g), r.rate(1), r.rate(2))))


def flip(vehicle: Vehicle) -> PosePath:
    """A full turn about y at almost the same place: a push upwards, 360° within 0.9 s, and a push to stop.

    The heading is such that it turns about a principal axis of inertia: about any other, Θ_xy ω² is more than the yaw
    moment that rotors make, 0.12 N m of the quadcopter of Table 5.1.
    """
    r, theta = flip_path(vehicle.drag.mean / vehicle.mass, vehicle.gravity)
    axis = np.linalg.eigh(vehicle.inertia_about_com[:2, :2])[1][:, 1]
    axis = axis if axis[1] > 0 else -axis
    heading = hold(math.atan2(axis[0], axis[1]), theta.ends[1])
    return pose(r, turn("y", theta) @ turn("z", heading))


def transitions(vehicle: Vehicle) -> PosePath:
    """2 m in 1.5 s, there and back, by polynomials of degree nine, and a turn of 360° in 4 s."""
    low, far = np.array([0.0, 0.0, 1.0]), np.array([2.0, 0.0, 1.0])
    r = joined(_move(low, far, 1.5, 9), hold(far, 0.5), _move(far, low, 1.5, 9), hold(low, 4.5))
    heading = joined(hold(0.0, 4.0), polynomial(0.0, ROUND, 4.0, degree=9))
    return flat.quadcopter(r, heading, gravity=vehicle.gravity, drag=vehicle.drag.mean / vehicle.mass)


def tilting_transitions(vehicle: Vehicle) -> PosePath:
    """2 m in 1.72 s with level attitude, back by tilting, 15° of roll in place, 360° and 1 m upwards in 2.04 s."""
    low, far, high = np.array([0.0, 0.0, 1.0]), np.array([2.0, 0.0, 1.0]), np.array([0.0, 0.0, 2.0])
    back, d, g = _move(far, low, 2.2, 9), vehicle.drag.mean / vehicle.mass, vehicle.gravity
    r = joined(_move(low, far, 1.72, 5), hold(far, 0.28), back, hold(low, 2.8), _move(low, high, 2.04, 5))
    lean = combine_paths(lambda v, a: _lean(v, a, d, g), back.rate(1), back.rate(2))
    pitch = joined(hold(0.0, 2.0), lean, hold(0.0, 4.84))
    tilt = math.radians(15.0)
    roll = joined(
        hold(0.0, 4.3), polynomial(0.0, tilt, 1.0), hold(tilt, 0.4), polynomial(tilt, 0.0, 1.0), hold(0.0, 2.34)
    )
    yaw = joined(hold(0.0, 7.0), polynomial(0.0, ROUND, 2.04))
    return pose(r, turn("z", yaw) @ turn("y", pitch) @ turn("x", roll))


def _lean(v: Any, a: Any, d: float, g: float) -> Any:
    """Angle about y of an axis z along r̈ - a_G + d ṙ in the plane x-z."""
    return (a[0] + d * v[0]).arctan2(a[2] + d * v[2] + g)


def _move(start: Array, end: Array, duration: float, degree: int) -> AbstractPath:
    return polynomial(start, end, duration, degree=degree)


def _phase() -> AbstractPath:
    """Of a looping: one polynomial, about both of its ends."""
    P = np.polynomial.polynomial
    c = np.zeros(14)
    c[:10] = polynomial(0.0, 1.0, 1.0, degree=9).c[0]
    bump = P.polymul(P.polypow([0, 1], 5), P.polypow([1, -1], 5))
    for k, share in enumerate(LOOP_SHAPE):
        term = share * 4**5 * 8**k * P.polymul(bump, P.polypow([-0.5, 1], 2 * k + 1))
        c[: len(term)] += term
    b = np.array([sum(c[j] * math.comb(j, i) for j in range(i, len(c))) for i in range(len(c))])
    return Polynomials(np.array([0.0, LOOP]), ROUND * c[None], ROUND * b[None])


NAMED: dict[str, tuple[Callable[[Vehicle], PosePath], Callable[[], Vehicle], Figures]] = {
    "tricopter transitions": (tilting_transitions, tricopter, Figures(2.2, 3.9, 318, 497, 0.013, 1.1, 0.95)),
    "transitions": (transitions, quadcopter, Figures(3.4, 8.2, 271, 1380, 0.017, 1.3, 0.3)),
    "looping": (looping, quadcopter, Figures(4.2, 17.1, 537, 1610, 0.027, 2.5, 1.2)),
    "flip": (flip, quadcopter, Figures(2.3, 17.5, 736, 2480, 0.026, 2.1, 0.8)),
}
