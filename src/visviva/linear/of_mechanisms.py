"""A mechanism, in minimal velocities, as linearisation sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.conditions import shift_variable
from visviva.forms.flows.flow import FlowState
from visviva.forms.minimal.closing import check_state
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.forms.minimal.state import STATES
from visviva.geometry import SE3, SO3
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply, transpose
from visviva.linear.equations import AbstractEquations, Index, Reference, Values, check_place
from visviva.linear.excitation import ORDERS
from visviva.linear.mechanism_names import increment_names, input_names, sizes_and_units
from visviva.linear.mechanism_outputs import output_readers
from visviva.linear.symmetry import symmetry_axis
from visviva.mechanism.other_states import flux_of
from visviva.mechanism.positions import extent
from visviva.mechanism.state_names import gives_velocities
from visviva.model import State
from visviva.model.control_law import laws_in
from visviva.model.driven import row_inputs
from visviva.results import Run
from visviva.results.balances import input_unit

ELSE = ",\nvalues by name, vv.equilibrium(m), run.final, or m.assemble()[0]; leave at= out to have an equilibrium found"

SLIGHT = 1e-3  # of the heat capacity of a node, and of other states in SI units: how far they go in differences

NO_RATE = 1e-6  # of the largest natural rate: below, forces are rounding

MANY = 1_000_000  # entries of Jacobians that are computed at once


@final
class MechanismEquations(AbstractEquations):
    """The minimal form of a mechanism. Drives are rows, which are followed exactly; those that are inputs are moved.

    kept: which of the states s of the form vary by themselves: fluxes of motors and entropies. What conditions keep
          constant or prescribe does not, and angles of joints that close loops follow the configuration.
    """

    def __init__(self, form: MinimalForm, outputs: Iterable[str] | None, drives: Mapping[str, int]) -> None:
        self.form, self.title, self.name = form, form.name, f"mechanism {form.name!r}"
        self.drives = drives
        model = form.open
        held = set(form.states.angles) | {shift_variable(part) for part in form.definition.conditions}
        self.kept = np.array([k for name, at in form.states.s.items() if name not in held for k in _range(at)], np.intp)
        self.positions, self.velocities = increment_names(form), form.xi_names
        self.others = tuple(form.s_names[k] for k in self.kept)
        self.columns, self.inputs = input_names(form)
        self.sizes, self.units = sizes_and_units(form, self.positions, self.inputs)
        linkage = form.linkage
        self.offset = extent(linkage, linkage.kinematics.as_built) / linkage.length
        self.holonomic, self.rank = model.has_g, form.rank
        self.readers = output_readers(form, outputs, self.positions)
        self.outputs = tuple(name for reader in self.readers for name in reader.units)
        self.units |= {name: unit for reader in self.readers for name, unit in reader.units.items() if unit}
        for drive in drives:
            rate = input_unit(form.model, drive)
            self.units |= dict(zip((f"{drive}.{word}" for word in ORDERS), (rate[:-2], rate, f"{rate}²"), strict=True))

    # -- instants -----------------------------------------------------------------------------------------------

    def start(self, at: Any, steady: bool) -> Reference:  # noqa: D102
        at = at.final if isinstance(at, Run) else at
        form, t = self.form, at.t if isinstance(at, State | FlowState) else 0.0
        if isinstance(at, FlowState):
            at = (at.q, at.xi, at.s)
        if at is None:
            initial = form.initial
            at = initial if steady else (initial.q, np.zeros(form.n), initial.s)
        if isinstance(at, Mapping) and not steady and not gives_velocities(form.definition, at):
            at = (form.coordinates(at).q, np.zeros(form.n), form.coordinates(at).s)
        if not isinstance(at, STATES):
            check_place(at, form, ELSE)
        state = form.checked(at)
        return self.continued(state.q, state.xi, state.s, t)

    def continued(self, q: Array, xi: Array, s: Array, t: float) -> Reference:  # noqa: D102
        point = Point(self.form, q, xi, s)
        u, u_dot = self.form.inputs_at(t, point)
        for law in laws_in(self.form.open):
            if law.failure is not None:
                raise law.failure
        check_state(self.form, point, u)
        found = self.form.solve(point, u, u_dot)
        return Reference(t, q, xi, s, found.xi_dot, found.w)

    # -- the equations ------------------------------------------------------------------------------------------

    def advance(self, q: Array, eps: Array) -> Array:  # noqa: D102
        return self.form.advance_q(q, eps)

    def turn(self, q: Array, xi: Array) -> Array:
        """Velocities of balls and of what flies do not commute: ad(ξ) of each; zero of hinges and sliders."""
        found = np.zeros((self.n, self.n))
        for link, place in zip(self.form.tree.links, self.form.spanning.places, strict=True):
            if link.kind == "ball":
                found[place.xi, place.xi] = skew(xi[place.xi])
            elif link.kind == "free":
                found[place.xi, place.xi] = SE3.ad(xi[place.xi])
        return found

    def mass(self, q: Array) -> Array:  # noqa: D102
        return self.form.mass_matrix(q)

    def Z(self, ref: Reference) -> Array:  # noqa: D102
        return Point(self.form, ref.q, ref.xi, ref.s).Z

    def row_terms(self, ref: Reference) -> Array:  # noqa: D102
        return Point(self.form, ref.q, ref.xi, ref.s).row_terms

    def rank_at(self, ref: Reference) -> int:
        """That of the mechanism, as its mobility."""
        return self.form.rank_at(ref.q)

    def rows(self, ref: Reference, eps: Array) -> Array:  # noqa: D102
        point = self._points(ref, eps, np.zeros_like(eps), ref.s)
        u = self.form.inputs_at(ref.t, point)[0]
        return apply(point.C, point.V) + row_inputs(self.form.open, point.x, u)

    def driving(self, ref: Reference) -> Array:  # noqa: D102
        model, x = self.form.open, Point(self.form, ref.q, ref.xi, ref.s).x
        one = np.eye(len(self.form.inputs.base))
        columns = [row_inputs(model, x, one[model.port_columns[drive]][0]) for drive in self.drives]
        return np.stack(columns, axis=1) if columns else np.zeros((len(model.kinds), 0))

    def other_sizes(self, ref: Reference) -> Array:  # noqa: D102
        m, energy = self.form.definition, self._energy(ref)
        floors = {f"{node.name}.s": SLIGHT * node.capacity for node in m.thermals}
        floors |= {flux_of(motor): motor.inductance * energy / abs(motor.k) for motor in m.motors if motor.k}
        return np.maximum(np.abs(ref.s[self.kept]), [floors.get(name, SLIGHT) or SLIGHT for name in self.others])

    def velocity_sizes(self, ref: Reference, N: Array, eta: Index) -> Array:
        """Of a motion as fast as the fastest at hand, or as the slowest that forces make."""
        natural = self.natural_rates(ref, N, eta, self._forces(ref))
        slowest = natural[natural > NO_RATE * natural.max(initial=0.0)].min(initial=np.inf)
        rate = max(float((np.abs(ref.xi) / self.sizes).max(initial=0.0)), slowest if np.isfinite(slowest) else 0.0)
        return self.sizes * (rate or 1.0)

    def input_sizes(self, ref: Reference) -> Array:
        """Torques and forces of the size of those at hand; volts."""
        energy = self._energy(ref)
        length = self.form.linkage.length
        sizes = {"N m": energy, "N": energy / length}
        return np.array([sizes.get(self.units[name], 1.0) for name in self.inputs])

    def _energy(self, ref: Reference) -> float:
        """What forces do along increments of their sizes [J]; 1 if there are none."""
        return float((self._forces(ref) * self.sizes).max(initial=0.0)) or 1.0

    def _forces(self, ref: Reference) -> Array:
        """Sizes of forces along each velocity, at hand or nearby, (n,)."""
        return np.maximum(self.force_sizes(ref), self.near_forces(ref))

    def rates(self, ref: Reference) -> Array:  # noqa: D102
        point = Point(self.form, ref.q, ref.xi, ref.s)
        return self._all_rates(self._flow(ref, point))[self.kept]

    def _flow(self, ref: Reference, point: Point) -> Array:
        """Flows at an instant, with its accelerations."""
        V_dot = apply(point.S, ref.xi_dot) + apply(point.S_dot, point.xi)
        return point.flow(self.form.inputs_at(ref.t, point)[0], V_dot)

    def _all_rates(self, flow: Array) -> Array:
        """Of all states s of the form, (..., extra)."""
        parts = [flow[..., self.form.open.layout.z[name]] for name in self.form.states.s]
        return np.concatenate([np.zeros((*flow.shape[:-1], 0)), *parts], axis=-1)

    def _points(self, ref: Reference, eps: Array, zeta: Array, s: Array) -> Point:
        """States next to one, one in a row."""
        rows = (len(eps), len(s) if s.ndim == 1 else s.shape[1])
        return Point(self.form, self.advance(ref.q, eps), ref.xi + zeta, np.broadcast_to(s, rows))

    def values(self, ref: Reference, eps: Array, zeta: Array, sigma: Array, du: Array) -> Values:  # noqa: D102
        at_once = max(1, MANY // (self.form.n * len(self.form.masses)))
        chunks = [slice(k, k + at_once) for k in range(0, len(eps), at_once)]
        return Values.joined([self._values(ref, eps[at], zeta[at], sigma[at], du[at]) for at in chunks])

    def _values(self, ref: Reference, eps: Array, zeta: Array, sigma: Array, du: Array) -> Values:
        """With V̇ = S ξ̇ + Ṡ ξ and all that acts on the bodies, f: the force is Sᵀ(M_b V̇ - f + Cᵀw)."""
        form, s = self.form, np.tile(ref.s, (len(eps), 1))
        s[:, self.kept] += sigma
        point = self._points(ref, eps, zeta, s)
        u = np.tile(form.inputs_at(ref.t, point)[0], (1 if form.open.feedback else len(eps), 1))
        u[:, self.columns] += du
        acceleration = apply(point.S, ref.xi_dot) + apply(point.S_dot, point.xi)
        flow = point.flow(u, acceleration)
        body = form.masses * acceleration - flow[:, form.at_z] + apply(transpose(point.C), ref.w)
        outputs = [reader.read(ref, point, u, eps) for reader in self.readers]
        none = np.zeros((len(eps), 0))
        return Values(
            apply(transpose(point.S), body),
            self._all_rates(flow)[:, self.kept],
            np.concatenate([none, *outputs], axis=1),
        )

    def force_sizes(self, ref: Reference) -> Array:  # noqa: D102
        form = self.form
        point = Point(form, ref.q, ref.xi, ref.s)
        u, model = form.inputs_at(ref.t, point)[0], form.full
        own = point.all_efforts(u)
        z, total = np.abs(own), np.zeros(model.layout.total)
        for part in model.routings:
            total[model.acts(part)] += np.abs(part.J(model.local(part, point.x)[0])) @ z[model.acts(part)]
        for loss in model.dissipations:
            total[model.acts(loss)] += np.abs(loss.R(*model.local(loss, point.x, own))) @ z[model.acts(loss)]
        for port in model.ports:
            B = np.abs(port.B(model.local(port, point.x)[0]))
            total[model.acts(port)] += B @ np.abs(u[model.port_columns[port.name]])
        body = total[form.at_z] + np.abs(form.masses * (point.S_dot @ point.xi)) + np.abs(point.gyroscopic)
        body += np.abs(point.C).T @ np.abs(ref.w)
        forces, columns = np.zeros(6 * len(form.rigid)), np.zeros((6 * len(form.rigid), self.n))
        forces[form.moving], columns[form.moving] = body, point.S
        arms = np.linalg.norm(columns.reshape(-1, 3, self.n), axis=1)  # whatever the direction
        return np.asarray(arms.T @ np.linalg.norm(forces.reshape(-1, 3), axis=1))

    def near_forces(self, ref: Reference) -> Array:
        """Of balls and of what flies whatever the direction."""
        found = AbstractEquations.near_forces(self, ref)
        for link, place in zip(self.form.tree.links, self.form.spanning.places, strict=True):
            if link.kind in ("ball", "free"):
                found[place.xi] = np.repeat(found[place.xi].reshape(-1, 3).max(axis=1), 3)
        return found

    # -- steady motion ------------------------------------------------------------------------------------------

    def spin(self, ref: Reference) -> Array:
        """Axes of a body of revolution on a ball, or in flight, need not turn with it.

        With b = σ a along its axis a, ω̇ = -b x ω and v̇ = -b x v. Where its motion leaves σ open, since it turns about a
        alone, σ is that rate, so that the axes keep their direction in space.
        """
        W = np.zeros((self.n, self.n))
        for link, place in zip(self.form.tree.links, self.form.spanning.places, strict=True):
            axis = symmetry_axis(link) if link.kind in ("ball", "free") else None
            if axis is None:
                continue
            xi, rate = ref.xi[place.xi].reshape(-1, 3), ref.xi_dot[place.xi].reshape(-1, 3)
            across = np.cross(axis, xi)
            size = float((across**2).sum())
            own = float(axis @ xi[0])
            sigma = -float((across * rate).sum()) / size if size > 1e-20 * float((xi**2).sum()) else own
            W[place.xi, place.xi] = np.kron(np.eye(len(xi)), skew(sigma * axis))
        return W

    def later(self, ref: Reference, W: Array, t: float) -> Reference:  # noqa: D102
        delta, xi = t * ref.xi, ref.xi.copy()
        for link, place in zip(self.form.tree.links, self.form.spanning.places, strict=True):
            if link.kind not in ("ball", "free"):
                continue
            own = ref.xi[place.xi]
            b = np.array([W[place.xi, place.xi][k] for k in ((2, 1), (0, 2), (1, 0))])
            back = SO3.exp(-t * b).R
            if link.kind == "ball":
                delta[place.xi] = (SO3.exp(t * (own - b)) @ SO3.exp(t * b)).log()
            else:
                spin = np.concatenate([b, np.zeros(3)])
                X = SE3.exp(t * (own - spin)) @ SE3.exp(t * spin)
                delta[place.xi] = np.concatenate([SO3(X.R).log(), X.r])
            xi[place.xi] = (own.reshape(-1, 3) @ back.T).reshape(-1)
        point = Point(self.form, ref.q, ref.xi, ref.s)
        s = ref.s + t * self._all_rates(self._flow(ref, point))
        s[self.kept] = ref.s[self.kept]
        q, xi, s = self.form.projected(ref.t + t, self.advance(ref.q, delta), xi, s)
        return self.continued(q, xi, s, ref.t + t)


def _range(at: slice) -> range:
    return range(at.start, at.stop)
