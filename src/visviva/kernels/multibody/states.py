"""States and the tables of a mechanism: how one becomes the other."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel
from visviva.kernels.multibody.bodies import spin
from visviva.kernels.multibody.couplings import read_shifts
from visviva.kernels.multibody.functions import place_function
from visviva.kernels.multibody.turns import place_turn

from visviva.kernels.multibody.tables import (  # isort: skip
    ANGLE, PHI, ROT, SPIN, VEL, Conditions, Int,
)  # fmt: skip


class Places(NamedTuple):
    """Where things are in the state and in the columns of a run."""

    bodies: Int  # (bodies, 3) first coordinate, first velocity, numbers of the latter: 12, 6 or 3
    y: Int  # (k, 2) measure and place in x, of those that are states
    owner: Int  # (functions,) constraint of each row
    directors: Int  # (bodies,) constraint of the directors, or -1


@inner
def place(B: Array, X: Array, K: Int, T: Array, TK: Int) -> None:
    """All functions and angles at the start of a step."""
    for i in range(X.shape[0]):
        place_function(B, X, K, i)
    for k in range(T.shape[0]):
        place_turn(B, T, TK, k)


@kernel
def read_state(
    B: Array, X: Array, K: Int, T: Array, TK: Int, y: Array, conditions: Conditions | None, at_bodies: Int, at_y: Int,
    x: Array, angles: Array,
) -> None:  # fmt: skip
    """Bodies, functions and angles from a state; y: values of elements.

    Tables come one by one: to take apart the tuples they are in costs more to compile than what is done with them.
    """
    for b in range(at_bodies.shape[0]):
        q, v, n = at_bodies[b, 0], at_bodies[b, 1], at_bodies[b, 2]
        for i in range(3):
            B[b, PHI + i] = x[q + i]
            if n != 3:
                for j in range(3):
                    B[b, ROT + 3 * i + j] = x[q + 3 + 3 * j + i]
            if n == 12:
                for j in range(3):
                    B[b, SPIN + 3 * i + j] = x[v + 3 + 3 * j + i]
            if n == 6:
                B[b, SPIN + i] = x[v + i]
            B[b, VEL + i] = x[v + 3 + i] if n == 6 else x[v + i]
    for k in range(T.shape[0]):
        T[k, ANGLE] = angles[k]
    for k in range(at_y.shape[0]):
        y[0, at_y[k, 0]] = x[at_y[k, 1]]
    if conditions is not None:
        read_shifts(conditions.couplings, x)
    place(B, X, K, T, TK)


@kernel
def start_values(B: Array, lie: int, y: Array) -> None:
    """Velocities of the bodies as they are at the start of a step."""
    for b in range(B.shape[0] - 1):
        w = spin(B, lie, b)
        for i in range(3):
            y[6 * b + i] = B[b, VEL + i]
            y[6 * b + 3 + i] = w[i]


@inner
def write_state(B: Array, y: Array, at_bodies: Int, at_y: Int, x: Array) -> None:
    """A state from the tables; y: values of elements."""
    for b in range(at_bodies.shape[0]):
        q, v, n = at_bodies[b, 0], at_bodies[b, 1], at_bodies[b, 2]
        for i in range(3):
            x[q + i] = B[b, PHI + i]
            if n != 3:
                for j in range(3):
                    x[q + 3 + 3 * j + i] = B[b, ROT + 3 * i + j]
            if n == 12:
                for j in range(3):
                    x[v + 3 + 3 * j + i] = B[b, SPIN + 3 * i + j]
            if n == 6:
                x[v + i] = B[b, SPIN + i]
            x[v + 3 + i if n == 6 else v + i] = B[b, VEL + i]
    for k in range(at_y.shape[0]):
        x[at_y[k, 1]] = y[0, at_y[k, 0]]
