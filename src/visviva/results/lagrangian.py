"""Quantities of Lagrangian systems: coordinates, velocities, momenta and multipliers by name."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.model.motion import AbstractMotion
from visviva.model.tangent import tangent_velocities
from visviva.results.reader import Reader, column

if TYPE_CHECKING:
    from visviva.results.run import Run


def lagrangian_quantities(run: Run) -> dict[str, Reader]:
    """q, v, p and each coordinate with its rate; lam at the nodes and lam_mid of the steps, also by constraint."""
    model, system = run.model, _Readings(run)
    table = {"q": Reader(lambda: system.q), "v": Reader(lambda: system.v), "p": Reader(lambda: system.p)}
    for k, name in enumerate(model.coordinates):
        table[name] = Reader(partial(_entry, system, "q", k))
        table[f"{name}.rate"] = Reader(partial(_entry, system, "v", k))
    for part in model.constraints:
        rows = slice(
            *(end - model.layout.dim for end in (model.layout.z[part.name].start, model.layout.z[part.name].stop))
        )
        table[f"{part.name}.lam"] = Reader(partial(_rows, system, rows))
        table[f"{part.name}.lam_mid"] = Reader(partial(column, run.record.w_mid, rows))
    if model.constraints:
        table["lam"] = Reader(lambda: system.lam)
        table["lam_mid"] = Reader(lambda: run.record.w_mid)
    return table


@final
class _Readings:
    """Read from the record when they are asked for."""

    def __init__(self, run: Run) -> None:
        self.model = run.model
        self.record = run.record

    @property
    def q(self) -> Array:
        return self.record.x[:, self.model.layout.x["q"]]

    @cached_property
    def v(self) -> Array:
        """Velocities, projected on the constraints in the metric of kinetic energy, as those of mechanisms are."""
        x = self.record.x
        return tangent_velocities(self.model, x) if self.model.constraints else x[:, self.model.layout.x["v"]]

    @cached_property
    def p(self) -> Array:
        """∂L/∂v at the velocities that the scheme has."""
        part, x = self.model.kinetic["v"], self.record.x
        if isinstance(part, AbstractMotion):
            return part.momentum(x[:, self.model.layout.read(part.reads)])
        return apply(part.M, x[:, self.model.layout.x["v"]])

    @cached_property
    def lam(self) -> Array:
        """Multipliers of the index-1 form at the nodes."""
        solved = [self.model.accelerations(*node).w for node in zip(self.record.x, self.v, self.record.u, strict=True)]
        return np.array(solved)


def _entry(system: _Readings, what: str, k: int) -> Array:
    return np.asarray(getattr(system, what)[:, k])


def _rows(system: _Readings, rows: slice) -> Array:
    return column(system.lam, rows)
