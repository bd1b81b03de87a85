"""The systems of `visviva demo`; documentation and examples use them too."""

from visviva.demo.chain import folded_chain
from visviva.demo.driven_crank import driven_crank
from visviva.demo.gears import differential, screw_press
from visviva.demo.gyroscope import gyroscope
from visviva.demo.linkage import four_bar, slider_crank
from visviva.demo.motor import motor_loop
from visviva.demo.overconstrained import bennett, sarrus
from visviva.demo.pendulum import double_pendulum, pendulum
from visviva.demo.platform import stewart
from visviva.demo.rolling import gait, rolling_disc, snakeboard
from visviva.demo.top import heavy_top
from visviva.demo.tricopter import thrown, tricopter

__all__ = [
    "bennett",
    "differential",
    "double_pendulum",
    "driven_crank",
    "folded_chain",
    "four_bar",
    "gait",
    "gyroscope",
    "heavy_top",
    "motor_loop",
    "pendulum",
    "rolling_disc",
    "sarrus",
    "screw_press",
    "slider_crank",
    "snakeboard",
    "stewart",
    "thrown",
    "tricopter",
]
