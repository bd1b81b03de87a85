import numpy as np
from numpy.testing import assert_allclose

from visviva.geometry.differences import each, slopes

ONE = np.ones(1)


def test_derivatives_are_exact_to_1e_11_and_their_errors_are_honest():
    def f(x):
        return np.array([np.sin(3 * x[0] + 0.2) * np.exp(x[1]), np.cosh(x[0] - 2 * x[1] + 0.3), x[0] ** 3])

    found = slopes(each(f), 2, np.ones(2))
    c, s = np.cos(0.2), np.sin(0.2)
    exact = np.array([[3 * c, s], [np.sinh(0.3), -2 * np.sinh(0.3)], [0, 0]])
    assert_allclose(found.J, exact, atol=1e-11)
    assert (np.abs(found.J - exact) <= 10 * found.error + 1e-15).all()
    assert found.rough == ()


def test_a_steep_passage_is_resolved():
    """As of friction that is regularised at 1e-4 m/s."""
    found = slopes(lambda x: np.tanh(x / 1e-4), 1, ONE)
    assert_allclose(found.J, 1e4, rtol=1e-9)
    assert found.rough == ()


def test_a_kink_is_seen_although_central_differences_agree():
    assert slopes(np.abs, 1, ONE).rough == (0,)
    assert slopes(lambda x: np.maximum(x, 0.0), 1, ONE).rough == (0,)
    assert slopes(lambda x: np.where(x > 0.001, x, 0.0), 1, ONE).rough == ()  # beside it


def test_a_jump_is_rough():
    assert slopes(np.sign, 1, ONE).rough == (0,)


def test_rounding_of_large_terms_is_no_derivative():
    noise = iter(np.random.default_rng(0).normal(size=1000))
    found = slopes(each(lambda x: np.array([1e-15 * next(noise)])), 1, ONE, terms=np.array([10.0]))
    assert found.J == 0.0
    assert found.rough == ()


def test_steps_stay_in_the_domain():
    found = slopes(lambda x: np.sqrt(x + 0.001), 1, ONE)
    assert found.rough == ()
    assert_allclose(found.J, 0.5 / np.sqrt(0.001), rtol=1e-9)
    assert slopes(lambda x: np.sqrt(x), 1, ONE).rough == (0,)
    assert slopes(lambda x: np.log(x - 1.0), 1, ONE).rough == (0,)
