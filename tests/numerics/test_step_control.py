"""Step control: lengths follow errors, steps end where they should, compiled code has the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.kernels import step_control as compiled
from visviva.numerics.step_control import StepController, fitted

PLAIN = StepController(power=3, least=0.2, most=2.0)
PI = StepController(power=8, least=compiled.LEAST, most=compiled.MOST, memory=compiled.MEMORY)


@pytest.mark.parametrize("e", [1e-3, 0.1, 0.5, 1.0])
def test_a_kept_step_is_followed_by_one_of_the_length_that_its_error_allows(e):
    assert PLAIN.kept(e) == pytest.approx(np.clip(0.9 * e ** (-1 / 3), 0.2, 2.0), rel=1e-15)
    expected = 0.9 * e ** (0.75 * 0.04 - 1 / 8) * 0.3**0.04
    assert PI.kept(e, 0.3) == pytest.approx(np.clip(expected, 1 / 3, 6.0), rel=1e-15)
    assert PI.kept(e, 0.3, most=1.0) <= 1.0


def test_lengths_change_within_bounds_and_always_shrink_where_a_step_is_refused():
    assert PLAIN.kept(0.0) == 2.0
    assert PLAIN.refused(1e12) == 0.2
    assert PLAIN.refused(np.inf) == PLAIN.refused(np.nan) == compiled.FAILED
    assert all(controller.refused(e) < 1 for controller in (PLAIN, PI) for e in (1.0, 1.0 + 1e-12, 2.0, 1e3))


@pytest.mark.parametrize("left", [0.1, 0.99, 1.0, 1.0 + 1e-12, 1.4, 2.0, 2.7, 30.0, np.inf])
def test_the_last_two_steps_are_alike_and_end_where_they_should(left):
    h, last = fitted(left, 1.0)
    assert 0 < h <= 1.0 + 1e-9
    if left <= 2:
        count = 1 if last else 2
        assert count * h == pytest.approx(left, rel=1e-15)
    else:
        assert (h, last) == (1.0, False)
