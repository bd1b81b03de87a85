"""Both laws of thermodynamics in every domain, at steps over three decades."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import SYSTEMS

import visviva as vv
from visviva.testing import check_model


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("fraction", [1.0, 0.1, 0.01, 0.001])
@pytest.mark.parametrize(("system", "start", "h"), SYSTEMS.values(), ids=SYSTEMS)
def test_first_and_second_law_at_any_step_size(system, start, h, fraction):
    run = vv.simulate(system, t_end=20 * fraction * h, h=fraction * h, initial=start)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert run.record.heat.min(initial=0.0) >= -1e-13 * run.energy_unit
    assert abs(sum(account.energy_in for account in audit.components.values())) <= 1e-11 * run.energy_unit


# The differences of the check are of one size for all states, too coarse for a volume of litres at 10⁵ Pa:
# the efforts of a gas are tested against θ and p themselves.
@pytest.mark.parametrize("name", [name for name in SYSTEMS if "gas" not in name])
def test_every_system_is_a_model(name):
    system, start, _ = SYSTEMS[name]
    model = vv.compile(system)
    check_model(model, model.pack(start))


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("name", ["oscillator", "Duffing", "gas spring"])
def test_what_has_no_loss_keeps_its_energy(name):
    system, start, h = SYSTEMS[name]
    run = vv.simulate(system, t_end=100 * h, h=h, initial=start)
    np.testing.assert_allclose(run["energy"] - run["energy"][0], 0, atol=1e-12 * run.energy_unit)
