"""An instant of a run as a motion of its mechanism, in whichever form it was integrated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.linear import apply
from visviva.mechanism import Definition, Motion
from visviva.mechanism.coordinates import POSES, space_of
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.linkage import Linkage, director_masses, mass_vector
from visviva.mechanism.other_states import other_states
from visviva.mechanism.parts import Body, Particle

if TYPE_CHECKING:
    from visviva.model.state import State


def motion_at_instant(state: State, m: Definition) -> Motion:
    """Its motion; velocities are those nearest to the scheme's own in the metric of kinetic energy that satisfy joints.

    M V + Cᵀμ = P, C V = ṡ: schemes with directors keep velocities between the ends of their steps on the constraints.
    Rates of drives are those of the mechanism at the time of the state.
    """
    check_mechanism(state, m)
    linkage = Linkage(m)
    q = linkage.kinematics.orthonormal(np.concatenate([_of(state, f"{part.name}.q") for part in linkage.bodies]))
    parts = list(zip(linkage.bodies, linkage.kinematics.places, linkage.kinematics.columns, strict=True))
    P = np.concatenate([_momentum(part, q[at], _of(state, f"{part.name}.v")) for part, at, _ in parts])
    speeds = [0.0 if part.law is None else part.law.rate(state.t) for part in linkage.conditions.owner]
    rows = np.append(np.zeros(linkage.kinematics.m), speeds)
    V = linkage.solve(q[None], P[None], rows[None])[0][0]
    names = [name for joint in m.joints for name in turn_names(joint)]
    return Motion(
        {part.name: q[at] for part, at, _ in parts},
        {part.name: V[columns] for part, _, columns in parts},
        dict(zip(names, state.angles.tolist(), strict=True)),
        other_states(m, {name: state.x[at] for name, at in state.places.items()}),
    )


def check_mechanism(state: State, m: Definition) -> None:
    """An error for a state of something else."""
    wanted = {f"{part.name}.{letter}": space_of(part) for part in m.bodies for letter in "qv"}
    fits = all(name in state.places for name in wanted)
    if fits:
        sizes = {name: state.places[name].stop - state.places[name].start for name in wanted}
        fits = all(size in (wanted[name].size, wanted[name].dim) for name, size in sizes.items())
    known = [f"{part.name}.q" for part in m.bodies]
    inside = {box.name for box in m.boxes}
    others = [
        name
        for name in state.places
        if name.endswith(".q") and name not in known and name.partition(".")[0] not in inside
    ]
    turns = sum(len(turn_names(joint)) for joint in m.joints)
    if not fits or others or len(state.angles) != turns:
        raise ModelError(
            f"the state is one of {', '.join(state.names) or 'nothing with a name'}: no state of mechanism {m.name!r}."
        )


def _of(state: State, name: str) -> Array:
    return state.x[state.places[name]]


def _momentum(part: Body | Particle, q: Array, v: Array) -> Array:
    """Over (ω; v): of velocities of directors Nᵀ M v."""
    if isinstance(part, Body) and len(v) == POSES.size:
        return np.asarray(apply(POSES.lift(q).T, director_masses(part) * v))
    return mass_vector(part) * v
