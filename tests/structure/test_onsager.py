"""Onsager structures: both laws of thermodynamics at a point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from random_structures import seeds, sizes

from visviva import ModelError
from visviva.structure import Onsager
from visviva.testing.structures import check_onsager

temperatures = st.floats(1.0, 2000.0)
PS = {"p": 1, "s": 1}


def friction_matrix(mu, u, theta):
    """(29): [[θ μ, -μ u], [-μ u, μ(u, u)/θ]]."""
    force = mu @ u
    return np.block([[theta * mu, -force[:, None]], [-force[None], u @ force / theta]])


def friction(mu, u, theta, theta0):
    mu, u = np.atleast_2d(mu), np.atleast_1d(u)
    ports = {"p": len(u), "s": 1}
    M = friction_matrix(mu, u, theta)
    return Onsager.from_matrix(M, ports, dE={"p": u, "s": theta}, entropy=["s"], theta0=theta0)


def conduction(h, theta1, theta2, theta0):
    M = h * np.array([[theta2 / theta1, -1.0], [-1.0, theta1 / theta2]])
    dE = {"hot": theta1, "cold": theta2}
    return Onsager.from_matrix(M, {"hot": 1, "cold": 1}, dE=dE, entropy=("hot", "cold"), theta0=theta0)


@given(seed=seeds, n=st.integers(1, 6), rank=st.integers(0, 6), size=sizes, theta=temperatures, theta0=temperatures)
def test_friction_heats_at_its_temperature(seed, n, rank, size, theta, theta0):
    rng = np.random.default_rng(seed)
    A, u = rng.uniform(-1, 1, (n, min(rank, n))), size * rng.uniform(-1, 1, n)
    mu = A @ A.T
    process = friction(mu, u, theta, theta0)
    check_onsager(process)
    heat, size = u @ mu @ u, np.abs(u) @ np.abs(mu) @ np.abs(u)
    assert_allclose(process.flows()[:n], mu @ u, rtol=0, atol=1e-13 * (np.abs(mu) @ np.abs(u)).max())
    assert_allclose(process.flows()[n], -heat / theta, rtol=0, atol=1e-13 * size / theta)
    assert_allclose(process.exergy_destruction(), theta0 * heat / theta, rtol=0, atol=1e-13 * size * theta0 / theta)
    assert process.entropy_production() == -process.flows()[n] >= 0


@given(h=st.floats(1e-3, 1e3), theta1=temperatures, theta2=temperatures, theta0=temperatures)
def test_conduction_carries_heat_from_hot_to_cold(h, theta1, theta2, theta0):
    process = conduction(h, theta1, theta2, theta0)
    check_onsager(process)
    q, size = h * (theta1 - theta2), 1e-13 * h * (theta1 / theta2 + theta2 / theta1)
    assert_allclose(process.flows(), [q / theta1, -q / theta2], rtol=0, atol=size)
    assert process.entropy_production() >= -size


def test_the_published_damper():
    v, theta, theta0, d = 2.0, 320.0, 300.0, 0.5
    process = friction(d, v, theta, theta0)
    assert_allclose(process.efforts(), [v, theta - theta0])
    assert_allclose(process.flows(), [d * v, -d * v**2 / theta], rtol=1e-14)
    assert_allclose(process.exergy_destruction(), theta0 * d * v**2 / theta, rtol=1e-14)


def test_no_motion_is_no_process():
    process = friction(0.5, 0.0, 300.0, 300.0)
    assert process.entropy_production() == 0
    check_onsager(process)


def built(M=((300.0, -2.0), (-2.0, 4 / 300)), ports=PS, dE=(("p", 2.0), ("s", 300.0)), entropy="s", theta0=300.0):
    return Onsager.from_matrix(M, ports, dE=dict(dE), entropy=entropy, theta0=theta0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"M": [[300.0, -2.0], [-2.1, 4 / 300]]}, r"M must be symmetric .*by 0.1 between 'p' and 's'"),
        ({"M": [[-1.0, 0.0], [0.0, 0.0]]}, r"positive semidefinite.*\s-1, mostly at 'p'"),
        ({"M": [[300.0, 2.0], [2.0, 4 / 300]]}, r"energy is not conserved: M dE is 1.2e\+03"),
        ({"M": np.zeros((3, 3))}, r"M must have shape \(2, 2\)"),
        ({"M": np.zeros((1, 2, 2))}, "M must be one matrix"),
        ({"dE": [("p", 2.0)]}, "dE has no value for 's'"),
        ({"dE": [("p", 2.0), ("s", 300.0), ("v", 1.0)]}, "no port 'v'"),
        ({"dE": [("p", [2.0, 1.0]), ("s", 300.0)]}, "dE of port 'p' must have shape"),
        ({"dE": [("p", 2.0), ("s", -5.0)]}, "'s' is its absolute temperature and must be positive, got -5 K"),
        ({"theta0": 0.0}, "temperature θ0 of the environment must be positive"),
        ({"entropy": ()}, r"none of the ports 'p', 's' is an entropy port.*\n.*entropy=\('s',\)"),
        ({"entropy": ("t",)}, "no port 't'"),
        (
            {"M": np.zeros((2, 2)), "ports": {"s": 2}, "dE": [("s", [1.0, 1.0])]},
            "port 's' must have dimension 1",
        ),
        ({"ports": {"p": 1, "s": 0}}, "dimension of port 's'"),
    ],
)
def test_what_breaks_a_law_is_refused(changes, message):
    built()
    with pytest.raises(ModelError, match=message):
        built(**changes)
