"""The trees that the benchmarks evaluate: chains of hinges, an arm, a figure with legs, arms and a head."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.spanning.tree import Link, Tree

GRAVITY = np.array([0.0, 0.0, -9.81])
BOX = np.diag([0.02, 1.01, 1.01]) / 12.0  # 1 kg, 1 m x 0.1 m x 0.1 m


def chain(N: int) -> Tree:
    """The links of `mechanisms.chain(N, "revolute")`: 1 m, 1 kg, axes of neighbours not parallel."""
    axes = [np.array([0.2, np.cos(0.5 * np.pi * i), np.sin(0.5 * np.pi * i)]) for i in range(N)]
    return _tree(list(range(-1, N - 1)), axes, [np.array([float(i > 0), 0.0, 0.0]) for i in range(N)])


def bent(N: int) -> Array:
    """Angles of a bent shape."""
    return 0.4 * np.cos(1.3 * np.arange(N))


def arm() -> Tree:
    """Seven hinges, about z and y in turn, 0.3 m apart."""
    axes = [np.array([0.0, 0.0, 1.0]) if i % 2 == 0 else np.array([0.0, 1.0, 0.0]) for i in range(7)]
    return _tree(list(range(-1, 6)), axes, [np.array([0.0, 0.0, 0.3])] * 7)


def figure() -> Tree:
    """Thirty hinges on a pelvis that is held: two legs of six, a waist of three, two arms of seven, a head."""
    parents = [-1, 0, 1, 2, 3, 4, -1, 6, 7, 8, 9, 10, -1, 12, 13]
    for _ in range(2):
        first = len(parents)
        parents += [14, *range(first, first + 6)]
    parents.append(14)
    axes = [np.eye(3)[k] for k in np.random.default_rng(0).integers(0, 3, len(parents))]
    return _tree(parents, axes, list(0.2 * np.random.default_rng(1).normal(size=(len(parents), 3))))


def _tree(parents: list[int], axes: list[Array], origins: list[Array]) -> Tree:
    """Links that are boxes along x of a frame which all share at q = 0; joint frames have z along the axis."""
    frames, links = list[Array](), list[Link]()
    for i, (parent, axis, origin) in enumerate(zip(parents, axes, origins, strict=True)):
        z = axis / np.linalg.norm(axis)
        x = np.cross((0.36, 0.48, 0.8), z)
        x /= np.linalg.norm(x)
        R = np.stack([x, np.cross(z, x), z], axis=1)
        R_P = frames[parent] if parent >= 0 else np.eye(3)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = R_P.T @ R, R_P.T @ origin
        links.append(Link(f"link{i}", parent, "hinge", X, 1.0, R.T @ (0.5, 0.0, 0.0), R.T @ BOX @ R))
        frames.append(R)
    return Tree(tuple(links), GRAVITY)
