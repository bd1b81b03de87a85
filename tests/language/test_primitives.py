"""Primitive systems: what they hold, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from systems import coupling, damper, displacement, entropy, momentum, spring

import visviva as vv
from visviva.language import Quantity, UntraceableError, environment, irreversible, reversible, storage

q, p = sympy.symbols("q p", real=True)


def test_an_energy_is_traced_once_with_its_parameters_as_symbols():
    energy = spring(k=1.5).H
    k, number = energy.parameters["k"]
    assert energy.values.item() == k * energy.states["q"][0] ** 2 / 2
    assert number == 1.5


def test_numpy_functions_and_arrays_are_traced():
    box = storage(
        {"v": Quantity("R3", "velocity")}, H=lambda x: np.sqrt(1 + x.v @ x.v) + np.sum(np.sin(x.v)) + np.exp(-x.v[0])
    )
    a, b, c = box.H.states["v"]
    expected = sympy.sqrt(1 + a**2 + b**2 + c**2) + sympy.sin(a) + sympy.sin(b) + sympy.sin(c) + sympy.exp(-a)
    assert sympy.simplify(box.H.values.item() - expected) == 0


def test_a_pose_has_a_rotation_and_a_translation():
    box = storage({"q": Quantity("SE(3)", "pose")}, H=lambda x, m: 9.81 * m * x.q.r[2] + np.trace(x.q.R), m=2.0)
    symbols = box.H.states["q"]
    assert len(symbols) == 12
    value = box.H.numeric(300.0)(np.array([0, 0, 0.5, 1, 0, 0, 0, 1, 0, 0, 0, 1.0]))
    assert value == pytest.approx(9.81 + 3)


def test_halves_stay_halves():
    assert spring().H.values.item().atoms(sympy.Float) == set()


UNTRACEABLE = {
    "branch": (lambda x: 1.0 if x.q > 0 else 2.0, "compares a state"),
    "truth": (lambda x: x.q or 1.0, "branches on the value of a state"),
    "math": (lambda x: math.sin(x.q), "turns a state into a float"),
    "floor": (lambda x: np.floor(x.q), "np.floor, which jumps"),
    "unknown port": (lambda x: x.p**2, "asks for x.p; there is x.q"),
    "foreign": (lambda x: complex(x.q), "turns a state into a float"),
    "attribute": (lambda x: x.q.mean(), "mean"),
}


@pytest.mark.parametrize(("H", "reason"), UNTRACEABLE.values(), ids=UNTRACEABLE)
def test_what_cannot_be_traced_says_why(H, reason):
    with pytest.raises(UntraceableError, match=f"energy H of a storage cannot be traced: .*{reason}"):
        storage({"q": displacement}, H=H)


BAD_STORAGES = {
    "parameter like the port": (
        lambda: storage({"q": displacement}, H=lambda x, q: q * x.q, q=4.0),
        "two things called 'q'",
    ),
    "parameter theta_0": (
        lambda: storage({"q": displacement}, H=lambda x, theta_0: theta_0 * x.q, theta_0=1.0),
        "theta_0",
    ),
    "not a number": (lambda: storage({"q": displacement}, H=lambda x: np.nan * x.q), "must be finite"),
    "unused with a constant": (lambda: storage({"q": displacement}, H=0.0, k=3.0), "does not depend on .* 'k'"),
    "index": (lambda: storage({"v": Quantity("R3", "v")}, H=lambda x: x.v[3]), "cannot be traced: index 3"),
    "two ports": (lambda: storage({"q": displacement, "p": momentum}, H=lambda x: x.q), "exactly one power port"),
    "state port": (lambda: storage({"q": displacement.state}, H=lambda x: x.q), "exactly one power port"),
    "no ports": (lambda: storage({}, H=lambda x: 0.0), "dictionary of ports"),
    "no quantity": (lambda: storage({"q": 3}, H=lambda x: x.q), "port 'q' of a storage needs a Quantity"),
    "bad name": (lambda: storage({"q r": displacement}, H=lambda x: 0), "is no identifier"),
    "vector": (lambda: storage({"q": displacement}, H=lambda x: [x.q, x.q]), "must be one number"),
    "text": (lambda: storage({"q": displacement}, H=lambda x: "much"), "must return numbers"),
    "unused parameter": (lambda: storage({"q": displacement}, H=lambda x, k: x.q, k=1.0), "does not depend on .* 'k'"),
    "missing parameter": (lambda: storage({"q": displacement}, H=lambda x, k: k * x.q), "asks for the argument 'k'"),
    "NaN parameter": (lambda: storage({"q": displacement}, H=lambda x, k: k * x.q, k=np.nan), "must be finite"),
    "reserved": (lambda: storage({"q": displacement}, H=lambda x, e: e * x.q, e=1.0), "name of an argument"),
    "entropy vector": (lambda: Quantity("R2", "entropy"), "entropy is a number"),
    "number": (lambda: Quantity(3, "thing"), "given by its name"),
    "no dimension": (lambda: Quantity("R0", "thing"), "no state space 'R0'"),
    "no space": (lambda: Quantity("Q7", "thing"), "no state space 'Q7'"),
    "no quantity name": (lambda: Quantity("R", ""), "non-empty string"),
}


@pytest.mark.parametrize(("make", "message"), BAD_STORAGES.values(), ids=BAD_STORAGES)
def test_bad_storages_and_quantities(make, message):
    with pytest.raises(vv.ModelError, match=message):
        make()


PAIR = {"q": displacement, "p": momentum}
HEAT = {"p": momentum, "s": entropy}
BAD_STRUCTURES = {
    "not skew": (lambda: reversible(PAIR, J=[[0, 1], [-0.9, 0]]), r"must be skew, .* is 0\.1"),
    "not skew somewhere": (lambda: reversible(PAIR, J=lambda x: [[0, 1 + x.q], [-1, 0]]), "must be skew"),
    "shape": (lambda: reversible(PAIR, J=[[0]]), r"shape \(2, 2\) over its power ports q \(1\), p \(1\)"),
    "nothing": (lambda: reversible(PAIR), "needs J or C"),
    "rows": (lambda: reversible(PAIR, C=[[1, 2, 3]]), "must have 2 columns"),
    "no rows": (lambda: reversible(PAIR, C=np.zeros((0, 2))), "must have 2 columns"),
    "no power": (lambda: reversible({"q": displacement.state}, J=np.zeros((0, 0))), "at least one power port"),
    "not skew in its domain": (
        lambda: reversible(PAIR, J=lambda x: [[0, np.log(x.q)], [-0.9 * np.log(x.q), 0]]),
        "must be skew",
    ),
    "a small entry beside a large one": (
        lambda: reversible(PAIR | {"r": momentum}, J=[[0, 1e10, 0], [-1e10, 0, 1], [0, -0.5, 0]]),
        "must be skew",
    ),
    "unused": (lambda: reversible(PAIR, J=[[0, 1], [-1, 0]], k=2.0), "does not depend on its parameter 'k'"),
    "not symmetric": (lambda: irreversible(HEAT, M=[[1, 0], [1, 0]]), r"must be symmetric \(Onsager\)"),
    "negative": (lambda: irreversible(HEAT, M=[[-1, 0], [0, 0]]), "must be positive semidefinite"),
    "loses energy": (lambda: irreversible(HEAT, M=[[1, 0], [0, 0]]), "must conserve energy"),
    "no entropy": (lambda: irreversible({"p": momentum}, M=[[1]]), "no entropy port"),
    "cold": (lambda: environment({"s": entropy}, theta0=-3.0), "must be positive"),
    "state": (lambda: environment({"s": entropy.state}), "power ports only"),
}


@pytest.mark.parametrize(("make", "message"), BAD_STRUCTURES.values(), ids=BAD_STRUCTURES)
def test_bad_structures(make, message):
    with pytest.raises(vv.ModelError, match=message):
        make()


def test_structures_are_traced():
    assert coupling().J.values.tolist() == [[0, 1], [-1, 0]]
    M, d = damper(0.7).M, sympy.Symbol("d", real=True)
    assert M.values[1, 0] == -d * M.efforts["p"][0]


def test_spaces_have_one_spelling():
    assert Quantity("SO(3)", "x") == Quantity("SO3", "x")
    assert Quantity("R1", "x") == Quantity("R", "x")
    assert Quantity("R^3", "x") == Quantity("R3", "x") != Quantity("R3", "y")
    assert Quantity("SE3", "pose").dim == Quantity("se(3)*", "momentum").dim == 6
    assert Quantity("SO2xR", "joint").dim == 2


def test_arguments_with_defaults_are_left_alone():
    assert storage({"q": displacement}, H=lambda x, k=2.0: k * x.q).H.values.item() == 2 * sympy.Symbol("q", real=True)
