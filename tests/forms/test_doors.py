"""Doors: simulate, linearise, symbols, report and bond_graph take systems of every kind as they are."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from kane_systems import disc, double_pendulum, driven_pendulum, shaken_pendulum, sleigh
from numpy.testing import assert_allclose

import visviva as vv
from visviva import forms
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian

FINE = vv.DOP853(tolerance=1e-11)
G, LENGTH, K, D, MASS = 9.81, 0.8, 3.0, 0.4, 1.5


def kane_oscillator():
    return vv.kane(
        "oscillator",
        q="x",
        bodies={"block": vv.KaneBody(mass=lambda m: m, v=lambda xi: [xi.x_dot, 0])},
        V=lambda q, k: k * q.x**2 / 2,
        tau={"x_dot": lambda xi, d: -d * xi.x_dot},
        parameters={"m": MASS, "k": K, "d": D},
    )


def straight():
    return vv.Parameterisation(("x",), ("u",), A=[[1.0]], q0=[0.0])


def particle_oscillator():
    ties = [forms.Tie("block", (0, 0, 0), k=K, d=D)]
    return forms.ParticleSystem(straight(), {"block": (MASS, lambda q: [q.x, 0, 0])}, ties=ties)


def hamiltonian_oscillator():
    return PortHamiltonian(
        ("x", "p"),
        lambda x: K * x.x**2 / 2 + x.p**2 / (2 * MASS),
        [[0, 1], [-1, 0]],
        R=np.diag([0, D]),
        G=[[0], [1]],
        inputs=("push",),
        name="oscillator",
    )


def hamel_oscillator():
    return forms.Hamel(straight(), lambda q, xi: MASS * xi.u**2 / 2 - K * q.x**2 / 2, lambda xi: [-D * xi.u])


def lagrangian_oscillator():
    return vv.lagrangian("oscillator", "x", M=[MASS], V=lambda q: K * q.x**2 / 2, damping=[[D]], q0=[0.3])


OSCILLATORS = {
    "kane": (kane_oscillator, ("x", "x_dot"), ([0.3], [0.0]), ([0.0], [0.0])),
    "kane, momenta": (lambda: kane_oscillator().form("momentum"), ("x", "p_x_dot"), ([0.3], [0.0]), ([0.0], [0.0])),
    "particles": (particle_oscillator, ("x", "u"), ([0.3], [0.0]), ([0.0], [0.0])),
    "port-Hamiltonian": (hamiltonian_oscillator, ("x", "p"), {"x": 0.3, "p": 0.0}, {"x": 0.0, "p": 0.0}),
    "Hamel": (hamel_oscillator, ("x", "u"), ([0.3], [0.0]), ([0.0], [0.0])),
    "lagrangian": (lagrangian_oscillator, ("x", "x.rate"), None, {"q": [0.0], "v": [0.0]}),
}


def damped(t):
    w = np.sqrt(K / MASS - (D / (2 * MASS)) ** 2)
    s = D / (2 * MASS)
    return 0.3 * np.exp(-s * t) * (np.cos(w * t) + s / w * np.sin(w * t))


@pytest.mark.parametrize("name", OSCILLATORS)
def test_linear_systems_have_two_states_in_the_users_names(name):
    make, names, _, rest = OSCILLATORS[name]
    found = vv.linearise(make(), at=rest)
    assert found.states == names
    wanted = np.roots([MASS, D, K])
    assert_allclose(np.sort_complex(np.linalg.eigvals(found.A)), np.sort_complex(wanted), atol=1e-9)


@pytest.mark.parametrize("name", OSCILLATORS)
def test_runs_have_an_audit_that_measured_the_balance(name):
    make, _, start, _ = OSCILLATORS[name]
    second = name in ("port-Hamiltonian", "lagrangian")  # of order 2 there
    run = vv.simulate(make(), 2.0, 0.002 if second else 0.05, initial=start)
    found = run.audit()
    assert "first_law" not in found.vacuous
    assert found.first_law < 1e-12
    assert found.drift < 1e-9
    assert found.ok
    assert_allclose(run["x"][-1], damped(2.0), rtol=0, atol=1e-6 if second else 1e-9)


@pytest.mark.parametrize("name", OSCILLATORS)
def test_pages_and_symbols_have_the_users_names(name):
    make = OSCILLATORS[name][0]
    system = make()
    found = vv.symbols(system)
    assert "x" in {str(symbol) for line in found.as_sympy() for symbol in line.free_symbols}
    page = vv.report(system)
    assert "Equations" in page.html
    assert r"\begin{align" in page.latex
    assert vv.bond_graph(system).elements


def test_symbols_are_the_equations_of_the_motion():
    """Right sides against numbers."""
    (rate,) = [line for line in vv.symbols(hamiltonian_oscillator()).as_sympy() if str(line.lhs) == "pdot"]
    at = {"x": 0.2, "p": 0.7, "push": 0.4}
    value = float(rate.rhs.subs({symbol: at[str(symbol)] for symbol in rate.rhs.free_symbols}))
    assert value == pytest.approx(hamiltonian_oscillator().rates([0.2, 0.7], [0.4])[0][1])
    for system in (hamel_oscillator(), lagrangian_oscillator()):
        line = vv.symbols(system, "lagrange").as_sympy()[-2 if isinstance(system, forms.Hamel) else 0]
        left, right = line.lhs - line.rhs, {"x": 0.2, "u": 0.7, "u_dot": 1.1, "x_dot": 0.7, "x_ddot": 1.1}
        value = float(left.subs({symbol: right[str(symbol)] for symbol in left.free_symbols}))
        assert value == pytest.approx(MASS * 1.1 + D * 0.7 + K * 0.2)


def swaying(t=None):
    """A pendulum whose pivot moves; positions depend on time."""
    p = vv.Parameterisation(("a",), ("w",), A=[[1.0]], q0=[0.3])

    def place(q, t):
        return [LENGTH * np.sin(q.a) + 0.2 * np.sin(3 * t), 0, -LENGTH * np.cos(q.a)]

    return forms.ParticleSystem(p, {"bob": (MASS, place)}, gravity=(0, 0, -G))


def test_equations_of_poses_in_time_are_kanes():
    """M ẇ = -m g l sin a - m l cos a x_pivot'', in symbols, numbers and small motions."""
    system, t, a, w = swaying(), 0.4, 0.7, 1.3
    pivot = -0.2 * 9 * np.sin(3 * t)
    wanted = -G / LENGTH * np.sin(a) - np.cos(a) * pivot / LENGTH
    assert_allclose(system.flow.accelerations([a], [w], None, t), [wanted], rtol=1e-12)
    equations = vv.symbols(system)
    (line,) = [line for line in equations.as_sympy() if line.lhs.has(sympy.Symbol("wdot", real=True))]
    known = {"a": a, "w": w, "t": t, "wdot": wanted}
    left = line.lhs - line.rhs
    assert float(left.subs({s: known[str(s)] for s in left.free_symbols})) == pytest.approx(0.0, abs=1e-12)
    about = vv.linearise(system, at=([a], [w], [t]), residual_ok=True)
    assert about.states == ("a", "w")
    assert_allclose(about.A, [[0, 1], [-G / LENGTH * np.cos(a) + np.sin(a) * pivot / LENGTH, 0]], atol=1e-8)
    assert "poses depend on time" in vv.report(system).html


@pytest.mark.parametrize("form", ["velocity", "momentum"])
def test_known_velocities_are_no_states_of_small_motions(form):
    """The pendulum on a driven pivot, at an instant, against slopes of its rates by hand."""
    system, t, theta = driven_pendulum(), 0.3, 0.2
    found = vv.linearise(system.form(form), at=([0.0, theta], [0.0], t), residual_ok=True)
    assert found.states == ("y", "theta", "w" if form == "velocity" else "p_w")
    if form == "velocity":
        pivot = -0.3 * 49 * np.sin(7 * t)
        assert_allclose(found.A[2], [0, -(G + pivot) * np.cos(theta) / 0.7, -0.05 / (1.2 * 0.49)], atol=1e-7)


@pytest.mark.parametrize(
    ("make", "start"),
    [
        (sleigh, ([0, 0, 0], [2.0, 1.0])),
        (disc, ([1.2, 0.3, 0, 0.1], [0.3, 1.1, -4.0])),
        (double_pendulum, ([0.3, -0.4], [1.0, 0.5])),
        (kane_oscillator, ([0.3], [0.1])),
    ],
)
def test_momentum_form_is_a_port_hamiltonian_system(make, start):
    """The same rates, in J = -Jᵀ and R; compiled steps keep its energy, and move as the form does."""
    system = make()
    q, xi = np.array(start[0]) + 0.1, np.array(start[1])
    point, hamiltonian = system.at(q, xi), system.hamiltonian
    x = np.concatenate([q, point.p])
    rates, y = hamiltonian.rates(x, np.zeros(len(xi)))
    assert_allclose(rates, np.concatenate([point.q_dot, point.p_dot]), rtol=0, atol=1e-12 * (1 + np.abs(rates).max()))
    assert_allclose(y, xi, atol=1e-12)
    coarse, fine = (vv.simulate(system, 0.25, h, initial=start, integrator=vv.DiscreteGradient()) for h in (2e-3, 1e-3))
    assert fine.engine == "compiled"
    assert fine.audit().ok
    assert fine.audit().first_law < 1e-13
    reference = vv.simulate(system, 0.25, 0.05, initial=start, integrator=FINE)
    for name in (*system.coordinates, *system.velocities):
        limit = (4 * fine[name][-1] - coarse[name][-1]) / 3
        assert_allclose(limit, reference[name][-1], rtol=0, atol=1e-7)


def test_forces_that_are_no_losses_act_at_inputs():
    system = vv.kane(
        "pushed",
        q="x",
        bodies={"block": vv.KaneBody(mass=2.0, v=lambda xi: [xi.x_dot, 0])},
        tau={"x_dot": lambda q, xi, t: np.sin(3 * t) - q.x**3 - 0.2 * xi.x_dot**3},
    )
    start = ([0.4], [0.3])
    coarse, fine = (vv.simulate(system, 1.0, h, initial=start, integrator=vv.DiscreteGradient()) for h in (2e-3, 1e-3))
    reference = vv.simulate(system, 1.0, 0.05, initial=start, integrator=FINE)
    assert_allclose((4 * fine["x"][-1] - coarse["x"][-1]) / 3, reference["x"][-1], rtol=0, atol=1e-8)
    assert fine.audit().ok
    assert fine.audit().components["impressed"].energy_in < 0
    inputs = {"impressed": [1.0]}
    with pytest.raises(vv.ModelError, match="forces of the model itself"):
        vv.simulate(system, 1.0, 0.1, initial=start, integrator=vv.DiscreteGradient(), inputs=inputs)
    pushed = vv.simulate(system, 1.0, 1e-3, initial=start, integrator=vv.DiscreteGradient(), inputs={"tau_x_dot": 0.5})
    assert pushed["x"][-1] > fine["x"][-1] + 0.05  # inputs come on top


def test_what_no_model_has_is_said():
    for make in (driven_pendulum, shaken_pendulum):
        with pytest.raises(vv.ModelError, match="prescribed in time"):
            vv.simulate(make(), 1.0, 0.1, initial=([0.1, 0.1], [0.0]), integrator=vv.DiscreteGradient())
    with pytest.raises(vv.ModelError, match="starts from values of x, p; 'p' is missing or unknown"):
        vv.simulate(hamiltonian_oscillator(), 1.0, 0.1, initial={"x": 0.1})
    with pytest.raises(vv.ModelError, match="has no director form"):
        vv.symbols(kane_oscillator(), "directors")


def test_inputs_of_a_port_hamiltonian_system_do_work():
    run = vv.simulate(hamiltonian_oscillator(), 1.0, 0.001, initial=[0.0, 0.0], inputs={"push": lambda t: 2.0 * t})
    found = run.audit()
    assert found.ok
    assert found.components["push"].energy_in < -0.1
    linear = vv.linearise(hamiltonian_oscillator(), at=[0.0, 0.0])
    assert linear.inputs == ("push",)
    assert_allclose(linear.B, [[0.0], [1.0]], atol=1e-9)


def test_a_function_that_cannot_be_traced_runs_as_a_flow():
    def H(x):
        return x.p**2 / 2 + x.q**2 if float(getattr(x.q, "value", x.q)) < 1e9 else 0.0 * x.q

    system = PortHamiltonian(("q", "p"), H, [[0, 1], [-1, 0]])
    run = vv.simulate(system, 1.0, 0.1, initial=[1.0, 0.0])
    assert_allclose(run["q"][-1], np.cos(np.sqrt(2)), atol=1e-8)
    assert run.audit().drift < 1e-9
