"""Linear systems: small motions about equilibria and steady motions, their modes and responses."""

from visviva.linear.equilibrium import equilibrium
from visviva.linear.linearise import linearise
from visviva.linear.locus import RootLocus, root_locus
from visviva.linear.modes import Mode, Modes
from visviva.linear.responses import FrequencyResponse, StepResponse
from visviva.linear.second_order import SecondOrder
from visviva.linear.system import LinearSystem
from visviva.linear.transfer import TransferFunction

linearize = linearise  # in American spelling

__all__ = [
    "FrequencyResponse",
    "LinearSystem",
    "Mode",
    "Modes",
    "RootLocus",
    "SecondOrder",
    "StepResponse",
    "TransferFunction",
    "equilibrium",
    "linearise",
    "linearize",
    "root_locus",
]
