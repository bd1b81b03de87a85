"""Runs that are hard on Newton's method: steps that are far too large, whips, near singular equations."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.demo import four_bar


def whip(links):
    """A chain of thin rods, 0.1 m and 0.1 kg each, let go from the horizontal."""
    m = vv.Mechanism("whip", gravity=(0, 0, -9.81))
    rod, above = vv.inertia.rod(0.1, 0.1, axis="x"), m.ground
    for k in range(links):
        link = m.body(f"link{k}", inertia=rod, at=(0.1 * k + 0.05, 0, 0))
        m.revolute(f"hinge{k}", above, link, at=(0.1 * k, 0, 0), axis=(0, 1, 0))
        above = link
    m.frame("tip", above, at=(0.1 * links, 0, 0))
    return m


def closed(run):
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert audit.drift <= 1e-12
    assert (audit.g or 0.0) <= 1e-12
    total = run["energy"] + run["heat"]
    assert np.abs(total - total[0]).max() <= 1e-12 * run.energy_scale


@pytest.mark.parametrize("steps", [350, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_four_bar_with_four_steps_per_turn(steps):
    """The equations of some steps have spurious solutions, with multipliers of 1e18 N: none is kept."""
    run = vv.simulate(four_bar(), 0.1 * steps, 0.1)
    closed(run)
    assert np.abs(run.record.w_mid).max() < 1e5
    assert any("the step is too large" in text for text in run.audit().warnings)


@pytest.mark.slow
def test_the_same_with_exact_rates():
    run = vv.simulate(four_bar(), 100.0, 0.1, integrator=vv.PHMPGGL())
    closed(run)
    assert run.audit().g_v <= 1e-12


def test_a_spurious_solution_is_refused_and_divided(monkeypatch):
    """What compiled code takes for a solution is checked by its energy; here every tenth step is spoilt."""
    from visviva.integrate.machine import MachineStepper

    many = MachineStepper.many

    def spoilt(self, state, h, u):
        chunk = many(self, state, h, u)
        if len(u) and h > 0.009:
            late = np.flatnonzero(np.arange(state.steps, state.steps + chunk.steps) % 10 == 9)
            chunk.x[1 + late, :3] += 1e-3
            chunk.tallies.energy[1 + late, 1] += 1.0
        return chunk

    exact = vv.simulate(whip(3), 0.5, 0.01)
    monkeypatch.setattr(MachineStepper, "many", spoilt)
    run = vv.simulate(whip(3), 0.5, 0.01)
    assert run.notes == ("5 steps had no solution and were divided into smaller ones; reduce h where that matters",)
    closed(run)
    np.testing.assert_allclose(run["tip.r"], exact["tip.r"], rtol=0, atol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("links", "scheme"), [(100, vv.PHMP()), (1000, vv.PHMP()), (100, vv.PHMPGGL())])
def test_a_long_chain_cracks_like_a_whip(links, scheme):
    """6 s with steps of 0.01 s; the tip of 100 links is faster than a fall through the whole length."""
    run = vv.simulate(whip(links), 6.0, 0.01, integrator=scheme, every=10)
    assert run.engine == "compiled"
    closed(run)
    assert run.steps == 600
    if links == 100:
        speed = np.linalg.norm(run["tip.twist"][:, 3:], axis=1)
        assert speed.max() > np.sqrt(2 * 9.81 * 10.0)


@pytest.mark.slow
def test_a_whip_with_steps_that_follow_it():
    """The error against a run with a tenth of the tolerance is what the tolerance says; steps shrink at the crack."""
    coarse, fine = (vv.simulate(whip(20), 1.5, 0.02, integrator=vv.Adaptive(vv.PHMP(), t)) for t in (1e-5, 1e-6))
    for run in (coarse, fine):
        closed(run)
    off = np.linalg.norm(coarse["tip.r"][-1] - fine["tip.r"][-1])
    assert off <= 2.0 * coarse["local_error"].sum() * 2.0
    assert coarse["step_size"].max() > 10 * coarse["step_size"].min()
