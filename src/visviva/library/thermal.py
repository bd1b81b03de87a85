"""Heat: capacities, conduction, convection, the environment. States are entropies, efforts θ - θ0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.language import Environment, Irreversible, Quantity, Source, Storage, irreversible, source, storage
from visviva.language import environment as surroundings
from visviva.library import quantities
from visviva.library.onsager import conducting

__all__ = [
    "capacity",
    "conduction",
    "convection",
    "entropy",
    "environment",
    "forced_convection",
    "power_law_capacity",
    "power_law_entropy",
    "temperature",
    "temperature_source",
]


def capacity(c: float, theta_ref: float = 300.0) -> Storage:
    """A body of constant heat capacity: U(s) = c θ_ref (exp(s/c) - 1), hence θ = θ_ref exp(s/c), U = c (θ - θ_ref).

    s and U count from θ_ref. Where that is the temperature of the start, small heats keep all of their digits; of s
    far from zero what is below ε θ s is lost.

    c: heat capacity [J/K], positive.   theta_ref: temperature at which s is counted as zero [K].   Port: s.
    """
    c, theta_ref = _body(c, theta_ref)

    def U(x: Any, c: Any, theta_ref: Any) -> Any:
        return c * theta_ref * np.expm1(x.s / c)

    return storage({"s": quantities.entropy}, H=U, c=c, theta_ref=theta_ref)


def entropy(theta: ArrayLike, c: float, theta_ref: float = 300.0) -> Array:
    """The entropy of a `capacity` at temperatures θ [K]: s = c ln(θ/θ_ref); for initial values."""
    c, theta_ref = _body(c, theta_ref)
    return c * np.log(_absolute(theta) / theta_ref)


def temperature(s: ArrayLike, c: float, theta_ref: float = 300.0) -> Array:
    """The temperature of a `capacity` [K]: θ = θ_ref exp(s/c); for results."""
    c, theta_ref = _body(c, theta_ref)
    return theta_ref * np.exp(finite_array(s, "entropy s [J/K]") / c)


def power_law_capacity(c: float, n: float, theta_ref: float = 300.0) -> Storage:
    """A body whose heat capacity is c (θ/θ_ref)ⁿ, e.g. n = 3 for a cold crystal (Debye), n = 1 for cold electrons.

    s = (c/n) (θ/θ_ref)ⁿ,   U(s) = c θ_ref/(n + 1) (n s/c)^(1 + 1/n);   s counts from absolute zero and is positive.

    c: heat capacity at theta_ref [J/K], positive.   n: positive.   Port: s.
    """
    c, theta_ref = _body(c, theta_ref)
    n = finite_number(n, "exponent n of a heat capacity", positive=True)

    def U(x: Any, c: Any, n: Any, theta_ref: Any) -> Any:
        return c * theta_ref / (n + 1) * (n * x.s / c) ** (1 + 1 / n)

    return storage({"s": quantities.entropy}, H=U, c=c, n=n, theta_ref=theta_ref)


def power_law_entropy(theta: ArrayLike, c: float, n: float, theta_ref: float = 300.0) -> Array:
    """The entropy of a `power_law_capacity` at temperatures θ [K]: s = (c/n) (θ/θ_ref)ⁿ."""
    c, theta_ref = _body(c, theta_ref)
    n = finite_number(n, "exponent n of a heat capacity", positive=True)
    return c / n * (_absolute(theta) / theta_ref) ** n


def conduction(k: float) -> Irreversible:
    """A wall that lets the heat k (θ1 - θ2) through.

    k: conductance [W/K], positive.   Ports: s1, s2.
    """
    k = finite_number(k, "k of conduction [W/K]", positive=True)
    ports = {"s1": quantities.entropy, "s2": quantities.entropy}
    return irreversible(ports, M=lambda theta, k: conducting(k, theta.s1, theta.s2), k=k)


def convection(h: float, area: float) -> Irreversible:
    """A surface in a fluid that takes the heat h A (θ1 - θ2).

    h: coefficient [W/(m² K)], positive.   area: A [m²], positive.   Ports: s1, s2.
    """
    h = finite_number(h, "h of convection [W/(m² K)]", positive=True)
    area = finite_number(area, "area of convection [m²]", positive=True)
    ports = {"s1": quantities.entropy, "s2": quantities.entropy}
    return irreversible(ports, M=lambda theta, h, A: conducting(h * A, theta.s1, theta.s2), h=h, A=area)


def forced_convection(
    h: float, area: float, v_half: float, n: float = 0.8, of: Quantity = quantities.momentum
) -> Irreversible:
    """Convection that a motion carries away: heat h (1 + (v/v_half)²)^(n/2) A (θ1 - θ2), smooth at rest.

    h: coefficient at rest [W/(m² K)].   v_half: speed from which the coefficient grows as vⁿ [m/s].   All positive.
    of: the momentum whose velocity it is.   Ports: s1, s2, p (its velocity is read, no force acts on it).
    """
    numbers = {
        "h": finite_number(h, "h of forced convection [W/(m² K)]", positive=True),
        "A": finite_number(area, "area of forced convection [m²]", positive=True),
        "v_half": finite_number(v_half, "v_half of forced convection [m/s]", positive=True),
        "n": finite_number(n, "exponent n of forced convection", positive=True),
    }

    def M(e: Any, theta: Any, h: Any, A: Any, v_half: Any, n: Any) -> Any:
        k = h * A * (1 + (e.p / v_half) ** 2) ** (n / 2)
        return [[*row, 0] for row in conducting(k, theta.s1, theta.s2)] + [[0, 0, 0]]

    return irreversible({"s1": quantities.entropy, "s2": quantities.entropy, "p": of}, M=M, **numbers)


def environment(theta0: float = 300.0) -> Environment:
    """The surroundings at theta0 [K]: they take up heat and stay as they are. A system has one temperature of them.

    Port: s.
    """
    return surroundings({"s": quantities.entropy}, theta0)


def temperature_source() -> Source:
    """A temperature that is given over time, by the input that is called like its box; it takes the heat it needs.

    The input is θ - θ0 [K], the temperature above that of the environment, as all efforts of entropy are.   Port: s.
    """
    return source({"s": quantities.entropy})


def _body(c: float, theta_ref: float) -> tuple[float, float]:
    c = finite_number(c, "heat capacity c [J/K]", positive=True)
    return c, finite_number(theta_ref, "theta_ref [K]", positive=True)


def _absolute(theta: ArrayLike) -> Array:
    array = finite_array(theta, "temperature theta [K]")
    if not (array > 0).all():
        raise ModelError(f"temperature theta [K] must be positive (absolute), got {theta!r}.")
    return array
