"""Inverse kinematics: the configuration in which frames are where they are wanted.

Levenberg's and Marquardt's method on the manifold of configurations. The residual of a frame is the twist to its goal,
log(X_WF⁻¹ X_goal), or the vector to a goal that is a point; with the Jacobian J of frames and N of independent
velocities a step minimises |J N η - e|² + μ |η|², angles in radians and lengths in units of the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import AssemblyError, ModelError
from visviva.geometry import SE3

ITERATIONS = 200
EXACT = 1e-12  # residual [rad, typical lengths] of a goal that is reached
LONGEST = 0.5  # [rad, typical lengths] of a step
STALLED = 1e-9  # part of the residual that a step must take off, else it is the nearest


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
    """q where all goals are met to rounding, or an error that says how far the nearest configuration is from them."""
    residual, J = _residual(goals, q, by)
    damping, best = 1e-6, float(residual @ residual)
    for _ in range(ITERATIONS):
        if np.abs(residual).max(initial=0.0) <= EXACT:
            return _polished(goals, q, residual, J, by)
        U, s, Vt = np.linalg.svd(J * by.sizes, full_matrices=False)
        moved = False
        while damping <= 1e12:
            eta = Vt.T @ (s / (s * s + damping * max(1.0, s[:1].sum() ** 2)) * (U.T @ residual))
            longest = float(np.abs(eta).max(initial=0.0))
            eta = eta * min(1.0, LONGEST / longest) if longest > 0 else eta
            try:
                trial = by.step(q, by.sizes * eta)
                found = _residual(goals, trial, by)
            except AssemblyError:
                damping = max(10 * damping, 1e-6)
                continue
            value = float(found[0] @ found[0])
            if value < best * (1.0 - STALLED):
                moved = True
                q, (residual, J), best = trial, found, value
                damping = max(damping / 10, 1e-20)
                break
            damping = max(10 * damping, 1e-6)
        if not moved:
            break
    if np.abs(residual).max(initial=0.0) <= 1e3 * EXACT:
        return q
    raise _unreached(goals, q, by)


def _polished(goals: list[Goal], q: Array, residual: Array, J: Array, by: Reaching) -> Array:
    """One more step of Newton's, kept if it is no worse: from 1e-12 to rounding."""
    trial = by.step(q, by.sizes * np.linalg.lstsq(J * by.sizes, residual, rcond=1e-8)[0])
    better = np.abs(_residual(goals, trial, by)[0]).max(initial=0.0) < np.abs(residual).max(initial=0.0)
    return trial if better else q


def _residual(goals: list[Goal], q: Array, by: Reaching) -> tuple[Array, Array]:
    """Twists to the goals in frame axes, lengths in units, and Jacobians as changes of them take."""
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
    return np.concatenate(rows), np.concatenate(columns)


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
