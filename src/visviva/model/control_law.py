"""Control laws as objects: inputs of several ports at once, by what they read of a motion."""

from __future__ import annotations

import ctypes
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, final

import numpy as np

from visviva._arrays import Array
from visviva.model.feedback import AbstractInputLaw

if TYPE_CHECKING:
    from visviva.model.model import Model

# inputs(n, T, P, t, x, u), see `kernels.calls`: T has the place of parameters in P, that of inputs in u, and the places
# in x of what the law reads.
INPUTS_TYPE = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p
)


class Clock(NamedTuple):
    """Ticks at start + k period [s], at which a law is asked in a run, and how much later its inputs act.

    jitter: how late ticks may be.
    """

    start: float
    period: float
    delay: float = 0.0
    jitter: float = 0.0


class Wanted(NamedTuple):
    """Where a law leads a mechanism at a time.

    motion: a state of the mechanism, as all that takes states takes it.   rests: neither velocity nor acceleration.
    """

    motion: Any
    rests: bool


class AbstractControlLaw(ABC):
    """Inputs u = law(t, y) of some ports, with y what `reads` names, by the names of a run, one after the other.

    It is taken as `inputs=`, where it is solved inside of steps, and by `vv.Sampled`. What it reads over a step is the
    mean of both ends: axes R are then no rotation, but near to one.

    reads:  "hinge.q", "hinge.rate", "tool.r", "tool.R", "tool.twist", ...   size: how many numbers they have.
    writes: ports.   widths: how many inputs each of them has.
    breaks: times at which the law may jump or bend [s].
    lock:   held while a run asks it: laws work in memory of their own, and runs in other threads wait.
    only_called: whether ticks of a sampled run must call it in Python, since its `__call__` does more than `inputs`.
    why_not: what keeps it from compiled code.   fallback: what a user should know where that was not meant, else empty.
    """

    reads: tuple[str, ...]
    size: int
    writes: tuple[str, ...]
    widths: tuple[int, ...]
    breaks: tuple[float, ...] = ()
    only_called: bool = False
    why_not: str = ""
    fallback: str = ""
    lock: Any
    failure: Exception | None = None
    _kept: tuple[Array, Array, Array, Exception | None] | None = None  # times, what was read, inputs, the first failure

    def __new__(cls, *_arguments: Any, **_named: Any) -> Self:  # noqa: D102
        law = super().__new__(cls)
        law.lock = threading.RLock()
        return law

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("lock", "_called_back")}

    @abstractmethod
    def inputs(self, t: float, y: Array) -> Array:
        """All inputs, one port after the other."""

    def check(self, model: Model, *, inside: bool) -> None:  # noqa: B027
        """An error where the law is not made for a model; inside: of steps, not at ticks."""

    def reset(self) -> None:
        """Forget what was: a run begins."""
        self._kept = None

    def cautions(self) -> tuple[str, ...]:
        """What a user should not miss of how the law was asked since the last reset."""
        return ()

    def record_of(self, run: Any, clock: Clock | None) -> Any:
        """What the law has to tell of a run, see `run.tracking`, or None. clock: of a sampled one."""
        return None

    def wanted(self, t: float) -> Wanted | None:
        """Where the law leads to at a time [s]; None: it has no reference."""
        return None

    def attempt(self, t: float, y: Array) -> Array:
        """All inputs, not a number where the law raises an exception, which is then its `failure`."""
        self.failure = None
        try:
            return self.inputs(t, y)
        except Exception as error:  # none passes through compiled code
            self.failure = error
            return np.full(sum(self.widths), np.nan)

    def attempts(self, t: Array, y: Array) -> Array:
        """`attempt` at many instants, (instants, inputs); those of the last call are kept for its other ports."""
        if self._kept is None or not (np.array_equal(self._kept[0], t) and np.array_equal(self._kept[1], y)):
            u, failure = list[Array](), None
            for one, row in zip(t.tolist(), y, strict=True):
                u.append(self.attempt(one, row))
                failure = failure or self.failure
            self._kept = t, y, np.array(u).reshape(len(t), sum(self.widths)), failure
        self.failure = self._kept[3]
        return self._kept[2]

    def address(self, first: int, width: int) -> int:
        """Address of a function that writes some of the inputs, see `INPUTS_TYPE`; valid as long as this lives."""
        return self._called_back[first, width]

    def parameters(self, first: int, width: int) -> Array:
        """What that function finds at P."""
        return np.zeros(0)

    def __call__(self, now: Any) -> dict[str, Array | float]:
        """Inputs by port name at a tick, see `vv.Sampled`."""
        u = self.inputs(now.t, np.concatenate([np.zeros(0), *(np.ravel(now[name]) for name in self.reads)]))
        return {port: u[at] if at.stop > at.start + 1 else float(u[at.start]) for port, at in self.columns.items()}

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Where the inputs of each port are among all."""
        ends = np.cumsum([0, *self.widths]).tolist()
        return {port: slice(a, b) for port, a, b in zip(self.writes, ends, ends[1:], strict=False)}

    @cached_property
    def _called_back(self) -> CallBacks:
        return CallBacks(self)


class AbstractHoldingLaw(ABC):
    """A law that wants a reference, and can hold a configuration."""

    @abstractmethod
    def holding(self, motion: Any) -> AbstractControlLaw:
        """The law that holds the configuration of a state of its mechanism."""


@final
class CallBacks(dict[tuple[int, int], int]):
    """Addresses of functions by which compiled code asks a law in Python; made when they are asked for."""

    def __init__(self, law: AbstractControlLaw) -> None:
        self._law, self._alive = law, list[Any]()

    def __missing__(self, wanted: tuple[int, int]) -> int:
        first, width = wanted
        law, size = self._law, self._law.size

        def call(n: int, T: int, P: int, t: float, x: int, u: int) -> None:
            places = (ctypes.c_int64 * (size + 2)).from_address(T)
            y = np.array([ctypes.c_double.from_address(x + 8 * k).value for k in places[2:]])
            given = (ctypes.c_double * width).from_address(u + 8 * places[1])
            given[:] = law.attempt(t, y)[first : first + width].tolist()

        function = INPUTS_TYPE(call)
        self._alive.append(function)
        found = self[wanted] = ctypes.cast(function, ctypes.c_void_p).value or 0
        return found


@final
class PortLaw(AbstractInputLaw):
    """The inputs of one port by a control law, with its address for compiled code."""

    def __init__(self, law: AbstractControlLaw, port: str) -> None:
        self.law, self._at = law, law.columns[port]

    @property
    def address(self) -> int:
        """See `AbstractControlLaw.address`."""
        return self.law.address(self._at.start, self._at.stop - self._at.start)

    @property
    def parameters(self) -> Array:
        """What it finds at P."""
        return self.law.parameters(self._at.start, self._at.stop - self._at.start)

    @property
    def failure(self) -> Exception | None:  # type: ignore[override]
        """What the law has raised when it was asked last."""
        return self.law.failure

    def inputs(self, t: Array, q: Array, z: Array, p: Array) -> Array:  # noqa: D102
        shape = np.broadcast_shapes(t.shape[:-1], q.shape[:-1])
        times = np.array(np.broadcast_to(t[..., 0], shape).reshape(-1))
        rows = np.array(np.broadcast_to(q, (*shape, q.shape[-1])).reshape(len(times), q.shape[-1]))
        found = self.law.attempts(times, rows)[:, self._at]
        return found.reshape(*shape, found.shape[-1])


@contextmanager
def asked_by_one(laws: Iterable[AbstractControlLaw]) -> Iterator[None]:
    """While this lasts, no run in another thread asks these laws."""
    with ExitStack() as held:
        for law in sorted(laws, key=id):  # in one order, so that nobody waits for each other
            held.enter_context(law.lock)
        yield


def laws_in(model: Model) -> tuple[AbstractControlLaw, ...]:
    """The control laws among the feedback of a model, each once."""
    return tuple(dict.fromkeys(part.law.law for part in model.feedback if isinstance(part.law, PortLaw)))
