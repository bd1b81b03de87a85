"""What is made of a mechanism once and kept with it: models, states by name, simulators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism


@final
class Kept:
    """What others have made of a mechanism as it is, by keys of theirs; its copies share it, files do not hold it."""

    def __init__(self) -> None:
        self._of: tuple[object, dict[Any, Any]] = (None, {})

    def of(self, m: Mechanism) -> dict[Any, Any]:
        """That of a mechanism with the parts it has now: what was made of it before it grew is forgotten."""
        revision = _revision(m)
        if self._of[0] != revision:
            self._of = (revision, {})
        return self._of[1]

    def share(self, m: Mechanism, made: dict[Any, Any]) -> None:
        """Let a mechanism as it is now have what was made of another one, as long as it does not grow."""
        self._of = (_revision(m), made)

    def __reduce__(self) -> Any:
        return Kept, ()


def _revision(m: Mechanism) -> object:
    looks = tuple((name, id(shapes)) for name, shapes in m.shapes.items())
    parts = tuple(map(id, m.parts.values()))  # they never change, and what is made of them holds them alive
    return m.name, m.theta0, m.gravity.tobytes(), parts, looks
