"""A tricopter with a suspended load: nine frames, fifteen velocities, one of them not integrable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.forms import coordinates
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.linear import homogeneous
from visviva.geometry.se3 import SE3
from visviva.geometry.so3 import SO3

ARM, PROPELLER, HANGER = 0.24, 0.04, -0.05  # [m] length of an arm, height of a propeller, of the load's joint
DIRECTIONS = {1: np.pi / 3, 2: np.pi, 3: -np.pi / 3}  # of the arms


def tricopter(damped: bool = True) -> RigidSystem:
    """Three propellers on arms that tilt about their own axes, and a load on a ball joint below the centre.

    Source:  Konz, dissertation, examples 6 and 7: frames, coordinates and velocities; the numbers are ours.
    """
    hanger = SE3(np.eye(3), np.array([0.0, 0.0, HANGER]))
    bodies = {
        "centre": Moments.from_parts(1.0, (0, 0, 0.01), (0.012, 0.011, 0.02)),
        "load": Moments.from_parts(0.4, (0, 0, -0.3), (0.04, 0.041, 0.003)),
    }
    for k in DIRECTIONS:
        bodies[f"arm{k}"] = Moments.from_parts(0.1, (-0.1, 0, 0), (1e-4, 1.5e-3, 1.5e-3))
        bodies[f"propeller{k}"] = Moments.from_parts(0.02, (0, 0, 0), (2e-5, 3e-5, 5e-5))
    dampers = [
        Damping("centre", "load", Moments.from_parts(0.0, moment=(0.01, 0.02, 0.025))),
        Damping("ground", "centre", Moments.from_parts(0.1, (0, 0, 0.02), (0.002, 0.002, 0.001))),
    ]
    return RigidSystem(
        parameterisation(),
        bodies=bodies,
        springs=[Stiffness("centre", "load", Moments.from_parts(0.0, moment=(0.2, 0.3, 0.15)), hanger)],
        dampers=dampers if damped else (),
        gravity=(0, 0, -9.8),
    )


def parameterisation() -> Parameterisation:
    """Thirty coordinates of SE(3) × SO(3) × R³ × (S¹)³; the load's velocity is its absolute ω, not the joint's."""
    hanger = homogeneous(np.eye(3), np.array([0.0, 0.0, HANGER]), 1.0)
    above = homogeneous(np.eye(3), np.array([0.0, 0.0, PROPELLER]), 1.0)
    joints = {
        ("ground", "centre"): coordinates.free("centre", by="matrix"),
        ("centre", "load"): coordinates.spherical("load", by="matrix", at=hanger),
    }
    for k, phi in DIRECTIONS.items():
        arm = homogeneous(SO3.exp([0, 0, phi]).R, ARM * np.array([np.cos(phi), np.sin(phi), 0.0]), 1.0)
        joints["centre", f"arm{k}"] = coordinates.revolute(f"tilt{k}", axis=(1, 0, 0), at=arm)
    for k in DIRECTIONS:
        joints[f"arm{k}", f"propeller{k}"] = coordinates.revolute(f"spin{k}", by="pair", at=above)
    p = coordinates.joined(joints)

    def relative(q: Array) -> NDArray[np.object_]:
        """B of ξ = B ξ': in the joint of the load, ω = ω_load - Rᵀ ω_centre."""
        B = np.eye(15).astype(object)
        B[6:9, :3] = -np.reshape(q[12:21], (3, 3))  # the columns of R, one after another
        return B

    return p.with_velocities(p.velocities, relative)


def thrown() -> tuple[Array, Array]:
    """Coordinates and velocities of a throw: up and forward, tumbling, propellers spinning."""
    R = SO3.exp([0.1, -0.2, 0.3]).R
    q = np.concatenate([[0.0, 0.0, 1.0], R.T.ravel(), np.eye(3).ravel(), [0.1, -0.2, 0.3], [1.0, 0.0] * 3])
    v = R.T @ np.array([3.0, 0.5, 4.0])
    turning = np.array([0.5, 5.0, 1.0])
    return q, np.concatenate([turning, v, turning, [0.0, 0.0, 0.0], [10.0, -20.0, 30.0]])
