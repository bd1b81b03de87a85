"""Composition: typed junctions, nesting, renaming, one flattening."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from systems import coupling, damped, displacement, entropy, hot, mass, momentum, oscillator, spring

import visviva as vv
from visviva.language import Composite, compose, environment, renamed, reversible, storage

BOXES = {"pe": spring(), "ke": mass(), "pkc": coupling()}
GOOD = {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}

WRONG = {
    "quantities": (
        {"q": ("pe.q", "pkc.p"), "p": ("ke.p", "pkc.q")},
        (),
        r"pe.q of quantity .* with pkc.p of",
    ),
    "unconnected": ({"q": ("pe.q", "pkc.q"), "p": ("pkc.p",)}, (), "leaves ports unconnected: ke.p"),
    "unknown box": ({"q": ("spring.q",)}, (), "joins 'spring.q': give 'box.port' with a box of pe, ke, pkc"),
    "unknown port": ({"q": ("pe.x",)}, (), "box 'pe' has the ports q"),
    "twice": (
        {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p"), "r": ("pe.q",)},
        (),
        "is at two junctions",
    ),
    "empty": (GOOD | {"r": ()}, (), "junction 'r' of 'osc' joins nothing"),
    "text": ({"q": "pe.q"}, (), "takes several ports"),
    "outer": (GOOD, ("r",), "outer port 'r' of 'osc' shows junction 'r'; there is q, p"),
    "outer twice": (GOOD, {"a": "p", "b": "p"}, "show the same junction"),
    "outer name": (GOOD, {"a b": "p"}, "is no identifier"),
}


@pytest.mark.parametrize(("junctions", "outer", "message"), WRONG.values(), ids=WRONG)
def test_wrong_patterns(junctions, outer, message):
    with pytest.raises(vv.ModelError, match=message):
        compose("osc", BOXES, junctions, outer)


def test_names_and_kinds_of_arguments():
    with pytest.raises(vv.ModelError, match=r"junction name 'a\.p' in 'osc' is no identifier"):
        compose("osc", BOXES, GOOD | {"a.p": ("ke.p",)})
    with pytest.raises(vv.ModelError, match="junctions of 'osc' are a dictionary by name, got list"):
        compose("osc", BOXES, [("pe.q",)])
    with pytest.raises(vv.ModelError, match="port name 'a b' is no identifier"):
        renamed(oscillator(), {"p": "a b"})
    assert list(compose("osc", BOXES, GOOD, outer="p").interface) == ["p"]
    assert list(compose("osc", BOXES, GOOD, outer=None).interface) == []


def test_boxes_hold_systems():
    with pytest.raises(vv.ModelError, match="box 'pe' of 'osc' must hold a system, got 3"):
        compose("osc", {"pe": 3}, {})
    with pytest.raises(vv.ModelError, match=r"'p\.e' in 'osc' is no identifier"):
        compose("osc", {"p.e": spring()}, {})


def test_the_interface_of_a_composite():
    osc = oscillator()
    assert list(osc.interface) == ["p"]
    assert osc.interface["p"].quantity == momentum
    assert osc.interface["p"].power


def test_flattening_names_by_path():
    flat = damped().flatten()
    assert list(flat.boxes) == ["osc.pe", "osc.ke", "osc.pkc", "mf", "env"]
    assert {name: set(junction.ends) for name, junction in flat.junctions.items()} == {
        "p": {("osc.ke", "p"), ("osc.pkc", "p"), ("mf", "p")},
        "s": {("mf", "s"), ("env", "s")},
        "osc.q": {("osc.pe", "q"), ("osc.pkc", "q")},
    }


def test_flattening_is_idempotent():
    once = hot().flatten()
    twice = once.flatten()
    assert once.junctions == twice.junctions
    assert list(once.boxes) == list(twice.boxes)


def test_renaming_ports_changes_nothing_but_names():
    osc = renamed(oscillator(), {"p": "momentum"})
    again = compose("outer", {"osc": osc}, {"p1": ("osc.momentum",)}, outer={"out": "p1"})
    flat = again.flatten()
    assert set(flat.junctions["p1"].ends) == {("osc.ke", "p"), ("osc.pkc", "p")}
    assert list(flat.interface) == ["out"]
    twice = renamed(osc, {"momentum": "p2"})
    assert list(twice.interface) == ["p2"]
    box = renamed(spring(), {"q": "x"})
    flat = compose("one", {"s": box}, {"a": ("s.x",)}).flatten()
    assert flat.junctions["a"].ends == (("s", "q"),)


def test_a_renamed_composite_is_compiled_under_its_new_names():
    system = renamed(oscillator(), {"p": "push"})
    run = vv.simulate(system, t_end=1.0, h=0.1, initial={"q": 1.0, "p": 0.0}, inputs={"push": 0.5})
    assert run.audit().ok
    assert run["push.work"][-1] != 0


def test_renaming_errors():
    with pytest.raises(vv.ModelError, match="no port 'x' to rename; the ports are p"):
        renamed(oscillator(), {"x": "y"})
    with pytest.raises(vv.ModelError, match="gives two ports one name"):
        renamed(coupling(), {"q": "p"})


# -- random hierarchies -------------------------------------------------------------------------------------------


def chain(n):
    """A flat chain of n masses and springs; a spring between two masses is stretched by their difference."""
    boxes, junctions = {}, {}
    link = reversible({"q": displacement, "a": momentum, "b": momentum}, J=[[0, -1, 1], [1, 0, 0], [-1, 0, 0]])
    for i in range(n):
        boxes[f"m{i}"] = mass(1.0 + i)
        junctions[f"p{i}"] = [f"m{i}.p"]
    for i in range(n - 1):
        boxes[f"k{i}"] = spring(1.0 + 0.5 * i)
        boxes[f"l{i}"] = link
        junctions[f"q{i}"] = [f"k{i}.q", f"l{i}.q"]
        junctions[f"p{i}"].append(f"l{i}.a")
        junctions[f"p{i + 1}"].append(f"l{i}.b")
    return boxes, junctions


def nested(boxes, junctions, groups, depth, seen=frozenset()):
    """The same boxes put into groups, groups into groups: a hierarchy whose flattening must be the flat chain."""
    if depth == 0 or len(boxes) < 2:
        return boxes, junctions
    members = {}
    for k, box in enumerate(boxes):
        members.setdefault(groups[k % len(groups)], []).append(box)
    outer_boxes, outer_junctions = {}, {name: [] for name in junctions}
    for group, names in members.items():
        inner = {name: [end for end in ends if end.split(".")[0] in names] for name, ends in junctions.items()}
        inner = {name: ends for name, ends in inner.items() if ends}
        shown = [name for name, ends in inner.items() if name in seen or len(ends) < len(junctions[name])]
        box = f"g{group}"
        content = {name: boxes[name] for name in names}
        sub_boxes, sub_junctions = nested(content, inner, groups[1:] or [0], depth - 1, frozenset(shown))
        outer_boxes[box] = compose(box, sub_boxes, sub_junctions, outer=shown)
        for name in shown:
            outer_junctions[name].append(f"{box}.{name}")
    return outer_boxes, {name: ends for name, ends in outer_junctions.items() if ends}


@given(n=st.integers(2, 6), groups=st.lists(st.integers(0, 3), min_size=1, max_size=6), depth=st.integers(0, 3))
@settings(max_examples=25)
def test_functoriality_on_random_hierarchies(n, groups, depth):
    """Flatten and interpret a hierarchy, or interpret the flat pattern: the same model up to names."""
    boxes, junctions = chain(n)
    flat = compose("flat", boxes, junctions)
    tree = compose("tree", *nested(boxes, junctions, groups, depth))
    again = tree.flatten()
    assert all(not isinstance(box, Composite) for box in again.boxes.values())
    leaf = {name: name.split(".")[-1] for name in (*again.boxes, *again.junctions)}
    assert sorted(leaf[box] for box in again.boxes) == sorted(boxes)
    ends = {leaf[name]: {(leaf[box], port) for box, port in j.ends} for name, j in again.junctions.items()}
    assert ends == {name: set(j.ends) for name, j in flat.junctions.items()}
    one, two = vv.compile(flat), vv.compile(tree)
    rng = np.random.default_rng(n)
    values = {variable.name: rng.standard_normal(1) for variable in one.variables}
    x1 = one.pack(values)
    x2 = two.pack({variable.name: values[leaf[variable.name]] for variable in two.variables})
    assert one.H(x1) == pytest.approx(two.H(x2), rel=1e-14)
    f1, f2 = one.flow(x1, one.z(x1), np.zeros(0)), two.flow(x2, two.z(x2), np.zeros(0))
    for name, at in two.layout.z.items():
        np.testing.assert_allclose(f2[at], f1[one.layout.z[leaf[name]]], atol=1e-14)


def test_an_environment_can_be_nested():
    box = compose("room", {"env": environment({"s": entropy}, 280.0)}, {"s": ("env.s",)}, outer=("s",))
    body = storage({"s": entropy}, H=lambda x: 300 * x.s)
    system = compose("house", {"room": box, "body": body}, {"a": ("room.s",), "b": ("body.s",)})
    assert vv.compile(system).theta0 == 280.0
