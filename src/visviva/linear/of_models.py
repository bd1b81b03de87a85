"""Models, of composites and Lagrangians: linear systems with efforts and multipliers eliminated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, final

import numpy as np

from visviva._arrays import Array, Mask, finite_vector
from visviva.errors import AssemblyError, ModelError
from visviva.geometry.differences import FIRST, each, slopes
from visviva.geometry.embedding import origin
from visviva.integrate.inputs import AllInputs, input_function
from visviva.linear.elimination import eliminated
from visviva.linear.mechanism_names import numbered
from visviva.linear.model_mechanics import model_mechanics
from visviva.linear.system import LinearSystem
from visviva.mechanism.names import unknown_name
from visviva.model import Model, State
from visviva.numerics.convergence import Convergence, newton
from visviva.numerics.nullspace import split_alike
from visviva.numerics.rank import LEAST, LIGHTEST, counted, singular_values, velocity_units

BALANCED = 1e-8  # of the size of the terms
EXACT, NEARLY = 1e-15, 1e-13  # of efforts and multipliers: changes that are rounding, and that are where they stay
NOTHING = 1e-13  # of what a variable that differs by one makes: where all terms vanish, what is left may be rounding
STILL, SETTLED = 1e-13, 1e-9  # the same of a state that comes to rest, beside the largest of its numbers
ITERATIONS = 60


@final
class ModelField:
    """Rates of a model about a state: E ξ = (J - R) z + B u, with algebraic rows below, as a function of (δ, w, u)."""

    def __init__(self, model: Model, operating: AllInputs | None, outputs: Iterable[str] | None) -> None:
        self.inputs_at, self.model = input_function(model, operating)
        layout = self.model.layout
        self.dim, self.algebraic = layout.dim, layout.solved - layout.dim
        self.states = tuple(name for part in model.variables for name in variable_names(model, part.name))
        self.inputs = tuple(name for port in model.ports for name in numbered(port.name, port.width))
        columns = {f"{port.name}.y": model.port_columns[port.name] for port in model.ports}
        known: dict[str, slice] = {part.name: layout.z[part.name] for part in model.variables} | columns
        known |= {name: slice(k, k + 1) for k, name in enumerate(self.states)}
        self.outputs: tuple[str, ...] = ()
        self.seen: list[tuple[bool, slice]] = []
        for name in outputs or ():
            if name not in known:
                raise unknown_name(str(name), known, f"the outputs of {model.name!r}")
            self.seen.append((name in columns, known[name]))
            own = name in layout.z and name not in columns
            width = known[name].stop - known[name].start
            self.outputs += variable_names(model, name) if own else tuple(numbered(name, width))

    def start(self, at: Any) -> Array:
        """The state that a user means, in embedding coordinates; None: where its model starts, else zero."""
        model = self.model
        if isinstance(at, State):
            at = at.x
        if at is None or isinstance(at, Mapping):
            zero = {part.name: origin(part.space) for part in model.variables if part.name not in model.measured}
            given = dict(at or model.start)
            return model.pack(given if at else zero | given)
        return finite_vector(at, f"state x of {model.name!r}", model.layout.size)

    def flow(self, x: Array, w: Array, du: Array) -> tuple[Array, Array]:
        """Rows of all variables and of what is algebraic, and outputs."""
        model = self.model
        z = model.z(x, w)
        u = model.supplied(0.0, x, z, self.inputs_at(0.0)) + du
        y = model.outputs(x, z)
        return model.flow(x, z, u)[..., : self.dim + self.algebraic], y

    def values(self, x: Array, w: Array, xi: Array, change: Array) -> Array:
        """(flow - E ξ, g, outputs) at (δ, δw, δu), (..., n)."""
        delta, dw, du = np.split(change, np.cumsum([self.dim, self.algebraic]), axis=-1)
        there = self.model.retract(x, delta)
        flow, y = self.flow(there, w + dw, du)
        flow[..., : self.dim] -= self.model.E(there)[..., : self.dim, : self.dim] @ xi
        g = self.model.g(there)[..., self.has_g]
        seen = [y[..., at] if port else delta[..., at] for port, at in self.seen]
        return np.concatenate([flow, g, *seen], axis=-1)

    @property
    def has_g(self) -> Any:
        """Which rows of constraints keep a function of the state at zero."""
        return self.model.has_g[len(self.model.kinds) - len(self.model.g(np.zeros(self.model.layout.size))) :]

    def energy_slopes(self, x: Array) -> Array:
        """Second derivatives of the energy over all variables at rest, (dim, dim): dH = Eᵀz."""
        rest = np.zeros(self.algebraic)
        found = slopes(each(lambda d: self.model.z(self.model.retract(x, d), rest)), self.dim, np.ones(self.dim))
        return self.model.E(x)[: self.dim, : self.dim].T @ found.J[: self.dim]

    def sizes(self, x: Array) -> Array:
        """Typical sizes of variables, multipliers and inputs."""
        return np.concatenate([np.ones(self.dim), np.ones(self.algebraic), np.ones(len(self.inputs))])

    def terms(self, x: Array, w: Array) -> Array:
        """Sizes of what adds up to each row: its rounding is relative to them."""
        model = self.model
        z = model.z(x, w)
        size, found = np.abs(z), np.zeros(model.layout.total)
        for routing in model.routings:
            found[model.acts(routing)] += np.abs(routing.J(model.local(routing, x)[0])) @ size[model.acts(routing)]
        for constraint in model.constraints:
            rows, C = model.layout.z[constraint.name], np.abs(constraint.C(model.local(constraint, x)[0]))
            found[rows] += C @ size[model.acts(constraint)]
            found[model.acts(constraint)] += C.T @ size[rows]
        for loss in model.dissipations:
            found[model.acts(loss)] += np.abs(loss.R(*model.local(loss, x, z))) @ size[model.acts(loss)]
        return found

    def slopes(self, x: Array, w: Array, xi: Array) -> Array:
        """All derivatives; an error names what is not smooth."""
        n, rows = self.dim + self.algebraic + len(self.inputs), self.dim + self.algebraic
        seen = np.zeros(len(self.outputs))
        around = FIRST * np.random.default_rng(0).uniform(-1, 1, self.dim)  # entries of rows may vanish here alone
        here = np.maximum(self.terms(x, w), self.terms(self.model.retract(x, around), w))
        terms = np.concatenate([here[:rows], self.model.g_scale(x)[self.has_g], seen])
        found = slopes(lambda change: self.values(x, w, xi, change), n, self.sizes(x), terms)
        if found.rough:
            names = (*self.states, *(name for name, _ in self.model.kinds), *self.inputs)
            where = ", ".join(repr(names[k]) for k in found.rough)
            raise ModelError(
                f"the rates of {self.model.name!r} are not smooth in {where} here: they have no linear part."
            )
        return found.J


def variable_names(model: Model, name: str) -> tuple[str, ...]:
    """Of the numbers of a variable: those of the coordinates of a Lagrangian system, as in runs, else numbered."""
    if model.coordinates and name in ("q", "v"):
        return tuple(part if name == "q" else f"{part}.rate" for part in model.coordinates)
    part = next(part for part in model.variables if part.name == name)
    return part.names or tuple(numbered(name, part.space.dim))


def linearise_model(
    model: Model,
    at: Any,
    outputs: Iterable[str] | None,
    operating: AllInputs | None,
    steady: bool,
    residual_ok: bool,
    momenta: Collection[str] = (),
) -> LinearSystem:
    """The linear system of a model about an equilibrium; efforts of junctions and multipliers are eliminated.

    Where inputs prescribe efforts, states that follow from them are eliminated as well; states that feel the rates of
    inputs count less what these make of them, see `linear.elimination`, and as outputs they are what they are.

    momenta: variables that are momenta or velocities, from which there may be a form of second order.
    steady: variables on which nothing depends, such as the charge drawn from a battery, may change.
    """
    field = ModelField(model, operating, outputs)
    x = field.start(at)
    x, w = _settled(field, x, steady) if at is None else (x, np.zeros(field.algebraic))
    E = field.model.E(x)[: field.dim, : field.dim]
    unit = velocity_units(np.abs(np.diag(E)), lightest=LEAST)
    if counted(singular_values(unit[:, None] * E * unit), LIGHTEST) < len(E):
        raise ModelError(
            f"{model.name!r} can move without inertia: a velocity of it follows no differential equation.\n"
            "Give it mass in all directions."
        )
    xi, w = _rates(field, x, w)
    J, n, k = field.slopes(x, w, xi), field.dim, field.algebraic
    if not residual_ok:
        _check_rest(field, x, w, np.where(_cyclic(J, n), 0.0, xi) if steady else xi, J)
    rows, cuts = np.split(J, np.cumsum([n, k, int(field.has_g.sum())])), np.cumsum([n, k])
    f, g, positions, seen = (np.split(part, cuts, axis=1) for part in rows)
    f = [np.asarray(np.linalg.solve(E, part), np.float64) for part in f]
    found = eliminated(f, g, positions[0], seen, model.name)
    _check_proper(field, found.improper)
    A, B, C, D, kept = found.A, found.B, found.C, found.D, found.kept
    states, names = tuple(field.states[j] for j in kept), field.outputs
    if not names:
        C, D, names = np.eye(len(A)), found.through, states
    hot = {name: "J/K" for part in model.variables if part.entropy for name in numbered(part.name, 1)}
    owners = [part.name for part in model.variables for _ in range(part.space.dim)]
    energy = found.Y.T @ field.energy_slopes(x) @ found.Y
    moving = [k for k, j in enumerate(kept) if owners[j] in momenta]
    shifted = found.through.any()  # states are what is left of them beside inputs
    mechanics = None if shifted else model_mechanics(A, B, energy, moving)
    return LinearSystem(model.name, A, B, C, D, states, field.inputs, names, hot, mechanics)


def _check_proper(field: ModelField, improper: Mask) -> None:
    """An error that names an output which depends on the rate of an input."""
    if improper.any():
        name = field.outputs[int(np.flatnonzero(improper)[0])]
        raise ModelError(
            f"the output {name!r} of {field.model.name!r} depends on the rate of an input that prescribes an effort, "
            "and no A, B, C, D\ndescribe that: what holds a storage at an effort gives what its rate takes. Leave it "
            "out of outputs=."
        )


def _rates(field: ModelField, x: Array, w: Array) -> tuple[Array, Array]:
    """ξ at a state, and the w that its algebraic rows, or where they say nothing the smallest rates, ask for."""
    none, n = np.zeros(len(field.inputs)), field.dim
    E = field.model.E(x)[:n, :n]

    def step(w: Array) -> tuple[float, Callable[[], Array]]:
        around = each(lambda dw: field.flow(x, w + dw, none)[0])
        by_w = slopes(around, field.algebraic, np.ones(field.algebraic)).J
        change = split_alike(by_w).solve(-field.flow(x, w, none)[0])
        ahead = w + change
        size = float(np.abs(ahead).max(initial=0.0)) or 1.0
        return float(np.abs(change).max(initial=0.0)) / size, lambda: ahead

    if field.algebraic:  # linear in w unless a dissipation depends on it
        w, _ = newton(w, step, Convergence(EXACT, NEARLY), 8)
    return np.asarray(np.linalg.solve(E, field.flow(x, w, none)[0][:n]), np.float64), w


def _cyclic(J: Array, n: int) -> Mask:
    """Which variables nothing depends on."""
    return np.asarray(~J[:, :n].any(axis=0))


def _settled(field: ModelField, x: Array, steady: bool) -> tuple[Array, Array]:
    """Gauss and Newton's steps of least length from a state to one where nothing changes, but for what may."""
    n, k = field.dim, field.algebraic
    still, none = np.zeros(n), np.zeros(n + k + len(field.inputs))
    balance = np.zeros(n)

    def step(at: tuple[Array, Array]) -> tuple[float, Callable[[], tuple[Array, Array]]]:
        nonlocal balance
        x, w = at
        J = field.slopes(x, w, still)[: n + k + int(field.has_g.sum()), : n + k]
        left = field.values(x, w, still, none)[: len(J)]
        if steady:
            left[:n][_cyclic(J, n)] = 0.0
            J[:n][_cyclic(J, n)] = 0.0
        balance, units = left, np.linalg.norm(J, axis=1)
        units = np.where(units > 0, units, 1.0)  # rows are forces, speeds and lengths
        J, left = J / units[:, None], left / units
        change = split_alike(J).solve(-left)
        ahead = field.model.retract(x, change[:n]), w + change[n:]
        forces = float(np.abs(change[n:]).max(initial=0.0)) / max(1.0, float(np.abs(ahead[1]).max(initial=0.0)))
        large = max(1.0, float(np.abs(ahead[0]).max(initial=0.0)))
        size = max(float(np.abs(change[:n]).max(initial=0.0)), forces) / large
        stuck = float(np.abs(left).max(initial=0.0)) > BALANCED * large * float(np.abs(J).max(initial=0.0))
        return (np.inf if stuck and size <= SETTLED else size), lambda: ahead

    found, reached = newton((x, np.zeros(k)), step, Convergence(STILL, SETTLED), ITERATIONS)
    if reached:
        return found
    raise AssemblyError(
        f"no equilibrium of {field.model.name!r} was found from where it starts: {_largest(field, balance)}.\n"
        "Give a state that is nearer, at=..., or one in motion with residual_ok=True;\n"
        "steady=True lets variables change on which nothing depends."
    )


def _largest(field: ModelField, left: Array) -> str:
    k = int(np.abs(left[: field.dim]).argmax())
    return f"{field.states[k]!r} still changes by {left[k]:.3g} per second"


def _check_rest(field: ModelField, x: Array, w: Array, xi: Array, J: Array) -> None:
    model, sizes = field.model, field.terms(x, w)
    scale = max(float(sizes.max(initial=0.0)), float(np.abs(x).max(initial=0.0)), 1e-300)
    flow = field.flow(x, w, np.zeros(len(field.inputs)))[0]
    left = np.concatenate([xi, flow[field.dim :]])
    E = np.abs(np.diag(model.E(x)[: field.dim, : field.dim]))
    inertia = np.concatenate([np.where(E > 0, E, 1.0), np.ones(field.algebraic)])
    near = NOTHING * np.abs(J[: len(left), : field.dim]).max(axis=1, initial=0.0) / inertia
    left = np.where(np.abs(left) > near, left, 0.0)
    worst = int(np.abs(left).argmax()) if len(left) else 0
    if len(left) and abs(left[worst]) > 100 * BALANCED * scale:
        names = (*field.states, *(f"row of {name}" for name, _ in model.kinds))
        raise AssemblyError(
            f"this is no equilibrium of {model.name!r}: {names[worst]!r} changes by {left[worst]:.3g} per second.\n"
            "Leave at= out to have one found from where the model starts, or allow it with residual_ok=True;\n"
            "steady=True allows it in variables on which nothing depends."
        )
