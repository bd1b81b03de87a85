"""Where a mechanism rests."""

from __future__ import annotations

from visviva.integrate.equilibrium import equilibrium
from visviva.linear.equations import Reference
from visviva.linear.of_mechanisms import MechanismEquations


def rest(equations: MechanismEquations) -> Reference:
    """The equilibrium of a mechanism."""
    return equations.start(equilibrium(equations.form.mechanism), steady=False)
