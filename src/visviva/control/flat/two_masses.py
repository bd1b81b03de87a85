"""Two masses and a spring, driven at the first: flat by the position of the second.

m₂ z̈₂ = k (z₁ - z₂), hence z₁ = z₂ + z̈₂/ϖ with ϖ = k/m₂, and the force follows from the first.

Source: Konz, section 4.8.1; (4.124) has the wrong sign there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from visviva._arrays import finite_number
from visviva._suggestions import helpful
from visviva.control.abstract_path import AbstractPath, as_path
from visviva.control.flat.smooth import require_smooth


class TwoMasses(NamedTuple):
    """Paths of both displacements, from where the spring is relaxed, and of the distance between them."""

    z1: AbstractPath
    z2: AbstractPath
    stretch: AbstractPath  # z₂ - z₁


@helpful
def two_masses(z2: Any, *, stiffness: float, mass: float) -> TwoMasses:
    """The motion of both masses from that of the second one, a path with three continuous derivatives.

    stiffness: [N/m] of the spring.   mass: [kg] of the second one.
    """
    second = as_path(z2, (), "position of the second mass")
    k, m = finite_number(stiffness, "stiffness", positive=True), finite_number(mass, "mass", positive=True)
    require_smooth(second, 3, "the path of the second mass")
    stretch = second.rate(2) * (-m / k)
    return TwoMasses(second - stretch, second, stretch)
