"""Forces on the velocities of two bodies as the wrench that one of them feels, in a frame that moves with it."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SO3
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.coordinates import POSES, movers, space_of
from visviva.mechanism.parts import Body, Pair


def wrench_on_child(pair: Pair, q: Array, forces: Array, *, world: bool = False) -> Array:
    """Wrench (m; f) on the child in its frame, about the origin of that frame, (..., 6); in world axes where asked.

    q, forces: coordinates of the movers, and generalised forces on their velocities in Lie form. On the ground it is
    minus what the parent feels; a particle has no axes of its own, and the frame is that as built.
    """
    ends = movers(pair)
    end = pair.child if pair.child in ends else ends[0]
    space = space_of(end)
    moving = end is pair.child
    q, F = (q[..., -space.size :], forces[..., -space.dim :]) if moving else (q[..., : space.size], -forces)
    F = F[..., : space.dim]
    R_W, r_W = pair.frame_on(pair.child)
    R_WJ = np.broadcast_to(R_W, (*q.shape[:-1], 3, 3))
    r_J = q[..., :3] if moving else np.broadcast_to(r_W, (*q.shape[:-1], 3))
    m_W, f_W = np.zeros_like(r_J), F[..., -3:]
    if isinstance(end, Body):
        R_WC = SO3.nearest(POSES.rotation(q)).R
        m_W = apply(R_WC, F[..., :3])
        if moving:
            R_WJ = R_WC @ end.R_WC.T @ R_W
            r_J = q[..., :3] + apply(R_WC, end.to_principal(r_W))
    m_W = m_W + np.cross(q[..., :3] - r_J, f_W)
    if world:
        return np.concatenate([m_W, f_W], axis=-1)
    return np.concatenate([apply(transpose(R_WJ), m_W), apply(transpose(R_WJ), f_W)], axis=-1)
