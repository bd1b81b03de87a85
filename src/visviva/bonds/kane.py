"""The six multibond graphs of Kane's equations, Phillips and Amirouche, Figs. 1 to 6, from a description of a motion.

Fig. 1  unreduced: q̇ <- Q <- ξ -> partial velocities -> masses, which follow and differentiate (10)
Fig. 2  velocity form: a store of co-energy T* with efforts A ξ̇ and D ξ (14), (19)
Fig. 3  holonomic momentum form, IC: ξ = ∂T/∂p, effort ∂T/∂q (36)
Fig. 4  momentum form, NIC: ξ = ∂T/∂p = A⁻¹p, effort -Dᵀξ (38)
Fig. 5  partially Lagrangian velocity form, NIC: d/dt(∂T*/∂ξ), effort -Dᵀξ (42)
Fig. 6  holonomic Lagrangian velocity form, IC: d/dt(∂T*/∂q̇), effort -∂T*/∂q (42)

Their f is ξ, their e is τ. Both ports of a store are at the 1-junction of ξ: there τ - e_I - e_C = 0 is the equation of
motion. Half arrows point into the store, so that its C-port has the effort of what it takes up, -Dᵀξ.

Constraints that velocities do not satisfy by themselves are relaxed and enforced again, as in their section 3.8: flows
ᶜf = Z ξ are known, zero where a loop closes or a wheel rolls, a function of time where something is driven. At the
0-junction of each they balance, and its effort is the reaction ᶜe that does this: ξ has the forces τ + Zᵀᶜe. Stores
know these flows, (46)-(50): of A no more need be regular than the part ᵘᵘA that they leave, so that what is driven may
be without inertia, and where Z picks velocities, states of the momentum form are momenta ᵘp of the others.

What depends on time explicitly has time for one coordinate more, with the known velocity 1; its reaction is the power
that prescribed motion supplies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

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
    "tau" (n,) impressed forces;   "V" (), "V_q" (R,) potential energy and its slope;   "others" (k, n): rates of what
    else follows the motion;   "Z name" (rows, n), "f name" (rows,) of a closure;   "rows", "known": of all of them,
    one after the other;   "unknown" (m, n): picks the velocities with momenta that are states.

    others:    names of states that follow the motion and are no coordinates, such as angles over many turns.
    impressed: roles of the source of impressed forces: its output, and, where they have a potential, its energy, with
               the power of what is not from there.
    """

    name: str
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    masses: int
    turns: bool  # whether there are rigid bodies
    holonomic: bool
    loaded: bool  # whether there are impressed forces
    potential: bool
    impressed: ClassVar[dict[str, tuple[str, int]]] = {"output": ("tau", 1)}
    others: tuple[str, ...] = ()
    closures: tuple[Closure, ...] = ()

    @property
    def with_momenta(self) -> tuple[str, ...]:
        """Velocities whose momenta are states in the momentum form."""
        return self.velocities

    def initial(self, momentum: bool) -> dict[str, float]:
        """Where a run starts if nothing else is said, by state."""
        return {}

    @abstractmethod
    def check_inertia(self) -> None:
        """An error if the mass matrix is singular on what known flows leave: stores solve for the motion there."""

    @abstractmethod
    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """A formula; of ξ as the input of its element where states are momenta."""


@final
@dataclass(frozen=True)
class Closure:
    """Flows Z ξ that are known.   driven: functions of time; else zero.   label: how pictures call the matrix."""

    name: str
    rows: int
    driven: bool
    label: str = "Z"


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
            f"figure {figure} is of holonomic systems with ξ = q̇; T of {motion.name!r} does not generate its gyration "
            "force.\n"
            f"Ask for figure {4 if figure == 3 else 5}."
        )
    if figure > 1:
        motion.check_inertia()
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
        elements["tau"] = _law("Se", motion, motion.impressed, "τ", (n,), momentum=momentum, modulated=True)
        bonds.append(f"tau -> {rate}")
    if figure == 1:
        _unreduced(motion, elements, bonds, rate)
    else:
        elements["T"] = _store(motion, figure)
        bonds += [f"{rate} -> T.I", f"{rate} -> T.C"]
    coordinates: dict[Any, str] = {motion.coordinates: place} if R and not motion.potential else {}
    if motion.others:
        elements["others"] = _law(
            "TF", motion, {"matrix": ("others", 1)}, "∂ṡ/∂ξᵀ", (n, len(motion.others)), modulated=True
        )
        elements["s_dot"] = Element("1", widths=(len(motion.others),), ports=(), label="ṡ")
        bonds.append(f"{rate} -> others -> s_dot")
        coordinates[motion.others] = "s_dot"
    for closure in motion.closures:
        _closed(motion, closure, elements, bonds, rate)
    return BondGraph(
        f"{motion.name}, figure {figure}", elements, bonds, coordinates=coordinates, initial=motion.initial(momentum)
    )


def _closed(
    motion: AbstractMotion, closure: Closure, elements: dict[str, Element], bonds: list[str], rate: str
) -> None:
    """ξ -> MTF -> 0, with the source of what is driven."""
    name, k = closure.name.replace(" ", "_"), closure.rows
    matrix, junction = f"Z_{name}", f"e_{name}"
    elements[matrix] = _law(
        "TF",
        motion,
        {"matrix": (f"Z {closure.name}", -1)},
        f"-{closure.label}",
        (len(motion.velocities), k),
        modulated=True,
    )
    elements[junction] = Element("0", widths=(k,), ports=(), free=True, label=closure.name)
    bonds.append(f"{rate} -> {matrix} -> {junction}")
    if closure.driven:
        elements[f"f_{name}"] = _law("Sf", motion, {"output": (f"f {closure.name}", 1)}, "ᶜf(t)", (k,))
        bonds.append(f"f_{name} -> {junction}")


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
    if motion.closures:
        roles |= {"rows": ("rows", 1), "known": ("known", 1), "unknown": ("unknown", 1)}
    n, momentum = len(motion.velocities), figure in (3, 4)
    names = tuple(f"p_{name}" for name in motion.with_momenta) if momentum else motion.velocities
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
