"""Tables and files hold the numbers of the run, each with its clock and unit."""

from __future__ import annotations

import csv
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.geometry.embedding import Flat
from visviva.language import compose
from visviva.library import rotation
from visviva.model import QuadraticEnergy, Variable


def test_a_selection_holds_every_name_that_fits(machine_run):
    values = machine_run.select("energy.*", "hinge.q")
    assert list(values) == ["energy.arm", "energy.rod", "energy.tip", "hinge.q"]
    assert_array_equal(values["energy.rod"], machine_run["energy.rod"])
    assert machine_run.select() == {}


def test_a_selection_of_nothing_known_comes_with_a_suggestion(machine_run):
    with pytest.raises(vv.ModelError, match=r"has no 'hinge.rat'. Did you mean 'hinge.rate'"):
        machine_run.select("energy", "hinge.rat")


@pytest.mark.parametrize(
    ("name", "unit"),
    {
        "rod.r": "m",
        "rod.twist": "rad/s, m/s",
        "hinge.q": "rad",
        "energy.rod": "J",
        "entropy": "J/K",
        "load.u": "N m, N",
    }.items(),
)
def test_units_are_told_where_they_are_known(machine_run, name, unit):
    assert machine_run.unit(name) == unit


def test_the_unit_of_an_unknown_name_is_an_error(machine_run):
    with pytest.raises(vv.ModelError, match=r"has no 'rod.x'"):
        machine_run.unit("rod.x")


# -- CSV ------------------------------------------------------------------------------------------------------------
def read_csv(path) -> tuple[list[str], np.ndarray]:
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return head, np.array(rows, dtype=float)


def test_csv_reads_back_exactly(machine_run, tmp_path):
    machine_run.to_csv(tmp_path / "run.csv", "tip.r", "energy")
    head, rows = read_csv(tmp_path / "run.csv")
    assert head == ["t [s]", "tip.r[0] [m]", "tip.r[1] [m]", "tip.r[2] [m]", "energy [J]"]
    assert_array_equal(rows, np.column_stack([machine_run.t, machine_run["tip.r"], machine_run["energy"]]))


def test_what_lives_in_steps_has_their_times(machine_run, tmp_path):
    machine_run.to_csv(tmp_path / "steps.csv", "motor.power", "load.u")
    head, rows = read_csv(tmp_path / "steps.csv")
    assert head[:5] == ["t [s]", "motor.power [W]", "load.u[0] [N m]", "load.u[1] [N m]", "load.u[2] [N m]"]
    assert head[5:] == ["load.u[3] [N]", "load.u[4] [N]", "load.u[5] [N]"]
    assert_array_equal(rows[:, 0], machine_run.t_mid)


def test_by_default_csv_holds_all_nodes(machine_run, tmp_path):
    machine_run.to_csv(tmp_path / "all.csv")
    head, rows = read_csv(tmp_path / "all.csv")
    assert rows.shape == (51, len(head))
    assert "rod.R[2,1] [1]" in head
    assert not [name for name in head if "power" in name]


def test_a_row_of_nodes_has_the_step_that_ends_there(machine_run, tmp_path):
    machine_run.to_csv(tmp_path / "both.csv", "energy", "motor.power")
    head, rows = read_csv(tmp_path / "both.csv")
    assert head == ["t [s]", "energy [J]", "motor.power (step) [W]"]
    assert_array_equal(rows[:, 0], machine_run.t)
    assert_array_equal(rows[:, 1], machine_run["energy"])
    assert_array_equal(rows[1:, 2], machine_run["motor.power"])
    assert rows[0, 2] == machine_run["motor.power"][0]


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.DOP853()], ids=["PHMP", "DOP853"])
def test_all_of_a_joint_is_one_table(pendulum, tmp_path, integrator):
    run = vv.simulate(pendulum(), t_end=0.1, h=0.01, integrator=integrator)
    joint = run.model.definition.joints[0].name
    run.to_csv(tmp_path / "joint.csv", f"{joint}.*")
    head, rows = read_csv(tmp_path / "joint.csv")
    assert {f"{joint}.q [rad]", f"{joint}.reaction_mid[5] (step) [N]"} <= set(head)
    assert rows.shape == (len(run.t), len(head))
    assert np.isfinite(rows).all()


def test_coordinates_of_different_kinds_have_their_own_units():
    m = vv.Mechanism()
    m.body("plate", mass=1.0, inertia=(1, 1, 1))
    m.planar("table", m.ground, "plate", at=(0, 0, 0), normal=(0, 0, 1), rate=(1.0, 2.0, 3.0))
    run = vv.simulate(m, t_end=0.02, h=0.01)
    assert run.unit("table.q") == "rad, m, m"
    turning, sliding = run.plot("table.q").axes
    assert [len(axes.lines) for axes in (turning, sliding)] == [1, 2]


# -- NPZ ------------------------------------------------------------------------------------------------------------
def test_npz_holds_everything_with_times_and_units(machine_run, tmp_path):
    machine_run.to_npz(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert {*machine_run.names, "t_mid", "(units)"} == set(file.files)
        for name in machine_run.names:
            assert_array_equal(file[name], machine_run[name])
        assert_array_equal(file["t_mid"], machine_run.t_mid)
        assert dict(file["(units)"])["tip.v"] == "m/s"


def test_npz_takes_names_that_numpy_would_not(tmp_path):
    model = vv.Model("odd", (Variable("file", Flat(1)),), (QuadraticEnergy("store", "file", np.eye(1)),))
    run = vv.simulate(model, 0.1, 0.05, integrator=vv.DiscreteGradient(), initial={"file": 1.0})
    run.to_npz(tmp_path / "odd", "file")
    with np.load(tmp_path / "odd") as file:
        assert_array_equal(file["file"], run["file"])


def test_files_leave_out_reactions_that_need_the_acceleration_of_a_box_and_say_so(tmp_path):
    m = vv.Mechanism("rig", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0))
    m.box("wheel", compose("wheel", {"rotor": rotation.inertia(0.1)}, {"p": ["rotor.p"]}, outer=("p",)), {"p": "hinge"})
    run = vv.simulate(m, t_end=0.02, h=0.01, integrator=vv.LieMidpoint(compiled=False))
    left = {"hinge.reaction", "hinge.reaction_world"}
    run.to_npz(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert set(file["(left out)"]) == left == set(run.left_out())
        assert {*run.names, "t_mid", "(units)", "(left out)"} - left == set(file.files)
        assert_array_equal(file["hinge.reaction_mid"], run["hinge.reaction_mid"])
    run.to_csv(tmp_path / "run.csv")
    assert "hinge.reaction" not in (tmp_path / "run.csv").read_text(encoding="utf-8")
    assert run.left_out("*_mid") == run.left_out("rod.r") == ()
    with pytest.raises(vv.ModelError, match=r"belongs to an\nacceleration"):
        run.to_npz(tmp_path / "run.npz", "hinge.reaction")


# -- pandas and xarray ------------------------------------------------------------------------------------------------
def test_a_data_frame_is_indexed_by_time(machine_run):
    pytest.importorskip("pandas")
    frame = machine_run.to_pandas("tip.r", "hinge.q")
    assert list(frame.columns) == ["tip.r[0]", "tip.r[1]", "tip.r[2]", "hinge.q"]
    assert frame.index.name == "t"
    assert_array_equal(frame.index, machine_run.t)
    assert_array_equal(frame["hinge.q"], machine_run["hinge.q"])
    assert frame.attrs["units"]["tip.r[1]"] == "m"


def test_a_data_frame_says_which_columns_are_of_steps(machine_run):
    pytest.importorskip("pandas")
    frame = machine_run.to_pandas("hinge.*")
    assert_array_equal(frame["hinge.reaction_mid[2]"][1:], machine_run["hinge.reaction_mid"][:, 2])
    assert "hinge.reaction_mid[2]" in frame.attrs["steps"]
    assert "hinge.q" not in frame.attrs["steps"]
    assert not frame.isna().any().any()


def test_a_data_frame_of_the_accounts(machine_run):
    pandas = pytest.importorskip("pandas")
    audit = machine_run.audit()
    frame = pandas.DataFrame(audit.table()).set_index("component")
    assert frame.loc["hinge", "exergy_destroyed"] == audit.components["hinge"].exergy_destroyed
    assert frame["energy_in"].sum() == pytest.approx(0.0, abs=1e-12)


def test_a_data_set_has_both_clocks_and_units(machine_run):
    pytest.importorskip("xarray")
    data = machine_run.to_xarray()
    assert data["rod.R"].dims == ("t", "i3", "j3")
    assert data["motor.power"].dims == ("t_mid",)
    assert data["motor.power"].attrs == {"units": "W"}
    assert data["load.u"].attrs == {"units": "N m, N"}
    assert_array_equal(data["t_mid"], machine_run.t_mid)
    half = data["tip.r"].sel(t=0.25, method="nearest")
    assert_allclose(half, machine_run["tip.r"][25], rtol=0, atol=0)


def test_a_data_set_of_some_names(machine_run):
    pytest.importorskip("xarray")
    assert set(machine_run.to_xarray("energy.*").data_vars) == {"energy.arm", "energy.rod", "energy.tip"}


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_a_missing_library_is_told_with_its_extra(machine_run, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(vv.ModelError, match=rf"run.to_{library}\(\) needs {library}.*pip install 'visviva\[files\]'"):
        getattr(machine_run, f"to_{library}")("energy")
