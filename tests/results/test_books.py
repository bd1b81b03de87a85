"""The accounts of a run: what they cost does not grow with what there is nothing to say about."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import visviva as vv
from visviva.compiler.laws import EnergyLaw
from visviva.demo import four_bar
from visviva.integrate import step_check, stepped
from visviva.integrate.step_check import StepCheck
from visviva.results import audit
from visviva.results.audit import bound_of_g_v, relative_g_v
from visviva.results.audit_warnings import _largest_spin, _spin_bound
from visviva.results.record import Recorder


def net(springs):
    """Particles on springs in a row; every second spring is stiffer and prestressed."""
    m = vv.Mechanism("net", gravity=(0, 0, -9.81))
    last = m.ground
    for k in range(springs):
        body = m.particle(f"p{k}", mass=1.0, at=(k + 1.0, 0, 0))
        where = {"at_a": (0, 0, 0)} if k == 0 else {}
        m.spring(f"s{k}", last, body, k=100.0 * (1 + k % 2), length=0.9, **where)
        last = body
    return m


def test_energies_of_all_springs_of_one_law_are_evaluated_at_once(monkeypatch):
    calls = Counter()
    for name in ("energy", "magnitude"):
        method = getattr(EnergyLaw, name)

        def counted(self, q, p, name=name, method=method):
            calls[name] += np.ndim(q) > 2 or len(q) > 1
            return method(self, q, p)

        monkeypatch.setattr(EnergyLaw, name, counted)
    few, many = {}, {}
    for springs, found in ((2, few), (12, many)):
        sim = vv.Simulator(net(springs), h=1e-3)
        sim.run(0.05, progress=False)  # chunks have their size then
        sim.reset()
        calls.clear()
        sim.run(0.05, progress=False)
        found.update(calls)
    assert many == few


def test_energies_of_other_storages_are_those_of_each():
    m = net(5)
    m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 1, 0))
    m.revolute("hinge", m.ground, "a", at=(0, 1, 0), axis="z", friction=0.1)
    m.torsion("torsion", "hinge", k=2.0, angle=0.3)
    run = vv.simulate(m, 0.1, 1e-3, progress=False)
    model, x = run.model, run.record.x
    H, sizes = model.other_energies(x)
    for column, k in enumerate(model.plain_energies[1]):
        part = model.storages[k]
        q = x[:, model.layout.place(part.reads)]
        np.testing.assert_allclose(H[:, column], part.H(q), rtol=1e-14)
        np.testing.assert_allclose(sizes[:, column], part.magnitude(q), rtol=1e-14)
    assert H.shape[1] == 6
    assert run.audit().ok


def test_a_run_is_added_to_those_before_only_where_that_is_asked_for(monkeypatch):
    added = []

    class Counting(Recorder):
        def add(self, fresh):
            added.append(fresh.steps)
            super().add(fresh)

    monkeypatch.setattr(stepped, "Recorder", Counting)
    sim = vv.Simulator(net(2), h=1e-3)
    for _ in range(3):
        sim.reset()
        sim.run(0.05, progress=False)
    assert added == []
    sim.run(0.08, progress=False)
    assert added == [50]
    assert sim.audit().steps == 80
    assert added == [50, 30]
    sim.audit()
    sim.step(n=5)
    assert sim.audit().steps == 85


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4(), vv.DOP853()], ids=repr)
@pytest.mark.parametrize("inertia", [(0.1, 0.2, 0.25), (1e-6, 0.1, 0.1)])
def test_no_body_turns_faster_than_its_energy_allows(scheme, inertia):
    m = vv.Mechanism("top", gravity=(0, 0, -9.81))
    m.body("a", mass=1.0, inertia=inertia, at=(0, 0, 1))
    m.spherical("ball", m.ground, "a", at=(0, 0, 0))
    run = vv.simulate(m, 0.05, 1e-3, integrator=scheme, initial={"a.twist": (1.0, 2.0, 5.0, 2.0, -1.0, 0.0)})
    spin, _ = _largest_spin(run)
    assert 0 < spin <= _spin_bound(run) * (1 + 1e-12)


def test_a_body_that_spins_too_fast_is_named_all_the_same():
    m = vv.Mechanism("wheel", gravity=(0, 0, 0))
    m.body("rim", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.revolute("hub", m.ground, "rim", at=(0, 0, 0), axis="z")
    with pytest.warns(vv.RunWarning, match="body 'rim' turns by about 1.5 rad per step"):
        vv.simulate(m, 0.1, 1e-2, initial={"hub.rate": 150.0}, progress=False)


def test_velocities_that_keep_the_constraints_are_compared_with_a_few_sizes_only(monkeypatch):
    run = vv.simulate(four_bar(), 0.2, 1e-3, progress=False)
    exact, bound = relative_g_v(run), bound_of_g_v(run)
    assert exact <= bound < 0.02
    monkeypatch.setattr(audit, "relative_g_v", lambda run: pytest.fail("all steps were looked at"))
    assert run.over(run.record, run.final).warnings == ()


def test_steps_are_chosen_only_where_velocities_bend(monkeypatch):
    chosen = []
    method = StepCheck._choose_among
    monkeypatch.setattr(StepCheck, "_choose_among", lambda self, *given: chosen.append(given) or method(self, *given))
    vv.simulate(four_bar(), 0.2, 1e-3, progress=False)
    assert not chosen
    with pytest.warns(vv.RunWarning, match="too long for the motion"):
        vv.simulate(net(2), 20.0, 0.2, progress=False)
    assert chosen


def test_chunks_that_wait_are_bounded(monkeypatch):
    """Where nodes are not kept, long runs need no more memory for it than short ones."""
    monkeypatch.setattr(step_check, "WAITING", 500)
    most = []
    method = StepCheck.look

    def look(self, *given):
        method(self, *given)
        most.append(sum(logged.chunk.x.size for logged, _, _ in self._waiting))

    monkeypatch.setattr(StepCheck, "look", look)
    vv.simulate(net(2), 2.0, 1e-2, every=10, progress=False)
    assert len(most) > 2
    assert max(most) <= 500
