"""Energy laws of all kinds of storages, also of those that were not traced."""

from __future__ import annotations

from functools import cache

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.compiler.laws import EnergyLaw, canonical, energy_law, symbols
from visviva.language.trace import expressions, traced_array
from visviva.model.law import LawEnergy
from visviva.model.storage import AbstractStorage, Energy, Kinetic, Linear, QuadraticEnergy


def energy_law_of(storage: AbstractStorage, size: int) -> tuple[EnergyLaw, Array]:
    """The law of a storage and its parameters. A velocity has the law ½ v·v, since its effort is v itself."""
    match storage:
        case LawEnergy(law=EnergyLaw() as law):
            return law, storage.parameters
        case Kinetic():
            return _square(size), np.zeros(0)
        case Linear():
            return _weight(size), storage.c
        case QuadraticEnergy():
            return _quadratic(size), 0.5 * (storage.K + storage.K.T).ravel()
        case Energy():
            return _traced(storage, size)
    raise NotCompilable(f"{storage.name!r} is of the kind {type(storage).__name__}, which has no expression")


@cache
def _square(n: int) -> EnergyLaw:
    return energy_law(sum(x**2 for x in symbols("x", n)) / 2, n, 0)


@cache
def _weight(n: int) -> EnergyLaw:
    return energy_law(sum(p * x for p, x in zip(symbols("p", n), symbols("x", n), strict=True)), n, n)


@cache
def _quadratic(n: int) -> EnergyLaw:
    x, K = np.array(symbols("x", n), dtype=object), np.array(symbols("p", n * n), dtype=object).reshape(n, n)
    return energy_law(x @ K @ x / 2, n, n * n)


def _traced(storage: Energy, size: int) -> tuple[EnergyLaw, Array]:
    q = traced_array(symbols("x", size))
    try:
        value = expressions(storage.energy(q), f"the energy of {storage.name!r}").item()
    except Exception as reason:
        raise NotCompilable(f"the energy of {storage.name!r} cannot be traced: {reason}") from None
    (value,), numbers = canonical([value], {"x": []}, [])
    return energy_law(value, size, len(numbers), False), np.array(numbers)
