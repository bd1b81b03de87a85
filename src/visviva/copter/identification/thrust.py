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


@helpful
def identify_thrust(
    speed: ArrayLike, thrust: ArrayLike, *, speed_unit: str | None = None, offset: bool = False
) -> Identified:
    """κ_F of F = κ_F ϖ², by least squares over steady speeds.

    speed: ϖ [rad/s].   thrust: F [N], of the same length; a scale that tells kilograms is multiplied by 9.81.
    speed_unit: "rad/s", "rpm" or "Hz" of `speed`.
    offset: a scale that does not tell zero at rest, F = κ_F ϖ² + F_0.
    """
    given = finite_array(speed, "speeds of the propeller")
    if given.ndim != 1 or len(given) < FEWEST:
        raise ModelError(f"a thrust curve needs a list of {FEWEST} speeds at least, got shape {given.shape}.")
    w = speeds_in_radians(given, speed_unit, "speeds of the propeller")
    F = signal(thrust, "thrust [N]", len(w))
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
    return told("thrust", rows, squares, "F [N]", F[:, None], found, at_label="ϖ² [rad²/s²]")
