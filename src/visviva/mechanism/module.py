"""The handle of a module: parts that `m.include(...)` has put into a mechanism, by their names in the module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from visviva._suggestions import hint_of
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism


@final
@dataclass(frozen=True)
class Module:
    """Parts of a mechanism under a prefix: left["hinge"], or left.hinge, is m["left.hinge"].

    `left.ground` is the frame that the module's ground has become; modules of a module are modules, `arm.left`.
    """

    mechanism: Mechanism
    name: str

    @property
    def names(self) -> list[str]:
        """Of its parts, and of its modules, as the module calls them."""
        start = f"{self.name}."
        known = [*self.mechanism.parts, *self.mechanism.inclusions]
        return [name.removeprefix(start) for name in known if name.startswith(start)]

    def __getitem__(self, name: str) -> Any:
        full = f"{self.name}.{name}"
        if full in self.mechanism.inclusions:
            return Module(self.mechanism, full)
        if full not in self.mechanism.parts:
            raise unknown_name(name, self.names, f"module {self.name!r} of mechanism {self.mechanism.name!r}")
        return self.mechanism.parts[full]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self.names:
            known = [] if name.startswith("__") else self.names
            raise AttributeError(f"a module has no attribute {name!r}. {hint_of(name, known)}")
        return self[name]

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *(name for name in self.names if name.isidentifier())]

    def __repr__(self) -> str:
        return f"<module {self.name!r} of mechanism {self.mechanism.name!r}: {', '.join(self.names)}>"
