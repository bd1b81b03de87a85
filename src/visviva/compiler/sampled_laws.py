"""Sampled laws as compiled code calls them: traced once, on symbols for what they see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.build import input_address
from visviva.compiler.gains import lifted
from visviva.compiler.laws import canonical, input_law, symbols
from visviva.compiler.sensors import sensor_names
from visviva.errors import ModelError
from visviva.language.pure import on_copies, read_around
from visviva.language.trace import Traced, UntraceableError, at_most, expressions, traced_array
from visviva.mechanism.parts import Body, Force, Frame, Joint, Motor, Particle, Torque, WrenchPort
from visviva.model import Model
from visviva.model.control_law import INPUTS_TYPE, AbstractControlLaw

PORTS = (Torque, Force, WrenchPort, Motor, Joint, Body, Frame, Particle)  # that a law may name by their handles
COMPARED, NEARLY = 24, 1e-6  # draws of quantities; what values may differ by, relative
SIZES = {"r": 3, "R": 9, "twist": 6, "v": 3}


@final
@dataclass(frozen=True, eq=False)
class SampledLaw:
    """Inputs u = law(t, y) of some ports, one after the other.

    names: quantities y by the names of a run.   address: of the law, see `kernels.calls`.   size: how many inputs.
    """

    ports: tuple[str, ...]
    names: tuple[str, ...]
    address: int
    size: int
    numbers: Array


@final
class _Symbols:
    """What a law is run on: quantities of the motion and the time as symbols."""

    def __init__(self, model: Model) -> None:
        assert model.definition is not None
        self.t = Traced(symbols("t", 1)[0])
        self._parts = model.definition.parts
        self._known = frozenset(sensor_names(model.definition))
        self.seen = dict[str, tuple[list[Any], Any]]()

    def __getitem__(self, name: str) -> Any:
        import sympy

        if not isinstance(name, str) or name not in self._known:
            raise UntraceableError(f"it asks for {name!r}, which is no quantity of the motion")
        if name not in self.seen:
            n, ending = _size(self._parts, name), name.rpartition(".")[2]
            own = [sympy.Symbol(f"{name}[{k}]", real=True) for k in range(n)]
            value = Traced(own[0]) if n == 1 else traced_array(own)
            self.seen[name] = own, value.reshape(3, 3) if ending == "R" else value
        value = self.seen[name][1]
        return value if isinstance(value, Traced) else value.copy()  # a law may write into what it has been given


def _size(parts: Mapping[str, Any], name: str) -> int:
    """How many numbers a quantity of the motion has."""
    carrier, _, ending = name.rpartition(".")
    part = parts[carrier]
    return len(part.joint.coordinates) if isinstance(part, Joint) else SIZES[ending]


def is_jitted(law: object) -> bool:
    """Whether a law is a function that Numba compiles."""
    return type(law).__module__.startswith("numba.") and hasattr(law, "py_func")


def seen_by(law: Callable[..., Any]) -> Any:
    """What a law reads around it, to be compared; `UntraceableError` where it may do more than to compute."""
    try:
        known = is_jitted(law) or isinstance(law, AbstractControlLaw)
        return law if known else read_around(law, PORTS)
    except RecursionError as reason:
        raise UntraceableError("what is around it contains itself, or is nested very deeply") from reason


def jitted_law(model: Model, law: Any, reads: Sequence[str], writes: Sequence[str]) -> SampledLaw:
    """A law(t, y, u) that Numba compiles, which writes inputs u of some ports by quantities y."""
    import numba

    from visviva.kernels.jit import types_of
    from visviva.kernels.signatures import INPUTS

    assert model.definition is not None
    known, parts = frozenset(sensor_names(model.definition)), model.definition.parts
    unknown = [name for name in reads if name not in known]
    if unknown:
        raise UntraceableError(f"it reads {unknown[0]!r}, which is no quantity of the motion")
    widths = {port.name: port.width for port in model.ports}
    if not writes or any(port not in widths for port in writes):
        raise UntraceableError("it writes what is no port")
    k, m = sum(_size(parts, name) for name in reads), sum(widths[port] for port in writes)
    carray: Any = vars(numba)["carray"]

    def call(n, T, P, t, x, u):  # type: ignore[no-untyped-def]
        places, given, y, v = carray(T, (k + 2,)), carray(u, (m,)), np.empty(k), np.full(m, np.nan)
        for i in range(k):
            y[i] = x[places[i + 2]]
        given[:] = np.nan  # what an exception leaves: the law is then asked in Python, where it is raised
        try:
            law(t, y, v)
        except Exception:
            return
        given[:] = v

    compiled: Any = numba.cfunc(types_of(INPUTS), error_model="numpy")(call)
    _jitted.append(compiled)
    return SampledLaw(tuple(writes), tuple(reads), int(compiled.address), m, np.zeros(0))


_jitted: list[Any] = []  # what is called by address must outlive every caller


def control_law(law: AbstractControlLaw) -> SampledLaw:
    """A control law that is an object, as it is."""
    size = sum(law.widths)
    return SampledLaw(law.writes, law.reads, law.address(0, size), size, law.parameters(0, size))


def sampled_law(model: Model, law: Callable[..., Any], operations: int) -> SampledLaw:
    """A law of what is seen at a tick as an expression, or `UntraceableError` with what keeps it from being one.

    operations: how many it may have.
    """
    before, copied, now = seen_by(law), on_copies(law, PORTS), _Symbols(model)
    try:
        with at_most(operations):
            found = copied(now)
    except ModelError:
        raise
    except Exception as reason:
        raise UntraceableError(f"{type(reason).__name__}: {reason}") from reason
    if read_around(copied, PORTS) != before:
        raise UntraceableError("it changes what is around it")
    if not isinstance(found, Mapping):
        raise UntraceableError("it does not return inputs by port name")
    named = {str(getattr(port, "name", port)): value for port, value in found.items()}
    try:
        traced = _written(model, named, now)
    except ModelError:
        raise
    except Exception as reason:  # of a compiler, about an expression that is none
        raise UntraceableError(f"{type(reason).__name__}: {reason}") from reason
    _compare(model, law, traced)
    return traced


def written_ports(model: Model, law: Any, operations: int = 1000) -> tuple[str, ...]:
    """The ports that a law gives inputs of, by what it does with symbols; none where only asking it would tell."""
    if model.definition is None or is_jitted(law) or isinstance(law, AbstractControlLaw) or not callable(law):
        return ()
    try:
        seen_by(law)
        with at_most(operations):
            found = on_copies(law, PORTS)(_Symbols(model))
        return tuple(str(getattr(port, "name", port)) for port in found)
    except Exception:  # it is no law of quantities of the motion alone
        return ()


def _written(model: Model, named: Mapping[str, Any], now: _Symbols) -> SampledLaw:
    widths, values = {port.name: port.width for port in model.ports}, list[Any]()
    for port, value in named.items():
        own = np.atleast_1d(expressions(value, f"the input of port {port!r}"))
        if port not in widths or own.shape != (widths[port],):
            raise UntraceableError(f"it gives {port!r} a value that is none of a port")
        values += list(own)
    if not values:
        raise UntraceableError("it gives no inputs")
    used = set().union(*(value.free_symbols for value in values))
    read = {name: own for name, (own, _) in now.seen.items() if used & set(own)}
    values, gains = lifted(values)
    given, numbers = canonical(values, {"x": [symbol for own in read.values() for symbol in own]}, gains)
    law = input_law(given, (sum(map(len, read.values())), 0, len(numbers)))
    return SampledLaw(tuple(named), tuple(read), input_address(law), len(values), np.array(numbers))


@final
class _Numbers:
    """What a law would see, drawn at random."""

    def __init__(self, parts: Mapping[str, Any], draw: np.random.Generator) -> None:
        self._parts, self._draw = parts, draw
        self.t = float(draw.uniform(0.0, 10.0))
        self.seen = dict[str, Array]()

    def __getitem__(self, name: str) -> Array | float:
        if name not in self.seen:
            size = 10.0 ** self._draw.integers(-2, 2)
            self.seen[name] = size * self._draw.normal(size=_size(self._parts, name))
        value = self.seen[name].copy()
        if name.endswith(".R"):
            return value.reshape(3, 3)
        return value if len(value) > 1 else float(value[0])


def _compare(model: Model, law: Callable[..., Any], traced: SampledLaw) -> None:
    """An error where the expression of a law gives something else than the law does, at some random quantities.

    What a law does with symbols can differ from what it does with numbers: that is no law to be compiled.
    """
    assert model.definition is not None
    draw, call = np.random.default_rng(0), INPUTS_TYPE(traced.address)
    sizes = [_size(model.definition.parts, name) for name in traced.names]
    table = np.array([0, 0, *range(sum(sizes))], dtype=np.int64)
    for _ in range(COMPARED):
        now, own, u = _Numbers(model.definition.parts, draw), on_copies(law, PORTS), np.zeros(traced.size)
        try:
            with np.errstate(all="ignore"):
                found = own(now)
            plain = np.concatenate([np.ravel(np.asarray(value, dtype=float)) for value in found.values()])
        except Exception:  # at quantities that no motion has, perhaps
            continue
        x = np.concatenate([np.zeros(0), *(np.ravel(now[name]) for name in traced.names)])
        call(1, table.ctypes.data, traced.numbers.ctypes.data, now.t, x.ctypes.data, u.ctypes.data)
        named = tuple(str(getattr(port, "name", port)) for port in found)
        size = np.maximum(1.0, np.abs(plain)) if plain.shape == u.shape else None
        if named != traced.ports or size is None or not (np.abs(plain - u) <= NEARLY * size).all():
            raise UntraceableError("its expression gives other values than it gives itself")
