"""What is accounted for at every step: the scale of energy, and how far velocities leave the constraints."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.model import Model


def energy_scale(model: Model, H: Array, H_start: Array, work: float) -> float:
    """Σ|H_i - H_i(0)| + energies with a natural zero (kinetic, quadratic) + |work| [J], at one state."""
    natural = sum(float(h) for part, h in zip(model.storages, H, strict=True) if part.has_zero)
    return float(np.abs(H - H_start).sum()) + natural + abs(work)


def rate_violations(model: Model, x: Array) -> tuple[Array, Array, Array]:
    """Per constraint: largest |C v|, largest |C| |v| (the terms that cancel in it), largest |C|.

    Rows that act on junctions without storage are left out: the efforts there belong to steps, not to states.
    """
    z, result = model.z(x), np.zeros((3, len(model.constraints)))
    algebraic = {junction.name for junction in model.junctions}
    for k, part in enumerate(model.constraints):
        if algebraic & set(part.acts):
            continue
        q, e = model.local(part, x, z)
        C = part.C(q)
        size = np.abs(C)
        result[:, k] = np.abs(C @ e).max(), (size @ np.abs(e)).max(), size.max()
    return result[0], result[1], result[2]
