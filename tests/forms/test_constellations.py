"""Springs -> seventeen parameters -> springs; minimum poses; points of dampers; the printed formulas that fail."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.springs import points_with
from visviva.geometry import SE3, SO3, skew

RNG = np.random.default_rng(5)


def random_springs(count):
    return RNG.uniform(0.5, 2, count), *RNG.normal(size=(2, count, 3))


def energy_of(k, p, h, X):
    return k @ ((X.act(h) - p) ** 2).sum(axis=1) / 2


@pytest.mark.parametrize("count", range(1, 8))
def test_springs_and_back(count):
    """The eight springs have the energy, the wrench and all parameters of the given ones."""
    for _ in range(4):
        springs = Stiffness.of_springs("a", "b", *(given := random_springs(count)))
        k, p, h = springs.springs()
        assert k.shape == (8,)
        assert (k > 0).all()
        again = Stiffness.of_springs("a", "b", k, p, h)
        assert pytest.approx(springs.V_0, abs=1e-12) == again.V_0
        for X in (SE3.exp(xi) for xi in RNG.normal(size=(4, 6))):
            energy = energy_of(*given, X)
            assert springs.energy(X) == pytest.approx(energy, rel=1e-12)
            assert energy_of(k, p, h, X) == pytest.approx(energy, rel=1e-12)
            assert_allclose(again.wrench(X), springs.wrench(X), atol=1e-11)
            assert_allclose(again.hessian(X), springs.hessian(X), atol=1e-11)
        if count > 3:
            assert_allclose(again.rest.matrix, springs.rest.matrix, atol=1e-9)
            assert_allclose(again.moments.matrix, springs.moments.matrix, atol=1e-11)


def test_crossed_springs_come_back_too():
    """Springs to a mirror image keep energy; K' is indefinite."""
    h = np.array([[1.0, 0, 0], [-0.5, 0.8, 0], [-0.5, -0.8, 0], [0, 0, 1.0]])
    springs = Stiffness.of_springs("a", "b", np.ones(4), h * [1, -1, 1], h)
    assert np.linalg.eigvalsh(springs.moments.matrix)[0] < -0.1
    k, p, on_b = springs.springs()
    X = SE3.exp([0.3, -0.2, 0.5, 0.1, 0.2, 0.3])
    assert energy_of(k, p, on_b, X) == pytest.approx(springs.energy(X))
    with pytest.raises(ModelError, match=r"no springs with these moments keep less than"):
        Stiffness("a", "b", springs.moments, springs.rest, 0.0).springs()


def test_the_example_of_four_springs():
    """T8: centre, stiffness about it, minimum, energy and wrench of the identity."""
    k, h = np.array([1.0, 2, 3, 4]), np.vstack([np.eye(3), np.zeros(3)])
    X0 = SE3(SO3.exp([0, 0, np.pi / 2]).R, np.array([1.0, 2, 3]))
    springs = Stiffness.of_springs("a", "b", k, X0.act(h), h)
    assert_allclose(springs.centre, [0.1, 0.2, 0.3], atol=1e-15)
    assert_allclose(X0.act(springs.centre), [0.8, 2.1, 3.3], atol=1e-15)
    lowest = springs.minimum()
    assert lowest.unique
    assert lowest.value == pytest.approx(0, abs=1e-14)
    assert_allclose(lowest.pose.matrix, X0.matrix, atol=1e-14)
    assert_allclose(lowest.rotations.curvatures, np.linalg.eigvalsh([[3.7, 0.2, 0.3], [0.2, 3, 0.6], [0.3, 0.6, 2.5]]))
    assert springs.energy(SE3.identity()) == pytest.approx(68)
    assert_allclose(springs.wrench(SE3.identity()), [0, 0, -3, -7, -19, -30], atol=1e-13)
    K = springs.hessian(X0)
    assert_allclose(K[:3, :3], np.diag([5, 4, 3]), atol=1e-13)
    assert_allclose(K[3:, 3:], 10 * np.eye(3), atol=1e-13)
    assert_allclose(K[:3, 3:], 10 * skew([0.1, 0.2, 0.3]), atol=1e-13)


def test_a_force_at_the_centre_of_stiffness_turns_nothing():
    springs = Stiffness.of_springs("a", "b", *random_springs(5))
    K, h = springs.hessian(springs.rest), springs.centre
    f = RNG.normal(size=3)
    assert_allclose(np.linalg.solve(K, np.concatenate([np.cross(h, f), f]))[:3], 0, atol=1e-13)


def test_minima_that_are_not_unique():
    """One spring holds a point, two a line; four in general one pose."""
    shapes = []
    for count in (1, 2, 3, 4):
        k, p, h = random_springs(count)
        lowest = Stiffness.of_springs("a", "b", k, p, h).minimum()
        shapes.append((lowest.rotations.shape, lowest.unique))
        for direction in RNG.normal(size=(3, len(lowest.rotations.basis))):
            if lowest.rotations.kind == "constant":
                continue
            R = lowest.rotations.rotation(direction)
            X = SE3(R, k @ p / k.sum() - R @ (k @ h / k.sum()))
            assert energy_of(k, p, h, X) == pytest.approx(lowest.value, rel=1e-10)
    assert shapes == [("everything", False), ("circle", False), ("point", True), ("point", True)]


def test_a_rest_pose_may_be_a_saddle_and_the_minimum_is_found():
    """K' with a negative eigenvalue of Π_s: X_R is critical, the minimum elsewhere and lower."""
    stiffness = Stiffness("a", "b", Moments(np.diag([-2.0, 1, 1, 3])), SE3.exp([0.1, 0.2, 0.3, 1, 1, 1]))
    assert_allclose(stiffness.wrench(stiffness.rest), 0, atol=1e-14)
    assert np.linalg.eigvalsh(stiffness.hessian(stiffness.rest))[0] < 0
    lowest = stiffness.minimum()
    assert lowest.value < -1
    assert_allclose(stiffness.wrench(lowest.pose), 0, atol=1e-13)
    assert stiffness.energy(lowest.pose) == pytest.approx(lowest.value)
    assert all(stiffness.energy(SE3.exp(3 * xi)) >= lowest.value for xi in RNG.normal(size=(500, 6)))


def test_a_stiffness_of_rotations_alone_holds_no_place():
    lowest = Stiffness("a", "b", Moments.from_parts(0.0, moment=(0.2, 0.3, 0.15))).minimum()
    assert lowest.rotations.strict
    assert not lowest.unique


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (
            lambda: Stiffness("a", "b", Moments.from_parts(-1.0)).minimum(),
            "springs between 'a' and 'b' have no minimum",
        ),
        (lambda: Stiffness("a", "b", Moments(np.eye(4)[[3, 1, 2, 0]])).minimum(), "have no minimum"),
        (lambda: Stiffness("a", "b", Moments.from_parts(0.0, moment=(1, 1, 1))).springs(), "have no total stiffness"),
        (lambda: Stiffness.of_springs("a", "b", [], np.zeros((0, 3)), np.zeros((0, 3))), "must be positive"),
        (lambda: Moments.from_parts(0.0, moment=(1, 1, 1)).centre, "have no centre"),
        (lambda: points_with(Moments.from_parts(0.0, moment=(0, 0, 1))), "need a positive total"),
        (lambda: points_with(Moments.from_parts(1.0, moment=(1, 1, 3))), "triangle inequality"),
    ],
)
def test_what_has_no_minimum_or_no_springs_is_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()


def test_points_of_dampers_and_back():
    moments = Moments.from_points(RNG.uniform(1, 2, 5), RNG.normal(size=(5, 3)))
    d, h = points_with(moments)
    assert_allclose(Moments.from_points(d, h).matrix, moments.matrix, atol=1e-13)
    wind = lambda t, r: np.cross([0.1, 0.2, -0.3], r) + np.array([1, 0, 2])  # noqa: E731 - a rigid flow
    X = SE3.exp(RNG.normal(size=6))
    by_points = Damping.of_points("a", "b", d, h, wind)
    by_twist = Damping.in_stream("a", "b", moments, [0.1, 0.2, -0.3, 1, 0, 2])
    assert_allclose(by_points.stream(0.0, X), by_twist.stream(0.0, X), atol=1e-12)


# -- what the print has wrong ----------------------------------------------------------------------------------------


def test_the_first_line_of_3_70_has_the_points_of_the_body():
    """V = ½ Σ k |r + R h - p|²: with the fluid's letter v in place of h it is another function."""
    k, p, h = random_springs(4)
    X, v = SE3.exp(RNG.normal(size=6)), RNG.normal(size=(4, 3))
    springs = Stiffness.of_springs("a", "b", k, p, h)
    assert springs.energy(X) == pytest.approx(energy_of(k, p, h, X))
    assert abs(energy_of(k, p, v, X) - springs.energy(X)) > 0.1


def test_the_printed_signs_of_drag_fail():
    """(3.73): R = ½ Σ d |v + ω × h - Rᵀ u|² has -ω·Σ d h × Rᵀu; (3.74): its gradient has [ĥ; I], not [ĥ; -I] signs."""
    d, h, u = RNG.uniform(1, 2, 4), *RNG.normal(size=(2, 4, 3))
    X, V = SE3.exp(RNG.normal(size=6)), RNG.normal(size=6)
    rate = lambda V: d @ ((V[3:] + np.cross(V[:3], h) - u @ X.R) ** 2).sum(1) / 2  # noqa: E731
    D = Moments.from_points(d, h).spatial()
    angular = (d[:, None] * np.cross(h, u @ X.R)).sum(0)
    linear = (d[:, None] * (u @ X.R)).sum(0)
    rest = d @ (u**2).sum(1) / 2
    assert rate(V) == pytest.approx(V @ D @ V / 2 - V[3:] @ linear - V[:3] @ angular + rest)
    assert abs(V @ D @ V / 2 - V[3:] @ linear + V[:3] @ angular + rest - rate(V)) > 0.1
    gradient = [(rate(V + 1e-6 * e) - rate(V - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
    assert_allclose(D @ V - np.concatenate([angular, linear]), gradient, atol=1e-7)
    assert np.abs(D @ V - np.concatenate([-angular, linear]) - gradient).max() > 0.1
