"""Configurations with given values of some coordinates, loops closed, all else as near as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array, Mask, finite_vector
from visviva.errors import AssemblyError, ModelError
from visviva.forms.dynamics.cycles import joint_cycle, row_cycles, within
from visviva.forms.dynamics.entries import Entries, find, value_of
from visviva.forms.dynamics.loop_rows import AbstractLoopRows
from visviva.forms.dynamics.space import Space
from visviva.forms.minimal.closing import CLOSED, NEARLY, SMALL
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry.turning import continued
from visviva.library.joints import Angle
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.parts import Joint
from visviva.model.linked import configuration
from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.projection import Gap, nearest_point

ITERATIONS = 25
LONGEST = 0.2  # [rad, typical lengths] a coordinate is moved by no more at a time, so that its branch is kept
FASTEST = 10.0  # times as far may others move in the meantime
BENT = 0.3  # part of a step that a motion may depart from its tangent
GROWN = 1e3  # times the least gap so far, or that of all terms: closing has gone astray
SHORTEST = 1e-7  # part of the way: a shorter step that cannot be closed is the end of it


@final
@dataclass(frozen=True, eq=False)
class _Goal:
    """aim: q with the values at `places`; held: velocities that they take; asked: values of cut joints by row."""

    aim: Array
    held: Mask
    places: list[int]
    asked: dict[int, float]


@final
@dataclass(frozen=True, eq=False)
class _CutJoints:
    """Joints that close loops and have coordinates: names of these, which are angles, and velocities of the cycles."""

    joints: list[Joint]
    rates: JointRates
    names: list[str]
    turns: Mask
    cycles: Mask


@final
class Assembly:
    """Moves coordinates to given values by steps, and closes what the tree does not hold after each.

    Joints that no loop goes through stay where they are, to the last bit.

    sizes: typical sizes of the velocities, [rad, m].   rows: of what the tree does not hold; None: nothing.
    """

    def __init__(
        self,
        form: MinimalForm,
        space: Space,
        entries: dict[str, Entries],
        sizes: Array,
        rows: AbstractLoopRows | None,
    ) -> None:
        self.form, self.space, self.entries, self.sizes, self.rows = form, space, entries, sizes, rows

    def coordinates(self, given: Mapping[Any, Any], near: Array, s: Array) -> Array:
        """q with the values that are given by name, from a configuration near by."""
        goal = self._goal(given, near)
        if not self.form.open.constraints:
            return goal.aim
        q = self.close(near, np.zeros(self.form.n, dtype=bool), s)
        start = self._values(q, s, goal.asked)
        way = np.abs(self.space.difference(q, goal.aim) / self.sizes)[goal.held]
        far = max([float(way.max(initial=0.0)), *(abs(goal.asked[k] - x) for k, x in start.items())])
        longest = min(1.0, LONGEST / far) if far > 0 else 1.0
        done, step = 0.0, longest
        while done < 1.0:
            reached = min(1.0, done + step)
            try:
                q = self._follow(q, goal, s, start, done, reached)
                done, step = reached, min(1.5 * step, longest)
            except AssemblyError as error:
                step = 0.5 * (reached - done)
                if step < SHORTEST:
                    raise self._refused(given, goal, q, done, error) from None
        return q

    def _follow(self, q: Array, goal: _Goal, s: Array, start: dict[int, float], done: float, reached: float) -> Array:
        """The configuration a part of the way further: along the tangent, then closed near by: branches are kept.

        An error if closing takes it further from the tangent than a smooth motion would.
        """
        form, held = self.form, goal.held
        point = Point(form, q, np.zeros(form.n), s)
        goals = {k: x + reached * (goal.asked[k] - x) for k, x in start.items()}
        rows, ahead = self._goal_rows(point, goals)
        Z, free = np.concatenate([within(self._cycles, point.Z), rows]), ~held & self._taking_part
        delta = self.space.difference(q, goal.aim) * held * ((reached - done) / (1.0 - done))
        wanted = np.concatenate([np.zeros(len(point.Z)), -ahead]) - Z @ delta
        delta = delta + least_change(Z, wanted, free=free, units=point.velocity_units)
        length = float(np.abs(delta / self.sizes).max(initial=0.0))
        if length > FASTEST * LONGEST:
            raise AssemblyError(f"mechanism {form.name!r} moves without bound there: a dead point.")
        moved = self._moved(q, delta)
        if reached == 1.0:
            moved[goal.places] = goal.aim[goal.places]
        found = self.close(moved, held, s, goals)
        off = float(np.abs(self.space.difference(moved, found) / self.sizes).max(initial=0.0))
        if off > BENT * length + SMALL:
            raise AssemblyError(f"the next configuration of {form.name!r} that closes is {off:.3g} away.")
        return found

    def _goal(self, given: Mapping[Any, Any], near: Array) -> _Goal:
        if not isinstance(given, Mapping):
            raise ModelError(f"coordinates are given by name, e.g. {{{self.form.q_names[0]!r}: 0.3}}, got {given!r}.")
        aim, held, places = near.copy(), np.zeros(self.form.n, dtype=bool), list[int]()
        asked = dict[int, float]()
        for name, value in given.items():
            if rows := self._cut_rows(name):
                values = finite_vector(np.atleast_1d(np.asarray(value)), f"coordinates of {_named(name)!r}", len(rows))
                asked |= dict(zip(rows, values.tolist(), strict=True))
            else:
                entry = find(self.entries, name, self.form)
                aim[entry.q] = value_of(entry, value, _named(name))
                held[entry.xi] = True
                places += entry.q.tolist()
        return _Goal(aim, held, places, asked)

    def _refused(
        self, given: Mapping[Any, Any], goal: _Goal, q: Array, done: float, cause: AssemblyError
    ) -> AssemblyError:
        wanted = ", ".join(f"{_named(name)} = {np.asarray(value).tolist()}" for name, value in given.items())
        reached = ", ".join(f"{self.form.q_names[k]} = {q[k]:.6g}" for k in goal.places)
        return AssemblyError(
            f"mechanism {self.form.name!r} cannot be assembled with {wanted}: from near= it comes {100 * done:.1f} % "
            f"of the way{', to ' if reached else ''}{reached}.\n{cause.args[0]}\n"
            "Beyond there is a dead point, or no configuration at all: ask for less, or start on another branch, near=."
        )

    def close(self, q: Array, held: Mask, s: Array, goals: Mapping[int, float] | None = None) -> Array:
        """The nearest configuration on all constraints, with velocities that are held at rest; Gauss and Newton.

        goals: values of coordinates of cut joints, by row.
        """
        goals, free = goals or {}, ~held & self._taking_part

        def gap(q: Array) -> Gap:
            return self._gap(q, free, s, goals)

        def moved(q: Array, delta: Array) -> Array:
            longest = float(np.abs(delta / self.sizes).max(initial=0.0))
            return self._moved(q, delta * min(1.0, LONGEST / longest if longest > 0 else 1.0))

        rule = Convergence(CLOSED, NEARLY, grown=GROWN, near=1.0)
        q, is_closed = nearest_point(q, gap, moved, rule, ITERATIONS)
        if is_closed:
            return q
        left, rows = gap(q), len(self._cycles)
        worst = left.worst
        name = self.form.open.kinds[worst][0] if worst < rows else self._cut.names[list(goals)[worst - rows]]
        raise AssemblyError(
            f"{name!r} of mechanism {self.form.name!r} cannot be closed: {np.abs(left.g[worst]):.3g} is left."
        )

    def _gap(self, q: Array, free: Mask, s: Array, goals: Mapping[int, float]) -> Gap:
        """What is left of loops and goals, and changes of what is free that are least in units of inertia."""
        assert self.rows is not None
        here = self.rows.at(q, s)
        more, gaps = np.zeros((0, self.form.n)), np.zeros(0)
        if goals:
            more, gaps = self._goal_rows(Point(self.form, q, np.zeros(self.form.n), s), goals)
        sizes = np.concatenate([here.scale, np.ones(len(gaps))])

        def change(z: Array) -> Array:
            Z = np.concatenate([within(self._cycles, here.Z), more])
            return least_change(Z / sizes[:, None], z / sizes, free=free, units=here.units)

        return Gap(np.concatenate([here.g, gaps]), sizes, change)

    def _moved(self, q: Array, delta: Array) -> Array:
        """q after increments; joints without any are left as they are, quaternions of balls not rounded again."""
        moved = self.space.integrate(q, delta)
        for place in self.form.spanning.places:
            if not delta[place.xi].any():
                moved[place.q] = q[place.q]
        return moved

    @cached_property
    def _cycles(self) -> Mask:
        """Velocities that each row depends on, (k, n)."""
        return row_cycles(self.form)

    @cached_property
    def _taking_part(self) -> Mask:
        """Velocities that some loop goes through, (n,)."""
        return np.asarray(self._cycles.any(axis=0))

    # -- joints that close loops --------------------------------------------------------------------------------

    @cached_property
    def _cut(self) -> _CutJoints:
        joints = [joint for joint in self.form.spanning.cut if joint.joint.coordinates]
        names = list[str]()
        for joint in joints:
            count = len(joint.joint.coordinates)
            names += [joint.name] if count == 1 else [f"{joint.name}[{k}]" for k in range(count)]
        turns = [isinstance(part, Angle) for joint in joints for part in joint.joint.coordinates]
        cycles = [joint_cycle(self.form, joint) for joint in joints for _ in joint.joint.coordinates]
        rates = JointRates(self.form.definition.bodies, joints)
        return _CutJoints(joints, rates, names, np.array(turns, dtype=bool), np.array(cycles).reshape(-1, self.form.n))

    def _cut_rows(self, name: Any) -> list[int]:
        """Rows of the coordinates of a cut joint, `joint`, `joint.q` or `joint.q[k]`; none for other names."""
        known, cut = _named(name), self._cut
        if known in self.entries:
            return []
        for joint, part in zip(cut.joints, cut.rates.parts, strict=True):
            rows = list(range(part.start, part.stop))
            if known in (joint.name, f"{joint.name}.q"):
                return rows
            if known in (single := [f"{joint.name}.q[{k}]" for k in range(len(rows))]):
                return [rows[single.index(known)]]
        return []

    def _values(self, q: Array, s: Array, asked: Mapping[int, float]) -> dict[int, float]:
        """Coordinates of cut joints, angles with the turns nearest to what is asked for."""
        if not asked:
            return {}
        rows, wanted = list(asked), np.array(list(asked.values()))
        found = self._cut.rates.values(self._bodies(Point(self.form, q, np.zeros(self.form.n), s)))[rows]
        found = np.where(self._cut.turns[rows], continued(found, wanted), found)
        return dict(zip(rows, found.tolist(), strict=True))

    def _goal_rows(self, point: Point, goals: Mapping[int, float]) -> tuple[Array, Array]:
        """Rows over ξ of some coordinates of cut joints, and what their values are above the goals."""
        if not goals:
            return np.zeros((0, self.form.n)), np.zeros(0)
        rows, wanted, at = list(goals), np.array(list(goals.values())), self._bodies(point)
        found = self._cut.rates.values(at)[rows]
        found = np.where(self._cut.turns[rows], continued(found, wanted), found)
        return within(self._cut.cycles[rows], self._cut.rates.matrix(at)[rows] @ point.S), found - wanted

    def _bodies(self, point: Point) -> Array:
        return configuration(self.form.model, self.form.linkage, point.x)


def _named(name: Any) -> str:
    return str(getattr(name, "name", name))
