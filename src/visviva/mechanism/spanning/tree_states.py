"""States as pairs (q, v): coordinates and velocities of the spanning tree, in the order of `vv.dynamics(m)`."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.library.joints import Angle
from visviva.mechanism.assembly import Motion, linkage_of, motion_at
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.mechanism import Mechanism
from visviva.mechanism.parts import Body
from visviva.mechanism.spanning.links import pose, subspace
from visviva.mechanism.spanning.names import coordinate_names, velocity_names
from visviva.mechanism.spanning.spanning import spanning


@final
class TreeStates:
    """Motions of a mechanism by coordinates q and velocities v of its spanning tree.

    A link has X_WL = X_WP X_PJ X_JL(q) and the twist V = Ad(X_PL⁻¹) V_P + S v in its own axes.
    """

    def __init__(self, m: Mechanism) -> None:
        self.name = m.name
        self._linkage, self._spanning = linkage_of(m), spanning(m)
        self.names = coordinate_names(self._spanning), velocity_names(self._spanning)
        links, at = self._spanning.tree.links, self._spanning.link
        self._on_link = {body.name: (at[body.name], _principal(body, links[at[body.name]].X_LB)) for body in m.bodies}
        self._turns = [
            (next(name for name, turn in turn_names(place.joint).items() if turn == part), place.q.start)
            for place in self._spanning.places
            if place.joint is not None and place.coordinate is not None
            for part in [place.joint.joint.coordinates[place.coordinate]]
            if isinstance(part, Angle)
        ]

    def motion(self, given: tuple[ArrayLike, ArrayLike], what: str = "the state") -> Motion:
        """The motion of a pair (q, v); joints that close loops are not looked at here.

        what: how errors call it.
        """
        q, v = (self._checked(values, k, what) for k, values in enumerate(given))
        links, places = self._spanning.tree.links, self._spanning.places
        R, r = [np.eye(3)] * (len(links) + 1), [np.zeros(3)] * (len(links) + 1)  # the ground is the last one
        V = [np.zeros(6)] * (len(links) + 1)
        for k, (link, place) in enumerate(zip(links, places, strict=True)):
            R_JL, r_JL = pose(link, q[place.q])
            R_PL, r_PL = link.X_PJ[:3, :3] @ R_JL, link.X_PJ[:3, 3] + link.X_PJ[:3, :3] @ r_JL
            R[k], r[k] = R[link.parent] @ R_PL, r[link.parent] + R[link.parent] @ r_PL
            w, u = V[link.parent][:3], V[link.parent][3:]
            V[k] = np.concatenate([w @ R_PL, (u + np.cross(w, r_PL)) @ R_PL]) + subspace(link) @ v[place.xi]
        found = self._linkage.kinematics.as_built.copy()
        columns = {}
        for body, at in zip(self._linkage.bodies, self._linkage.kinematics.places, strict=True):
            k, X_LC = self._on_link[body.name]
            r_WC, w = r[k] + R[k] @ X_LC.r, V[k][:3]
            found[at] = POSES.point(R[k] @ X_LC.R, r_WC) if isinstance(body, Body) else r_WC
            velocity = R[k] @ (V[k][3:] + np.cross(w, X_LC.r))
            columns[body.name] = np.concatenate([w @ X_LC.R, velocity]) if isinstance(body, Body) else velocity
        still = motion_at(self._linkage, found, {name: float(q[place]) for name, place in self._turns})
        return Motion(still.q, columns, still.angles, still.others)

    def _checked(self, values: ArrayLike, k: int, what: str) -> Array:
        names, letter = self.names[k], "qv"[k]
        try:
            found = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape == (len(names),) and np.isfinite(found).all():
            return found
        got = f"an array of shape {found.shape}" if found.shape != (len(names),) and found.size else repr(values)
        raise ModelError(
            f"{letter} in {what} (q, v) of mechanism {self.name!r} must be {len(names)} finite numbers,\n"
            f"{', '.join(names) or 'none'}; got {got}.\n"
            "They are those of d = vv.dynamics(m), in its order: d.q_names and d.names."
        )


def _principal(body: object, X_LB: Array) -> SE3:
    """The principal frame of a body at its centre of mass, or the place of a particle, in its link."""
    X = SE3(X_LB[:3, :3], X_LB[:3, 3])
    return X @ SE3(body.R_BC, body.com) if isinstance(body, Body) else X
