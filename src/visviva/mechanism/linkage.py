"""Joints and conditions of a mechanism as rows over its velocities: rank, redundant rows, states of self-stress."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.closure import Closure, arm_length, mean_length, row_scale, spread, typical_length
from visviva.mechanism.condition_rows import ConditionRows
from visviva.mechanism.dependence import dependent_combinations, smallest
from visviva.mechanism.kinematics import Int, Kinematics, Placement
from visviva.mechanism.nearest import MOST_ROWS, NearestVelocities
from visviva.mechanism.parts import Body, Particle
from visviva.mechanism.topology import Topology, topology
from visviva.numerics.rank import DATA, beyond, independent_columns
from visviva.numerics.saddle import FEW, Saddle, solve_many
from visviva.numerics.saddle_series import SaddleSeries

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from visviva.mechanism.definition import Definition

MANY = 300  # rows of connected loops, from which on their dependence is found by sparse solves
SERIES = 40  # configurations, from which on it pays to choose an order of elimination
CHUNK = 500  # configurations solved at once
INERTIA_TOLERANCE = 1e-12  # of a body's own inertia: less is none
LIGHTEST = 1e-9  # motions without inertia have this part of a typical one, where a nearest motion is sought


@final
@dataclass(frozen=True, eq=False)
class Dependence:
    """kept: a largest set of independent rows.   stresses: multipliers that balance each other, one column each."""

    kept: Mask  # (m,)
    stresses: Array  # (m, k)


@final
class Linkage:
    """Rows, tree and loops of a mechanism as it is now: those of joints first, then those of conditions.

    m:      number of rows.   names: of the joint or condition of each row.
    closes: (m,) which rows belong to conditions and to joints that close loops: these may be redundant.
    turning: (n,) which velocities are angular.
    upright_products: joints and their products that `upright` has the values of.
    bounding: which of the products `upright` change as joints move, and end their range.
    """

    def __init__(self, m: Definition) -> None:
        self.name = m.name
        self.joints = tuple(m.joints)
        self.bodies = tuple(m.bodies)
        self.elements = tuple(m.elements)
        self.boxes = tuple(m.boxes)
        self.alike = m.alike  # what mechanisms of the same geometry share
        self.kinematics, self.topology = self._geometry()
        closing = np.zeros(len(self.joints), dtype=bool)
        closing[list(self.topology.loops)] = True
        self.conditions = ConditionRows(self.kinematics, m.conditions)
        self.m = self.kinematics.m + self.conditions.m
        self.closes: Mask = np.append(closing[self.kinematics.pair], np.ones(self.conditions.m, dtype=bool))
        owners = [part.name for part in self.conditions.owner]
        self.names = [self.joints[k].name for k in self.kinematics.pair] + owners
        self.turning: Mask = np.concatenate(
            [np.zeros(0, dtype=bool), *(np.arange(6 if rigid else 3) < 3 * rigid for rigid in self.kinematics.rigid)]
        )
        aligned = [(k, dot) for k, joint in enumerate(self.joints) for dot in joint.joint.upright]
        self.upright_pair: Int = np.array([k for k, _ in aligned], dtype=np.intp)
        self.upright_products = [(self.joints[k], dot) for k, dot in aligned]
        bounds = {kind: kind.bounds for kind in {joint.joint for joint in self.joints}}
        self.bounding: Mask = np.array([dot in bounds[self.joints[k].joint] for k, dot in aligned], dtype=bool)
        self._upright_axes: Int = np.array([(dot.parent, dot.child) for _, dot in aligned], dtype=np.intp).reshape(
            -1, 2
        )

    def _geometry(self) -> tuple[Kinematics, Topology]:
        """What does not depend on masses, made once for all mechanisms of the same geometry."""
        if Linkage not in self.alike:
            kinematics = Kinematics(self.bodies, self.joints, [joint.joint.rows for joint in self.joints])
            self.alike[Linkage] = kinematics, topology(self.bodies, self.joints)
        found: tuple[Kinematics, Topology] = self.alike[Linkage]
        return found

    @cached_property
    def length(self) -> float:
        """A length of the mechanism [m], in which shifts are compared with turns, and differences are taken.

        How far joints are from centres of mass on the average. Where they are not: of the springs and dampers as built;
        else how far bodies are from each other; else their radius of gyration; 1 of points in one place.
        """
        if arms := arm_length(self.kinematics):
            return arms
        ends = np.array([[part.frame_on(end)[1] for end in (part.parent, part.child)] for part in self.elements])
        if len(ends) and (springs := mean_length(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), ends)):
            return springs
        if apart := spread(self.kinematics):
            return apart
        heavy = [body for body in self.bodies if isinstance(body, Body) and body.mass > 0 and body.J_C.max() > 0]
        return float(np.mean([np.sqrt(body.J_C.max() / body.mass) for body in heavy])) if heavy else 1.0

    # -- inertia ------------------------------------------------------------------------------------------------

    @cached_property
    def masses(self) -> Array:
        """Diagonal of the inertia over all velocities, (n,)."""
        return np.concatenate([np.zeros(0), *(mass_vector(body) for body in self.bodies)])

    @cached_property
    def metric(self) -> Array:
        """The same, positive also for motions without inertia: what nearest means where kinetic energy says nothing."""
        unit = np.concatenate([np.zeros(0), *(_unit(body) for body in self.bodies)])
        masses, moments = unit[~self.turning & (unit > 0)], unit[self.turning & (unit > 0)]
        mass = float(masses.mean()) if len(masses) else 1.0
        moment = float(moments.mean()) if len(moments) else mass * self.length**2
        unit = np.where(unit > 0, unit, np.where(self.turning, moment, mass))
        return np.maximum(self.masses, LIGHTEST * unit)

    @cached_property
    def without_inertia(self) -> Mask:
        """Which velocities have no inertia, by the measure of their own body, (n,)."""
        light = [np.zeros(0, dtype=bool)]
        for body in self.bodies:
            if isinstance(body, Body):
                light.append(~(INERTIA_TOLERANCE * body.J_C.max() < body.J_C))
            light.append(np.full(3, body.mass <= 0))
        return np.concatenate(light)

    @cached_property
    def is_tree(self) -> bool:
        """Whether no row closes a loop, and none is a condition."""
        return not self.closes.any()

    # -- conditions ---------------------------------------------------------------------------------------------

    def value(self, place: Placement) -> Array:
        """What the rows leave open of positions, as assembled, (..., m); zero for rows of velocities."""
        return np.concatenate([self.kinematics.value(place), self.conditions.value(place.q)], axis=-1)

    def matrix(self, place: Placement) -> csr_array:
        """All rows, (m, n)."""
        return self._stacked(self.kinematics.blocks(place), self.conditions.matrix(place.q))

    def dense(self, place: Placement) -> Array:
        """The same as full matrices, (..., m, n)."""
        joints = self.kinematics.dense(self.kinematics.blocks(place))
        return np.concatenate([joints, self.conditions.dense(place.q)], axis=-2)

    def drift(self, place: Placement, V: Array) -> Array:
        """The part of the rows' derivative that is there without accelerations, at velocities V (..., n), (..., m)."""
        return np.concatenate([self.kinematics.drift(place, V), self.conditions.drift(place.q, V)], axis=-1)

    @property
    def speeds(self) -> Array:
        """What the rows must be at the start of a run, (m,): rates of driven ones, else zero."""
        return np.append(np.zeros(self.kinematics.m), self.conditions.speeds)

    def _stacked(self, blocks: Array, C: csr_array) -> csr_array:
        import scipy.sparse

        joints = self.kinematics.matrix(blocks)
        return scipy.sparse.vstack([joints, C], format="csr") if self.conditions.m else joints

    @cached_property
    def row_scale(self) -> Array:
        """What makes each row a length: that of its gradient as built, with rotations counted by a typical length."""
        C = np.linalg.norm(self.conditions.dense(self.kinematics.as_built) * self._lengths, axis=-1)
        return np.append(row_scale(self.kinematics), np.where(C > 0, C, 1.0))

    def units_of(self, rows: csr_array) -> Array:
        """What makes each row of others over all velocities a length."""
        found = np.sqrt(np.asarray((rows * rows) @ self._lengths**2))
        return np.where(found > 0, found, 1.0)

    @cached_property
    def _lengths(self) -> Array:
        """Velocities per unit of speed: 1 for translations, of rotations the inverse of a typical length, (n,)."""
        return np.where(self.turning, 1.0 / typical_length(self.kinematics), 1.0)

    def saddle(self, place: Placement) -> Saddle:
        """Velocities nearest in the kinetic metric that satisfy all rows; those of loops may be redundant."""
        return Saddle(self.masses, self.matrix(place), self.closes, self.metric, self.row_scale)

    def upright(self, place: Placement) -> Array:
        """Products of axes that are positive unless one is reversed, of the joints `upright_pair`, (..., k)."""
        a, b = (place.axes[..., self.upright_pair, end, self._upright_axes[:, end], :] for end in (0, 1))
        return (a * b).sum(-1)

    def solve(self, q: Array, f: Array, b: Array) -> tuple[Array, Array]:
        """M x + Cᵀλ = f, C x = b at many configurations (T, size), for f (T, n) and b (T, m): x and λ.

        Where rows are redundant, λ is one of many solutions; where they contradict, x is a compromise.
        """
        T, n, m = len(q), self.kinematics.n, self.m
        x, lam = np.zeros((T, n)), np.zeros((T, m))
        if n + m <= FEW:
            for at in np.array_split(np.arange(T), max(1, T // CHUNK)):
                C = self.dense(self.kinematics.place(q[at]))
                x[at], lam[at] = solve_many(self.masses, C, self.closes, self.metric, f[at], b[at], self.row_scale)
            return x, lam
        if T < SERIES:
            for k in range(T):
                x[k], lam[k] = self.saddle(self.kinematics.place(q[k])).solve(f[k], b[k])
            return x, lam
        first = self.matrix(self.kinematics.place(q[0]))
        series = SaddleSeries(self.masses, first, self.closes, self.metric, self.row_scale)
        for k in range(T):
            x[k], lam[k] = series.solve(self.matrix(self.kinematics.place(q[k])), f[k], b[k])
        return x, lam

    def nearest(self, q: Array, P: Array, b: Array) -> Array:
        """V of M V + Cᵀμ = P, C V = b alone, (T, n): velocities nearest in the kinetic metric, in compiled code.

        Where rows are nearly redundant or contradict, or motions have no inertia, see `solve`.
        """
        if self.closes.sum() > MOST_ROWS or b[:, ~self.closes].any() or not self.kinematics.n:
            return self.solve(q, P, b)[0]
        V, found = self._nearest(q, P, b)
        if not found.all():
            V[~found] = self.solve(q[~found], P[~found], b[~found])[0]
        return V

    def has_inertia(self, q: Array) -> bool:
        """Whether all motions that the joints allow at a configuration have inertia; False where that is not clear."""
        if self.closes.sum() > MOST_ROWS or not self.kinematics.n:
            return False
        rest = np.zeros((1, self.kinematics.n)), np.zeros((1, self.m))
        return bool(self._nearest(q[None], *rest)[1][0])

    @cached_property
    def _nearest(self) -> NearestVelocities:
        return NearestVelocities(self)

    # -- rank ---------------------------------------------------------------------------------------------------

    def rank(self, place: Placement) -> int:
        """Number of independent rows at one configuration: what all readings of the mechanism there go by."""
        return int(self.independent(place).sum())

    def dependence(self, place: Placement) -> Dependence:
        """The rows that are independent at one configuration, and what those left out repeat."""
        kept = self.independent(place)
        return Dependence(kept, self.stresses(place, kept))

    def independent(self, place: Placement) -> Mask:
        """Which rows are independent at one configuration: all of the tree, of each group of loops a largest set.

        Of the rows of conditions as many as are independent of all that.
        """
        closure = Closure(self.kinematics, self.topology, place)
        kept = np.ones(self.m, dtype=bool)
        for group in self.topology.groups:
            rows = self._rows_of(group)
            if len(rows) <= MANY:
                kept[rows] = closure.loops(group).independent()
            else:
                kept[rows] = _pivots(dependent_combinations(*self._projected(closure.blocks, rows)))
        if self.conditions.m:
            C = self._scaled(closure.blocks, self.conditions.dense(place.q))
            first = self.kinematics.m
            kept[first:] = _pivots(dependent_combinations(C[:first][kept[:first]], _unit_rows(C[first:])))
        return kept

    def stresses(self, place: Placement, kept: Mask) -> Array:
        """Multipliers that balance each other, one column for each row that is not kept, (..., m, k)."""
        closure, batch = Closure(self.kinematics, self.topology, place), place.d.shape[:-2]
        first = self.kinematics.m
        found = [np.zeros((*batch, first, 0))]
        for group in self.topology.groups:
            rows = self._rows_of(group)
            if kept[rows].all():
                continue
            if len(rows) <= MANY:
                Y = closure.loops(group).stresses(kept[rows], first)
            else:
                out = rows[~kept[rows]]
                Y = np.array(
                    [_balance(self.kinematics.matrix(blocks), kept[:first], out) for blocks in _flat(closure.blocks)]
                )
                Y = Y.reshape(*found[0].shape[:-1], -1)
            found.append(Y)
        joints = np.concatenate(found, axis=-1) / closure.scale[:, None]
        if not self.conditions.m:
            return joints
        joints = np.concatenate([joints, np.zeros((*batch, self.conditions.m, joints.shape[-1]))], axis=-2)
        out = first + np.flatnonzero(~kept[first:])
        if not len(out):
            return joints
        each = zip(_flat(closure.blocks), _matrices(self.conditions.dense(place.q)), strict=True)
        Y = np.array([_balance(self._scaled(blocks, C), kept, out) for blocks, C in each])
        scale = np.append(closure.scale, np.ones(self.conditions.m))
        return np.concatenate([joints, Y.reshape(*batch, self.m, len(out)) / scale[:, None]], axis=-1)

    def _scaled(self, blocks: Array, C: Array) -> csr_array:
        """All rows at one configuration, rotations in lengths: of joints from their scaled blocks, of conditions."""
        import scipy.sparse

        return self._stacked(blocks, scipy.sparse.csr_array(C * self._lengths))

    def margin(self, place: Placement, kept: Mask) -> Array:
        """How far the kept rows of loops are from depending on each other and on the tree, for any batch shape.

        It is the singular value number r of all rows of loops, each of length 1, after projection on the complement of
        the rows of the tree, with as many kept rows r: 0 at a singular configuration, where fewer are independent; 1
        without loops and conditions. In large mechanisms it is the smallest one of the kept rows.
        """
        rows, batch = np.flatnonzero(kept & self.closes), place.d.shape[:-2]
        if not len(rows):
            return np.ones(batch)
        closure, others = Closure(self.kinematics, self.topology, place), self.conditions.dense(place.q)
        if self.kinematics.n + self.m > FEW:
            each = zip(_flat(closure.blocks), _matrices(others), strict=True)
            scaled = [self._scaled(blocks, C) for blocks, C in each]
            return np.array([smallest(C[~self.closes], _unit_rows(C[rows])) for C in scaled]).reshape(batch)
        return np.asarray(np.linalg.svd(self._beyond_tree(closure, others), compute_uv=False)[..., len(rows) - 1])

    def combination(self, place: Placement, kept: Mask) -> Array:
        """Shares of all rows of loops in the combination that belongs to the margin, (rows of loops,)."""
        closure, others = Closure(self.kinematics, self.topology, place), self.conditions.dense(place.q)
        return np.asarray(np.linalg.svd(self._beyond_tree(closure, others))[0][:, int((kept & self.closes).sum()) - 1])

    def _beyond_tree(self, closure: Closure, others: Array) -> Array:
        """Rows of loops, each of length 1, after projection on the complement of the rows of the tree."""
        C = np.concatenate([self.kinematics.dense(closure.blocks), others * self._lengths], axis=-2)
        L = C[..., self.closes, :]
        L = L / np.maximum(np.linalg.norm(L, axis=-1, keepdims=True), 1e-300)
        return beyond(L, np.linalg.qr(transpose(C[..., ~self.closes, :]))[0])

    def _rows_of(self, joints: tuple[int, ...]) -> Int:
        return np.flatnonzero(np.isin(self.kinematics.pair, joints))

    def _projected(self, blocks: Array, rows: Int) -> tuple[csr_array, csr_array]:
        """Rows of the tree, and some rows of loops with length 1."""
        C = self.kinematics.matrix(blocks)
        return C[~self.closes[: self.kinematics.m]], _unit_rows(C[rows])

    def least(self, q: Array, lam: Array, kept: Mask) -> Array:
        """The multipliers of least norm with the forces of λ (T, m) at configurations q (T, size).

        The norm is the Euclidean one in SI units: newtons and newton-metres weigh the same.
        """
        if kept.all():
            return lam
        Y = self.stresses(self.kinematics.place(q), kept)
        return lam - apply(Y @ np.linalg.pinv(Y), lam)


def _flat(blocks: Array) -> Array:
    return blocks.reshape(math.prod(blocks.shape[:-3]), *blocks.shape[-3:])


def _matrices(C: Array) -> Array:
    """A batch of matrices as one list of them, also where they have no rows."""
    return C.reshape(int(np.prod(C.shape[:-2])), *C.shape[-2:])


def _unit_rows(C: csr_array) -> csr_array:
    """The same rows with length 1."""
    import scipy.sparse

    lengths = np.maximum(np.sqrt((C * C).sum(axis=1)), 1e-300)
    return (scipy.sparse.diags_array(1.0 / lengths) @ C).tocsr()


def _balance(C: csr_array, kept: Mask, out: Int) -> Array:
    """Rows left out as sums of all that are kept, (m, k)."""
    solver = Saddle(np.ones(C.shape[1]), C[kept], np.zeros(int(kept.sum()), dtype=bool))
    Y = np.zeros((C.shape[0], len(out)))
    for k, row in enumerate(out):
        Y[kept, k] = -solver.solve(C[[row]].toarray()[0], np.zeros(int(kept.sum())))[1]
        Y[row, k] = 1.0
    return Y


def mass_vector(part: Body | Particle) -> Array:
    """Diagonal of its inertia for V = (ω; v) of a body, or for the velocity of a particle."""
    mass = np.full(3, part.mass)
    return np.concatenate([part.J_C, mass]) if isinstance(part, Body) else mass


def director_masses(part: Body | Particle) -> Array:
    """Diagonal of its inertia for velocities of centre of mass and directors: m, and E_i = ½ (J_j + J_k - J_i)."""
    return mass_vector(part) if isinstance(part, Particle) else np.repeat(np.append(part.mass, euler_moments(part)), 3)


def euler_moments(body: Body) -> Array:
    """E_i = ½ (J_j + J_k - J_i) of a body, the inertia of its directors, (3,); those that are rounding are zero."""
    euler = 0.5 * body.J_C.sum() - body.J_C
    return np.where(euler > DATA * body.J_C.sum(), euler, 0.0)


def _unit(part: Body | Particle) -> Array:
    """A typical inertia of each of its motions."""
    mass = np.full(3, part.mass)
    return np.concatenate([np.full(3, part.J_C.max()), mass]) if isinstance(part, Body) else mass


def _pivots(Y: Array) -> Mask:
    """Rows that remain if as many are left out as Y has columns, where Y is largest."""
    kept = np.ones(len(Y), dtype=bool)
    kept[independent_columns(Y.T, Y.shape[1])] = False
    return kept
