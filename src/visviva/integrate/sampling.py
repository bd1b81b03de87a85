"""Clocks of sampled laws in a run, and their values on the way to the inputs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.integrate.inputs import port_name
from visviva.integrate.sampled import Now, PortOwners, Sampled, Values

if TYPE_CHECKING:
    from visviva.kernels.ticks import Ticks

BLOCK = 256  # dice that are thrown at a time


@final
@dataclass
class Sampling:
    """Sampled laws in a run: which values hold, and when something happens next. h: usual length of steps [s].

    near: events so near to each other, or to a node, are one [s].   owners: of the ports.
    """

    laws: Sequence[Sampled]
    start: float
    h: float
    near: float
    owners: PortOwners
    held: dict[str, ArrayLike] = field(default_factory=dict)
    _arriving: list[tuple[float, int, Values]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = [np.random.default_rng(law.seed) for law in self.laws]
        self._count = [0] * len(self.laws)
        self._late = [np.zeros(0) for _ in self.laws]  # of ticks whose dice were thrown
        self.next = [self._tick(k) for k in range(len(self.laws))]
        self._order = 0
        for law in self.laws:
            reset = getattr(law.law, "reset", None)
            if callable(reset):
                reset()

    def _tick(self, k: int) -> float:
        """When a law is asked next."""
        law, n = self.laws[k], self._count[k]
        return self.start + law.offset + n * law.period + float(self.late(k, n, 1)[0])

    def late(self, k: int, first: int, n: int) -> Array:
        """How late n ticks of a law come, from number `first` on [s]."""
        law, missing = self.laws[k], first + n - len(self._late[k])
        if not law.jitter:
            return np.zeros(n)
        if missing > 0:
            self._late[k] = np.append(self._late[k], self._dice[k].uniform(0.0, law.jitter, max(missing, BLOCK)))
        return self._late[k][first : first + n]

    def resume(self, ticks: Ticks, held: Mapping[str, ArrayLike], values: Callable[[int, Array], Values]) -> None:
        """Go on from clocks in compiled code; held: values that act.   values: those of a law by port name."""
        from visviva.kernels.ticks import ACTED, ASKED, NEXT

        self.held, self._arriving, self._order = dict(held), [], int(ticks.asked[0])
        self._count, self.next = ticks.counts[:, ASKED].tolist(), ticks.times[:, NEXT].tolist()
        for k in range(len(self.laws)):
            for n in range(ticks.counts[k, ACTED], ticks.counts[k, ASKED]):
                at = n % ticks.values.shape[1]
                way = float(ticks.arrival[k, at]), int(ticks.order[k, at]), values(k, ticks.values[k, at])
                heapq.heappush(self._arriving, way)

    def look(self, now: Now) -> None:
        """Ask the laws whose tick this is, and let values act that have arrived."""
        for k, law in enumerate(self.laws):
            if self.next[k] <= now.t + self.near:
                values = law.ask(now)
                if not isinstance(values, Mapping):
                    raise ModelError(
                        f"a sampled law returns inputs by port name, e.g. {{'motor': 0.1}}; got {values!r} "
                        f"at t = {now.t:g} s."
                    )
                copies = {port_name(port): np.array(value) for port, value in values.items()}
                self.owners.take(k, copies)
                heapq.heappush(self._arriving, (now.t + law.delay, self._order, copies))
                self._order += 1
                self._count[k] += 1
                self.next[k] = self._tick(k)
        while self._arriving and self._arriving[0][0] <= now.t + self.near:
            self.held.update(heapq.heappop(self._arriving)[2])

    @property
    def next_event(self) -> float:
        """The time of the next tick, or of the next arrival [s]."""
        return min([math.inf, *self.next, *(time for time, _, _ in self._arriving[:1])])
