"""More inputs than needed, under limits: accelerations come first, the weight of the inputs second."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.optimize
from numpy.testing import assert_allclose

import visviva as vv
from visviva.control.allocation import limited, redundancy, unlimited

c = vv.control


def spd(rng, n):
    A = rng.normal(size=(n, n))
    return A @ A.T + n * np.eye(n)


def boxes(lo, hi):
    n = len(lo)
    return np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([hi, -lo])


def deviation(M, b, B, M_bar, b_bar, u):
    """½ ‖v̇ + M̄⁻¹ b̄‖² in the metric M̄."""
    gap = np.linalg.solve(M, B @ u - b) + np.linalg.solve(M_bar, b_bar)
    return float(gap @ M_bar @ gap) / 2


def lightest(A, z, weight, lo, hi):
    """min ½ uᵀ weight u, A u = z, lo ≤ u ≤ hi, by trying which inputs are at which limit."""
    n, best, least = len(lo), None, np.inf
    for sides in itertools.product((-1, 0, 1), repeat=n):
        fixed = np.array(sides)
        u = np.where(fixed < 0, lo, hi)
        free = fixed == 0
        k = int(free.sum())
        held = u[~free]
        K = np.block([[weight[np.ix_(free, free)], A[:, free].T], [A[:, free], np.zeros((len(A), len(A)))]])
        right = np.concatenate([-weight[np.ix_(free, ~free)] @ held, z - A[:, ~free] @ held])
        u[free] = np.linalg.lstsq(K, right, rcond=None)[0][:k]
        cost = float(u @ weight @ u)
        reached = np.abs(A @ u - z).max() < 1e-8 * (1 + np.abs(z).max())
        if reached and (u >= lo - 1e-9).all() and (u <= hi + 1e-9).all() and cost < least:
            best, least = u, cost
    return best


@pytest.mark.parametrize("seed", range(40))
def test_accelerations_come_first_and_the_weight_second(seed):
    """Against least squares within bounds, and against all sets of limits that may act."""
    rng = np.random.default_rng(seed)
    n, nu = 3, 5
    M, b, M_bar, b_bar = spd(rng, n), rng.normal(size=n), spd(rng, n), 10 * rng.normal(size=n)
    B, weight = rng.normal(size=(n, 2 if seed % 2 else 3)) @ rng.normal(size=(2 if seed % 2 else 3, nu)), spd(rng, nu)
    lo, hi = -rng.uniform(0.1, 2.0, nu), rng.uniform(0.1, 2.0, nu)
    u0, H = unlimited(M, b, B, M_bar, b_bar, weight)
    found = limited(H, u0, boxes(lo, hi), redundant=redundancy(B, weight))
    root = np.linalg.cholesky(M_bar).T
    A, right = root @ np.linalg.solve(M, B), root @ (np.linalg.solve(M, b) - np.linalg.solve(M_bar, b_bar))
    least = scipy.optimize.lsq_linear(A, right, bounds=(lo, hi), method="bvls", tol=1e-15).cost
    assert deviation(M, b, B, M_bar, b_bar, found.u) == pytest.approx(least, rel=1e-9, abs=1e-12)
    assert (found.u >= lo - 1e-9).all()
    assert (found.u <= hi + 1e-9).all()
    _, s, Vt = np.linalg.svd(B)
    reached = Vt[: int((s > 1e-10 * s[0]).sum())]
    wanted = lightest(reached, reached @ found.u, weight, lo, hi)
    assert found.u @ weight @ found.u <= wanted @ weight @ wanted * (1 + 1e-8) + 1e-10
    assert_allclose(found.u, wanted, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_units_of_inputs_do_not_matter(scale):
    """In other units the same inputs are found: the first programme is no compromise with the second."""
    rng = np.random.default_rng(7)
    n, nu = 3, 5
    M, b, M_bar, b_bar, weight = spd(rng, n), rng.normal(size=n), spd(rng, n), 10 * rng.normal(size=n), spd(rng, nu)
    B, hi = rng.normal(size=(n, nu)), rng.uniform(0.1, 1.0, nu)
    u0, H = unlimited(M, b, B, M_bar, b_bar, weight)
    one = limited(H, u0, boxes(-hi, hi), redundant=redundancy(B, weight)).u
    u0, H = unlimited(M, b, B / scale, M_bar, b_bar, weight)
    two = limited(H, u0, boxes(-hi * scale, hi * scale), redundant=redundancy(B / scale, weight)).u
    assert_allclose(two / scale, one, rtol=1e-9, atol=1e-10)
    assert len(np.flatnonzero(np.abs(np.abs(one) - hi) < 1e-9)) > 0


def test_without_limits_that_act_nothing_changes():
    rng = np.random.default_rng(3)
    M, b, B, M_bar, b_bar = spd(rng, 3), rng.normal(size=3), rng.normal(size=(3, 5)), spd(rng, 3), rng.normal(size=3)
    weight = spd(rng, 5)
    u0, H = unlimited(M, b, B, M_bar, b_bar, weight)
    wide = boxes(np.full(5, -1e3), np.full(5, 1e3))
    assert limited(H, u0, wide, redundant=redundancy(B, weight)).u is u0
    near = boxes(u0 - 1e-12, u0 + 1e-12)  # limits that just do not act
    assert_allclose(limited(H, u0, near, redundant=redundancy(B, weight)).u, u0, atol=2e-12)


@pytest.mark.parametrize("seed", range(20))
def test_limits_of_what_acts_alone_do_not_keep_others_from_sharing(seed):
    """The last input is at its limit; idle changes of the other two do not move it but for rounding."""
    rng = np.random.default_rng(seed)
    B = spd(rng, 2) @ np.array([[1.0, 3.0, 0.0], [0.2, 0.6, 1.0]])
    M, b, M_bar, b_bar = spd(rng, 2), rng.normal(size=2), spd(rng, 2), rng.normal(size=2)
    u0, H = unlimited(M, b, B, M_bar, b_bar, np.eye(3))
    limits = boxes(np.array([-1e3, -1e3, -1e3]), np.array([1e3, 1e3, u0[2] - 1.0]))
    u = limited(H, u0, limits, redundant=redundancy(B, np.eye(3))).u
    assert u[2] == pytest.approx(u0[2] - 1.0, rel=1e-12)
    assert u[1] == pytest.approx(3 * u[0], rel=1e-9)


def test_limits_that_contradict_each_other_are_violated_least():
    rng = np.random.default_rng(5)
    M, b, B, M_bar, b_bar = spd(rng, 2), rng.normal(size=2), rng.normal(size=(2, 3)), spd(rng, 2), rng.normal(size=2)
    W, l = np.array([[1.0, 0, 0], [-1.0, 0, 0]]), np.array([-1.0, -1.0])  # u ≤ -1 and u ≥ 1
    u0, H = unlimited(M, b, B, M_bar, b_bar, np.eye(3))
    found = limited(H, u0, (W, l), redundant=redundancy(B, np.eye(3)))
    assert found.status.startswith("infeasible")
    assert found.u[0] == pytest.approx(0.0, abs=1e-9)


def shared(W, l, weight):
    """Least squares of distances from limits in the metric of the weight, by a smooth programme: the inputs."""
    sizes = np.sqrt(np.diag(W @ np.linalg.inv(weight) @ W.T))

    def beyond(u):
        return np.maximum(W @ u - l, 0.0) / sizes

    def slope(u):
        return W.T @ (beyond(u) / sizes)

    options = {"gtol": 1e-14, "maxiter": 2000}
    found = scipy.optimize.minimize(
        lambda u: beyond(u) @ beyond(u) / 2, np.zeros(W.shape[1]), jac=slope, options=options
    )
    return beyond(found.x)


def test_contradicting_limits_give_way_by_least_squares_in_the_weights():
    """u1 ≥ 1, u2 ≥ 1 and u1 + u2 ≤ 1 of two inputs that act as one: ½ ((2u - 1)²/2 + 2 (1 - u)²) is least at 3/4."""
    M, b, M_bar = np.eye(1), np.zeros(1), np.eye(1)
    W, l = np.array([[-1.0, 0], [0, -1.0], [1.0, 1.0]]), np.array([-1.0, -1.0, 1.0])
    for b_bar in (0.0, -30.0, 5.0):  # whatever is wanted
        u0, H = unlimited(M, b, np.ones((1, 2)), M_bar, np.full(1, b_bar), np.eye(2))
        found = limited(H, u0, (W, l), redundant=redundancy(np.ones((1, 2)), np.eye(2)))
        assert found.status.startswith("infeasible")
        assert_allclose(found.u, [0.75, 0.75], rtol=1e-9)
        assert found.violation == pytest.approx(0.5 / np.sqrt(2), rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_violations_do_not_depend_on_what_inputs_act_on(seed):
    rng = np.random.default_rng(seed)
    nu = 4
    weight = spd(rng, nu)
    W = np.vstack([np.eye(nu), -np.eye(nu), rng.normal(size=(3, nu))])
    l = np.concatenate([rng.uniform(0.1, 1.0, nu), rng.uniform(0.1, 1.0, nu), -rng.uniform(4.0, 8.0, 3)])
    wanted, size = shared(W, l, weight), np.sqrt(np.diag(W @ np.linalg.inv(weight) @ W.T))
    assert wanted.max() > 0.1
    for scale in (1e-3, 1.0, 1e3):
        B = scale * rng.normal(size=(2, 2)) @ rng.normal(size=(2, nu))
        M, b, M_bar, b_bar = spd(rng, 2), rng.normal(size=2), spd(rng, 2), 10 * rng.normal(size=2)
        u0, H = unlimited(M, b, B, M_bar, b_bar, weight)
        found = limited(H, u0, (W, l), redundant=redundancy(B, weight))
        assert found.status.startswith("infeasible")
        assert_allclose(np.maximum(W @ found.u - l, 0.0) / size, wanted, atol=1e-6 * wanted.max())
        again = limited(H, u0, (W, l), redundant=redundancy(B, weight))
        assert (again.u == found.u).all()
        forces = H @ (u0 - found.u)  # limits as they gave way hold them back
        assert found.multipliers.min() >= 0
        assert_allclose(W.T @ found.multipliers, forces, atol=1e-9 * np.abs(H @ u0).max())
        assert not found.multipliers[W @ found.u < l - 1e-6].any()


# -- a plant ----------------------------------------------------------------------------------------------------------


def sledge():
    """Along x and y and about z; two of five thrusters push at the same line."""
    m = vv.Mechanism("sledge")
    body = m.body("sledge", mass=2.0, inertia=(1, 1, 0.5))
    m.planar("ice", m.ground, body, at=(0, 0, 0), normal="z")
    m.wrench("thrust", body, frame="body")
    at = [(-1, 0.2, 0), (-1, 0.2, 0), (-1, -0.2, 0), (0, 1, 0), (0, -1, 0)]
    along = [(1, 0, 0), (1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0)]
    return m, {"thrust": c.thrusters(at, along, names=("a", "b", "c", "left", "right"))}


WEIGHT = np.array([1.0, 4.0, 1.0, 1.0, 1.0])


def law_of(limits=None):
    m, thrusters = sledge()
    zero = (0, 0, 0)
    gains = {("ground", "sledge"): c.gains((1, zero, 1), (4, zero, 4), (4, zero, 4))}
    return m, c.tracking(m, gains, "body", actuators=thrusters, weight=WEIGHT, limits=limits)


def test_the_second_of_two_equal_thrusters_takes_over():
    _, law = law_of()
    still = np.zeros(3)
    q = law.d.coordinates({"ice": (0.0, 0.0, -0.5)})
    free = law.evaluate(q, still, law.d.q_built, still, still)
    assert free.u[0] > 0.1
    assert free.u[0] == pytest.approx(4 * free.u[1], rel=1e-9)  # by their weights
    low = 0.5 * free.u[0]
    _, own = law_of({"thrust.a": (0.0, low)})
    e = own.evaluate(q, still, law.d.q_built, still, still)
    assert_allclose(e.a, free.a, atol=1e-12)  # nothing is lost, to rounding
    assert e.u[0] == pytest.approx(low, rel=1e-12)
    assert e.u[0] + e.u[1] == pytest.approx(free.u[0] + free.u[1], rel=1e-9)


def test_what_cannot_be_reached_is_missed_by_the_least():
    """Both thrusters of a line saturate: scipy's least squares within bounds misses the template by as much."""
    hi = np.array([0.3, 0.2, 5.0, 0.5, 0.5])
    names = ("a", "b", "c", "left", "right")
    _, own = law_of({f"thrust.{name}": (0.0, top) for name, top in zip(names, hi, strict=True)})
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = own.d.integrate(np.array(own.d.q_built), rng.normal(size=3))
        v, still = rng.normal(size=3), np.zeros(3)
        e = own.evaluate(q, v, own.d.q_built, still, still)
        M, b, B = own.d.mass_matrix(q), own.d.bias(q, v), own.actuation.matrix(q)
        root = np.linalg.cholesky(e.M_bar).T
        A, right = root @ np.linalg.solve(M, B), root @ (np.linalg.solve(M, b) - np.linalg.solve(e.M_bar, e.b_bar))
        best = scipy.optimize.lsq_linear(A, right, bounds=(np.zeros(5), hi), method="bvls", tol=1e-15)
        assert deviation(M, b, B, e.M_bar, e.b_bar, e.u) == pytest.approx(best.cost, rel=1e-9, abs=1e-12)
        _, s, Vt = np.linalg.svd(B)
        reached = Vt[: int((s > 1e-10 * s[0]).sum())]
        wanted = lightest(reached, reached @ e.u, np.diag(WEIGHT), np.zeros(5), hi)
        assert_allclose(e.u, wanted, atol=1e-7)


def test_runs_with_redundant_thrusters_stay_within_limits():
    m, law = law_of({"thrust": (0.0, 1.5)})
    q_R = np.array(law.d.q_built)
    start = law.d.coordinates({"ice": (0.8, -1.0, 0.7)})
    sampled = vv.Sampled(law.at(q_R, compiled=False), period=0.01)
    run = vv.simulate(m, t_end=0.5, h=0.01, initial=(start, np.zeros(3)), sampled=sampled)
    assert run.audit().ok
    assert run.tracking.u.min() >= -1e-9
    assert run.tracking.u.max() <= 1.5 + 1e-9
