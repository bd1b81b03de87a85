"""The nearest state that satisfies constraints, in the metric of kinetic energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import AssemblyError, ConvergenceError
from visviva.forms.rigid.sizes import Level, Sizes, sizes_at
from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.projection import Gap, nearest_point, relative
from visviva.numerics.rank import LEAST, velocity_units

if TYPE_CHECKING:
    from visviva.forms.calculus.parameterisation import Parameterisation
    from visviva.forms.rigid.system import RigidSystem

ITERATIONS = 60
EXACT = 1e-14  # of a residual, in the size of its terms
ROUNDING = 1e-10  # where it falls no further, and is accepted
DAMPING = 1e-2  # of the first step; it falls with the residual


def consistent(system: RigidSystem, q: ArrayLike, xi: ArrayLike, t: float = 0.0) -> tuple[Array, Array]:
    """Coordinates with ψ = 0 and velocities with Z ξ = 0, η = 0, next to the given ones.

    Each step is the change of least kinetic size, ½ δᵀ M δ, with Z δ = -ψ. Steps to positions are damped in proportion
    to what is left of ψ (Levenberg-Marquardt): off the constraints redundant rows are not quite redundant, and would
    hold what may move.
    """
    start, speeds = finite_vector(q, "q", system.size_q), finite_vector(xi, "xi", system.n)
    rest, first = np.zeros(system.n), 0.0
    sizes = sizes_at(system, system.instant(start, speeds, t))  # those of the start, so that steps can be compared

    def open_at(q: Array) -> Gap:
        nonlocal first
        left = _gap(system, q, rest, t, "position", sizes, lambda residual: DAMPING * residual / first)
        first = first or left.largest or 1.0
        return left

    def off_at(xi: Array) -> Gap:
        return _gap(system, place, xi, t, "velocity", sizes, lambda residual: 0.0)

    def moved(q: Array, delta: Array) -> Array:
        return _advance(system.parameterisation, q, delta)

    place, reached = nearest_point(start, open_at, moved, Convergence(EXACT, ROUNDING), ITERATIONS)
    if not reached:
        raise AssemblyError(_unreached(system, place, rest, t, "position"))
    motion, reached = nearest_point(speeds, off_at, np.add, Convergence(EXACT, ROUNDING), ITERATIONS)
    if not reached:
        raise AssemblyError(_unreached(system, place, motion, t, "velocity"))
    return place, motion


def _gap(
    system: RigidSystem, q: Array, xi: Array, t: float, level: Level, sizes: Sizes, damping: Callable[[float], float]
) -> Gap:
    """What constraints leave, and changes of least kinetic size.

    damping: of a step, from the largest part of what is left. Velocities without inertia, which constraints have to
    hold, count as light ones.
    """
    at, M = system.instant(q, xi, t), system.terms(q, np.zeros(system.n), None, t).M
    parts = [part for part in system.rows(at).values() if getattr(part, level) is not None]
    none, units = np.zeros((0, system.n)), velocity_units(np.diag(M), lightest=LEAST)
    Z = np.concatenate([none, *(part.Z for part in parts)])
    terms = np.linalg.norm(np.concatenate([none, *(part.terms for part in parts)]) * units, axis=1)
    left = np.concatenate([none[:, 0], *(getattr(part, level) for part in parts)])
    size = np.concatenate([none[:, 0], *(sizes.of(part, level) for part in parts)])

    def change(z: Array) -> Array:
        mu = damping(float(relative(z, size).max(initial=0.0)))
        return least_change(Z, z, M, units=units, terms=terms, damping=mu)

    return Gap(left, size, change)


def _advance(p: Parameterisation, q: Array, delta: Array) -> Array:
    """As far along δ as local coordinates reach, by halves."""
    for _ in range(ITERATIONS):
        try:
            return p.local.advance(q, delta)
        except ConvergenceError:
            delta = delta / 2
    raise AssemblyError("no configuration is near the given coordinates: check that they satisfy phi(q) = 0.")


def _unreached(system: RigidSystem, q: Array, xi: Array, t: float, level: Level) -> str:
    found = system.rows(system.instant(q, xi, t))
    errors = {
        name: float(np.abs(getattr(part, level)).max(initial=0.0))
        for name, part in found.items()
        if getattr(part, level) is not None
    }
    name = max(errors, key=lambda key: errors[key])
    return (
        f"no {level} near the given one satisfies all constraints: '{name}' stays at {errors[name]:.2e}.\n"
        "Start nearer to a state that does, and check that the constraints do not exclude each other."
    )
