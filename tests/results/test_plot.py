"""Pictures show the numbers of the run, with their units."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import visviva as vv


def curves(axes) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_ydata() for line in axes.lines}


def test_the_energy_picture_shows_where_the_energy_is(machine_run):
    top, low = machine_run.plot("energy").axes
    shown = curves(top)
    assert_array_equal(shown["stored, total"], machine_run["energy"])
    np.testing.assert_allclose(shown["kinetic"] + shown["potential"], machine_run["energy"], rtol=0, atol=1e-12)
    assert_array_equal(shown["heat to the environment"], machine_run["heat"])
    assert_array_equal(shown["work of the inputs"], machine_run["work"])
    for name in ("rod", "arm", "tip"):
        assert_array_equal(shown[f"of {name}"], machine_run[f"energy.{name}"])
    assert np.ptp(shown["stored + heat − work"]) < 1e-11
    assert top.get_ylabel() == "energy [J]"
    assert top.get_title(loc="left") == "machine: energy"
    assert low.get_xlabel() == "time [s]"
    assert low.get_ylabel() == "first law,\nper step"
    assert low.get_yscale() == "log"


def test_what_is_not_there_is_not_in_the_legend(pendulum):
    run = vv.simulate(pendulum(), t_end=0.1, h=0.01)
    labels = {text.get_text() for text in run.plot().axes[0].get_legend().get_texts()}
    assert labels == {"kinetic", "potential", "stored, total"}


def test_a_quantity_is_drawn_against_its_own_times(machine_run):
    (axes,) = machine_run.plot("hinge.q").axes
    (line,) = axes.lines
    assert_array_equal(line.get_xdata(), machine_run.t)
    assert_array_equal(line.get_ydata(), machine_run["hinge.q"])
    (axes,) = machine_run.plot("motor.power").axes
    (line,) = axes.lines
    assert_array_equal(line.get_xdata(), machine_run.t_mid)
    assert axes.get_xlabel() == "time [s]"
    assert axes.get_title(loc="left") == "machine: motor.power"


def test_a_pattern_draws_every_component_of_every_name(machine_run):
    (axes,) = machine_run.plot("*.r").axes
    assert set(curves(axes)) == {f"{name}.r {k}" for name in ("rod", "arm", "tip", "tool", "base") for k in "xyz"}
    (axes,) = machine_run.plot("rod.R").axes
    assert set(curves(axes)) == {f"rod.R[{i},{j}]" for i in range(3) for j in range(3)}


def test_several_names_are_one_figure_with_axes_for_each_unit(machine_run):
    angle, speed = machine_run.plot("hinge.q", "hinge.rate").axes
    assert (angle.get_ylabel(), speed.get_ylabel()) == ("[rad]", "[rad/s]")
    assert_array_equal(curves(angle)["hinge.q"], machine_run["hinge.q"])
    assert_array_equal(curves(speed)["hinge.rate"], machine_run["hinge.rate"])
    assert angle.get_title(loc="left") == "machine: hinge.q, hinge.rate"
    assert speed.get_xlabel() == "time [s]"
    (axes,) = machine_run.plot("energy", "heat").axes  # as quantities
    assert set(curves(axes)) == {"energy", "heat"}


def test_moments_and_forces_of_a_reaction_have_axes_of_their_own(machine_run):
    moment, force = machine_run.plot("hinge.reaction_world").axes
    assert (moment.get_ylabel(), force.get_ylabel()) == ("[N m]", "[N]")
    assert list(curves(moment)) == [f"hinge.reaction_world m_{k}" for k in "xyz"]
    assert_array_equal(curves(force)["hinge.reaction_world f_z"], machine_run["hinge.reaction_world"][:, 5])


def test_a_picture_of_its_own_is_not_plotted_with_others(machine_run):
    with pytest.raises(vv.ModelError, match=r"(?s)plot\('motion'\) is a picture of its own.*'hinge.q'"):
        machine_run.plot("hinge.q", "motion")


def test_a_path_is_the_last_name_or_a_keyword(machine_run, tmp_path):
    machine_run.plot("hinge.q", "hinge.rate", path=tmp_path / "both.png")
    machine_run.plot("hinge.q", "hinge.rate", str(tmp_path / "again.png"))
    assert {each.name for each in tmp_path.iterdir()} == {"both.png", "again.png"}
    with pytest.raises(vv.ModelError, match="has no 'nothing'"):
        machine_run.plot("hinge.q", "nothing")


def test_an_unknown_quantity_comes_with_a_suggestion(machine_run):
    with pytest.raises(vv.ModelError, match=r"has no 'hinge.p'. Did you mean .*'hinge.q'"):
        machine_run.plot("hinge.p")
    assert plt.get_fignums() == []  # nothing half drawn is left open


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_picture_is_saved_where_a_path_is_given(machine_run, tmp_path, suffix):
    path = tmp_path / f"energy{suffix}"
    machine_run.plot("energy", path)
    assert path.stat().st_size > 1000


def test_the_picture_of_heat_stacks_up_to_all_entropy(machine_run):
    axes = machine_run.plot("heat").axes[0]
    (line,) = axes.lines
    assert_array_equal(line.get_ydata(), machine_run["entropy"])
    top = max(patch.get_datalim(axes.transData).ymax for patch in axes.collections)
    assert top == pytest.approx(machine_run["entropy"][-1], rel=1e-12)
    assert axes.get_ylabel() == "entropy produced [J/K]"


def test_many_sources_of_heat_are_put_together(tmp_path):
    m = vv.Mechanism("many")
    for k in range(12):
        m.body(f"disc_{k}", inertia=vv.inertia.cylinder(1.0, 0.5, 0.1))
        m.revolute(f"axle_{k}", m.ground, f"disc_{k}", at=(0, 0, 0), axis=(0, 0, 1), rate=1.0 + k, friction=0.1)
    run = vv.simulate(m, t_end=0.1, h=0.05)
    labels = [text.get_text() for text in run.plot("heat", tmp_path / "heat.png").axes[0].get_legend().get_texts()]
    assert labels == [*(f"axle_{k}" for k in range(11, 3, -1)), "4 others"]


def test_where_nothing_makes_heat_there_is_no_picture_of_it(pendulum):
    run = vv.simulate(pendulum(), t_end=0.1, h=0.01)
    with pytest.raises(vv.ModelError, match="nothing in 'pendulum' produces entropy"):
        run.plot("heat")
    assert plt.get_fignums() == []


def test_the_picture_of_the_audit_shows_every_step(machine_run):
    first, second, constraints, newton = machine_run.plot("audit").axes
    for axes, values in ((first, machine_run["first_law"]), (constraints, machine_run.record.g)):
        assert_array_equal(axes.lines[0].get_ydata(), np.maximum(values, 1e-18))
        assert axes.get_yscale() == "log"
    np.testing.assert_allclose(second.lines[0].get_ydata(), np.diff(machine_run["entropy"]), rtol=1e-9)
    assert_array_equal(newton.lines[0].get_ydata(), machine_run["newton.iterations"])
    assert first.get_title(loc="left") == "machine: audit of every step"


def test_the_picture_of_the_audit_leaves_out_what_is_not_there():
    m = vv.Mechanism("free")
    m.particle("stone", mass=1.0, at=(0, 0, 0), velocity=(1, 0, 0))
    assert len(vv.simulate(m, t_end=0.1, h=0.05).plot("audit").axes) == 2


def test_names_are_drawn_as_they_are():
    """A name is no formula, whatever signs it has in it."""
    m = vv.Mechanism(r"5 $ or \frac$")
    m.particle(r"$\bad$", mass=1.0, at=(0, 0, 0))
    run = vv.simulate(m, t_end=0.1, h=0.05)
    run.plot("energy").canvas.draw()
    run.plot("*.r").canvas.draw()


@pytest.mark.parametrize("names", [(3,), ("rod.r", 3), (None,), (["rod.r"],)])
def test_what_is_no_name_is_said(machine_run, names):
    with pytest.raises(vv.ModelError, match=r"takes names of quantities.*got (3|None|\['rod\.r'\])"):
        machine_run.plot(*names)


def test_pictures_that_need_states_say_so_where_none_were_recorded():
    m = vv.Mechanism()
    m.body("rod", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    m.revolute("hinge", "ground", "rod", at=(0, 0, 0), axis="y", rate=1.0)
    run = vv.simulate(m, 0.02, 1e-3, record=("rod.r", "energy"))
    with pytest.raises(
        vv.ModelError, match=r"'motion' needs the states of all nodes, but record= .* kept only\nenergy"
    ):
        run.plot("motion")
    assert len(run.plot().axes) == 1  # the quantity itself
    with pytest.raises(vv.ModelError, match="'energy' needs the states of all nodes"):
        vv.simulate(m, 0.02, 1e-3, record="rod.r").plot()
    with pytest.raises(vv.ModelError, match=r"record takes names or patterns .* got 3"):
        vv.simulate(m, 0.02, 1e-3, record=3)
