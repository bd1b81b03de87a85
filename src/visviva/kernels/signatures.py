"""What functions are called with that are called by address, see `kernels.calls`: one letter for each argument.

n: a whole number.   x: a real number.   w: one of 32 bits.   I, F, C: address of whole, real, complex numbers.
Behind a colon: the result.
"""

from __future__ import annotations

# laws
ENERGY = "nIFFFFFxn"
FLOW = "nIFFFFFFFFFxxnnFFFF"
ROWS = "FFFFnFF"
RATE = "nIFFFF"
INPUTS = "nIFxFF"
# kernels
RETRACT = "IxFFFFF"
PULL = "IxnFFFF"
ACCELERATE = "IFIFFFFFFF:n"
ACCELERATE_COMPLEX = "IFIFCCCCCC:n"
ENERGY_OF_TREE = "IFIFFFF:x"
ACT = "IFFFFFF"
STORED = "IF:x"
PACK = "nII:n"
PACKED = "III:w"
