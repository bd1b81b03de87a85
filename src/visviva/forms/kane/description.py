"""kane: Kane's equations from velocities of particles and rigid bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.forms.kane.body import KaneBody
from visviva.forms.kane.loads import active_forces
from visviva.forms.kane.motion import KaneMotion, affine, partial_twists
from visviva.forms.kane.point import singular_mass
from visviva.forms.kane.system import KaneSystem
from visviva.forms.kane.trace import KaneTracing
from visviva.forms.kinds import by_name
from visviva.language.regularity import ENERGY, LAW
from visviva.mechanism.names import check_new_name, unknown_name

Given = Callable[..., Any] | ArrayLike | Any


@helpful
def kane(
    name: str,
    q: str | Sequence[str],
    xi: str | Sequence[str] | None = None,
    *,
    q_dot: Given | None = None,
    bodies: Mapping[str, KaneBody],
    V: Given | None = None,
    points: Mapping[str, Given] | None = None,
    forces: Mapping[str, tuple[str, Given]] | None = None,
    torques: Mapping[str, tuple[str, Given]] | None = None,
    tau: Mapping[str, Given] | None = None,
    known: Mapping[str, Given] | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
) -> KaneSystem:
    """Kane's equations A ξ̇ + D ξ = τ of bodies whose velocities are affine in generalised velocities ξ.

    q:          names of the coordinates; () where nothing depends on a configuration.
    xi:         names of the velocities; left out, they are the rates of the coordinates, called "<coordinate>_dot".
    q_dot:      rates of the coordinates, affine in xi: q̇ = Q(q, t) ξ + Q_t(q, t). Left out, ξ = q̇.
    bodies:     particles and rigid bodies by name.
    V:          potential energy of q and t.
    points:     velocities of further points at which forces act, by name.
    forces:     by name (body or point, components of the force), in the axes of that velocity; on a body: at
                its centre of mass.
    torques:    by name (body, components of the moment), in the axes of its angular velocity; one number: about z.
    tau:        generalised forces by velocity.
    known:      velocities that are prescribed functions of time, by name: their drives do what is needed.
    parameters: numbers by name.

    Everything is a number, a SymPy expression in these names, or a function with arguments among q, xi, t and the
    parameters, which is run once on symbols: q[0] or q.x, xi.w, NumPy's functions.
    What depends on time explicitly is the known velocity ṫ = 1 of one coordinate more: matrices then have a
    last column for it, and its drive's force is the power that prescribed motion supplies.

    Source: Phillips and Amirouche, sections 2 to 4.
    """
    check_new_name(name, (), "Kane system")
    _mappings(bodies=bodies, points=points, forces=forces, torques=torques, tau=tau, known=known, parameters=parameters)
    q = (q,) if isinstance(q, str) else tuple(q)
    tracing = KaneTracing(name, q, [f"{each}_dot" for each in q] if xi is None else xi, parameters)
    rates = _kinematics(tracing, q_dot)
    motion = KaneMotion(tracing, rates)
    if not bodies:
        raise ModelError(f"{name!r} has no bodies: bodies={{name: KaneBody(...)}} says what moves.")
    parts = [partial_twists(motion, label, body) for label, body in bodies.items()]
    S, S_dot, inertias = (np.stack(part) for part in zip(*parts, strict=True))
    places = {label: S[b, 3:] for b, label in enumerate(bodies)}
    for label, velocity in (points or {}).items():
        check_new_name(label, places, "point")
        places[label] = motion.partial(velocity, None, f"velocity of point {label!r}", ((3,), (2,)), 0)[0]
    spins = {label: S[b, :3] for b, label in enumerate(bodies)}
    potential = tracing.shaped(0 if V is None else V, "potential energy V", [()], of="q and t").item()
    tracing.require_regular(potential, "potential energy V", ENERGY)
    loads = active_forces(tracing, places, spins, forces or {}, torques or {}, tau or {})
    tracing.require_regular(loads, "a generalised force", LAW)
    prescribed = _known(tracing, known or {})
    tracing.check_parameters()
    for k, velocity in enumerate(tracing.velocities):
        if velocity not in prescribed and not (inertias @ S[..., k, None]).any():
            raise singular_mass(velocity)
    explicit = _depends_on_time(tracing, rates, S)
    if not explicit:
        S, S_dot, loads, rates = S[..., :-1], S_dot[..., :-1], loads[:-1], rates[:, :-1]
    return KaneSystem(name, tracing, rates, S, S_dot, inertias, loads, potential, prescribed, tuple(bodies), explicit)


def _mappings(**given: Any) -> None:
    for what, value in given.items():
        if value is not None:
            by_name(value, what, "{'name': ...}")


def _kinematics(tracing: KaneTracing, q_dot: Given | None) -> Any:
    """(R, n + 1): Q and Q_t."""
    import sympy

    R, n = len(tracing.q), len(tracing.xi)
    if q_dot is not None:
        return affine(tracing, tracing.shaped(q_dot, "q_dot", [(R,)]), "q_dot")
    if n != R:
        raise ModelError(
            f"{tracing.system!r} has {R} coordinates and {n} velocities: give q_dot, the rates of the coordinates in\n"
            "terms of the velocities; without it every velocity is the rate of a coordinate."
        )
    return np.array([[sympy.Integer(i == j) for j in range(n + 1)] for i in range(R)], dtype=object).reshape(R, n + 1)


def _known(tracing: KaneTracing, known: Mapping[str, Given]) -> dict[str, Any]:
    """Prescribed velocities as expressions of t."""
    for velocity in known:
        if velocity not in tracing.velocities:
            raise unknown_name(velocity, tracing.velocities, f"{tracing.system!r}, whose velocities known= prescribes,")
    return {
        velocity: tracing.shaped(given, f"known velocity {velocity!r}", [()], of="t").item()
        for velocity, given in known.items()
    }


def _depends_on_time(tracing: KaneTracing, rates: Any, S: Any) -> bool:
    """Whether some velocity has a part without ξ, or a partial velocity depends on t."""
    import sympy

    return any(entry != 0 for entry in (*rates[:, -1], *S[..., -1].ravel())) or any(
        sympy.sympify(entry).has(tracing.t) for entry in (*rates.ravel(), *S.ravel())
    )
