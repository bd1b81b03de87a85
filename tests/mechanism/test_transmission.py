"""Rates and forces from inputs to outputs, mobility with its reasons."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.geometry.screws import Screw, System

LEGS = [f"slide{i}" for i in range(6)]


def test_the_rate_of_the_rocker_is_that_of_a_motion():
    m = demo.four_bar()
    passing = m.kinestatics().transmission(["A"], ["D", "coupler"])
    motion = m.assemble()[0]
    assert_allclose(passing.rates(6.0)[4:], motion.V["coupler"][3:], atol=1e-9)
    assert passing.rates(1.0)[0] == pytest.approx(0.4 / 4.9 * 6)  # about the instant centre at z = -4.5
    assert passing.inputs == ("A",)
    assert passing.outputs[:3] == ("D", "coupler.wx", "coupler.wy")


def test_forces_are_the_transpose_of_rates():
    network = demo.stewart().kinestatics()
    passing = network.transmission(LEGS, ["deck"])
    J, load = passing.jacobian, np.array([0.3, -0.2, 0.5, 10.0, -5.0, -200.0])
    assert_allclose(passing.holding(load), -J.T @ load, rtol=1e-9)
    tau = np.arange(1.0, 7.0)
    assert_allclose(passing.holding(-passing.reached(tau)), tau, rtol=1e-9)
    # forces of the legs on their lines, seen at the centre of the deck
    at = network.motion.q["deck"][:3]
    wrench = np.zeros(6)
    for i, force in enumerate(tau):
        foot, head = (np.asarray(network.definition[f"{part}{i}"].r_W) for part in ("cross", "ball"))
        f = force * (head - foot) / np.linalg.norm(head - foot)
        wrench += np.concatenate([np.cross(head - at, f), f])
    assert_allclose(passing.reached(tau), wrench, atol=1e-9)


def test_holding_forces_are_those_of_an_equilibrium():
    """A pendulum held level by a torque at its hinge: m g l/2."""
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("a", mass=2.0, inertia=(1, 1, 1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "a", at=(0, 0, 0), axis=(0, -1, 0))
    weight = (0, 0, 0, 0, 0, -2 * 9.81)
    assert_allclose(m.kinestatics().transmission(["hinge"], ["a"]).holding(weight), 9.81)


def test_a_dead_point_is_singular_for_one_side_only():
    """Crank and conrod on one line: the slide rests while the crank turns, and cannot turn it."""
    m = vv.Mechanism("engine")
    for name, x in (("crank", 0.25), ("rod", 1.0), ("piston", 1.5)):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("B", "crank", "rod", at=(0.5, 0, 0), axis=(0, 0, 1))
    m.revolute("C", "rod", "piston", at=(1.5, 0, 0), axis=(0, 0, 1))
    m.prismatic("guide", m.ground, "piston", at=(1.5, 0, 0), axis=(1, 0, 0))
    network = m.kinestatics()
    turned = network.transmission(["A"], ["guide"])
    assert turned.output_margin < 1e-12 < turned.input_margin
    assert_allclose(turned.jacobian, 0, atol=1e-12)
    assert_allclose(turned.holding([100.0]), 0, atol=1e-9)
    assert "singular for the outputs" in str(turned)
    pushed = network.transmission(["guide"], ["A"])
    assert pushed.input_margin < 1e-12 < pushed.output_margin
    with pytest.raises(vv.ModelError, match="the inputs guide leave 1 of 1 motions open"):
        _ = pushed.jacobian
    with pytest.raises(vv.ModelError, match="no input forces balance these forces on the outputs: singular"):
        pushed.holding([1.0])
    with pytest.raises(vv.ModelError, match="no forces at the outputs balance"):
        turned.reached([1.0])


def engine(size: float) -> vv.Mechanism:
    m = vv.Mechanism("engine")
    for name, x, z in (("crank", 0.25, 0.1), ("rod", 1.0, 0.1), ("piston", 1.5, 0.0)):
        m.body(name, mass=size**3, inertia=size**5 * np.array([0.1, 0.1, 0.1]), at=(size * x, 0, size * z))
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("B", "crank", "rod", at=(0.5 * size, 0, 0.2 * size), axis=(0, 1, 0))
    m.revolute("C", "rod", "piston", at=(1.5 * size, 0, 0), axis=(0, 1, 0))
    m.prismatic("guide", m.ground, "piston", at=(1.5 * size, 0, 0), axis=(1, 0, 0))
    return m


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3])
def test_margins_do_not_depend_on_the_size_of_the_mechanism(size):
    """And rates and forces change with it as they must, down to micrometres: x = 0.3 θ for the crank as it stands."""
    sides = (["guide"], ["A"]), (["A"], ["guide"]), (["A"], ["rod"])
    for inputs, outputs in sides:
        one, other = (engine(scale).kinestatics().transmission(inputs, outputs) for scale in (1.0, size))
        assert other.input_margin == pytest.approx(one.input_margin, rel=1e-9)
        assert other.output_margin == pytest.approx(one.output_margin, rel=1e-9)
    pushed, turned, _ = (engine(size).kinestatics().transmission(*names) for names in sides)
    assert turned.jacobian == pytest.approx(0.3 * size)
    assert turned.holding([1.0]) == pytest.approx(-0.3 * size)
    assert turned.reached([1.0]) == pytest.approx(1 / (0.3 * size))
    assert pushed.jacobian == pytest.approx(1 / (0.3 * size))
    assert pushed.holding([1.0]) == pytest.approx(-1 / (0.3 * size))
    assert pushed.reached([1.0]) == pytest.approx(0.3 * size)


def test_fewer_inputs_than_motions_are_told():
    m = vv.Mechanism("double pendulum")
    for k in range(2):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k + 0.5, 0, 0))
    m.revolute("A", m.ground, "b0", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("B", "b0", "b1", at=(1, 0, 0), axis=(0, 1, 0))
    one = m.kinestatics().transmission(["A"], ["b1"])
    assert one.input_margin == 0 < one.margin("input", spare=1)
    assert one.output_margin > 0
    assert "2 motions seen by 1 input and 6 outputs: 1 of 2 motions left with all inputs locked" in str(one)
    with pytest.raises(vv.ModelError, match=r"no input forces balance .*: 1 of 2 motions left with all inputs locked"):
        one.holding([0, 0, 0, 0, 0, -9.81])
    with pytest.raises(
        vv.ModelError, match=r"no forces at the outputs .*all inputs locked, 1 of 2 .*all outputs at rest"
    ):
        m.kinestatics().transmission(["A"], ["B"]).reached([1.0])
    assert m.kinestatics().transmission(["A", "B"], ["b1"]).margin("input", spare=2) == 1.0


def test_inputs_that_repeat_each_other_must_agree():
    passing = demo.four_bar().kinestatics().transmission(["A", "D"], ["coupler"])
    ratio = float(passing.A[1, 0] / passing.A[0, 0])
    assert_allclose(passing.rates([1.0, ratio])[1], 0.0816326, atol=1e-6)
    assert_allclose(passing.rates([1e6, 1e6 * ratio])[1], 81632.653, atol=1e-3)
    for wrong in ([1.0, 1.0], [1e-5, 1e-5]):
        with pytest.raises(vv.ModelError, match="2 inputs A, D have 1 independent rates"):
            passing.rates(wrong)


def test_motions_that_nobody_sees_are_told():
    """Legs between two balls spin about themselves: six motions beside those of the deck."""
    passing = _rod_between_balls().kinestatics().transmission(["guide"], ["other"])
    assert (passing.A.shape[1], passing.unused) == (1, 1)
    assert "1 more motion that neither sees" in str(passing)


def _rod_between_balls() -> vv.Mechanism:
    m = vv.Mechanism("rod")
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0.5, 0))
    m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 1, 0))
    m.prismatic("guide", m.ground, "a", at=(0, 0, 0), axis=(1, 0, 0))
    m.prismatic("other", m.ground, "b", at=(1, 1, 0), axis=(0, 1, 0))
    m.spherical("p", "a", "rod", at=(0, 0, 0))
    m.spherical("q", "rod", "b", at=(1, 1, 0))
    return m


def test_the_spin_of_a_rod_is_its_own():
    account = _rod_between_balls().kinestatics().account()
    assert (account.gruebler, account.mobility) == (2, 2)
    assert account.local["rod"] == System(Screw.about((1, 1, 0)))
    assert "rod moves alone, with all others at rest, and counts: turn about the line" in str(account)
    assert "counting is right" in str(account)


def test_a_door_on_three_hinges_is_no_motion_between_others():
    m = vv.Mechanism("door")
    m.body("leaf", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    for k in range(3):
        m.revolute(f"h{k}", m.ground, "leaf", at=(0, 0, k), axis=(0, 0, 1))
    account = m.kinestatics().account()
    assert (account.gruebler, account.mobility, account.local) == (-9, 1, {})
    assert [list(state) for state in account.stresses] == [["h0", "h1"]] * 5 + [["h0", "h2"]] * 5


def test_the_four_bar_has_three_self_stresses():
    account = demo.four_bar().kinestatics().account()
    assert (account.velocities, account.rows, account.gruebler, account.mobility) == (18, 20, -2, 1)
    assert account.redundant == {"D": 3}
    (loop,) = account.loops
    assert loop.joints == ("A", "B", "C", "D")
    assert loop.screws == System(*(Screw.about((0, 1, 0), at=at) for at in ((0, 0, 0), (1, 0, 0), (0, 0, 1))))
    assert loop.stress == System(Screw.about((0, 1, 0)), Screw.along((1, 0, 0)), Screw.along((0, 0, 1)))
    assert len(account.stresses) == 3
    for state in account.stresses:
        assert list(state) == ["A", "B", "C", "D"]
        for name, sign in (("A", 1), ("B", 1), ("C", 1), ("D", -1)):
            assert_allclose(state[name].vector, sign * state["A"].vector, atol=1e-9)
            assert state[name] in loop.stress
    text = str(account)
    assert "18 velocities - 20 rows = -2 (Grübler-Kutzbach), mobility 1" in text
    assert "the difference of 3 is in rows that follow from others: D 3" in text
    assert "A, B, C, -D: 1 × force on the line" in text


@pytest.mark.parametrize(("tilt", "mobility", "nearly"), [(0.0, 1, 0), (1e-11, 1, 0), (1e-7, 0, 1), (1e-2, 0, 0)])
def test_axes_that_almost_fit_are_told(tilt, mobility, nearly):
    """One hinge of a planar four-bar out of line: rigid, which a user with rounded numbers does not expect."""
    m = vv.Mechanism("almost planar")
    points = np.array([(0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1, 0, 0)])
    for bar, a, b in zip(("crank", "coupler", "rocker"), points, points[1:], strict=False):
        m.body(bar, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(a + b) / 2)
    ends = ((m.ground, "crank"), ("crank", "coupler"), ("coupler", "rocker"), (m.ground, "rocker"))
    for name, (parent, child), at in zip("ABCD", ends, points, strict=True):
        m.revolute(name, parent, child, at=at, axis=(tilt if name == "C" else 0, 1, 0))
    account = m.kinestatics().account()
    assert (account.mobility, len(account.nearly)) == (mobility, nearly)
    assert ("the mobility is 1 if axes are meant to fit" in str(account)) == bool(nearly)
    assert all(1e-9 < value < 1e-6 for value in account.nearly)


def test_sarrus_carries_a_couple_about_its_way():
    account = demo.sarrus().kinestatics().account()
    assert account.mobility - account.gruebler == 1
    assert account.loops[0].stress == System(Screw.along((0, 0, 1)))


def test_a_joint_that_cannot_move_is_named():
    m = demo.sarrus()
    m.revolute("brake", m.ground, "platform", at=(0, 0, 1.2), axis=(1, 0, 0))
    account = m.kinestatics().account()
    assert account.mobility == 0
    assert account.resting == tuple(joint.name for joint in m.joints)
    assert "brake has freedom and does not move" in str(account)


def test_a_gear_takes_part_in_self_stress():
    m = vv.Mechanism()
    for k in range(2):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k, 0, 0))
        m.revolute(f"j{k}", m.ground, f"b{k}", at=(k, 0, 0), axis=(0, 0, 1))
    m.gear("one", "j0", "j1", ratio=2.0)
    m.gear("two", "j0", "j1", ratio=2.0)
    account = m.kinestatics().account()
    assert list(account.redundant.values()) == [1]
    (state,) = account.stresses
    assert_allclose(state["one"], -state["two"])
    assert "one: multiplier" in str(account)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ("A", ["D"], "inputs of a transmission are several names"),
        (["A"], [], "outputs of a transmission are several names"),
        (["coupler"], ["D"], "an input is a joint or a coordinate"),
        (["A"], ["ground"], "the ground is no output"),
        (["A"], ["F"], "has no 'F'"),
        (None, ["D"], "inputs of a transmission are several names, e.g. inputs=.'A'., got None"),
        ([1], ["D"], "has no '1'. Known: A, B, C, D"),
        (["A"], [None], "has no 'None'"),
    ],
)
def test_wrong_inputs_and_outputs_are_refused(inputs, outputs, message):
    with pytest.raises(vv.ModelError, match=message):
        demo.four_bar().kinestatics().transmission(inputs, outputs)


def test_the_jacobian_is_printed_by_names():
    text = str(engine(1.0).kinestatics().transmission(["A"], ["guide", "B"]))
    assert text.splitlines()[2:] == ["                  A", "  guide         0.3", "  B            -1.5"]
    at_rest = str(engine(1.0).kinestatics().transmission(["A"], ["piston"]))
    assert "  piston.vx         0.3" in at_rest
    assert "  piston.wx           0" in at_rest


def test_numbers_of_the_wrong_length_are_refused():
    passing = demo.four_bar().kinestatics().transmission((name for name in ["A"]), ["D"])  # anything with names
    with pytest.raises(vv.ModelError, match="side 'input' or 'output', got 'in'"):
        passing.margin("in")
    for call, what in ((passing.rates, "rates of the inputs"), (passing.holding, "load on the outputs")):
        with pytest.raises(vv.ModelError, match=what):
            call([1.0, 2.0])
