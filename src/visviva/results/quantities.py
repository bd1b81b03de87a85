"""Results by dotted name: what can be asked of a run, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from visviva._arrays import Array
from visviva.library.joints import Angle
from visviva.mechanism.box import Box
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.elements import Element, JointElement, Stop
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Frame, Joint, Motor, Particle
from visviva.mechanism.thermal import Thermal
from visviva.results.balances import balances
from visviva.results.boxes import box_readers
from visviva.results.drives import Drives
from visviva.results.lagrangian import lagrangian_quantities
from visviva.results.motion import MechanismMotion
from visviva.results.reactions import Reactions
from visviva.results.reader import MOMENTUM, TWIST, VECTOR, WRENCH, Reader, column
from visviva.results.singularity import margin_readers
from visviva.results.springs import Springs

if TYPE_CHECKING:
    from visviva.errors import ModelError
    from visviva.results.run import Run


def common_readers(run: Run) -> dict[str, Reader]:
    """Names that runs of all models answer to, with the functions that read them."""
    return balances(run)


def own_readers(run: Run) -> dict[str, Reader]:
    """Names of what the model is made of, with the functions that read them."""
    if run.motion is not None:
        return _mechanism(run, run.motion)
    if run.model.coordinates:
        return lagrangian_quantities(run)
    table: dict[str, Reader] = {}
    for variable in run.model.variables:
        at = run.model.layout.x[variable.name]
        table[variable.name] = Reader(partial(column, run.record.x, at), "J/K" if variable.entropy else "")
        for k, name in enumerate(variable.names, at.start):
            table[name] = Reader(partial(_entry, run.record.x, k))
        for k, name in enumerate(variable.efforts, run.model.layout.z[variable.name].start):
            if name:
                table[name] = Reader(partial(_effort, run, k))
    return table


def _entry(x: Array, k: int) -> Array:
    return x[:, k]


def _effort(run: Run, k: int) -> Array:
    """∂H/∂x at the nodes."""
    return run.model.z(run.record.x)[:, k]


def no_such_quantity(run: Run, name: str, known: list[str]) -> ModelError:
    """The error for a name that a run does not answer to."""
    return unknown_name(str(name), known, f"the run of {run.model.name!r}")


def motion_quantities(part: object) -> dict[str, tuple[Callable[..., Array], str, tuple[str, ...]]]:
    """What a motion knows of a part, by the ends of names: how it is read, its unit, and its components."""
    of = MechanismMotion
    match part:
        case Body() | Frame():
            twist = (of.twist, "rad/s, m/s", TWIST)
            return {"r": (of.position, "m", VECTOR), "R": (of.rotation, "1", ()), "twist": twist}
        case Particle():
            return {"r": (of.q, "m", VECTOR), "v": (of.velocity, "m/s", VECTOR)}
        case Joint() if part.joint.coordinates:
            units = ["rad" if isinstance(c, Angle) else "m" for c in part.joint.coordinates]
            units = units if len(set(units)) > 1 else units[:1]
            rates = ", ".join(f"{unit}/s" for unit in units)
            return {"q": (of.coordinates, ", ".join(units), ()), "rate": (of.rates, rates, ())}
    return {}


def _mechanism(run: Run, motion: MechanismMotion) -> dict[str, Reader]:
    """Poses, velocities, joint coordinates and reactions, lengths and forces of springs."""
    table = {"momentum": Reader(lambda: motion.momentum, "N m s, N s", components=MOMENTUM)} | margin_readers(motion)
    reactions = Reactions(motion, in_steps=getattr(run.integrator, "multipliers", True))
    springs, drives = Springs(motion), Drives(motion)
    for name, part in motion.definition.parts.items():
        for suffix, (read, unit, components) in motion_quantities(part).items():
            table[f"{name}.{suffix}"] = Reader(partial(read, motion, part), unit, components=components)
        match part:
            case Joint():
                for end, read in (("", reactions.at_nodes), ("_mid", reactions.at_midpoints)):
                    table[f"{name}.reaction{end}"] = Reader(partial(read, part), "N m, N", components=WRENCH)
                    in_world = partial(read, part, world=True)
                    table[f"{name}.reaction_world{end}"] = Reader(in_world, "N m, N", components=WRENCH)
            case AbstractCondition():
                table[f"{name}.reaction"] = Reader(partial(reactions.forces_at_nodes, part), part.force_unit)
                table[f"{name}.reaction_mid"] = Reader(partial(reactions.forces_at_midpoints, part), part.force_unit)
            case Element(line=True):
                table[f"{name}.length"] = Reader(partial(springs.length, part), "m")
                table[f"{name}.force"] = Reader(partial(springs.tension, part), "N")
            case Element():
                table[f"{name}.wrench"] = Reader(partial(springs.wrench, part), "N m, N", components=WRENCH)
            case JointElement():
                turns = [one.turns for one in part.coordinates]
                y, force = ("angle", "torque") if part.port == "angle" else ("y", "force")
                if len({*turns}) == 1:
                    units = ("rad", "N m") if turns[0] else ("m", "N")
                else:  # one for each column
                    units = (
                        ", ".join("rad" if one else "m" for one in turns),
                        ", ".join("N m" if one else "N" for one in turns),
                    )
                table[f"{name}.{y}"] = Reader(partial(springs.coordinates, part), units[0])
                table[f"{name}.{force}"] = Reader(partial(springs.efforts, part), units[1])
            case Motor():
                table[f"{name}.current"] = Reader(partial(drives.current, part), "A")
                table[f"{name}.torque"] = Reader(partial(drives.torque, part), "N m")
            case Thermal():
                table[f"{name}.temperature"] = Reader(partial(drives.temperature, part), "K")
            case Box():
                table |= box_readers(run, part)
            case Stop():
                unit = "N m" if part.at.turns else "N"
                table[f"{name}.force"] = Reader(partial(drives.push, part), unit)
    return table
