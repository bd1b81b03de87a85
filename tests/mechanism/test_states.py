"""States by name: what is given is hit, loops are closed, the rest stays as near as built."""

import numpy as np
import pytest
from bench import arm, cart_pole, warm_motor
from coupled_mechanisms import driven_four_bar, gears
from feature_mechanisms import FEATURES
from formulation_catalogue import CATALOGUE
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.geometry import SE3, SO3
from visviva.geometry.quaternion import quaternion
from visviva.mechanism.assembly import coordinates, count_turns, motion_of, prepared_states
from visviva.mechanism.body_twists import body_pose, twist_of
from visviva.mechanism.joint_tree import JointTree
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body
from visviva.mechanism.positions import extent, is_closed

LOOPS = {
    "four-bar": demo.four_bar,
    "slider-crank": demo.slider_crank,
    "Stewart platform": demo.stewart,
    "Bennett": demo.bennett,
    "Sarrus": demo.sarrus,
    "rolling disc": demo.rolling_disc,
    "gears": lambda: gears()[0],
    "massless link": FEATURES["massless_link"],
}
TREES = {"arm": arm, "cart-pole": cart_pole, "warm motor": warm_motor}
TREES |= {name: FEATURES[name] for name in FEATURES if name.endswith("with friction")}
TREES |= {
    name: FEATURES[name] for name in ("balls_in_a_row", "beads_on_lines", "rods_and_free_bodies", "welded_bodies")
}


def reported(run, node):
    """All that a run reports of a state by name."""
    m, given = run.model.definition, {}
    for joint in m.joints:
        if joint.joint.coordinates:
            given |= {f"{joint.name}.{word}": run[f"{joint.name}.{word}"][node] for word in ("q", "rate")}
    for part in m.bodies:
        words = ("r", "R", "twist") if isinstance(part, Body) else ("r", "v")
        given |= {f"{part.name}.{word}": run[f"{part.name}.{word}"][node] for word in words}
    given |= {f"{motor.name}.current": run[f"{motor.name}.current"][node] for motor in m.motors}
    given |= {f"{one.name}.temperature": run[f"{one.name}.temperature"][node] for one in m.thermals}
    return given


def check_closed(m, motion):
    linkage = Linkage(m)
    count_turns(linkage, motion)
    q = coordinates(linkage, motion)
    V = np.concatenate([motion.V[part.name] for part in m.bodies])
    assert is_closed(linkage, q, 1e-11 * extent(linkage, q))
    C = linkage.dense(linkage.kinematics.place(q))
    assert_allclose(C @ V, linkage.speeds, atol=1e-10 * max(1.0, float(np.abs(V).max())))


@pytest.mark.parametrize("name", [*TREES, *LOOPS])
def test_a_run_starts_again_where_another_one_was(name):
    """From all that it reports, redundant as that is: the same state, velocities and all."""
    m = (TREES | LOOPS)[name]()
    run = vv.simulate(m, 0.04, 5e-3, integrator=vv.LieMidpoint(compiled=False))
    given = reported(run, 6)
    motion = m.assemble(at=given)[0]
    for k, turn in enumerate(run.model.turns):
        assert motion.angles[turn.name] == pytest.approx(run.record.angles[6][k], abs=1e-12)
    for part in m.bodies:
        assert_allclose(motion.q[part.name], run.motion.q(part)[6], atol=1e-11)
        assert_allclose(motion.V[part.name], run.motion._velocity(part)[6], atol=1e-9)
    again = vv.simulate(m, 0.0, 1.0, initial=given)
    for one in given:
        assert_allclose(again[one][0], given[one], atol=1e-9, err_msg=one)


# -- trees ------------------------------------------------------------------------------------------------------


def test_joints_of_a_tree_are_where_they_are_told_and_the_others_as_built():
    m = arm()
    run = vv.simulate(m, 0.0, 1.0, initial={"j2.q": 7.0, "j4.rate": -2.0, ("j5", 0): 0.25})
    told = {"j2.q": 7.0, "j5.q": 0.25, "j4.rate": -2.0}
    for joint in m.joints:
        assert run[f"{joint.name}.q"][0] == told.get(f"{joint.name}.q", 0.0)
        assert run[f"{joint.name}.rate"][0] == pytest.approx(told.get(f"{joint.name}.rate", 0.0), abs=1e-14)


def test_a_tree_is_set_in_closed_form(monkeypatch):
    m = arm()
    states = prepared_states(m)
    monkeypatch.setattr(JointTree, "jacobian", None)
    states.motion({f"j{k}.q": 0.3 for k in range(7)} | {f"j{k}.rate": 0.1 for k in range(7)})
    assert prepared_states(m.snapshot()) is states
    m.particle("bob", mass=1.0, at=(0, 0, 0), velocity=(0, 0, 0))
    assert prepared_states(m) is not states


def test_rates_that_a_tree_was_built_with_stay():
    m = arm(rate=0.5)
    run = vv.simulate(m, 0.0, 1.0, initial={"j1.q": 1.0, "j3.rate": 2.0})
    assert run["j0.rate"][0] == pytest.approx(0.5)
    assert run["j3.rate"][0] == pytest.approx(2.0)


def test_a_tool_is_led_to_its_pose_by_the_joints():
    m = arm()
    goal = vv.simulate(m, 0.0, 1.0, initial={f"j{k}.q": 0.2 + 0.1 * k for k in range(7)})
    X = SE3(goal["tool.R"][0], goal["tool.r"][0])
    for given in ({"tool": X}, {"tool": X.matrix}, {"tool.r": X.r, "tool.R": X.R}, {"tool": _seven(X)}):
        run = vv.simulate(m, 0.0, 1.0, initial=given | {"tool.twist": (0, 0, 1, 0, 0, 0)})
        assert_allclose(run["tool.r"][0], X.r, atol=1e-12)
        assert_allclose(run["tool.R"][0], X.R, atol=1e-12)
        assert_allclose(run["tool.twist"][0], (0, 0, 1, 0, 0, 0), atol=1e-12)
    run = vv.simulate(m, 0.0, 1.0, initial={"tool.v": (0.1, 0.2, 0), "j0.q": 0.3, "j1.q": 0.5, "j3.q": 0.4})
    v = run["tool.twist"][0][3:]
    assert_allclose(run["tool.R"][0] @ v, (0.1, 0.2, 0), atol=1e-13)


def _seven(X):
    return np.append(X.r, quaternion(X.R))


def test_what_flies_is_placed_as_a_whole_and_carries_its_joints():
    m = vv.Mechanism("walker")
    base = m.body("base", mass=1.0, inertia=(1, 2, 3), at=(0, 0, 1), com=(0.1, 0, 0))
    leg = m.body("leg", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0.5))
    m.free("flies", m.ground, base)
    m.revolute("hip", base, leg, at=(0, 0, 0.8), axis=(0, 1, 0))
    X = SE3(SO3.exp([0.2, 0.5, -0.4]).R, np.array([3.0, 2.0, 1.0]))
    motion = m.assemble(at={"base": X, "hip.q": 0.4, "base.twist": (1, 2, 3, 4, 5, 6), "hip.rate": 2.0})[0]
    assert_allclose(body_pose(base, motion).matrix, X.matrix, atol=1e-14)
    assert_allclose(twist_of(base, motion), (1, 2, 3, 4, 5, 6), atol=1e-13)
    assert motion.angles["hip"] == 0.4
    run = vv.simulate(m, 0.0, 1.0, initial=motion)
    assert run["hip.rate"][0] == pytest.approx(2.0, abs=1e-13)


def test_ball_joints_take_quaternions_and_spins():
    m = FEATURES["balls_in_a_row"]()
    ball = next(joint for joint in m.joints if joint.joint.kind == "spherical")
    w = np.array([0.3, -0.2, 0.5])
    motion = m.assemble(at={f"{ball.name}.q": (np.cos(0.2), 0, np.sin(0.2), 0), f"{ball.name}.rate": w})[0]
    linkage = Linkage(m)
    place = linkage.kinematics.place(np.concatenate([motion.q[part.name] for part in m.bodies]))
    axes = place.axes[list(m.joints).index(ball)]
    assert_allclose(axes[0] @ axes[1].T, SO3.exp([0, 0.4, 0]).R, atol=1e-14)
    check_closed(m, motion)


# -- loops ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.3, 2.0, 2 * np.pi, 7.0, -13.0])
def test_a_four_bar_follows_its_crank_over_many_turns_on_its_branch(angle):
    m = demo.four_bar()
    motion = m.assemble(at={"A.q": angle, "A.rate": 2.0})[0]
    assert motion.angles["A"] == angle
    check_closed(m, motion)
    near = m.assemble(at={"A.q": np.remainder(angle, 2 * np.pi)})[0]
    for part in m.bodies:
        assert_allclose(motion.q[part.name], near.q[part.name], atol=1e-10)


@pytest.mark.parametrize(
    ("build", "given"),
    [
        (demo.slider_crank, {"bearing.q": 2.5, "bearing.rate": -1.0}),
        (demo.slider_crank, {"guide.q": 0.02, "guide.rate": 0.3}),
        (demo.bennett, {"h1.q": 2.0, "h3.rate": 1.0}),
        (demo.bennett, {"h4.q": 0.5}),
        (demo.sarrus, {"platform.r": (0, 0, 1.0), "platform.v": (0, 0, 0.2)}),
        (demo.sarrus, {"head y.q": 0.2, "head y.rate": 0.1}),
        (demo.stewart, {"deck.r": (0.05, 0.03, 1.0), "deck.twist": (0, 0, 0.1, 0, 0, 0.2)}),
        (demo.stewart, {f"slide{k}.q": 0.05 * (k % 2) for k in range(6)}),
        (demo.screw_press, {"nut.q": 9.0}),
        (lambda: gears()[0], {"a.q": 4.0}),
    ],
)
def test_loops_are_closed_at_what_is_given(build, given):
    m = build()
    motion = m.assemble(at=given)[0]
    check_closed(m, motion)
    run = vv.simulate(m, 0.0, 1.0, initial=given)
    for name, value in given.items():
        read = run[name.replace(".v", ".twist")][0]
        if name.endswith(".v"):
            read = run[name.replace(".v", ".R")][0] @ read[3:]
        assert_allclose(read, value, atol=1e-12, err_msg=name)


def test_a_crank_keeps_the_rate_that_it_was_built_with():
    run = vv.simulate(demo.four_bar(), 0.0, 1.0, initial={"A.q": 0.9})
    assert run["A.rate"][0] == pytest.approx(6.0, rel=1e-12)
    run = vv.simulate(demo.four_bar(), 0.0, 1.0, initial={"A.q": 0.9, "D.rate": 0.1})
    assert run["D.rate"][0] == pytest.approx(0.1, rel=1e-12)


def test_loops_count_from_the_zeros_of_their_joints():
    """Joints of the tree, and the one that is cut."""
    m = vv.Mechanism("loop")
    points = {"a": (0, 0, 0), "b": (0, 0, 0.3), "c": (0.8, 0, 0.6), "d": (0.7, 0, 0)}
    for name, at in (("crank", (0, 0, 0.15)), ("rod", (0.4, 0, 0.45)), ("rocker", (0.75, 0, 0.3))):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=at)
    ends = ((m.ground, "crank"), ("crank", "rod"), ("rod", "rocker"), (m.ground, "rocker"))
    zeros = dict(zip(points, (0.5, -2.0, 7.0, -9.0), strict=True))
    for (name, at), (parent, child) in zip(points.items(), ends, strict=True):
        m.revolute(name, parent, child, at=at, axis=(0, 1, 0), q_built=zeros[name])
    assert m.assemble()[0].angles == zeros
    there = m.assemble(at={"a.q": 0.8})[0]
    again = m.assemble(at={"d.q": there.angles["d"]})[0]
    assert again.angles == pytest.approx(there.angles, abs=1e-10)
    assert abs(there.angles["d"] + 9.0) < 1.0
    check_closed(m, again)


def test_what_is_too_far_to_be_followed_is_said_at_once():
    with pytest.raises(vv.AssemblyError, match=r"(?s)is 1e\+06 rad.*away from as built.*q_built"):
        demo.four_bar().assemble(at={"A.q": 1e6})
    assert arm().assemble(at={"j0.q": 1e6})[0].angles["j0"] == 1e6


def test_a_drive_by_its_rate_begins_where_it_is_told():
    m = vv.Mechanism("driven")
    arm_ = m.body("arm", mass=1.0, inertia=(1, 1, 1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, arm_, at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("turn", "hinge", rate=lambda t: 2.0 + t)
    run = vv.simulate(m, 0.1, 0.01, initial={"hinge.q": 5.0})
    assert run["hinge.q"][0] == 5.0
    assert run["hinge.q"][-1] == pytest.approx(5.205, abs=1e-12)
    vv.simulate(m, 0.0, 1.0, initial={"hinge.rate": 2.0})
    with pytest.raises(vv.AssemblyError, match=r"rate of joint 'hinge' is given as 3, and drive 'turn' prescribes 2"):
        m.assemble(at={"hinge.rate": 3.0})


def test_a_drive_by_its_position_says_where_its_joint_is():
    m = driven_four_bar()[0]
    crank = next(iter(m.conditions)).terms[0].joint.name
    with pytest.raises(vv.AssemblyError, match=r"(?s)cannot be assembled.*stay open"):
        m.assemble(at={f"{crank}.q": 1.0})


# -- errors -----------------------------------------------------------------------------------------------------


def test_coordinates_out_of_range_say_what_could_be_reached_and_what_stays_open():
    m = demo.four_bar()
    with pytest.raises(vv.AssemblyError) as caught:
        m.assemble(at={"D.q": 2.0})
    text = str(caught.value)
    assert "mechanism 'four bar' cannot be assembled at the coordinates that were given" in text
    assert "'D': open by" in text
    reached = float(text.split("D.q = ")[1].split(" for ")[0])
    far = [abs(m.assemble(at={"A.q": a})[0].angles["D"]) for a in np.linspace(0, 6.3, 8)]
    assert reached <= max(far) + 0.01


@pytest.mark.parametrize(
    ("given", "open_there"),
    [
        ({"A.q": 1.0, "D.q": 0.3}, r"A.q = .* for 1, D.q = .* for 0.3"),
        ({"crank.r": (0.4, 0.3, 0.2)}, "'crank': open by"),
        ({"crank.r": (0.1, 0, 0), "rocker.r": (0.2, 0.1, 0)}, "(?s)crank off by.*rocker off by"),
    ],
)
def test_contradictions_are_named(given, open_there):
    with pytest.raises(vv.AssemblyError, match=open_there):
        demo.four_bar().assemble(at=given)


def test_rates_that_contradict_each_other_are_named():
    with pytest.raises(vv.AssemblyError, match=r"(?s)\(A.rate, D.rate\).*'D.rate'.*Give fewer"):
        demo.four_bar().assemble(at={"A.rate": 2.0, "D.rate": 1.0})
    with pytest.raises(vv.AssemblyError, match=r"(?s)\(l0.twist\).*contradict"):
        arm().assemble(at={"l0.twist": (1, 0, 0, 0, 0, 0)})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"jj2.q": 1.0}, r"mechanism 'arm' has no state 'jj2.q'. Did you mean 'j2.q'"),
        ({"j2.p": 1.0}, r"no state 'j2.p'. Did you mean 'j2.q'"),
        ({"tool.s": 1.0}, r"no state 'tool.s'. Did you mean 'tool"),
        ({"base.r": (0, 0, 0)}, r"Frame 'base' is on the ground and does not move"),
        ({"weld.q": 1.0}, r"Joint 'weld' is fixed and has no coordinates"),
        ({"j2": "a"}, r"j2.q \[rad\] must be numbers, got 'a'"),
        ({"j2.q": np.nan}, r"j2.q \[rad\] must be finite"),
        ({"j2.q": (1.0, 2.0)}, r"j2.q \[rad\] must be one number"),
        ({"j2.q[1]": 1.0}, r"'j2.q' has 1 entries"),
        ({"j2.q": 1.0, ("j2", 0): 1.0}, r"is given twice"),
        ({"tool.r": (1, 2)}, r"tool.r \[m\] must have shape \(3\)|tool.r \[m\] must have shape"),
        ({"tool.R": np.ones((3, 3))}, r"tool.R"),
        ({"tool": (1, 2, 3)}, r"tool.pose must be one pose"),
        ({"tool": np.eye(4), "tool.r": (0, 0, 0)}, r"the place of 'tool' is given twice"),
        ({"tool.twist": (1, 2, 3)}, r"tool.twist"),
        ({3.0: 1.0}, r"given by names such as 'hinge.q', got 3.0"),
        ({"dc.current": np.inf}, r"current of motor 'dc' \[A\] must be finite"),
        ({"dc.voltage": 1.0}, r"no state 'dc.voltage'. Did you mean 'dc.current'"),
        ({"oil.temperature": -3.0}, r"temperature of thermal node 'oil' \[K\] must be positive"),
    ],
)
def test_what_is_no_state_is_said(given, message):
    m = arm()
    m.frame("base", m.ground, at=(0, 0, 0))
    box = m.body("box", mass=1.0, inertia=(1, 1, 1))
    m.fixed("weld", "l6", box)
    m.thermal("oil", capacity=10.0, temperature=300.0)
    m.motor("dc", "j0", resistance=1.0, inductance=0.1, k=0.2)
    with pytest.raises(vv.ModelError, match=message):
        m.assemble(at=given)


def test_a_handle_of_another_mechanism_is_no_name():
    with pytest.raises(vv.ModelError, match="a handle of another mechanism"):
        arm().assemble(at={arm().joints[0]: 1.0})
    m = arm()
    assert m.assemble(at={m.joints[0]: 1.0})[0].angles["j0"] == 1.0


def test_a_start_outside_of_stops_is_refused():
    m = cart_pole()
    m.stop("end", "rail", low=-1.0, high=1.0, stiffness=1e3)
    with pytest.raises(vv.AssemblyError, match="joint 'rail' starts at 2 m, outside of its limits"):
        vv.simulate(m, 0.0, 1.0, initial={"rail.q": 2.0})


def test_what_is_built_cannot_be_held_beside_a_state():
    with pytest.raises(vv.ModelError, match="takes fixed=, for what was built, or at=, for a state"):
        demo.four_bar().assemble(("crank",), at={"A.q": 0.1})
    motion, report = demo.four_bar().assemble(at={"A.q": 0.1})
    assert "crank: moved by" in str(report)
    assert motion_of(demo.four_bar(), motion) is motion


def test_particles_on_balls_have_states_by_name():
    """A ball joint that carries on a particle turns nothing there: such rates have no inertia, and stay."""
    m = CATALOGUE["particles"].build()
    now, _ = m.assemble(at={"base.q": 0.07})
    linkage = Linkage(m)
    assert is_closed(linkage, coordinates(linkage, now), 1e-12 * extent(linkage, coordinates(linkage, now)))
    V = np.concatenate([now.V[body.name] for body in linkage.bodies])
    rows = linkage.dense(linkage.kinematics.place(coordinates(linkage, now)))
    assert_allclose(rows @ V, linkage.speeds, atol=1e-12 * np.abs(V).max())
