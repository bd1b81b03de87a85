"""Parameters of multicopters from measurements: drives, thrust, inertia, and all the rest from a flight; Konz 5.2."""

from visviva.copter.identification.drives import identify_propeller, identify_servo
from visviva.copter.identification.flight import identified_vehicle, identify_flight
from visviva.copter.identification.identified import Identified
from visviva.copter.identification.pendulum import bifilar_torque, identify_pendulum
from visviva.copter.identification.samples import read_columns
from visviva.copter.identification.thrust import identify_thrust

__all__ = [
    "Identified",
    "bifilar_torque",
    "identified_vehicle",
    "identify_flight",
    "identify_pendulum",
    "identify_propeller",
    "identify_servo",
    "identify_thrust",
    "read_columns",
]
