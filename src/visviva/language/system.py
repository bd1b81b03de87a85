"""Systems: primitive ones hold a structure, composite ones hold systems; both have an interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, final

from visviva._arrays import Array
from visviva.language.quantity import Port

if TYPE_CHECKING:
    from visviva.language.expression import Expression

Kind = str  # "storage", "reversible", "irreversible", "environment", "source", "composite"


class AbstractSystem(ABC):
    """Anything that fills a box: it has ports, in order, by name."""

    interface: dict[str, Port]
    kind: Kind

    @property
    def power_ports(self) -> list[Port]:
        """The ports that exchange energy, in order."""
        return [port for port in self.interface.values() if port.power]


@final
@dataclass(frozen=True, eq=False)
class Storage(AbstractSystem):
    """Energy E(x) of the state of its one port: f = ẋ, e = dE(x) (of entropy: the temperature minus θ0)."""

    interface: dict[str, Port]
    H: Expression
    kind: Kind = field(default="storage", init=False)


class AbstractStateClosure(ABC):
    """What rows of a component keep closed, as a function of the states at some of its ports."""

    ports: tuple[str, ...]
    length: float  # of an arm [m]; 0 where there is none

    @abstractmethod
    def gap(self, *states: Array) -> Array:
        """How far it is open: three angles [rad], or relative numbers, and three shifts [m], (..., 6)."""


@final
@dataclass(frozen=True, eq=False)
class Reversible(AbstractSystem):
    """A Dirac structure: flows into it f = -J(x) e + C(x)ᵀ λ with C(x) e = 0 and J skew; it passes all power on.

    The signs are those of ẋ = J e - Cᵀλ at a junction with a storage; Lohmayer, Capobianco, Leyendecker print -J.

    closure: of rows C, what they keep closed: an `AbstractStateClosure`, or that of a joint, see
             `library.multibody.closure`. It is measured only, and no part of the structure.
    """

    interface: dict[str, Port]
    J: Expression
    C: Expression | None = None
    closure: Any = None
    kind: Kind = field(default="reversible", init=False)


@final
@dataclass(frozen=True, eq=False)
class Irreversible(AbstractSystem):
    """An Onsager structure: flows into it f = M(x, e) e / θ0 with M symmetric ⪰ 0.

    Energy is conserved because M annihilates the efforts with absolute temperatures, M (e with θ for θ - θ0) = 0.
    """

    interface: dict[str, Port]
    M: Expression
    kind: Kind = field(default="irreversible", init=False)


@final
@dataclass(frozen=True, eq=False)
class Environment(AbstractSystem):
    """Takes up what flows into it at a fixed effort of zero: heat at the temperature θ0 [K] of the environment."""

    interface: dict[str, Port]
    theta0: float
    kind: Kind = field(default="environment", init=False)


@final
@dataclass(frozen=True, eq=False)
class Source(AbstractSystem):
    """An effort that is given from outside, e = u(t): its flow is whatever that takes, its power P = u·f is work.

    It is the dual of an outer port, which is given a flow and shows the effort.

    law: u as a function of time, where an input of a run gives no other; None: zero.
    """

    interface: dict[str, Port]
    law: Callable[[float], Any] | None = None
    kind: Kind = field(default="source", init=False)


@final
@dataclass(frozen=True, eq=False)
class Renamed(AbstractSystem):
    """A system seen through other port names; `old` gives the port behind each."""

    system: AbstractSystem
    old: dict[str, str]

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """That of the system behind it."""
        return self.system.kind

    @property
    def interface(self) -> dict[str, Port]:  # type: ignore[override]
        """The ports under their new names."""
        return {new: replace(self.system.interface[old], name=new) for new, old in self.old.items()}
