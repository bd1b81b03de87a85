"""KaneBody: a particle or a rigid body by its velocities."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, final

from visviva._arrays import own_copy


@final
@dataclass(frozen=True, eq=False)
class KaneBody:
    """Mass and velocities of a body; without an angular velocity it is a particle.

    mass:      [kg], a number or a function of parameters.
    v:         velocity of the centre of mass, three components, or two of a plane motion.
    w:         angular velocity, three components, or one about the normal of a plane motion.
    inertia:   [kg m²] about the centre of mass, in the axes of w: (3, 3), a diagonal (3,), or one number beside a w of
               one component.
    v_xi:      instead of v the partial velocities ∂v/∂ξ, (3, n) or (2, n); likewise w_xi, (3, n) or (1, n).
    axes:      in which v, w, inertia and loads are resolved: "world", "body" (they turn with w), or the
               angular velocity of other axes, resolved in these axes themselves.

    Each is a number, a SymPy expression in the names of the system, or a function with arguments among q, xi, t and
    the parameters. Velocities are affine in xi.
    """

    mass: Any = 0.0
    v: Any = None
    w: Any = None
    inertia: Any = None
    v_xi: Any = None
    w_xi: Any = None
    axes: Any = "world"

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, own_copy(getattr(self, each.name)))
