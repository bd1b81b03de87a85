"""Energy-preserving Gauss collocation: order 4 and both laws, on problems where quadrature or midpoint would fail."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import free_pair, pair_with
from scipy.integrate import solve_ivp
from systems import damper, entropy, hard_spring, hot, oscillator
from test_ephs_laws import STEPS, SYSTEMS, cooled, lever_system, pendulum
from test_models import oscillator as driven_oscillator
from test_models import series_damper, spinning_body

import visviva as vv
from visviva.geometry.embedding import Flat, ProductSpace
from visviva.integrate import Newton, collocation
from visviva.integrate.collocation import ENDS, MEANS, STARTS, EnergyCollocation, check_left_out, lagrange_integrals
from visviva.integrate.newton import NotConverged
from visviva.language import Quantity, compose, environment, storage
from visviva.model import (
    Dissipation,
    Energy,
    Junction,
    Kinetic,
    Model,
    QuadraticEnergy,
    Routing,
    Rows,
    Variable,
    canonical,
)
from visviva.model.rhs import rhs
from visviva.testing import measured_order


def gas_and_piston():
    """U = V^(-2/3) e^s with one storage of two variables, friction of the piston heats the gas; θ0 = 1, p0 = 1."""

    def U(x):
        return np.exp(x[..., 0]) * x[..., 1] ** (-2 / 3)

    def exergy(x):
        return U(x) - x[..., 0] + x[..., 1]

    def slope(x):
        return np.stack([U(x) - 1, -2 / 3 * U(x) / x[..., 1] + 1], -1)

    def friction(_, e):  # on (s, V, p), e = (θ - 1, p0 - pressure, v)
        theta, v, zero = e[..., 0] + 1, e[..., 2], 0 * e[..., 0]
        rows = [[v**2 / theta, zero, -v], [zero, zero, zero], [-v, zero, theta]]
        return 0.3 * np.stack([np.stack(row, -1) for row in rows], -2)

    J = np.array([[0, 0, 0], [0, 0, 1.0], [0, -1, 0]])
    return Model(
        "gas and piston",
        (Variable("gas", ProductSpace((Flat(1), Flat(1)))), Variable("p", Flat(1))),
        (Energy("gas", "gas", exergy, slope), QuadraticEnergy("piston", "p", np.eye(1))),
        (Routing("push", ("gas", "p"), J), Dissipation("friction", ("gas", "p"), friction)),
        theta0=1.0,
    )


def knife_edge():
    """A blade on a slope: its rows depend on the state, and have no g."""

    def C(q):
        s, c = np.sin(q[..., 2]), np.cos(q[..., 2])
        return np.stack([-s, c, 0 * s], -1)[..., None, :]

    def height(q):
        return 3 * q[..., 0] + 0.5 * q[..., 1] ** 2

    def slope(q):
        return np.stack([np.full(q.shape[:-1], 3.0), q[..., 1], 0 * q[..., 2]], -1)

    return Model(
        "knife edge",
        (Variable("q", Flat(3)), Variable("v", Flat(3))),
        (Kinetic("blade", "v", np.diag([1.0, 1.0, 0.5])), Energy("slope", "q", height, slope)),
        (
            canonical("motion", "q", "v", 3),
            Rows("edge", ("v",), 1, C, ("q",)),
            Dissipation("air", ("v",), 0.2 * np.eye(3)),
        ),
    )


PUSH = {"p": lambda t: np.sin(3 * t)}
PROBLEMS = {
    "driven hard oscillator": (vv.compile(oscillator(hard_spring())), {"q": 1.0, "p": 0.2}, PUSH),
    "driven hot pendulum": (vv.compile(hot(pendulum())), {"osc.q": 2.5, "p": 1.0, "s": -0.1}, PUSH),
    "gas and piston": (gas_and_piston(), {"gas": [0.3, 0.6], "p": 0.2}, {}),
    "junction without storage": (series_damper(), {"q": 0.5, "p": 1.0}, {}),
}


@pytest.mark.parametrize(("model", "start", "inputs"), PROBLEMS.values(), ids=PROBLEMS)
def test_order_four_against_an_explicit_solver(model, start, inputs):
    x0 = model.pack(start)
    exact = solve_ivp(rhs(model, inputs), (0, 2), x0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    def solution(h):
        run = vv.simulate(model, t_end=2.0, h=h, integrator=EnergyCollocation(), initial=start, inputs=inputs)
        assert run.audit().ok
        return run.final.x

    assert measured_order(solution, 0.05, exact) == pytest.approx(4, abs=0.1)


def test_order_four_along_rows_that_depend_on_the_state():
    """Against the equations in the blade's own speeds; across it, velocities of nodes have order 2."""

    def reduced(_, y):
        (c, s), (speed, spin) = (np.cos(y[2]), np.sin(y[2])), y[3:]
        return [speed * c, speed * s, spin, -3 * c - y[1] * s - 0.2 * speed, -0.4 * spin]

    exact = solve_ivp(reduced, (0, 1), [0, 0, 0.3, 1, 2], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    start = {"q": [0, 0, 0.3], "v": [np.cos(0.3), np.sin(0.3), 2.0]}
    across = []

    def solution(h):
        run = vv.simulate(knife_edge(), t_end=1.0, h=h, integrator=EnergyCollocation(), initial=start)
        assert run.audit().ok
        q, v = run["q"][-1], run["v"][-1]
        c, s = np.cos(q[2]), np.sin(q[2])
        across.append(abs(c * v[1] - s * v[0]))
        return np.array([*q, c * v[0] + s * v[1], v[2]])

    assert measured_order(solution, 0.05, exact) == pytest.approx(4, abs=0.1)
    assert np.log2(across[0] / across[1]) == pytest.approx(2, abs=0.1)


def test_without_extrapolation_the_order_is_two(monkeypatch):
    """The test of the order can refute: one subdivision alone keeps the energy and loses the order."""
    monkeypatch.setattr(collocation, "RICHARDSON", {2: 1.0})
    for name, values in zip(("STARTS", "ENDS", "MEANS"), collocation._telescopes(), strict=True):
        monkeypatch.setattr(collocation, name, values)
    monkeypatch.setattr(collocation, "TABLEAU", collocation._tableau())
    model, start, _ = PROBLEMS["gas and piston"]
    exact = solve_ivp(rhs(model), (0, 2), model.pack(start), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    def solution(h):
        run = vv.simulate(model, t_end=2.0, h=h, integrator=EnergyCollocation(), initial=start)
        assert run.audit().ok
        return run.final.x

    assert measured_order(solution, 0.05, exact) == pytest.approx(2, abs=0.1)


# -- the laws --------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length are what it is about
@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(("system", "start"), SYSTEMS.values(), ids=SYSTEMS)
def test_both_laws_at_any_step_size(system, start, h):
    audit = vv.simulate(system, t_end=30 * h, h=h, initial=start, integrator=EnergyCollocation()).audit()
    assert audit.ok
    assert audit.first_law <= 1e-13


@pytest.mark.parametrize("h", [0.3, 0.03, 0.003, 0.0003])
def test_an_energy_of_two_variables_closes_as_well(h):
    start = {"gas": [0.3, 0.6], "p": 0.2}
    audit = vv.simulate(gas_and_piston(), t_end=30 * h, h=h, initial=start, integrator=EnergyCollocation()).audit()
    assert audit.ok
    assert audit.first_law <= 1e-13


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length are what it is about
@pytest.mark.parametrize("h", [1.0, 0.1, 0.01])
def test_no_stage_destroys_entropy(monkeypatch, h):
    """Not only their sum: the heat of every dissipation at every stage."""
    heats, original = [], Model.heats

    def spy(model, x, z):
        heats.append(original(model, x, z))
        return heats[-1]

    monkeypatch.setattr(Model, "heats", spy)
    start = {"osc.q": 2.5, "p": 1.0, "s": -0.1}
    run = vv.simulate(
        hot(pendulum()), t_end=30 * h, h=h, initial=start, integrator=EnergyCollocation(compiled=False), inputs=PUSH
    )
    stages = np.array(heats)
    assert len(stages) >= 30  # and those that look whether steps are short enough
    assert stages.min() >= 0
    assert run.audit().ok


@pytest.mark.parametrize("h", [1.0, 0.1, 0.01])
def test_work_of_an_input_is_what_the_stages_took_up(h):
    run = vv.simulate(
        driven_oscillator(),
        t_end=30 * h,
        h=h,
        initial={"q": 1.2, "p": 0.3},
        inputs={"push": lambda t: np.cos(t)},
        integrator=EnergyCollocation(),
    )
    balance = run["energy"] + run["heat"] - run["work"]
    np.testing.assert_allclose(balance, balance[0], rtol=0, atol=1e-13 * run.energy_scale)
    assert np.abs(run["push.work"]).max() > 0
    t = (run.t_mid[:, None] + h * np.array([-1, 1]) * np.sqrt(3) / 6).T
    np.testing.assert_allclose(run["push.u"][:, 0], np.cos(t).mean(0), atol=1e-14)


def brake():
    """Friction driven from outside, its heat taken by the environment: no states, one junction."""
    boxes = {"mf": damper(), "env": environment({"s": entropy})}
    return compose("brake", boxes, {"p": ("mf.p",), "s": ("mf.s", "env.s")}, outer=("p",))


def test_a_system_without_states():
    run = vv.simulate(brake(), 1.0, 0.1, initial={}, inputs={"p": lambda t: 0.6 * t}, integrator=EnergyCollocation())
    assert run.audit().ok
    assert run["work"][-1] == pytest.approx(0.6**2 / 0.2 / 3, rel=1e-12)  # v = f/d; Gauss is exact for t²
    assert 300 * run["s"][-1, 0] == pytest.approx(run["work"][-1], rel=1e-12)


# -- the construction ------------------------------------------------------------------------------------------------


def test_means_of_constants_are_constants_and_telescopes_close():
    np.testing.assert_allclose(MEANS.sum(1), 1, atol=1e-15)
    np.testing.assert_allclose(lagrange_integrals(np.array([0.0, 1.0])), [[0, 0], [0.5, 0.5]], atol=1e-16)
    rng = np.random.default_rng(0)
    xi, H = rng.standard_normal(2), lambda x: np.cosh(x) + x**3
    x0, x1 = (lagrange_integrals(tau) @ xi for tau in (STARTS, ENDS))
    e = MEANS @ ((H(x1) - H(x0)) / (x1 - x0))
    assert 0.5 * xi @ e == pytest.approx(H(xi.mean()) - H(0), abs=1e-15)


@pytest.mark.parametrize("kinetic", [True, False])
def test_it_is_gauss_for_quadratic_energies(kinetic):
    """One step is the (2, 2) Padé approximant of the exponential, whether p or v is the state."""
    K = np.array([[2.0, 0.3], [0.3, 1.0]])
    M = np.array([[1.5, 0.2], [0.2, 0.8]])
    inertia = Kinetic("m", "v", M) if kinetic else QuadraticEnergy("m", "v", np.linalg.inv(M))
    model = Model(
        "linear",
        (Variable("q", Flat(2)), Variable("v", Flat(2))),
        (QuadraticEnergy("k", "q", K), inertia),
        (canonical("c", "q", "v", 2), Dissipation("d", ("v",), 0.1 * np.eye(2))),
    )
    h, v0 = 0.7, np.array([0.4, -1.0])
    run = vv.simulate(
        model, t_end=h, h=h, initial={"q": [1.0, 0.5], "v": v0 if kinetic else M @ v0}, integrator=EnergyCollocation()
    )
    A = h * np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -0.1 * np.linalg.inv(M)]])
    one = np.eye(4)
    expected = np.linalg.solve(one - A / 2 + A @ A / 12, (one + A / 2 + A @ A / 12) @ [1.0, 0.5, *v0])
    q, v = run["q"][-1], run["v"][-1]
    np.testing.assert_allclose([*q, *(v if kinetic else np.linalg.solve(M, v))], expected, rtol=1e-14)


def test_a_continued_run_is_the_same_run():
    model, start, inputs = PROBLEMS["driven hot pendulum"]
    scheme = EnergyCollocation()
    whole = vv.simulate(model, t_end=1.0, h=0.05, initial=start, inputs=inputs, integrator=scheme)
    half = vv.simulate(model, t_end=0.5, h=0.05, initial=start, inputs=inputs, integrator=scheme)
    rest = vv.simulate(model, t_end=1.0, h=0.05, initial=half.final, inputs=inputs, integrator=scheme)
    np.testing.assert_array_equal(rest.final.x, whole.final.x)
    np.testing.assert_array_equal(rest.final.taken, whole.final.taken)


def test_a_run_may_change_the_scheme():
    model, start, inputs = PROBLEMS["driven hot pendulum"]
    run = vv.simulate(model, t_end=0.5, h=0.05, initial=start, inputs=inputs, integrator=vv.DiscreteGradient())
    for scheme in (EnergyCollocation(), vv.DiscreteGradient()):
        run = vv.simulate(model, t_end=run.t[-1] + 0.5, h=0.05, initial=run.final, inputs=inputs, integrator=scheme)
        assert run.audit().ok


def test_redundant_rows_are_solved_once_and_checked():
    lever = np.array([[1.0, -2.0]])
    model = Model(
        "levers",
        (Variable("a", Flat(1)), Variable("b", Flat(1))),
        (QuadraticEnergy("m1", "a", np.eye(1)), QuadraticEnergy("m2", "b", np.eye(1) / 3)),
        (Rows("one", ("a", "b"), 1, lever), Rows("two", ("a", "b"), 1, lever)),
    )
    run = vv.simulate(model, t_end=1.0, h=0.1, initial={"a": 1.0, "b": 1.5}, integrator=EnergyCollocation())
    np.testing.assert_allclose(run["a"][:, 0], 1.0, rtol=1e-14)
    x = np.array([[1.0, 1.4]])
    with pytest.raises(NotConverged, match="a redundant constraint is violated") as violated:
        check_left_out(model, np.array([True, False]), x, model.z(x), np.zeros(0))
    assert violated.value.where == "nonholonomic row of 'two'"


# -- what it refuses -------------------------------------------------------------------------------------------------


def test_rotations_are_refused_by_name():
    with pytest.raises(vv.ModelError, match=r"flat state spaces; 'R' of 'spinning body' has rotations.\nUse vv.Disc"):
        EnergyCollocation().prepare(spinning_body())
    with pytest.raises(vv.ModelError, match=r"'a.q' of 'pair' has rotations"):
        vv.simulate(pair_with(), t_end=1.0, h=0.1, integrator=EnergyCollocation())


def test_holonomic_rows_are_refused_by_name():
    with pytest.raises(vv.ModelError, match=r"holonomic constraints; 'free pair' has: .*hinge, ball.\nUse vv.PHMP"):
        EnergyCollocation().prepare(vv.compile(free_pair(), "directors"))


def test_a_stage_at_a_negative_temperature_is_refused():
    """300 K + 100 K per J/K of entropy: the flow that leaves would cool the second stage below zero."""
    with pytest.raises(vv.ConvergenceError, match=r"temperature at junction 's' would be -\d+") as failure:
        vv.simulate(cooled(), t_end=2.0, h=1.0, initial={"s": 0.0}, inputs={"s": -2.9}, integrator=EnergyCollocation())
    assert failure.value.run.final.x == pytest.approx([-2.9])


def test_what_is_not_determined_is_named():
    model = Model("free", (Variable("a", Flat(1)),), (), (), junctions=(Junction("w", 1),))
    with pytest.raises(vv.ModelError, match="'free' does not determine: effort row of 'w'"):
        vv.simulate(model, t_end=1.0, h=0.1, initial={"a": 0.0}, integrator=EnergyCollocation())


def test_a_step_that_fails_names_its_worst_row():
    hasty = EnergyCollocation(newton=Newton(max_iterations=1))
    model, start, inputs = PROBLEMS["driven hot pendulum"]
    with pytest.raises(vv.ConvergenceError, match=r"no convergence in 1 iterations, worst in the variable '"):
        vv.simulate(model, t_end=1.0, h=1.0, initial=start, inputs=inputs, integrator=hasty)
    idle = EnergyCollocation(newton=Newton(max_iterations=0))
    with pytest.raises(vv.ConvergenceError, match=r"worst in the nonholonomic row of 'lever'"):
        vv.simulate(lever_system(), t_end=1.0, h=1.0, initial={"a": 1.0, "b": 1.5 * (1 + 1e-9)}, integrator=idle)
    pe = storage({"q": Quantity("R", "displacement")}, H=lambda x: x.q - np.log(x.q))
    walled = compose("walled", {"pe": pe}, {"q": ("pe.q",)}, outer=("q",))
    with pytest.raises(vv.ConvergenceError, match="not finite"):
        vv.simulate(walled, t_end=1.0, h=1.0, initial={"q": 1.0}, inputs={"q": -3.0}, integrator=EnergyCollocation())
