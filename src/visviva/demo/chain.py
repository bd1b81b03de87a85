"""A chain of many links."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.demo.linkage import bar

LENGTH, FOLD, DENSITY = 6.0, 1.5, 1.0  # [m], distance of the two branches [m], mass per length [kg/m]


def fold(s: Array) -> Array:
    """Points of a U at the arc lengths s: down from the origin, round, and up again; shape (n, 3)."""
    radius = FOLD / 2
    straight = (LENGTH - np.pi * radius) / 2
    bend = np.clip((s - straight) / radius, 0, np.pi)
    rise = np.clip(s - straight - np.pi * radius, 0, None)
    x = radius * (1 - np.cos(bend))
    z = -np.minimum(s, straight) - radius * np.sin(bend) + rise
    return np.stack([x, np.zeros_like(s), z], axis=-1)


def folded_chain(n: int = 1000) -> vv.Mechanism:
    """A chain of n links held by both ends close to each other; one end is let go, and falls faster than a stone.

    The link next to the bend is brought to rest by the one above it, which pulls in turn: Calkin and March (1989).
    """
    m = vv.Mechanism(f"chain of {n}", gravity=(0, 0, -9.81))
    points = fold(np.linspace(0, LENGTH, n + 1))
    above: str = m.ground.name
    for i, (a, b) in enumerate(pairwise(points)):
        bar(m, f"link{i}", a, b, DENSITY, radius=0.2 * LENGTH / n)
        m.spherical(f"ball{i}", above, f"link{i}", at=a)
        above = f"link{i}"
    m.frame("tip", above, at=points[-1])
    return m
