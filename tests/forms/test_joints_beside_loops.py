"""Closing loops leaves joints alone that no loop goes through: what carries a loop, hangs on it or stands beside it."""

from __future__ import annotations

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE

import visviva as vv
from visviva.demo import bennett
from visviva.errors import AssemblyError
from visviva.forms.dynamics.cycles import row_cycles

HINGES = ("h0", "h1", "h2", "h3")


def bar(m, name, L, at):
    m.body(name, inertia=vv.inertia.box(1.0, (L, 0.1 * L, 0.1 * L)), at=at)


def carried(L=1.0, axis=(0.3, 1, 0.2)):
    """A four-bar on an arm, with a finger and a ball on its coupler, a pendulum beside, and a second one upon it."""
    m = vv.Mechanism("carried four-bar", gravity=(0, 0, -9.81))
    bar(m, "base", L, (0.3 * L, 0.2 * L, -0.1 * L))
    m.revolute("shoulder", "ground", "base", at=(-L, 0.3 * L, 0.1 * L), axis=axis)
    corners, bars = L * np.array([[0, 0, 0], [0, 1, 0], [2, 1.5, 0], [2, 0, 0]]), ("base", "b1", "b2", "b3", "base")
    for k, at in enumerate(corners[:3]):
        bar(m, bars[k + 1], L, (at + corners[k + 1]) / 2)
    for k, at in enumerate(corners):
        m.revolute(HINGES[k], bars[k], bars[k + 1], at=at, axis=(0, 0, 1))
    bar(m, "finger", L, (L, 2 * L, 0.5 * L))
    m.revolute("knuckle", "b2", "finger", at=(L, 1.2 * L, 0), axis=(0.3, 1, 0.2))
    bar(m, "bob", L, (L, 3 * L, 0.5 * L))
    m.spherical("wrist", "finger", "bob", at=(L, 2.5 * L, 0.5 * L))
    bar(m, "pendulum", L, (5 * L, 0, -L))
    m.revolute("pivot", "ground", "pendulum", at=(5 * L, 0, 0), axis=(0, 1, 0))
    return m


def outside(d):
    """Coordinates of joints that no loop goes through, by what is named as such."""
    return [k for k, name in enumerate(d.q_names) if name.split(".")[0] in ("shoulder", "knuckle", "wrist", "pivot")]


@pytest.mark.parametrize("L", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("axis", [(0, 0, 1), (0.3, 1, 0.2)])
def test_coordinates_move_only_joints_of_loops(L, axis):
    d, rng = vv.dynamics(carried(L, axis)), np.random.default_rng(0)
    rest = outside(d)
    assert len(rest) == 7
    in_loops = row_cycles(d.form).any(axis=0)
    near = d.tree_integrate(np.array(d.q_built), np.where(in_loops, 0.0, rng.normal(size=d.form.n)))
    for given in ({"h0": 0.4}, {"h1": -0.3}, {"h2": 0.2}, {"h3": -0.5}):
        q = d.coordinates(given, near=near)
        assert (q[rest] == near[rest]).all(), given
        assert np.abs(q - near).max() > 0.1
    opened = d.tree_integrate(near, np.where(in_loops, 0.02 * rng.normal(size=d.form.n), 0.0))
    q = d.close(opened)
    assert (q[rest] == opened[rest]).all()
    rows = d.loops.rows.at(q, np.array(d.s_built))
    assert np.abs(rows.g / rows.scale).max() < 1e-13


def test_what_is_given_moves_and_the_rest_does_not():
    d = vv.dynamics(carried())
    near, rest = np.array(d.q_built), outside(d)
    q = d.coordinates({"h0": 0.4, "shoulder": 0.7}, near=near)
    assert q[list(d.q_names).index("shoulder.q")] == 0.7
    others = [k for k in rest if d.q_names[k] != "shoulder.q"]
    assert (q[others] == near[others]).all()


@pytest.mark.parametrize("name", [name for name, entry in CATALOGUE.items() if "driven" not in entry.traits])
def test_rows_of_closed_loops_reach_no_other_joints(name):
    """Along what no row is said to depend on, rows are zero to rounding."""
    try:
        d = vv.dynamics(CATALOGUE[name].build())
    except vv.ModelError:
        pytest.skip("its motions are prescribed")
    if d.loops is None:
        pytest.skip("a tree")
    q = d.close(d.tree_integrate(np.array(d.q_built), 1e-3 * np.random.default_rng(1).normal(size=d.form.n)))
    rows = d.loops.rows.at(q, np.array(d.s_built))
    cycles, held = row_cycles(d.form), d.form.open.has_g
    assert cycles.shape == rows.Z.shape
    size = np.abs(rows.Z).max()
    assert np.abs(np.where(cycles, 0.0, rows.Z)[held]).max(initial=0.0) <= 1e-10 * size


def test_loops_that_share_joints_close_as_before():
    d = vv.dynamics(bennett())
    assert row_cycles(d.form).all()
    q = d.coordinates({d.q_names[0]: d.q_built[0] + 0.2})
    assert np.abs(d.loops.rows.at(q, np.array(d.s_built)).g).max() < 1e-12
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        vv.dynamics(carried()).coordinates({"h0": 0.4, "h3": 0.4})
