"""What integrators claim, measured."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva._arrays import Array
from visviva.integrate import AbstractIntegrator, simulate
from visviva.mechanism import Mechanism
from visviva.testing.laws import require

ENERGY = 1e-13  # of the energy scale, per step
CONSTRAINT = 1e-12  # of the size of the terms that cancel
MOMENTUM = 1e-12  # of its largest component, over the run


def check_conservation(integrator: AbstractIntegrator, m: Mechanism, *, t_end: float, h: float) -> None:
    """Run a mechanism and measure every claim of the integrator on it; AssertionError names the claim that fails.

    "momentum" is tested if the mechanism is free: no joint to the ground, no gravity.
    """
    run = simulate(m, t_end=t_end, h=h, integrator=integrator)
    audit, claims = run.audit(), integrator.preserves
    if "energy" in claims and audit.first_law is not None and audit.drift is not None:
        require("energy", audit.first_law, 0.0, ENERGY, 1.0)
        require("energy", audit.drift, 0.0, ENERGY * np.sqrt(run.final.steps) * 4, 1.0)
    for claim, violation in (("g", audit.g), ("g_v", audit.g_v)):
        if claim in claims and violation is not None:
            require(claim, violation, 0.0, CONSTRAINT, 1.0)
    free = not m.gravity.any() and not any(m.ground in (joint.parent, joint.child) for joint in m.joints)
    if "momentum" in claims and free:
        P = run["momentum"]
        for part in (P[:, :3], P[:, 3:]):  # angular and linear momentum have units of their own
            require("momentum", part, part[:1], MOMENTUM, float(np.abs(part).max()))


def measured_order(solution: Callable[[float], Array], h: float, exact: Array) -> float:
    """Order of convergence from the errors of `solution(h)` and `solution(h/2)` against an exact value."""
    coarse, fine = (float(np.linalg.norm(solution(step) - exact)) for step in (h, h / 2))
    return float(np.log2(coarse / fine))
