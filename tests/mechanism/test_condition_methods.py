"""Gears, couplers, racks, screws, drives and functions: how they are built and assembled, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import AssemblyError, ModelError
from visviva.mechanism.motion_laws import law_of_position, law_of_rate


def shafts(n=3):
    m = vv.Mechanism("shafts")
    for k in range(n):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k, 0, 0))
        m.revolute(f"j{k}", m.ground, f"b{k}", at=(k, 0, 0), axis=(0, 0, 1))
    m.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 1, 0))
    m.cylindrical("sleeve", m.ground, "block", at=(0, 1, 0), axis=(1, 0, 0))
    return m


# -- what is counted and found -------------------------------------------------------------------------------------


def test_each_coupling_takes_one_freedom():
    m = shafts()
    assert m.mobility() == 5
    m.gear("gear", "j0", "j1", ratio=2.0)
    m.rack("rack", "j2", ("sleeve", 1), radius=0.1)
    assert m.mobility() == 3
    assert "rank 21" in str(m.analysis())
    m.drive("drive", "j0", rate=1.0)
    assert m.mobility() == 2
    assert not m.redundant()


def test_a_gear_that_follows_from_others_is_redundant_and_carries_self_stress():
    m = shafts()
    m.gear("one", "j0", "j1", ratio=2.0)
    m.gear("two", "j1", "j2", ratio=3.0)
    m.gear("three", "j0", "j2", ratio=6.0)
    assert m.mobility() == 3
    assert sum(m.redundant().values()) == 1
    (stress,) = m.analysis().stresses
    assert set(stress) == {"one", "two", "three"}
    run = vv.simulate(m, 0.1, 0.01, initial=None)
    assert run.audit().ok


def test_gears_with_contradicting_ratios_lock():
    m = shafts()
    m.gear("one", "j0", "j1", ratio=2.0)
    m.gear("two", "j0", "j1", ratio=3.0)
    assert m.mobility() == 3


def test_a_gear_leaves_everything_where_it_is_assembled():
    m = shafts(2)
    m.gear("gear", "j0", "j1", ratio=2.0)
    motion, report = m.assemble()
    assert str(report) == "nothing had to change"
    assert motion.angles["j0"] == 0.0


def test_an_offset_moves_what_it_couples():
    m = shafts(2)
    m.coupler("offset", {"j0": 1.0, "j1": -1.0}, offset=0.4)
    motion, _ = m.assemble()
    assert motion.angles["j0"] - motion.angles["j1"] == pytest.approx(0.4, abs=1e-12)
    assert vv.simulate(m, 0.05, 0.01)["g.offset"] == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("start", [0.3, 5.0, -40.0])
def test_a_driven_angle_starts_where_its_position_says_over_many_turns(start):
    m = shafts(1)
    m.drive("motor", "j0", position=lambda t: start + 2.0 * t)
    run = vv.simulate(m, 0.1, 0.01)
    assert_allclose(run["j0.q"], start + 2.0 * run.t, atol=1e-13)
    assert run["j0.rate"] == pytest.approx(2.0, abs=1e-12)


def test_the_second_coordinate_of_a_joint_is_driven():
    m = shafts(1)
    m.drive("lift", ("sleeve", 1), rate=lambda t: np.cos(t))
    run = vv.simulate(m, 1.0, 0.02)
    assert_allclose(run["sleeve.q"][:, 1], np.sin(run.t), atol=1e-13)
    assert run.unit("lift.reaction") == "N"


def test_rates_of_joints_follow_through_a_gear():
    m = shafts(2)
    m.gear("gear", "j0", "j1", ratio=-4.0)
    m.revolute(
        "extra", "b0", m.body("c", mass=1, inertia=(1, 1, 1), at=(0, 0, 1)), at=(0, 0, 1), axis=(0, 0, 1), rate=1.0
    )
    m.drive("motor", "j1", rate=0.5)
    run = vv.simulate(m, 0.0, 0.01)
    assert run["j0.rate"][0] == pytest.approx(-2.0)


def test_frames_on_the_ground_and_on_bodies_are_placements_too():
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0), at=(0.5, 0, 0))
    m.frame("tip", "b", at=(1.0, 0, 0))
    m.frame("anchor", m.ground, at=(0, 0, 1.0))
    m.constraint("rod", ("tip", "anchor"), g=lambda a, b: np.sqrt((a.r - b.r) @ (a.r - b.r)) - np.sqrt(2.0))
    rod = vv.Mechanism(gravity=(0, 0, -9.81))
    rod.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0), at=(0.5, 0, 0))
    rod.distance("rod", rod.ground, "b", at_a=(0, 0, 1.0), at_b=(1.0, 0, 0))
    one, two = vv.simulate(m, 0.2, 0.01), vv.simulate(rod, 0.2, 0.01)
    assert_allclose(one["b.r"], two["b.r"], atol=1e-4)
    assert_allclose(np.linalg.norm(one["tip.r"] - np.array([0, 0, 1]), axis=1), np.sqrt(2.0), atol=1e-14)
    assert one.audit().ok


def test_a_constraint_moves_what_it_asks_for():
    m = vv.Mechanism()
    m.particle("p", mass=1.0, at=(1.3, 0, 0))
    m.constraint("sphere", "p", g=lambda p: p.r @ p.r - 1.0)
    motion, report = m.assemble()
    assert_allclose(motion.q["p"], [1.0, 0, 0], atol=1e-12)
    assert "p: moved by 0.3 m" in str(report)


def test_equilibrium_with_a_gear_and_a_drive():
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    for k, mass in enumerate((1.0, 2.0)):
        m.body(f"b{k}", mass=mass, inertia=(0.1, 0.1, 0.1), at=(0.5, k, 0))
        m.revolute(f"j{k}", m.ground, f"b{k}", at=(0, k, 0), axis=(0, -1, 0))
    m.gear("gear", "j0", "j1", ratio=-1.0)
    found = vv.equilibrium(m)  # the heavier one hangs down, and takes the lighter one up
    assert found.motion.angles["j0"] == pytest.approx(np.pi / 2, abs=1e-8)
    assert found.stable
    m.drive("hold", "j1", position=-0.3)
    held = vv.equilibrium(m)
    assert held.motion.angles["j0"] == pytest.approx(0.0, abs=1e-12)  # a gear is as assembled: only the drive moves
    assert held.reactions["hold"] == pytest.approx(9.81 * (2.0 * 0.5 * np.cos(0.3) - 0.5), rel=1e-8)
    assert held.reactions["gear"] == pytest.approx(9.81 * 0.5, rel=1e-8)


def test_runs_with_conditions_can_be_pickled():
    m = shafts(2)
    m.drive("motor", "j0", position=lambda t: np.sin(t))
    m.constraint("c", "b1", g=lambda b: b.R[0, 0] ** 2 - 1.0 + b.R[1, 0] ** 2 * np.exp(b.r[2]))
    run = vv.simulate(m, 0.02, 0.01)
    again = pickle.loads(pickle.dumps(run))
    assert_allclose(again["motor.reaction"], run["motor.reaction"])


def test_pictures_and_pages_of_mechanisms_with_conditions(tmp_path):
    m = shafts(2)
    m.gear("gear", "j0", "j1", ratio=2.0)
    m.drive("motor", "j0", rate=1.0)
    vv.draw(m, tmp_path / "m.svg")
    run = vv.simulate(m, 0.02, 0.01)
    run.page(tmp_path / "run.html")
    assert run.audit().components["motor"].energy_in == pytest.approx(-run["motor.work"][-1])


# -- laws of motion ------------------------------------------------------------------------------------------------


def test_laws_know_their_derivatives():
    law = law_of_position("x", lambda t: np.sin(2 * t))
    assert law.rate(0.3) == pytest.approx(2 * np.cos(0.6))
    assert law.acceleration(0.3) == pytest.approx(-4 * np.sin(0.6))
    assert law.mean_rate(0.1, 0.3) == pytest.approx((np.sin(0.6) - np.sin(0.2)) / 0.2)
    slow = law_of_rate("x", lambda t: float(np.interp(t, [0, 10], [1, 2])))  # cannot be traced
    assert slow.mean_rate(0.0, 2.0) == pytest.approx(1.1)
    assert slow.acceleration(1.0) == pytest.approx(0.1)
    both = law_of_position("x", lambda t: float(np.sin(float(t))), lambda t: np.cos(t))
    assert both.mean_rate(0.0, 1.0) == pytest.approx(np.sin(1.0))


# -- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: m.gear("x", "j0", "j1", ratio=0.0), "ratio of gear 'x' is 0"),
        (lambda m: m.gear("x", "j0", "j1", ratio=np.inf), "ratio of gear 'x'"),
        (lambda m: m.gear("x", "j0", "nothing"), "has no 'nothing'"),
        (lambda m: m.gear("x", "j0", "b1"), "refers to body 'b1': give a joint"),
        (lambda m: m.gear("x", "j0", "sleeve"), r"several coordinates \(0 'angle': angle, 1 'displacement'"),
        (lambda m: m.gear("x", "j0", ("sleeve", 2)), "asks for coordinate 2 of joint 'sleeve', which has 0 'angle'"),
        (lambda m: m.gear("x", "j0", ("sleeve", 0, 1)), r"a coordinate is \(joint, number\)"),
        (lambda m: m.gear("x", "j0", m.fixed("weld", "b0", "b1")), "joint 'weld', which is fixed and has no"),
        (lambda m: m.gear("j0", "j0", "j1"), "the name 'j0' is taken"),
        (lambda m: m.rack("x", "j0", ("sleeve", 1), radius=0), "radius of rack 'x' is 0"),
        (lambda m: m.rack("x", "j0", "j1", radius=1), "the slide of rack 'x' is a coordinate of joint 'j1' that turns"),
        (lambda m: m.rack("x", ("sleeve", 1), "j1", radius=1), "the pinion of rack 'x' .* that slides"),
        (lambda m: m.coupler("x", {}), "needs its terms as"),
        (lambda m: m.coupler("x", {"j0": 1.0, ("sleeve", 1): 0.0}), r"of \('sleeve', 1\) in coupler 'x' is 0"),
        (lambda m: m.coupler("x", {"j0": np.nan}), "coefficient of 'j0'"),
        (lambda m: m.screw("x", m.ground, "b0", at=(0, 0, 0), axis=(0, 0, 1), pitch=np.nan), "pitch of screw 'x'"),
        (lambda m: m.drive("x", "j0"), "drive 'x' has no law"),
        (lambda m: m.drive("x", "j0", rate=np.inf), "the rate of drive 'x'"),
        (lambda m: m.drive("x", "j0", rate=lambda t: [t, t]), r"must be one number at each time, got shape \(2,\)"),
        (lambda m: m.drive("x", "j0", rate=lambda t: 1 / (0 * float(t))), "drive 'x' raised ZeroDivisionError"),
        (lambda m: m.drive("x", "j0", position=lambda t: float(t)), "cannot be traced, so that its rate is not known"),
        (lambda m: m.drive("x", "j0", position=lambda t: t**2, rate=lambda t: t), "contradict each other"),
        (lambda m: m.constraint("x", "b0", g=3.0), "g of constraint 'x' must be a function"),
        (lambda m: m.constraint("x", "b0", g=lambda b: None), "returned nothing"),
        (lambda m: m.constraint("x", "b0", g=lambda b: []), "returned no number"),
        (lambda m: m.constraint("x", "b0", g=lambda b: 1.0), "it is constant"),
        (lambda m: m.constraint("x", "b0", g=lambda b: "text"), "must return numbers"),
        (lambda m: m.constraint("x", "b0", g=lambda b: b.r[0] if b.r[0] > 0 else 0.0), "compares a state"),
        (lambda m: m.constraint("x", "b0", g=lambda b: float(b.r[0])), "turns a state into a float"),
        (lambda m: m.constraint("x", "b0", g=lambda a, b: a.r[0]), "one placement for its part: b0"),
        (lambda m: m.constraint("x", "b0", g=lambda b: np.arcsin(b.r[0])), "no exact difference"),
        (lambda m: m.constraint("x", "j0", g=lambda b: b.r[0]), "cannot hold joint 'j0'"),
        (lambda m: m.constraint("x", m.frame("f", m.ground, at=(0, 0, 0)), g=lambda f: f.r[0]), "nothing that moves"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_when_it_is_built(build, message):
    with pytest.raises(ModelError, match=message):
        build(shafts())


def test_a_particle_has_no_orientation_in_a_constraint():
    m = vv.Mechanism()
    m.particle("p", mass=1.0, at=(1, 0, 0))
    with pytest.raises(ModelError, match=r"asks for \.R of a particle"):
        m.constraint("x", "p", g=lambda p: p.R[0, 0])


def test_a_constraint_that_cannot_be_assembled_is_named():
    m = shafts()
    m.constraint("impossible", "b0", g=lambda b: b.r @ b.r + 1.0)
    with pytest.raises(AssemblyError, match="'impossible': g = "):
        m.assemble()


def test_drives_that_contradict_each_other_are_named():
    m = shafts()
    m.drive("one", "j0", rate=1.0)
    m.drive("two", "j0", rate=lambda t: 1.0 + t)
    with pytest.raises(AssemblyError, match=r"drive 'two' .* determined without it,\nby 'one'"):
        vv.simulate(m, 0.1, 0.01)


def test_a_drive_that_contradicts_a_constraint_names_it():
    m = shafts()
    m.gear("gear", "j0", "j1", ratio=2.0)
    m.drive("one", "j0", rate=1.0)
    m.drive("two", "j1", rate=1.0)
    with pytest.raises(AssemblyError, match=r"drive '.*' .* determined without it,\nby .*'gear'"):
        m.assemble()
    locked = shafts()
    locked.fixed("weld", locked.ground, "b0")
    locked.drive("motor", "j0", rate=1.0)
    with pytest.raises(AssemblyError, match=r"drive 'motor' .* determined without it,\nby .*'weld'"):
        locked.assemble()


def test_positions_that_contradict_each_other_are_named():
    m = shafts()
    m.drive("one", "j0", position=0.1)
    m.drive("two", "j0", position=0.3)
    with pytest.raises(AssemblyError, match=r"(?s)'one': g.*'two': g|'two': g.*'one': g"):
        m.assemble()


def test_composites_and_interconnections_have_conditions():
    m = shafts()
    m.gear("gear", "j0", "j1", ratio=2.0)
    m.drive("motor", "j2", rate=1.0)
    assert {"gear", "motor"} <= {*m.system().boxes}
    joined = m.interconnection()
    assert set(joined.condition_ports) == {"gear", "motor"}
    assert set(joined.drives) == {"motor"}


def test_a_law_that_fails_later_ends_the_run_where_it_was_valid():
    m = shafts()
    m.drive("motor", "j0", rate=lambda t: float(np.sqrt(0.05 - t)) if t < 0.05 else np.nan)
    with pytest.raises(vv.ConvergenceError, match="the rate of drive 'motor' must be one finite number") as error:
        vv.simulate(m, 0.2, 0.01)
    assert error.value.run.t[-1] == pytest.approx(0.04)


def test_a_gear_may_be_called_g():
    m = vv.Mechanism("pair")
    for name, x in (("a", 0.0), ("b", 1.0)):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
        m.revolute(f"j{name}", m.ground, name, at=(x, 0, 0), axis=(0, 0, 1), rate=2.0 if name == "a" else None)
    m.gear("g", "ja", "jb", ratio=2.0)
    run = vv.simulate(m, t_end=0.1, h=0.01)
    assert np.abs(run["g"]).max() <= 1e-14
    assert np.abs(run["g.g"]).max() <= 1e-14
    assert run["g.reaction"].shape[0] == 11
    assert run["jb.rate"][-1] == pytest.approx(run["ja.rate"][-1] / 2.0)
