"""Quantities: what can be exchanged through a port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from visviva.errors import ModelError
from visviva.language.spaces import StateSpace, state_space

ENTROPY = "entropy"  # ports of this quantity have the effort θ - θ0


@final
@dataclass(frozen=True, init=False)
class Quantity:
    """A physical quantity with the space of its values, e.g. Quantity("R", "displacement").

    Only ports of equal quantities can be joined.
    """

    space: StateSpace
    name: str

    def __init__(self, space: str | StateSpace, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a quantity must be a non-empty string, got {name!r}.")
        if not isinstance(space, str | StateSpace):
            raise ModelError(f"the space of quantity {name!r} is given by its name, e.g. 'R' or 'SE3', got {space!r}.")
        object.__setattr__(self, "space", state_space(space) if isinstance(space, str) else space)
        object.__setattr__(self, "name", name)
        if name == ENTROPY and self.space.name not in ("R", "R1"):
            raise ModelError(f"entropy is a number: its space is R, not {self.space}.")

    @property
    def state(self) -> StatePort:
        """For a port that shares the value only, and no power: {"q": displacement.state}."""
        return StatePort(self)

    @property
    def dim(self) -> int:
        """Dimension of flows and efforts."""
        return self.space.dim

    @property
    def is_entropy(self) -> bool:
        """Whether this is entropy, whose effort is a temperature difference to the environment."""
        return self.name == ENTROPY

    def __str__(self) -> str:
        return f"({self.space}, {self.name})"


@final
@dataclass(frozen=True)
class StatePort:
    """Marks a port of an interface as one that shares the state only."""

    quantity: Quantity


@final
@dataclass(frozen=True)
class Port:
    """A named port: power ports have state, flow and effort (x, f, e), state ports have the state only."""

    name: str
    quantity: Quantity
    power: bool = True

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}" + ("" if self.power else ", state only")


def interface(ports: object, owner: str) -> dict[str, Port]:
    """The ports of a system from {"q": quantity, "p": quantity.state, ...}, checked."""
    if not isinstance(ports, dict) or not ports:
        raise ModelError(
            f"the interface of a {owner} is a dictionary of ports, e.g. {{'q': displacement}}; got {ports!r}."
        )
    result = {}
    for name, given in ports.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(
                f"the port name {name!r} of a {owner} is no identifier: use letters, digits and underscores."
            )
        match given:
            case Quantity():
                result[name] = Port(name, given)
            case StatePort(quantity):
                result[name] = Port(name, quantity, power=False)
            case Port():
                result[name] = Port(name, given.quantity, given.power)
            case _:
                raise ModelError(f"port {name!r} of a {owner} needs a Quantity (or quantity.state), got {given!r}.")
    return result
