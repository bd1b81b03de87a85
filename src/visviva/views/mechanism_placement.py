"""Where the parts of a mechanism are: as built, at a state, or at many instants at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.linear import apply
from visviva.mechanism import Definition
from visviva.mechanism.assembly import Motion, StateLike, motion_at, motion_of
from visviva.mechanism.coordinates import POSES, as_built
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body, Carrier, Pair, Particle


@final
@dataclass(frozen=True, eq=False)
class Placement:
    """Points and directions that move with their carriers.

    q: coordinates of every body and particle by name, see `mechanism.coordinates`; any leading shape, time first.
    """

    q: Mapping[str, Array]
    _frames: dict[tuple[int, int], tuple[Array, Array]] = field(
        default_factory=dict
    )  # by link and end: asked for often

    def point(self, carrier: Carrier, r_W: Array) -> Array:
        """Where the point of a carrier is that was at the world point r_W as built, (..., 3)."""
        if isinstance(carrier, Body):
            q = self.q[carrier.name]
            return q[..., :3] + apply(POSES.rotation(q), carrier.to_principal(r_W))
        return self.q[carrier.name] if isinstance(carrier, Particle) else self._still(r_W)

    def frame(self, pair: Pair, end: Carrier) -> tuple[Array, Array]:
        """Axes (..., 3, 3) and origin (..., 3) of the frame of a joint or spring on one of its ends."""
        key = id(pair), id(end)
        if key not in self._frames:
            R_W, r_W = pair.frame_on(end)
            self._frames[key] = self.turned(end, R_W), self.point(end, r_W)
        return self._frames[key]

    def turned(self, carrier: Carrier, R_W: Array) -> Array:
        """Axes that were R_W as built and turn with a carrier, (..., 3, 3)."""
        if isinstance(carrier, Body):
            return np.asarray(POSES.rotation(self.q[carrier.name]) @ carrier.R_WC.T @ R_W)
        return self._still(R_W)

    def points(self, body: Body, r_W: Array) -> Array:
        """Where several points of a body are, (..., n, 3)."""
        q = self.q[body.name]
        local = (r_W - body.r_WC) @ body.R_WC
        return q[..., None, :3] + local @ np.swapaxes(POSES.rotation(q), -1, -2)

    def at(self, instant: int) -> Placement:
        """One instant of many."""
        return Placement({name: q[instant] for name, q in self.q.items()})

    def _still(self, value: Array) -> Array:
        shape = next((q.shape[:-1] for q in self.q.values()), ())
        return np.broadcast_to(value, (*shape, *value.shape))


def placement(m: Definition, at: StateLike | None = None) -> Placement:
    """The mechanism as built, or at any state: values by name, the result of `assemble`, a run or `run.final`."""
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies to draw. Add one: m.body(...) or m.particle(...).")
    if at is None:
        return Placement({part.name: as_built(part) for part in m.bodies})
    return Placement(motion_of(m, at, "the state to draw").q)


def at_rest(m: Definition, place: Placement) -> Motion:
    """A configuration as a motion without velocities."""
    linkage = Linkage(m)
    return motion_at(linkage, np.concatenate([place.q[part.name] for part in linkage.bodies]), {})
