"""Sensors of a mechanism by the names of a run: joints, bodies, frames and particles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.compiler.machine_functions import table
from visviva.library.joints import Angle, Product
from visviva.mechanism import Definition
from visviva.mechanism.coordinates import frame_in_body, movers, pair_functions
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.parts import Body, Carrier, Frame, Ground, Joint, Particle
from visviva.model import Model
from visviva.model.sensor import AbstractSensor, AngleSensor, AxesSensor, PointSensor, ShiftSensor, TwistSensor

if TYPE_CHECKING:
    from visviva.kernels.multibody.sensors import Sensors

ENDINGS = {Body: ("r", "R", "twist"), Frame: ("r", "R", "twist"), Particle: ("r", "v")}


def sensor_names(m: Definition) -> Iterator[str]:
    """What laws can see, by the names of a run."""
    for name, part in m.parts.items():
        endings = ("q", "rate") if isinstance(part, Joint) and part.joint.coordinates else ENDINGS.get(type(part), ())
        yield from (f"{name}.{ending}" for ending in endings)


def sensors_of(model: Model, name: str) -> list[AbstractSensor] | Array:
    """What reads a quantity of `sensor_names`; or the quantity itself, where it is on the ground."""
    assert model.definition is not None
    carrier, _, ending = name.rpartition(".")
    part = model.definition.parts[carrier]
    if isinstance(part, Joint):
        return _joint_sensors(model, part, rate=ending == "rate")
    if isinstance(part, Particle):
        return [PointSensor(part.name, None, rate=ending == "v")]
    assert isinstance(part, Body | Frame)
    body = part.carrier if isinstance(part, Frame) else part
    if isinstance(body, Ground):
        assert isinstance(part, Frame)
        return {"r": part.r_WF, "R": part.R_WF.ravel(), "twist": np.zeros(6)}[ending]
    X_CF = frame_in_body(part)
    match ending:
        case "r":
            return [PointSensor(body.name, X_CF.r, rate=False)]
        case "R":
            return [AxesSensor(body.name, X_CF.R)]
    return [TwistSensor(body.name, X_CF.R, X_CF.r)]


def _joint_sensors(model: Model, joint: Joint, rate: bool) -> list[AbstractSensor]:
    """One per coordinate."""
    numbers = {turn.name: k for k, turn in enumerate(model.turns)}
    turns = {angle: name for name, angle in turn_names(joint).items()}
    return [
        AngleSensor(numbers[turns[part]], rate) if isinstance(part, Angle) else _shift(joint, part, rate)
        for part in joint.joint.coordinates
    ]


def _shift(joint: Joint, part: Product, rate: bool) -> ShiftSensor:
    y, reads = pair_functions(joint, (part,)), tuple(f"{mover.name}.q" for mover in movers(joint))
    ends = tuple(None if isinstance(end, Ground) else end.name for end in (joint.parent, joint.child))
    (R, a), (_, b) = _frame(joint, joint.parent), _frame(joint, joint.child)
    return ShiftSensor(reads, y, rate, (ends[0], ends[1]), R[:, part.parent], a, b)


def _frame(joint: Joint, end: Carrier) -> tuple[Array, Array]:
    """Axes and origin of the frame of a joint on one end, in principal axes."""
    R_WF, r_WF = joint.frame_on(end)
    if isinstance(end, Body):
        return end.R_WC.T @ R_WF, end.to_principal(r_WF)
    return R_WF, np.zeros(3) if isinstance(end, Particle) else r_WF


def sensor_tables(model: Model, first: int = 0) -> tuple[Sensors, list[range]]:
    """All sensors of a model's feedback as compiled code reads them, and places of the numbers of each law.

    first: the first of these places.
    """
    from visviva.kernels.multibody import sensors as kernel

    assert model.definition is not None
    number = {part.name: k for k, part in enumerate(model.definition.bodies)}
    ground = len(number)
    rows, constants, places = list[tuple[int, ...]](), list[Array](), list[range]()
    known = dict[tuple[int, ...], range]()  # laws of several ports have the same sensors: they are read once
    for law in model.feedback:
        begin, same = first, tuple(map(id, law.sensors))
        if same in known:
            places.append(known[same])
            continue
        for sensor in law.sensors:
            numbers = np.zeros(12)
            match sensor:
                case AngleSensor(turn, rate):
                    rows.append((kernel.ANGLE_RATE if rate else kernel.ANGLE_VALUE, first, turn, 0))
                case ShiftSensor(rate=rate, ends=(parent, child)):
                    numbers[:9] = np.concatenate([sensor.u, sensor.a, sensor.b])
                    ends = [ground if end is None else number[end] for end in (parent, child)]
                    rows.append((kernel.SHIFT_RATE if rate else kernel.SHIFT_VALUE, first, *ends))
                case PointSensor(body, arm, rate):
                    numbers[:3] = 0.0 if arm is None else arm
                    rows.append((kernel.VELOCITY if rate else kernel.POINT, first, number[body], 0))
                case AxesSensor(body, R_CF):
                    numbers[:9] = R_CF.ravel()
                    rows.append((kernel.AXES, first, number[body], 0))
                case TwistSensor(body, R_CF, arm):
                    numbers[:] = np.concatenate([R_CF.ravel(), arm])
                    rows.append((kernel.TWIST, first, number[body], 0))
                case _:
                    raise NotCompilable(f"the input of port {law.port!r} reads a sensor without compiled form")
            constants.append(numbers)
            first += sensor.size
        places.append(range(begin, first))
        known[same] = places[-1]
    return kernel.Sensors(table(rows, 4), np.array(constants).reshape(-1, 12)), places
