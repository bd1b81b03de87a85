"""Losses at rates: irreversible processes that turn motion into heat, by a matrix, by a law of the rate, in a stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.language import Irreversible, Quantity, irreversible
from visviva.language.slopes import slope
from visviva.language.trace import Traced
from visviva.library.multibody.parameters import entries, filled, taking
from visviva.library.onsager import heating
from visviva.library.stops import stop_resistance

ENTROPY = Quantity("R", "entropy")
REST = 1e-12  # [rad/s] below which the size of a spin is that: its direction is none at rest


def viscous(rates: Mapping[str, Quantity], mu: Array) -> Irreversible:
    """Friction force μ u against the rates u of some ports, and the entropy u·μ u / θ leaving at s.

    M = [[θ μ, -μ u], [-(μ u)ᵀ, u·μ u / θ]];   source: Lohmayer, Capobianco and Leyendecker (29).
    """
    n = len(mu)
    grid, values = entries("mu", np.triu(mu))
    if n == 1:
        grid, values = np.array([["mu"]], dtype=object), {"mu": float(mu[0, 0])}
    grid[np.tril_indices(n, -1)] = grid.T[np.tril_indices(n, -1)]

    def M(given: dict[str, Any]) -> Any:
        return _heating_matrix(filled(grid, given), _efforts(given, rates), given["theta"].s)

    return irreversible({**rates, "s": ENTROPY}, M=taking(("e", "theta", *values), M), **values)


def along_line(measure: Quantity, momentum: Quantity, c: float) -> Irreversible:
    """Damping c l_dot of a length with y = ½ l² at the port y: as l_dot = y_dot / l, it is c / 2y on the rate of y."""

    def M(x: Any, e: Any, theta: Any, c: Any) -> Any:
        mu, u, hot = c / (2 * np.abs(x.y)), e.p_r, theta.s
        return np.array([[hot * mu, -mu * u], [-mu * u, mu * u**2 / hot]], dtype=object)

    return irreversible({"y": measure.state, "p_r": momentum, "s": ENTROPY}, M=M, c=c)


def rate_friction(
    port: str, momentum: Quantity, force: Any, symbols: tuple[Any, Any], **numbers: float
) -> Irreversible:
    """A force F(u, θ) against the rate u of a port, with u F ≥ 0: heat F u leaves at s, whose temperature is θ.

    Of a spin, three rates, it is the torque F(|ω|) ω/|ω|.

    force:   F as a SymPy expression in `symbols`, those of rate and temperature, and in those of its parameters.
    numbers: the parameters by name.
    """
    rate, temperature = symbols

    def M(given: dict[str, Any]) -> Any:
        u, theta = _efforts(given, {port: momentum}), given["theta"].s
        at = {temperature: theta.expr} | {s: given[s.name].expr for s in force.free_symbols if s.name in numbers}
        if len(u) == 1:
            mu = _quotient(force.xreplace(at), rate, u[0])
        else:
            size = np.sqrt(u @ u + REST**2)
            mu = Traced(force.xreplace(at | {rate: size.expr})) / size
        return _heating_matrix(mu * np.eye(len(u)), u, theta)

    return irreversible({port: momentum, "s": ENTROPY}, M=taking(("e", "theta", *numbers), M), **numbers)


def stop_loss(measure: Quantity, momentum: Quantity, loss: float) -> Irreversible:
    """Loss in the contact of end stops with the elastic force e at the port y: see `library.stops.stop_resistance`.

    The force is read, and none acts at y.   loss: β [s/rad, s/m].   Ports: y, r (the rate), s.
    """

    def M(e: Any, theta: Any, loss: Any) -> Any:
        mu = stop_resistance(np.abs(e.y), e.r * np.sign(e.y), loss)
        return [[0, 0, 0], *([0, *row] for row in heating(mu, e.r, theta.s))]

    return irreversible({"y": measure, "r": momentum, "s": ENTROPY}, M=M, loss=loss)


def _efforts(given: dict[str, Any], rates: Mapping[str, Quantity]) -> Any:
    return np.concatenate([np.atleast_1d(getattr(given["e"], port)) for port in rates])


def _heating_matrix(mu: Any, u: Any, theta: Any) -> Any:
    """`onsager.heating` for several rates at once."""
    drag = mu @ u
    return np.block([[theta * mu, -drag[:, None]], [-drag[None, :], np.array([[(u @ drag) / theta]])]])


def _quotient(force: Any, rate: Any, u: Any) -> Any:
    """F(u)/u: as it is where it has a value at rest, else with the derivative of F there."""
    import sympy

    for quotient in (force / rate, sympy.expand(force / rate)):
        if not quotient.xreplace({rate: sympy.Integer(0)}).has(sympy.nan, sympy.zoo, sympy.oo):
            return Traced(quotient.xreplace({rate: u.expr}))
    at_rest = Traced(slope(force, rate).xreplace({rate: sympy.Integer(0)}))
    moving = np.abs(u) > 0
    return np.where(moving, Traced(force.xreplace({rate: u.expr})) / np.where(moving, u, 1), at_rest)


def friction_tensor(friction: ArrayLike, units: tuple[str, ...], kind: str) -> Array:
    """μ as a symmetric matrix ⪰ 0 from a number, its diagonal or itself."""
    what, n = f"friction of a {kind} joint", len(units)
    array = finite_array(friction, what)
    if array.ndim == 0:
        if len(set(units)) > 1:
            raise ModelError(
                f"{what} is one number, but its freedoms have the units {', '.join(units)}.\n"
                f"Give {n} numbers, one for each, or a matrix ({n}, {n})."
            )
        array = np.full(n, float(array))
    if array.shape == (n,):
        array = np.diag(array)
    if array.shape != (n, n):
        raise ModelError(f"{what} must be a number, ({n},) or ({n}, {n}), got shape {array.shape}.")
    size = float(np.abs(array).max())
    if np.abs(array - array.T).max() > 1e-12 * size or np.linalg.eigvalsh(array)[0] < -1e-12 * size:
        raise ModelError(f"{what} must be symmetric and positive semidefinite, or it would drive the joint: {array}.")
    if size == 0:
        raise ModelError(f"{what} is zero: leave it out, and the joint has no heat port either.")
    return (array + array.T) / 2
