"""What readings refuse, and where they are wrong: the table of what works with what is made of it.

A refusal that falls makes a test fail until its entry is taken out here; none may be added without a reason that a
user would understand. Entries are by reading, then by joint or element.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """reason: in the words of the documentation.   says: what the error says, a regular expression."""

    reason: str
    says: str


NUMPY_ONLY = Refusal(
    "Runs in NumPy: the compiled scheme has no rates of rolling discs and own constraints.",
    "ran in NumPy, not in compiled code.*the rates of .* have no compiled form",
)
ON_THE_WAY = Refusal(
    "Where a mechanism with conditions on velocities comes to rest depends on the way it takes: no energy decides it.",
    "has conditions on velocities",
)
LIGHT = Refusal(
    "The stream is a body without mass, and momenta say nothing of a motion without inertia.",
    "has a motion without inertia",
)

CONDITIONS = ("stream", "gear", "rack", "coupler", "drive by rate", "drive by position", "rolling disc", "knife edge",
              "own constraint", "own velocity constraint")  # fmt: skip

REFUSED: dict[str, dict[str, Refusal]] = {
    "PHMPGGL compiled": dict.fromkeys(("rolling disc", "own constraint"), NUMPY_ONLY),
    "Kane's momenta": {"stream": LIGHT},
    "equilibrium": dict.fromkeys(("rolling disc", "knife edge", "own velocity constraint"), ON_THE_WAY),
}

GOES_ON = "A run goes on to rounding only: what Newton's method of a box starts with in the next step is in no state."

WRONG: dict[str, dict[str, str]] = {
    "continuation": dict.fromkeys(
        (
            "box between two points",
            "box with a state between two points",
            "box on twists of bodies",
            "box on the spin of a ball",
        ),
        GOES_ON,
    ),
}

TOGETHER: dict[tuple[str, str], dict[str, str]] = {}  # what a reading of a pair says, that says it of neither part
