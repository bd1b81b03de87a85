"""What acts along coordinates of joints, at the ports of their rates: springs, end stops, couplings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language import AbstractSystem, Composite, Reversible, Storage, compose, environment, reversible, storage
from visviva.language.quantity import StatePort
from visviva.library.multibody.friction import ENTROPY, stop_loss, viscous
from visviva.library.multibody.parameters import taking
from visviva.library.multibody.spatial import coupling
from visviva.library.quantities import angle, momentum_along
from visviva.library.quantities import angular_momentum as turning

NO_STATES: Mapping[str, StatePort] = MappingProxyType({})


def coordinate_spring(
    units: Sequence[str],
    *,
    energy: Storage | None = None,
    damping: Array | None = None,
    theta0: float | None = 300.0,
) -> Composite:
    """Energy U(y) and damping D ẏ of coordinates y of one or several joints; boxes pe, pkc, mf and env.

        y_dot = u,   force at the ports r1, r2, …: dU(y) + D u

    units:   of the coordinates, "rad" or "m"; their rates u are the efforts of the outer ports r1, r2, ….
    energy:  a storage with one port, "angle" or "y"; angles are continuous over many turns, other than rotations.
    damping: D ⪰ 0, (k, k).   theta0: temperature of what takes the heat [K]; None shows the outer port s instead.
    """
    rates = {f"r{k + 1}": momentum_along(unit) for k, unit in enumerate(units)}
    boxes: dict[str, AbstractSystem] = {}
    junctions: dict[str, list[str]] = {port: [] for port in rates}
    if energy is not None:
        ((port, y),) = energy.interface.items()
        boxes |= {"pe": energy, "pkc": reversible({port: y.quantity, **rates}, J=coupling(len(rates)))}
        junctions[port] = [f"pe.{port}", f"pkc.{port}"]
    if damping is not None:
        boxes["mf"] = viscous(rates, damping)
        junctions["s"] = ["mf.s"]
    for rate in rates:
        junctions[rate] += [f"{box}.{rate}" for box in ("pkc", "mf") if box in boxes]
    return _composed("spring", boxes, junctions, tuple(rates), theta0)


def coordinate_stop(unit: str, energy: Storage, loss: float = 0.0, theta0: float | None = 300.0) -> Composite:
    """End stops of a coordinate y of a joint: energy U(y), and loss in the contact; boxes pe, pkc, mf and env.

    energy: a storage with the port y.   loss: β [s/rad, s/m], 0 for none, see `library.stops.stop_resistance`.
    Outer port r, whose effort is the rate of y.   theta0: as of a `coordinate_spring`.
    """
    y, rate = energy.interface["y"].quantity, momentum_along(unit)
    boxes: dict[str, AbstractSystem] = {"pe": energy, "pkc": reversible({"y": y, "r": rate}, J=coupling(1))}
    junctions = {"y": ["pe.y", "pkc.y"], "r": ["pkc.r"]}
    if loss:
        boxes["mf"] = stop_loss(y, rate, loss)
        junctions = {port: [*ends, f"mf.{port}"] for port, ends in junctions.items()} | {"s": ["mf.s"]}
    return _composed("stop", boxes, junctions, ("r",), theta0)


def rate_coupling(
    units: Sequence[str], coefficients: Sequence[float], states: Mapping[str, StatePort] = NO_STATES
) -> Reversible:
    """Σ c_k u_k = 0 of the rates u at the ports r1, r2, …: gears, racks, differentials.

    units: of the coordinates, "rad" or "m".   states: further ports, which it does not depend on: for its closure.
    """
    if len(units) != len(coefficients) or not units:
        raise ModelError(
            f"a coupling of {len(units)} rates has {len(coefficients)} coefficients: give one for each of one or more."
        )
    ports = {f"r{k + 1}": momentum_along(unit) for k, unit in enumerate(units)}
    values: dict[str, Any] = {f"c{k + 1}": float(c) for k, c in enumerate(coefficients)}

    def C(given: dict[str, Any]) -> Any:
        return np.array([[given[name] for name in values]], dtype=object)

    return reversible({**ports, **states}, C=taking(values, C), **values)


def turn_counter() -> Composite:
    """An angle that follows a rate over many turns; boxes pe and pkc, outer ports r (the rate) and angle."""
    boxes = {"pe": storage({"angle": angle}, H=0.0), "pkc": reversible({"angle": angle, "r": turning}, J=coupling(1))}
    return compose("turn", boxes, {"angle": ("pe.angle", "pkc.angle"), "r": ("pkc.r",)}, outer=("r", "angle"))


def _composed(
    name: str,
    boxes: dict[str, AbstractSystem],
    junctions: dict[str, list[str]],
    rates: tuple[str, ...],
    theta0: float | None,
) -> Composite:
    """With an environment for the heat, or the port s."""
    if "s" not in junctions:
        return compose(name, boxes, junctions, outer=rates)
    if theta0 is None:
        return compose(name, boxes, junctions, outer=(*rates, "s"))
    boxes = boxes | {"env": environment({"s": ENTROPY}, theta0)}
    return compose(name, boxes, junctions | {"s": [*junctions["s"], "env.s"]}, outer=rates)
