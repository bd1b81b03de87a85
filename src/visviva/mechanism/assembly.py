"""Initial motion: velocities that satisfy every joint, keeping what the user gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.geometry.nullspace import split
from visviva.mechanism.coordinates import as_built, joint_angle, joint_rows, movers, space_of
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Joint, Particle

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism

SPEED_TOLERANCE = 1e-9  # joint speeds below this part of the largest given one are zero


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """A configuration of a mechanism and its velocities.

    q: coordinates of every body and particle, by name, see `mechanism.coordinates`.
    V: (ω; v) of a body, ω in principal axes, v of the centre of mass in world axes; velocity of a particle.
    angles: coordinate of every joint that turns.
    """

    q: dict[str, Array]
    V: dict[str, Array]
    angles: dict[str, float]


@final
@dataclass(frozen=True, eq=False)
class AssemblyReport:
    """What assembling changed, part by part; prints as a list."""

    changes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.changes) or "nothing had to change"


def assemble(m: Mechanism, fixed: Sequence[str] | None = None) -> tuple[Motion, AssemblyReport]:
    """Velocities nearest to the given ones, in the metric of kinetic energy, that satisfy all joints.

    fixed: names of the bodies, particles and joints whose twist, velocity or rate must be kept exactly. By default
           all that were given are; a contradiction among them is an error that names where it stays open.

    With V = V̂ on the fixed parts, G V = 0 on the joints and s·V = rate: minimise ½ (V - V0)ᵀ M (V - V0).
    """
    carriers = m.bodies
    if not carriers:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    columns = _columns(m)
    given = _given(m)
    kept = set(given) if fixed is None else _checked_names(m, fixed, given)
    V0 = np.concatenate([given.get(part.name, np.zeros(space_of(part).dim)) for part in carriers])
    C, rhs, labels = _velocity_rows(m, columns, given, kept)
    M = np.concatenate([mass_vector(part) for part in carriers])
    V = _nearest(M, V0, C, rhs)
    _check_rows(C, V, rhs, labels, M, m)
    motion = Motion(
        {part.name: as_built(part) for part in carriers},
        {part.name: V[columns[part.name]] for part in carriers},
        {joint.name: 0.0 for joint in m.joints if joint.joint.turns},
    )
    return motion, AssemblyReport(_changes(m, given, columns, V))


def mass_vector(part: Body | Particle) -> Array:
    """Diagonal of its inertia for V = (ω; v) of a body, or for the velocity of a particle."""
    mass = np.full(3, part.mass)
    return np.concatenate([part.J_C, mass]) if isinstance(part, Body) else mass


def velocity_of(body: Body, twist: Array) -> Array:
    """V = (ω; v) as built, from the twist of the body frame in its own axes."""
    w, v = twist[:3], twist[3:]
    return np.concatenate([body.R_BC.T @ w, body.R_WB @ (v + np.cross(w, body.com))])


def velocity_matrix(joint: Joint, q: list[Array], rows: Array) -> Array:
    """Rows over coordinates (m, n) as rows over the twists of the joint's movers."""
    lifts = [space_of(mover).lift(x) for mover, x in zip(movers(joint), q, strict=True)]
    parts = np.split(rows, np.cumsum([len(x) for x in q])[:-1], axis=-1)
    return np.hstack([part @ lift for part, lift in zip(parts, lifts, strict=True)])


def joint_velocity_rows(m: Mechanism) -> dict[str, Array]:
    """The rows of every joint over the velocities of all bodies, as built."""
    columns = _columns(m)
    n = max((part.stop for part in columns.values()), default=0)
    rows = {}
    for joint in m.joints:
        q = [as_built(end) for end in movers(joint)]
        local = velocity_matrix(joint, q, joint_rows(joint).gradient(np.concatenate(q)))
        rows[joint.name] = _spread(local, [end.name for end in movers(joint)], columns, n)
    return rows


def _spread(matrix: Array, names: list[str], columns: dict[str, slice], n: int) -> Array:
    """Rows over some bodies as rows over all."""
    full, at = np.zeros((len(matrix), n)), 0
    for name in names:
        width = columns[name].stop - columns[name].start
        full[:, columns[name]] = matrix[:, at : at + width]
        at += width
    return full


def _columns(m: Mechanism) -> dict[str, slice]:
    ends = np.cumsum([0, *(space_of(part).dim for part in m.bodies)])
    return {part.name: slice(a, b) for part, a, b in zip(m.bodies, ends, ends[1:], strict=False)}


def _given(m: Mechanism) -> dict[str, Array]:
    given: dict[str, Array] = {}
    for part in m.bodies:
        if isinstance(part, Body) and part.twist is not None:
            given[part.name] = velocity_of(part, part.twist)
        elif isinstance(part, Particle) and part.velocity is not None:
            given[part.name] = part.velocity
    given |= {joint.name: np.array([joint.rate]) for joint in m.joints if joint.rate is not None}
    return given


def _checked_names(m: Mechanism, fixed: Sequence[str], given: dict[str, Array]) -> set[str]:
    if isinstance(fixed, str):
        raise ModelError(f"assemble(fixed=...) takes several names, e.g. fixed=({fixed!r},), got {fixed!r}.")
    for name in fixed:
        if name not in m.parts:
            raise unknown_name(name, m.parts, f"mechanism {m.name!r}")
        if name not in given:
            raise ModelError(f"assemble(fixed=...) names {name!r}, which has no twist, velocity or rate to keep.")
    return set(fixed)


def _velocity_rows(
    m: Mechanism, columns: dict[str, slice], given: dict[str, Array], kept: set[str]
) -> tuple[Array, Array, list[str]]:
    """All linear conditions on the velocities, with the name of the part each belongs to."""
    n = max(part.stop for part in columns.values())
    C, rhs, labels = [np.zeros((0, n))], [np.zeros(0)], []

    def add(matrix: Array, value: Array, names: list[str], label: str) -> None:
        C.append(_spread(matrix, names, columns, n))
        rhs.append(value)
        labels.extend([label] * len(matrix))

    for name, rows in joint_velocity_rows(m).items():
        C.append(rows)
        rhs.append(np.zeros(len(rows)))
        labels.extend([f"joint {name!r}"] * len(rows))
    for joint in m.joints:
        if joint.name in kept:
            names = [end.name for end in movers(joint)]
            add(_rate_row(joint), given[joint.name], names, f"rate of joint {joint.name!r}")
    for part in m.bodies:
        if part.name in kept:
            add(np.eye(space_of(part).dim), given[part.name], [part.name], f"given motion of {part.name!r}")
    return np.concatenate(C), np.concatenate(rhs), labels


def _rate_row(joint: Joint) -> Array:
    """The row that gives the rate of a joint that turns, as built, over the velocities of its movers."""
    q = [as_built(end) for end in movers(joint)]
    return velocity_matrix(joint, q, joint_angle(joint).gradient(np.concatenate(q))[1:])  # d(sin θ) = dθ at θ = 0


def _nearest(M: Array, V0: Array, C: Array, rhs: Array) -> Array:
    """argmin ½ (V - V0)ᵀ M (V - V0) subject to C V = rhs in the least-squares sense; safe for redundant rows."""
    parts = split(C)
    particular = parts.solve(rhs)
    if not parts.Z.size:
        return particular
    y = np.linalg.lstsq(np.sqrt(M)[:, None] * parts.Z, np.sqrt(M) * (V0 - particular), rcond=None)[0]
    return np.asarray(particular + parts.Z @ y, dtype=np.float64)


def _check_rows(C: Array, V: Array, rhs: Array, labels: list[str], M: Array, m: Mechanism) -> None:
    scale = max(float(np.abs(rhs).max(initial=0.0)), float(np.abs(V).max(initial=0.0)))
    residual = np.abs(C @ V - rhs)
    if residual.max(initial=0.0) <= SPEED_TOLERANCE * scale:
        return
    worst: dict[str, float] = {}
    for label, value in zip(labels, residual, strict=True):
        worst[label] = max(worst.get(label, 0.0), float(value))
    open_rows = [f"  {label}: {value:.3g}" for label, value in worst.items() if value > SPEED_TOLERANCE * scale]
    raise AssemblyError(
        f"the given initial velocities of mechanism {m.name!r} contradict each other or its joints.\n"
        "What remains open in the best compromise, in m/s or rad/s:\n" + "\n".join(open_rows) + "\n"
        "Give fewer twists and rates (what is left out follows from the joints), or call\n"
        "m.assemble(fixed=(...)) with the names that must be kept and pass its first result as `initial`."
    )


def _changes(m: Mechanism, given: dict[str, Array], columns: dict[str, slice], V: Array) -> tuple[str, ...]:
    changes = []
    noise = SPEED_TOLERANCE * float(np.abs(np.concatenate([V, *given.values()])).max())
    for part in m.bodies:
        now, before = V[columns[part.name]], given.get(part.name)
        change = now if before is None else now - before
        if np.abs(change).max() > noise:
            how = "follows from the joints" if before is None else "changed to satisfy the joints"
            changes.append(f"{part.name}: velocity {how}, by {np.linalg.norm(change):.6g}")
    for joint in m.joints:
        if joint.rate is not None:
            ends = [V[columns[end.name]] for end in movers(joint)]
            rate = float(_rate_row(joint)[0] @ np.concatenate(ends))
            if abs(rate - joint.rate) > noise:
                changes.append(f"{joint.name}: rate changed from {joint.rate:.6g} to {rate:.6g} to satisfy the joints")
    return tuple(changes)
