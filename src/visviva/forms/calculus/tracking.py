"""Forces that make a system follow a reference, by inverse dynamics.

Source: Konz (1.4), (1.5) for computed torque; (3.5)-(3.7) for a particle, corrected: (3.7) counts gravity twice, and
takes the controller's damping in place of the plant's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.calculus.hamel import Hamel
from visviva.numerics.rank import rank

Reference = tuple[ArrayLike, ArrayLike, ArrayLike]  # position, velocity, acceleration


def computed_torque(
    system: Hamel, B: ArrayLike, reference: Reference, gains: tuple[Any, Any], q: Array, xi: Array, t: float = 0.0
) -> Array:
    """u with ë + L1 ė + L0 e = 0 for e = q - q_R, where the input u acts as B u: B⁻¹ (M (q̈_R - L1 ė - L0 e) + b).

    gains:   L0 [1/s²] and L1 [1/s], numbers or matrices (n, n).
    Limits:  minimal coordinates with q̇ = ξ, hence local wherever these are; B (n, n) invertible.
    """
    p = system.p
    if not np.array_equal(p.A(q), np.eye(p.n)):
        raise ModelError("computed torque needs minimal coordinates whose rates are the velocities, A = I.")
    q_R, xi_R, xi_dot_R = _parts(reference, p.n)
    L0, L1 = (_matrix(gain, p.n) for gain in gains)
    wanted = xi_dot_R - L1 @ (xi - xi_R) - L0 @ (q - q_R)
    total = system.force(q, xi, wanted, t) - system.f.value(np.concatenate([q, xi, [t]]))
    B = finite_array(B, "B", (p.n, p.n))
    if (found := rank(B)) < p.n:
        raise ModelError(f"B has rank {found}: inputs that act on {p.n} velocities have rank {p.n}.")
    return np.asarray(np.linalg.solve(B, total), dtype=np.float64)


def particle_tracking_force(
    reference: Reference,
    r: ArrayLike,
    r_dot: ArrayLike,
    *,
    mass: float,
    gravity: ArrayLike = (0, 0, 0),
    spring: tuple[float, ArrayLike] = (0.0, (0, 0, 0)),
    damper: tuple[float, ArrayLike] = (0.0, (0, 0, 0)),
    gains: tuple[float, float],
) -> Array:
    """F^E = m (r̈_R - a_G) + d (ṙ - v0) + k (r - r0) - d̄ (ṙ - ṙ_R) - k̄ (r - r_R), shape (3,).

    With it a particle m (r̈ - a_G) + d (ṙ - v0) + k (r - r0) = F^E has m ë + d̄ ė + k̄ e = 0 for e = r - r_R.
    spring: k and r0.   damper: d and v0.   gains: k̄ [N/m] and d̄ [N s/m].
    """
    r_R, v_R, a_R = _parts(reference, 3)
    place, velocity = finite_vector(r, "r", 3), finite_vector(r_dot, "r_dot", 3)
    (k, r0), (d, v0), (k_bar, d_bar) = spring, damper, gains
    plant = d * (velocity - finite_vector(v0, "v0", 3)) + k * (place - finite_vector(r0, "r0", 3))
    control = d_bar * (velocity - v_R) + k_bar * (place - r_R)
    weight = finite_number(mass, "mass", positive=True) * (a_R - finite_vector(gravity, "gravity", 3))
    return np.asarray(weight + plant - control)


def _parts(reference: Reference, n: int) -> list[Array]:
    if not isinstance(reference, Sequence) or len(reference) != 3:
        raise ModelError(f"reference is (position, velocity, acceleration), got {reference!r}.")
    return [finite_vector(part, "reference", n) for part in reference]


def _matrix(gain: Any, n: int) -> Array:
    array = finite_array(gain, "gain")
    return array * np.eye(n) if array.ndim == 0 else finite_array(gain, "gain", (n, n))
