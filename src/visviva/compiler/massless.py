"""Motions without inertia: a thin rod may spin about its axis at no cost, which leaves its motion undetermined."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.mechanism.closure import typical_length
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body
from visviva.numerics.rank import TOLERANCE

SHIFT = 1e-14
ITERATIONS = 5


def check_massless_motion(linkage: Linkage, q: Array) -> None:
    """An error that names body and axis if the joints allow a motion that has no kinetic energy.

    With the columns C0 of velocities without inertia: C0 a = 0 has no solution but zero. The smallest |C0 a| is found
    by inverse iteration with C0ᵀC0.
    """
    light = linkage.without_inertia
    if not light.any() or linkage.has_inertia(q):
        return
    import scipy.sparse
    import scipy.sparse.linalg

    kinematics = linkage.kinematics
    units = np.where(linkage.turning, 1.0 / typical_length(kinematics), 1.0)
    C = linkage.matrix(kinematics.place(q))
    C0 = scipy.sparse.diags_array(1.0 / linkage.row_scale) @ C @ scipy.sparse.diags_array(units)
    C0 = C0.tocsc()[:, np.flatnonzero(light)]
    gram = (C0.T @ C0 + SHIFT * scipy.sparse.eye_array(C0.shape[1])).tocsc()
    solve = scipy.sparse.linalg.splu(gram).solve
    a = np.random.default_rng(0).uniform(0.5, 1.0, C0.shape[1])
    for _ in range(ITERATIONS):
        a = solve(a)
        a /= np.linalg.norm(a)
    if np.linalg.norm(C0 @ a) > TOLERANCE:
        return
    motion = np.zeros(kinematics.n)
    motion[light] = a
    raise _undetermined(linkage, motion)


def _undetermined(linkage: Linkage, motion: Array) -> ModelError:
    sizes = [float(np.abs(motion[columns]).max()) for columns in linkage.kinematics.columns]
    k = int(np.argmax(sizes))
    body, V = linkage.bodies[k], motion[linkage.kinematics.columns[k]]
    assert isinstance(body, Body)
    w, v = V[:3], V[3:]
    if not body.mass > 0:
        if np.abs(w).max() > 1e-6 * np.abs(v).max():
            way = f"turn about {_direction(body.R_BC @ w)} (body frame)"
        else:
            way = f"move along {_direction(v)} (world axes)"
        return ModelError(
            f"body {body.name!r} has no mass, and its joints let it {way}: its\n"
            "motion would be undetermined. Let joints on two sides hold it, or give it mass and inertia."
            + _boxes_at(linkage, body)
        )
    return ModelError(
        f"body {body.name!r} can spin about its axis {_direction(body.R_BC @ w)} (body frame), about which it has no\n"
        "inertia: its motion would be undetermined. Let joints fix that spin, or give the body some thickness\n"
        "(e.g. vv.inertia.cylinder instead of vv.inertia.rod)." + _boxes_at(linkage, body)
    )


def _boxes_at(linkage: Linkage, body: Body) -> str:
    """Boxes on joints or points of a body, whose inertias do not make up for one that it lacks."""
    found = [
        box.name
        for box in linkage.boxes
        if any(body.name in (one.pair.parent.name, one.pair.child.name) for one in box.coordinates)
    ]
    if not found:
        return ""
    return (
        f"\nAn inertia inside of a box, here {', '.join(map(repr, found))}, is none of the body: move it from the box "
        "to the body."
    )


def _direction(vector: Array) -> list[float]:
    return list(np.round(vector / np.linalg.norm(vector), 6).tolist())
