"""What compiled laws are called with, see `kernels.calls`: one letter for each argument; none returns anything.

n: a whole number.   x: a float.   I: an array of whole numbers.   F: an array of floats.
"""

from __future__ import annotations

ENERGY = "nIFFFFFxn"
FLOW = "nIFFFFFFFFFxxnnFFFF"
ROWS = "FFFFnFF"
RATE = "nIFFFF"
INPUTS = "nIFxFF"
