"""Principal pivots: inputs and outputs change places, and J stays skew to the last bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from random_structures import seeds, sizes, skew, structures

from visviva.structure import Dirac
from visviva.structure.pivots import close_entries, exchange, skew_part, strong_inputs
from visviva.structure.representations import input_output_matrix


@given(seed=seeds, n=st.integers(2, 8), size=sizes)
def test_exchange_solves_for_the_inputs(seed, n, size):
    rng = np.random.default_rng(seed)
    J = skew(n, n, size, rng)
    c, p = np.unravel_index(np.abs(J).argmax(), J.shape)
    u = rng.uniform(-1, 1, n)
    y = -J @ u
    swapped = exchange(J, int(c), int(p))
    inputs, outputs = u.copy(), y.copy()
    inputs[[c, p]], outputs[[c, p]] = y[[c, p]], u[[c, p]]
    assert_allclose(-swapped @ inputs, outputs, atol=1e-12)
    assert (swapped == -swapped.T).all()
    assert_allclose(exchange(swapped, int(c), int(p)), J, rtol=0, atol=1e-13 * np.abs(J).max())


@given(D=structures())
def test_strong_inputs_always_exist_and_give_a_moderate_matrix(D):
    effort_in = strong_inputs(D.to_basis())
    J = input_output_matrix(D.to_basis(), effort_in, D.ports)
    assert (J == -J.T).all()
    assert np.abs(J).max() < 10
    entries = {str(i): 1 for i in range(D.n)}
    back = Dirac.input_output(J, entries, [str(i) for i in np.flatnonzero(effort_in)])
    assert_allclose(back.to_projector(), D.to_projector(), atol=1e-14)


def test_the_small_row_decides():
    strong, weak = 1.0, 1e-10
    J = np.array([[0.0, strong, weak], [-strong, 0.0, 2 * weak], [-weak * (1 + 1e-3), -2 * weak, 1e-20]])
    assert_allclose(skew_part(J)[0, 2], weak * (1 + 1e-3), rtol=1e-15)
    assert (skew_part(J) == -skew_part(J).T).all()


def test_an_output_that_depends_on_nothing_is_zero_already():
    J, effort_in = close_entries(np.zeros((2, 2)), np.array([False, True]), [(0, True)])
    assert (J == 0).all()
    assert effort_in.tolist() == [False, True]
