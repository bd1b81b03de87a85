"""Closed loops at given coordinates and poses: a path in small steps from the mechanism as built.

Over a parameter s from 0 to 1 the given coordinates go straight to their values, and poses along screws. At each step
the rows of cut joints and conditions, and the goals, are closed by Newton's method in the coordinates y of the tree,

    minimise ½ δᵀ SᵀM S δ  with  A δ = -g,   A = C S,   y ← y + δ,      given coordinates of the tree fixed,

in the metric of kinetic energy; redundant rows count once. A step that would move another coordinate far is halved, so
that the mechanism keeps its branch of assembly; where steps become too short, the end of its range is reached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import AssemblyError
from visviva.geometry import SO3
from visviva.geometry.rank import TOLERANCE
from visviva.geometry.turning import continued
from visviva.library.joints import Angle
from visviva.mechanism.assembly import Motion
from visviva.mechanism.closure import typical_length
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.joint_tree import JointTree, Posture, advanced
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Joint
from visviva.mechanism.positions import CLOSED, EPS, extent
from visviva.mechanism.state_goals import Goals
from visviva.mechanism.state_names import Wanted

STEP = 0.2  # [rad], and of the size of the mechanism: the longest step of what is given
JUMP = 0.5  # [rad], and of that size: what a step may move beyond what was expected
SHORTEST = 2.0**-12  # of a step
ITERATIONS = 40
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
        self._closing = np.append(
            np.isin(linkage.kinematics.pair, [linkage.joints.index(joint) for joint in tree.cut]),
            closed_conditions(linkage, tree),
        )
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
                at = self._cut_rates.parts[self._cut.index(joint)].start + k
                self._others.append((at, isinstance(joint.joint.coordinates[k], Angle), float(values[at]), value))
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
        return max(1, int(np.ceil(max(turns, default=0.0) / STEP)))

    @property
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
        ratio = (s - now.s) / (now.s - before.s) if now.s > before.s else 0.0
        y = now.at.y + min(ratio, 2.0) * (now.at.y - before.at.y)
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

    @property
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
        found = self._settle(at, s)
        g = self._residual(found, s, slope=False)[0]
        closed = np.abs(g).max(initial=0.0) <= CLOSED * self.size
        return found if closed and self._upright(found) else None

    def _upright(self, found: Reached) -> bool:
        return bool((self.linkage.upright(self.linkage.kinematics.place(self._q(found.X_W))) > 0).all())

    def _settle(self, at: Posture, s: float) -> Reached:
        """Newton's method, damped where it does not come nearer."""
        now = self._at(at, s)
        g, A, S = self._residual(now, s)
        norm, mu, free = float(np.linalg.norm(g)), 0.0, ~self._fixed
        M = self.linkage.metric / self.linkage.metric[~self.linkage.turning].mean()
        for _ in range(ITERATIONS):
            if np.abs(g).max(initial=0.0) <= 0.5 * EPS * self.size or not free.any():
                break
            step = np.zeros(self.tree.n)
            step[free] = _nearest(S[:, free].T @ (M[:, None] * S[:, free]), A[:, free], -g, mu)
            turn = float((np.abs(step) / np.where(self._turning, 1.0, self.length)).max(initial=0.0))
            ahead = self._at(advanced(self.tree, now.at, step * min(1.0, LARGEST_TURN / max(turn, 1e-300))), s)
            found = self._residual(ahead, s)
            norm_ahead = float(np.linalg.norm(found[0]))
            if not norm_ahead < norm:
                if mu > 1.0 or norm <= CLOSED * self.size:
                    break
                mu = max(10.0 * mu, 1e-6)
                continue
            stagnates = norm <= CLOSED * self.size and norm_ahead > 0.5 * norm
            now, (g, A, S), norm, mu = ahead, found, norm_ahead, 0.1 * mu if mu > 1e-9 else 0.0
            if stagnates:
                break
        return now

    def _at(self, at: Posture, s: float) -> Reached:
        return Reached(s, at, self.tree.poses(at), {})

    def _residual(self, now: Reached, s: float, *, slope: bool = True) -> tuple[Array, Array, Array]:
        """What must vanish, in lengths, its rows over the coordinates of the tree, and S."""
        linkage, q = self.linkage, self._q(now.X_W)
        place = linkage.kinematics.place(q)
        closing = self._closing
        open_rows = np.append(linkage.kinematics.value(place), self.rows.value(q)) / linkage.row_scale
        values = self._cut_values(now)
        gaps = [open_rows[closing]]
        for at, angle, a, b in self._others:
            want = a + s * (b - a)
            value = float(continued(values[at], np.asarray(want))) if angle else float(values[at])
            gaps.append(np.array([(value - want) * (self.length if angle else 1.0)]))
        gaps.append(self.goals.value(now.X_W, s, self.length))
        if not slope:
            return np.concatenate(gaps), np.zeros((0, 0)), np.zeros((0, 0))
        S = self.tree.jacobian(now.at, now.X_W)
        C = (linkage.dense(place) / linkage.row_scale[:, None])[closing]
        rows = [C @ S]
        if self._others:
            R = self._cut_rates.matrix(q).toarray() @ S
            rows += [R[at : at + 1] * (self.length if angle else 1.0) for at, angle, _, _ in self._others]
        rows.append(self.goals.rows(now.X_W, S, self.linkage.kinematics.columns, s, self.length))
        return np.concatenate(gaps), np.concatenate(rows), S

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
        best = self._settle(replace(now.at, y=self._asked(now.at.y)), 1.0)
        g = np.abs(self._residual(best, 1.0, slope=False)[0])
        gaps: dict[str, float] = {}
        for label, value in zip(self._labels(), g, strict=True):
            gaps[label] = float(np.hypot(gaps.get(label, 0.0), value))
        listed = sorted(((gap, label) for label, gap in gaps.items() if gap > CLOSED * self.size), reverse=True)
        lines = [f"  {label!r}: open by {gap:.3g} m" for gap, label in listed[:LISTED]]
        lines += [f"  and {len(listed) - LISTED} more"] if len(listed) > LISTED else []
        if not lines and not self._upright(best):
            lines = ["  an axis would be reversed"]
        way = [(_shown(self._joint(name), k), value) for (name, k), value in self.want.q.items()]
        values = [a + now.s * (b - a) for _, a, b in self._y]
        others = [a + now.s * (b - a) for _, _, a, b in self._others]
        order = [key for key in self.want.q if key[0] in self.tree.below]
        reached = dict(zip(order, values, strict=True))
        reached |= dict(zip([key for key in self.want.q if key not in reached], others, strict=True))
        told = [f"{shown} = {reached[key]:.6g} of {value:.6g}" for key, (shown, value) in zip(self.want.q, way, strict=True)]
        told += [f"{label} at {100 * now.s:.3g} % of its way" for label in dict.fromkeys(self.goals.labels())]
        told += [f"{name}.q at {100 * now.s:.3g} % of its turn" for name in self.want.turns if name in self.tree.below]
        return AssemblyError(
            f"mechanism {self.linkage.name!r} cannot be assembled at the coordinates that were given. The nearest that "
            f"was reached\nfrom as built: {', '.join(told)}. With the values themselves these stay open:\n"
            + "\n".join(lines)
            + "\nThey are out of its range, or contradict each other: give fewer, or others; what is left out follows."
        )

    def _asked(self, y: Array) -> Array:
        y = np.array(y)
        for at, _, b in self._y:
            y[at] = b
        for columns, R0, w in self._turns:
            y[columns] = SO3(R0 @ SO3.exp(w).R).log()
        return y


def closed_conditions(linkage: Linkage, tree: JointTree) -> Mask:
    """Rows of conditions that a configuration must satisfy, beyond those that the tree does.

    The lead of a screw in the tree is one of its own motions; a drive without a law of position begins where it is.
    """
    own = {f"{name}.lead" for name in tree.below}
    return np.array(
        [
            part.kind != "nonholonomic" and part.name not in own and (part.law is None or part.target is not None)
            for part in linkage.conditions.owner
        ],
        dtype=bool,
    )


def _nearest(M: Array, A: Array, b: Array, mu: float) -> Array:
    """The least x in the metric M with A x = b as well as can be; damped by μ."""
    L = np.linalg.cholesky(M)
    B = np.linalg.solve(L, A.T).T
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    largest = float(s.max(initial=0.0))
    inverse = np.where(s > TOLERANCE * largest, s / np.maximum(s * s + mu * largest**2, 1e-300), 0.0)
    return np.asarray(np.linalg.solve(L.T, Vt.T @ (inverse * (U.T @ b))))


def _shown(joint: Joint, k: int) -> str:
    return f"{joint.name}.q" if len(joint.joint.coordinates) == 1 else f"{joint.name}.q[{k}]"

