"""Sampled control laws, in any Python: asked at ticks and held between them, late by a delay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, with_own_arrays
from visviva._suggestions import suggesting
from visviva.compiler.sampled_laws import is_jitted
from visviva.errors import ModelError
from visviva.integrate.stepped import SteppedLoop
from visviva.model import State

Values = Mapping[str, ArrayLike]


@final
class Now:
    """What a law sees at a tick: the time, and quantities by the names of a run."""

    def __init__(self, steps: SteppedLoop) -> None:
        self._steps = steps

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._steps.t

    @property
    def state(self) -> State:
        """All that continues the run bit for bit, such as a `Simulator` of the same mechanism is reset to."""
        self._steps.settle()
        return with_own_arrays(self._steps.loop.state, writeable=False)

    @property
    def widths(self) -> Mapping[str, int]:
        """How many numbers the input of each port has."""
        return self._steps.inputs.widths

    def __getitem__(self, name: str) -> Array:
        """The value of a quantity at this instant; those that live at midpoints belong to the step that ends here."""
        return self._steps.read(name)


@final
@suggesting
@dataclass(frozen=True)
class Sampled:
    """A control law that is asked every period [s], and whose inputs are held until the next ones arrive.

        vv.simulate(m, t_end=5, h=1e-3, sampled=vv.Sampled(law, period=5e-3, delay=2e-3))

    law:    a function of what is seen at a tick, law(now) -> {"motor": value}, with now["hinge.q"] and now.t; or an
            object with `update(now)`, and `reset()` where it remembers something.
    period: between ticks.   offset: of the first one.   delay: from a tick until its values act.
    jitter: a tick comes late by up to so much, uniformly distributed; seed: of the dice.
    compiled: whether the law is to be compiled. By default it is where its code shows that it computes its values from
            what it sees and from numbers around it, and does nothing else; it is asked in Python else. True: the same,
            with a warning where it is asked in Python, and why. False: it is always asked in Python.
    reads, writes: of a law of arrays, law(t, y, u), such as one that Numba compiles: quantities whose numbers are y,
            one after the other, and ports whose inputs it writes to u.

    Ticks that fall between steps end a step, and so do values that arrive there. Until the first values arrive, inputs
    are as given in `inputs`, else zero.
    """

    law: Any
    period: float
    delay: float = 0.0
    offset: float = 0.0
    jitter: float = 0.0
    seed: int = 0
    compiled: bool | None = None
    reads: Sequence[str] | None = None
    writes: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not callable(self.law) and not callable(getattr(self.law, "update", None)):
            raise ModelError(
                f"a sampled law is a function law(now) -> {{'motor': value}}, or an object with update(now); "
                f"got {self.law!r}."
            )
        finite_number(self.period, "period of a sampled law [s]", positive=True)
        for name in ("delay", "offset", "jitter"):
            if finite_number(getattr(self, name), f"{name} of a sampled law [s]") < 0:
                raise ModelError(f"the {name} of a sampled law is no negative time, got {getattr(self, name):g} s.")
        if self.jitter >= self.period:
            raise ModelError(f"ticks come every {self.period:g} s and cannot be late by {self.jitter:g} s, jitter=.")

        self._check_arrays()

    def _check_arrays(self) -> None:
        """reads and writes are tuples of names, both or none; Numba's functions need them."""
        given = self.reads is not None, self.writes is not None
        if any(given) != all(given) or (is_jitted(self.law) and not all(given)):
            raise ModelError(
                "a sampled law of arrays, law(t, y, u), and any function of Numba, needs both names: what it reads and "
                'what it writes,\nvv.Sampled(law, period=1e-3, reads=("hinge.q", "hinge.rate"), writes=("motor",)).'
            )
        for name in ("reads", "writes"):
            names = getattr(self, name)
            if names is None:
                continue
            if isinstance(names, str) or not all(isinstance(part, str) for part in names):
                raise ModelError(f"{name}= of a sampled law takes a list of names, got {names!r}.")
            object.__setattr__(self, name, tuple(names))

    def ask(self, now: Now) -> Values:
        """What the law says."""
        if self.reads is not None and self.writes is not None:
            return self._arrays(now, self.reads, self.writes)
        values: Values = self.law(now) if callable(self.law) else self.law.update(now)
        return values

    def _arrays(self, now: Now, reads: Sequence[str], writes: Sequence[str]) -> Values:
        widths = now.widths
        unknown = [port for port in writes if port not in widths]
        if unknown:
            raise ModelError(f"a sampled law writes {unknown[0]!r}, but the ports are: {', '.join(widths) or 'none'}.")
        ends = np.cumsum([0, *(widths[port] for port in writes)])
        y, u = np.concatenate([np.zeros(0), *(np.ravel(now[name]) for name in reads)]), np.full(ends[-1], np.nan)
        law: Callable[[float, Array, Array], object] = self.law
        law(now.t, y, u)
        return {port: u[a:b] if b > a + 1 else u[a] for port, a, b in zip(writes, ends, ends[1:], strict=False)}


def sampled_laws(given: Sampled | Sequence[Sampled]) -> tuple[Sampled, ...]:
    """One law or several, checked."""
    laws = (given,) if isinstance(given, Sampled) else tuple(given) if isinstance(given, Sequence) else (given,)
    for law in laws:
        if not isinstance(law, Sampled):
            raise ModelError(f"sampled= takes vv.Sampled(law, period=...), or a list of them; got {law!r}.")
    return laws


def declared_ports(own: Sampled) -> tuple[str, ...]:
    """Ports that a law says to give inputs of, by `writes`; none where it does not say."""
    declared = own.writes if own.writes is not None else getattr(own.law, "writes", None)
    return declared if isinstance(declared, tuple) else ()


@final
class PortOwners:
    """Which of some sampled laws gives the inputs of each port: one of them, or an error that names both.

    inside: ports whose inputs are solved inside of steps, which no sampled law may give.
    """

    def __init__(self, laws: Sequence[Sampled], inside: Iterable[str] = ()) -> None:
        self._laws, self._owner, self._inside = laws, dict[str, int](), frozenset(inside)
        for k, own in enumerate(laws):
            self.take(k, declared_ports(own))

    def take(self, k: int, ports: Iterable[str]) -> None:
        """Law k gives inputs of some ports."""
        for port in ports:
            if port in self._inside:
                raise ModelError(
                    f"two laws give inputs of port {port!r}: one of inputs=, solved inside of steps, and "
                    f"{self._name(k)}.\nLet one law give them: sum both in one of inputs=, or in one that is sampled."
                )
            other = self._owner.setdefault(port, k)
            if other != k:
                raise ModelError(
                    f"two sampled laws give inputs of port {port!r}: {self._name(other)} and {self._name(k)}; what "
                    "arrives last would act.\nLet one law give them, as a sum or a choice of both."
                )

    def _name(self, k: int) -> str:
        own = self._laws[k]
        name = getattr(own.law, "__name__", type(own.law).__name__)
        return f"sampled[{k}], {name!r} every {own.period:g} s"
