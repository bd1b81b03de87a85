"""Rows of loops by compiled Jacobians are those of the Model, with their rates; states are evaluated once."""

from __future__ import annotations

import pickle

import formulation_catalogue
import numpy as np
import pytest
from numpy.testing import assert_allclose
from robots import four_bar

import visviva as vv
from visviva.demo import slider_crank, stewart
from visviva.forms.dynamics import loops as loops_module
from visviva.forms.dynamics.loop_rows import ModelRows, ProductRows

CATALOGUE = formulation_catalogue.CATALOGUE
PRODUCTS = {
    "four bar": four_bar,
    "slider-crank": slider_crank,
    "Stewart platform": stewart,
    **{
        name: CATALOGUE[name].build
        for name in ("particles", "distance", "Bennett linkage", "spatial slider-crank", "ring of balls", "screw press")
    },
}


def near(found, wanted, tolerance=1e-12):
    assert_allclose(found, wanted, rtol=0, atol=tolerance * max(1.0, np.abs(wanted).max(initial=0.0)))


@pytest.fixture(params=PRODUCTS, scope="module")
def d(request):
    return vv.dynamics(PRODUCTS[request.param](), independent="rank")


def moving(d):
    v = 0.3 * np.random.default_rng(0).normal(size=d.nv)
    return d.integrate(d.q_built, 0.2 * v), v, np.array(d.s_built)


def test_rows_of_products_are_those_of_the_model(d):
    assert isinstance(d.loops.rows, ProductRows)
    rng = np.random.default_rng(1)
    q, _, s = moving(d)
    opened = d.tree_integrate(q, 0.01 * rng.normal(size=d.form.n))
    for place in (q, opened):
        found, wanted = d.loops.rows.at(place, s), ModelRows(d.form).at(place, s)
        for name in ("g", "scale", "Z", "terms", "units"):
            near(getattr(found, name), getattr(wanted, name))
        xi = rng.normal(size=d.form.n)
        near(found.rates(xi), wanted.rates(xi), 1e-11)


def test_rates_of_rows_are_differences_along_the_motion(d):
    q, v, s = moving(d)
    xi, h = d.loops.at(q, v, s).xi, 1e-4
    Z = {k: d.loops.rows.at(d.tree_integrate(q, k * h * xi), s).Z for k in (-2, -1, 1, 2)}
    near(d.loops.rows.at(q, s).Z_dot(xi), (8 * (Z[1] - Z[-1]) - (Z[2] - Z[-2])) / (12 * h), 1e-9)


def test_rates_of_bases_are_those_by_polarisation(d):
    """The general way, by the rows of the Model."""
    q, v, s = moving(d)
    by_model = loops_module.Loops(d.form, d._entries, "rank", ModelRows(d.form))
    assert by_model.independent.tolist() == d.loops.independent.tolist()
    found, wanted = d.loops.at(q, v, s), by_model.at(q, v, s)
    near(found.N, wanted.N)
    near(found.drift, wanted.drift, 1e-10)
    near(found.N_dot, wanted.N_dot, 1e-10)


def test_gears_and_rolling_have_the_rows_of_the_model():
    for name in ("differential", "rolling disc", "user constraint"):
        assert isinstance(vv.dynamics(CATALOGUE[name].build()).loops.rows, ModelRows)


@pytest.mark.parametrize(
    "part",
    [
        lambda m, cut: m.torsion("twist", cut, k=3.0),
        lambda m, cut: m.torque("hand", cut),
        lambda m, cut: m.spring("coil", m.ground, m.bodies[-1], at_a=(1, 0, 0.5), at_b=m.bodies[-1].r_WB, k=30.0),
        lambda m, cut: m.wrench("gust", m.bodies[0]),
    ],
    ids=["spring in a joint that closes the loop", "torque there", "spring between bodies", "wrench"],
)
def test_forces_beyond_the_joints_of_the_tree_are_those_of_the_model(part):
    m = four_bar().snapshot()
    part(m, vv.dynamics(m).form.spanning.cut[0].name)
    d = vv.dynamics(m, independent="rank")
    q, v, s = moving(d)
    motion, u = d.loops.at(q, v, s), np.random.default_rng(2).normal(size=d.nu)
    near(d.passive(q, v), motion.N.T @ d._forces.passive(q, motion.xi, s))
    near(d.input_matrix(q), motion.N.T @ d._forces.input_matrix(q, s))
    wanted = d.form.accelerations(q, motion.xi, u=u, u_dot=np.zeros(d.nu))
    near(d.forward(q, v, u), wanted[d.loops.independent], 1e-10)


def test_arrays_that_are_changed_afterwards_change_no_result():
    d = vv.dynamics(four_bar(), independent="rank")
    q, v, s = moving(d)
    given = q.copy()
    first = d.loops.at(given, v, s)
    given += 0.3
    near(first.drift, vv.dynamics(four_bar(), independent="rank").loops.at(q, v, s).drift, 1e-15)
    M = d.mass_matrix(q)
    M[:] = 0.0
    near(d.mass_matrix(q), vv.dynamics(four_bar(), independent="rank").mass_matrix(q), 1e-15)
    J = d.jacobian(d.frames[1], q)
    J[:] = 0.0
    assert np.abs(d.jacobian(d.frames[1], q)).max() > 0


def test_numbers_that_are_not_finite_are_refused_by_name():
    d = vv.dynamics(four_bar(), independent="rank")
    q, v = np.array(d.q_built), np.zeros(d.nv)
    q[0] = np.nan
    for call in (lambda: d.mass_matrix(q), lambda: d.jacobian(d.frames[1], q), lambda: d.bias(q, v)):
        with pytest.raises(vv.ModelError, match="must be finite"):
            call()


def test_a_state_is_closed_once_whatever_is_asked_of_it(monkeypatch):
    made, own = list[int](), loops_module.Closure.__init__

    def counted(self, *arguments):
        made.append(1)
        own(self, *arguments)

    monkeypatch.setattr(loops_module.Closure, "__init__", counted)
    d = vv.dynamics(four_bar(), independent="rank")
    q, v, _ = moving(d)
    made.clear()
    q = d.integrate(q, 0.01 * v)
    made.clear()
    d.mass_matrix(q), d.bias(q, v), d.coriolis(q, v), d.gravity(q), d.input_matrix(q), d.jacobian(d.frames[1], q)
    d.jacobian_rate(d.frames[1], q, v), d.bias_acceleration(d.frames[1], q, v), d.forward(q, v)
    assert len(made) == 1


def test_dynamics_of_loops_go_through_a_file():
    d = vv.dynamics(four_bar(), independent="rank")
    q, v, _ = moving(d)
    wanted = d.bias(q, v)
    near(pickle.loads(pickle.dumps(d)).bias(q, v), wanted, 0)


def test_velocities_of_the_tree_are_the_users_own():
    d = vv.dynamics(four_bar(), independent="rank")
    q, v = np.array(d.q_built), np.ones(d.nv)
    wanted = d.forward(q, v)
    d.tree_velocities(q, v)[:] = 0.0
    near(d.forward(q, v), wanted, 1e-15)


def bars(L):
    """A four-bar of length L, with its coupler and its rocker marked where they meet."""
    A, B, C, D = L * np.array([(0, 0, 0), (0, 0, 0.4), (1.2, 0, 0.9), (1.0, 0, 0)])
    m = vv.Mechanism("bars", gravity=(0, 0, -9.81 * L))
    for name, a, b in (("crank", A, B), ("coupler", B, C), ("rocker", D, C)):
        m.body(name, mass=1.0, inertia=np.full(3, 0.05 * L**2), at=(a + b) / 2)
    for name, parent, child, at in (
        ("A", m.ground, "crank", A), ("B", "crank", "coupler", B), ("C", "coupler", "rocker", C),
        ("D", m.ground, "rocker", D),
    ):  # fmt: skip
        m.revolute(name, parent, child, at=at, axis="y")
    m.frame("one", "coupler", at=C)
    m.frame("other", "rocker", at=C)
    return m


@pytest.mark.parametrize("L", [1e-9, 1e-6, 1e-3, 1e3])
def test_loops_close_at_any_unit_of_length(L):
    d, one = (vv.dynamics(bars(length), independent=("A",)) for length in (L, 1.0))
    q, q_one = d.coordinates({"A": 0.5}), one.coordinates({"A": 0.5})
    assert np.linalg.norm(d.pose("one", q).r - d.pose("other", q).r) < 1e-11 * L
    near(d.forward(q, [1.0]), one.forward(q_one, [1.0]), 1e-9)


def test_an_input_at_a_dead_point_does_not_act():
    """A force on a slider does not turn a crank that points at it; rounding does not either."""
    m = vv.Mechanism("dead point")
    for name, x in (("crank", 0.5), ("rod", 2.0), ("slider", 3.0)):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(x, 0, 0))
    for name, parent, child, x in (("A", m.ground, "crank", 0), ("B", "crank", "rod", 1), ("C", "rod", "slider", 3)):
        m.revolute(name, parent, child, at=(x, 0, 0), axis="y")
    m.prismatic("guide", m.ground, "slider", at=(3, 0, 0), axis="x")
    m.force("push", "guide")
    d = vv.dynamics(m, independent=("A",))
    turned = d.coordinates({"A": 1.0})
    assert d.input_matrix(d.q_built) == 0.0
    assert abs(d.input_matrix(turned)) > 0.1
    assert abs(d.input_matrix(d.coordinates({"A": 1e-9}, near=turned))) == pytest.approx(1.5e-9, rel=1e-5)
