"""Initial velocities: what is given is kept, the rest follows from the joints, and contradictions are named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import visviva as vv
from visviva.mechanism.coordinates import as_built, space_of

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))
Z = np.array([0.0, 0.0, 1.0])
CORNERS = ((0, 0, 0), (0, 1, 0), (2, 1, 0), (1, 0, 0))
VECTORS = st.tuples(*[st.floats(-2, 2)] * 3).map(np.array)
AXES = VECTORS.filter(lambda a: np.linalg.norm(a) > 0.1)
RATES = st.floats(-10, 10)


def world_velocity(m, motion, name):
    """(ω, velocity of the centre of mass) in world axes, of a body or particle (ω = 0)."""
    q_dot = (space_of(m[name]).lift(motion.q[name]) @ motion.V[name]).reshape(-1, 3)
    directors = motion.q[name].reshape(-1, 3)[1:]
    return 0.5 * np.cross(directors, q_dot[1:]).sum(0), q_dot[0]


def bar(m, name, a, b, mass=1.0):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    length = float(np.linalg.norm(b - a))
    return m.body(name, inertia=vv.inertia.cylinder(mass, 0.05, length, axis=b - a), at=(a + b) / 2)


def four_bar(corners=CORNERS, **rates) -> vv.Mechanism:
    """Crank AB, coupler BC, rocker DC about z; three of the twenty rows are redundant."""
    m = vv.Mechanism("four bar")
    A, B, C, D = corners
    crank, coupler, rocker = bar(m, "crank", A, B), bar(m, "coupler", B, C), bar(m, "rocker", D, C)
    ends = {"A": (m.ground, crank), "B": (crank, coupler), "C": (coupler, rocker), "D": (m.ground, rocker)}
    for (name, pair), at in zip(ends.items(), corners, strict=True):
        m.revolute(name, *pair, at=at, axis=Z, rate=rates.get(name))
    return m


# -- what follows from joint rates ------------------------------------------------------------------------------


@given(AXES, AXES, VECTORS, VECTORS, VECTORS, RATES, RATES)
def test_rates_add_up_along_a_chain(n1, n2, p1, p2, c2, rate1, rate2):
    m = vv.Mechanism()
    m.body("upper", inertia=BOX, at=(p1 + p2) / 2)
    m.body("lower", inertia=BOX, at=c2)
    m.revolute("shoulder", m.ground, "upper", at=p1, axis=n1, rate=rate1)
    m.revolute("elbow", "upper", "lower", at=p2, axis=n2, rate=rate2)
    motion, _ = m.assemble()
    w1, w2 = rate1 * n1 / np.linalg.norm(n1), rate2 * n2 / np.linalg.norm(n2)
    assert_allclose(world_velocity(m, motion, "upper"), [w1, np.cross(w1, (p2 - p1) / 2)], rtol=0, atol=1e-11)
    v2 = np.cross(w1, c2 - p1) + np.cross(w2, c2 - p2)
    assert_allclose(world_velocity(m, motion, "lower"), [w1 + w2, v2], rtol=0, atol=1e-11)


def test_in_a_parallelogram_both_cranks_turn_alike_and_the_coupler_only_shifts():
    B = np.array([np.cos(-0.5), np.sin(-0.5), 0.0])
    m = four_bar([(0, 0, 0), B, B + np.array([2.0, 0, 0]), (2, 0, 0)], A=3.0)
    motion, _ = m.assemble()
    for crank in ("crank", "rocker"):
        assert_allclose(world_velocity(m, motion, crank), [3 * Z, 3 * np.cross(Z, B / 2)], rtol=0, atol=1e-13)
    assert_allclose(world_velocity(m, motion, "coupler"), [np.zeros(3), 3 * np.cross(Z, B)], rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["A", "B", "C", "D"])
def test_one_rate_moves_a_four_bar_as_its_velocity_triangle_says(name):
    """v_B = ω1 z x AB, v_C = v_B + ω2 z x BC = ω3 z x DC with AB = (0, 1), BC = (2, 0), DC = (1, 1): ω = (2, 1, 2)."""
    rates = {"A": 2.0, "B": -1.0, "C": 1.0, "D": 2.0}
    m = four_bar(**{name: rates[name]})
    motion, _ = m.assemble()
    for body, rate in {"crank": 2.0, "coupler": 1.0, "rocker": 2.0}.items():
        assert_allclose(world_velocity(m, motion, body)[0], rate * Z, rtol=0, atol=1e-13)
    assert_allclose(world_velocity(m, motion, "coupler")[1], (-2, 1, 0), rtol=0, atol=1e-13)


def test_rates_of_a_loop_that_agree_may_all_be_given():
    m = four_bar(A=2.0, B=-1.0, C=1.0, D=2.0)
    motion, _ = m.assemble()
    assert_allclose(world_velocity(m, motion, "coupler")[0], Z, rtol=0, atol=1e-13)


def test_a_particle_moves_with_the_point_that_holds_it():
    m = vv.Mechanism()
    m.body("rod", inertia=BOX, at=(0.5, 0, 0))
    m.particle("tip", mass=1.0, at=(1, 0, 0))
    m.spherical("ball", "rod", "tip", at=(1, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=Z, rate=4.0)
    assert_allclose(m.assemble()[0].V["tip"], (0, 4, 0), rtol=0, atol=1e-13)


# -- what is given ----------------------------------------------------------------------------------------------


@given(VECTORS, VECTORS, VECTORS, VECTORS, VECTORS)
def test_a_twist_is_that_of_the_body_frame_wherever_it_sits(turn, at, com, w, v):
    R = Rotation.from_rotvec(turn).as_matrix()
    m = vv.Mechanism()
    tensor = [[1.0, 0.1, 0.0], [0.1, 1.2, -0.2], [0.0, -0.2, 0.9]]
    m.body("rod", mass=2.0, inertia=tensor, com=com, at=at, rotation=R, twist=[*w, *v])
    motion, report = m.assemble()
    assert_allclose(world_velocity(m, motion, "rod"), [R @ w, R @ (v + np.cross(w, com))], rtol=0, atol=1e-12)
    assert str(report) == "nothing had to change"


@given(VECTORS, VECTORS, RATES)
def test_what_is_given_is_kept(w, v, rate):
    m = vv.Mechanism()
    m.body("base", inertia=BOX, at=(1, 0, 0), twist=[*w, *v])
    m.body("arm", inertia=BOX, at=(2, 0, 0))
    m.particle("dot", mass=1.0, at=(0, 0, 5), velocity=v)
    m.revolute("hinge", "base", "arm", at=(1.5, 0, 0), axis=Z, rate=rate)
    motion, _ = m.assemble()
    assert_allclose(np.concatenate(world_velocity(m, motion, "base")), [*w, *v], rtol=0, atol=1e-13)
    assert_allclose(motion.V["dot"], v, rtol=0, atol=1e-13)
    relative = world_velocity(m, motion, "arm")[0] - world_velocity(m, motion, "base")[0]
    assert_allclose(relative, rate * Z, rtol=0, atol=1e-13)


def test_without_given_velocities_nothing_moves():
    m = four_bar()
    motion, report = m.assemble()
    assert not any(V.any() for V in motion.V.values())
    assert str(report) == "nothing had to change"


def test_a_motion_starts_as_built_with_all_angles_zero():
    m = four_bar(A=1.0)
    motion, _ = m.assemble()
    assert motion.angles == {"A": 0.0, "B": 0.0, "C": 0.0, "D": 0.0}
    for part in m.bodies:
        assert_allclose(motion.q[part.name], as_built(part), rtol=0, atol=1e-15)


# -- contradictions ---------------------------------------------------------------------------------------------


def test_rates_of_a_loop_that_contradict_are_named():
    m = four_bar(A=2.0, D=-2.0)
    with pytest.raises(vv.AssemblyError, match=r"(?s)'four bar' contradict.*'A'.*'D'.*Give fewer.*m.assemble"):
        m.assemble()


def test_a_twist_against_its_joint_is_named():
    m = vv.Mechanism("swing")
    m.body("rod", inertia=BOX, at=(0.5, 0, 0), twist=(0, 0, 0, 1, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=Z)
    match = r"(?s)'swing' contradict.*given motion of 'rod', which is held by 'hinge': "
    with pytest.raises(vv.AssemblyError, match=match):
        m.assemble()


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-5, 1e-8])
def test_contradictions_are_judged_by_the_size_of_what_is_given(size):
    good = four_bar(A=2 * size, D=2 * size * (1 + 1e-12))
    good.assemble()
    bad = four_bar(A=2 * size, D=2 * size * (1 + 1e-6))
    with pytest.raises(vv.AssemblyError):
        bad.assemble()


# -- projection -------------------------------------------------------------------------------------------------


def loose_chain() -> vv.Mechanism:
    """Two bodies whose given twists fit neither of their joints."""
    m = vv.Mechanism("chain")
    m.body(
        "upper", inertia=BOX, at=(0.5, 0, 0), rotation=Rotation.from_rotvec((0.3, 0.1, 0.2)).as_matrix(), twist=range(6)
    )
    m.body("lower", mass=3.0, inertia=(0.3, 0.2, 0.4), com=(0.1, 0, 0.2), at=(1.5, 0.2, 0), twist=(1, 0, -2, 0.5, 3, 1))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis=(1, 2, 2), rate=0.7)
    m.revolute("elbow", "upper", "lower", at=(1, 0, 0), axis=(0, 1, 0.3))
    return m


def nearest_by_lagrange(m: vv.Mechanism, fixed_rate: float | None) -> list[np.ndarray]:
    """(ω, v) of both bodies in world axes from the KKT system of min ½ (V - V0)ᵀ M (V - V0), written by hand."""
    given, masses, centres = [], np.zeros((12, 12)), []
    for k, body in enumerate(m.bodies):
        w, v = body.twist[:3], body.twist[3:]
        given += [body.R_WB @ w, body.R_WB @ (v + np.cross(w, body.com))]
        masses[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = body.R_WB @ body.J @ body.R_WB.T
        masses[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = body.mass * np.eye(3)
        centres.append(body.r_WB + body.R_WB @ body.com)

    def velocity_of_point(k, p):
        rows = np.zeros((3, 12))
        rows[:, 6 * k : 6 * k + 3] = np.array([np.cross(e, p - centres[k]) for e in np.eye(3)]).T
        rows[:, 6 * k + 3 : 6 * k + 6] = np.eye(3)
        return rows

    spin = [np.eye(12)[0:3], np.eye(12)[6:9]]
    n1, n2 = np.array([1, 2, 2]) / 3, np.array([0, 1, 0.3]) / np.hypot(1, 0.3)
    p1, p2 = np.zeros(3), np.array([1.0, 0, 0])
    across = [np.linalg.svd(n[None])[2][1:] for n in (n1, n2)]
    rows = [velocity_of_point(0, p1), across[0] @ spin[0]]
    rows += [velocity_of_point(1, p2) - velocity_of_point(0, p2), across[1] @ (spin[1] - spin[0])]
    rhs = np.zeros(10)
    if fixed_rate is not None:
        rows.append(n1[None] @ spin[0])
        rhs = np.append(rhs, fixed_rate)
    C = np.concatenate(rows)
    K = np.block([[masses, C.T], [C, np.zeros((len(C), len(C)))]])
    V = np.linalg.solve(K, np.concatenate([masses @ np.concatenate(given), rhs]))[:12]
    return [V[:6], V[6:]]


@pytest.mark.parametrize("fixed", [(), ("shoulder",)])
def test_what_is_not_fixed_is_projected_in_the_metric_of_kinetic_energy(fixed):
    m = loose_chain()
    motion, report = m.assemble(fixed=fixed)
    expected = nearest_by_lagrange(m, 0.7 if fixed else None)
    for name, V in zip(("upper", "lower"), expected, strict=True):
        assert_allclose(np.concatenate(world_velocity(m, motion, name)), V, rtol=0, atol=1e-12)
        assert f"{name}: velocity changed" in str(report)


def test_the_report_tells_what_followed_and_what_changed():
    """And nothing of what stays at rest, whatever rounding the solution has left there."""
    axis = (1, 2, 3)
    m = vv.Mechanism()
    m.body("upper", inertia=BOX, at=(0.5, 0, 0), twist=(1, 0, 5, 0, 0, 0))
    m.body("lower", inertia=BOX, at=(1.5, 0, 0))
    m.body("far", inertia=BOX, at=(9, 9, 9))
    m.free("flight", m.ground, "far")
    m.body("door", inertia=BOX, at=(0.5, 2, 0))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis=axis)
    m.revolute("elbow", "upper", "lower", at=(1, 0, 0), axis=axis)
    m.revolute("post", m.ground, "door", at=(0, 2, 0), axis=axis)
    changes = m.assemble(fixed=())[1].changes
    assert len(changes) == 2
    assert changes[0].startswith("upper: velocity changed")
    assert changes[1].startswith("lower: velocity follows from the joints")


def test_a_rate_that_was_not_kept_is_reported():
    m = four_bar(A=2.0, D=-2.0)
    motion, report = m.assemble(fixed=("A",))
    assert_allclose(world_velocity(m, motion, "rocker")[0], 2 * Z, rtol=0, atol=1e-13)
    assert any(line.startswith("D: ") for line in report.changes)


def test_only_bodies_and_joints_with_a_rate_can_be_fixed():
    m = loose_chain()
    m.frame("tool", "lower", at=(2, 0, 0))
    with pytest.raises(vv.ModelError, match="names joint 'elbow', which has no rate to keep"):
        m.assemble(fixed=("elbow",))
    with pytest.raises(vv.ModelError, match="names 'tool': give bodies, particles, or joints with a rate"):
        m.assemble(fixed=("tool",))
    with pytest.raises(vv.ModelError, match=r"'chain' has no 'uper'. Did you mean 'upper'"):
        m.assemble(fixed=("uper",))


def test_one_name_is_no_list_of_names():
    with pytest.raises(vv.ModelError, match=r"takes several names, e.g. fixed=\('upper',\)"):
        loose_chain().assemble(fixed="upper")
