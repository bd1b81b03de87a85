"""m.analysis(): counts, rank, redundant rows, self-stress and singular configurations, by the user's names."""

from __future__ import annotations

import numpy as np
import pytest
from large_mechanisms import chain, four_bars, net
from numpy.testing import assert_allclose

import visviva as vv
from visviva.demo import four_bar
from visviva.mechanism.analysis import analyse
from visviva.results.singularity import loop_margin

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))


def parallelogram(angle: float) -> vv.Mechanism:
    """Cranks of length 1, a coupler of length 2; folded into a line if the angle is zero."""
    m = vv.Mechanism("flat")
    B = np.array([np.cos(angle), np.sin(angle), 0.0])
    D = np.array([2.0, 0.0, 0.0])
    C = B + D
    for name, at in (("left", B / 2), ("coupler", (B + C) / 2), ("right", (C + D) / 2)):
        m.body(name, inertia=BOX, at=at)
    m.revolute("A", m.ground, "left", at=(0, 0, 0), axis=(0, 0, 1), rate=-1.0 if angle else None)
    m.revolute("B", "left", "coupler", at=B, axis=(0, 0, 1))
    m.revolute("C", "coupler", "right", at=C, axis=(0, 0, 1))
    m.revolute("D", m.ground, "right", at=D, axis=(0, 0, 1))
    return m


def test_the_planar_four_bar_in_space():
    a = analyse(four_bar())
    assert (a.bodies, a.joints, a.loops, a.rows, a.rank) == (3, 4, 1, 20, 17)
    assert (a.gruebler, a.mobility, a.redundant) == (-2, 1, {"D": 3})
    assert len(a.stresses) == 3
    assert a.warning == ""
    text = str(a)
    for line in ("closing 1 loop\n", "20, of rank 17", "Grübler-Kutzbach  -2", "mobility          1", "3: D 3"):
        assert line in text + "\n"


def test_a_self_stress_is_a_balance_of_wrenches_on_every_body():
    """Three combinations: a force along the axes, and two moments normal to them; nothing else can be redundant."""
    m = four_bar()
    for state in analyse(m).stresses:
        assert set(state) == {"A", "B", "C", "D"}
        total = {body.name: np.zeros(6) for body in m.bodies}
        for name, F in state.items():
            joint = m[name]
            moment, force = joint.R_W @ F[:3], joint.R_W @ F[3:]
            wrench = np.concatenate([moment + np.cross(joint.r_W, force), force])
            for end, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
                if end is not m.ground:
                    total[end.name] += sign * wrench
        assert_allclose(list(total.values()), 0, atol=1e-14)
        assert max(np.abs(F).max() for F in state.values()) == pytest.approx(1.0)


def test_a_tree_has_no_loops_and_no_margin_to_lose():
    a = analyse(chain(3))
    assert (a.loops, a.gruebler, a.mobility, a.margin, a.stresses) == (0, 9, 9, 1.0, ())
    assert "margin" not in str(a)


def test_particles_count_three():
    m = vv.Mechanism()
    m.particle("a", mass=1.0, at=(0, 0, 0))
    m.particle("b", mass=1.0, at=(1, 0, 0))
    m.distance("rod", "a", "b")
    a = analyse(m)
    assert (a.bodies, a.particles, a.gruebler, a.mobility) == (0, 2, 5, 5)


def test_many_redundant_joints_are_listed_in_short():
    text = str(analyse(four_bars(15)))
    assert "45: D0 3, D1 3," in text
    assert "and 3 more joints" in text


# -- singular configurations ------------------------------------------------------------------------------------


def test_a_singular_configuration_is_told():
    a = analyse(parallelogram(0.0))
    assert (a.rank, a.mobility) == (16, 2)
    assert a.margin < 1e-8
    assert "singular: 16 of the joints' rows are independent here, 17 near by" in a.warning
    assert a.warning in str(a)
    report = parallelogram(0.0).assemble()[1]
    assert report.warnings == (a.warning,)
    assert a.warning in str(report)


def test_a_string_pulled_tight_is_singular_though_nothing_near_is_regular():
    """Two rods between two hooks: they can only shake, and every placement of them is this one."""
    m = vv.Mechanism("string")
    m.body("a", inertia=BOX, at=(0.5, 0, 0))
    m.body("b", inertia=BOX, at=(1.5, 0, 0))
    for name, pair, x in (("l", ("ground", "a"), 0), ("m", ("a", "b"), 1), ("r", ("ground", "b"), 2)):
        m.spherical(name, *pair, at=(x, 0, 0))
    a = analyse(m)
    assert (a.rank, a.rows, a.mobility) == (8, 9, 4)
    (state,) = a.stresses
    assert_allclose(np.abs([state[name][3] for name in "lmr"]), 1.0, rtol=0, atol=1e-12)  # it is taut


@pytest.mark.parametrize("angle", [1e-2, 1e-4, 1e-6])
def test_the_margin_falls_with_the_distance_from_a_singular_configuration(angle):
    a = analyse(parallelogram(angle))
    assert a.margin / angle == pytest.approx(analyse(parallelogram(1e-3)).margin / 1e-3, rel=1e-3)
    assert ("nearly singular" in a.warning) == (a.margin < 1e-3)


def test_the_margin_along_a_motion_shows_where_it_is_singular():
    """The cranks start at the angle 0.3 with -1 rad/s: they pass the line at 0.3 s."""
    m = parallelogram(0.3)
    run = vv.simulate(m, t_end=0.6, h=0.04)
    margin = loop_margin(run)
    assert margin.shape == run.t.shape
    assert abs(run["A.q"][margin.argmin()] + 0.3) < 0.03
    direct = [analyse(m, motion_of(m, run, k)).margin for k in (0, 3, 15)]
    assert_allclose(margin[[0, 3, 15]], direct, rtol=1e-9)


def test_only_mechanisms_have_loops():
    q, p = vv.language.Quantity("R", "displacement"), vv.language.Quantity("R", "momentum")
    spring = vv.language.storage({"q": q}, H=lambda x, k: 0.5 * k * x.q**2, k=1.0)
    mass = vv.language.storage({"p": p}, H=lambda x, m: x.p**2 / (2 * m), m=1.0)
    pkc = vv.language.reversible({"q": q, "p": p}, J=[[0, 1], [-1, 0]])
    parts = {"spring": spring, "mass": mass, "pkc": pkc}
    osc = vv.language.compose("osc", parts, junctions={"q": ("spring.q", "pkc.q"), "p": ("mass.p", "pkc.p")})
    run = vv.simulate(osc, t_end=0.1, h=0.1, initial={"q": 1.0, "p": 0.0})
    with pytest.raises(vv.ModelError, match="'osc' is not one of a mechanism"):
        loop_margin(run)


def motion_of(m, run, k):
    from visviva.mechanism import Motion

    q = {body.name: run.motion.q(body)[k] for body in m.bodies}
    return Motion(q, {name: np.zeros(6) for name in q}, {})


def test_a_run_from_a_singular_configuration_says_so():
    with pytest.warns(vv.RunWarning, match="start: the configuration is singular"):
        run = vv.simulate(parallelogram(0.0), t_end=0.02, h=0.01)
    assert any("start: the configuration is singular" in note for note in run.notes)
    assert not vv.simulate(four_bar(), t_end=0.02, h=0.01).notes


def test_a_large_net_is_analysed():
    a = analyse(net(6))
    assert (a.rows - a.rank, a.warning) == (0, "")
    assert 0 < a.margin < 1
