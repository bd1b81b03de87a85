"""Redundant rows: found, solved around, checked, and reselected when the selection was made at a singular pose."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import visviva as vv
from visviva.compiler import compile_mechanism, initial_x
from visviva.demo import four_bar
from visviva.integrate import INTEGRATORS
from visviva.integrate.redundancy import select_rows
from visviva.numerics.rank import independent_blocks


def test_a_largest_independent_set():
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((3, 8)), rng.standard_normal((4, 8))
    second[1] = first.sum(0)
    second[3] = second[0] - 2 * first[2]
    mask = independent_blocks([first, second])
    assert mask[:3].all()
    assert mask.sum() == 5
    assert np.linalg.matrix_rank(np.concatenate([first, second])[mask]) == 5


def test_scale_of_rows_does_not_matter():
    rows = np.diag([1e-6, 1.0, 1e6])
    assert independent_blocks([rows]).all()


def test_zero_rows_are_redundant():
    assert independent_blocks([np.zeros((2, 3))]).tolist() == [False, False]


@pytest.mark.parametrize("form", ["lie", "directors"])
def test_the_planar_four_bar_has_rank_17_of_20(form):
    m = four_bar()
    model = compile_mechanism(m, form)
    active = select_rows(model, initial_x(model, m.assemble()[0]))
    assert (~active).sum() == 3
    assert {name for (name, _), solved in zip(model.kinds, active, strict=True) if not solved} == {"D"}


def flat_parallelogram():
    """All four hinges on a line: singular as built, where one more row looks redundant."""
    m = vv.Mechanism("flat")
    bars = {
        name: m.body(name, inertia=vv.inertia.cylinder(1.0, 0.05, length, axis="x"), at=(x, 0, 0))
        for name, length, x in (("left", 1.0, 0.5), ("coupler", 2.0, 2.0), ("right", 1.0, 2.5))
    }
    m.revolute("A", m.ground, bars["left"], at=(0, 0, 0), axis=(0, 0, 1), rate=1.0)
    m.revolute("B", bars["left"], bars["coupler"], at=(1, 0, 0), axis=(0, 0, 1), rate=-1.0)
    m.revolute("C", bars["coupler"], bars["right"], at=(3, 0, 0), axis=(0, 0, 1))
    m.revolute("D", m.ground, bars["right"], at=(2, 0, 0), axis=(0, 0, 1))
    return m


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda integrator: type(integrator).__name__)
def test_rows_are_selected_near_a_singular_pose_not_at_it(integrator):
    m = flat_parallelogram()
    model = compile_mechanism(m, integrator.form)
    assert (~select_rows(model, initial_x(model, m.assemble()[0]))).sum() == 3
    with pytest.warns(vv.RunWarning, match="start: the configuration is singular"):
        run = vv.simulate(m, t_end=0.5, h=0.01, integrator=integrator)
    assert (~run.final.active).sum() == 3
    assert run.audit().g < 1e-9
    assert np.abs(run["D.q"] - run["A.q"]).max() < 1e-6  # it stayed a parallelogram
    assert any("the configuration is singular" in note for note in run.notes)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # it starts there
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda integrator: type(integrator).__name__)
def test_a_selection_that_leaves_out_too_much_is_corrected(integrator):
    m = flat_parallelogram()
    start = vv.simulate(m, t_end=0.0, h=0.01, integrator=integrator).final
    fewer = start.active.copy()
    fewer[-5:] = np.arange(5) == 4  # of joint D
    run = vv.simulate(m, t_end=0.5, h=0.01, integrator=integrator, initial=dataclasses.replace(start, active=fewer))
    assert (~run.final.active).sum() == 3
    assert run.audit().g < 1e-9
    assert np.abs(run["D.q"] - run["A.q"]).max() < 1e-6


def test_reactions_of_a_redundant_loop_balance_the_weight():
    """Least-norm reactions are not unique as a split, but their sum is: all forces on the moving bars."""
    m = four_bar()
    run = vv.simulate(m, t_end=0.1, h=0.001)
    total = np.zeros((len(run.t), 3))
    for name, body in (("A", "crank"), ("D", "rocker")):
        joint, part = m[name], m[body]
        force = run[f"{name}.reaction"][:, 3:] @ (part.R_WB.T @ joint.R_W).T
        total += np.einsum("nij,nj->ni", run[f"{body}.R"], force)
    masses = [part.mass for part in m.bodies]
    momentum = run["momentum"][:, 3:]
    rate = np.gradient(momentum, run.t, axis=0)
    weight = np.array([0, 0, -9.81]) * sum(masses)
    np.testing.assert_allclose(total[2:-2] + weight, rate[2:-2], atol=5e-2 * np.abs(rate).max())
