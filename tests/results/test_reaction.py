"""Joint reactions: the wrench on the child, in the joint frame on the child, against statics and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.geometry import SO3

G = 9.81
SCHEMES = pytest.mark.parametrize(
    "integrator", [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()], ids=lambda scheme: type(scheme).__name__
)


def in_world(run, joint, reaction, R_now):
    """Moment and force of a reaction in world axes; R_now is the child's orientation, (n, 3, 3)."""
    R_WJ = R_now @ run.model.definition[joint.child.name].R_WB.T @ joint.R_W
    return [(R_WJ @ part[..., None])[..., 0] for part in (reaction[:, :3], reaction[:, 3:])]


# -- statics ----------------------------------------------------------------------------------------------------
@SCHEMES
def test_a_hanging_body_is_carried_by_its_weight(integrator):
    """The body frame is skew and away from the centre of mass, which hangs below the joint."""
    turn = SO3.exp((0.5, -0.3, 0.8))
    m = vv.Mechanism(gravity=(0, 0, -G))
    com = np.array([0.1, 0.2, -0.3])
    m.body("lamp", mass=2.0, inertia=(0.1, 0.2, 0.15), com=com, rotation=turn, at=-turn.act(com))
    m.spherical("hook", m.ground, "lamp", at=(0, 0, 1))
    run = vv.simulate(m, t_end=0.05, h=0.01, integrator=integrator)
    weight = (0, 0, 0, 0, 0, 2.0 * G)
    assert_allclose(run["hook.reaction"], np.tile(weight, (6, 1)), rtol=0, atol=1e-8)
    assert_allclose(run["hook.reaction_mid"], np.tile(weight, (5, 1)), rtol=0, atol=1e-8)


@SCHEMES
def test_a_hinge_carries_the_moment_that_it_does_not_let_go(integrator):
    """A sign on a vertical hinge: its weight acts at an arm of 0.4 m, beside the axis."""
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.body("sign", inertia=vv.inertia.box(3.0, (0.8, 0.05, 0.5)), at=(0.4, 0, 0))
    joint = m.revolute("post", m.ground, "sign", at=(0, 0, 0), axis=(0, 0, 1))
    run = vv.simulate(m, t_end=0.05, h=0.01, integrator=integrator)
    expected = [*(joint.R_W.T @ (0, -0.4 * 3.0 * G, 0)), *(joint.R_W.T @ (0, 0, 3.0 * G))]
    for name, n in (("post.reaction", 6), ("post.reaction_mid", 5)):
        assert_allclose(run[name], np.tile(expected, (n, 1)), rtol=0, atol=1e-8)


@SCHEMES
def test_reactions_in_world_axes_are_those_of_the_joint_frame_turned(integrator):
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.body("rod", inertia=vv.inertia.box(1.0, (1.0, 0.1, 0.2)), at=(0.5, 0.1, 0), rotation=SO3.exp((0.2, 0.1, 0)))
    joint = m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0.2, 1, 0.3))
    run = vv.simulate(m, t_end=0.5, h=0.01, integrator=integrator)
    moment, force = in_world(run, joint, run["hinge.reaction"], run["rod.R"])
    assert_allclose(run["hinge.reaction_world"], np.concatenate([moment, force], axis=-1), rtol=0, atol=1e-10)
    before, after = run["rod.R"][:-1], run["rod.R"][1:]
    moment, force = in_world(run, joint, run["hinge.reaction_mid"], SO3.nearest(0.5 * (before + after)).R)
    assert_allclose(run["hinge.reaction_world_mid"], np.concatenate([moment, force], axis=-1), rtol=0, atol=1e-10)


def test_a_particle_on_a_hook_is_carried_by_its_weight():
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.particle("ball", mass=0.5, at=(0, 0, 0))
    m.spherical("hook", m.ground, "ball", at=(0, 0, 0))
    run = vv.simulate(m, t_end=0.05, h=0.01)
    assert_allclose(run["hook.reaction"], np.tile((0, 0, 0, 0, 0, 0.5 * G), (6, 1)), rtol=0, atol=1e-12)


@SCHEMES
def test_a_chain_at_rest_hands_its_weight_upwards(integrator):
    m = vv.Mechanism(gravity=(0, 0, -G))
    m.body("upper", inertia=vv.inertia.cylinder(1.0, 0.1, 1.0), at=(0, 0, -0.5))
    m.body("lower", inertia=vv.inertia.cylinder(2.0, 0.1, 1.0), at=(0, 0, -1.5))
    m.spherical("top", m.ground, "upper", at=(0, 0, 0))
    m.spherical("middle", "lower", "upper", at=(0, 0, -1))  # the child is the upper one: it is pulled down
    run = vv.simulate(m, t_end=0.05, h=0.01, integrator=integrator)
    for kind, n in (("reaction", 6), ("reaction_mid", 5)):
        for joint, pull in (("top", 3 * G), ("middle", -2 * G)):
            assert_allclose(run[f"{joint}.{kind}"], np.tile((0, 0, 0, 0, 0, pull), (n, 1)), rtol=0, atol=1e-8)


# -- the pendulum -----------------------------------------------------------------------------------------------
def exact_angle(t):
    """θ̈ = -(3g/2) cos θ from rest at θ = 0."""
    tight = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "dense_output": True}
    return solve_ivp(lambda _, y: (y[1], -1.5 * G * np.cos(y[0])), (0, 1.1), np.zeros(2), **tight).sol(t)[0]


def exact_wrench(joint, angle):
    """On the rod, along it (5/2) mg sin θ and across it ¼ mg cos θ and no moment, in the joint frame on the rod."""
    along, across = 2.5 * G * np.sin(angle), 0.25 * G * np.cos(angle)
    force = np.stack([along, across, np.zeros_like(angle)], axis=-1) @ joint.R_W
    return np.concatenate([np.zeros_like(force), force], axis=-1)


def test_the_joint_force_of_a_released_pendulum_is_a_quarter_of_its_weight_up(pendulum):
    m = pendulum()
    run = vv.simulate(m, t_end=0.01, h=0.01)
    assert_allclose(m["hinge"].R_W @ run["hinge.reaction"][0, 3:], (0, 2.4525, 0), rtol=0, atol=1e-12)


@SCHEMES
def test_the_joint_force_of_a_pendulum_follows_its_swing_to_second_order(pendulum, integrator):
    errors = {"reaction": [], "reaction_mid": []}
    for h in (0.02, 0.01):
        m = pendulum()
        run = vv.simulate(m, t_end=1.0, h=h, integrator=integrator)
        for kind, t in (("reaction", run.t), ("reaction_mid", run.t_mid)):
            expected = exact_wrench(m["hinge"], exact_angle(t))
            errors[kind].append(np.abs(run[f"hinge.{kind}"] - expected).max())
    for coarse, fine in errors.values():
        assert coarse < 0.05 * G
        assert coarse / fine == pytest.approx(4.0, abs=0.6)


@pytest.mark.parametrize("kind", ["reaction", "reaction_mid"])
def test_the_force_on_the_ground_as_child_stands_in_the_frame_on_the_ground(kind):
    """The same pendulum with parent and child exchanged: minus the force on the rod, in axes that do not turn."""
    m = vv.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("rod", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), at=(0.5, 0, 0))
    joint = m.revolute("hinge", "rod", m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    run = vv.simulate(m, t_end=0.6, h=0.004)
    angle = exact_angle(run.t if kind == "reaction" else run.t_mid)
    along, across = 2.5 * G * np.sin(angle), 0.25 * G * np.cos(angle)
    e_r = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    e_t = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=-1)
    on_ground = -(along[:, None] * e_r + across[:, None] * e_t)
    assert_allclose(run[f"hinge.{kind}"][:, 3:], on_ground @ joint.R_W, rtol=0, atol=0.02)


# -- balances of momentum ---------------------------------------------------------------------------------------
@SCHEMES
def test_every_body_obeys_newton_and_euler_with_the_reactions_of_its_joints(machine, inputs, integrator):
    """m a = Σ f and d/dt (J ω) = Σ (m + r x f) for the arm: child of the elbow, parent of the ball, with both ports."""
    run = vv.simulate(machine(), t_end=0.1, h=0.002, inputs=inputs, integrator=integrator)
    m = run.model.definition
    arm, h = m["arm"], 0.002
    R, V = run["arm.R"], run["arm.twist"]
    p = arm.mass * (R @ V[:, 3:, None])[..., 0]  # the frame of the box is at its centre of mass
    L = (R @ arm.J @ V[:, :3, None])[..., 0]
    moment, force = in_world(run, m["elbow"], run["elbow.reaction"], R)
    on_tip = run["ball.reaction"][:, 3:]  # a particle has no axes of its own: world
    elbow = run["arm.r"] + R @ (np.array([1.0, 0, 0]) - arm.r_WB)
    axis = R @ m["elbow"].R_W[:, 2]
    motor = 0.5 * np.cos(3 * run.t)[:, None] * axis
    load = np.array(inputs["load"])
    total_f = force - on_tip + load[3:] + arm.mass * np.array([0, 0, -G])
    arms = elbow - run["arm.r"], run["tip.r"] - run["arm.r"]
    total_m = moment + np.cross(arms[0], force) - np.cross(arms[1], on_tip) + load[:3] + motor
    assert_allclose((p[2:] - p[:-2]) / (2 * h), total_f[1:-1], rtol=0, atol=0.02)
    assert_allclose((L[2:] - L[:-2]) / (2 * h), total_m[1:-1], rtol=0, atol=0.005)


def four_bar() -> vv.Mechanism:
    m = vv.Mechanism("four bar", gravity=(0, -G, 0))
    A, B, C, D = np.array([[0, 0, 0], [0, 1, 0], [2, 1, 0], [1, 0, 0]], dtype=float)
    for name, (a, b) in {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}.items():
        length = float(np.linalg.norm(b - a))
        m.body(name, inertia=vv.inertia.cylinder(1.0, 0.05, length, axis=b - a), at=(a + b) / 2)
    ends = {"A": ("ground", "crank", A), "B": ("crank", "coupler", B), "C": ("coupler", "rocker", C)}
    ends["D"] = ("ground", "rocker", D)
    for name, (parent, child, at) in ends.items():
        m.revolute(name, parent, child, at=at, axis=(0, 0, 1), rate=1.0 if name == "A" else None)
    return m


@SCHEMES
@pytest.mark.parametrize("kind", ["reaction", "reaction_mid"])
def test_reactions_of_the_ground_and_weight_change_the_momentum_of_a_redundant_loop(integrator, kind):
    h = 0.002
    run = vv.simulate(four_bar(), t_end=0.05, h=h, integrator=integrator)
    m = run.model.definition
    P, mid = run["momentum"], kind == "reaction_mid"
    rate = (P[1:] - P[:-1]) / h if mid else (P[2:] - P[:-2]) / (2 * h)

    def at(values):
        return 0.5 * (values[1:] + values[:-1]) if mid else values[1:-1]

    total = np.zeros_like(rate)
    for name in ("A", "D"):
        child = m[name].child.name
        R = at(run[f"{child}.R"])
        reaction = run[f"{name}.{kind}"] if mid else run[f"{name}.{kind}"][1:-1]
        moment, force = in_world(run, m[name], reaction, R)
        total += np.concatenate([moment + np.cross(m[name].r_W, force), force], axis=-1)
    for body in m.bodies:
        weight = body.mass * np.array([0, -G, 0])
        r = at(run[f"{body.name}.r"])
        total += np.concatenate([np.cross(r, weight), np.broadcast_to(weight, r.shape)], axis=-1)
    assert_allclose(rate, total, rtol=0, atol=0.01)


def test_reactions_of_redundant_joints_are_the_ones_of_least_norm():
    """In a plane loop with forces in that plane, no joint needs a force across it or a moment about an axis in it."""
    run = vv.simulate(four_bar(), t_end=0.05, h=0.01)
    for joint in "ABCD":
        for kind in ("reaction", "reaction_mid"):
            assert_allclose(run[f"{joint}.{kind}"][:, [0, 1, 5]], 0, atol=1e-9)
