"""What compiled steps of mechanisms record, with friction, dampers, inputs and all kinds of joints: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import flyers, sleeve, table
from numpy.testing import assert_allclose
from test_machine import TREES, stepper

import visviva as vv
from visviva.integrate.machine import MachineStepper
from visviva.integrate.start import start_state
from visviva.results.accounts import Accounts

FORMS = {"directors": vv.PHMP(), "lie": vv.DiscreteGradient()}
PLAIN = {"directors": vv.PHMP(compiled=False), "lie": vv.DiscreteGradient(compiled=False)}
EACH_FORM = pytest.mark.parametrize("form", FORMS)


@EACH_FORM
@pytest.mark.parametrize("build", [sleeve, table, flyers], ids=lambda build: build.__name__)
def test_rates_of_all_kinds_of_rows_are_those_of_the_states(build, form):
    """|C v| of each constraint after large steps, where the scheme's own velocities are well off the constraints."""
    model = vv.compile(build(), form)
    state, _ = start_state(model, None, FORMS[form], lambda _: np.zeros(0))
    chunk = MachineStepper(model, vv.Newton(), state, 0.05).many(state, 0.05, np.zeros((6, 1, 0)))
    assert chunk.steps == 6
    accounts = Accounts(model, state.x)
    counted, read = (
        accounts._of_tallies(chunk.x, chunk.u, chunk.tallies),
        accounts._of_states(chunk.x, chunk.u, chunk.w),
    )
    for part in (counted, read):
        part["H"] = part["H"] - part["H"][0]  # from where it counts is all the same
    for key in ("H", "scale"):
        assert_allclose(counted[key], read[key], rtol=0, atol=1e-13 * read["terms"].max(), err_msg=key)
    assert_allclose(np.log2(counted["terms"] / read["terms"]), 0, atol=2)  # sizes of vectors: sums, or entry by entry
    assert read["g_v"].max() > 1e-4
    assert_allclose(counted["g_v"], read["g_v"], rtol=1e-7, atol=1e-11)


def loaded():
    """The sleeve with inputs, a damper along a line, a bushing with losses and a torsion spring about its shaft."""
    m = sleeve(driven=True)
    m.wrench("gust", "weight")
    m.spring("strut", m.ground, "ring", k=20.0, length=0.5, damping=1.5, at_a=(0.5, 0.6, 0.4))
    m.bushing("rubber", m.ground, "swing", K=(1, 2, 3, 10, 20, 30), D=(0.01, 0.02, 0.03, 0.1, 0.2, 0.3))
    m.torsion("coil", "shaft", k=0.7, angle=0.4, damping=0.03)
    return m


INPUTS = {
    "push": lambda t: np.cos(9 * t),
    "spin": 0.3,
    "gust": lambda t: np.array([0.2, -0.1, np.sin(5 * t), 1, 2, -1]),
}


@EACH_FORM
def test_heat_and_work_of_every_part_are_those_of_plain_steps(form):
    compiled, plain = (
        vv.simulate(loaded(), 0.3, 0.02, integrator=schemes[form], inputs=INPUTS) for schemes in (FORMS, PLAIN)
    )
    assert (compiled.engine, plain.engine) == ("compiled", "NumPy")
    names = ["strut", "rubber", "coil", "shaft"]
    for name in [f"heat.{part}" for part in names] + [f"{port}.work" for port in INPUTS]:
        size = np.abs(plain[name]).max()
        assert size > 1e-6, name
        assert_allclose(compiled[name], plain[name], rtol=0, atol=1e-9 * max(1.0, size), err_msg=name)
    for name in ("coil.angle", "energy.coil", "energy.rubber", "energy.strut"):
        assert_allclose(compiled[name], plain[name], rtol=0, atol=1e-9, err_msg=name)
    assert_allclose(compiled["weld.reaction_mid"], plain["weld.reaction_mid"], rtol=0, atol=1e-6)
    assert compiled.audit().ok
    assert compiled.record.residual.max() <= 1e-13
    assert compiled.record.iterations.max() <= 12


@pytest.mark.parametrize(
    ("build", "most"),
    [(lambda: TREES["balls"], 3.6), (lambda: TREES["loop"], 2.8), (sleeve, 5.4), (table, 3.7), (flyers, 5.0)],
    ids=["balls", "loop", "sleeve", "table", "flyers"],
)
def test_newton_needs_few_iterations(build, most):
    """With the exact matrix; a term that is missing in it shows only here. Both eliminations have the same matrix."""
    means = []
    for along_tree in (None, False):
        steps, state = stepper(build(), along_tree, h=0.02)
        means.append(steps.many(state, 0.02, np.zeros((20, 1, 0))).iterations.mean())
    assert means[0] == pytest.approx(means[1], abs=0.15)
    assert max(means) <= most


@EACH_FORM
def test_multipliers_of_a_composed_step_are_means_over_its_parts(form):
    runs = [vv.simulate(TREES["balls"], 0.1, 0.02, integrator=vv.Suzuki4(schemes[form])) for schemes in (FORMS, PLAIN)]
    joints = [name.startswith("joint") for name, _ in runs[0].model.kinds]  # not those of directors
    compiled, plain = (run.record.w_mid[:, joints] for run in runs)
    assert_allclose(compiled, plain, rtol=0, atol=1e-8 * np.abs(plain).max())


@EACH_FORM
def test_the_moments_of_a_free_top_are_balanced_to_rounding(form):
    """No joint holds it to account."""
    m = vv.Mechanism("top")
    m.body("top", mass=1.0, inertia=(1.0, 2.0, 2.5), twist=(0.1, 9.0, 0.2, 3, 0, 0))
    run = vv.simulate(m, 4.0, 0.02, integrator=FORMS[form])
    assert_allclose(run["energy"], run["energy"][0], rtol=1e-13)
    assert_allclose(run["momentum"], np.broadcast_to(run["momentum"][0], (201, 6)), rtol=0, atol=1e-12)
