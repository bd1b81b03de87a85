"""Multicopters: any arrangement of rotors as data, its models, its flight."""

from visviva.copter.rotor import Rotor, Servo
from visviva.copter.vehicle import Drag, Hover, Vehicle
from visviva.copter.vehicles import quadcopter, ring, tricopter

__all__ = ["Drag", "Hover", "Rotor", "Servo", "Vehicle", "quadcopter", "ring", "tricopter"]
