"""Physical domains: what effort and flow of a bond are, with their units, and the quantities that storages hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from visviva.errors import ModelError
from visviva.language import Quantity
from visviva.library import quantities


@final
@dataclass(frozen=True)
class Domain:
    """Names and units of one kind of power e·f; displacement and momentum are those of C and I elements."""

    name: str
    effort: str
    effort_unit: str
    flow: str
    flow_unit: str
    displacement: Quantity | None = None
    momentum: Quantity | None = None

    def quantity(self, momentum: bool, width: int) -> Quantity:
        """Of the states of C (or, for momentum, I) elements with a bond of some width."""
        base = self.momentum if momentum else self.displacement
        if base is None:
            kind = "momentum" if momentum else "displacement"
            raise ModelError(f"the domain {self.name!r} has no {kind} that a system of the language could hold.")
        return base if width == 1 else Quantity(f"R{width}", base.name)


GENERAL = "general"
DOMAINS = {
    domain.name: domain
    for domain in (
        Domain("translation", "force", "N", "velocity", "m/s", quantities.displacement, quantities.momentum),
        Domain("rotation", "torque", "N m", "angular velocity", "rad/s", quantities.angle, quantities.angular_momentum),
        Domain("electric", "voltage", "V", "current", "A", quantities.charge, quantities.flux),
        Domain("hydraulic", "pressure", "Pa", "volume flow", "m³/s", quantities.volume, quantities.pressure_momentum),
        Domain("thermal", "temperature", "K", "entropy flow", "W/K", quantities.entropy),
        Domain("spatial", "wrench", "N m, N", "twist", "rad/s, m/s"),
        Domain(
            GENERAL, "effort", "", "flow", "",
            Quantity("R", "generalised displacement"), Quantity("R", "generalised momentum"),
        ),
    )
}  # fmt: skip


def domain_of(quantity: Quantity) -> tuple[str | None, bool]:
    """The domain in which a quantity is stored, None if there is none, and whether it is a momentum."""
    if quantity.space.group is not None:  # the momentum of a rotation or a pose
        return "rotation" if quantity.space.group in ("SO2", "SO3") else "spatial", True
    for name, domain in DOMAINS.items():
        for base, momentum in ((domain.displacement, False), (domain.momentum, True)):
            if base is not None and base.name == quantity.name:
                return name, momentum
    return None, False


def check_domain(name: object, what: str) -> str | None:
    """A domain by name, or None where it follows from others."""
    if name is not None and name not in DOMAINS:
        raise ModelError(f"{what} has no domain {name!r}; there are {', '.join(DOMAINS)}.")
    return name if name is None else str(name)
