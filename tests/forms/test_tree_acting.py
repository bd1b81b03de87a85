"""What acts on bodies of trees in compiled loops: the plain schemes, the director engine, SciPy, orders and energy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from acted_trees import FRICTIONS, GIVEN, KINDS, acted_on, tree
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv

SCHEMES = [vv.RK4(), vv.DOP853(None), vv.DOP853(1e-12), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8()]


def both(m, scheme, t_end=0.02, h=0.01, inputs=None):
    """The same run in compiled code and in NumPy."""
    runs = [
        vv.simulate(m, t_end, h, integrator=dataclasses.replace(scheme, compiled=c), inputs=inputs)
        for c in (True, False)
    ]
    assert [run.engine for run in runs] == ["compiled", "NumPy"]
    assert not runs[0].notes
    return runs


def assert_same(one, two, close=1e-10):
    """States at the end, and all accounts there."""
    size = np.abs(two.final.x).max()
    assert_allclose(one.final.x, two.final.x, rtol=0, atol=close * size)
    names = [name for name in two.names if name.startswith("heat.") or name.endswith((".work", ".u"))]
    for name in ["energy", *names]:
        assert_allclose(one[name][-1], two[name][-1], rtol=0, atol=close * max(1.0, np.abs(two[name]).max()))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_acts_as_it_does_in_numpy(kind):
    assert_same(*both(acted_on(kind), vv.RK4(), inputs=GIVEN if kind == "inputs" else None))


@pytest.mark.parametrize("seed", [1, 2])
def test_trees_of_other_shapes_go_where_they_go_in_numpy(seed):
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.permutation(["revolute", "screw", "universal", "spherical", "planar", "free"])]
    m = tree(seed, kinds, frictions=FRICTIONS)
    m.spring("far", "b5", "p", k=30.0, damping=0.5)
    m.spring("near", "b1", "b2", k=5.0, length=0.3)
    m.damper("air", m.ground, "b3", d=0.4, points=rng.normal(size=(3, 3)))
    assert_same(*both(m, vv.RK4()))


def test_coordinates_that_act_together_do_so_as_in_numpy():
    """A spring across joints with a matrix of damping, matrices of friction of a joint and of a ball."""
    kinds = ("revolute", "cylindrical", "universal", "spherical")
    m = tree(4, kinds, frictions={"universal": np.diag([0.2, 0.3]) + 0.1, "spherical": np.diag([0.2, 0.3, 0.4]) + 0.1})
    m.joint_spring(
        "magnets",
        ["j0", ("j1", 0), ("j1", 1), ("j2", 1)],
        energy=lambda a, b, c, d: 2 * (1 - np.cos(a - b)) + (b - c) ** 2 * (1 + c**2) + 3 * (c + d) ** 2,
        damping=0.2 * np.eye(4) + 0.1,
    )
    one, two = both(m, vv.RK4())
    assert_same(one, two)
    assert two["heat"][-1] > 1e-4


def test_a_body_that_is_fixed_is_part_of_what_carries_it():
    m = tree(3, ("revolute", "revolute"), particle=False)
    tip = m.body("tip", mass=0.4, inertia=(0.01, 0.02, 0.02), at=(1, 1, 0))
    post = m.body("post", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 2))
    m.fixed("weld", "b1", tip, at=(1, 1, 0))
    m.fixed("bolt", m.ground, post, at=(0, 0, 2))
    m.spring("stay", tip, post, k=40.0, damping=0.2)
    m.wrench("push", tip)
    assert_same(*both(m, vv.RK4(), inputs={"push": (0.1, 0.2, 0.3, 1, 2, 3)}))


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_every_scheme_takes_all_of_it(scheme):
    m = acted_on("spring", "hardening", "torsion", "drag", "inputs", frictions=FRICTIONS)
    one, two = both(m, scheme, 0.004, 0.002, GIVEN)
    assert_same(one, two)
    assert one.audit().first_law <= max(2 * two.audit().first_law, 1e-13)


def test_all_together_goes_where_the_director_engine_goes():
    m = acted_on("spring", "torsion", "drag", "stops", "inputs", frictions=FRICTIONS)
    run = vv.simulate(m, 0.02, 1e-3, integrator=vv.Gauss8(), inputs=GIVEN)
    ends = [vv.simulate(m, 0.02, h, integrator=vv.PHMP(), inputs=GIVEN) for h in (1e-3, 5e-4)]
    assert run.engine == ends[0].engine == "compiled"
    for name in ("b3.r", "b5.r", "p.r", "heat.line", "heat.fins", "heat.limit", "hand.work", "motor.work"):
        error = np.abs(ends[1][name][-1] - ends[0][name][-1]).max()
        extrapolated = ends[1][name][-1] + (ends[1][name][-1] - ends[0][name][-1]) / 3
        assert_allclose(run[name][-1], extrapolated, rtol=0, atol=max(0.05 * error, 1e-9), err_msg=name)
        assert error > 0


@pytest.fixture(scope="module")
def exact():
    """A smooth damped tree, and where SciPy takes it by the equations in NumPy."""
    m = acted_on("spring", "hardening", "torsion", "point_springs")
    form = vv.analytical(m)
    q, xi, s = form.initial

    def rates(t, y):
        u, v = y[: len(q)], y[len(q) :]
        return np.concatenate([form.q_dot(u, v), form.rates(t, u, v, s)[0]])

    found = solve_ivp(rates, (0, 0.2), np.concatenate([q, xi]), method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    return m, form.at(found[: len(q)], found[len(q) :]).x


@pytest.mark.parametrize("scheme", [s for s in SCHEMES if s.fixed_step], ids=repr)
def test_a_scheme_goes_where_scipy_goes_at_its_order(scheme, exact):
    m, x = exact
    steps = (8, 16) if scheme.order == 4 else (4, 8)
    gaps = [np.abs(vv.simulate(m, 0.2, 0.2 / n, integrator=scheme).final.x - x).max() for n in steps]
    assert np.log2(gaps[0] / gaps[1]) > scheme.order - 0.7
    assert gaps[1] < (1e-4 if scheme.order == 4 else 1e-5)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_adaptive_steps_keep_the_error_near_the_tolerance(tolerance, exact):
    m, x = exact
    run = vv.simulate(m, 0.2, 0.1, integrator=vv.DOP853(tolerance))
    assert np.abs(run.final.x - x).max() < 100 * tolerance


@pytest.mark.parametrize("scheme", [vv.Relaxed(), vv.BalancedGauss8()], ids=repr)
@pytest.mark.parametrize("kind", ["spring", "hardening", "torsion", "bushing", "trace_spring", "stiffness"])
def test_energy_of_elements_is_in_the_balance(scheme, kind):
    run = vv.simulate(acted_on(kind), 0.2, 0.01, integrator=scheme)
    audit = run.audit()
    assert run.engine == "compiled"
    assert not run.notes  # a step whose balance is not closed is one
    assert audit.first_law < 1e-13
    heat = sum(run[name][-1] for name in run.names if name.startswith("heat."))
    moved = np.abs(run["energy"] - run["energy"][0]).max()
    assert moved == pytest.approx(heat, rel=1e-9, abs=1e-12 * np.abs(run["energy"]).max())
    stored = [
        run[f"energy.{part.name}"] for part in (*run.model.definition.elements, *run.model.definition.joint_elements)
    ]
    assert any(np.ptp(one) > 0.02 for one in stored)


def test_angles_count_their_turns():
    m = vv.Mechanism("wheel")
    other, wheel = (m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.2)) for name in ("other", "wheel"))
    m.revolute("rest", m.ground, other, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("axle", m.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=40.0)
    m.torsion("coil", "axle", energy=lambda a: 0.3 * a**2 + 1e-4 * a**4)
    for scheme in (vv.Relaxed(), vv.Gauss8()):
        run = vv.simulate(m, 1.0, 0.01, integrator=scheme)
        a = np.abs(run["coil.angle"]).max()
        assert a > 4 * np.pi
        assert 0.3 * a**2 + 1e-4 * a**4 == pytest.approx(0.5 * 0.2 * 40**2, rel=1e-3)
        assert run.audit().first_law < 1e-10


def test_a_run_goes_on_as_if_it_had_not_stopped():
    m = acted_on("spring", "torsion", "inputs")
    whole = vv.simulate(m, 0.2, 0.01, integrator=vv.DOP853(None), inputs=GIVEN)
    half = vv.simulate(m, 0.1, 0.01, integrator=vv.DOP853(None), inputs=GIVEN)
    rest = vv.simulate(m, 0.2, 0.01, integrator=vv.DOP853(None), inputs=GIVEN, initial=half.final)
    assert_allclose(rest.final.x, whole.final.x, rtol=0, atol=1e-13 * np.abs(whole.final.x).max())


# -- feedback ----------------------------------------------------------------------------------------------------------


def held(t, x, z):
    """A hand that follows a moving point, with damping: a force at the centre of mass, in world axes."""
    r, v = x["b4.q"].r, z["b4.v"]
    return [0.0, 0.0, -0.2 * v[2], -8.0 * (r[0] - 0.1 * t), -8.0 * r[1] - 0.5 * v[4], -8.0 * r[2]]


def lashed(x):
    """A torque by the length of a spring and the angle of a torsion."""
    return 0.3 * x["line.y"] - 2.0 * x["coil.angle"] + x["pendulous.angle"]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_inputs_by_feedback_are_those_of_numpy(scheme):
    m = acted_on("spring", "torsion", "inputs")
    one, two = both(m, scheme, 0.004, 0.002, GIVEN | {"hand": held, "motor": lashed})
    assert_same(one, two)
    assert np.ptp(one["motor.u"]) > 0


def test_feedback_in_joints_alone_is_compiled():
    m = vv.Mechanism("wheel")
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.revolute("axle", m.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=1.0)
    m.torque("brake", "axle")
    run = vv.simulate(m, 1.0, 0.05, integrator=vv.DOP853(None), inputs={"brake": lambda t, z: -0.4 * z["wheel.v"][2]})
    assert run.engine == "compiled"
    assert_allclose(run["axle.rate"], np.exp(-2.0 * run.t), atol=1e-12)
    assert_allclose(run.record.u_mid[:, 0], 4.0 * np.diff(np.exp(-2.0 * run.t)), atol=1e-12)  # means over steps
    assert run["brake.work"][-1] == pytest.approx(0.1 * (np.exp(-4.0) - 1), abs=1e-12)


def test_feedback_that_cannot_be_compiled_says_which():
    m = acted_on("spring", "inputs")
    given = {"motor": lambda z: 0.1 * z["line.y"]}
    with pytest.warns(vv.RunWarning, match="it ran in NumPy"):
        run = vv.simulate(m, 0.002, 0.001, integrator=vv.RK4(), inputs=given)
    assert run.engine == "NumPy"
    assert run.notes == (
        "it ran in NumPy, not in compiled code, which is slower: the input of port 'motor' depends on the effort of "
        "'line.y'. Where that is meant, say compiled=False of the integrator.",
    )


# -- what is not compiled, and what breaks -----------------------------------------------------------------------------


def test_inputs_that_change_too_often_are_said():
    m = acted_on("inputs", kinds=("revolute", "prismatic", "revolute", "revolute", "revolute"))
    rng = np.random.default_rng(0)
    with pytest.warns(vv.RunWarning, match="some of it ran in NumPy"):
        run = vv.simulate(m, 0.01, 0.01, integrator=vv.DOP853(1e-2), inputs={"motor": lambda t: 1e-6 * rng.normal()})
    (note,) = run.notes
    assert note == (
        "some of it ran in NumPy, not in compiled code, which is slower: the inputs change too often between t = 0 s "
        "and 0.01 s. Where that is meant, say compiled=False of the integrator."
    )
    assert note in run.audit().warnings


@pytest.mark.parametrize("scheme", [vv.RK4(), vv.DOP853(), vv.Gauss8()], ids=repr)
def test_a_spring_beyond_its_domain_ends_the_run(scheme):
    m = vv.Mechanism("drop", gravity=(0, 0, -10.0))
    m.particle("p", mass=1.0, at=(0, 0, 1.0))
    m.spring("fuse", m.ground, "p", at_a=(0, 0, 3.0), energy=lambda l: 0.1 * np.sqrt(3.0 - l))
    with pytest.raises(vv.ConvergenceError) as caught:
        vv.simulate(m, 1.0, 0.02, integrator=scheme)
    run = caught.value.run
    assert 0.3 < run.t[-1] <= 0.46
    assert np.isfinite(run["p.r"]).all()
