"""Structures: every law over every kind, and each law against an implementation that breaks it."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.geometry import SE3
from visviva.structure import (
    Dirac,
    Kinestatics,
    Onsager,
    close,
    compose,
    cylindrical,
    graph_structure,
    planar,
    revolute,
    wire,
)
from visviva.testing.structures import check_dirac, check_onsager

QP = {"q": 1, "p": 1}
J = np.array([[0.0, 1.0], [-1.0, 0.0]])
COUPLING = Dirac.input_output(J, QP)
LEVER = Dirac.constrained(np.zeros((2, 2)), [[2.0, -1.0]], {"a": 1, "b": 1})
X = SE3.exp([0.3, -0.2, 0.5, 1.0, 2.0, -1.0])
EDGES = {"in": ("a", "ground"), "out": ("b", "a"), "spring": ("b", "ground")}
NETWORK = Kinestatics.of(("a", "b"), EDGES, {"in": revolute(X), "out": cylindrical()})

DIRAC = {
    "coupling": COUPLING,
    "constrained": LEVER,
    "kernel": Dirac.kernel(2 * np.eye(2), 2 * J, QP),
    "image": Dirac.image(np.eye(2), J, QP),
    "presymplectic": Dirac.presymplectic(np.zeros((2, 2)), QP),
    "mixed causality": Dirac.input_output(3 * J, QP, effort_in=["q"]),
    "wire": wire("a", "b", 3),
    "graph": graph_structure(("a", "b"), EDGES),
    "pair": planar(X).structure(),
    "actuated pair": cylindrical(X).actuated(),
    "kinestatic network": NETWORK.structure(actuated=["out"]),
    "composite": compose({"c": COUPLING, "l": LEVER}, {"p": ("c.p", "l.a")}, outer=["p"]),
    "closed": close(LEVER, "a", "flow"),
    "no ports": compose({"c": COUPLING}, {"q": ["c.q"], "p": ["c.p"]}),
}


def friction(M=((300.0, -2.0), (-2.0, 4 / 300)), dE=(2.0, 300.0), kind=Onsager):
    """A damper with v = 2 m/s at 300 K, by the constructor that trusts."""
    return kind(np.array(M), np.array(dE), {"p": 1, "s": 1}, ("s",), 290.0)


@pytest.mark.parametrize("structure", DIRAC.values(), ids=DIRAC)
def test_every_dirac_structure_obeys_its_laws(structure):
    check_dirac(structure)


def test_friction_obeys_the_laws_of_onsager_structures():
    check_onsager(friction())


class Sloppy(Dirac):
    """A conversion that forgets the constraint."""

    def to_constrained(self):
        A, C = Dirac(self.F, self.E, self.ports).to_constrained()
        return A, 0 * C


class Biased(Dirac):
    """A matrix of the wrong sign."""

    def to_input_output(self, effort_in=None):
        return -Dirac(self.F, self.E, self.ports).to_input_output(effort_in)


class Turned(Dirac):
    """A swap of roles with a sign, as rotations have it."""

    def role_swap(self, *names):
        swapped = Dirac(self.F, self.E, self.ports).role_swap(*names)
        return type(self)(swapped.F, -swapped.E, self.ports)


class Opposed(Dirac):
    """A basis whose flows have another sign than those of the kernel."""

    def to_basis(self):
        return np.vstack([-self.E.T, self.F.T])


def broken(kind, structure=LEVER):
    return kind(structure.F, structure.E, structure.ports)


@pytest.mark.parametrize(
    ("law", "structure"),
    [
        ("dimension", Dirac(np.zeros((2, 2)), np.zeros((2, 2)), QP)),  # E Fᵀ + F Eᵀ = 0 all the same
        ("power conservation", Dirac(np.eye(2) * 0.6, np.eye(2) * 0.8, QP)),
        ("representations, constrained", broken(Sloppy)),
        ("representations, kernel", broken(Opposed, COUPLING)),
        ("causality", broken(Biased, COUPLING)),
        ("role swap", broken(Turned, Dirac.input_output(2 * J, QP))),
    ],
)
def test_the_checker_names_the_broken_law_of_a_dirac_structure(law, structure):
    with pytest.raises(AssertionError, match=law):
        check_dirac(structure)


def test_the_checker_names_a_wire_that_is_none(monkeypatch):
    monkeypatch.setattr("visviva.testing.structures.wire", lambda a, b, dim: wire(a, b, dim).flip(b))
    with pytest.raises(AssertionError, match="identity wire"):
        check_dirac(COUPLING)


class Lossy(Onsager):
    """Half of the heat is lost on the way."""

    def flows(self):
        return Onsager(self.M, self.dE, self.ports, self.entropy, self.theta0).flows() * [1.0, 0.5]


class Booked(Onsager):
    """The entropy is booked at the temperature of the environment."""

    def entropy_production(self):
        return 4 / 290.0


@pytest.mark.parametrize(
    ("law", "process"),
    [
        ("symmetry", friction(M=((300.0, -2.0), (-2.1, 4 / 300)))),
        ("positivity", friction(M=((-300.0, 2.0), (2.0, -4 / 300)))),
        ("energy conservation", friction(dE=(2.0, 310.0))),
        ("energy conservation", friction(kind=Lossy)),
        ("entropy balance", friction(kind=Booked)),
    ],
)
def test_the_checker_names_the_broken_law_of_an_onsager_structure(law, process):
    with pytest.raises(AssertionError, match=law):
        check_onsager(process)
