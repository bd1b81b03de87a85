"""The same model under other names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from visviva.model.closure import Closure
from visviva.model.feedback import Feedback
from visviva.model.layout import Junction, Reservoir, Variable
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractStructure
from visviva.model.turn import Turn

if TYPE_CHECKING:
    from visviva.model.model import Model

Rename = Callable[[str], str]
NAMES = ("name", "variable", "position", "sink", "port")  # fields that hold one name
LISTS = ("reads", "acts", "feels")  # fields that hold several
NAMED = (AbstractStorage, AbstractStructure, Variable, Junction, Reservoir, Turn, Feedback, Closure)


def renamed_part(part: Any, rename: Rename) -> Any:
    """A part of a model, and what is in it, with other names of variables, junctions, rows and ports."""
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name in NAMES:
            changed[field.name] = rename(value)
        elif field.name in LISTS:
            changed[field.name] = tuple(map(rename, value))
        elif isinstance(value, NAMED):
            changed[field.name] = renamed_part(value, rename)
        elif isinstance(value, tuple) and any(isinstance(one, NAMED) for one in value):
            changed[field.name] = tuple(renamed_part(one, rename) for one in value)
    return dataclasses.replace(part, **changed)


def prefixed(model: Model, prefix: str) -> Model:
    """A model whose names all begin with `<prefix>.`; it has no mechanism any more, whose names those would not be."""

    def rename(name: str) -> str:
        return f"{prefix}.{name}"

    groups = ("variables", "storages", "structures", "junctions", "reservoirs", "turns", "feedback", "closures")
    parts: dict[str, Any] = {
        group: tuple(renamed_part(part, rename) for part in getattr(model, group)) for group in groups
    }
    start = {rename(name): value for name, value in model.start.items()}
    laws = {rename(name): law for name, law in model.laws.items()}
    return dataclasses.replace(model, **parts, start=start, laws=laws, definition=None, form="", coordinates=())
