"""Every reading of a sample, compared with its Model at one generic state: those of `visviva.testing`, and rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from parts import Sample, sample

import visviva as vv
from visviva.testing import readings
from visviva.testing.readings import Case, Instant
from visviva.testing.readings.instant import close


@cache
def instant(given: Sample) -> Instant:
    """A consistent state in no special pose."""
    form = vv.analytical(given.mechanism, inputs=given.inputs)
    rng = np.random.default_rng(7)
    eps, xi = (size * rng.uniform(0.5, 1.5, form.n) * rng.choice([-1, 1], form.n) for size in (0.1, 0.5))
    q, _, s = form.initial
    q, xi, s = form.projected(0.0, form.advance_q(q, eps), xi, s)
    for _ in range(2):  # to rounding: the first step of a run would count what is left of constraints as work
        point = form.at(q, xi, s)
        q = form.advance_q(q, -np.linalg.lstsq(point.Z, form.open.g(point.x), rcond=1e-9)[0])
    now = readings.instant(Case(given.mechanism, given.inputs), form.projected(0.0, q, xi, s))
    assert np.abs(now.model.g(now.x)).max(initial=0.0) <= 1e-14
    assert np.abs(now.model.g_v(now.x, now.u)).max(initial=0.0) <= 1e-12
    return now


def equilibrium(given: Sample) -> None:
    """At rest where it was found, without inputs and currents, the Model has no accelerations."""
    m = sample(given.joint, given.element, held=True).mechanism
    found, model = vv.equilibrium(m), vv.compile(m)
    form = vv.analytical(m)
    start = form.x(*form.initial)  # of what no pose decides: temperatures, offsets of couplings
    values = {name: start[at] for name, at in model.layout.x.items() if name not in model.measured}
    values |= {f"{name}.q": q for name, q in found.motion.q.items()}
    values |= {f"{name}.v": 0.0 * V for name, V in found.motion.V.items()}
    values |= {name: value for name, value in found.motion.others.items() if name in values}  # of boxes
    x = model.pack(values | {f"{motor.name}.flux": np.zeros(1) for motor in m.motors})
    assert np.abs(model.g(x)).max(initial=0.0) <= 1e-12
    assert np.abs(model.accelerations(x).v_dot).max() <= 1e-6
    if not m.thermals:
        close(found.energy, float(model.H(x)), "energy", 1.0)


def of_sample(check: Callable[[Instant], None]) -> Callable[[Sample], None]:
    return lambda given: check(instant(given))


READINGS: dict[str, Callable[[Sample], None]] = {
    **{name: of_sample(check) for name, check in readings.READINGS.items()},
    "equilibrium": equilibrium,
}
