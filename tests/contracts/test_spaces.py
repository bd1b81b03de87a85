"""State spaces in embedding coordinates: every space, and every law against a space that breaks it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from visviva.geometry import SE2, SE3, SO2, SO3, SO3xR3
from visviva.geometry.embedding import SE2_SPACE, SE3_SPACE, SO2_SPACE, SO3_SPACE, AbstractSpace, Flat, SO3xR3_SPACE
from visviva.geometry.linear import apply
from visviva.testing import check_space


def origin(space):
    if isinstance(space, Flat):
        return np.zeros(space.n)
    return space.point(np.eye(space.n), np.zeros(space.n) if space.moves else None)


SPACES = {
    "R1": Flat(1),
    "R4": Flat(4),
    "SO2": SO2_SPACE,
    "SO3": SO3_SPACE,
    "SE2": SE2_SPACE,
    "SE3": SE3_SPACE,
    "SO3xR3": SO3xR3_SPACE,
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_every_space_obeys_its_laws(space):
    check_space(space, origin(space))


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@given(data=st.data())
def test_discrete_chain_rule_at_every_scale(space, data):
    size = data.draw(st.sampled_from([1.0, 1e-3, 1e-5, 1e-8]))
    start, delta = (data.draw(arrays(float, space.dim, elements=st.floats(-2, 2))) for _ in range(2))
    q0 = space.retract(origin(space), start)
    q1 = space.retract(q0, size * delta)
    moved = apply(space.lift((q0 + q1) / 2), size * delta)
    rounding = 1e-15 * (1 + np.abs(q0).max() + np.abs(q1).max())
    assert_allclose(moved, q1 - q0, rtol=0, atol=1e-12 * np.abs(q1 - q0).max() + rounding)


@pytest.mark.parametrize(
    ("space", "group"),
    [(SO2_SPACE, SO2), (SO3_SPACE, SO3), (SE2_SPACE, SE2), (SE3_SPACE, SE3), (SO3xR3_SPACE, SO3xR3)],
    ids=["SO2", "SO3", "SE2", "SE3", "SO3xR3"],
)
def test_lift_is_the_tangent_of_the_group(space, group):
    """q + N(q) ξ h is X exp(h ξ) to second order: the space and the group trivialise alike."""
    rng = np.random.default_rng(0)
    X, xi, h = group.exp(rng.uniform(-1, 1, group.dim)), rng.uniform(-1, 1, group.dim), 1e-5

    def coordinates(element):
        return space.point(element.R, element.r if space.moves else None)

    slope = (coordinates(X @ group.exp(h * xi)) - coordinates(X @ group.exp(-h * xi))) / (2 * h)
    assert_allclose(space.lift(coordinates(X)) @ xi, slope, atol=1e-9)


def test_rotations_are_retracted_by_the_cayley_map():
    rng = np.random.default_rng(1)
    R, w = SO3.exp(rng.uniform(-1, 1, 3)), rng.uniform(-2, 2, 3)
    assert_allclose(SO3_SPACE.retract(SO3_SPACE.point(R.R), w), SO3_SPACE.point((R @ SO3.cay(w)).R), atol=1e-15)


class Broken(AbstractSpace):
    """SE(3) with one thing replaced."""

    size, dim = SE3_SPACE.size, SE3_SPACE.dim

    def __init__(self, **parts):
        self.parts = parts

    def _part(self, name):
        return self.parts.get(name, getattr(SE3_SPACE, name))

    def lift(self, q):
        return self._part("lift")(q)

    def retract(self, q0, delta):
        return self._part("retract")(q0, delta)

    def push(self, q, xi):
        return self._part("push")(q, xi)

    def pull(self, rows, q):
        return self._part("pull")(rows, q)

    def drift(self, q, xi):
        return self._part("drift")(q, xi)

    def defect(self, q):
        return SE3_SPACE.defect(q)


def _exponential_retraction(q0, delta):
    X = SE3(SE3_SPACE.rotation(q0), SE3_SPACE.translation(q0)) @ SE3.exp(delta)
    return SE3_SPACE.point(X.R, X.r)


def _homogeneous_cayley(q0, delta):
    X = SE3(SE3_SPACE.rotation(q0), SE3_SPACE.translation(q0)) @ SE3.cay(delta)
    return SE3_SPACE.point(X.R, X.r)


@pytest.mark.parametrize(
    ("law", "parts"),
    [
        ("stays in the space", {"retract": lambda q0, d: q0 + apply(SE3_SPACE.lift(q0), d)}),
        ("discrete chain rule", {"retract": _exponential_retraction}),
        ("discrete chain rule", {"retract": _homogeneous_cayley}),
        ("discrete chain rule", {"lift": lambda q: 2 * SE3_SPACE.lift(q)}),
        ("lift is the tangent", {"lift": lambda q: SE3_SPACE.lift(q) * (1 if SE3_SPACE.defect(q) > 1e-9 else 2)}),
        ("drift", {"drift": lambda q, xi: np.zeros_like(q)}),
        ("push is the lift", {"push": lambda q, xi: SE3_SPACE.push(q, xi) * (1 if len(q) < 16 else 2)}),
        ("pull is the lift", {"pull": lambda rows, q: SE3_SPACE.pull(rows, q) * (1 if q.ndim > 1 else 2)}),
    ],
    ids=[
        "off the group",
        "exponential",
        "homogeneous Cayley",
        "lift doubled",
        "lift doubled on the group",
        "no drift",
        "push of many doubled",
        "pull of one doubled",
    ],
)
def test_the_checker_names_the_law_that_is_broken(law, parts):
    with pytest.raises(AssertionError, match=law):
        check_space(Broken(**parts), origin(SE3_SPACE))


def test_spaces_are_values():
    assert Flat(3) == Flat(3)
    assert dataclasses.replace(SE3_SPACE, moves="space") == SO3xR3_SPACE
