"""Velocities at a configuration of the tree: given rates and twists exactly, all else as near as built.

With rows A ẏ = b of cut joints, conditions and what is given, in the metric of kinetic energy:

    minimise ½ (ẏ - ẏ0)ᵀ SᵀM S (ẏ - ẏ0),   A ẏ = b,    ẏ0 as built with the given rates in it

among those motions that keep the rates and twists that joints and bodies were built with as well as they can.
"""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.errors import AssemblyError
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.joint_tree import JointTree, Posture, beyond_tree
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body, Joint
from visviva.mechanism.state_goals import carrier_of, frame_on, point_rows
from visviva.mechanism.state_names import SpeedGoal, Wanted
from visviva.mechanism.velocities import SPEED_TOLERANCE
from visviva.numerics.constrained import least_change
from visviva.numerics.rank import unit_rows


@final
class StateRates:
    """Rows over the rates of the tree's coordinates at one configuration."""

    def __init__(self, linkage: Linkage, tree: JointTree, at: Posture, X_W: Array) -> None:
        self.linkage, self.tree, self.at, self.X_W = linkage, tree, at, X_W
        self.q = np.concatenate(list(tree.coordinates(X_W).values()))
        self.S = tree.jacobian(at, X_W)

    def solve(self, rates: Array, want: Wanted) -> Array:
        """The rates nearest to some, of which those of the tree that are wanted are set already, (n,)."""
        tree, linkage = self.tree, self.linkage
        fixed = given_columns(tree, want) | ~tree.active
        beyond = beyond_tree(linkage, tree)
        C = linkage.dense(linkage.kinematics.place(self.q))[beyond] @ self.S
        A, b, labels = [C], [linkage.speeds[beyond]], [linkage.names[k] for k in np.flatnonzero(beyond)]
        cut = [joint for joint in tree.cut if joint.joint.coordinates and any(n == joint.name for n, _ in want.rates)]
        if cut:
            known = JointRates(linkage.bodies, cut)
            R = known.matrix(self.q).toarray() @ self.S
            for joint, part in zip(cut, known.parts, strict=True):
                for k in range(part.stop - part.start):
                    if (joint.name, k) in want.rates:
                        A.append(R[part.start + k : part.start + k + 1])
                        b.append(np.array([want.rates[joint.name, k]]))
                        labels.append(f"{joint.name}.rate")
        for goal in want.speeds:
            A.append(self.speed_rows(goal))
            b.append(goal.twist if goal.twist is not None else goal.v)  # type: ignore[arg-type]
            labels += [f"{goal.name}.{'v' if goal.twist is None else 'twist'}"] * len(b[-1])
        for name, spin in want.spins.items():
            if name not in tree.below:
                A.append(self._spin_rows(next(joint for joint in tree.cut if joint.name == name)))
                b.append(spin)
                labels += [f"{name}.rate"] * 3
        found = self._nearest(np.concatenate(A), np.concatenate(b), rates, fixed, self._as_built(want))
        self._check(np.concatenate(A) @ found - np.concatenate(b), found, want, labels)
        return found

    def speed_rows(self, goal: SpeedGoal) -> Array:
        """Rows of a twist in its own axes, or of the velocity of its origin in world axes."""
        body = next(k for k, one in enumerate(self.tree.bodies) if one is carrier_of(goal.part))
        X, columns = self.X_W[body] @ frame_on(goal.part), self.linkage.kinematics.columns
        v = point_rows(self.tree, body, self.X_W, X[:3, 3], self.S, columns)
        if goal.twist is None:
            return v
        first = columns[body].start
        w = self.X_W[body, :3, :3] @ self.S[first : first + 3]
        return np.concatenate([X[:3, :3].T @ w, X[:3, :3].T @ v])

    def _spin_rows(self, joint: Joint) -> Array:
        rows, columns = np.zeros((3, self.tree.n)), self.linkage.kinematics.columns
        for body, one in enumerate(self.tree.bodies):
            if one is joint.child or one is joint.parent:
                first = columns[body].start
                w = self.X_W[body, :3, :3] @ self.S[first : first + 3]
                rows = rows + (w if one is joint.child else -w)
        child = next(k for k, one in enumerate(self.tree.bodies) if one is joint.child)
        return (self.X_W[child, :3, :3] @ joint.child.R_WC.T @ joint.R_W).T @ rows  # type: ignore[union-attr]

    def _as_built(self, want: Wanted) -> tuple[Array, Array]:
        """Rates of joints and twists of bodies that were given as built, and are not given now."""
        rows, values = [np.zeros((0, self.tree.n))], [np.zeros(0)]
        joints = [joint for joint in self.linkage.joints if joint.rate is not None]
        if joints:
            known = JointRates(self.linkage.bodies, joints)
            R = known.matrix(self.q).toarray() @ self.S
            for joint, part in zip(joints, known.parts, strict=True):
                for k, rate in enumerate(joint.rate if joint.rate is not None else ()):
                    if (joint.name, k) not in want.rates:
                        rows.append(R[part.start + k : part.start + k + 1])
                        values.append(np.array([rate]))
        named = {goal.name for goal in want.speeds}
        for body in self.tree.bodies:
            twist = body.twist if isinstance(body, Body) else None
            v = body.velocity if not isinstance(body, Body) else None
            if (twist is not None or v is not None) and body.name not in named:
                goal = SpeedGoal(body.name, body, twist, v)
                rows.append(self.speed_rows(goal))
                values.append(twist if twist is not None else v)  # type: ignore[arg-type]
        return np.concatenate(rows), np.concatenate(values)

    def _nearest(self, A: Array, b: Array, rates: Array, fixed: Mask, built: tuple[Array, Array]) -> Array:
        free, M = ~fixed, self.linkage.metric
        if not free.any():
            return rates
        (rows, scale), (others, values) = unit_rows(A), built
        metric, then = self.S.T @ (M[:, None] * self.S), (others, values - others @ rates)
        return rates + least_change(rows, (b - A @ rates) / scale, metric, free=free, alike=True, then=then)

    def _check(self, left: Array, rates: Array, want: Wanted, labels: list[str]) -> None:
        fastest = max(float(np.abs(self.S @ rates).max(initial=0.0)), float(np.abs(rates).max(initial=0.0)))
        bound = SPEED_TOLERANCE * max(fastest, float(np.abs(self.linkage.speeds).max(initial=0.0)))
        if np.abs(left).max(initial=0.0) <= bound:
            return
        worst: dict[str, float] = {}
        for label, value in zip(labels, np.abs(left).tolist(), strict=True):
            worst[label] = max(worst.get(label, 0.0), value)
        lines = "\n".join(f"  {label!r}: {value:.3g}" for label, value in worst.items() if value > bound)
        given = [*dict.fromkeys(f"{name}.rate" for name, _ in want.rates), *(f"{name}.rate" for name in want.spins)]
        given += [f"{goal.name}.{'v' if goal.twist is None else 'twist'}" for goal in want.speeds]
        raise AssemblyError(
            f"the rates and velocities given for mechanism {self.linkage.name!r} ({', '.join(given) or 'none'})\n"
            "contradict each other, its joints or its drives. What stays open at best, in m/s or rad/s:\n"
            f"{lines}\n"
            "Give fewer of them: what is left out follows from the joints."
        )


def given_columns(tree: JointTree, want: Wanted) -> Mask:
    """Coordinates of the tree whose rates are wanted."""
    given = np.zeros(tree.n, dtype=bool)
    for name, k in want.rates:
        if name in tree.below:
            given[tree.columns[tree.below[name]].start + k] = True
    for name in want.spins:
        if name in tree.below:
            given[tree.columns[tree.below[name]]] = True
    return given


def check_driven(linkage: Linkage, want: Wanted) -> None:
    """An error where a rate is given that a drive prescribes, unless it is the same."""
    for part in linkage.conditions.conditions:
        if not isinstance(part, Coupling) or part.law is None or len(part.terms) != 1:
            continue
        term = part.terms[0]
        key = term.joint.name, term.joint.joint.coordinates.index(term.coordinate)
        prescribed = part.law.rate(0.0) / term.coefficient
        given = want.rates.get(key)
        if given is not None and abs(given - prescribed) > SPEED_TOLERANCE * max(abs(given), abs(prescribed)):
            raise AssemblyError(
                f"the rate of joint {key[0]!r} is given as {given:.6g}, and drive {part.name!r} prescribes "
                f"{prescribed:.6g} at the start.\n"
                "Leave the rate out, or remove the drive; `inputs` can give it another law."
            )
