"""What compiled laws are called with, see `kernels.calls`: one letter for each argument; none returns anything.

n: a whole number.   x: a float.   i: an array of whole numbers.   f: an array of floats.
"""

from __future__ import annotations

ENERGY = "nifffffxn"
FLOW = "nifffffffffxxnnffff"
ROWS = "ffffnff"
RATE = "niffff"
INPUTS = "nifxff"
