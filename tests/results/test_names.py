"""Results by name: all are there, with their shape, and they tell one and the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.geometry import SE3
from visviva.geometry.embedding import Flat
from visviva.model import Kinetic, QuadraticEnergy, Variable, canonical

N = 50
NODES = {
    **{f"{name}.r": (3,) for name in ("rod", "arm", "tip", "tool", "base")},
    **{f"{name}.R": (3, 3) for name in ("rod", "arm", "tool", "base")},
    **{f"{name}.twist": (6,) for name in ("rod", "arm", "tool", "base")},
    **{f"{name}.{what}": () for name in ("hinge", "elbow") for what in ("q", "rate")},
    **{f"{name}.{which}": (6,) for name in ("hinge", "elbow", "ball") for which in ("reaction", "reaction_world")},
    **{f"energy.{name}": () for name in ("rod", "arm", "tip")},
    **{f"{name}.work": () for name in ("motor", "load")},
    **{f"exergy.{name}": () for name in ("rod", "arm", "tip")},
    **dict.fromkeys(("t", "energy", "exergy", "heat", "heat.hinge", "entropy", "entropy.hinge", "work"), ()),
    "tip.v": (3,),
    "momentum": (6,),
}
STEPS = {
    **{f"{name}.{which}_mid": (6,) for name in ("hinge", "elbow", "ball") for which in ("reaction", "reaction_world")},
    **{f"{name}.power": () for name in ("motor", "load")},
    **{f"{name}.power": () for name in ("rod", "arm", "tip")},
    **{f"{name}.power": () for name in ("hinge.rod", "elbow.rod", "elbow.arm", "ball.arm", "ball.tip")},
    **dict.fromkeys(("first_law", "second_law", "newton.iterations", "newton.residual"), ()),
    "motor.u": (1,),
    "load.u": (6,),
}
ROWS = {"hinge": 5, "elbow": 5, "ball": 3}


@pytest.mark.parametrize(("name", "shape"), NODES.items(), ids=NODES.keys())
def test_what_lives_at_the_nodes_has_one_value_for_each(machine_run, name, shape):
    assert machine_run[name].shape == (N + 1, *shape)
    assert np.isfinite(machine_run[name]).all()


@pytest.mark.parametrize(("name", "shape"), STEPS.items(), ids=STEPS.keys())
def test_what_lives_in_the_steps_has_one_value_for_each(machine_run, name, shape):
    assert machine_run[name].shape == (N, *shape)
    assert np.isfinite(machine_run[name]).all()


@pytest.mark.parametrize("name", ["g", "g_v"])
def test_constraints_have_one_column_for_each_row(machine_run, name):
    joints, directors = 5 + 5 + 3, 6 + 6
    assert machine_run[name].shape == (N + 1, joints + directors)


@pytest.mark.parametrize("name", ["g", "g_v"])
def test_constraints_can_be_read_one_by_one(machine_run, name):
    assert all(machine_run[f"{name}.{joint}"].shape == (N + 1, rows) for joint, rows in ROWS.items())
    joints = [machine_run[f"{name}.{joint}"] for joint in ROWS]
    directors = machine_run[name].shape[1] - sum(ROWS.values())
    assert_array_equal(np.concatenate(joints, axis=1), machine_run[name][:, directors:])


def test_the_figures_of_every_step_are_those_of_the_audit(machine_run):
    audit = machine_run.audit()
    assert machine_run["first_law"].max() == audit.first_law
    assert machine_run["second_law"].min() == audit.second_law
    assert machine_run["newton.iterations"].mean() == pytest.approx(audit.iterations, rel=1e-12)
    assert machine_run["newton.residual"].max() < 1e-12


def test_no_other_names_are_there(machine_run):
    rows = {f"{what}.{joint}" for what in ("g", "g_v") for joint in ROWS}
    assert set(machine_run.names) == {*NODES, *STEPS, *rows, "g", "g_v"}
    assert all(name in machine_run for name in machine_run.names)
    assert "rod.q" not in machine_run
    assert 3 not in machine_run


def test_times_are_those_of_the_grid(machine_run):
    assert_allclose(machine_run.t, 0.01 * np.arange(N + 1), rtol=0, atol=1e-14)
    assert_allclose(machine_run.t_mid, 0.01 * (np.arange(N) + 0.5), rtol=0, atol=1e-14)
    assert repr(machine_run) == "<Run of 'machine' with PHMP: t = 0 … 0.5 s, 50 intervals>"


def test_patterns_find_names(machine_run):
    assert machine_run.match("energy.*") == ["energy.arm", "energy.rod", "energy.tip"]
    assert machine_run.match("*.v") == ["tip.v"]


def test_an_unknown_name_comes_with_a_suggestion(machine_run):
    with pytest.raises(vv.ModelError, match=r"the run of 'machine' has no 'hinge.rat'. Did you mean 'hinge.rate'"):
        machine_run["hinge.rat"]


def test_results_cannot_be_changed(machine_run):
    for name in machine_run.names:
        with pytest.raises(ValueError, match="read-only"):
            machine_run[name][...] = 0.0
    assert not machine_run.t.flags.writeable
    assert not machine_run.t_mid.flags.writeable


def test_a_hand_made_model_answers_to_its_variables():
    variables = (Variable("q", Flat(2)), Variable("v", Flat(2)))
    storages = (Kinetic("mass", "v", np.eye(2)), QuadraticEnergy("spring", "q", np.eye(2)))
    model = vv.Model("osc", variables, storages, (canonical("pair", "q", "v", 2),))
    run = vv.simulate(model, 0.1, 0.01, integrator=vv.DiscreteGradient(), initial={"q": (1, 0), "v": (0, 1)})
    assert {"q", "v", "energy", "energy.mass", "energy.spring", "t"} <= set(run.names)
    assert run["q"].shape == run["v"].shape == (11, 2)
    with pytest.raises(vv.ModelError, match="the run of 'osc' has no 'momentum'"):
        run["momentum"]


# -- kinematics -------------------------------------------------------------------------------------------------
def twist_error(run, name):
    """Largest difference between twist and central difference of the poses, log(X⁻¹_{n-1} X_{n+1}) / 2h."""
    X = SE3(run[f"{name}.R"], run[f"{name}.r"])
    behind, ahead = SE3(X.R[:-2], X.r[:-2]), SE3(X.R[2:], X.r[2:])
    rate = (behind.inverse() @ ahead).log() / (run.t[2:] - run.t[:-2])[:, None]
    return np.abs(run[f"{name}.twist"][1:-1] - rate).max()


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()], ids=lambda i: type(i).__name__)
def test_twists_are_the_rates_of_poses_to_second_order(machine, inputs, integrator):
    coarse, fine = (vv.simulate(machine(), t_end=0.2, h=h, inputs=inputs, integrator=integrator) for h in (0.01, 0.005))
    for name in ("rod", "arm", "tool"):
        errors = twist_error(coarse, name), twist_error(fine, name)
        assert errors[0] < 0.02
        assert errors[0] / errors[1] == pytest.approx(4.0, abs=1.0)


def test_the_velocity_of_a_particle_is_that_of_the_point_that_holds_it(machine_run):
    R, V = machine_run["arm.R"], machine_run["arm.twist"]
    arm = np.array([0.3, 0.0, -0.1])  # from the frame of the body to the ball
    assert_allclose(machine_run["tip.r"], machine_run["arm.r"] + R @ arm, rtol=0, atol=1e-12)
    expected = (R @ (V[:, 3:] + np.cross(V[:, :3], arm))[..., None])[..., 0]
    assert_allclose(machine_run["tip.v"], expected, rtol=0, atol=1e-12)


def test_rotations_stay_rotations(machine_run):
    for name in ("rod", "arm", "tool"):
        R = machine_run[f"{name}.R"]
        assert_allclose(np.swapaxes(R, -1, -2) @ R, np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-13)


def test_everything_starts_as_built(machine_run):
    m = machine_run.model.definition
    for name in ("rod", "arm"):
        assert_allclose(machine_run[f"{name}.r"][0], m[name].r_WB, rtol=0, atol=1e-14)
        assert_allclose(machine_run[f"{name}.R"][0], m[name].R_WB, rtol=0, atol=1e-14)
    for name in ("tool", "base"):
        assert_allclose(machine_run[f"{name}.r"][0], m[name].r_WF, rtol=0, atol=1e-14)
        assert_allclose(machine_run[f"{name}.R"][0], m[name].R_WF, rtol=0, atol=1e-14)
    assert (machine_run["hinge.q"][0], machine_run["elbow.q"][0]) == (0.0, 0.0)
    assert_allclose((machine_run["hinge.rate"][0], machine_run["elbow.rate"][0]), (1.0, -2.0), rtol=0, atol=1e-12)


def test_a_frame_moves_with_its_body(machine_run):
    X_WB = SE3(machine_run["rod.R"], machine_run["rod.r"])
    X_WF = SE3(machine_run["tool.R"], machine_run["tool.r"])
    X_BF = X_WB.inverse() @ X_WF
    assert_allclose(X_BF.matrix, np.broadcast_to(X_BF.matrix[0], X_BF.matrix.shape), rtol=0, atol=1e-13)
    expected = (X_BF.inverse().Ad() @ machine_run["rod.twist"][..., None])[..., 0]
    assert_allclose(machine_run["tool.twist"], expected, rtol=0, atol=1e-12)


def test_a_frame_on_the_ground_does_not_move(machine_run):
    assert (machine_run["base.r"] == machine_run["base.r"][0]).all()
    assert (machine_run["base.twist"] == 0).all()


def test_joint_rates_are_relative_turns_about_the_axis(machine_run):
    m = machine_run.model.definition
    axis = np.array([1, 0.5, 0.3]) / np.linalg.norm([1, 0.5, 0.3])
    spins = {
        name: (machine_run[f"{name}.R"] @ machine_run[f"{name}.twist"][:, :3, None])[..., 0] for name in ("rod", "arm")
    }
    axis_now = machine_run["arm.R"] @ (m["arm"].R_WB.T @ axis)
    relative = spins["arm"] - spins["rod"]
    assert_allclose(machine_run["elbow.rate"][:, None] * axis_now, relative, rtol=0, atol=1e-11)


# -- angles -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rate", [40.0, -40.0])
def test_angles_are_continuous_over_many_turns(rotor, rate):
    run = vv.simulate(rotor(rate), t_end=2.0, h=0.02)
    per_step = np.diff(run["axle.q"])
    assert_allclose(per_step, per_step[0], rtol=1e-9)
    assert abs(run["axle.q"][-1]) > 10 * 2 * np.pi
    R = run["disc.R"]
    assert_allclose(np.exp(1j * run["axle.q"]), R[:, 0, 0] + 1j * R[:, 1, 0], rtol=0, atol=1e-11)


@pytest.mark.parametrize("every", [3, 7, 1000])
def test_angles_do_not_depend_on_which_nodes_are_kept(rotor, every):
    full = vv.simulate(rotor(40.0), t_end=2.0, h=0.02)
    kept = vv.simulate(rotor(40.0), t_end=2.0, h=0.02, every=every)
    nodes = [*range(0, 100, every), 100]
    assert_array_equal(kept.t, full.t[nodes])
    assert_array_equal(kept["axle.q"], full["axle.q"][nodes])


def test_angles_continue_in_a_continued_run(rotor):
    first = vv.simulate(rotor(40.0), t_end=1.0, h=0.02)
    second = vv.simulate(rotor(40.0), t_end=2.0, h=0.02, initial=first.final)
    whole = vv.simulate(rotor(40.0), t_end=2.0, h=0.02)
    assert_array_equal(np.concatenate([first["axle.q"], second["axle.q"][1:]]), whole["axle.q"])


# -- energy and momentum ----------------------------------------------------------------------------------------
def test_energies_add_up(machine_run):
    parts = sum(machine_run[name] for name in machine_run.match("energy.*"))
    assert_allclose(machine_run["energy"], parts, rtol=0, atol=1e-12)


def test_the_energy_of_a_body_is_kinetic_and_weight(machine_run):
    """½ Vᵀ 𝓘 V - m γ·r_com; the kinetic part is of the scheme's own velocities, the twist is projected: to O(h²)."""
    V, R = machine_run["rod.twist"], machine_run["rod.R"]
    rod = machine_run.model.definition["rod"]
    matrix = vv.inertia.Inertia(rod.mass, rod.J, rod.com).matrix()
    height = machine_run["rod.r"][:, 2] + (R @ rod.com)[:, 2]
    expected = 0.5 * np.einsum("ni,ij,nj->n", V, matrix, V) + rod.mass * 9.81 * height
    assert_allclose(machine_run["energy.rod"], expected, rtol=0, atol=2e-3)
    assert machine_run["energy.rod"][0] == pytest.approx(expected[0], abs=1e-12)


def test_entropy_is_heat_at_the_temperature_of_the_environment(machine_run):
    assert_allclose(machine_run["entropy.hinge"], machine_run["heat.hinge"] / 300.0, rtol=1e-14)
    assert_allclose(machine_run["entropy"], machine_run["entropy.hinge"], rtol=1e-14)
    assert (np.diff(machine_run["entropy.hinge"]) > 0).all()


def test_power_adds_up_to_work(machine_run):
    for port in ("motor", "load"):
        work = np.concatenate([[0.0], np.cumsum(machine_run[f"{port}.power"]) * 0.01])
        assert_allclose(machine_run[f"{port}.work"], work, rtol=0, atol=1e-12)
    assert_allclose(machine_run["work"], sum(machine_run[f"{p}.work"] for p in ("motor", "load")), atol=1e-12)


def test_power_is_input_times_velocity_of_where_it_acts(machine_run):
    """Midpoint values against means of the nodes: O(h²)."""

    def mean(values):
        return 0.5 * (values[1:] + values[:-1])

    rates = mean(machine_run["elbow.rate"])
    assert_allclose(machine_run["motor.power"], machine_run["motor.u"][:, 0] * rates, rtol=0, atol=2e-3)
    V, R = machine_run["arm.twist"], machine_run["arm.R"]  # the frame of the box is at its centre of mass
    in_world = np.concatenate([(R @ V[:, :3, None])[..., 0], (R @ V[:, 3:, None])[..., 0]], axis=-1)
    assert_allclose(machine_run["load.power"], (machine_run["load.u"] * mean(in_world)).sum(-1), rtol=0, atol=5e-3)


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()], ids=lambda i: type(i).__name__)
def test_a_constant_force_moves_a_particle_as_galilei_says(integrator):
    """r = ½ (f/m) t², which the midpoint rule meets exactly, and work f·r."""
    m = vv.Mechanism()
    m.particle("dot", mass=2.0, at=(0, 0, 0))
    m.wrench("wind", "dot")
    run = vv.simulate(m, t_end=1.0, h=0.1, inputs={"wind": (0, 3, 1)}, integrator=integrator)
    assert_allclose(run["dot.r"], np.outer(0.25 * run.t**2, (0, 3, 1)), rtol=0, atol=1e-13)
    assert_allclose(run["wind.work"], run["dot.r"] @ (0, 3, 1), rtol=0, atol=1e-12)
    assert run["wind.u"].shape == (10, 3)


def test_inputs_are_those_of_the_midpoints(machine_run):
    assert_allclose(machine_run["motor.u"][:, 0], 0.5 * np.cos(3 * machine_run.t_mid), rtol=0, atol=1e-15)
    assert (machine_run["load.u"] == (0.1, -0.2, 0.3, 1.0, 0.5, -0.4)).all()


def test_constraints_hold_at_every_node(machine_run):
    assert np.abs(machine_run["g"]).max() < 1e-13
    assert 1e-8 < np.abs(machine_run["g_v"]).max() < 0.1  # PH-MP does not enforce it; see the next test


def test_GGL_keeps_the_rate_of_the_constraints_too(machine, inputs):
    run = vv.simulate(machine(), t_end=0.1, h=0.01, inputs=inputs, integrator=vv.PHMPGGL())
    assert np.abs(run["g_v"]).max() < 1e-12


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()], ids=lambda i: type(i).__name__)
def test_momentum_of_what_flies_freely_is_that_of_the_start(integrator):
    """(Σ r x m v + J ω; Σ m v) about the world's origin, with a joint between the two bodies."""
    m = vv.Mechanism()
    m.body("a", inertia=vv.inertia.box(2.0, (0.3, 0.5, 0.4)), at=(1, 0, 0), twist=(0.5, 1, -2, 0.3, 0.2, 0.1))
    m.body("b", inertia=vv.inertia.box(1.0, (0.2, 0.1, 0.3)), at=(1, 1, 0))
    m.revolute("hinge", "a", "b", at=(1, 0.5, 0), axis=(1, 1, 0), rate=3.0)
    run = vv.simulate(m, t_end=0.3, h=0.02, integrator=integrator)
    expected = np.zeros(6)
    for name in "ab":
        body, V = m[name], run[f"{name}.twist"][0]  # frames are at the centres of mass and parallel to the world
        p = body.mass * V[3:]
        expected += np.concatenate([body.J @ V[:3] + np.cross(body.r_WB, p), p])
    assert_allclose(run["momentum"], np.broadcast_to(expected, run["momentum"].shape), rtol=0, atol=1e-11)


def test_inputs_of_mechanisms_have_units():
    m = vv.Mechanism("inputs")
    for k in range(4):
        m.body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k, 0, 0))
        kind = m.prismatic if k == 3 else m.revolute
        kind(f"j{k}", m.ground, f"b{k}", at=(k, 0, 0), axis=(0, 0, 1))
    m.particle("p", mass=1.0, at=(9, 0, 0))
    m.torque("torque", "j0")
    m.force("force", "j3")
    m.wrench("wrench", "b0")
    m.wrench("pull", "p")
    m.motor("motor", "j1", resistance=1.0, inductance=0.1, k=0.1)
    m.drive("drive", "j2", rate=1.0)
    run = vv.simulate(m, 0.02, 0.01)
    units = {"torque": "N m", "force": "N", "wrench": "N m, N", "pull": "N", "motor": "V", "drive": "rad/s"}
    assert {name: run.unit(f"{name}.u") for name in units} == units
