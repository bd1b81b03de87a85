"""Bond graphs as in textbooks, with the causal strokes that their authors draw.

A bond "a ->| b" has its stroke at b, "a |-> b" at a. Derived by the rules by hand: Karnopp, Margolis and Rosenberg.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from visviva.bonds import GY, MTF, RS, TF, BondGraph, C, I, R, Se, Sf, one, zero


@dataclass(frozen=True, eq=False)
class Example:
    name: str
    elements: dict
    bonds: list[str]  # with strokes
    derivative: tuple[str, ...] = ()
    loops: tuple[tuple[str, ...], ...] = ()
    options: dict = field(default_factory=dict)

    @property
    def graph(self) -> BondGraph:
        return BondGraph(self.name, self.elements, [b.replace("|", "") for b in self.bonds], **self.options)

    @property
    def strokes(self) -> dict[str, str]:
        found = {}
        for k, bond in enumerate(self.bonds):
            tail, head = (end.strip() for end in bond.replace("|", "").split("->"))
            found[str(k + 1)] = (head if "->|" in bond else tail).split(".")[0]
        return found


TEXTBOOK = [
    Example(
        "series circuit",
        {"u": Se(10.0), "i": one(), "L": I(0.5), "C": C(0.1), "R": R(2.0)},
        ["u ->| i", "i ->| L", "i |-> C", "i |-> R"],
        options={"domain": "electric"},
    ),
    Example(
        "parallel circuit",
        {"i": Sf(1.0), "n": zero(), "C": C(0.1), "L": I(0.5), "R": R(2.0)},
        ["i |-> n", "n |-> C", "n ->| L", "n ->| R"],
    ),
    Example(
        "mass on a moving base",
        {"v": Sf(1.0), "z": zero(), "s": one(), "k": C(0.1), "d": R(0.2), "m": I(2.0)},
        ["v |-> z", "z |-> s", "s |-> k", "s |-> d", "z ->| m"],
    ),
    Example(
        "two masses and a spring",
        {"v1": one(), "m1": I(1.0), "F": Se(1.0), "z": zero(), "k": C(0.3), "v2": one(), "m2": I(2.0), "d": R(0.1)},
        ["F ->| v1", "v1 ->| m1", "v1 |-> z", "z |-> k", "z ->| v2", "v2 ->| m2", "v2 |-> d"],
    ),
    Example(
        "two masses bolted together",
        {"F": Se(1.0), "v": one(), "m1": I(1.0), "m2": I(3.0)},
        ["F ->| v", "v ->| m1", "v |-> m2"],
        derivative=("m2",),
    ),
    Example(
        "two masses on a lever",
        {"F": Se(1.0), "v": one(), "m": I(1.0), "T": TF(2.0), "w": one(), "n": I(3.0)},
        ["F ->| v", "v ->| m", "v |-> T", "T |-> w", "w |-> n"],
        derivative=("n",),
    ),
    Example(
        "two capacitors in parallel",
        {"u": Se(1.0), "a": one(), "r": R(1.0), "z": zero(), "C1": C(1.0), "C2": C(2.0)},
        ["u ->| a", "a ->| r", "a |-> z", "z |-> C1", "z ->| C2"],
        derivative=("C2",),
    ),
    Example(
        "direct-current motor",
        {
            "u": Se(12.0, domain="electric"),
            "i": one(),
            "L": I(0.1),
            "Ra": R(1.0),
            "K": GY(0.3),
            "w": one(domain="rotation"),
            "J": I(0.02),
            "b": R(0.01),
        },
        ["u ->| i", "i ->| L", "i |-> Ra", "i |-> K", "K ->| w", "w ->| J", "w |-> b"],
    ),
    Example(
        "motor without inductance",
        {"u": Se(12.0), "i": one(), "Ra": R(1.0), "K": GY(0.3), "w": one(), "J": I(0.02)},
        ["u ->| i", "i ->| Ra", "i |-> K", "K ->| w", "w ->| J"],
    ),
    Example(
        "ladder of resistors",
        {"u": Se(1.0), "a": one(), "r1": R(2.0), "z": zero(), "r2": R(0.3), "b": one(), "r3": R(1.0), "C": C(1.0)},
        ["u ->| a", "a |-> r1", "a ->| z", "z ->| r2", "z ->| b", "b |-> C", "b ->| r3"],
        loops=(("r1", "r2", "r3"),),
    ),
    Example(
        "voltage divider",
        {"u": Se(5.0), "a": one(), "r1": R(2.0), "z": zero(), "r2": R(3.0)},
        ["u ->| a", "a |-> r1", "a ->| z", "z ->| r2"],
        loops=(("r1", "r2"),),
    ),
    Example(
        "quarter car",
        {
            "road": Sf(0.2),
            "a": zero(),
            "kt": C(1e-5),
            "vu": one(),
            "mu": I(40.0),
            "gu": Se(-392.0),
            "b": zero(),
            "s": one(),
            "k": C(5e-5),
            "d": R(1500.0),
            "vs": one(),
            "ms": I(300.0),
            "gs": Se(-2943.0),
        },
        [
            "road |-> a",
            "a |-> kt",
            "a ->| vu",
            "vu ->| mu",
            "gu ->| vu",
            "vu |-> b",
            "b |-> s",
            "s |-> k",
            "s |-> d",
            "b ->| vs",
            "vs ->| ms",
            "gs ->| vs",
        ],
        options={"domain": "translation"},
    ),
    Example(
        "pump, pipe and tank",
        {"p": Se(1e5), "a": one(), "r1": R(1e8), "t": zero(), "tank": C(1e-5), "b": one(), "r2": R(2e8)},
        ["p ->| a", "a ->| r1", "a |-> t", "t |-> tank", "t ->| b", "b ->| r2"],
        options={"domain": "hydraulic"},
    ),
    Example(
        "capacitors across a transformer",
        {"a": zero(), "c": C(1.0), "T": TF(2.0), "b": zero(), "d": C(3.0), "r": R(5.0)},
        ["a |-> c", "a ->| T", "T ->| b", "b ->| d", "a ->| r"],
        derivative=("d",),
    ),
    Example(
        "spring behind a gyrator",
        {"u": Se(1.0), "a": one(), "r": R(1.0), "G": GY(2.0), "z": zero(), "k": C(0.5), "g": R(3.0)},
        ["u ->| a", "a |-> r", "a ->| G", "G |-> z", "z |-> k", "z ->| g"],
    ),
    Example(
        "two gyrators in a row",
        {"i": Sf(1.0), "G1": GY(2.0), "G2": GY(3.0), "m": I(1.0)},
        ["i |-> G1", "G1 ->| G2", "G2 |-> m"],
        derivative=("m",),
    ),
    Example(
        "driven mass",
        {"s": Sf(1.0), "v": one(), "m": I(1.0), "d": R(0.5)},
        ["s |-> v", "v |-> m", "v |-> d"],
        derivative=("m",),
    ),
    Example(
        "capacitor on a battery",
        {"u": Se(1.5), "z": zero(), "c": C(1.0), "r": R(10.0)},
        ["u ->| z", "z ->| c", "z ->| r"],
        derivative=("c",),
    ),
    Example(
        "drive train with a gear",
        {
            "T": Se(1.0),
            "w1": one(),
            "J1": I(0.1),
            "z": zero(),
            "k": C(0.01),
            "w2": one(),
            "J2": I(0.2),
            "n": TF(0.25),
            "w3": one(),
            "b": R(0.4),
        },
        ["T ->| w1", "w1 ->| J1", "w1 |-> z", "z |-> k", "z ->| w2", "w2 ->| J2", "w2 |-> n", "n |-> w3", "w3 |-> b"],
        options={"domain": "rotation"},
    ),
    Example(
        "loudspeaker",
        {
            "u": Se(1.0),
            "i": one(),
            "Re": R(6.0),
            "L": I(1e-3),
            "Bl": GY(5.0),
            "v": one(),
            "m": I(0.02),
            "k": C(1e-3),
            "d": R(1.0),
            "A": TF(0.01),
            "Q": one(),
            "air": R(400.0),
        },
        [
            "u ->| i",
            "i |-> Re",
            "i ->| L",
            "i |-> Bl",
            "Bl ->| v",
            "v ->| m",
            "v |-> k",
            "v |-> d",
            "v |-> A",
            "A |-> Q",
            "Q |-> air",
        ],
    ),
    Example(
        "crank and slider",
        {
            "w": one(),
            "J": I(0.5),
            "T": MTF(lambda x, r: -r * np.sin(x.phi), r=0.1),
            "v": one(),
            "m": I(2.0),
            "k": C(0.01),
        },
        ["w ->| J", "w |-> T", "T |-> v", "v |-> m", "v |-> k"],
        derivative=("m",),
        options={"coordinates": {"phi": "w"}},
    ),
    Example(
        "brake that gets warm",
        {
            "w": one(domain="rotation"),
            "J": I(0.5),
            "brake": RS(0.2),
            "hot": zero(),
            "disc": C(H=lambda q, c: 300 * c * np.exp(q / c), c=2.0),
        },
        ["w ->| J", "w |-> brake", "brake |-> hot", "hot |-> disc"],
    ),
]
