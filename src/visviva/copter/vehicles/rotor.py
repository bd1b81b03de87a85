"""Rotors: a propeller on its motor, and the servo that tilts both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.copter.vehicles.units import check_unit
from visviva.errors import ModelError
from visviva.geometry.hat import skew

UPRIGHT = 1e-9  # how far an axis may be from length one, and a tilt axis from being across


@final
@helpful
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Servo:
    """Tilts a rotor by θ about an axis through its centre: τ_S = k_P (θ_U - θ) - k_D θ̇; Konz (5.2), (5.14).

    axis:     unit vector in the body's frame.
    k_P, k_D: [N m/rad], [N m s/rad].
    inertia:  Θ_A about the axis [kg m²], the servo's own rotor behind its gear included.
    coupling: Θ_AC [kg m²], what turns with the arm as seen by the body, (5.9a).
    gear:     ratio of the servo's rotor to θ.
    range:    lowest and highest θ [rad].
    """

    axis: Array
    k_P: float
    k_D: float
    inertia: float
    coupling: float
    gear: float
    range: tuple[float, float] = (-math.pi / 2, math.pi / 2)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", _unit(self.axis, "the tilt axis of a servo"))
        for name in ("k_P", "k_D", "inertia", "coupling"):
            object.__setattr__(self, name, finite_number(getattr(self, name), f"{name} of a servo", positive=True))
        object.__setattr__(self, "gear", finite_number(self.gear, "gear of a servo", minimum=1.0))
        object.__setattr__(self, "range", _range(self.range, "range of a servo [rad]"))
        low, high = self.range
        if not -math.pi <= low < 0 < high <= math.pi:
            raise ModelError(f"the range of a servo is in radian and has 0 inside, got ({low:g}, {high:g}).")
        if self.gear > 1 and not self.arm_inertia >= 0:
            raise ModelError(
                f"a servo with the gear {self.gear:g}, inertia Θ_A = {self.inertia:g} and coupling Θ_AC = "
                f"{self.coupling:g} kg m² leaves {self.arm_inertia:.3g} kg m² to its arm.\n"
                "Θ_A = Θ_arm + gear² Θ_S and Θ_AC = Θ_arm + gear Θ_S, with Θ_arm ≥ 0."
            )

    @property
    def rotor_inertia(self) -> float:
        """Θ_S = (Θ_A - Θ_AC)/(c (c - 1)) of the servo's own rotor before its gear c [kg m²]; 0 without a gear."""
        return (self.inertia - self.coupling) / (self.gear * (self.gear - 1)) if self.gear > 1 else 0.0

    @property
    def arm_inertia(self) -> float:
        """Θ_arm = Θ_AC - c Θ_S of arm and propeller about the axis [kg m²]."""
        return self.coupling - self.gear * self.rotor_inertia

    @property
    def p_S0(self) -> float:
        """k_P/Θ_A [1/s²]."""
        return self.k_P / self.inertia

    @property
    def p_S1(self) -> float:
        """k_D/Θ_A [1/s]."""
        return self.k_D / self.inertia


@final
@helpful
@dataclass(frozen=True, eq=False)
class Rotor:
    """A propeller on a motor: thrust F = κ_F ϖ² along its axis, torque κ_T ϖ² against its spin; Konz (5.1), (5.3).

        Θ_P ϖ̇ + κ_T ϖ² = k_M i - τ_MB        (5.16e), with the sign of the friction that brakes

    ϖ ≥ 0 always; the propeller turns with ε ϖ about the axis, and the vehicle feels the moment -ε κ_T ϖ² about it.

    position:  of the centre in the body's frame [m]; the tilt axis passes through it.
    axis:      unit vector along which it pushes the vehicle, at θ = 0.
    spin:      ε = +1 counter-clockwise seen from where the axis points to, -1 clockwise.
    kappa_F, kappa_T: [N s²/rad²], [N m s²/rad²], of ϖ in rad/s.
    inertia:   Θ_P about the axis [kg m²].
    k_M, tau_MB: [N m/A], [N m] of dry friction in the bearing.
    resistance: of the winding [Ω], which counts for the electrical energy, and for what a `Battery` can drive.
    speeds:    lowest and highest ϖ [rad/s].

    Options, off at zero, see `copter.vehicles.blades` for what v, h and z are:

    lag:       T of T ϖ̇ = ϖ_U - ϖ [s], of flights with perfect state. Full models have inertia and currents instead, and
               flights by sensors, which fly these, say that they do not use it.
    drag:      k_D of the force -k_D ϖ v_p in the plane of the blades [N s²/(m rad)].
    inflow:    k_Z of the thrust that climbing takes, k_Z ϖ v_z [N s²/(m rad)].
    flapping:  A of the disc, and with it the thrust, that tilts by A v_p/ϖ [rad²/m].
    hub:       k_H of the moment k_H ϖ v_p × h of blades that tilt [N s²/rad].
    radius:    R of the blades [m], by which the ground carries them.
    """

    name: str
    position: Array
    axis: Array
    spin: int
    kappa_F: float
    kappa_T: float
    inertia: float
    k_M: float
    tau_MB: float
    speeds: tuple[float, float]
    servo: Servo | None = None
    resistance: float = 0.0
    lag: float = 0.0
    drag: float = 0.0
    inflow: float = 0.0
    flapping: float = 0.0
    hub: float = 0.0
    radius: float = 0.0

    def __post_init__(self) -> None:
        own = f"of rotor {self.name!r}"
        object.__setattr__(self, "position", frozen(finite_vector(self.position, f"position {own}", 3)))
        check_unit(float(np.linalg.norm(self.position)), "length", f"the distance {own} from the origin")
        object.__setattr__(self, "axis", _unit(self.axis, f"the axis {own}"))
        if self.spin not in (1, -1):
            raise ModelError(f"spin {own} is +1, counter-clockwise about its axis, or -1, got {self.spin!r}.")
        for name in ("kappa_F", "kappa_T", "inertia", "k_M"):
            value = finite_number(getattr(self, name), f"{name} {own}")
            if value <= 0:
                raise ModelError(
                    f"{name} {own} must be positive, got {value:g}. Which way it spins is said by spin=±1, "
                    "which way it pushes by axis."
                )
            object.__setattr__(self, name, value)
        for name in ("tau_MB", "resistance", "lag", "drag", "inflow", "flapping", "hub", "radius"):
            object.__setattr__(self, name, finite_number(getattr(self, name), f"{name} {own}", minimum=0.0))
        for name, quantity in (("lag", "time"), ("resistance", "resistance"), ("radius", "radius")):
            check_unit(getattr(self, name), quantity, f"{name} {own}")
        object.__setattr__(self, "speeds", _range(self.speeds, f"speeds {own} [rad/s]"))
        if self.speeds[0] < 0:
            raise ModelError(f"speeds {own} must not be negative, got {self.speeds}: spin=-1 says that it turns back.")
        if not isinstance(self.servo, Servo | None):
            raise ModelError(f"servo {own} is vv.copter.Servo(...) or None, got {self.servo!r}.")
        if self.servo is not None and abs(float(self.servo.axis @ self.axis)) > UPRIGHT:
            raise ModelError(f"the tilt axis {own} must be at right angles to its axis, got {self.servo.axis}.")

        if self.servo is not None and self.servo.arm_inertia < self.inertia:
            raise ModelError(
                f"the arm {own} has {self.servo.arm_inertia:.3g} kg m² about its tilt axis, less than its propeller, "
                f"{self.inertia:.3g} kg m²."
            )

    def direction(self, tilt: float = 0.0) -> Array:
        """Of its thrust, h = axis cos θ + (tilt axis × axis) sin θ; a column of H_3 of (5.9i)."""
        if self.servo is None:
            if tilt:
                raise ModelError(f"rotor {self.name!r} has no servo that tilts it by {tilt:g} rad.")
            return np.array(self.axis)
        return np.asarray(self.axis * math.cos(tilt) + np.cross(self.servo.axis, self.axis) * math.sin(tilt))

    def wrench(self, direction: ArrayLike) -> Array:
        """(m; f) on the vehicle about its origin for one newton along a direction h, m = r × h - ε (κ_T/κ_F) h."""
        h = np.asarray(direction, dtype=np.float64)
        return np.concatenate([skew(self.position) @ h - self.spin * self.drag_length * h, h])

    @property
    def drag_length(self) -> float:
        """κ_T/κ_F [m]."""
        return self.kappa_T / self.kappa_F

    @property
    def thrusts(self) -> tuple[float, float]:
        """Lowest and highest thrust κ_F ϖ² [N]."""
        low, high = self.speeds
        return self.kappa_F * low**2, self.kappa_F * high**2

    @property
    def p_P1(self) -> float:
        """κ_T/Θ_P [1/rad]."""
        return self.kappa_T / self.inertia

    @property
    def p_P2(self) -> float:
        """k_M/Θ_P [rad/(s² A)]."""
        return self.k_M / self.inertia

    @property
    def p_P3(self) -> float:
        """τ_MB/Θ_P [rad/s²]."""
        return self.tau_MB / self.inertia

    def current(self, speed: float, rate: float = 0.0) -> float:
        """i = (Θ_P ϖ̇ + κ_T ϖ² + τ_MB)/k_M [A] for a speed [rad/s] and its rate."""
        return (self.inertia * rate + self.kappa_T * speed**2 + self.tau_MB) / self.k_M


def _unit(given: ArrayLike, what: str) -> Array:
    axis = finite_vector(given, what, 3)
    if abs(float(np.linalg.norm(axis)) - 1.0) > UPRIGHT:
        raise ModelError(f"{what} must have length one, got {axis} of length {np.linalg.norm(axis):.6g}.")
    return frozen(axis)


def _range(given: ArrayLike, what: str) -> tuple[float, float]:
    low, high = finite_vector(given, what, 2)
    if not low < high:
        raise ModelError(f"{what} must be (lowest, highest), got ({low:g}, {high:g}).")
    return float(low), float(high)
