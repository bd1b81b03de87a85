"""Renaming ports: the same system under other names."""

from __future__ import annotations

from dataclasses import replace

from visviva.errors import ModelError
from visviva.language.composite import Composite
from visviva.language.system import AbstractSystem, Renamed


def renamed(system: AbstractSystem, names: dict[str, str]) -> AbstractSystem:
    """The same system with other port names, e.g. renamed(body, {"p": "p1"})."""
    unknown = [name for name in names if name not in system.interface]
    if unknown:
        raise ModelError(f"there is no port {unknown[0]!r} to rename; the ports are {', '.join(system.interface)}.")
    new = [names.get(name, name) for name in system.interface]
    wrong = [name for name in new if not isinstance(name, str) or not name.isidentifier()]
    if wrong:
        raise ModelError(f"the port name {wrong[0]!r} is no identifier: use letters, digits and underscores.")
    if len(set(new)) < len(new):
        raise ModelError(f"renaming gives two ports one name: {', '.join(new)}.")
    old = dict(zip(new, system.interface, strict=True))
    if isinstance(system, Composite):
        return replace(system, outer={port: system.outer[behind] for port, behind in old.items()})
    return Renamed(system, old)
