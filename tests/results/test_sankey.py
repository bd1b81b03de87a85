"""The Sankey picture: both sides add up, every joule has a name, and names do not overlap."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from systems import damped, hot

import visviva as vv
from visviva.results.sankey import panels
from visviva.results.shares import FEWEST, MOST, shares


@pytest.fixture(scope="module")
def hot_run() -> vv.Run:
    start = {"p": 0.0, "s": 0.05, "osc.q": 4.0}
    return vv.simulate(hot(), t_end=5.0, h=0.05, initial=start, inputs={"p": lambda t: np.cos(t)})


@pytest.fixture(scope="module")
def chain_run() -> vv.Run:
    """Many components: thirty storages and fifteen frictions."""
    m = vv.Mechanism("a chain of many links", gravity=(0, 0, -9.81))
    previous = m.ground
    for i in range(15):
        link = m.body(f"link_{i}", inertia=vv.inertia.cylinder(1.0, 0.05, 0.5, axis="x"), at=(0.25 + 0.5 * i, 0, 0))
        m.revolute(f"joint_number_{i}", previous, link, at=(0.5 * i, 0, 0), axis=(0, 1, 0), friction=0.5 * (i + 1))
        previous = link
    return vv.simulate(m, t_end=0.4, h=0.02)


RUNS = ["machine_run", "hot_run", "chain_run"]


@pytest.mark.parametrize("fixture", RUNS)
@pytest.mark.parametrize("what", ["energy", "exergy"])
def test_what_came_from_somewhere_went_somewhere(request, fixture, what):
    run = request.getfixturevalue(fixture)
    sources, sinks = shares(run, what)
    total = sum(share.amount for share in sources)
    assert total == pytest.approx(sum(share.amount for share in sinks), rel=1e-9)
    assert total > 0
    assert all(share.amount > 0 for share in sources + sinks)


def test_shares_are_those_of_the_audit(machine_run):
    sources, sinks = shares(machine_run, "energy")
    found = {share.name: -share.amount for share in sources} | {share.name: share.amount for share in sinks}
    accounts = machine_run.audit().components
    for body in ("rod", "arm", "tip"):
        assert found[f"{body}, kinetic"] + found[f"{body}, potential"] == pytest.approx(
            accounts[body].stored, abs=1e-12
        )
    assert found["heat of hinge"] == pytest.approx(accounts["hinge"].exergy_destroyed, rel=1e-12)
    assert found["input motor"] == pytest.approx(accounts["motor"].energy_in, rel=1e-12)


def test_energy_goes_to_the_environment_and_exergy_to_what_destroys_it(hot_run):
    _, energy = shares(hot_run, "energy")
    _, exergy = shares(hot_run, "exergy")
    taken = 300.0 * (hot_run["s_env"][-1, 0] - hot_run["s_env"][0, 0])
    assert {share.name: share.amount for share in energy}["environment at s_env"] == pytest.approx(taken, rel=1e-12)
    destroyed = {share.name: share.amount for share in exergy if share.kind == "heat"}
    assert destroyed["destroyed by mf"] == pytest.approx(hot_run["heat.mf"][-1], rel=1e-12)
    assert not [share for share in energy if share.kind == "heat"]


def test_small_shares_are_put_together_by_kind(chain_run):
    for side in shares(chain_run, "energy"):
        assert len(side) <= MOST + 4
        names = [share.name for share in side]
        assert len(set(names)) == len(names)
    merged = [share for share in shares(chain_run, "energy")[1] if "others" in share.name]
    heat = next(share for share in merged if share.kind == "heat")
    assert heat.amount <= chain_run["heat"][-1] * (1 + 1e-12)


def test_a_single_small_share_keeps_its_name(machine_run):
    sources, _ = shares(machine_run, "energy")
    motor = next(share for share in sources if share.kind == "input")
    assert motor.name == "input motor"
    assert motor.amount < FEWEST * sum(share.amount for share in sources)


@pytest.mark.parametrize("fixture", RUNS)
def test_names_do_not_overlap_and_stay_inside(request, fixture):
    figure = request.getfixturevalue(fixture).sankey()
    figure.canvas.draw()
    boxes = [text.get_window_extent() for axes in figure.axes for text in axes.texts]
    for a, b in itertools.combinations(boxes, 2):
        assert not a.overlaps(b)
    for box in boxes:
        assert 0 <= box.x0 < box.x1 <= figure.bbox.width
        assert 0 <= box.y0 < box.y1 <= figure.bbox.height


def test_heights_are_amounts(machine_run):
    (panel,) = panels(machine_run)
    (axes,) = machine_run.sankey().axes
    bars = [patch.get_height() for patch in axes.patches if hasattr(patch, "get_height")]
    amounts = [panel.total, *(share.amount for share in panel.sources), *(share.amount for share in panel.sinks)]
    assert np.array(bars) / bars[0] == pytest.approx(np.array(amounts) / panel.total, rel=1e-12)


def test_energy_and_exergy_stand_side_by_side_where_they_differ(hot_run, machine_run):
    assert len(hot_run.sankey().axes) == 2
    assert len(hot_run.sankey(what="exergy").axes) == 1
    assert len(machine_run.sankey().axes) == 1
    titles = [axes.texts[0].get_text() for axes in hot_run.sankey().axes]
    assert [title.split(",")[0] for title in titles] == ["hot: energy", "hot: exergy"]


@pytest.mark.parametrize(("size", "unit"), [(0.01, "µJ"), (2.0, " J"), (100.0, "kJ")])
def test_amounts_have_a_unit_of_their_size(size, unit):
    run = vv.simulate(damped(), t_end=5.0, h=0.1, initial={"osc.q": size, "p": 0.0})
    for panel in panels(run):
        assert all(unit in panel.label(share) for share in panel.sinks + panel.sources)


def test_a_picture_is_saved_where_a_path_is_given(machine_run, tmp_path):
    machine_run.sankey(tmp_path / "sankey.svg")
    assert (tmp_path / "sankey.svg").stat().st_size > 1000


def test_long_and_odd_names_are_drawn_as_they_are():
    m = vv.Mechanism(r"5 $ or \frac$")
    m.particle(r"$\bad$ name that goes on and on and on and on", mass=1.0, at=(0, 0, 0))
    m.wrench("push", r"$\bad$ name that goes on and on and on and on")
    run = vv.simulate(m, t_end=0.1, h=0.05, inputs={"push": (1.0, 0, 0)})
    figure = run.sankey()
    figure.canvas.draw()
    assert any("…" in text.get_text() for text in figure.axes[0].texts)


def test_where_nothing_flowed_there_is_nothing_to_draw(rotor):
    run = vv.simulate(rotor(1.0), t_end=0.1, h=0.01)
    with pytest.raises(vv.ModelError, match="in the run of 'rotor' no energy flowed"):
        run.sankey()


def test_only_energy_and_exergy_can_be_asked_for(machine_run):
    with pytest.raises(vv.ModelError, match='is "energy" or "exergy", got \'entropy\''):
        machine_run.sankey(what="entropy")
