"""Error estimates: against true errors, and suggestions that keep what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import free_pair, pair_with
from systems import oscillator
from test_collocation import brake
from test_ephs_laws import SYSTEMS

import visviva as vv
from visviva.integrate.collocation import EnergyCollocation
from visviva.integrate.estimate import Estimate, estimate
from visviva.integrate.suzuki import Suzuki4

START = {"q": 1.0, "p": 0.0}
SCHEMES = [vv.DiscreteGradient(), Suzuki4(vv.DiscreteGradient()), EnergyCollocation()]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_it_is_the_true_error_of_a_linear_oscillator(scheme):
    found = estimate(oscillator(), 3.0, 0.1, initial=START, integrator=scheme)
    run, w = vv.simulate(oscillator(), 3.0, 0.1, initial=START, integrator=scheme), np.sqrt(1.5)
    true = np.abs(run["q"][:, 0] - np.cos(w * run.t)).max()
    assert found.order == scheme.order
    assert found.errors["q"] == pytest.approx(true, rel=0.02)
    assert found.motions["q"] == pytest.approx(2.0, rel=0.01)
    finer = np.abs(found.run["q"][:, 0] - np.cos(w * found.run.t)).max()
    assert finer == pytest.approx(true / 2**scheme.order, rel=0.02)


PROMISES = [(vv.DiscreteGradient(), 1e-3), (EnergyCollocation(), 1e-4), (EnergyCollocation(), 1e-6)]


@pytest.mark.parametrize(("scheme", "tolerance"), PROMISES, ids=lambda value: getattr(type(value), "__name__", value))
def test_the_suggested_step_keeps_the_tolerance_and_does_not_waste(scheme, tolerance):
    system, start = SYSTEMS["hot pendulum"]
    first = estimate(system, 2.0, 0.05, initial=start, integrator=scheme, tolerance=tolerance)
    second = estimate(system, 2.0, first.suggested_h, initial=start, integrator=scheme, tolerance=tolerance)
    assert 0.3 * tolerance < second.relative[second.worst] <= tolerance


def test_a_mechanism_is_judged_by_its_bodies():
    found = estimate(free_pair(), 0.2, 0.01)
    assert list(found.errors) == ["a.r", "a.R", "a.twist", "b.r", "b.R", "b.twist", "p.r", "p.v"]
    assert found.order == 2
    assert found.resolved
    text = str(found)
    assert text.startswith("Errors of 'free pair' with PHMP of order 2, h = 0.01 s, t = 0 … 0.2 s\nquantity")
    assert text.splitlines()[2].startswith(found.worst)
    assert text.endswith(f"for a relative error of 0.001 take h = {found.suggested_h:g} s")


def test_chosen_quantities_and_patterns():
    found = estimate(pair_with(), 0.1, 0.01, quantities=["*.q", "b.r", "h1.q"])
    assert list(found.errors) == ["h1.q", "h2.q", "b.r"]


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # so do its runs
def test_a_motion_that_is_not_resolved_says_so():
    found = estimate(oscillator(), 40.0, 1.0, initial=START)
    assert not found.resolved
    assert found.suggested_h < 0.1
    assert "the motion is not resolved" in str(found)


def test_what_does_not_move_is_not_measured_by_its_rounding():
    """At rest errors are zero; the suggestion goes up to four times the step that was tried, not further."""
    found = estimate(oscillator(), 1.0, 0.1, initial={"q": 0.0, "p": 0.0})
    assert found.relative == {"q": 0.0, "p": 0.0}
    assert found.suggested_h == pytest.approx(0.4)


def test_it_continues_a_run_and_fits_the_step():
    half = vv.simulate(oscillator(), 1.0, 0.1, initial=START)
    found = estimate(oscillator(), 2.05, 0.1, initial=half.final)
    assert found.h == pytest.approx(1.05 / 10)
    assert (found.run.t[0], found.run.t[-1]) == pytest.approx((1.0, 2.05))


def test_inputs_belong_to_both_runs():
    found = estimate(oscillator(), 2.0, 0.1, initial=START, inputs={"p": np.sin}, integrator=EnergyCollocation())
    assert found.run["p.work"][-1] != 0
    assert found.relative[found.worst] < 1e-5


def test_a_long_table_is_cut():
    errors = {f"x{k}": 10.0**-k for k in range(20)}
    run = vv.simulate(oscillator(), 0.1, 0.1, initial=START)
    text = str(Estimate(0.1, 2, 1e-3, errors, dict.fromkeys(errors, 1.0), run))
    assert "\nand 8 more with smaller errors\n" in text


def test_wrong_arguments():
    with pytest.raises(vv.ModelError, match="tolerance must be positive, got 0"):
        estimate(oscillator(), 1.0, 0.1, initial=START, tolerance=0)
    with pytest.raises(vv.ModelError, match="needs at least one step, but t_end = 0 s is where the run starts"):
        estimate(oscillator(), 0.0, 0.1, initial=START)
    with pytest.raises(vv.ModelError, match="'brake' has no state variables whose errors could be estimated"):
        estimate(brake(), 1.0, 0.1, initial={})
    for wrong in ("q", []):
        with pytest.raises(vv.ModelError, match=r"quantities are a list of names or patterns such as"):
            estimate(oscillator(), 1.0, 0.1, initial=START, quantities=wrong)
    with pytest.raises(vv.ModelError, match=r"has no 'qq'\. Did you mean 'q'"):
        estimate(oscillator(), 1.0, 0.1, initial=START, quantities=["qq"])
    with pytest.raises(vv.ModelError, match=r"'p\.power' lives at the midpoints of steps"):
        estimate(oscillator(), 1.0, 0.1, initial=START, quantities=["p.power"])
