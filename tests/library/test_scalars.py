"""Scalars of a pair of frames: one rule differentiates all products, as seen from either end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

from visviva.geometry import SE3
from visviva.kernels.multibody import tables as steps
from visviva.kernels.nodes import tables as nodes
from visviva.library.joints import JOINTS, MEET, Family, Product, Vector, along, along_child, cosine, rod
from visviva.library.joints.scalars import C, D, E, P

PRODUCTS = [
    *MEET,
    *(cosine(i, j) for i, j in itertools.product(range(3), repeat=2)),
    *(make(i) for make in (along, along_child) for i in range(3)),
    rod(0.7),
    Product(Vector.CX, Vector.PY),  # in the other order
    Product(D, Vector.PZ),
]


def vectors(X_P, X_C):
    """In the order of `Vector`."""
    return np.concatenate([X_P.R.T, X_C.R.T, [X_C.r - X_P.r], np.eye(3)])


def value(one, v):
    return one.factor * v[one.u] @ v[one.w] - one.c


@pytest.fixture
def poses():
    rng = np.random.default_rng(3)
    return SE3.exp(rng.normal(size=6)), SE3.exp(rng.normal(size=6))


@pytest.mark.parametrize("one", PRODUCTS, ids=str)
def test_forces_and_moments_are_the_rates(one, poses):
    """Against complex steps, over ω in world axes and the velocity of the origin of either frame."""
    f, *moments = one.wrench(*vectors(*poses)[[one.u, one.w]])
    for end, sign in ((0, -1.0), (1, 1.0)):
        for k, axis in enumerate(np.eye(3)):
            moved = vectors(*poses).astype(complex)
            moved[3 * end : 3 * end + 3] += 1e-30j * np.cross(axis, moved[3 * end : 3 * end + 3])
            assert_allclose(moments[end][k], value(one, moved).imag * 1e30, atol=1e-15)
            moved = vectors(*poses).astype(complex)
            moved[D] += sign * 1e-30j * axis
            assert_allclose(sign * f[k], value(one, moved).imag * 1e30, atol=1e-15)


@pytest.mark.parametrize("one", PRODUCTS, ids=str)
def test_seen_from_the_child_it_is_the_same(one, poses):
    there, back = vectors(*poses), vectors(*poses[::-1])
    assert_allclose(value(one.swapped, back) + one.c, one.sign * (value(one, there) + one.c), atol=1e-15)
    assert value(one.swapped.swapped, there) == value(one, there)


def test_a_rod_keeps_its_length(poses):
    d = poses[1].r - poses[0].r
    length = float(np.linalg.norm(d))
    assert rod(length).length == pytest.approx(length, rel=1e-15)
    assert abs(value(rod(length), vectors(*poses))) < 1e-15 * length**2


def test_symbols_have_the_same_rule():
    u, w = (sympy.Matrix(sympy.symbols(f"{name}:3")) for name in "uw")
    f, parent, child = cosine(2, 0).wrench(u, w, lambda a, b: a.cross(b))
    assert parent == u.cross(w)
    assert child == -u.cross(w)
    assert not f.any()


@pytest.mark.parametrize("table", [steps, nodes])
def test_families_are_counted_as_in_the_kernels(table):
    assert {family.name: int(getattr(table, family.name)) for family in Family} == dict(Family.__members__)


def test_families_are_told_by_their_vectors():
    for one in PRODUCTS:
        kinds = {"P" if v in P else "C" if v in C else "E" if v in E else "D" for v in (one.u, one.w)}
        names = {"ED": "MEET", "PC": "DOT", "PD": "ALONG", "CD": "ALONG_CHILD", "D": "ROD"}
        assert one.family.name == next(name for key, name in names.items() if set(key) == kinds)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_every_row_of_a_joint_is_a_product(joint):
    assert all(isinstance(row, Product) for row in (*joint.rows, *joint.upright))
