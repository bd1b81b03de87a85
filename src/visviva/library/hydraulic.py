"""Liquids in lines: compliance, inertance, laminar and turbulent resistance, sources, cylinders.

A volume V has the effort pressure; a pressure momentum Γ = ∫ p dt has the effort volume flow Q. A junction of volumes
is a node (one pressure), a junction of pressure momenta is a line (one flow).
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import finite_number
from visviva.language import Irreversible, Reversible, Source, Storage, irreversible, reversible, source, storage
from visviva.library.kirchhoff import balance
from visviva.library.onsager import heating
from visviva.library.quantities import entropy, momentum, pressure_momentum, volume

__all__ = [
    "compliance",
    "cylinder",
    "flow_source",
    "inertance",
    "laminar",
    "line",
    "node",
    "poiseuille",
    "pressure_source",
    "tank",
    "turbulent",
]


def compliance(C: float) -> Storage:
    """A compressed liquid or an elastic vessel: H(V) = V²/(2C), pressure V/C, with V the volume beyond that at rest.

    C: [m³/Pa], positive; V0/K of a volume V0 with the bulk modulus K.   Port: V.
    """
    C = finite_number(C, "C of a compliance [m³/Pa]", positive=True)
    return storage({"V": volume}, H=lambda x, C: x.V**2 / (2 * C), C=C)


def tank(area: float, rho: float = 1000.0, g: float = 9.81) -> Storage:
    """An open vessel of constant section: H(V) = ρ g V²/(2A), pressure ρ g V/A at its bottom.

    area: A [m²].   rho: density [kg/m³].   g: [m/s²].   All positive.   Port: V.
    """
    area = finite_number(area, "area of a tank [m²]", positive=True)
    rho = finite_number(rho, "rho of a tank [kg/m³]", positive=True)
    g = finite_number(g, "g of a tank [m/s²]", positive=True)
    return storage({"V": volume}, H=lambda x, A, rho, g: rho * g * x.V**2 / (2 * A), A=area, rho=rho, g=g)


def inertance(L: float) -> Storage:
    """The inertia of a liquid column: H(Γ) = Γ²/(2L), volume flow Γ/L.

    L: [Pa s²/m³], positive; ρ l/A of a pipe of length l and section A.   Port: Gam.
    """
    L = finite_number(L, "L of an inertance [Pa s²/m³]", positive=True)
    return storage({"Gam": pressure_momentum}, H=lambda x, L: x.Gam**2 / (2 * L), L=L)


def laminar(R: float) -> Irreversible:
    """Laminar resistance: pressure drop R Q, heat R Q².

    R: [Pa s/m³], positive; see `poiseuille`.   Ports: Gam, s (the heat).
    """
    R = finite_number(R, "R of a laminar resistance [Pa s/m³]", positive=True)
    return irreversible({"Gam": pressure_momentum, "s": entropy}, M=lambda e, theta, R: heating(R, e.Gam, theta.s), R=R)


def poiseuille(eta: float, length: float, radius: float) -> float:
    """The resistance of a round pipe, R = 8 η l/(π r⁴) [Pa s/m³] (Hagen and Poiseuille).

    eta: dynamic viscosity η [Pa s].   length: l [m].   radius: r [m].   All positive.
    """
    eta = finite_number(eta, "viscosity eta [Pa s]", positive=True)
    length = finite_number(length, "length of a pipe [m]", positive=True)
    radius = finite_number(radius, "radius of a pipe [m]", positive=True)
    return 8 * eta * length / (np.pi * radius**4)


def turbulent(b: float) -> Irreversible:
    """Turbulent resistance, an orifice or a rough pipe: pressure drop b Q |Q|, heat b |Q|³.

    It resists nothing at rest: a line whose flow only it would determine needs a little `laminar` or an `inertance`.

    b: [Pa s²/m⁶], positive; ζ ρ/(2A²) of a loss coefficient ζ in a section A.   Ports: Gam, s (the heat).
    """
    b = finite_number(b, "b of a turbulent resistance [Pa s²/m⁶]", positive=True)
    ports = {"Gam": pressure_momentum, "s": entropy}
    return irreversible(ports, M=lambda e, theta, b: heating(b * np.abs(e.Gam), e.Gam, theta.s), b=b)


def pressure_source(p: float | None = None) -> Storage | Source:
    """A pump or a large reservoir of constant pressure: H(V) = p V; V falls by what was drawn.

    p: [Pa]; None: given over time, by the input that is called like its box.   Port: V.
    """
    if p is None:
        return source({"V": volume})
    p = finite_number(p, "p of a pressure source [Pa]")
    return storage({"V": volume}, H=lambda x, p: p * x.V, p=p)


def flow_source(Q: float | None = None) -> Storage | Source:
    """A pump of constant volume flow: H(Γ) = Q Γ; its energy falls by the work it gave.

    Q: [m³/s]; None: given over time, by the input that is called like its box.   Port: Gam.
    """
    if Q is None:
        return source({"Gam": pressure_momentum})
    Q = finite_number(Q, "Q of a flow source [m³/s]")
    return storage({"Gam": pressure_momentum}, H=lambda x, Q: Q * x.Gam, Q=Q)


def line(**signs: int) -> Reversible:
    """A line through volumes: one flow Q, pressures add up: V̇_k = σ_k Q, Γ̇ = -Σ σ_k p_k.

    line(a=-1, b=1) flows out of a and into b.   Ports: Gam, and the volumes named.
    """
    opposite = {name: -sign for name, sign in (signs or {"V": 1}).items()}
    return balance("Gam", pressure_momentum, volume, opposite, "a line")


def node(**signs: int) -> Reversible:
    """A volume where lines meet: one pressure p, flows add up: V̇ = Σ σ_k Q_k, Γ̇_k = -σ_k p.

    node(a=1, b=-1) is filled by line a and emptied by line b.   Ports: V, and the lines named.
    """
    return balance("V", volume, pressure_momentum, signs or {"Gam": 1}, "a node")


def cylinder(area: float) -> Reversible:
    """A hydraulic cylinder: the pressure p pushes its rod with p A, which makes room: ṗ_rod = p A, V̇ = -A v.

    area: A [m²], positive.   Ports: V (the chamber's volume), p (the rod's momentum).
    """
    area = finite_number(area, "area of a cylinder [m²]", positive=True)
    return reversible({"V": volume, "p": momentum}, J=lambda A: np.array([[0, -A], [A, 0]]), A=area)
