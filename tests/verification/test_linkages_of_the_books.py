"""Six linkages whose freedoms, singularities and self-stresses are in every book, through their screws.

Clavel's Delta, Watt's linkage, the spherical four-bar, the planar platform 3-RRR, a shaft with two Hooke's joints, and
a parallelogram with a third crank.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.geometry import SE3
from visviva.geometry.screws import Screw, System
from visviva.mechanism.assembly import motion_of
from visviva.mechanism.paths import JointPath

X, Y, Z = np.eye(3)
SMALL = {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}


def turned(angle: float, *r: float) -> np.ndarray:
    return SE3.exp([0, 0, angle, 0, 0, 0]).R @ np.array(r)


def chain(name: str, points: list[np.ndarray], axes: list[np.ndarray]) -> vv.Mechanism:
    """Bars 'crank', 'coupler', 'rocker' between hinges A, B, C, D, of which the first and last are on the ground."""
    m = vv.Mechanism(name)
    for bar, a, b in zip(("crank", "coupler", "rocker"), points, points[1:], strict=False):
        m.body(bar, **SMALL, at=(a + b) / 2)
    ends = ((m.ground, "crank"), ("crank", "coupler"), ("coupler", "rocker"), (m.ground, "rocker"))
    for hinge, (parent, child), at, axis in zip("ABCD", ends, points, axes, strict=True):
        m.revolute(hinge, parent, child, at=at, axis=axis)
    return m


# -- Clavel's Delta


def delta(down: float = 0.9) -> vv.Mechanism:
    m = vv.Mechanism("delta")
    m.body("plate", **SMALL, at=(0, 0, -down))
    for i in range(3):
        leg = 2 * np.pi / 3 * i
        m.body(f"arm{i}", **SMALL, at=turned(leg, 0.45, 0, 0))
        m.revolute(f"motor{i}", m.ground, f"arm{i}", at=turned(leg, 0.2, 0, 0), axis=turned(leg, 0, 1, 0))
        for side, y in (("a", -0.1), ("b", 0.1)):
            elbow, wrist = turned(leg, 0.7, y, 0), turned(leg, 0.1, y, -down)
            m.body(f"rod{i}{side}", **SMALL, at=(elbow + wrist) / 2)
            m.spherical(f"elbow{i}{side}", f"arm{i}", f"rod{i}{side}", at=elbow)
            m.spherical(f"wrist{i}{side}", f"rod{i}{side}", "plate", at=wrist)
    return m


def test_the_plate_of_a_delta_robot_moves_without_turning():
    network, motors = delta().kinestatics(), [f"motor{i}" for i in range(3)]
    free = network.freedom("plate")
    assert free.twists == System(*map(Screw.along, np.eye(3)))
    assert free.wrenches == free.twists  # couples, and no force
    assert network.freedom("plate", locked=motors).mobility == 0
    account = network.account()
    assert (account.gruebler, account.mobility, account.stresses) == (9, 9, ())
    assert list(account.local) == [f"rod{i}{side}" for i in range(3) for side in "ab"]
    passing = network.transmission(motors, ["plate"])
    assert passing.unused == 6
    for i in range(3):  # rods keep their length: s·v = s·(y x arm) θ̇
        leg = 2 * np.pi / 3 * i
        s, arm = turned(leg, -0.6, 0, -0.9), turned(leg, 0.5, 0, 0)
        rates = np.zeros(3)
        rates[i] = 1.0
        assert_allclose(s @ passing.jacobian[3:], s @ np.cross(turned(leg, 0, 1, 0), arm) * rates, atol=1e-12)


def test_a_delta_robot_with_its_rods_in_one_plane_cannot_hold_its_plate():
    """With all rods level no motor can resist a force down, nor the couples about level axes."""
    network = delta(down=0.0).kinestatics()
    motors = [f"motor{i}" for i in range(3)]
    free = network.freedom("plate", locked=motors)
    assert free.mobility == 3
    assert all(screw in free.twists for screw in (Screw.along(Z), Screw.about(X), Screw.about(Y)))
    passing = network.transmission(motors, ["plate"])
    assert passing.input_margin < 1e-9
    with pytest.raises(vv.ModelError, match="no input forces balance these forces on the outputs"):
        passing.holding(-Screw.along(Z).vector)


# -- Watt's linkage: the middle of the coupler is on a sextic, nearly straight


def test_the_middle_of_watts_coupler_is_on_his_curve():
    """(r²)(r² - a² - b² + c²)² + 4 a² y² (r² - b²) = 0 with pivots at ±a, rockers b, half the coupler c."""
    points = [0 * X, X, X - 0.5 * Z, 2 * X - 0.5 * Z]
    m = chain("watt", points, [Y] * 4)
    free = m.kinestatics().freedom("coupler")
    assert free.twists == System(Screw.along(Z))  # its centre is at infinity
    middle, base = points[3] / 2, np.linalg.norm(points[3])
    along = points[3] / base
    across = np.cross(Y, along)
    path = JointPath(m.definition, motion_of(m, None), "A", 0.5)
    a, b, c = base / 2, 1.0, 0.25
    for angle in np.linspace(0, 0.5, 6).tolist():
        r = path.motion(angle).q["coupler"][:3] - middle
        x, y = r @ along, r @ across
        rr = x * x + y * y
        assert rr * (rr - a * a - b * b + c * c) ** 2 + 4 * a * a * y * y * (rr - b * b) == pytest.approx(0, abs=1e-12)
    assert abs(r[0]) < 0.03 * abs(r[2])  # and nearly straight


# -- the spherical four-bar


def test_a_spherical_four_bar_turns_about_poles_through_its_centre():
    crank, coupler, rocker, base = 0.6, 1.2, 1.0, 1.4
    theta = 0.9
    A, D = Z, np.array([np.sin(base), 0, np.cos(base)])
    B = np.array([np.sin(crank) * np.cos(theta), np.sin(crank) * np.sin(theta), np.cos(crank)])
    n = np.cross(B, D)
    foot = np.linalg.solve([B, D, n], [np.cos(coupler), np.cos(rocker), 0.0])
    C = foot + np.sqrt((1 - foot @ foot) / (n @ n)) * n
    m = chain("spherical four-bar", [A, B, C, D], [A, B, C, D])
    network = m.kinestatics()
    ratio = np.linalg.det([A, B, C]) / np.linalg.det([D, B, C])  # ω A + β B = ω' D + γ C
    assert network.transmission(["A"], ["D"]).jacobian == pytest.approx(ratio)
    pole = np.cross(np.cross(A, B), np.cross(C, D))
    assert network.freedom("coupler").twists == System(Screw.about(pole))
    account = network.account()
    assert (account.gruebler, account.mobility) == (-2, 1)
    assert [state["A"].geometric().pitch for state in account.stresses] == [0.0] * 3  # forces through the centre
    assert_allclose([state["A"].vector for state in account.stresses], np.eye(3, 6), atol=1e-12)
    # the rocker rests where crank and coupler are in one plane, by the cosine rule of triangles on the sphere
    expected = []
    for side, folded in ((coupler + crank, 0.0), (coupler - crank, np.pi)):
        cosine = (np.cos(rocker) - np.cos(base) * np.cos(side)) / (np.sin(base) * np.sin(side))
        expected += [(sign * np.arccos(cosine) + folded - theta) % (2 * np.pi) for sign in (1, -1)]
    found = vv.sweep(m, "A", to=2 * np.pi, steps=14, outputs=["D"]).singular
    assert [one.kind for one in found] == ["output"] * 2
    for one in found:
        assert np.abs(np.array(expected) - one.s).min() < 1e-8


# -- 3-RRR: a platform on three cranks


def planar_platform(turn: float) -> vv.Mechanism:
    m, inner, base, first, second = vv.Mechanism("3-RRR"), 0.3, 1.0, 0.5, 0.6
    m.body("platform", **SMALL, at=(0, 0, 0), rotation=SE3.exp([0, 0, turn, 0, 0, 0]).R)
    for i in range(3):
        foot, head = turned(2 * np.pi / 3 * i, base, 0, 0), turned(2 * np.pi / 3 * i + turn, inner, 0, 0)
        span = np.linalg.norm(head - foot)
        u = (head - foot) / span
        along = (first**2 - second**2 + span**2) / (2 * span)
        knee = foot + along * u + np.sqrt(first**2 - along**2) * np.cross(Z, u)
        m.body(f"crank{i}", **SMALL, at=(foot + knee) / 2)
        m.body(f"rod{i}", **SMALL, at=(knee + head) / 2)
        m.revolute(f"motor{i}", m.ground, f"crank{i}", at=foot, axis=Z)
        m.revolute(f"knee{i}", f"crank{i}", f"rod{i}", at=knee, axis=Z)
        m.revolute(f"head{i}", f"rod{i}", "platform", at=head, axis=Z)
    return m


def test_a_planar_platform_is_loose_where_its_rods_meet_in_one_point():
    """Turned about its centre: the rods point there where (r + l2)² + b² - 2 (r + l2) b cos φ = l1²."""
    m, motors = planar_platform(-0.3), [f"motor{i}" for i in range(3)]
    singular = np.arccos((0.9**2 + 1 - 0.25) / (2 * 0.9))
    end = SE3(SE3.exp([0, 0, -0.7, 0, 0, 0]).R, np.zeros(3))
    found = vv.sweep(m, "platform", to=end, steps=4, inputs=motors, outputs=["platform"])
    (one,) = found.singular
    assert one.kind == "input"
    assert -0.3 - 0.4 * one.s == pytest.approx(-singular, abs=1e-8)
    assert m.kinestatics(one.motion).freedom("platform", locked=motors).twists == System(Screw.about(Z))
    account = m.kinestatics().account()
    assert (account.gruebler, account.mobility, len(account.stresses)) == (-3, 3, 6)
    for state, leg in zip(account.stresses, (1, 1, 1, 2, 2, 2), strict=True):  # three for each loop of two legs
        assert list(state) == [f"{part}{i}" for i in (0, leg) for part in ("motor", "knee", "head")]
        assert state["motor0"] in account.loops[leg - 1].stress
        assert_allclose(state[f"motor{leg}"].vector, -state["motor0"].vector, atol=1e-12)


# -- Hooke's joints


@pytest.mark.parametrize("crossed", [False, True])
def test_two_hookes_joints_cancel_if_their_forks_are_in_one_plane(crossed):
    """One joint: ω' = ω cos β / (1 - sin²β sin²θ). Middle forks in one plane undo it, crossed ones do not."""
    bend = 0.5
    u, side = np.array([np.cos(bend), np.sin(bend), 0.0]), np.array([np.sin(bend), -np.cos(bend), 0.0])
    m = vv.Mechanism("shaft")
    for name, at in (("in", -0.5 * X), ("middle", 0.5 * u), ("out", u + 0.5 * X)):
        m.body(name, **SMALL, at=at)
    m.revolute("drive", m.ground, "in", at=-0.8 * X, axis=X)
    m.universal("first", "in", "middle", at=(0, 0, 0), axes=(Z, side))
    m.universal("second", "middle", "out", at=u, axes=(Z, -Y) if crossed else (side, Z))
    m.cylindrical("end", m.ground, "out", at=u + 0.8 * X, axis=X)
    network = m.kinestatics()
    assert network.account().gruebler == network.mobility() == 1
    path = JointPath(m.definition, motion_of(m, None), "drive", 2.0)
    for theta in (0.0, 0.7, 1.3, 2.0):
        passing = m.kinestatics(path.motion(theta)).transmission(["drive"], [("end", 0), "middle"])
        one = np.cos(bend) / (1 - (np.sin(bend) * np.sin(theta)) ** 2)
        assert passing.rates(1.0)[1:4] @ u == pytest.approx(one, abs=1e-9)
        middle = np.arctan2(np.sin(theta), np.cos(theta) / np.cos(bend)) if crossed else 0.0
        two = np.cos(bend) / (1 - (np.sin(bend) * np.sin(middle)) ** 2) if crossed else 1 / one
        assert passing.rates(1.0)[0] == pytest.approx(one * two, abs=1e-9)


# -- a parallelogram with a third crank


def three_cranks() -> vv.Mechanism:
    m, crank = vv.Mechanism("three cranks"), np.array([0.3, 0, 0.8])
    m.body("coupler", **SMALL, at=X + crank)
    for i, x in enumerate((0.0, 2.0, 1.2)):
        m.body(f"crank{i}", **SMALL, at=x * X + crank / 2)
        m.revolute(f"foot{i}", m.ground, f"crank{i}", at=x * X, axis=Y)
        m.revolute(f"head{i}", f"crank{i}", "coupler", at=x * X + crank, axis=Y)
    return m


def test_a_third_crank_adds_one_stress_in_the_plane_by_the_law_of_levers():
    account = three_cranks().kinestatics().account()
    assert (account.gruebler, account.mobility, len(account.stresses)) == (-6, 1, 7)
    *_, last = account.stresses
    assert [last[f"foot{i}"].magnitude for i in range(3)] == pytest.approx([0.4, 0.6, 1.0])
    for i, x in enumerate((0.0, 2.0, 1.2)):  # forces along the cranks
        assert last[f"foot{i}"] in System(Screw.about((0.3, 0, 0.8), at=(x, 0, 0)))
    total = sum((last[f"head{i}"].vector for i in range(3)), np.zeros(6))
    assert_allclose(total, 0, atol=1e-12)


@pytest.mark.parametrize(("beyond", "steps"), [(0.01, 8), (0.05, 8), (0.3, 9)])
def test_a_parallelogram_passes_its_flat_configuration_on_its_own_branch(beyond, steps):
    """There the branch of equal turns and that of opposite turns meet; the margin of the loops has no sign there."""
    flat = np.pi / 2 - np.arctan2(0.3, 0.8)
    m = three_cranks()
    m.parts.pop("foot2"), m.parts.pop("head2"), m.parts.pop("crank2")
    found = vv.sweep(m, "foot0", to=flat + beyond, steps=steps)
    assert [one.kind for one in found.singular] == ["loop"]
    assert found.singular[0].s == pytest.approx(flat, abs=1e-6)
    assert_allclose(found.margins["input"], found.margins["input"][0], rtol=1e-6)  # all cranks turn alike
