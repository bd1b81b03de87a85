"""Whether steps of one length are short enough for the motion: some of them against two of half their length.

Two ends x, y of one time span are apart by the energy

    D(x, y) = Σ (dH_i(x) - dH_i(y))·(x_i - y_i),

which is δᵀ K δ for every quadratic energy ½ xᵀ K x, that of velocities included, and zero for weights. Relative to the
largest D from the start of the run, or twice the kinetic energy T if that is more, it is the square of the error of a
step,

    ε² = D(x(h), x(h/2, h/2)) / max(D(x, x(0)), 2 T).

An undamped vibration of which the steps make an angle ωh has ε ≈ (ωh)³/32 under a scheme of second order, and about one
where ωh is large: the energy is exact, the motion is not. A stiff spring that only carries what is slow has none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.adaptive import steps_of
from visviva.integrate.inputs import TimeInputs
from visviva.integrate.integrator import Advancing
from visviva.integrate.loop import Logged
from visviva.mechanism.linkage import Linkage
from visviva.model import Model, State
from visviva.model.linked import configuration
from visviva.model.tangent import tangent_velocities
from visviva.results.columns import row_sums
from visviva.results.motion import momenta
from visviva.results.notes import TOO_LONG, Caution

UNRESOLVED = 1e-2  # error of one step: a vibration whose ωh is about 0.7 under a scheme of second order
EVEN, LIVELY = 4, 4  # steps that are looked at: spread over the run, and those with the largest changes of energy
APART = 12  # and not more than one in so many
OFTEN = 3  # so many of them must be unresolved: what dies out in a few steps is none of a user's concern
SMALL = 200_000  # numbers in states of a chunk
WAITING = 500_000  # numbers in states of chunks that wait to be looked at: most never are
LARGE = 2000  # coordinates of a model, from which on no more are looked at
BENT = (
    0.02  # second differences of velocities, of the largest velocity: a vibration of which a hundredth matters has more
)
TRIPLES = 16  # nodes of a chunk where these are taken
_TRIPLE = np.arange(3)[:, None]
AT_REST = 1e-10  # of all energies: motions with less are rounding
HALVINGS = 12  # of a step, in search of one that is short enough
SHARE = 0.05  # of D, in storages other than velocities, from which on they are what vibrates


@final
@dataclass(frozen=True, eq=False)
class Sample:
    """Where a step of a run began, made when it is asked for, and its inputs."""

    make: Callable[[], State]
    u: Array

    @cached_property
    def state(self) -> State:
        """The state before the step."""
        return self.make()


@final
class StepCheck:
    """Keeps some states of a run with n steps of one length, and looks at the steps from there when it is over.

    Inputs keep the values that they had in these steps. Mechanisms whose velocities hardly bend from step to step are
    not looked at any further: most runs are such, and short ones take no longer than that.
    """

    def __init__(self, model: Model, inputs: TimeInputs, start: State, n: int) -> None:
        self.model = model
        self.inputs = inputs
        self._start = start
        most = EVEN + LIVELY if model.layout.size <= LARGE else OFTEN
        self._looks = min(most, max(1, n // APART))
        spread = min(EVEN, self._looks)
        self._even = [int((2 * k + 1) * ((n - 1) / (2 * spread))) for k in range(spread)]
        self._waiting: list[tuple[Logged, int, int]] = []
        self._spread: list[Sample] = []
        self._lively: list[tuple[float, Sample]] = []
        self._size = 0.0  # largest energy so far
        self._velocities = model.layout.read(tuple(model.kinetic))
        masses = model.kinetic_diagonal if model.definition is not None else None
        self._masses = np.zeros(0) if masses is None else masses
        self._last = np.zeros((0, model.layout.size))  # the last two states so far
        self._bend = self._speed = 0.0  # largest squares of second differences and of velocities, with their masses

    def look(self, logged: Logged, made: int, first: int) -> None:
        """Keep states of the first `made` steps of a chunk, which begin with the step number `first` of the run."""
        if not made:
            return
        if self._masses.size:
            self._look_at_velocities(logged.chunk.x[: made + 1])
        self._waiting.append((logged, made, first))
        if sum(one.chunk.x.size for one, _, _ in self._waiting) > WAITING:
            self._choose()

    def _choose(self) -> None:
        """Choose steps among those of the chunks that wait."""
        waiting, self._waiting = self._waiting, []
        for logged, made, first in waiting:
            self._choose_among(logged, made, first)

    def _choose_among(self, logged: Logged, made: int, first: int) -> None:
        tallies = logged.chunk.tallies
        energy = self.model.exergies(logged.chunk.x[: made + 1]) if tallies is None else tallies.energy[: made + 1, :2]
        self._size = max(self._size, float(row_sums(np.abs(energy)).max()))
        change = row_sums(np.abs(energy[1:] - energy[:-1]))
        best = _largest(change)
        least = self._lively[-1][0] if len(self._lively) == LIVELY else -1.0
        self._lively += [(float(change[k]), _sample(logged, k)) for k in best if change[k] > least]
        self._lively = sorted(self._lively, key=lambda each: -each[0])[:LIVELY]
        kept = [k - first for k in self._even if first <= k < first + made]
        self._spread += [_sample(logged, k) for k in kept]

    def _look_at_velocities(self, x: Array) -> None:
        """Second differences at some nodes; steps may come one by one, so that nodes before count as well."""
        last, fresh = self._last, x[1:] if len(self._last) else x
        count = len(last) + len(fresh)
        self._last = np.concatenate([last, fresh[-2:]])[-2:]
        if count < 3:
            return
        most = count - 3
        at = np.arange(count - 2) if most < TRIPLES else (np.arange(TRIPLES) * (most / (TRIPLES - 1))).astype(int)
        here, before = at[at >= len(last)] - len(last), at[at < len(last)]
        rows = fresh[(here + _TRIPLE).ravel()][:, self._velocities]
        v = list(rows.reshape(3, len(here), rows.shape[1]))
        if len(before):
            across = np.concatenate([last, fresh[:3]])[:, self._velocities]
            v = [np.concatenate([across[before + k], own]) for k, own in enumerate(v)]
        self._speed = max(self._speed, float((v[1] ** 2 @ self._masses).max()))
        self._bend = max(self._bend, float(((v[2] - 2.0 * v[1] + v[0]) ** 2 @ self._masses).max()))

    def notes(self, stepping: Advancing) -> list[str]:
        """What a user should know about the length of the steps."""
        if self._masses.size and self._bend <= BENT**2 * self._speed:
            return []
        with np.errstate(all="ignore"):  # a run may end with numbers that are too large for their squares
            self._choose()
            return self._notes(stepping)

    def _notes(self, stepping: Advancing) -> list[str]:
        lively = [sample for _, sample in self._lively[: self._looks - len(self._spread)]]
        samples = list({sample.state.t: sample for sample in [*self._spread, *lively]}.values())
        looks = [(sample, *ends) for sample in samples if (ends := self._ends(stepping, sample, sample.state.h))]
        if not looks:
            return []
        apart = Apart(self.model)
        moved = apart.moved(np.array([sample.state.x for sample in samples]), self._start.x)
        size = max(moved, AT_REST * self._size) or 1.0
        chosen, one, other = zip(*looks, strict=True)
        parts = apart(np.array(one), np.array(other), np.array([sample.u for sample in chosen]))
        errors = np.nan_to_num(np.sqrt(parts.sum(-1) / size))
        if (errors > UNRESOLVED).sum() < min(OFTEN, len(looks)):
            return []
        worst = int(errors.argmax())
        state = chosen[worst].state
        return [
            Caution(
                f"{TOO_LONG} for the motion: the one from t = {state.t:g} s with h = {state.h:g} s differs "
                f"from two of half its length by {100 * min(1.0, errors[worst]):.2g} % of all that moves, most of it "
                f"in {apart.main(parts[worst])}. Exact energy is no proof of accuracy; "
                f"{self._way_out(stepping, apart, chosen[worst], size)}"
            )
        ]

    def _way_out(self, stepping: Advancing, apart: Apart, sample: Sample, size: float) -> str:
        for k in range(1, HALVINGS):
            h = sample.state.h * 0.5**k
            ends = self._ends(stepping, sample, h)
            if ends is None:
                continue
            one, other, u = (each[None] for each in (*ends, sample.u))
            if float(apart(one, other, u).sum()) <= UNRESOLVED**2 * size:
                return f"h = {h:.2g} s would do there."
        return "reduce h."

    def _ends(self, stepping: Advancing, sample: Sample, h: float) -> tuple[Array, Array] | None:
        """Where one step of length h leads, and two of half of it; None where one of them has no solution."""
        state = sample.state
        start = dataclasses.replace(state, t0=state.t, steps=0, h=h, rate=state.rate[:1])
        with self.inputs.held(sample.u):
            one = steps_of(self.model, stepping, start, 1)
            two = steps_of(self.model, stepping, dataclasses.replace(start, h=0.5 * h), 2)
        return (one.x[1], two.x[2]) if one.steps == 1 and two.steps == 2 else None


def _largest(values: Array) -> list[int]:
    """Where the largest few of many numbers are, the largest first."""
    few = np.argpartition(-values, LIVELY - 1)[:LIVELY] if len(values) > LIVELY else np.arange(len(values))
    return [int(k) for k in sorted(few, key=lambda k: (-values[k], k))]


def _sample(logged: Logged, k: int) -> Sample:
    """The state before a step; of large chunks it is made at once, so that these need not be kept for it."""
    sample = Sample(partial(logged.state, k), logged.record.u_mid[k])
    if logged.chunk.x.size <= SMALL:
        return sample
    state = sample.state
    return Sample(lambda: state, sample.u)


@final
class Apart:
    """D of pairs of states, part by part: velocities of each body, or of the model, and every other storage.

    Entropies are left out: heat flows, and does not vibrate. Velocities of mechanisms are those on the tangent space of
    the constraints, since the scheme's own may alternate about them; velocities of centres of mass have world axes, so
    that a turn shows in them.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._linkage = None if model.definition is None else Linkage(model.definition)
        hot = {variable.name for variable in model.variables if variable.entropy}
        self._others = [part for part in model.storages if part.variable not in {*model.kinetic, *hot}]
        bodies = [] if self._linkage is None else [f"the velocity of {body.name!r}" for body in self._linkage.bodies]
        moving = bodies or ["the velocities"] * bool(model.kinetic)
        self.names = [*moving, *(repr(part.name) for part in self._others)]
        self._moving = len(moving)

    def __call__(self, x: Array, y: Array, u: Array) -> Array:
        """D of states (n, size) that were reached with inputs u (n, inputs), (n, parts) [J]."""
        if self._linkage is None:
            return self._with_others(self._of_velocities(x, y), x, y)
        V = self._tangent(self._linkage, x, u) - self._tangent(self._linkage, y, u)
        return self._with_others(self._by_body(self._linkage, V), x, y)

    def moved(self, x: Array, start: Array) -> float:
        """Largest D between states and a start, or twice their kinetic energy, if that is more [J]."""
        y = np.broadcast_to(start, x.shape)
        rest = np.array(x)
        rest[:, self.model.layout.read(tuple(self.model.kinetic))] = 0.0
        if self._linkage is None:
            moving, kinetic = self._of_velocities(x, y), self._of_velocities(x, rest)
        else:
            P = momenta(self.model, x)
            change = (P - momenta(self.model, y)) / self._linkage.metric
            moving, kinetic = (self._by_body(self._linkage, V) for V in (change, P / self._linkage.metric))
        return max(float(self._with_others(moving, x, y).sum(-1).max()), float(kinetic.sum(-1).max()))

    def main(self, parts: Array) -> str:
        """The name of the part with most of D; that of a spring, stop or other storage where it has a share in it."""
        others = parts[self._moving :]
        if others.max(initial=0.0) > SHARE * parts.sum():
            return self.names[self._moving + int(others.argmax())]
        return self.names[int(parts.argmax())]

    def _tangent(self, linkage: Linkage, x: Array, u: Array) -> Array:
        """Velocities of all bodies, of centres of mass in world axes, (n, velocities)."""
        rates, first = np.zeros((len(x), linkage.m)), linkage.kinematics.m
        for part, rows in zip(linkage.conditions.conditions, linkage.conditions.rows, strict=True):
            if part.law is not None:
                rates[:, first + rows.start] = u[:, self.model.port_columns[part.name].start]
        return linkage.solve(configuration(self.model, linkage, x), momenta(self.model, x), rates)[0]

    def _by_body(self, linkage: Linkage, V: Array) -> Array:
        starts = np.cumsum([0, *(6 if rigid else 3 for rigid in linkage.kinematics.rigid)])[:-1]
        return np.asarray(np.add.reduceat(linkage.masses * V**2, starts, axis=-1))

    def _of_velocities(self, x: Array, y: Array) -> Array:
        model = self.model
        if not model.kinetic:
            return np.zeros((len(x), 0))
        at = model.layout.read(tuple(model.kinetic))
        ends = [tangent_velocities(model, end) if model.constraints else end[:, at] for end in (x, y)]
        v = ends[0] - ends[1]
        places = model.layout.act(tuple(model.kinetic))
        M = model.E(x)[..., places[:, None], places]
        return np.asarray((v * (M @ v[..., None])[..., 0]).sum(-1, keepdims=True))

    def _with_others(self, moving: Array, x: Array, y: Array) -> Array:
        columns = []
        for part in self._others:
            at = self.model.layout.place(part.reads)
            a, b = x[..., at], y[..., at]
            columns.append(np.abs(((part.dH(a) - part.dH(b)) * (a - b)).sum(-1)))
        return np.concatenate([moving, np.array(columns).T.reshape(len(x), len(columns))], axis=-1)
