"""The search for zeros of margins along a path, on functions whose zeros are known."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.results.margin_zeros import zeros

S = np.linspace(0.0, 2.0, 9)


class Signed:
    """A determinant with known values, as the search asks for it."""

    def __init__(self, function):
        self.function = function

    def signs(self):
        return np.sign(self.function(S))

    def near(self, node):
        return lambda s: float(self.function(s))


def found(function, determinant=False):
    calls = []

    def margin(s):
        calls.append(s)
        return float(np.abs(function(s)))

    places = zeros(S, np.abs(function(S)), margin, Signed(function) if determinant else None)
    return places, len(calls)


@pytest.mark.parametrize("determinant", [False, True])
@pytest.mark.parametrize("c", np.linspace(0.0, 2.0, 37).tolist())
def test_one_zero_is_found_once_wherever_it_is(c, determinant):
    places, calls = found(lambda s: 0.7 * (s - c) * (1 + 0.1 * s), determinant)
    assert places == pytest.approx([c], abs=1e-7)
    assert calls < (5 if determinant else 120)


@pytest.mark.parametrize("c", [0.07, 0.6, 1.0, 1.31, 1.95])
def test_a_zero_without_a_change_of_sign(c):
    for determinant in (False, True):
        places, _ = found(lambda s: (s - c) ** 2, determinant)
        assert places == pytest.approx([c], abs=1e-3)


def test_several_zeros_come_in_their_order():
    places, _ = found(lambda s: np.sin(4 * s + 0.3), determinant=True)
    assert places == pytest.approx([(k * np.pi - 0.3) / 4 for k in (1, 2)], abs=1e-9)
    places, _ = found(lambda s: np.sin(4 * s + 0.3))
    assert places == pytest.approx([(k * np.pi - 0.3) / 4 for k in (1, 2)], abs=1e-6)


def test_minima_that_stay_above_zero_are_none():
    assert found(lambda s: 0.01 + (s - 0.6) ** 2)[0] == []
    assert found(lambda s: 1.2 - s / 2)[0] == []  # still falling where the path ends
    places, calls = found(lambda s: 1.0 + 0.05 * np.sin(5 * s))
    assert (places, calls) == ([], 0)  # far from zero: not even looked for


def test_a_jump_from_one_sign_to_the_other_is_no_zero():
    assert found(lambda s: np.where(np.asarray(s) < 1.1, 0.4, -0.3), determinant=True)[0] == []
