"""Freedoms and constraints of bodies as screw systems: closed forms, known linkages, and every joint."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from small_mechanisms import CATALOGUE, cardan_with_a_massless_cross

import visviva as vv
from visviva import demo
from visviva.geometry import SE3
from visviva.geometry.screws import Screw, System, reciprocal
from visviva.mechanism.freedoms import TWISTS, phrase

MECHANISMS = pytest.mark.parametrize("make", CATALOGUE.values(), ids=CATALOGUE)


@MECHANISMS
def test_freedoms_and_constraints_are_reciprocal_and_complete(make):
    network = make()[0].kinestatics()
    for body in network.definition.bodies:
        free = network.freedom(body)
        products = reciprocal(free.twists.basis[:, None], free.wrenches.basis)
        assert_allclose(products, 0, atol=1e-9)
        total = 3 if body.name in network.kinestatics.particles else 6
        assert free.twists.rank + free.wrenches.rank == total
        assert free.mobility <= network.mobility()


@MECHANISMS
def test_with_every_joint_locked_nothing_moves_that_joints_hold(make):
    network = make()[0].kinestatics()
    movable = [joint for joint in network.definition.joints if network.kinestatics.pairs[joint.name].freedom]
    held = {end.name for joint in network.definition.joints for end in (joint.parent, joint.child)}
    for body in network.definition.bodies:
        if body.name in held and body.name not in network.kinestatics.particles:
            assert network.freedom(body, locked=movable).mobility == 0


def test_the_coupler_turns_about_its_instant_centre():
    """Where the lines of crank and rocker meet: x = 0 and z = -4.5."""
    free = demo.four_bar().kinestatics().freedom("coupler")
    assert free.twists == System(Screw.about((0, 1, 0), at=(0, 0, -4.5)))
    text = str(free)
    assert text.startswith("'coupler' against 'ground': mobility 1\nmotions:\n  turn about the line through (0, 0, -")
    assert "couple about (1, 0, 0)" in text


def test_three_bodies_have_their_instant_centres_on_one_line():
    """Aronhold and Kennedy, for any three members of a planar mechanism."""
    network = demo.four_bar().kinestatics()
    pairs = (("crank", "coupler"), ("coupler", "rocker"), ("rocker", "crank"))
    points = [network.freedom(*pair).twists.principal().screws[0].axis.point for pair in pairs]
    a, b = points[1] - points[0], points[2] - points[0]
    assert_allclose(np.cross(a, b), 0, atol=1e-12)


def test_sarrus_goes_straight():
    """Reciprocal to both trios of parallel hinges is what the platform does: a shift along z."""
    m = demo.sarrus()
    network = m.kinestatics()
    assert network.freedom("platform").twists == System(Screw.along((0, 0, 1)))
    x, y = (
        System(*(network.kinestatics.pairs[f"{part} {side}"].S.T for part in ("foot", "knee", "head"))) for side in "xy"
    )
    assert (x & y) == System(Screw.along((0, 0, 1)))


@pytest.mark.slow
def test_sarrus_goes_straight_in_motion():
    along = vv.simulate(demo.sarrus(), 0.2, 0.01)["platform.r"]
    assert_allclose(along[:, :2], 0, atol=1e-12)
    assert along[-1, 2] < along[0, 2]


def test_bennetts_coupler_has_a_screw_on_no_joint():
    network = demo.bennett().kinestatics()
    screw = network.freedom("second").twists.principal().screws[0]
    assert screw.pitch == pytest.approx(0.633123, abs=1e-6)
    # Aronhold and Kennedy in space: the screw is a combination of those of h1 and h2, and of h3 and h4
    for pair in (("h1", "h2"), ("h3", "h4")):
        assert screw in System(*(network.kinestatics.pairs[name].S.T for name in pair))


def test_locked_inputs_hold_the_deck():
    network = demo.stewart().kinestatics()
    legs = [f"slide{i}" for i in range(6)]
    assert network.freedom("deck").mobility == 6
    assert network.freedom("deck", locked=legs).mobility == 0
    one_free = network.freedom("deck", locked=legs[1:])
    assert one_free.mobility == 1
    wrenches = one_free.wrenches
    for i in range(1, 6):  # forces on the lines of the locked legs
        foot, head = (np.asarray(network.definition[f"{part}{i}"].r_W) for part in ("cross", "ball"))
        assert Screw.about(head - foot, at=foot) in wrenches
    foot, head = (np.asarray(network.definition[f"{part}0"].r_W) for part in ("cross", "ball"))
    assert Screw.about(head - foot, at=foot) not in wrenches


def test_one_coordinate_of_a_joint_can_be_locked():
    m = vv.Mechanism()
    m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.cylindrical("shaft", m.ground, "a", at=(0, 0, 0), axis=(0, 0, 1))
    network = m.kinestatics()
    assert network.freedom("a").mobility == 2
    assert network.freedom("a", locked=[("shaft", 0)]).twists == System(Screw.along((0, 0, 1)))
    assert network.freedom("a", locked=[("shaft", 1)]).twists == System(Screw.about((0, 0, 1)))
    assert "with 'shaft.1' locked" in str(network.freedom("a", locked=[("shaft", 1)]))


def test_massless_bodies_take_part():
    network = cardan_with_a_massless_cross()[0].kinestatics()
    assert network.freedom("cross").twists == System(Screw.about((0, 0, 1)))
    assert network.freedom("a").mobility == 2


def test_screws_do_not_depend_on_the_frames_of_bodies():
    """A14: a body described in another frame is the same body."""
    X = SE3.exp([0.3, -0.8, 0.5, 0.2, 0.1, -0.4])

    def rod(frame: SE3) -> vv.Mechanism:
        m = vv.Mechanism()
        J = frame.R.T @ np.diag([0.1, 0.2, 0.25]) @ frame.R
        m.body("a", mass=1.0, inertia=J, com=frame.inverse().act(np.zeros(3)), at=frame.r, rotation=frame.R)
        m.universal("u", m.ground, "a", at=(0.5, 0, 0), axes=((0, 0, 1), (0, 1, 0)))
        return m

    here, there = (rod(frame).kinestatics() for frame in (SE3.identity(), X))
    assert here.freedom("a").twists == there.freedom("a").twists
    assert here.structure().same_as(there.structure())


def test_a_joint_says_what_of_it_is_used():
    network = demo.slider_crank().kinestatics()
    ball = network.at_joint("ball")
    assert (ball.allows.rank, ball.moves.rank, ball.bears.rank, ball.idle) == (3, 1, 3, 2)
    assert ball.moves <= ball.allows
    assert "spherical 'ball': freedom 3, of which the mechanism uses 1" in str(ball)
    assert str(network.at_joint("ball", locked=["bearing"])).count("motions") == 0


# -- conditions


def test_a_gear_locks_two_shafts_to_each_other():
    m = vv.Mechanism()
    for k in range(2):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k, 0, 0))
        m.revolute(f"j{k}", m.ground, f"b{k}", at=(k, 0, 0), axis=(0, 0, 1), rate=None if k else 1.0)
    m.gear("gear", "j0", "j1", ratio=2.0)
    network = m.kinestatics()
    assert network.mobility() == m.mobility() == 1
    ratio = network.transmission(["j0"], ["j1"]).jacobian[0, 0]
    run = vv.simulate(m, 0.1, 0.01)
    assert ratio == pytest.approx(run["j1.rate"][0] / run["j0.rate"][0])
    assert network.freedom("b1", locked=["j0"]).mobility == 0
    # the pitch point, where both bodies have one velocity, is on the line between the shafts
    axis = network.freedom("b1", "b0").twists.principal().screws[0].axis
    assert_allclose(axis.point[1:], 0, atol=1e-12)


def test_a_rolling_disc_turns_about_the_point_of_contact():
    m = vv.Mechanism()
    m.body("disc", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(0, 0, 0.5), rotation=SE3.exp([1.2, 0, 0, 0, 0, 0]).R)
    m.rolling_disc("contact", m.ground, "disc", radius=0.5 / np.sin(1.2), axis=(0, -np.sin(1.2), np.cos(1.2)))
    network = m.kinestatics()
    free = network.freedom("disc")
    assert free.mobility == m.mobility() == 3
    lowest = 0.5 / np.tan(1.2)  # the lowest point of the rim, on one side of the centre
    points = [(0, sign * lowest, 0) for sign in (1, -1)]
    contact = [System(*(Screw.about(e, at=point) for e in np.eye(3))) for point in points]
    assert free.twists in contact
    assert free.wrenches == free.twists


def test_drives_are_ports_of_the_structure():
    m = vv.Mechanism()
    m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.revolute("hinge", m.ground, "a", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("motor", "hinge", rate=2.0)
    network = m.kinestatics()
    assert network.structure().ports == {"a": 6, "motor": 1}
    system = network.implicit()
    assert system.ports == {"motor": 1}
    assert_allclose(network.flows()["motor"], 2.0)
    x_dot, dH = network.x_dot({"a": np.zeros(6)}), network.dH()
    assert_allclose(system.residual(x_dot, dH, network.flows(), network.efforts()), 0, atol=1e-12)
    assert np.abs(system.residual(x_dot, dH, network.flows(), network.efforts({"motor": 1.0}))).max() > 0.1
    spun_up = network.x_dot({"a": np.array([0, 0, 1.0, 0, 0, 0])})  # 1 N m turns 1 kg m² by 1 rad/s²
    assert_allclose(system.residual(spun_up, dH, network.flows(), network.efforts({"motor": 1.0})), 0, atol=1e-12)


def test_friction_laws_motors_and_stops_do_not_hinder():
    m = vv.Mechanism()
    m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.revolute("hinge", m.ground, "a", at=(0, 0, 0), axis=(0, 0, 1), friction=vv.friction.coulomb(1.0, v_reg=0.1))
    m.motor("motor", "hinge", resistance=1.0, inductance=1.0, k=1.0)
    m.stop("stop", "hinge", -1, 1, stiffness=1e3)
    network = m.kinestatics()
    assert network.freedom("a").mobility == 1
    assert {"hinge.friction", "motor", "motor.resistance"} == set(network.implicit().ports)


# -- errors


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda n: n.freedom("cuopler"), "has no 'cuopler'. Did you mean 'coupler'"),
        (lambda n: n.freedom("A"), "freedom asks for revolute joint 'A'|freedom asks for .* 'A': give a body"),
        (lambda n: n.freedom("crank", "crank"), "'crank' against itself"),
        (lambda n: n.freedom("crank", locked="A"), r"locked takes several joints, e.g. locked=\['A'\]"),
        (lambda n: n.freedom("crank", locked=["Z"]), "has no 'Z'"),
        (lambda n: n.freedom("crank", locked=["crank"]), "'crank' has no coordinates"),
        (lambda n: n.freedom("crank", locked=[("A", 1)]), "coordinate 1 of joint 'A' is none: it has 1"),
        (lambda n: n.at_joint("E"), "has no 'E'"),
    ],
)
def test_wrong_names_are_told(ask, message):
    with pytest.raises(vv.ModelError, match=message):
        ask(demo.four_bar().kinestatics())


def test_small_mechanisms_have_small_pitches():
    screw = Screw.about((0, 0, 1), pitch=1e-10)
    assert phrase(screw, TWISTS, length=1.0).startswith("turn about the line")
    assert phrase(screw, TWISTS, length=1e-3).startswith("screw of pitch 1e-10 m/rad")


def test_joints_go_by_name_or_handle():
    network = demo.four_bar().kinestatics()
    assert str(network.at_joint(network.definition["B"])) == str(network.at_joint("B"))
    with pytest.raises(vv.ModelError, match=r"has no '1'\. Known: A, B, C, D"):
        network.at_joint(1)
    with pytest.raises(vv.ModelError, match=r"locked takes several joints, e.g. locked=\[None\]"):
        network.freedom("coupler", locked=None)


def test_a_joint_without_freedom_cannot_be_locked():
    m = vv.Mechanism()
    m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.fixed("weld", m.ground, "a", at=(0, 0, 0))
    with pytest.raises(vv.ModelError, match="'weld' is fixed and has no freedom"):
        m.kinestatics().freedom("a", locked=["weld"])


def test_a_state_of_a_run_will_do():
    m = demo.four_bar()
    run = vv.simulate(m, 0.1, 0.01)
    network = vv.kinestatics(m, run.final)
    angle = run["A.q"][-1] - run["A.q"][0]
    axis = network.freedom("crank", "coupler").twists.principal().screws[0].axis
    assert_allclose(axis.point, SE3.exp([0, angle, 0, 0, 0, 0]).act(np.array([0, 0, 0.4])), atol=1e-9)
    with pytest.raises(vv.ModelError, match="kinestatics takes a mechanism or a run of one, got str"):
        vv.kinestatics("m")
