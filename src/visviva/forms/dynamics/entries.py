"""Which coordinates and velocities of a tree a name means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.geometry import SE3, SO3
from visviva.geometry.quaternion import quaternion
from visviva.mechanism.names import unknown_name

Int = NDArray[np.intp]


@final
@dataclass(frozen=True, eq=False)
class Entries:
    """Places in q and in ξ of a joint, of what flies, or of one coordinate of it. kind: of the one link, or empty."""

    q: Int
    xi: Int
    kind: str


def entries_of(form: MinimalForm) -> dict[str, Entries]:
    """By joint (`hinge`), by coordinate (`hinge.q`, `arm.q[2]`) and, where it has one of its own, by rate."""
    found = dict[str, Entries]()
    owners = dict[str, list[int]]()
    for k, place in enumerate(form.spanning.places):
        owners.setdefault(place.carrier.name if place.joint is None else place.joint.name, []).append(k)
    for owner, links in owners.items():
        places = [form.spanning.places[k] for k in links]
        q = np.concatenate([np.arange(place.q.start, place.q.stop) for place in places])
        xi = np.concatenate([np.arange(place.xi.start, place.xi.stop) for place in places])
        if not len(q):
            continue
        q = q[np.argsort([_number(form.q_names[k]) for k in q], kind="stable")]
        xi = xi[np.argsort([_number(form.xi_names[k]) for k in xi], kind="stable")]
        kind = form.tree.links[links[0]].kind if len(links) == 1 else ""
        found[owner] = found[f"{owner}.q"] = found[f"{owner}.rate"] = Entries(q, xi, kind)
        for place, k in zip(places, links, strict=True):
            if form.tree.links[k].kind in ("hinge", "slider"):
                one = Entries(np.array([place.q.start]), np.array([place.xi.start]), form.tree.links[k].kind)
                found[form.q_names[place.q.start]] = found[form.xi_names[place.xi.start]] = one
        for k in xi:
            found.setdefault(form.xi_names[k], Entries(np.zeros(0, dtype=np.intp), np.array([k]), ""))
    return found


def find(entries: Mapping[str, Entries], name: Any, form: MinimalForm) -> Entries:
    """By name, or by the handle of a joint or body."""
    known = getattr(name, "name", name)
    if not isinstance(known, str):
        raise ModelError(f"coordinates of {form.name!r} are named, e.g. {form.q_names[0]!r}, got {name!r}.")
    if known not in entries:
        raise unknown_name(known, entries, f"mechanism {form.name!r} with its coordinates")
    return entries[known]


def value_of(entry: Entries, value: Any, name: str) -> Array:
    """Numbers for the places in q: of a ball also an SO3 or a matrix, of a free body an SE3 or a matrix."""
    if entry.kind == "ball" and not _is_vector(value, 4):
        return quaternion(_rotation(value, name).R)
    if entry.kind == "free" and not _is_vector(value, 7):
        X = value if isinstance(value, SE3) else SE3.from_matrix(finite_array(value, f"pose of {name!r}", (4, 4)))
        return np.concatenate([X.r, quaternion(X.R)])
    if not len(entry.q):
        raise ModelError(f"{name!r} is a velocity without a coordinate of its own: name the joint or body.")
    found = finite_vector(np.atleast_1d(np.asarray(value)), f"coordinates of {name!r}", len(entry.q))
    if entry.kind in ("ball", "free"):
        length = float(np.linalg.norm(found[-4:]))
        if abs(length - 1.0) > 1e-6:
            raise ModelError(f"the quaternion (w, x, y, z) of {name!r} must have length 1, got {length:g}.")
        found[-4:] /= length
    return found


def _is_vector(value: Any, n: int) -> bool:
    return not isinstance(value, SO3 | SE3) and np.shape(value) == (n,)


def _rotation(value: Any, name: str) -> SO3:
    return value if isinstance(value, SO3) else SO3.from_matrix(finite_array(value, f"rotation of {name!r}", (3, 3)))


def _number(name: str) -> int:
    """k of `joint.q[k]`, 0 without."""
    return int(name[name.rindex("[") + 1 : -1]) if name.endswith("]") else 0


def indices(form: MinimalForm, entries: dict[str, Entries], names: Sequence[Any]) -> Int:
    """Places in ξ of all that is named, in that order."""
    found = [k for name in names for k in find(entries, name, form).xi.tolist()]
    twice = [form.xi_names[k] for k in found if found.count(k) > 1]
    if twice:
        raise ModelError(f"independent coordinates of {form.name!r} name {twice[0]!r} twice.")
    return np.array(found, dtype=np.intp)


def listed(name: str, independent: Any) -> list[Any]:
    """Names of independent coordinates as a list."""
    if independent is None:
        return []
    if isinstance(independent, str):
        return [independent]
    if not isinstance(independent, Sequence):
        raise ModelError(
            f"independent coordinates of {name!r} are given by name, e.g. ('crank',), or 'rank', got {independent!r}."
        )
    return list(independent)
