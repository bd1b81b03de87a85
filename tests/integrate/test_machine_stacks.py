"""Energies and losses of several coordinates together in compiled steps: along trees, as sparse matrices, in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from step_matrices import SCHEMES, H, matrix_and_slopes, stepper

import visviva as vv


def arm(*, slide=False, ball=False, matrix=True):
    """Hinges, a universal joint, and at the end a rail or a ball; magnets between hinges far from each other.

    The universal joint has a matrix of friction, so has the ball; the last joint is told from its child.
    """
    m, above = vv.Mechanism("arm", gravity=(1.0, 2.0, -9.81)), None
    for k, axis in enumerate(((0, 0.3, 1), (0.2, 1, 0), (1, 0, 0.4), (0, 1, 0.2))):
        link = m.body(f"l{k}", mass=1.0 + 0.1 * k, inertia=(0.02, 0.05, 0.06), at=(0.2 + 0.4 * k, 0.02 * k, 0))
        ends = (link, above) if k == 3 else (above or m.ground, link)
        m.revolute(f"j{k}", *ends, at=(0.4 * k, 0, 0), axis=axis, rate=0.5 - 0.3 * k)
        above = link
    hand = m.body("hand", mass=0.5, inertia=(0.01, 0.02, 0.03), at=(1.8, 0.1, 0.1))
    D = np.diag([0.02, 0.03]) + 0.01
    m.universal("wrist", above, hand, at=(1.6, 0, 0), axes=((1, 0, 0), (0, 1, 0)), rate=(1.0, -2.0),
                friction=D if matrix else 0.0)  # fmt: skip
    m.joint_spring(
        "magnets",
        ["j1", "j3", ("wrist", 1)],
        energy=lambda a, b, c: 2 * (1 - np.cos(a - 2 * b)) + (b - c) ** 2 * (1 + c),
        damping=0.05 * np.eye(3) + 0.02,
    )
    if slide:
        m.body("tip", mass=0.3, inertia=(0.01, 0.01, 0.02), at=(2.0, 0.1, 0.1))
        m.cylindrical(
            "rail", hand, "tip", at=(2.0, 0.1, 0.1), axis=(1, 0, 0.2), friction=np.array([[0.3, 0.1], [0.1, 0.2]])
        )
        m.joint_spring(
            "cable", ["j0", ("rail", 0), ("rail", 1)], energy=lambda a, s, t: 3 * (s - 0.2 * a) ** 2 + 0.1 * t**2 * a**2
        )
    if ball:
        m.body(
            "tip",
            mass=0.3,
            inertia=(0.01, 0.015, 0.02),
            at=(2.0, 0.1, 0.1),
        )
        m.spherical("ball", hand, "tip", at=(1.95, 0.1, 0.1),
                    friction=np.diag([0.02, 0.03, 0.04]) + 0.01)  # fmt: skip
    return m


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("options", [{}, {"slide": True}, {"ball": True}], ids=["tree", "slide", "ball"])
def test_compiled_steps_are_those_of_the_reference(options, scheme):
    m = arm(**options)
    fast, plain = (vv.simulate(m, 0.3, H, integrator=SCHEMES[scheme](compiled=kind)) for kind in (True, False))
    assert (fast.engine, plain.engine) == ("compiled", "NumPy")
    assert_allclose(fast.record.x, plain.record.x, rtol=0, atol=1e-11 * np.abs(plain.record.x).max())
    assert_allclose(fast.record.heat, plain.record.heat, rtol=0, atol=1e-11 * plain.energy_scale)
    assert plain["heat"][-1] > 1e-3
    audit = fast.audit()
    assert audit.ok
    assert audit.first_law < 1e-13


@pytest.mark.parametrize("scheme", SCHEMES)
def test_coordinates_of_far_joints_leave_the_tree_as_it_is(scheme):
    """Their stiffness is a border of three rows; a matrix of friction in one joint needs none."""
    runs = []
    for along_tree in (None, False):
        steps, state = stepper(arm(), scheme, along_tree)
        assert (steps.sparse is None) is (along_tree is None)
        assert len(steps.s.border.rows) == (3 if along_tree is None else 0)
        runs.append(steps.many(state, H, np.zeros((60, 1, 0))))
    tree, sparse = runs
    assert tree.steps == sparse.steps == 60
    assert_allclose(tree.x, sparse.x, rtol=0, atol=1e-10)
    assert_allclose(tree.w, sparse.w, rtol=0, atol=1e-8 * np.abs(sparse.w).max())
    assert abs(tree.iterations.sum() - sparse.iterations.sum()) <= 0.1 * sparse.iterations.sum()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("options", [{}, {"slide": True}], ids=["tree", "slide"])
def test_a_run_continues_bit_for_bit(options, scheme):
    m, scheme = arm(**options), SCHEMES[scheme]()
    whole, first = (vv.simulate(m, t_end, H, integrator=scheme) for t_end in (0.3, 0.13))
    rest = vv.simulate(m, 0.3, H, integrator=scheme, initial=first.final)
    assert_array_equal(whole.record.x[-1], rest.record.x[-1])
    assert_array_equal(whole.record.w_mid[-1], rest.record.w_mid[-1])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("slide", [False, True])
def test_the_matrix_of_a_step_is_the_derivative_of_its_rows(scheme, slide):
    matrix, exact = matrix_and_slopes(arm(slide=slide), scheme)
    assert_allclose(matrix, exact, rtol=0, atol=1e-7 * np.abs(exact).max())
