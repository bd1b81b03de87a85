"""Bodies of revolution: the axis about which the axes of a link may turn without any change of its inertia."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.spanning.tree import Link

EQUAL = 1e-9  # of the largest moment of inertia


def symmetry_axis(link: Link) -> Array | None:
    """The axis through the origin of the link, if its inertia has one and no more: two equal principal moments."""
    moments, axes = np.linalg.eigh(link.inertia)
    alike = [abs(moments[(k + 1) % 3] - moments[(k + 2) % 3]) <= EQUAL * moments[2] for k in range(3)]
    if sum(alike) != 1:
        return None
    axis = axes[:, alike.index(True)]
    off = np.linalg.norm(np.cross(axis, link.com)) ** 2 * link.mass
    return axis if off <= EQUAL * moments[2] else None
