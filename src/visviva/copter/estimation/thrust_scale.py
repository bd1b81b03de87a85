"""Which part of the force that a model misses goes along with the thrust, and which stays.

    m (a_z - â_Bz) - F̂_z = b + γ T_R + noise

A wrong mass or thrust constant is a share γ, wind is a force b. While the thrust T_R that the reference takes is
steady they are one number, b + γ T_R; where it changes a Kalman filter of both tells them apart, and γ T_R is known as
soon as T_R, not the memory of b later. T_R is not the thrust F̂_z that is made: feedback of a gust changes that, and a
force from outside would be a share of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful
from visviva.errors import ModelError

FORCE, SCALE, P_FF, P_FS, P_SS = range(5)  # of a state


class ThrustScale(NamedTuple):
    """Parameters, from `thrust_scale`. A state s (5,) is b [N], γ, and their covariances P_bb, P_bγ, P_γγ."""

    noise: float  # variances: of a sample [N²]
    force_drift: float  # of b per tick [N²]
    scale_drift: float  # of γ per tick
    force_start: float  # of both before the first tick
    scale_start: float

    def start(self) -> Array:
        """Neither of both."""
        return np.array([0.0, 0.0, self.force_start, 0.0, self.scale_start])

    def update(self, s: Array, missing: float, thrust: float) -> Array:
        """The state at the next tick.   missing: m (a_z - â_Bz) - F̂_z [N].   thrust: T_R [N]."""
        s = finite_vector(s, "state of the scale of thrust", 5)
        lacks = finite_number(missing, "force that the model misses [N]")
        update_thrust_scale(self, s, lacks, finite_number(thrust, "thrust of the reference [N]"))
        return s


@helpful
def thrust_scale(
    mass: float, *, l_F: float = 0.98, noise: float = 0.3, share: float = 0.15, drift: float = 0.01, T_S: float = 5e-3
) -> ThrustScale:
    """mass [kg].   l_F: how much of b stays per tick, where the thrust stays.   noise: of a_z in a sample [m/s²].

    share: standard deviation of γ before the first tick.   drift: part of it by which γ may change within a second.
    """
    m = finite_number(mass, "mass [kg]", positive=True)
    l_F = finite_number(l_F, "l_F of the scale of thrust", positive=True)
    if l_F >= 1:
        raise ModelError(f"l_F of the scale of thrust must be below 1, got {l_F:g}: nothing would be learned.")
    R, T = (m * finite_number(noise, "noise [m/s²]", positive=True)) ** 2, finite_number(T_S, "T_S [s]", positive=True)
    share, drift = finite_number(share, "share", minimum=0.0), finite_number(drift, "drift", minimum=0.0)
    return ThrustScale(R, R * (1 - l_F) ** 2 / l_F, T * (drift * share) ** 2, R * (1 - l_F), share**2)


def update_thrust_scale(p: ThrustScale, s: Array, missing: float, thrust: float) -> bool:
    """Bring s to the next tick, in place; False where something is not finite, and s stays."""
    if not math.isfinite(missing + thrust):
        return False
    s[P_FF] += p.force_drift
    s[P_SS] += p.scale_drift
    along_F, along_S = s[P_FF] + thrust * s[P_FS], s[P_FS] + thrust * s[P_SS]
    total = along_F + thrust * along_S + p.noise
    K_F, K_S = along_F / total, along_S / total
    wrong = missing - s[FORCE] - s[SCALE] * thrust
    s[FORCE] += K_F * wrong
    s[SCALE] += K_S * wrong
    s[P_FF] -= K_F * along_F
    s[P_FS] -= K_F * along_S
    s[P_SS] -= K_S * along_S
    return True
