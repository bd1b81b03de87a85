"""Functions of the user get their arguments by name, in whatever order they have them; others are refused."""

import numpy as np
import pytest
from rigid_models import particle

import visviva as vv
from visviva.errors import ModelError
from visviva.forms import Acceleration, Geometric

Q, XI, T = (0.3, 0.2), (0.1, 0.5), 0.7


def accelerations(system):
    return system.accelerations(Q, XI, t=T)


@pytest.mark.parametrize(
    "z",
    [
        lambda t, q, xi: [t + 2 * q.x + 3 * xi.vx],
        lambda q, xi, t: [t + 2 * q[0] + 3 * xi[0]],
        lambda xi, t, q: [t + 2 * q[0] + 3 * xi[0]],
        lambda t: [t + 0.9],
        lambda q, xi: [0.7 + 2 * q.x + 3 * xi.vx],
    ],
    ids=["t q xi", "q xi t", "xi t q", "t", "q xi"],
)
def test_rows_and_forces_do_not_depend_on_the_order_of_arguments(z):
    wanted = T + 2 * Q[0] + 3 * XI[0]
    found = accelerations(particle().constrain(Acceleration("lift", lambda q: [[q.x, 0.0]], z)))
    assert found[0] == pytest.approx(wanted / Q[0], rel=1e-13)
    found = accelerations(particle(force=lambda q, t, xi: [t + 2 * q.x + 3 * xi.vx, 0.0]))
    assert found[0] == pytest.approx(wanted, rel=1e-13)


def test_expressions_serve_as_well():
    import sympy

    x, t = sympy.symbols("x t")
    found = accelerations(particle().constrain(Acceleration("lift", [[1, 0]], [x + t])))
    assert found[0] == pytest.approx(Q[0] + T, rel=1e-13)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: particle().constrain(Acceleration("lift", lambda a: [[a, 0]], [0])), "'lift' asks for the argument"),
        (lambda: particle(force=lambda t, q, v: [0, 0]), "force asks for the argument 'v'; it can have q, xi, t"),
        (
            lambda: particle().constrain(
                Geometric("rod", lambda q, t: [q.x - t], lambda q: np.eye(2)[:1], lambda q, v: np.zeros(1))
            ),
            "'rod' asks for the argument 't'; it can have q",
        ),
        (lambda: vv.HandFlow(lambda q, xi, t: -q, 1), r"rates of 'flow' is called with \(t, q, xi\), in this order"),
        (lambda: vv.HandFlow(lambda t, q, v: -q, 1, energy=lambda v, q: 0), r"energy of 'flow' is called with \(q, xi"),
    ],
)  # fmt: skip
def test_other_arguments_are_refused(make, match):
    with pytest.raises(ModelError, match=match):
        make()
