"""Velocities of a mechanism nearest in the metric of kinetic energy that satisfy its joints, in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.mechanism.closure import typical_length
from visviva.mechanism.kinematics import Int, Kinematics
from visviva.mechanism.parts import Body, Particle

if TYPE_CHECKING:
    from visviva.kernels.nodes.tables import Linked
    from visviva.mechanism.linkage import Linkage

MOST_ROWS = 60  # of loops and conditions, up to which a full matrix of them is fast
CHUNK = 200  # configurations whose other rows are made at once


@final
class NearestVelocities:
    """M V + Cᵀμ = P, C V = b at many configurations, along the tree of a linkage, see `kernels.nodes.nearest`."""

    def __init__(self, linkage: Linkage) -> None:
        from visviva.kernels.nodes.tables import POINT, POSE, loops, memory

        self._linkage = linkage
        places = [place.start for place in linkage.kinematics.places]
        widths = [POSE if rigid else POINT for rigid in linkage.kinematics.rigid]
        self._tables = linked_tables(linkage, np.array([places, places, widths], dtype=np.int64).reshape(3, -1).T)
        self._memory = memory(self._tables), loops(self._tables, linkage.conditions.m)

    def __call__(self, q: Array, P: Array, b: Array) -> tuple[Array, Mask]:
        """V (T, n), and whether they were found, (T,)."""
        from visviva.kernels.nodes.nearest import nearest_velocities

        linkage, closing = self._linkage, self._tables.closing
        V, found = np.zeros((len(q), linkage.kinematics.n)), np.zeros(len(q))
        rows = np.ascontiguousarray(b[:, np.append(closing, np.arange(linkage.kinematics.m, linkage.m))])
        q, P = np.ascontiguousarray(q), np.ascontiguousarray(P)
        parts = [slice(None)] if not linkage.conditions.m else [slice(k, k + CHUNK) for k in range(0, len(q), CHUNK)]
        for at in parts:
            E = other_rows(linkage, q[at])
            nearest_velocities(self._tables, *self._memory, q[at], P[at], E, rows[at], V[at], found[at])
        return V, found > 0.0


def other_rows(linkage: Linkage, q: Array) -> Array:
    """Rows of conditions at configurations, six velocities for every body, (T, k, 6 bodies)."""
    kinematics = linkage.kinematics
    E = np.zeros((len(q), linkage.conditions.m, 6 * len(kinematics.bodies)))
    if linkage.conditions.m:
        E[..., _in_sixes(kinematics)] = linkage.conditions.dense(q)
    return E


def _in_sixes(kinematics: Kinematics) -> Int:
    """Places of all velocities, where every body has six."""
    ends = [6 * k + np.arange(0 if rigid else 3, 6) for k, rigid in enumerate(kinematics.rigid)]
    return np.concatenate([np.zeros(0, dtype=np.intp), *ends]).astype(np.intp)


def linked_tables(linkage: Linkage, places: Int) -> Linked:
    """Tables of a linkage; places: (bodies, 3) of q and v in states, and how many numbers v has there."""
    from visviva.kernels.nodes.tables import Linked

    kinematics, topology = linkage.kinematics, linkage.topology
    count = len(kinematics.bodies)
    columns = np.array([at.start for at in kinematics.columns], dtype=np.int64)
    inertia, metric = np.ones((2, count, 6))
    for values, given in ((inertia, linkage.masses), (metric, linkage.metric)):
        values.reshape(-1)[_in_sixes(kinematics)] = given
    branches = np.zeros((count, 5), dtype=np.int64)
    for k, body in enumerate(topology.order):
        joint, above = int(topology.joint[body]), int(topology.parent[body])
        branches[k, :2] = body, count if above < 0 else above
        if joint >= 0:
            rows = kinematics.rows[joint]
            branches[k, 2:] = rows.start, rows.stop, 0 if kinematics.ends[joint, 0] == body else 6
    return Linked(
        bodies=np.ascontiguousarray(np.concatenate([places, columns[:, None]], axis=1), dtype=np.int64),
        inertia=inertia,
        directors=np.array([_euler(body) for body in linkage.bodies]).reshape(-1, 4),
        ends=np.ascontiguousarray(kinematics.ends, dtype=np.int64),
        arms=np.ascontiguousarray(kinematics.arms.reshape(-1, 3)),
        axes=np.ascontiguousarray(kinematics.axes.reshape(-1, 9)),
        rows=kinematics.table,
        branches=branches,
        closing=np.flatnonzero(linkage.closes[: kinematics.m]).astype(np.int64),
        size=np.array([typical_length(kinematics)]),
        metric=metric,
    )


def _euler(body: Body | Particle) -> Array:
    """Mass, and E of the directors."""
    from visviva.mechanism.linkage import director_masses

    masses = director_masses(body)
    return masses[::3] if isinstance(body, Body) else np.append(masses[0], np.zeros(3))
