"""The forms of Kane's equations: which state each has, and its rate at a point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.kane.numbers import numbers_of
from visviva.forms.kane.point import KanePoint
from visviva.forms.kane.system import KaneSystem

Rate = Callable[[KanePoint, Array], Array]  # of a point and its (q, all ξ, t)


@final
@dataclass(frozen=True)
class FormRule:
    """momenta: whether the state has p in place of ξ.   rate: of ξ or p, made once for a system."""

    momenta: bool
    rate: Callable[[KaneSystem], Rate]


def _velocity(system: KaneSystem) -> Rate:
    """A ξ̇ = τ - D ξ (14), (47)."""
    return lambda point, _: point.xi_dot


def _momentum(system: KaneSystem) -> Rate:
    """ṗ = τ + Dᵀξ (25), (49)."""
    return lambda point, _: point.p_dot


def _partially_lagrangian(system: KaneSystem) -> Rate:
    """A ξ̇ = τ + Dᵀξ - (∂p̂/∂q) q̇ (41): with D ξ by (43), from the function p̂(q, ξ) and the gyration force."""
    drift = _numbers(system, momentum_drift(system, system.raw.p))
    return lambda point, state: point.solved(point.tau + point.gyration - drift(state)[0])


def _lagrange(system: KaneSystem) -> Rate:
    """d/dt ∂T/∂q̇ = τ + ∂T/∂q (42): all of it by differentiation of T."""
    s = system.symbols
    require_holonomic(system, "lagrange")
    p, mass, slope = derivatives(system)
    parts = _numbers(system, momentum_drift(system, p), mass, slope)
    u = [s.velocities.index(name) for name in system.unknown]
    c = [k for k in range(len(s.velocities)) if k not in u]

    def rate(point: KanePoint, state: Array) -> Array:
        drift, A, T_q = parts(state)
        force = point.tau[: len(A)] + T_q - drift
        known_dot = point.known_dot[: len(c)]
        return np.asarray(np.linalg.solve(A[np.ix_(u, u)], force[u] - A[np.ix_(u, c)] @ known_dot))

    return rate


def _hamilton(system: KaneSystem) -> Rate:
    """ṗ = τ - ∂T/∂q with T(q, p) = ½ pᵀA⁻¹p (36); ∂A⁻¹/∂q = -A⁻¹ ∂A/∂q A⁻¹."""
    require_holonomic(system, "hamilton")
    if rheonomic(system):
        raise ModelError(
            f"{system.name!r} has velocities that are prescribed in time: T(q, p) does not generate its equations.\n"
            "Use the form 'momentum'."
        )
    _, mass, _ = derivatives(system)
    slopes = np.array([[[a.diff(x) for a in row] for row in mass] for x in system.symbols.q], dtype=object)
    A_q = _numbers(system, slopes)

    def rate(point: KanePoint, state: Array) -> Array:
        T_q = -np.einsum("i,kij,j->k", point.xi, A_q(state)[0], point.xi) / 2
        return np.asarray(point.tau - T_q)

    return rate


RULES = {
    "velocity": FormRule(False, _velocity),
    "momentum": FormRule(True, _momentum),
    "partially-lagrangian": FormRule(False, _partially_lagrangian),
    "lagrange": FormRule(False, _lagrange),
    "hamilton": FormRule(True, _hamilton),
}


def rule(system: KaneSystem, form: str) -> FormRule:
    """The rule of a form by name, or an error."""
    if form not in RULES:
        raise ModelError(f"{system.name!r} has no form {form!r} of its equations. Known: {', '.join(RULES)}.")
    return RULES[form]


def derivatives(system: KaneSystem) -> tuple[Any, Any, Any]:
    """∂T/∂ξ, ∂²T/∂ξ² and ∂T/∂q."""
    s = system.symbols
    p = np.array([system.raw_T.diff(xi) for xi in s.xi], dtype=object)
    mass = np.array([[entry.diff(xi) for xi in s.xi] for entry in p], dtype=object)
    return p, mass, np.array([system.raw_T.diff(x) for x in s.q], dtype=object)


def momentum_drift(system: KaneSystem, p: Any) -> Any:
    """(∂p̂/∂q) q̇ + ∂p̂/∂t of momenta as functions of q, ξ and t (39)."""
    s, q_dot = system.symbols, system.q_dot
    changes = [*zip(s.q, q_dot, strict=True), (s.t, 1)]
    return np.array([sum((entry.diff(x) * x_dot for x, x_dot in changes), 0) for entry in p], dtype=object)


def require_holonomic(system: KaneSystem, form: str) -> None:
    """An error unless T generates both sides of the equations."""
    if not system.holonomic:
        raise ModelError(
            f"the form {form!r} needs velocities that are the rates of the coordinates; those of {system.name!r} are\n"
            "not, and T generates one side of its equations only (38), (42). Use 'momentum' or 'partially-lagrangian'."
        )


def rheonomic(system: KaneSystem) -> bool:
    """Whether velocities are prescribed in time, as known ones or explicitly."""
    return bool(system.prescribed) or system.explicit


def _numbers(system: KaneSystem, *parts: Any) -> Callable[[Any], list[Array]]:
    s = system.symbols
    return numbers_of(parts, [*s.q, *s.xi, s.t], s.parameters, repr(system.name))
