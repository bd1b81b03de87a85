"""Bond graphs as text that can be read back, one line for each element and bond:

bond graph motor
theta0 = 300 K
u = Se("12 V", domain="electric")      a constructor with numbers, texts and lists; units are optional
k = C(H="0.5*c*q_k**2", c=50.0)        laws are texts of expressions: states, t, e_k and f_k of its own bond
u -> i -> L                            half arrows; "f -> n.I" ends at port I of n
7: a -> b                              a bond with a name of its own
phi' = w                               a coordinate; (x, y)' = v of a multibond
p_L(0) = 0.2                           where a state starts
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from visviva.bonds import elements as constructors
from visviva.bonds.elements import Element
from visviva.bonds.reading import read
from visviva.bonds.units import SI, measured
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.bonds.graph import BondGraph

KNOWN = ("C", "I", "R", "RS", "Se", "Sf", "TF", "MTF", "GY", "MGY", "IC", "NIC", "zero", "one")
HEAD, FIRST = "bond graph ", "{} must begin with 'bond graph <name>', got {!r}."
COORDINATES = re.compile(r"(?P<names>.+)'\s*=\s*(?P<junction>\S+)")
START = re.compile(r"(?P<state>\S+)\(0\)\s*=\s*(?P<value>\S+)")
ELEMENT = re.compile(r"(?P<label>[^\s=]+)\s*=\s*(?P<given>.+)")


# -- writing -------------------------------------------------------------------------------------------------------


def to_text(graph: BondGraph) -> str:
    """Text that `from_text` reads."""
    return "\n".join(_lines(graph.to_dict())) + "\n"


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"{HEAD}{data['name']}"
    yield f"theta0 = {data['theta0']!r} K"
    for label, element in data["elements"].items():
        yield f"{label} = {_constructor(element)}"
    for k, bond in enumerate(data["bonds"], start=1):
        tail, head = (_end(data["elements"], bond, end) for end in ("tail", "head"))
        yield f"{'' if bond['name'] == str(k) else bond['name'] + ': '}{tail} -> {head}"
    for junction, names in data["coordinates"].items():
        yield f"{names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'}' = {junction}"
    for state, value in data["initial"].items():
        yield f"{state}(0) = {value!r}"


def _end(elements: Mapping[str, Any], bond: Mapping[str, str], end: str) -> str:
    label, port = bond[end], bond[f"{end}_port"]
    return f"{label}.{port}" if elements[label]["kind"] in ("IC", "NIC") else label


def _constructor(data: Mapping[str, Any]) -> str:
    kind = {"0": "zero", "1": "one"}.get(data["kind"], data["kind"])
    if data.get("modulated") and kind in ("TF", "GY"):
        kind = f"M{kind}"
    units, given = data.get("units", {}), list[str]()
    key = "H=" if data.get("energy") else "G=" if data.get("conductance") else ""
    if "law" in data:
        given += [key + repr(_in_symbols(part, data["symbols"])) for part in data["law"]]
    elif "value" in data:
        value = data["value"]
        many = isinstance(value, list)
        given.append(key + (repr(value) if many or "" not in units else repr(f"{value!r} {units['']}")))
        given += [f"unit={units['']!r}"] if many and "" in units else []
    for name, number in data.get("parameters", {}).items():
        given.append(f"{name}=" + (repr(f"{number!r} {units[name]}") if name in units else repr(number)))
    for option in ("domain", "width", "label", "free"):
        if data.get(option) not in (None, 1, "general", ""):
            given.append(f"{option}={data[option]!r}")
    given += ["free=True"] if data.get("free") else []
    return f"{kind}({', '.join(given)})"


def _in_symbols(law: Any, symbols: Mapping[str, str]) -> Any:
    """A law with the names of symbols, some of which have dots, for the identifiers that stand for them."""
    if isinstance(law, list):
        return [_in_symbols(each, symbols) for each in law]
    return re.sub(r"[A-Za-z_]\w*", lambda found: symbols.get(found[0], found[0]), law)


# -- reading -------------------------------------------------------------------------------------------------------


def from_text(text: str) -> BondGraph:
    """The graph of a text; it is parsed and never run."""
    from visviva.bonds.graph import Bond, BondGraph

    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if not lines or not lines[0].startswith(HEAD):
        raise ModelError(FIRST.format("a bond graph as text", lines[0] if lines else ""))
    name, theta0 = lines[0].removeprefix(HEAD).strip(), 300.0
    found: dict[str, Element] = {}
    bonds: list[Any] = []
    coordinates: dict[Any, str] = {}
    initial: dict[str, float] = {}
    for line in lines[1:]:
        if "->" in line:
            label, colon, chain = line.rpartition(":")
            bonds.append((label.strip(), chain) if colon else ("", chain))
        elif (match := COORDINATES.fullmatch(line)) is not None:
            names = tuple(each.strip() for each in match["names"].strip("()").split(","))
            coordinates[names] = match["junction"]
        elif (match := START.fullmatch(line)) is not None:
            initial[match["state"]] = _number(match["value"], line)
        elif (match := ELEMENT.fullmatch(line)) is not None and match["label"] == "theta0":
            theta0 = measured(match["given"], "theta0 of a bond graph")[0]
        elif match is not None:
            if match["label"] in found:
                raise ModelError(f"{name!r} has two elements called {match['label']!r}: rename one.")
            found[match["label"]] = _element(line, match["given"])
        else:
            raise _unread(line)
    options: dict[str, Any] = {"coordinates": coordinates, "theta0": theta0, "initial": initial}
    graph = BondGraph(name, found, [chain for _, chain in bonds], **options)
    if not any(label for label, _ in bonds):
        return graph
    if len(bonds) != len(graph.bonds):
        raise ModelError(f"a bond of {name!r} that has a name is alone in its line: '7: a -> b'.")
    named = [
        Bond(label or bond.name, bond.tail, bond.head, bond.tail_port, bond.head_port)
        for (label, _), bond in zip(bonds, graph.bonds, strict=True)
    ]
    return BondGraph(name, found, named, **options)


def _element(line: str, given: str) -> Element:
    try:
        call = ast.parse(given, mode="eval").body
    except (SyntaxError, ValueError):
        raise _unread(line) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in KNOWN:
        raise ModelError(f"{line!r} must have one of {', '.join(KNOWN)} with its values, e.g. m = I(2.0).")
    if any(keyword.arg is None for keyword in call.keywords):
        raise _unread(line)
    texts = ("domain", "label", "unit")
    keywords = {str(k.arg): _value(k.value, line, k.arg in texts) for k in call.keywords}
    try:
        found = getattr(constructors, call.func.id)(*(_value(each, line, False) for each in call.args), **keywords)
    except TypeError as reason:
        raise ModelError(f"{line!r} does not say what {call.func.id} needs: {reason}.") from None
    assert isinstance(found, Element)
    return found


def _value(node: ast.expr, line: str, plain: bool) -> Any:
    """A number, a quantity with a unit, a list, or a text as an expression."""
    if isinstance(node, ast.List):
        return [_value(each, line, plain) for each in node.elts]
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise _unread(line) from None
    if isinstance(value, str) and not plain and not SI.match(value):
        return read(value, None, f"the law in {line!r}")
    return value


def _number(text: str, line: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise _unread(line) from None


def _unread(line: str) -> ModelError:
    return ModelError(
        f"this line of a bond graph cannot be read: {line!r}.\n"
        "Lines are elements m = I(2.0), bonds a -> b, coordinates phi' = w and starts p_m(0) = 1."
    )
