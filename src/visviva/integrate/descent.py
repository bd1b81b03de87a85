"""Descent of the potential energy of a mechanism at rest, down to where all forces balance."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.saddle import Saddle, symmetric_solver
from visviva.integrate.statics import Statics
from visviva.mechanism.closure import typical_length
from visviva.mechanism.kinematics import Placement
from visviva.mechanism.positions import extent, settled

BALANCED = 1e-10  # of the size of the forces
EXACT = 1e-14  # the same, to rounding
SHIFT = 1e-3  # of the size of the mechanism, and in radians
DAMPING = 1e-9  # of the largest stiffness per mass: makes directions without any regular
LARGEST_STEP = 0.5  # of the size of the mechanism, or in radians, in one iteration
INERTIA = 0.9  # β of the damped fall
ITERATIONS = 1000
ON_AND_ON = 5.0  # sizes of the mechanism, or radians, in one direction: from here on steps may be longer
ALIKE = 0.02  # of a step: what follows one that differs less is a drift
STEADY = 0.7  # of the rate at which the energy falls: it stays above in a drift; steps of `TURN` reach 0.72 of a turn
TURN = 2.5  # [rad] of a body in one of these steps
FAR = 100.0  # times the size of the mechanism: what went so far falls for ever
FAR_TURNED = 120.0  # [rad] in one direction: the same
NOISE = 1e-13  # of an energy


@final
class Descent:
    """A descent of the potential energy: steps of Newton's method where these help, else a damped fall.

    The fall goes along δ = τ a + β δ_last, with the accelerations a from rest: the heavy ball of Polyak (1964), in the
    metric of kinetic energy and projected on what the joints allow.
    """

    def __init__(self, statics: Statics, x: Array) -> None:
        self.statics = statics
        self.linkage = statics.linkage
        self.x = x
        self.energy = statics.energy(x)
        self.units = np.where(self.linkage.turning, 1.0, extent(self.linkage, statics.configuration(x)))
        self.length = typical_length(self.linkage.kinematics)
        stiff = np.abs(statics.stiffness(x, np.zeros(self.linkage.m)).diagonal())
        turns = self.linkage.turning
        self.least = SHIFT * float((stiff * np.where(turns, 1.0 / self.length, self.length)).max(initial=0.0))
        self.far = FAR * float(self.units.max())
        self.last = np.zeros(self.linkage.kinematics.n)
        self.step = self.last
        self.tau, self.went, self.turned, self.longest = 0.0, 0.0, 0.0, LARGEST_STEP

    def run(self) -> Array | None:
        """Multipliers in balance, at the state x reached; None if there is none."""
        no_rows = np.zeros(self.linkage.m)
        newton, before = True, np.inf
        for k in range(ITERATIONS):
            saddle = self.linkage.saddle(self._place())
            f = self.statics.forces(self.x)
            self.fall, lam = saddle.solve(f, no_rows)
            left = self._unbalance(f, lam)
            if left <= EXACT or (left > 0.5 * before and left <= BALANCED):
                return lam
            before = left
            last, self.step = self.step, np.zeros_like(self.step)
            if newton or k % 5 == 0:
                newton = self._newton(f, lam)
            if not newton:
                self._fall(saddle, f)
            if (self._drifts(last) and self._falls_for_ever(f)) or self._far:
                return None
        return None

    def _newton(self, f: Array, lam: Array) -> bool:
        K, C = self.statics.stiffness(self.x, lam), self.linkage.matrix(self._place())
        stiffest = float(np.abs(K.diagonal() / self.linkage.metric).max())
        fastest = float(np.abs(self.fall / np.where(self.linkage.turning, 1.0, self.length)).max())
        mu = max(DAMPING * stiffest, fastest)  # as directions without stiffness would else go far with any small force
        solve = symmetric_solver(K, mu * self.linkage.metric, C, self.linkage.closes)
        delta = solve(f - C.T @ lam, np.zeros(len(lam)))[0]
        if not np.abs(delta / self.units).max(initial=0.0) < LARGEST_STEP:
            return False  # far from the equilibrium, or at the edge of stability
        promised = float(delta @ f - 0.5 * (delta @ (K @ delta)))
        return bool(delta @ f > 0) and promised > 0 and self._go(delta, 0.5 * promised)

    def _fall(self, saddle: Saddle, f: Array) -> None:
        self.tau = self.tau or 0.1 / max(float(np.abs(self.fall / self.units).max()), 1e-300)
        if not self.last @ (self.linkage.metric * self.fall) > 0:
            self.last, self.went, self.turned = np.zeros_like(self.last), 0.0, 0.0
        pull = self.tau * f + INERTIA * self.linkage.metric * self.last
        delta = saddle.solve(pull, np.zeros(self.linkage.m))[0]
        size, turn = float(np.abs(delta / self.units).max(initial=0.0)), self._turn(delta)
        shorter = min(1.0, self.longest / max(size, 1e-300), TURN / max(turn, 1e-300))
        if not self._go(shorter * delta, 0.0):
            self.tau, self.last, self.went, self.turned = 0.25 * self.tau, np.zeros_like(delta), 0.0, 0.0
        else:
            self.tau, self.last = 1.5 * self.tau if shorter == 1.0 else self.tau, shorter * delta
            self.went, self.turned = self.went + shorter * size, self.turned + shorter * turn
        self.longest = 1.5 * self.longest if self.went > ON_AND_ON else LARGEST_STEP

    def _turn(self, delta: Array) -> float:
        return float(np.abs(delta[self.linkage.turning]).max(initial=0.0))

    def _drifts(self, last: Array) -> bool:
        """Whether the step just made repeats the last one."""
        size = float(np.abs(self.step / self.units).max())
        return size > 0 and float(np.abs((self.step - last) / self.units).max()) <= ALIKE * size

    def _falls_for_ever(self, f: Array) -> bool:
        """Whether the energy keeps falling along a drift until it is far away, at the rate with which it began.

        Each step is twice as long as the one before; where something turns, no longer than turns can be counted.
        """
        delta, stride = self.step, 1.0
        turn = self._turn(delta)
        while not self._far:
            stride = min(2 * stride, TURN / max(turn, 1e-300))
            if not self._go(stride * delta, STEADY * stride * float(delta @ f)):
                return False
            self.turned += stride * turn
        return True

    @property
    def _far(self) -> bool:
        return self.turned > FAR_TURNED or not np.abs(self.statics.configuration(self.x)).max() < self.far

    def _go(self, delta: Array, least: float) -> bool:
        """Step ahead, if the joints can be closed there and the energy has fallen by some least amount."""
        q = settled(self.linkage, self.linkage.kinematics.retract(self.statics.configuration(self.x), delta))
        if q is None:
            return False
        ahead = self.statics.moved(self.x, q)
        energy = self.statics.energy(ahead)
        if not self.energy - energy > least - NOISE * abs(self.energy):
            return False
        self.x, self.energy, self.step = ahead, energy, delta
        self.linkage.conditions.follow(q)
        return True

    def _place(self) -> Placement:
        return self.linkage.kinematics.place(self.statics.configuration(self.x))

    def _unbalance(self, f: Array, lam: Array) -> float:
        """The largest force that is left, over the largest there is, moments by a typical length.

        Where nothing acts, as in springs without tension, it is compared with what a small shift would make.
        """
        units = np.where(self.linkage.turning, self.length, 1.0)
        C = self.linkage.matrix(self._place())
        sizes = (self.statics.force_sizes(self.x) + abs(C).T @ np.abs(lam)) / units
        left = float((np.abs(f - C.T @ lam) / units).max(initial=0.0))
        return left / max(float(sizes.max(initial=0.0)), self.least, 1e-300)
