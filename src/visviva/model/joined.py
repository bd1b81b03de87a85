"""Two ports joined: what one model gives, the other takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.linear import transpose
from visviva.model.rows import RowKind
from visviva.model.structure import AbstractConstraint, AbstractPort, Port


@final
@dataclass(frozen=True, eq=False)
class JoinedPorts(AbstractConstraint):
    """u_a + u_b = 0, y_a = y_b: rows B_aᵀ z_a - B_bᵀ z_b = 0, whose multiplier is the exchanged flow λ = u_b = -u_a.

    The power y·λ that leaves a is the power that enters b: J has these rows and nothing is lost. Over a step both B are
    those of the step, so that joining two discrete systems is the same as the step of the joined one.
    Source: Latussek, Kinon, Betsch, section 4.

    first, second: the ports of a and b.   read: how many coordinates the first one reads.
    """

    name: str
    first: AbstractPort
    second: AbstractPort
    read: int
    kind: RowKind = RowKind.EFFORT
    internal: bool = False

    @property
    def rows(self) -> int:  # type: ignore[override]
        """One for each input of a port."""
        return self.first.width

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """What both ports read."""
        return (*self.first.reads, *self.second.reads)

    @property
    def acts(self) -> tuple[str, ...]:  # type: ignore[override]
        """What both ports act on."""
        return (*self.first.acts, *self.second.acts)

    @property
    def two_ended(self) -> bool:  # type: ignore[override]
        """Whether one of them depends on both ends of a step."""
        return self.first.two_ended or self.second.two_ended

    def C(self, q: Array) -> Array:  # noqa: D102
        B_a, B_b = self.first.B(self._seen(self.first, q, 0)), self.second.B(self._seen(self.second, q, 1))
        batch = np.broadcast_shapes(B_a.shape[:-2], B_b.shape[:-2])
        C_a, C_b = (np.broadcast_to(transpose(B), (*batch, self.rows, B.shape[-2])) for B in (B_a, B_b))
        return np.concatenate([C_a, -C_b], axis=-1)

    def bias(self, q: Array, z: Array) -> Array:  # noqa: D102
        if any(not isinstance(port, Port) or callable(port.matrix) for port in (self.first, self.second)):
            raise ModelError(
                f"the ports of {self.name!r} are joined on the level of velocities only: no accelerations."
            )
        return np.zeros((*np.shape(z)[:-1], self.rows))

    def value(self, q: Array) -> Array:  # noqa: D102
        return np.zeros((*q.shape[:-1], self.rows))

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return np.ones((*q.shape[:-1], self.rows))

    def _seen(self, port: AbstractPort, q: Array, side: int) -> Array:
        """The coordinates that a port reads, of those that both read, at the mean or at both ends."""
        ends = np.split(q, 2, axis=-1) if self.two_ended else [q]
        own = [end[..., self.read :] if side else end[..., : self.read] for end in ends]
        if port.two_ended:
            return np.concatenate(own, axis=-1)
        return own[0] if len(own) == 1 else 0.5 * (own[0] + own[1])
