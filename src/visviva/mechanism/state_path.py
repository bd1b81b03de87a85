"""Closed loops at given coordinates and poses: a path in small steps from the mechanism as built.

Over a parameter s from 0 to 1 the given coordinates go straight to their values, and poses along screws. At each step
the rows of cut joints and conditions are closed by Newton's method in the coordinates y of the tree,

    minimise ½ δᵀ SᵀM S δ  with  A δ = -g,   A = C S,   y ← y + δ,

in the metric of kinetic energy; redundant rows count once. On the way the goals are approached as well as the loops
allow, since several that belong together need not do so there; at the end they are rows as well, and given coordinates
of the tree are fixed. A step that would move another coordinate far is halved, so that the mechanism keeps its branch
of assembly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import AssemblyError
from visviva.geometry import SO3
from visviva.geometry.turning import continued
from visviva.library.joints import Angle
from visviva.mechanism.assembly import Motion
from visviva.mechanism.closure import typical_length
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.joint_tree import JointTree, Posture, advanced, beyond_tree
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Joint
from visviva.mechanism.positions import CLOSED, EPS, extent
from visviva.mechanism.state_goals import Goals
from visviva.mechanism.state_names import Wanted
from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence, newton
from visviva.numerics.levenberg import search

STEP = 0.2  # [rad], and of the size of the mechanism: the longest step of what is given
JUMP = 0.5  # [rad], and of that size: what a step may move beyond what was expected
MOST = 5000  # steps of a path
SHORTEST = 2.0**-8  # of a step
ITERATIONS = 25
SETTLED = 1e-6  # [rad] and of the size: a shorter step on the way is its end
SOFT = 1e-6  # of the largest singular value: less of a goal that the loops leave is not followed on the way
LARGEST_TURN = 0.5  # [rad] of a coordinate in one iteration
LISTED = 10


@final
@dataclass(frozen=True, eq=False)
class Reached:
    """A place on the path: posture, poses of the bodies, and angles of joints that are cut, over many turns."""

    s: float
    at: Posture
    X_W: Array
    cut: dict[str, float]


@final
class StatePath:
    """The way of a mechanism to the coordinates and poses that a user wants."""

    def __init__(self, linkage: Linkage, tree: JointTree, built: Motion, start: Posture, want: Wanted) -> None:
        self.linkage, self.tree, self.want = linkage, tree, want
        self.length = typical_length(linkage.kinematics)
        X_W = tree.poses(start)
        q = self._q(X_W)
        self.size = extent(linkage, q)
        self.rows = linkage.conditions.held(q)
        self.rows.near |= {name: built.angles[name] for name in self.rows.near}
        self._closing = closed_rows(linkage, tree)
        self._cut = [joint for joint in tree.cut if joint.joint.coordinates]
        self._cut_rates = JointRates(linkage.bodies, self._cut)
        cut = {name: built.angles[name] for joint in self._cut for name in turn_names(joint)}
        self._start = Reached(0.0, start, X_W, cut)
        self.goals = Goals(tree, want, X_W)
        self._targets()

    def _targets(self) -> None:
        """Given coordinates: of the tree, as places in y; of cut joints, as places among theirs; from, and to."""
        start, tree = self._start, self.tree
        self._fixed: Mask = ~tree.active
        self._y: list[tuple[int, float, float]] = []
        self._others: list[tuple[int, bool, float, float]] = []
        values = self._cut_values(start)
        for (name, k), value in self.want.q.items():
            if name in tree.below:
                at = tree.columns[tree.below[name]].start + k
                self._y.append((at, float(start.at.y[at]), value))
                self._fixed[at] = True
            else:
                joint = next(j for j in self._cut if j.name == name)
                at, part = self._cut_rates.parts[self._cut.index(joint)].start + k, joint.joint.coordinates[k]
                turn = next((turn for turn, angle in turn_names(joint).items() if angle == part), None)
                now = float(values[at]) if turn is None else start.cut[turn]
                self._others.append((at, turn is not None, now, value))
        self._turns: list[tuple[slice, Array, Array]] = []
        for name, R in self.want.turns.items():
            if name in tree.below:
                columns = tree.columns[tree.below[name]]
                R0 = SO3.exp(start.at.y[columns]).R
                self._turns.append((columns, R0, SO3(R0.T @ R).log()))
                self._fixed[columns] = True
            else:
                self.goals.add_turn(next(joint for joint in tree.cut if joint.name == name), R)

    # -- the path -----------------------------------------------------------------------------------------------

    def follow(self) -> Reached:
        """The end of the path, or an error that says how far it leads and what stays open."""
        now, before, step = self._start, self._start, 1.0 / self._count()
        whole = step
        while now.s < 1.0:
            s = min(1.0, now.s + step)
            s = 1.0 if s > 1.0 - 1e-9 else s
            ahead = self._next(before, now, s)
            if ahead is None:
                step *= 0.5
                if step < SHORTEST * whole:
                    raise self._error(now)
                continue
            before, now, step = now, ahead, min(whole, 2.0 * step)
            self.rows.follow(self._q(now.X_W))
        return now

    def _count(self) -> int:
        """Steps that leave each short enough."""
        length = max(self.length, 1e-300)
        turns = [abs(b - a) / (1.0 if self._turning[k] else length) for k, a, b in self._y]
        turns += [abs(b - a) / (1.0 if angle else length) for _, angle, a, b in self._others]
        turns += [float(np.linalg.norm(w)) for _, _, w in self._turns]
        turns.append(self.goals.distance(length))
        if max(turns) > STEP * MOST:
            raise AssemblyError(
                f"the state of mechanism {self.linkage.name!r} is {max(turns):.3g} rad, or lengths of {length:.3g} m,\n"
                f"away from as built; loops and couplings are followed over {STEP * MOST:g} of them. Build it nearer,\n"
                "or count from another zero by q_built."
            )
        return max(1, int(np.ceil(max(turns) / STEP)))

    @cached_property
    def _turning(self) -> Mask:
        """Which coordinates of the tree are angles."""
        turning = np.zeros(self.tree.n, dtype=bool)
        for b, joint in enumerate(self.tree.joint):
            kinds = (False,) * 6 if joint is None else tuple(isinstance(c, Angle) for c in joint.joint.coordinates)
            columns = self.tree.columns[b]
            own = np.ones(columns.stop - columns.start, dtype=bool)  # charts of rotations
            own[: len(kinds)] = kinds
            turning[columns] = own if joint is not None else np.arange(6) < 3
        return turning

    def _next(self, before: Reached, now: Reached, s: float) -> Reached | None:
        ratio, change = (s - now.s) / (now.s - before.s) if now.s > before.s else 0.0, now.at.y - before.at.y
        y = now.at.y + min(ratio, 2.0) * np.where(self._followed | (np.abs(change) < JUMP), change, 0.0)
        for at, a, b in self._y:
            y[at] = b if s == 1.0 else a + s * (b - a)
        for columns, R0, w in self._turns:
            y[columns] = SO3(R0 @ SO3.exp(s * w).R).log()
        expected = Posture(y, now.at.flying)
        found = self._closed(expected, s)
        if found is None:
            return None
        away = np.abs(found.at.y - y) / np.where(self._turning, 1.0, self.length)
        if away[~self._fixed & self._followed].max(initial=0.0) > JUMP:
            return None
        return replace(found, cut=self._cut_angles(found, now.cut))

    @cached_property
    def _followed(self) -> Mask:
        """Coordinates whose changes say how far a step goes: not those of rotation vectors, which wrap."""
        followed = np.zeros(self.tree.n, dtype=bool)
        for b, joint in enumerate(self.tree.joint):
            if joint is not None:
                first = self.tree.columns[b].start
                followed[first : first + len(joint.joint.coordinates)] = True
        return followed

    # -- one configuration --------------------------------------------------------------------------------------

    def _closed(self, at: Posture, s: float) -> Reached | None:
        found = self._settle(at, s, exact=s == 1.0)
        g, goals = self._gaps(found, s)
        gap = np.abs(np.append(g, goals) if s == 1.0 else g).max(initial=0.0)
        return found if gap <= CLOSED * self.size and self._upright(found) else None

    def _upright(self, found: Reached) -> bool:
        return bool((self.linkage.upright(self.linkage.kinematics.place(self._q(found.X_W))) > 0).all())

    def _settle(self, at: Posture, s: float, *, exact: bool) -> Reached:
        """To where loops are closed; exact: to the goals, with what is given fixed. Else goals are only approached."""
        start, free = self._at(at, s), ~self._fixed if exact else self.tree.active
        g, soft = self.measured(start, s, exact)
        if not free.any():
            return start
        if len(soft):
            return self._approached(start, s, free)

        def adapted(mu: float, now: _Trial, nearer: bool) -> float | None:
            if nearer:
                return 0.1 * mu if mu > 1e-9 else 0.0
            return None if mu > 1.0 else max(10.0 * mu, 1e-6)

        rule = Convergence(0.5 * EPS * self.size * np.sqrt(len(g)), CLOSED * self.size)
        return search(_Trial(self, free, exact, start, g), 0.0, adapted, rule, ITERATIONS).now

    def _approached(self, start: Reached, s: float, free: Mask) -> Reached:
        """Where loops are closed and a step that comes nearer to the goals is short: steps of Gauss and Newton's."""

        def step(at: tuple[Reached, float]) -> tuple[float, Callable[[], tuple[Reached, float]]]:
            now, turn = at
            g, soft = self.measured(now, s, False)
            left = max(float(np.linalg.norm(g)) / (CLOSED * self.size), turn / SETTLED)
            return left, lambda: self.stepped(now, g, soft, free, False, 0.0)

        return newton((start, LARGEST_TURN), step, Convergence(1.0, 1.0), ITERATIONS)[0][0]

    def stepped(self, now: Reached, g: Array, soft: Array, free: Mask, exact: bool, mu: float) -> tuple[Reached, float]:
        """After a step that closes loops and approaches goals, damped by μ, and how far it would have turned."""
        M = self.linkage.metric / self.linkage.metric[~self.linkage.turning].mean()
        A, A2, S = self._slopes(now, now.s, exact)
        metric, goals = S.T @ (M[:, None] * S), (A2, -soft)
        step = least_change(A, -g, metric, free=free, alike=True, damping=mu, then=goals, follow=SOFT)
        turn = float((np.abs(step) / np.where(self._turning, 1.0, self.length)).max(initial=0.0))
        return self._at(advanced(self.tree, now.at, step * min(1.0, LARGEST_TURN / max(turn, 1e-300))), now.s), turn

    def measured(self, now: Reached, s: float, exact: bool) -> tuple[Array, Array]:
        """What must vanish, and what should be small."""
        g, goals = self._gaps(now, s)
        return (np.append(g, goals), np.zeros(0)) if exact else (g, np.append(goals, self._tree_gaps(now, s)[0]))

    def _tree_gaps(self, now: Reached, s: float) -> tuple[Array, Array]:
        """How far given coordinates of the tree are from where they should be on the way, and their rows."""
        columns = [at for at, _, _ in self._y]
        scale = np.where(self._turning[columns], self.length, 1.0) if columns else np.zeros(0)
        gaps = [scale * (now.at.y[columns] - np.array([a + s * (b - a) for _, a, b in self._y]))]
        rows = [scale[:, None] * np.eye(self.tree.n)[columns]]
        for at, R0, w in self._turns:
            R = R0 @ SO3.exp(s * w).R
            left = SO3(R.T @ SO3.exp(now.at.y[at]).R).log()
            own = np.zeros((3, self.tree.n))
            own[:, at] = SO3.dexp_inv(left) @ SO3.dexp(now.at.y[at])
            gaps.append(self.length * left)
            rows.append(self.length * own)
        return np.concatenate(gaps), np.concatenate(rows)

    def _at(self, at: Posture, s: float) -> Reached:
        return Reached(s, at, self.tree.poses(at), {})

    def _gaps(self, now: Reached, s: float) -> tuple[Array, Array]:
        """What loops and conditions leave open, and goals that are no coordinates of the tree, in lengths."""
        linkage, q = self.linkage, self._q(now.X_W)
        g = np.append(linkage.kinematics.value(linkage.kinematics.place(q)), self.rows.value(q)) / linkage.row_scale
        values, goals = self._cut_values(now), []
        for at, angle, a, b in self._others:
            want = a + s * (b - a)
            value = float(continued(values[at], np.asarray(want))) if angle else float(values[at])
            goals.append((value - want) * (self.length if angle else 1.0))
        return g[self._closing], np.append(goals, self.goals.value(now.X_W, s, self.length))

    def _slopes(self, now: Reached, s: float, exact: bool) -> tuple[Array, Array, Array]:
        """Derivatives of `measured` over the coordinates of the tree, and S."""
        linkage, q = self.linkage, self._q(now.X_W)
        S = self.tree.jacobian(now.at, now.X_W)
        C = (linkage.dense(linkage.kinematics.place(q)) / linkage.row_scale[:, None])[self._closing] @ S
        rows = [np.zeros((0, self.tree.n))]
        if self._others:
            R = self._cut_rates.matrix(q).toarray() @ S
            rows += [R[at : at + 1] * (self.length if angle else 1.0) for at, angle, _, _ in self._others]
        rows.append(self.goals.rows(now.X_W, S, self.linkage.kinematics.columns, s, self.length))
        if exact:
            return np.concatenate([C, *rows]), np.zeros((0, self.tree.n)), S
        return C, np.concatenate([*rows, self._tree_gaps(now, s)[1]]), S

    def _q(self, X_W: Array) -> Array:
        return np.concatenate(list(self.tree.coordinates(X_W).values()))

    def _cut_values(self, now: Reached) -> Array:
        return self._cut_rates.values(self._q(now.X_W)) if self._cut else np.zeros(0)

    def _cut_angles(self, now: Reached, near: dict[str, float]) -> dict[str, float]:
        values, found = self._cut_values(now), {}
        for joint, part in zip(self._cut, self._cut_rates.parts, strict=True):
            turning = [k for k, c in enumerate(joint.joint.coordinates) if isinstance(c, Angle)]
            for name, k in zip(turn_names(joint), turning, strict=True):
                found[name] = float(continued(values[part.start + k], np.asarray(near[name])))
        return found

    # -- errors -------------------------------------------------------------------------------------------------

    def _labels(self) -> list[str]:
        """What each row of the residual is, in the user's names."""
        labels = [name for name, closing in zip(self.linkage.names, self._closing, strict=True) if closing]
        cut = [key for key in self.want.q if key[0] not in self.tree.below]
        return labels + [_shown(self._joint(name), k) for name, k in cut] + self.goals.labels()

    def _joint(self, name: str) -> Joint:
        return next(joint for joint in self.linkage.joints if joint.name == name)

    def _error(self, now: Reached) -> AssemblyError:
        near = self._settle(now.at, 1.0, exact=False)
        if np.abs(self._gaps(near, 1.0)[0]).max(initial=0.0) > CLOSED * self.size:
            near = now  # the last that closes
        told, reached, values = [], near.at.y, self._cut_values(near)
        known = {at: (a, b) for at, a, b in self._y}
        cut = iter(self._others)
        for name, k in self.want.q:
            if name in self.tree.below:
                at = self.tree.columns[self.tree.below[name]].start + k
                value, want = float(reached[at]), known[at][1]
            else:
                at, angle, _, want = next(cut)
                value = float(continued(values[at], np.asarray(want))) if angle else float(values[at])
            told.append(f"{_shown(self._joint(name), k)} = {value:.6g} for {want:.6g}")
        for name, (columns, R0, w) in zip(
            (n for n in self.want.turns if n in self.tree.below), self._turns, strict=True
        ):
            left = SO3((R0 @ SO3.exp(w).R).T @ SO3.exp(reached[columns]).R).log()
            told.append(f"{name}.q off by {np.linalg.norm(left):.3g} rad")
        goals = self.goals.value(near.X_W, 1.0, self.length)
        told += [f"{label} off by {gap:.3g} m" for label, gap in _sums(self.goals.labels(), goals).items()]
        best = self._settle(replace(now.at, y=self._asked(now.at.y)), 1.0, exact=True)
        gaps = _sums(self._labels(), np.concatenate(self._gaps(best, 1.0)))
        listed = sorted(((gap, label) for label, gap in gaps.items() if gap > CLOSED * self.size), reverse=True)
        lines = [f"  {label!r}: open by {gap:.3g} m" for gap, label in listed[:LISTED]]
        lines += [f"  and {len(listed) - LISTED} more"] if len(listed) > LISTED else []
        reversed_axes = [] if self._upright(best) else ["  an axis would be reversed"]
        return AssemblyError(
            f"mechanism {self.linkage.name!r} cannot be assembled at the coordinates that were given. The nearest that "
            f"was found\nfrom as built: {', '.join(told)}.\n"
            "With the values as they were given these stay open, angles by a typical length:\n"
            + "\n".join([*lines, *reversed_axes])
            + "\nThey are out of its range, or contradict each other: give fewer, or others; what is left out follows."
        )

    def _asked(self, y: Array) -> Array:
        y = np.array(y)
        for at, _, b in self._y:
            y[at] = b
        for columns, R0, w in self._turns:
            y[columns] = SO3(R0 @ SO3.exp(w).R).log()
        return y


@final
@dataclass(frozen=True, eq=False)
class _Trial:
    """A configuration on the search for one that is closed, and what must vanish there."""

    path: StatePath
    free: Mask
    exact: bool
    now: Reached
    g: Array

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.g))

    def tried(self, damping: float) -> _Trial | None:
        """After a step of the least change that closes all, damped."""
        path = self.path
        ahead, _ = path.stepped(self.now, self.g, np.zeros(0), self.free, self.exact, damping)
        return replace(self, now=ahead, g=path.measured(ahead, ahead.s, self.exact)[0])


def closed_rows(linkage: Linkage, tree: JointTree) -> Mask:
    """Rows that a configuration must satisfy, beyond those that the tree does.

    A drive without a law of position begins where it is, and conditions on velocities say nothing of positions.
    """
    closed = beyond_tree(linkage, tree)
    for k, part in enumerate(linkage.conditions.owner, start=linkage.kinematics.m):
        closed[k] &= part.kind != "nonholonomic" and (part.law is None or part.target is not None)
    return closed


def _sums(labels: list[str], gaps: Array) -> dict[str, float]:
    """The size of all gaps of each label."""
    found: dict[str, float] = {}
    for label, gap in zip(labels, gaps.tolist(), strict=True):
        found[label] = float(np.hypot(found.get(label, 0.0), gap))
    return found


def _shown(joint: Joint, k: int) -> str:
    return f"{joint.name}.q" if len(joint.joint.coordinates) == 1 else f"{joint.name}.q[{k}]"
