"""Springs and dampers, read from a run: lengths, angles, forces and wrenches at the nodes."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.mechanism.coordinates import movers, pair_functions, space_of
from visviva.mechanism.elements import Element, Torsion
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

    def angle(self, part: Torsion) -> Array:
        """Angle of the joint, continuous over many turns [rad], (N+1,)."""
        names = [turn.name for turn in self.motion.model.turns]
        return self.motion.record.angles[:, names.index(part.joint.name)]

    def torque(self, part: Torsion) -> Array:
        """Moment about the axis [N m], positive where it turns the child back, (N+1,)."""
        rates = self.motion.rates(part.joint)
        torque = part.damping * (rates if rates.ndim == 1 else rates[:, 0])
        return torque + self._stored(part.name, self.angle(part)[:, None])[:, 0]

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

    def _q(self, part: Element) -> Array:
        return np.concatenate([self.motion.q(mover) for mover in movers(part)], axis=-1)
