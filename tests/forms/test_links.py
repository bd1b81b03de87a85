"""Kinds of links: poses, twists and rates of coordinates belong together."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.errors import ModelError
from visviva.forms.flows.configuration import Configuration
from visviva.geometry import SE3, SO3
from visviva.geometry.quaternion import product
from visviva.mechanism.spanning.links import SIZES, pose, q_dot, subspace
from visviva.mechanism.spanning.tree import Link


def link(kind, pitch=0.0):
    return Link("link", -1, kind, np.eye(4), 1.0, np.zeros(3), np.eye(3), pitch)


def some(kind, seed=3):
    """Coordinates and velocities."""
    rng = np.random.default_rng(seed)
    q, xi = rng.normal(size=SIZES[kind][0]), rng.normal(size=SIZES[kind][1])
    if kind in ("ball", "free"):
        q[-4:] /= np.linalg.norm(q[-4:])
    return q, xi


def advance(kind, q, delta):
    return Configuration((kind if kind in ("ball", "free") else SIZES[kind][0],)).advance(q, delta)


@pytest.mark.parametrize(("kind", "pitch"), [*((kind, 0.0) for kind in SIZES), ("hinge", 0.3)])
def test_twist_of_a_link_is_the_rate_of_its_pose(kind, pitch):
    part, (q, xi), h = link(kind, pitch), some(kind), 1e-5

    def at(t):
        return SE3(*pose(part, advance(kind, q, t * xi)))

    twist = (at(-h).inverse() @ at(h)).log() / (2 * h)
    np.testing.assert_allclose(twist, subspace(part) @ xi, atol=1e-9)


@pytest.mark.parametrize("kind", SIZES)
def test_rates_of_coordinates_are_those_of_the_motion(kind):
    (q, xi), h = some(kind), 1e-5
    rate = (advance(kind, q, h * xi) - advance(kind, q, -h * xi)) / (2 * h)
    np.testing.assert_allclose(q_dot(kind, q, xi), rate, atol=1e-9)


def test_product_of_quaternions_is_that_of_rotations():
    a, b = some("ball", 1)[0], some("ball", 2)[0]
    turned = SO3.from_quat(a) @ SO3.from_quat(b)
    np.testing.assert_allclose(SO3.from_quat(product(a, b)).R, turned.R, atol=1e-15)


def test_a_kind_that_is_none_is_named():
    with pytest.raises(ModelError, match=r"'link' has the kind 'glue'; there are hinge, slider"):
        subspace(link("glue"))
