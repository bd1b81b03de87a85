"""States of a mechanism by the names that a run uses: any subset of coordinates, poses and rates gives a motion.

    {"hinge.q": 0.3, "hinge.rate": 1.0, "tool.r": (1, 0, 0.5), "dc.current": 2.0}

What is given is hit to rounding, loops are closed, and what is not given stays as near as built. Of a tree, joints that
are not named stay as built, in closed form: no equation is solved. With loops, couplings or poses to reach, the
mechanism is led there from as built, see `state_path`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SO3
from visviva.geometry.linear import homogeneous
from visviva.library.joints import Angle
from visviva.mechanism.assembly import Motion, assembled, linkage_of
from visviva.mechanism.coordinates import movers
from visviva.mechanism.joint_coordinates import coordinate_values, turn_names
from visviva.mechanism.joint_tree import JointTree, Posture, beyond_tree
from visviva.mechanism.state_goals import carrier_of, frame_on, merged
from visviva.mechanism.state_names import PlaceGoal, Wanted, plain_names, wanted
from visviva.mechanism.state_path import StatePath, closed_rows
from visviva.mechanism.state_rates import StateRates, check_driven

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


@final
class States:
    """What does not depend on the values of a state: the tree, the mechanism as built, and where things are.

    built: the motion as assembled.   open: nothing is to be closed but the joints of the tree.
    """

    def __init__(self, m: Definition) -> None:
        self.definition = m
        self.linkage = linkage_of(m)
        self.built = assembled(m, self.linkage)[0]
        self.tree, X_W, self.posture = self._as_assembled()
        moving = any(V.any() for V in self.built.V.values())
        self.rates = self.tree.rates(self.posture, X_W, self.built.V) if moving else np.zeros(self.tree.n)
        self.open = not closed_rows(self.linkage, self.tree).any()
        self._loose = not beyond_tree(self.linkage, self.tree).any()
        self._flying = {
            body.name for body, joint in zip(self.tree.bodies, self.tree.joint, strict=True) if joint is None
        }
        self._angles = [
            (name, self.tree.columns[self.tree.below[joint.name]].start + joint.joint.coordinates.index(angle))
            for joint in self.linkage.joints
            if joint.name in self.tree.below
            for name, angle in turn_names(joint).items()
        ]

        self._cut_turns = {
            (joint.name, joint.joint.coordinates.index(angle)): name
            for joint in self.tree.cut
            for name, angle in turn_names(joint).items()
        }
        self._plain = plain_names(m)

    def _as_assembled(self) -> tuple[JointTree, Array, Posture]:
        """The tree, poses and coordinates as assembled: mechanisms of the same geometry share them."""
        alike, key = self.linkage.alike, [value.tobytes() for value in self.built.q.values()]
        if States not in alike or alike[States][0] != key:
            self.tree = JointTree(self.linkage)
            X_W = _poses(self.tree, self.built)
            alike[States] = key, (self.tree, X_W, self.tree.posture(X_W, self._named(self.built)))
        found: tuple[JointTree, Array, Posture] = alike[States][1]
        return found

    def _named(self, motion: Motion) -> Array:
        """Coordinates of the tree that have names, angles over many turns; charts are zero."""
        y = np.zeros(self.tree.n)
        for b, joint in enumerate(self.tree.joint):
            if joint is None or not joint.joint.coordinates:
                continue
            values = coordinate_values(joint, np.concatenate([motion.q[end.name] for end in movers(joint)]))
            turning = [k for k, part in enumerate(joint.joint.coordinates) if isinstance(part, Angle)]
            for k, name in zip(turning, turn_names(joint), strict=True):
                values[k] = motion.angles[name]
            first = self.tree.columns[b].start
            y[first : first + len(values)] = values
        return y

    def motion(self, given: Mapping[Any, Any]) -> Motion:
        """The motion at the values that are given by name."""
        want, others = Wanted(), {}
        for key, value in given.items():  # the common case, as fast as it can be read
            place = self._plain.get(key) if isinstance(key, str) else None
            if place is None or not isinstance(value, float) or not math.isfinite(value):
                others[key] = value
            else:
                (want.q if place[0] == "q" else want.rates)[place[1]] = float(value)
        return self.reached(wanted(self.definition, others, want) if others else want)

    def reached(self, want: Wanted) -> Motion:
        """The same, of what was read already."""
        check_driven(self.linkage, want)
        moved = bool(want.q or want.turns or want.places)
        at, X_W, q, angles = self._configuration(want) if moved else self._as_built()
        V = self.built.V
        if moved or want.rates or want.spins or want.speeds:
            V = self._velocities(want, at, X_W)
        return Motion(q, V, angles, self.built.others | want.others)

    def _as_built(self) -> tuple[Posture, Array, dict[str, Array], dict[str, float]]:
        return self.posture, self.tree.poses(self.posture), self.built.q, self.built.angles

    def _configuration(self, want: Wanted) -> tuple[Posture, Array, dict[str, Array], dict[str, float]]:
        cut: dict[str, float] = {}
        places = merged(want.places)
        carriers = [carrier_of(goal.part).name for goal in places]
        if self.open and len(set(carriers)) == len(carriers) and self._flying.issuperset(carriers):
            at = self._set(want, places)
            X_W = self.tree.poses(at)
        else:
            path = StatePath(self.linkage, self.tree, self.built, self.posture, want)
            end = path.follow()
            at, X_W, cut = end.at, end.X_W, end.cut
        y = at.y.tolist()
        angles = {**self.built.angles, **cut, **{name: y[k] for name, k in self._angles}}
        angles |= {self._cut_turns[key]: value for key, value in want.q.items() if key in self._cut_turns}
        return at, X_W, self.tree.coordinates(X_W), angles

    def _set(self, want: Wanted, places: list[PlaceGoal]) -> Posture:
        """Coordinates of a tree without loops, and poses of what flies."""
        y, tree = self.posture.y.copy(), self.tree
        for (name, k), value in want.q.items():
            y[tree.columns[tree.below[name]].start + k] = value
        for name, R in want.turns.items():
            y[tree.columns[tree.below[name]]] = SO3(R).log()
        if not places:
            return replace(self.posture, y=y)
        flying = self.posture.flying.copy()
        number = {body.name: b for b, body in enumerate(tree.bodies)}
        for goal in places:
            b, on = number[carrier_of(goal.part).name], frame_on(goal.part)
            now = flying[b] @ on
            R, r = now[:3, :3] if goal.R is None else goal.R, now[:3, 3] if goal.r is None else goal.r
            flying[b] = homogeneous(R, r, 1.0) @ np.linalg.inv(on)
        return Posture(y, flying)

    def _velocities(self, want: Wanted, at: Posture, X_W: Array) -> dict[str, Array]:
        tree, rates = self.tree, self.rates.copy()
        for (name, k), value in want.rates.items():
            if name in tree.below:
                rates[tree.columns[tree.below[name]].start + k] = value
        for name, spin in want.spins.items():
            if name in tree.below:
                columns = tree.columns[tree.below[name]]
                rates[columns] = SO3.dexp_inv(at.y[columns]) @ spin
        if want.speeds or not self._loose:
            rates = StateRates(self.linkage, tree, at, X_W).solve(rates, want)
        if not rates.any():
            return {name: np.zeros_like(V) for name, V in self.built.V.items()}
        return tree.velocities(at, X_W, rates)


def _poses(tree: JointTree, motion: Motion) -> Array:
    """Principal frames of all bodies at a motion, then of the ground, (bodies + 1, 4, 4)."""
    X = np.tile(np.eye(4), (len(tree.bodies) + 1, 1, 1))
    for b, body in enumerate(tree.bodies):
        q = motion.q[body.name]
        X[b, :3, 3] = q[:3]
        if not tree.point[b]:
            X[b, :3, :3] = q[3:].reshape(3, 3).T
    return X
