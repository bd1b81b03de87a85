"""One call on a batch of any shape equals calls one by one, for every method of every group."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.geometry import SE2, SE3, SO2, SO3, AbstractLieGroup, Product, Rn, SO3xR3

GROUPS = [Rn(3), SO2, SO3, SE2, SE3, SO3xR3, Product(SO3, Rn(2), SE2)]
OF_VECTORS = ["hat", "exp", "cay", "dexp", "dexp_inv", "dcay", "dcay_inv", "ad", "coad"]
OF_ELEMENTS = ["inverse", "log", "cay_inv", "Ad", "coAd"]
CASES = [(group, method) for group in GROUPS for method in OF_VECTORS + OF_ELEMENTS]
CASES += [(SE3, method) for method in ("cay_ad", "dcay_ad", "dcay_ad_inv", "cay_ad_inv")]
SHAPE = (2, 3)


def numbers(value):
    return value.matrix if isinstance(value, AbstractLieGroup) else value


def call(group, method, xi):
    """The method of the class on xi, or of the element exp(xi)."""
    on_elements = method in [*OF_ELEMENTS, "cay_ad_inv"]
    return numbers(getattr(group.exp(xi), method)() if on_elements else getattr(group, method)(xi))


@pytest.mark.parametrize(("group", "method"), CASES, ids=lambda case: getattr(case, "__name__", case))
def test_batch_equals_loop(group, method):
    xi = np.random.default_rng(2).uniform(-1, 1, (*SHAPE, group.dim))
    xi[0, 0] = 0.0
    got = call(group, method, xi)
    loop = [[call(group, method, xi[i, j]) for j in range(SHAPE[1])] for i in range(SHAPE[0])]
    assert_allclose(got, loop, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_composition_broadcasts(group):
    rng = np.random.default_rng(3)
    rows, columns = group.exp(rng.uniform(-1, 1, (4, 1, group.dim))), group.exp(rng.uniform(-1, 1, (5, group.dim)))
    table = rows @ columns
    assert table.shape == (4, 5)
    assert_allclose(table.matrix, rows.matrix @ columns.matrix, atol=1e-15)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_identity_has_the_shape_asked_for(group):
    one = group.identity((2, 3))
    assert one.shape == (2, 3)
    assert_allclose(one.log(), np.zeros((2, 3, group.dim)))
    assert group.identity().shape == ()


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_the_branch_has_one_entry_per_element(group):
    xi, branch = group.exp(np.zeros((2, 3, group.dim))).log_with_branch()
    assert xi.shape == (2, 3, group.dim)
    assert branch.shape == (2, 3)
    assert not branch.any()


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_vectors_of_a_wrong_length_are_refused(group):
    with pytest.raises(ValueError, match=rf"vectors of {group.dim} numbers .* got shape \({group.dim + 1},\)"):
        group.exp(np.zeros(group.dim + 1))
