"""A model in director form as the director schemes need it: constant mass, quadratic constraints, stacked.

States x = (q, v, y, s): coordinates, velocities, what is measured of the configuration, see `model.measured`, and
others that follow from the motion of a step, see `integrate.acting`, and what conditions are kept at, see
`model.conditioned`.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import ModelError
from visviva.geometry.embedding import Flat
from visviva.geometry.linear import apply, transpose
from visviva.integrate.acting import Acting
from visviva.integrate.director_conditions import DirectorConditions
from visviva.integrate.newton import difference_jacobian, difference_size
from visviva.model import Model
from visviva.model.conditioned import DrivePort
from visviva.model.holonomic import Holonomic
from visviva.model.inner import inner_rows
from visviva.model.layout import Index
from visviva.model.measured import AbstractMeasured
from visviva.model.storage import AbstractStorage, Kinetic, Linear
from visviva.model.structure import AbstractConstraint

if TYPE_CHECKING:
    from scipy.sparse import csr_array


CANCELLING = 1e-3  # of the forces of joints: as far as they may cancel on a body, the rest is not measured by itself


@final
class DirectorSystem:
    """M v̇ = -∇V - C(q)ᵀ U'(y) - G(q)ᵀλ - R(q) v + B(q) u,   q̇ = v,   g(q) = 0 with g_k = ½ q·A_k q + b_k·q + c_k.

    Measured y are no unknowns: y(q1) for functions of at most second degree, θ0 + Δθ for angles; nor are other states.
    The tensor A is kept sparse, once by rows of G (A v for a vector v) and once by multipliers (Σ λ_k A_k).
    Rows that are not quadratic come from `conditions`: in A, b and c they are zero.
    """

    def __init__(self, model: Model, scheme: str) -> None:
        import scipy.sparse

        self.model = model
        self.n = _canonical_size(model, scheme)
        n = self.n
        self.M: Array = np.zeros((n, n))
        for name in model.kinetic:
            rows = model.layout.act((name,)) - n
            self.M[np.ix_(rows, rows)] = model.mass(name, np.zeros(model.layout.size))
        self.m = len(model.kinds)
        self.inner: Mask = np.zeros(self.m, dtype=bool)  # rows that follow from the motion of a step, see `Acting`
        self.inner[: sum(junction.dim for junction in model.junctions)] = True
        others = inner_rows(model)
        self.b: Array = np.zeros((self.m, n))
        self.c: Array = np.zeros(self.m)
        entries: list[tuple[Index, Index, Index, Array]] = []
        for part in model.constraints:
            rows = model.layout.act((part.name,)) - model.layout.dim
            if part in others:
                self._check_inner(part, scheme)
                self.inner[rows] = True
            if not isinstance(part, Holonomic):
                continue
            at = model.layout.read(part.reads)
            self.b[rows[:, None], at], self.c[rows] = part.g.b, part.g.c
            k, i, j = np.nonzero(part.g.A)
            entries.append((rows[k], at[i], at[j], part.g.A[k, i, j]))
        k, i, j, a = (
            (np.concatenate(parts) for parts in zip(*entries, strict=True)) if entries else (np.zeros(0, int),) * 4
        )
        self._by_row: csr_array = scipy.sparse.csr_array((a, (k * n + i, j)), shape=(self.m * n, n))
        self._by_lam: csr_array = scipy.sparse.csr_array((a, (i * n + j, k)), shape=(n * n, self.m))

        self.conditions = DirectorConditions(model, n)

    def _check_inner(self, part: AbstractConstraint, scheme: str) -> None:
        """Rows on velocities alone bind the motion, which this form knows of mechanisms and their boxes only."""
        if self.model.definition is not None or not set(part.acts) <= set(self.model.kinetic):
            return
        raise ModelError(
            f"{part.name!r} of {self.model.name!r} ties velocities of bodies to each other, which {scheme} knows of "
            "parts of one mechanism\nonly. Integrate with vv.DiscreteGradient(), which takes any model; or build one "
            "mechanism, m.include(...), with\nm.gear(...), m.rack(...) or m.coupler(...) between its joints."
        )

    @property
    def tied(self) -> bool:
        """Whether boxes may tie joints to each other: what is inside of them is solved with the motion."""
        return self.model.definition is not None and any(box.may_tie for box in self.model.definition.boxes)

    # -- constraints --------------------------------------------------------------------------------------------

    def g_scale(self, x: Array) -> Array:
        """The size of the terms that cancel in g, shape (m,); zero for junctions."""
        sizes = self.model.g_scale(x)
        return np.concatenate([np.zeros(self.m - len(sizes)), sizes])

    def g(self, q0: Array, q1: Array, rest: Array) -> Array:
        """Constraint functions at the end of a step, shape (m,); of rows without one what C(q0, q1) Δq misses.

        rest: what follows q and v in the state there.
        """
        g = (0.5 * self.turn(q1) + self.b) @ q1 + self.c
        self.conditions.add_gaps(g, q0, q1, rest)
        return g

    def g_slope(self, q0: Array, q1: Array) -> Array:
        """∂g/∂q1, shape (m, n)."""
        G = self.turn(q1) + self.b
        self.conditions.add_gap_slopes(G, q0, q1)
        return G

    def G(self, q0: Array, q1: Array) -> Array:
        """Rows between the ends of a step, shape (m, n); gradients where both are the same."""
        G = self.turn(0.5 * (q0 + q1)) + self.b
        self.conditions.add_rows(G, q0, q1)
        return G

    def force_bend(self, q0: Array, q1: Array, lam: Array) -> Array:
        """∂(G(q0, q1)ᵀλ)/∂q1, shape (n, n)."""
        K = 0.5 * self.bend(lam)
        self.conditions.add_bend(K, q0, q1, lam)
        return K

    def rate_secants(self, q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:
        """(D_q, D_v) with D_q Δq + D_v Δv = Δ(G v), shape (m, n) each; for quadratic g: A v̄ and G(q̄)."""
        D_q, D_v = self.turn(0.5 * (v0 + v1)), self.turn(0.5 * (q0 + q1)) + self.b
        self.conditions.add_rate_secants(D_q, D_v, q0, q1, v0, v1)
        return D_q, D_v

    def rate_bends(self, q0: Array, q1: Array, v0: Array, v1: Array, gam: Array) -> tuple[Array, Array, Array, Array]:
        """∂(D_qᵀγ)/∂q1, ∂(D_qᵀγ)/∂v1, ∂(D_vᵀγ)/∂q1, ∂(D_vᵀγ)/∂v1, shape (n, n) each."""
        half = 0.5 * self.bend(gam)
        K = (np.zeros_like(half), half), (half.copy(), np.zeros_like(half))
        self.conditions.add_rate_bends(q0, q1, v0, v1, gam, K)
        return K[0][0], K[0][1], K[1][0], K[1][1]

    def speed_slope(self, q1: Array, v1: Array) -> Array:
        """∂(G(q1, q1) v1)/∂q1, shape (m, n)."""
        slope = self.turn(v1)
        self.conditions.add_speed_slopes(slope, q1, v1)
        return slope

    def turn(self, v: Array) -> Array:
        """A v = ∂_q (G v), shape (m, n)."""
        return np.asarray(self._by_row @ v).reshape(self.m, self.n)

    def bend(self, lam: Array) -> Array:
        """Σ λ_k A_k, shape (n, n)."""
        return np.asarray(self._by_lam @ lam).reshape(self.n, self.n)

    def speed_scale(self, q: Array, *v: Array) -> Array:
        """The unit of each constraint's rate: the largest entry of its gradient times the largest velocity."""
        fastest = max(float(np.abs(part).max(initial=0.0)) for part in v)
        return np.maximum(np.abs(self.G(q, q)).max(axis=1, initial=0.0) * fastest, 1e-30)

    # -- names and scales ---------------------------------------------------------------------------------------

    def force_scale(self, size: Array) -> Array:
        """The size of the terms that cancel in the balance of forces, one value per body.

        What a massless body misses acts on its neighbours: it counts by the largest size of all.
        """
        most = max(float(size.max(initial=0.0)), 1e-30)
        scale = np.empty(self.n)
        for rows in self._bodies.values():
            floor = 1e-12 * most if self.M[rows, rows].any() else most
            scale[rows] = max(float(size[rows].max(initial=0.0)), floor)
        return scale

    def velocity_name(self, row: int) -> str:
        """The body to which a velocity belongs."""
        return next(f"body {name!r}" for name, rows in self._bodies.items() if rows.start <= row < rows.stop)

    @cached_property
    def _bodies(self) -> dict[str, slice]:
        return {
            part.name: slice(rows.start - self.n, rows.stop - self.n)
            for part in self.model.kinetic.values()
            for rows in [self.model.layout.z[part.variable]]
        }

    # -- forces -------------------------------------------------------------------------------------------------

    def gradient(self, q0: Array, q1: Array, y0: Array) -> Array:
        """Discrete gradient of the potential energies, one per storage; those of y through Δy = C Δq."""
        force: Array = np.zeros(self.n)
        for part in self._potentials:
            at = self.model.layout.x[part.variable]
            force[at] += part.mean_effort(q0[at], q1[at])
        for measure, reads, at in self._springs:
            force[reads] += self._spring_force(measure, q0[reads], y0[at], q1[reads])
        return force

    def gradient_slope(self, q0: Array, q1: Array, y0: Array) -> Array:
        """∂(discrete gradient)/∂q1."""
        K: Array = np.zeros((self.n, self.n))
        for part in self._potentials:
            if not isinstance(part, Linear):
                at = self.model.layout.x[part.variable]
                K[at, at] += difference_jacobian(partial(part.mean_effort, q0[at]), q1[at], difference_size(q1[at]))
        for measure, reads, at in self._springs:
            force = partial(self._spring_force, measure, q0[reads], y0[at])
            K[np.ix_(reads, reads)] += difference_jacobian(force, q1[reads], difference_size(q1[reads]))
        return K

    def _spring_force(self, part: AbstractMeasured, q0: Array, y0: Array, q1: Array) -> Array:
        """Cᵀ e of the storages of one measured y, over the coordinates that it reads; q1 may be a batch."""
        start = np.broadcast_to(q0, q1.shape)
        C = part.between(np.concatenate([start, q1], axis=-1))
        y1 = part.follow(np.broadcast_to(y0, (*q1.shape[:-1], len(y0))), start, q1)
        effort = sum(storage.mean_effort(np.broadcast_to(y0, y1.shape), y1) for storage in self._stored[part.acts[0]])
        return apply(transpose(C), np.asarray(effort))

    def speeds(self, u: Array) -> Array:
        """What G(q) v must be with inputs u, shape (m,): rates of what is driven, else zero."""
        rates = np.zeros(self.m)
        for row, at in self._driven.values():
            rates[row] = u[at]
        return rates

    def drive_work(self, gam: Array, turned: Array) -> Array:
        """Work -γ Δ(G v) of each port that drives a constraint [J]; turned: Δ(G v) of all rows."""
        work = np.zeros(len(self.model.ports))
        for k, port in enumerate(self.model.ports):
            if port.name in self._driven:
                row = self._driven[port.name][0]
                work[k] = -gam[row] * turned[row]
        return work

    @cached_property
    def _driven(self) -> dict[str, tuple[int, int]]:
        """Row and input of each port that drives a constraint."""
        layout = self.model.layout
        return {
            port.name: (layout.z[port.acts[1]].start - layout.dim, self.model.port_columns[port.name].start)
            for port in self.model.prescribed.values()
        }

    @cached_property
    def acting(self) -> Acting:
        """Dissipations and inputs: their forces, and what they leave behind."""
        return Acting(self.model, self.n, self.tied)

    @cached_property
    def _potentials(self) -> tuple[AbstractStorage, ...]:
        places = self.model.layout.x
        return tuple(p for p in self.model.storages if not isinstance(p, Kinetic) and places[p.variable].start < self.n)

    @cached_property
    def _measured(self) -> tuple[tuple[AbstractMeasured, Index, slice], ...]:
        """What measures, where its coordinates are in q, and where its y is behind q and v."""
        places = self.model.layout.x
        return tuple(
            (part, self.model.layout.read(part.reads), slice(at.start - 2 * self.n, at.stop - 2 * self.n))
            for name, part in self.model.measured.items()
            for at in [places[name]]
        )

    @cached_property
    def _springs(self) -> tuple[tuple[AbstractMeasured, Index, slice], ...]:
        """Those of `_measured` that store energy."""
        return tuple(part for part in self._measured if self._stored[part[0].acts[0]])

    @cached_property
    def _stored(self) -> dict[str, list[AbstractStorage]]:
        """The storages of each measured variable."""
        return {name: [part for part in self.model.storages if part.variable == name] for name in self.model.measured}


def _canonical_size(model: Model, scheme: str) -> int:
    """Number of coordinates, if the model is x = (q, v, y, s) with q̇ = v and flat q; else an error."""
    velocities = [v for v in model.variables if v.name in model.kinetic]
    n = sum(v.space.size for v in velocities)
    positions = [v for v in model.variables if model.layout.x[v.name].stop <= n]
    rest = [v for v in model.variables if v not in (*positions, *velocities)]
    curved = [repr(v.name) for v in rest if not isinstance(v.space, Flat)]
    if model.form == "directors" and curved:
        raise ModelError(
            f"{scheme} takes states of boxes that are numbers; {', '.join(curved)} of mechanism {model.name!r} are "
            "poses.\nSimulate with vv.LieMidpoint(), or put a mechanism into another one with m.include(...)."
        )
    acting = [port for port in model.ports if not isinstance(port, DrivePort)]
    by_parts = model.definition is not None  # rows on velocities alone are refused by name there, see `_check_inner`
    rows = {part.name for part in inner_rows(model) if by_parts or not set(part.acts) <= set(model.kinetic)}
    own = {*model.layout.x, *(one.name for one in model.junctions), *rows}
    fits = (
        n > 0
        and all(name in own for port in acting for name in port.acts)
        and model.variables == (*positions, *velocities, *rest)
        and all(isinstance(v.space, Flat) for v in model.variables)
        and n == sum(v.space.size for v in positions)
    )
    if fits:
        J, moving = np.zeros((2 * n, 2 * n)), {v.name for v in (*positions, *velocities)}
        places = {v.name for v in positions}
        for routing in model.routings:
            if set(routing.acts) <= moving and set(routing.acts) & places:
                acts = model.acts(routing)
                J[np.ix_(acts, acts)] += routing.J(np.zeros(len(model.layout.read(routing.reads))))
        fits = bool((J[:n, n:] == np.eye(n)).all() and np.abs(J).sum() == 2 * n)
    if not fits:
        raise ModelError(
            f"{scheme} integrates models in director form: flat positions, then as many velocities, q̇ = v, quadratic\n"
            f"constraints. Model {model.name!r} is not of that form: simulate the Mechanism itself, or use\n"
            "vv.DiscreteGradient(), which takes any model."
        )
    return n
