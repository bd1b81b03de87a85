"""Names of a file as names of parts: kept wherever a mechanism can have them."""

from __future__ import annotations

from typing import final

from visviva.mechanism.names import RESERVED

MARKS = str.maketrans(dict.fromkeys(".*?[]", "_"))


@final
class PartNames:
    """Names that are given to parts, each once.

    Characters . * ? [ ] become "_". A name that is reserved for results, or taken, gets what it is behind it: a joint
    `arm` beside a link `arm` is `arm_joint`; then a number.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self.changed: dict[str, str] = {}

    def new(self, name: str, kind: str) -> str:
        """The name of a part that the file calls `name`.   kind: "link", "joint", …"""
        plain = name.translate(MARKS).strip()
        found, number = plain, 1
        if found in RESERVED or found in self._taken:
            found = f"{plain}_{kind}"
        while found in self._taken:
            number += 1
            found = f"{plain}_{kind}_{number}"
        self._taken.add(found)
        if found != name:
            self.changed[f"{kind} {name!r}"] = found
        return found

    def added(self, name: str) -> str:
        """The name of a part that the file does not have; it is new, so that none of the file changed."""
        found, number = name, 1
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found
