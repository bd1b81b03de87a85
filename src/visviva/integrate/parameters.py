"""Parameters of a Simulator: other numbers of its mechanism, and a state that continues with them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, NoReturn, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.mechanism import initial_x
from visviva.errors import AssemblyError, ModelError
from visviva.geometry.turning import continued
from visviva.integrate.start import state_from
from visviva.language import Composite
from visviva.mechanism import Definition, Motion
from visviva.mechanism.assembly import count_turns
from visviva.mechanism.elements import Element
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parameters import Parameters, with_parameters
from visviva.mechanism.parts import Body, Motor
from visviva.mechanism.positions import close
from visviva.mechanism.same_geometry import same, same_geometry
from visviva.mechanism.thermal import Thermal
from visviva.model import Model, State

if TYPE_CHECKING:
    from visviva.integrate.simulator import Simulator


@final
class SimulatorParameters(MutableMapping[str, Any]):
    """The numbers of the mechanism of a simulator by name; to assign one is `sim.set_parameters`."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    @property
    def _now(self) -> Parameters:
        return Parameters(mechanism_of(self._simulator.model))

    def __getitem__(self, name: str) -> Any:
        return self._now[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._simulator.set_parameters({name: value})

    def __delitem__(self, name: str) -> NoReturn:
        raise ModelError(f"parameter {name!r} cannot be taken away: every part keeps its numbers. Give it another one.")

    def __contains__(self, name: object) -> bool:
        return name in self._now

    def get(self, name: str, default: Any = None) -> Any:
        """The number of a name, or a default where there is none."""
        return self._now.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._now)

    def __len__(self) -> int:
        return len(self._now)

    def __str__(self) -> str:
        return str(self._now)

    __repr__ = __str__


def mechanism_of(model: Model) -> Definition:
    """The definition of the mechanism of a model; an error where there is none."""
    if model.definition is None:
        raise ModelError(
            f"{model.name!r} has no parameters by name: those of a mechanism have. Build a composite or a Model with "
            "other\nnumbers by the function that builds it."
        )
    return model.definition


def changed(what: Definition | Composite | Model, values: Mapping[str, Any]) -> Definition:
    """A mechanism with other numbers; an error for anything else."""
    if isinstance(what, Definition):
        return with_parameters(what, values)
    raise ModelError(
        f"parameters= are numbers of a Mechanism by name, but {what.name!r} is a {type(what).__name__}: build it with "
        "other\nnumbers, or give the mechanism itself."
    )


def continued_state(state: State, old: Model, simulator: Simulator) -> tuple[State, list[str]]:
    """The state of a simulator with other numbers that continues one: body frames stay, and move as they do.

    Currents and temperatures stay as well. Bit for bit what is not touched by the numbers; where frames of bodies or
    joints are others, joints are closed by the least motion, and velocities are the nearest that they allow.
    """
    new, inputs = simulator.model, simulator._steps.inputs
    m, other = mechanism_of(old), mechanism_of(new)
    motion, unmoved, linkage = state.motion_of(m), same_geometry(m, other), Linkage(other)
    if not unmoved:
        motion = _moved(m, other, motion, state.t)
    count_turns(linkage, motion)
    driven = {part.name for part in linkage.conditions.owner if part.law is not None}
    owners = {name: name.rpartition(".")[0] for name in new.layout.x if name in state.places}
    x = initial_x(new, motion, inside=False)
    for name in (name for name, part in owners.items() if part in driven):
        x[new.layout.x[name]] = state.x[state.places[name]]
    angles = np.array([motion.angles[turn.name] for turn in new.turns])
    try:
        found, notes = state_from(new, linkage, x, dataclasses.replace(state, angles=angles), inputs)
    except AssemblyError as error:
        if unmoved or not driven:
            raise
        raise AssemblyError(
            f"numbers that move joints or centres of mass cannot change on the way where drives prescribe positions "
            f"({', '.join(sorted(driven))}): {error}\nStart with them: sim.with_parameters(...), then reset."
        ) from error
    for name in (name for name, part in owners.items() if unmoved and _means_the_same(m, other, part)):
        found.x[new.layout.x[name]] = state.x[state.places[name]]  # velocities as the scheme has them
    return dataclasses.replace(found, t0=state.t0, steps=state.steps, h=state.h), notes


def _means_the_same(m: Definition, other: Definition, part: str) -> bool:
    """Whether variables of a part have the same values at the same motion in both."""
    one, two = m.parts.get(part), other.parts.get(part)
    match one:
        case Element():
            return same(one, two, "R_W", "r_W", "parent_frame")
        case Motor():
            return same(one, two, "inductance")
        case Thermal():
            return same(one, two, "capacity", "temperature")
    return True


def _moved(m: Definition, other: Definition, motion: Motion, t: float) -> Motion:
    """The motion of the same body frames, closed where joints are elsewhere."""
    linkage = Linkage(other)
    q, V = ({part.name: _of_body(m.parts[part.name], part, motion)[k] for part in other.bodies} for k in (0, 1))
    count_turns(linkage, motion)
    at = close(linkage, np.concatenate(list(q.values())))
    speeds = [0.0 if part.law is None else part.law.rate(t) for part in linkage.conditions.owner]
    rows = np.append(np.zeros(linkage.kinematics.m), speeds)
    P = linkage.masses * np.concatenate(list(V.values()))
    rates = linkage.solve(at[None], P[None], rows[None])[0][0]
    places = list(zip(linkage.bodies, linkage.kinematics.places, linkage.kinematics.columns, strict=True))
    return Motion(
        {part.name: at[place] for part, place, _ in places},
        {part.name: rates[columns] for part, _, columns in places},
        _angles(linkage, at, motion.angles),
        motion.others,
    )


def _of_body(old: Any, new: Any, motion: Motion) -> tuple[Array, Array]:
    """Coordinates and (ω; v) of the principal frame of a body, from those that its old principal frame has."""
    q, V = motion.q[new.name], motion.V[new.name]
    if not isinstance(new, Body):
        return q, V
    R_WC = q[3:].reshape(3, 3).T
    R_WB = R_WC @ old.R_BC.T
    w, r = R_WC @ V[:3], q[:3] + R_WB @ (new.com - old.com)
    R_new = R_WB @ new.R_BC
    return np.append(r, R_new.T.ravel()), np.append(R_new.T @ w, V[3:] + np.cross(w, r - q[:3]))


def _angles(linkage: Linkage, q: Array, near: Mapping[str, float]) -> dict[str, float]:
    rates = JointRates(linkage.bodies, linkage.joints)
    values = rates.values(q)
    found: dict[str, float] = {}
    for joint, part in zip(linkage.joints, rates.parts, strict=True):
        for name, value in zip(turn_names(joint), values[part], strict=False):
            found[name] = float(continued(value, np.asarray(near[name])))
    return found
