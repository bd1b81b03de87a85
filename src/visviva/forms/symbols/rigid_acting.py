"""Springs and dampers of a rigid system, as symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.rigid.damping import Damping, PointStream, RigidStream
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.springs.chord import ChordEnergy
from visviva.forms.springs.given import GivenEnergy
from visviva.forms.springs.line import LineEnergy
from visviva.forms.springs.logarithm import LogarithmEnergy
from visviva.forms.springs.spring import Spring
from visviva.forms.symbols.parameters import Parameters, exacts
from visviva.forms.symbols.rigid_motion import RigidMotion
from visviva.forms.symbols.steps import cross, zeros
from visviva.language.slopes import slope
from visviva.language.trace import Traced, call, expressions
from visviva.mechanism.energies import bushing_energy
from visviva.views.equations_names import Label


def spring_force(at: RigidMotion, spring: Stiffness | Spring, parameters: Parameters, name: str) -> tuple[Any, Any]:
    """Force -∂V (n,) and energy V of the relative pose, of X_R⁻¹ X for laws with a rest pose X_R."""
    import sympy

    law = spring.law if isinstance(spring, Spring) else spring
    rest = law.rest if isinstance(law, ChordEnergy | LogarithmEnergy) else None
    y = at.pose(at.frames[spring.a], at.frames[spring.b], rest)
    X = np.array(sympy.symbols("X0:12", real=True), dtype=object)
    V = pose_energy(spring, law, X.reshape(3, 4), parameters, name)
    placed = dict(zip(X, y.value, strict=True))
    e = at.steps.names([slope(V, x).xreplace(placed) for x in X], Label("e"))
    return -y.row.T @ e, V.xreplace(placed)


def pose_energy(spring: Stiffness | Spring, law: Any, X: Any, parameters: Parameters, name: str) -> Any:
    """V over the entries X of a pose, (3, 4)."""
    match law:
        case Stiffness():
            d = X - exacts(law.rest.matrix[:3])
            return sum(row @ exacts(law.moments.matrix) @ row for row in d) / 2 + exacts(law.V_0).item()
        case ChordEnergy():
            d = (X - exacts(np.eye(4)[:3])).ravel()
            return d @ exacts(law.form) @ d / 2 + exacts(law.V_0).item()
        case LogarithmEnergy():
            return _logarithmic(law, X)
        case LineEnergy():
            return _line(law, X, parameters, name)
        case GivenEnergy():
            return law.V.expressions(list(X.ravel())).item()
    raise ModelError(
        f"the spring between {spring.a!r} and {spring.b!r} has no symbols: its {type(law).__name__} is numeric.\n"
        "Springs with symbols are Stiffness, ChordEnergy, LogarithmEnergy, LineEnergy and GivenEnergy(function)."
    )


def _logarithmic(law: LogarithmEnergy, X: Any) -> Any:
    """½ ξ·K ξ with ξ = log X, as that of a bushing."""
    H = bushing_energy(law.K).H
    given = dict(zip(H.states["y"], [*X[:, :3].ravel(), *X[:, 3]], strict=True))
    given |= {symbol: exacts(number).item() for symbol, number in H.parameters.values()}
    return H.values.item().xreplace(given)


def _line(law: LineEnergy, X: Any, parameters: Parameters, name: str) -> Any:
    """½ k (l - length)², l = |r + R h - p|."""
    import sympy

    d = X[:, 3] + X[:, :3] @ exacts(law.h) - exacts(law.p)
    k = parameters.number(law.k, Label("k", (name,)), "N/m")
    if law.length == 0:
        return k * (d @ d) / 2
    return k * (sympy.sqrt(d @ d) - parameters.number(law.length, Label("l", (name,)), "m")) ** 2 / 2


def damper_force(at: RigidMotion, damper: Damping) -> Any:
    """-J_abᵀ D (V_ab - Ad(X_ab)⁻¹ V_F), and J_abᵀ Σ d_p (ĥ_p; I) R_abᵀ v_p of a fluid that moves otherwise, (n,)."""
    a, b, steps = at.frames[damper.a], at.frames[damper.b], at.steps
    R = steps.names(b.R.T @ a.R, Label("R", (damper.b, damper.a)))
    r = b.R.T @ (b.r - a.r)  # from a to b, in b
    D = exacts(damper.moments.spatial())

    def relative(own: Any, other: Any) -> Any:
        w, v = R @ other[:3], R @ other[3:]
        return np.concatenate([own[:3] - w, own[3:] - v + cross(r, w)])

    fluid = zeros(6)
    if isinstance(damper.stream, RigidStream):
        twist = damper.stream.twist
        fluid = _of_time(at, twist, damper.stream.what) if callable(twist) else exacts(twist)
    label = Label("V", (damper.b, damper.a))
    J = steps.names(relative(b.J, a.J), label.at("J"))
    force = -J.T @ (D @ steps.names(relative(b.V, a.V + fluid), label))
    if damper.stream is None or isinstance(damper.stream, RigidStream):
        return force
    if isinstance(damper.stream, PointStream):
        return force + J.T @ _pushed(at, damper.stream, R, R.T @ r)
    raise ModelError(
        f"the damping of {damper.b!r} against {damper.a!r} has no symbols: its stream is a function of numbers.\n"
        "Use Damping.in_stream(...) or Damping.of_points(..., velocity=...), with functions that can be traced."
    )


def _of_time(at: RigidMotion, function: Any, what: str) -> Any:
    return expressions(call(lambda: function(Traced(at.t)), {}, what), what).reshape(6)


def _pushed(at: RigidMotion, stream: PointStream, R_ba: Any, r: Any) -> Any:
    """Σ d_p (ĥ_p; I) R_abᵀ v_p; r: of b in a."""
    h = exacts(stream.h)
    places = at.steps.names(h @ R_ba + r, Label("r", ("fluid",)))
    seen = np.vectorize(Traced, otypes=[object])(places)
    found = expressions(call(lambda: stream.velocity(Traced(at.t), seen), {}, stream.what), stream.what)  # type: ignore[arg-type]
    if found.shape != h.shape:
        raise ModelError(f"{stream.what} must have shape {h.shape}, got {found.shape}.")
    forces = exacts(stream.d)[:, None] * (found @ R_ba.T)
    return np.concatenate([sum(map(cross, h, forces), zeros(3)), forces.sum(axis=0)])
