"""Efforts that are given over a step: what they count by, so that states have them at both of its ends.

A step of discrete gradients knows the mean effort between its ends, ē = ΔH/Δx. Where a source holds a storage at u(t),
the states at the ends follow from what is given, H'(x0) = u0 and H'(x1) = u1, and so does that mean: it is the input of
the step. Of quadratic energies it is ½ (u0 + u1); of a heat capacity the logarithmic mean of both temperatures.
"""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.model import Model
from visviva.model.law import LawEnergy
from visviva.model.storage import AbstractStorage, Kinetic, Linear, QuadraticEnergy
from visviva.model.structure import Rows

NEAREST, WIDER, FURTHEST = 1e-9, 16.0, 1e18  # distances from the origin at which a state is sought


@final
class MeanEffort:
    """The mean effort of a step between two efforts, by the energy of one variable that has them; it grows with it.

    missed: whether an effort was asked for that no state has, as far as one was found from the origin.
    """

    def __init__(self, storage: AbstractStorage) -> None:
        self.storage = storage
        self.missed = False
        self._last: tuple[float, float | None] = np.nan, None

    def __call__(self, first: Array, last: Array) -> Array:
        """Between both ends of a step, (1,) each; half of their sum where no state has one of them."""
        if first[0] == last[0]:
            return first
        effort, x = self._last  # of the step before, in most cases; runs in several threads may share it
        x0 = x if effort == first[0] else self._state(float(first[0]))
        x1 = self._state(float(last[0]))
        self._last = float(last[0]), x1
        if x0 is None or x1 is None:
            self.missed = True
            return 0.5 * (first + last)
        return np.asarray(self.storage.mean_effort(np.array([x0]), np.array([x1])), dtype=np.float64)

    def _state(self, effort: float) -> float | None:
        """The state with an effort, sought from the origin: it depends on nothing else, so that runs go on alike."""
        from scipy.optimize import brentq

        def gap(x: float) -> float:
            with np.errstate(all="ignore"):
                return float(self.storage.dH(np.array([x]))[0]) - effort

        here, x = gap(0.0), 0.0
        if not np.isfinite(here):
            return None
        away = NEAREST * -np.sign(here)
        while here and abs(away) < FURTHEST:
            there = gap(away)
            if np.isnan(there):
                return None
            if there * here <= 0.0:
                found: float = brentq(gap, x, away, xtol=1e-300, rtol=4 * np.finfo(float).eps, maxiter=200)
                return found
            x, away = away, WIDER * away
        return None if here else 0.0


def mean_efforts(model: Model) -> dict[str, MeanEffort]:
    """By source, where it holds one number whose energy is not quadratic."""
    found = {}
    ports = {port.name: port for port in model.ports}
    for name, rows in model.sources.items():
        storages = [part for part in model.storages if set(part.reads) & set(rows.acts)]
        plain = isinstance(rows, Rows) and not callable(rows.matrix) and ports[name].width == rows.rows == 1
        if not plain or len(storages) != 1 or len(rows.acts) != 1 or len(storages[0].reads) != 1:
            continue
        nothing = np.zeros(0)
        if (rows.C(nothing) == 1.0).all() and (ports[name].B(nothing) == -1.0).all() and not _is_quadratic(storages[0]):
            found[name] = MeanEffort(storages[0])
    return found


def alternating_sources(model: Model) -> dict[str, str]:
    """Sources that hold a storage at an effort whose mean over a step is not known, with a storage each."""
    known, found = mean_efforts(model), {}
    for name, rows in model.sources.items():
        curved = [part.name for part in model.storages if set(part.reads) & set(rows.acts) and not _is_quadratic(part)]
        if curved and name not in known:
            found[name] = curved[0]
    return found


def _is_quadratic(part: AbstractStorage) -> bool:
    if isinstance(part, LawEnergy):
        return bool(part.law.quadratic)
    return isinstance(part, Kinetic | Linear | QuadraticEnergy)
