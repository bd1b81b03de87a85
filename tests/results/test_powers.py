"""Powers of ports: they are the rates of what is stored and made, and they cancel where ports meet."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose
from systems import hot, oscillator

import visviva as vv
from visviva.demo import four_bar
from visviva.geometry.embedding import Flat
from visviva.model import (
    Dissipation,
    Junction,
    Kinetic,
    Port,
    QuadraticEnergy,
    Routing,
    RowKind,
    Rows,
    Variable,
    canonical,
)

SCHEMES = [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()]


@pytest.fixture(scope="module")
def hot_run() -> vv.Run:
    start = {"p": 0.0, "s": 0.1, "osc.q": 1.0}
    return vv.simulate(hot(), t_end=2.0, h=0.05, initial=start, inputs={"p": lambda t: 0.1 * np.sin(t)})


# -- mechanisms ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("integrator", SCHEMES, ids=lambda i: type(i).__name__)
@pytest.mark.parametrize("h", [0.05, 0.01])
def test_what_flows_into_a_body_is_stored_there_in_every_step(machine, inputs, integrator, h):
    run = vv.simulate(machine(), t_end=0.3, h=h, inputs=inputs, integrator=integrator)
    for body in ("rod", "arm", "tip"):
        assert_allclose(run[f"{body}.power"], np.diff(run[f"energy.{body}"]) / h, rtol=0, atol=1e-11)


@pytest.mark.parametrize("integrator", SCHEMES, ids=lambda i: type(i).__name__)
def test_a_joint_passes_on_what_it_takes_but_for_its_heat(machine, inputs, integrator):
    run = vv.simulate(machine(), t_end=0.3, h=0.01, inputs=inputs, integrator=integrator)
    assert_allclose(run["elbow.rod.power"] + run["elbow.arm.power"], 0.0, rtol=0, atol=1e-10)
    assert_allclose(run["ball.arm.power"] + run["ball.tip.power"], 0.0, rtol=0, atol=1e-10)
    assert_allclose(run["hinge.rod.power"], np.diff(run["heat.hinge"]) / 0.01, rtol=0, atol=1e-10)
    assert np.abs(run["elbow.rod.power"]).max() > 1.0  # it does pass something on


@pytest.mark.parametrize("integrator", SCHEMES, ids=lambda i: type(i).__name__)
def test_bodies_take_what_joints_and_inputs_give(machine, inputs, integrator):
    run = vv.simulate(machine(), t_end=0.3, h=0.01, inputs=inputs, integrator=integrator)
    given = run["motor.power"] + run["load.power"] - run["hinge.rod.power"]
    assert_allclose(run["rod.power"] + run["arm.power"] + run["tip.power"], given, rtol=0, atol=1e-10)


@pytest.mark.parametrize("integrator", SCHEMES, ids=lambda i: type(i).__name__)
def test_redundant_joints_have_powers_too(integrator):
    run = vv.simulate(four_bar(), t_end=0.1, h=0.01, integrator=integrator)
    for body, joints in {"crank": "AB", "coupler": "BC", "rocker": "CD"}.items():
        taken = sum(run[f"{joint}.{body}.power"] for joint in joints)
        assert_allclose(run[f"{body}.power"], -taken, rtol=0, atol=1e-9)


def test_the_power_of_a_thinned_run_is_that_of_the_last_step_of_an_interval(machine, inputs):
    full = vv.simulate(machine(), t_end=0.2, h=0.01, inputs=inputs)
    thin = vv.simulate(machine(), t_end=0.2, h=0.01, inputs=inputs, every=5)
    assert_allclose(thin["elbow.rod.power"], full["elbow.rod.power"][4::5], rtol=0, atol=1e-12)


def test_a_run_without_steps_has_no_powers(pendulum):
    assert vv.simulate(pendulum(), t_end=0.0, h=0.01)["hinge.rod.power"].shape == (0,)


# -- systems of the language ----------------------------------------------------------------------------------------
def test_powers_that_meet_at_a_junction_cancel(hot_run):
    kinetic, friction = hot_run["osc.ke.p.power"], hot_run["mf.p.power"]
    assert_allclose(kinetic + friction + hot_run["osc.pkc.p.power"], hot_run["p.power"], rtol=0, atol=1e-12)
    taken = hot_run["mf.s.power"] + hot_run["body.s.power"] + hot_run["wall.s.power"]
    assert_allclose(taken, 0.0, rtol=0, atol=1e-10)
    assert_allclose(hot_run["s_env.power"], -hot_run["wall.s_env.power"], rtol=0, atol=1e-12)


def test_an_irreversible_process_keeps_energy_and_destroys_exergy(hot_run):
    for name, ports in {"mf": ("p", "s"), "wall": ("s", "s_env")}.items():
        energy = sum(hot_run[f"{name}.{port}.power"] for port in ports)
        exergy = sum(hot_run[f"{name}.{port}.exergy_power"] for port in ports)
        assert_allclose(energy, 0.0, rtol=0, atol=1e-10)
        assert_allclose(exergy, np.diff(hot_run[f"heat.{name}"]) / 0.05, rtol=0, atol=1e-12)


def test_a_coupling_keeps_both(hot_run):
    for what in ("power", "exergy_power"):
        assert_allclose(hot_run[f"osc.pkc.q.{what}"] + hot_run[f"osc.pkc.p.{what}"], 0.0, rtol=0, atol=1e-13)


def test_what_flows_into_a_storage_is_stored_there(hot_run):
    for name, port in {"osc.pe": "q", "osc.ke": "p", "body": "s"}.items():
        assert_allclose(hot_run[f"{name}.{port}.power"], np.diff(hot_run[f"energy.{name}"]) / 0.05, rtol=0, atol=1e-10)
        exergy = np.diff(hot_run[f"exergy.{name}"]) / 0.05
        assert_allclose(hot_run[f"{name}.{port}.exergy_power"], exergy, rtol=0, atol=1e-10)


def test_an_environment_takes_energy_and_no_exergy(hot_run):
    assert_allclose(hot_run["s_env.power"], 300.0 * np.diff(hot_run["s_env"][:, 0]) / 0.05, rtol=0, atol=1e-10)
    assert (hot_run["s_env.exergy_power"] == 0).all()


def test_entropy_that_is_stored_was_produced(hot_run):
    gain = hot_run["entropy_stored"] - hot_run["entropy_stored"][0]
    assert_allclose(gain, hot_run["entropy"], rtol=0, atol=1e-15)
    parts = hot_run["entropy_stored.body"] + hot_run["entropy_stored.s_env"]
    assert_allclose(hot_run["entropy_stored"], parts, rtol=0, atol=1e-15)


def test_exergies_of_the_storages_add_up(hot_run):
    parts = sum(hot_run[name] for name in hot_run.match("exergy.*"))
    assert_allclose(parts, hot_run["exergy"], rtol=0, atol=1e-12)


def test_without_entropy_there_is_no_second_kind_of_power():
    run = vv.simulate(oscillator(), t_end=0.2, h=0.05, initial={"q": 1.0, "p": 0.0}, inputs={"p": 0.0})
    assert "pkc.q.power" in run
    assert run.match("*exergy_power") == run.match("entropy_stored*") == []


# -- models made by hand ----------------------------------------------------------------------------------------------
def test_ports_whose_short_names_are_the_same_have_their_full_ones():
    variables = (Variable("a.x", Flat(1)), Variable("b.x", Flat(1)))
    storages = (QuadraticEnergy("left", "a.x", np.eye(1)), QuadraticEnergy("right", "b.x", np.eye(1)))
    model = vv.Model(
        "pair", variables, storages, (Routing("link", ("a.x", "b.x"), np.array([[0.0, 1.0], [-1.0, 0.0]])),)
    )
    run = vv.simulate(model, 0.2, 0.1, integrator=vv.DiscreteGradient(), initial={"a.x": 1.0, "b.x": 0.0})
    assert run.match("*.power") == ["left.x.power", "link.a.x.power", "link.b.x.power", "right.x.power"]


def test_an_input_keeps_its_power_where_a_component_has_its_name():
    variables = (Variable("q", Flat(1)), Variable("v", Flat(1)))
    storages = (Kinetic("v", "v", np.eye(1)), QuadraticEnergy("spring", "q", np.eye(1)))
    model = vv.Model("osc", variables, storages, (canonical("pair", "q", "v", 1), Port("v", ("v",), 1, np.eye(1))))
    run = vv.simulate(
        model, 0.2, 0.05, integrator=vv.DiscreteGradient(), initial={"q": 1.0, "v": 0.0}, inputs={"v": 0.5}
    )
    assert_allclose(run["v.power"], np.diff(run["v.work"]) / 0.05, rtol=1e-12)
    assert_allclose(run.powers["v (input)", "v"].energy, -run["v.power"], rtol=1e-12)


def test_a_driven_constraint_passes_on_the_power_of_its_input():
    """A mass on a spring whose velocity is prescribed: the rows take from the input what the mass and spring get."""
    variables = (Variable("q", Flat(1)), Variable("v", Flat(1)))
    storages = (Kinetic("mass", "v", np.eye(1)), QuadraticEnergy("spring", "q", np.eye(1)))
    drive = Rows("drive", ("v",), 1, np.eye(1), kind=RowKind.DRIVEN)
    model = vv.Model(
        "crank", variables, storages, (canonical("pair", "q", "v", 1), drive, Port("hand", ("drive",), 1, -np.eye(1)))
    )
    start = {"q": 0.5, "v": 1.0}
    run = vv.simulate(model, 0.5, 0.05, integrator=vv.DiscreteGradient(), initial=start, inputs={"hand": 1.0})
    assert_allclose(run["drive.power"], run["hand.power"], rtol=1e-9)
    assert_allclose(run["drive.v.power"], -run["hand.power"], rtol=1e-9)


def test_a_junction_without_storage_has_powers():
    """A source of flow and a storage joined through a gyrator: the algebraic effort is that of the step."""
    gyrator = Routing("gyrator", ("j", "x"), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    damper = Dissipation("damper", ("j",), np.eye(1))
    model = vv.Model(
        "net",
        (Variable("x", Flat(1)),),
        (QuadraticEnergy("tank", "x", np.eye(1)),),
        (gyrator, damper),
        (Junction("j", 1),),
    )
    run = vv.simulate(model, 0.5, 0.05, integrator=vv.DiscreteGradient(), initial={"x": 1.0})
    assert_allclose(run["gyrator.j.power"], -run["damper.j.power"], rtol=1e-12)
    assert_allclose(run["damper.j.power"], np.diff(run["heat.damper"]) / 0.05, rtol=1e-12)


# -- steps that are no midpoints ---------------------------------------------------------------------------------------
@pytest.fixture
def other_run(machine_run) -> vv.Run:
    """A record as a scheme of several stages leaves it: its multipliers are means that explain no force."""
    record = dataclasses.replace(machine_run.record, w_mid=1.01 * machine_run.record.w_mid)
    return vv.Run(machine_run.model, record, machine_run.final, machine_run.integrator, ())


def test_powers_that_do_not_add_up_are_refused(other_run):
    with pytest.raises(vv.ModelError, match=r"powers that meet at 'rod.v' miss .* of PHMP is no single\nmidpoint"):
        other_run["elbow.rod.power"]
    assert other_run["motor.power"].shape == (50,)  # what is recorded stays


def test_files_of_such_a_run_hold_all_but_powers(other_run, tmp_path):
    other_run.to_npz(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        assert "motor.power" in file.files
        assert "elbow.rod.power" not in file.files
