"""Steps one by one: a step that fails again and again is given up in bounded time."""

from __future__ import annotations

import numpy as np
import pytest
from test_models import oscillator

import visviva as vv
from visviva.integrate import stepping
from visviva.integrate.inputs import input_function
from visviva.integrate.integrator import AbstractStepper
from visviva.integrate.newton import NotConverged
from visviva.integrate.start import start_state


class Moody(AbstractStepper):
    """Solves every other step of the shortest length, and no longer one."""

    def __init__(self, inner, shortest):
        self.inner, self.shortest, self.width, self.tries = inner, shortest, inner.width, 0

    def step(self, state, h, u):
        self.tries += 1
        if h > self.shortest or self.tries % 2:
            raise NotConverged("moody", -1, np.nan)
        return self.inner.step(state, h, u)


def test_a_step_is_given_up_after_some_failing_parts():
    model, scheme = oscillator(), vv.DiscreteGradient(compiled=False)
    u, model = input_function(model, None)
    state, _ = start_state(model, {"q": [1.0], "p": [0.0]}, scheme, u)
    stepper = Moody(scheme.prepare(model), 0.1 / 2**7.5)
    steps = stepping.Stepping(model, stepper, u)
    chunk = steps.advance(vv.State(**{**vars(state), "h": 0.1}), 3)
    assert chunk.steps == 0
    assert str(chunk.failure) == "moody"
    assert stepper.tries <= 2 * 2 * (stepping.FAILURES + 2 * stepping.HALVINGS)


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMP(compiled=False), vv.PHMPGGL()], ids=["compiled", "plain", "ggl"])
def test_what_creeps_to_rest_is_no_wrong_step(scheme):
    """v = 3 exp(-4 t): down to velocities that are the rounding of coordinates, on and on."""
    m = vv.Mechanism()
    b = m.body("b", mass=2.0, inertia=(0.3, 0.4, 0.5))
    m.prismatic("slide", m.ground, b, axis=(1, 0, 0), rate=3.0, friction=8.0)
    run = vv.simulate(m, 15.0, 0.1, integrator=scheme)
    assert run.audit().ok
    assert abs(run["slide.rate"][-1]) < 1e-12
    rest = vv.simulate(m, 16.0, 0.1, integrator=scheme, initial=run.final)
    assert rest.steps == 10
