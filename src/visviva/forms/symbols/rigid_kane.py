"""A rigid system as a Kane system: its twists as expressions, for poses that depend on time."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.charts import AbstractGroupChart
from visviva.forms.calculus.coordinates import JointEdge
from visviva.forms.calculus.edges import AbstractEdge, adjoint, inverse_pose
from visviva.forms.calculus.graph import GROUND
from visviva.forms.kane.body import KaneBody
from visviva.forms.kane.description import kane
from visviva.forms.kane.system import KaneSystem, tidy
from visviva.forms.rigid.damping import Damping, RigidStream
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.springs.chord import ChordEnergy
from visviva.forms.springs.logarithm import LogarithmEnergy
from visviva.forms.springs.spring import Spring
from visviva.forms.symbols.parameters import Parameters, exacts
from visviva.forms.symbols.parameters import tidy as rounded
from visviva.forms.symbols.poses import pose_expression
from visviva.forms.symbols.rigid_acting import pose_energy
from visviva.forms.symbols.steps import Steps, cross, zeros


def kane_of_rigid(system: RigidSystem) -> KaneSystem:
    """The same bodies, springs, dampers and forces with V = J ξ + W as expressions; all numbers are put in."""
    import sympy

    p = system.parameterisation
    if system.every_constraint:
        names = ", ".join(repr(part.name) for part in system.every_constraint)
        raise ModelError(
            f"{system.name!r} has poses that depend on time, and the constraints {names}: Kane's equations, which are\n"
            "those of such poses in symbols, have no multipliers. Choose velocities that satisfy them by themselves."
        )
    q, xi = ([sympy.Symbol(name, real=True) for name in names] for names in (p.coordinates, p.velocities))
    t = sympy.Symbol("t", real=True)
    q_dot = p.A_map.expressions(q) @ np.array(xi, dtype=object)
    changes = [*zip(q, q_dot, strict=True), (t, sympy.Integer(1))]
    frames = {GROUND: (exacts(np.eye(4)), zeros(6))}
    for edge in p.graph.tree:
        X, V = pose_expression(edge, q), _edge_twist(edge, q, xi, changes)
        X_a, V_a = frames[edge.a]
        frames[edge.b] = (_short(X_a @ X), _short(_carried(X, V_a) + V))
    bodies, potential = dict[str, KaneBody](), sympy.Integer(0)
    gravity = exacts(system.gravity)
    for name, moments in system.bodies.items():
        X, V = frames[name]
        m = moments.total
        com = moments.first / m if m else np.zeros(3)
        hat = np.cross(np.eye(3), com)
        J = rounded(moments.spatial()[:3, :3] - m * hat @ hat.T, float(np.abs(moments.spatial()[:3, :3]).max()) or 1.0)
        c = exacts(com)
        v = V[3:] + cross(V[:3], c)
        potential -= sympy.Float(m) * (gravity @ (X[:3, 3] + X[:3, :3] @ c))
        bodies[name] = (
            KaneBody(mass=m, v=list(v), w=list(V[:3]), inertia=J, axes="body")
            if J.any()
            else KaneBody(mass=m, v=list(_short(X[:3, :3] @ v)))
        )
    parameters = Parameters(Steps(), numeric=True)
    for k, spring in enumerate(system.springs):
        X = _relative(frames[spring.a][0], frames[spring.b][0])
        law = spring.law if isinstance(spring, Spring) else spring
        if isinstance(law, ChordEnergy | LogarithmEnergy):
            X = exacts(inverse_pose(law.rest.matrix)) @ X
        potential += pose_energy(spring, law, X[:3], parameters, f"spring {k + 1}")
    force = zeros(p.n)
    for damper in system.dampers:
        force = force + _drag(damper, frames, xi)
    if system._force is not None:
        force = force + system._force.expressions([*q, *xi, t]).reshape(p.n)
    tau = {name: entry for name, entry in zip(p.velocities, force, strict=True) if entry != 0}
    return kane(
        system.name, p.coordinates, p.velocities, q_dot=list(q_dot), bodies=bodies, V=potential, tau=tau
    )  # fmt: skip


def _edge_twist(edge: AbstractEdge, q: Any, xi: Any, changes: Any) -> Any:
    """(ω; v) of frame b against frame a, in its own axes."""
    if isinstance(edge, JointEdge) and isinstance(edge.joint.chart, AbstractGroupChart):
        S = adjoint(inverse_pose(edge.joint.X_Kb)) @ edge.joint.chart.S
        return exacts(rounded(S)) @ np.array(xi, dtype=object)[edge.move]
    X = pose_expression(edge, q)
    rate = np.array([[sum(e.diff(s) * d for s, d in changes) for e in row] for row in X[:3]], dtype=object)
    turn = X[:3, :3].T @ rate[:, :3]
    return np.array([turn[2, 1], turn[0, 2], turn[1, 0], *(X[:3, :3].T @ rate[:, 3])], dtype=object)


def _carried(X: Any, V: Any) -> Any:
    """Ad(X)⁻¹ V."""
    return np.concatenate([X[:3, :3].T @ V[:3], X[:3, :3].T @ (V[3:] + cross(V[:3], X[:3, 3]))])


def _relative(X_a: Any, X_b: Any) -> Any:
    """X_a⁻¹ X_b."""
    X = exacts(np.eye(4))
    X[:3, :3], X[:3, 3] = X_a[:3, :3].T @ X_b[:3, :3], X_a[:3, :3].T @ (X_b[:3, 3] - X_a[:3, 3])
    return _short(X)


def _drag(damper: Damping, frames: Any, xi: Any) -> Any:
    """-J_abᵀ D (V_ab - Ad(X_ab)⁻¹ V_F)."""
    (X_a, V_a), (X_b, V_b) = frames[damper.a], frames[damper.b]
    X = _relative(X_a, X_b)
    V = V_b - _carried(X, V_a)
    J = np.array([[entry.diff(w) for w in xi] for entry in V], dtype=object)
    if damper.stream is not None:
        if not isinstance(damper.stream, RigidStream) or callable(damper.stream.twist):
            raise ModelError(
                f"the damping of {damper.b!r} against {damper.a!r} has no symbols beside poses that depend on time:\n"
                "its stream is a function. Give the fluid a frame of its own, which moves as it does."
            )
        V = V - _carried(X, exacts(damper.stream.twist))
    return -J.T @ (exacts(damper.moments.spatial()) @ V)


def _short(values: Any) -> Any:
    found = tidy(np.asarray(values, dtype=object))
    return np.array(found.tolist(), dtype=object).reshape(np.shape(values))
