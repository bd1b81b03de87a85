"""reference: coordinates, velocities and accelerations of a mechanism whose joints or frames follow paths."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva._suggestions import helpful, suggesting
from visviva.control.abstract_path import jumps, span_of, together
from visviva.control.feasibility import Feasibility, InputMatrix, feasibility
from visviva.control.follow import Follower
from visviva.control.goals import AbstractGoal, AbstractJointGoal, goals_of
from visviva.control.least import LeastMotion
from visviva.errors import ModelError
from visviva.forms.dynamics.handle import Dynamics, dynamics
from visviva.mechanism import Definition, Mechanism
from visviva.model import Model

NODES = 64  # of a reference with a begin and an end
SPACING = 0.05  # [s] between nodes of one that goes on for ever


class ReferencePoint(NamedTuple):
    """Configuration, velocity and acceleration in the coordinates of `vv.dynamics(m)`, (..., nq), (..., nv) twice."""

    q: Array
    v: Array
    a: Array


class ReferenceCheck(NamedTuple):
    """Largest deviations over some times: of positions from goals [m or rad], of v and a from differences in time.

    v, a: relative to the largest velocity and acceleration, at least 1; differences are exact to some 1e-7.
    """

    goals: float
    v: float
    a: float


@helpful
def reference(
    m: Mechanism | Definition | Model | Dynamics,
    goals: Mapping[Any, Any],
    *,
    near: ArrayLike | Mapping[Any, Any] | None = None,
    rest: Literal["least"] | None = None,
    feasible: bool = False,
    step: float | None = None,
) -> Reference:
    """The motion of a mechanism in which joints and frames follow paths, (q, v, a) at any time; loops are closed.

    goals:    by name of a joint: a path of its coordinates, of a ball one of rotations, of what flies one of poses; by
              name of a frame, body or particle: a path of its position (3), of rotations, or of poses. Numbers and
              functions of time are taken as paths. Any combination that determines the motion will do.
    near:     configuration from which the one at the begin is searched, as built by default; it chooses the branch.
              By name: {"elbow": 0.5}.
    rest:     "least": what goals leave open moves with the least kinetic energy; None: that is an error.
    feasible: an error where the motion takes forces that no input can give.
    step:     [s] between nodes from which configurations are followed; a 64th of the duration by default.
    """
    d = m if isinstance(m, Dynamics) else dynamics(m)
    found = Reference(d, goals_of(d, goals), near, rest, step)
    if feasible:
        found.feasibility().require()
    return found


@suggesting
@final
class Reference:
    """q_R(t), v_R(t), a_R(t) of a mechanism: reference(t), reference.sample(times).

    dynamics: whose coordinates and velocities it has.   names: of the velocities.   ends, duration: [s] of its paths.
    """

    def __init__(
        self,
        d: Dynamics,
        goals: list[AbstractGoal],
        near: ArrayLike | Mapping[Any, Any] | None = None,
        rest: str | None = None,
        step: float | None = None,
    ) -> None:
        self.dynamics, self.goals, self.names = d, tuple(goals), d.names
        paths = [path for goal in goals for path in goal.paths]
        self.ends, self.breaks = together(paths)
        self.duration = self.ends[1] - self.ends[0]
        if rest not in (None, "least"):
            raise ModelError(f"rest={rest!r}: what goals leave open is an error (None), or moves least ('least').")
        if d.loops is not None and d.loops.independent is not None and not d.loops.holonomic:
            raise ModelError(
                f"mechanism {d.name!r} rolls: its independent velocities do not tell where it is.\n"
                "Take all of them, vv.control.reference(vv.dynamics(m), ...), and give paths of all coordinates."
            )
        self._check_twice()
        self.begin = self.ends[0] if math.isfinite(self.ends[0]) else 0.0
        whole = math.isfinite(self.duration)
        spacing = (self.duration / NODES if whole else SPACING) if step is None else step
        spacing = finite_number(spacing, "step between nodes of a reference", positive=True)
        if near is None or isinstance(near, Mapping):
            q = np.array(d.q_built) if near is None else d.coordinates(near)
        else:
            q = d.batches.one("near", near, d.q_built)
        self._follower = Follower(d, goals, q, self.begin, spacing)
        self._direct = self._all_assigned()
        self._least: LeastMotion | None = None
        if self._direct:
            return
        start = self._follower.start
        free = self._follower.undetermined(start)
        if free and rest is None:
            named, n = ", ".join(repr(goal.name) for goal in goals), self._follower.freedoms(start)
            raise ModelError(
                f"the reference of mechanism {d.name!r} by {named} does not determine: {', '.join(free)}, of which "
                f"{n} {'is' if n == 1 else 'are'} free.\nAdd {n} more path{'s' * (n > 1)}, e.g. of "
                f"{free[0].split('.')[0]!r}, or let what is open move with the least kinetic energy: rest='least'."
            )
        if free:
            self._least = LeastMotion(self._follower)

    def __call__(self, t: float) -> ReferencePoint:
        """At one time."""
        t = finite_number(t, "time of a reference")
        if self._direct:
            return self._point_by_joints(t)
        if self._least is not None:
            return ReferencePoint(*self._least.at(t))
        q = self._follower.configuration(t)
        v = self._follower.velocity(q, t)
        return ReferencePoint(q, v, self._follower.acceleration(q, v, t))

    def sample(self, times: ArrayLike) -> ReferencePoint:
        """At many times, (n, nq), (n, nv) twice."""
        each_time, d = finite_array(times, "times of a reference", (None,)), self.dynamics
        if not len(each_time):
            return ReferencePoint(np.zeros((0, d.nq)), np.zeros((0, d.nv)), np.zeros((0, d.nv)))
        if self._direct:
            return self._sample_by_joints(each_time)
        each = [self(float(t)) for t in each_time]
        return ReferencePoint(*(np.array(part) for part in zip(*each, strict=True)))

    def times(self, n: int = 101) -> Array:
        """Equally spaced ones from begin to end; ten seconds where there is none."""
        begin = self.begin
        end = self.ends[1] if math.isfinite(self.ends[1]) else begin + 10.0
        return np.linspace(begin, end, n)

    def check(self, times: ArrayLike | None = None) -> ReferenceCheck:
        """Follows the whole motion, so that what cannot be reached is an error, and compares it with differences.

        An error also where paths have velocities that jump.
        """
        for goal in self.goals:
            for path in goal.paths:
                low = [jump for jump in jumps(path, 2) if jump.order < 2]
                if low:
                    what = ("position", "velocity")[low[0].order]
                    raise ModelError(
                        f"the path of {goal.name!r} has a {what} that jumps by {low[0].size:.4g} at t = {low[0].t:g} s:"
                        " no motion follows it.\nGive one that is smooth, e.g. by polynomials from rest to rest."
                    )
        each = self.times(41) if times is None else finite_array(times, "times of a reference", (None,))
        off, velocities, accelerations = 0.0, list[Array](), list[Array]()
        gaps_v, gaps_a = 0.0, 0.0
        limits = sorted({x for x in (*self.breaks, *self.ends) if math.isfinite(x)})
        for t in each:
            point, h = self(float(t)), 1e-4
            off = max(off, float(np.abs(self._follower.way(point.q, float(t))).max(initial=0.0)))
            velocities.append(point.v)
            accelerations.append(point.a)
            if any(abs(t - x) <= 2 * h for x in limits):
                continue  # a derivative may jump there
            p = [self(float(t) + k * h) for k in (-2, -1, 1, 2)]
            d = self.dynamics
            w = [d.difference(point.q, one.q) for one in p]
            v = (8 * (w[2] - w[1]) - (w[3] - w[0])) / (12 * h)
            a = (8 * (p[2].v - p[1].v) - (p[3].v - p[0].v)) / (12 * h)
            gaps_v = max(gaps_v, float(np.abs(v - point.v).max(initial=0.0)))
            gaps_a = max(gaps_a, float(np.abs(a - point.a).max(initial=0.0)))
        return ReferenceCheck(
            off,
            gaps_v / max(1.0, float(np.abs(velocities).max(initial=0.0))),
            gaps_a / max(1.0, float(np.abs(accelerations).max(initial=0.0))),
        )

    def feasibility(self, times: ArrayLike | None = None, *, inputs: InputMatrix | None = None) -> Feasibility:
        """(B⊥)ᵀ(M a + bias) over times: the forces that the motion takes and no input can give; none of these: none.

        inputs: B(q), (nv, nu), in place of that of the mechanism: a matrix or a function of q, e.g. of thrusts in axes
                of the body.
        """
        each = self.times() if times is None else finite_array(times, "times of a reference", (None,))
        return feasibility(self.dynamics, each, self.sample(each), inputs)

    def __repr__(self) -> str:
        goals = ", ".join(goal.name for goal in self.goals)
        return f"<reference of {self.dynamics.name!r} by {goals}: {len(self.names)} velocities{span_of(self.ends)}>"

    # -- goals that are coordinates -------------------------------------------------------------------------------

    def _all_assigned(self) -> bool:
        d = self.dynamics
        joints = [goal for goal in self.goals if isinstance(goal, AbstractJointGoal)]
        every = sorted(k for goal in joints for k in goal.entry.xi.tolist())
        return d.loops is None and len(joints) == len(self.goals) and every == list(range(d.nv))

    def _point_by_joints(self, t: float) -> ReferencePoint:
        d = self.dynamics
        q, v, a = np.array(d.q_built), np.zeros(d.nv), np.zeros(d.nv)
        for goal in self.goals:
            if isinstance(goal, AbstractJointGoal):
                q[goal.entry.q] = goal.value(t)
                v[goal.entry.xi], a[goal.entry.xi] = goal.wanted(t)
        return ReferencePoint(q, v, a)

    def _sample_by_joints(self, t: Array) -> ReferencePoint:
        d, n = self.dynamics, len(t)
        q, v, a = np.tile(d.q_built, (n, 1)), np.zeros((n, d.nv)), np.zeros((n, d.nv))
        for goal in self.goals:
            if isinstance(goal, AbstractJointGoal):
                q[:, goal.entry.q], v[:, goal.entry.xi], a[:, goal.entry.xi] = goal.sample(t)
        return ReferencePoint(q, v, a)

    def _check_twice(self) -> None:
        taken = dict[int, str]()
        for goal in self.goals:
            if not isinstance(goal, AbstractJointGoal):
                continue
            for k in goal.entry.xi.tolist():
                if k in taken:
                    raise ModelError(
                        f"the reference of {self.dynamics.name!r} has two paths of {self.dynamics.form.xi_names[k]}: "
                        f"{taken[k]!r} and {goal.name!r}. Give one."
                    )
                taken[k] = goal.name
