"""Where the frames of joints and springs are: on their bodies, and in the world at a motion."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.mechanism.assembly import Motion
from visviva.mechanism.coordinates import POSES, movers
from visviva.mechanism.parts import Body, Carrier, Ground, Pair, Particle


def offset(pair: Pair, end: Carrier) -> SE3:
    """The frame on one end: in the principal frame of a body, in the world on the ground, turned only on a particle."""
    R, r = pair.frame_on(end)
    if isinstance(end, Body):
        return SE3(end.R_WC.T @ R, end.to_principal(r))
    return SE3(R, r) if isinstance(end, Ground) else SE3(R, np.zeros(3))


def principal_pose(end: Carrier, motion: Motion) -> SE3:
    """Pose of the principal frame of a body at a motion; a particle does not turn, and the ground does not move."""
    if isinstance(end, Body):
        return SE3(POSES.rotation(motion.q[end.name]), POSES.translation(motion.q[end.name]))
    return SE3(np.eye(3), motion.q[end.name] if isinstance(end, Particle) else np.zeros(3))


def frame_pose(pair: Pair, end: Carrier, motion: Motion) -> SE3:
    """Pose in the world of the frame on one end, at a motion."""
    return principal_pose(end, motion) @ offset(pair, end)


def coordinates_of(pair: Pair, motion: Motion) -> Array:
    """Coordinates of the movers of a pair, one after the other."""
    return np.concatenate([np.zeros(0), *(motion.q[end.name] for end in movers(pair))])
