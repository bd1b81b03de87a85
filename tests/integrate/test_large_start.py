"""The start of a run: checks that do not grow with the square of the number of bodies, and say what is wrong."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest
from large_mechanisms import chain, four_bars, net
from numpy.testing import assert_allclose

import visviva as vv
from visviva.integrate.redundancy import select_rows
from visviva.integrate.start import start_state


def start(m: vv.Mechanism, scheme: vv.PHMP, **given):
    model = vv.compile(m, scheme.form)
    width = sum(port.width for port in model.ports)
    return model, *start_state(model, given.get("initial"), scheme, lambda t: np.zeros(width))


@pytest.mark.parametrize("build", [lambda: chain(60), lambda: net(5), lambda: four_bars(8)])
@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.DiscreteGradient()], ids=["directors", "lie"])
def test_the_start_is_consistent_and_its_rows_are_independent(build, scheme):
    m = build()
    model, state, notes = start(m, scheme)
    assert np.abs(model.g(state.x)).max() < 1e-13 * 60
    assert (~state.active).sum() == sum(m.redundant().values())
    assert (select_rows(model, state.x) == state.active).all()
    assert notes == []


def test_no_full_matrix_is_built(monkeypatch):
    for name in ("E", "J", "R", "B", "C"):
        monkeypatch.setattr(vv.Model, name, lambda *_: pytest.fail("a full matrix over the whole model"))
    start(chain(30), vv.PHMP())
    start(four_bars(4), vv.PHMP())


def test_a_motion_that_is_not_closed_is_refused():
    m = chain(3)
    motion, _ = m.assemble()
    moved = dataclasses.replace(motion, q=motion.q | {"link1": motion.q["link1"] + np.eye(12)[0] * 1e-3})
    with pytest.raises(vv.AssemblyError, match=r"the initial state violates the .*'joint[12]'"):
        start(m, vv.PHMP(), initial=moved)
    pushed = dataclasses.replace(motion, V=motion.V | {"link1": np.ones(6)})
    with pytest.raises(vv.AssemblyError, match=r"violates the constraint of 'joint[12]'"):
        start(m, vv.PHMP(), initial=pushed)


def test_velocities_off_the_constraints_are_projected_for_schemes_that_keep_them():
    m = four_bars(2)
    state = vv.simulate(m, t_end=0.2, h=0.05).final
    run = vv.simulate(m, t_end=0.25, h=0.05, integrator=vv.PHMPGGL(), initial=state)
    assert any("projected on the constraints" in note for note in run.notes)
    model = run.model
    before, after = model.g_v(state.x), model.g_v(run.record.x[0])
    assert np.abs(after).max() < 1e-12 < np.abs(before).max()
    v = model.layout.read(tuple(model.kinetic))
    M = np.concatenate([np.diag(part.M) for part in model.kinetic.values()])
    change = M * (run.record.x[0][v] - state.x[v])
    rows = model.C(state.x)[:, model.layout.act(tuple(model.kinetic))]
    assert_allclose(
        change - rows.T @ np.linalg.lstsq(rows.T, change, rcond=1e-9)[0], 0, atol=1e-9 * np.abs(change).max()
    )


@pytest.mark.slow
def test_a_thousand_bodies_start_within_a_second():
    m, scheme = chain(1000), vv.PHMP()
    model = vv.compile(m, "directors")
    began = time.process_time()
    start_state(model, None, scheme, lambda t: np.zeros(0))
    assert time.process_time() - began < 1.0
