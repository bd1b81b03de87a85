"""Screws as values and the systems they span: rank, reciprocity, principal screws, types."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.geometry import projective as pg

S = vv.screws
about, along, System = S.Screw.about, S.Screw.along, S.System
X, Y, Z = np.eye(3)
MOVES = [SE3.exp(xi) for xi in np.random.default_rng(0).normal(size=(5, 6))]

# screws, the type, its name, the principal pitches, how many screws of any pitch
SYSTEMS = {
    "nothing": ([], "", "0-system: no screw but zero", [], 0),
    "revolute": ([about(Z)], "", "1-system: a line", [0], 0),
    "helical": ([about(Z, pitch=0.1)], "", "1-system: a screw of pitch 0.1 m/rad", [0.1], 0),
    "prismatic": ([along(Z)], "", "1-system: a free vector", [math.inf], 0),
    "skew lines": (
        [about(X), about(X + Y, at=[0, 0, 1])],
        "IA",
        "general 2-system, axes on a cylindroid",
        [(math.sqrt(2) + 1) / 2, (1 - math.sqrt(2)) / 2],  # d/2 cot φ and -d/2 tan φ, φ = 22.5°
        0,
    ),
    "universal": (
        [about(X), about(Y)],
        "IIA",
        "2-system of lines in a plane through a point, a planar pencil",
        [0, 0],
        0,
    ),
    "equal pitches": (
        [about(X, pitch=0.3), about(Y, pitch=0.3)],
        "IIA",
        "2-system of screws of one pitch in a plane through a point",
        [0.3, 0.3],
        0,
    ),
    "cylindrical": ([about(Z), along(Z)], "IB", "2-system of screws of all pitches on one axis", [math.inf], 1),
    "oblique slide": (
        [about(Z), along(Z + X)],
        "IB",
        "2-system of parallel axes in a plane, the pitch changing across it",
        [math.inf],
        1,
    ),
    "two parallel hinges": (
        [about(Z), about(Z, at=X)],
        "IIB",
        "2-system of parallel lines in a plane, a planar pencil",
        [0, math.inf],
        0,
    ),
    "two parallel threads": (
        [about(Z, pitch=0.2), about(Z, at=X, pitch=0.2)],
        "IIB",
        "2-system of parallel screws of one pitch in a plane",
        [0.2, math.inf],
        0,
    ),
    "table": ([along(X), along(Y)], "IIC", "2-system of the free vectors of a plane", [math.inf] * 2, 0),
    "three pitches": (
        [about(X, pitch=0.5), about(Y, pitch=-0.2), about(Z, pitch=0.1)],
        "IA",
        "general 3-system",
        [0.5, 0.1, -0.2],
        0,
    ),
    "two equal of three": (
        [about(X, pitch=0.5), about(Y, pitch=-0.2), about(Z, pitch=0.5)],
        "IA",
        "3-system with two equal principal pitches",
        [0.5, 0.5, -0.2],
        0,
    ),
    "spherical": ([about(X), about(Y), about(Z)], "IIA", "3-system of all lines through a point", [0, 0, 0], 0),
    "one pitch through a point": (
        [about(X, pitch=1), about(Y, pitch=1), about(Z, pitch=1)],
        "IIA",
        "3-system of all screws of one pitch through a point",
        [1, 1, 1],
        0,
    ),
    "two pitches and their normal": (
        [about(X, pitch=0.5), about(Y), along(Z)],
        "IB",
        "3-system of two principal screws and the translation normal to both",
        [0.5, 0, math.inf],
        0,
    ),
    "coplanar hinges": (
        [about(X), about(Y), about(X, at=Y)],
        "IIB",
        "3-system of all lines of a plane",
        [0, 0, math.inf],
        0,
    ),
    "coplanar threads": (
        [about(X, pitch=2), about(Y, pitch=2), along(Z)],
        "IIB",
        "3-system of all screws of one pitch in a plane",
        [2, 2, math.inf],
        0,
    ),
    "universal and oblique slide": (
        [about(X, pitch=0.5), about(Y, pitch=0.7), along(X + Z)],
        "IB",
        "3-system of one principal screw and one of any pitch normal to it",
        [0.7, math.inf],
        1,
    ),
    "cylindrical and slide": (
        [about(Z), along(Z), along(X)],
        "IC",
        "3-system of parallel screws of all pitches in a plane",
        [math.inf] * 2,
        1,
    ),
    "hinge and oblique slides": (
        [about(Z), along(X), along(Z + Y)],
        "IC",
        "3-system of all parallel axes, the pitch changing across them",
        [math.inf] * 2,
        1,
    ),
    "planar": ([about(Z), along(X), along(Y)], "IIC", "3-system of all parallel lines", [0, *[math.inf] * 2], 0),
    "planar thread": (
        [about(Z, pitch=0.1), along(X), along(Y)],
        "IIC",
        "3-system of all parallel screws of one pitch",
        [0.1, *[math.inf] * 2],
        0,
    ),
    "gantry": ([along(X), along(Y), along(Z)], "IID", "3-system of all free vectors", [math.inf] * 3, 0),
    "Schoenflies": (
        [about(Z), along(X), along(Y), along(Z)],
        "IIC",
        "4-system reciprocal to a 2-system of the free vectors of a plane",
        [math.inf] * 3,
        1,
    ),
    "point on a plane": (
        [about(X), about(Y), about(Z), along(X), along(Y)],
        "",
        "5-system reciprocal to a line",
        [0, *[math.inf] * 2],
        2,
    ),
    "free": (np.eye(6), "", "6-system: all screws", [math.inf] * 3, 3),
}


@pytest.mark.parametrize("case", SYSTEMS)
def test_types_pitches_and_names_do_not_depend_on_the_place(case):
    screws, label, name, pitches, any_pitch = SYSTEMS[case]
    for move in [SE3.identity(), *MOVES]:
        system = System(*screws).moved(move)
        assert system.type.label == label
        assert system.type.name.startswith(name) if system.rank in (1, 5) else system.type.name == name
        form = system.principal()
        assert_allclose(form.pitches, pitches, atol=1e-10)
        assert len(form.any_pitch) == any_pitch


@pytest.mark.parametrize("case", SYSTEMS)
def test_principal_screws_are_an_orthogonal_reciprocal_basis(case):
    for move in MOVES:
        system = System(*SYSTEMS[case][0]).moved(move)
        form = system.principal()
        B = np.array([s.vector for s in form.screws]).reshape(-1, 6)
        assert System(B) == system
        assert len(B) == system.rank
        k, n, a = len(form.principal), len(form.any_pitch), len(form.translations)
        turning, killing, klein = B[: k + n, :3], B[:, :3] @ B[:, :3].T, B @ S.KLEIN @ B.T
        assert_allclose(turning @ turning.T, np.eye(k + n), atol=1e-9)
        assert_allclose(killing[k + n :], 0, atol=1e-12)
        expected = np.zeros((k + n + a, k + n + a))
        expected[:k, :k] = np.diag(2 * form.finite_pitches)
        for i in range(n):
            expected[k + i, k + n + i] = expected[k + n + i, k + i] = np.cos(form.angles[i])
        assert_allclose(klein, expected, atol=1e-9)


@pytest.mark.parametrize("case", SYSTEMS)
def test_the_reciprocal_system(case):
    system = System(*SYSTEMS[case][0]).moved(MOVES[0])
    other = system.reciprocal()
    assert other.rank == 6 - system.rank
    assert_allclose(system.basis @ S.KLEIN @ other.basis.T, 0, atol=1e-12)
    assert other.reciprocal() == system


def test_general_systems_have_three_axes_at_right_angles_through_one_point():
    for move in MOVES:
        axes = System(*SYSTEMS["three pitches"][0]).moved(move).principal().principal
        lines = S.chasles(axes).line
        centre = pg.cartesian(pg.meet(lines[[0, 1, 2]], lines[[1, 2, 0]]))
        assert_allclose(centre, [move.r] * 3, atol=1e-9)
        assert_allclose(pg.angle(lines[[0, 1, 2]], lines[[1, 2, 0]]), np.pi / 2, atol=1e-9)


def test_axes_of_a_general_two_system_lie_on_a_cylindroid():
    """Over the angle θ from the first principal axis: pitch h₁ cos²θ + h₂ sin²θ, height (h₁ - h₂) sin θ cos θ."""
    system = System(about(X, pitch=0.5), about(Y, pitch=-0.2))
    for angle in np.linspace(0, np.pi, 9):
        s = system.combination([np.cos(angle), np.sin(angle)])
        assert s in system
        assert s.pitch == pytest.approx(0.5 * np.cos(angle) ** 2 - 0.2 * np.sin(angle) ** 2)
        height = -0.7 * np.sin(angle) * np.cos(angle)
        assert_allclose(s.axis.point, [0, 0, height], atol=1e-12)


@pytest.mark.parametrize("pitch", [0.0, 0.3, 200.0])
def test_where_pitches_are_equal_principal_screws_are_along_the_axes(pitch):
    """All screws of one pitch through a point, or all shifts of a plane, from any basis of them."""
    R = SE3.exp([0.3, -0.8, 0.5, 0, 0, 0]).R
    ball = System(*(about(u, pitch=pitch) for u in R)).principal()
    assert_allclose(ball.principal[:, :3], np.eye(3), atol=1e-9)
    assert_allclose(ball.finite_pitches, pitch, atol=1e-12)
    pencil = System(*(about((np.cos(a), np.sin(a), 0), pitch=pitch) for a in (0.4, 1.7))).principal()
    assert_allclose(pencil.principal[:, :3], np.eye(2, 3), atol=1e-9)
    plane = System(*(along((0, np.cos(a), np.sin(a))) for a in (0.4, 1.7))).principal()
    assert_allclose(plane.translations[:, 3:], np.eye(3)[1:], atol=1e-12)


@pytest.mark.parametrize(("length", "pitch", "is_line"), [(1e-3, 1e-10, False), (1.0, 1e-10, True), (1e3, 1e-7, True)])
def test_a_pitch_is_small_against_the_length_of_the_mechanism(length, pitch, is_line):
    name = str(System(about(Z, pitch=pitch), length=length).type)
    assert name == ("1-system: a line" if is_line else f"1-system: a screw of pitch {pitch:.6g} m/rad")


def test_sums_intersections_and_comparisons():
    spherical, planar = System(about(X), about(Y), about(Z)), System(about(Z), along(X), along(Y))
    assert spherical & planar == System(about(Z))
    assert (spherical + planar).rank == 5
    assert System(about(Z)) <= planar
    assert not planar <= spherical
    assert planar != spherical
    assert planar == System(about(Z), about(Z, at=X), about(Z, at=Y))
    assert (System(along(X)) & System(along(Y))).rank == 0
    assert System(*[about(Z, at=[k, k * k, 0]) for k in range(10)]) == planar
    assert (planar == 3) is False


def test_screws_in_a_system():
    planar = System(about(Z), along(X), along(Y))
    assert about(Z, at=[5, -7, 3]) in planar
    assert planar.contains([about(Z, at=X), along(X + Y)])
    assert not planar.contains(about(Z, pitch=1e-3))
    assert 1e-12 * along(X) in planar
    assert np.zeros(6) in planar
    assert S.GeometricScrew(about(Z).vector, 0.0) in planar


def test_small_mechanisms_need_their_length():
    """Two hinges a nanometre apart are one, unless lengths are measured in nanometres."""
    hinges = about(Z), about(Z, at=[1e-10, 0, 0])
    assert System(*hinges).rank == 1
    small = System(*hinges, length=1e-9)
    assert small.rank == 2
    assert small.type.label == "IIB"
    assert_allclose(small.reciprocal().basis @ S.KLEIN @ small.basis.T, 0, atol=1e-24)
    fine = System(about(X, pitch=5e-10), about(Y, pitch=-2e-10), length=1e-9)
    assert_allclose(fine.principal().pitches, [5e-10, -2e-10])
    assert fine.type.label == "IA"
    for length in (1e-3, 1.0, 1e4):
        system = System(about(Z, at=X), along(Z), length=length).moved(MOVES[1])
        assert system.type.name == "2-system of screws of all pitches on one axis"
        assert system.principal().angles == pytest.approx(0, abs=1e-12)


def test_a_slide_that_is_almost_along_the_axis_is_oblique():
    system = System(about(Z), along(Z + 1e-6 * X))
    assert system.type.name == "2-system of parallel axes in a plane, the pitch changing across it"
    assert system.principal().angles == pytest.approx(1e-6, rel=1e-6)


def bennett(theta1=0.7, a=1.0):
    """The four joint axes of a Bennett linkage, links R_z(θ) T_x R_x, and how far the loop is from closed."""
    alpha, beta = np.radians([30, 70])
    b = a * np.sin(beta) / np.sin(alpha)
    theta2 = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta1 / 2))
    frame, axes = SE3.identity(), []
    for angle, length, twist in zip(
        (theta1, theta2, 2 * np.pi - theta1, 2 * np.pi - theta2), (a, b, a, b), (alpha, beta, alpha, beta), strict=True
    ):
        axes.append(frame.Ad() @ [0, 0, 1, 0, 0, 0])
        turn = SE3.from_parts(SO3.exp([0, 0, angle]).R, [0, 0, 0])
        frame = frame @ turn @ SE3.from_parts(SO3.exp([twist, 0, 0]).R, [length, 0, 0])
    return np.array(axes), np.abs(frame.matrix - np.eye(4)).max(), theta2


def test_a_bennett_linkage_moves_because_its_axes_are_a_three_system():
    axes, gap, theta2 = bennett()
    assert theta2 == pytest.approx(2.8184807987)
    assert gap < 1e-14
    assert_allclose(np.linalg.svd(axes.T)[1], [2.466186, 1.544177, 0.971769, 0], atol=1e-6)
    system = System(axes)
    assert system.rank == 3  # one less than joints: mobility 1
    assert system.type.name == "general 3-system"
    assert all(s in system for s in axes)


def test_a_planar_four_bar_is_a_planar_system():
    hinges = System(*[about(Z, at=p) for p in ([0, 0, 0], [0.5, 0.8, 0], [2.1, 1.1, 0], [2, 0, 0])])
    assert hinges.rank == 3
    assert hinges.type.name == "3-system of all parallel lines"
    assert hinges.reciprocal() == hinges  # forces along z and couples about x and y do no work: self-stress of rank 3


def test_a_system_speaks():
    text = str(System(about(Z, at=[1, 2, 0]), along(Z)))
    assert text.splitlines() == [
        "2-system of screws of all pitches on one axis (IB)",
        "  line through (1, 2, 0) along (0, 0, 1), other pitches on it",
        "  free vector along (0, 0, 1)",
    ]
    assert "on parallel axes" in str(System(*SYSTEMS["oblique slide"][0]))
    assert repr(System(about(Z))) == "<System of screws: 1-system: a line>"
    assert str(System(about(X, pitch=0.5), about(Y))).splitlines()[1].startswith("  screw of pitch 0.5 m/rad through")
    assert System.all_screws().rank == 6
    assert System().reciprocal() == System.all_screws()


def test_products_of_screws_as_values():
    s, t = S.Screw([1, 2, 3, 4, 5, 6]), S.Screw([0, 1, -1, 2, 0, 1])
    assert s @ t == 4
    assert s.perpendicular(t) == -1
    assert_allclose((s ^ t).vector, [-5, 1, 1, -9, 9, 0])
    assert_allclose(s.polar().vector, [0, 0, 0, 1, 2, 3])
    assert_allclose((2 * s - t + (-s)).vector, s.vector - t.vector)
    assert_allclose(s.as_wrench(), [4, 5, 6, 1, 2, 3])
    assert_allclose(S.Screw.of_wrench(s.as_wrench()).vector, s.vector)
    assert S.reciprocal(s, t) == 4  # functions of arrays take screws
    assert s.pitch == pytest.approx(16 / 7)
    assert s.magnitude == pytest.approx(np.sqrt(14))


def test_screws_by_their_geometry():
    s = about([0, 0, 2], at=[1, 2, 3], pitch=0.25)
    assert s.kind is S.Kind.SCREW
    assert s.pitch == 0.25
    assert s.magnitude == 2
    assert_allclose(s.axis.point, [1, 2, 0])
    assert str(s) == "2 × screw of pitch 0.25 m/rad through (1, 2, 0) along (0, 0, 1)"
    assert str(about(Z)) == "1 × line through (0, 0, 0) along (0, 0, 1)"
    assert str(along([0, 3, 4])) == "5 × free vector along (0, 0.6, 0.8)"
    assert str(S.Screw(np.zeros(6))) == "zero screw"
    assert S.Screw(np.zeros(6)).magnitude == 0
    moved = s.moved(MOVES[0])
    assert moved.pitch == pytest.approx(0.25)
    assert pg.passes_through(moved.axis.line, pg.point(MOVES[0].act([1, 2, 3])), 1e-9)


def test_geometric_screws_are_known_up_to_a_factor():
    s = about(Z, at=X, pitch=0.5)
    g = s.geometric()
    assert g.same_as((-3 * s).geometric())
    assert not g.same_as(about(Z, at=X, pitch=0.51).geometric())
    assert not g.same_as(about(Z, at=Y, pitch=0.5).geometric())
    assert_allclose(g.screw(2.0).vector, (2 * s).vector)
    shift = S.GeometricScrew(about(Z, at=X).vector, math.inf)  # where the axis is does not matter
    assert shift.same_as(along(Z).geometric())
    assert shift.pitch == math.inf
    assert S.GeometricScrew(pg.line_at_infinity(Z)).same_as(shift)
    assert_allclose(shift.screw(2).vector, [0, 0, 0, 0, 0, 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: System(about(Z), np.zeros(6)), r"screw of the system \(number 1 of the batch\) is zero"),
        (lambda: System([[1, 2, 3]]), r"screws of the system must have shape \(6,\)"),
        (lambda: System(about(Z), length=0), "length of the screw system must be positive"),
        (lambda: System(about(Z)).combination([1, 2]), "a 1-system takes 1 weights"),
        (lambda: S.Screw([1, 2, 3]), r"screw must have shape \(6,\)"),
        (lambda: about([0, 0, 0]), "direction of the line is zero"),
        (lambda: about(Z, pitch=math.inf), "pitch must be finite"),
        (lambda: S.Screw(np.zeros(6)).axis, "twist is zero"),
        (lambda: S.Screw(np.zeros(6)).geometric(), "twist is zero"),
        (lambda: S.GeometricScrew(np.array([0, 0, 1, 0, 0, 1])), "line of the screw is no line"),
        (lambda: S.GeometricScrew(about(Z).vector, math.nan), "pitch of the screw is not a number"),
    ],
)
def test_bad_screws_and_systems_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
