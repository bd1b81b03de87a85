"""Estimates of what a multicopter needs to know, from an IMU and late frames of a motion capture system; Konz 5.4.

Each estimator stands alone. Its parameters come from a function that checks them; its state is one flat array. Methods
give new states, and errors of wrong use. A flight calls the updates in their place: plain functions `predict_...`,
`correct_...`, `update_...` that change the state, count what cannot be used, and are `compiled`.
"""

from visviva.copter.estimation.attitude_observer import (
    AttitudeObserver,
    attitude_observer,
    correct_attitude,
    predict_attitude,
)
from visviva.copter.estimation.buffers import Counts, counts
from visviva.copter.estimation.compiled import compiled
from visviva.copter.estimation.delay_identification import DelayIdentification, identify_delay
from visviva.copter.estimation.force_bias import ForceBias, force_bias, update_force_bias
from visviva.copter.estimation.kalman_filter import (
    Estimate,
    KalmanFilter,
    correct_kalman,
    kalman_filter,
    predict_kalman,
)
from visviva.copter.estimation.latency_estimator import LatencyEstimator, latency_estimator, update_latency
from visviva.copter.estimation.misalignment import Misalignment, calibrate_misalignment
from visviva.copter.estimation.position_observer import (
    Motion,
    PositionObserver,
    correct_position,
    position_observer,
    predict_position,
)
from visviva.copter.estimation.rate_observer import RateObserver, rate_observer, update_rate
from visviva.copter.estimation.thrust_scale import ThrustScale, thrust_scale, update_thrust_scale

__all__ = [
    "AttitudeObserver",
    "Counts",
    "DelayIdentification",
    "Estimate",
    "ForceBias",
    "KalmanFilter",
    "LatencyEstimator",
    "Misalignment",
    "Motion",
    "PositionObserver",
    "RateObserver",
    "ThrustScale",
    "attitude_observer",
    "calibrate_misalignment",
    "compiled",
    "correct_attitude",
    "correct_kalman",
    "correct_position",
    "counts",
    "force_bias",
    "identify_delay",
    "kalman_filter",
    "latency_estimator",
    "position_observer",
    "predict_attitude",
    "predict_kalman",
    "predict_position",
    "rate_observer",
    "thrust_scale",
    "update_force_bias",
    "update_latency",
    "update_rate",
    "update_thrust_scale",
]
