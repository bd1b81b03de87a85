"""A million steps: what rounding makes of the energy, for damped, driven and heated storages of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import GASES, two_gases
from systems import damped, hot
from test_ephs_laws import pendulum, two_bodies

import visviva as vv

pytestmark = pytest.mark.slow

STEPS = 10**6
LONG = {
    "quadratic, damped": (damped(), {"osc.q": 1.0, "p": 0.2}, {}, 0.01),
    "pendulum, driven and heated": (hot(pendulum()), {"osc.q": 2.5, "p": 0.2, "s": -0.1}, {"p": 0.5}, 0.01),
    "heat capacities": (two_bodies(), {"a": 0.3, "b": -0.2}, {}, 0.01),
    "ideal gases": (two_gases(), GASES, {}, 1e-3),
}  # fmt: skip


def total_energy(run):
    """All that is stored, here and in the environment, less the work that was put in."""
    entropic = np.concatenate([np.full(part.dim, part.entropy) for part in run.model.reservoirs] or [np.zeros(0, bool)])
    return run["energy"] + run.model.theta0 * run.record.taken[:, entropic].sum(-1) - run["work"]


@pytest.mark.parametrize("name", LONG)
def test_the_drift_of_a_million_steps_is_rounding(name):
    system, start, inputs, h = LONG[name]
    run = vv.simulate(system, t_end=STEPS * h, h=h, initial=start, inputs=inputs, every=1000)
    assert run.final.steps == STEPS
    E = total_energy(run)
    assert np.abs(E - E[0]).max() <= 1e-9 * run.energy_unit
    audit = run.audit()
    assert audit.ok
    assert audit.drift <= 1e-9
