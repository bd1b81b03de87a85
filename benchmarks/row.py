"""Rows of the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


@final
@dataclass(frozen=True)
class Row:
    """What was measured, ours, the peer's with its name, and how many times the peer takes as long; None: no peer."""

    what: str
    ours: str
    peer: str = ""
    ratio: float | None = None

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """As text."""
        return self.what, self.ours, self.peer, "" if self.ratio is None else f"{three_digits(self.ratio)} ×"


def against(what: str, ours: float, peer: str, theirs: float) -> Row:
    """A row of two times [s]."""
    return Row(what, duration(ours), f"{peer}: {duration(theirs)}", theirs / ours)


def duration(t: float) -> str:
    """A time [s] with three digits and the unit that suits it."""
    size, unit = next((pair for pair in UNITS if t >= pair[0]), UNITS[-1])
    return f"{three_digits(t / size)} {unit}"


def three_digits(value: float) -> str:
    """No exponents: 0.0123, 1.23, 123, 12345."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"
