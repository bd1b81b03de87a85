"""Bodies and heat as outer ports of a composite, for what is outside of the mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, final

from visviva.errors import ModelError
from visviva.mechanism.composite.wiring import GROUND, HEAT, Wiring
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Particle
from visviva.mechanism.thermal import Thermal

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


@final
@dataclass(frozen=True, eq=False)
class Exposure:
    """What is shown.   ground, heat: whether they are.   bodies, nodes: names of parts."""

    owner: str
    ground: bool
    heat: bool
    bodies: tuple[str, ...]
    nodes: tuple[str, ...]

    def ports(self, net: Wiring) -> dict[str, str]:
        """Outer ports, which are called like their junctions."""
        carriers = [*([GROUND] if self.ground else []), *(net.names[name] for name in self.bodies)]
        found = [f"{letter}_{name}" for name in carriers for letter in "qp"]
        found += [f"s_{net.names[name]}" for name in self.nodes] + [HEAT] * self.heat
        taken = sorted(set(found) & set(net.outer))
        if taken:
            raise ModelError(
                f"mechanism {self.owner!r} has inputs {', '.join(map(repr, taken))}, as ports that expose= adds are "
                "called.\nGive the inputs other names."
            )
        return {port: port for port in found}

    def refuse_heat(self) -> NoReturn:
        """Nothing would be at the port."""
        raise ModelError(
            f"expose={HEAT!r} asks for the heat of mechanism {self.owner!r}, but nothing of it heats the environment.\n"
            "Leave it out; the entropy of a thermal node is shown by the name of the node."
        )


def exposure_of(m: Definition, expose: Any) -> Exposure:
    """What names ask for: bodies, the ground, thermal nodes, and "s" for heat; an error that lists them else."""
    several = isinstance(expose, Iterable) and not isinstance(expose, str)
    names = tuple(dict.fromkeys(getattr(one, "name", one) for one in (expose if several else (expose,))))
    bodies = {part.name for part in m.parts.values() if isinstance(part, Body | Particle)}
    nodes = {part.name for part in m.parts.values() if isinstance(part, Thermal)}
    known = {*bodies, *nodes, GROUND, HEAT}
    if HEAT in names and HEAT in bodies | nodes:
        raise ModelError(
            f"expose={HEAT!r} is the heat of mechanism {m.name!r}, and the name of a part of it: give the part another."
        )
    for name in names:
        if name not in known:
            raise unknown_name(str(name), sorted(known), f"expose of the composite of mechanism {m.name!r}")
    return Exposure(
        m.name,
        GROUND in names,
        HEAT in names,
        tuple(name for name in names if name in bodies),
        tuple(name for name in names if name in nodes),
    )
