"""Every reading of mechanisms drawn at random agrees with the Model, or refuses with an error that says why."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from visviva.testing import check_readings, random_mechanism, varied_mechanism
from visviva.testing import random_readings as random
from visviva.testing.readings import composite_runs
from visviva.testing.readings.schemes import at_the_start

QUICK = (14, 27, 35, 47)  # one to five bodies, tree and loop, with open joints and a massless rod among them
SLOW = range(36)
MENDED = {  # disagreed, took too long or were refused once
    25: ("PHMPGGL in NumPy", "directors"),
    28: ("LieMidpoint compiled",),
    37: ("bond graph",),
    40: ("symbols",),
    59: ("PHMPGGL in NumPy", "bond graph"),
    60: ("composite",),
    126: ("linearisation",),
    130: ("composite",),
    135: ("composite",),
    239: ("implicit system",),
    341: ("PHMP in NumPy",),
    455: ("composite",),
    1: ("composite's run",),
    253: ("composite's run",),
    79: ("LieMidpoint in NumPy", "implicit system", "composite", "composite's run", "joined composite"),
    217: ("composite's run", "joined composite"),
    336: ("composite's run", "joined composite"),
    488: ("linearisation", "implicit system"),
}


def check(seed):
    table = check_readings(varied_mechanism(seed))
    assert not table.failed, str(table)


@pytest.mark.parametrize("seed", QUICK)
def test_readings_of_small_mechanisms(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SLOW)
def test_readings_of_mechanisms_drawn_at_random(seed):
    check(seed)


@pytest.mark.parametrize("seed", [pytest.param(k, marks=[] if k == 130 else pytest.mark.slow) for k in MENDED])
def test_readings_that_did_not_agree_once_do(seed):
    table = check_readings(varied_mechanism(seed), readings=MENDED[seed])
    assert [verdict.outcome for verdict in table.verdicts] == ["agrees"] * len(MENDED[seed]), str(table)


def test_rates_at_the_start_are_exact_for_polynomials_of_fourth_order():
    """The error of a difference that is of one order more than that of a scheme can cancel it."""
    t = np.arange(5) * 0.1
    np.testing.assert_allclose(at_the_start(1.0 + 2 * t - t**2 + 3 * t**3 + 5 * t**4, 0.1), 2.0, rtol=1e-13)


def test_mechanisms_that_want_assembling_and_massless_bodies_are_drawn():
    calls = [call for seed in range(0, 48, 12) for call in varied_mechanism(seed).calls]
    assert any(call.method == "body" and call.options.get("massless") for call in calls)
    assert any(call.method == "distance" and "length" in call.options for call in calls)
    opened = next(seed for seed in range(0, 300, 3) if any(c.method == "frame" for c in varied_mechanism(seed).calls))
    m = varied_mechanism(opened).build()
    assert m.assemble(fixed=())[1].changes


def test_a_failure_is_told_with_the_script(monkeypatch):
    """Disagreements, errors of others and what takes too long are failures; errors of ours are refusals."""

    def disagrees(now):
        raise AssertionError("accelerations: the sides differ")

    def refuses(now):
        raise vv.ModelError("no such thing")

    def breaks(now):
        raise KeyError("b0")

    def sleeps(now):
        began = time.process_time()
        while time.process_time() - began < 5.0:
            pass

    monkeypatch.setattr(
        random,
        "READINGS",
        {"one": disagrees, "two": refuses, "three": breaks, "four": sleeps, "five": lambda now: None},
    )
    drawn = random_mechanism(14)
    table = check_readings(drawn, cpu_limit=0.2)
    assert [verdict.outcome for verdict in table.verdicts] == ["failed", "refused", "failed", "failed", "agrees"]
    assert "KeyError" in table.failed[1].text
    assert "more than 0.2 s" in table.failed[2].text
    assert drawn.script() in str(table)


def test_composites_that_move_otherwise_are_rejected(monkeypatch):
    """One that is ahead of its mechanism by one part in a thousand is no scheme of second order of it."""
    plain = composite_runs._run

    def ahead(now, what, h, n, **options):
        return plain(now, what, h if isinstance(what, vv.Mechanism) else 1.001 * h, n, **options)

    monkeypatch.setattr(composite_runs, "_run", ahead)
    with pytest.raises(AssertionError, match="order: both differ"):
        composite_runs.composite_run(random.start_of(varied_mechanism(35)))


def test_what_cannot_be_assembled_is_refused_once():
    table = check_readings(random_mechanism(2))
    assert [(verdict.reading, verdict.outcome) for verdict in table.verdicts] == [("assembly", "refused")]


def test_another_mass_is_rejected():
    """Each reading of equations sees a body that is heavier by one part in ten thousand."""
    drawn = random_mechanism(14)
    now = random.start_of(drawn)
    other = replace(now, v_dot=now.v_dot * (1 + 1e-4))
    for name in ("minimal velocities", "Kane's momenta", "symbols", "bond graph", "implicit system", "directors"):
        with pytest.raises(AssertionError):
            random.READINGS[name](other)
