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
DAMPING = 1e-9  # of the largest stiffness per mass: makes directions without any regular
LARGEST_STEP = 0.5  # of the size of the mechanism, or in radians, in one iteration
INERTIA = 0.9  # β of the damped fall
ITERATIONS = 1000
FAR = 100.0  # times the size of the mechanism: what went so far falls for ever
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
        self.last = np.zeros(self.linkage.kinematics.n)
        self.tau = 0.0

    def run(self) -> Array | None:
        """Multipliers in balance, at the state x reached; None if there is none."""
        no_rows = np.zeros(self.linkage.m)
        newton, far, before = True, FAR * float(self.units.max()), np.inf
        for k in range(ITERATIONS):
            saddle = self.linkage.saddle(self._place())
            f = self.statics.forces(self.x)
            self.fall, lam = saddle.solve(f, no_rows)
            left = self._unbalance(f, lam)
            if left <= EXACT or (left > 0.5 * before and left <= BALANCED):
                return lam
            before = left
            if newton or k % 5 == 0:
                newton = self._newton(f, lam)
            if not newton:
                self._fall(saddle, f)
            if not np.abs(self.statics.configuration(self.x)).max() < far:
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
            self.last = np.zeros_like(self.last)
        pull = self.tau * f + INERTIA * self.linkage.metric * self.last
        delta = self._limited(saddle.solve(pull, np.zeros(self.linkage.m))[0])
        if self._go(delta, 0.0):
            self.tau, self.last = 1.5 * self.tau, delta
        else:
            self.tau, self.last = 0.25 * self.tau, np.zeros_like(delta)

    def _go(self, delta: Array, least: float) -> bool:
        """Step ahead, if the joints can be closed there and the energy has fallen by some least amount."""
        q = settled(self.linkage, self.linkage.kinematics.retract(self.statics.configuration(self.x), delta))
        if q is None:
            return False
        ahead = self.statics.moved(self.x, q)
        energy = self.statics.energy(ahead)
        if not self.energy - energy > least - NOISE * abs(self.energy):
            return False
        self.x, self.energy = ahead, energy
        self.linkage.conditions.follow(q)
        return True

    def _limited(self, delta: Array) -> Array:
        return delta * min(1.0, LARGEST_STEP / max(float(np.abs(delta / self.units).max(initial=0.0)), 1e-300))

    def _place(self) -> Placement:
        return self.linkage.kinematics.place(self.statics.configuration(self.x))

    def _unbalance(self, f: Array, lam: Array) -> float:
        """The largest force that is left, over the largest there is, moments by a typical length."""
        units = np.where(self.linkage.turning, self.length, 1.0)
        C = self.linkage.matrix(self._place())
        sizes = (self.statics.force_sizes(self.x) + abs(C).T @ np.abs(lam)) / units
        left = float((np.abs(f - C.T @ lam) / units).max(initial=0.0))
        return left / max(float(sizes.max(initial=0.0)), 1e-300)
