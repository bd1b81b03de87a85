"""All readings of a mechanism drawn at random: each agrees with the Model, refuses with a reason, or fails."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import final

from visviva.errors import RunWarning, VisvivaError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.state import Coordinates
from visviva.mechanism import Mechanism, Motion
from visviva.mechanism.body_twists import twist_of
from visviva.mechanism.parts import Body, Particle
from visviva.testing.random_mechanisms import Call, RandomMechanism
from visviva.testing.readings import READINGS, Case, Instant, Units, instant

CPU_LIMIT = 30.0  # [s] of CPU that one reading may take
AGREES, REFUSED, FAILED = "agrees", "refused", "failed"


@final
@dataclass(frozen=True)
class Verdict:
    """outcome: "agrees", "refused" or "failed".   text: why it is not "agrees".   seconds: of CPU."""

    reading: str
    outcome: str
    text: str
    seconds: float


@final
@dataclass(frozen=True)
class ReadingsTable:
    """What all readings of a mechanism say; prints as a table, with the script of the mechanism if one fails."""

    drawn: RandomMechanism
    verdicts: tuple[Verdict, ...]

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """Those that disagree, raise what is no error of the package, or take too long."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome == FAILED)

    def __str__(self) -> str:
        lines = [f"seed {self.drawn.seed}"]
        for verdict in self.verdicts:
            why = f": {' '.join(verdict.text.split())}" if verdict.text else ""
            lines.append(f"  {verdict.reading:<24} {verdict.seconds:6.2f} s  {verdict.outcome}{why}")
        return "\n".join([*lines, "", self.drawn.script()] if self.failed else lines)


def check_readings(
    drawn: RandomMechanism, steps: int = 3, *, readings: Sequence[str] | None = None, cpu_limit: float = CPU_LIMIT
) -> ReadingsTable:
    """Read a mechanism in every way, and compare each reading with the Model at the assembled start.

    steps:    of the runs that are compared with each other.
    readings: which ones, by name; default: all.
    A mechanism that cannot be assembled has one verdict, that of "assembly".
    """
    began = time.process_time()
    try:
        now = start_of(drawn, steps)
    except Exception as error:
        return ReadingsTable(drawn, (_verdict("assembly", error, time.process_time() - began),))
    names = READINGS if readings is None else readings
    return ReadingsTable(drawn, tuple(_read(name, READINGS[name], now, cpu_limit) for name in names))


def start_of(drawn: RandomMechanism, steps: int = 3) -> Instant:
    """The mechanism as assembled: its velocities are the nearest to those drawn that its joints allow."""
    m = drawn.build()
    motion = m.assemble(fixed=())[0]
    m = replace(drawn, calls=tuple(_moving(call, m, motion) for call in drawn.calls)).build()
    form = MinimalForm(m, inputs=drawn.input_functions)
    q, xi, s = form.coordinates(motion)
    case = Case(m, drawn.input_functions, Units(drawn.length, drawn.time, drawn.mass), drawn.h, steps)
    return instant(case, Coordinates(*form.projected(0.0, q, xi, s)))


def _moving(call: Call, m: Mechanism, motion: Motion) -> Call:
    """The call of a body or a particle with its velocity of a motion."""
    part = m.parts.get(call.name)
    if isinstance(part, Body):
        return replace(call, options=call.options | {"twist": twist_of(part, motion).tolist()})
    if isinstance(part, Particle):
        return replace(call, options=call.options | {"velocity": motion.V[part.name].tolist()})
    return call


def _read(name: str, check: Callable[[Instant], None], now: Instant, cpu_limit: float) -> Verdict:
    began, error = time.process_time(), None
    try:
        with warnings.catch_warnings(), _cpu_limit(cpu_limit):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", RunWarning)
            check(now)
    except Exception as found:
        error = found
    seconds = time.process_time() - began
    if seconds > cpu_limit:
        error = CpuLimitError(f"it takes more than {cpu_limit:g} s of CPU")
    return _verdict(name, error, seconds)


def _verdict(name: str, error: Exception | None, seconds: float) -> Verdict:
    if error is None:
        return Verdict(name, AGREES, "", seconds)
    if isinstance(error, VisvivaError):
        return Verdict(name, REFUSED, str(error), seconds)
    return Verdict(name, FAILED, f"{type(error).__name__}: {error}", seconds)


class CpuLimitError(Exception):
    """A reading takes too long."""


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Interrupts what takes longer, where it can: in the main thread, between Python's steps."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise CpuLimitError(f"it takes more than {seconds:g} s of CPU")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
