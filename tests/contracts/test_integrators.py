"""Integrators: every claim of every scheme over a catalogue of mechanisms; schemes that break a claim are caught."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from catalogue import MECHANISMS, free_pair, pair_with
from hypothesis import given, settings
from hypothesis import strategies as st
from test_models import oscillator, series_damper, spinning_body

import visviva as vv
from visviva.compiler import compile_mechanism, initial_x
from visviva.geometry import SO3
from visviva.integrate import INTEGRATORS
from visviva.integrate.integrator import AbstractIntegrator, AbstractStepper
from visviva.integrate.redundancy import select_rows
from visviva.model import State
from visviva.testing import check_conservation, measured_order


def named(integrator):
    return type(integrator).__name__


CASES = [
    pytest.param(integrator, make, id=f"{named(integrator)}-{name}")
    for integrator in INTEGRATORS
    for name, make in MECHANISMS.items()
]


@pytest.mark.parametrize(("integrator", "make"), CASES)
def test_every_claim_holds_on_every_mechanism(integrator, make):
    m = make()
    check_conservation(integrator, m, t_end=0.2, h=0.005 if len(m.joints) > 3 else 0.01)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("integrator", INTEGRATORS, ids=named)
@given(h=st.sampled_from([0.1, 0.03, 0.01, 0.001]), spin=st.floats(-8, 8), rate=st.floats(-8, 8))
@settings(max_examples=8)
def test_energy_and_momentum_at_any_step_size(integrator, h, spin, rate):
    m = vv.Mechanism("free")
    a = m.body("a", inertia=vv.inertia.box(2.0, (1.0, 0.5, 0.2)), twist=(spin, 2, -3, 0.4, 0, 0.2))
    b = m.body("b", inertia=vv.inertia.cylinder(1.0, 0.2, 0.8), at=(1, 0, 0.1))
    m.revolute("hinge", a, b, at=(0.6, 0, 0), axis=(0, 1, 1), rate=rate)
    check_conservation(integrator, m, t_end=10 * h, h=h)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=named)
def test_work_and_heat_of_ports_and_friction_close(integrator):
    m = pair_with(0.3)
    m.torque("motor", "h2")
    m.wrench("wind", "b")
    inputs = {"motor": lambda t: 4 * np.sin(9 * t), "wind": lambda t: np.array([0.2, 0, 0.1, np.cos(5 * t), 0.4, 0])}
    run = vv.simulate(m, t_end=0.5, h=0.02, integrator=integrator, inputs=inputs)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law < 1e-13
    assert np.abs(run["motor.work"]).max() > 0.1
    assert run["heat.h1"][-1] > 0.1
    assert np.diff(run["entropy.h2"]).min() >= 0
    balance = run["energy"] + run["heat"] - run["work"]
    np.testing.assert_allclose(balance, balance[0], rtol=0, atol=1e-12 * run.energy_scale)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=named)
def test_vertical_angular_momentum_of_a_heavy_top(integrator):
    run = vv.simulate(MECHANISMS["heavy top"](), t_end=0.5, h=0.01, integrator=integrator)
    Lz = run["momentum"][:, 2]
    np.testing.assert_allclose(Lz, Lz[0], rtol=1e-13)


def reference_tip(m, t_end):
    """Position of a body by DOP853 on the index-1 form: another formulation, another method."""
    from scipy.integrate import solve_ivp

    model = compile_mechanism(m, "lie")
    x0 = initial_x(model, m.assemble()[0])
    at_v = model.layout.read(tuple(model.kinetic))

    def rhs(_, x):
        V = x[at_v]
        z = model.z(x)
        rates = np.concatenate(
            [
                variable.space.lift(x[model.layout.x[variable.name]]) @ z[model.layout.z[variable.name[:-1] + "v"]]
                for variable in model.variables
                if variable.name not in model.kinetic
            ]
        )
        return np.concatenate([rates, model.accelerations(x, V).v_dot])

    solution = solve_ivp(rhs, (0, t_end), x0, method="DOP853", rtol=1e-11, atol=1e-12)
    return solution.y[model.layout.x["b.q"], -1]


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=named)
def test_measured_order_is_the_declared_order(integrator):
    """Against an independent formulation (index-1, DOP853) on a spatial mechanism with friction."""
    m = pair_with(0.1)
    exact = reference_tip(m, 0.4)

    def solution(h):
        run = vv.simulate(m, t_end=0.4, h=h, integrator=integrator)
        return run.record.x[-1, run.model.layout.x["b.q"]]

    assert measured_order(solution, 0.005, exact) == pytest.approx(integrator.order, abs=0.1)


def test_formulations_agree_to_the_order_of_the_schemes():
    runs = [vv.simulate(free_pair(), t_end=0.5, h=0.005, integrator=integrator) for integrator in INTEGRATORS]
    for run in runs[1:]:
        np.testing.assert_allclose(run["b.r"], runs[0]["b.r"], atol=1e-3)
        np.testing.assert_allclose(run["b.twist"], runs[0]["b.twist"], atol=2e-2)
        np.testing.assert_allclose(run["hinge.q"], runs[0]["hinge.q"], atol=2e-3)


@pytest.mark.parametrize("form", ["lie", "directors"])
def test_the_step_solves_the_model(form):
    """The residual of the scheme is that of the seam: E Δx/h - (J - R) z - B u at the means and ends of the step."""
    m = pair_with(0.2)
    m.torque("motor", "h1")
    model = compile_mechanism(m, form)
    integrator = vv.PHMP() if form == "directors" else vv.DiscreteGradient()
    x0, h, u = initial_x(model, m.assemble()[0]), 0.02, np.array([0.7])
    state = State(x0, np.zeros(len(model.kinds)), model.angles(x0), select_rows(model, x0), np.zeros(0))
    step = integrator.prepare(model).step(state, h, u[None])
    xm, z = (x0 + step.x) / 2, model.mean_z(x0, step.x, step.w)
    rate = np.zeros(model.layout.total)
    for variable in model.variables:
        at, rows = model.layout.x[variable.name], model.layout.z[variable.name]
        moved = (step.x - x0)[at] / h
        rate[rows] = np.linalg.lstsq(variable.space.lift(xm[at]), moved, rcond=None)[0]
    left = model.E(xm) @ rate
    right = model.flow(xm, z, u, ends=(x0, step.x))
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-12 * np.abs(right).max())


# -- models written by hand --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("h", [1.0, 0.1, 0.01])
def test_both_laws_for_a_driven_nonlinear_oscillator(h):
    run = vv.simulate(
        oscillator(),
        t_end=20 * h,
        h=h,
        integrator=vv.DiscreteGradient(),
        initial={"q": [1.2], "p": [0.3]},
        inputs={"push": lambda t: np.cos(t)},
    )
    audit = run.audit()
    assert audit.ok
    assert np.diff(run["entropy.damper"]).min() >= 0


def test_a_junction_without_storage():
    """q' = v - F/d, p' = -F with F = 4 q: against the matrix exponential."""
    from scipy.linalg import expm

    run = vv.simulate(
        series_damper(), t_end=1.0, h=0.001, integrator=vv.DiscreteGradient(), initial={"q": [0.5], "p": [1.0]}
    )
    A = np.array([[-4 / 0.7, 1.0], [-4.0, 0.0]])
    exact = expm(A) @ [0.5, 1.0]
    np.testing.assert_allclose([run["q"][-1, 0], run["p"][-1, 0]], exact, rtol=1e-5)
    assert run.audit().ok
    np.testing.assert_allclose(run.record.w_mid[-1, 0] * 0.7, 4 * run["q"][-1, 0], rtol=1e-2)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # some of it has no compiled form
def test_energy_and_casimir_of_a_body_in_a_field():
    start = {"R": np.eye(3).ravel(), "p": [0.3, 2.0, -1.0]}
    run = vv.simulate(spinning_body(), t_end=5.0, h=0.05, integrator=vv.DiscreteGradient(), initial=start)
    assert run.audit().ok
    R = np.swapaxes(run["R"].reshape(-1, 3, 3), -1, -2)
    field = np.array([0.3, -0.2, 1.0])
    vertical = (np.einsum("nij,nj->ni", R, run["p"])) @ field  # about the axis of the field
    np.testing.assert_allclose(vertical, vertical[0], rtol=0, atol=1e-12)


# -- schemes that break a claim ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spoiled(AbstractIntegrator):
    """PHMP whose every step is changed afterwards, while it goes on to claim everything."""

    how: str = "energy"
    order: ClassVar[int] = 2
    preserves: ClassVar[frozenset[str]] = frozenset({"energy", "momentum", "g", "g_v"})
    form: ClassVar[str] = "directors"

    def prepare(self, model):
        return SpoiledStepper(vv.PHMP().prepare(model), model.layout.size // 2, self.how)


@dataclass(frozen=True, eq=False)
class SpoiledStepper(AbstractStepper):
    inner: AbstractStepper
    n: int
    how: str

    @property
    def width(self):
        return self.inner.width

    def step(self, state, h, u):
        step, n = self.inner.step(state, h, u), self.n
        x = step.x.copy()
        if self.how == "energy":
            x[n:] *= 1 + 1e-10
        elif self.how == "momentum":  # turn all velocities: energy stays
            x[n:] = (x[n:].reshape(-1, 3) @ SO3.exp([0, 0, 1e-8]).R).ravel()
        elif self.how == "g":
            x[:3] += 1e-9
        return dataclasses.replace(step, x=x)


@pytest.mark.parametrize(("how", "law"), [("energy", "energy"), ("momentum", "momentum"), ("g", "g"), ("none", "g_v")])
def test_a_broken_scheme_is_caught(how, law):
    claims = frozenset({law})
    scheme = type("Scheme", (Spoiled,), {"preserves": claims})(how=how)
    with pytest.raises(AssertionError, match=f"^{law}:"):
        check_conservation(scheme, free_pair(), t_end=0.1, h=0.01)


def test_explicit_euler_fails_the_order_and_the_audit():
    """A first-order scheme is not taken for a second-order one."""

    def solution(h):
        q = np.array([1.0, 0.0])
        for _ in range(round(1 / h)):
            q = q + h * np.array([q[1], -q[0]])
        return q

    assert measured_order(solution, 0.01, np.array([np.cos(1), -np.sin(1)])) == pytest.approx(1, abs=0.1)
