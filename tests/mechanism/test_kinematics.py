"""Rows of many joints at once are those of each joint alone, in value, gradient and drift."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.mechanism.coordinates import movers, pair_functions, space_of
from visviva.mechanism.joint_coordinates import coordinate_rows, coordinate_values
from visviva.mechanism.joint_rates import JointRates
from visviva.mechanism.kinematics import Kinematics
from visviva.model.holonomic import Holonomic, lift_rows

BOX = vv.inertia.box(1.3, (0.4, 0.2, 0.3))
AT, AXIS = (0.4, -0.2, 0.5), (1, -2, 2)


@pytest.fixture
def m() -> vv.Mechanism:
    """All joints, between bodies, ground and particles, as parents and as children."""
    m = vv.Mechanism("all joints")
    a = m.body("a", inertia=BOX, com=(0.1, 0, 0.2), at=(0.3, 0.1, -0.2))
    b = m.body("b", inertia=BOX, at=(-0.5, 0.4, 0.6), rotation=vv.geometry.SO3.exp(np.array([0.3, -0.8, 0.4])))
    p = m.particle("p", mass=0.5, at=AT)
    m.fixed("fixed", a, b, at=AT)
    m.revolute("revolute", m.ground, a, at=AT, axis=AXIS)
    m.revolute("backward", b, m.ground, at=AT, axis=AXIS)
    m.prismatic("prismatic", a, b, at=AT, axis=AXIS)
    m.cylindrical("cylindrical", b, a, at=AT, axis=AXIS)
    m.universal("universal", a, b, at=AT, axes=(AXIS, (2, 2, 1)))
    m.spherical("spherical", b, p, at=AT)
    m.planar("planar", a, b, at=AT, normal=AXIS)
    m.free("free", m.ground, b)
    m.distance("distance", a, p)
    m.point_on_plane("plane", a, p, at=AT, normal=AXIS)
    m.point_on_line("line", b, a, at=AT, axis=AXIS)
    return m


def displaced(k: Kinematics, count: int) -> np.ndarray:
    """Configurations far from that as built."""
    return k.retract(k.as_built, np.random.default_rng(3).uniform(-1, 1, (count, k.n)))


def parts(m: vv.Mechanism, k: Kinematics):
    """Per joint its rows, the coordinates of its movers, and their columns."""
    place, column = dict(zip(m.parts, [None] * 99, strict=False)), {}
    for body, at, columns in zip(k.bodies, k.places, k.columns, strict=True):
        place[body.name], column[body.name] = at, columns
    for joint, rows in zip(m.joints, k.rows, strict=True):
        ends = movers(joint)
        q = np.concatenate([np.arange(place[end.name].start, place[end.name].stop) for end in ends])
        V = np.concatenate([np.arange(column[end.name].start, column[end.name].stop) for end in ends])
        yield joint, rows, q, V


def test_as_all_rows_of_each_pair(m):
    k = Kinematics(m.bodies, m.joints, [joint.joint.rows for joint in m.joints])
    q, V = displaced(k, 3), np.random.default_rng(4).uniform(-1, 1, (3, k.n))
    place = k.place(q)
    g, C, fall = k.value(place), k.dense(k.blocks(place)), k.drift(place, V)
    checked = 0
    for joint, rows, at_q, at_V in parts(m, k):
        functions = pair_functions(joint, joint.joint.rows)
        spaces = tuple(space_of(end) for end in movers(joint))
        alone = Holonomic(joint.name, (), (), functions, spaces)
        assert_allclose(g[:, rows], functions.value(q[:, at_q]), rtol=0, atol=1e-14)
        assert_allclose(C[:, rows][..., at_V], alone.C(q[:, at_q]), rtol=0, atol=1e-13)
        assert_allclose(fall[:, rows], alone.bias(q[:, at_q], V[:, at_V]), rtol=0, atol=1e-12)
        others = np.setdiff1d(np.arange(k.n), at_V)
        assert not C[:, rows][..., others].any()
        checked += functions.m
    assert checked == k.m


def test_sparse_rows_are_the_full_ones(m):
    k = Kinematics(m.bodies, m.joints, [joint.joint.rows for joint in m.joints])
    blocks = k.blocks(k.place(displaced(k, 1)[0]))
    lam = np.random.default_rng(5).uniform(-1, 1, k.m)
    assert_allclose(k.matrix(blocks).toarray(), k.dense(blocks), rtol=0, atol=0)
    assert_allclose(k.transposed(blocks, lam), k.dense(blocks).T @ lam, rtol=0, atol=1e-14)


def test_joint_coordinates_and_rates_of_all_joints_are_those_of_each(m):
    rates = JointRates(m.bodies, m.joints)
    q = displaced(rates.kinematics, 1)[0]
    values, a = rates.values(q), rates.matrix(q).toarray()
    for (joint, _, at_q, at_V), part in zip(parts(m, rates.kinematics), rates.parts, strict=True):
        spaces = tuple(space_of(end) for end in movers(joint))
        assert_allclose(values[part], coordinate_values(joint, q[at_q]), rtol=0, atol=1e-14)
        rows = lift_rows(coordinate_rows(joint, q[at_q]), q[at_q], spaces)
        assert_allclose(a[part][:, at_V], rows, rtol=0, atol=1e-13)


def test_a_mechanism_without_joints_has_no_rows():
    m = vv.Mechanism()
    m.body("a", inertia=BOX)
    k = Kinematics(m.bodies, [], [])
    place = k.place(k.as_built)
    assert k.matrix(k.blocks(place)).shape == (0, 6)
    assert k.value(place).shape == (0,)
