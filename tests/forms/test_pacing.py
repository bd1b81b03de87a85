"""How the lengths of steps follow from error estimates, and how stages are predicted."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import visviva as vv
from visviva.forms.flows.collocation import gauss_table
from visviva.forms.flows.flow import FlowState
from visviva.forms.flows.local import FlowStep
from visviva.forms.flows.pacing import LEAST, MOST, Pacer

FLOW = vv.HandFlow(lambda t, q, xi: 0 * xi, 1)
NOTHING = np.zeros(1)


@dataclasses.dataclass(frozen=True)
class Estimated:
    """A scheme whose error estimate is the given power law of its step."""

    error: float  # of a step of length 1
    tolerance: float = 1.0
    fixed_step: bool = False

    def check(self, flow):
        """Every flow will do."""

    def step(self, flow, state, h):
        end = FlowState(state.t + h, NOTHING, NOTHING, np.zeros(0))
        return FlowStep(end, h, np.zeros((1, 2)), np.ones(1), np.zeros(1), self.error * h**8)


def next_length(error, before, h=1.0, longest=100.0):
    start = FlowState(0.0, NOTHING, NOTHING, np.zeros(0), h, np.array([before]))
    (step,) = Pacer(Estimated(error), FLOW, longest).steps(start)
    return step.h, step.end.h


@pytest.mark.parametrize(("error", "before"), [(0.5, 0.1), (0.1, 0.5), (0.9, 0.9)])
def test_the_controller_is_proportional_and_integral(error, before):
    """h' = 0.9 h e^(-1/8 + 0.75 β) e₋₁^β with β = 0.04; Hairer and Wanner (1996), IV.2."""
    made, proposed = next_length(error, before)
    assert made == 1.0
    assert proposed == pytest.approx(0.9 * error ** (-0.125 + 0.03) * before**0.04)


def test_lengths_change_within_bounds():
    assert next_length(1e-30, 1.0)[1] == pytest.approx(MOST)
    assert next_length(1e-30, 1.0, longest=2.0)[1] == 2.0
    made, proposed = next_length(1e9, 1.0)
    assert made < LEAST
    assert proposed <= made  # not longer after a step that was refused


@pytest.mark.parametrize("ratio", [1.0, 0.5, 1.7])
def test_stages_are_predicted_by_the_polynomial_of_the_last_step(ratio):
    """Exact for rates that are cubic in time: the step before is (0, 1), the next (1, 1 + ratio)."""
    table, cubic = gauss_table(), np.polynomial.Polynomial([0.3, -1.2, 0.7, 2.0])
    np.testing.assert_allclose(table.continued(ratio) @ cubic(table.c), cubic(1.0 + ratio * table.c), rtol=1e-11)


@pytest.mark.parametrize("h", [2.0, 10.0])  # [s]; the wheel stops within 0.2 s
def test_trial_steps_that_leave_the_numbers_are_refused_quietly(h):
    m = vv.Mechanism(gravity=(0, 0, 0), theta0=300.0)
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    copper = m.thermal("copper", capacity=1e-3)
    m.revolute("hinge", m.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), rate=1.0, friction=0.5, heat_to=copper)
    run = vv.simulate(vv.analytical(m), h, h, integrator=vv.DOP853())
    start = 0.5 * 0.1  # [J], all in the copper at the end: θ - θ0 = 50 K
    assert run["energy"][0] == pytest.approx(start, rel=1e-12)
    warm = 300.0 * np.exp(run["copper.s"][-1] / 1e-3)
    assert warm - 300.0 == pytest.approx(start / 1e-3, rel=1e-6)
