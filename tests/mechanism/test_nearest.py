"""Compiled velocities are those of the saddle system: nearest in the metric of kinetic energy, all rows satisfied."""

import catalogue
import coupled_mechanisms
import mechanism_models
import numpy as np
import pytest
from samples import sample

import visviva as vv
from visviva.mechanism.linkage import Linkage

LOOPS = ("planar_four_bar", "bennett", "sarrus", "slider_crank", "free_four_bar")
MECHANISMS = (
    {f"random {seed}": lambda seed=seed: sample(seed, 2 + seed % 7).mechanism for seed in range(12)}
    | catalogue.MECHANISMS
    | {name: getattr(mechanism_models, name) for name in LOOPS}
    | {name: lambda build=build: build()[0] for name, build in coupled_mechanisms.MECHANISMS.items()}
)
AGREE = 1e-11


def compared(linkage, q, P, b):
    """How far both solutions are from each other, relative to their size, in the metric."""
    V, W = linkage.nearest(q, P, b), linkage.solve(q, P, b)[0]
    apart, size = ((linkage.metric * x**2).sum(-1) for x in (V - W, W))
    return np.sqrt(apart / size).max()


@pytest.mark.parametrize("name", MECHANISMS)
def test_velocities_are_those_of_the_saddle_system(name):
    m = MECHANISMS[name]()
    linkage, rng = Linkage(m), np.random.default_rng(1)
    q = np.repeat(linkage.kinematics.as_built[None], 3, axis=0)
    P = rng.normal(size=(3, linkage.kinematics.n)) * linkage.masses
    b = np.zeros((3, linkage.m))
    b[:, linkage.kinematics.m :] = np.where([part.law is not None for part in linkage.conditions.owner], 0.7, 0.0)
    assert compared(linkage, q, P, b) <= AGREE
    assert linkage._nearest(q, P, b)[1].all()


def four_bar(angle):
    """A parallelogram: all bars are in line at angle 0, where its rows have one rank less."""
    m = vv.Mechanism("parallelogram")
    tip, across = np.array([np.cos(angle), 0.0, np.sin(angle)]), np.array([2.0, 0, 0])
    a = m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), at=0.5 * tip)
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), at=tip + 0.5 * across)
    c = m.body("c", mass=1.0, inertia=(0.1, 0.1, 0.1), at=0.5 * tip + across)
    m.revolute("one", m.ground, a, at=(0, 0, 0), axis="y")
    m.revolute("two", a, b, at=tip, axis="y")
    m.revolute("three", b, c, at=tip + across, axis="y")
    m.revolute("four", c, m.ground, at=(2.0, 0, 0), axis="y")
    return m


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-6, 1e-4, 1e-3, 0.1])
def test_near_a_singular_pose_they_are_the_same(angle):
    linkage = Linkage(four_bar(angle))
    q, rng = linkage.kinematics.as_built[None], np.random.default_rng(2)
    assert compared(linkage, q, rng.normal(size=(1, 18)), np.zeros((1, linkage.m))) <= AGREE


def test_motions_without_inertia_and_rows_that_contradict_are_left_to_the_saddle_system():
    m = vv.Mechanism("massless")
    arm, hand = m.body("arm", massless=True), m.body("hand", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    m.revolute("one", m.ground, arm, at=(0, 0, 0), axis="y")
    m.revolute("two", arm, hand, at=(0, 0, 0), axis="y")
    linkage = Linkage(m)
    q, P = linkage.kinematics.as_built[None], np.arange(12.0)[None] * linkage.masses
    assert compared(linkage, q, P, np.zeros((1, linkage.m))) <= AGREE

    linkage = Linkage(four_bar(0.5))
    q, b = linkage.kinematics.as_built[None], np.zeros((1, linkage.m))
    b[0, -1] = 1.0  # out of the plane, which the other rows forbid
    assert not linkage._nearest(q, np.ones((1, 18)), b)[1].any()
    np.testing.assert_array_equal(linkage.nearest(q, np.ones((1, 18)), b), linkage.solve(q, np.ones((1, 18)), b)[0])
