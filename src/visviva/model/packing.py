"""Packing: one state from values by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.embedding import Flat

if TYPE_CHECKING:
    from visviva.model.layout import Variable
    from visviva.model.model import Model


def pack(model: Model, values: Mapping[str, ArrayLike]) -> Array:
    """One x from values by variable name, in embedding coordinates.

    Variables that are measured may be left out: they follow from the configuration.
    """
    x = _flat(model, values)
    if x is not None:
        return x
    x = np.zeros(model.layout.size)
    for variable in model.variables:
        if variable.name in values:
            x[model.layout.x[variable.name]] = _point(variable, values[variable.name])
        elif variable.name not in model.measured:
            raise ModelError(f"model {model.name!r} needs a value for its variable {variable.name!r}.")
    for name in values:
        if name not in model.layout.x:
            known = ", ".join(model.layout.x)
            raise ModelError(f"model {model.name!r} has no variable {name!r}; it has {known}.")
    for name, part in model.measured.items():
        if name not in values:
            x[model.layout.x[name]] = part.value(x[model.layout.read(part.reads)])
    return x


def _flat(model: Model, values: Mapping[str, ArrayLike]) -> Array | None:
    """The same at once, where all values are there as finite arrays of flat spaces; None: look at them one by one."""
    parts = []
    for variable in model.variables if len(values) == len(model.variables) else ():
        value = values.get(variable.name)
        fits = type(value) is np.ndarray and value.dtype == np.float64 and value.shape == (variable.space.size,)
        if not fits or not isinstance(variable.space, Flat):
            return None
        parts.append(value)
    x = np.concatenate(parts) if parts else None
    return x if x is not None and np.isfinite(x).all() else None


def _point(variable: Variable, value: ArrayLike) -> Array:
    what = f"value of {variable.name!r}"
    q = np.atleast_1d(finite_array(value, what))
    if q.shape != (variable.space.size,):
        raise ModelError(f"{what} must have shape ({variable.space.size},), got {q.shape}.")
    if variable.space.defect(q) > 1e-9:
        raise ModelError(
            f"{what} is no rotation: |RᵀR - I| = {variable.space.defect(q):.3g}.\n"
            "Project it first, e.g. with visviva.geometry.SO3.nearest(R)."
        )
    return q
