import numpy as np
import pytest
import scipy.integrate
from numpy.testing import assert_allclose
from rigid_models import hinge_chain

import visviva as vv
from visviva.errors import AssemblyError, ModelError
from visviva.forms import coordinates
from visviva.forms.rigid.body_motion import fixed_frame
from visviva.forms.rigid.consistency import consistent
from visviva.forms.rigid.constraints import Geometric, Pfaffian
from visviva.forms.rigid.joint_rows import NUMBERS, _sum
from visviva.forms.rigid.loops import Loop, _vectors
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.hat import vee
from visviva.geometry.se3 import SE3
from visviva.geometry.so3 import SO3
from visviva.library.joints import JOINTS, TURN, AbstractJoint, Distance, Revolute, Screw, Universal, cosine

LENGTHS = [1.0, 2.0, 1.6]
BASE = 2.2  # between the hinges on the ground


def shifted(x):
    X = np.eye(4)
    X[0, 3] = x
    return X


def four_bar(kind="revolute"):
    return hinge_chain(LENGTHS).constrain(
        Loop("pin", "ground", "rod2", kind, X_aJ=shifted(BASE), X_bJ=shifted(LENGTHS[2]))
    )


def closing(q):
    a, b, c = q[0], q[0] + q[1], q[0] + q[1] + q[2]
    l = LENGTHS
    return [
        l[0] * np.cos(a) + l[1] * np.cos(b) + l[2] * np.cos(c) - BASE,
        l[0] * np.sin(a) + l[1] * np.sin(b) + l[2] * np.sin(c),
    ]


def state():
    return consistent(hinge_chain(LENGTHS).constrain(Geometric("pin", closing)), (1.0, -1.0, -1.5), (1.0, 0.0, 0.0))


@pytest.mark.parametrize("kind", ["revolute", "spherical", "cylindrical"])
def test_a_four_bar_moves_as_its_closing_equations_say(kind):
    """Five, three or four rows, of which a planar mechanism needs two: redundant ones do not disturb."""
    q, xi = state()
    plain = hinge_chain(LENGTHS).constrain(Geometric("pin", closing))
    assert_allclose(four_bar(kind).accelerations(q, xi), plain.accelerations(q, xi), atol=1e-11)
    found, expected = (system.solve(q, xi).reactions["pin"] for system in (four_bar(kind), plain))
    assert_allclose(found, expected, atol=1e-10)
    rows = four_bar(kind).rows(four_bar(kind).instant(q, xi))["pin"]
    assert_allclose(rows.position, 0, atol=1e-12)
    assert_allclose(rows.velocity, 0, atol=1e-12)


def test_an_edge_that_closes_a_loop_is_a_constraint_by_itself():
    """The four-bar with a coordinate for its fourth hinge too: four edges between four frames."""
    plain, (q, xi) = hinge_chain(LENGTHS), state()
    joints = {(edge.a, edge.b): edge.joint for edge in plain.parameterisation.edges}
    joints["ground", "rod2"] = coordinates.revolute("theta3", at=shifted(BASE), to=shifted(-LENGTHS[2]))
    system = RigidSystem(coordinates.joined(joints), bodies=plain.bodies, gravity=plain.gravity)
    assert len(system.every_constraint) == 1
    q4, xi4 = np.append(q, q.sum()), np.append(xi, xi.sum())
    rows = next(iter(system.rows(system.instant(q4, xi4)).values()))
    assert_allclose(rows.position, 0, atol=1e-12)
    assert_allclose(rows.velocity, 0, atol=1e-12)
    expected = four_bar().accelerations(q, xi)
    assert_allclose(system.accelerations(q4, xi4), np.append(expected, expected.sum()), atol=1e-10)


def test_a_loop_that_the_coordinates_close_changes_nothing():
    """Two edges between the same frames with one coordinate: six rows that ask for nothing."""

    def pose(q):
        c, s = np.cos(q.angle), np.sin(q.angle)
        return [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]

    def further(q):
        return np.array(pose(q)) @ shifted(1.0)

    edges = {("ground", "a"): pose, ("a", "b"): shifted(1.0)}
    body = Moments.from_parts(1.0, (1, 0, 0), (0, 1, 1))
    systems = []
    for more in ({}, {("ground", "b"): further}):
        p = vv.Parameterisation(("angle",), ("rate",), A=np.eye(1), q0=(0.3,), edges={**edges, **more})
        systems.append(RigidSystem(p, bodies={"b": body}, gravity=(0, -9.8, 0)))
    assert len(systems[1].closures) == 1
    assert_allclose(systems[1].consistent((0.7,), (1.3,)), [[0.7], [1.3]])
    plain, closed = (system.accelerations((0.7,), (1.3,)) for system in systems)
    assert_allclose(closed, plain, rtol=1e-12)


def test_a_loop_runs_with_its_energy():
    system, (q, xi) = four_bar(), state()
    start = np.concatenate([q, xi])
    found = scipy.integrate.solve_ivp(system.rhs, (0, 0.5), start, method="DOP853", rtol=1e-10, atol=1e-11)
    q1, xi1 = np.split(found.y[:, -1], 2)
    assert pytest.approx(system.terms(q, xi).H, abs=1e-8) == system.terms(q1, xi1).H
    assert_allclose(closing(q1), 0, atol=1e-8)


def loose(joint, X_aJ=None):
    """A body that moves freely, and a joint to the ground at its origin that it does not have to obey."""
    p = coordinates.joined({("ground", "body"): coordinates.free("body", by="matrix")})
    system = RigidSystem(p, bodies={"body": Moments.from_parts(1.0, moment=(1, 1, 1))}, gravity=(0, 0, -9.8))
    return system.constrain(Loop("joint", "ground", "body", joint, *([] if X_aJ is None else [X_aJ])))


def coordinates_of(X):
    return np.concatenate([X.r, X.R.T.ravel()])


def rows_at(joint, X, V):
    system = loose(joint)
    return system.rows(system.instant(coordinates_of(X), V))["joint"]


every_joint = pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)


def keeps_axes_parallel(joint):
    """Whether what is upright stays so along its motion; a joint that bends has no reverse at half a turn."""
    R = joint.X_PC(np.linspace(0.3, 0.7, joint.nv)).R
    return joint.upright and all(R[one.parent, one.child] == pytest.approx(1.0) for one in joint.upright)


parallel_joints = pytest.mark.parametrize(
    "joint", [joint for joint in JOINTS if keeps_axes_parallel(joint)], ids=lambda joint: joint.kind
)


@every_joint
def test_a_joint_leaves_its_own_motions_and_no_others(joint):
    rng = np.random.default_rng(0)
    for size in (0.1, 1.0, 3.0):
        q, q_dot = rng.uniform(-size, size, joint.nv), rng.normal(size=joint.nv)
        found = rows_at(joint, joint.X_PC(q), joint.S(q) @ q_dot)
        assert len(found.z) == 6 - joint.nv
        assert_allclose(found.position, 0, atol=1e-12)
        assert_allclose(found.velocity, 0, atol=1e-12)
        assert_allclose(found.Z @ joint.S(q), 0, atol=1e-12)
        assert np.linalg.matrix_rank(found.Z) == 6 - joint.nv


@every_joint
def test_rows_are_derivatives_of_the_positions_also_off_the_joint(joint):
    rng, h = np.random.default_rng(1), 1e-4
    X, V = SE3.exp(rng.normal(size=6)), rng.normal(size=6)
    found = rows_at(joint, X, V)
    before, after = (rows_at(joint, X @ SE3.exp(t * V), V).position for t in (-h, h))
    assert_allclose(found.velocity, (after - before) / (2 * h), atol=1e-6)
    assert_allclose(found.Z @ V, found.velocity, atol=1e-12)
    assert_allclose(-found.z, (after - 2 * found.position + before) / h**2, atol=1e-5)


@parallel_joints
@pytest.mark.parametrize("axis", range(2))
def test_half_a_turn_is_no_solution(joint, axis):
    """½ vee2 R, a sine, vanishes there; 2 tan(θ/2) grows beyond all bounds, and half a turn itself is refused."""
    R = SO3.exp(np.pi * np.eye(3)[axis]).R
    assert_allclose(vee(R), 0, atol=1e-15)
    nearly = SO3.exp(3.1 * np.eye(3)[axis]).R
    assert np.abs(rows_at(joint, SE3(nearly, np.zeros(3)), np.zeros(6)).position).max() > 90
    with pytest.raises(AssemblyError, match="loop 'joint' is half a turn from closed"):
        rows_at(joint, SE3(R, np.zeros(3)), np.zeros(6))


@pytest.mark.parametrize("angle", [0.3, 1.2, 2.9])
def test_the_tilt_of_a_hinge_is_twice_the_tangent_of_half_its_angle(angle):
    """sin θ/(½ (1 + cos θ)): the joint's own products over κ."""
    R = SO3.exp(np.array([np.cos(0.4), np.sin(0.4), 0.0]) * angle).R
    found = rows_at("revolute", SE3(R, np.zeros(3)), np.zeros(6)).position[3:]
    assert np.linalg.norm(found) == pytest.approx(2 * np.tan(angle / 2), rel=1e-12)


@parallel_joints
@pytest.mark.parametrize("angle", [2.0, 3.0])
def test_a_start_beyond_a_right_angle_is_brought_back(joint, angle):
    """Sines would take it to the reverse of its axes."""
    system = loose(joint)
    start = SE3.exp(np.concatenate([angle * np.array([0.6, 0.7, 0.3]), np.zeros(3)]))
    q, _ = system.consistent(coordinates_of(start), np.zeros(6))
    R = q[3:].reshape(3, 3).T
    assert R[2, 2] == pytest.approx(1.0, abs=1e-12)


class Reversible(AbstractJoint):
    """A Cardan joint that says that it bends by less than a right angle."""

    kind, glyph, chain, rows = "bent", "cross", Universal.chain, Universal.rows
    coordinates, names, upright = Universal.coordinates, Universal.names, (cosine(2, 2),)


def test_a_state_that_has_the_rows_of_a_joint_but_is_no_state_of_it_is_refused():
    system = loose(Reversible())
    bent = [coordinates_of(Universal().X_PC(np.array([0.3, angle]))) for angle in (1.4, 1.8)]
    system.checked((bent[0], np.zeros(6)))
    assert_allclose(system.consistent(bent[0], np.zeros(6))[0], bent[0], atol=1e-12)
    assert_allclose(rows_at(Reversible(), Universal().X_PC(np.array([0.3, 1.8])), np.zeros(6)).position, 0, atol=1e-13)
    for ask in (lambda: system.checked((bent[1], np.zeros(6))), lambda: system.consistent(bent[1], np.zeros(6))):
        with pytest.raises(AssemblyError, match="loop 'joint' is closed with an axis reversed, where its bent joint"):
            ask()


def test_a_sum_of_several_angles_is_refused():
    """Each is known up to whole turns: there is no nearest one."""
    frame = fixed_frame(SE3.identity(), 1)
    with pytest.raises(ModelError, match="a sum with several angles"):
        _sum(((1.0, TURN), (2.0, TURN)), _vectors(frame, frame), NUMBERS)


def test_multipliers_are_forces_in_world_axes_and_moments_about_products_of_axes():
    """A body of 1 kg that hangs on the ground off its centre, the joint askew: -λ is its weight, and λ u x w."""
    X = SE3(SO3.exp([0.3, -0.4, 0.5]).R, np.array([0.2, 0.1, 0.0]))
    p = coordinates.joined({("ground", "body"): coordinates.free("body", by="matrix")})
    system = RigidSystem(p, bodies={"body": Moments.from_parts(1.0, moment=(1, 1, 1))}, gravity=(0, 0, -9.8))
    fixed = system.constrain(Loop("weld", "ground", "body", "fixed", X, X))
    lam = fixed.solve(coordinates_of(SE3.identity()), np.zeros(6)).multipliers["weld"]
    assert_allclose(-lam[:3], [0, 0, 9.8], atol=1e-12)
    x, y, z = X.R.T
    moment = lam[3] * np.cross(z, x) + lam[4] * np.cross(z, y) + lam[5] * np.cross(y, x)
    assert_allclose(moment, np.cross(X.r, [0, 0, -9.8]), atol=1e-12)  # against that of the weight about the joint


def test_multipliers_of_a_rod_and_of_a_thread():
    """A rod of 0.5 m carries 1 kg: 9.8 N over 0.5 m. A nut of pitch 0.02 m/rad on a shaft that does not turn."""
    down = SE3(np.eye(3), np.array([0.0, 0.0, -0.5]))
    lam = loose(Distance(0.5)).solve(coordinates_of(down), np.zeros(6)).multipliers["joint"]
    assert_allclose(-lam[0] * down.r, [0, 0, 9.8], atol=1e-12)
    held = loose(Screw(0.02)).constrain(Pfaffian("held", [[0, 0, 1, 0, 0, 0]]))
    found = held.solve(coordinates_of(SE3.identity()), np.zeros(6))
    assert -found.multipliers["joint"][-1] == pytest.approx(9.8, rel=1e-12)
    assert_allclose(found.reactions["held"], [0, 0, 9.8 * 0.02, 0, 0, 0], atol=1e-12)


def test_baumgarte_closes_a_loop_that_is_open():
    loop = Loop("pin", "ground", "rod2", "revolute", shifted(BASE), shifted(LENGTHS[2]), baumgarte=(20.0, 100.0))
    system, (q, _) = hinge_chain(LENGTHS).constrain(loop), state()
    start = np.concatenate([q + np.array([0.0, 0.02, 0.0]), np.zeros(3)])
    found = scipy.integrate.solve_ivp(system.rhs, (0, 0.5), start, method="DOP853", rtol=1e-5, atol=1e-8)
    before, after = np.abs(closing(start[:3])).max(), np.abs(closing(found.y[:3, -1])).max()
    assert before > 0.02
    assert after == pytest.approx(6 * np.exp(-5) * before, rel=1e-3)  # (1 + 10 t) e^(-10 t)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: four_bar("hinge"), "a joint is one of fixed, revolute"),
        (lambda: four_bar("screw"), r"a joint of the kind 'screw' has numbers of its own \(pitch\)"),
        (lambda: four_bar(Revolute), "a joint is one of fixed, revolute"),
        (lambda: hinge_chain([1.0]).constrain(Loop("pin", "ground", "rod7", "fixed")), "loop 'pin' joins 'rod7'"),
        (lambda: Loop("pin", "a", "b", "fixed", X_aJ=2 * np.eye(4)), "X_aJ of loop 'pin'"),
    ],
)
def test_wrong_loops_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()


def bennett():
    """Four skew hinges that move only since a/sin α = b/sin β: five rows for three angles, two of them independent."""
    alpha, beta = np.radians([30.0, 60.0])
    a, b = 1.0, np.sin(beta) / np.sin(alpha)

    def link(length, twist):
        X = shifted(length)
        X[:3, :3] = SO3.exp([twist, 0, 0]).R
        return X

    p = coordinates.joined(
        {
            ("ground", "l1"): coordinates.revolute("t1"),
            ("l1", "l2"): coordinates.revolute("t2", at=link(a, alpha)),
            ("l2", "l3"): coordinates.revolute("t3", at=link(b, beta)),
        }
    )
    body = vv.inertia.Inertia(1.0, (0.1, 0.1, 0.1), (0.3, 0.1, 0))
    system = RigidSystem(p, bodies={"l1": body, "l2": body, "l3": body}, gravity=(0, 0, -9.81))
    pin = Loop("pin", "ground", "l3", "revolute", np.linalg.inv(link(b, beta)), link(a, alpha))
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    return system.constrain(pin), ratio


def test_a_mechanism_that_should_not_move_moves():
    """Bennett's linkage: off its motion, where stages of a step are, its rows are independent and would hold it."""
    system, ratio = bennett()
    t1 = 2.1
    t2 = 2 * np.arctan(ratio / np.tan(t1 / 2))
    q, xi = system.consistent((t1 + 0.01, t2 - 0.02, -t1), (4.0, 0, 0))
    assert_allclose(np.tan(q[0] / 2) * np.tan(q[1] / 2), ratio, rtol=1e-12)
    assert q[2] == pytest.approx(-q[0], abs=1e-12)
    assert np.linalg.norm(xi) > 0.5
    run = vv.simulate(system, t_end=0.1, h=0.02, integrator=vv.RK4(), initial=(q, xi))
    assert np.abs(run["t1"][-1] - run["t1"][0]) > 0.1
    assert_allclose(np.tan(run["t1"] / 2) * np.tan(run["t2"] / 2), ratio, rtol=1e-11)
    assert run["energy"][-1] == pytest.approx(run["energy"][0], abs=1e-5)
