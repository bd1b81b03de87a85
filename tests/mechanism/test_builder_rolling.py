"""Blades, rolling discs and velocity constraints in the builder: what they are, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.errors import AssemblyError, ModelError


def wheel(**where):
    m = vv.Mechanism("wheel", gravity=(0, 0, -9.81))
    m.body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.1), **({"at": (0, 0, 0.5)} | where))
    return m


def test_a_disc_takes_three_velocities_and_one_position():
    m = wheel()
    m.rolling_disc("edge", m.ground, "wheel", radius=0.5, axis=(0, 1, 0))
    assert m.mobility() == 3
    kinds = {condition.name: (condition.kind, condition.rows) for condition in m.conditions}
    assert kinds == {"edge.normal": ("holonomic", 1), "edge": ("nonholonomic", 2)}
    assert "edge" in str(m.analysis())


def test_a_blade_takes_one_velocity():
    m = wheel()
    m.knife_edge("blade", m.ground, "wheel", direction=(0, 1, 0))
    assert m.mobility() == 5


def test_two_blades_in_line_are_redundant_and_named():
    m = wheel()
    for k in range(3):
        m.knife_edge(f"blade{k}", m.ground, "wheel", at=(0.1 * k, 0, 0.5), direction=(0, 1, 0))
    assert m.mobility() == 4
    assert sum(m.redundant().values()) == 1


def test_a_disc_off_its_plane_is_brought_there():
    m = wheel(at=(0.3, 0.2, 0.8))
    m.rolling_disc("edge", m.ground, "wheel", radius=0.5, axis=(0.1, 1, 0.3))
    motion, report = m.assemble()
    q = motion.q["wheel"]
    axis = q[3:].reshape(3, 3).T @ (m["wheel"].R_WC.T @ np.array([0.1, 1, 0.3]) / np.sqrt(1.1))
    assert q[2] == pytest.approx(0.5 * np.hypot(*axis[:2]), abs=1e-12)
    assert "moved" in str(report)


def test_a_disc_that_cannot_reach_its_plane_is_named():
    m = wheel(at=(0, 0, 0.8))
    m.fixed("weld", m.ground, "wheel")
    m.rolling_disc("edge", m.ground, "wheel", radius=0.5, axis=(0, 1, 0))
    with pytest.raises(AssemblyError, match=r"edge.normal"):
        m.assemble()


def test_a_given_velocity_must_roll():
    m = wheel(twist=(0, 1.0, 0, 0.7, 0, 0))
    m.rolling_disc("edge", m.ground, "wheel", radius=0.5, axis=(0, 1, 0))
    with pytest.raises(AssemblyError, match=r"'edge'"):
        m.assemble()
    motion, report = m.assemble(fixed=())
    V = motion.V["wheel"]
    assert V[3] == pytest.approx(0.5 * V[1])  # the wheel turns about y and goes along x
    assert "velocity" in str(report)


def test_positions_do_not_feel_velocity_constraints():
    """Two bodies apart are pulled together along the direction that a blade forbids for velocities."""
    m = vv.Mechanism()
    m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.knife_edge("blade", m.ground, "a", direction=(0, 1, 0))
    m.frame("on a", "a", at=(0, 0, 0))
    m.frame("there", m.ground, at=(0, 1.0, 0))
    m.spherical("ball", "there", "on a")
    motion, _ = m.assemble()
    assert_allclose(motion.q["a"][:3], (0, 1, 0), atol=1e-12)


def test_frames_place_a_disc_and_its_plane():
    tilt = vv.geometry.SO3.exp([0.3, 0, 0])
    m = wheel(at=tilt.R @ np.array([0, 0, 0.5]))
    m.frame("slope", m.ground, at=(0, 0, 0), rotation=tilt)
    m.frame("hub", "wheel", at=tilt.R @ np.array([0, 0, 0.5]), rotation=tilt @ vv.geometry.SO3.exp([-np.pi / 2, 0, 0]))
    m.rolling_disc("edge", "slope", "hub", radius=0.5)
    assert str(m.assemble()[1]) == "nothing had to change"


def test_a_sphere_rolls_by_rows_of_its_own():
    """On an incline a homogeneous ball has the acceleration 5/7 g sin α."""
    m = vv.Mechanism(gravity=(9.81 * np.sin(0.2), 0, -9.81 * np.cos(0.2)))
    m.body("ball", inertia=vv.inertia.sphere(2.0, 0.1), at=(0, 0, 0.1))
    m.point_on_plane("table", m.ground, "ball", at=(0, 0, 0.1), normal=(0, 0, 1))
    rho = 0.1
    m.velocity_constraint("rolls", "ball", A=lambda ball: [[0, -rho, 0, 1, 0, 0], [rho, 0, 0, 0, 1, 0]])
    run = vv.simulate(m, t_end=1.0, h=0.01)
    x = 0.5 * 5 / 7 * 9.81 * np.sin(0.2) * run.t**2
    assert_allclose(run["ball.r"][:, 0], x, atol=1e-12)
    assert run.audit().first_law < 1e-13


def test_rows_over_frames_and_particles():
    """A particle that is dragged with the velocity of a frame's origin: both move alike."""
    m = vv.Mechanism()
    m.body("arm", mass=1.0, inertia=(1, 1, 1), com=(0.2, 0, 0), twist=(0, 0, 1.0, 0, 0, 0))
    m.frame("tip", "arm", at=(1, 0, 0))
    m.particle("dot", mass=0.5, at=(3, 0, 0))
    m.velocity_constraint(
        "tow", ("tip", "dot"), A=lambda tip, dot: np.hstack([np.zeros((3, 3)), np.eye(3), -np.eye(3)])
    )
    run = vv.simulate(m, t_end=0.5, h=0.01, initial=m.assemble(fixed=())[0])
    assert_allclose(run["dot.r"] - run["dot.r"][0], run["tip.r"] - run["tip.r"][0], atol=1e-12)
    assert np.abs(run["dot.r"][-1] - run["dot.r"][0]).max() > 0.05


WRONG = {
    "radius": (lambda m: m.rolling_disc("e", m.ground, "wheel", radius=0.0, axis=(0, 1, 0)), "radius of rolling disc"),
    "flat": (lambda m: m.rolling_disc("e", m.ground, "wheel", radius=0.5, axis=(0, 0, 1)), "lies flat"),
    "no axis": (lambda m: m.rolling_disc("e", m.ground, "wheel", radius=0.5), "has no axis"),
    "unknown": (lambda m: m.rolling_disc("e", m.ground, "weel", radius=0.5, axis=(0, 1, 0)), "Did you mean 'wheel'"),
    "zero normal": (
        lambda m: m.rolling_disc("e", m.ground, "wheel", radius=0.5, axis=(0, 1, 0), normal=(0, 0, 0)),
        "normal of joint 'e' is zero",
    ),
    "frame and axis": (
        lambda m: m.rolling_disc("e", m.ground, "hub", radius=0.5, axis=(0, 1, 0)),
        "placed by frame 'hub' already: leave out axis",
    ),
    "disc on particle": (
        lambda m: m.rolling_disc("e", "dot", "wheel", radius=0.5, axis=(0, 1, 0)), "which has no orientation"
    ),
    "particle as disc": (
        lambda m: m.rolling_disc("e", m.ground, "dot", radius=0.5, axis=(0, 1, 0)), "needs a body as its second part"
    ),
    "blade of ground": (lambda m: m.knife_edge("e", "wheel", m.ground, direction=(0, 1, 0)), "does not move"),
    "no direction": (lambda m: m.knife_edge("e", m.ground, "wheel"), "has no direction"),
    "no parts": (lambda m: m.velocity_constraint("e", (), A=lambda: []), "needs the parts"),
    "a number": (lambda m: m.velocity_constraint("e", 3, A=lambda w: []), "needs the parts"),
    "ground": (lambda m: m.velocity_constraint("e", ("ground",), A=lambda w: []), "The ground does not move"),
    "twice": (lambda m: m.velocity_constraint("e", ("wheel", "wheel"), A=lambda a, b: []), "names 'wheel' twice"),
    "no function": (lambda m: m.velocity_constraint("e", ("wheel",), A=np.eye(6)), "must be a function"),
    "arguments": (lambda m: m.velocity_constraint("e", ("wheel",), A=lambda a, b: []), "placement for its part: wheel"),
    "nothing": (lambda m: m.velocity_constraint("e", ("wheel",), A=lambda w: None), "returned nothing"),
    "shape": (
        lambda m: m.velocity_constraint("e", ("wheel", "dot"), A=lambda w, d: np.zeros((2, 6))),
        r"shape \(2, 6\).* 9 columns, 6 of 'wheel' \+ 3 of 'dot'",
    ),
    "empty": (lambda m: m.velocity_constraint("e", ("wheel",), A=lambda w: []), r"shape \(0,\)"),
    "ragged": (lambda m: m.velocity_constraint("e", ("wheel",), A=lambda w: [[1, 2], [1]]), "different lengths"),
    "orientation": (
        lambda m: m.velocity_constraint("e", ("dot",), A=lambda d: d.R[0]), "asks for .R of a particle"
    ),
    "branch": (
        lambda m: m.velocity_constraint("e", ("wheel",), A=lambda w: [w.r[0] if w.r[0] > 0 else 0.0] * 6),
        "cannot be traced",
    ),
    "not finite": (
        lambda m: m.velocity_constraint("e", ("wheel",), A=lambda w: [1 / w.r[0], 0, 0, 0, 0, 0]), "not finite"
    ),
    "taken": (lambda m: m.knife_edge("wheel", m.ground, "wheel", direction=(0, 1, 0)), "is taken already"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_makes_no_sense_is_refused(case):
    build, text = WRONG[case]
    m = wheel()
    m.particle("dot", mass=1.0, at=(1, 0, 0))
    m.frame("hub", "wheel", at=(0, 0, 0.5))
    with pytest.raises(ModelError, match=text):
        build(m)
