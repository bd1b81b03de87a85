"""Equations of a rigid system, in the coordinates and velocities of its parameterisation, as SymPy."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from visviva.forms.calculus.commutation import commutation, symbolic_commutation
from visviva.forms.calculus.coordinates import JointEdge
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.symbols.equations import SymbolicEquations
from visviva.forms.symbols.frames import Frame, frames_of
from visviva.forms.symbols.inertia import Carried, Inertia
from visviva.forms.symbols.parameters import Parameters, directions, tidy
from visviva.forms.symbols.poses import edge_of
from visviva.forms.symbols.rigid_acting import damper_force, spring_force
from visviva.forms.symbols.rigid_motion import RigidMotion
from visviva.forms.symbols.rigid_rows import rigid_rows
from visviva.forms.symbols.steps import Steps, matrix_of, zeros
from visviva.views.equations_names import Label


def of_rigid_system(system: RigidSystem, form: str, numeric: bool, simplify: bool | None) -> SymbolicEquations:
    """The equations of a system whose poses, kinematics and constraints are expressions or can be traced."""
    return _Builder(system, numeric).equations(form, simplify)


@final
class _Builder:
    """Puts the parts together: frames, bodies, what acts, rows."""

    def __init__(self, system: RigidSystem, numeric: bool) -> None:
        self.system = system
        self.motion = rigid_motion(system)
        self.parameters = Parameters(self.motion.steps, numeric)

    def equations(self, form: str, simplify: bool | None) -> SymbolicEquations:
        """All of it."""
        at, system = self.motion, self.system
        inertia = Inertia(self._bodies(), list(at.frames.values()), at.xi, at.steps)
        forces: dict[str, Any] = {}
        energies: dict[str, Any] = {}
        gravity = self.parameters.vector(system.gravity, Label("g"), "m/s²")
        if any(gravity):
            forces["gravity"], energies["gravity"] = inertia.weight(gravity)
        for k, spring in enumerate(system.springs):
            name = f"spring {spring.a} {spring.b} {k + 1}"
            forces[name], energies[name] = spring_force(at, spring, self.parameters, name)
        slope = -sum(forces.values(), zeros(len(at.xi)))
        for k, damper in enumerate(system.dampers):
            forces[f"damper {damper.a} {damper.b} {k + 1}"] = damper_force(at, damper)
        if system.force is not None:
            forces["force"] = at.traced(system.force, "force").reshape(len(at.xi))
        velocities = system.parameterisation.velocities
        symbol = at.steps.symbol
        return SymbolicEquations(
            name=system.name,
            form=form,
            q=tuple(at.q),
            xi=tuple(at.xi),
            xi_dot=tuple(symbol(Label(name), dots=1) for name in velocities),
            p=tuple(symbol(Label("p", (name,))) for name in velocities),
            s=(),
            u=(),
            t=at.t,
            A=matrix_of(at.A),
            rows=tuple(rigid_rows(at, part, self.parameters) for part in system.every_constraint),
            values=self.parameters.values,
            units=self.parameters.units,
            names={s: str(s) for s in (*at.q, *at.xi)},
            commutation=self._gamma,
            steps=at.steps,
            inertia=inertia,
            simplify=simplify,
            acting=forces,
            stored=energies,
            slope=slope,
            states=zeros(0),
        )

    def _gamma(self) -> Any:
        """γ_ij^k: constant for ready-made joints."""
        p = self.system.parameterisation
        if all(isinstance(edge, JointEdge) for edge in p.edges):
            return directions(commutation(p, p.q0))
        return symbolic_commutation(self.motion.A, list(self.motion.q))

    def _bodies(self) -> list[Carried]:
        number = {name: k for k, name in enumerate(self.motion.frames)}
        return [self._body(frame, number[frame], moments) for frame, moments in self.system.bodies.items()]

    def _body(self, frame: str, k: int, moments: Moments) -> Carried:
        m = moments.total
        com = moments.first / m if m else np.zeros(3)
        hat = np.cross(np.eye(3), com)
        J = moments.spatial()[:3, :3] - m * hat @ hat.T
        scale = float(np.abs(moments.spatial()[:3, :3]).max())
        return Carried(
            frame,
            k,
            self.parameters.number(m, Label("m", (frame,)), "kg"),
            self.parameters.vector(com, Label("l_c", (frame,)), "m"),
            self.parameters.inertia(tidy(J, scale), Label("J", (frame,))),
        )


def rigid_motion(system: RigidSystem) -> RigidMotion:
    """Symbols and frames of a system, with those at the far ends of edges that close loops, by names of closures."""
    p, steps = system.parameterisation, Steps()
    q, xi = (
        np.array([steps.symbol(Label(name)) for name in names], dtype=object) for names in (p.coordinates, p.velocities)
    )
    t, A = steps.symbol(Label("t")), p.A_map.expressions(list(q))
    number = {name: k - 1 for k, name in enumerate(p.frames)}
    ways = [*p.graph.tree, *(closure.edge for closure in system.closures)]
    edges = [edge_of(edge, number[edge.a], list(q), A, xi, steps) for edge in ways]
    names = [*(edge.b for edge in p.graph.tree), *(closure.name for closure in system.closures), "ground"]
    frames: dict[str, Frame] = dict(zip(names, frames_of(edges, xi, steps), strict=True))
    return RigidMotion(p, q, xi, t, A, steps.names(A @ xi, Label("qdot")), frames, steps)
