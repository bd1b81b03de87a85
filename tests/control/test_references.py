"""References: joints and frames are where their paths are, v and a are derivatives of q, loops close."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from robots import four_bar

import visviva as vv
from visviva import control
from visviva.geometry import SE3, SO3


def arm(n=2, axes=None):
    """Rods of one metre, stretched along x as built, with a tool at the end."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    below = m.ground
    for k in range(n):
        rod = m.body(f"rod{k}", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(k + 0.5, 0, 0))
        m.revolute(f"joint{k}", below, rod, at=(k, 0, 0), axis="y" if axes is None else axes[k])
        m.torque(f"motor{k}", f"joint{k}")
        below = rod
    m.frame("tool", below, at=(n, 0, 0))
    return m


def five_bar():
    """Two cranks on the ground whose rods meet in a pen."""
    m = vv.Mechanism("five bar", gravity=(0, 0, -9.81))
    points = [np.array(p, dtype=float) for p in ((-0.2, 0, 0), (-0.5, 0, 0.4), (0, 0, 0.9), (0.5, 0, 0.4), (0.2, 0, 0))]
    bars = [m.body(f"bar{k}", mass=1.0, inertia=(0.02,) * 3, at=(points[k] + points[k + 1]) / 2) for k in range(4)]
    ends = [m.ground, *bars, m.ground]
    for k, name in enumerate("ABCDE"):
        m.revolute(name, ends[k], ends[k + 1], at=points[k], axis="y")
    m.torque("left", "A")
    m.torque("right", "E")
    m.frame("pen", bars[1], at=points[2])
    return m


CIRCLE = control.circle(0.4, control.polynomial(0.0, 2 * np.pi, 3.0), centre=(1.2, 0, 0.3), normal="y")


def gap_of_loops(d, q):
    return np.abs(d.form.open.g(d.form.x(q))).max()


def test_paths_of_all_joints_are_the_coordinates():
    r = control.reference(arm(), {"joint0": control.polynomial(0.0, 1.0, 2.0), "joint1": lambda t: np.sin(t)})
    q, v, a = r(0.7)
    path = control.polynomial(0.0, 1.0, 2.0)
    assert_allclose(q, [path(0.7), np.sin(0.7)], rtol=0, atol=0)
    assert_allclose(v, [path(0.7, 1), np.cos(0.7)], rtol=1e-14)
    assert_allclose(a, [path(0.7, 2), -np.sin(0.7)], rtol=1e-14)
    assert (r.ends, r.duration, r.names) == ((0.0, 2.0), 2.0, ("joint0.rate", "joint1.rate"))
    assert repr(r) == "<reference of 'arm' by joint0, joint1: 2 velocities from 0 s to 2 s>"
    assert max(r.check()) < 1e-9


def assert_follows(r, name, path, times):
    """J v_R = V and J a_R + J̇ v_R = V̇ of a frame."""
    d = r.dynamics
    for t in times:
        q, v, a = r(t)
        x = path.derivatives(t, 2)
        assert_allclose(d.pose(name, q).r, x[0], rtol=0, atol=1e-14)
        assert_allclose((d.jacobian(name, q) @ v)[3:], x[1], rtol=0, atol=1e-12)
        found = d.jacobian(name, q) @ a + d.bias_acceleration(name, q, v)
        assert_allclose(found[3:], x[2], rtol=0, atol=1e-10)


def test_a_tool_follows_its_path():
    r = control.reference(arm(), {"tool": CIRCLE})
    assert_follows(r, "tool", CIRCLE, np.linspace(0, 3, 7))
    check = r.check()
    assert check.goals < 1e-14
    assert max(check.v, check.a) < 1e-9


def test_the_order_of_times_does_not_matter():
    times = np.random.default_rng(0).uniform(0, 3, 20)
    for m, goals in ((arm(), {"tool": CIRCLE}), (five_bar(), {"pen": pen_path()})):
        first, second = control.reference(m, goals), control.reference(m, goals)
        ahead, back = first.sample(times), second.sample(times[::-1])
        for x, y in zip(ahead, back, strict=True):
            assert_allclose(x, y[::-1], rtol=0, atol=0)


def test_near_chooses_the_branch():
    up, down = (control.reference(arm(), {"tool": CIRCLE}, near={"joint1": x})(1.0).q for x in (-1.0, 1.0))
    assert up[1] < 0 < down[1]
    assert_allclose(up[1], -down[1], rtol=1e-12)
    assert_allclose(control.reference(arm(), {"tool": CIRCLE}, near=[0.5, 1.0])(1.0).q, down, rtol=0, atol=1e-14)


def pen_path():
    return control.joined(
        control.hold([0.0, 0.0, 0.9], 0.5),
        control.polynomial([0.0, 0.0, 0.9], [0.2, 0.0, 0.75], 1.0),
        control.polynomial([0.2, 0.0, 0.75], [-0.15, 0.0, 0.8], 1.0),
    )


def test_loops_stay_closed_along_a_tool_path():
    r = control.reference(five_bar(), {"pen": pen_path()})
    assert_follows(r, "pen", pen_path(), np.linspace(0, 2.5, 6))
    assert max(gap_of_loops(r.dynamics, r(t).q) for t in np.linspace(0, 2.5, 11)) < 1e-14
    check = r.check(np.linspace(0.1, 2.4, 9))
    assert max(check.v, check.a) < 1e-8
    assert r.feasibility(np.linspace(0, 2.5, 5))


@pytest.mark.parametrize("independent", [None, ("A",)])
def test_a_crank_goes_round(independent):
    d = vv.dynamics(four_bar(), independent=independent)
    r = control.reference(d, {"A": control.polynomial(0.0, 2 * np.pi, 3.0)})
    q = r.sample([0.0, 1.1, 3.0]).q
    assert_allclose(q[1], vv.dynamics(four_bar(), independent=independent).coordinates({"A": q[1][0]}), atol=1e-12)
    assert max(gap_of_loops(d, each) for each in q) < 1e-14
    check = r.check([0.4, 1.3, 2.2])
    assert max(check.v, check.a) < 1e-8
    assert r(1.1).v.shape == (d.nv,)


def test_a_joint_that_closes_a_loop_is_taken_into_the_tree():
    with pytest.raises(vv.ModelError, match=r"'C' of 'four bar' closes a loop .*\n.*independent=\('C',\)"):
        control.reference(four_bar(), {"C": 0.1})
    d = vv.dynamics(four_bar(), independent=("C",))
    r = control.reference(d, {"C": control.polynomial(0.0, 0.1, 1.0)})
    assert_allclose(r(1.0).q[d.q_names.index("C.q")], 0.1, rtol=0, atol=1e-13)


def test_poses_rotations_and_joints_may_be_mixed():
    m = arm(6, ["z", "y", "y", "x", "y", "x"])
    d = vv.dynamics(m)
    q = d.coordinates({"joint1": 0.5, "joint2": -0.9, "joint4": 0.6})
    X = d.pose("tool", q)
    turning = control.turn("z", control.polynomial(0.0, 0.5, 2.0), start=X.rotation)
    moving = control.polynomial(X.r, X.r - (0.3, 0.4, 0.2), 2.0)
    r = control.reference(d, {"tool": (moving, turning)}, near=q)
    pose, now = control.pose(moving, turning), r(1.3)
    assert_allclose(d.pose("tool", now.q).matrix, pose(1.3).matrix, rtol=0, atol=1e-13)
    assert_allclose(d.jacobian("tool", now.q, "body") @ now.v, pose.motion(1.3).V, rtol=0, atol=1e-12)
    found = d.jacobian("tool", now.q, "body") @ now.a + d.bias_acceleration("tool", now.q, now.v, "body")
    assert_allclose(found, pose.motion(1.3).V_dot, rtol=0, atol=1e-11)
    assert max(r.check(np.linspace(0.1, 1.9, 7))) < 1e-9
    some = {"tool": turning, "joint0": control.polynomial(0.0, 0.3, 2.0), "joint1": 0.5, "joint2": -0.9}
    mixed = control.reference(d, some, near=q)
    assert_allclose(d.pose("tool", mixed(1.3).q).R, turning(1.3).R, rtol=0, atol=1e-13)
    assert_allclose(mixed(1.3).q[1:3], [0.5, -0.9], rtol=0, atol=1e-14)
    standing = control.reference(d, {"tool": SE3(X.R, X.r)}, near=q)
    assert_allclose(standing(0.3).q, q, rtol=0, atol=1e-12)


def test_what_flies_turns_or_floats_follows_poses():
    m = vv.Mechanism("kite", gravity=(0, 0, -9.81))
    kite = m.body("kite", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0, 0, 1), com=(0.1, 0, 0))
    tail = m.body("tail", mass=0.1, inertia=(0.01,) * 3, at=(-0.5, 0, 1))
    m.spherical("knot", kite, tail, at=(-0.3, 0, 1))
    m.free("bird flies", m.ground, m.particle("bird", mass=0.1, at=(1, 1, 1)))
    X = control.pose(control.lissajous([1.0, 0.5, 0.2], [0.3, 0.4, 0.5]), control.turn((1, 1, 0), 0.7))
    wag, flight = control.rotation_vector(control.lissajous([0.3, 0.2, 0.1], [1.0, 0.5, 0.3])), control.circle(2.0, 1.0)
    r = control.reference(m, {"kite": X, "knot": wag, "bird": flight})
    d, now = r.dynamics, r(0.8)
    assert_allclose(d.pose("kite", now.q).matrix, X(0.8).matrix, rtol=0, atol=1e-14)
    assert_allclose(d.jacobian("kite", now.q, "body") @ now.v, X.motion(0.8).V, rtol=0, atol=1e-13)
    assert_allclose(d.pose("bird", now.q).r, flight(0.8), rtol=0, atol=1e-14)
    relative = d.pose("kite", now.q).R.T @ d.pose("tail", now.q).R
    assert_allclose(relative, wag(0.8).R, rtol=0, atol=1e-14)
    check = r.check(np.linspace(0.1, 2.0, 7))
    assert max(check.v, check.a) < 1e-8
    position = control.reference(m, {"kite": X.position, "knot": wag, "bird": flight}, rest="least")
    assert_allclose(position.dynamics.pose("kite", position(0.5).q).r, X(0.5).r, rtol=0, atol=1e-13)


def test_the_rest_moves_with_the_least_kinetic_energy():
    m = arm(3)
    goals = {"tool": control.polynomial([2.0, 0.0, 1.0], [1.5, 0.0, -0.5], 2.0)}
    near = {"joint0": -0.8, "joint1": 0.5, "joint2": 0.4}
    with pytest.raises(vv.ModelError, match=r"does not determine: joint0.rate.*of which 1 is free.\n.*rest='least'"):
        control.reference(m, goals, near=near)
    r = control.reference(m, goals, near=near, rest="least")
    d, (q, v, _) = r.dynamics, r(0.9)
    J = d.jacobian("tool", q)[[3, 5]]
    free = np.linalg.svd(J)[2][2]
    assert abs(free @ d.mass_matrix(q) @ v) < 1e-12
    assert_allclose(J @ v, goals["tool"](0.9, 1)[[0, 2]], rtol=0, atol=1e-13)
    check = r.check(np.linspace(0.1, 1.9, 7))
    assert check.goals < 1e-13
    assert check.v < 1e-7
    assert check.a < 1e-7
    times = [0.3, 1.7, 0.9]
    again = control.reference(m, goals, near=near, rest="least").sample(times[::-1])
    assert_allclose(r.sample(times).q, again.q[::-1], rtol=0, atol=0)
    closed = control.reference(vv.dynamics(five_bar(), independent="rank"), {"pen": pen_path()})
    assert closed(1.0).v.shape == (2,)
    with pytest.raises(vv.ModelError, match="takes independent velocities"):
        control.reference(five_bar(), {"A": 0.0}, rest="least")


def test_rolling_is_kept_where_all_coordinates_are_given():
    import formulation_catalogue

    m = formulation_catalogue.CATALOGUE["rolling disc"].build()
    with pytest.raises(vv.ModelError, match="its independent velocities do not tell where it is"):
        control.reference(vv.dynamics(m, independent="rank"), {m.bodies[0].name: control.pose([0, 0, 1.0])})
    d = vv.dynamics(m)
    X = d.pose(m.bodies[0].name, d.q_built)
    with pytest.raises(vv.AssemblyError, match="contradict each other, or what its joints let it do"):
        control.reference(m, {m.bodies[0].name: (control.line(X.r, [0.3, 0.2, 0.0]), X.rotation)})(0.0)


# -- feasibility -------------------------------------------------------------------------------------------------


def cart():
    m = vv.Mechanism("cart", gravity=(0, 0, -9.81))
    box = m.body("box", mass=2.0, inertia=(0.1,) * 3, at=(0, 0, 0))
    pole = m.body("pole", inertia=vv.inertia.rod(0.5, 1.0, axis="z"), at=(0, 0, 0.5))
    m.prismatic("rail", m.ground, box, at=(0, 0, 0), axis="x")
    m.revolute("pivot", box, pole, at=(0, 0, 0), axis="y")
    m.force("push", "rail")
    return m


def test_forces_that_no_input_gives_are_those_of_the_passive_joint():
    r = control.reference(cart(), {"rail": control.polynomial(0.0, 1.0, 1.0), "pivot": 0.0})
    found, times = r.feasibility([0.2, 0.5, 0.8]), [0.2, 0.5, 0.8]
    assert found.names == ("pivot.rate",)
    wanted = [r.dynamics.inverse(*r(t))[1] for t in times]
    assert_allclose(found.force[:, 0], wanted, rtol=1e-12, atol=1e-14)
    assert_allclose(found.force[0, 0], 0.5 * 0.5 * control.polynomial(0.0, 1.0, 1.0)(0.2, 2), rtol=1e-12)  # m s a
    assert not found
    assert "not feasible: at most" in repr(found)
    with pytest.raises(vv.ModelError, match=r"not feasible: at t = .* along pivot.rate, which no input can give"):
        control.reference(cart(), {"rail": control.polynomial(0.0, 1.0, 1.0), "pivot": 0.0}, feasible=True)


def test_a_motion_of_a_fully_actuated_mechanism_is_feasible():
    r = control.reference(arm(), {"tool": CIRCLE}, feasible=True)
    assert r.feasibility().names == ()
    assert r.feasibility([]).worst == 0.0
    standing = control.reference(cart(), {"rail": 0.3, "pivot": 0.0}, feasible=True)
    assert "<feasible" in repr(standing.feasibility())


def test_inputs_given_by_hand_take_the_place_of_those_of_the_mechanism():
    r = control.reference(cart(), {"rail": control.polynomial(0.0, 1.0, 1.0), "pivot": 0.0})
    assert r.feasibility(inputs=np.eye(2))
    found = r.feasibility([0.3], inputs=lambda q: np.array([[1.0], [0.5]]))
    assert_allclose(found.directions[0].T @ [1.0, 0.5], 0.0, rtol=0, atol=1e-15)
    with pytest.raises(vv.ModelError, match="drive other velocities"):
        r.feasibility([0.0, 0.5], inputs=lambda q: np.array([[1.0], [0.0]]) if q[0] < 0.1 else np.array([[0.0], [1.0]]))
    with pytest.raises(vv.ModelError, match="input matrix B must have shape"):
        r.feasibility(inputs=np.eye(3))


# -- errors ------------------------------------------------------------------------------------------------------


REFUSED = {
    "name": (lambda: control.reference(arm(), {"tol": 1.0}), "no joint, frame or body 'tol'. Did you mean 'tool'"),
    "nothing": (lambda: control.reference(arm(), {}), "takes paths by name"),
    "no mapping": (lambda: control.reference(arm(), CIRCLE), "takes paths by name"),
    "no mechanism": (lambda: control.reference(3, {"a": 1.0}), "takes a Mechanism"),
    "width": (lambda: control.reference(arm(), {"joint0": [1, 2]}), r"a path of 1 coordinate, joint0.q, got .*\(2,\)"),
    "position": (lambda: control.reference(arm(), {"tool": 1.0}), "a path of 3 numbers"),
    "ground": (lambda: control.reference(arm(), {"ground": CIRCLE}), "the ground does not move"),
    "rest": (lambda: control.reference(arm(), {"tool": CIRCLE}, rest="lest"), "rest='lest'"),
    "twice": (lambda: control.reference(arm(), {"joint0": 1.0, "joint0.q": 1.0}), "two paths of joint0.rate"),
    "step": (lambda: control.reference(arm(), {"tool": CIRCLE}, step=0.0), "must be positive"),
    "argument": (lambda: control.reference(arm(), {"tool": CIRCLE}, start=[0, 0]), "has no argument 'start'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_reference_is_refused(name):
    action, message = REFUSED[name]
    with pytest.raises(vv.ModelError, match=message):
        action()


def test_a_particle_has_no_axes():
    m = vv.Mechanism("bird")
    m.particle("bird", mass=0.1, at=(1, 1, 1))
    with pytest.raises(vv.ModelError, match="a particle has a position and no axes"):
        control.reference(m, {"bird": control.pose(CIRCLE)})
    with pytest.raises(vv.ModelError, match="a particle has a position and no axes"):
        control.reference(m, {"bird": SO3.identity()})


def test_a_free_joint_takes_poses():
    m = vv.Mechanism("box")
    m.free("flying", m.ground, m.body("box", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0)))
    with pytest.raises(vv.ModelError, match="is a path of poses"):
        control.reference(m, {"flying": 1.0})
    r = control.reference(m, {"flying": (CIRCLE, np.eye(3))})
    assert_allclose(r.dynamics.pose("box", r(1.0).q).r, CIRCLE(1.0), rtol=0, atol=1e-14)


def test_what_is_out_of_reach_is_said_with_time_and_distance():
    path = control.polynomial([1.0, 0.0, 0.5], [2.6, 0.0, 0.0], 2.0)
    r = control.reference(arm(), {"tool": path}, near={"joint1": 1.0})
    assert_allclose(r.dynamics.pose("tool", r(0.5).q).r, path(0.5), rtol=0, atol=1e-14)
    with pytest.raises(vv.AssemblyError, match=r"at t = 1.\d* s mechanism 'arm'.*'tool' stays 0.\d* m away") as e:
        r.check()
    assert "beyond t = 1." in str(e.value)
    assert "dead point" in str(e.value)
    assert "near=" in str(e.value)
    with pytest.raises(vv.AssemblyError, match=r"at t = 0 s .* 'tool' stays 1 m away"):
        control.reference(arm(), {"tool": [3.0, 0.0, 0.0]})
    with pytest.raises(vv.AssemblyError, match=r"'tool' stays 0.3 m away"):  # beside its plane
        control.reference(arm(), {"tool": [1.0, 0.3, 0.0]})


def test_goals_that_contradict_each_other_are_named():
    with pytest.raises(vv.AssemblyError, match=r"'tool' stays .* m away, 'joint0' stays .* rad away"):
        control.reference(arm(), {"tool": [1.0, 0.0, 0.5], "joint0": 0.0, "joint1": 1.0})
    agreeing = {"joint0": 0.0, "joint1": 0.0, "tool": [2.0, 0.0, 0.0]}
    assert_allclose(control.reference(arm(), agreeing)(0.0).q, 0.0, rtol=0, atol=1e-14)
    moving = agreeing | {"tool": control.line([2.0, 0.0, 0.0], [0.0, 0.0, 1.0])}
    with pytest.raises(vv.AssemblyError, match=r"at t = 0 s the goals .* contradict .* m/s"):
        control.reference(arm(), moving)(0.0)


def test_a_dead_point_is_named():
    r = control.reference(arm(), {"tool": control.polynomial([2.0, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0)})
    with pytest.raises(vv.AssemblyError, match=r"at t = 0 s .* dead point of its reference: joint0.rate, joint1.rate"):
        r(0.0)


def test_a_path_whose_velocity_jumps_is_refused_by_the_check():
    kink = control.spline([0.0, 1.0, 0.0], [0.0, 1.0, 2.0], degree=5)
    control.reference(arm(), {"joint0": kink, "joint1": 0.0}).check()
    from visviva.control.paths import Polynomials

    c = np.array([[0.0, 1.0], [1.0, -1.0]])
    b = np.array([[1.0, 1.0], [0.0, -1.0]])
    zigzag = Polynomials(np.array([0.0, 1.0, 2.0]), c, b)
    with pytest.raises(vv.ModelError, match=r"path of 'joint0' has a velocity that jumps by 2 at t = 1 s"):
        control.reference(arm(), {"joint0": zigzag, "joint1": 0.0}).check()


def test_times_before_the_begin_and_beyond_the_end_are_at_rest():
    r = control.reference(arm(), {"tool": CIRCLE})
    for t, at in ((-5.0, 0.0), (9.0, 3.0)):
        assert_allclose(r(t).q, r(at).q, rtol=0, atol=1e-12)
        assert_allclose(r(t).v, 0.0, rtol=0, atol=1e-12)
    always = control.reference(arm(), {"tool": control.circle(0.4, 2.0, centre=(1.2, 0, 0.3), normal="y")})
    assert always.duration == math.inf
    assert_follows(always, "tool", control.circle(0.4, 2.0, centre=(1.2, 0, 0.3), normal="y"), (-1.3, 0.4, 2.2))
    assert always.times(3).tolist() == [0.0, 5.0, 10.0]
