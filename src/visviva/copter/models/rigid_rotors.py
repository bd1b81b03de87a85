"""Rotors of a rigid vehicle: late by their lag, in moving air, above the ground; at the steps of a flight."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.copter.models.craft_law import (
    AbstractCraftLaw,
    Craft,
    WindAccess,
    blow,
    craft,
    look_around,
    put_air_wrench,
)
from visviva.copter.models.gyrostat import add_blades, add_thrusts, directions, gyrostat
from visviva.copter.vehicles.allotment import allot, limits
from visviva.copter.vehicles.battery import put_driven
from visviva.copter.vehicles.blades import RADIUS
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError
from visviva.kernels.calls import call_inputs

NEAR = 1e-9  # of a step
WRENCH = 6


def has_effects(vehicle: Vehicle) -> bool:
    """Whether rotors do not just push with κ_F ϖ² at once."""
    late = any(rotor.lag for rotor in vehicle.rotors)
    return late or vehicle.battery is not None or bool(gyrostat(vehicle).blades[:, :RADIUS].any())


class RotorSteps(NamedTuple):
    """What n rotors and s servos work in, and what they did over N steps."""

    lag: Array  # (n,)
    h: float
    every: int  # steps between ticks of the law
    x: Array  # (n + s,) F cos θ of all rotors and F sin θ of the tilting ones that the law asked for
    begun: NDArray[np.int64]  # (1,) steps
    speeds: Array  # (N + 1, n) at begin and end of each
    thrusts: Array  # (N, n) κ_F mean(ϖ²)
    asked: Array  # (N, 6) wrench of the law
    wanted: Array  # (N, n) ϖ_U
    tilts: Array  # (N, s)
    H: Array  # (n, 3)
    slopes: Array
    squares: Array  # (n,)
    spins: Array
    f: Array  # (6,)


class LawCall(NamedTuple):
    """A compiled tracking law by its address, and its memory; see `kernels.control.tracking`."""

    address: int
    T: int  # addresses of arrays
    P: int
    y: int
    given: int
    wrench: Array  # (6,)
    x: Array  # of actuators that make it


@final
class RigidRotors(AbstractCraftLaw):
    """A law that is asked at ticks, what rotors make of its wrench in each step, and the air; for `Sampled`.

        T ϖ̇ = ϖ_U - ϖ,   F = κ_F mean(ϖ²) + …, see `copter.vehicles.blades`

    ϖ_U are speeds that the battery can hold. Steps of the lag are exact, and thrusts are those of the mean square of ϖ
    over a step. Tilts are as asked for.

    A step follows from what is kept of the one before it: one that is asked for again is made as at first.
    """

    writes = ("rotors", "craft_air")
    widths = (WRENCH, WRENCH)

    def __init__(
        self, vehicle: Vehicle, law: Any, period: float, h: float, around: Surroundings, steps: int
    ) -> None:  # fmt: skip
        self.vehicle, self.law, self.around, self.period = vehicle, law, around, period
        every = round(period / h)
        if every < 1 or abs(every * h - period) > NEAR * period:
            raise ModelError(
                f"rotors with options move in steps: the period of the law, {period:g} s, must be a whole number of "
                f"steps of {h:g} s."
            )
        self.craft, self.u = craft(vehicle, around), np.zeros(2 * WRENCH)
        n, s, N = len(vehicle.rotors), len(vehicle.tilting), steps
        shapes = (N + 1, n), (N, n), (N, WRENCH), (N, n), (N, s), (n, 3), (n, 3), (n,), (n,), (WRENCH,)
        self.steps = RotorSteps(
            np.array([rotor.lag for rotor in vehicle.rotors]), float(h), every, np.zeros(n + s),
            np.zeros(1, dtype=np.int64), *(np.zeros(shape) for shape in shapes),
        )  # fmt: skip
        code = getattr(law, "code", None)
        self.only_called = code is None or not _same(law.law.limits, limits(vehicle))
        self.why_not = getattr(law, "why_not", "") or "rotors have other limits than it believes"
        self.reset()

    def reset(self) -> None:
        """A flight begins, rotors at hover."""
        self._kept = None
        self.law.reset()
        self.steps.begun[0], self.steps.speeds[0] = 0, self.vehicle.hover.speeds

    @property
    def speeds(self) -> Array:
        """At the end of each step, (steps, n)."""
        return self.steps.speeds[1 : self.steps.begun[0] + 1]

    @property
    def thrusts(self) -> Array:
        """In the mean of each step [N], (steps, n)."""
        return self.steps.thrusts[: self.steps.begun[0]]

    @property
    def asked(self) -> Array:
        """The wrench that the law asked for in each step, (steps, 6)."""
        return self.steps.asked[: self.steps.begun[0]]

    def cautions(self) -> tuple[str, ...]:
        """Of the law."""
        return tuple(self.law.cautions())

    def inputs(self, t: float, y: Array) -> Array:
        """Wrenches of rotors and air over the step that begins."""
        self.see(t, y)
        s, k = self.steps, step_at(self.steps, t)
        if k % s.every == 0:
            wrench = np.array(self.law.inputs(t, y))
            s.asked[k], s.x[:] = wrench, allot(self.vehicle, wrench[None])[0]
            put_wanted(self.craft, s, k)
        else:
            go_on(s, k)
        push(self.craft, s, k, self.u)
        return self.u.copy()

    def function(self) -> tuple[Callable[..., None], tuple[Any, ...]]:  # noqa: D102
        code, width = self.law.code, sum(self.law.widths)
        T = np.concatenate([[0, 0], np.arange(self.law.size)]).astype(np.int64)
        P, given = code.parameters(0, width), np.zeros(width)
        self._called = T, P, given  # which live as long as this
        call = LawCall(
            self.law.address(0, width), T.ctypes.data, P.ctypes.data, self.craft.y.ctypes.data, given.ctypes.data,
            given, code.control.u,
        )  # fmt: skip
        return push_of_rotors, (self.craft, self.steps, call)


def push_of_rotors(c: Craft, s: RotorSteps, law: LawCall, wind: WindAccess, t: float, u: Array) -> None:
    """`RigidRotors` in compiled code; not a number where the law has no inputs."""
    blow(c, wind, t)
    k = step_at(s, t)
    if k % s.every == 0:
        call_inputs(law.address, (1, law.T, law.P, t, law.y, law.given))
        for i in range(len(law.wrench)):
            s.asked[k, i] = law.wrench[i]
        for i in range(len(s.x)):
            s.x[i] = law.x[i]
        put_wanted(c, s, k)
    else:
        go_on(s, k)
    push(c, s, k, u)
    for i in range(len(law.wrench)):
        if np.isnan(s.asked[k, i]):
            u[i] = np.nan


def step_at(s: RotorSteps, t: float) -> int:
    """Number of the step that begins at a time."""
    return min(int(t / s.h + 0.5), len(s.asked) - 1)


def put_wanted(c: Craft, s: RotorSteps, k: int) -> None:
    """Speeds and tilts that make what the law asks for in still air, far from the ground."""
    n = len(s.lag)
    for i in range(n):
        F, j = s.x[i], c.p.servo[i]
        if j >= 0:
            s.tilts[k, j] = math.atan2(s.x[n + j], F)
            F = math.hypot(F, s.x[n + j])
        s.wanted[k, i] = math.sqrt(max(F, 0.0) / c.p.kappa_F[i])
    if c.p.supply[0] < np.inf:
        put_driven(c.p, s.wanted[k])


def go_on(s: RotorSteps, k: int) -> None:
    """Between ticks, what is asked for stays."""
    for i in range(WRENCH):
        s.asked[k, i] = s.asked[k - 1, i]
    for i in range(len(s.lag)):
        s.wanted[k, i] = s.wanted[k - 1, i]
    for j in range(s.tilts.shape[1]):
        s.tilts[k, j] = s.tilts[k - 1, j]


def push(c: Craft, s: RotorSteps, k: int, u: Array) -> None:
    """Wrenches of rotors, about the origin of the body, and of the air, about its centre of mass, over step k."""
    for i in range(len(s.lag)):
        end, square = follow(s.speeds[k, i], s.wanted[k, i], s.lag[i], s.h)
        s.speeds[k + 1, i], s.squares[i], s.spins[i] = end, square, math.sqrt(square)
        s.thrusts[k, i] = c.p.kappa_F[i] * square
    s.begun[0] = k + 1
    for i in range(WRENCH):
        s.f[i] = 0.0
    look_around(c)
    directions(c.p, s.tilts[k], s.H, s.slopes)
    add_thrusts(c.p, s.H, s.squares, s.f)
    add_blades(c.p, c.R, s.H, c.V, s.spins, c.around[3], s.f)
    for i in range(WRENCH):
        u[i] = s.f[i]
    put_air_wrench(c, u, WRENCH)


def follow(start: float, wanted: float, T: float, h: float) -> tuple[float, float]:
    """ϖ a step later, and the mean of ϖ² until then."""
    if T == 0.0:
        return wanted, wanted * wanted
    d, left = start - wanted, math.exp(-h / T)
    share = T / h
    mean = wanted * wanted + 2 * wanted * d * share * (1 - left) + d * d * share * 0.5 * (1 - left * left)
    return wanted + d * left, mean


def _same(one: tuple[Array, Array] | None, other: tuple[Array, Array]) -> bool:
    return one is not None and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
