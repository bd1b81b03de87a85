"""Implicit port-Hamiltonian systems: power, constraints and reactions of a mass on a lever, errors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.structure import Dirac, Implicit, compose

COUPLING = np.array([[0.0, 1.0], [-1.0, 0.0]])


def two_masses_on_a_lever():
    """q' = v, p' = -e_q for two masses with 2 v_1 = v_2, and a force u on the first."""
    J = np.zeros((5, 5))
    J[:2, :2] = J[2:4, 2:4] = COUPLING
    J[1, 4], J[4, 1] = 1.0, -1.0
    ports = {"q1": 1, "p1": 1, "q2": 1, "p2": 1, "hand": 1}
    D = Dirac.constrained(J, [[0, 2, 0, -1, 0]], ports)
    return Implicit.of(D, ["q1", "p1", "q2", "p2"])


def test_ports_are_told_from_states():
    system = two_masses_on_a_lever()
    assert (system.n, list(system.states), list(system.ports)) == (5, ["q1", "p1", "q2", "p2"], ["hand"])


def test_one_constraint_and_one_reaction():
    system = two_masses_on_a_lever()
    assert system.rank() == 3
    C, D = system.algebraic()
    assert_allclose(C / C[0, 1], [[0, 1, 0, -0.5]], atol=1e-14)
    assert_allclose(D, 0, atol=1e-14)
    reaction = system.undetermined()[:, 0]
    assert_allclose(reaction / reaction[1], [0, 1, 0, -0.5], atol=1e-14)


def test_what_is_stored_came_in_through_the_port():
    """The equations hold for ẋ = J dH + Cᵀλ + b u with any λ, and dH·ẋ = u v then."""
    system, v, lam, u = two_masses_on_a_lever(), 0.7, 0.3, 1.9
    dH = {"q1": 0.4, "p1": v, "q2": -0.2, "p2": 2 * v}
    x_dot = {"q1": v, "p1": -0.4 + 2 * lam + u, "q2": 2 * v, "p2": 0.2 - lam}
    assert_allclose(system.residual(x_dot, dH, {"hand": v}, {"hand": u}), 0, atol=1e-14)
    assert sum(dH[name] * x_dot[name] for name in dH) == pytest.approx(u * v)
    assert np.abs(system.residual(x_dot, dH | {"p1": 0.8}, {"hand": v}, {"hand": u})).max() > 0.01


def test_both_pairs_of_matrices_are_a_dirac_structure():
    system = two_masses_on_a_lever()
    F, E = np.hstack([system.F1, system.F2]), np.hstack([system.E1, system.E2])
    assert_allclose(E @ F.T + F @ E.T, 0, atol=1e-14)
    assert np.linalg.matrix_rank(np.hstack([F, E])) == system.n


def test_a_system_without_constraints_is_explicit():
    system = Implicit.of(compose({"c": Dirac.input_output(COUPLING, {"q": 1, "p": 1})}, {}), ["c.q", "c.p"])
    assert system.rank() == 2
    assert_allclose(-np.linalg.solve(system.F1, system.E1), COUPLING, atol=1e-14)
    assert "ports: none" in str(system)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: Implicit.of(Dirac.input_output(COUPLING, {"q": 1, "p": 1}), ["r"]), "no port 'r'"),
        (lambda s: s.residual({"q1": 0}, {}), "x_dot has no value for 'p1', 'q2', 'p2'"),
        (lambda s: s.residual({"z": 0}, {}), "no port 'z'"),
        (lambda s: s.residual(dict.fromkeys(s.states, (1, 2)), {}), "x_dot at 'q1' must"),
    ],
)
def test_wrong_values_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call(two_masses_on_a_lever())
