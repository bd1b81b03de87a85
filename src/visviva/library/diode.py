"""A diode: a resistance that depends exponentially on its voltage."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva.language import Irreversible, irreversible
from visviva.library.onsager import heating
from visviva.library.quantities import charge, entropy

TINY = 1e-8  # its square is below the rounding of 1


def diode(i_s: float, v_T: float = 0.02585) -> Irreversible:
    """A junction diode across a node: i = i_s (exp(u/v_T) - 1), heat u i.

    With w = u/(2 v_T) its conductance is i/u = (i_s/v_T) exp(w) sinh(w)/w. The quotient is an even, entire function
    of w, taken at z = √(w² + ε²) instead: the same to rounding, and no 0/0 at w = 0. Written with tanh it neither
    cancels nor overflows at any reverse voltage.   Source: Shockley (1949).

    i_s: saturation current [A], positive.   v_T: thermal voltage [V], positive.   Ports: q (the node), s (the heat).
    """
    i_s = finite_number(i_s, "i_s of a diode [A]", positive=True)
    v_T = finite_number(v_T, "v_T of a diode [V]", positive=True)

    def M(e: Any, theta: Any, i_s: Any, v_T: Any) -> Any:
        w = e.q / (2 * v_T)
        z = np.sqrt(w**2 + TINY**2)
        G = i_s / v_T * np.exp(w + z) * np.tanh(z) / (z * (1 + np.tanh(z)))
        return heating(G, e.q, theta.s)

    return irreversible({"q": charge, "s": entropy}, M=M, i_s=i_s, v_T=v_T)
