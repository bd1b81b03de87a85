"""Multicopters: any arrangement of rotors as data, its models, its flight."""

from typing import Any

from visviva._suggestions import missing_attribute, nearest
from visviva.copter import estimation, force, identification
from visviva.copter.agents.agent import Agent
from visviva.copter.agents.agent_flight import AgentFlight
from visviva.copter.agents.sensors import Sensors
from visviva.copter.energy.energies import energies, energy_audit
from visviva.copter.energy.energy_audit import EnergyAudit
from visviva.copter.flights.controller import controller
from visviva.copter.flights.flight import Flight
from visviva.copter.flights.manoeuvres import Figures, Manoeuvre, manoeuvre
from visviva.copter.flights.remote import remote
from visviva.copter.fly import fly
from visviva.copter.models.equations import Equations
from visviva.copter.models.mechanism import air, mechanism, motors
from visviva.copter.models.rigid import rigid, rigid_air
from visviva.copter.spread import Spread, spread
from visviva.copter.vehicles.battery import Battery
from visviva.copter.vehicles.rotor import Rotor, Servo
from visviva.copter.vehicles.standard import quadcopter, ring, tricopter
from visviva.copter.vehicles.vehicle import Drag, Hover, Vehicle
from visviva.copter.vehicles.wind import Turbulence

__all__ = [
    "Agent",
    "AgentFlight",
    "Battery",
    "Drag",
    "EnergyAudit",
    "Equations",
    "Figures",
    "Flight",
    "Hover",
    "Manoeuvre",
    "Rotor",
    "Sensors",
    "Servo",
    "Spread",
    "Turbulence",
    "Vehicle",
    "air",
    "controller",
    "energies",
    "energy_audit",
    "estimation",
    "fly",
    "force",
    "identification",
    "manoeuvre",
    "mechanism",
    "motors",
    "quadcopter",
    "remote",
    "rigid",
    "rigid_air",
    "ring",
    "spread",
    "tricopter",
]


def __getattr__(name: str) -> Any:
    """What is meant by a name that there is not."""
    homes = {"estimation": estimation, "force": force, "identification": identification}
    near = [f"{home}.{name}" for home, module in homes.items() if name in module.__all__] or nearest(name, __all__)
    hint = f". Did you mean {' or '.join(f'vv.copter.{one}' for one in near)}?" if near else ""
    raise missing_attribute(f"module 'visviva.copter' has no attribute {name!r}{hint}", name)
