"""Rotors of a vehicle, or those that are given one by one."""

from __future__ import annotations

from collections.abc import Sequence

from visviva.copter.vehicles.rotor import Rotor
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError


def rotors_of(given: Vehicle | Sequence[Rotor]) -> tuple[Rotor, ...]:
    """All of a vehicle, or a list of them."""
    rotors = given.rotors if isinstance(given, Vehicle) else given
    if not (isinstance(rotors, list | tuple) and all(isinstance(rotor, Rotor) for rotor in rotors)):
        raise ModelError(f"a vehicle or a list of rotors is needed, vehicle.rotors, got {given!r}.")
    return tuple(rotors)
