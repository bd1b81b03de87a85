"""Parts of a mechanism that only its Model has, and other readings of it do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism


def refuse_unwritten(m: Mechanism, what: str) -> None:
    """An error that names the first motor, end stop, thermal node or law of friction; what: the reading without it."""
    found = [f"motor {part.name!r}" for part in m.motors] + [f"stop {part.name!r}" for part in m.stops]
    found += [f"the law of friction of joint {part.name!r}" for part in m.joints if part.laws]
    found += [f"thermal node {part.name!r}" for part in m.thermals]
    if found:
        raise ModelError(
            f"{found[0]} of mechanism {m.name!r} has no form in {what}; viscous friction, springs and ports have.\n"
            "Simulate the mechanism itself, or compose it with components of visviva.library."
        )
