"""Interpret, then compose: the Dirac structure of a hierarchy is composed from those of its parts, in any grouping."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from systems import displacement, momentum
from test_compose import nested

from visviva.language import Composite, Reversible, compose, reversible
from visviva.structure import Dirac
from visviva.structure import compose as compose_structures


def random_network(n, rng):
    """n reversible boxes in a chain of junctions, some with constraints."""
    boxes, junctions = {}, {}
    for i in range(n):
        a, b, c = rng.standard_normal(3)
        if i % 3 == 2:
            box = reversible({"a": momentum, "b": momentum, "q": displacement}, C=[[a, b, c]])
        else:
            box = reversible({"a": momentum, "b": momentum, "q": displacement}, J=[[0, a, b], [-a, 0, c], [-b, -c, 0]])
        boxes[f"k{i}"] = box
        junctions.setdefault(f"p{i}", []).append(f"k{i}.a")
        junctions.setdefault(f"p{i + 1}", []).append(f"k{i}.b")
        junctions[f"q{i}"] = [f"k{i}.q"]
    return boxes, junctions


def dirac(system):
    """The structure of a system over its outer ports: primitive ones as they are, composites from their boxes."""
    if isinstance(system, Composite):
        parts = {name: dirac(box) for name, box in system.boxes.items()}
        joined = {name: [".".join(end) for end in junction.ends] for name, junction in system.junctions.items()}
        whole = compose_structures(parts, joined, outer=tuple(system.outer.values()))
        return whole.rename({junction: port for port, junction in system.outer.items()})
    assert isinstance(system, Reversible)
    ports = {port.name: port.quantity.dim for port in system.power_ports}
    n = sum(ports.values())
    J = np.array(system.J.values, dtype=float)
    C = np.zeros((0, n)) if system.C is None else np.array(system.C.values, dtype=float)
    return Dirac.constrained(J, C, ports)


@given(
    n=st.integers(2, 6),
    seed=st.integers(0, 1000),
    groups=st.lists(st.integers(0, 3), min_size=1, max_size=5),
    depth=st.integers(1, 3),
)
@settings(max_examples=25)
def test_composing_structures_of_parts_is_the_structure_of_the_flattened_whole(n, seed, groups, depth):
    boxes, junctions = random_network(n, np.random.default_rng(seed))
    shown = ["p0", f"p{n}", *(f"q{i}" for i in range(n))]
    seen = frozenset(shown)
    tree = compose("tree", *nested(boxes, junctions, groups, depth, seen), outer=shown)
    flat = dirac(tree.flatten())
    assert flat.same_as(dirac(tree).permute(*flat.ports))
    assert flat.same_as(dirac(compose("flat", boxes, junctions, outer=shown)).permute(*flat.ports))
