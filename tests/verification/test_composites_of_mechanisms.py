"""The same mechanism twice: as a composite of bodies and joints, and by its own model; order 2 between them."""

from __future__ import annotations

import numpy as np
import pytest
from parts import BODIES, ELEMENTS, sample
from small_mechanisms import CATALOGUE, bennett, four_bar

import visviva as vv
from visviva.testing import measured_order

pytestmark = pytest.mark.slow
T_END = 0.4


def poses(run, m):
    """Of all bodies at the end of a run of the mechanism itself."""
    return np.concatenate([run.final.x[run.model.layout.x[f"{part.name}.q"]] for part in m.bodies])


@pytest.mark.parametrize("make", CATALOGUE.values(), ids=CATALOGUE)
def test_both_move_alike(make):
    m, inputs = make()
    system, start = m.system(), m.system_state()

    def own(h):
        return poses(vv.simulate(m, T_END, h, integrator=vv.DiscreteGradient(), inputs=inputs), m)

    def composite(h):
        run = vv.simulate(system, T_END, h, initial=start, inputs=inputs)
        audit = run.audit()
        assert audit.first_law <= 1e-13
        assert (audit.second_law or 0.0) >= 0
        return np.concatenate([run[f"q_{part.name.replace(' ', '_')}"][-1] for part in m.bodies])

    exact = own(0.00125) + (own(0.00125) - own(0.0025)) / 3
    assert measured_order(composite, 0.02, exact) == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("element", [*ELEMENTS, *BODIES])
def test_every_part_moves_alike(element):
    """Rows, laws and sources of composites are those of the mechanism to second order, and both laws hold."""
    given = sample((ELEMENTS | BODIES)[element].joint, element)
    m, scheme = given.mechanism, vv.DiscreteGradient(compiled=False)

    def own(h):
        return poses(vv.simulate(m, 0.1, h, integrator=scheme, inputs=given.inputs), m)

    def composite(h):
        run = vv.simulate(m.system(), 0.1, h, inputs=given.inputs, integrator=scheme)
        audit = run.audit()
        assert audit.first_law <= 1e-13
        assert (audit.second_law or 0.0) >= 0
        return np.concatenate([run[f"q_{part.name}"][-1] for part in m.bodies])

    exact = own(0.00125) + (own(0.00125) - own(0.0025)) / 3
    assert measured_order(composite, 0.02, exact) == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("make", [four_bar, bennett])
def test_ties_stay_closed(make):
    """As functions of poses their rows hold at the end of each step, not only their rates."""
    m, inputs = make()
    run = vv.simulate(m.system(), 1.0, 0.02, initial=m.system_state(), inputs=inputs)
    model = vv.compile(m)
    q = {f"{part.name}.q": run[f"q_{part.name}"] for part in m.bodies}
    x = np.zeros((len(run.t), model.layout.size))
    for name, values in q.items():
        x[:, model.layout.x[name]] = values
    assert np.abs(model.g(x)).max() <= 1e-11


def test_heat_and_work_are_the_same():
    m, inputs = CATALOGUE["double_pendulum"]()

    def heat_and_work(what, h, **options):
        run = vv.simulate(what, T_END, h, inputs=inputs, **options)
        return np.array([run["heat"][-1], run["work"][-1]])

    own = heat_and_work(m, 0.0025, integrator=vv.DiscreteGradient())
    composite = heat_and_work(m.system(), 0.0025, initial=m.system_state())
    np.testing.assert_allclose(composite, own, rtol=1e-3)
