"""Multicopters: any arrangement of rotors as data, its models, its flight."""

from visviva.copter.agent import Agent
from visviva.copter.agent_flight import AgentFlight
from visviva.copter.battery import Battery
from visviva.copter.energies import energies, energy_audit
from visviva.copter.energy_audit import EnergyAudit
from visviva.copter.equations import Equations
from visviva.copter.flight import Flight, controller, fly, rigid, rigid_air
from visviva.copter.manoeuvres import Figures, Manoeuvre, manoeuvre
from visviva.copter.mechanism import air, mechanism, motors
from visviva.copter.remote import remote
from visviva.copter.rotor import Rotor, Servo
from visviva.copter.sensors import Sensors
from visviva.copter.spread import Spread, spread
from visviva.copter.vehicle import Drag, Hover, Vehicle
from visviva.copter.vehicles import quadcopter, ring, tricopter
from visviva.copter.wind import Turbulence

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
    "fly",
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
