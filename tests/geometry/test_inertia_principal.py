"""Principal axes: a rotation, the right moments, and no more turning than needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from visviva import inertia
from visviva.geometry.inertia import Inertia

SIZES = st.sampled_from([1.0, 1e-3, 1e-5, 1e-8])
EDGES = st.tuples(*[st.floats(0.01, 1.0)] * 3).map(np.array)
ROTVECS = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(np.array)


@given(EDGES, ROTVECS, SIZES)
def test_principal_axes_rebuild_the_tensor(edges, w, size):
    box = inertia.box(1.0, size * edges)
    body = box.moved(Rotation.from_rotvec(w).as_matrix())
    moments, R = body.principal()
    scale = np.trace(body.J)
    assert_allclose(R @ np.diag(moments) @ R.T, body.J, rtol=0, atol=1e-13 * scale)
    assert_allclose(np.sort(moments), np.sort(np.diag(box.J)), rtol=0, atol=1e-13 * scale)
    assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)


@given(st.permutations([1.0, 1.5, 2.0]), SIZES)
def test_a_diagonal_tensor_keeps_its_axes_and_their_order(moments, size):
    found, R = Inertia(1.0, size * np.array(moments)).principal()
    assert np.array_equal(found, size * np.array(moments))
    assert np.array_equal(R, np.eye(3))


@given(ROTVECS, st.sampled_from([0, 1, 2]))
def test_a_turn_about_the_axis_of_symmetry_is_not_seen(w, i):
    turn = Rotation.from_rotvec(w[i] * np.eye(3)[i]).as_matrix()
    body = inertia.cylinder(1.0, 0.3, 2.0, axis="xyz"[i]).moved(turn)
    _, R = body.principal()
    assert_allclose(R, np.eye(3), rtol=0, atol=1e-14)


@given(ROTVECS)
def test_every_axis_of_a_sphere_is_principal_so_none_moves(w):
    _, R = inertia.sphere(1.0, 0.1).moved(Rotation.from_rotvec(w).as_matrix()).principal()
    assert np.array_equal(R, np.eye(3))


@given(ROTVECS, st.sampled_from([0.1, 1e-3, 1e-5, 1e-8]))
def test_a_small_turn_is_found_and_nothing_else(w, size):
    turn = Rotation.from_rotvec(size * w).as_matrix()
    moments, R = inertia.box(1.0, (1.0, 2.0, 3.0)).moved(turn).principal()
    assert_allclose(R, turn, rtol=0, atol=1e-13)
    assert_allclose(moments, np.array([13.0, 10.0, 5.0]) / 12, rtol=1e-13)


@given(ROTVECS)
def test_a_thin_rod_has_no_negative_moment(w):
    moments, _ = inertia.rod(1.0, 1.0).moved(Rotation.from_rotvec(w).as_matrix()).principal()
    assert (moments >= 0).all()
    assert_allclose(np.sort(moments), [0, 1 / 12, 1 / 12], rtol=0, atol=1e-15)
