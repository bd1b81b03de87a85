"""Joints as boxes: rows that stay closed, the rates of coordinates on which something acts, and friction inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.language import Irreversible
from visviva.library.multibody import SPIN, tie
from visviva.library.multibody.friction import rate_friction, viscous
from visviva.library.multibody.rows import Rate
from visviva.library.multibody.tie import rate_quantity
from visviva.mechanism.composite.wiring import Wiring, coordinate_port, offsets, particles
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.friction import FrictionLaw, rate_symbol, temperature_symbol
from visviva.mechanism.parts import Force, Joint, JointCoordinate, Motor, Torque

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition

Rates = dict[str, tuple[Rate, ...]]


def add_joints(net: Wiring) -> None:
    """One box for each joint that constrains something."""
    acting = acting_coordinates(net.m)
    for part in net.m.joints:
        if not (part.joint.rows or part.joint.sums):
            continue
        box = net.names[part.name]
        rates = _rates(part, acting.get(part.name, set()))
        system = tie(
            (*part.joint.rows, *part.joint.sums),
            *offsets(part),
            particles=particles(part),
            rates=rates,
            losses=_frictions(part, rates),
            theta0=None,
        )
        net.add_between(
            part, box, system, {port: f"rate_{box}_{port}" for port in rates} | {"s": net.heat(part.heat_to)}
        )


def acting_coordinates(m: Definition) -> dict[str, set[int]]:
    """Numbers of the coordinates on which springs, stops, ports, boxes and couplings act, by the name of the joint."""
    found: list[JointCoordinate] = [one for part in m.joint_elements for one in part.coordinates]
    found += [part.at for part in m.stops]
    found += [port.at for port in m.ports if isinstance(port, Torque | Force | Motor)]
    found += [one for box in m.boxes for one in box.joint_coordinates]
    found += [one for part in m.conditions if isinstance(part, Coupling) for one in coupled(part)]
    acting: dict[str, set[int]] = {}
    for one in found:
        acting.setdefault(one.joint.name, set()).add(one.number)
    return acting


def coupled(part: Coupling) -> list[JointCoordinate]:
    """The coordinates that a coupling is about; none where a joint keeps a sum of other scalars of its own."""
    own = {name for term in part.terms for name in term.joint.sum_names}
    if part.name in own:
        return []
    return [JointCoordinate(term.joint, term.joint.joint.coordinates.index(term.coordinate)) for term in part.terms]


def _rates(part: Joint, acting: set[int]) -> Rates:
    """Rates by port: of coordinates on which something acts or rubs, or the spin of a ball that rubs."""
    if part.joint.spins:
        return {"spin": SPIN} if part.laws or part.spin_friction is not None else {}
    rubbing = {k for k, law in enumerate(part.laws) if law is not None} | set(np.flatnonzero(part.friction).tolist())
    return {coordinate_port(part, k): (part.joint.coordinates[k],) for k in sorted(acting | rubbing)}


def _frictions(part: Joint, rates: Rates) -> dict[str, Irreversible]:
    """mf: viscous friction, or that of a ball.   mf_<coordinate>: a law of its own."""
    if part.joint.spins:
        if not rates:
            return {}
        spin = rate_quantity(SPIN)
        if part.spin_friction is not None:
            return {"mf": viscous({"spin": spin}, part.spin_friction)}
        (law,) = part.laws
        assert law is not None
        return {"mf": _by_law("spin", SPIN, law)}
    found: dict[str, Irreversible] = {}
    linear = np.flatnonzero(part.friction).tolist()
    if linear:
        ports = {coordinate_port(part, k): rate_quantity((part.joint.coordinates[k],)) for k in linear}
        found["mf"] = viscous(ports, np.diag(part.friction[linear]))
    for k, law in enumerate(part.laws):
        if law is not None:
            port = coordinate_port(part, k)
            found[f"mf_{port}"] = _by_law(port, rates[port], law)
    return found


def _by_law(port: str, rates: tuple[Rate, ...], law: FrictionLaw) -> Irreversible:
    numbers = {symbol.name: number for symbol, number in law.parameters}
    return rate_friction(port, rate_quantity(rates), law.force, (rate_symbol(), temperature_symbol()), **numbers)
