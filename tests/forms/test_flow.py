"""Flows: local coordinates of configurations, and what is refused."""

import numpy as np
import pytest
from flow_problems import quaternion_rate
from numpy.testing import assert_allclose

import visviva as vv
from visviva.forms.flows.configuration import Configuration
from visviva.geometry.quaternion import matrix_of

ALL = Configuration((2, "ball", 1, "free", 0))
Q = np.array([0.3, -2.0, 0.5, 0.5, -0.5, 0.5, 4.0, 1.0, 2.0, 3.0, 0.8, 0.0, 0.6, 0.0])


def q_dot(q, xi):
    """Rates of the coordinates themselves: q̇ = ξ, q (0, ω)/2, R v."""
    spin = xi[6:9]
    rates = [
        xi[:2],
        quaternion_rate(q[2:6], xi[2:5]),
        xi[5:6],
        matrix_of(q[10:]) @ xi[9:],
        quaternion_rate(q[10:], spin),
    ]
    return np.concatenate(rates)


def test_sizes_add_up():
    assert (ALL.size_q, ALL.n) == (14, 12)


@pytest.mark.parametrize("size", [0.0, 1e-8, 1e-3, 1.0])
def test_local_coordinates_move_the_configuration_as_the_velocities_say(size):
    delta, xi = size * np.linspace(-1.0, 1.3, 12), np.linspace(2.0, -1.0, 12)
    h = 1e-5
    rate = ALL.inverse_tangent(delta, xi)
    ends = [ALL.advance(Q, delta + sign * h * rate) for sign in (1, -1)]
    assert_allclose((ends[0] - ends[1]) / (2 * h), q_dot(ALL.advance(Q, delta), xi), rtol=0, atol=1e-9)


def test_quaternions_stay_of_length_one():
    q = Q
    for k in range(200):
        q = ALL.advance(q, np.full(12, 0.3 + 0.01 * k))
    assert abs(np.linalg.norm(q[2:6]) - 1) < 1e-15


def test_lengths_count_relative_to_the_configuration_and_turns_in_radians():
    assert_allclose(ALL.sizes(Q), [2, 2, 1, 1, 1, 4, 1, 1, 1, 3, 3, 3])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Configuration(("hinge",)), "'ball' or 'free', got 'hinge'"),
        (lambda: vv.HandFlow(lambda t, q, v: q), "either n, the number of velocities"),
        (lambda: vv.HandFlow(lambda t, q, v: q, 2, names=("a", "b")), "2 coordinates, 2 velocities"),
    ],
)
def test_bad_descriptions_are_refused(make, said):
    with pytest.raises(vv.ModelError, match=said):
        make()


@pytest.mark.parametrize(
    ("initial", "said"),
    [
        (None, "starts from initial=\\(q, xi\\), 4 coordinates and 3 velocities"),
        (([1.0, 0, 0, 0], [0.0, 1.0]), "initial velocities xi of 'ball'"),
        (([1.0, 0, 0, np.nan], [0.0, 1.0, 0.0]), "must be finite"),
        (([2.0, 0, 0, 0], [0.0, 1.0, 0.0]), "no configuration"),
    ],
)
def test_bad_starts_are_refused(initial, said):
    flow = vv.HandFlow(lambda t, q, w: -w, configuration=["ball"], name="ball")
    with pytest.raises(vv.ModelError, match=said):
        vv.simulate(flow, 1.0, 0.1, initial=initial)


def test_rates_of_a_wrong_shape_are_refused():
    flow = vv.HandFlow(lambda t, q, v: np.zeros(3), 2, name="flat")
    with pytest.raises(vv.ModelError, match="rates of 'flat' must have shape"):
        vv.simulate(flow, 1.0, 0.1, initial=([0, 0], [1, 1]))
