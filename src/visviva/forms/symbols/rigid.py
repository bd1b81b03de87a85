"""Equations of a rigid system, in the coordinates and velocities of its parameterisation, as SymPy."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.commutation import commutation, symbolic_commutation
from visviva.forms.calculus.coordinates import JointEdge
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.rigid.constraints import AbstractConstraint, Geometric, Kinematic, Pfaffian
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.loops import LOCKED, Closure, Loop
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.springs.chord import ChordEnergy
from visviva.forms.springs.given import GivenEnergy
from visviva.forms.springs.spring import Spring
from visviva.forms.symbols.equations import SymbolicEquations
from visviva.forms.symbols.frames import Frame, frames_of
from visviva.forms.symbols.inertia import Carried, Inertia
from visviva.forms.symbols.moving import Moving, axis_on, dot, function_of, point_on, stacked
from visviva.forms.symbols.parameters import Parameters, directions, exacts, tidy
from visviva.forms.symbols.poses import edge_of
from visviva.forms.symbols.rows import ConstraintRows
from visviva.forms.symbols.steps import Steps, cross, matrix_of, zeros
from visviva.language.trace import Traced, call, expressions
from visviva.views.equations_names import Label


def of_rigid_system(system: RigidSystem, form: str, numeric: bool, simplify: bool | None) -> SymbolicEquations:
    """The equations of a system whose poses, kinematics and constraints are expressions or can be traced."""
    return _Builder(system, numeric).equations(form, simplify)


@final
class _Builder:
    def __init__(self, system: RigidSystem, numeric: bool) -> None:
        self.system, self.p = system, system.parameterisation
        self.steps = Steps()
        self.parameters = Parameters(self.steps, numeric)
        symbol = self.steps.symbol
        self.q, self.xi = (
            np.array([symbol(Label(name)) for name in names], dtype=object)
            for names in (self.p.coordinates, self.p.velocities)
        )
        self.xi_dot = [symbol(Label(name).rate, Label(name).dotted) for name in self.p.velocities]
        self.momenta = [symbol(Label("p", (name,))) for name in self.p.velocities]
        self.t = symbol(Label("t"))
        self.A = self.p.A_map.expressions(list(self.q))
        self.q_dot = self.steps.names(self.A @ self.xi, Label("qdot"))
        self.frames = self._frames()

    def _frames(self) -> dict[str, Frame]:
        """All frames, and those at the far ends of edges that close loops, by the names of the closures."""
        graph, closures = self.p.graph, self.system.closures
        number = {name: k - 1 for k, name in enumerate(self.p.frames)}
        edges = [edge_of(e, number[e.a], list(self.q), self.A, self.xi, self.steps) for e in graph.tree]
        order = [e.b for e in graph.tree]
        edges += [edge_of(c.edge, number[c.edge.a], list(self.q), self.A, self.xi, self.steps) for c in closures]
        found = frames_of(edges, self.xi, self.steps)
        return dict(zip([*order, *(c.name for c in closures), "ground"], found, strict=True))

    def equations(self, form: str, simplify: bool | None) -> SymbolicEquations:
        """All of it."""
        names = {s: str(s) for s in (*self.q, *self.xi)}
        bodies, frames = self._bodies(), list(self.frames.values())
        inertia = Inertia(bodies, frames, self.xi, self.steps)
        forces: dict[str, Any] = {}
        energies: dict[str, Any] = {}
        gravity = self.parameters.vector(self.system.gravity, Label("g"), "m/s²")
        if any(gravity):
            forces["gravity"], energies["gravity"] = inertia.weight(gravity)
        for k, spring in enumerate(self.system.springs):
            name = f"spring {spring.a} {spring.b} {k + 1}"
            forces[name], energies[name] = self._spring(spring)
        slope = -sum(forces.values(), zeros(len(self.xi)))
        for k, damper in enumerate(self.system.dampers):
            forces[f"damper {damper.a} {damper.b} {k + 1}"] = self._damper(damper)
        if self.system.force is not None:
            forces["force"] = self._force()
        return SymbolicEquations(
            name=self.system.name,
            form=form,
            q=tuple(self.q),
            xi=tuple(self.xi),
            xi_dot=tuple(self.xi_dot),
            p=tuple(self.momenta),
            s=(),
            u=(),
            t=self.t,
            A=matrix_of(self.A),
            rows=tuple(self._rows(c) for c in self.system.every_constraint),
            values=self.parameters.values,
            units=self.parameters.units,
            names=names,
            commutation=self._gamma,
            steps=self.steps,
            inertia=inertia,
            simplify=simplify,
            acting=forces,
            stored=energies,
            slope=slope,
            states=zeros(0),
        )

    def _gamma(self) -> Any:
        """γ_ij^k: constant for ready-made joints."""
        if all(isinstance(edge, JointEdge) for edge in self.p.edges):
            return directions(commutation(self.p, self.p.q0))
        return symbolic_commutation(self.A, list(self.q))

    def _bodies(self) -> list[Carried]:
        number = {name: k for k, name in enumerate(self.frames)}
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

    # -- springs and dampers --------------------------------------------------------------------------------------

    def _pose(self, a: Frame, b: Frame, X_a: Any = None, X_b: Any = None) -> Moving:
        """The twelve numbers of the pose of b in a, row by row of (R, r); X_a, X_b: of frames fixed in them."""
        R_a, r_a = self._fixed(X_a)
        R_b, r_b = self._fixed(X_b)
        d = point_on(b, r_b, self.steps, Label("d")) - point_on(a, r_a, self.steps, Label("d"))
        axes_a = [axis_on(a, R_a[:, i], self.steps, Label("e")) for i in range(3)]
        axes_b = [axis_on(b, R_b[:, j], self.steps, Label("e")) for j in range(3)]
        rows = [stacked([*(dot(axis, other) for other in axes_b), dot(axis, d)]) for axis in axes_a]
        return stacked(rows).named(self.steps, Label("X"))

    def _fixed(self, X: Any) -> tuple[Any, Any]:
        if X is None:
            return exacts(np.eye(3)), zeros(3)
        return directions(X.R), exacts(tidy(X.r))

    def _spring(self, spring: Stiffness | Spring) -> tuple[Any, Any]:
        """Force -∂V and energy V of the relative pose."""
        import sympy

        y = self._pose(self.frames[spring.a], self.frames[spring.b])
        X = np.array(sympy.symbols("X0:12", real=True), dtype=object)
        V = self._energy(spring, X)
        at = dict(zip(X, y.value, strict=True))
        e = self.steps.names([V.diff(x).xreplace(at) for x in X], Label("e"))
        return -y.row.T @ e, V.xreplace(at)

    def _energy(self, spring: Stiffness | Spring, X: Any) -> Any:
        law = spring.law if isinstance(spring, Spring) else spring
        rest = exacts(np.eye(4)[:3])
        match law:
            case Stiffness():
                d = X.reshape(3, 4) - exacts(law.rest.matrix[:3])
                return sum(row @ exacts(law.moments.matrix) @ row for row in d) / 2 + exacts([law.V_0])[0]
            case ChordEnergy():
                back = law.rest.inverse().matrix
                moved = exacts(back[:3, :3]) @ X.reshape(3, 4)
                moved[:, 3] = moved[:, 3] + exacts(back[:3, 3])
                d = (moved - rest).ravel()
                return d @ exacts(law.form) @ d / 2 + exacts([law.V_0])[0]
            case GivenEnergy():
                return law.V.expressions(list(X)).item()
        raise ModelError(
            f"the spring between {spring.a!r} and {spring.b!r} has no symbols: its {type(law).__name__} is numeric.\n"
            "Springs with symbols are Stiffness, ChordEnergy and GivenEnergy(function)."
        )

    def _damper(self, damper: Damping) -> Any:
        """-J_abᵀ D V_ab."""
        if damper.stream is not None:
            raise ModelError(
                f"the damping of {damper.b!r} against {damper.a!r} has no symbols: its fluid moves by numbers."
            )
        a, b = self.frames[damper.a], self.frames[damper.b]
        R = self.steps.names(b.R.T @ a.R, Label("R", (damper.b, damper.a)))
        r = b.R.T @ (b.r - a.r)  # from a to b, in b
        D = exacts(damper.moments.spatial())

        def relative(own: Any, other: Any) -> Any:
            w, v = R @ other[:3], R @ other[3:]
            return np.concatenate([own[:3] - w, own[3:] - v + cross(r, w)])

        label = Label("V", (damper.b, damper.a))
        J = self.steps.names(relative(b.J, a.J), label.at("J"))
        return -J.T @ (D @ self.steps.names(relative(b.V, a.V), label))

    def _force(self) -> Any:
        force = self.system.force
        assert force is not None
        q, xi = (np.array([Traced(s) for s in each], dtype=object) for each in (self.q, self.xi))
        found = expressions(call(lambda: force(Traced(self.t), q, xi), {}, "force"), "force")  # type: ignore[arg-type]
        return found.reshape(len(self.xi))

    # -- constraints ------------------------------------------------------------------------------------------------

    def _rows(self, part: AbstractConstraint) -> ConstraintRows:
        if any(part.baumgarte):
            raise ModelError(
                f"constraint {part.name!r} is stabilised: its symbols are those without, baumgarte=(0, 0)."
            )
        what, q = f"constraint '{part.name}'", list(self.q)
        match part:
            case Geometric() if part.slope is None:
                map_ = map_of(part.psi, Arguments((("q", self.p.coordinates),), time=True), what, (None,))
                return self._geometric(part.name, map_.expressions([*q, self.t]))
            case Pfaffian():
                map_ = map_of(part.rows, self.p.arguments, what, (None, self.p.n if part.of == "xi" else self.p.size_q))
                Z = map_.expressions(q)
                Z = Z if part.of == "xi" else Z @ self.A
                return ConstraintRows(part.name, "nonholonomic", None, Z, zeros(len(Z)), -self._along(Z) @ self.xi)
            case Kinematic():
                map_ = map_of(part.eta, self.p.motion, what, (None,))
                eta = map_.expressions([*q, *self.xi, self.t])
                Z = np.array([[entry.diff(x) for x in self.xi] for entry in eta], dtype=object)
                return ConstraintRows(part.name, "nonholonomic", None, Z, Z @ self.xi - eta, -self._along(eta))
            case Loop():
                a, b = self.frames[part.a], self.frames[part.b]
                return self._closing(part.name, self._pose(a, b, part.X_aJ, part.X_bJ), part.kind)
            case Closure():
                return self._closing(part.name, self._pose(self.frames[part.name], self.frames[part.edge.b]), "fixed")
        raise ModelError(f"{what} has no symbols: it is given by functions of numbers ({type(part).__name__}).")

    def _geometric(self, name: str, psi: Any) -> ConstraintRows:
        Z = np.array([[self._slope(entry, i) for i in range(len(self.xi))] for entry in psi], dtype=object)
        r = -np.array([entry.diff(self.t) for entry in psi], dtype=object)
        return ConstraintRows(name, "holonomic", psi, Z, r, -self._along(Z) @ self.xi + self._along(r))

    def _closing(self, name: str, X: Moving, kind: str) -> ConstraintRows:
        """2 tan(θ/2) n and shifts: see `forms.rigid.loops`."""
        import sympy

        x = sympy.symbols("X0:12", real=True)
        M = [x[4 * i : 4 * i + 4] for i in range(3)]
        turns, shifts = LOCKED[kind]
        rows: list[Any] = []
        if turns == "all":
            below = 1 + M[0][0] + M[1][1] + M[2][2]
            rows += [2 * (M[i][j] - M[j][i]) / below for i, j in ((2, 1), (0, 2), (1, 0))]
        elif turns == "tilt":
            rows += [2 * M[i][2] / (1 + M[2][2]) for i in range(2)]
        rows += [M[i][3] for i in shifts]
        y = stacked([function_of(row, x, X) for row in rows]).named(self.steps, Label("y"))
        return ConstraintRows(name, "holonomic", y.value, y.row, zeros(len(rows)), -y.bias)

    def _slope(self, entry: Any, i: int) -> Any:
        """∂_i."""
        return sum(entry.diff(s) * a for s, a in zip(self.q, self.A[:, i], strict=True))

    def _along(self, values: Any) -> Any:
        """Rate along the motion without ξ̇."""
        found = np.empty(np.shape(values), dtype=object)
        for at in np.ndindex(found.shape):
            entry = values[at]
            found[at] = entry.diff(self.t) + sum(
                entry.diff(s) * d for s, d in zip(self.q, self.q_dot, strict=True) if entry.has(s)
            )
        return found
