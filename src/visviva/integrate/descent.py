"""Descent of the potential energy of a mechanism at rest, down to where all forces balance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.statics import Statics
from visviva.library.joints import Product
from visviva.mechanism.parts import Joint
from visviva.mechanism.positions import extent, settled
from visviva.numerics.saddle import Saddle, symmetric_solver

EPS = float(np.finfo(np.float64).eps)
BALANCED = 1e-10  # of the terms that add up to a force: what may be left of them where no step makes it less
NEARLY = 1e-6  # of the largest terms: what is left of them near an equilibrium, if no step leads there
EXACT = 8.0  # roundings: nothing is left
ROUNDING = 1e3  # roundings: what solving for reactions may leave
DAMPING = 1e-12  # of the largest stiffness: makes directions without any regular
STIFFER = 8.0  # times the damping, if a step was too long; as much less, if it was not
POLISH = 1e-6  # of the size of the mechanism, or in radians: the longest of the last steps
SOFTEST = 1e-3  # times the damping that keeps a step about as long as the mechanism
TRIES = 6  # of a step
LARGEST_STEP = 0.5  # of the size of the mechanism, or in radians, in one iteration
INERTIA = 0.9  # β of the damped fall
ITERATIONS = 1000
ON_AND_ON = 5.0  # sizes of the mechanism, or radians, in one direction: from here on steps may be longer
ALIKE = 0.02  # of a step: what follows one that differs less is a drift
STEADY = 0.7  # of the rate at which the energy falls: it stays above in a drift; steps of `TURN` reach 0.72 of a turn
TURN = 2.5  # [rad] of a body in one of these steps
FAR = 100.0  # times the size of the mechanism: what went so far falls for ever
FAR_TURNED = 120.0  # [rad] in one direction: the same
NOISE = 500.0  # roundings of an energy
AT_END = 1e-6  # of a product of axes: below, a joint is at the end of its range


@final
@dataclass(frozen=True, eq=False)
class Forces:
    """What acts at a state: f, multipliers λ that hold as much of it as joints can, and r = f - Cᵀλ, which is left.

    fall:  accelerations from rest.
    terms: sizes of what adds up to r along each velocity, whatever the direction (n,).   rounding: of r (n,).
    """

    saddle: Saddle
    f: Array
    lam: Array
    r: Array
    fall: Array
    terms: Array
    rounding: Array

    @property
    def left(self) -> float:
        """The largest part of r, in units of its rounding."""
        return float((np.abs(self.r) / self.rounding).max(initial=0.0))


@final
class Descent:
    """A descent of the potential energy: steps of Newton's method where these help, else a damped fall.

    The fall goes along δ = τ a + β δ_last, with the accelerations a from rest: the heavy ball of Polyak (1964), in the
    metric of kinetic energy and projected on what the joints allow.

    A force is compared with the terms that it is the sum of, and these round like ε (terms + |K| |q|): a stiff spring
    far from the origin of the coordinates feels their last digit. An energy rounds like ε (|H| + terms |q|); where it
    cannot tell two states, the forces that are left do: judged by two sizes, steps end by a rule of their own.

    units:   how far steps count: a size of the mechanism, wherever it is; 1 for rotations (n,).
    numbers: size of the coordinates; 1 for rotations (n,).
    stiff:   |K| as it was last (n, n).
    """

    def __init__(self, statics: Statics, x: Array) -> None:
        self.statics = statics
        self.linkage = statics.linkage
        self.x = x
        self.begin = statics.configuration(x)
        turning = self.linkage.turning
        self.length = self.linkage.length
        self.units = np.where(turning, 1.0, statics.size(x))
        self.numbers = np.where(turning, 1.0, extent(self.linkage, self.begin))
        self.arms = np.where(turning, self.length, 1.0)
        self.stiff = abs(statics.stiffness(x, np.zeros(self.linkage.m)))
        self.far = FAR * float(self.units.max())
        self.last = np.zeros(self.linkage.kinematics.n)
        self.step = self.last
        self.tau, self.went, self.turned, self.longest, self.damping = 0.0, 0.0, 0.0, LARGEST_STEP, 1.0
        self.energy, self.now = statics.energy(x), self._forces(x)

    @property
    def fall(self) -> Array:
        """Accelerations from rest at the state reached."""
        return self.now.fall

    def run(self) -> Array | None:
        """Multipliers in balance, at the state x reached; None if there is none."""
        if self.now.left <= EXACT:
            return self.now.lam
        newton, before = True, np.inf
        for k in range(ITERATIONS):
            now = self.now
            if now.left <= EXACT or (now.left > 0.5 * before and self._balanced):
                return self._polished()
            before = now.left
            last, self.step = self.step, np.zeros_like(self.step)
            if newton or k % 5 == 0:
                newton = self._newton(now)
            if not newton:
                self._fall(now)
            on = bool(last @ (self.linkage.metric * self.step) > 0)  # in one direction
            self.went = on * self.went + self._length(self.step)
            self.turned = on * self.turned + self._turn(self.step)
            self.longest = 1.5 * self.longest if self.went > ON_AND_ON else LARGEST_STEP
            if (self._drifts(last) and self._falls_for_ever(now.r)) or self._far or self.ended:
                return None
        return None

    def _polished(self) -> Array:
        """Multipliers after a last step or two, short ones, for what is light beside what is heavy."""
        self.longest, self.damping = POLISH, 1.0
        for _ in range(2):
            if not self._newton(self.now):
                break
        return self.now.lam

    def _forces(self, x: Array) -> Forces:
        q = self.statics.configuration(x)
        saddle = self.linkage.saddle(self.linkage.kinematics.place(q))
        f = self.statics.forces(x)
        fall, lam = saddle.solve(f, np.zeros(self.linkage.m))
        r = f - saddle.C.T @ lam
        terms = _around(self.statics.force_sizes(x) + abs(saddle.C).T @ np.abs(lam))
        terms = np.maximum(terms, self.statics.moments(terms))
        sizes = (terms + _around(self.stiff @ self.numbers)) / self.arms  # of all forces, since joints couple them
        rounding = EPS * max(float(sizes.max(initial=0.0)), 1e-300) * self.arms
        return Forces(saddle, f, lam, r, fall, terms, rounding)

    @property
    def _balanced(self) -> bool:
        """Whether what is left is little beside the terms that it is the sum of."""
        now = self.now
        return bool((np.abs(now.r) <= np.maximum(BALANCED * now.terms, ROUNDING * now.rounding)).all())

    @property
    def nearly(self) -> bool:
        """Whether what is left is little beside the largest of all terms."""
        return self.now.left <= NEARLY / EPS

    @property
    def ended(self) -> list[tuple[Joint, Product]]:
        """Joints at the end of their range, with the product of axes that is zero there: no step leads beyond."""
        linkage = self.linkage
        upright = linkage.upright(linkage.kinematics.place(self.statics.configuration(self.x)))
        found = np.flatnonzero(linkage.bounding & (upright < AT_END))
        return [linkage.upright_products[k] for k in found]

    def _newton(self, now: Forces) -> bool:
        """A step of Newton's method, damped until it is no longer than it may be, and goes down (Levenberg, 1944)."""
        K = self.statics.stiffness(self.x, now.lam)
        self.stiff = abs(K)
        least = float((np.abs(now.r) / self.arms).max()) / self.length  # else directions without stiffness would go far
        least = max(least, DAMPING * float((self.stiff.diagonal() / self.arms**2).max())) or 1.0
        for k in range(TRIES):
            damped, closes, rows = self.damping * least * self.arms**2, self.linkage.closes, self.linkage.row_scale
            solve = symmetric_solver(K, damped, now.saddle.C, closes, rows)
            delta = solve(now.r, np.zeros(len(now.lam)))[0]
            promised = float(delta @ now.r - 0.5 * (delta @ (K @ delta)))
            short = self._length(delta) < self.longest and self._turn(delta) < TURN
            if short and delta @ now.r > 0 and promised > 0 and self._go(delta, 0.5 * promised):
                self.damping = max(self.damping / STIFFER, SOFTEST) if k == 0 else self.damping
                return True
            self.damping *= STIFFER
        self.damping = 1.0
        return False

    def _fall(self, now: Forces) -> None:
        self.tau = self.tau or 0.1 / max(float(np.abs(now.fall / self.units).max()), 1e-300)
        if not self.last @ (self.linkage.metric * now.fall) > 0:
            self.last, self.went = np.zeros_like(self.last), 0.0
        pull = self.tau * now.f + INERTIA * self.linkage.metric * self.last
        delta = now.saddle.solve(pull, np.zeros(self.linkage.m))[0]
        shorter = min(1.0, self.longest / max(self._length(delta), 1e-300), TURN / max(self._turn(delta), 1e-300))
        if not self._go(shorter * delta, 0.0):
            self.tau, self.last = 0.25 * self.tau, np.zeros_like(delta)
        else:
            self.tau, self.last = 1.5 * self.tau if shorter == 1.0 else self.tau, shorter * delta

    def _length(self, delta: Array) -> float:
        return float(np.abs(delta / self.units).max(initial=0.0))

    def _turn(self, delta: Array) -> float:
        return float(np.abs(delta[self.linkage.turning]).max(initial=0.0))

    def _drifts(self, last: Array) -> bool:
        """Whether the step just made repeats the last one."""
        size = self._length(self.step)
        return size > 0 and self._length(self.step - last) <= ALIKE * size

    def _falls_for_ever(self, r: Array) -> bool:
        """Whether the energy keeps falling along a drift until it is far away, at the rate with which it began.

        Each step is twice as long as the one before; where something turns, no longer than turns can be counted.
        """
        delta, stride = self.step, 1.0
        turn = self._turn(delta)
        while not self._far:
            stride = min(2 * stride, TURN / max(turn, 1e-300))
            if not self._go(stride * delta, STEADY * stride * float(delta @ r)):
                return False
            self.turned += stride * turn
        return True

    @property
    def _far(self) -> bool:
        gone = np.abs(self.statics.configuration(self.x) - self.begin).max()
        return self.turned > FAR_TURNED or not gone < self.far

    def _go(self, delta: Array, least: float) -> bool:
        """Step ahead, if the joints can be closed there and the energy has fallen by some least amount."""
        q = settled(self.linkage, self.linkage.kinematics.retract(self.statics.configuration(self.x), delta))
        if q is None:
            return False
        ahead = self.statics.moved(self.x, q)
        energy = self.statics.energy(ahead)
        noise = NOISE * EPS * (abs(self.energy) + float(self.now.terms @ self.numbers))
        gain = self.energy - energy + self.statics.work(self.x, ahead, delta)
        if not gain > least - noise:
            return False
        forces = self._forces(ahead)
        if gain <= noise and not forces.left < max(self.now.left, EXACT):
            return False
        self.x, self.energy, self.step, self.now = ahead, energy, delta, forces
        self.linkage.conditions.follow(q)
        return True


def _around(sizes: Array) -> Array:
    """Of each force or moment, three numbers of a vector, its length; (n,), n a multiple of three."""
    return np.repeat(np.linalg.norm(sizes.reshape(-1, 3), axis=1), 3)
