import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import hinge_chain, particle, tree

from visviva.errors import AssemblyError, ConvergenceError
from visviva.forms.calculus.local_coordinates import Tangents
from visviva.forms.rigid.consistency import consistent
from visviva.forms.rigid.constraints import Geometric, Kinematic, Pfaffian

SYSTEM, Q, XI = tree()
P = SYSTEM.parameterisation
OTHER = P.with_velocities([f"u{k}" for k in range(P.n)], lambda q: np.eye(P.n) + 0.3 * np.outer(q[: P.n], np.ones(P.n)))
TANGENTS = Tangents(P.A_map, P.phi_map)
LOCAL = {"exponentials": (P, P.local), "tangents": (P, TANGENTS), "changed": (OTHER, OTHER.local)}


@pytest.mark.parametrize(("p", "local"), LOCAL.values(), ids=LOCAL)
def test_a_step_stays_on_the_configurations(p, local):
    delta, h = 0.4 * XI / np.linalg.norm(XI), 1e-6
    assert_allclose(p.phi(local.advance(Q, delta)), 0, atol=1e-13)
    assert_allclose(local.advance(Q, np.zeros(p.n)), Q, atol=1e-15)
    slope = [(local.advance(Q, h * e) - local.advance(Q, -h * e)) / (2 * h) for e in np.eye(p.n)]
    assert_allclose(np.transpose(slope), p.A(Q), atol=1e-8)


@pytest.mark.parametrize(("p", "local"), LOCAL.values(), ids=LOCAL)
def test_the_rate_of_local_coordinates_gives_the_velocity(p, local):
    delta, h = 0.2 * np.cos(np.arange(p.n)), 1e-6
    rate = local.rate(Q, delta, XI)
    q_dot = (local.advance(Q, delta + h * rate) - local.advance(Q, delta - h * rate)) / (2 * h)
    assert_allclose(q_dot, p.A(local.advance(Q, delta)) @ XI, atol=1e-7)
    assert_allclose(local.rate(Q, np.zeros(p.n), XI), XI, atol=1e-13)


def test_tangents_are_coordinates_of_the_tangent_space():
    delta = 0.4 * XI / np.linalg.norm(XI)
    assert_allclose(np.linalg.pinv(P.A(Q)) @ (TANGENTS.advance(Q, delta) - Q), delta, atol=1e-13)


def test_coordinates_without_redundancy_just_move():
    p = hinge_chain([1.0, 1.0]).parameterisation
    for local in (p.local, Tangents(p.A_map, p.phi_map)):
        assert_allclose(local.advance(np.array([1.0, 2.0]), np.array([9.0, -9.0])), [10, -7])


def test_steps_of_joints_may_be_long_those_of_tangents_not():
    delta = 5.0 * np.ones(P.n)
    assert_allclose(P.phi(P.local.advance(Q, delta)), 0, atol=1e-13)
    with pytest.raises(ConvergenceError, match="take a shorter step"):
        TANGENTS.advance(Q, delta)


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
