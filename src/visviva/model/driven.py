"""Inputs that drive constraints: what they add to the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply

if TYPE_CHECKING:
    from visviva.model.model import Model


def row_inputs(model: Model, x: Array, u: Array | None) -> Array:
    """B(x) u on the rows of constraints, in the order of their multipliers, (..., rows); zero without inputs."""
    names, total = {part.name for part in model.constraints}, np.zeros((*np.shape(x)[:-1], model.layout.total))
    for port in model.ports:
        if u is not None and names & set(port.acts):
            B = port.B(model.local(port, x)[0])
            total[..., model.acts(port)] += apply(B, u[..., model.port_columns[port.name]])
    first = model.layout.solved - sum(part.rows for part in model.constraints)
    return total[..., first : model.layout.solved]
