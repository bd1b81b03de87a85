"""Propeller and servo drives from a test bench; Konz (5.13), (5.14)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number
from visviva._suggestions import helpful
from visviva.copter.identification.derivatives import SavitzkyGolay
from visviva.copter.identification.identified import Identified
from visviva.copter.identification.least_squares import Fit, fit
from visviva.copter.identification.samples import sample_times, signal, speeds_in_radians
from visviva.copter.vehicles.units import INERTIAS, check_unit
from visviva.errors import ModelError

SPARE = 20  # windows without a common sample that a recording should have room for, at least
K_M = 5e-5, 3.0  # [N m/A], of motors with 190 000 to 3 rpm/V


@helpful
def identify_propeller(
    t: ArrayLike,
    speed: ArrayLike,
    current: ArrayLike,
    *,
    inertia: float | None = None,
    speed_unit: str | None = None,
    mean: bool = False,
    window: int = 21,
    order: int = 2,
) -> Identified:
    """p_P1, p_P2, p_P3 of ϖ̇ + p_P1 ϖ² = p_P2 i - p_P3, with friction that brakes; (5.13) prints +p_P3.

    t:       [s], of equal steps.   speed: ϖ [rad/s] at these times.   current: i [A], held from each to the next.
    inertia: Θ_P [kg m²]; with it κ_T, k_M and τ_MB are told as well.
    speed_unit: "rad/s", "rpm" or "Hz" of `speed`.
    mean:    speeds are means over the step that ends at each time, as drivers of motors tell them, (5.22). Taken for
             those of the instant they are half a step late, which p_P3 shows most.
    window, order: of the derivatives by Savitzky and Golay, in samples.
    """
    times, T = sample_times(t, SPARE + window)
    n = len(times)
    w = speeds_in_radians(signal(speed, "speed", n), speed_unit, "speeds of the propeller")
    i = signal(current, "current [A]", n)
    check_unit(float(np.abs(i).max()), "current", "the largest current")
    if mean:  # the equation, averaged over a step: its current goes linearly from one value to the next
        times, w, i, n = times[1:], w[1:], (i[1:] + i[:-1]) / 2, n - 1
    sg = SavitzkyGolay(window, order, T, 1)

    def regressors(signals: Sequence[Array]) -> Array:
        columns = [-sg.mean(signals[0] ** 2), sg.mean_held(i), -np.ones(n - window + 1)]
        return np.stack(columns, axis=-1)[:, None]

    names, units = ["p_P1", "p_P2", "p_P3"], ["1/rad", "rad/(s² A)", "rad/s²"]
    measured = sg.derivative(w)[:, None]
    found = fit(regressors, measured, [w], [sg.noise(w)], names, units, window)
    p1, p2, p3 = found.x
    if p1 <= 0 or p2 <= 0:
        raise ModelError(
            f"the propeller would have κ_T/Θ_P = {p1:.4g} 1/rad and k_M/Θ_P = {p2:.4g} rad/(s² A): both are positive.\n"
            "See whether speed and current are exchanged, count in opposite directions, or are shifted in time."
        )
    scaled = {} if inertia is None else {"kappa_T": (0, "N m s²/rad²"), "k_M": (1, "N m/A"), "tau_MB": (2, "N m")}
    size = 1.0 if inertia is None else finite_number(inertia, "inertia Θ_P [kg m²]", positive=True)
    if inertia is not None:
        _check_k_M(size, float(p2 * size))
    rows = [(name, found.x[j], found.half[j], unit) for j, (name, unit) in enumerate(zip(names, units, strict=True))]
    rows += [(name, found.x[j] * size, found.half[j] * size, unit) for name, (j, unit) in scaled.items()]
    remarks = ("p_P3 < 0: a friction that drives. Currents may have an offset.",) if p3 < 0 else ()
    return told("propeller", rows, sg.middle(times), "ϖ̇ [rad/s²]", measured, found, remarks)


def _check_k_M(inertia: float, k_M: float) -> None:
    """ModelError where an inertia [kg m²] makes a motor that there is none of."""
    if K_M[0] <= k_M <= K_M[1]:
        return
    ways = ", ".join(f"{inertia:g} {unit} are {inertia * factor:.3g} kg m²" for unit, factor in INERTIAS.items())
    raise ModelError(
        f"with an inertia Θ_P of {inertia:g} kg m² the motor has k_M = {k_M:.3g} N m/A, and motors have {K_M[0]:g} to "
        f"{K_M[1]:g} N m/A.\nIs the inertia in another unit, {ways}, or the current in mA?"
    )


@helpful
def identify_servo(
    t: ArrayLike,
    tilt: ArrayLike,
    wanted: ArrayLike,
    *,
    inertia: float | None = None,
    window: int = 15,
    order: int = 4,
) -> Identified:
    """p_S0, p_S1 of θ̈ + p_S1 θ̇ + p_S0 θ = p_S0 θ_U; (5.14).

    t:       [s], of equal steps.   tilt: θ [rad] of an encoder.   wanted: θ_U [rad], held from each time to the next.
    inertia: Θ_A [kg m²]; with it k_P and k_D are told as well.
    window, order: of the derivatives by Savitzky and Golay, in samples.
    """
    times, T = sample_times(t, SPARE + window)
    n = len(times)
    theta, u = signal(tilt, "tilt [rad]", n), signal(wanted, "wanted tilt [rad]", n)
    for what, values in (("tilt", theta), ("wanted tilt", u)):
        if np.abs(values).max() > np.pi:
            raise ModelError(f"{what} reaches {np.abs(values).max():g}: it is in radian. Use np.deg2rad.")
    sg = SavitzkyGolay(window, order, T, 2)

    def regressors(signals: Sequence[Array]) -> Array:
        columns = [sg.mean_held(u) - sg.mean(signals[0]), -sg.mean_rate(signals[0])]
        return np.stack(columns, axis=-1)[:, None]

    names, units = ["p_S0", "p_S1"], ["1/s²", "1/s"]
    measured = sg.derivative(theta)[:, None]
    found = fit(regressors, measured, [theta], [sg.noise(theta)], names, units, window)
    if (found.x <= 0).any():
        raise ModelError(
            f"the servo would have p_S0 = {found.x[0]:.4g} 1/s² and p_S1 = {found.x[1]:.4g} 1/s: both are positive.\n"
            "See whether tilt and wanted tilt count alike and are on one clock."
        )
    rows = [(name, found.x[j], found.half[j], unit) for j, (name, unit) in enumerate(zip(names, units, strict=True))]
    if inertia is not None:
        size = finite_number(inertia, "inertia Θ_A [kg m²]", positive=True)
        rows += [
            (name, found.x[j] * size, found.half[j] * size, unit)
            for j, (name, unit) in enumerate((("k_P", "N m/rad"), ("k_D", "N m s/rad")))
        ]
    return told("servo", rows, sg.middle(times), "θ̈ [rad/s²]", measured, found)


def told(
    title: str,
    rows: Sequence[tuple[str, float, float, str]],
    at: Array,
    equation: str,
    measured: Array,
    found: Fit,
    remarks: tuple[str, ...] = (),
    at_label: str = "time [s]",
) -> Identified:
    """The result of one equation; rows: name, value, half width, unit."""
    return Identified(
        title,
        {row[0]: float(row[1]) for row in rows},
        {row[0]: float(row[2]) for row in rows},
        {row[0]: row[3] for row in rows},
        at,
        at_label,
        (equation,),
        measured,
        found.residuals,
        remarks,
    )
