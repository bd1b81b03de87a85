"""Speeds of propellers at ticks: an observer of speed and friction, and currents that track a speed; Konz 5.3.2.

    ϖ[k+1] = ϖ[k] + T (p_P2 i[k] - p_P3 - p_P1 ϖ[k]²)      (5.19)

The driver of a motor measures the mean over the last tick, ϖ_M[k] = (ϖ[k] + ϖ[k-1])/2, (5.22).

A state is one array x (3n,): ϖ̂[k], then ϖ̂[k-1], then p̂_P3[k]. The functions of a tick take arrays and a tuple of
numbers and arrays, so that they can be compiled as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_number, frozen
from visviva._suggestions import helpful
from visviva.copter.force.rotors import rotors_of
from visviva.copter.vehicles.rotor import Rotor
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError

EDGE = 1.0  # |λ| of motions that do not die out


class Propellers(NamedTuple):
    """What observer and tracking know of n propellers: parameters of (5.13), period, gains."""

    T_S: float  # [s]
    p_P1: Array  # (n,) κ_T/Θ_P [1/rad]
    p_P2: Array  # (n,) k_M/Θ_P [rad/(s² A)]
    p_P3: Array  # (n,) τ_MB/Θ_P, where the observer starts [rad/s²]
    l_P1: float  # [1/s]
    l_P2: float  # [1/s²]
    k_P: float  # [1/s]


@helpful
def propellers(
    rotors: Vehicle | Sequence[Rotor],
    T_S: float = 0.005,
    *,
    l_P1: float = 80.0,
    l_P2: float = -1000.0,
    k_P: float = 40.0,
) -> Propellers:
    """Parameters of observer and tracking for all rotors of a vehicle, or for some; T_S: period [s].

    l_P1, l_P2, k_P: gains of (5.23) and (5.25). They are ours, the text gives none.

    Errors come at the speeds at which observer or tracking would not settle, within the ranges of the rotors.
    """
    rotors = rotors_of(rotors)
    if not rotors:
        raise ModelError("propellers need rotors, got none.")
    period = finite_number(T_S, "period T_S [s]", positive=True)
    l1, l2, k = (finite_number(value, f"gain {name}") for name, value in (("l_P1", l_P1), ("l_P2", l_P2), ("k_P", k_P)))
    p1, p2, p3 = (np.array([getattr(rotor, name) for rotor in rotors]) for name in ("p_P1", "p_P2", "p_P3"))
    made = Propellers(period, frozen(p1), frozen(p2), frozen(p3), l1, l2, k)
    for j, rotor in enumerate(rotors):
        for speed in rotor.speeds:
            worst = float(np.abs(observer_poles(made, speed)[j]).max())
            if worst >= EDGE:
                raise ModelError(
                    f"the observer of rotor {rotor.name!r} does not settle at {speed:g} rad/s: errors grow by "
                    f"{worst:.4g} per period of {period:g} s.\nIt needs l_P1 > 0 and l_P2 < 0, got l_P1 = {l1:g} and "
                    f"l_P2 = {l2:g}, and both small against 1/T_S and 1/T_S²."
                )
            pole = float(tracking_pole(made, speed)[j])
            if abs(pole) >= EDGE:
                raise ModelError(
                    f"the speed of rotor {rotor.name!r} does not settle at {speed:g} rad/s: errors change by "
                    f"{pole:.4g} per period of {period:g} s, 1 - T_S (2 p_P1 ϖ + k_P).\nTake k_P between 0 and 1/T_S, "
                    f"got {k:g}."
                )
    return made


def observer_poles(p: Propellers, speed: ArrayLike) -> NDArray[np.complex128]:
    """Roots (n, 3) of (5.24): by these factors errors change in a period, at a speed [rad/s] of one or each."""
    w = np.broadcast_to(finite_array(speed, "speed [rad/s]"), p.p_P1.shape)
    h = p.T_S / 2
    rows = [
        [1.0, h * (4 * a + p.l_P1) - 2, 1 - h * (4 * a + p.T_S * p.l_P2), -h * (p.l_P1 + p.T_S * p.l_P2)]
        for a in p.p_P1 * w
    ]
    return np.array([np.roots(row) for row in rows], dtype=np.complex128)


def tracking_pole(p: Propellers, speed: ArrayLike) -> Array:
    """λ (n,) = 1 - T_S (2 p_P1 ϖ + k_P), (5.27)."""
    return 1 - p.T_S * (2 * p.p_P1 * finite_array(speed, "speed [rad/s]") + p.k_P)


def propellers_start(p: Propellers, speed: ArrayLike) -> Array:
    """State of the observer where propellers turn steadily at speeds [rad/s], with the friction of the data sheet."""
    w = np.broadcast_to(finite_array(speed, "speed [rad/s]"), p.p_P1.shape)
    return np.concatenate([w, w, p.p_P3])


def observe_propellers(p: Propellers, x: Array, measured: Array, current: Array) -> Array:
    """State at k + 1 by (5.23) from ϖ_M[k] [rad/s] and the current i_M[k] [A] that is held from k to k + 1."""
    out = np.empty(3 * len(p.p_P1))
    put_observed(p, x, measured, current, out)
    return out


def put_observed(p: Propellers, x: Array, measured: Array, current: Array, out: Array) -> None:
    """The same into an array."""
    n = len(p.p_P1)
    for i in range(n):
        w, friction = x[i], x[2 * n + i]
        e = measured[i] - 0.5 * (w + x[n + i])
        out[i] = w + p.T_S * (p.p_P2[i] * current[i] - friction - p.p_P1[i] * w * w + p.l_P1 * e)
        out[n + i] = w
        out[2 * n + i] = friction + p.T_S * p.l_P2 * e


def track_speeds(p: Propellers, x: Array, wanted: Array, wanted_next: Array) -> Array:
    """Currents i_M [A] by (5.25) of the period that begins with the state x, from speeds wanted at its ends.

    With x of k + 1 these are ϖ_D[k+1] and ϖ_D[k+2]: a law that is computed in one period acts in the next.
    """
    out = np.empty(len(p.p_P1))
    put_tracking_currents(p, x, wanted, wanted_next, out)
    return out


def put_tracking_currents(p: Propellers, x: Array, wanted: Array, wanted_next: Array, out: Array) -> None:
    """The same into an array; of the states of a filter, the speeds with which they begin count."""
    n = len(p.p_P1)
    for i in range(n):
        w = wanted[i]
        needed = (wanted_next[i] - w) / p.T_S + p.p_P1[i] * w * w + x[2 * n + i]
        out[i] = (needed + p.k_P * (w - x[i])) / p.p_P2[i]
