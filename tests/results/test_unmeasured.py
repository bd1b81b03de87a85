"""No figure says zero where nothing was measured."""

import numpy as np
import pytest

import visviva as vv
from visviva.geometry import SE3
from visviva.geometry.embedding import SE3_SPACE, origin
from visviva.language import compose, starting
from visviva.library.multibody import ground, joint, rigid_body

TO_Y = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])  # z of the joint along y
FIGURES = {"first law": "first_law", "  drift": "drift", "second law": "second_law", "constraints g": "g",
           "their rate g_v": "g_v"}  # fmt: skip
MIDPOINT = vv.LieMidpoint(compiled=False)


def free_body(friction=None, edge=False):
    m = vv.Mechanism("block", gravity=(0, 0, -9.81))
    m.body("block", mass=1.0, inertia=(0.1, 0.2, 0.3), twist=(0, 0, 1.0, 1.0, 0, 0))
    if friction is not None:
        m.damper("air", m.ground, "block", D=friction * np.eye(4))
    if edge:
        m.knife_edge("blade", m.ground, "block", direction=(0, 1, 0))
    return m


def hinged():
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    return m


CASES = {  # what is simulated, until when, what of it is not there, and what cannot be measured
    "a free body": (free_body(), 0.05, {"second_law", "g", "g_v"}, set()),
    "a free body in air": (free_body(friction=0.1), 0.05, {"g", "g_v"}, set()),
    "a blade": (free_body(edge=True), 0.05, {"second_law"}, {"g"}),
    "a hinge that rubs": (hinged(), 0.05, set(), set()),
    "a hinge, no step": (hinged(), 0.0, {"first_law", "drift", "second_law", "g"}, set()),
}


@pytest.mark.parametrize(("m", "t_end", "nothing", "missing"), CASES.values(), ids=CASES)
def test_figures_are_none_where_nothing_was_measured(m, t_end, nothing, missing):
    audit = vv.simulate(m, t_end, 0.01, integrator=MIDPOINT).audit()
    assert {name for name in FIGURES.values() if getattr(audit, name) is None} == missing == set(audit.unmeasured)
    assert set(audit.vacuous) == nothing
    assert all(getattr(audit, name) == 0.0 for name in nothing)
    assert audit.ok
    lines = str(audit).splitlines()
    for label, name in FIGURES.items():
        (line,) = [line for line in lines if line.startswith(label.ljust(15))]
        assert ("not measured" in line) == (name in missing)
        assert (line.split()[len(label.split())] == "none") == (name in nothing)
        assert "✓" not in line or name not in missing | nothing
    assert np.isfinite([audit.table()[name] for name in audit.table().dtype.names[1:]]).all()


def test_quantities_have_no_number_where_nothing_was_measured():
    run = vv.simulate(free_body(edge=True), 0.05, 0.01, integrator=MIDPOINT)
    assert (run["second_law"] == 0).all()
    assert np.isnan(run["g"]).all()
    assert np.isnan(run["g.blade"]).all()
    assert np.abs(run["g_v.blade"]).max() < 1e-12
    rubs = vv.simulate(hinged(), 0.05, 0.01, integrator=MIDPOINT)
    assert np.isfinite(rubs["second_law"]).all()
    assert np.isfinite(rubs["g"]).all()


def test_pictures_and_pages_leave_out_what_was_not_measured(tmp_path):
    import matplotlib.pyplot as plt

    run = vv.simulate(free_body(edge=True), 0.05, 0.01, integrator=MIDPOINT)
    figure = run.plot("audit")
    assert not any("constraints" in axes.get_ylabel() for axes in figure.axes)
    plt.close(figure)
    run.page(tmp_path / "run.html")
    assert "not measured" in (tmp_path / "run.html").read_text(encoding="utf-8")


# -- joints that rows on velocities hold -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pendulum():
    """With poses of SE(3), whose midpoints are not those of a turn about the hinge."""
    boxes = {
        "ground": ground(),
        "arm": rigid_body(1.0, (0.01, 0.1, 0.1)),
        "hinge": joint("revolute", SE3(TO_Y, np.zeros(3)), SE3(TO_Y, np.array([-0.5, 0, 0]))),
    }
    junctions = {"p_ground": ("ground.p", "hinge.p_1"), "p_arm": ("arm.p", "hinge.p_2")}
    start = {
        "arm.q": origin(SE3_SPACE),
        "ground.q": origin(SE3_SPACE),
        "hinge.q_r": (1.0, 0, 0, 1.0),
        "p_arm": np.zeros(6),
    }
    start["arm.q"][0] = 0.5
    return vv.compile(starting(compose("pendulum", boxes, junctions), start))


def falling(model, h, **options):
    return vv.simulate(model, 0.2, h, integrator=vv.DiscreteGradient(compiled=False), **options)


def test_the_opening_of_joints_is_measured_and_falls_with_the_square_of_the_step(pendulum):
    runs = [falling(pendulum, h) for h in (0.04, 0.02)]
    coarse, fine = (run.audit() for run in runs)
    assert coarse.g > 1e-5
    assert coarse.g / fine.g == pytest.approx(4.0, rel=0.1)
    assert not coarse.held
    assert coarse.ok  # an error of the motion, no defect
    assert "joints open by g" in str(coarse)
    x, R = np.split(runs[0]["arm.q"], [3], axis=1)
    place = x - 0.5 * R[:, :3]  # of the point of the arm that was in the hinge
    shift = np.linalg.norm(runs[0]["opening.hinge"][:, 3:], axis=1)
    np.testing.assert_allclose(shift, np.linalg.norm(place, axis=1), rtol=0, atol=1e-13)
    assert coarse.g == pytest.approx(shift.max() / 0.5, rel=1e-9)
    assert falling(pendulum, 0.04, record="energy").audit().g == coarse.g


def test_a_joint_that_is_open_from_the_start_is_seen(pendulum):
    start = {name: np.array(value) for name, value in pendulum.start.items()}
    start["arm.q"][:3] += (0.0, 0.03, 0.0)
    assert falling(pendulum, 0.1, initial=start).audit().g == pytest.approx(0.06, rel=0.1)


@pytest.mark.slow
def test_ties_of_a_redundant_loop_are_measured_and_stay_closed():
    from visviva.demo.linkage import four_bar

    run = vv.simulate(four_bar().system(), 0.1, 0.01)
    audit = run.audit()
    assert not audit.held
    assert "g" not in audit.unmeasured
    assert 0.0 < audit.g < 1e-12
    assert {f"opening.{name}" for name in "ABCD"} <= set(run.names)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "distance", "point_on_plane"])
def test_the_opening_of_a_tie_is_that_of_its_rows(kind):
    """Bodies moved apart by 1 mm along x, where all of these joints hold them."""
    from visviva.library.joints import Distance, Revolute, Spherical, along
    from visviva.library.multibody.closure import RowClosure

    rows = {
        "revolute": Revolute().rows,
        "spherical": Spherical().rows,
        "distance": Distance(2.0).rows,
        "point_on_plane": (along(0),),
    }[kind]
    o1 = SE3(np.eye(3), np.array([2.0, 0, 0]) if kind == "distance" else np.zeros(3))
    gap = RowClosure(rows, o1, SE3.identity()).gap(
        SE3.identity(), SE3(np.eye(3), np.array([-1e-3 if kind == "distance" else 1e-3, 0, 0]))
    )
    assert np.linalg.norm(gap[3:]) == pytest.approx(1e-3, rel=1e-9)
    assert not gap[:3].any()


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.LieMidpoint(compiled=False)], ids=["directors", "minimal"])
def test_a_blade_beside_joints_is_said_to_have_no_g(integrator):
    m = free_body(edge=True)
    m.planar("floor", m.ground, "block", at=(0, 0, 0), normal=(0, 0, 1))
    audit = vv.simulate(m, 0.05, 0.01, integrator=integrator).audit()
    assert audit.g < 1e-12
    assert audit.without_g == ("blade",)
    (line,) = [line for line in str(audit).splitlines() if line.startswith("  on velocities")]
    assert "none" in line
    assert "blade" in line
    assert vv.simulate(hinged(), 0.05, 0.01, integrator=integrator).audit().without_g == ()
