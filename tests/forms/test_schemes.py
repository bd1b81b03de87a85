"""Schemes over flows: measured orders, exact balances, symmetry, and agreement with SciPy."""

import numpy as np
import pytest
from flow_problems import FLYER_START, TOP_START, flyer, reference, top
from numpy.testing import assert_allclose

import visviva as vv
from visviva.forms.flows.collocation import gauss_table
from visviva.forms.flows.explicit import RK4_TABLE, dop853_table
from visviva.forms.flows.flow import FlowState
from visviva.forms.flows.schemes import AbstractFlowScheme

SCHEMES = [vv.RK4(), vv.DOP853(tolerance=None), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8()]
EXACT = [scheme for scheme in SCHEMES if "energy" in scheme.preserves]
PROBLEMS = {
    "top": (top(damping=0.3, motor=2.0), TOP_START, {4: (20, 40), 8: (8, 16)}),
    "flyer": (flyer(damping=0.2), FLYER_START, {4: (20, 40), 8: (5, 10)}),
}


def end_error(flow, start, scheme, n, exact):
    run = vv.simulate(flow, 1.0, 1.0 / n, integrator=scheme, initial=start)
    return max(np.abs(run["q"][-1] - exact[0]).max(), np.abs(run["xi"][-1] - exact[1]).max())


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
def test_measured_order_is_the_declared_order(scheme, problem):
    flow, start, steps = PROBLEMS[problem]
    exact = reference(flow, start, 1.0)
    coarse, fine = (end_error(flow, start, scheme, n, exact) for n in steps[scheme.order])
    assert fine < 1e-4 if scheme.order == 4 else fine < 1e-8
    assert np.log2(coarse / fine) == pytest.approx(scheme.order, abs=0.9 if scheme.order == 8 else 0.3)


@pytest.mark.parametrize("table", [RK4_TABLE, dop853_table(), gauss_table()], ids=["RK4", "DOP853", "Gauss8"])
def test_tables_integrate_polynomials(table):
    order = 4 if len(table.b) == 4 and table.c[0] == 0 else 8
    assert_allclose(table.A.sum(1), table.c, atol=1e-13)
    for k in range(order):
        assert table.b @ table.c**k == pytest.approx(1 / (k + 1), abs=1e-13)


@pytest.mark.parametrize("scheme", EXACT, ids=lambda s: type(s).__name__)
def test_stored_energy_is_the_start_and_what_was_supplied(scheme):
    """The balance of each step, with the powers at its stages and its own weights."""
    flow = top(damping=0.3, motor=2.0)
    state = flow.checked(TOP_START)
    for _ in range(6):
        step = scheme.step(flow, state, 0.1)
        local = [flow.advance_q(state.q, y[:3]) for y in step.Y]
        stages = zip(step.c, local, step.Y, strict=True)
        powers = [flow.power(state.t + c * step.h, q, y[3:], step.Y[0][6:]) for c, q, y in stages]
        gain = flow.energy(step.end.q, step.end.xi, step.end.s) - flow.energy(state.q, state.xi, state.s)
        assert abs(gain - step.h * step.b @ powers) < 5e-14
        assert step.balanced
        state = step.end


@pytest.mark.parametrize("scheme", [vv.DOP853(tolerance=None), vv.Gauss8()], ids=lambda s: type(s).__name__)
def test_schemes_without_the_claim_do_not_keep_energy(scheme):
    run = vv.simulate(flyer(), 2.0, 0.2, integrator=scheme, initial=FLYER_START)
    assert np.ptp(run["energy"]) > 1e-11


@pytest.mark.parametrize("scheme", EXACT, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("h", [0.02, 0.2])
def test_energy_of_a_closed_system_stays(scheme, h):
    run = vv.simulate(flyer(), 12 * h, h, integrator=scheme, initial=FLYER_START)
    assert np.ptp(run["energy"]) < 2e-14 * run["energy"][0]
    assert run.notes == ()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", EXACT, ids=lambda s: type(s).__name__)
def test_energy_stays_over_many_steps(scheme):
    flow = vv.HandFlow(
        lambda t, q, v: -np.sin(q) - 0.3 * np.sin(q - q[::-1]),
        2,
        energy=lambda q, v: 0.5 * v @ v - np.cos(q).sum() - 0.3 * np.cos(q[0] - q[1]),
    )
    run = vv.simulate(flow, 1000.0, 0.2, integrator=scheme, initial=([2.0, 1.0], [0.0, 0.5]), every=100)
    assert run.steps == 5000
    assert np.ptp(run["energy"]) < 2e-13


@pytest.mark.parametrize("scheme", [vv.Gauss8(), vv.BalancedGauss8()], ids=lambda s: type(s).__name__)
def test_a_step_back_undoes_a_step(scheme):
    flow = vv.HandFlow(lambda t, q, v: -np.sin(q), 1, energy=lambda q, v: 0.5 * v @ v - np.cos(q[0]))
    state = flow.checked(([2.0], [0.5]))
    there = scheme.step(flow, state, 1.0).end
    back = scheme.step(flow, FlowState(there.t, there.q, there.xi, there.s), -1.0).end
    assert np.abs(there.q - vv.RK4().step(flow, state, 1.0).end.q) > 1e-4
    assert_allclose(back.xi, state.xi, atol=1e-14)
    assert_allclose(back.q, state.q, atol=1e-14)


def test_local_coordinates_of_rotations_break_the_symmetry_at_the_order_of_the_scheme():
    flow, state, gaps = flyer(), flyer().checked(FLYER_START), []
    for h in (0.4, 0.2):
        there = vv.Gauss8().step(flow, state, h).end
        back = vv.Gauss8().step(flow, FlowState(there.t, there.q, there.xi, there.s), -h).end
        gaps.append(np.abs(back.q - state.q).max())
    assert gaps[1] > 1e-13
    assert np.log2(gaps[0] / gaps[1]) > 8.5


def test_explicit_steps_are_not_symmetric():
    flow, state = flyer(), flyer().checked(FLYER_START)
    back = vv.RK4().step(flow, vv.RK4().step(flow, state, 0.3).end, -0.3).end
    assert np.abs(back.xi - state.xi).max() > 1e-5


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10, 1e-11])
def test_errors_are_near_the_tolerance(tolerance):
    flow = top(damping=0.1)
    exact = reference(flow, TOP_START, 4.0)
    run = vv.simulate(flow, 4.0, 4.0, integrator=vv.DOP853(tolerance), initial=TOP_START)
    error = max(np.abs(run["q"][-1] - exact[0]).max(), np.abs(run["xi"][-1] - exact[1]).max())
    assert 1e-3 * tolerance < error < 50 * tolerance


def test_steps_are_short_where_motion_is_fast():
    """Two bodies on an eccentric orbit: steps at the pericentre are much shorter than at the apocentre."""
    orbit = vv.HandFlow(
        lambda t, q, v: -q / np.linalg.norm(q) ** 3, 2, energy=lambda q, v: 0.5 * v @ v - 1 / np.linalg.norm(q)
    )
    e = 0.9
    run = vv.simulate(orbit, 2 * np.pi, 1.0, initial=([1 - e, 0], [0, np.sqrt((1 + e) / (1 - e))]))
    h = np.diff(run.t)
    assert h.max() > 20 * h.min()
    assert_allclose(run["q"][-1], [1 - e, 0], atol=2e-7)


def test_stiff_springs_are_solved_by_newton():
    """A spring of 10⁴ rad/s with a step in which it turns a hundred times, beside a slow one."""
    stiff = np.array([1e8, 1.0])
    flow = vv.HandFlow(lambda t, q, v: -stiff * np.sin(q), 2, energy=lambda q, v: 0.5 * v @ v - stiff @ np.cos(q))
    run = vv.simulate(flow, 1.0, 0.1, integrator=vv.Gauss8(), initial=([1e-7, 1.0], [0, 0]))
    alone = vv.HandFlow(lambda t, q, v: -np.sin(q), 1)
    exact = vv.simulate(alone, 1.0, 0.01, integrator=vv.Gauss8(), initial=([1.0], [0.0]))
    assert run["q"][-1, 1] == pytest.approx(exact["q"][-1, 0], abs=1e-11)
    assert np.abs(run["q"][:, 0]).max() < 1.1e-7


def test_relaxation_and_balance_do_nothing_at_rest():
    flow = vv.HandFlow(lambda t, q, v: -np.sin(q), 1, energy=lambda q, v: 0.5 * v @ v - np.cos(q[0]))
    for scheme in EXACT:
        run = vv.simulate(flow, 1.0, 0.1, integrator=scheme, initial=([0.0], [0.0]))
        assert_allclose(run["q"], 0.0, atol=1e-300)
        assert_allclose(np.diff(run.t), 0.1, rtol=1e-14)
        assert run.notes == ()


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps are long
def test_a_balance_that_cannot_be_closed_is_noted():
    """An energy that has nothing to do with the motion cannot be kept by it."""
    wrong = vv.HandFlow(lambda t, q, v: -q, 1, energy=lambda q, v: 1.0 + q[0] ** 2 + 3 * v[0])
    for scheme in EXACT:
        run = vv.simulate(wrong, 1.0, 0.1, integrator=scheme, initial=([1.0], [0.5]))
        assert "could not close the balance of energy in" in run.notes[0]


@pytest.mark.parametrize("scheme", EXACT, ids=lambda s: type(s).__name__)
def test_schemes_that_keep_energy_need_one(scheme):
    with pytest.raises(vv.ModelError, match="'bare' has none: give energy="):
        vv.simulate(vv.HandFlow(lambda t, q, v: -q, 1, name="bare"), 1, 0.1, integrator=scheme, initial=([1], [0]))


def test_other_states_come_along():
    """A motor: s is the current, L s' = u - R s - k ω; energy and power include them."""
    k, R, L, u = 0.5, 2.0, 0.3, 4.0
    flow = vv.HandFlow(
        lambda t, q, v, s: (k * s - 0.1 * v, (u - R * s - k * v) / L),
        1,
        extra=1,
        energy=lambda q, v, s: 0.5 * v @ v + 0.5 * L * s @ s,
        power=lambda t, q, v, s: u * s[0] - R * s @ s - 0.1 * v @ v,
        names=("angle", "rate", "current"),
    )
    run = vv.simulate(flow, 80.0, 0.4, integrator=vv.Relaxed(), initial=([0], [0]))
    rate = u * k / (k * k + 0.1 * R)  # where nothing changes any more
    assert run["rate"][-1] == pytest.approx(rate, abs=1e-4)
    assert run["current"][-1] == pytest.approx(0.1 * rate / k, abs=1e-4)
    assert run["s"].shape == (len(run.t), 1)


def test_tolerances_below_rounding_are_refused():
    with pytest.raises(vv.ModelError, match="at least 1e-13"):
        vv.DOP853(1e-15)
    with pytest.raises(vv.ModelError, match="tolerance"):
        vv.DOP853(-1.0)


def test_all_schemes_have_a_law_to_be_measured():
    assert all(isinstance(scheme, AbstractFlowScheme) for scheme in SCHEMES)
    assert {scheme.order for scheme in SCHEMES} == {4, 8}
