"""Loops with more rows than ranks: Bennett on the ground and in flight, Bricard, forty parallelograms in a row."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mechanism_models import E1, E3, bar, bennett, bennett_joints

import visviva as vv
from visviva.geometry import SO3

SCHEMES = {"PHMP": vv.PHMP(), "PHMPGGL": vv.PHMPGGL()}


def ring(name, axes, points, links, rate):
    """Links of 1 kg, J = 0.1 I at mid-link, between hinges in a row; the last hinge closes the loop."""
    m = vv.Mechanism(name)
    ends = itertools.pairwise([*points, points[0]])
    for link, (a, b) in zip(links, ends, strict=True):
        if link != "ground":
            m.body(link, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(a + b) / 2)
    for i, (axis, at) in enumerate(zip(axes, points, strict=True)):
        m.revolute(f"hinge{i + 1}", links[i - 1], links[i], at=at, axis=axis, rate=rate if i == 0 else None)
    return m


def bricard(angle=1.0):
    """Bricard's loop of threefold symmetry: six links of 1 m, twisted by a right angle to one side and the other.

    cos φ cos ψ + cos φ + cos ψ = 0 of the angles that alternate closes it.
    """
    other = np.arccos(-np.cos(angle) / (1 + np.cos(angle)))
    R, r, axes, points = np.eye(3), np.zeros(3), [], []
    for i in range(6):
        axes.append(R @ E3)
        points.append(r)
        R = R @ SO3.exp((other if i % 2 else angle) * E3).R
        r = r + R @ E1
        R = R @ SO3.exp((-1) ** i * 0.5 * np.pi * E1).R
    np.testing.assert_allclose(np.c_[R, r], np.eye(3, 4), atol=1e-14)
    return ring("Bricard", axes, points, [*(f"link{i}" for i in range(5)), "ground"], 1.0)


def flying_bennett():
    """All four links move."""
    axes, points, _ = bennett_joints(0.7)
    return ring("flying Bennett", axes, points, [f"link{i}" for i in range(4)], 1.0)


def parallelograms(count):
    """Cranks of 1 m side by side, joined by couplers of 1 m."""
    m = vv.Mechanism("parallelograms", gravity=(0, -9.81, 0))
    feet = np.arange(count + 1)[:, None] * E1
    heads = feet + np.array([0.6, 0.8, 0])
    for i, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        bar(m, f"crank{i}", foot, head)
        m.revolute(f"foot{i}", m.ground, f"crank{i}", at=foot, axis=E3, rate=1.0 if i == 0 else None)
    for i in range(count):
        bar(m, f"coupler{i}", heads[i], heads[i + 1])
        m.revolute(f"left{i}", f"crank{i}", f"coupler{i}", at=heads[i], axis=E3)
        m.revolute(f"right{i}", f"coupler{i}", f"crank{i + 1}", at=heads[i + 1], axis=E3)
    return m


LOOPS = {
    "Bennett": (bennett, 20, 17, 1),
    "flying Bennett": (flying_bennett, 20, 17, 7),
    "Bricard": (bricard, 30, 29, 1),
    "forty parallelograms": (lambda: parallelograms(40), 605, 485, 1),
}


@pytest.mark.parametrize("name", LOOPS)
def test_rows_and_rank(name):
    make, rows, rank, mobility = LOOPS[name]
    m = make()
    assert sum(len(joint.joint.rows) for joint in m.joints) == rows
    assert rows - sum(m.redundant().values()) == rank
    assert m.mobility() == mobility


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", LOOPS)
def test_all_rows_hold_and_energy_stays(name, scheme):
    """A thousand steps, three hundred of the large one.

    Rows that are not solved for hold as well as the others determine them: where these nearly depend on each other,
    which happens in a step or two of a turn, they miss more.
    """
    steps = 300 if name == "forty parallelograms" else 1000
    run = vv.simulate(LOOPS[name][0](), t_end=0.01 * steps, h=0.01, integrator=SCHEMES[scheme])
    audit = run.audit()
    assert audit.ok
    assert audit.drift <= 1e-13
    assert audit.g <= 1e-11
    assert np.median(np.abs(run["g"]).max(1)) <= 1e-13
    if scheme == "PHMPGGL":
        assert audit.g_v <= 1e-8
        assert np.median(np.abs(run["g_v"]).max(1)) <= 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_motion_does_not_depend_on_which_rows_are_solved(scheme):
    """Hinges in another order: others are cut, and other rows left out. A thousand steps move by 2e-12 m."""
    axes, points, _ = bennett_joints(0.7)
    links = ["first", "second", "third", "ground"]
    motions = []
    for first in range(4):
        m = vv.Mechanism("Bennett")
        for link, a, b in zip(links[:3], points, points[1:], strict=False):
            m.body(link, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(a + b) / 2)
        for i in np.roll(range(4), -first):
            m.revolute(f"hinge{i}", links[i - 1], links[i], at=points[i], axis=axes[i], rate=None if i else 1.0)
        assert m.redundant() == {f"hinge{(first + 3) % 4}": 3}
        run = vv.simulate(m, t_end=10.0, h=0.01, integrator=SCHEMES[scheme])
        motions.append(np.array([run[f"{link}.r"] for link in links[:3]]))
    np.testing.assert_allclose(motions[1:], np.broadcast_to(motions[0], (3, *motions[0].shape)), rtol=0, atol=1e-11)
