"""Drag in fluids that move: closed forms, the wrench of `forms.Damping`, and where work and heat go."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError
from visviva.compiler import initial_x
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.geometry import SE3

SCHEMES = [vv.PHMP(compiled=False), vv.LieMidpoint(compiled=False)]
POINTS, DRAG = np.array([[1.3, 0, 0], [0.7, 0.1, 0], [1, 0.2, 0.1]]), np.array([0.5, 0.4, 0.6])
TWIST = np.array([0.1, 0.2, 0.5, 3, 0, 1])


@pytest.mark.parametrize("scheme", SCHEMES, ids=["PHMP", "LieMidpoint"])
def test_wind_carries_a_particle_along(scheme):
    """v_n = w (1 - qⁿ) with q = (1 - a)/(1 + a), a = d h/2m, is what the midpoint rule makes of m v̇ = d (w - v).

    After a long time the wind has worked by m w², half of which is heat and half kinetic energy.
    """
    m, d, wind, h = 0.1, 0.3, np.array([3.0, -1, 2]), 0.05
    mech = vv.Mechanism("dust")
    air = mech.stream("air", twist=(0, 0, 0, *wind))
    p = mech.particle("p", mass=m, at=(0, 1, 0), velocity=(0, 0, 0))
    mech.damper("drag", air, p, d=d)
    run = vv.simulate(mech, t_end=4.0, h=h, integrator=scheme)
    a = d * h / (2 * m)
    decay = ((1 - a) / (1 + a)) ** np.arange(len(run.t))
    assert_allclose(run["p.v"], np.outer(1 - decay, wind), atol=1e-12)
    square = wind @ wind
    assert run["air drive.work"][-1] == pytest.approx(m * square, rel=1e-4)
    assert run["heat.drag"][-1] == pytest.approx(m * square / 2, rel=1e-4)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law < 1e-14


def in_air(scheme, rate=1.0, **given):
    m = vv.Mechanism("wing")
    air = m.stream("air", twist=TWIST, rate=rate)
    b = m.body("b", mass=2.0, inertia=(0.2, 0.2, 0.25), at=(1, 0, 0), twist=(0, 0.3, 1, 0, 0.2, 1))
    m.damper("drag", air, b, **(given or {"d": DRAG, "points": POINTS}))
    return vv.simulate(m, t_end=0.4, h=0.02, integrator=scheme)


@pytest.mark.parametrize("scheme", SCHEMES, ids=["PHMP", "LieMidpoint"])
def test_the_wrench_is_that_of_damping_in_a_stream(scheme):
    """Konz (3.75): -D (V - Ad⁻¹ V_F), at every node of a motion, here with a stream along a screw that swells."""
    run = in_air(scheme, lambda t: 1 + 0.5 * np.sin(3 * t))
    law = Damping.in_stream(
        "ground", "b", Moments.from_points(DRAG, POINTS - [1, 0, 0]), lambda t: (1 + 0.5 * np.sin(3 * t)) * TWIST
    )
    assert law.stream is not None
    for k in (0, 7, 20):
        X, V = SE3(run["b.R"][k], run["b.r"][k]), run["b.twist"][k]
        wrench = law.stream(run.t[k], X) - law.moments.spatial() @ V
        assert_allclose(run["drag.wrench"][k], wrench, atol=1e-9 * np.abs(wrench).max() if k else 1e-12)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law < 1e-14
    assert (run["heat.drag"] >= 0).all()


def test_moments_and_their_matrix_are_the_same_drag_as_points():
    moments = Moments.from_points(DRAG, POINTS - [1, 0, 0])
    runs = [in_air(SCHEMES[0], **given) for given in ({}, {"D": moments.matrix}, {"D": moments.spatial()})]
    for run in runs[1:]:
        assert_allclose(run["b.r"], runs[0]["b.r"], atol=1e-12)
        assert_allclose(run["b.R"], runs[0]["b.R"], atol=1e-12)


def test_named_frames_do_not_change_the_drag():
    """Points are in the world as built, whatever frames carry the damper."""

    def wrench(named):
        m = vv.Mechanism("m")
        b = m.body("b", mass=2.0, inertia=(0.2, 0.2, 0.25), at=(1, 0, 0), twist=(0, 0.3, 1, 0, 0.2, 1))
        R = SE3.exp([0.4, 0.8, -0.3, 0, 0, 0]).R
        end = m.frame("f", b, at=(0.3, 0.2, 0), rotation=R) if named else b
        m.damper("drag", m.ground, end, d=DRAG, points=POINTS)
        network = m.kinestatics()
        F, X = (
            network.efforts()["drag.damping"],
            SE3(R, np.array([0.3, 0.2, 0])) if named else SE3(np.eye(3), np.array([1.0, 0, 0])),
        )
        return X.inverse().Ad().T @ F  # at the origin of the world

    assert_allclose(wrench(True), wrench(False), atol=1e-12)


def test_a_body_that_moves_with_the_fluid_feels_nothing():
    m = vv.Mechanism("drift")
    b = m.body("b", mass=2.0, inertia=(0.3, 0.3, 0.3), twist=(0, 0, 0, 3, 0, 1))
    m.damper("drag", m.stream("air", twist=(0, 0, 0, 3, 0, 1)), b, d=DRAG, points=POINTS)
    run = vv.simulate(m, t_end=0.5, h=0.05, integrator=SCHEMES[0])
    assert_allclose(run["drag.wrench"], 0, atol=1e-12)
    assert_allclose(run["b.twist"], np.broadcast_to([0, 0, 0, 3, 0, 1], (len(run.t), 6)), atol=1e-12)


def test_a_body_that_turns_with_the_fluid_feels_little():
    """Both turn at 2 rad/s, the body by the midpoint rule and the fluid exactly: what differs is O(h²)."""

    def most(h):
        m = vv.Mechanism("vortex")
        b = m.body("b", mass=2.0, inertia=(0.3, 0.3, 0.3), twist=(0, 0, 2, 0, 0, 0))
        m.damper("drag", m.stream("air", twist=(0, 0, 2, 0, 0, 0)), b, d=[1.0, 1.0], points=[[1, 0, 0], [-1, 0, 0]])
        return np.abs(vv.simulate(m, t_end=0.4, h=h, integrator=SCHEMES[0])["drag.wrench"]).max()

    assert most(0.1) < 0.02  # of 4 N m that hold the body still
    assert most(0.1) / most(0.05) == pytest.approx(4, rel=0.1)


def test_streams_add_up():
    """Wind in a carriage that drives: the particle ends with the sum of both."""
    m = vv.Mechanism("carriage")
    train = m.stream("train", twist=(0, 0, 0, 10, 0, 0))
    m.damper(
        "drag", m.stream("fan", twist=(0, 0, 0, 0, 2, 0), against=train), m.particle("p", mass=0.1, at=(0, 0, 0)), d=2
    )
    run = vv.simulate(m, t_end=1.5, h=0.03, integrator=SCHEMES[0])
    assert_allclose(run["p.v"][-1], [10, 2, 0], atol=1e-9)  # all forces have vanished but for rounding
    assert run.audit().ok


@pytest.mark.parametrize(
    ("twist", "kind"),
    [((0, 0, 0, 1, 2, 3), "prismatic"), ((0, 0, 2, 0, -2, 0), "revolute"), ((0, 0, 2, 0, -2, 1), "screw")],
)
def test_a_stream_moves_along_its_screw(twist, kind):
    m = vv.Mechanism("m")
    m.stream("air", twist=twist)
    assert m["air axis"].joint.kind == kind
    motion, _ = m.assemble()
    X, V = SE3(np.eye(3), motion.q["air"][:3]), motion.V["air"]
    assert_allclose(X.Ad() @ V, twist, atol=1e-12)


def test_streams_and_their_drives_are_in_the_implicit_system():
    """With the reaction of the drive, which is linear in it, the accelerations of the model fulfil (37)."""
    m = vv.Mechanism("wing", gravity=(0, 0, -1))
    b = m.body("b", mass=2.0, inertia=(0.2, 0.2, 0.25), at=(1, 0, 0), twist=(0, 0.3, 1, 0, 0.2, 1))
    m.damper("drag", m.stream("air", twist=TWIST), b, d=DRAG, points=POINTS)
    network = m.kinestatics()
    system, model, f = network.implicit(), vv.compile(m), network.flows()
    assert system.ports == {"air drive": 1, "drag.damping": 6}
    v_dot = model.accelerations(initial_x(model, network.motion), u=f["air drive"]).v_dot
    names = [name.removesuffix(".v") for name in model.kinetic]
    x_dot = network.x_dot(dict(zip(names, v_dot.reshape(len(names), 6), strict=True)))
    none, one = (system.residual(x_dot, network.dH(), f, network.efforts({"air drive": tau})) for tau in (0.0, 1.0))
    tau = -(one - none) @ none / ((one - none) @ (one - none))
    e = network.efforts({"air drive": tau})
    assert np.abs(system.residual(x_dot, network.dH(), f, e)).max() < 1e-12
    force = e["drag.damping"]
    assert tau * f["air drive"][0] == pytest.approx(TWIST @ np.linalg.inv(frame_of(network)).T @ force, rel=1e-12)


def frame_of(network):
    """Ad of the pose of the damper's frame on the body, which is at its centre in world axes."""
    return SE3(np.eye(3), network.motion.q["b"][:3]).Ad()


def builders(m):
    b = m.body("b", mass=1.0, inertia=(1, 1, 1))
    p = m.particle("p", mass=1.0, at=(0, 0, 0))
    q = m.particle("q", mass=1.0, at=(1, 0, 0))
    return {
        "needs d with points, or D": lambda: m.damper("x", m.ground, b),
        "needs d with points, or D: one": lambda: m.damper("x", m.ground, b, d=1, points=[[0, 0, 0]], D=np.eye(4)),
        "has d, but no points": lambda: m.damper("x", m.ground, b, d=1.0),
        r"points of damper 'x' must have shape \(3,\)": lambda: m.damper("x", m.ground, b, d=1, points=[[0, 0]]),
        "leave out at and rotation": lambda: m.damper("x", m.ground, b, d=1, points=[[0, 0, 0]], at=(0, 0, 0)),
        "is zero: leave it out": lambda: m.damper("x", m.ground, b, d=0, points=[[0, 0, 0]]),
        "eigenvalue -1: it would drive": lambda: m.damper("x", m.ground, b, D=np.diag([-1.0, 1, 1, 1, 1, 1])),
        "would drive some motion": lambda: m.damper("x", m.ground, b, D=np.diag([1.0, 0, 0, -1])),
        "differs from the structure": lambda: m.damper("x", m.ground, b, D=np.diag([1.0, 1, 1, 1, 2, 1])),
        "give d alone": lambda: m.damper("x", m.ground, p, D=np.eye(4)),
        "must be positive": lambda: m.damper("x", m.ground, p, d=-1.0),
        "between the particles 'q' and 'p'": lambda: m.damper("x", q, p, d=1.0),
        "does not move": lambda: m.stream("air", twist=np.zeros(6)),
        r"twist \(ω; v\) of stream 'air'": lambda: m.stream("air", twist=(1, 2, 3)),
        "rate of stream 'air'": lambda: m.stream("air", twist=TWIST, rate=np.nan),
    }


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.RK4(), vv.DOP853()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("d", [0.0, 0.4])
def test_rotational_drag_about_one_axis_alone(scheme, d):
    """No points have it. Θ ω̇ = -Υ_z ω_z e_z and m v̇ = -d v decay as they do alone, and heat is what is lost."""
    m = vv.Mechanism("disc", gravity=(0, 0, 0))
    disc = m.body("disc", mass=2.0, inertia=(0.3, 0.3, 0.5))
    m.damper("drag", m.ground, disc, D=(0, 0, 0.25, d, d, d))
    start = {"disc.twist": (0.0, 0.0, 3.0, 0.5, 0.0, 0.2)}
    run = vv.simulate(m, t_end=2.0, h=1e-2, initial=start, integrator=scheme)
    v_W = np.exp(-0.4) if d else 1.0
    assert_allclose(run["disc.twist"][-1, 2], 3.0 * np.exp(-1.0), rtol=1e-4)
    assert_allclose(np.linalg.norm(run["disc.twist"][-1, 3:]), np.hypot(0.5, 0.2) * v_W, rtol=1e-4)
    heat = np.diff(run["heat"])
    assert heat.min() > 0
    lost = run["energy"][0] - run["energy"][-1]
    assert_allclose(heat.sum(), lost, rtol=1e-9 if isinstance(scheme, vv.PHMP) else 1e-4)
    tilted = vv.simulate(m, t_end=0.3, h=1e-2, initial={"disc.twist": (2.0, -1.0, 3.0, 0, 0, 0)}, integrator=scheme)
    L = (tilted["disc.twist"][:, :3] * (0.3, 0.3, 0.5))[[0, -1], :2]
    assert_allclose(*np.linalg.norm(L, axis=1), rtol=1e-4)  # nothing brakes what is across


@pytest.mark.parametrize("found", builders(vv.Mechanism("names")))
def test_what_is_no_drag_is_refused(found):
    m = vv.Mechanism("m")
    with pytest.raises(ModelError, match=found):
        builders(m)[found]()
    assert set(m.parts) == {"b", "p", "q"}
