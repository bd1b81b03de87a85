"""One body on every joint: motion, coordinates and reactions against minimal coordinates that know nothing of rows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.geometry import SE3, SO3
from visviva.library.joints import Product
from visviva.mechanism.parts import Joint

G = np.array([0.3, -1.0, -9.81])
AT, AXIS = np.array([0.1, 0.2, -0.1]), (1, 2, 2.5)
BOX = vv.inertia.box(1.3, (0.9, 0.4, 0.2))
TWIST = (1.0, -2.0, 0.5, 0.3, 0.2, 0.1)
T_END = 0.4

ON = {
    "fixed": lambda m, b: m.fixed("j", m.ground, b, at=AT),
    "revolute": lambda m, b: m.revolute("j", m.ground, b, at=AT, axis=AXIS, rate=2.0, friction=0.3),
    "prismatic": lambda m, b: m.prismatic("j", m.ground, b, at=AT, axis=AXIS, rate=2.0, friction=0.3),
    "cylindrical": lambda m, b: m.cylindrical("j", m.ground, b, at=AT, axis=AXIS, rate=(2, -1), friction=(0.3, 0.2)),
    "universal": lambda m, b: m.universal("j", m.ground, b, at=AT, axes=((0, 3, 4), (1, 0, 0)), rate=(2, -1)),
    "spherical": lambda m, b: m.spherical("j", m.ground, b, at=AT),
    "planar": lambda m, b: m.planar("j", m.ground, b, at=AT, normal=AXIS, rate=(2, -1, 0.5), friction=(0.3, 0.2, 0.4)),
    "free": lambda m, b: m.free("j", m.ground, b),
    "distance": lambda m, b: m.distance("j", m.ground, b, at_a=AT, at_b=(0.5, 0.5, 0.5)),
    "point_on_plane": lambda m, b: m.point_on_plane("j", m.ground, b, at=AT, normal=AXIS),
    "point_on_line": lambda m, b: m.point_on_line("j", m.ground, b, at=AT, axis=AXIS),
}
every_kind = pytest.mark.parametrize("kind", ON)


def on(kind: str) -> tuple[vv.Mechanism, Joint]:
    """A skew body on a joint to the ground; joints without rates of their own get a twist that is projected."""
    m = vv.Mechanism(kind, gravity=G)
    open_rates = kind in {"spherical", "free", "distance", "point_on_plane", "point_on_line"}
    b = m.body(
        "b",
        inertia=BOX,
        at=(0.5, 0.1, 0.2),
        com=(0.05, 0.02, 0.1),
        rotation=SO3.exp((0.3, -0.2, 0.5)),
        twist=TWIST if open_rates else None,
    )
    return m, ON[kind](m, b)


class Minimal:
    """Sᵀ (I (S q̈ + Ṡ q̇) - adᵀ(V) I V - F) + D q̇ = 0 with V = S q̇, the twist of the joint frame C on the body.

    S and X_PC are those of the joint, the inertia is that of the body about the origin of C.
    """

    def __init__(self, m: vv.Mechanism, joint: Joint, V: np.ndarray) -> None:
        body, self.joint, self.nv = m["b"], joint.joint, joint.joint.nv
        X_WC = SE3(joint.R_W, joint.r_W)
        self.X_WP = SE3(*joint.parent_frame) if joint.parent_frame else X_WC
        self.X_CB = X_WC.inverse() @ SE3(body.R_WC, body.r_WC)  # B: the principal frame of the body
        to_B = self.X_CB.inverse().Ad()
        self.mass, self.M = body.mass, to_B.T @ np.diag([*body.J_C, *np.full(3, body.mass)]) @ to_B
        self.arm = self.X_CB.r
        self.D = np.zeros(self.nv)
        self.D[: len(joint.friction)] = joint.friction
        twist = np.concatenate([V[:3], body.R_WC.T @ V[3:]])
        S = self.S(np.zeros(self.nv))
        self.q_dot0 = np.linalg.lstsq(S, self.X_CB.Ad() @ twist, rcond=None)[0]

    def S(self, q):
        return self.joint.S(q)

    def wrench(self, q, q_dot, q_ddot):
        """What the joint does to the body, in C: I V̇ - adᵀ(V) I V less the weight."""
        step = 1e-6
        S_dot = (self.S(q + step * q_dot) - self.S(q - step * q_dot)) / (2 * step)
        V, V_dot = self.S(q) @ q_dot, self.S(q) @ q_ddot + S_dot @ q_dot
        g = (self.X_WP @ self.joint.X_PC(q)).R.T @ (self.mass * G)
        weight = np.concatenate([np.cross(self.arm, g), g])
        return self.M @ V_dot - SE3.ad(V).T @ self.M @ V - weight

    def rates(self, _, y):
        q, q_dot = np.split(y, 2)
        S = self.S(q)
        force = S.T @ self.wrench(q, q_dot, np.zeros(self.nv)) + self.D * q_dot
        return np.concatenate([q_dot, np.linalg.solve(S.T @ self.M @ S, -force)])

    def solution(self, t_end):
        y0 = np.concatenate([np.zeros(self.nv), self.q_dot0])
        if not self.nv:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        y = solve_ivp(self.rates, (0, t_end), y0, method="DOP853", rtol=1e-10, atol=1e-11).y[:, -1]
        q, q_dot = np.split(y, 2)
        return q, q_dot, self.rates(0.0, y)[self.nv :]

    def friction(self, q, q_dot):
        """The wrench of friction on the body in C: about z, and along the parent's axes through the origin of C."""
        m, f = np.zeros(3), np.zeros(3)
        for part, force in zip(self.joint.coordinates, -self.D * q_dot, strict=False):
            if isinstance(part, Product):
                f[part.parent] = force
            else:
                m[2] = force
        return np.concatenate([m, self.joint.X_PC(q).R.T @ f])


@cache
def reference(kind):
    m, joint = on(kind)
    minimal = Minimal(m, joint, start(m).V["b"])
    return minimal, *minimal.solution(T_END)


def start(m):
    """Rates are kept; a given twist is projected on the joint."""
    return m.assemble(fixed=() if m["b"].twist is not None else None)[0]


@cache
def end(kind, integrator):
    """Final values, extrapolated from two step sizes to fourth order."""
    runs = []
    for h in (0.01, 0.005) if isinstance(integrator, vv.PHMP) else (0.005, 0.0025):
        m, _ = on(kind)
        runs.append(vv.simulate(m, T_END, h, integrator=integrator, initial=start(m)))
    coarse, fine = runs

    def value(name):
        return (4 * fine[name][-1] - coarse[name][-1]) / 3

    return fine, value


@every_kind
@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.DiscreteGradient()], ids=["directors", "Lie"])
def test_the_motion_is_that_of_minimal_coordinates(kind, integrator):
    minimal, q, q_dot, _ = reference(kind)
    run, value = end(kind, integrator)
    X_WB = minimal.X_WP @ minimal.joint.X_PC(q) @ minimal.X_CB
    body = run.motion.definition["b"]
    X_WF = X_WB @ SE3(body.R_BC, body.com).inverse()
    assert_allclose(value("b.r"), X_WF.r, rtol=0, atol=2e-7)
    assert_allclose(value("b.R"), X_WF.R, rtol=0, atol=5e-7)
    k = len(minimal.joint.coordinates)
    if k:
        assert_allclose(np.atleast_1d(value("j.q")), q[:k], rtol=0, atol=5e-7)
        assert_allclose(np.atleast_1d(value("j.rate")), q_dot[:k], rtol=0, atol=2e-6)
        assert run["j.q"].shape == run["j.rate"].shape == ((len(run.t),) if k == 1 else (len(run.t), k))
    else:
        assert "j.q" not in run
        assert "j.rate" not in run


@every_kind
def test_the_reaction_is_what_keeps_the_body_on_its_joint(kind):
    minimal, q, q_dot, q_ddot = reference(kind)
    run, value = end(kind, vv.PHMP())
    expected = minimal.wrench(q, q_dot, q_ddot) - minimal.friction(q, q_dot)
    scale = np.abs(expected).max()
    assert_allclose(value("j.reaction"), expected, rtol=0, atol=5e-6 * scale + 1e-12)
    middle = 0.5 * (run["j.reaction"][1:] + run["j.reaction"][:-1])
    assert_allclose(run["j.reaction_mid"], middle, rtol=0, atol=5e-3 * scale + 1e-12)


@every_kind
def test_energy_and_constraints_are_exact_and_heat_is_what_friction_takes(kind):
    run, _ = end(kind, vv.PHMP())
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert audit.g <= 1e-13
    minimal = reference(kind)[0]
    if minimal.D.any():
        rates = run["j.rate"].reshape(len(run.t), -1)
        power = (minimal.D[: rates.shape[1]] * rates**2).sum(-1)
        heat = np.trapezoid(power, run.t)
        assert run["heat.j"][-1] == pytest.approx(heat, rel=1e-3)
        assert run["heat.j"][-1] == pytest.approx(run["heat"][-1], rel=1e-14)
        assert run.audit().components["j"].exergy_destroyed == pytest.approx(run["heat.j"][-1], rel=1e-13)


# -- closed forms -----------------------------------------------------------------------------------------------


def test_a_slide_falls_with_the_component_of_gravity_along_it():
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    b = m.body("b", inertia=BOX)
    m.prismatic("slide", m.ground, b, axis=(0, 0.6, 0.8), rate=0.5)
    run = vv.simulate(m, 1.0, 0.1)
    assert_allclose(run["slide.q"], 0.5 * run.t - 0.5 * 0.8 * 9.81 * run.t**2, rtol=0, atol=1e-12)
    assert_allclose(run["slide.rate"], 0.5 - 0.8 * 9.81 * run.t, rtol=0, atol=1e-12)
    assert run.unit("slide.q") == "m"
    assert run.unit("slide.rate") == "m/s"


def test_a_force_and_a_torque_on_a_sleeve_do_work_along_their_coordinates():
    m = vv.Mechanism()
    b = m.body("b", mass=2.0, inertia=(0.3, 0.4, 0.5), at=(0, 0, 1))
    joint = m.cylindrical("sleeve", m.ground, b, at=(0, 0, 0), axis=(0, 0, 1), rate=(1.0, 0.0))
    m.force("push", joint)
    m.torque("turn", "sleeve")
    run = vv.simulate(m, 1.0, 0.01, inputs={"push": 3.0, "turn": 0.25})
    angle, way = run["sleeve.q"].T
    assert_allclose(way, 0.5 * 1.5 * run.t**2, rtol=0, atol=1e-12)
    assert_allclose(angle[-1], 1.0 + 0.25, rtol=0, atol=1e-4)
    assert run["push.work"][-1] == pytest.approx(3.0 * way[-1], rel=1e-12)
    assert run["turn.work"][-1] == pytest.approx(0.25 * angle[-1], rel=1e-3)
    assert_allclose(run["push.power"], 3.0 * np.diff(way) / 0.01, rtol=0, atol=1e-11)
    assert run.unit("sleeve.q") == "rad, m"
    assert run.audit().ok


def test_friction_of_a_slide_stops_it_at_the_distance_of_its_momentum():
    """ẋ = v0 exp(-d t/m), hence x -> m v0/d."""
    m = vv.Mechanism()
    b = m.body("b", mass=2.0, inertia=(0.3, 0.4, 0.5))
    m.prismatic("slide", m.ground, b, axis=(1, 0, 0), rate=3.0, friction=8.0)
    run = vv.simulate(m, 5.0, 0.01)
    assert run["slide.q"][-1] == pytest.approx(2.0 * 3.0 / 8.0, rel=1e-8)
    assert run["heat.slide"][-1] == pytest.approx(0.5 * 2.0 * 9.0, rel=1e-12)


def test_both_angles_of_a_universal_joint_count_full_turns():
    m = vv.Mechanism()
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.universal("cross", m.ground, b, at=(0, 0, 0), axes=((0, 0, 1), (1, 0, 0)), rate=(20.0, 0.0))
    run = vv.simulate(m, 1.0, 0.01)
    assert run["cross.q"][-1, 0] == pytest.approx(20.0, abs=0.1)
    m = vv.Mechanism()
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.universal("cross", m.ground, b, at=(0, 0, 0), axes=((0, 0, 1), (1, 0, 0)), rate=(0.0, -20.0))
    run = vv.simulate(m, 1.0, 0.01)
    assert_allclose(run["cross.q"][-1], (0.0, -20.0), rtol=0, atol=0.1)


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.DiscreteGradient()], ids=["directors", "Lie"])
def test_a_universal_joint_is_two_hinges_on_a_massless_cross(integrator):
    m = vv.Mechanism(gravity=G)
    b = m.body("b", inertia=BOX, at=(0.5, 0.1, 0.2))
    m.universal("j", m.ground, b, at=AT, axes=((0, 0, 1), (1, 0, 0)), rate=(2.0, -1.0))
    two = vv.Mechanism(gravity=G)
    b, cross = two.body("b", inertia=BOX, at=(0.5, 0.1, 0.2)), two.body("cross", massless=True, at=AT)
    two.revolute("first", two.ground, cross, at=AT, axis=(0, 0, 1), rate=2.0)
    two.revolute("second", cross, b, at=AT, axis=(1, 0, 0), rate=-1.0)
    one, other = (vv.simulate(built, 0.3, 0.01, integrator=integrator) for built in (m, two))
    assert_allclose(np.column_stack([other["first.q"], other["second.q"]]), one["j.q"], rtol=0, atol=1e-10)
    assert_allclose(other["b.r"], one["b.r"], rtol=0, atol=1e-10)
    assert other.audit().ok


BY_FRAMES = [kind for kind in ON if kind != "free"]


@pytest.mark.parametrize("kind", BY_FRAMES)
def test_frames_that_do_not_meet_as_built_are_brought_together(kind):
    m = vv.Mechanism(kind, gravity=G)
    b = m.body("b", inertia=BOX, at=(0.2, 0.1, 0.3))
    m.frame("socket", m.ground, at=(0, 0, 0))
    tilt = (0.2, 1.5, 0.4) if kind == "universal" else (0.2, 0.1, 0.4)
    m.frame("plug", b, at=(0.1, 0.05, 0.2), rotation=SO3.exp(tilt))
    more = {"length": 0.5} if kind == "distance" else {}
    joint = getattr(m, kind)("j", "socket", "plug", **more)
    run = vv.simulate(m, 0.1, 0.01)
    assert run.audit().g <= 1e-13
    assert run.audit().ok
    plug = SE3(run["plug.R"][-1], run["plug.r"][-1])
    if kind == "universal":  # z of each frame is an axis; the joint's own frame has the second one as x
        plug = SE3(plug.R[:, [2, 0, 1]], plug.r)
    q = np.zeros(joint.joint.nv)
    if joint.joint.coordinates:
        q[: len(joint.joint.coordinates)] = run["j.q"][-1]
    if kind == "distance":
        assert np.linalg.norm(plug.r) == pytest.approx(0.5, abs=1e-12)
        return
    X_PC = joint.joint.X_PC(q)
    assert_allclose(plug.r, X_PC.r, rtol=0, atol=1e-12)
    if "point" not in kind and kind != "spherical":
        assert_allclose(plug.R, X_PC.R, rtol=0, atol=1e-12)


# -- between moving bodies --------------------------------------------------------------------------------------


PAIRS = {
    "fixed": lambda m, a, b: m.fixed("j", a, b, at=AT),
    "revolute": lambda m, a, b: m.revolute("j", a, b, at=AT, axis=AXIS),
    "prismatic": lambda m, a, b: m.prismatic("j", a, b, at=AT, axis=AXIS),
    "cylindrical": lambda m, a, b: m.cylindrical("j", a, b, at=AT, axis=AXIS),
    "spherical": lambda m, a, b: m.spherical("j", a, b, at=AT),
    "planar": lambda m, a, b: m.planar("j", a, b, at=AT, normal=AXIS),
    "distance": lambda m, a, b: m.distance("j", a, b, at_a=AT if a == "a" else -AT, at_b=AT if b == "a" else -AT),
}


def pair(kind, first, second):
    m = vv.Mechanism(kind, gravity=G)
    twists = {"a": (1.0, -4.0, 3.5, 0.3, 0.2, 0.1), "b": (3.0, 0.5, 2.7, 0.0, 0.4, 0.1)}
    for name in sorted({first, second} - {"ground"}):
        m.body(name, inertia=BOX, at=(0.5, 0.1, 0.2) if name == "a" else (-0.4, 0, 0.3), twist=twists[name])
    PAIRS[kind](m, first, second)
    return vv.simulate(m, 0.1, 0.01, initial=m.assemble(fixed=())[0])


def in_the_world(run, end):
    """Reaction on the child as (moment about the origin of the world; force), in world axes, at the last node."""
    joint, (m_J, f_J) = run.motion.definition["j"], np.split(run["j.reaction"][-1], 2)
    R, r = joint.R_W, joint.r_W
    if end != "ground":
        body = run.motion.definition[end]
        moved = SE3(run[f"{end}.R"][-1], run[f"{end}.r"][-1]) @ SE3(body.R_WB, body.r_WB).inverse()
        R, r = moved.R @ R, moved.act(r)
    return np.concatenate([R @ m_J + np.cross(r, R @ f_J), R @ f_J])


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("ends", [("a", "b"), ("ground", "a")], ids=["two bodies", "ground and body"])
def test_action_is_reaction(kind, ends):
    """Parent and child exchanged: the same motion, and the opposite wrench on the other one.

    Where points slide along axes of the parent, a step differs by its own error.
    """
    forth, back = pair(kind, *ends), pair(kind, *ends[::-1])
    assert_allclose(back["a.r"], forth["a.r"], rtol=0, atol=1e-6)
    one, other = in_the_world(forth, ends[1]), in_the_world(back, ends[0])
    assert_allclose(other, -one, rtol=0, atol=1e-5 * np.abs(one).max())
    assert np.abs(one).max() > 0.05
