"""Coordinates q and velocities v of `vv.dynamics`, from what sensors of a mechanism read by name.

Joints have `hinge.q` and `hinge.rate`; balls and what flies have poses and twists of the bodies that they carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.dynamics.handle import Dynamics
from visviva.geometry import SO3
from visviva.geometry.quaternion import quaternion
from visviva.mechanism.parts import Body
from visviva.mechanism.spanning.links import pose


class Readable(Protocol):
    """What answers to names: `now` of a sampled law, a `Simulator`."""

    def __getitem__(self, name: str, /) -> Array: ...


@final
class StateReading:
    """(q, v) of a mechanism from quantities by name: `StateReading(d)(sim)`, or of `now` in a sampled law."""

    def __init__(self, d: Dynamics) -> None:
        self._d = d
        self._form = d.form
        self._chosen = None if d.loops is None else d.loops.independent
        self.names = self._read_names()
        self.places: dict[str, slice] = {}  # in y, by name
        self.size = 0
        for name, width in self.names.items():
            self.places[name] = slice(self.size, self.size + width)
            self.size += width

    def _read_names(self) -> dict[str, int]:
        """What is read, and how many numbers each has."""
        found = dict[str, int]()
        for place in self._form.spanning.places:
            if place.joint is not None and place.coordinate is not None:
                found |= dict.fromkeys(
                    (f"{place.joint.name}.q", f"{place.joint.name}.rate"), len(place.joint.joint.coordinates)
                )
            elif place.xi.stop > place.xi.start:
                name = place.carrier.name
                if isinstance(place.carrier, Body):
                    found |= {f"{name}.r": 3, f"{name}.R": 9, f"{name}.twist": 6}
                else:
                    found |= {f"{name}.r": 3, f"{name}.v": 3}
        return found

    def of(self, y: Array) -> tuple[Array, Array]:
        """q and v from all numbers of `names`, one after the other."""
        return self({name: y[at] for name, at in self.places.items()})

    def over(self, read: Mapping[str, Array], count: int) -> tuple[Array, Array]:
        """q (count, nq) and v (count, nv) of many states, from quantities whose first axis is that of states."""
        places = [place for place in self._form.spanning.places if place.xi.stop > place.xi.start]
        q, v = np.zeros((count, self._form.size_q)), np.zeros((count, self._form.n))
        if any(place.joint is None or place.coordinate is None for place in places):
            each = [self({name: values[k] for name, values in read.items()}) for k in range(count)]
            return np.array([one[0] for one in each]), np.array([one[1] for one in each])
        for place in places:
            assert place.joint is not None
            assert place.coordinate is not None
            k = place.coordinate
            for out, own, name in ((q, place.q, "q"), (v, place.xi, "rate")):
                out[:, own] = read[f"{place.joint.name}.{name}"].reshape(count, -1)[:, k : k + 1]
        return q, v if self._chosen is None else v[:, self._chosen]

    def __call__(self, read: Readable) -> tuple[Array, Array]:
        """q (nq,) and v (nv,); loops are closed: over a step means of both ends are read, which miss them."""
        form = self._form
        links, places = form.tree.links, form.spanning.places
        q, xi = np.zeros(form.size_q), np.zeros(form.n)
        R, r = [np.eye(3)] * (len(links) + 1), [np.zeros(3)] * (len(links) + 1)
        whole = list[int]()  # places that are read from poses and twists
        for k, (link, place) in enumerate(zip(links, places, strict=True)):
            R_WJ = R[link.parent] @ link.X_PJ[:3, :3]
            r_WJ = r[link.parent] + R[link.parent] @ link.X_PJ[:3, 3]
            if place.joint is not None and place.coordinate is not None:
                q[place.q] = np.atleast_1d(read[f"{place.joint.name}.q"])[place.coordinate]
                xi[place.xi] = np.atleast_1d(read[f"{place.joint.name}.rate"])[place.coordinate]
            elif place.xi.stop > place.xi.start:
                whole.append(k)
                q[place.q] = self._coordinates_of_pose(k, read, R_WJ, r_WJ)
            R_JL, r_JL = pose(link, q[place.q])
            R[k], r[k] = R_WJ @ R_JL, r_WJ + R_WJ @ r_JL
        for k in whole:  # parents first: what is before is known
            own, carrier = places[k].xi, places[k].carrier
            J = self._tree_jacobian(carrier.name, q)
            if isinstance(carrier, Body):
                twist = np.asarray(read[f"{carrier.name}.twist"])
            else:
                twist = np.concatenate([np.zeros(3), read[f"{carrier.name}.v"]])
            xi[own] = np.linalg.lstsq(J[:, own], twist - J @ xi, rcond=None)[0]
        return self._d.close(q), xi if self._chosen is None else xi[self._chosen]

    def _coordinates_of_pose(self, k: int, read: Readable, R_WJ: Array, r_WJ: Array) -> Array:
        """Coordinates of a slider, a ball or a free link, from the pose of what it carries."""
        form, carrier = self._form, self._form.spanning.places[k].carrier
        kind, last = form.tree.links[k].kind, form.spanning.link[carrier.name]
        r_WB = np.asarray(read[f"{carrier.name}.r"])
        if kind == "slider":
            X_LB = form.tree.links[last].X_LB
            return R_WJ[:, 2:].T @ (r_WB - r_WJ - R_WJ @ X_LB[:3, 3])
        R_WB = np.reshape(read[f"{carrier.name}.R"], (3, 3))
        X_LB = form.tree.links[last].X_LB
        R_WL = R_WB @ X_LB[:3, :3].T
        r_WL = r_WB - R_WL @ X_LB[:3, 3]
        for later in range(last, k, -1):
            R_WL = R_WL @ form.tree.links[later].X_PJ[:3, :3].T
        turn = quaternion(SO3.nearest(R_WJ.T @ R_WL).R)
        return turn if kind == "ball" else np.concatenate([R_WJ.T @ (r_WL - r_WJ), turn])

    def _tree_jacobian(self, name: str, q: Array) -> Array:
        return self._d.tree_jacobian(name, q)
