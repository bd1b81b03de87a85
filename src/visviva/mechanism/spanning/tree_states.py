"""States as pairs (q, v): coordinates and velocities of the spanning tree, in the order of `vv.dynamics(m)`."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.library.joints import Angle
from visviva.mechanism.assembly import Motion, linkage_of, motion_at
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.definition import Definition
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.parts import Body
from visviva.mechanism.spanning.links import pose, subspace
from visviva.mechanism.spanning.names import coordinate_names, velocity_names
from visviva.mechanism.spanning.spanning import spanning


@final
class TreeStates:
    """Motions of a mechanism by coordinates q and velocities v of its spanning tree.

    A link has X_WL = X_WP X_PJ X_JL(q) and the twist V = Ad(X_PL⁻¹) V_P + S v in its own axes.
    """

    def __init__(self, m: Definition) -> None:
        self.name = m.name
        self._linkage, self._spanning = linkage_of(m), spanning(m)
        self.names = coordinate_names(self._spanning), velocity_names(self._spanning)
        links, at = self._spanning.tree.links, self._spanning.link
        self._on_link = {body.name: (at[body.name], *_principal(body, links[at[body.name]].X_LB)) for body in m.bodies}
        self._S = [subspace(link) for link in links]
        self._hung = [(link.X_PJ[:3, :3], link.X_PJ[:3, 3]) for link in links]  # R_PJ and r_PJ
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
        if len(given) != 2:
            raise ModelError(
                f"{what} of mechanism {self.name!r} as coordinates is a pair (q, v), got {len(given)} things."
            )
        q, v = (self._checked(values, k, what) for k, values in enumerate(given))
        links, places = self._spanning.tree.links, self._spanning.places
        R, r = [np.eye(3)] * (len(links) + 1), [np.zeros(3)] * (len(links) + 1)  # the ground is the last one
        V, moving = [np.zeros(6)] * (len(links) + 1), bool(v.any())
        for k, (link, place) in enumerate(zip(links, places, strict=True)):
            R_JL, r_JL = pose(link, q[place.q])
            R_PJ, r_PJ = self._hung[k]
            R_PL, r_PL = R_PJ @ R_JL, r_PJ + R_PJ @ r_JL
            R[k], r[k] = R[link.parent] @ R_PL, r[link.parent] + R[link.parent] @ r_PL
            V[k] = self._S[k] @ v[place.xi] if moving else V[-1]
            if moving and link.parent >= 0:
                w, u = V[link.parent][:3], V[link.parent][3:]
                V[k] += np.concatenate([w @ R_PL, (u + _cross(w, r_PL)) @ R_PL])
        coordinates, velocities = {}, {}
        for body in self._linkage.bodies:
            k, R_LC, r_LC = self._on_link[body.name]
            r_WC, w = r[k] + R[k] @ r_LC, V[k][:3]
            velocity = R[k] @ (V[k][3:] + _cross(w, r_LC))
            rigid = isinstance(body, Body)
            coordinates[body.name] = POSES.point(R[k] @ R_LC, r_WC) if rigid else r_WC
            velocities[body.name] = np.concatenate([w @ R_LC, velocity]) if rigid else velocity
        angles = {name: float(q[place]) for name, place in self._turns}
        if self._spanning.cut:
            found = np.concatenate(list(coordinates.values()))
            angles = motion_at(self._linkage, found, angles).angles
        return Motion(coordinates, velocities, angles)

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


def _principal(body: object, X_LB: Array) -> tuple[Array, Array]:
    """The principal frame of a body at its centre of mass, or the place of a particle, in its link: R_LC and r_LC."""
    R, r = X_LB[:3, :3], X_LB[:3, 3]
    return (R @ body.R_BC, r + R @ body.com) if isinstance(body, Body) else (R, r)


def _cross(a: Array, b: Array) -> Array:
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])
