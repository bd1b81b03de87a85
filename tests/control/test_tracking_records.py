"""A run with a tracking law tells what the law did, and where the energy of the template went."""

from __future__ import annotations

import functools

import matplotlib as mpl
import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, random_gains

import visviva as vv
from visviva.errors import ModelError

mpl.use("Agg")
TOOL = ("ground", "tool")


def swing(t):
    q = np.array([np.sin(t), 0.5 + 0.3 * np.cos(2 * t)])
    return q, np.array([np.cos(t), -0.6 * np.sin(2 * t)]), np.array([-np.sin(t), -1.2 * np.cos(2 * t)])


@functools.cache
def limited_law():
    gains = c.gains(1.0, 6.0, 9.0)
    return c.tracking(plants.scara(), {"first": gains, "second": gains}, "body", limits={"t1": (-1.0, 1.0)})


def circle(t):
    k = np.arange(6)
    return 0.7 + 0.3 * np.sin(2 * t + k), 0.6 * np.cos(2 * t + k), -1.2 * np.sin(2 * t + k)


def test_quantities_at_the_nodes_are_those_of_the_law():
    law, m = limited_law(), plants.scara()
    record = vv.simulate(m, t_end=0.5, h=0.01, inputs=law.at(swing)).tracking
    for k in (0, 17, 50):
        e = law.evaluate(record.q[k], record.v[k], *swing(record.t[k]))
        assert_allclose([record.W[k], record.V[k], record.T[k]], [e.W, e.V, e.T], rtol=1e-12)
        assert_allclose(record.u[k], e.u, rtol=1e-10)
        assert_allclose(record.u0[k], e.u0, rtol=1e-10)
        assert_allclose(record.errors["first"][k], record.q[k, 0] - np.sin(record.t[k]), atol=1e-12)
        assert np.flatnonzero(record.active[k]).tolist() == e.active.tolist()
    assert 0 < record.limited < 1


def test_matching_forces_at_the_nodes_are_those_of_the_law():
    m, actuators, eps = plants.pvtol()
    own = c.matching.pvtol((-3, -4, -5, -6), epsilon=eps, mass=1.7, g=plants.G)
    law = c.tracking(m, {("ground", "craft"): own.gains()}, "body", actuators=actuators)
    goal = lambda t: (np.array([np.sin(t), 0, 0.3]), np.array([np.cos(t), 0, 0]), np.array([-np.sin(t), 0, 0]))  # noqa: E731
    record = vv.simulate(m, t_end=0.3, h=0.01, integrator=vv.RK4(), inputs=law.at(goal)).tracking
    for k in (0, 30):
        e = law.evaluate(record.q[k], record.v[k], *goal(record.t[k]))
        assert_allclose(record.b_tilde[k], e.b_tilde, atol=1e-9 * np.abs(e.b_tilde).max())
        assert_allclose(np.linalg.norm(record.lam[k]), np.linalg.norm(e.lam), rtol=1e-9)
    assert abs(record.balance["matching force"]) > 1e-3
    assert np.abs(np.diff(record.lam, axis=0)).max() < 0.2 * np.abs(record.lam).max()  # no basis jumps


@pytest.mark.parametrize("how", ["inside of steps", "sampled", "late"])
def test_the_balance_closes_to_the_second_order_of_the_step(how):
    law, m, defects = limited_law(), plants.scara(), []
    for h in (0.01, 0.005, 0.0025):
        controller = law.at(swing)
        given = {"inputs": controller}
        if how != "inside of steps":
            given = {"sampled": vv.Sampled(controller, 0.02, 0.01 if how == "late" else 0.0)}
        record = vv.simulate(m, t_end=1.0, h=h, **given).tracking
        defects.append(abs(record.defect) / record.scale)
        assert (record.balance["hold"] != 0) is (how != "inside of steps")
        assert (abs(record.balance["delay"]) > 1e-6) is (how == "late")
    assert defects[-1] < 1e-4
    assert defects[0] / defects[1] == pytest.approx(4, rel=0.3)
    assert defects[1] / defects[2] == pytest.approx(4, rel=0.3)


def test_terms_that_are_left_out_are_missed():
    record = vv.simulate(plants.scara(), t_end=1.0, h=0.005, sampled=vv.Sampled(limited_law().at(swing), 0.02)).tracking
    for name in ("damping", "saturation", "hold"):
        assert abs(record.balance[name]) > 50 * abs(record.defect)


@pytest.mark.parametrize("approach", ["particle", "body", "energy"])
def test_moving_references_supply_no_energy_where_there_is_a_lyapunov_function(approach):
    gains = {TOOL: random_gains(1)}
    law = c.tracking(
        plants.robot_arm(), gains if approach == "energy" else gains | {("link3", "tool"): random_gains(2)}, approach
    )
    start = {f"theta{k + 1}.q": 0.8 for k in range(6)}
    run = vv.simulate(plants.robot_arm(), t_end=0.2, h=2e-3, integrator=vv.RK4(), initial=start, inputs=law.at(circle))
    record = run.tracking
    assert abs(record.defect) < 1e-4 * record.scale
    supplied = np.abs(record.work["reference"]).max() / record.scale
    assert supplied < 1e-10 if approach == "energy" else supplied > 1e-4
    assert (np.diff(record.work["damping"]) <= 0).all()


@pytest.mark.parametrize(("approach", "damping"), [("computed torque", 6.0), ("augmented PD", 0.3)])
def test_baselines_have_a_record(approach, damping):
    own = c.gains(1.0, damping, 1.5 * damping)
    law = c.tracking(plants.scara(), {"first": own, "second": own}, approach)
    record = vv.simulate(plants.scara(), t_end=0.2, h=0.01, inputs=law.at(swing, compiled=False)).tracking
    assert abs(record.defect) < 1e-3 * record.scale


def test_a_plant_that_the_law_does_not_know_is_a_defect():
    m = plants.scara()
    run = vv.simulate(m, t_end=1.0, h=0.005, inputs=limited_law().at(swing), parameters={"two.mass": 3.0})
    assert abs(run.tracking.defect) > 1e-2 * run.tracking.scale


def test_the_audit_has_a_block_of_it():
    run = vv.simulate(plants.scara(), t_end=0.2, h=0.01, sampled=vv.Sampled(limited_law().at(swing), 0.02, 0.01))
    text = str(run.audit())
    for word in (
        "body-based template",
        "every 0.02 s, 0.01 s late",
        "damping",
        "saturation",
        "hold",
        "delay",
        "ΔW̄",
        "defect",
    ):
        assert word in text
    plain = vv.simulate(plants.scara(), t_end=0.2, h=0.01)
    assert "template" not in str(plain.audit())


def test_the_picture_has_errors_energies_balance_and_inputs(tmp_path):
    run = vv.simulate(plants.scara(), t_end=0.2, h=0.01, inputs=limited_law().at(swing))
    figure = run.plot("tracking", path=tmp_path / "tracking.png")
    assert len(figure.axes) == 4
    assert (tmp_path / "tracking.png").stat().st_size > 10_000
    labels = figure.axes[2].get_legend_handles_labels()[1]
    assert {"ΔW̄", "damping", "saturation"} <= set(labels)
    assert "limits act" in figure.axes[3].get_legend_handles_labels()[1]


def test_runs_without_a_law_or_without_nodes_say_so():
    with pytest.raises(ModelError, match=r"has no tracking law.*\n.*law\.at\(goal\)"):
        _ = vv.simulate(plants.scara(), t_end=0.1, h=0.01).tracking
    run = vv.simulate(plants.scara(), t_end=0.1, h=0.01, every=2, inputs=limited_law().at(swing))
    with pytest.raises(ModelError, match="too few nodes"):
        _ = run.tracking
    assert run.audit().ok
