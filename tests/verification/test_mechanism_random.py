"""Mechanisms drawn at random: compiled steps against plain ones, and both against the equations of motion."""

from __future__ import annotations

import numpy as np
import pytest
from index1_reference import Index1, placements, twists
from random_mechanisms import random_mechanism

import visviva as vv

STEPS, H = 50, 0.005
# (seed, bodies): a few quick ones for every run of the tests, then the rest
QUICK = [(1, 2), (2, 3)]
SMALL = [(3, 4), (4, 5), *((seed, 2 + seed % 7) for seed in range(10, 31))]
LARGE = [(50, 12), (52, 16), (53, 18), (54, 20)]


def ids(case):
    return "seed{}-bodies{}".format(*case)


def cases(quick, slow):
    return [*quick, *(pytest.param(case, marks=pytest.mark.slow, id=ids(case)) for case in slow)]


def simulated(sample, integrator, t_end, h):
    return vv.simulate(
        sample.mechanism, t_end=t_end, h=h, integrator=integrator, initial=sample.motion, inputs=sample.inputs
    )


both_schemes = pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL], ids=["PHMP", "PHMPGGL"])


@both_schemes
@pytest.mark.parametrize("case", cases(QUICK, SMALL + LARGE), ids=ids)
def test_compiled_steps_are_the_plain_ones(case, scheme, monkeypatch):
    """All coordinates and the scheme's own velocities after each of 50 steps, relative to their largest values."""
    sample = random_mechanism(*case)
    plain = simulated(sample, scheme(compiled=False), STEPS * H, H)
    with monkeypatch.context() as patch:
        patch.setattr(scheme, "prepare", None)  # it would fall back on the plain steps, and be compared with itself
        compiled = simulated(sample, scheme(), STEPS * H, H)
    for name, at in plain.model.layout.x.items():
        ours, theirs = compiled.record.x[:, at], plain.record.x[:, at]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * max(1.0, np.abs(theirs).max()), err_msg=name)
    np.testing.assert_allclose(compiled["energy"], plain["energy"], rtol=0, atol=1e-9 * plain.energy_scale)
    np.testing.assert_allclose(compiled["heat"], plain["heat"], rtol=0, atol=1e-9 * plain.energy_scale)
    np.testing.assert_allclose(compiled["work"], plain["work"], rtol=0, atol=1e-9 * plain.energy_scale)


@both_schemes
@pytest.mark.parametrize("case", cases(QUICK, SMALL + LARGE), ids=ids)
def test_every_joule_is_accounted_for(case, scheme):
    sample = random_mechanism(*case)
    audit = simulated(sample, scheme(), STEPS * H, H).audit()
    assert audit.first_law <= 1e-13
    assert audit.drift <= 1e-12
    assert (audit.g or 0.0) <= 1e-12
    assert audit.ok


def exact_end(sample, t_end):
    """Placements and twists of all bodies at the end, from DOP853 on the index-1 form."""
    reference = Index1(sample.mechanism, sample.inputs, sample.motion)
    x = reference.states(t_end, rtol=1e-11)
    return np.concatenate([placements(reference, sample.bodies, x)[0], twists(reference, sample.bodies, x)[0]])


def end(sample, scheme, t_end, h):
    run = simulated(sample, scheme, t_end, h)
    return np.concatenate([placements(run, sample.bodies)[-1], twists(run, sample.bodies)[-1]])


@pytest.mark.parametrize("case", cases(QUICK, SMALL[:16]), ids=ids)
def test_motion_converges_to_that_of_the_accelerations(case):
    """Error of order 2 against DOP853 on the index-1 form, and a tenth of it or less after extrapolation."""
    sample, t_end = random_mechanism(*case), 0.1
    exact = exact_end(sample, t_end)
    for scheme in (vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()):
        ends = [end(sample, scheme, t_end, h) for h in (0.01, 0.005)]
        coarse, fine = (np.linalg.norm(found - exact) for found in ends)
        assert np.log2(coarse / fine) == pytest.approx(2, abs=0.3)
        assert np.linalg.norm((4 * ends[1] - ends[0]) / 3 - exact) <= 0.1 * fine


@pytest.mark.slow
@pytest.mark.parametrize("case", [(seed, 3 + seed % 4) for seed in range(70, 76)], ids=ids)
def test_order_four_without_dissipation(case):
    sample, t_end = random_mechanism(*case, dissipates=False), 0.2
    exact = exact_end(sample, t_end)
    gaps = [np.linalg.norm(end(sample, vv.Suzuki4(vv.PHMP()), t_end, h) - exact) for h in (0.02, 0.01)]
    assert np.log2(gaps[0] / gaps[1]) > 3.6
