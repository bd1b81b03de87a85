"""The force that no model explains; Konz 5.4.6.

    F̂_B[k+1] = l_F F̂_B[k] + (1 - l_F) (m (a_M[k] - â_B[k]) + d R̂ᵀ v̂ - F̂[k])      (5.67)

Forces are in body axes, v̂ is the *velocity* in world axes: (5.67) prints the position there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful
from visviva.copter.estimation.buffers import checked_quaternion, is_finite
from visviva.copter.estimation.turns import conjugate, quaternion_at, rotate
from visviva.errors import ModelError


class ForceBias(NamedTuple):
    """Parameters, from `force_bias`. A state s (3,) is F̂_B [N] in body axes."""

    mass: float
    drag: float
    l_F: float

    def start(self) -> Array:
        """No force."""
        return np.zeros(3)

    def update(self, s: Array, a: ArrayLike, a_B: ArrayLike, v: ArrayLike, q: ArrayLike, force: ArrayLike) -> Array:
        """The state at the next tick, from what is known of this one.

        a, a_B: accelerometer and its bias [m/s²], body axes.   v: velocity [m/s], world axes.   q: attitude.
        force:  of the rotors [N], body axes.
        """
        s = finite_vector(s, "state of the force bias", 3)
        given = zip((a, a_B, v, force), ("acceleration", "bias of acceleration", "velocity", "force"), strict=True)
        a, a_B, v, force = (finite_vector(value, name, 3) for value, name in given)
        update_force_bias(self, s, a, a_B, v, checked_quaternion(q, "attitude"), force)
        return s


@helpful
def force_bias(mass: float, drag: float = 0.0, l_F: float = 0.98) -> ForceBias:
    """mass [kg].   drag: d of the simplified model [kg/s].   l_F: 0.98 forgets within 0.25 s at 200 Hz."""
    l_F = finite_number(l_F, "l_F of the force bias", minimum=0.0)
    if l_F >= 1:
        raise ModelError(f"l_F of the force bias must be below 1, got {l_F:g}: nothing would be learned.")
    return ForceBias(
        finite_number(mass, "mass [kg]", positive=True), finite_number(drag, "drag d [kg/s]", minimum=0.0), l_F
    )


def update_force_bias(p: ForceBias, s: Array, a: Array, a_B: Array, v: Array, q: Array, force: Array) -> bool:
    """Bring s to the next tick, in place; False where something is not finite, and s stays."""
    u = rotate(conjugate(quaternion_at(q, 0)), v[0], v[1], v[2])
    if not (is_finite(a) and is_finite(a_B) and is_finite(force) and math.isfinite(u[0] + u[1] + u[2])):
        return False
    for i in range(3):
        found = p.mass * (a[i] - a_B[i]) + p.drag * u[i] - force[i]
        s[i] = p.l_F * s[i] + (1.0 - p.l_F) * found
    return True
