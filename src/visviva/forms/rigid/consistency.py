"""The nearest state that satisfies constraints, in the metric of kinetic energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import AssemblyError, ConvergenceError
from visviva.forms.rigid.gauss import rows_of_one_size
from visviva.forms.rigid.sizes import Level, Sizes, sizes_at
from visviva.numerics.constrained import nearest
from visviva.numerics.convergence import Convergence, newton
from visviva.numerics.rank import velocity_units

if TYPE_CHECKING:
    from visviva.forms.calculus.parameterisation import Parameterisation
    from visviva.forms.rigid.system import RigidSystem

ITERATIONS = 60
EXACT = 1e-14  # of a residual, relative to the terms of its row, see `sizes`
ROUNDING = 1e-10  # where it falls no further, and is accepted
DAMPING = 1e-2  # of the first step; it falls with the residual


def consistent(system: RigidSystem, q: ArrayLike, xi: ArrayLike, t: float = 0.0) -> tuple[Array, Array]:
    """Coordinates with ψ = 0 and velocities with Z ξ = 0, η = 0, next to the given ones.

    Each step is the change of least kinetic size, ½ δᵀ M δ, with Z δ = -ψ. Steps to positions are damped in proportion
    to what is left of ψ (Levenberg-Marquardt): off the constraints redundant rows are not quite redundant, and would
    hold what may move.
    """
    start, speeds = finite_vector(q, "q", system.size_q), finite_vector(xi, "xi", system.n)
    rest, first, sizes = np.zeros(system.n), 0.0, sizes_at(system, system.instant(start, speeds, t))

    def to_positions(q: Array) -> tuple[float, Callable[[], Array]]:
        nonlocal first
        residual, delta = _step(system, sizes, q, rest, t, "position", first)
        first = first or residual
        return residual, lambda: _advance(system.parameterisation, q, delta)

    def to_velocities(xi: Array) -> tuple[float, Callable[[], Array]]:
        residual, delta = _step(system, sizes, place, xi, t, "velocity", np.inf)
        return residual, lambda: xi + delta

    place, reached = newton(start, to_positions, Convergence(EXACT, ROUNDING), ITERATIONS)
    if not reached:
        raise AssemblyError(_unreached(system, place, rest, t, "position"))
    motion, reached = newton(speeds, to_velocities, Convergence(EXACT, ROUNDING), ITERATIONS)
    if not reached:
        raise AssemblyError(_unreached(system, place, motion, t, "velocity"))
    return place, motion


def _step(
    system: RigidSystem, sizes: Sizes, q: Array, xi: Array, t: float, level: Level, first: float
) -> tuple[float, Array]:
    """The residual, relative to the terms of its rows, and the change of coordinates or velocities that it asks for.

    sizes: of the start: a system may close to a point.   first: the residual of the first step, 0 before it.
    """
    at = system.instant(q, xi, t)
    parts = [part for part in system.rows(at).values() if getattr(part, level) is not None]
    if not parts:
        return 0.0, np.zeros(system.n)
    Z, off = np.concatenate([part.Z for part in parts]), np.concatenate([getattr(part, level) for part in parts])
    M = system.terms(q, np.zeros(system.n), None, t).M
    terms = np.concatenate([part.terms for part in parts]) * velocity_units(np.diag(M), sizes=sizes.move)
    rows, size = rows_of_one_size(Z, terms)  # over ½ ξᵀM ξ = T
    off = off / size
    residual = float(np.linalg.norm(np.concatenate([sizes.off(part, level) for part in parts])))
    mu = DAMPING * residual / (first or residual or 1.0)
    return residual, nearest(_metric(M, sizes.move), rows, -off, damping=mu, in_terms=True)


def _metric(M: Array, move: Array) -> Array:
    """M; velocities without inertia, which constraints have to hold, count as light ones.

    move: of each velocity, one radian or one length of the system: inertias are compared in these.
    """
    own = move[:, None] * M * move
    light = 1e-9 * (float(np.trace(own)) / max(len(M), 1) or 1.0)
    smallest = float(np.linalg.eigvalsh(own)[0])
    return M if smallest > 1e-3 * light else M + np.diag(light / move**2)


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
