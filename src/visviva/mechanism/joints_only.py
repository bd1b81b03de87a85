"""What has a form for joints alone, and not for other conditions, says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.errors import ModelError
from visviva.mechanism.builder import kind_of

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism


def check_joints_only(m: Mechanism, what: str) -> None:
    """An error that names what constrains a mechanism beyond its joints; a screw is a joint with its lead."""
    own = {name for joint in m.joints for name in joint.sum_names}
    others = [part for part in m.conditions if part.name not in own]
    if others:
        names = ", ".join(f"{kind_of(part)} {part.name!r}" for part in others)
        raise ModelError(
            f"mechanism {m.name!r} has constraints beyond its joints: {names}.\n"
            f"They have no form in {what}: build the mechanism without them for that, or simulate it as it is."
        )
