"""Compiled loops over time for trees: orders, energy, SciPy's solver on the same equations, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tree_reference import advance, quaternion_matrix, random_link, random_state, random_tree

import visviva as vv
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.loops import TreeLoop
from visviva.mechanism.spanning.tree import Tree

ORDERS = {"RK4": 4, "DOP853": 8, "Gauss8": 8, "Relaxed": 8, "BalancedGauss8": 8}


def spatial_tree():
    """A free base that carries hinges, a ball and a slider."""
    rng = np.random.default_rng(8)
    kinds = [(-1, "free"), (0, "hinge"), (1, "ball"), (0, "slider"), (3, "hinge"), (2, "screw")]
    return Tree(
        tuple(random_link(rng, f"link{i}", p, kind) for i, (p, kind) in enumerate(kinds)), np.array([0, 0, -5.0])
    )


def distance(tree, q, xi, q1, xi1):
    """Of two states: quaternions are the same with either sign."""
    gap = np.abs(xi - xi1).max()
    at = 0
    for link in tree.links:
        size = {"hinge": 1, "slider": 1, "ball": 4, "free": 7}[link.kind]
        a, b = q[at : at + size], q1[at : at + size]
        if size >= 4:
            gap = max(gap, np.abs(quaternion_matrix(a[-4:]) - quaternion_matrix(b[-4:])).max())
        gap = max(gap, np.abs(a[: size % 4] - b[: size % 4]).max(initial=0.0))
        at += size
    return gap


@pytest.fixture(scope="module")
def sprung():
    """Dynamics with springs and dampers, a start, constant forces, and where SciPy's DOP853 goes in 1 s."""
    tree = spatial_tree()
    q, xi, tau = random_state(tree, 2)
    xi *= 3.0
    flat = np.repeat([link.kind in ("hinge", "slider") for link in tree.links], (6, 1, 3, 1, 1, 1))
    rng = np.random.default_rng(0)
    dynamics = TreeDynamics(tree, rng.uniform(0, 1, 13), 3 * flat, rng.normal(size=13))

    def rates(t, y):  # quaternions and positions move as they are defined, without any chart
        u, v = y[: dynamics.size_q], y[dynamics.size_q :]
        h = 1e-30
        u = np.concatenate([u[:3], u[3:7] / np.linalg.norm(u[3:7]), u[7:8], u[8:12] / np.linalg.norm(u[8:12]), u[12:]])
        u_dot = advance(tree, u.astype(complex), 1j * h * v).imag / h
        return np.concatenate([u_dot, dynamics.accelerations(u, v, tau)])

    found = solve_ivp(rates, (0, 1), np.concatenate([q, xi]), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return dynamics, q, xi, tau, found[: dynamics.size_q], found[dynamics.size_q :]


@pytest.mark.parametrize("scheme", ORDERS)
def test_a_scheme_goes_where_scipy_goes_at_its_order(scheme, sprung):
    dynamics, q, xi, tau, q1, xi1 = sprung
    loop, gaps = TreeLoop(dynamics, scheme), []
    for steps in (8, 32):
        motion = loop(q, xi, 1.0 / steps, 1, steps, tau)
        gaps.append(distance(dynamics.tree, motion.q[-1], motion.xi[-1], q1, xi1))
    assert np.log2(gaps[0] / gaps[1]) / 2 == pytest.approx(ORDERS[scheme], abs=0.6)
    assert gaps[1] < 1e-10 or scheme == "RK4"


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
def test_adaptive_steps_keep_the_error_near_the_tolerance(tolerance, sprung):
    dynamics, q, xi, tau, q1, xi1 = sprung
    motion = TreeLoop(dynamics, "Adaptive", tolerance)(q, xi, 0.5, 2, tau=tau)
    gap = distance(dynamics.tree, motion.q[-1], motion.xi[-1], q1, xi1)
    assert 1e-3 * tolerance < gap < 30 * tolerance
    assert motion.steps >= 2
    np.testing.assert_array_equal(motion.t, [0, 0.5, 1.0])


@pytest.mark.parametrize("scheme", [*ORDERS, "Adaptive"])
def test_work_and_energy_balance_to_the_error_of_the_scheme(scheme, sprung):
    dynamics, q, xi, tau, *_ = sprung
    motion = TreeLoop(dynamics, scheme)(q, xi, 1.0 / 64, 32, 2, tau)
    gained = dynamics.energy(motion.q, motion.xi) - dynamics.energy(q, xi)
    balance = np.abs(gained - (motion.work[:, 0] - motion.work[:, 1])).max()
    assert np.abs(gained).max() > 0.1
    assert balance < {"RK4": 1e-4, "Adaptive": 1e-7, "Relaxed": 1e-12, "BalancedGauss8": 1e-12}.get(scheme, 1e-9)
    assert motion.unrelaxed == 0


def test_relaxed_steps_keep_energy_where_the_others_lose_it():
    tree = random_tree(3, 6, ("hinge", "ball"))
    dynamics, (q, xi, _) = TreeDynamics(tree), random_state(tree, 0)
    drift = {}
    for scheme in ("DOP853", "Gauss8", "Relaxed", "BalancedGauss8"):
        motion = TreeLoop(dynamics, scheme)(q, xi, 0.05, 100)
        drift[scheme] = np.abs(dynamics.energy(motion.q, motion.xi) - dynamics.energy(q, xi)).max()
        assert motion.unrelaxed == 0
    size = dynamics.energy_size(q, xi)
    assert drift["DOP853"] > 1e-8 * size
    assert drift["Gauss8"] > 1e-9 * size
    assert drift["Relaxed"] < 2e-12 * size
    assert drift["BalancedGauss8"] < 2e-12 * size


def test_a_start_from_rest_is_relaxed_as_far_as_it_says():
    tree = random_tree(3, 6, ("hinge",))
    dynamics, (q, _, _) = TreeDynamics(tree), random_state(tree, 0)
    motion = TreeLoop(dynamics, "Relaxed")(q, np.zeros(dynamics.n), 0.02, 50)
    drift = np.abs(dynamics.energy(motion.q, motion.xi) - dynamics.energy(q, np.zeros(dynamics.n)))
    assert motion.unrelaxed <= 3
    assert drift[-1] < 1e-11 * dynamics.energy_size(q, motion.xi[-1])


def test_rest_stays_at_rest():
    tree = Tree(random_tree(3, 4, ("hinge", "ball")).links, np.zeros(3))
    dynamics, (q, xi, _) = TreeDynamics(tree), random_state(tree, 0)
    for scheme in [*ORDERS, "Adaptive"]:
        motion = TreeLoop(dynamics, scheme)(q, 0 * xi, 0.1, 3)
        np.testing.assert_allclose(motion.q, np.tile(q, (4, 1)), atol=1e-15)
        assert not motion.xi.any()


def test_quaternions_stay_of_length_one():
    tree = random_tree(0, 4, ("ball", "free"))
    dynamics, (q, xi, _) = TreeDynamics(tree), random_state(tree, 0)
    for scheme in [*ORDERS, "Adaptive"]:
        dynamics.check_quaternions(q)
        motion = TreeLoop(dynamics, scheme)(q, 3 * xi, 0.01, 200)
        at = 0
        for link in tree.links:
            at += 4 if link.kind == "ball" else 7
            np.testing.assert_allclose(np.linalg.norm(motion.q[:, at - 4 : at], axis=1), 1.0, atol=1e-15)


def test_nodes_are_the_same_however_many_steps_are_between():
    tree = random_tree(5, 5)
    dynamics, (q, xi, tau) = TreeDynamics(tree), random_state(tree, 5)
    for scheme in ("RK4", "DOP853", "Gauss8", "BalancedGauss8"):
        loop = TreeLoop(dynamics, scheme)
        every, each = loop(q, xi, 0.01, 3, 4, tau), loop(q, xi, 0.01, 12, 1, tau)
        np.testing.assert_array_equal(every.q, each.q[::4])
        np.testing.assert_array_equal(every.work, each.work[::4])


def test_a_step_that_cannot_be_solved_is_not_kept():
    tree = random_tree(3, 3, ("hinge",))
    dynamics = TreeDynamics(tree, stiffness=np.full(3, 1e9))
    q, xi, _ = random_state(tree, 0)
    for scheme, nodes in (("Gauss8", 5), ("RK4", 100)):
        with pytest.raises(
            vv.ConvergenceError, match=rf"{scheme} could not solve a step after t = .* nothing of it was"
        ):
            TreeLoop(dynamics, scheme)(q, xi, 0.1, nodes)


@pytest.mark.parametrize("scheme", [*ORDERS, "Adaptive"])
def test_a_link_without_inertia_stops_every_scheme(scheme):
    rng = np.random.default_rng(0)
    links = random_link(rng, "arm", -1, "hinge"), random_link(rng, "leaf", 0, "hinge", massless=True)
    dynamics = TreeDynamics(Tree(links, np.zeros(3)))
    with pytest.raises(vv.ModelError, match="the joint of link 'leaf'"):
        TreeLoop(dynamics, scheme)(np.zeros(2), np.ones(2), 0.1, 2)


def test_wrong_settings_are_refused():
    dynamics = TreeDynamics(random_tree(1, 3, ("hinge",)))
    with pytest.raises(vv.ModelError, match=r"there is no scheme 'Euler' for trees; there are: RK4, DOP853"):
        TreeLoop(dynamics, "Euler")
    with pytest.raises(vv.ModelError, match="tolerance must be positive"):
        TreeLoop(dynamics, tolerance=0.0)
    loop = TreeLoop(dynamics, "RK4")
    with pytest.raises(vv.ModelError, match="step h must be positive"):
        loop(np.zeros(3), np.zeros(3), -0.1, 1)
    with pytest.raises(vv.ModelError, match="at least one node"):
        loop(np.zeros(3), np.zeros(3), 0.1, 0)
