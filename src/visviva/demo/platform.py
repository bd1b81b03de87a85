"""A Stewart platform."""

from __future__ import annotations

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.demo.linkage import bar

STIFFNESS, DAMPING = 2e3, 40.0  # of a leg [N/m], [N s/m]


def stewart() -> vv.Mechanism:
    """A deck on six legs, each a universal joint, a slide that rubs, a ball and a spring: mobility 6.

    Its springs are not yet loaded. Let go with a turn about a skew axis, it sinks, sways and comes to rest.
    """
    m = vv.Mechanism("Stewart platform", gravity=(0, 0, -9.81))
    m.body("deck", inertia=vv.inertia.cylinder(20.0, 0.5, 0.05), at=(0, 0, 0.9), twist=(0.8, -0.4, 1.5, 0, 0, 0))
    m.frame("seat", "deck", at=(0.3, 0, 0.925))
    for i in range(6):
        third, side = 2 * np.pi / 3 * (i // 2), 1 if i % 2 else -1
        foot, head = _on_circle(0.8, third + 0.15 * side, 0.0), _on_circle(0.48, third + 0.9 * side, 0.875)
        along = (head - foot) / np.linalg.norm(head - foot)
        level = np.cross(along, (0, 0, 1)) / np.linalg.norm(np.cross(along, (0, 0, 1)))
        end = foot + 0.6 * (head - foot)
        bar(m, f"sleeve{i}", foot, end, 2.5, radius=0.025)
        bar(m, f"piston{i}", end, head, 2.0, radius=0.012)
        m.universal(f"cross{i}", m.ground, f"sleeve{i}", at=foot, axes=(level, np.cross(along, level)))
        m.prismatic(f"slide{i}", f"sleeve{i}", f"piston{i}", at=end, axis=along, friction=DAMPING)
        m.spherical(f"ball{i}", f"piston{i}", "deck", at=head)
        length = float(np.linalg.norm(head - foot))
        m.spring(f"leg{i}", m.ground, "deck", at_a=foot, at_b=head, k=STIFFNESS, length=length)
    return m


def _on_circle(radius: float, angle: float, height: float) -> Array:
    return np.array([radius * np.cos(angle), radius * np.sin(angle), height])
