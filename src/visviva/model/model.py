"""The Model: the seam between descriptions above and integrators below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask, frozen
from visviva._kinds import of_kind
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.linear import apply, transpose
from visviva.geometry.turning import continued
from visviva.mechanism import Definition
from visviva.model.batches import EnergyBatch, MatrixBatch, PlainBatch, energy_batches, plain_batches
from visviva.model.checks import check_description, check_laws, open_to_doubt
from visviva.model.closure import Closure
from visviva.model.conditioned import DrivePort
from visviva.model.course import AbstractCourse, Instant
from visviva.model.driven import row_inputs
from visviva.model.efforts import PlainEfforts, mean_efforts, plain_efforts
from visviva.model.feedback import Feedback
from visviva.model.index1 import Accelerations, accelerations
from visviva.model.layout import Index, Junction, Layout, Reservoir, Variable, lay_out
from visviva.model.measured import AbstractMeasured
from visviva.model.motion import AbstractMotion
from visviva.model.packing import pack
from visviva.model.row_units import RowUnits, row_units
from visviva.model.rows import RowKind
from visviva.model.storage import AbstractStorage, Kinetic, Linear
from visviva.model.structure import (
    AbstractConstraint,
    AbstractDissipation,
    AbstractPort,
    AbstractRouting,
    AbstractStructure,
)
from visviva.model.turn import Turn

HUGE = 1e90  # products of three such numbers, and sums of them, are finite


@final
@dataclass(frozen=True, eq=False)
class Model:
    """E(x) (ξ, ẇ) = (J(x) - R(x, z)) z + B(x) u,   y = B(x)ᵀ z,   Eᵀ z = dH(x).

    x: state in a product of Lie groups, kept in embedding coordinates;   ξ: its left-trivialised rate;
    w: algebraic unknowns (efforts of junctions, multipliers);   z = (e, w) with the efforts e of the storages.
    H is the exergy relative to the environment at `theta0` [K]; reservoirs take up what flows into them at effort
    zero and are no unknowns. The energy is H + θ0 times all entropy.
    J is skew and R symmetric ⪰ 0, hence Ḣ = yᵀu - zᵀR z: every joule is stored, supplied or turned into heat.

    All functions of x and z take any leading batch shape.

    turns: angles that a run follows continuously over many turns.
    definition, form: what the model was compiled from, and in which form, "lie" or "directors"; "" without a mechanism.
    start: values of variables where a run starts if no others are given.
    coordinates: names of the coordinates q, if the model is a Lagrangian system with the variables q and v.
    feedback: ports whose inputs follow from time, states and efforts; see `supplied`.
    closures: joints that rows on velocities hold, as functions of the state: how far they are open is measured.
    laws: functions of time that ports follow, by name, where a run gives no other inputs.
    """

    name: str
    variables: tuple[Variable, ...]
    storages: tuple[AbstractStorage, ...]
    structures: tuple[AbstractStructure, ...] = ()
    junctions: tuple[Junction, ...] = ()
    reservoirs: tuple[Reservoir, ...] = ()
    theta0: float = 300.0
    turns: tuple[Turn, ...] = ()
    definition: Definition | None = None
    feedback: tuple[Feedback, ...] = ()
    start: Mapping[str, Array] = field(default_factory=dict)
    coordinates: tuple[str, ...] = ()
    form: str = ""
    closures: tuple[Closure, ...] = ()
    laws: Mapping[str, Callable[[float], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", {name: frozen(value) for name, value in self.start.items()})
        check_description(self)

    def __repr__(self) -> str:
        """Names of what it has, without their laws."""
        named = {
            "variables": [one.name for one in self.variables],
            "ports": [one.name for one in self.ports],
            "constraints": [one.name for one in self.constraints],
        }
        listed = "; ".join(f"{what} {_listed(names)}" for what, names in named.items() if names)
        return f"Model({self.name!r}: {listed})"

    # -- layout -------------------------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> Layout:
        """Which entries of x and z belong to which name."""
        junctions = [(junction.name, junction.dim) for junction in self.junctions]
        rows = [(part.name, part.rows) for part in self.constraints]
        return lay_out(self.variables, junctions + rows, self.reservoirs)

    @cached_property
    def constraints(self) -> tuple[AbstractConstraint, ...]:
        """All constraints, in the order of their multipliers in w."""
        return tuple(of_kind(self.structures, AbstractConstraint))

    @cached_property
    def routings(self) -> tuple[AbstractRouting, ...]:
        """All that passes power on unchanged, other than constraints."""
        return tuple(of_kind(self.structures, AbstractRouting))

    @cached_property
    def dissipations(self) -> tuple[AbstractDissipation, ...]:
        """All that turns exergy into heat."""
        return tuple(of_kind(self.structures, AbstractDissipation))

    @cached_property
    def ports(self) -> tuple[AbstractPort, ...]:
        """All inputs, in the order of u."""
        return tuple(of_kind(self.structures, AbstractPort))

    @cached_property
    def port_columns(self) -> dict[str, slice]:
        """Where the inputs of each port are in u."""
        ends = np.cumsum([0, *(port.width for port in self.ports)]).tolist()
        return {port.name: slice(a, b) for port, a, b in zip(self.ports, ends, ends[1:], strict=False)}

    @cached_property
    def kinds(self) -> tuple[tuple[str, RowKind], ...]:
        """Name and kind of every algebraic row, in the order of w."""
        rows = [(junction.name, RowKind.EFFORT) for junction in self.junctions for _ in range(junction.dim)]
        return tuple(rows + [(part.name, part.kind) for part in self.constraints for _ in range(part.rows)])

    @cached_property
    def has_g(self) -> Mask:
        """Which algebraic rows keep a function of the state at zero, in the order of w."""
        rows = [np.full(part.rows, part.has_g) for part in self.constraints]
        return np.concatenate([np.zeros(sum(junction.dim for junction in self.junctions), dtype=bool), *rows])

    @cached_property
    def row_units(self) -> RowUnits:
        """Units of the functions g of constraints, in the order of their multipliers."""
        return row_units([part.degrees for part in self.constraints])

    @cached_property
    def kinetic(self) -> dict[str, Kinetic | AbstractMotion]:
        """The velocity variables with their storages."""
        return {part.variable: part for part in of_kind(self.storages, Kinetic | AbstractMotion)}

    @cached_property
    def motions(self) -> tuple[AbstractMotion, ...]:
        """Energies of position and velocity together: with them E depends on the state."""
        return tuple(of_kind(self.storages, AbstractMotion))

    @cached_property
    def places(self) -> dict[AbstractStructure, tuple[Index, Index]]:
        """What each structure reads from x, and what it acts on in z."""
        return {part: (self.layout.read(part.reads), self.layout.act(part.acts)) for part in self.structures}

    def local(
        self, part: AbstractStructure, x: Array, z: Array | None = None, ends: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """What a structure sees: the coordinates it reads and the efforts it acts on.

        ends: both ends of the step of which x is the mean, for structures that depend on them; default: x itself.
        """
        reads, acts = self.places[part]
        q, e = x[..., reads], z[..., acts] if z is not None else np.zeros((*x.shape[:-1], len(acts)))
        if part.two_ended:
            q0, q1 = (q, q) if ends is None else (np.broadcast_to(end[..., reads], q.shape) for end in ends)
            q = np.concatenate([q0, q1], axis=-1)
        return q, e

    def acts(self, part: AbstractStructure) -> Index:
        """Where the efforts that a structure acts on are in z."""
        return self.places[part][1]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those of the variables and of the constraints: what a state belongs to."""
        return (*self.layout.x, *(part.name for part in self.constraints))

    # -- energy and efforts -------------------------------------------------------------------------------------

    @cached_property
    def _energy_batches(self) -> tuple[list[EnergyBatch], list[int]]:
        return energy_batches(self.storages, self.layout, self.spaces)

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether all energies are kinetic or weights: finite at all states with entries below `HUGE`."""
        known = of_kind(self.storages, Kinetic | Linear)
        numbers = [part.M if isinstance(part, Kinetic) else part.c for part in known]
        return len(numbers) == len(self.storages) and all(np.abs(part).max(initial=0.0) < HUGE for part in numbers)

    def exergies(self, x: Array) -> Array:
        """Stored exergy of each storage [J], shape (..., storages)."""
        values = np.zeros((*np.shape(x)[:-1], len(self.storages)))
        batches, single = self._energy_batches
        for batch in batches:
            values[..., batch.which] = batch.energies(x)
        for k in single:
            part = self.storages[k]
            values[..., k] = part.H(x[..., self.layout.place(part.reads)])
        return values

    def exergy_changes(self, x0: Array, x: Array) -> tuple[Array, Array]:
        """Change of the exergy of each storage from a state x0 to others [J], and the sizes of the terms by which they
        round, shape (..., storages) both: see `AbstractStorage.change`.
        """
        changes, sizes = np.zeros((2, *np.shape(x)[:-1], len(self.storages)))
        (batches, single), (plain, _) = self._energy_batches, self.plain_energies
        alike: list[EnergyBatch | PlainBatch] = [*batches, *plain]
        for batch in alike:
            changes[..., batch.which], sizes[..., batch.which] = batch.changes(x0, x)
        for part, k in ((self.storages[k], k) for k in single):
            if not isinstance(part, Kinetic | Linear):
                at = self.layout.place(part.reads)
                changes[..., k], sizes[..., k] = part.change(x0[..., at], x[..., at])
        return changes, sizes

    def other_energies(self, x: Array) -> tuple[Array, Array]:
        """H of all storages but kinetic energies and weights [J], and `magnitude` of each; (..., k) both.

        They are in the order of `plain_energies`. Those of one law are evaluated at once: springs may be many.
        """
        batches, single = self._energy_batches
        others = self.plain_energies[1]
        column = {k: i for i, k in enumerate(others)}
        H, sizes = np.empty((2, *np.shape(x)[:-1], len(others)))
        for batch in batches:
            at = [column[int(k)] for k in batch.which]
            H[..., at], sizes[..., at] = batch.energies(x), batch.magnitudes(x)
        for k in single:
            if k in column:
                part = self.storages[k]
                q = x[..., self.layout.place(part.reads)]
                H[..., column[k]], sizes[..., column[k]] = part.H(q), part.magnitude(q)
        return H, sizes

    @cached_property
    def plain_energies(self) -> tuple[list[PlainBatch], list[int]]:
        """Kinetic energies and weights, many at a time, and the numbers of all other storages."""
        return plain_batches(self.storages, self.layout)

    @cached_property
    def kinetic_diagonal(self) -> Array | None:
        """The diagonal of all masses, in the order of `kinetic`; None where one depends on the state."""
        if not all(isinstance(part, Kinetic) for part in self.kinetic.values()):
            return None
        return np.concatenate([np.zeros(0), *(np.diag(self.mass(name, np.zeros(0))) for name in self.kinetic)])

    def largest_mass(self, x: Array) -> float:
        """The largest entry of all masses at a state; 1 where nothing moves."""
        if "mass" in self.kept:
            return float(self.kept["mass"])
        found = max((float(np.abs(self.mass(name, x)).max()) for name in self.kinetic), default=1.0)
        if self.kinetic_diagonal is not None:
            self.kept["mass"] = found
        return found

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What was found for one state and may be asked for again, see `results.rounding`."""
        return {}

    def H(self, x: Array) -> Array:
        """Total stored exergy [J]: the energy, less θ0 times the entropy stored."""
        return self.exergies(x).sum(-1)

    def energy(self, x: Array) -> Array:
        """Stored energy H + θ0 S [J], internal energy included: only work and heat that leaves change it."""
        return self.H(x) + self.theta0 * self.entropy(x)

    def energies(self, x: Array) -> dict[str, Array]:
        """Stored energy [J] by component; storages of the same name add up."""
        result: dict[str, Array] = {}
        hot = {variable.name for variable in self.variables if variable.entropy}
        exergies = self.exergies(x)
        for k, part in enumerate(self.storages):
            energy = exergies[..., k]
            if part.variable in hot:
                energy = energy + self.theta0 * x[..., self.layout.x[part.variable]].sum(-1)
            result[part.name] = result.get(part.name, 0.0) + energy
        return result

    @cached_property
    def entropy_inputs(self) -> Array:
        """Which inputs are flows of entropy: 1 for those, 0 for the others."""
        hot = {variable.name for variable in self.variables if variable.entropy}
        hot |= {junction.name for junction in self.junctions if junction.entropy}
        return np.concatenate([np.zeros(0), *(np.full(p.width, float(set(p.acts) <= hot)) for p in self.ports)])

    @cached_property
    def is_thermal(self) -> bool:
        """Whether it accounts for entropy itself; else all heat goes to an environment outside."""
        return bool(self.reservoirs) or any(variable.entropy for variable in self.variables)

    def entropy(self, x: Array) -> Array:
        """Entropy in the variables [J/K]."""
        total = np.zeros(np.shape(x)[:-1])
        for variable in self.variables:
            if variable.entropy:
                total = total + x[..., self.layout.x[variable.name]].sum(-1)
        return total

    def temperatures(self, z: Array) -> dict[str, float]:
        """Absolute temperature [K] of every entropy variable, from the efforts of one state or step."""
        hot = [variable.name for variable in self.variables if variable.entropy]
        return {name: self.theta0 + float(z[self.layout.z[name]][0]) for name in hot}

    def z(self, x: Array, w: Array | None = None) -> Array:
        """Efforts of the storages and the algebraic unknowns, with Eᵀ z = dH."""
        return self.mean_z(x, x, w)

    def mean_z(self, x0: Array, x1: Array, w: Array | None = None) -> Array:
        """The z of a step: one discrete gradient per storage, pulled back at the mean of the two states."""
        return mean_efforts(self, self._energy_batches[0], self._plain_efforts, x0, x1, w)

    @cached_property
    def _plain_efforts(self) -> PlainEfforts:
        return plain_efforts(self, self._energy_batches[1])

    @cached_property
    def spaces(self) -> dict[str, AbstractSpace]:
        """Those of the variables, by name."""
        return {variable.name: variable.space for variable in self.variables}

    # -- the matrices -------------------------------------------------------------------------------------------

    def E(self, x: Array, ends: tuple[Array, Array] | None = None) -> Array:
        """Identity for state variables and reservoirs, M for velocities, zero for the rest; ends: as for `local`."""
        E = np.zeros((*np.shape(x)[:-1], self.layout.total, self.layout.total))
        for rows in (np.arange(self.layout.dim), np.arange(self.layout.solved, self.layout.total)):
            E[..., rows, rows] = 1.0
        for name in self.kinetic:
            E[..., self.layout.z[name], self.layout.z[name]] = self.mass(name, x, ends)
        return E

    def mass(self, name: str, x: Array, ends: tuple[Array, Array] | None = None) -> Array:
        """M of a velocity variable, its part of E."""
        part = self.kinetic[name]
        if isinstance(part, Kinetic):
            return part.M
        both = self.layout.read(part.reads)
        return part.mass(*(end[..., both] for end in ends or (x, x)))

    def J(self, x: Array) -> Array:
        """Interconnection, skew."""
        J = np.zeros((*np.shape(x)[:-1], self.layout.total, self.layout.total))
        for routing in self.routings:
            acts = self.acts(routing)
            J[..., acts[:, None], acts] += routing.J(self.local(routing, x)[0])
        for part in self.constraints:
            rows, acts, C = self.layout.act((part.name,)), self.acts(part), part.C(self.local(part, x)[0])
            J[..., rows[:, None], acts] += C
            J[..., acts[:, None], rows] -= transpose(C)
        return J

    def R(self, x: Array, z: Array | None = None) -> Array:
        """Dissipation, symmetric ⪰ 0; z defaults to the efforts of x without multipliers."""
        z = self.z(x) if z is None else z
        R = np.zeros((*np.shape(x)[:-1], self.layout.total, self.layout.total))
        for part in self.dissipations:
            acts = self.acts(part)
            R[..., acts[:, None], acts] += part.R(*self.local(part, x, z))
        return R

    def B(self, x: Array) -> Array:
        """Input matrix, one column per input."""
        B = np.zeros((*np.shape(x)[:-1], self.layout.total, sum(port.width for port in self.ports)))
        for port in self.ports:
            B[..., self.acts(port), self.port_columns[port.name]] += port.B(self.local(port, x)[0])
        return B

    def C(self, x: Array) -> Array:
        """All constraint rows, over the efforts of the variables and of the junctions."""
        first = self.layout.dim + sum(junction.dim for junction in self.junctions)
        return self.J(x)[..., first : self.layout.solved, :first]

    def flow(self, x: Array, z: Array, u: Array, ends: tuple[Array, Array] | None = None) -> Array:
        """(J - R) z + B u, without building the matrices; ends: of the step of which x is the mean."""
        f = np.zeros((*np.broadcast_shapes(np.shape(x)[:-1], np.shape(z)[:-1]), self.layout.total))
        for routing in self.routings:
            q, e = self.local(routing, x, z, ends)
            f[..., self.acts(routing)] += apply(routing.J(q), e)
        for constraint in self.constraints:
            q, e = self.local(constraint, x, z, ends)
            rows, C = self.layout.z[constraint.name], constraint.C(q)
            f[..., rows] += apply(C, e)
            f[..., self.acts(constraint)] -= apply(transpose(C), z[..., rows])
        for part in self.dissipations:
            q, e = self.local(part, x, z, ends)
            f[..., self.acts(part)] -= apply(part.R(q, e), e)
        for port in self.ports:
            B = port.B(self.local(port, x, ends=ends)[0])
            f[..., self.acts(port)] += apply(B, u[..., self.port_columns[port.name]])
        return f

    def supplied(self, t: float | Array, x: Array, z: Array, u: Array, course: AbstractCourse | None = None) -> Array:
        """The inputs u with those of feedback filled in, shape (..., inputs).

        course: how the motion goes, default: the instant x with angles in (-π, π].
        """
        if not self.feedback:
            return u
        course = Instant(self, x) if course is None else course
        u = np.array(np.broadcast_to(u, (*np.shape(x)[:-1], u.shape[-1])))
        seen, sensors = list[Array](), None
        for part in self.feedback:
            if part.sensors is not sensors:  # laws of several ports have the same ones, which are read once
                seen, sensors = part.sensed(course), part.sensors
            q, e = x[..., self.layout.read(part.reads)], z[..., self.layout.act(part.feels)]
            u[..., self.port_columns[part.port]] = part.inputs(np.asarray(t)[..., None], q, e, seen)
        return u

    def outputs(self, x: Array, z: Array, ends: tuple[Array, Array] | None = None) -> Array:
        """y = Bᵀ z, conjugate to u: yᵀu is the power that the inputs supply; ends: as for `flow`."""
        y = np.zeros((*np.shape(x)[:-1], sum(port.width for port in self.ports)))
        for port in self.ports:
            q, e = self.local(port, x, z, ends)
            y[..., self.port_columns[port.name]] = apply(transpose(port.B(q)), e)
        return y

    def heats(self, x: Array, z: Array, ends: tuple[Array, Array] | None = None) -> Array:
        """Exergy zᵀR z [W] that each dissipation destroys; ends: of the step of which x is the mean."""
        flows = [np.zeros((*np.shape(x)[:-1], 0))]
        for part in self.dissipations:
            q, e = self.local(part, x, z, ends)
            flows.append((e * apply(part.R(q, e), e)).sum(-1)[..., None])
        return np.concatenate(flows, axis=-1)

    def g(self, x: Array) -> Array:
        """Values of the holonomic constraint functions, in the order of their multipliers; zero for other rows."""
        values = [np.zeros((*np.shape(x)[:-1], 0))]
        for part in self.constraints:
            values.append(part.value(self.local(part, x)[0]))
        return np.concatenate(values, axis=-1)

    def g_scale(self, x: Array) -> Array:
        """Size of the terms that cancel in g, by constraint and unit: bounds on g are relative to it."""
        sizes = [part.magnitude(self.local(part, x)[0]) for part in self.constraints]
        return self.row_units.sizes(np.concatenate([np.zeros((*np.shape(x)[:-1], 0)), *sizes], axis=-1))

    def g_v(self, x: Array, u: Array | None = None) -> Array:
        """C(x) z(x), with B(x) u of rows that are driven: what the velocities of a state leave of the constraints."""
        z = self.z(x)
        values = [np.zeros((*np.shape(x)[:-1], 0))]
        for part in self.constraints:
            q, e = self.local(part, x, z)
            values.append(apply(part.C(q), e))
        return np.concatenate(values, axis=-1) + row_inputs(self, x, u)

    def accelerations(
        self, x: Array, v: Array | None = None, u: Array | None = None, u_dot: Array | None = None
    ) -> Accelerations:
        """Accelerations and multipliers of the index-1 form: see `model.index1`."""
        return accelerations(self, x, v, u, u_dot)

    def angles(self, x: Array) -> Array:
        """The angles of the joints that turn, in (-π, π], in the order of `turns`."""
        values = [turn.angle(x[..., self.layout.read(turn.reads)])[..., None] for turn in self.turns]
        return np.concatenate([np.zeros((*np.shape(x)[:-1], 0)), *values], axis=-1)

    def followed_angles(self, x: Array, near: Array) -> Array:
        """The same, continuous over many turns, where they are known to be less than half a turn from others."""
        return continued(self.angles(x), near)

    # -- states -------------------------------------------------------------------------------------------------

    @cached_property
    def measured(self) -> dict[str, AbstractMeasured]:
        """The variables that follow the configuration, with what measures them."""
        return {part.acts[0]: part for part in self.routings if isinstance(part, AbstractMeasured)}

    @cached_property
    def prescribed(self) -> dict[str, DrivePort]:
        """The variables that follow a law of time, with the inputs that move them."""
        return {part.acts[0]: part for part in self.ports if isinstance(part, DrivePort)}

    @cached_property
    def sources(self) -> dict[str, AbstractConstraint]:
        """The ports that prescribe efforts, C e + B u = 0, with the rows that they drive."""
        rows = {part.name: part for part in self.constraints}
        return {port.name: rows[port.acts[0]] for port in self.ports if len(port.acts) == 1 and port.acts[0] in rows}

    def pack(self, values: Mapping[str, ArrayLike]) -> Array:
        """One x from values by variable name, each in embedding coordinates.

        What is left out is taken from `start`; measured variables follow from the others.
        """
        return pack(self, {**self.start, **values})

    def retract(self, x0: Array, delta: Array) -> Array:
        """The state reached from x0 by the increment Δ = h ξ."""
        parts = [np.zeros((*delta.shape[:-1], 0))]
        for variable in self.variables:
            q0 = x0[..., self.layout.x[variable.name]]
            parts.append(variable.space.retract(q0, delta[..., self.layout.z[variable.name]]))
        return np.concatenate(parts, axis=-1)

    @cached_property
    def open_to_doubt(self) -> tuple[list[MatrixBatch], list[AbstractStructure]]:
        """What `check` looks at: structures whose laws depend on the state, in batches and alone."""
        return open_to_doubt(self)

    def check(self, x: Array) -> None:
        """An error if a structure violates its law at x: J skew, R symmetric ⪰ 0, all finite."""
        check_laws(self, x)


def _listed(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
