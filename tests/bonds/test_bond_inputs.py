"""Wrong input of bond graphs: what was found, in the user's own names, the rule, and the way out."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.bonds import GY, IC, MGY, MTF, NIC, RS, TF, Bond, BondGraph, C, Element, I, R, Se, one, zero

nan = float("nan")
OSCILLATOR = ["F -> v -> m", "v -> k", "v -> d"]


def osc(**changes):
    elements = {"F": Se(1.0), "v": one(), "m": I(2.0), "k": C(0.1), "d": R(0.3)} | changes
    return BondGraph("osc", elements, OSCILLATOR, domain="translation")


def pair(bonds=("v -> m", "v -> k"), **options):
    return BondGraph("g", {"v": one(), "m": I(1.0), "k": C(1.0)}, bonds, **options)


def through(coupling):
    elements = {"F": Se(1.0), "v": one(), "m": I(1.0), "T": coupling, "w": one(), "k": C(1.0)}
    return BondGraph("g", elements, ["F -> v -> m", "v -> T -> w -> k"])


def wide(**elements):
    return BondGraph("g", {"v": one(), **elements}, [f"v -> {label}" for label in elements])


def hot(*, given=1.0, other="thermal"):
    elements = {"v": one(domain="translation"), "m": I(1.0), "r": RS(given), "z": zero(domain=other), "c": C(1.0)}
    return BondGraph("g", elements, ["v -> m", "v -> r -> z -> c"])


def field(element, ports=("I", "C")):
    return BondGraph("g", {"f": one(), "T": element}, [f"f -> T.{port}" for port in ports])


WRONG = {
    # -- values
    "mass that is no number": (lambda: osc(m=I(nan)).flow(), "the value of 'm' in 'osc' must be finite, got nan"),
    "mass of nothing": (lambda: osc(m=I(0.0)).flow(), "I 'm' of 'osc' must be positive, .*: got 0"),
    "negative mass": (lambda: osc(m=I(-2.0)).flow(), "I 'm' of 'osc' must be positive, .*: got -2"),
    "spring without compliance": (lambda: osc(k=C(0.0)).flow(), "C 'k' of 'osc' must be positive, .*: got 0"),
    "infinite damper": (lambda: osc(d=R(np.inf)).flow(), "the value of 'd' in 'osc' must be finite, got inf"),
    "negative damper": (lambda: osc(d=R(-0.1)).flow(), "R 'd' of 'osc' must be not negative, .*: got -0.1"),
    "negative conductance": (lambda: osc(d=R(G=-1.0)).flow(), "R 'd' of 'osc' must be not negative"),
    "complex mass": (lambda: osc(m=I(1j)).flow(), "the value of 'm' in 'osc' must be numbers, got 1j"),
    "truth as a mass": (lambda: osc(m=I(True)).flow(), "the value of 'm' in 'osc' must be numbers, got True"),
    "vector as a mass": (lambda: osc(m=I([1.0, 2.0])).flow(), r"the matrix of I 'm' of 'osc' must have shape \(2, 2\)"),
    "oblong mass": (lambda: osc(m=I([[1.0, 2.0]])).flow(), r"must have shape \(1, 1\), got \(1, 2\)"),
    "matrix of three axes": (lambda: wide(m=I(np.ones((2, 2, 2))), r=R(1.0)).flow(), r"got \(2, 2, 2\)"),
    "ragged matrix": (lambda: I([[1.0], [0.0, 1.0]]), "the value of an I has rows of different lengths"),
    "matrix with nan": (
        lambda: wide(m=I([[1.0, nan], [nan, 1]]), k=C(1.0)).flow(),
        "the value of 'm' in 'g' must be fini",
    ),
    "skewed inertia": (lambda: wide(m=I([[1.0, 0.5], [0, 1]]), k=C(1.0)).flow(), "I 'm' of 'g' must be symmetric and"),
    "indefinite resistance": (
        lambda: wide(m=I(np.eye(2)), r=R([[1, 2.0], [2, 1]])).flow(),
        "R 'r' of 'g' must be symm",
    ),
    "force that is no number": (lambda: osc(F=Se(nan)).flow(), "the value of 'F' in 'osc' must be finite, got nan"),
    "force without a value at the start": (
        lambda: vv.simulate(osc(F=Se(lambda t: 1 / t)), 1.0, 0.1),
        "no finite value",
    ),
    "transformer of zero": (lambda: through(TF(0.0)).flow(), "the modulus of TF 'T' in 'g' must not be zero"),
    "gyrator of zero": (lambda: through(GY(0.0)).flow(), "the modulus of GY 'T' in 'g' must not be zero"),
    "transformer of a zero matrix": (
        lambda: BondGraph(
            "g",
            {"v": one(), "m": I(np.eye(2)), "T": TF(np.zeros((1, 2))), "w": one(), "k": C(1.0)},
            ["v -> m", "v -> T -> w -> k"],
        ).flow(),
        "the modulus of TF 'T' in 'g' must not be zero",
    ),
    "transformer of nan": (lambda: through(TF(nan)).flow(), "the value of 'T' in 'g' must be finite"),
    "transformer of nothing": (lambda: TF(None), r"TF needs a value or a law, e.g. TF\(2.0\); got None"),
    "heater of nothing": (lambda: RS(None), "RS needs a value or a law"),
    "negative heater": (lambda: hot(given=-1.0).flow(), "RS 'r' of 'g' must be not negative"),
    "modulated by a number": (lambda: MTF(2.0), r"an MTF has a function of states, .*; TF\(2.0\) is constant"),
    "gyrator modulated by a number": (lambda: MGY(2.0), "an MGY has a function of states"),
    "gyrator of one scalar bond": (
        lambda: BondGraph("g", {"v": one(), "m": I(1.0), "G": GY(1.0)}, ["v -> m", "v -> G"]).flow(),
        "GY 'G' of 'g' has one bond, so its matrix must be skew",
    ),
    "store with negative mass": (lambda: field(NIC(-np.eye(2), lambda f: [0, 0], width=2)).flow(), "positive definite"),
    "store with a singular mass": (
        lambda: field(NIC(np.zeros((2, 2)), lambda f: [0, 0], width=2)).flow(),
        "NIC 'T' of",
    ),
    "store that makes energy": (
        lambda: field(NIC(np.eye(2), lambda f: [f[0], f[1]], width=2)).flow(),
        r"the gyration force of NIC 'T' in 'g' has the power f_T_1\*\*2 \+ f_T_2\*\*2",
    ),
    "store of another width": (
        lambda: field(NIC(np.eye(3), lambda f: [0, 0], width=2)).flow(),
        r"must have shape \(2, 2\)",
    ),
    "gyration of another width": (
        lambda: field(NIC(np.eye(2), lambda f: [0], width=2)).flow(),
        "the gyration force of NIC",
    ),
    "store without gyration": (lambda: NIC(np.eye(2), None, width=2), "the gyration force of NIC is a function"),
    # -- functions
    "keyword that a number has not": (lambda: I(2.0, mass=3.0), "an I by a number has no parameter 'mass'"),
    "source with an energy": (lambda: Se(H=3), "an Se by a number has no parameter 'H'"),
    "parameter that is not used": (lambda: C(H=lambda q, k: k * q**2, k=1.0, l=2.0), "its parameter 'l': a misprint"),
    "parameter that is not given": (lambda: osc(k=C(H=lambda q, a: a * q**2)).flow(), "asks for the argument 'a'"),
    "parameter that is no number": (lambda: C(H=lambda q, k: k * q**2, k=nan), "parameter 'k' of a C must be finite"),
    "parameter that is a word": (lambda: C(H=lambda q, k: k * q**2, k="hard"), "parameter 'k' of a C must be a number"),
    "parameter that is a vector": (
        lambda: C(H=lambda q, k: k * q**2, k=[1, 2]),
        "parameter 'k' of a C must be one number",
    ),
    "energy of the wrong state": (lambda: osc(k=C(H=lambda p: p**2)).flow(), "asks for the argument 'p'"),
    "energy that fails": (
        lambda: osc(k=C(H=lambda q: q.nothing)).flow(),
        "the energy of C 'k' in 'osc' cannot be traced",
    ),
    "energy of nothing": (lambda: osc(k=C(H=lambda q: None)).flow(), "must return numbers, got None"),
    "energy as a number": (lambda: C(H=3.0), "the energy H of C is a function, e.g. lambda q: q"),
    "energy as a text": (lambda: I(H="p**2"), "the energy H of I is a function"),
    "function that is no energy": (lambda: C(lambda q: q), r"a function of C is its energy: C\(H=lambda q"),
    "number and energy": (lambda: C(1.0, H=lambda q: q), "C takes either a number"),
    "resistance below zero": (
        lambda: osc(d=R(lambda f: -1.0 - f**2)).flow(),
        "the law of R 'd' in 'osc' must not be nega",
    ),
    "conductance below zero": (
        lambda: BondGraph("g", {"z": zero(), "c": C(1.0), "d": R(G=lambda e: e)}, ["z -> c", "z -> d"]).flow(),
        "the law of R 'd' in 'g' must not be negative",
    ),
    "field of energy without a law": (lambda: IC(None), "the energy H of IC is a function"),
    "foreign symbol": (lambda: osc(k=C(H=sympy.Symbol("z") ** 2)).flow(), "has the symbol 'z'; it may have"),
    # -- units
    "mass in seconds": (
        lambda: osc(m=I("2 s")),
        "I 'm' of 'osc' is given in s, but has the unit kg at a bond of the dom",
    ),
    "force in volts": (lambda: osc(F=Se("2 V")), "Se 'F' of 'osc' is given in V, but has the unit N at a bond"),
    "stiffness for a compliance": (
        lambda: osc(k=C("50 N/m")),
        "C 'k' of 'osc' is given in N/m, but has the unit kg.-1 s.2",
    ),
    "conductance for a resistance": (lambda: osc(d=R("2 m/(N s)")), "R 'd' of 'osc' is given in"),
    "resistance for a conductance": (lambda: osc(d=R(G="2 N s/m")), "R 'd' of 'osc' is given in N s/m"),
    "ratio with a unit": (
        lambda: BondGraph(
            "g",
            {
                "v": one(domain="translation"),
                "m": I(1.0),
                "T": TF("2 1/m"),
                "w": one(domain="translation"),
                "k": C(1.0),
            },
            ["v -> m", "v -> T -> w -> k"],
        ),
        "TF 'T' of 'g' is given in 1/m, but has the unit 1",
    ),
    "motor constant of a transformer": (
        lambda: BondGraph(
            "g",
            {"v": one(domain="electric"), "m": I(1.0), "K": GY("2 V"), "w": one(domain="rotation"), "k": C(1.0)},
            ["v -> m", "v -> K -> w -> k"],
        ),
        "GY 'K' of 'g' is given in V, but has the unit kg m.2 s.-2 A.-1 at a bond of the domain electric and rotation",
    ),
    "units without a domain": (
        lambda: pair() and wide(m=I("2 kg"), k=C(1.0)),
        "I 'm' of 'g' has units, but its bond is of",
    ),
    "unit that is none": (lambda: I("2 foo"), "'foo' is none of rad"),
    "unit without a number": (lambda: I("kg"), "must be a number, or a number with a unit such as '100 mH', got 'kg'"),
    "number as a text": (lambda: I("2"), "must be a number, or a number with a unit"),
    "unit that can be read twice": (lambda: R("2 N/m s"), r"can be read in two ways: use brackets, a/\(b c\)"),
    "unit with an open bracket": (lambda: R("2 N/(m"), "must be names with powers such as"),
    "unit with a sign": (lambda: R("2 N+m"), "must be names with powers such as"),
    "two units": (lambda: I("2 kg", unit="kg"), "has two units"),
    "unit of a function": (lambda: C(H=lambda q: q**2, unit="J"), "which is the unit of numbers"),
    "energy that is no energy": (
        lambda: osc(k=C(H=lambda q, k: k * q, k="3 N/m")).flow(),
        "the energy of C 'k' in 'osc' has the unit kg m s.-2, but must have kg m.2 s.-2",
    ),
    "energy with unbalanced terms": (
        lambda: osc(k=C(H=lambda q, k, c: k * q**2 + c * q**4, k="3 N/m", c="2 N/m")).flow(),
        "the energy of C 'k' in 'osc' adds .* and .*: units must balance",
    ),
    "sine of a length": (
        lambda: osc(k=C(H=lambda q, a: a * np.sin(q), a="3 J")).flow(),
        r"has sin\(q_k\), of q_k \[m\]: it takes a number without a unit",
    ),
    "resistance of another unit": (
        lambda: osc(d=R(lambda f, a: a * f, a="3 N s/m")).flow(),
        "the law of R 'd' in 'osc' has the unit kg m s.-2, but must have kg s.-1",
    ),
    "source of another unit": (
        lambda: osc(F=Se(lambda t, a, w: a * np.sin(w * t), a="3 N", w="2 s")).flow(),
        "it takes a number without a unit",
    ),
    # -- elements and names
    "kind that there is not": (lambda: wide(m=Element("X"), k=C(1.0)), "'m' of 'g' is of no known kind: 'X'"),
    "constructor that was not called": (lambda: wide(m=I, k=C(1.0)), r"'m' of 'g' must be an element such as I\(2.0\)"),
    "number as a name": (lambda: BondGraph("g", {1: one()}, []), "an element of 'g' is called 1: use a name"),
    "no name": (lambda: BondGraph("g", {"": one()}, []), "an element of 'g' is called '': use a name"),
    "sum as a name": (lambda: wide(**{"m+1": I(1.0), "k": C(1.0)}), r"is called 'm\+1': use a name without"),
    "stroke in a name": (lambda: wide(**{"m|": I(1.0), "k": C(1.0)}), r"is called 'm\|': use a name"),
    "graph without a name": (lambda: BondGraph(None, {"v": one()}, []), "the name of a bond graph must be a non-empty"),
    "time as a name": (lambda: wide(t=I(1.0), k=C(1.0)).flow(), "two things called 't', time and element 't'"),
    "unknown domain": (lambda: pair(domain="sound"), "bond graph 'g' has no domain 'sound'; there are translation"),
    "width of a half": (lambda: I(1.0, width=2.5), "the width of a bond at I must be a positive integer, got 2.5"),
    "width that is true": (lambda: I(1.0, width=True), "must be a positive integer, got True"),
    "junction of no width": (lambda: one(width=0), "the width of a bond at 1 must be a positive integer, got 0"),
    "junction of a wide word": (
        lambda: zero(width="a"),
        "the width of a bond at 0 must be a positive integer, got 'a'",
    ),
    "width against a matrix": (
        lambda: wide(m=I(np.eye(3), width=2), k=C(1.0)).flow(),
        r"must have shape \(2, 2\), got",
    ),
    "free in words": (lambda: one(free="no"), "free of a 1-junction is True or False, got 'no'"),
    "temperature below zero": (lambda: pair(theta0=-1.0), r"theta0 of a bond graph \[K\] must be positive, got -1"),
    "temperature of nan": (lambda: pair(theta0=nan), r"theta0 of a bond graph \[K\] must be finite"),
    # -- bonds
    "no list of bonds": (lambda: pair(None), "are a list of chains such as 'a -> b', got None"),
    "numbers as bonds": (lambda: pair([1, 2]), "the bond 1 of 'g' must be a chain"),
    "no bonds": (lambda: pair([]), "junction 'v' of 'g' has no bonds"),
    "arrow to the left": (lambda: pair(["v <- m", "v -> k"]), "the bond 'v <- m' of 'g' must be a chain"),
    "line for an arrow": (lambda: pair(["v - m", "v -> k"]), "the bond 'v - m' of 'g' must be a chain"),
    "written stroke": (
        lambda: pair(["v ->| m", "v -> k"]),
        r"the bond 'v ->\| m' of 'g' has a causal stroke: these are",
    ),
    "bonds of one name": (
        lambda: pair([Bond("1", "v", "m"), Bond("1", "v", "k")]),
        "two bonds called '1', v -> m and v -> k: rename one",
    ),
    "bond to nowhere": (lambda: pair([Bond("1", "v", "x"), Bond("2", "v", "k")]), "has no 'x'"),
    "port that there is not": (lambda: pair([Bond("1", "v", "m", "", "a"), Bond("2", "v", "k")]), "has no port 'a'"),
    "storage at a storage": (
        lambda: BondGraph("g", {"m": I(1.0), "k": C(1.0)}, ["m -> k"]),
        "Put a junction between them",
    ),
    "transformer with arrows inwards": (
        lambda: BondGraph(
            "g",
            {"v": one(), "m": I(1.0), "T": TF(1.0), "w": one(), "k": C(1.0)},
            ["v -> m", "v -> T", "w -> T", "w -> k"],
        ),
        "TF 'T' of 'g' has 2 bonds at the ports in, in",
    ),
    "field with a port twice": (lambda: field(IC(H=lambda q, p: p**2), ("I", "I")), "has 2 bonds at the ports I, I"),
    "heat into a coil": (lambda: hot(other="electric"), "two values of its domain: thermal by 'r' and electric by 'z'"),
    "thermal inertia": (lambda: pair(domain="thermal"), "I 'm' of 'g' is at a thermal bond: entropy has no momentum"),
    "thermal resistor": (
        lambda: BondGraph("g", {"z": zero(), "c": C(1.0), "r": R(1.0)}, ["z -> c", "z -> r"], domain="thermal"),
        "R 'r' of 'g' is at a thermal bond: a resistor makes heat, which an RS leads on",
    ),
    # -- coordinates, runs
    "coordinates in one word": (lambda: pair(coordinates="v"), "coordinates of 'g' are {name: 1-junction}, got 'v'"),
    "coordinate of nothing": (lambda: pair(coordinates={"x": "w"}), "integrates the flow of a 1-junction; 'w' is none"),
    "coordinate without a name": (lambda: pair(coordinates={1: "v"}), "a coordinate of 'g' is called 1"),
    "time as a coordinate": (
        lambda: pair(coordinates={"t": "v"}).flow(),
        "a state of 'g' is called 't', which is time",
    ),
    "start at nan": (
        lambda: vv.simulate(osc(), 1.0, 0.1, initial={"p_m": nan}),
        "initial value of 'p_m' must be finite",
    ),
    "start of a vector": (lambda: vv.simulate(osc(), 1.0, 0.1, initial={"p_m": [1, 2]}), "must be one number"),
    "start of what follows": (
        lambda: vv.simulate(wide(a=I(1.0), b=I(1.0), k=C(1.0)), 1.0, 0.1, initial={"p_b": 1.0}),
        "state 'p_b' of 'g' follows from others, as 'b' is in derivative causality: start those, p_a, q_k",
    ),
    "step of nothing": (lambda: vv.simulate(osc(), 1.0, 0.0), r"h \[s\] must be positive, got 0"),
    "loop of gain one": (
        lambda: vv.simulate(
            BondGraph(
                "g",
                {"u": Se(1.0), "a": one(), "T": TF(-1.0), "b": zero(), "r": R(1.0)},
                ["u -> a -> b", "a -> T -> b", "b -> r"],
            ),
            1.0,
            0.1,
        ),
        "the algebraic loops and derivative causality of 'g' have no unique solution here: T",
    ),
    "storages that follow each other": (
        lambda: (
            BondGraph(
                "g",
                {"z": zero(), "c": C(np.eye(2)), "T": TF(np.ones((2, 2))), "w": one(), "m": I(np.eye(2))},
                ["z -> c", "z -> T -> w -> m"],
            )
            .flow()
            .rates(0.0, None, np.zeros(0), None)
        ),
        r"what storages in derivative causality \(c, m\) of 'g' follow depends on",
    ),
    "picture of another kind": (lambda: osc().draw("osc.xyz"), "must end with .svg, .png or .pdf"),
    "graph of a graph": (lambda: vv.bond_graph(osc()), "takes a Composite, a Mechanism, a KaneSystem.* got BondGraph"),
    "data of nothing": (lambda: BondGraph.from_dict(None), "this is no bond graph as to_dict writes it"),
    "data of a list": (lambda: BondGraph.from_dict([]), "this is no bond graph as to_dict writes it"),
    # -- text
    "text without a head": (lambda: BondGraph.from_text("m = I(2.0)"), "must begin with 'bond graph <name>'"),
    "text of nothing": (lambda: BondGraph.from_text(""), "must begin with 'bond graph <name>'"),
    "text with a stray line": (lambda: BondGraph.from_text("bond graph g\nhello"), "cannot be read: 'hello'"),
    "text with a foreign function": (
        lambda: BondGraph.from_text("bond graph g\nm = open('a')"),
        "must have one of C, I, R",
    ),
    "text with a call within": (
        lambda: BondGraph.from_text("bond graph g\nm = I(open('a'))"),
        "cannot be read: .m = I",
    ),
    "text with a syntax of its own": (lambda: BondGraph.from_text("bond graph g\nm = I(2"), "cannot be read"),
    "text without a value": (lambda: BondGraph.from_text("bond graph g\nT = TF()"), "does not say what TF needs"),
    "text with an element twice": (
        lambda: BondGraph.from_text("bond graph g\nm = I(2)\nm = I(3)"),
        "two elements called 'm'",
    ),
    "text with a law that is run": (
        lambda: BondGraph.from_text("bond graph g\nk = C(H=\"__import__('os')\")"),
        "expressions have numbers",
    ),
    "text with a start that is no number": (lambda: BondGraph.from_text("bond graph g\np(0) = x"), "cannot be read"),
}


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_wrong_input_is_named(case):
    make, message = WRONG[case]
    with pytest.raises(vv.ModelError, match=message):
        make()
