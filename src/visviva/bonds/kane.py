"""The six multibond graphs of Kane's equations, Phillips and Amirouche, Figs. 1 to 6, from a description of a motion.

Fig. 1  unreduced: q̇ <- Q <- ξ -> partial velocities -> masses, which follow and differentiate (10)
Fig. 2  velocity form: a store of co-energy T* with efforts A ξ̇ and D ξ (14), (19)
Fig. 3  holonomic momentum form, IC: ξ = ∂T/∂p, effort ∂T/∂q (36)
Fig. 4  momentum form, NIC: ξ = ∂T/∂p = A⁻¹p, effort -Dᵀξ (38)
Fig. 5  partially Lagrangian velocity form, NIC: d/dt(∂T*/∂ξ), effort -Dᵀξ (42)
Fig. 6  holonomic Lagrangian velocity form, IC: d/dt(∂T*/∂q̇), effort -∂T*/∂q (42)

Their f is ξ, their e is τ. Both ports of a store are at the 1-junction of ξ: there τ - e_I - e_C = 0 is the equation of
motion. Half arrows point into the store, so that its C-port has the effort of what it takes up, -Dᵀξ.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from visviva.bonds.elements import PORTS, Element, one
from visviva.bonds.formula import AbstractLaw, Formula
from visviva.bonds.graph import BondGraph
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws

FIGURES = {
    1: "unreduced", 2: "kane-velocity", 3: "hamilton", 4: "kane-momentum", 5: "partially-lagrangian", 6: "lagrange"
}  # fmt: skip


class AbstractMotion(ABC):
    """A motion in Kane's way, by formulas of coordinates q and velocities ξ.

    Roles: "Q" (R, n);   "S" (m, n) partial velocities of all masses with its rate as seen from them;   "M" (m, m);
    "gyroscopic" (m, m), skew;   "A" (n, n);   "D xi", "gyration", "drift" (n,): D ξ, Dᵀξ, (∂p̂/∂q) q̇;   "T_q" (n,);
    "tau" (n,) impressed forces;   "V" () potential energy.
    """

    name: str
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    masses: int
    turns: bool  # whether there are rigid bodies
    holonomic: bool
    loaded: bool  # whether there are impressed forces
    potential: bool

    @abstractmethod
    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """A formula; of ξ as the input of its element where states are momenta."""


@final
@dataclass(frozen=True, eq=False)
class MotionLaw(AbstractLaw):
    """The law of one element: formulas of the motion by role of the element."""

    motion: AbstractMotion
    roles: dict[str, tuple[str, int]]
    momentum: bool = False

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """Those of the motion."""
        return {
            role: self.motion.formula(name, laws, self.momentum and role in ("effort", "output"), sign)
            for role, (name, sign) in self.roles.items()
        }


def kane_graph(motion: AbstractMotion, figure: int) -> BondGraph:
    """One of the six graphs."""
    if figure in (3, 6) and not motion.holonomic:
        raise ModelError(
            f"figure {figure} is of holonomic systems with ξ = q̇; T of {motion.name!r} does not generate its "
            "gyration force.\n"
            f"Ask for figure {4 if figure == 3 else 5}."
        )
    n, R = len(motion.velocities), len(motion.coordinates)
    momentum = figure in (3, 4)
    elements: dict[str, Element] = {}
    bonds: list[str] = []
    place, rate = "q_dot", "xi"
    if figure in (3, 6):
        place = rate
    if R:
        elements[place] = Element("1", widths=(R,), ports=(), label="q̇")
        if place != rate:
            elements["Q"] = _law("TF", motion, {"matrix": ("Q", 1)}, "Q", (n, R), modulated=True)
            bonds.append(f"{rate} -> Q -> {place}")
        if motion.potential:
            roles = {"output": ("V_q", 1), "energy": ("V", 1)}
            elements["V"] = _law("C", motion, roles, "V", (R,), names=motion.coordinates, energy=True)
            bonds.append(f"{place} -> V")
    elements[rate] = Element("1", widths=(n,), ports=(), label="q̇" if place == rate else "ξ")
    if motion.loaded:
        elements["tau"] = _law("Se", motion, {"output": ("tau", 1)}, "τ", (n,), momentum=momentum, modulated=True)
        bonds.append(f"tau -> {rate}")
    if figure == 1:
        _unreduced(motion, elements, bonds, rate)
    else:
        elements["T"] = _store(motion, figure)
        bonds += [f"{rate} -> T.I", f"{rate} -> T.C"]
    coordinates: dict[Any, str] = {motion.coordinates: place} if R and not motion.potential else {}
    return BondGraph(f"{motion.name}, figure {figure}", elements, bonds, coordinates=coordinates)


def _unreduced(motion: AbstractMotion, elements: dict[str, Element], bonds: list[str], rate: str) -> None:
    n, m = len(motion.velocities), motion.masses
    elements[rate] = Element("1", widths=(n,), ports=(), free=True, names=motion.velocities, label="ξ")
    elements["partials"] = _law("TF", motion, {"matrix": ("S", 1)}, "∂v/∂ξᵀ", (n, m), modulated=True)
    elements["v"] = one(width=m)
    elements["masses"] = _law("I", motion, {"matrix": ("M", 1)}, "m", (m,))
    bonds += [f"{rate} -> partials -> v -> masses"]
    if motion.turns:
        elements["spin"] = _law("GY", motion, {"matrix": ("gyroscopic", 1)}, "ω×", (m, m), modulated=True)
        bonds.append("v -> spin")


def _store(motion: AbstractMotion, figure: int) -> Element:
    """The store of kinetic energy with its I- and C-port."""
    kind = {2: "T*", 3: "IC", 4: "NIC", 5: "NIC", 6: "IC"}[figure]
    effort = {2: ("D xi", 1), 3: ("T_q", -1), 4: ("gyration", -1), 5: ("gyration", -1), 6: ("T_q", -1)}[figure]
    roles = {"A": ("A", 1), "effort": effort}
    if figure in (5, 6):
        roles["drift"] = ("drift", 1)
    n, momentum = len(motion.velocities), figure in (3, 4)
    names = tuple(f"p_{name}" for name in motion.velocities) if momentum else motion.velocities
    return _law(kind, motion, roles, "T" if momentum else "T*", (n, n), names=names, momentum=momentum)


def _law(
    kind: str,
    motion: AbstractMotion,
    roles: dict[str, tuple[str, int]],
    label: str,
    widths: tuple[int, ...],
    *,
    names: tuple[str, ...] = (),
    momentum: bool = False,
    modulated: bool = False,
    energy: bool = False,
) -> Element:
    law = MotionLaw(motion, roles, momentum)
    return Element(
        kind, law, widths=widths, ports=PORTS[kind], names=names, modulated=modulated, label=label, energy=energy
    )
