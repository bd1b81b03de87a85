"""A tracking law on a reference, as sampled runs ask it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector
from visviva.control.compiled_law import CompiledLaw, NotCompiled, sampled_goal
from visviva.control.state_reading import StateReading
from visviva.errors import ModelError
from visviva.model.control_law import AbstractControlLaw, Clock, Wanted

if TYPE_CHECKING:
    from visviva.control.tracking import Evaluation, TrackingLaw
    from visviva.control.tracking_record import TrackingRecord
    from visviva.mechanism import Definition
    from visviva.model import Model

NEAR = 1e-9  # of a period


@final
class Controller(AbstractControlLaw):
    """A tracking law on a reference: `inputs=law.at(goal)`, or `sampled=vv.Sampled(law.at(goal), period=5e-3)`.

    compiled: whether its inputs are computed in compiled code; `why_not` says what keeps them from it. Runs warn where
              that was not meant.
    evaluation: the last one in Python.   evaluations, times: all of them at ticks, where they are recorded.
    """

    def __init__(
        self, law: TrackingLaw, goal: Any, period: float | None = None, record: bool = False, compiled: bool = True
    ) -> None:
        self.law, self._given, self._goal = law, goal, goal_function(law, goal)
        self._period = None if period is None else finite_number(period, "period of the law [s]", positive=True)
        self.reading = StateReading(law.d)
        self._record, self._wanted = record, compiled
        self.reads, self.size = tuple(self.reading.names), self.reading.size
        self.writes, self.widths = law.actuation.ports, law.actuation.widths
        ends = [t for t in getattr(goal, "ends", ()) if np.isfinite(t)]  # a path rests outside of them
        self.breaks = tuple(sorted({*getattr(goal, "breaks", ()), *ends}))
        self.why_not = ""
        self._raised: Exception | None = None
        self._compiled = self._compile()
        self.only_called = self._compiled is None
        if self.only_called and compiled and period is None and not record:
            self.fallback = (
                f"the tracking law of {law.d.name!r} was asked in Python, not in compiled code, which is slower: "
                f"compiled laws do not take {self.why_not}. Where that is meant, say law.at(goal, compiled=False)."
            )
        self.reset()

    def __reduce__(self) -> tuple[Any, ...]:
        """Compiled code is made anew where it is read back; a goal that is a local function is lost on the way."""
        try:
            pickle.dumps(self._given)
            goal = self._given
        except Exception:  # whatever a user's function is made of
            goal = LostGoal(self.law.d.name)
        return Controller, (self.law, goal, self._period, self._record, self._wanted)

    def _compile(self) -> CompiledLaw | None:
        try:
            if not self._wanted:
                raise NotCompiled("it is said so, compiled=False")
            if self._period is not None or self._record:
                raise NotCompiled("laws that are recorded, or have a period of their own")
            return CompiledLaw(self.law, self.goal, self._goal, self.breaks, self.reading)
        except NotCompiled as reason:
            self.why_not = str(reason)
            return None

    @property
    def compiled(self) -> bool:
        """Whether inputs are computed in compiled code."""
        return self._compiled is not None

    @property
    def code(self) -> CompiledLaw | None:
        """Tables and memory of the compiled law, for what calls it by its address."""
        return self._compiled

    @property
    def failure(self) -> Exception | None:
        """Why there were no inputs when it was asked last, in Python or in compiled code."""
        return self._raised if self._compiled is None else self._compiled.last_failure

    @failure.setter
    def failure(self, raised: Exception | None) -> None:
        self._raised = raised

    def reset(self) -> None:
        """Forget what was: a run begins."""
        self._raised = None
        super().reset()
        self._unfeasible = 0
        if self._compiled is not None:
            self._compiled.reset()
        self.evaluation: Evaluation | None = None
        self.evaluations: list[Evaluation] = []
        self.times: list[float] = []
        self._due = -np.inf
        self._before: float | None = None

    def check(self, model: Model, *, inside: bool) -> None:
        """An error where bodies, joints or ports of a model are others than those of the law."""
        if inside and (self._period is not None or self._record):
            raise ModelError(
                "a law with period= or record= is asked at ticks: sampled=vv.Sampled(law.at(goal, ...), period=...).\n"
                "Inside of steps it is continuous; what it did is in run.tracking."
            )
        assert model.definition is not None
        other = list(anatomy(self.law.d.definition) ^ anatomy(model.definition))
        if other:
            raise ModelError(
                f"the tracking law was made for a mechanism with other parts than {model.name!r} has: "
                f"{', '.join(sorted({repr(part[0]) for part in other}))}.\nMake it for this one, "
                "vv.control.tracking(m, ...). Numbers may differ: the law keeps those that it was made with."
            )

    def goal(self, t: float) -> tuple[Array, Array, Array]:
        """(q_R, v_R, a_R) at a time, checked."""
        return goal_values(self.law, self._goal, t)

    def goals(self, times: Array) -> tuple[Array, Array, Array]:
        """The same at many times, one row for each; at once where the reference can be sampled."""
        return sampled_goal(self._goal, times, self.law.d) or _rows(self.goal, times)

    @contextmanager
    def at_ticks(self, period: float, count: int) -> Iterator[None]:
        """While this lasts, it is asked at 0, period, 2 period, … alone, whose goals compiled code knows beforehand."""
        if self._compiled is None:
            yield
            return
        self._compiled.know_ticks(period, count)
        try:
            yield
        finally:
            self._compiled.forget_ticks()

    def wanted(self, t: float) -> Wanted:
        """The reference as a state of the mechanism."""
        d = self.law.d
        q, v, a = self.goal(t)
        return Wanted(d.form.motion(q, d.tree_velocities(q, v)), not (v.any() or a.any()))

    def inputs(self, t: float, y: Array) -> Array:
        """Inputs of all ports, one after the other."""
        if self._compiled is not None:
            return self._compiled.evaluate(t, y)
        q, v = self.reading.of(y)
        self._evaluate(t, q, v)
        return self._values(q)

    def attempts(self, t: Array, y: Array) -> Array:
        """Inputs at many instants, not a number from the first on that has none."""
        if self._compiled is None:
            return super().attempts(t, y)
        if self._kept is None or not (np.array_equal(self._kept[0], t) and np.array_equal(self._kept[1], y)):
            self._kept = t, y, self._compiled.evaluate_many(t, y), None
        return self._kept[2]

    def __call__(self, now: Any) -> dict[str, Any]:
        """Inputs by port at `now` of a sampled run."""
        if self._compiled is not None:
            return super().__call__(now)
        q, v = self.reading(now)
        if self._period is None or self.evaluation is None or now.t >= self._due - NEAR * self._period:
            self._evaluate(now.t, q, v)
            if self._period is not None:
                self._due = (now.t if not np.isfinite(self._due) else self._due) + self._period
            if self._record:
                assert self.evaluation is not None
                self.evaluations.append(self.evaluation)
                self.times.append(now.t)
        if self._period is not None and self.law.actuation.is_turning:  # until the next call, wrenches point there
            interval, self._before = (0.0 if self._before is None else now.t - self._before), now.t
            q = self.law.d.integrate(q, 0.5 * interval * v)
        u = self._values(q)
        return {port: u[at] if at.stop > at.start + 1 else float(u[at.start]) for port, at in self.columns.items()}

    def address(self, first: int, width: int) -> int:
        """Of compiled code, or of a call back to Python."""
        if self._compiled is None:
            return super().address(first, width)
        from visviva.kernels.control.tracking import track_address

        return track_address()

    def parameters(self, first: int, width: int) -> Array:
        """Where compiled code finds its tables."""
        return super().parameters(first, width) if self._compiled is None else self._compiled.parameters(first, width)

    def cautions(self) -> tuple[str, ...]:
        """Limits that contradict each other."""
        times = self._unfeasible if self._compiled is None else int(self._compiled.control.status[2])
        if not times:
            return ()
        return (
            f"the limits of the inputs of {self.law.d.name!r} contradict each other: inputs are those that violate "
            "them least. See law.limits.",
        )

    def record_of(self, run: Any, clock: Clock | None) -> TrackingRecord | None:
        """What the law did in a run, see `run.tracking`."""
        from visviva.control.tracking_record import tracking_record

        return tracking_record(self, run, clock)

    def _evaluate(self, t: float, q: Array, v: Array) -> None:
        active = None if self.evaluation is None else self.evaluation.active
        self.evaluation = self.law.evaluate(q, v, *self.goal(t), active=active)
        self._unfeasible += self.evaluation.status.startswith("infeasible")

    def _values(self, q: Array) -> Array:
        assert self.evaluation is not None
        given = self.law.actuation.port_values(q, self.evaluation.u)
        return np.concatenate([np.atleast_1d(given[port]) for port in self.writes])


def anatomy(m: Definition) -> frozenset[tuple[str, ...]]:
    """Bodies, joints with what they join, and ports: what a law is made for, whatever its numbers are."""
    bodies = {(body.name, type(body).__name__) for body in m.bodies}
    joints = {(j.name, type(j.joint).__name__, j.parent.name, j.child.name) for j in m.joints}
    return frozenset({*bodies, *joints, *((p.name, type(p).__name__, getattr(p, "frame", "")) for p in m.ports)})


@final
class LostGoal:
    """A reference that could not be put into a file."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, t: float) -> Any:
        """An error."""
        raise ModelError(
            f"the reference of {self._name!r} was a local function and is not in the file: give one that can be\n"
            "pickled, vv.control.reference(...) or a function of a module."
        )


def goal_values(law: TrackingLaw, goal: Any, t: float) -> tuple[Array, Array, Array]:
    """(q_R, v_R, a_R) of a reference at a time, checked."""
    d = law.d
    found = tuple(goal(t))
    if len(found) != 3:
        raise ModelError(f"a reference of {d.name!r} gives (q_R, v_R, a_R) at t = {t:g} s, got {len(found)} values.")
    names = (("q_R", d.nq), ("v_R", d.nv), ("a_R", d.nv))
    q, v, a = (finite_vector(x, f"{name} at t = {t:g} s", n) for x, (name, n) in zip(found, names, strict=True))
    return q, v, a


def _rows(goal: Any, times: Array) -> tuple[Array, Array, Array]:
    q, v, a = (np.array(part) for part in zip(*(goal(t) for t in times.tolist()), strict=True))
    return q, v, a


def goal_function(law: TrackingLaw, goal: Any) -> Any:
    """A reference as a function of time; a configuration is held."""
    own = getattr(getattr(goal, "dynamics", None), "definition", None)
    if own is not None and anatomy(own) != anatomy(law.d.definition):
        raise ModelError(f"the reference is one of {own.name!r}, whose parts are others than those of {law.d.name!r}.")
    if callable(goal):
        return goal
    d = law.d
    try:
        q = finite_vector(goal, "goal", d.nq)
    except ModelError as cause:
        raise ModelError(
            f"a goal of {d.name!r} is a function of time, goal(t) -> (q_R, v_R, a_R), or a configuration q_R of "
            f"{d.nq} numbers to hold; got {goal!r}."
        ) from cause
    still = np.zeros(d.nv)
    return lambda t: (q, still, still)
