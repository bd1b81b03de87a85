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
NO_ACROSS = Refusal(
    "Composites have springs along coordinates of one joint; across several there is no box.",
    "springs across several joints",
)
NO_PORTS = Refusal(
    "An interconnection by ports is one of joints: other conditions have no form in it.",
    "has constraints beyond its joints.*\n.*an interconnection by ports",
)
NO_CONDITION = Refusal(
    "Composites have joints and screws; other conditions have no box there.",
    "has constraints beyond its joints.*\n.*the language of composites",
)
NO_BOX = Refusal(
    "There is no box for motors, end stops, thermal nodes and laws of friction in a composite of a mechanism; viscous "
    "friction, springs and ports have one.",
    "has no form in the language; viscous friction, springs and ports have",
)
NO_MOMENTUM = Refusal(
    "Kinetic energy is a function of momentum in a composite, which a body without a moment about an axis has not.",
    "has a principal moment of zero",
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
    "interconnection": dict.fromkeys(CONDITIONS, NO_PORTS),
    "composite": dict.fromkeys(CONDITIONS, NO_CONDITION)
    | dict.fromkeys(("end stop", "friction law", "friction that heats", "motor"), NO_BOX)
    | {"thin rod": NO_MOMENTUM, "spring across joints": NO_ACROSS},
}

WRONG: dict[str, dict[str, str]] = {}

TOGETHER: dict[tuple[str, str], dict[str, str]] = {  # what a reading of a pair says, that says it of neither part
    ("fixed", "knife edge"): {"symbols": "wrong"},  # between welded bodies the row of a blade is redundant
    ("rzeppa", "friction matrix"): {"composite": "refused"},  # a tie has no port for its angular velocity
    ("rzeppa", "friction matrix of a ball"): {"composite": "refused"},
    ("rzeppa", "viscous friction"): {"composite": "refused"},
    ("spherical", "viscous friction"): {"composite": "refused"},  # the friction of a ball is a law, viscous or not
    ("screw", "redundant joint"): {"composite": "refused"},  # no form of a redundant screw stays closed there
}
