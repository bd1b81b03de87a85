"""Rows of a step in the user's names."""

from __future__ import annotations

from visviva.model import Model


def row_name(model: Model, row: int) -> str:
    """To which joint, body or junction an algebraic row belongs."""
    name, kind = model.kinds[row]
    body = name.removesuffix(".directors")
    return f"orientation of body {body!r}" if body != name else f"{kind} row of {name!r}"
