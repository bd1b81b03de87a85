"""Partial velocities of bodies and points, and their rates, from what the user gives."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from visviva.compiler.lagrangian_trace import is_zero
from visviva.errors import ModelError
from visviva.forms.kane.body import KaneBody
from visviva.forms.kane.matrices import hat
from visviva.forms.kane.numbers import numbers_of
from visviva.forms.kane.trace import KaneTracing
from visviva.mechanism.names import check_new_name

PLANE = (slice(0, 2), slice(2, 3))  # where the components of a plane motion stand: v in x, y; w about z


@final
class KaneMotion:
    """Partial velocities and their rates along q̇ = Q ξ + Q_t, ṫ = 1; the last column is what does not depend on ξ."""

    def __init__(self, tracing: KaneTracing, rates: Any) -> None:
        self.tracing = tracing
        self.q_dot = rates @ np.array([*tracing.xi, 1], dtype=object)

    def partial(
        self, velocity: Any, partials: Any, what: str, shapes: tuple[tuple[int, ...], ...], plane: int
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
            bent = next((s for s in tracing.xi if entry.has(s) and not is_zero(entry - entry.subs(s, s - 2))), None)
            if bent is not None:
                raise ModelError(
                    f"the {what} of {tracing.system!r} must be affine in the velocities; in {bent} it is not."
                )
        still = dict.fromkeys(tracing.xi, 0)
        rows.append([entry.subs(still) for entry in row] + [value.subs(still)])
    return np.array(rows, dtype=object).reshape(len(rows), len(tracing.xi) + 1)


def partial_twists(motion: KaneMotion, label: str, body: object) -> tuple[Any, Any, Any]:
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
        has = "an angular velocity but no inertia" if turns else "an inertia but no angular velocity"
        raise ModelError(f"body {label!r} of {tracing.system!r} has {has}: a rigid body has both, a particle neither.")
    if turns:
        w, plane = motion.partial(body.w, body.w_xi, f"angular velocity of body {label!r}", ((3,), (1,), ()), 1)
        M[:3, :3] = _inertia(tracing, body.inertia, label, plane)
    S = np.concatenate([w, v])
    xi = np.array([*tracing.xi, 1], dtype=object)
    turning = hat(_axes(motion, body.axes, label, w @ xi) - w @ xi)
    S_dot = motion.rate(S) + np.concatenate([turning @ w, turning @ v])
    return S, S_dot, M


def _axes(motion: KaneMotion, axes: Any, label: str, w: Any) -> Any:
    """Angular velocity of the axes in which a body's vectors are resolved."""
    if isinstance(axes, str):
        if axes not in ("world", "body"):
            raise ModelError(f"axes of body {label!r} must be 'world', 'body' or an angular velocity, got {axes!r}.")
        return w if axes == "body" else np.zeros(3, dtype=int)
    columns, _ = motion.partial(axes, None, f"angular velocity of the axes of body {label!r}", ((3,), (1,), ()), 1)
    return columns @ np.array([*motion.tracing.xi, 1], dtype=object)


def _inertia(tracing: KaneTracing, given: Any, label: str, plane: bool) -> Any:
    what = f"inertia of body {label!r}"
    values = tracing.shaped(given, what, [(3, 3), (3,), ()] if plane else [(3, 3), (3,)], of="q and t")
    inertia = np.zeros((3, 3), dtype=object)
    if values.shape == (3, 3):
        inertia[:] = values
    else:
        inertia[range(3), range(3)] = values if values.ndim else [0, 0, values.item()]
    point = np.random.default_rng(0).uniform(0.3, 1.2, len(tracing.q) + 1)  # generic
    (numbers,) = numbers_of([inertia], [*tracing.q, tracing.t], tracing.parameters, f"the {what}")(point)
    scale = 1e-12 * np.abs(numbers).max()
    if np.abs(numbers - numbers.T).max() > scale or np.linalg.eigvalsh(numbers)[0] < -scale:
        shown = numbers.round(6).tolist()
        raise ModelError(f"{what} of {tracing.system!r} must be symmetric and positive semidefinite, got {shown}.")
    return inertia
