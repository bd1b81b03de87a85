"""Multicopters: any arrangement of rotors as data, its models, its flight."""

from visviva.copter.agent import Agent
from visviva.copter.agent_flight import AgentFlight
from visviva.copter.energies import energies
from visviva.copter.equations import Equations
from visviva.copter.flight import Flight, controller, fly, rigid, rigid_air
from visviva.copter.manoeuvres import Figures, Manoeuvre, manoeuvre
from visviva.copter.mechanism import air, mechanism
from visviva.copter.rotor import Rotor, Servo
from visviva.copter.sensors import Sensors
from visviva.copter.spread import Spread, spread
from visviva.copter.vehicle import Drag, Hover, Vehicle
from visviva.copter.vehicles import quadcopter, ring, tricopter

__all__ = [
    "Agent",
    "AgentFlight",
    "Drag",
    "Equations",
    "Figures",
    "Flight",
    "Hover",
    "Manoeuvre",
    "Rotor",
    "Sensors",
    "Servo",
    "Spread",
    "Vehicle",
    "air",
    "controller",
    "energies",
    "fly",
    "manoeuvre",
    "mechanism",
    "quadcopter",
    "rigid",
    "rigid_air",
    "ring",
    "spread",
    "tricopter",
]
