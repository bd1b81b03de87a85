"""Rows of a step in the user's names."""

from __future__ import annotations

from visviva.model import Model


def row_name(model: Model, row: int) -> str:
    """To which joint, body or junction an algebraic row belongs."""
    name, kind = model.kinds[row]
    body = name.removesuffix(".directors")
    return f"orientation of body {body!r}" if body != name else f"{kind} row of {name!r}"


def unknown_name(model: Model, row: int) -> str:
    """To which variable, joint or junction a row of a step belongs, counted as in z."""
    if row >= model.layout.dim:
        return row_name(model, row - model.layout.dim)
    name = next(name for name, at in model.layout.z.items() if at.start <= row < at.stop)
    return f"variable {name!r}"
