"""The thrust of a propeller from a scale, F = κ_F ϖ²; Konz, Figure 5.9."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva._suggestions import helpful
from visviva.copter.identification.drives import told
from visviva.copter.identification.identified import Identified
from visviva.copter.identification.least_squares import fit
from visviva.copter.identification.samples import signal, speeds_in_radians
from visviva.errors import ModelError

FEWEST = 4  # speeds
COEFFICIENT, AIR = 0.1, 1.2  # F/(ρ n² D⁴) of propellers, by which their diameters are guessed, and ρ [kg/m³]
TIPS = 15.0, 60.0, 215.0, 300.0  # [m/s] of ends of blades at full speed: outside is none, usual are those in the middle
FACTORS = {"N": 1.0, "g": 9.81e-3, "kg": 9.81}


@helpful
def identify_thrust(
    speed: ArrayLike,
    thrust: ArrayLike,
    *,
    speed_unit: str | None = None,
    thrust_unit: str | None = None,
    offset: bool = False,
) -> Identified:
    """κ_F of F = κ_F ϖ², by least squares over steady speeds.

    speed: ϖ [rad/s].   thrust: F [N], of the same length.
    speed_unit: "rad/s", "rpm" or "Hz" of `speed`.   thrust_unit: "N", "g" or "kg" of `thrust`, of a scale.
    offset: a scale that does not tell zero at rest, F = κ_F ϖ² + F_0.
    """
    given = finite_array(speed, "speeds of the propeller")
    if given.ndim != 1 or len(given) < FEWEST:
        raise ModelError(f"a thrust curve needs a list of {FEWEST} speeds at least, got shape {given.shape}.")
    w = speeds_in_radians(given, speed_unit, "speeds of the propeller")
    if thrust_unit not in (None, *FACTORS):
        raise ModelError(f"thrust_unit is 'N', 'g' or 'kg', got {thrust_unit!r}.")
    F = FACTORS[thrust_unit or "N"] * signal(thrust, "thrust [N]", len(w))
    squares = w**2

    def regressors(_: Sequence[Array]) -> Array:
        columns = [squares, np.ones(len(w))] if offset else [squares]
        return np.stack(columns, axis=-1)[:, None]

    names, units = ["kappa_F", "F_0"][: 1 + offset], ["N s²/rad²", "N"]
    found = fit(regressors, F[:, None], [], [], names, units, 1)
    if found.x[0] <= 0:
        raise ModelError(
            f"κ_F = {found.x[0]:.4g} N s²/rad² is not positive: count thrust where the propeller pushes its mount to."
        )
    rows = list(zip(names, found.x, found.half, units, strict=False))
    remarks = _remarks(float(found.x[0]), float(w.max())) if thrust_unit is None else ()
    return told("thrust", rows, squares, "F [N]", F[:, None], found, remarks, "ϖ² [rad²/s²]")


def _remarks(kappa_F: float, fastest: float) -> tuple[str, ...]:
    """What is odd about a propeller of such a thrust; ModelError where there is none.

    Its diameter follows from F = C ρ (ϖ/2π)² D⁴, and with it how fast its blades end.
    """
    diameter = (4 * np.pi**2 * kappa_F / (COEFFICIENT * AIR)) ** 0.25
    tip = 0.5 * diameter * fastest
    if TIPS[1] <= tip <= TIPS[2]:
        return ()
    said = (
        f"{kappa_F * fastest**2:.4g} N at {fastest:.4g} rad/s are those of a propeller of about {diameter:.2g} m, "
        f"whose blades end at {tip:.3g} m/s; {TIPS[1]:g} to {TIPS[2]:g} m/s are usual at full speed"
    )
    units = "thrust in g, or speed in rpm" if tip > TIPS[2] else "thrust in kg, or speed in Hz"
    if TIPS[0] <= tip <= TIPS[3]:
        return (f"{said}. Is the {units}? See thrust_unit= and speed_unit=; thrust_unit='N' says that all is right.",)
    raise ModelError(
        f"{said}.\nIs the {units}? Say thrust_unit='{'g' if tip > TIPS[2] else 'kg'}' or speed_unit=; "
        "thrust_unit='N' says that all is right."
    )
