"""The systems of `visviva demo`; documentation and examples use them too."""

from visviva.demo.linkage import four_bar
from visviva.demo.motor import motor_loop
from visviva.demo.pendulum import double_pendulum

__all__ = ["double_pendulum", "four_bar", "motor_loop"]
