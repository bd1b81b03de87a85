"""Powers through the ports of every component, step by step, recomputed from the record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import UntoldError
from visviva.geometry.linear import apply, transpose
from visviva.model import Model
from visviva.model.conditioned import DrivePort
from visviva.model.motion import AbstractMotion
from visviva.model.structure import (
    AbstractConstraint,
    AbstractDissipation,
    AbstractPort,
    AbstractRouting,
    AbstractStructure,
)
from visviva.results.record import Record
from visviva.results.rounding import ROUNDINGS
from visviva.results.stabilisation import Stabilised

BALANCE = 1e-9  # what may be missing where powers meet, relative to the largest power of the run


@final
@dataclass(frozen=True, eq=False)
class PortPower:
    """What flows into a component through one port in the steps of a run.

    P = e·f with the efforts of the step, which for entropy are θ - θ0: this is exergy. The energy is θ0 ṡ more.
    """

    exergy: Array  # (N,) [W]
    entropy: Array  # (N,) ṡ [W/K]
    theta0: float

    @property
    def energy(self) -> Array:
        """Power of energy, with the absolute temperature as the effort of entropy [W]."""
        return self.exergy + self.theta0 * self.entropy

    def __add__(self, other: PortPower) -> PortPower:
        return PortPower(self.exergy + other.exergy, self.entropy + other.entropy, self.theta0)


Powers = dict[tuple[str, str], PortPower]  # by component and the junction where its port is


def port_powers(model: Model, record: Record, scheme: str, *, stabilised: bool) -> Powers:
    """The powers of all ports in the last step of every interval; parts of one name add up.

    They follow from the efforts of the step, z = mean_z(x0, x1, w), at the mean of both states, exactly as one step
    of a midpoint scheme does it. Where powers meet they must cancel; a scheme whose steps are made otherwise fails
    that, and its powers are refused rather than guessed.

    stabilised: whether the scheme has multipliers of the velocity level.
    """
    z = step_efforts(model, record, stabilised=stabilised)
    ends, nothing = (record.x_before, record.x[1:]), np.zeros(record.steps)
    found = list(_storages(model, record))
    if stabilised:
        step = Stabilised(model, record)
        found += [(name, at, PortPower(power, nothing, model.theta0)) for name, at, power in step.powers()]
    found += _structures(model, ends, z, record.u_mid)
    powers: Powers = {}
    for component, at, power in found:
        powers[component, at] = powers[component, at] + power if (component, at) in powers else power
    _check_balance(model, record, powers, scheme)
    for reservoir in model.reservoirs:  # it takes what the others leave there, at effort zero
        entropy = -sum((power.entropy for (_, at), power in powers.items() if at == reservoir.name), nothing)
        powers[reservoir.name, reservoir.name] = PortPower(nothing, entropy, model.theta0)
    return powers


def step_efforts(model: Model, record: Record, *, stabilised: bool) -> Array:
    """z of the last step of every interval, (N, total): velocities are those on which its forces do their work."""
    z = model.mean_z(record.x_before, record.x[1:], record.w_mid)
    return Stabilised(model, record).efforts(z) if stabilised else z


def input_name(model: Model, port: AbstractPort) -> str:
    """The name of an input among the components, also where a component has the same name.

    What drives a constraint is one with it.
    """
    if isinstance(port, DrivePort) or (port.name in model.sources and model.sources[port.name].name == port.name):
        return port.name
    others = {part.name for part in model.storages}
    others |= {part.name for part in model.structures if not isinstance(part, AbstractPort)}
    return f"{port.name} (input)" if port.name in others else port.name


def entropy_names(model: Model) -> set[str]:
    """Variables, junctions and reservoirs whose quantity is entropy."""
    names = {variable.name for variable in model.variables if variable.entropy}
    names |= {junction.name for junction in model.junctions if junction.entropy}
    return names | {reservoir.name for reservoir in model.reservoirs if reservoir.entropy}


def _storages(model: Model, record: Record) -> Iterator[tuple[str, str, PortPower]]:
    """ΔH/h of every storage, and Δs/h where it stores entropy."""
    hot = entropy_names(model)
    for part in model.storages:
        at = model.layout.place(part.reads)
        q0, q1 = record.x_before[:, at], record.x[1:, at]
        entropy = (q1 - q0).sum(-1) / record.h if part.variable in hot else np.zeros(record.steps)
        power = part.change(q0, q1)[0] / record.h
        if isinstance(part, AbstractMotion):  # what its dependence on the position takes, flows in there
            D_q = part.efforts(q0, q1)[0]
            share = (D_q * (q1 - q0)[:, : D_q.shape[-1]]).sum(-1) / record.h
            yield part.name, part.position, PortPower(share, entropy, model.theta0)
            power = power - share
        yield part.name, part.variable, PortPower(power, entropy, model.theta0)


def _structures(model: Model, ends: tuple[Array, Array], z: Array, u: Array) -> Iterator[tuple[str, str, PortPower]]:
    """-e·f of what each structure adds to the flows at each junction it acts on."""
    hot = entropy_names(model)
    for part in model.structures:
        names, flow = _flow(model, part, ends, z, u)
        component = input_name(model, part) if isinstance(part, AbstractPort) else part.name
        first = 0
        for name in names:
            at = model.layout.z[name]
            f = -flow[..., first : first + at.stop - at.start]
            first += at.stop - at.start
            entropy = f.sum(-1) if name in hot else np.zeros(len(z))
            yield component, name, PortPower((z[..., at] * f).sum(-1), entropy, model.theta0)


def _flow(
    model: Model, part: AbstractStructure, ends: tuple[Array, Array], z: Array, u: Array
) -> tuple[tuple[str, ...], Array]:
    """The contribution of one structure to (J - R) z + B u, with the names of the junctions where it enters."""
    q, e = model.local(part, 0.5 * (ends[0] + ends[1]), z, ends)
    if isinstance(part, AbstractRouting):
        return part.acts, apply(part.J(q), e)
    if isinstance(part, AbstractDissipation):
        return part.acts, -apply(part.R(q, e), e)
    if isinstance(part, AbstractPort):
        return part.acts, np.broadcast_to(apply(part.B(q), u[..., model.port_columns[part.name]]), e.shape)
    assert isinstance(part, AbstractConstraint)
    C, lam = part.C(q), z[..., model.layout.z[part.name]]
    return (*part.acts, part.name), np.concatenate([-apply(transpose(C), lam), apply(C, e)], axis=-1)


def _check_balance(model: Model, record: Record, powers: Powers, scheme: str) -> None:
    """Storages, structures and inputs that meet at a junction exchange power and keep none."""
    held = {reservoir.name for reservoir in model.reservoirs}
    met: dict[str, Array] = {}
    for (_, junction), power in powers.items():
        if junction not in held:
            met[junction] = met.get(junction, 0.0) + power.exergy
    largest = max((float(np.abs(power.exergy).max(initial=0.0)) for power in powers.values()), default=0.0)
    rounding = ROUNDINGS * float((record.rounding / record.h).max(initial=0.0))
    for junction, missing in met.items():
        gap = float(np.abs(missing).max(initial=0.0))
        if gap > BALANCE * largest + rounding:
            raise UntoldError(
                f"the powers that meet at {junction!r} miss {gap:.2g} W of {largest:.2g} W: a step of {scheme} is no "
                "single\nmidpoint, so the powers inside it do not follow from its ends. Heat, work and energies "
                "(heat.*, *.work,\nenergy.*) are exact all the same; for powers of ports integrate with vv.PHMP() or "
                "vv.DiscreteGradient()."
            )
