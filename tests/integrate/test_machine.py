"""Compiled steps of mechanisms: both ways of elimination, exact continuation, and what they count themselves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva import demo
from visviva.compiler.elimination import eliminated
from visviva.integrate.machine import MachineStepper
from visviva.integrate.start import start_state
from visviva.results.accounts import Accounts


def chain(*kinds, friction=0.0):
    """Rods that hang on each other, with joints of these kinds; the last is told from the child to the parent."""
    m = vv.Mechanism("chain", gravity=(0, 0, -9.81))
    above = m.ground
    for k, kind in enumerate(kinds):
        rod = m.body(f"rod{k}", mass=1.0, inertia=(0.02, 0.08, 0.09), at=(k + 0.5, 0.1 * k, 0.0))
        ends = (above, rod) if k < len(kinds) - 1 or k == 0 else (rod, above)
        at = (float(k), 0.0, 0.1)
        if kind == "spherical":
            m.spherical(f"joint{k}", *ends, at=at)
        elif kind == "revolute":
            m.revolute(f"joint{k}", *ends, at=at, axis=(0.2 * k, 1.0, 0.3), friction=friction)
        elif kind == "universal":
            m.universal(f"joint{k}", *ends, at=at, axes=((1, 0, 0), (0, 1, 0)))
        else:
            m.fixed(f"joint{k}", *ends, at=at)
        above = rod
    return m


def four_bar():
    m = vv.Mechanism("four-bar", gravity=(0, 0, -9.81))
    corners = np.array([(0, 0, 0), (0, 0.3, 1), (2, 0.3, 1.2), (2, 0, 0)], dtype=float)
    bodies = [m.ground]
    for k in range(3):
        d = corners[k + 1] - corners[k]
        J = (d @ d * np.eye(3) - np.outer(d, d)) / 12 + 1e-3 * np.eye(3)
        bodies.append(m.body(f"bar{k}", mass=1.0, inertia=J, at=0.5 * (corners[k] + corners[k + 1])))
    m.revolute("a", m.ground, bodies[1], at=corners[0], axis=(0, 1, 0), rate=1.0)
    m.spherical("b", bodies[1], bodies[2], at=corners[1])
    m.spherical("c", bodies[2], bodies[3], at=corners[2])
    m.spherical("d", bodies[3], m.ground, at=corners[3])
    return m


TREES = {
    "balls": chain("spherical", "spherical", "spherical"),
    "hinges": chain("revolute", "revolute", "revolute", friction=0.1),
    "mixed": chain("revolute", "universal", "fixed", "spherical", "revolute"),
    "loop": four_bar(),
}


def stepper(m, along_tree=None, form="directors", parts=None, h=0.01):
    model = vv.compile(m, form)
    scheme = vv.PHMP() if form == "directors" else vv.LieMidpoint()
    state, _ = start_state(model, None, scheme, lambda _: np.zeros(0))
    more = {} if parts is None else {"parts": parts}
    return MachineStepper(model, vv.Newton(), state, h, along_tree=along_tree, **more), state


@pytest.mark.parametrize("form", ["directors", "lie"])
@pytest.mark.parametrize("name", TREES)
def test_the_two_ways_of_elimination_agree(name, form):
    u = np.zeros((60, 1, 0))
    runs = []
    for along_tree in (True, False):
        steps, state = stepper(TREES[name], along_tree, form)
        assert (steps.sparse is None) is along_tree
        runs.append(steps.many(state, 0.01, u))
    tree, sparse = runs
    assert tree.steps == sparse.steps == 60
    assert_allclose(tree.x, sparse.x, rtol=0, atol=1e-10)
    assert_allclose(tree.w, sparse.w, rtol=0, atol=1e-8 * np.abs(sparse.w).max())


def test_joints_that_couple_translations_are_no_tree():
    m = vv.Mechanism()
    m.body("a", mass=1.0, inertia=(1, 1, 1))
    m.body("b", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    m.cylindrical("slide", "a", "b", at=(0, 0, 0), axis=(1, 0, 0))
    steps, state = stepper(m)
    assert steps.sparse is not None
    assert eliminated(steps.model, state.active)[1] is None


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.LieMidpoint(), vv.Suzuki4()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("name", ["balls", "loop"])
def test_a_run_continues_bit_for_bit(name, scheme):
    m = TREES[name]
    whole = vv.simulate(m, t_end=0.4, h=0.01, integrator=scheme)
    first = vv.simulate(m, t_end=0.13, h=0.01, integrator=scheme)
    rest = vv.simulate(m, t_end=0.4, h=0.01, integrator=scheme, initial=first.final)
    assert_array_equal(whole.record.x[-1], rest.record.x[-1])
    assert_array_equal(whole.record.w_mid[-1], rest.record.w_mid[-1])


def test_a_sparse_run_continues_bit_for_bit():
    m = vv.Mechanism()
    m.body("a", mass=1.0, inertia=(1, 2, 3), twist=(0.3, 1, 2, 0, 0, 0))
    m.body("b", mass=1.0, inertia=(1, 1, 2), at=(1, 0, 0))
    m.cylindrical("slide", "a", "b", at=(0, 0, 0), axis=(1, 0, 0))
    m.spring("spring", "a", "b", k=3.0, length=0.5)
    whole = vv.simulate(m, t_end=0.4, h=0.01)
    first = vv.simulate(m, t_end=0.13, h=0.01)
    rest = vv.simulate(m, t_end=0.4, h=0.01, initial=first.final)
    assert_array_equal(whole.record.x[-1], rest.record.x[-1])


@pytest.mark.parametrize("form", ["directors", "lie"])
@pytest.mark.parametrize("name", TREES)
def test_what_steps_count_is_what_their_states_say(name, form):
    """Energies, constraints and their rates."""
    steps, state = stepper(TREES[name], form=form)
    chunk = steps.many(state, 0.01, np.zeros((20, 1, 0)))
    accounts = Accounts(steps.model, state.x)
    counted, read = (
        accounts._of_tallies(chunk.x, chunk.u, chunk.tallies),
        accounts._of_states(chunk.x, chunk.u, chunk.w),
    )
    changes = [one["H"] - one["H"][0] for one in (counted, read)]  # energies count from any zero
    for one, two, key in ((*changes, "H"), (counted["scale"], read["scale"], "scale")):
        assert_allclose(one, two, rtol=0, atol=1e-13 * counted["terms"].max(), err_msg=key)
    assert_allclose(np.log2(counted["terms"] / read["terms"]), 0, atol=2)  # sizes of vectors: sums, or entry by entry
    assert counted["g"].max() <= 1e-14
    assert_allclose(counted["g_v"], read["g_v"], rtol=1e-8, atol=1e-12)


def test_reactions_do_not_depend_on_which_end_is_told_first():
    runs = []
    for ends in (("upper", "lower"), ("lower", "upper")):
        m = vv.Mechanism(gravity=(0, 0, -9.81))
        m.body("upper", mass=1.0, inertia=(0.02, 0.08, 0.09), at=(0.5, 0, 0))
        m.body("lower", mass=1.0, inertia=(0.02, 0.08, 0.09), at=(1.5, 0, 0))
        m.spherical("pivot", m.ground, "upper", at=(0, 0, 0))
        m.spherical("ball", *ends, at=(1, 0, 0))
        runs.append(vv.simulate(m, t_end=0.2, h=0.01))
    forces = []
    for run, body in zip(runs, ("lower", "upper"), strict=True):
        forces.append(np.einsum("nij,nj->ni", run[f"{body}.R"][:-1], run["ball.reaction_mid"][:, 3:]))
    assert_allclose(forces[0], -forces[1], rtol=0, atol=0.2)  # rotations at nodes, forces in the middle: of order h
    assert_allclose(runs[0].record.x, runs[1].record.x, rtol=0, atol=1e-11)


def test_a_failing_step_names_the_joint_or_the_body():
    m = chain("spherical", "spherical")
    with pytest.raises(
        vv.ConvergenceError, match=r"worst in the (balance of momentum of 'rod\d'|holonomic row of 'joint\d')"
    ):
        vv.simulate(m, t_end=1.0, h=0.5, integrator=vv.PHMP(newton=vv.Newton(max_iterations=1)))


def test_reactions_that_rows_do_not_determine_are_told_as_a_singular_start():
    """All rows of a planar four-bar, three of which say nothing of their own."""
    steps, state = stepper(demo.four_bar(), along_tree=False)
    state = dataclasses.replace(state, active=np.ones_like(state.active))
    with pytest.raises(vv.ModelError, match=r"(?s)the reaction of .*'D'\..*configuration is singular.*Start a little"):
        MachineStepper(steps.model, vv.Newton(), state, 0.01, along_tree=False)
