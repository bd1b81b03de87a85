"""Multicopters: any arrangement of rotors as data, its models, its flight."""

from visviva.copter.energies import energies
from visviva.copter.equations import Equations
from visviva.copter.mechanism import air, mechanism
from visviva.copter.rotor import Rotor, Servo
from visviva.copter.vehicle import Drag, Hover, Vehicle
from visviva.copter.vehicles import quadcopter, ring, tricopter

__all__ = [
    "Drag",
    "Equations",
    "Hover",
    "Rotor",
    "Servo",
    "Vehicle",
    "air",
    "energies",
    "mechanism",
    "quadcopter",
    "ring",
    "tricopter",
]
