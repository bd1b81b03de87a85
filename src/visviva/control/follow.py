"""Configurations, velocities and accelerations that meet goals at a time, followed continuously from a start.

With rows A of all goals, and Z of loops where all velocities of the tree are kept,

    [A; Z] v = [V; 0],    [A; Z] a = [V̇ - Ȧ v; z],

and configurations by Newton's method on the manifold, from one that is near: nodes at equal times are found one after
the other from the begin, and any time in between from the node before it. So the branch is kept, and no result depends
on the order in which times are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, final

import numpy as np

from visviva._arrays import Array
from visviva.control.goals import METRES, AbstractGoal, State
from visviva.errors import AssemblyError
from visviva.forms.dynamics.handle import Dynamics
from visviva.forms.dynamics.loop_rows import AbstractRowsAt
from visviva.forms.dynamics.state_cache import StateCache
from visviva.forms.minimal.closing import CLOSED
from visviva.mechanism.closure import typical_length
from visviva.numerics.convergence import Convergence, newton
from visviva.numerics.levenberg import search
from visviva.numerics.nullspace import Split, split
from visviva.numerics.rank import FLOOR

ITERATIONS = 100
MOST_DAMPED = 1e9  # of a step: where no shorter one comes nearer either
ROUNDING = 2e-15  # [rad, typical lengths] nothing is nearer
EXACT = 1e-12  # [rad, typical lengths] a goal that is met
NEARLY = 1e-9  # and one that is met as well as rounding lets it
FAR = 0.3  # [rad, typical lengths] longest way between two configurations that are followed
BENT = 0.3  # part of a way that may depart from its tangent
SMALL = 0.02  # [rad, typical lengths] ways that are not questioned
SHORTEST = 2.0**-24  # part of the time between nodes
AGREES = 1e-7  # relative: velocities and accelerations that goals, and loops, agree on
NAMED = 0.3  # part of the fastest velocity: those below are not named
DEAD = 0.05  # of the largest singular value: velocities hardly answer to a goal
KICKS = (0.1, 0.3, 0.6)  # [rad, typical lengths] away from a configuration in which goals pull in vain


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """[A; Z] at a configuration, in units of lengths and of typical steps, by its split."""

    A: Array  # (k, nv) of goals alone, in their units
    parts: Split
    loops: int  # number of rows of loops


class Node(NamedTuple):
    """A time, and the motion there; xi, xi_dot: of all velocities of the tree."""

    t: float
    q: Array
    v: Array
    a: Array
    xi: Array
    xi_dot: Array


class Wanted(NamedTuple):
    """What goals want at a time: targets, and V and V̇ of all of them, (k,) each."""

    t: float
    targets: tuple[Any, ...]
    V: Array
    V_dot: Array


@final
class Follower:
    """Motion of a mechanism that meets goals.

    near: where the search at the begin starts.   begin: [s].   step: [s] between nodes.
    """

    def __init__(self, d: Dynamics, goals: Sequence[AbstractGoal], near: Array, begin: float, step: float) -> None:
        self.d, self.goals, self.begin, self.step = d, goals, begin, step
        self.length = typical_length(d.form.linkage.kinematics)
        self.units = np.array([self.length if unit == METRES else 1.0 for goal in goals for unit in goal.units])
        self.near, self._nodes = near, dict[int, Node]()
        self._s = np.array(d.s_built)
        self.keeps_loops = d.loops is not None and d.loops.independent is None  # all velocities, with loops as rows
        self._wanted: Wanted | None = None
        self._of_velocities = StateCache(partial(self._rows, positions=False))
        self._of_positions = StateCache(partial(self._rows, positions=True))
        self._holonomic, self._still = d.form.open.has_g, np.zeros(d.nv)

    # -- levels ---------------------------------------------------------------------------------------------------

    def state(self, q: Array, v: Array) -> State:
        """With N and drift of loops."""
        if self.d.loops is None or self.keeps_loops:
            return State(self.d, q, v, None)
        return State(self.d, q, v, self.d.loops.at(q, v, self._s))

    def rows(self, q: Array, *, positions: bool = False) -> Rows:
        """Of goals and loops at a configuration. positions: without rolling, which says nothing of configurations."""
        return self._of_positions(q) if positions and self.keeps_loops else self._of_velocities(q)

    def _rows(self, q: Array, positions: bool) -> Rows:
        state = self.state(q, self._still)
        A = np.concatenate([goal.rows(state) for goal in self.goals])
        scaled, terms = self._scaled(A, self.d.sizes)
        count = 0
        if self.keeps_loops:
            assert self.d.loops is not None
            here, kept = self.d.loops.rows.at(q, self._s), self._holonomic if positions else slice(None)
            loops = here.Z[kept] * self.d.sizes
            scaled, count = np.concatenate([scaled, loops]), len(loops)
            terms = np.concatenate([terms, np.linalg.norm(here.terms[kept] * self.d.sizes, axis=1)])
        return Rows(A, split(scaled, terms), count)

    def _scaled(self, A: Array, sizes: Array) -> tuple[Array, Array]:
        """Rows of goals in units of lengths and of typical steps, and sizes of their terms."""
        scaled = A / self.units[:, None] * sizes
        terms = np.linalg.norm(scaled, axis=1)
        # rounding of others is no row
        return scaled, np.maximum(terms, max(FLOOR * float(terms.max(initial=0.0)), 1e-300))

    def solve(self, rows: Rows, wanted: Array, loops: Array | None = None) -> Array:
        """Velocities, or accelerations, of least size in typical steps; loops: what Z of these must be."""
        loops = np.zeros(rows.loops) if loops is None else loops
        return np.asarray(self.d.sizes * rows.parts.solve(np.concatenate([wanted / self.units, loops])))

    def wanted(self, t: float) -> Wanted:
        """What goals want; that of the last time is kept."""
        found = self._wanted
        if found is None or found.t != t:
            targets, V, V_dot = zip(*(goal.at(t) for goal in self.goals), strict=True)
            found = self._wanted = Wanted(t, targets, np.concatenate(V), np.concatenate(V_dot))
        return found

    def velocity(self, q: Array, t: float) -> Array:
        """v, or an error that names what goals do not agree on, or a dead point."""
        rows, wanted = self.rows(q), self.wanted(t).V
        self._check_rank(rows, t)
        v = self.solve(rows, wanted)
        self.check(rows.A @ v - wanted, wanted, t, "/s")
        return v

    def acceleration(self, q: Array, v: Array, t: float) -> Array:
        """a, exact: goals less what they accelerate by at a = 0."""
        rows, state = self.rows(q), self.state(q, v)
        wanted = self.wanted(t).V_dot - np.concatenate([goal.bias(state) for goal in self.goals])
        loops = None
        if self.keeps_loops:
            assert self.d.loops is not None
            loops = self.d.loops.rows.at(q, self._s).rates(v)
        a = self.solve(rows, wanted, loops)
        self.check(rows.A @ a - wanted, wanted, t, "/s²")
        return a

    def way(self, q: Array, t: float) -> Array:
        """To all goals, (k,)."""
        targets = self.wanted(t).targets
        return np.concatenate([goal.way(self.d, q, target) for goal, target in zip(self.goals, targets, strict=True)])

    # -- configurations -------------------------------------------------------------------------------------------

    def configuration(self, t: float) -> Array:
        """q at any time."""
        k = math.trunc((t - self.begin) / self.step)  # before the begin nodes are counted backwards
        return self._advance(self.node(k), t)

    def node(self, k: int) -> Node:
        """The k-th node."""
        if not self._nodes:
            self._nodes[0] = self._moving(self.start, self.begin)
        sign, last = (1 if k > 0 else -1), k
        while last not in self._nodes:
            last -= sign
        while last != k:
            last += sign
            t = self.begin + last * self.step
            self._nodes[last] = self._moving(self._advance(self._nodes[last - sign], t), t)
        return self._nodes[k]

    def _moving(self, q: Array, t: float) -> Node:
        v = self.velocity(q, t)
        a, state = self.acceleration(q, v, t), self.state(q, v)
        return Node(t, q, v, a, *((v, a) if state.motion is None else (state.motion.xi, state.N @ a + state.drift)))

    def _advance(self, node: Node, t: float) -> Array:
        """The configuration a little later, or earlier: along the tangent, then to the goals; halved where it bends."""
        step, q = t - node.t, node.q
        while node.t != t:
            ahead = t if abs(t - node.t) <= abs(step) * (1 + 1e-9) else node.t + step
            found, h = None, ahead - node.t
            length = max(self._size(h * node.v), self._size(h * node.v + 0.5 * h * h * node.a))
            if length <= FAR:
                predicted, found = self._ahead(node, h)
                if found is not None and self._size(self.d.difference(predicted, found)) > BENT * length + SMALL:
                    found = None
            if found is None:
                step = 0.5 * h
                if abs(step) < SHORTEST * self.step:
                    raise self._unreachable(node.q, t, node.t)
                continue
            q = found
            if ahead == t:
                break
            node = self._moving(found, ahead)
        return q

    def _ahead(self, node: Node, h: float) -> tuple[Array, Array | None]:
        """A configuration on the curve of a node, and the one next to it that meets all goals; None if none is."""
        predicted = node.q
        try:
            if self.d.loops is not None and not self.keeps_loops:
                predicted = self.d.tree_integrate(node.q, h * node.xi + 0.5 * h * h * node.xi_dot)
                found = self._meet(predicted, node.t + h)
                if found is not None:
                    return predicted, found
            predicted = self.d.integrate(node.q, h * node.v + 0.5 * h * h * node.a)
            return predicted, self._newton(predicted, node.t + h)
        except AssemblyError:
            return predicted, None

    def _meet(self, q: Array, t: float) -> Array | None:
        """Goals and loops at once, by Newton's method over all velocities of the tree, from near by.

        Where both determine the configuration it is that of `_newton`, to rounding; None if it does not converge.
        """
        d = self.d
        assert d.loops is not None
        loops = d.loops

        def step(q: Array) -> tuple[float, Callable[[], Array]]:
            way, here = self.way(q, t) / self.units, loops.rows.at(q, self._s)
            off = here.g / here.scale
            residual = [float(np.abs(part).max(initial=0.0)) for part in (way, off * (ROUNDING / CLOSED))]
            return max(residual), lambda: self._met(q, here, way, off)

        try:
            found, reached = newton(q, step, Convergence(ROUNDING, NEARLY, grown=2.0, near=0.5 * FAR), 6)
            return d.close(found) if reached else None
        except AssemblyError:
            return None

    def _met(self, q: Array, here: AbstractRowsAt, way: Array, off: Array) -> Array:
        """The configuration after a step to goals and closed loops; an error where it is long or singular."""
        state, sizes = State(self.d, q, self._still, None), self.d.form.lengths
        scaled, terms = self._scaled(np.concatenate([goal.rows(state) for goal in self.goals]), sizes)
        Z = here.Z * sizes / here.scale[:, None]
        parts = split(np.concatenate([scaled, Z]), np.concatenate([terms, np.ones(len(off))]))
        eta = parts.solve(np.concatenate([way, -off]))
        if parts.rank < len(eta) or not np.abs(eta).max(initial=0.0) <= FAR:
            raise AssemblyError("goals and loops determine no configuration near by.")
        return self.d.tree_integrate(q, sizes * eta)

    @cached_property
    def start(self) -> Array:
        """q at the begin, from `near`; where goals pull in vain, from a little beside, by a fixed sequence of kicks."""
        rng, best = np.random.default_rng(0), self._search(self.near, self.begin)
        for size in KICKS:
            if self._gap(best) <= NEARLY:
                break
            try:
                kicked = self.d.integrate(self.near, self._along(self.near, size * rng.normal(size=self.d.nv)))
                other = self._search(kicked, self.begin)
            except AssemblyError:
                continue
            best = other if self._gap(other) < self._gap(best) else best
        if self._gap(best) > NEARLY:
            raise self._unreachable(best, self.begin)
        return best

    def corrected(self, q: Array, t: float) -> Array:
        """The configuration next to q that meets all goals, or an error."""
        found = self._newton(q, t)
        if found is None:
            raise self._unreachable(q, t)
        return found

    def _gap(self, q: Array) -> float:
        return float(np.abs(self.way(q, self.begin) / self.units).max(initial=0.0))

    def _along(self, q: Array, eta: Array) -> Array:
        """A step in typical ones; of one that loops do not allow, what they leave of it."""
        step = self.d.sizes * eta
        if self.keeps_loops:
            assert self.d.loops is not None
            step = self.d.loops.projector(q, self._s) @ step
        return np.asarray(step)

    def _newton(self, q: Array, t: float) -> Array | None:
        """From near by, to rounding; None if it does not converge."""

        def step(q: Array) -> tuple[float, Callable[[], Array]]:
            way = self.way(q, t)
            return float(np.abs(way / self.units).max(initial=0.0)), lambda: self._moved(q, way)

        rule = Convergence(ROUNDING, NEARLY, grown=2.0, near=0.5 * FAR)
        try:
            found, reached = newton(q, step, rule, 8)
        except AssemblyError:
            return None
        return found if reached or rule.best <= NEARLY else None

    def _moved(self, q: Array, way: Array) -> Array:
        """The configuration after a step of Newton's; an error where it is long, or loops cannot be closed after it."""
        step = self.solve(self.rows(q, positions=True), way)
        if not self._size(step) <= FAR:
            raise AssemblyError("a step that is as long as that leads to no configuration near by.")
        return self.d.integrate(q, step)

    def _search(self, q: Array, t: float) -> Array:
        """Levenberg's and Marquardt's method from far away; the nearest configuration that it finds."""
        q = self.d.integrate(q, np.zeros(self.d.nv))
        start = _Missed(self, t, q, self.way(q, t) / self.units)

        def adapted(mu: float, now: _Missed, nearer: bool) -> float | None:
            if nearer:
                return max(0.1 * mu, 1e-12)
            return None if mu > MOST_DAMPED else 8.0 * mu

        near = search(start, 1e-2, adapted, Convergence(EXACT, NEARLY), ITERATIONS).q
        found = self._newton(near, t)
        return near if found is None else found

    def damped(self, q: Array, e: Array, damping: float) -> Array:
        """The configuration after a damped step along e, in units: no longer than one radian, or typical length."""
        parts = self.rows(q, positions=True).parts
        pull = np.concatenate([e, np.zeros(len(parts.units) - len(e))]) / parts.units
        shares = parts.s / (parts.s**2 + damping * min(1.0, float(e @ e)))
        eta = self._along(q, parts.V @ (shares * (parts.U.T @ pull)))
        return self.d.integrate(q, eta * min(1.0, 1.0 / max(self._size(eta), 1e-300)))

    def _size(self, v: Array) -> float:
        return float(np.abs(v / self.d.sizes).max(initial=0.0))

    # -- errors -----------------------------------------------------------------------------------------------------

    def free(self, rows: Rows) -> list[str]:
        """Velocities that goals leave open."""
        if rows.parts.rank == self.d.nv:
            return []
        motions = np.abs(rows.parts.Z)
        return [
            name for k, name in enumerate(self.d.names) if (motions[k] > NAMED * motions.max(0, initial=1e-300)).any()
        ]

    def freedoms(self, q: Array) -> int:
        """How many velocities are open."""
        return self.d.nv - self.rows(q, positions=True).parts.rank

    def undetermined(self, q: Array) -> list[str]:
        """Velocities that goals leave open: the mechanism can leave q along them while all goals stay met.

        At a dead point it cannot: there only velocities are open.
        """
        rows = self.rows(q, positions=True)
        found = self.free(rows)
        if not found:
            return []
        motion = rows.parts.Z @ np.random.default_rng(1).normal(size=rows.parts.Z.shape[1])
        motion *= FAR / np.abs(motion).max()
        try:
            beside = self._newton(self.d.integrate(q, self._along(q, motion)), self.begin)
            if beside is None or self._size(self.d.difference(q, beside)) < 0.1 * FAR:
                return []
            return self.free(self.rows(beside, positions=True))
        except AssemblyError:
            return []

    def _check_rank(self, rows: Rows, t: float) -> None:
        if moving := self.free(rows):
            names = ", ".join(goal.name for goal in self.goals)
            raise AssemblyError(
                f"at t = {t:.6g} s mechanism {self.d.name!r} is at a dead point of its reference: "
                f"{', '.join(moving)} can move while {names} {'stands' if len(self.goals) == 1 else 'stand'} still.\n"
                "Lead the path past it, or give other goals, e.g. a joint."
            )

    def check(self, off: Array, wanted: Array, t: float, per: str) -> None:
        """An error where goals are not met in velocities or accelerations, (k,)."""
        scale = max(float(np.abs(wanted / self.units).max(initial=0.0)), 1.0)
        if np.abs(off / self.units).max(initial=0.0) <= AGREES * scale:
            return
        raise AssemblyError(
            f"at t = {t:.6g} s the goals of mechanism {self.d.name!r} contradict each other, or what its joints let "
            f"it do: {self._told(off, per)}.\nGive fewer goals, or ones that agree in their rates as well."
        )

    def _told(self, off: Array, per: str = "") -> str:
        """Every goal that is missed, and by how much."""
        lines, start = list[str](), 0
        worst = float(np.abs(off / self.units).max(initial=0.0))
        for goal in self.goals:
            own = off[start : start + len(goal.units)]
            start += len(goal.units)
            if np.abs(own).max(initial=0.0) < 1e-3 * worst:
                continue
            each = list[str]()
            for unit in dict.fromkeys(goal.units):
                part = own[[k for k, u in enumerate(goal.units) if u == unit]]
                each.append(f"{np.linalg.norm(part):.4g} {unit}{per}")
            lines.append(f"{goal.name!r} stays {' and '.join(each)} away")
        return ", ".join(lines)

    def _unreachable(self, q: Array, t: float, since: float | None = None) -> AssemblyError:
        """What is left at the nearest configuration, and whether velocities answer there.

        since: last time at which goals were met.
        """
        best = self._search(q, t)
        off, s = self.way(best, t), self.rows(best).parts.s
        if np.abs(off / self.units).max(initial=0.0) <= NEARLY:
            last = t if since is None else since
            return AssemblyError(
                f"the reference of mechanism {self.d.name!r} comes to a dead point at t = {last:.6g} s: the next "
                "configuration that meets its goals lies on another branch.\nLead the path past it."
            )
        lost = "" if since is None else f"; beyond t = {since:.6g} s it is lost"
        dead = " It is stretched there, or near a dead point." if len(s) < self.d.nv or s[-1] < DEAD * s[0] else ""
        return AssemblyError(
            f"at t = {t:.6g} s mechanism {self.d.name!r} does not meet its reference: {self._told(off)},\n"
            f"at the nearest configuration found{lost}.{dead}\n"
            "Ask for paths within reach that do not contradict each other, or begin on another branch, near=."
        )


@final
@dataclass(frozen=True, eq=False)
class _Missed:
    """A configuration on the search for one that meets the goals at a time, and how far it is from them, in units."""

    by: Follower
    t: float
    q: Array
    e: Array

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.e))

    def tried(self, damping: float) -> _Missed | None:
        """After a damped step; None where loops do not close after it."""
        try:
            q = self.by.damped(self.q, self.e, damping)
            return replace(self, q=q, e=self.by.way(q, self.t) / self.by.units)
        except AssemblyError:
            return None
