"""vv.linearise of mechanism and tracking law against the small errors of the law itself."""

from __future__ import annotations

import numpy as np
import plants
import pytest
import scipy.optimize
from numpy.testing import assert_allclose
from plants import c, random_gains

import visviva as vv
from visviva import demo

APPROACHES = ("particle", "body", "energy")


def arm_law(approach):
    gains = random_gains(1)
    return plants.robot_arm(), c.tracking(plants.robot_arm(), {("ground", "tool"): gains}, approach), np.full(6, 0.4)


def cart_law(approach):
    return plants.cart(), c.tracking(plants.cart(), {"rail": c.gains(2.0, 5.0, 7.0)}, approach), np.array([0.3])


def free_law(approach):
    law = c.tracking(plants.free_body(), {("ground", "body"): random_gains(2)}, approach)
    return plants.free_body(), law, law.d.integrate(np.array(law.d.q_built), [0.3, -0.5, 0.4, 0.1, 0.2, 0.3])


def two_masses_law(approach):
    """Less inputs than velocities."""
    gains = {"z1": c.gains(1.0, 2.0, 3.0), "z2": c.gains(2.0, 1.0, 4.0), ("one", "two"): c.gains(0.5, 0.4, 0.3)}
    approach = "body" if approach == "energy" else approach
    return plants.two_masses(), c.tracking(plants.two_masses(), gains, approach), np.array([0.2, 0.2])


def quadcopter_law(approach):
    m, rotors = plants.quadcopter()
    own = c.matching.quadcopter((-3, -4, -5, -6.5), heading=(5.0, 0.9))
    law = c.tracking(m, {("ground", "craft"): own.gains()}, approach, actuators=rotors)
    return m, law, np.array(law.d.q_built)


LOOPS = {"arm": arm_law, "cart": cart_law, "free body": free_law, "two masses": two_masses_law}


def paired(found, wanted):
    """Poles of one list, each beside the nearest that is left of the other."""
    left, out = list(wanted), []
    for pole in found:
        k = int(np.argmin(np.abs(np.array(left) - pole)))
        out.append(left.pop(k))
    return np.array(out)


def same_poles(found, wanted, rtol=1e-8):
    assert len(found) == len(wanted)
    assert_allclose(found, paired(found, wanted), rtol=0, atol=rtol * np.abs(wanted).max())


@pytest.mark.parametrize("approach", APPROACHES)
@pytest.mark.parametrize("plant", LOOPS)
def test_poles_are_those_of_the_law(plant, approach):
    m, law, q = LOOPS[plant](approach)
    wanted = law.linear(q).poles
    for found in (vv.linearise(m, inputs=law.at(q)), vv.linearise(m, at=(q, np.zeros(law.d.nv)), inputs=law)):
        same_poles(found.poles(), wanted)
        assert found.name == m.name


def test_thrusts_that_turn_with_their_body_are_those_of_the_law():
    """Two pairs of equal poles, which are as exact as the root of rounding."""
    m, law, q = quadcopter_law("body")
    found, wanted = vv.linearise(m, inputs=law.at(q)), law.linear(q)
    assert_allclose(np.poly(found.A), np.poly(wanted.closed_loop), rtol=1e-8)


def test_matrices_are_those_of_the_law_in_names_of_the_user():
    m, law, q = arm_law("energy")
    found, wanted = vv.linearise(m, inputs=law.at(q)), law.linear(q)
    assert found.states == tuple(f"theta{i}.{x}" for x in ("q", "rate") for i in range(1, 7))
    assert found.inputs == law.input_names
    assert_allclose(found.A, wanted.closed_loop, atol=1e-8 * np.abs(wanted.closed_loop).max())
    assert_allclose(found.B, wanted.B, atol=1e-8 * np.abs(wanted.B).max())
    seen = vv.linearise(m, operating=law.at(q), inputs=["tau3"], outputs=["tool.r"])
    assert seen.inputs == ("tau3",)
    assert seen.outputs == ("tool.r[0]", "tool.r[1]", "tool.r[2]")
    assert_allclose(seen.B[:, 0], found.B[:, 2], atol=1e-9)


def test_a_law_in_python_has_the_same_loop():
    m, law, q = arm_law("body")
    python, compiled = (vv.linearise(m, inputs=law.at(q, compiled=flag)) for flag in (False, True))
    assert_allclose(python.A, compiled.A, atol=1e-8 * np.abs(compiled.A).max())


def test_loops_are_held_where_they_are_linearised():
    m = demo.four_bar()
    m.torque("motor", "A")
    law = c.tracking(m, {"A": c.gains(1.0, 5.0, 7.0)}, "body", independent=("A",))
    q = law.d.coordinates({"A": 0.3})
    same_poles(law.linear(q).poles, np.roots([1.0, 5.0, 7.0]), rtol=1e-7)
    for found in (vv.linearise(m, inputs=law.at(q)), vv.linearise(m, at={"A.q": 0.3}, inputs=law)):
        same_poles(found.poles(), np.roots([1.0, 5.0, 7.0]))


def test_an_equilibrium_beside_a_reference_that_inputs_cannot_hold():
    """Two rods, driven at the upper hinge alone: the loop rests beside the reference, and is linearised there."""
    m = vv.Mechanism("rods", gravity=(0, 0, -plants.G))
    rod = vv.inertia.rod(1.0, 1.0, axis="z")
    upper, lower = m.body("upper", inertia=rod, at=(0, 0, -0.5)), m.body("lower", inertia=rod, at=(0, 0, -1.5))
    m.revolute("shoulder", m.ground, upper, at=(0, 0, 0), axis="y")
    m.revolute("elbow", upper, lower, at=(0, 0, -1), axis="y")
    m.torque("motor", "shoulder")
    law = c.tracking(m, {"shoulder": c.gains(1.0, 5.0, 30.0), "elbow": c.gains(0.3, 1.0, 2.0)}, "body")
    q_R, still = np.array([0.3, 0.4]), np.zeros(2)
    there = scipy.optimize.fsolve(lambda q: law.evaluate(q, still, q_R, still, still).a, q_R, xtol=1e-13)
    assert np.abs(there - q_R).max() > 0.05
    found = vv.linearise(m, inputs=law.at(q_R))
    assert_allclose(found.A, vv.linearise(m, at=(there, still), inputs=law.at(q_R)).A, atol=1e-7)
    assert np.abs(found.A - law.linear(q_R).closed_loop).max() > 0.1
    with pytest.raises(vv.AssemblyError, match="no equilibrium of mechanism 'rods'"):
        vv.linearise(m, at=(q_R, still), inputs=law.at(q_R))


def test_ports_that_a_law_leaves_free_are_inputs():
    m = vv.Mechanism("cart")
    m.prismatic("rail", m.ground, m.body("cart", mass=3.0, inertia=(1, 1, 1)), axis="x")
    m.force("push", "rail")
    m.force("gust", "rail")
    law = c.tracking(m, {"rail": c.gains(2.0, 5.0, 7.0)}, "body", inputs="push")
    found = vv.linearise(m, inputs=law.at([0.0]))
    assert found.inputs == ("push", "gust")
    gust = found.transfer_function("rail.q", "gust")
    for w in (0.1, 1.0, 10.0):  # 1/(3 (s² + 2.5 s + 3.5))
        assert_allclose(gust(1j * w), 1 / (3 * ((1j * w) ** 2 + 2.5j * w + 3.5)), rtol=1e-8)


# -- references that move ---------------------------------------------------------------------------------------------


def moving(law, q, v):
    """With constant velocities."""
    return law.at(lambda t: (law.d.integrate(q, t * np.asarray(v)), np.asarray(v, dtype=float), np.zeros(law.d.nv)))


@pytest.mark.parametrize("approach", APPROACHES)
def test_coefficients_of_an_instant_about_a_reference_that_moves(approach):
    m, law, q = free_law(approach)
    v = np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.4])
    wanted = law.linear(q, v).poles
    on_it = moving(law, q, v)
    same_poles(vv.linearise(m, inputs=on_it, residual_ok=True).poles(), wanted, rtol=1e-7)
    same_poles(vv.linearise(m, at=(q, v), inputs=on_it, residual_ok=True).poles(), wanted, rtol=1e-7)


def test_a_steady_reference():
    """Particles lose stiffness with the speed (4.78), bodies do not."""
    gains, rate = {"axle": c.gains(1.0, 1.0, 4.0)}, 1.9
    for approach, stiffness in (("particle", 4.0 - rate**2), ("body", 4.0)):
        law = c.tracking(plants.wheel(), gains, approach)
        found = vv.linearise(plants.wheel(), inputs=moving(law, np.array([0.3]), [rate]), steady=True)
        same_poles(found.poles(), np.roots([1.0, 1.0, stiffness]))


def test_a_run_on_a_reference_is_linearised_at_its_time():
    """(4.78) at the instant at which the run ends."""
    law = c.tracking(plants.wheel(), {"axle": c.gains(1.0, 1.0, 4.0)}, "particle")
    goal = c.reference(plants.wheel(), {"axle": c.path(lambda t: 0.6 * t**2)})
    run = vv.simulate(plants.wheel(), t_end=1.5, h=0.01, initial={"axle.q": 0.0}, inputs=law.at(goal))
    found = vv.linearise(plants.wheel(), at=run, inputs=law.at(goal), residual_ok=True)
    q, v = run["axle.q"][-1], run["axle.rate"][-1]
    e = q - 0.6 * 1.5**2
    K = 4.0 * np.cos(e) - (1.8**2 * np.cos(e) - 1.2 * np.sin(e)) + 1.8 * np.sin(e)
    assert abs(e) < 0.5
    assert v == pytest.approx(1.8, abs=0.5)
    assert_allclose(found.A, [[0, 1], [-K, -1]], atol=1e-6)


# -- errors -----------------------------------------------------------------------------------------------------------


def test_what_moves_is_not_linearised_as_if_it_were_at_rest():
    m, law, q = cart_law("body")
    with pytest.raises(vv.AssemblyError, match=r"reference of the control law moves at t = 0 s"):
        vv.linearise(m, inputs=moving(law, q, [1.0]))
    accelerated = law.at(lambda t: (q, np.zeros(1), np.ones(1)))
    with pytest.raises(vv.AssemblyError, match=r"reference of the control law moves at t = 0 s"):
        vv.linearise(m, inputs=accelerated)


def test_a_law_without_a_reference_wants_a_place_at_rest():
    m, law, _ = cart_law("body")
    with pytest.raises(vv.ModelError, match="nothing says where that is"):
        vv.linearise(m, inputs=law)
    with pytest.raises(vv.ModelError, match=r"there it moves: 'rail.rate' is 2"):
        vv.linearise(m, at={"rail.q": 0.0, "rail.rate": 2.0}, inputs=law, residual_ok=True)
    with pytest.raises(vv.ModelError, match="give the Mechanism"):
        vv.linearise(vv.analytical(m), at=([0.0], [0.0]), inputs=law)


def test_what_is_no_law_in_continuous_time():
    m, law, q = cart_law("body")
    with pytest.raises(vv.ModelError, match="Laws at ticks have no linear system"):
        vv.linearise(m, inputs=law.discrete(q, 0.01))
    with pytest.raises(vv.ModelError, match="is asked at ticks"):
        vv.linearise(m, inputs=law.at(q, period=0.01))
    with pytest.raises(vv.ModelError, match="Give the law alone"):
        vv.linearise(m, inputs=law.at(q), operating={"push": 1.0})
    other = vv.Mechanism("sledge")
    other.prismatic("ice", other.ground, other.body("sledge", mass=3.0, inertia=(1, 1, 1)), axis="x")
    other.force("push", "ice")
    with pytest.raises(vv.ModelError, match="made for a mechanism with other parts"):
        vv.linearise(other, inputs=law.at(q))


def test_a_singular_tool_is_named():
    law = c.tracking(plants.scara(), {("ground", "tool"): c.gains(1.0, 5.0, 7.0)}, "energy")
    for compiled in (True, False):
        with pytest.raises(vv.ModelError, match=r"the transport map .*is singular"):
            vv.linearise(plants.scara(), inputs=law.at([0.3, 0.0], compiled=compiled))
