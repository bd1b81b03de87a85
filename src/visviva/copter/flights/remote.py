"""Remote control: what a pilot's sticks ask for, through a Bessel filter, as a manoeuvre; Konz 5.5, (5.71), (5.72).

Sticks are read at ticks and held. In a tick the filtered channels y and all that follows from them are Taylor series,
since d⁴y/dt⁴ = -a_0 y - … - a_3 y⃛ + a_0 u, and angles, velocities and positions are their integrals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful, hint_of
from visviva.control import flat, pose, turn
from visviva.control.abstract_path import AbstractPath, Computed
from visviva.control.paths import Polynomials
from visviva.control.rotations import PosePath, RotationPath
from visviva.control.series import Series, stacked
from visviva.copter.flights.manoeuvres import Manoeuvre
from visviva.copter.force.rc_filter import ORDER, RCFilter, filter_rc, rc_filter, rc_filter_start
from visviva.copter.vehicles.standard import quadcopter
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.errors import ModelError
from visviva.geometry.hat import skew

DEGREE = 14  # of series over a tick
T_S = 5e-3  # [s] of a tick
MODES = {
    "acceleration": ("a_x", "a_y", "a_z", "φ̇"),
    "attitude": ("roll", "pitch", "F/m", "φ̇"),
    "rate": ("ω_x", "ω_y", "F/m", "ω_z"),
}
TILTING = ("a_x", "a_y", "a_z", "roll", "pitch", "φ̇")  # of "acceleration", where rotors tilt


class Piece(NamedTuple):
    """Taylor coefficients over a tick, in (t - begin)/T_S."""

    r: Array  # (degree + 1, 3)
    v: Array
    R: Array  # (degree + 1, 3, 3); in mode "acceleration" not used
    angle: Array  # (degree + 1,) heading


@helpful
def remote(
    sticks: Callable[[float], ArrayLike],
    duration: float,
    vehicle: Vehicle | None = None,
    *,
    mode: str = "acceleration",
    cutoff: float = 7.0,
    start: ArrayLike = (0.0, 0.0, 1.0),
) -> Manoeuvre:
    """What sticks(t) ask for, for `vv.copter.fly`: the law follows attitude and acceleration, not the position.

        plan = vv.copter.remote(lambda t: (2.0 if t < 0.5 else 0.0, 0, 0, 0), 1.5)
        vv.copter.fly(plan)

    mode:   of the channels, in m/s², rad and rad/s:
            "acceleration": a_x, a_y, a_z in axes that turn with the heading, and its rate φ̇, as the text has them;
                            where rotors tilt a_x, a_y, a_z, roll, pitch, φ̇;
            "attitude":     roll, pitch, thrust over mass (9.81 hovers), φ̇;
            "rate":         ω_x, ω_y, thrust over mass, ω_z in axes of the body, for aerobatics.
    duration: [s].   vehicle: the quadcopter of Table 5.1 by default, without its bias.
    cutoff: of the filter [Hz].   start: place at rest [m].

    Positions of the reference are those without drag.
    """
    own = quadcopter().without_bias() if vehicle is None else vehicle
    check_vehicle(own)
    if not callable(sticks):
        raise ModelError(f"sticks is a function of time, such as lambda t: (0, 0, 0, 0), got {sticks!r}.")
    if mode not in MODES:
        raise ModelError(f"there is no mode {mode!r} of a remote control. {hint_of(str(mode), MODES)}")
    names = TILTING if own.tilting and mode == "acceleration" else MODES[mode]
    rest = np.zeros(len(names))
    if mode != "acceleration":
        rest[2] = own.gravity
    p, n = rc_filter(T_S, cutoff=cutoff), round(finite_number(duration, "duration [s]", positive=True) / T_S)
    u = np.array([finite_vector(sticks(T_S * k), f"sticks ({', '.join(names)})", len(names)) for k in range(n)])
    pieces = _pieces(p, u, rest, mode, finite_vector(start, "start [m]", 3), own.gravity)
    return Manoeuvre(f"remote control by {mode}", own, _path(pieces, mode, own, p, u, rest), piloted=True)


def _pieces(p: RCFilter, u: Array, rest: Array, mode: str, start: Array, g: float) -> list[Piece]:
    x, found = rc_filter_start(p, rest), list[Piece]()
    r, v, R, angle = start, np.zeros(3), np.eye(3), 0.0
    for now in u:
        y = channels(p, x, now)
        piece = _piece(y, mode, r, v, R, angle, g)
        found.append(piece)
        r, v, R, angle = (part.sum(axis=0) for part in piece)
        if mode == "rate":
            U, _, W = np.linalg.svd(R)
            R = U @ W
        x = filter_rc(p, x, now)
    return found


def channels(p: RCFilter, x: Array, u: Array) -> Array:
    """Taylor coefficients (degree + 1, channels) over a tick of filtered signals from their states and inputs."""
    d = np.zeros((DEGREE + 1, len(x)))
    d[:ORDER] = x.T
    for k in range(DEGREE + 1 - ORDER):
        d[k + ORDER] = -p.a @ d[k : k + ORDER]
        if k == 0:
            d[ORDER] += p.a[0] * u
    return d * np.array([p.T_S**k / math.factorial(k) for k in range(DEGREE + 1)])[:, None]


def _piece(y: Array, mode: str, r: Array, v: Array, R: Array, angle: float, g: float) -> Piece:
    """All of a tick from its channels."""
    heading = Series(T_S * y[:, -1]).upto(DEGREE - 1).integral(angle)
    turned = np.broadcast_to(R, (DEGREE + 1, 3, 3)) * (np.arange(DEGREE + 1) == 0)[:, None, None]
    if mode == "acceleration":
        c, s, x, z = heading.cos(), heading.sin(), Series(y[:, 0]), Series(y[:, 1])
        a = stacked([c * x - s * z, s * x + c * z, Series(y[:, 2])]).c
    else:
        turned = _turned(y, R) if mode == "rate" else _attitude(Series(y[:, 0]), Series(y[:, 1]), heading)
        thrust = Series(y[:, 2])
        a = stacked([thrust * Series(turned[:, k, 2]) for k in range(3)]).c
        a[0, 2] -= g
    velocity = Series(T_S * a).upto(DEGREE - 1).integral(v)
    place = (velocity * T_S).upto(DEGREE - 1).integral(r)
    return Piece(place.c, velocity.c, turned, heading.c)


def _attitude(roll: Series, pitch: Series, heading: Series) -> Array:
    """R_z R_y R_x, (5.68)."""
    (ca, sa), (cb, sb), (c, s) = ((x.cos(), x.sin()) for x in (roll, pitch, heading))
    rows = [
        [c * cb, c * sb * sa - s * ca, s * sa + c * sb * ca],
        [s * cb, c * ca + s * sb * sa, s * sb * ca - c * sa],
        [-sb, cb * sa, cb * ca],
    ]
    return np.moveaxis(np.array([[entry.c for entry in row] for row in rows]), 2, 0)


def _turned(y: Array, R: Array) -> Array:
    """Ṙ = R ω̂."""
    w = np.array([skew(each) for each in y[:, [0, 1, 3]]])
    found = np.zeros((DEGREE + 1, 3, 3))
    found[0] = R
    for k in range(DEGREE):
        found[k + 1] = T_S / (k + 1) * sum(found[i] @ w[k - i] for i in range(k + 1))
    return found


def _path(pieces: list[Piece], mode: str, own: Vehicle, p: RCFilter, u: Array, rest: Array) -> PosePath:
    r = _joined([piece.r for piece in pieces])
    if mode != "acceleration":
        return PosePath(r, RotationPath(_joined([piece.R for piece in pieces])))
    heading = _joined([piece.angle for piece in pieces])
    if not own.tilting:
        return flat.quadcopter(r, heading, gravity=own.gravity)
    x, lean = rc_filter_start(p, rest), list[Array]()
    for now in u:
        lean.append(channels(p, x, now)[:, 3:5])
        x = filter_rc(p, x, now)
    tilt = _joined(lean)
    return pose(r, turn("z", heading) @ turn("y", tilt[1]) @ turn("x", tilt[0]))


def _joined(coefficients: list[Array]) -> AbstractPath:
    """One path of all ticks. Only its derivatives of order four and more, or higher, jump where these meet."""
    c = np.array(coefficients)
    shift = np.array([[math.comb(j, i) for j in range(c.shape[1])] for i in range(c.shape[1])], dtype=float)
    b = np.einsum("ij,nj...->ni...", shift, c)
    knots: Array = T_S * np.arange(len(c) + 1.0)
    path = Polynomials(knots, c, b)

    def inner(t: float, order: int) -> Any:
        return path.inner(t, order)

    return Computed(inner, path.shape, path.ends)
