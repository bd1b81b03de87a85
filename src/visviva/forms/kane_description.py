"""kane: Kane's equations from velocities of particles and rigid bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva.compiler.lagrangian_trace import is_zero
from visviva.errors import ModelError
from visviva.forms.kane_body import KaneBody
from visviva.forms.kane_loads import active_forces
from visviva.forms.kane_matrices import hat
from visviva.forms.kane_system import KaneSystem
from visviva.forms.kane_trace import KaneTracing
from visviva.mechanism.names import check_new_name, unknown_name

Given = Callable[..., Any] | ArrayLike | Any
PLANE = (slice(0, 2), slice(2, 3))  # where the components of a plane motion stand: v in x, y; w about z


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
    torques:    by name (body, components of the moment), in the axes of its angular velocity.
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
    q = (q,) if isinstance(q, str) else tuple(q)
    tracing = KaneTracing(name, q, [f"{each}_dot" for each in q] if xi is None else xi, parameters)
    rates = _kinematics(tracing, q_dot)
    motion = _Motion(tracing, rates)
    if not bodies:
        raise ModelError(f"{name!r} has no bodies: bodies={{name: KaneBody(...)}} says what moves.")
    parts = [_body(motion, label, body) for label, body in bodies.items()]
    S, S_dot, inertias = (np.stack(part) for part in zip(*parts, strict=True))
    places = {label: S[b, 3:] for b, label in enumerate(bodies)}
    for label, velocity in (points or {}).items():
        check_new_name(label, places, "point")
        places[label] = motion.partial(velocity, None, f"velocity of point {label!r}", ((3,), (2,)), 0)[0]
    spins = {label: S[b, :3] for b, label in enumerate(bodies)}
    potential = tracing.shaped(0 if V is None else V, "potential energy V", [()], of="q and t").item()
    loads = active_forces(tracing, places, spins, forces or {}, torques or {}, tau or {})
    prescribed = _known(tracing, known or {})
    tracing.check_parameters()
    explicit = _depends_on_time(tracing, rates, S)
    if not explicit:
        S, S_dot, loads, rates = S[..., :-1], S_dot[..., :-1], loads[:-1], rates[:, :-1]
    return KaneSystem(name, tracing, rates, S, S_dot, inertias, loads, potential, prescribed, tuple(bodies), explicit)


class _Motion:
    """Partial velocities and their rates along q̇ = Q ξ + Q_t, ṫ = 1; the last column is what does not depend on ξ."""

    def __init__(self, tracing: KaneTracing, rates: Any) -> None:
        self.tracing = tracing
        self.q_dot = rates @ np.array([*tracing.xi, 1], dtype=object)

    def partial(
        self, velocity: Given | None, partials: Given | None, what: str, shapes: tuple[tuple[int, ...], ...], plane: int
    ) -> tuple[Any, bool]:
        """(3, n + 1) columns of a velocity, and whether it was given by the components of a plane motion."""
        if (velocity is None) == (partials is None):
            raise ModelError(f"the {what} of {self.tracing.system!r} must be given once, by itself or by its partials.")
        n = len(self.tracing.xi)
        if partials is None:
            columns = affine(self.tracing, np.atleast_1d(self.tracing.shaped(velocity, what, shapes)), what)
        else:
            wide = [(shape[0] if shape else 1, n) for shape in shapes]
            given = self.tracing.shaped(partials, f"partials of the {what}", wide, of="q and t")
            columns = np.concatenate([given, np.zeros((len(given), 1), dtype=int)], axis=1)
        if len(columns) == 3:
            return columns, False
        full = np.zeros((3, n + 1), dtype=object)
        full[PLANE[plane]] = columns
        return full, True

    def rate(self, columns: Any) -> Any:
        """Total time derivative of expressions of q and t."""
        tracing = self.tracing
        changes = [*zip(tracing.q, self.q_dot, strict=True), (tracing.t, 1)]
        flat = [sum((entry.diff(x) * x_dot for x, x_dot in changes), 0) if entry else 0 for entry in columns.ravel()]
        return np.array(flat, dtype=object).reshape(columns.shape)


def affine(tracing: KaneTracing, values: Any, what: str) -> Any:
    """(m, n + 1): derivatives with respect to ξ, then the value at ξ = 0."""
    import sympy

    rows = []
    for value in values:
        row = [sympy.expand(value.diff(symbol)) for symbol in tracing.xi]
        for entry in row:
            bent = next((s for s in tracing.xi if entry.has(s) and not is_zero(entry.diff(s))), None)
            if bent is not None:
                raise ModelError(
                    f"the {what} of {tracing.system!r} must be affine in the velocities; in {bent} it is not."
                )
        still = dict.fromkeys(tracing.xi, 0)
        rows.append([entry.subs(still) for entry in row] + [value.subs(still)])
    return np.array(rows, dtype=object).reshape(len(rows), len(tracing.xi) + 1)


def _kinematics(tracing: KaneTracing, q_dot: Given | None) -> Any:
    """(R, n + 1): Q and Q_t."""
    import sympy

    R, n = len(tracing.q), len(tracing.xi)
    if q_dot is not None:
        return affine(tracing, tracing.shaped(q_dot, "q_dot", [(R,)]), "q_dot")
    if R != n:
        raise ModelError(
            f"{tracing.system!r} has {R} coordinates and {n} velocities: give q_dot, the rates of the coordinates in\n"
            "terms of the velocities; without it every velocity is the rate of a coordinate."
        )
    return np.array([[sympy.Integer(i == j) for j in range(n + 1)] for i in range(R)], dtype=object).reshape(R, n + 1)


def _body(motion: _Motion, label: str, body: object) -> tuple[Any, Any, Any]:
    """Partial twists (6, n + 1), their rates in body axes, and the inertia (6, 6), all resolved in the axes given."""
    tracing = motion.tracing
    if not isinstance(body, KaneBody):
        raise ModelError(f"body {label!r} of {tracing.system!r} must be a KaneBody(mass=..., v=...), got {body!r}.")
    check_new_name(label, (), "body")
    mass = tracing.shaped(body.mass, f"mass of body {label!r}", [()], of="").item()
    if tracing.number(mass) < 0:
        raise ModelError(f"mass of body {label!r} must not be negative, got {tracing.number(mass):g}.")
    n = len(tracing.xi)
    if body.v is None and body.v_xi is None and mass == 0:
        v = np.zeros((3, n + 1), dtype=object)
    else:
        v, _ = motion.partial(body.v, body.v_xi, f"velocity of body {label!r}", ((3,), (2,)), 0)
    M, w = np.zeros((6, 6), dtype=object), np.zeros((3, n + 1), dtype=object)
    M[3:, 3:] = np.eye(3, dtype=int) * mass
    turns = body.w is not None or body.w_xi is not None
    if turns != (body.inertia is not None):
        raise ModelError(
            f"body {label!r} of {tracing.system!r} has {'an angular velocity but no inertia' if turns else 'an inertia but no angular velocity'}: "
            "a rigid body has both, a particle neither."
        )
    if turns:
        w, plane = motion.partial(body.w, body.w_xi, f"angular velocity of body {label!r}", ((3,), (1,), ()), 1)
        M[:3, :3] = _inertia(tracing, body.inertia, label, plane)
    S = np.concatenate([w, v])
    xi = np.array([*tracing.xi, 1], dtype=object)
    turning = hat(_axes(motion, body.axes, label, w @ xi) - w @ xi)
    S_dot = motion.rate(S) + np.concatenate([turning @ w, turning @ v])
    return S, S_dot, M


def _axes(motion: _Motion, axes: Any, label: str, w: Any) -> Any:
    """Angular velocity of the axes in which a body's vectors are resolved."""
    if isinstance(axes, str):
        if axes not in ("world", "body"):
            raise ModelError(f"axes of body {label!r} must be 'world', 'body' or an angular velocity, got {axes!r}.")
        return w if axes == "body" else np.zeros(3, dtype=int)
    columns, _ = motion.partial(axes, None, f"angular velocity of the axes of body {label!r}", ((3,), (1,), ()), 1)
    return columns @ np.array([*motion.tracing.xi, 1], dtype=object)


def _inertia(tracing: KaneTracing, given: Given, label: str, plane: bool) -> Any:
    what = f"inertia of body {label!r}"
    values = tracing.shaped(given, what, [(3, 3), (3,), ()] if plane else [(3, 3), (3,)], of="q and t")
    inertia = np.zeros((3, 3), dtype=object)
    if values.shape == (3, 3):
        inertia[:] = values
    else:
        inertia[range(3), range(3)] = values if values.ndim else [0, 0, values.item()]
    if not all(is_zero(inertia[i, j] - inertia[j, i]) for i in range(3) for j in range(i)):
        raise ModelError(f"{what} of {tracing.system!r} must be symmetric, got {values.tolist()}.")
    generic = {symbol: 0.3 + 0.1 * k for k, symbol in enumerate((*tracing.q, tracing.t))}
    numbers = np.array([[float(_expr(e).subs(generic).subs(tracing.parameters)) for e in row] for row in inertia])
    if np.linalg.eigvalsh(numbers)[0] < -1e-12 * np.abs(numbers).max():
        raise ModelError(f"{what} of {tracing.system!r} must be positive semidefinite, got {numbers.tolist()}.")
    return inertia


def _expr(value: Any) -> Any:
    import sympy

    return sympy.sympify(value)


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
    return any(entry != 0 for entry in (*rates[:, -1], *S[..., -1].ravel())) or any(
        _expr(entry).has(tracing.t) for entry in (*rates.ravel(), *S.ravel())
    )
