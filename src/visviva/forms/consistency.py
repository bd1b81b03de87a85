"""The nearest state that satisfies constraints, in the metric of kinetic energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import AssemblyError, ConvergenceError
from visviva.forms.constraints import Rows
from visviva.forms.gauss import least_constraint
from visviva.forms.retraction import advance

if TYPE_CHECKING:
    from visviva.forms.parameterisation import Parameterisation
    from visviva.forms.rigid_system import RigidSystem

ITERATIONS = 50
EXACT = 1e-12  # of a residual, in the size of the constraint's row


def consistent(system: RigidSystem, q: ArrayLike, xi: ArrayLike, t: float = 0.0) -> tuple[Array, Array]:
    """Coordinates with ψ = 0 and velocities with Z ξ = 0, η = 0, next to the given ones.

    Each step is Gauss' principle again: the change of least kinetic size, ½ δᵀ M δ, with Z δ = -ψ.
    """
    q, xi = finite_vector(q, "q", system.size_q), finite_vector(xi, "xi", system.n)
    p = system.parameterisation
    for _ in range(ITERATIONS):
        change, worst = _change(system, q, np.zeros(system.n), t, "position")
        if worst is None:
            break
        q = _advance(p, q, change)
    else:
        raise AssemblyError(_unreached("position", worst))
    for _ in range(ITERATIONS):
        change, worst = _change(system, q, xi, t, "velocity")
        if worst is None:
            return q, xi
        xi = xi + change
    raise AssemblyError(_unreached("velocity", worst))


def _advance(p: Parameterisation, q: Array, delta: Array) -> Array:
    """As far along δ as local coordinates reach, by halves."""
    for _ in range(ITERATIONS):
        try:
            return advance(p, q, delta)
        except ConvergenceError:
            delta = delta / 2
    raise AssemblyError("no configuration is near the given coordinates: check that they satisfy phi(q) = 0.")


def _change(system: RigidSystem, q: Array, xi: Array, t: float, level: str) -> tuple[Array, tuple[str, float] | None]:
    """The next change, and the constraint that needs it most; None where there is none."""
    at = system.instant(q, xi, t)
    parts = {name: part for name, part in system.rows(at).items() if getattr(part, level) is not None}
    errors = {name: _relative(part, getattr(part, level)) for name, part in parts.items()}
    if not errors or max(errors.values()) <= EXACT:
        return np.zeros(system.n), None
    names = [name for name, part in parts.items() for _ in part.z]
    Z = np.concatenate([part.Z for part in parts.values()])
    wanted = -np.concatenate([getattr(part, level) for part in parts.values()])
    M, velocities = system.terms(q, np.zeros(system.n)).M, system.parameterisation.velocities
    change = least_constraint(M, np.zeros(system.n), Z, wanted, "auto", names, velocities).xi_dot
    worst = max(errors, key=lambda name: errors[name])
    return change, (worst, float(np.abs(getattr(parts[worst], level)).max()))


def _relative(part: Rows, residual: Array) -> float:
    size = np.linalg.norm(part.Z, axis=1)
    return float((np.abs(residual) / np.where(size > 0, size, 1.0)).max(initial=0.0))


def _unreached(level: str, worst: tuple[str, float] | None) -> str:
    name, error = worst or ("", 0.0)
    return (
        f"no {level} near the given one satisfies all constraints: '{name}' stays at {error:.2e}.\n"
        "Start nearer to a state that does, and check that the constraints do not exclude each other."
    )
