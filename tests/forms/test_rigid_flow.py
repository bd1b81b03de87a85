import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import G, particle

import visviva as vv
from visviva.errors import AssemblyError
from visviva.forms import Damping, Geometric, Kinematic, Moments, Pfaffian, RigidSystem, coordinates
from visviva.geometry import SO3

ROD = Geometric("rod", lambda q: [(q.x**2 + q.y**2 - 1) / 2])


def top(by):
    p = coordinates.joined({("ground", "top"): coordinates.spherical("top", by=by)})
    return RigidSystem(p, bodies={"top": Moments.from_parts(1.0, moment=(1, 2, 3))})


@pytest.mark.parametrize("by", ["quaternion", "matrix"])
def test_eulers_top_turns_as_its_integrals_say(by):
    """Θ = diag(1, 2, 3), ω = (1, 1, 1): kinetic energy 3 and angular momentum (1, 2, 3) in space stay."""
    system = top(by)
    run = vv.simulate(
        system, t_end=2.0, h=0.1, integrator=vv.DOP853(), initial=(system.parameterisation.q0, np.ones(3))
    )
    q, xi = run["q"][-1], run["xi"][-1]
    assert system.energy(q, xi) == pytest.approx(3.0, abs=1e-8)
    R = system.frames(q)["top"].R
    assert_allclose(R @ (np.array([1, 2, 3]) * xi), [1, 2, 3], atol=1e-8)
    assert_allclose(system.parameterisation.phi(q), 0, atol=1e-13)  # no drift of what is redundant


def test_a_top_turns_through_the_singularity_of_angles():
    """T1: with ω = (0, 1, 0) it is R = Ry(t); at t = π/2 Euler angles fail, here nothing happens."""
    system = top("quaternion")
    run = vv.simulate(system, t_end=2.0, h=np.pi / 20, initial=(system.parameterisation.q0, (0, 1, 0)))
    for t, q in zip(run.t, run["q"], strict=True):
        assert_allclose(system.frames(q)["top"].R, SO3.exp([0, t, 0]).R, atol=1e-9)


def test_a_run_that_grows_without_bounds_keeps_what_was_made():
    """v = 1/√(1 - 2 t): the force is not finite at some stage of a step that is too long."""
    system = particle(gravity=(0, 0, 0), force=lambda t, q, xi: [xi[0] ** 3, 0])
    with pytest.raises(vv.ConvergenceError, match="could not be made: force must be finite, got") as caught:
        vv.simulate(system, 3.0, 0.1, initial=((0, 0), (1, 0)), integrator=vv.RK4())
    assert np.isfinite(caught.value.run["xi"]).all()
    assert caught.value.run.t[-1] >= 0.3


def test_a_constrained_run_stays_on_its_constraints():
    system = particle().constrain(ROD)
    run = vv.simulate(system, t_end=0.5, h=0.05, integrator=vv.RK4(), initial=((1, 0), (0, 0)))
    assert_allclose((run["q"] ** 2).sum(axis=1), 1, atol=1e-12)
    assert_allclose((run["q"] * run["xi"]).sum(axis=1), 0, atol=1e-12)
    assert run["energy"][-1] == pytest.approx(0, abs=1e-3)
    assert_allclose(run["power"], 0, atol=1e-11)


def test_quantities_have_the_names_of_coordinates_and_velocities():
    run = vv.simulate(particle(), t_end=0.1, h=0.05, integrator=vv.RK4(), initial=((0, 0), (1, 2)))
    assert_allclose(run["x"], run.t, atol=1e-14)
    assert_allclose(run["vy"], 2 - G * run.t, atol=1e-13)


def test_power_is_the_rate_of_energy():
    """Of friction, a force, and a constraint that moves: all three at once."""
    system = particle(
        dampers=[Damping("ground", "mass", Moments.from_parts(0.4))], force=lambda t, q, xi: [np.cos(t), q[0]]
    ).constrain(Kinematic("speed", lambda xi, t: [xi.vx**2 + xi.vy**2 - 1 - t]))
    q, xi, h = np.array([0.1, 0.2]), np.sqrt(1.3) * np.array([0.6, 0.8]), 1e-5
    xi_dot, _ = system.rates(0.3, q, xi, np.zeros(0))
    before, after = (system.energy(q + t * xi + t * t / 2 * xi_dot, xi + t * xi_dot) for t in (-h, h))
    assert system.power(0.3, q, xi) == pytest.approx((after - before) / (2 * h), abs=1e-8)
    assert xi @ system.solve(q, xi, t=0.3).reactions["speed"] == pytest.approx(
        0.5 - xi @ (system.terms(q, xi, t=0.3).b)
    )


def test_a_run_starts_from_the_nearest_state_that_is_allowed():
    system = particle().constrain(Pfaffian("slot", [[1.0, 0.0]]))
    q, xi, _ = system.projected(0.0, np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.zeros(0))
    assert_allclose(q, [1, 2])
    assert_allclose(xi, [0, 4], atol=1e-14)


@pytest.mark.parametrize(("q", "xi", "level"), [((1.1, 0), (0, 0), "positions"), ((1, 0), (0.1, 0), "velocities")])
def test_a_start_off_the_constraints_is_refused(q, xi, level):
    with pytest.raises(AssemblyError, match=f"the {level} of the start do not satisfy 'rod'"):
        vv.simulate(particle().constrain(ROD), t_end=0.1, h=0.05, integrator=vv.RK4(), initial=(q, xi))


def test_a_run_continues_where_another_ended():
    system = particle().constrain(ROD)
    half = vv.simulate(system, t_end=0.1, h=0.05, integrator=vv.RK4(), initial=((1, 0), (0, 0)))
    rest = vv.simulate(system, t_end=0.2, h=0.05, integrator=vv.RK4(), initial=half.final)
    whole = vv.simulate(system, t_end=0.2, h=0.05, integrator=vv.RK4(), initial=((1, 0), (0, 0)))
    assert_allclose(rest["q"][-1], whole["q"][-1], atol=1e-13)
