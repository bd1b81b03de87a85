"""Forces of multicopters at ticks: from wanted wrenches to speeds, tilts and currents; Konz 5.3."""

from visviva.copter.force.fixed import (
    RotorForce,
    filter_rotor_force,
    lead,
    made_rotor_force,
    rotor_force,
    rotor_force_poles,
    rotor_force_start,
)
from visviva.copter.force.propellers import (
    Propellers,
    observe_propellers,
    observer_poles,
    propellers,
    propellers_start,
    track_speeds,
    tracking_pole,
)
from visviva.copter.force.rc_filter import RCFilter, filter_rc, rc_filter, rc_filter_start
from visviva.copter.force.responses import (
    rotor_force_response,
    servo_response,
    thrust_response,
    tilt_force_response,
)
from visviva.copter.force.servos import Servos, servo_poles, servos, servos_start, simulate_servos
from visviva.copter.force.tilting import (
    TiltForce,
    filter_tilt_force,
    invert_tilt_force,
    made_tilt_force,
    tilt_force,
    tilt_force_speeds,
    tilt_force_start,
)
from visviva.copter.force.wrench_rows import COMPONENTS, wrench_rows

__all__ = [
    "COMPONENTS",
    "Propellers",
    "RCFilter",
    "RotorForce",
    "Servos",
    "TiltForce",
    "filter_rc",
    "filter_rotor_force",
    "filter_tilt_force",
    "invert_tilt_force",
    "lead",
    "made_rotor_force",
    "made_tilt_force",
    "observe_propellers",
    "observer_poles",
    "propellers",
    "propellers_start",
    "rc_filter",
    "rc_filter_start",
    "rotor_force",
    "rotor_force_poles",
    "rotor_force_response",
    "rotor_force_start",
    "servo_poles",
    "servo_response",
    "servos",
    "servos_start",
    "simulate_servos",
    "thrust_response",
    "tilt_force",
    "tilt_force_response",
    "tilt_force_speeds",
    "tilt_force_start",
    "track_speeds",
    "tracking_pole",
    "wrench_rows",
]
