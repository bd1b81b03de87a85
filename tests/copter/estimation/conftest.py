"""A motion with exact derivatives, and what an IMU at 200 Hz and a motion capture system see of it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from visviva.geometry import quaternion

UPWARD = np.array([0.0, 0.0, 9.81])  # minus gravity
T_S = 0.005


FREQUENCY = 2 * np.pi * 0.3 * np.array([1.0, 0.9, 0.7])
SIZE, PHASE = np.array([1.0, 0.8, 0.6]), np.array([0.0, 0.7, 1.9])
TILTS = ((np.array([1.0, 0.0, 0.0]), 0.4, 2.1), (np.array([0.0, 0.6, 0.8]), 0.9, 1.3))  # axis, size, frequency


@cache
def turned(t):
    """q and ω of one tilt after the other."""
    q, w = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    for axis, size, f in TILTS:
        turn = size * np.sin(f * t) * axis
        q = quaternion.turned(q, turn)
        w = quaternion.rotated(quaternion.turned(np.array([1.0, 0.0, 0.0, 0.0]), -turn), w)
        w += size * f * np.cos(f * t) * axis
    return q, w


class Flight:
    """About 1 m at 0.3 Hz along each axis, tilts to and fro about two axes.

    r, v, a: in world axes.   q, w: attitude, ω in body axes.   imu: ω_M and a_M, without noise.
    """

    def r(self, t):
        return SIZE * np.sin(FREQUENCY * t + PHASE)

    def v(self, t):
        return SIZE * FREQUENCY * np.cos(FREQUENCY * t + PHASE)

    def a(self, t):
        return -(FREQUENCY**2) * self.r(t)

    def q(self, t):
        return turned(t)[0]

    def w(self, t):
        return turned(t)[1]

    def imu(self, t, a_B=0.0):
        q, w = turned(t)
        return w, quaternion.matrix_of(q).T @ (self.a(t) + UPWARD) + a_B

    def frames(self, until, rng, jitter=0.01, delay=0.034, period=0.1):
        """(time, tick of arrival) of frames at about 10 Hz that arrive some ticks late."""
        found = []
        for k in range(1, int(until / period)):
            t = k * period + rng.uniform(-0.002, 0.002)
            found.append((t, int(np.ceil((t + delay + rng.uniform(-jitter, jitter)) / T_S))))
        return found


@pytest.fixture(scope="session")
def flight():
    return Flight()
