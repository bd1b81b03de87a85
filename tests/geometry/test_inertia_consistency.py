"""Which tensors a body can have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from visviva import ModelError
from visviva.geometry.inertia import check_inertia

ROTATIONS = st.lists(st.floats(-3, 3), min_size=3, max_size=3).map(lambda w: Rotation.from_rotvec(w).as_matrix())
SCALES = [1e-24, 1e-12, 1e-3, 1.0, 1e12, 1e24]  # of m l², for lengths 1e-12 ... 1e12
LIMITS = {"rod": (0.0, 1.0, 1.0), "plate": (1.0, 4.0, 5.0), "disc": (1.0, 1.0, 2.0), "point": (0.0, 0.0, 0.0)}


@pytest.mark.parametrize("moments", LIMITS.values(), ids=LIMITS.keys())
@given(R=ROTATIONS, scale=st.sampled_from(SCALES))
def test_thin_bodies_are_legal_in_every_direction(moments, R, scale):
    J = scale * (R @ np.diag(moments) @ R.T)
    mass, tensor = check_inertia(1.0, J)
    assert mass == 1.0
    assert (tensor == tensor.T).all()


@pytest.mark.parametrize("scale", SCALES)
def test_the_triangle_inequality_holds_to_a_billionth(scale):
    check_inertia(1.0, scale * np.array([1.0, 1.0, 2.0 + 4 * 0.9e-9]))
    with pytest.raises(ModelError, match="triangle inequality"):
        check_inertia(1.0, scale * np.array([1.0, 1.0, 2.0 + 4 * 1.1e-9]))


@given(R=ROTATIONS, scale=st.sampled_from(SCALES))
def test_a_broken_tensor_is_refused_in_every_direction(R, scale):
    with pytest.raises(ModelError, match=r"triangle inequality(.|\n)*by .* kg m² \(0.0099 of tr J\)"):
        check_inertia(1.0, scale * (R @ np.diag([1.0, 1.0, 2.04]) @ R.T))


def test_principal_moments_become_a_tensor():
    _, J = check_inertia(1.0, (1, 2, 3))
    assert J.tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3]]


@pytest.mark.parametrize(
    ("mass", "J", "message"),
    [
        (-1.0, (1, 1, 1), "mass of body 'arm' must be positive, got -1"),
        (np.inf, (1, 1, 1), "mass of body 'arm' must be finite"),
        (1.0, (1, 1), r"inertia of body 'arm' must be three principal moments .*got shape \(2,\)"),
        (1.0, (1, np.nan, 1), "inertia of body 'arm' must be finite"),
        (1.0, "heavy", "inertia of body 'arm' must be numbers"),
        (
            1.0,
            [[1, 0.1, 0], [0.3, 1, 0], [0, 0, 1]],
            r"not symmetric: J_xy = 0.1 and J_yx = 0.3 kg m²\ndiffer by 0.2 kg m² \(0.0667 of tr J\)",
        ),
        (1.0, (2.0, -0.5, 2.0), r"negative principal moment: -0.5 kg m²\nabout axis y.* \(0.143 of tr J\)"),
        (1.0, [[1, 2, 0], [2, 1, 0], [0, 0, 3]], r"moment: -1 kg m²\nabout axis \(0.7071, -0.7071, 0\)"),
        (1.0, [[0, 1, 0], [1, 0, 0], [0, 0, 0]], "negative principal moment: -1 kg m²"),
        (1.0, [[0, 1, 0], [-1, 0, 0], [0, 0, 0]], "not symmetric"),
        (
            1.0,
            (1, 2, 4),
            r"4 kg m² about axis z exceeds the sum of the others,\n1 \+ 2 kg m², by 1 kg m² \(0.143 of tr J\)",
        ),
    ],
)
def test_errors_name_the_body_the_law_and_the_amount(mass, J, message):
    with pytest.raises(ModelError, match=message):
        check_inertia(mass, J, "arm")


def test_a_body_without_a_name_is_not_named():
    with pytest.raises(ModelError, match=r"^inertia violates"):
        check_inertia(1.0, (1, 2, 4))
