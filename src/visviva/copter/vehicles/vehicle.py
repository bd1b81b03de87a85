"""A multicopter as data: body, drag, and any number and arrangement of rotors.

The body's frame has z upwards; wrenches and twists in it are (m; f) and (ω; v) about its origin, as everywhere in the
package; the dissertation has them the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful, suggesting
from visviva.copter.vehicles.battery import Battery, supply
from visviva.copter.vehicles.rotor import Rotor
from visviva.copter.vehicles.trim import hover_split
from visviva.copter.vehicles.units import check_currents, check_masses, hint_of_lift
from visviva.errors import ModelError
from visviva.geometry.definite import semidefinite, symmetric
from visviva.geometry.hat import skew
from visviva.geometry.inertia import check_inertia
from visviva.geometry.moments import body_moments, matrix_of_moments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = ("roll moment", "pitch moment", "yaw moment", "lift")
RANK_RTOL = 1e-6  # of the largest singular value of the scaled allocation: a rotor a micron from the axis turns nothing


@final
@helpful
@dataclass(frozen=True, eq=False)
class Drag:
    """Linear drag of the air, -D (ω; v), D = [[Υ + l̂ D_v l̂ᵀ, l̂ D_v], [D_v l̂ᵀ, D_v]]; Konz (5.4).

    d:       D_v of translation [kg/s]: three numbers, or one.
    centre:  l, where it acts [m].
    Upsilon: Υ of rotation [N m s] *about the centre*, so that D ⪰ 0 says d ≥ 0, Υ ⪰ 0.
    """

    d: Array
    centre: Array
    Upsilon: Array

    def __post_init__(self) -> None:
        given = np.full(3, self.d) if np.ndim(self.d) == 0 else self.d
        D_v = semidefinite(symmetric(given, 3, "drag d"), "drag d")
        Y = semidefinite(symmetric(self.Upsilon, 3, "drag Upsilon"), "drag Upsilon")
        object.__setattr__(self, "d", frozen(D_v))
        object.__setattr__(self, "centre", frozen(finite_vector(self.centre, "centre of drag", 3)))
        object.__setattr__(self, "Upsilon", frozen(Y))

    @property
    def matrix(self) -> Array:
        """D (6, 6) on twists (ω; v) about the origin."""
        l = skew(self.centre)
        return np.block([[self.Upsilon + l @ self.d @ l.T, l @ self.d], [self.d @ l.T, self.d]])

    @property
    def mean(self) -> float:
        """d = tr D_v/3 of the simplified models, (2 d_x + d_z)/3 [kg/s]."""
        return float(np.trace(self.d)) / 3


def check_vehicle(given: object, what: str = "vehicle") -> None:
    """ModelError where there is something else."""
    if not isinstance(given, Vehicle):
        raise ModelError(
            f"{what} is vv.copter.Vehicle(...), or one of Table 5.1 such as vv.copter.quadcopter(), got {given!r}."
        )


class Hover(NamedTuple):
    """What keeps a vehicle at rest and upright, one number per rotor."""

    thrusts: Array  # [N]
    tilts: Array  # [rad]
    speeds: Array  # [rad/s]
    currents: Array  # [A]


def _no_bias() -> Array:
    return np.zeros(6)


@final
@suggesting
@dataclass(frozen=True, eq=False)
class Vehicle:
    """A body with rotors.

    mass, com: of the whole vehicle [kg], centre s in the body's frame [m].
    inertia:   Θ of the whole vehicle about the *origin* of the body's frame [kg m²], (3, 3) or (3,); (5.9a).
    bias:      wrench (τ_B; F_B) on the vehicle in its own axes that nothing else explains [N m, N]; (5.9e).
    gravity:   g along -z of the world [m/s²].
    battery:   that limits currents, by default none.
    """

    name: str
    mass: float
    com: Array
    inertia: Array
    rotors: tuple[Rotor, ...]
    drag: Drag = field(default_factory=lambda: Drag(np.zeros(3), np.zeros(3), np.zeros(3)))
    bias: Array = field(default_factory=_no_bias)
    gravity: float = 9.81
    battery: Battery | None = None

    def __post_init__(self) -> None:
        of = f"of vehicle {self.name!r}"
        keep = object.__setattr__
        keep(self, "mass", finite_number(self.mass, f"mass {of}", positive=True))
        keep(self, "com", frozen(finite_vector(self.com, f"com {of}", 3)))
        keep(self, "inertia", frozen(symmetric(self.inertia, 3, f"inertia {of}")))
        keep(self, "bias", frozen(finite_vector(self.bias, f"bias {of}", 6)))
        keep(self, "gravity", finite_number(self.gravity, f"gravity {of}", positive=True))
        keep(self, "rotors", self._listed())
        if self.rotors:
            check_masses(self)
        check_inertia(self.mass, self.inertia_about_com, self.name)
        if not isinstance(self.drag, Drag):
            raise ModelError(f"drag {of} is vv.copter.Drag(d, centre, Upsilon), got {self.drag!r}.")
        names = [rotor.name for rotor in self.rotors]
        if len(set(names)) < len(names):
            raise ModelError(f"rotors {of} need names of their own, got {', '.join(names)}.")
        self._check_turning()
        self._check_hover()
        if self.battery is not None:
            self._check_battery(self.battery)

    def __repr__(self) -> str:
        rotors = f"{len(self.rotors)} rotor{'s' if len(self.rotors) != 1 else ''}"
        return f"Vehicle({self.name!r}, {self.mass:.4g} kg, {rotors}, arm {self.arm:.3g} m)"

    def __str__(self) -> str:
        from visviva.copter.vehicles.vehicle_text import vehicle_text

        return vehicle_text(self)

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """From above and from the side: arms, rotors and their turn, tilt axes, axes of the body, centre of mass.

        path: of a picture.
        """
        from visviva.copter.vehicles.plot_vehicle import plot_vehicle

        return plot_vehicle(self, path)

    @property
    def inertia_about_com(self) -> Array:
        """Θ - m ŝ ŝᵀ [kg m²]."""
        s = skew(self.com)
        return np.asarray(self.inertia - self.mass * s @ s.T)

    @property
    def inertia_matrix(self) -> Array:
        """M (6, 6) of the rigid vehicle on twists (ω; v) about the origin, its propellers and tilts held."""
        return matrix_of_moments(body_moments(self.mass, self.com, self.inertia))

    @property
    def weight(self) -> float:
        """m g [N]."""
        return self.mass * self.gravity

    @property
    def tilting(self) -> tuple[int, ...]:
        """Numbers of the rotors that have servos."""
        return tuple(i for i, rotor in enumerate(self.rotors) if rotor.servo is not None)

    @property
    def arm(self) -> float:
        """Of the rotor that is farthest from the origin [m]; 1 m where all are there."""
        return max(float(np.linalg.norm(rotor.position)) for rotor in self.rotors) or 1.0

    def tilts(self, tilts: ArrayLike | None = None) -> Array:
        """θ of each rotor [rad], from one number per rotor, one per servo, or nothing for θ = 0."""
        k, found = len(self.rotors), np.zeros(len(self.rotors))
        if tilts is None:
            return found
        given = np.atleast_1d(np.asarray(tilts, dtype=np.float64))
        if given.shape == (k,):
            found[:] = given
        elif given.shape == (len(self.tilting),):
            found[list(self.tilting)] = given
        else:
            raise ModelError(
                f"vehicle {self.name!r} has {k} rotors, {len(self.tilting)} of them with servos: tilts are one number "
                f"for each of these or those, got shape {given.shape}."
            )
        return found

    def directions(self, tilts: ArrayLike | None = None) -> Array:
        """Of thrust at tilts θ, (3, k): H_3(θ) of (5.9i)."""
        return np.transpose([rotor.direction(x) for rotor, x in zip(self.rotors, self.tilts(tilts), strict=True)])

    def allocation(self, tilts: ArrayLike | None = None) -> Array:
        """B (6, k): wrench (m; f) of the thrusts [N] on the vehicle about its origin; (5.9d), (5.17c)."""
        return np.transpose([rotor.wrench(h) for rotor, h in zip(self.rotors, self.directions(tilts).T, strict=True)])

    @cached_property
    def split_allocation(self) -> Array:
        """B (6, k + number of servos) of F cos θ of all rotors, then of F sin θ of the tilting ones; (5.16c).

        Column 5 is as (5.9d) has it: τ_x of -h_A, τ_y of -κ_T/κ_F; both have the wrong sign in print.
        """
        across = [self.rotors[i].wrench(self.rotors[i].direction(math.pi / 2)) for i in self.tilting]
        return np.concatenate([self.allocation(), np.reshape(across, (-1, 6)).T], axis=1)

    @property
    def hover_speed(self) -> float:
        """ϖ [rad/s] at which rotors that all turn alike carry the weight at θ = 0, sqrt(m g/Σ κ_F h_z)."""
        return math.sqrt(self.weight / sum(rotor.kappa_F * float(rotor.axis[2]) for rotor in self.rotors))

    @cached_property
    def hover(self) -> Hover:
        """Thrusts of least squares, tilts, speeds and currents at rest and upright, without `bias`."""
        found = hover_split(self)
        k, tilting = len(self.rotors), list(self.tilting)
        side = np.zeros(k)
        side[tilting] = found[k:]
        F, tilts = np.hypot(found[:k], side), np.arctan2(side, found[:k])
        w = np.array([math.sqrt(f / rotor.kappa_F) for f, rotor in zip(F, self.rotors, strict=True)])
        i = np.array([rotor.current(x) for x, rotor in zip(w, self.rotors, strict=True)])
        return Hover(frozen(F), frozen(tilts), frozen(w), frozen(i))

    def without_bias(self) -> Vehicle:
        """The same vehicle, on which nothing unexplained acts."""
        return replace(self, bias=np.zeros(6))

    def simplified(self) -> Vehicle:
        """What the simplified models (5.16), (5.17) know: s = 0, Θ diagonal, isotropic drag at the origin, no bias.

        Θ_x and Θ_y become their mean where they differ by less than five per cent, as (5.17) has it.
        """
        x, y, z = np.diag(self.inertia)
        if abs(x - y) < 0.05 * (x + y) / 2:
            x = y = (x + y) / 2
        return replace(
            self, com=np.zeros(3), inertia=np.diag([x, y, z]), bias=np.zeros(6),
            drag=Drag(np.full(3, self.drag.mean), np.zeros(3), np.zeros(3)),
        )  # fmt: skip

    def _listed(self) -> tuple[Rotor, ...]:
        """Rotors as they are given."""
        given: Any = self.rotors
        if isinstance(given, Rotor):
            raise ModelError(
                f"rotors of vehicle {self.name!r} are a list, got one rotor, {given.name!r}.\n"
                "vv.copter.ring(rotor, angles, spins, radius=...) makes rotors like it on a circle."
            )
        rotors = tuple(given) if isinstance(given, Iterable) else (given,)
        for rotor in rotors:
            if not isinstance(rotor, Rotor):
                raise ModelError(f"rotors of vehicle {self.name!r} are values vv.copter.Rotor(...), got {rotor!r}.")
        return rotors

    def _check_turning(self) -> None:
        """ModelError where roll, pitch, yaw and lift are not independent about the centre of mass, at θ = 0."""
        if not self.rotors:
            raise ModelError(f"vehicle {self.name!r} has no rotors.")
        scale = np.array([self.arm, self.arm, max(rotor.drag_length for rotor in self.rotors), 1.0])
        B = self.split_allocation
        about_com = B[:3] - skew(self.com) @ B[3:]
        rows = np.concatenate([about_com, B[5:]]) / scale[:, None]
        U, s, _ = np.linalg.svd(rows)
        s = np.append(s, np.zeros(4 - len(s)))
        if s[3] > RANK_RTOL * s[0]:
            return
        missing = U[:, s <= RANK_RTOL * s[0]]
        share = np.linalg.norm(missing, axis=1)
        named = [name for name, part in zip(NEEDED, share, strict=True) if part > 0.3]
        raise ModelError(
            f"vehicle {self.name!r} cannot turn and rise as it likes: its {len(self.rotors)} rotors and "
            f"{len(self.tilting)} servos do not choose {' and '.join(named)} independently of the rest.\n"
            "Rotors must not lie on one line, and must spin both ways, be oblique, or tilt; four inputs are the fewest."
        )

    def _check_hover(self) -> None:
        """ModelError where speeds or tilts leave no room about a hover."""
        lift = sum(max(float(rotor.axis[2]), 0.0) * rotor.thrusts[1] for rotor in self.rotors)
        if lift < self.weight:
            raise ModelError(
                f"vehicle {self.name!r} cannot hover: at their highest speeds its rotors lift {lift:.4g} N, and it "
                f"weighs {self.weight:.4g} N." + hint_of_lift(self, lift)
            )
        least = sum(max(float(rotor.axis[2]), 0.0) * rotor.thrusts[0] for rotor in self.rotors)
        if least > self.weight and not self.tilting:
            raise ModelError(
                f"vehicle {self.name!r} cannot stay down: at their lowest speeds its rotors lift {least:.4g} N, and it "
                f"weighs {self.weight:.4g} N." + hint_of_lift(self, least)
            )
        check_currents(self)

    def _check_battery(self, battery: Battery) -> None:
        """ModelError where motors have no resistance, or the battery does not hold the vehicle up."""
        if not isinstance(battery, Battery):
            raise ModelError(f"battery of vehicle {self.name!r} is vv.copter.Battery(...), got {battery!r}.")
        for rotor in self.rotors:
            if not rotor.resistance:
                raise ModelError(
                    f"a battery drives currents through windings, and rotor {rotor.name!r} has none: give "
                    "vv.copter.Rotor(..., resistance=0.1) [Ω]."
                )
        k_M, R = (np.array([getattr(rotor, name) for rotor in self.rotors]) for name in ("k_M", "resistance"))
        hover, flows = self.hover, np.empty(len(self.rotors))
        U, _ = supply(battery.open_circuit, battery.resistance, k_M, R, hover.speeds, hover.currents, flows)
        needed = float((R * hover.currents + k_M * hover.speeds).max())
        if (flows < hover.currents).any():
            raise ModelError(
                f"vehicle {self.name!r} cannot hover on its battery: a motor needs {needed:.4g} V, and of "
                f"{battery.open_circuit:.4g} V {U:.4g} V are left behind {battery.resistance:g} Ω."
            )
