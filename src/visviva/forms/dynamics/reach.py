"""Inverse kinematics: the configuration in which frames are where they are wanted.

Levenberg's and Marquardt's method on the manifold of configurations. The residual of a frame is the twist to its goal,
log(X_WF⁻¹ X_goal), or the vector to a goal that is a point; with the Jacobian J of frames and N of independent
velocities a step minimises |J N η - e|² + μ |η|², angles in radians and lengths in units of the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import AssemblyError, ModelError
from visviva.geometry import SE3
from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.levenberg import search

ITERATIONS = 150
MOST_DAMPED = 1e12  # λ of a step: where no shorter one comes nearer either
LEAST_GAIN = 1e-3  # part of what a step promised: one that takes off less is damped more
EXACT = 1e-12  # residual [rad, typical lengths] of a goal that is reached
LONGEST = 1.0  # [rad, typical lengths] of a step
STALLED = 1e-7  # cosine between goals and what velocities can do: below, it is the nearest
KICKS = (0.1, 0.3)  # [rad, typical lengths]


@final
@dataclass(frozen=True, eq=False)
class Goal:
    """Where a frame is to be. R: None if only its origin counts."""

    name: str
    R: Array | None
    r: Array


@final
@dataclass(frozen=True, eq=False)
class Reaching:
    """What the search asks of a mechanism: pose and body Jacobian (6, nv) of a frame at q, and steps from q."""

    pose: Callable[[str, Array], tuple[Array, Array]]
    jacobian: Callable[[str, Array], Array]
    step: Callable[[Array, Array], Array]
    sizes: Array  # (nv,)
    length: float
    owner: str


@final
@dataclass(frozen=True, eq=False)
class _Reached:
    """q, twists e to the goals in frame axes, lengths in units, and the matrix J of what velocities take off them.

    gain: what the step to it took off |e|², of what was promised.
    """

    goals: list[Goal]
    by: Reaching
    q: Array
    e: Array
    J: Array
    gain: float = 0.0

    @property
    def size(self) -> float:
        """|e|."""
        return float(np.linalg.norm(self.e))

    @property
    def exact(self) -> bool:
        """Whether all goals are met."""
        return bool(np.abs(self.e).max(initial=0.0) <= EXACT)

    @cached_property
    def _svd(self) -> tuple[Array, Array, Array]:
        return np.linalg.svd(self.J * self.by.sizes, full_matrices=False)

    @cached_property
    def stalled(self) -> bool:
        """Whether no velocity answers to the goals."""
        pull = (self.J * self.by.sizes).T @ self.e
        return bool(np.abs(pull).max(initial=0.0) <= STALLED * self._svd[1][:1].sum() * self.size)

    def tried(self, damping: float) -> _Reached | None:
        """After a step of least squares, damped by λ |e|², which vanishes at a goal: there it is Newton's."""
        if self.stalled:
            return None
        U, s, Vt = self._svd
        eta = Vt.T @ (s / (s * s + damping * self.size**2) * (U.T @ self.e))
        taken = self.J @ (self.by.sizes * eta)
        promised = float(2.0 * taken @ self.e - taken @ taken)
        trial = self.stepped(eta)
        if trial is None or not promised > 0:
            return None
        gain = (self.size**2 - trial.size**2) / promised
        return replace(trial, gain=gain) if gain > LEAST_GAIN else None

    def stepped(self, eta: Array) -> _Reached | None:
        """After a step; None where it is too long, or loops cannot be closed after it."""
        if np.abs(eta).max(initial=0.0) > LONGEST:
            return None
        try:
            return _residual(self.goals, self.by.step(self.q, self.by.sizes * eta), self.by)
        except AssemblyError:
            return None


def goal_of(name: str, value: Any, point: bool) -> Goal:
    """A pose as SE3, (4, 4) or (R, r); or a position (3,), which is all that a particle can take."""
    if isinstance(value, SE3):
        R, r = value.R, value.r
    elif isinstance(value, tuple) and len(value) == 2:
        X = SE3.from_parts(value[0], value[1])
        R, r = X.R, X.r
    elif np.shape(value) == (3,):
        return Goal(name, None, finite_vector(value, f"goal of {name!r}", 3))
    elif np.shape(value) == (4, 4):
        X = SE3.from_matrix(finite_array(value, f"goal of {name!r}", (4, 4)))
        R, r = X.R, X.r
    else:
        raise ModelError(
            f"the goal of {name!r} is a pose (SE3, a matrix (4, 4), or (R, r)) or a position (3,), got {value!r}."
        )
    if R.shape != (3, 3) or not (np.isfinite(R).all() and np.isfinite(r).all()):
        raise ModelError(f"the goal of {name!r} must be one finite pose, got R of shape {R.shape} and r of {r.shape}.")
    return Goal(name, None if point else R, r)


def reach(goals: list[Goal], q: Array, by: Reaching) -> Array:
    """q where all goals are met to rounding, or an error that says how far the nearest configuration is from them.

    A search may end where goals pull at a stretched arm and no velocity answers: it is then begun again from a little
    beside, by a fixed sequence of kicks.
    """
    rng, best = np.random.default_rng(0), _descend(goals, q, by)
    for size in KICKS:
        if best.exact:
            break
        try:
            other = _descend(goals, by.step(best.q, size * by.sizes * rng.normal(size=len(by.sizes))), by)
        except AssemblyError:
            continue
        best = other if other.size < best.size else best
    if not best.exact:
        raise _unreached(goals, best.q, by)
    return _polished(best)


def _descend(goals: list[Goal], q: Array, by: Reaching) -> _Reached:
    """The configuration that damped steps lead to: one that meets the goals, or where no velocity answers to them."""
    start = _residual(goals, q, by)

    def adapted(lam: float, now: _Reached, nearer: bool) -> float | None:
        if nearer:
            return max(lam * (0.1 if now.gain > 0.75 else 1.0 if now.gain > 0.25 else 3.0), 1e-12)
        return None if now.stalled or lam > MOST_DAMPED else 8.0 * lam

    return search(start, 1e-2, adapted, Convergence(EXACT, EXACT * np.sqrt(len(start.e))), ITERATIONS)


def _polished(now: _Reached) -> Array:
    """One more step of Newton's, kept if it is no worse: from 1e-12 to rounding."""
    eta = least_change(now.J * now.by.sizes, now.e, terms=np.ones(len(now.e)))  # rows are angles and typical lengths
    trial = now.stepped(eta)
    return trial.q if trial is not None and trial.size < now.size else now.q


def _residual(goals: list[Goal], q: Array, by: Reaching) -> _Reached:
    rows, columns = list[Array](), list[Array]()
    units = np.repeat([1.0, by.length], 3)
    for goal in goals:
        (R, r), J = by.pose(goal.name, q), by.jacobian(goal.name, q)
        if goal.R is None:
            rows.append(R.T @ (goal.r - r) / by.length)
            columns.append(J[3:] / by.length)
        else:
            twist = SE3(R.T @ goal.R, R.T @ (goal.r - r)).log()
            rows.append(twist / units)
            columns.append(SE3.dexp_inv(-twist) @ J / units[:, None])
    return _Reached(goals, by, q, np.concatenate(rows), np.concatenate(columns))


def _unreached(goals: list[Goal], q: Array, by: Reaching) -> AssemblyError:
    lines = list[str]()
    for goal in goals:
        R, r = by.pose(goal.name, q)
        far = f"{np.linalg.norm(goal.r - r):.4g} m"
        if goal.R is not None:
            far += f" and {np.linalg.norm(SE3(R.T @ goal.R, np.zeros(3)).log()[:3]):.4g} rad"
        lines.append(f"{goal.name!r} stays {far} away")
    return AssemblyError(
        f"{by.owner} does not reach what is asked: at the nearest configuration found from near=, "
        f"{', '.join(lines)}.\nAsk for a pose within reach, or start nearer to the solution, near=."
    )
