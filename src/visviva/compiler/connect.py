"""connect: two models as one, joined at their ports."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful, hint_of
from visviva.compiler.compile import compile
from visviva.compiler.losses import ENVIRONMENT
from visviva.compiler.mechanism import initial_x
from visviva.errors import ModelError
from visviva.language import Composite
from visviva.mechanism import Definition, Mechanism
from visviva.mechanism.assembly import assembled
from visviva.mechanism.linkage import Linkage
from visviva.model import Model, Port, Reservoir, RowKind, Rows, Variable
from visviva.model.heat import Heated
from visviva.model.joined import JoinedPorts
from visviva.model.renaming import prefixed
from visviva.model.structure import AbstractConstraint, AbstractDissipation, AbstractPort


@helpful
def connect(
    model_a: Model | Composite | Mechanism | Definition,
    model_b: Model | Composite | Mechanism | Definition,
    ports: Mapping[str, str],
    *,
    names: tuple[str, str] | None = None,
    name: str | None = None,
) -> Model:
    """Two port-Hamiltonian models as one Model, joined without loss: u_a + u_b = 0 and y_a = y_b at the ports named.

        vv.connect(vv.compile(m, "directors"), drive, {"motor": "shaft"})

    ports: port of a -> port of b. Each pair adds rows y_a - y_b = 0, whose multiplier is the flow that goes from a to
           b, `run["motor:shaft.flow"]`; all other ports stay inputs.
    names: prefixes for all names of a and b, ("arm", "drive") gives `arm.motor`; needed where names are the same.
    name:  of the result; default: both names.

    a and b are Models, or what has one: composites, mechanisms, a `PortHamiltonian` of visviva.forms. A mechanism
    starts as it is assembled; of its results those of the Model are left, by variable: `m.box(...)` keeps all of them.
    Source: Latussek, Kinon, Betsch, section 4: power-preserving interconnection.
    """
    a, b = _model_of(model_a), _model_of(model_b)
    if names is not None:
        if len(tuple(names)) != 2 or not all(isinstance(one, str) and one for one in names) or names[0] == names[1]:
            raise ModelError(f"names of connect() are two different prefixes, e.g. ('arm', 'drive'), got {names!r}.")
        joined = {f"{names[0]}.{one}": f"{names[1]}.{other}" for one, other in _pairs(a, b, ports).items()}
        a, b = prefixed(a, names[0]), prefixed(b, names[1])
    else:
        joined = _pairs(a, b, ports)
        _check_names(a, b)
    theta0 = _common_theta0(a, b)
    heated = any(model.is_thermal for model in (a, b))
    rows = [_joined(a, b, one, other) for one, other in joined.items()]
    gone = {*joined, *joined.values()}
    structures = [
        Heated(part, ENVIRONMENT, theta0)
        if heated and not model.is_thermal and isinstance(part, AbstractDissipation)
        else part
        for model in (a, b)
        for part in model.structures
        if not (isinstance(part, AbstractPort) and part.name in gone)
    ]
    reservoirs = (*a.reservoirs, *b.reservoirs)
    if heated and not (a.is_thermal and b.is_thermal) and ENVIRONMENT not in {one.name for one in reservoirs}:
        reservoirs = (*reservoirs, Reservoir(ENVIRONMENT))
    return Model(
        f"{a.name} and {b.name}" if name is None else name,
        _ordered(a, b),
        (*a.storages, *b.storages),
        (*structures, *rows),
        junctions=(*a.junctions, *b.junctions),
        reservoirs=reservoirs,
        theta0=theta0,
        turns=(*a.turns, *b.turns),
        feedback=(*a.feedback, *b.feedback),
        start={**a.start, **b.start},
        closures=(*a.closures, *b.closures),
        laws={**a.laws, **b.laws},
    )


def _ordered(a: Model, b: Model) -> tuple[Variable, ...]:
    """Variables: positions of both, velocities of both, and all others, as the schemes of directors want them."""
    found: tuple[list[Variable], list[Variable], list[Variable]] = ([], [], [])
    for model in (a, b):
        velocities = [one for one in model.variables if one.name in model.kinetic]
        size = sum(one.space.size for one in velocities)
        first = [one for one in model.variables if model.layout.x[one.name].stop <= size]
        canonical = model.variables[: len(first) + len(velocities)] == (*first, *velocities)
        first, velocities = (first, velocities) if canonical else ([], [])
        found[0].extend(first)
        found[1].extend(velocities)
        found[2].extend(one for one in model.variables if one not in first and one not in velocities)
    return (*found[0], *found[1], *found[2])


def _model_of(what: object) -> Model:
    """The Model of what is connected, with a start where it has one."""
    own = getattr(what, "model", None)
    model = own if isinstance(own, Model) else compile(what)  # type: ignore[arg-type]  # it says what is none
    if model.definition is None:
        return dataclasses.replace(model, coordinates=())
    x = initial_x(model, assembled(model.definition, Linkage(model.definition))[0])
    start: dict[str, Array] = {name: x[at] for name, at in model.layout.x.items()}
    return dataclasses.replace(model, start=start, definition=None, form="")


def _pairs(a: Model, b: Model, ports: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(ports, Mapping) or not ports:
        raise ModelError(f"ports of connect() are pairs {{port of a: port of b}}, got {ports!r}.")
    joined = {str(one): str(other) for one, other in ports.items()}
    for model, asked in ((a, joined), (b, joined.values())):
        for name in asked:
            _port(model, name)
    twice = [name for name in joined.values() if list(joined.values()).count(name) > 1]
    if twice:
        raise ModelError(f"port {twice[0]!r} of {b.name!r} is joined twice: a port has one partner.")
    return joined


def _port(model: Model, name: str) -> AbstractPort:
    found = {port.name: port for port in model.ports}
    if name not in found:
        listed = ", ".join(found) or "none"
        raise ModelError(f"model {model.name!r} has no port {name!r}; its ports are: {listed}. {hint_of(name, found)}")
    rows = {part.name for part in model.structures if isinstance(part, AbstractConstraint)}
    if rows & set(found[name].acts):
        raise ModelError(
            f"port {name!r} of {model.name!r} prescribes an effort or a motion, no flow: it cannot be "
            "joined.\nLeave the source out, and join the port behind it."
        )
    return found[name]


def _joined(a: Model, b: Model, one: str, other: str) -> AbstractConstraint:
    first, second = _port(a, one), _port(b, other)
    if first.width != second.width:
        raise ModelError(
            f"port {one!r} of {a.name!r} has {first.width} inputs, port {other!r} of {b.name!r} has {second.width}: "
            "joined ports have the same."
        )
    kinds = _quantity(a, first), _quantity(b, second)
    if all(kinds) and kinds[0] != kinds[1]:
        raise ModelError(
            f"port {one!r} of {a.name!r} exchanges {kinds[0]}, port {other!r} of {b.name!r} {kinds[1]}: what is joined "
            "is one quantity.\nPut a transformer between them, such as a rack, a motor or a cylinder."
        )
    name = f"{one}:{other}"
    if all(isinstance(port, Port) and not callable(port.matrix) for port in (first, second)):
        none = np.zeros(0)
        C = np.concatenate([first.B(none).T, -second.B(none).T], axis=-1)
        return Rows(name, (*first.acts, *second.acts), first.width, C, kind=RowKind.EFFORT)  # it can be compiled
    return JoinedPorts(name, first, second, len(a.layout.read(first.reads)))


def _quantity(model: Model, port: AbstractPort) -> str:
    """What a port exchanges, as far as it is known: that of the language, or of the coordinate of a joint."""
    if port.quantity:
        return port.quantity
    at = model.port_columns[port.name]
    return "entropy" if model.entropy_inputs[at].all() and port.width else ""


def _check_names(a: Model, b: Model) -> None:
    """An error for names that both have."""

    def all_names(model: Model) -> set[str]:
        parts = (model.structures, model.storages, model.junctions, model.reservoirs)
        return {*model.layout.x, *(part.name for some in parts for part in some)}

    same = sorted(all_names(a) & all_names(b))
    if same:
        raise ModelError(
            f"{a.name!r} and {b.name!r} have the same names: {_listed(same)}.\n"
            "Give prefixes: connect(..., names=('a', 'b'))."
        )


def _common_theta0(a: Model, b: Model) -> float:
    thermal = [model for model in (a, b) if model.is_thermal] or [a, b]
    values = {model.theta0 for model in thermal}
    if len(values) > 1:
        listed = ", ".join(f"{model.name!r} at {model.theta0:g} K" for model in thermal)
        raise ModelError(f"connect() joins environments of different temperatures: {listed}. Exergy needs one.")
    if thermal != [a, b]:
        return thermal[0].theta0
    return a.theta0


def _listed(names: Iterable[str], most: int = 6) -> str:
    shown = list(names)
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")
