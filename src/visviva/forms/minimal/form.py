"""Mechanisms in minimal velocities: any mechanism, with every element it has, on a spanning tree of its joints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector
from visviva.compiler import compile_mechanism, initial_x
from visviva.forms.flows.configuration import Configuration
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.minimal.closing import check_state, closed, tangent
from visviva.forms.minimal.constrained import constrained
from visviva.forms.minimal.inertial import INERTIAL
from visviva.forms.minimal.model_states import ModelStates
from visviva.forms.minimal.point import Point
from visviva.forms.minimal.state import Coordinates, start_of
from visviva.forms.minimal.turns import FollowedTurns
from visviva.integrate.inputs import TimeInputs, input_function
from visviva.integrate.joint_ranges import RangeWatch
from visviva.mechanism import Definition, Mechanism, Motion, assemble
from visviva.mechanism.linkage import Linkage, mass_vector
from visviva.mechanism.parts import Body
from visviva.mechanism.positions import close
from visviva.mechanism.singular import regularity
from visviva.mechanism.spanning.links import SIZES, q_dot
from visviva.mechanism.spanning.names import coordinate_names, velocity_names
from visviva.mechanism.spanning.spanning import Spanning, spanning
from visviva.mechanism.spanning.tree import Tree
from visviva.model import Model
from visviva.model.course import Instant
from visviva.model.inner import without_inner
from visviva.model.inner_unknowns import InnerUnknowns
from visviva.model.linked import configuration as poses_of
from visviva.numerics.constrained import Constrained
from visviva.numerics.rank import rank
from visviva.results.accounts import rate_violations


@final
@dataclass(frozen=True, eq=False)
class Solved:
    """ξ̇ and ṡ at a state, multipliers w of the rows that the tree does not hold, and velocities' rates V̇ of bodies."""

    xi_dot: Array
    s_dot: Array
    w: Array
    V_dot: Array


@final
class MinimalForm(Flow):
    """M(q) ξ̇ + c(q, ξ) = τ(q, ξ, s, t) - Zᵀw,   Z(q) ξ̇ = z(q, ξ, t),   q̇ = A(q) ξ,   ṡ = …

    Bodies move by V = S(q) ξ, by recursion over a tree that spans the mechanism; M = SᵀM_b S. All forces are those of
    the Model in Lie form, projected: every spring, damper, motor, port and thermal node comes along. Z: rows of joints
    that close loops, of gears, user constraints, rolling and drives. Konz, sections 3.4 and 3.5.

    q is redundant where a joint is a ball or free (quaternions), so that no configuration is singular.

    model:  in Lie form.   full: the same without the constraints that the tree satisfies by itself.   open: without
            unknowns of boxes and what acts on them as well.   inner: these unknowns, where there are some.
    tree:   the links.   spanning: where they come from.
    inputs: u over time.   form: how c is evaluated, see `inertial`.
    """

    def __init__(
        self, m: Mechanism | Definition | Model, form: str = "minimal", inputs: Any = None, wanted: Collection[str] = ()
    ) -> None:
        """m: a mechanism with inputs by port name, or its Model in Lie form with the `TimeInputs` made for it.

        wanted: joints whose coordinates are to be in q, where loops leave a choice.
        """
        self.inputs: TimeInputs
        self.model: Model
        self.inputs, self.model = (
            (inputs, m) if isinstance(m, Model) else input_function(compile_mechanism(m, "lie"), inputs)
        )
        assert self.model.definition is not None
        self.definition = self.model.definition
        self.form = form
        self.name = self.definition.name
        self.wanted = tuple(wanted)
        self.spanning: Spanning = spanning(self.definition, self.wanted)
        held = self.spanning.held
        structures = tuple(p for p in self.model.structures if p not in self.model.constraints or p.name not in held)
        self.full: Model = replace(self.model, structures=structures)
        self.open: Model = without_inner(self.full)
        self.inner: InnerUnknowns | None = None
        if self.open is not self.full:
            self.inner = InnerUnknowns(self.full, initial_x(self.model, assemble(self.definition, fixed=())[0]))
            self.inner.check()
        self.states = ModelStates(self.model, self.spanning, self.inner)
        self.configuration = configuration(self.tree)
        self.n, self.size_q, self.extra = self.spanning.n, self.spanning.size_q, self.states.extra
        self.q_names = coordinate_names(self.spanning)
        self.xi_names = velocity_names(self.spanning)
        self.s_names = tuple(
            name if at.stop - at.start == 1 else f"{name}[{k}]"
            for name, at in self.states.s.items()
            for k in range(at.stop - at.start)
        )
        self.names = (*self.q_names, *self.xi_names, *self.s_names)
        self._bodies()

    def _bodies(self) -> None:
        """Arrays over all bodies: link, principal axes and centre of mass there, inertia."""
        bodies = self.definition.bodies
        self.link = np.array([self.spanning.link[body.name] for body in bodies], dtype=np.intp)
        self.rigid = np.array([isinstance(body, Body) for body in bodies], dtype=bool)
        self.arm = np.array([self.tree.links[k].com for k in self.link])
        R = [self.tree.links[k].X_LB[:3, :3] for k in self.link]
        self.R_LC = np.array([Q @ b.R_BC if isinstance(b, Body) else Q for Q, b in zip(R, bodies, strict=True)])
        self.masses = np.concatenate([mass_vector(body) for body in bodies])
        self.moving = np.flatnonzero(np.concatenate([np.arange(6) >= 3 * (not rigid) for rigid in self.rigid]))
        diagonals = np.zeros(6 * len(bodies))
        diagonals[self.moving] = self.masses
        self.inertias = np.eye(6) * diagonals.reshape(-1, 1, 6)
        self.at_z = self.model.layout.act(tuple(self.model.kinetic))

    @property
    def solves(self) -> bool:
        """Whether it has multipliers, or unknowns of boxes."""
        return self.inner is not None or bool(self.open.kinds)

    @property
    def tree(self) -> Tree:
        """The links."""
        return self.spanning.tree

    @cached_property
    def lengths(self) -> Array:
        """Sizes of the increments (n,): 1 of angles, a length of the mechanism of shifts."""
        length = self.linkage.length
        units = {"hinge": [1.0], "slider": [length], "ball": [1.0] * 3, "free": [1.0] * 3 + [length] * 3, "fixed": []}
        return np.array([unit for link in self.tree.links for unit in units[link.kind]])

    def sizes(self, q: Array) -> Array:
        """Radians, and lengths relative to that of the mechanism."""
        return self.lengths

    def gyroscopic(self, V: Array) -> Array:
        """ω x Jω of all bodies at velocities V (..., m), over these."""
        both = np.zeros((*V.shape[:-1], 6 * len(self.rigid)))
        both[..., self.moving] = V
        w = both.reshape(*V.shape[:-1], len(self.rigid), 6)[..., :3]
        J, moments = np.diagonal(self.inertias, axis1=1, axis2=2)[:, :3], np.zeros((*w.shape[:-1], 6))
        moments[..., :3] = np.cross(w, J * w)
        return moments.reshape(both.shape)[..., self.moving]

    # -- states -------------------------------------------------------------------------------------------------

    @cached_property
    def initial(self) -> Coordinates:
        """The mechanism as assembled."""
        return self.coordinates(assemble(self.definition)[0])

    @cached_property
    def initial_s(self) -> Array:
        """The other states as assembled, whatever velocities were given."""
        if not self.extra:
            return np.zeros(0)
        return self.states.s_of(initial_x(self.model, assemble(self.definition, fixed=())[0]))

    def coordinates(self, state: Any) -> Coordinates:
        """(q, ξ, s) of a Model's state x, a `State` of a run, or a motion of `m.assemble()`; see `reading`."""
        from visviva.forms.minimal.reading import coordinates

        return coordinates(self, state)

    def motion(self, q: Array, xi: Array | None = None, s: Array | None = None) -> Motion:
        """The motion of the mechanism at (q, ξ, s): what all that takes a state of a mechanism takes."""
        from visviva.forms.minimal.reading import motion_at_point

        return motion_at_point(self, self.at(q, xi, s))

    def checked(self, initial: Any) -> FlowState:
        """Where a run starts: as assembled, at what `coordinates` takes, or at (q, ξ, s); s may be left out."""
        state = Flow.checked(self, start_of(self, initial))
        point = Point(self, state.q, state.xi, state.s)
        check_state(self, point, self._u(state.t, point))
        return state

    def at(self, q: Array, xi: Array | None = None, s: Array | None = None) -> Point:
        """Everything at one state; ξ defaults to zero, s to what it is as assembled."""
        q = finite_vector(q, f"coordinates q of {self.name!r}", self.size_q)
        xi = np.zeros(self.n) if xi is None else finite_vector(xi, f"velocities xi of {self.name!r}", self.n)
        if s is None:
            s = self.initial_s
        return Point(self, q, xi, finite_vector(s, f"states s of {self.name!r}", self.extra))

    def x(self, q: Array, xi: Array | None = None, s: Array | None = None) -> Array:
        """The Model's state."""
        return self.at(q, xi, s).x

    def cautions(self, nodes: Sequence[FlowState]) -> list[str]:
        """Of joints that leave their ranges."""
        ranges = RangeWatch(self.model)
        if ranges.looks:
            ranges.look(np.array([node.t for node in nodes]), np.array([self.x(node.q) for node in nodes]))
        return ranges.notes()

    # -- equations ----------------------------------------------------------------------------------------------

    def S(self, q: Array) -> Array:
        """Velocities of all bodies in the Model are S(q) ξ, (m, n)."""
        return self.at(q).S

    def mass_matrix(self, q: Array) -> Array:
        """M(q)."""
        return self.at(q).M

    def bias(self, q: Array, xi: Array) -> Array:
        """c(q, ξ), the inertia forces without accelerations, in the way of the form."""
        return INERTIAL[self.form](self.at(q, xi))

    def forces(self, q: Array, xi: Array, s: Array | None = None, *, t: float = 0.0, u: Any = None) -> Array:
        """τ: all that acts but inertia and reactions; inputs as they are at t, or u."""
        point = self.at(q, xi, s)
        return point.force(self._u(t, point, u))

    def constraints(self, q: Array) -> Array:
        """Z(q), rows over ξ that the tree does not hold, (k, n)."""
        return self.at(q).Z

    def accelerations(
        self,
        q: Array,
        xi: Array,
        s: Array | None = None,
        *,
        t: float = 0.0,
        u: Any = None,
        u_dot: Any = None,
        tau: Array | None = None,
    ) -> Array:
        """ξ̇ at a state that satisfies the constraints, else an error.

        u, u_dot: inputs and rates of those that drive; default: as they are at t.   tau: further generalised forces.
        """
        point, t = self.at(q, xi, s), finite_number(t, "time t")
        inputs = self._u(t, point, u)
        check_state(self, point, inputs)
        rates = self._driven(t) if u_dot is None else finite_vector(u_dot, "u_dot", len(inputs))
        return self.solve(point, inputs, rates, tau).xi_dot

    def inverse_dynamics(
        self, q: Array, xi: Array, xi_dot: Array, s: Array | None = None, *, t: float = 0.0, u: Any = None
    ) -> Array:
        """Further generalised forces M ξ̇ + c - τ that accelerations ξ̇ take, reactions of loops among them."""
        point = self.at(q, xi, s)
        xi_dot = finite_vector(xi_dot, f"accelerations xi_dot of {self.name!r}", self.n)
        return point.M @ xi_dot + INERTIAL[self.form](point) - point.force(self._u(t, point, u))

    def reactions(self, q: Array, xi: Array, s: Array | None = None, *, t: float = 0.0) -> dict[str, Array]:
        """Reactions by name of joint or constraint: see `reactions`."""
        from visviva.forms.minimal.reactions import reactions

        point = self.at(q, xi, s)
        u = self._u(t, point)
        check_state(self, point, u)
        return reactions(self, point, u, self._driven(t))

    def solve(self, point: Point, u: Array, u_dot: Array, tau: Array | None = None) -> Solved:
        """Accelerations and multipliers; nothing is checked."""
        force = point.force(u) - INERTIAL[self.form](point)
        if tau is not None:
            force = force + finite_vector(tau, f"forces tau on {self.name!r}", self.n)
        found = self.constrained(point, force, point.row_rates(u_dot))
        V_dot = point.S @ found.a + point.S_dot @ point.xi
        flow = point.flow(u, V_dot)
        s_dot = [flow[self.open.layout.z[name]] for name in self.states.s]
        return Solved(found.a, np.concatenate([np.zeros(0), *s_dot]), found.w, V_dot)

    def constrained(self, point: Point, b: Array, z: Array) -> Constrained:
        """M a + Zᵀw = b, Z a = z."""
        who = f"mechanism {self.name!r}"
        terms, here = point.row_terms, lambda: self.rank_at(point.q)
        return constrained(point.M, point.Z, b, z, self.xi_names, who, self.rank, terms, here, self.lengths)

    @cached_property
    def rank(self) -> int:
        """Number of independent rows among those that the tree does not hold, at a regular configuration."""
        if not self.open.constraints:
            return 0
        kept = regularity(self.linkage, close(self.linkage, self.linkage.kinematics.as_built)).kept
        return int(kept.sum()) - (len(self.masses) - self.n)

    @cached_property
    def position_rank(self) -> int:
        """Number of independent rows among those that keep positions, as assembled."""
        point, held = self.at(self.initial.q), self.open.has_g
        unit = point.velocity_units
        return rank(point.Z[held] * unit, np.linalg.norm(point.row_terms[held] * unit, axis=1))

    def rank_at(self, q: Array) -> int:
        """The same at one configuration that satisfies the constraints: fewer where it is singular."""
        if not self.open.constraints:
            return 0
        place = self.linkage.kinematics.place(poses_of(self.model, self.linkage, self.at(q).x))
        return self.linkage.rank(place) - (len(self.masses) - self.n)

    @cached_property
    def linkage(self) -> Linkage:
        """Its rows over the velocities of all bodies."""
        return Linkage(self.definition)

    def unconstrained(self, M: Array, b: Array) -> Array:
        """M⁻¹ b."""
        none = np.zeros((0, self.n)), np.zeros(0)
        who = f"mechanism {self.name!r}"
        return constrained(M, none[0], b, none[1], self.xi_names, who, sizes=self.lengths).a

    # -- flow ---------------------------------------------------------------------------------------------------

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """(ξ̇, ṡ)."""
        point = Point(self, q, xi, s)
        found = self.solve(point, self._u(t, point), self._driven(t))
        return found.xi_dot, found.s_dot

    def q_dot(self, q: Array, xi: Array) -> Array:
        """A(q) ξ, the rates of the coordinates themselves, for solvers that know nothing of rotations."""
        links = zip(self.tree.links, self.spanning.places, strict=True)
        return np.concatenate([np.zeros(0), *(q_dot(link.kind, q[at.q], xi[at.xi]) for link, at in links)])

    def advance_q(self, q: Array, delta: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.advance(q, delta)

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.inverse_tangent(delta, xi)

    def energy(self, q: Array, xi: Array, s: Array | None = None) -> float:
        """Stored energy [J], that of thermal nodes included."""
        return float(self.open.energy(self.at(q, xi, s).x))

    def energies(self, q: Array, xi: Array, s: Array | None = None) -> dict[str, float]:
        """Stored energy [J] by component."""
        return {name: float(value) for name, value in self.open.energies(self.at(q, xi, s).x).items()}

    def kinetic_energy(self, q: Array, xi: Array) -> float:
        """½ ξᵀM ξ [J]."""
        V = self.at(q, xi).V
        return float(0.5 * self.masses @ V**2)

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """The rate of the energy [W]: what inputs and drives supply, less the heat that leaves.

        Ḣ + θ0 Ṡ = yᵀu - zᵀR z + θ0 Ṡ with the entropy S of thermal nodes, which keep what friction gives them.
        """
        point = Point(self, q, xi, s)
        u = self._u(t, point)
        model, z = self.full, point.all_efforts(u, self.solve(point, u, self._driven(t)) if self.solves else None)
        power = float(model.outputs(point.x, z) @ u - model.heats(point.x, z).sum())
        hot = [model.layout.z[variable.name] for variable in model.variables if variable.entropy]
        flow = model.flow(point.x, z, u) if hot else z
        return power + model.theta0 * float(sum(flow[at].sum() for at in hot))

    def violations(self, state: FlowState) -> dict[str, float | None]:
        """Of what the tree does not hold by itself, as the audit of a Run has it."""
        if not self.open.constraints:
            return {}
        point = Point(self, state.q, state.xi, state.s)
        positions, rows = self.open.has_g, self.open.g_scale(point.x)
        value, terms, most = rate_violations(self.open, point.x, self._u(state.t, point))
        speed = np.sqrt(float(state.xi @ point.M @ state.xi) / self.open.largest_mass(point.x))
        size = np.maximum(terms, most * speed)  # where a row has no terms, rounding is not measured by rounding
        found: dict[str, float | None] = {"g_v": float((value / np.where(size > 0, size, 1.0)).max(initial=0.0))}
        if positions.any():
            found["g"] = float((np.abs(self.open.g(point.x)) / rows)[positions].max())
        else:
            found["g"] = None
        return found

    def projected(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array, Array]:
        """The nearest state, in the metric of kinetic energy, that satisfies all constraints.

        An error if the positions cannot be closed from here.
        """
        if not self.open.constraints:
            return q, xi, s
        point = closed(self, Point(self, q, xi, s))
        xi = tangent(self, point, self._u(t, point))
        return point.q, xi, self.states.s_of(point.x)

    def inputs_at(self, t: float, point: Point) -> tuple[Array, Array]:
        """u, and u̇ of what drives."""
        return self._u(t, point), self._driven(t)

    def _u(self, t: float, point: Point, u: Any = None) -> Array:
        if u is not None:
            return finite_vector(u, f"inputs u of {self.name!r}", len(self.inputs.base))
        if not self.open.feedback:
            return self.inputs(t)
        course = Instant(self.model, point.x, self.turns.angles(point))
        return self.open.supplied(t, point.x, point.z, self.inputs(t), course)

    @cached_property
    def turns(self) -> FollowedTurns:
        """Angles of joints over many turns."""
        return FollowedTurns(self)

    def _driven(self, t: float) -> Array:
        """Rates of what drives prescribe, zero for other inputs."""
        rates = np.zeros(len(self.inputs.base))
        for name, law in self.inputs.laws.items():
            rates[self.inputs.columns[name]] = law.acceleration(t)
        return rates


def configuration(tree: Tree) -> Configuration:
    """The space of its coordinates."""
    return Configuration(tuple(k if k in ("ball", "free") else SIZES[k][0] for k in (link.kind for link in tree.links)))
