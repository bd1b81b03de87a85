"""Friction by laws, motors, end stops and thermal nodes of a mechanism as blocks of its Model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.traced import energy_of, rate_law_of
from visviva.errors import AssemblyError
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.library.joints import AXES, Angle, Scalar
from visviva.library.quantities import flux
from visviva.mechanism import Definition, Motion
from visviva.mechanism.coordinates import movers, pair_functions
from visviva.mechanism.elements import Element, JointElement, Stop
from visviva.mechanism.friction import FrictionLaw
from visviva.mechanism.joint_coordinates import cos_sin
from visviva.mechanism.other_states import entropy_at, entropy_of, flux_at, flux_of, temperature_at
from visviva.mechanism.parts import Joint, Motor
from visviva.mechanism.spring_slopes import measured
from visviva.mechanism.thermal import Thermal
from visviva.model import Model, Port, Reservoir, Variable
from visviva.model.friction import LawFriction, StopLoss
from visviva.model.heat import Cooling, HeatCapacity, Heated
from visviva.model.measured import AbstractMeasured, Measured, MeasuredAngle, SpinDissipation
from visviva.model.motor import MotorCoupling
from visviva.model.storage import AbstractStorage, QuadraticEnergy
from visviva.model.structure import AbstractDissipation, AbstractStructure, Dissipation
from visviva.model.turn import Turn

ENVIRONMENT = "environment"  # the reservoir that takes up heat, where a mechanism accounts for entropy


@final
class LossBlocks:
    """Variables `<stop>.y` or `.angle`, `<motor>.flux` and `<node>.s`, their storages, and what they act on.

    measured: variables that follow the configuration.   others: flux linkages and entropies, behind them.
    """

    def __init__(self, m: Definition, spaces: Mapping[str, AbstractSpace]) -> None:
        self.m = m
        self.spaces = spaces
        self.measured: list[Variable] = []
        self.others: list[Variable] = []
        self.storages: list[AbstractStorage] = []
        self.structures: list[AbstractStructure] = []
        self.reservoirs = (Reservoir(ENVIRONMENT),) if m.is_thermal else ()
        for joint in m.joints:
            self.structures += self._frictions(joint)
        for stop in m.stops:
            self._stop(stop)
        for motor in m.motors:
            self._motor(motor)
        for node in m.thermals:
            self._node(node)

    def _frictions(self, joint: Joint) -> Iterator[AbstractStructure]:
        """Those by laws, one for each coordinate that has one."""
        ball = joint.joint.spins
        if joint.spin_friction is not None:
            reads, acts, _ = self._ends(joint)
            measure = self.measure(joint, None)
            assert isinstance(measure, Measured)
            yield SpinDissipation(joint.name, reads, acts, measure, joint.spin_friction)
        for part, law in zip((None,) if ball else joint.joint.coordinates, joint.laws, strict=False):
            if law is not None:
                yield self._friction(joint, part, law)

    def _friction(self, joint: Joint, part: Scalar | None, law: FrictionLaw) -> LawFriction:
        reads, acts, _ = self._ends(joint)
        measure, (rate_law, numbers) = self.measure(joint, part), rate_law_of(law)
        weight = 0.5 if part is None else 1.0
        return LawFriction(joint.name, reads, acts, measure, rate_law, numbers, weight, law.v_reg)

    def measure(self, joint: Joint, part: Scalar | None, name: str = "", y: str = "") -> AbstractMeasured:
        """A coordinate of a joint, or the products of its axes, between both ends of a step.

        y: the variable that it is, by the name of the part that has it.
        """
        reads, acts, spaces = self._ends(joint)
        if isinstance(part, Angle):
            turn = Turn(joint.name, reads, cos_sin(joint, part), spaces)
            return MeasuredAngle(name, reads, (y, *acts), turn)
        rows = AXES if part is None else (part,)
        return Measured(name, reads, (y, *acts), pair_functions(joint, rows), spaces)

    def _stop(self, stop: Stop) -> None:
        reads, acts, _ = self._ends(stop.joint)
        variable, part = stop.variable, stop.at.scalar
        self.measured.append(Variable(variable, Flat(1)))
        port = stop.energy.interface["y"]
        self.storages.append(energy_of(stop.name, variable, stop.energy.H, port, self.m.theta0))
        measure = self.measure(stop.joint, part, stop.name, variable)
        self.structures.append(measure)
        if stop.loss > 0:
            self.structures.append(StopLoss(stop.name, reads, (variable, *acts), measure, stop.loss))

    def _motor(self, motor: Motor) -> None:
        reads, acts, _ = self._ends(motor.joint)
        flux = flux_of(motor)
        self.others.append(Variable(flux, Flat(1)))
        self.storages.append(QuadraticEnergy(motor.name, flux, np.array([[1.0 / motor.inductance]])))
        angle = self.measure(motor.joint, motor.at.scalar)
        assert isinstance(angle, MeasuredAngle)
        self.structures.append(MotorCoupling(motor.name, reads, (flux, *acts), angle, motor.k))
        self.structures.append(Dissipation(motor.name, (flux,), np.array([[motor.resistance]])))

    def _node(self, node: Thermal) -> None:
        s = entropy_of(node)
        self.others.append(Variable(s, Flat(1), entropy=True))
        self.storages.append(HeatCapacity(node.name, s, node.capacity, node.temperature, self.m.theta0))
        if node.conductance > 0:
            self.structures.append(Cooling(node.name, (s, ENVIRONMENT), node.conductance, self.m.theta0))

    def _ends(self, joint: Joint) -> tuple[tuple[str, ...], tuple[str, ...], tuple[AbstractSpace, ...]]:
        names = [end.name for end in movers(joint)]
        reads, acts = (tuple(f"{name}.{letter}" for name in names) for letter in "qv")
        return reads, acts, tuple(self.spaces[name] for name in names)


def voltage_port(motor: Motor) -> Port:
    """The input of a motor: its voltage; the output is the current."""
    return Port(motor.name, (flux_of(motor),), 1, np.eye(1), quantity=flux.name)


def heated(m: Definition, structures: list[AbstractStructure]) -> list[AbstractStructure]:
    """The same with heat: every dissipation heats what it should, by its name; the environment where none is said."""
    if not m.is_thermal:
        return structures
    heaters: list[Joint | Motor | Stop | Element | JointElement] = [
        *m.joints, *m.motors, *m.stops, *m.elements, *m.joint_elements,
    ]  # fmt: skip
    sinks = {part.name: part.heat_to for part in heaters}
    result: list[AbstractStructure] = []
    for part in structures:
        if isinstance(part, AbstractDissipation) and not isinstance(part, Cooling):
            node = sinks.get(part.name)
            part = Heated(part, ENVIRONMENT if node is None else entropy_of(node), m.theta0)
        result.append(part)
    return result


def loss_states(m: Definition, motion: Motion, inside: bool) -> dict[str, Array]:
    """Start values of the variables of motors and thermal nodes, and of angles that are stopped, over many turns.

    inside: an error names a joint that starts outside of its stops; an instant of a run may be there.
    """
    values = {flux_of(motor): np.array([flux_at(motor, motion.others)]) for motor in m.motors}
    values |= {entropy_of(node): np.array([entropy_at(node, motion.others)]) for node in m.thermals}
    for stop in m.stops:
        (y,) = measured(stop, motion)
        if inside and not stop.low <= y <= stop.high:
            unit = "rad" if stop.at.turns else "m"
            raise AssemblyError(
                f"joint {stop.joint.name!r} starts at {y:.6g} {unit}, outside of its limits from {stop.low:g} to "
                f"{stop.high:g} {unit}.\nBuild or assemble it inside, or widen the limits."
            )
        values[stop.variable] = np.array([y])
    return values


def temperatures(model: Model, node: Thermal, x: Array) -> Array:
    """Of a thermal node at states x [K], shape (...)."""
    s = x[..., model.layout.x[entropy_of(node)]][..., 0]
    return np.asarray(temperature_at(node, s))
