"""Tracking laws in compiled code: tables of a law for `kernels.control.tracking`, and knots of its reference."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.control.kinematics import GROUND
from visviva.control.pair_template import PairTemplate
from visviva.control.quadratic_program import QuadraticStatus, solve_quadratic_program
from visviva.control.state_reading import StateReading
from visviva.control.templates import APPROACHES
from visviva.control.transport import MAPS, WIDTHS, TransportMaps
from visviva.errors import ModelError
from visviva.forms.dynamics.frames import PlacedFrame
from visviva.forms.dynamics.handle import Dynamics
from visviva.geometry.linear import cross
from visviva.geometry.quaternion import matrix_of
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.frames import BODY
from visviva.model.control_law import INPUTS_TYPE

KNOTS = 33  # of a block
SPACING = 0.01  # of knots, to begin with [s]
ACCURATE = (1e-11, 1e-10, 1e-9)  # of q_R, v_R, a_R between knots, relative to the sizes of their values
WIDEST, FINEST = -2, 6  # halvings of the spacing
WIDER = 4  # good blocks after which a wider spacing is tried, one where its errors will be small enough
GROWTH = np.array([2.0**6, 2.0**5, 2.0**4])  # of errors of quintic polynomials, where the spacing is doubled
CLEAR = 0.8  # of what is accurate: errors that are expected to be smaller will be
MOST_BLOCKS = 1000  # that are kept
BETWEEN = 0.37  # of an interval between knots: where its polynomial is compared with the reference
LARGEST = np.array([1.24, 1.27, 1.64])  # of its errors, relative to those there: of s³(1 - s)³ and its derivatives
NEAR, EARLY = 1e-9, 1e-11  # of a period: what is a tick, and by how much blocks of ticks begin before them
NO_BLOCK = (0.0, 1.0, -1.0)  # a clock that has no time
NineArrays = tuple[Array, Array, Array, Array, Array, Array, Array, Array, Array]
Goal = Callable[[float], tuple[Array, Array, Array]]


class NotCompiled(ModelError):
    """Why a law is asked in Python."""


@final
class CompiledLaw:
    """The tables and the memory of a tracking law on a reference; `evaluate` and `row` are what calls it.

    goal: (q_R, v_R, a_R) at a time, checked.   quick: not checked.   breaks: times at which it is not smooth [s].
    """

    def __init__(self, law: Any, goal: Goal, quick: Any, breaks: tuple[float, ...], reading: StateReading) -> None:
        from visviva.kernels.control.tracking import Control, row_of
        from visviva.kernels.quadratic_program import workspace

        d: Dynamics = law.d
        template = law.template
        if reason := beyond_compiled(law):
            raise NotCompiled(reason)
        self._d, self._goal, self._quick, self._breaks = d, goal, quick, tuple(sorted(breaks))
        self._sizes = (d.nq,), (d.nv,), (d.nv,)
        self.failure: Exception | None = None
        self._blocks: list[tuple[float, float, float, Array]] = []  # start, spacing, end, knots
        self._ticks: tuple[float, Array] | None = None  # period, rows q_R, q̇_R, q̈_R of ticks
        n, nq, nu = d.nv, d.nq, law.actuation.nu
        frames, acting, given, com, B0, thrust = _actuation(law.actuation, d, list(template.pairs))
        names = list(frames)
        number = {name: k for k, name in enumerate(names)}
        paths = [frame.path for frame in frames.values()]
        pairs = [[-1 if end == GROUND else number[end] for end in pair] for pair in template.pairs]
        p, c, f = len(pairs), len(template.joints), len(frames)
        P = template.parameters
        W, l = law.limits if law.limits is not None else (np.zeros((0, nu)), np.zeros(0))
        maps, tied = _maps(template)
        rows = sum(WIDTHS[kind] for kind in maps) + int(tied.sum())
        sensed, bodies = _sensor_rows(d, reading)
        self.knots, self.clock = np.zeros((3 * KNOTS, nq)), np.array(NO_BLOCK)
        self._filler = INPUTS_TYPE(lambda _n, _T, _P, t, _x, _u: self._fill(t))
        programme: Any = workspace(nu, len(l))
        tree = d.tree._memory()  # of its own: laws and others may be asked at once
        self._memory = tree

        def motion() -> NineArrays:
            return (
                np.zeros((f, 3, 3)), np.zeros((f, 3)), np.zeros((f, 6, n)), np.zeros((f, 6, n)), np.zeros((p, 3, 3)),
                np.zeros((p, 3)), np.zeros((p, 6, n)), np.zeros((p, 6, n)), np.zeros((p, 6)),
            )  # fmt: skip

        sizes = [APPROACHES.index(template.approach), reading.size, nu, len(l), sum(law.actuation.widths)]
        parts: list[Any] = [
            _whole(sizes), np.zeros(3, dtype=np.int64), tree.row, sensed, bodies,
            np.concatenate([np.zeros(0, dtype=np.int64), *paths]), _whole(np.cumsum([0, *map(len, paths)])),
            np.array([frame.X for frame in frames.values()]).reshape(f, 12), _whole(pairs).reshape(p, 2),
            d.tree.dynamics.parts.tables.K, *motion(), *motion(),
            np.stack([P.M_, P.D_, P.K_], 1).reshape(3 * p, 4, 4), np.stack([P.M, P.D, P.K], 1).reshape(3 * p, 6, 6),
            _whole([MAPS.index(kind) for kind in maps]), np.array(template.centres).reshape(p, 3),
            np.stack([template.places_q, P.rows, P.turning, tied], 1).astype(np.int64).reshape(c, 4),
            np.stack([P.m, P.d, P.k], 1).reshape(c, 3),
            np.zeros((n, n)), np.zeros(n), np.zeros((rows, n)), np.zeros((2, n)), np.zeros((3, rows)), np.zeros((2, n)),
            np.zeros(n), np.zeros((6, n)), np.zeros((1, n, n)), np.zeros(n), B0, np.zeros((n, nu)), np.zeros((nu, n)),
            np.zeros((nu, n)), np.zeros((nu, nu)), np.zeros(nu), np.zeros(nu), acting, thrust, given, com,
            np.array(W), np.array(l), *programme, np.full(nu, -1, dtype=np.int64), np.zeros(len(l)),
            np.zeros(2), *_redundant(law.weight, len(l)), np.zeros(reading.size), np.array(d.q_built), np.zeros(n),
            np.zeros(n), np.zeros(nq), np.zeros(n), np.zeros(n), np.zeros((2, nq)), self.knots, self.clock,
            _whole([ctypes.cast(self._filler, ctypes.c_void_p).value]),
            np.full(1 + reading.size + sizes[-1], np.nan),
        ]  # fmt: skip
        self.control = Control(*parts)
        self.row = row_of(self.control)
        self.reset()

    def evaluate(self, t: float, y: Array) -> Array:
        """Inputs of all ports; an error where there are none."""
        from visviva.kernels.control import tracking as kernel

        self.control.y[:] = y
        kernel.track_at(self.row, t)
        failure = self.last_failure
        if failure is not None:
            raise failure
        return self.control.last[1 + len(y) :].copy()

    def evaluate_many(self, t: Array, y: Array) -> Array:
        """Inputs at many instants, (instants, inputs); not a number from the first on that has none."""
        from visviva.kernels.control import tracking as kernel

        out = np.full((len(t), len(self.control.last) - 1 - y.shape[1]), np.nan)
        kernel.track_many(self.row, np.ascontiguousarray(t), np.ascontiguousarray(y), out)
        return out

    @property
    def last_failure(self) -> Exception | None:
        """Why there were no inputs at the last evaluation, whoever asked for it."""
        from visviva.kernels.control import tracking as kernel

        status, t = int(self.control.status[0]), float(self.control.last[0])
        if status in (kernel.FINE, kernel.LEAST_VIOLATION):
            return None
        raised = self.failure if status == kernel.NO_REFERENCE else None
        return ModelError(self.reason(status, t)) if raised is None else raised

    def tabulate(self, times: Array) -> Array:
        """The reference as (q_R, q̇_R, q̈_R) at each time, (instants, 3, nq): rows of `knots` for who has no filler."""
        return self._rates(*self._values(list(times)))

    def parameters(self, first: int, width: int) -> Array:
        """What `track` finds at P: some inputs, and the row bit by bit."""
        return np.concatenate([[first, width], self.row.view(np.float64)])

    def reason(self, status: int, t: float) -> str:
        """Why there are no inputs."""
        from visviva.kernels.control import tracking as kernel

        who, here = repr(self._d.name), f"at t = {t:g} s"
        return {
            kernel.NO_REFERENCE: f"the reference of {who} has no value {here}.",
            kernel.TREE: f"the state of {who} {here} has a joint without inertia, or numbers that are not finite.",
            kernel.TRANSPORT: f"the transport map of {who} is singular {here}: pairs do not determine all velocities.",
            kernel.INERTIA: f"the desired inertia of {who} is singular {here}.",
            kernel.INPUT_METRIC: f"the inputs of {who} do not act independently {here}.",
        }.get(status, f"the limits of the inputs of {who} could not be resolved {here}.")

    # -- reference --------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Forget what was: a run begins."""
        self.control.status[:], self.control.active[:], self.control.last[:] = 0, -1, np.nan
        self.clock[:], self._blocks = NO_BLOCK, []
        self.failure, self._level, self._good, self._rough = None, 0, 0, (0.0, 0.0)

    def _fill(self, t: float) -> None:
        """Knots of the block that has t; no exception passes through compiled code."""
        self.failure = None
        if self._ticks is not None and self._put_ticks(self._ticks, t):
            return
        try:
            for start, h, stop, knots in reversed(self._blocks):  # runs go on, and books look back
                if start <= t <= stop:
                    self.knots[:], self.clock[:] = knots, (start, h, stop)
                    return
            self._block(t)
            start, h, stop = self.clock.tolist()
            if stop == start:  # of one instant
                return
            self._blocks = [*self._blocks[-MOST_BLOCKS:], (start, h, stop, self.knots.copy())]
        except Exception as error:
            self.failure = error
            self.clock[:] = NO_BLOCK

    def know_ticks(self, period: float, count: int) -> None:
        """Goals at ticks 0, T, 2 T, …, at which alone the law is asked from now on: knots of blocks, not interpolated.

        Where the reference has no value at one of them, blocks are made as always.
        """
        try:
            rows = self.tabulate(np.asarray(period * np.arange(count)))
        except Exception:  # that is a failure only where it is asked for
            return
        rows = np.concatenate([rows, np.repeat(rows[-1:], KNOTS, axis=0)])  # the last blocks are whole as well
        self._ticks, self.clock[:] = (period, rows.reshape(-1, rows.shape[2])), NO_BLOCK

    def forget_ticks(self) -> None:
        """It may be asked at any time again."""
        self._ticks, self.clock[:] = None, NO_BLOCK

    def _put_ticks(self, ticks: tuple[float, Array], t: float) -> bool:
        """Knots of the ticks from t on; False where there is none."""
        T, rows = ticks
        k, last = round(t / T), len(rows) // 3 - KNOTS
        if k > last or k < 0 or abs(t - k * T) > NEAR * T:
            return False
        self.knots[:] = rows[3 * k : 3 * (k + KNOTS)]
        self.clock[:] = (k - EARLY) * T, T, (min(k + KNOTS - 1, last) + EARLY) * T
        return True

    def _block(self, t: float) -> None:
        """From t or the break before it, to the next break or the end of the block; t alone where that fails.

        A reference may end behind t, or bend where it does not say so.
        """
        here = self._values([t])
        first = max([b for b in self._breaks if b <= t], default=-np.inf)
        last = min([b for b in self._breaks if b > t], default=np.inf)
        if not self._rough[0] <= t < self._rough[1]:
            start = stop = t
            for level in range(self._level, FINEST + 1):
                length = SPACING / 2.0**level * (KNOTS - 1)
                start = min(t, max(first, np.floor(t / length) * length))
                stop = max(t, min(last, start + length))
                errors = self._make_knots(start, stop, stop == last) if stop > start else None
                if errors is not None and (errors <= 1.0).all():
                    self._learn(level, bool((GROWTH * errors <= CLEAR).all()))
                    return
            self._level, self._good = 0, 0
            self._rough = t, min(last, t + SPACING * (KNOTS - 1))  # there it is asked at the very instants
        self.knots[:] = np.tile(self._rates(*here)[0], (KNOTS, 1))
        self.clock[:] = t, 1.0, t

    def _learn(self, level: int, clear: bool) -> None:
        """Begin with the spacing that was good; with a wider one where that is clearly good, and now and then."""
        self._good = (self._good if level == self._level else 0) + (WIDER if clear else 1)
        self._level = level
        if self._good >= WIDER:
            self._good, self._level = 0, max(level - 1, WIDEST)

    def _make_knots(self, start: float, stop: float, breaks: bool) -> Array | None:
        """Knots from start to stop, and `_errors` of polynomials between them. breaks: it may jump at stop."""
        h = (stop - start) / (KNOTS - 1)
        times = np.asarray(start + h * np.arange(KNOTS), dtype=np.float64)
        times[-1] = np.nextafter(stop, -np.inf) if breaks else stop
        between = np.asarray(times[:-1] + BETWEEN * h, dtype=np.float64)
        try:
            self.knots[:] = self._rates(*self._values(times.tolist())).reshape(3 * KNOTS, -1)
            self.clock[:] = start, h, stop
            errors = self._errors(between[::11])  # most that are not accurate are not anywhere
            return self._errors(between) if (errors <= 1.0).all() else errors
        except Exception:  # the reference may have no value later on: that is no failure yet
            return None

    def _values(self, times: list[float]) -> tuple[Array, Array, Array]:
        """Values of the reference, (instants, numbers) each, copied one by one: it may give the same arrays again.

        What is wrong with them is said by `goal`.
        """
        if len(times) > 1 and (known := sampled_goal(self._quick, np.array(times), self._d)) is not None:
            return known
        q, v, a = (np.empty((len(times), *size)) for size in self._sizes)
        try:
            for k, t in enumerate(times):
                own = tuple(self._quick(t))
                if tuple(map(np.shape, own)) != self._sizes:
                    break
                q[k], v[k], a[k] = own
            else:
                if np.isfinite(q.sum() + v.sum() + a.sum()):
                    return q, v, a
        except (TypeError, ValueError):
            pass
        for k, t in enumerate(times):
            q[k], v[k], a[k] = self._goal(t)
        return q, v, a

    def _rates(self, q: Array, v: Array, a: Array) -> Array:
        """q, q̇, q̈ by components, (instants, 3, nq); of quaternions ±q those that are near to the one before."""
        from visviva.kernels.trees.tables import AT_Q, AT_V, BALL, FREE, KIND

        out = np.zeros((len(q), 3, q.shape[1]))
        out[:, 0] = q
        for row in self.control.K:
            at, j = row[AT_Q], row[AT_V]
            if row[KIND] not in (BALL, FREE):
                out[:, 1, at], out[:, 2, at] = v[:, j], a[:, j]
                continue
            o = at + 3 if row[KIND] == FREE else at
            own = out[:, 0, o : o + 4]
            turns = np.sign(np.einsum("ti,ti->t", own[1:], own[:-1]))
            own[1:] *= np.cumprod(np.where(turns < 0, -1.0, 1.0))[:, None]
            w, alpha = v[:, j : j + 3], a[:, j : j + 3]
            out[:, 1, o : o + 4] = _times(own, w) / 2
            out[:, 2, o : o + 4] = (_times(out[:, 1, o : o + 4], w) + _times(own, alpha)) / 2
            if row[KIND] == FREE:
                R = matrix_of(own)
                u, u_dot = v[:, j + 3 : j + 6], a[:, j + 3 : j + 6]
                out[:, 1, at : at + 3] = np.einsum("tij,tj->ti", R, u)
                out[:, 2, at : at + 3] = np.einsum("tij,tj->ti", R, u_dot + cross(w, u))
        return out

    def _errors(self, times: Array) -> Array:
        """Largest errors of q_R, v_R and a_R near times between knots, relative to what is accurate."""
        from visviva.kernels.control.tracking import reference_at

        exact = self._values(times.tolist())
        found = [np.empty_like(part) for part in exact]
        if reference_at(self.row, np.ascontiguousarray(times), *found) < len(times):
            return np.full(3, np.inf)
        for _, at in self._d.tree.dynamics.quaternions:
            own = exact[0][:, at : at + 4]
            own[np.einsum("ti,ti->t", own, found[0][:, at : at + 4]) < 0] *= -1
        sizes = [rtol * np.maximum(1.0, np.abs(a).max(-1)) for a, rtol in zip(exact, ACCURATE, strict=True)]
        gaps = [np.abs(a - b).max(-1) for a, b in zip(exact, found, strict=True)]
        return LARGEST * [(gap / size).max() for gap, size in zip(gaps, sizes, strict=True)]


def sampled_goal(goal: Any, times: Array, d: Dynamics) -> tuple[Array, Array, Array] | None:
    """(q_R, v_R, a_R) of a reference that can be asked for many times at once; None where it cannot."""
    sample = getattr(goal, "sample", None)
    if sample is None:
        return None
    try:
        q, v, a = sample(times)
    except Exception:  # one by one, where it is said what is wrong
        return None
    right = np.shape(q) == (len(times), d.nq) and np.shape(v) == np.shape(a) == (len(times), d.nv)
    return (q, v, a) if right and np.isfinite(q.sum() + v.sum() + a.sum()) else None


def beyond_compiled(law: Any) -> str:
    """What a law has that compiled ones do not take, whatever its reference is; empty if there is nothing."""
    d, template = law.d, law.template
    if d.loops is not None:
        return "mechanisms with loops"
    if not d._plain or d.ns:
        return "forces of springs, dampers or motors that have no compiled form on trees"
    if not isinstance(template, PairTemplate):
        return "baselines"
    if template.approach == "energy" and not isinstance(template.transport, TransportMaps):
        return "transport maps by a function"
    if law.weight is not None and _contradict(law):
        return "limits that contradict each other, of inputs that are more than what they act on"
    for link, place in zip(d.form.tree.links, d.form.spanning.places, strict=True):
        read = place.joint is not None and place.coordinate is not None
        flies = link.kind == "free" and link.parent < 0 and place.last
        if place.xi.stop > place.xi.start and not read and not flies:
            return "balls, and what flies relative to another body"
    if any(d.is_point(name) for pair in template.pairs for name in pair if name != GROUND):
        return "pairs of particles"
    return ""


def _contradict(law: Any) -> bool:
    """Whether no inputs satisfy all limits."""
    if law.limits is None:
        return False
    W, l = law.limits
    found = solve_quadratic_program(law.weight, np.zeros(W.shape[1]), W, l)
    return found.status == QuadraticStatus.INFEASIBLE_LEAST_VIOLATION


def _redundant(weight: Array | None, m: int) -> list[Any]:
    """`kernels.control.redundant.Redundant` of a weight, or of none, and m limits."""
    nu = 0 if weight is None else len(weight)
    own = np.zeros((0, 0)) if weight is None else weight
    shapes = (*[(nu, nu)] * 4, (2, nu), (3, nu), (m, nu))
    memory = [np.zeros(shape) for shape in shapes]
    return [np.array(own), np.linalg.inv(own), *memory, np.zeros(m), np.full(nu, -1, dtype=np.int64)]


def _maps(template: PairTemplate) -> TransportMaps:
    """Those of the energy-based template; of others none is asked for."""
    if isinstance(template.transport, TransportMaps):
        return template.transport
    return TransportMaps(("twist",) * len(template.pairs), np.ones(len(template.joints), dtype=bool))


def _sensor_rows(d: Dynamics, reading: StateReading) -> tuple[Int, Array]:
    """Rows (kind, place in y, place in q, place in v), and constants of what flies."""
    from visviva.kernels.control.tracking import COORDINATE, FLYING

    rows, bodies = list[list[int]](), list[Array]()
    for link, place in zip(d.form.tree.links, d.form.spanning.places, strict=True):
        constants = np.zeros(24)
        if place.joint is not None and place.coordinate is not None:
            at = reading.places[f"{place.joint.name}.q"].start + place.coordinate
            rate = reading.places[f"{place.joint.name}.rate"].start + place.coordinate
            rows.append([COORDINATE, at, place.q.start, place.xi.start, rate])
        elif place.xi.stop > place.xi.start:
            constants[:] = np.concatenate(
                [part for X in (link.X_LB, link.X_PJ) for part in (X[:3, :3].ravel(), X[:3, 3])]
            )
            rows.append([FLYING, reading.places[f"{place.carrier.name}.r"].start, place.q.start, place.xi.start, 0])
        else:
            continue
        bodies.append(constants)
    return _whole(rows).reshape(-1, 5), np.array(bodies).reshape(-1, 24)


def _actuation(
    actuation: Any, d: Dynamics, pairs: list[tuple[str, str]]
) -> tuple[dict[str, PlacedFrame], Int, Int, Array, Array, Array]:
    """Frames of pairs and of what acts, rows of `acting` and `given`, centres of mass, B0, wrenches of thrusters."""
    from visviva.kernels.control.tracking import DIRECT, FORCE, THRUST, WRENCH

    frames = {name: d._frames[name] for pair in pairs for name in pair if name != GROUND}
    acting, given, com, at = list[list[int]](), list[list[int]](), list[Array](), 0
    B0, thrust = np.zeros((d.nv, actuation.nu)), np.zeros((actuation.nu, 6))
    wrenches = {one.columns.start: one for one in d._inputs.wrenches}
    for port, width in zip(actuation.ports, actuation.widths, strict=True):
        own, columns, turned = actuation.parts[port]
        count = own.stop - own.start
        if turned is not None:
            matrix, carrier = turned
            frames.setdefault(carrier.name, d._frames[carrier])
            frame = list(frames).index(carrier.name)
            acting.append([THRUST, frame, own.start, count])
            thrust[own] = matrix.T
            if port not in actuation.turning:  # in axes of the body: turned by the ground, which does not
                frames.setdefault(GROUND, d._frames[GROUND])
                frame = list(frames).index(GROUND)
            given.append([frame, own.start, count, at])
            com.append(np.array(carrier.com))
        else:
            B0[:, own] = d._inputs.constant[:, columns]
            given.append([DIRECT, own.start, count, at])
            com.append(np.zeros(3))
            if columns.start in wrenches:
                wrench = wrenches[columns.start]
                frames[f"{port} of the inputs"] = wrench.frame
                kind = THRUST if wrench.rows == BODY else FORCE if wrench.point else WRENCH
                acting.append([kind, len(frames) - 1, own.start, count])
                if kind == THRUST:  # along axes of the frame itself
                    thrust[own] = np.eye(6)
        at += width
    return frames, _whole(acting).reshape(-1, 4), _whole(given).reshape(-1, 4), np.array(com).reshape(-1, 3), B0, thrust


def _whole(numbers: Any) -> Int:
    return np.array(numbers, dtype=np.int64)


def _times(p: Array, w: Array) -> Array:
    """p ⊗ (0, w), row by row."""
    scalar = -np.einsum("ti,ti->t", p[:, 1:], w)
    return np.concatenate([scalar[:, None], p[:, :1] * w + cross(p[:, 1:], w)], axis=1)
