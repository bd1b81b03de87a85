"""One acceleration of mechanisms drawn at random, to 1e-12 of the largest: as assembled, and moved on from there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from visviva.forms.minimal.state import Coordinates
from visviva.testing import random_mechanism, varied_mechanism
from visviva.testing.random_readings import start_of
from visviva.testing.readings import READINGS, instant

FORMS = (
    "directors", "minimal velocities", "Hamel's form", "Kane's velocities", "partially Lagrangian", "Kane's momenta",
)  # fmt: skip
QUICK, SLOW = (14, 27, 35, 47), (0, 1, *range(3, 14), *range(15, 27), 28, 29)  # that of 2 cannot be assembled
DRAWN = [
    *(pytest.param(varied_mechanism, seed, id=f"varied {seed}") for seed in QUICK),
    *(pytest.param(varied_mechanism, seed, id=f"varied {seed}", marks=pytest.mark.slow) for seed in SLOW),
    *(pytest.param(random_mechanism, seed, id=f"random {seed}", marks=pytest.mark.slow) for seed in range(600, 630)),
]


def moved(now):
    """Another state that satisfies all constraints, a tenth of a radian or of the unit of length away."""
    form, dice = now.form, np.random.default_rng(7)
    q = form.advance_q(now.q, 0.1 * dice.normal(size=form.n) * now.xi_unit * now.units.time)
    there = form.projected(0.0, q, now.xi + dice.normal(size=form.n) * now.xi_unit, now.s)
    return instant(now.case, Coordinates(*there))


@pytest.mark.parametrize(("draw", "seed"), DRAWN)
def test_all_forms_have_the_acceleration_of_the_model(draw, seed):
    start = start_of(draw(seed))
    for now in (start, moved(start)):
        for name in FORMS:
            READINGS[name](now)
        if not any(part.law for part in now.case.mechanism.conditions):  # it has no drives
            point = now.form.at(now.q, now.xi, now.s)
            xi_dot = vv.dynamics(now.case.mechanism).forward(now.q, now.xi, now.u, s=now.s)
            now.same_accelerations(point.S @ xi_dot + point.S_dot @ now.xi)


@pytest.mark.parametrize("name", FORMS)
def test_one_part_in_ten_thousand_millions_is_seen(name):
    now = start_of(random_mechanism(14))
    READINGS[name](now)
    with pytest.raises(AssertionError, match="the sides differ"):
        READINGS[name](replace(now, v_dot=now.v_dot * (1 + 1e-10)))
