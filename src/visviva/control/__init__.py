"""Control of mechanisms: references with exact derivatives, and laws that track them."""

from visviva.control import flat, matching
from visviva.control.abstract_path import AbstractPath, Jump, jumps, path
from visviva.control.actuators import Thrusters, thrusters
from visviva.control.controller import Controller
from visviva.control.critical_points import CriticalPoint, census, critical_points
from visviva.control.discrete_law import Balance, DiscreteLaw
from visviva.control.feasibility import Feasibility
from visviva.control.gains import Gains, gains, moments, point_gains
from visviva.control.linear_loop import LinearLoop, Margins, SampledLoop
from visviva.control.paths import circle, hold, joined, line, lissajous, polynomial, repeated, spline
from visviva.control.references import Reference, ReferenceCheck, ReferencePoint, reference
from visviva.control.rotations import PosePath, RotationPath, pose, rotation, rotation_vector, slerp, turn
from visviva.control.state_reading import StateReading
from visviva.control.tracking import Evaluation, Matching, TrackingLaw, tracking
from visviva.control.tracking_record import TrackingRecord
from visviva.control.transport import SingularTemplateError

__all__ = [
    "AbstractPath",
    "Balance",
    "Controller",
    "CriticalPoint",
    "DiscreteLaw",
    "Evaluation",
    "Feasibility",
    "Gains",
    "Jump",
    "LinearLoop",
    "Margins",
    "Matching",
    "PosePath",
    "Reference",
    "ReferenceCheck",
    "ReferencePoint",
    "RotationPath",
    "SampledLoop",
    "SingularTemplateError",
    "StateReading",
    "Thrusters",
    "TrackingLaw",
    "TrackingRecord",
    "census",
    "circle",
    "critical_points",
    "flat",
    "gains",
    "hold",
    "joined",
    "jumps",
    "line",
    "lissajous",
    "matching",
    "moments",
    "path",
    "point_gains",
    "polynomial",
    "pose",
    "reference",
    "repeated",
    "rotation",
    "rotation_vector",
    "slerp",
    "spline",
    "thrusters",
    "tracking",
    "turn",
]
