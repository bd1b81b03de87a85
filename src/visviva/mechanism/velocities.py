"""Initial velocities that satisfy every joint, keeping what the user gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.inventory import kind_of
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body
from visviva.numerics.saddle import Saddle

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SPEED_TOLERANCE = 1e-9  # speeds below this part of the largest one are zero
MENTIONED = 1e-6  # of the largest gap: what is open by less follows from it


@final
class Given:
    """The velocities and rates that a user gave, at a configuration q of all bodies.

    bodies: V of bodies and particles, by name.   rates: of joints, by name.
    rate_matrix, rate_rows: rows over all velocities that say these rates, and which are those of each joint.
    """

    def __init__(self, linkage: Linkage, q: Array) -> None:
        self.bodies: dict[str, Array] = {}
        for body, place in zip(linkage.bodies, linkage.kinematics.places, strict=True):
            given = body.twist if isinstance(body, Body) else body.velocity
            if given is not None:
                self.bodies[body.name] = _velocity(body, given, q[place]) if isinstance(body, Body) else given
        joints = [joint for joint in linkage.joints if joint.rate is not None]
        self.rates = {joint.name: joint.rate for joint in joints if joint.rate is not None}
        self.rate_rows: dict[str, slice] = {}
        self.rate_matrix: csr_array | None = None
        if joints:
            rows = JointRates(linkage.bodies, joints)
            self.rate_matrix = rows.matrix(q)
            self.rate_rows = dict(zip(self.rates, rows.parts, strict=True))


def velocities(linkage: Linkage, q: Array, given: Given, kept: set[str]) -> Array:
    """The velocities nearest to the given ones, in the metric of kinetic energy, that satisfy all joints, (n,).

    With V = V̂ on the kept bodies, C V = 0 on the joints and a V = rate: minimise ½ (V - V0)ᵀ M (V - V0).
    """
    kinematics, n = linkage.kinematics, linkage.kinematics.n
    speeds = linkage.speeds
    if not given.bodies and not given.rates and not speeds.any():
        return np.zeros(n)
    import scipy.sparse

    columns = {body.name: part for body, part in zip(linkage.bodies, kinematics.columns, strict=True)}
    V0 = np.zeros(n)
    for name, V in given.bodies.items():
        V0[columns[name]] = V
    held = np.concatenate([np.zeros(0, np.intp), *(_range(columns[name]) for name in given.bodies if name in kept)])
    rates = np.concatenate([np.zeros(0, np.intp), *(_range(given.rate_rows[k]) for k in given.rates if k in kept)])
    values = np.concatenate([np.zeros(0), *given.rates.values()])
    parts = [linkage.matrix(kinematics.place(q)), scipy.sparse.eye_array(n, format="csr")[held]]
    if given.rate_matrix is not None:
        parts.insert(1, given.rate_matrix[rates])
    C = scipy.sparse.vstack(parts, format="csr")
    rhs = np.concatenate([speeds, values[rates], V0[held]])
    soft = np.append(linkage.closes, np.ones(len(rates) + len(held), dtype=bool))
    units = np.append(linkage.row_scale, linkage.units_of(C[linkage.m :]))
    V, _ = Saddle(linkage.metric, C, soft, units=units).solve(linkage.metric * V0, rhs)
    _check(linkage, V, np.abs(C @ V - rhs), float(np.abs(rhs).max(initial=0.0)), _labels(linkage, given, kept))
    return V


def changes(linkage: Linkage, given: Given, V: Array) -> list[str]:
    """What differs from the given velocities, one line each."""
    lines = []
    largest = [np.abs(value).max(initial=0.0) for value in (V, *given.bodies.values(), *given.rates.values())]
    noise = SPEED_TOLERANCE * float(max(largest))
    for body, part in zip(linkage.bodies, linkage.kinematics.columns, strict=True):
        before = given.bodies.get(body.name)
        change = V[part] if before is None else V[part] - before
        if np.abs(change).max() > noise:
            how = "follows from the joints" if before is None else "changed to satisfy the joints"
            lines.append(f"{body.name}: velocity {how}, by {np.linalg.norm(change):.6g}")
    rates = given.rate_matrix @ V if given.rate_matrix is not None else np.zeros(0)
    for name, wanted in given.rates.items():
        for was, rate in zip(wanted, rates[given.rate_rows[name]], strict=True):
            if abs(rate - was) > noise:
                lines.append(f"{name}: rate changed from {was:.6g} to {rate:.6g} to satisfy the joints")
    return lines


def _velocity(body: Body, twist: Array, q: Array) -> Array:
    """V = (ω; v) at the coordinates q of a body, from the twist of its frame in its own axes."""
    w, v = twist[:3], twist[3:]
    R_WB = POSES.rotation(q) @ body.R_BC.T
    return np.concatenate([body.R_BC.T @ w, R_WB @ (v + np.cross(w, body.com))])


def _labels(linkage: Linkage, given: Given, kept: set[str]) -> list[str]:
    """What each condition is, in the user's names."""
    labels = [f"joint {linkage.joints[k].name!r}" for k in linkage.kinematics.pair]
    labels += [f"{kind_of(part)} {part.name!r}" for part in linkage.conditions.owner]
    labels += [f"rate of joint {name!r}" for name, rate in given.rates.items() if name in kept for _ in rate]
    for name, V in given.bodies.items():
        if name in kept:
            joints = [joint.name for joint in linkage.joints if name in (joint.parent.name, joint.child.name)]
            conditions = linkage.conditions.conditions
            joints += [part.name for part in conditions if name in [mover.name for mover in part.movers]]
            held = f", which is held by {', '.join(map(repr, joints))}" if joints else ""
            labels += [f"given motion of {name!r}{held}"] * len(V)
    return labels


def _check(linkage: Linkage, V: Array, left: Array, given: float, labels: list[str]) -> None:
    scale = max(given, float(np.abs(V).max(initial=0.0)))
    if left.max(initial=0.0) <= SPEED_TOLERANCE * scale:
        return
    worst: dict[str, float] = {}
    for label, value in zip(labels, left, strict=True):
        worst[label] = max(worst.get(label, 0.0), float(value))
    least = max(SPEED_TOLERANCE * scale, MENTIONED * max(worst.values()))
    open_rows = [f"  {label}: {value:.3g}" for label, value in worst.items() if value > least]
    raise AssemblyError(
        f"the given initial velocities of mechanism {linkage.name!r} contradict each other or its joints.\n"
        "What remains open in the best compromise, in m/s or rad/s:\n" + "\n".join(open_rows) + "\n"
        "Give fewer twists and rates (what is left out follows from the joints), or call\n"
        "m.assemble(fixed=(...)) with the names that must be kept and pass its first result as `initial`."
    )


def _range(part: slice) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.arange(part.start, part.stop, dtype=np.intp)
