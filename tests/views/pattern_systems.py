"""Random composites: any number of ports at a junction, any names, boxes that are composites again."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from visviva.language import (
    AbstractSystem,
    Composite,
    Quantity,
    compose,
    environment,
    irreversible,
    renamed,
    reversible,
    storage,
)

ENTROPY = Quantity("R", "entropy")
NAMES = ("q", "p", "s", "p_r", "angular_momentum", "κ", "温度")


def _ports(n: int) -> dict[str, Quantity]:
    return {f"x{k}": ENTROPY for k in range(n)}


PRIMITIVES = [
    storage(_ports(1), H=lambda x: 0.5 * x.x0**2),
    environment(_ports(1)),
    irreversible(_ports(2), M=np.zeros((2, 2))),
    *(reversible(_ports(n), J=np.zeros((n, n))) for n in (1, 2, 3, 5, 9)),
    reversible({"x0": ENTROPY, "x1": ENTROPY.state}, J=[[0.0]]),
]


@st.composite
def composites(draw: st.DrawFn, boxes: int, depth: int = 0) -> Composite:
    """A composite of at most so many boxes, those in nested ones included; at least one."""
    n = draw(st.integers(1, boxes))
    systems: list[AbstractSystem] = []
    while n > 0:
        if depth and n > 1 and draw(st.booleans()):
            inner = draw(composites(min(n - 1, 8), depth - 1))
            systems.append(inner)
            n -= 1 + len(inner.flatten().boxes)
        else:
            systems.append(draw(st.sampled_from(PRIMITIVES)))
            n -= 1
    names = {}
    for k, system in enumerate(systems):
        new = draw(st.lists(st.sampled_from(NAMES), min_size=0, max_size=len(system.interface), unique=True))
        ports = dict(zip(system.interface, new, strict=False))
        rest = {port: f"port{k}" for k, port in enumerate(system.interface) if port not in ports}
        title = draw(st.sampled_from(("b", "box", "a_rather_long_name_", "δ"))) + str(k)
        names[title] = renamed(system, ports | rest)
    ends = [f"{box}.{port}" for box, system in names.items() for port in system.interface]
    at = [draw(st.integers(0, max(len(ends) * 2 // 3, 1))) for _ in ends]
    junctions = {f"j{k}": [end for end, here in zip(ends, at, strict=True) if here == k] for k in sorted(set(at))}
    shown = draw(st.lists(st.sampled_from(sorted(junctions) or ["none"]), unique=True, max_size=min(4, len(junctions))))
    return compose("whole" if depth else "part", names, junctions, {f"outer_{k}": at for k, at in enumerate(shown)})
