"""Fixed steps that are too long do not pass in silence."""

from __future__ import annotations

import numpy as np
import pytest
from flow_problems import top

import visviva as vv
from visviva.forms.flows.watch import Watch

START = (1.0, 0.0, 0.0, 0.0), (1.0, 8.0, 1.0)


def oscillator(k=1.0, **options):
    return vv.HandFlow(lambda t, q, xi: -k * q, 1, name="oscillator", **options)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps are too long
def test_an_explicit_step_without_any_truth_is_refused():
    with pytest.raises(
        vv.ConvergenceError, match=r"differs from two of half its length by 1\.2 times its own"
    ) as found:
        vv.simulate(top(), 20.0, 1.0, integrator=vv.RK4(), initial=START)
    assert len(found.value.run.t) == 1
    assert "19 % of its size" in vv.simulate(top(), 5.0, 0.5, integrator=vv.RK4(), initial=START).notes[0]


def test_an_inaccurate_run_says_so_with_and_without_an_energy():
    for flow in (oscillator(), oscillator(energy=lambda q, xi: 0.5 * float(q @ q + xi @ xi))):
        with pytest.warns(vv.RunWarning, match="steps are too long to be accurate"):
            run = vv.simulate(flow, 30.0, 1.5, integrator=vv.RK4(), initial=([1.0], [0.0]))
        (note,) = run.warnings
        assert "; 1 warning: steps are too long" in repr(run)
        assert "steps are too long to be accurate" in note
        assert "reduce h" in note
        assert vv.simulate(flow, 20.0, 0.2, integrator=vv.RK4(), initial=([1.0], [0.0])).notes == ()


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps are too long
def test_an_implicit_scheme_may_step_over_vibrations():
    run = vv.simulate(oscillator(k=1e4), 2.0, 0.5, integrator=vv.Gauss8(), initial=([1e-3], [0.0]))
    assert "steps are too long" in run.notes[-1]
    assert np.abs(run["xi"]).max() < 0.2


def test_the_difference_is_that_of_the_exact_solution():
    """Of RK4 a step of length h is off by y⁽⁵⁾ h⁵/120 and so much of the next term; two halves by 1/16 of it."""
    flow, h = oscillator(), 0.1
    state = flow.checked(([1.0], [0.0]))
    step = vv.RK4().step(flow, state, h)
    watch = Watch(vv.RK4(), flow, 1)
    watch.look(state, step)
    exact = np.array([np.cos(h), -np.sin(h)])
    off = np.abs(np.concatenate([step.end.q, step.end.xi]) - exact).max()
    assert watch.worst[0] == pytest.approx(off * 15 / 16, rel=0.05)


def test_growth_is_looked_at_wherever_it_begins():
    """Quiet at first, then an instability that sets in between the places of a sparse look."""

    def rates(t, q, xi):
        return -(1.0 if t < 2.5 else 900.0) * q - xi

    flow = vv.HandFlow(rates, 1, name="stiffened")
    with pytest.raises(vv.ConvergenceError) as found:
        vv.simulate(flow, 1000.0, 0.1, integrator=vv.RK4(), initial=([1.0], [0.0]))
    assert found.value.run.t[-1] < 5.0


def test_looks_are_few():
    calls = 0

    def rates(t, q, xi):
        nonlocal calls
        calls += 1
        return -q

    vv.simulate(vv.HandFlow(rates, 1), 100.0, 0.1, integrator=vv.RK4(), initial=([1.0], [0.0]))
    assert calls < 1.05 * 4000
