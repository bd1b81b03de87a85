"""Rigid systems as symbols, in any coordinates: all terms are the numeric ones."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from messages import says
from numpy.testing import assert_allclose
from parameterisations import arm, moved
from rigid_models import hinge_chain, particle, tree

import visviva as vv
from visviva.errors import ModelError
from visviva.forms import (
    Acceleration,
    Damping,
    Geometric,
    Kinematic,
    Loop,
    Moments,
    Parameterisation,
    Pfaffian,
    RigidSystem,
    coordinates,
)
from visviva.forms.springs import (
    AbstractPoseEnergy,
    ChordEnergy,
    GivenEnergy,
    LineEnergy,
    LogarithmEnergy,
    Spring,
)
from visviva.geometry.se3 import SE3
from visviva.library.joints import JOINTS as LIBRARY
from visviva.library.joints import Planar


def agree(system, q, xi, t=0.0):
    e = vv.symbols(system)
    M, c, f, Z, z, T, V = e.function("M", "c", "f", "Z", "z", "T", "V")(q, xi, (), (), t)
    terms = system.terms(q, xi, None, t)
    force = terms.f_E - terms.f_D - terms.f_K - terms.f_G
    rows = system.rows(system.instant(q, xi, t)).values()
    size = np.abs(terms.M).max() * max(1.0, float(np.abs(xi).max())) ** 2 + np.abs(force).max()
    assert_allclose(M, terms.M, rtol=0, atol=1e-12 * size)
    assert_allclose(c, terms.c, rtol=0, atol=1e-12 * size)
    assert_allclose(f, force, rtol=0, atol=1e-12 * size)
    assert_allclose(T + V, terms.H, rtol=1e-12)
    if rows:
        assert_allclose(Z, np.concatenate([part.Z for part in rows]), rtol=0, atol=1e-12)
        assert_allclose(z, np.concatenate([part.z for part in rows]), rtol=0, atol=1e-11)
    return e


@pytest.mark.slow
def test_joints_and_dampers_across():
    agree(*tree(springs=False))


@pytest.mark.slow
def test_joints_with_springs_across():
    agree(*tree())


AT = SE3.exp([0.1, -0.2, 0.3, 0.1, 0.5, -0.4]).matrix
JOINTS = {
    "free by matrix": coordinates.free("a", by="matrix", at=AT),
    "free": coordinates.free("a", to=AT),
    "planar": coordinates.planar("a", at=AT, to=AT),
    "ball by matrix": coordinates.spherical("a", by="matrix", at=AT, to=AT),
    "ball": coordinates.spherical("a", to=AT),
    "hinge by cosine and sine": coordinates.revolute("a", axis=(1, 2, 0), by="pair", at=AT, to=AT),
    "slide": coordinates.prismatic("a", axis=(0, 3, 4), to=AT),
    "sleeve": coordinates.cylindrical("a", at=AT, to=AT),
    "screw": coordinates.screw("a", pitch=0.3, at=AT, to=AT),
    "cross": coordinates.universal("a", at=AT, to=AT),
    "plate": coordinates.of_joint("a", Planar(), at=AT, to=AT),
    "bead": coordinates.point_on_line("a", at=AT, to=AT),
    "foot": coordinates.point_on_plane("a", by="matrix", at=AT, to=AT),
}


@pytest.mark.parametrize(
    ("kind", "inverse"),
    [
        ("planar", False),
        ("planar", True),
        ("cross", True),
        ("bead", False),
        ("ball", False),
        ("hinge by cosine and sine", True),
        *(pytest.param(kind, k, marks=pytest.mark.slow) for kind in JOINTS for k in (False, True)),
    ],
)
def test_every_kind_of_joint(kind, inverse):
    """With a hinge below it; some against the direction of the tree."""
    first = ("a", "ground") if inverse else ("ground", "a")
    p = coordinates.joined({first: JOINTS[kind], ("a", "b"): coordinates.revolute("b", axis=(0, 1, 1), at=AT)})
    rng = np.random.default_rng(0)
    bodies = {name: Moments.from_points([1, 2, 3, 4], rng.normal(size=(4, 3))) for name in "ab"}
    q, xi = moved(p), rng.normal(size=p.n)
    e = agree(RigidSystem(p, bodies=bodies, gravity=(1, 2, -9.8)), q, xi)
    D, c = e.function("D", "c")(q, xi)
    assert_allclose(D @ xi, c, rtol=0, atol=1e-12 * np.abs(D).max() * np.abs(xi).max())
    h, mass = 1e-5, e.function("M")
    M_dot = (mass(q + h * p.q_dot(q, xi), xi) - mass(q - h * p.q_dot(q, xi), xi)) / (2 * h)
    assert_allclose(D + D.T, M_dot, rtol=0, atol=1e-7 * np.abs(D).max())


@pytest.mark.slow
def test_all_kinds_of_joints_in_a_row():
    p = arm()
    rng = np.random.default_rng(0)
    bodies = {name: Moments.from_points([1, 2, 3, 4], rng.normal(size=(4, 3))) for name in "fi"}
    agree(RigidSystem(p, bodies=bodies, gravity=(1, 2, -9.8)), moved(p), rng.normal(size=p.n))


@pytest.mark.slow
def test_poses_by_functions_in_velocities_of_ones_own():
    """A ball at Euler angles, in body velocities: γ of rotations, and Euler's equations."""

    def A(q):
        sa, ca, tb, cb = np.sin(q.roll), np.cos(q.roll), np.tan(q.pitch), np.cos(q.pitch)
        return np.array([[1, sa * tb, ca * tb], [0, ca, -sa], [0, sa / cb, ca / cb]])

    def pose(q):
        (ca, sa), (cb, sb), (cc, sc) = ((np.cos(x), np.sin(x)) for x in (q.roll, q.pitch, q.yaw))
        return [
            [cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa, 0],
            [sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa, 0],
            [-sb, cb * sa, cb * ca, 0],
            [0, 0, 0, 1],
        ]

    p = Parameterisation(
        ("roll", "pitch", "yaw"), ("wx", "wy", "wz"), A=A, q0=(0.1, 0.2, 0.3), edges={("ground", "body"): pose}
    )
    system = RigidSystem(
        p, bodies={"body": Moments.from_parts(2.0, (0, 0, 0.3), (0.5, 0.6, 0.4))}, gravity=(0, 0, -9.8)
    )
    e = agree(system, np.array([0.3, -0.5, 0.8]), np.array([1.0, -2.0, 0.5]))
    assert all(sympy.simplify(e.gamma[i, j, k] - sympy.LeviCivita(i, j, k)) == 0 for i, j, k in np.ndindex(3, 3, 3))


def test_poses_along_a_curve():
    """A body that is carried along a curve and turns by an angle of its own: S of the edge depends on q."""

    def pose(q):
        c, s = np.cos(2 * q.a + q.b), np.sin(2 * q.a + q.b)
        return [[c, -s, 0, np.cos(q.a)], [s, c, 0, q.b**2], [0, 0, 1, q.a * q.b], [0, 0, 0, 1]]

    p = Parameterisation(
        ("a", "b"), ("u", "v"), A=lambda q: [[1, 0], [0, 1]], q0=(0.1, 0.2), edges={("ground", "body"): pose}
    )
    bodies = {"body": Moments.from_parts(2.0, (0.1, 0.2, 0.3), (0.5, 0.6, 0.4))}
    e = agree(RigidSystem(p, bodies=bodies, gravity=(1, 2, -9.8)), np.array([0.7, -0.4]), np.array([1.3, -0.8]))
    D, c = e.function("D", "c")([0.7, -0.4], [1.3, -0.8])
    assert_allclose(D @ [1.3, -0.8], c, rtol=1e-12)


def test_constraints_of_all_kinds():
    q, xi = np.array([0.6, 0.8]), np.array([0.8, -0.6])
    system = particle().constrain(
        Geometric("circle", lambda q: [q.x**2 + q.y**2 - 1]),
        Geometric("moving", lambda q, t: [q.x * np.cos(t) - 0.6]),
        Pfaffian("blade", lambda q: [[np.sin(q.x), q.y]]),
        Pfaffian("rates", lambda q: [[q.y, 1.0]], of="q_dot"),
        Kinematic("speed", lambda q, xi: [xi.vx**2 + xi.vy - q.x]),
    )
    e = agree(system, q, xi, 0.3)
    assert [part.kind for part in e.rows] == ["holonomic", "holonomic", *["nonholonomic"] * 3]


@pytest.mark.parametrize(
    "joint",
    [pytest.param(j, marks=[] if j.kind in ("revolute", "screw") else pytest.mark.slow) for j in LIBRARY],
    ids=lambda joint: joint.kind,
)
def test_loops(joint):
    """Rows of every joint, off the joint, and their values."""
    system = hinge_chain([1.0, 0.8, 0.5])
    loop = Loop("end", "ground", "rod2", joint, SE3.exp([0.1, 0, 0.2, 1.0, 0.5, 0]), SE3.exp([0, 0.2, 0.1, 0.5, 0, 0]))
    q, xi = np.array([0.1, 0.2, -0.3]), np.array([1.0, -2.0, 3.0])
    e = agree(system.constrain(loop), q, xi)
    (rows,) = system.constrain(loop).rows(system.instant(q, xi)).values()
    assert_allclose(e.function("g")(q, xi), rows.position, rtol=0, atol=1e-12)


def test_energies_of_poses_and_forces_by_functions():
    chain = hinge_chain([1.0, 0.8])
    laws = [
        ChordEnergy.trace((1, 2, 3), (4, 5, 6), SE3.exp([0.1, 0.2, 0.3, 1, 2, 3])),
        GivenEnergy(lambda R, r: 3 * (r @ r) + R[0, 1] ** 2),
    ]
    system = RigidSystem(
        chain.parameterisation,
        bodies=chain.bodies,
        springs=[Spring("ground", "rod1", law) for law in laws],
        gravity=(0, -9.8, 0),
        force=lambda t, q, xi: [np.sin(q[0]) * xi[1], -0.3 * xi[0] + t],
    )
    agree(system, np.array([0.3, 0.5]), np.array([1.0, -1.0]), 0.7)


def chain_with(**parts):
    """Two hinged rods with something on the second."""
    chain = hinge_chain([1.0, 0.8])
    return RigidSystem(chain.parameterisation, bodies=chain.bodies, **parts)


STATE = np.array([0.3, 0.5]), np.array([1.0, -1.5])
DRAG = Moments.from_points([0.3, 0.5], [(0.1, 0.2, 0.3), (-0.2, 0.4, 0.1)])
REST = SE3.exp([0.1, 0.2, -0.3, 0.4, 0.5, 0.1])


@pytest.mark.parametrize(
    "law",
    [
        LogarithmEnergy(np.diag([1.0, 2, 3, 4, 5, 6]) + 0.1, REST),
        LineEnergy(3.0, (1, 0.2, 0.3), (0.1, 0.2, 0.3), 0.4),
        LineEnergy(3.0, (1, 0.2, 0.3), (0.1, 0.2, 0.3)),
    ],
    ids=["logarithm", "line", "line without length"],
)
def test_springs_of_bushings_and_lines(law):
    e = agree(chain_with(springs=[Spring("rod0", "rod1", law)]), *STATE)
    if isinstance(law, LineEnergy):
        assert e.values[e.parameters["k_spring rod0 rod1 1"]] == 3.0


@pytest.mark.parametrize(
    "damper",
    [
        Damping.in_stream("rod0", "rod1", DRAG, (1, 2, 3, 4, 5, 6)),
        Damping.in_stream("ground", "rod1", DRAG, lambda t: [0, t, np.sin(t), 1, 2 * t, 3]),
        Damping.of_points(
            "rod0", "rod1", [0.3, 0.5], [(0.1, 0.2, 0.3), (-0.2, 0.4, 0.1)], lambda t, r: r**2 + np.cos(t) * r[:, ::-1]
        ),
    ],
    ids=["wind", "wind that changes", "any field"],
)
def test_fluids_that_move(damper):
    agree(chain_with(dampers=[damper]), *STATE, 0.7)


def test_rows_that_are_stabilised():
    """Away from the constraints, where they pull; Konz (A.13)."""
    q, xi = np.array([0.7, 0.9]), np.array([0.8, -0.5])
    system = particle().constrain(
        Geometric("circle", lambda q, t: [q.x**2 + q.y**2 - np.cos(t)], baumgarte=(3.0, 5.0)),
        Pfaffian("blade", lambda q: [[np.sin(q.x), q.y]], baumgarte=(2.0, 0.0)),
        Kinematic("speed", lambda q, xi: [xi.vx**2 + xi.vy - q.x], baumgarte=(4.0, 0.0)),
    )
    e = agree(system, q, xi, 0.3)
    assert {str(symbol): value for symbol, value in e.values.items() if str(symbol).startswith("L_")} == {
        "L_circle_1": 3.0, "L_circle_0": 5.0, "L_blade_1": 2.0, "L_speed_1": 4.0,
    }  # fmt: skip
    assert e.units[e.parameters["L_circle_0"]] == "1/s²"
    loop = Loop("end", "ground", "rod1", "revolute", SE3.exp([0, 0, 0.2, 1.0, 0.5, 0]), baumgarte=(3.0, 5.0))
    agree(hinge_chain([1.0, 0.8]).constrain(loop), *STATE)


def test_accelerations_by_functions():
    given = Acceleration("given", lambda t, q, xi: [[np.sin(q[0]), xi[1]]], lambda t, q, xi: [t * q[1]])
    e = agree(chain_with(constraints=[given]), *STATE, 0.7)
    assert e.rows[0].kind == "acceleration"
    agree(chain_with(constraints=[Acceleration("numbers", [[1.0, 0.5]], [0.25])]), *STATE)


def test_what_is_numeric_has_no_symbols():
    chain = hinge_chain([1.0])
    with pytest.raises(ModelError, match=says("a RigidSystem has no director form")):
        vv.symbols(chain, "directors")
    branch = Acceleration("given", lambda t, q, xi: [[1.0 if q[0] > 0 else 2.0]], [0.0])
    with pytest.raises(ModelError, match=says("constraint 'given' cannot be traced")):
        vv.symbols(chain.constrain(branch))
    by_hand = Geometric("by hand", lambda q: [q[0]], lambda q: np.ones((1, 1)), lambda q, v: np.zeros(1))
    with pytest.raises(ModelError, match=says("constraint 'by hand' has no symbols")):
        vv.symbols(chain.constrain(by_hand))

    def system(**parts):
        return RigidSystem(chain.parameterisation, bodies=chain.bodies, **parts)

    own = Damping("ground", "rod0", Moments.from_parts(1.0), lambda t, X: np.zeros(6))
    with pytest.raises(ModelError, match=says("the damping of 'rod0' against 'ground' has no symbols")):
        vv.symbols(system(dampers=[own]))
    table = Damping.in_stream("ground", "rod0", Moments.from_parts(1.0), lambda t: [0, 0, 0, float(t), 0, 0])
    with pytest.raises(ModelError, match=says("twist of the fluid about 'rod0' cannot be traced")):
        vv.symbols(system(dampers=[table]))
    with pytest.raises(ModelError, match=says("force cannot be traced")):
        vv.symbols(system(force=lambda t, q, xi: [1.0 if q[0] > 0 else 0.0]))
    branching = Spring("ground", "rod0", GivenEnergy(lambda R, r: r[0] ** 2 if float(r[0]) > 0 else 0 * r[0]))
    with pytest.raises(ModelError, match=says("cannot be traced")):
        vv.symbols(system(springs=[branching]))


def test_energies_of_ones_own_are_refused():
    class Own(AbstractPoseEnergy):
        def energy(self, X):
            return 0.0

        def wrench(self, X):
            return np.zeros(6)

        def hessian(self, X):
            return np.zeros((6, 6))

    with pytest.raises(ModelError, match=says("the spring between 'ground' and 'rod0' has no symbols: its Own")):
        vv.symbols(chain_with(springs=[Spring("ground", "rod0", Own())]))
