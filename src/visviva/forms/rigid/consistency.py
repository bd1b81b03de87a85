"""The nearest state that satisfies constraints, in the metric of kinetic energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import AssemblyError, ConvergenceError
from visviva.forms.rigid.gauss import rows_of_one_size
from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.projection import Gap, nearest_point, relative
from visviva.numerics.rank import velocity_units

if TYPE_CHECKING:
    from visviva.forms.calculus.parameterisation import Parameterisation
    from visviva.forms.rigid.system import RigidSystem

Level = Literal["position", "velocity"]
ITERATIONS = 60
EXACT = 1e-14  # of a residual, relative to the state, in units in which its row and the mass matrix have size one
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

    def open_at(q: Array) -> Gap:
        nonlocal first
        left = _gap(system, q, rest, t, "position", lambda residual: DAMPING * residual / first)
        first = first or left.largest or 1.0
        return left

    def off_at(xi: Array) -> Gap:
        return _gap(system, place, xi, t, "velocity", lambda residual: 0.0)

    def moved(q: Array, delta: Array) -> Array:
        return _advance(system.parameterisation, q, delta)

    place, reached = nearest_point(start, open_at, moved, Convergence(EXACT, ROUNDING), ITERATIONS)
    if not reached:
        raise AssemblyError(_unreached(system, place, rest, t, "position"))
    motion, reached = nearest_point(speeds, off_at, np.add, Convergence(EXACT, ROUNDING), ITERATIONS)
    if not reached:
        raise AssemblyError(_unreached(system, place, motion, t, "velocity"))
    return place, motion


def _gap(system: RigidSystem, q: Array, xi: Array, t: float, level: Level, damping: Callable[[float], float]) -> Gap:
    """What constraints leave, in units in which their rows and the mass matrix have size one, beside the state.

    damping: of a step, from the largest part of what is left.
    """
    at = system.instant(q, xi, t)
    parts = [part for part in system.rows(at).values() if getattr(part, level) is not None]
    Z = np.concatenate([np.zeros((0, system.n)), *(part.Z for part in parts)])
    off = np.concatenate([np.zeros(0), *(getattr(part, level) for part in parts)])
    M = system.terms(q, np.zeros(system.n), None, t).M
    terms = np.concatenate([np.zeros((0, system.n)), *(part.terms for part in parts)]) * velocity_units(np.diag(M))
    rows, size = rows_of_one_size(Z, terms)  # over ½ ξᵀM ξ = T
    state = max(1.0, float(np.abs(q).max(initial=0.0)), float(np.abs(xi).max(initial=0.0)))
    sizes = np.full(len(off), state * (float(np.sqrt(np.trace(M))) or 1.0))

    def change(z: Array) -> Array:
        mu = damping(float(relative(z, sizes).max(initial=0.0)))
        return least_change(rows, z, M, terms=np.ones(len(z)), damping=mu)

    return Gap(off / size, sizes, change)


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
