"""Mechanisms drawn at random: compiled steps against plain ones, and both against the equations of motion."""

from __future__ import annotations

import numpy as np
import pytest
from index1_reference import Index1, placements, twists
from samples import drawn_seeds, has_joint_rows_only, is_smooth, sample

import visviva as vv

STEPS, H = 50, 0.005
# (seed, bodies): a few quick ones for every run of the tests, then the rest
QUICK = [(21, 2), (22, 3)]
SMALL = drawn_seeds(range(23, 80), has_joint_rows_only)
LARGE = [(55, 13), (66, 15), (76, 16), (95, 17), (105, 18)]
SMOOTH = drawn_seeds(range(23, 50), is_smooth)


def ids(case):
    return "seed{}-bodies{}".format(*case)


def cases(quick, slow):
    return [*quick, *(pytest.param(case, marks=pytest.mark.slow, id=ids(case)) for case in slow)]


def simulated(drawn, integrator, t_end, h):
    return vv.simulate(
        drawn.mechanism, t_end=t_end, h=h, integrator=integrator, initial=drawn.motion, inputs=drawn.inputs
    )


both_schemes = pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL], ids=["PHMP", "PHMPGGL"])


@pytest.mark.slow
@both_schemes
@pytest.mark.parametrize("case", cases(QUICK, SMALL + LARGE), ids=ids)
def test_compiled_steps_are_the_plain_ones(case, scheme, monkeypatch):
    """All coordinates and the scheme's own velocities after each of 50 steps, relative to their largest values."""
    drawn = sample(*case)
    plain = simulated(drawn, scheme(compiled=False), STEPS * H, H)
    with monkeypatch.context() as patch:
        patch.setattr(scheme, "prepare", None)  # it would fall back on the plain steps, and be compared with itself
        compiled = simulated(drawn, scheme(), STEPS * H, H)
    for name, at in plain.model.layout.x.items():
        ours, theirs = compiled.record.x[:, at], plain.record.x[:, at]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * max(1.0, np.abs(theirs).max()), err_msg=name)
    np.testing.assert_allclose(compiled["energy"], plain["energy"], rtol=0, atol=1e-9 * plain.energy_scale)
    np.testing.assert_allclose(compiled["heat"], plain["heat"], rtol=0, atol=1e-9 * plain.energy_scale)
    np.testing.assert_allclose(compiled["work"], plain["work"], rtol=0, atol=1e-9 * plain.energy_scale)


@both_schemes
@pytest.mark.parametrize("case", cases(QUICK, SMALL + LARGE), ids=ids)
def test_every_joule_is_accounted_for(case, scheme):
    audit = simulated(sample(*case), scheme(), STEPS * H, H).audit()
    assert audit.first_law <= 1e-13
    assert audit.drift <= 1e-12
    assert (audit.g or 0.0) <= 1e-12
    assert audit.ok


def exact_end(drawn, t_end):
    """Placements and twists of all bodies at the end, from DOP853 on the index-1 form."""
    reference = Index1(drawn.mechanism, drawn.inputs, drawn.motion)
    x = reference.states(t_end, rtol=1e-11)
    return np.concatenate([placements(reference, drawn.bodies, x)[0], twists(reference, drawn.bodies, x)[0]])


def end(drawn, scheme, t_end, h):
    run = simulated(drawn, scheme, t_end, h)
    return np.concatenate([placements(run, drawn.bodies)[-1], twists(run, drawn.bodies)[-1]])


@pytest.mark.parametrize("case", cases(QUICK, SMOOTH), ids=ids)
def test_motion_converges_to_that_of_the_accelerations(case):
    """Error of order 2 against DOP853 on the index-1 form, and a tenth of it or less after extrapolation."""
    drawn, t_end = sample(*case), 0.1
    exact = exact_end(drawn, t_end)
    for scheme in (vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()):
        ends = [end(drawn, scheme, t_end, h) for h in (0.01, 0.005)]
        coarse, fine = (np.linalg.norm(found - exact) for found in ends)
        assert np.log2(coarse / fine) == pytest.approx(2, abs=0.3)
        assert np.linalg.norm((4 * ends[1] - ends[0]) / 3 - exact) <= 0.1 * fine


def is_smooth_by_joints(drawn):
    """Rows of velocities hold in the middle of steps, and at their ends by terms of second order only."""
    return is_smooth(drawn) and has_joint_rows_only(drawn)


@pytest.mark.slow
@pytest.mark.parametrize("case", drawn_seeds(range(70, 84), is_smooth_by_joints, dissipates=False), ids=ids)
def test_order_four_without_dissipation(case):
    drawn, t_end = sample(*case, dissipates=False), 0.2
    exact = exact_end(drawn, t_end)
    gaps = [np.linalg.norm(end(drawn, vv.Suzuki4(vv.PHMP()), t_end, h) - exact) for h in (0.02, 0.01)]
    assert np.log2(gaps[0] / gaps[1]) > 3.6
