import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import hinge_chain, particle, tree

from visviva.errors import AssemblyError, ConvergenceError
from visviva.forms.calculus.retraction import advance, local_rate
from visviva.forms.rigid.consistency import consistent
from visviva.forms.rigid.constraints import Geometric, Kinematic, Pfaffian

SYSTEM, Q, XI = tree()
P = SYSTEM.parameterisation


def test_a_step_stays_on_the_configurations():
    delta = 0.4 * XI / np.linalg.norm(XI)
    there = advance(P, Q, delta)
    assert_allclose(P.phi(there), 0, atol=1e-13)
    assert_allclose(np.linalg.pinv(P.A(Q)) @ (there - Q), delta, atol=1e-13)
    assert_allclose(advance(P, Q, np.zeros(P.n)), Q, atol=1e-15)


def test_the_rate_of_local_coordinates_gives_the_velocity():
    delta, h = 0.2 * np.cos(np.arange(P.n)), 1e-6
    rate = local_rate(P, Q, delta, XI)
    q_dot = (advance(P, Q, delta + h * rate) - advance(P, Q, delta - h * rate)) / (2 * h)
    assert_allclose(q_dot, P.A(advance(P, Q, delta)) @ XI, atol=1e-7)
    assert_allclose(local_rate(P, Q, np.zeros(P.n), XI), XI, atol=1e-13)


def test_coordinates_without_redundancy_just_move():
    p = hinge_chain([1.0, 1.0]).parameterisation
    assert_allclose(advance(p, np.array([1.0, 2.0]), np.array([9.0, -9.0])), [10, -7])


def test_a_step_that_is_too_long_is_refused():
    with pytest.raises(ConvergenceError, match="take a shorter step"):
        advance(P, Q, 5.0 * np.ones(P.n))


def test_states_are_brought_to_the_constraints_in_the_metric_of_mass():
    rod = Geometric("rod", lambda q: [(q.x**2 + q.y**2 - 1) / 2])
    q, xi = consistent(particle().constrain(rod), (3.0, 4.0), (1.0, 1.0))
    assert_allclose(q, [0.6, 0.8], atol=1e-12)
    assert_allclose(xi, np.array([1.0, 1.0]) - 1.4 * np.array([0.6, 0.8]), atol=1e-12)


def test_nonlinear_conditions_on_velocities_are_reached():
    speed = Kinematic("speed", lambda xi, t: [xi.vx**2 + xi.vy**2 - t])
    q, xi = consistent(particle().constrain(speed), (0, 0), (1.0, 1.0), t=4.0)
    assert_allclose(xi, np.sqrt(2) * np.ones(2), atol=1e-11)
    assert_allclose(q, 0)


def test_redundant_constraints_are_reached():
    level = [Geometric(name, lambda q: [q.y - 1.0, 0.0 * q.x]) for name in ("level", "again")]
    q, xi = consistent(particle().constrain(*level), (2.0, 3.0), (1.0, 1.0))
    assert_allclose(q, [2, 1], atol=1e-12)
    assert_allclose(xi, [1, 0], atol=1e-12)


def test_redundant_coordinates_are_kept_on_theirs():
    system = SYSTEM.constrain(
        Geometric("level", lambda q: [q.a_rz - 5.0]), Pfaffian("still", [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
    )
    q, xi = consistent(system, Q, XI)
    assert q[2] == pytest.approx(5.0)
    assert xi[0] == pytest.approx(0.0, abs=1e-12)
    assert_allclose(P.phi(q), 0, atol=1e-13)


def test_what_cannot_be_reached_is_refused_by_name():
    system = particle().constrain(Geometric("nowhere", lambda q: [q.x**2 + q.y**2 + 1]))
    with pytest.raises(AssemblyError, match="'nowhere' stays at"):
        consistent(system, (1.0, 0.3), (0, 0))
