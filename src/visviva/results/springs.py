"""Springs and dampers, read from a run: lengths, angles, forces and wrenches at the nodes."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.coordinates import movers, pair_functions, space_of
from visviva.mechanism.elements import Element, JointElement
from visviva.mechanism.joint_coordinates import coordinate_values, turn_name
from visviva.mechanism.parts import JointCoordinate, Pair
from visviva.model.holonomic import lift_rows
from visviva.results.motion import MechanismMotion
from visviva.results.wrenches import wrench_on_child


@final
class Springs:
    """What springs and dampers measure and do, at the nodes of a record, with the public velocities."""

    def __init__(self, motion: MechanismMotion) -> None:
        self.motion = motion

    def length(self, part: Element) -> Array:
        """Distance of the points [m], (N+1,)."""
        y = pair_functions(part, part.rows).value(self._q(part))
        return np.sqrt(2.0 * np.maximum(y[:, 0], 0.0))

    def tension(self, part: Element) -> Array:
        """Force along the line [N], positive where it pulls the points together, (N+1,)."""
        return self._efforts(part)[:, 0] * self.length(part)

    def wrench(self, part: Element) -> Array:
        """Wrench (m; f) on the child in its frame, (N+1, 6)."""
        return wrench_on_child(part, self._q(part), -apply(transpose(self._C(part)), self._efforts(part)))

    def coordinates(self, part: JointElement) -> Array:
        """Coordinates of joints, angles continuous over many turns [rad, m], (N+1, k), or (N+1,) of one."""
        return _flat(np.stack([self._coordinate(one) for one in part.coordinates], axis=-1))

    def efforts(self, part: JointElement) -> Array:
        """Moments and forces along them [N m, N], positive where they drive the child back, (N+1, k) or (N+1,)."""
        y = np.stack([self._coordinate(one) for one in part.coordinates], axis=-1)
        found = self._stored(part.name, y)
        if part.damping is not None:
            rates = [self.motion.rates(one.joint) for one in part.coordinates]
            own = [r if r.ndim == 1 else r[:, one.number] for r, one in zip(rates, part.coordinates, strict=True)]
            found = found + np.stack(own, axis=-1) @ part.damping
        return _flat(found)

    def _coordinate(self, one: JointCoordinate) -> Array:
        if one.turns:
            names = [turn.name for turn in self.motion.model.turns]
            return self.motion.record.angles[:, names.index(turn_name(one))]
        return coordinate_values(one.joint, self._q(one.joint))[:, one.number]

    def _efforts(self, part: Element) -> Array:
        """U'(y) + D ẏ, (N+1, k)."""
        y = pair_functions(part, part.rows).value(self._q(part))
        efforts = self._stored(part.name, y)
        if part.damping is None:
            return efforts
        V = np.concatenate(
            [self.motion.tangent_velocities[..., self.motion.columns[mover.name]] for mover in movers(part)], axis=-1
        )
        damped = apply(self._C(part), V) @ part.damping
        if part.line:
            damped = np.divide(damped, 2.0 * y, out=np.zeros_like(damped), where=y > 0)
        return efforts + damped

    def _stored(self, name: str, y: Array) -> Array:
        """Efforts of the energies of a spring, zero where it has none."""
        total = np.zeros_like(y)
        for storage in self.motion.model.storages:
            if storage.name == name:
                total = total + storage.mean_effort(y, y)
        return total

    def _C(self, part: Element) -> Array:
        q = self._q(part)
        spaces = tuple(space_of(mover) for mover in movers(part))
        return lift_rows(pair_functions(part, part.rows).gradient(q), q, spaces)

    def _q(self, part: Pair) -> Array:
        return np.concatenate([self.motion.q(mover) for mover in movers(part)], axis=-1)


def _flat(values: Array) -> Array:
    """(N+1, k), or (N+1,) of one."""
    return values[:, 0] if values.shape[1] == 1 else values
