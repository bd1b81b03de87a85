"""Ideal gases in closed vessels, and pistons that move their walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.language import Composite, Reversible, Storage, compose, reversible, storage
from visviva.library import quantities

__all__ = ["IdealGas", "R", "piston"]

R = 8.314462618  # molar gas constant [J/(mol K)]


@final
@dataclass(frozen=True)
class IdealGas:
    """A fixed amount of an ideal gas with constant heat capacity, as its fundamental relation.

    U(s, V) = n c_v θ_ref exp(s/(n c_v)) (V/V_ref)^(-R/c_v),   θ = U/(n c_v),   p = n R θ/V.

    n: amount [mol].   c_v: molar heat capacity at constant volume [J/(mol K)].   theta_ref, V_ref: the state
    [K, m³] whose entropy counts as zero.   All positive.
    """

    n: float
    c_v: float = 2.5 * R
    theta_ref: float = 300.0
    V_ref: float = 1.0

    def __post_init__(self) -> None:
        units = {"n": "mol", "c_v": "J/(mol K)", "theta_ref": "K", "V_ref": "m³"}
        for name, unit in units.items():
            number = finite_number(getattr(self, name), f"{name} of an ideal gas [{unit}]", positive=True)
            object.__setattr__(self, name, number)

    @property
    def gamma(self) -> float:
        """Ratio of the heat capacities, (c_v + R)/c_v; p V^γ is constant at constant entropy."""
        return (self.c_v + R) / self.c_v

    def system(self) -> Composite:
        """The gas as a system with the ports gas (s and V in one, for pistons) and s (for heat).

        The storage `exergy` holds U - θ0 s. Its entropy belongs to a product, and only a port of the quantity entropy
        exchanges heat: `contact` gives both one temperature, and the box `entropy`, at θ0 and so without exergy,
        receives what the gas receives. Energies of both boxes together are U.
        """
        boxes = {"exergy": self._exergy(), "contact": _contact(), "entropy": _count()}
        junctions = {
            "gas": ("exergy.gas", "contact.gas"),
            "s": ("contact.s",),
            "entropy": ("contact.count", "entropy.s"),
        }
        return compose("ideal gas", boxes, junctions, outer=("gas", "s"))

    def _exergy(self) -> Storage:
        def H(x: Any, theta0: Any, n: Any, c_v: Any, theta_ref: Any, V_ref: Any, kappa: Any) -> Any:
            s, V = x.gas
            return n * c_v * theta_ref * np.exp(s / (n * c_v)) * (V / V_ref) ** (-kappa) - theta0 * s

        numbers = {"n": self.n, "c_v": self.c_v, "theta_ref": self.theta_ref, "V_ref": self.V_ref}
        return storage({"gas": quantities.gas}, H=H, **numbers, kappa=R / self.c_v)

    def entropy(self, theta: ArrayLike, V: ArrayLike) -> Array:
        """s = n (c_v ln(θ/θ_ref) + R ln(V/V_ref)) [J/K]."""
        theta, V = _positive(theta, "temperature theta of a gas [K]"), _positive(V, "volume V of a gas [m³]")
        return self.n * (self.c_v * np.log(theta / self.theta_ref) + R * np.log(V / self.V_ref))

    def temperature(self, x: ArrayLike) -> Array:
        """θ [K] of states (s, V), shape (..., 2)."""
        s, V = np.moveaxis(finite_array(x, "states (s, V) of a gas", (2,)), -1, 0)
        return self.theta_ref * np.exp(s / (self.n * self.c_v)) * (V / self.V_ref) ** (-R / self.c_v)

    def pressure(self, x: ArrayLike) -> Array:
        """p [Pa] of states (s, V), shape (..., 2)."""
        return self.n * R * self.temperature(x) / finite_array(x, "states (s, V) of a gas", (2,))[..., 1]

    def initial(self, box: str, junction: str, theta: float, V: float) -> dict[str, Array]:
        """Initial values for the gas in `box` whose port gas is at `junction`, at a temperature and volume."""
        s = self.entropy(theta, V)
        return {junction: np.array([s, V]), f"{box}.entropy": s}


def _contact() -> Reversible:
    """One temperature for the gas and its heat port, and one entropy flow for the gas and its count.

    C e = (θ - θ0) - e_s + e_count = 0, where e_count = 0: the count has the temperature of the environment.
    """
    ports = {"gas": quantities.gas, "s": quantities.entropy, "count": quantities.entropy}
    return reversible(ports, C=[[1, 0, -1, 1]])


def _count() -> Storage:
    return storage({"s": quantities.entropy}, H=lambda x, theta0: theta0 * x.s)


def piston(area: float, side: int = 1) -> Reversible:
    """A gas pushes a mass: V̇ = σ A v, ṗ = σ A · pressure.

    area: A [m²], positive.   side: σ = 1 where a positive velocity expands the gas, -1 where it compresses it.
    Ports: gas, p (the piston's momentum).
    """
    area = finite_number(area, "area of a piston [m²]", positive=True)
    if side not in (1, -1):
        raise ModelError(f"side of a piston must be 1 (its velocity expands the gas) or -1, got {side!r}.")
    ports = {"gas": quantities.gas, "p": quantities.momentum}
    return reversible(ports, J=lambda A: side * np.array([[0, 0, 0], [0, 0, A], [0, -A, 0]]), A=area)


def _positive(value: ArrayLike, what: str) -> Array:
    array = finite_array(value, what)
    if not (array > 0).all():
        raise ModelError(f"{what} must be positive, got {value!r}.")
    return array
