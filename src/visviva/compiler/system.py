"""A composite system as a Model: flatten, find the state of every junction, turn boxes into blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from visviva.compiler.traced import energy_of, matrix_of, reads_of
from visviva.errors import ModelError
from visviva.geometry.embedding import Flat, Rotations
from visviva.language import Composite, Environment, Irreversible, Junction, Reversible, Source, Storage
from visviva.language.composite import End
from visviva.language.system import AbstractStateClosure
from visviva.model import Dissipation, Model, Port, Reservoir, Routing, RowKind, Rows, Variable
from visviva.model import Junction as Algebraic
from visviva.model.closure import Closure
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractStructure

THETA0 = 300.0  # [K], of systems that have no environment
TOTALS = frozenset({"energy", "exergy", "heat", "work"})  # of a run
POSES = ("pose", "position")  # quantities that tell where a body or a particle is


def compile_system(system: Composite, theta0: float | None = None, followed: frozenset[str] = frozenset()) -> Model:
    """The Model of a composite system. Variables and junctions go by the names of the flattened junctions.

    A junction with a storage is a state variable; one with an environment is a reservoir; one with neither has an
    algebraic effort. Outer ports are inputs: u is the flow that enters there, y the effort. Of sources u is the effort
    at their junction, by rows e - u = 0, and y the flow that enters there.

    theta0:   temperature of the environment [K]; default: that of its own ones.
    followed: junctions whose states are given from outside: they are variables, also without a storage.
    """
    flat = system.flatten()
    at = {end: junction.name for junction in flat.junctions.values() for end in junction.ends}
    theta0 = _theta0(flat) if theta0 is None else theta0
    held = {name: _holder(flat, junction) for name, junction in flat.junctions.items()}
    variables = [
        Variable(name, junction.quantity.space.embedding, junction.quantity.is_entropy)
        for name, junction in flat.junctions.items()
        if isinstance(held[name], Storage) or name in followed
    ]
    reservoirs = [
        Reservoir(name, junction.quantity.dim, junction.quantity.is_entropy)
        for name, junction in flat.junctions.items()
        if isinstance(held[name], Environment)
    ]
    algebraic = [
        Algebraic(name, junction.quantity.dim, junction.quantity.is_entropy)
        for name, junction in flat.junctions.items()
        if held[name] is None and name not in followed and _has_power(flat, junction)
    ]
    states = frozenset(variable.name for variable in variables)
    _check_names(flat, states)
    _check_heat(flat, held)
    _check_sources(flat, held)
    storages: list[AbstractStorage] = []
    structures: list[AbstractStructure] = []
    for box, part in flat.boxes.items():
        match part:
            case Storage():
                port = next(iter(part.interface.values()))
                storages.append(energy_of(box, at[box, port.name], part.H, port, theta0))
            case Reversible():
                structures += _reversible(box, part, at, states, theta0)
            case Irreversible():
                structures.append(_irreversible(box, part, at, states, theta0))
            case Source():
                structures += _source(box, part, at)
    for outer, name in flat.outer.items():
        if isinstance(held[name], Environment):
            raise ModelError(f"outer port {outer!r} of {system.name!r} shows the environment at junction {name!r}.")
        quantity = flat.junctions[name].quantity
        if flat.interface[outer].power:
            structures.append(Port(outer, (name,), quantity.dim, np.eye(quantity.dim), quantity=quantity.name))
    return Model(
        system.name,
        tuple(variables),
        tuple(storages),
        tuple(structures),
        junctions=tuple(algebraic),
        reservoirs=tuple(reservoirs),
        theta0=theta0,
        start={variable.name: flat.start[variable.name] for variable in variables if variable.name in flat.start},
        closures=tuple(_closures(flat, at)),
        laws={box: part.law for box, part in flat.boxes.items() if isinstance(part, Source) and part.law is not None},
    )


def _closures(flat: Composite, at: dict[End, str]) -> Iterator[Closure]:
    """Joints between bodies whose poses are states, and conditions on states that are shared with them."""
    for box, part in flat.boxes.items():
        if not isinstance(part, Reversible) or part.closure is None:
            continue
        if isinstance(part.closure, AbstractStateClosure):
            yield Closure(
                box.removesuffix(".row"), tuple(at[box, port] for port in part.closure.ports), (), part.closure
            )
            continue
        poses = [_pose_at(flat, at, _carrier(flat, at, box, number)) for number in "12"]
        spaces = [flat.junctions[name].quantity.space.embedding for name in poses if name is not None]
        first, second = poses
        if first is None or second is None or not all(isinstance(space, Rotations | Flat) for space in spaces):
            continue
        own = (at[box, "q_r"],) if "q_r" in part.interface else ()
        yield Closure(box.removesuffix(".hc"), (first, second, *own), tuple(spaces), part.closure)  # type: ignore[arg-type]


def _carrier(flat: Composite, at: dict[End, str], box: str, number: str) -> str:
    """The junction of the body that a joint holds by an offset, or of the particle that it holds itself."""
    frame = f"p_j{number}"
    return _beyond_offset(flat, at, box, frame) if frame in flat.boxes[box].interface else at[box, f"p_{number}"]


def _beyond_offset(flat: Composite, at: dict[End, str], box: str, port: str) -> str:
    """The junction of the body that a joint holds by the offset at one of its ports."""
    (offset, inner), *_ = [end for end in flat.junctions[at[box, port]].ends if end[0] != box]
    return next(at[offset, other.name] for other in flat.boxes[offset].power_ports if other.name != inner)


def _pose_at(flat: Composite, at: dict[End, str], junction: str) -> str | None:
    """The pose whose rate is the effort of a junction, or None where no box couples one with it."""
    coupled = (box for box, _ in flat.junctions[junction].ends if isinstance(flat.boxes[box], Reversible))
    found = (
        at[box, port.name] for box in coupled for port in flat.boxes[box].power_ports if port.quantity.name in POSES
    )
    return next(found, None)


def _theta0(flat: Composite) -> float:
    found = {box: part.theta0 for box, part in flat.boxes.items() if isinstance(part, Environment)}
    if len(set(found.values())) > 1:
        listed = ", ".join(f"{box} at {theta0:g} K" for box, theta0 in found.items())
        raise ModelError(f"{flat.name!r} has environments of different temperatures: {listed}. Exergy needs one.")
    return next(iter(found.values()), THETA0)


def _holder(flat: Composite, junction: Junction) -> Storage | Environment | None:
    """The storage or environment that gives a junction its effort, or None."""
    holders = {box: flat.boxes[box] for box, _ in junction.ends if isinstance(flat.boxes[box], Storage | Environment)}
    if len(holders) > 1:
        raise ModelError(
            f"junction {junction.name!r} of {flat.name!r} has {len(holders)} boxes that set its effort: "
            f"{', '.join(holders)}.\nAll ports at a junction have one state and one effort: these force each other.\n"
            "Put one energy into one storage, or join two junctions by a reversible component with a constraint."
        )
    return next(iter(holders.values()), None)  # type: ignore[return-value]


def _check_names(flat: Composite, states: frozenset[str]) -> None:
    """An error for states that would hide totals of a run."""
    hidden = sorted(states & TOTALS)
    if hidden:
        raise ModelError(
            f"junction {hidden[0]!r} of {flat.name!r} has a storage, and run[{hidden[0]!r}] is the total of a run: "
            "its state would hide it.\nGive the junction another name."
        )


def _check_heat(flat: Composite, held: Mapping[str, object]) -> None:
    """Heat must go somewhere: an entropy junction where nothing stores or takes it is an error."""
    for name, junction in flat.junctions.items():
        boxes = [flat.boxes[box] for box, port in junction.ends if flat.boxes[box].interface[port].power]
        closed = held[name] is None and name not in flat.outer.values()
        if junction.quantity.is_entropy and closed and all(isinstance(box, Irreversible) for box in boxes):
            ends = ", ".join(".".join(end) for end in junction.ends)
            raise ModelError(
                f"the heat of {ends} has nowhere to go: junction {name!r} of {flat.name!r} has no storage and no "
                "environment.\nConnect an environment, a storage of entropy or another process there."
            )


def _check_sources(flat: Composite, held: Mapping[str, object]) -> None:
    """One effort, one source: two of them, or a source and an environment, contradict each other."""
    for name, junction in flat.junctions.items():
        boxes = [box for box, _ in junction.ends if isinstance(flat.boxes[box], Source)]
        boxes += [box for box, _ in junction.ends if boxes and isinstance(held[name], Environment) and box not in boxes]
        if len(boxes) > 1:
            raise ModelError(
                f"junction {name!r} of {flat.name!r} has {len(boxes)} boxes that give its effort: {', '.join(boxes)}.\n"
                "All ports at a junction have one effort: leave one, or put something between them that takes up the\n"
                "difference, such as a spring, a resistor or a wall."
            )


def _has_power(flat: Composite, junction: Junction) -> bool:
    return any(flat.boxes[box].interface[port].power for box, port in junction.ends)


def _read(box: str, ports: list[str], at: dict[End, str], states: frozenset[str]) -> tuple[str, ...]:
    """The variables behind ports whose states are read; each must have one."""
    for port in ports:
        name = at[box, port]
        if name not in states:
            raise ModelError(
                f"{box}.{port} reads the state of junction {name!r}, where nothing stores it.\n"
                "Add a storage there (its energy may be zero), or do not let the component depend on that state."
            )
    return tuple(at[box, port] for port in ports)


def _acts(box: str, part: Reversible | Irreversible, at: dict[End, str]) -> tuple[str, ...]:
    names = tuple(at[box, port.name] for port in part.power_ports)
    if len(set(names)) < len(names):
        raise ModelError(f"two ports of box {box!r} are at one junction: {', '.join(names)}. Separate them.")
    return names


def _reversible(
    box: str, part: Reversible, at: dict[End, str], states: frozenset[str], theta0: float
) -> list[AbstractStructure]:
    acts, structures = _acts(box, part, at), list[AbstractStructure]()
    if any(value != 0 for value in part.J.values.ravel()):
        ports = reads_of(part.J)
        function = matrix_of(part.J, ports, theta0)
        reads = _read(box, ports, at, states)
        structures.append(Routing(box, acts, function if ports else function(np.zeros(0)), reads))
    if part.C is not None:
        ports = reads_of(part.C)
        function = matrix_of(part.C, ports, theta0)
        reads = _read(box, ports, at, states)
        structures.append(Rows(box, acts, part.C.shape[0], function if ports else function(np.zeros(0)), reads))
    return structures


def _source(box: str, part: Source, at: dict[End, str]) -> list[AbstractStructure]:
    """Rows e - u = 0 with the flow that they take, -λ, and the input u that drives them."""
    (port,) = part.interface.values()
    eye = np.eye(port.quantity.dim)
    rows = Rows(box, (at[box, port.name],), len(eye), eye, kind=RowKind.DRIVEN)
    return [rows, Port(box, (box,), len(eye), -eye)]


def _irreversible(
    box: str, part: Irreversible, at: dict[End, str], states: frozenset[str], theta0: float
) -> AbstractStructure:
    ports = reads_of(part.M)
    R = matrix_of(part.M, ports, theta0, over_theta0=True)
    v_reg = part.M.parameters.get("v_reg", (None, None))[1]
    return Dissipation(box, _acts(box, part, at), R, _read(box, ports, at, states), v_reg)
