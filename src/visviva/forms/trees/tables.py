"""A Tree as the tables of its compiled dynamics: fixed links joined to what carries them, frames of hinges spun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.kernels.multibody.tables import Int
from visviva.mechanism.spanning.tree import Link, Tree

from visviva.kernels.trees.tables import (  # isort: skip
    AT_V, AXIS, BALL, CONSTANTS, COORDINATES, COS_A, COS_B, COUNT, FREE, HINGE, INERTIA, MASS, MOMENT, OFFSET, OPENS,
    ORIGIN, PARENT, ROT, SHIFT, SIN_A, SIN_B, TURN, VELOCITIES, WHOLE, Tables,
)  # fmt: skip

if TYPE_CHECKING:
    from visviva.kernels.trees.runs import Paths

KINDS = {"hinge": HINGE, "slider": AXIS, "ball": BALL, "free": FREE}
VELOCITIES_OF = {"hinge": 1, "slider": 1, "ball": 3, "free": 6, "fixed": 0}
COORDINATES_OF = {"hinge": 1, "slider": 1, "ball": 4, "free": 7, "fixed": 0}
DEEP = 18  # mean number of velocities to the ground from where on `columns` is faster than `runs`
UPPER = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])


@final
@dataclass(frozen=True, eq=False)
class TreeTables:
    """Tables of the moving links, and where the links of the tree are on them.

    carrier: index of the moving link that carries each link of the tree; their number for the ground.
    X_KL:    pose of each link of the tree in the frame of its carrier.
    moving:  index in the tree of each moving link.
    """

    tables: Tables
    carrier: Int  # (links,)
    X_KL: Array  # (links, 4, 4)
    moving: Int  # (moving links,)
    size_q: int

    @cached_property
    def paths(self) -> Paths:
        """Runs of velocities above and behind each moving link."""
        from visviva.kernels.trees.runs import ABOVE, APART, BEHIND, Paths

        K = self.tables.K
        N = len(K)
        own = [range(at, at + count) for at, count in K[:, [AT_V, COUNT]]]
        above, behind = [list[int]() for _ in K], [list[int]() for _ in K]
        for i in range(N):
            p = K[i, PARENT]
            above[i] = [*above[p], *own[p]] if p < N else []
        for i in reversed(range(N)):
            if (p := K[i, PARENT]) < N:
                behind[p] += [*own[i], *behind[i]]
        blocks = _blocks(K)
        rows = list[list[tuple[int, int, int]]]()
        for first, last, start, end in blocks:
            for i in range(first, last):
                what = np.full(end - start, APART)
                what[np.array([*above[i], *own[i]]) - start] = ABOVE
                what[np.array(behind[i], dtype=np.int64) - start] = BEHIND
                cuts = [0, *(np.nonzero(np.diff(what))[0] + 1), end - start]
                rows.append([(start + a, start + b, what[a]) for a, b in pairwise(cuts)])
        deep = [sum(map(len, above[first:last])) > DEEP * (last - first) for first, last, _, _ in blocks]
        ends = np.column_stack([blocks, deep])
        return Paths(ends, *_runs(above), *_runs(behind), *_listed(rows, 3), _slots(K))

    @cached_property
    def largest(self) -> int:
        """Number of velocities of the largest block of links that share the ground alone."""
        return int(np.diff(self.paths.blocks[:, 2:4]).max())

    @cached_property
    def bodies(self) -> Array:
        """Mass, moment and inertia of the link of each velocity, (10, velocities up to a multiple of 4)."""
        C, K = self.tables.C, self.tables.K
        each = np.repeat(C[:, MASS : INERTIA + 6], K[:, COUNT], axis=0)
        return np.ascontiguousarray(np.pad(each, ((0, -len(each) % 4), (0, 0))).T)


@final
class _Moving:
    """A moving link with all that is fixed to it, in its own frame before it is spun."""

    def __init__(self, parent: int, kind: int, X_PJ: Array, link: Link) -> None:
        self.parent, self.kind, self.X_PJ = parent, kind, X_PJ
        self.turn = 1.0 if link.kind == "hinge" else 0.0
        self.shift = 1.0 if link.kind == "slider" else link.pitch
        self.mass, self.moment, self.inertia = 0.0, np.zeros(3), np.zeros((3, 3))

    def carry(self, link: Link, X: Array) -> None:
        """Adds the body of a link whose frame is at X."""
        c = X[:3, :3] @ link.com + X[:3, 3]
        self.mass += link.mass
        self.moment = self.moment + link.mass * c
        R = X[:3, :3]
        self.inertia = self.inertia + R @ link.inertia @ R.T + link.mass * (c @ c * np.eye(3) - np.outer(c, c))


def tree_tables(tree: Tree, damping: Array, stiffness: Array, relaxed: Array) -> TreeTables:
    """The tables; damping, stiffness and relaxed: one number per velocity of the tree."""
    links, carrier, X_KL, moving = _moving_links(tree)
    N = len(links)
    C, K, spin = np.zeros((N, CONSTANTS)), np.zeros((N, WHOLE), dtype=np.int64), np.zeros(N + 1)
    angles = [_zxz(link.X_PJ[:3, :3]) for link in links]
    seen = [False] * N
    for link, (beta, _, _) in zip(links, angles, strict=True):
        p = link.parent
        if link.kind == HINGE and p < N and links[p].kind == HINGE and not seen[p]:
            spin[p], seen[p] = beta, True
    at_q, at_v = 0, 0
    unit_velocities = []
    for i, (link, (beta, alpha, gamma)) in enumerate(zip(links, angles, strict=True)):
        p, back, own = link.parent, _about_z(-spin[link.parent]), _about_z(-spin[i])
        beta -= spin[p]
        C[i, [COS_A, SIN_A, COS_B, SIN_B]] = np.cos(alpha), np.sin(alpha), np.cos(beta), np.sin(beta)
        C[i, ORIGIN : ORIGIN + 3] = back @ link.X_PJ[:3, 3]
        C[i, MASS], C[i, MOMENT : MOMENT + 3] = link.mass, own @ link.moment
        C[i, INERTIA : INERTIA + 6] = (own @ link.inertia @ own.T)[UPPER]
        C[i, OFFSET], C[i, TURN], C[i, SHIFT] = gamma + spin[i], link.turn, link.shift
        C[i, ROT : ROT + 9] = (back @ link.X_PJ[:3, :3]).ravel()
        K[i, :OPENS] = p, link.kind, at_q, at_v, VELOCITIES[link.kind], link.kind == HINGE and beta != 0.0
        at_q, at_v = at_q + COORDINATES[link.kind], at_v + VELOCITIES[link.kind]
        unit_velocities.append(_unit_velocities(link))
    K[list({link.parent: i for i, link in enumerate(links)}.values()), OPENS] = 1
    for k, X in zip(carrier, X_KL, strict=True):
        X[:3] = _about_z(-spin[k]) @ X[:3]
    E = np.stack([damping, stiffness, relaxed], axis=1)
    S = np.concatenate([np.zeros((0, 6)), *unit_velocities])
    return TreeTables(Tables(C, K, E, S, tree.gravity), carrier, X_KL, moving, at_q)


def _moving_links(tree: Tree) -> tuple[list[_Moving], Int, Array, Int]:
    """Links that move, and for each link of the tree which of them carries it, and where."""
    N = sum(link.kind != "fixed" for link in tree.links)
    found, moving = list[_Moving](), list[int]()
    carrier, X_KL = np.zeros(len(tree.links), dtype=np.int64), np.zeros((len(tree.links), 4, 4))
    for i, link in enumerate(tree.links):
        _check(tree, i)
        p = link.parent
        k, X = (int(carrier[p]), X_KL[p] @ link.X_PJ) if p >= 0 else (N, link.X_PJ)
        if link.kind != "fixed":
            kind = AXIS if link.kind == "hinge" and link.pitch else KINDS[link.kind]
            found.append(_Moving(k, kind, X, link))
            moving.append(i)
            k, X = len(found) - 1, np.eye(4)
        if k < N:
            found[k].carry(link, X)
        carrier[i], X_KL[i] = k, X
    return found, carrier, X_KL, np.array(moving, dtype=np.int64)


def _blocks(K: Int) -> list[tuple[int, int, int, int]]:
    """First link, end of links, first velocity, end of velocities of the least parts that share the ground alone."""
    root, last = list[int](), dict[int, int]()
    for i, p in enumerate(K[:, PARENT]):
        root.append(root[p] if p < len(K) else i)
        last[root[i]] = i
    found, first, end = list[tuple[int, int, int, int]](), 0, 0
    for i, r in enumerate(root):
        end = max(end, last[r] + 1)
        if end == i + 1:
            found.append((first, end, int(K[first, AT_V]), int(K[i, AT_V] + K[i, COUNT])))
            first = end
    return found


def _slots(K: Int) -> Int:
    """A place for each link that carries nothing, and the ground; other links have that of their last child."""
    N = len(K)
    found = np.ones((N + 1, 2), dtype=np.int64)
    found[K[K[:, PARENT] < N, PARENT], 1] = 0
    found[:, 0] = np.cumsum(found[:, 1]) - 1
    for i in reversed(range(N)):
        if K[i, OPENS] and K[i, PARENT] < N:
            found[K[i, PARENT], 0] = found[i, 0]
    return found


def _runs(lists: list[list[int]]) -> tuple[Int, Int]:
    """Where the runs [begin, end) of each list of numbers begin, and the runs in ascending order."""
    found = list[list[tuple[int, int]]]()
    for numbers in lists:
        each = np.array(sorted(numbers), dtype=np.int64)
        parts = np.split(each, np.nonzero(np.diff(each) != 1)[0] + 1) if len(each) else []
        found.append([(int(part[0]), int(part[-1]) + 1) for part in parts])
    return _listed(found, 2)


def _listed(lists: Sequence[Sequence[tuple[int, ...]]], width: int) -> tuple[Int, Int]:
    """Where the rows of each list begin, and all rows."""
    at = np.cumsum([0, *(len(rows) for rows in lists)], dtype=np.int64)
    return at, np.array([row for rows in lists for row in rows], dtype=np.int64).reshape(-1, width)


def _check(tree: Tree, i: int) -> None:
    link = tree.links[i]
    if link.kind not in KINDS and link.kind != "fixed":
        raise ModelError(f"link {link.name!r} has the joint {link.kind!r}; there are {', '.join(KINDS)} and fixed.")
    if not -1 <= link.parent < i:
        raise ModelError(
            f"link {link.name!r} is number {i} and has parent {link.parent}; parents come before their children, and "
            "the ground is -1."
        )
    if link.pitch and link.kind != "hinge":
        raise ModelError(f"link {link.name!r} has a pitch and the joint {link.kind!r}; only a hinge has a pitch.")
    X = finite_array(link.X_PJ, f"X_PJ of link {link.name!r}", (4, 4))
    if not np.allclose(X[:3, :3] @ X[:3, :3].T, np.eye(3), atol=1e-9) or np.linalg.det(X[:3, :3]) < 0:
        raise ModelError(f"X_PJ of link {link.name!r} is no pose: its first three rows and columns are no rotation.")
    finite_array(link.com, f"com of link {link.name!r}", (3,))
    finite_array(link.inertia, f"inertia of link {link.name!r}", (3, 3))
    if not (link.mass >= 0 and np.isfinite(link.mass) and np.isfinite(link.pitch)):
        raise ModelError(f"link {link.name!r} has mass {link.mass} and pitch {link.pitch}; a mass is not negative.")


def _zxz(R: Array) -> tuple[float, float, float]:
    """β, α, γ with R = Rz(β) Rx(α) Rz(γ); γ = 0 where α is a multiple of π."""
    across = float(np.hypot(R[0, 2], R[1, 2]))
    alpha = float(np.arctan2(across, R[2, 2]))
    if across < 1e-15:
        return float(np.arctan2(R[1, 0], R[0, 0])), alpha, 0.0
    return float(np.arctan2(R[0, 2], -R[1, 2])), alpha, float(np.arctan2(R[2, 0], R[2, 1]))


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _unit_velocities(link: _Moving) -> Array:
    if link.kind <= AXIS:
        return np.array([[0.0, 0.0, link.turn, 0.0, 0.0, link.shift]])
    return np.eye(6)[: VELOCITIES[link.kind]]
