"""Mechanisms of any number of bodies: chains, nets, rows of four-bars."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import visviva as vv

LINK = vv.inertia.box(1.0, (1.0, 0.1, 0.1))


def chain(n: int, kind: str = "spherical") -> vv.Mechanism:
    """A bent chain in space, hung at one end."""
    m = vv.Mechanism("chain", gravity=(0, 0, -9.81))
    R, end, above = np.eye(3), np.zeros(3), m.ground
    for k in range(n):
        axis = np.array([0.2, np.cos(0.5 * np.pi * k), np.sin(0.5 * np.pi * k)])
        bend = 0.4 * np.cos(1.3 * k) * axis / np.linalg.norm(axis)
        R = R @ Rotation.from_rotvec(bend).as_matrix()
        link = m.body(f"link{k}", inertia=LINK, at=end + R @ [0.5, 0, 0], rotation=R)
        if kind == "spherical":
            m.spherical(f"joint{k}", above, link, at=end)
        else:
            m.revolute(f"joint{k}", above, link, at=end, axis=R @ axis)
        end, above = end + R @ [1.0, 0, 0], link
    return m


def net(k: int, doubled: tuple[int, ...] = ()) -> vv.Mechanism:
    """k x k nodes joined by rods, hung at two corners; doubled: joints that are there twice."""
    m = vv.Mechanism("net", gravity=(0, 0, -9.81))
    node = {(i, j): np.array([i, j, 0.3 * np.sin(i + 0.5) * np.cos(1.3 * j)]) for i in range(k) for j in range(k)}
    rods: dict[tuple[int, int], list[vv.Mechanism]] = {}
    for i, j in node:
        for other in ((i + 1, j), (i, j + 1)):
            if other in node:
                p, q = node[i, j], node[other]
                solid = vv.inertia.cylinder(1.0, 0.05, float(np.linalg.norm(q - p)), axis=q - p)
                rod = m.body(f"rod {i} {j} {other[0]} {other[1]}", inertia=solid, at=(p + q) / 2)
                rods.setdefault((i, j), []).append(rod)
                rods.setdefault(other, []).append(rod)
    for place, meeting in rods.items():
        for c, rod in enumerate(meeting[1:]):
            m.spherical(f"node {place[0]} {place[1]} {c}", meeting[0], rod, at=node[place])
    for place in ((0, 0), (0, k - 1)):
        m.spherical(f"hook {place[1]}", m.ground, rods[place][0], at=node[place])
    for k in doubled:
        joint = m.joints[k]
        m.spherical(f"again {k}", joint.parent, joint.child, at=joint.r_W)
    return m


def four_bars(n: int) -> vv.Mechanism:
    """n planar four-bars side by side, each on the ground: three redundant rows each."""
    m = vv.Mechanism("four-bars", gravity=(0, -9.81, 0))
    for k in range(n):
        A, B, C, D = (np.array([x, y, k]) for x, y in ((0, 0), (0.3, 1), (2, 1.5), (2, 0)))
        names = [f"{name}{k}" for name in ("crank", "coupler", "rocker")]
        for name, p, q in zip(names, (A, B, D), (B, C, C), strict=True):
            length = float(np.linalg.norm(q - p))
            m.body(name, inertia=vv.inertia.cylinder(1.0, 0.05, length, axis=q - p), at=(p + q) / 2)
        pairs = ((m.ground, names[0]), (names[0], names[1]), (names[1], names[2]), (m.ground, names[2]))
        for letter, pair, at in zip("ABCD", pairs, (A, B, C, D), strict=True):
            m.revolute(f"{letter}{k}", *pair, at=at, axis=(0, 0, 1))
    return m
