"""Bond graphs worked out by hand: causal strokes, storages that follow, algebraic loops, and the state equations.

A bond "a ->| b" has its stroke at b, "a |-> b" at a. Numbers of elements have their names as symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from textbook_graphs import Example

from visviva.bonds import GY, IC, MGY, MTF, TF, C, I, R, Se, Sf, one, zero


@dataclass(frozen=True, eq=False)
class Worked(Example):
    rates: dict[str, str] = field(default_factory=dict)
    dependent: dict[str, str] = field(default_factory=dict)


WORKED = [
    Worked(
        "motor, gear and load",
        {
            "u": Se(12.0), "i": one(), "L": I(0.1), "Ra": R(1.0), "K": GY(0.3), "w1": one(), "J1": I(0.02), "b": R(0.01),
            "n": TF(0.1), "w2": one(), "J2": I(0.5), "T": Se(-0.2),
        },
        ["u ->| i", "i ->| L", "i |-> Ra", "i |-> K", "K ->| w1", "w1 ->| J1", "w1 |-> b", "w1 |-> n", "n |-> w2",
         "w2 |-> J2", "T ->| w2"],
        derivative=("J2",),
        rates={
            "p_L": "u - Ra*p_L/L - K*p_J1/J1",
            "p_J1": "J1/(J1 + n**2*J2)*(K*p_L/L - b*p_J1/J1 + n*T)",
        },
        dependent={"p_J2": "n*J2*p_J1/J1"},
    ),
    Worked(
        "hydraulic servo",
        {
            "Q": Sf(lambda t, Q0: Q0 * np.sin(t), Q0=1e-4), "z": zero(), "oil": C(1e-12), "leak": R(1e11), "A": TF(500.0),
            "v": one(), "m": I(20.0), "d": R(100.0), "k": C(1e-4),
        },
        ["Q |-> z", "z |-> oil", "z ->| leak", "z ->| A", "A ->| v", "v ->| m", "v |-> d", "v |-> k"],
        rates={
            "q_oil": "Q0*sin(t) - q_oil/oil/leak - p_m/m/A",
            "p_m": "q_oil/oil/A - d*p_m/m - q_k/k",
            "q_k": "p_m/m",
        },
    ),
    Worked(
        "quarter car with a skyhook",
        {
            "road": Sf(lambda t: np.cos(3 * t)), "a": zero(), "kt": C(1e-5), "vu": one(), "mu": I(40.0), "b": zero(),
            "s": one(), "k": C(5e-5), "d": R(1500.0), "vs": one(), "ms": I(300.0),
            "sky": Se(lambda x, c: -c * x.p_ms, c=4.0),
        },
        ["road |-> a", "a |-> kt", "a ->| vu", "vu ->| mu", "vu |-> b", "b |-> s", "s |-> k", "s |-> d", "b ->| vs",
         "vs ->| ms", "sky ->| vs"],
        rates={
            "q_kt": "cos(3*t) - p_mu/mu",
            "p_mu": "q_kt/kt - q_k/k - d*(p_mu/mu - p_ms/ms)",
            "q_k": "p_mu/mu - p_ms/ms",
            "p_ms": "q_k/k + d*(p_mu/mu - p_ms/ms) - c*p_ms",
        },
    ),
    Worked(
        "circuits coupled by a transformer",
        {"u": Se(5.0), "a": one(), "L": I(0.2), "r": R(3.0), "T": TF(2.0), "z": zero(), "c": C(1e-3), "g": R(50.0)},
        ["u ->| a", "a ->| L", "a |-> r", "a |-> T", "T |-> z", "z |-> c", "z ->| g"],
        rates={"p_L": "u - r*p_L/L - T*q_c/c", "q_c": "T*p_L/L - q_c/c/g"},
    ),
    Worked(
        "two coils across a transformer",
        {"u": Se(5.0), "a": one(), "L1": I(0.2), "T": TF(2.0), "b": one(), "L2": I(0.3), "r": R(4.0)},
        ["u ->| a", "a ->| L1", "a |-> T", "T |-> b", "b |-> L2", "b |-> r"],
        derivative=("L2",),
        rates={"p_L1": "L1/(L1 + T**2*L2)*(u - T**2*r*p_L1/L1)"},
        dependent={"p_L2": "T*L2*p_L1/L1"},
    ),
    Worked(
        "three masses joined rigidly",
        {"F": Se(1.0), "v": one(), "a": I(1.0), "b": I(2.0), "c": I(3.0), "d": R(0.5)},
        ["F ->| v", "v ->| a", "v |-> b", "v |-> c", "v |-> d"],
        derivative=("b", "c"),
        rates={"p_a": "a/(a + b + c)*(F - d*p_a/a)"},
        dependent={"p_b": "b*p_a/a", "p_c": "c*p_a/a"},
    ),
    Worked(
        "capacitor across two others",
        {"i": Sf(1.0), "z": zero(), "a": C(1.0), "s": one(), "b": C(2.0), "c": C(3.0), "r": R(4.0)},
        ["i |-> z", "z |-> a", "z ->| s", "s |-> b", "s ->| c", "z ->| r"],
        derivative=("c",),
        rates={  # b and c in series carry one current, so both together follow a
            "q_a": "(i - q_a/a/r)*(b + c)/(b + c + b*c/a)",
            "q_b": "(i - q_a/a/r)*b*c/(a*b + a*c + b*c)",
        },
        dependent={"q_c": "c*(q_a/a - q_b/b)"},
    ),
    Worked(
        "resistors in a bridge",
        {
            "u": Se(10.0), "n": zero(), "l": one(), "r1": R(1.0), "m": zero(), "r2": R(2.0), "r": one(), "r3": R(3.0),
            "o": zero(), "r4": R(4.0), "d": one(), "c": C(1e-3),
        },
        ["u ->| n", "n ->| l", "l |-> r1", "l ->| m", "m ->| r2", "n ->| r", "r ->| r3", "r |-> o", "o ->| r4",
         "m ->| d", "d ->| o", "d |-> c"],
        loops=(("r1", "r2", "r3", "r4"),),
        rates={  # Thévenin between the middles
            "q_c": "(u*(r2/(r1 + r2) - r4/(r3 + r4)) - q_c/c)/(r1*r2/(r1 + r2) + r3*r4/(r3 + r4))",
        },
    ),
    Worked(
        "two loops of resistors",
        {
            "u": Se(1.0), "a": one(), "r1": R(2.0), "z": zero(), "r2": R(3.0), "b": one(), "L": I(0.1), "y": zero(),
            "r3": R(4.0), "e": one(), "r4": R(5.0), "c": C(0.2),
        },
        ["u ->| a", "a |-> r1", "a ->| z", "z ->| r2", "z ->| b", "b ->| L", "b |-> y", "y |-> r3", "y ->| e",
         "e ->| r4", "e |-> c"],
        loops=(("r1", "r2"), ("r3", "r4")),
        rates={
            "p_L": "(u/r1 - p_L/L)*r1*r2/(r1 + r2) - (p_L/L + q_c/c/r4)*r3*r4/(r3 + r4)",
            "q_c": "(r3*p_L/L - q_c/c)/(r3 + r4)",
        },
    ),
    Worked(
        "gyrator makes a capacitor of a coil",
        {"u": Se(1.0), "a": one(), "r": R(2.0), "G": GY(3.0), "L": I(0.5)},
        ["u ->| a", "a ->| r", "a |-> G", "G ->| L"],
        rates={"p_L": "G*(u - G*p_L/L)/r"},
    ),
    Worked(
        "two gyrators are a transformer",
        {"F": Se(1.0), "v": one(), "m": I(1.0), "G": GY(2.0), "H": GY(3.0), "w": one(), "k": C(0.1)},
        ["F ->| v", "v ->| m", "v |-> G", "G ->| H", "H |-> w", "w |-> k"],
        rates={"p_m": "F - G/H*q_k/k", "q_k": "G/H*p_m/m"},
    ),
    Worked(
        "three gyrators are a gyrator",
        {"a": one(), "m": I(1.0), "G": GY(2.0), "H": GY(3.0), "K": GY(5.0), "b": one(), "n": I(0.5), "d": R(0.1)},
        ["a ->| m", "a |-> G", "G ->| H", "H |-> K", "K ->| b", "b ->| n", "b |-> d"],
        rates={"p_m": "-G*K/H*p_n/n", "p_n": "G*K/H*p_m/m - d*p_n/n"},
    ),
    Worked(
        "voltage regulator with a one-sided resistor",
        {"u": Se(5.0), "a": one(), "r": R(1.0), "z": zero(), "c": C(1.0), "d": R(G=lambda e, g: g * e**2, g=0.1)},
        ["u ->| a", "a ->| r", "a |-> z", "z |-> c", "z ->| d"],
        rates={"q_c": "(u - q_c/c)/r - g*(q_c/c)**3"},
    ),
    Worked(
        "coil that a diode discharges",
        {"n": one(), "L": I(0.1), "d": R(lambda f, a: a / (1 + f**2), a=0.7), "r": R(0.2)},
        ["n ->| L", "n |-> d", "n |-> r"],
        rates={"p_L": "-(a/(1 + (p_L/L)**2) + r)*p_L/L"},
    ),
    Worked(
        "field of kinetic energy",
        {"w": one(), "T": IC(H=lambda q, p, m, l: p**2 / (2 * m * (l + q) ** 2), m=2.0, l=1.0), "M": Se(0.3)},
        ["M ->| w", "w ->| T.I", "w |-> T.C"],
        rates={"q_T": "p_T/(m*(l + q_T)**2)", "p_T": "M + p_T**2/(m*(l + q_T)**3)"},
    ),
    Worked(
        "modulated transformer and gyrator",
        {
            "w": one(), "J": I(0.5), "T": MTF(lambda x, r: r * np.cos(x.phi), r=0.2), "y": one(), "k": C(0.1),
            "G": MGY(lambda x, a: a * x.q_k, a=3.0), "i": one(), "L": I(0.01), "u": Se(2.0), "ra": R(1.0),
        },
        ["w ->| J", "w |-> T", "T |-> y", "y |-> k", "u ->| i", "i ->| L", "i |-> ra", "i |-> G", "G ->| w"],
        options={"coordinates": {"phi": "w"}},
        rates={
            "phi": "p_J/J",
            "p_J": "a*q_k*p_L/L - r*cos(phi)*q_k/k",
            "q_k": "r*cos(phi)*p_J/J",
            "p_L": "u - ra*p_L/L - a*q_k*p_J/J",
        },
    ),
    Worked(
        "pump with a relief valve",
        {"Q": Sf(1e-3), "z": zero(), "v": R(G=1e-9), "s": one(), "pipe": I(1e6), "r": R(1e7), "tank": C(1e-5)},
        ["Q |-> z", "z |-> v", "z ->| s", "s ->| pipe", "s |-> r", "s |-> tank"],
        rates={"p_pipe": "(Q - p_pipe/pipe)/v - r*p_pipe/pipe - q_tank/tank", "q_tank": "p_pipe/pipe"},
    ),
    Worked(
        "bar with a driven end",
        {"v": Sf(lambda t: np.sin(t)), "a": one(), "m": I(2.0), "z": zero(), "k": C(0.1), "b": one(), "n": I(3.0)},
        ["v |-> a", "a |-> m", "a |-> z", "z |-> k", "z ->| b", "b ->| n"],
        derivative=("m",),
        rates={"q_k": "sin(t) - p_n/n", "p_n": "q_k/k"},
        dependent={"p_m": "m*sin(t)"},
    ),
    Worked(
        "masses and springs by turns, one follows through a spring's node",
        {"F": Se(1.0), "v": one(), "m": I(1.0), "z": zero(), "k": C(0.2), "n": TF(3.0), "y": zero(), "c": C(0.5)},
        ["F ->| v", "v ->| m", "v |-> z", "z |-> k", "z ->| n", "n ->| y", "y ->| c"],
        derivative=("c",),
        rates={"p_m": "F - q_k/k", "q_k": "p_m/m*k*n**2/(k*n**2 + c)"},
        dependent={"q_c": "c*q_k/k/n"},
    ),
    Worked(
        "rectangular transformer",
        {
            "v": one(), "M": I([[2.0, 0.0], [0.0, 3.0]]), "S": TF([[1.0, -1.0]]), "w": one(), "k": C(0.1),
        },
        ["v ->| M", "v |-> S", "S |-> w", "w |-> k"],
        rates={"p_M_1": "-q_k/k", "p_M_2": "q_k/k", "q_k": "p_M_1/2 - p_M_2/3"},
    ),
    Worked(
        "coils with mutual inductance",
        {
            "pair": one(), "L": I([[2.0, 1.0], [1.0, 3.0]]), "P": TF([[1.0, 0.0]]), "a": one(), "u": Se(1.0), "r1": R(0.5),
            "S": TF([[0.0, 1.0]]), "b": one(), "r2": R(0.7),
        },
        ["pair ->| L", "pair |-> P", "P |-> a", "u ->| a", "a |-> r1", "pair |-> S", "S |-> b", "b |-> r2"],
        rates={
            "p_L_1": "u - r1*(3*p_L_1 - p_L_2)/5",
            "p_L_2": "-r2*(2*p_L_2 - p_L_1)/5",
        },
    ),
]  # fmt: skip
