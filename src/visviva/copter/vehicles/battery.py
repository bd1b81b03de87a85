"""The battery of a vehicle: a voltage behind a resistance, that limits what motors can draw.

Each motor takes P = u i at u = R i + k_M ϖ, and its controller transforms it without loss as far as u ≤ U goes:

    U = U_0 - R_B I,     U I = Σ u i,     i ≤ (U - k_M ϖ)/R
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva._suggestions import helpful
from visviva.copter.vehicles.units import check_unit
from visviva.errors import ModelError

HOUR = 3600.0  # [s]
SAGGED, SOUGHT = 0.05, 200  # share of U_0 down to which, and points at which, a voltage is looked for
HALVINGS = 50  # of the interval between two of them


@final
@helpful
@dataclass(frozen=True)
class Battery:
    """U = U_0 - R I, with U_0 as the charge at the start of a flight has it.

    voltage:    U_0 [V], (empty, full) or one number for both.
    resistance: R [Ω].
    capacity:   [A h].   charge: share of it that is there at the start.
    """

    voltage: float | tuple[float, float]
    resistance: float
    capacity: float
    charge: float = 1.0

    def __post_init__(self) -> None:
        keep = object.__setattr__
        ends = finite_array(self.voltage, "voltage of a battery [V]")
        if ends.shape not in ((), (2,)) or ends.min() <= 0 or (ends.shape and ends[0] > ends[1]):
            raise ModelError(f"the voltage of a battery is (empty, full) or one number [V], got {self.voltage!r}.")
        keep(self, "voltage", tuple(np.broadcast_to(ends, 2).tolist()))
        keep(self, "resistance", finite_number(self.resistance, "resistance of a battery [Ω]", minimum=0.0))
        keep(self, "capacity", finite_number(self.capacity, "capacity of a battery [A h]", positive=True))
        keep(self, "charge", finite_number(self.charge, "charge of a battery", minimum=0.0))
        check_unit(self.resistance, "resistance", "resistance of a battery")
        check_unit(self.capacity, "capacity", "capacity of a battery")
        if self.charge > 1:
            raise ModelError(f"the charge of a battery is a share from 0 to 1, got {self.charge:g}.")

    @property
    def open_circuit(self) -> float:
        """U_0 [V]."""
        empty, full = np.broadcast_to(self.voltage, 2).tolist()
        return float(empty + self.charge * (full - empty))

    def current(self, power: ArrayLike) -> Array:
        """I [A] that gives a power U I [W], (U_0 - sqrt(U_0² - 4 R P))/2R."""
        U_0, P = self.open_circuit, np.asarray(power, dtype=np.float64)
        return 2 * P / (U_0 + np.sqrt(U_0 * U_0 - 4 * self.resistance * P))

    def works(self, motors: Array, h: Array) -> tuple[Array, Array]:
        """U_0 I h and R I² h of steps h [s] in which motors take works [J]."""
        I = self.current(motors / h)
        return self.open_circuit * I * h, self.resistance * I * I * h

    def account(self, t: Array, given: Array) -> str:
        """What works U_0 I h [J] between times t [s] took of it, as a line."""
        h = np.diff(t)
        I = given / (self.open_circuit * h)
        drawn = float(np.sum(I * h)) / HOUR
        low = self.open_circuit - self.resistance * float(I.max(initial=0.0))
        left = self.charge - drawn / self.capacity
        return (
            f"  battery down to {low:.2f} V at {I.max(initial=0.0):.1f} A, {1000 * drawn:.0f} mA h drawn, "
            f"{100 * left:.1f} % left"
        )


def supply(
    U_0: float, R_B: float, k_M: Array, resistance: Array, spins: Array, currents: Array, limited: Array
) -> tuple[float, float]:
    """U and I of a battery; writes what flows in each motor of the currents that are wanted.

    Where the motors S are at the limit, U²(1 + R_B Σ_S 1/R) - U (U_0 + R_B Σ_S k_M ϖ/R) + R_B Σ u i of the others = 0.
    These are the ones of highest u, and as each motor takes the least of both, U is the highest of all such choices.
    """
    n, U, i = len(currents), 0.0, -1
    a, b, power = 1.0, U_0, 0.0
    for k in range(n):
        power += (resistance[k] * currents[k] + k_M[k] * spins[k]) * currents[k]
    for m in range(n + 1):
        square = b * b - 4 * a * R_B * power
        if square >= 0:
            U = max(U, (b + math.sqrt(square)) / (2 * a))
        if m < n:
            i = _next_highest(k_M, resistance, spins, currents, i)
            a += R_B / resistance[i]
            b += R_B * k_M[i] * spins[i] / resistance[i]
            power -= (resistance[i] * currents[i] + k_M[i] * spins[i]) * currents[i]
    drawn = 0.0
    for k in range(n):
        back = k_M[k] * spins[k]
        limited[k] = min(currents[k], (U - back) / resistance[k])
        drawn += (resistance[k] * limited[k] + back) * limited[k]
    return U, drawn / U


def _next_highest(k_M: Array, resistance: Array, spins: Array, currents: Array, last: int) -> int:
    """The motor whose voltage is the highest after that of another one; of equal ones the first. -1: before all."""
    found, best, after = -1, -math.inf, math.inf
    if last >= 0:
        after = resistance[last] * currents[last] + k_M[last] * spins[last]
    for k in range(len(currents)):
        u = resistance[k] * currents[k] + k_M[k] * spins[k]
        if u > best and (u < after or (u == after and k > last)):
            found, best = k, u
    return found


def steady_currents(p: Any, speeds: Array) -> Array:
    """i = (κ_T ϖ² + τ_MB)/k_M [A] of rotors that turn steadily, with constants of `copter.models.gyrostat`."""
    return np.asarray((p.kappa_T * speeds * speeds + p.tau_MB) / p.k_M)


def put_driven(p: Any, speeds: Array) -> None:
    """Speeds [rad/s] that a battery can hold of those that are wanted, in place; p: of `copter.models.gyrostat`.

    A rotor that turns steadily has u(ϖ) ≤ U up to a speed ϖ(U). U is the highest
    root of U_0 - U = R_B Σ u i/U.
    """
    U_0 = p.supply[0]
    high, low, k = U_0, U_0, 0
    while k < SOUGHT and voltage_left(p, speeds, low) < 0:
        k += 1
        high, low = low, U_0 * (1 - k * (1 - SAGGED) / (SOUGHT - 1))
    low = low if k < SOUGHT else high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if voltage_left(p, speeds, middle) >= 0:
            low = middle
        else:
            high = middle
    for i in range(len(speeds)):
        speeds[i] = held_speed(p, i, speeds[i], low)


def held_speed(p: Any, i: int, wanted: float, U: float) -> float:
    """ϖ of rotor i that is wanted, as far as U holds it."""
    a, b, c = p.resistance[i] * p.kappa_T[i] / p.k_M[i], p.k_M[i], p.resistance[i] * p.tau_MB[i] / p.k_M[i] - U
    return min(wanted, max(0.0, (math.sqrt(b * b - 4 * a * c) - b) / (2 * a)))


def voltage_left(p: Any, speeds: Array, U: float) -> float:
    """U_0 - U - R_B Σ u i/U of rotors that turn with speeds that U can hold."""
    power = 0.0
    for k in range(len(speeds)):
        w = held_speed(p, k, speeds[k], U)
        i = (p.kappa_T[k] * w * w + p.tau_MB[k]) / p.k_M[k]
        power += (p.resistance[k] * i + p.k_M[k] * w) * i
    return float(p.supply[0] - U - p.supply[1] * power / U)
