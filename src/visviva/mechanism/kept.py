"""What a mechanism keeps of itself, so that it is not made again: its states by name, prepared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from visviva.mechanism.builder import Part
    from visviva.mechanism.mechanism import Mechanism
    from visviva.mechanism.states import States


@final
class Kept:
    """Prepared as long as a mechanism has the same parts; its copies share it, files do not hold it."""

    def __init__(self) -> None:
        self._of: tuple[list[Part], States] | None = None

    def states(self, m: Mechanism) -> States:
        """The states of a mechanism by name."""
        from visviva.mechanism.states import States

        parts = list(m.parts.values())
        if self._of is None or self._of[0] != parts:
            self._of = parts, States(m.snapshot())
        return self._of[1]

    def __reduce__(self) -> Any:
        return Kept, ()
