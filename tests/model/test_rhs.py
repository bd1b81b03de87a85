"""The right-hand side of a model: integrators and explicit solvers of ODEs are tested against each other."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import pair_with
from scipy.integrate import solve_ivp
from systems import hot, oscillator
from test_ephs_laws import lever_system, loose_spring, pendulum, two_bodies
from test_models import oscillator as driven_oscillator
from test_models import series_damper, spinning_body

import visviva as vv
from visviva.compiler import compile_mechanism, initial_x
from visviva.geometry import SO3
from visviva.geometry.embedding import Flat
from visviva.model import Dissipation, Junction, Kinetic, Model, Port, QuadraticEnergy, Routing, Variable, canonical
from visviva.model.rhs import rhs
from visviva.testing import measured_order

PUSH = {"push": lambda t: np.cos(2 * t)}
PROBLEMS = {
    "driven oscillator": (driven_oscillator(), {"q": 1.2, "p": 0.3}, PUSH, "DOP853"),
    "hot pendulum": (vv.compile(hot(pendulum())), {"osc.q": 2.5, "p": 1.0, "s": -0.1}, {}, "DOP853"),
    "two bodies": (vv.compile(two_bodies()), {"a": 0.3, "b": -0.2}, {}, "Radau"),
    "series damper": (series_damper(), {"q": 0.5, "p": 1.0}, {}, "Radau"),
    "spinning body": (spinning_body(), {"R": np.eye(3).ravel(), "p": [0.3, 2.0, -1.0]}, {}, "DOP853"),
}


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # it has no compiled form
@pytest.mark.parametrize(("model", "start", "inputs", "method"), PROBLEMS.values(), ids=PROBLEMS)
def test_the_discrete_gradient_converges_to_it(model, start, inputs, method):
    x0, f = model.pack(start), rhs(model, inputs)
    exact = solve_ivp(f, (0, 1), x0, method=method, rtol=1e-9, atol=1e-11).y[:, -1]

    def solution(h):
        run = vv.simulate(model, t_end=1.0, h=h, integrator=vv.DiscreteGradient(), initial=start, inputs=inputs)
        return run.final.x

    assert measured_order(solution, 0.02, exact) == pytest.approx(2, abs=0.05)


def test_energy_falls_by_what_the_structures_say():
    """Ḣ along f is yᵀu - zᵀR z."""
    model = driven_oscillator()
    x, h = model.pack({"q": 1.2, "p": 0.3}), 1e-5
    x_dot = rhs(model, {"push": 0.7})(0.0, x)
    z = model.z(x)
    slope = (model.H(x + h * x_dot) - model.H(x - h * x_dot)) / (2 * h)
    assert slope == pytest.approx(model.outputs(x, z) @ [0.7] - model.heats(x, z).sum(), rel=1e-8)


def test_poses_move_along_their_space():
    """Free bodies: Ṙ = R ω̂ and ṙ = v in the coordinates of x."""
    m = vv.Mechanism("free", gravity=(0, 0, -9.81))
    R = SO3.exp([0.3, -0.2, 0.5]).R
    m.body("a", inertia=vv.inertia.box(2.0, (1.0, 0.5, 0.2)), rotation=R, twist=(1, 2, -3, 0.4, 0, 0.2))
    model = compile_mechanism(m, "lie")
    x = initial_x(model, m.assemble()[0])
    x_dot = rhs(model)(0.0, x)
    V = x[model.layout.x["a.v"]]
    pose, rate = x[model.layout.x["a.q"]], x_dot[model.layout.x["a.q"]]
    R, R_dot = (part[3:].reshape(3, 3).T for part in (pose, rate))
    spin = R.T @ R_dot
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], V[:3], atol=1e-14)
    np.testing.assert_allclose(spin, -spin.T, atol=1e-14)
    np.testing.assert_allclose(rate[:3], V[3:], atol=1e-14)
    np.testing.assert_allclose(x_dot[model.layout.x["a.v"]], model.accelerations(x).v_dot, atol=1e-12)


def series(law):
    """A spring and a damper with R = law(w) in series: q' = v - w, p' = -F, 0 = F - R(w) w."""
    return Model(
        "series",
        (Variable("q", Flat(1)), Variable("p", Flat(1))),
        (QuadraticEnergy("spring", "q", np.array([[4.0]])), QuadraticEnergy("mass", "p", np.array([[1.0]]))),
        (
            Routing("link", ("q", "p", "w"), np.array([[0.0, 1, -1], [-1, 0, 0], [1, 0, 0]])),
            Dissipation("damper", ("w",), lambda _, e: law(e)[..., None]),
        ),
        junctions=(Junction("w", 1),),
    )


def test_a_junction_whose_dissipation_depends_on_its_effort():
    """Quadratic damping, R = |w|: F = w |w|."""
    f = rhs(series(np.abs))
    for q in (0.5, -0.3):
        F = 4 * q
        np.testing.assert_allclose(f(0.0, np.array([q, 0.2])), [0.2 - np.sign(F) * np.sqrt(abs(F)), -F], rtol=1e-10)


def test_a_junction_with_an_input():
    """0 = F - d w + u at the junction."""
    base = series(lambda e: np.full_like(e, 0.7))
    model = Model(
        "pushed",
        base.variables,
        base.storages,
        (*base.structures, Port("u", ("w",), 1, np.eye(1))),
        junctions=base.junctions,
    )
    np.testing.assert_allclose(rhs(model, {"u": lambda t: t})(3.0, np.array([0.5, 0.2])), [0.2 - (2 + 3) / 0.7, -2])


# -- errors ----------------------------------------------------------------------------------------------------------


def test_rows_that_constrain_the_state_are_named():
    model = compile_mechanism(pair_with(), "lie")
    with pytest.raises(
        vv.ModelError, match=r"'h1', 'h2' of 'pair' constrain the state itself: .*\nof an index above 1"
    ):
        rhs(model)(0.0, initial_x(model, pair_with().assemble()[0]))
    with pytest.raises(vv.ModelError, match="'lever' of 'lever' constrain the state itself"):
        rhs(vv.compile(lever_system()))(0.0, np.array([1.0, 1.5]))
    with pytest.raises(vv.ModelError, match="'p' of 'loose' constrain the state itself"):
        rhs(vv.compile(loose_spring()))(0.0, np.array([0.0]))


def test_a_row_without_a_solution_is_named():
    """R = 1/(1 + w²): the damper takes no force above ½."""
    f = rhs(series(lambda e: 1 / (1 + e**2)))
    np.testing.assert_allclose(f(0.0, np.array([0.1, 0.0])), [-0.5, -0.4], rtol=1e-8)  # 0.4 = w/(1 + w²)
    with pytest.raises(vv.ModelError, match=r"the row of 'w' in 'series' has no solution: .* remains"):
        f(0.0, np.array([0.5, 0.0]))


def test_a_motion_without_inertia():
    thin = Kinetic("rod", "v", np.diag([0.0, 1.0]))
    model = Model("thin", (Variable("q", Flat(2)), Variable("v", Flat(2))), (thin,), (canonical("c", "q", "v", 2),))
    with pytest.raises(vv.ModelError, match="'rod' of 'thin' can move without inertia"):
        rhs(model)


def test_wrong_inputs_and_states():
    model = driven_oscillator()
    with pytest.raises(vv.ModelError, match="an input for 'pull', but the ports of 'oscillator' are: push"):
        rhs(model, {"pull": 1.0})
    with pytest.raises(vv.ModelError, match="the ports of 'series' are: none"):
        rhs(series_damper(), {"pull": 1.0})
    with pytest.raises(vv.ModelError, match=r"input of port 'push' at t = 2 s must have shape \(1,\)"):
        rhs(model, {"push": lambda t: [t, t]})(2.0, np.zeros(2))
    with pytest.raises(vv.ModelError, match=r"input of port 'push' at t = 2 s must be finite"):
        rhs(model, {"push": lambda t: np.nan})(2.0, np.zeros(2))
    with pytest.raises(vv.ModelError, match=r"x of 'osc' must have shape \(2,\), got \(3,\)"):
        rhs(vv.compile(oscillator()))(0.0, np.zeros(3))


def test_a_mechanism_has_to_be_compiled_first():
    with pytest.raises(vv.ModelError, match=r"takes a Model, got Mechanism: compile it first"):
        vv.rhs(vv.Mechanism("arm"))
