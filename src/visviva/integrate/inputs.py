"""Inputs of a run: constants or functions of time, by port name, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError, VisvivaError
from visviva.model import Model

Input = ArrayLike | Callable[[float], ArrayLike]


class BadInput(VisvivaError):
    """An input function returned something that is no finite vector of the port's width."""


def input_function(model: Model, inputs: Mapping[str, Input] | None) -> Callable[[float], Array]:
    """u(t) for all ports in order. Ports that are not given are zero; a name that is no port is an error."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ModelError(f"inputs are given by port name, e.g. inputs={{'motor': 0.1}}, got {type(inputs).__name__}.")
    given = {_name_of(port): value for port, value in (inputs or {}).items()}
    unknown = [name for name in given if name not in model.port_columns]
    if unknown:
        ports = ", ".join(model.port_columns) or "none; add one with m.torque(...) or m.wrench(...)"
        raise ModelError(f"inputs name {', '.join(map(repr, unknown))}, but the ports of {model.name!r} are: {ports}.")
    widths = {port.name: port.width for port in model.ports}
    constants = {name: _constant(value, widths[name], name) for name, value in given.items() if not callable(value)}

    def u(t: float) -> Array:
        values = np.zeros(sum(widths.values()))
        for name, at in model.port_columns.items():
            if name in constants:
                values[at] = constants[name]
            elif name in given:
                values[at] = _called(given[name], t, widths[name], name)
        return values

    return u


def _name_of(port: object) -> str:
    """Ports may be named by their handles as well."""
    return str(getattr(port, "name", port))


def _called(function: Any, t: float, width: int, name: str) -> Array:
    try:
        value = function(t)
    except Exception as error:
        raise BadInput(f"the input of port {name!r} raised {type(error).__name__} at t = {t:g} s: {error}.") from error
    return _vector(value, width, f"{name!r}, at t = {t:g} s,")


def _constant(value: ArrayLike, width: int, name: str) -> Array:
    try:
        return _vector(value, width, repr(name))
    except BadInput as error:
        raise ModelError(str(error)) from None


def _vector(value: ArrayLike, width: int, name: str) -> Array:
    try:
        vector = np.asarray(value, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (width,) or not np.isfinite(vector).all():
        numbers = "one finite number" if width == 1 else f"{width} finite numbers"
        raise BadInput(f"the input of port {name} must be {numbers}, got {value!r}.")
    return vector
