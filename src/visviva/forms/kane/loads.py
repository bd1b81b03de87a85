"""Impressed forces and torques as generalised active forces, equation (53)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.kane.trace import KaneTracing
from visviva.mechanism.names import unknown_name


def active_forces(
    tracing: KaneTracing,
    places: Mapping[str, Any],
    spins: Mapping[str, Any],
    forces: Mapping[str, tuple[str, Any]],
    torques: Mapping[str, tuple[str, Any]],
    tau: Mapping[str, Any],
) -> Any:
    """Σ (∂v/∂ξ)ᵀF + (∂ω/∂ξ)ᵀM + τ, (n + 1,), an object array.

    places, spins: (3, n + 1) partial velocities of points and bodies, partial angular velocities of bodies.
    """
    total = np.zeros(len(tracing.xi) + 1, dtype=object)
    for label, load in forces.items():
        target, F = _pair(tracing, f"force {label!r}", load, places, "body or point")
        values = tracing.shaped(F, f"force {label!r}", [(3,), (2,)])
        total = total + values @ places[target][: len(values)]
    for label, load in torques.items():
        target, M = _pair(tracing, f"torque {label!r}", load, spins, "body")
        values = np.atleast_1d(tracing.shaped(M, f"torque {label!r}", [(3,), (1,), ()]))
        total = total + values @ spins[target][3 - len(values) :]
    for velocity, given in tau.items():
        if velocity not in tracing.velocities:
            raise unknown_name(velocity, tracing.velocities, f"{tracing.system!r}, on whose velocities tau= acts,")
        total[tracing.velocities.index(velocity)] += tracing.shaped(given, f"tau of {velocity!r}", [()]).item()
    return total


def _pair(tracing: KaneTracing, what: str, load: object, targets: Mapping[str, Any], kind: str) -> tuple[str, Any]:
    """Name of what a load acts on, and its components."""
    if not isinstance(load, tuple) or len(load) != 2 or not isinstance(load[0], str):
        raise ModelError(f"{what} of {tracing.system!r} must be a pair (name of a {kind}, components), got {load!r}.")
    if load[0] not in targets:
        raise unknown_name(load[0], targets, f"{tracing.system!r}, where {what} acts on a {kind},")
    return load
