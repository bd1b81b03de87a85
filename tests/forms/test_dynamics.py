"""vv.dynamics of trees: M a + bias = B u against the Model, identities, finite differences and Pinocchio."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from robots import acted, arm, heated, state

import visviva as vv
from visviva.errors import ModelError

sys.path.insert(0, str(Path(__file__).parents[2]))

TREES = {"arm": arm, "acted": acted, "heated": heated}
AXES = ("world", "body", "spatial")
h = 1e-5


@pytest.fixture(params=TREES)
def d(request):
    return made(request.param)


def made(name, known={}):  # noqa: B006
    if name not in known:
        known[name] = vv.dynamics(TREES[name]())
    return known[name]


def near(found, wanted, tolerance=1e-11):
    assert_allclose(found, wanted, rtol=0, atol=tolerance * max(1.0, np.abs(wanted).max(initial=0.0)))


# -- equations of motion ----------------------------------------------------------------------------------------


def test_accelerations_are_those_of_the_model(d):
    q, v, u = state(d)
    near(d.forward(q, v, u), d.form.accelerations(q, v, u=u))


def test_inverse_dynamics_is_what_inputs_supply(d):
    q, v, u = state(d)
    a = d.forward(q, v, u)
    near(d.inverse(q, v, a), d.input_matrix(q) @ u)
    near(d.mass_matrix(q) @ a + d.bias(q, v), d.inverse(q, v, a))
    tau = np.random.default_rng(3).normal(size=d.nv)
    near(d.inverse(q, v, d.forward(q, v, tau=tau)), tau)


def test_bias_is_the_sum_of_its_parts_which_are_those_of_the_model(d):
    q, v, _ = state(d)
    near(d.bias(q, v), d.coriolis(q, v) + d.gravity(q) + d.passive(q, v))
    near(d.coriolis(q, v), d.form.bias(q, v))
    near(d.gravity(q) + d.passive(q, v), -d.form.forces(q, v))
    near(d.gravity(q), d.bias(q, np.zeros(d.nv)) - d.passive(q, np.zeros(d.nv)))


def test_gravity_is_the_slope_of_the_potential_and_the_mass_matrix_that_of_kinetic_energy(d):
    q, v, _ = state(d)
    weightless = vv.Mechanism(d.name)
    weightless.ground, weightless.parts = d.definition.ground, dict(d.definition.parts)
    other = vv.dynamics(weightless)

    def height(q):
        return d.form.energy(q, 0 * v) - other.form.energy(q, 0 * v)

    steps = [height(d.integrate(q, h * e)) - height(d.integrate(q, -h * e)) for e in np.eye(d.nv)]
    near(d.gravity(q), np.array(steps) / (2 * h), 1e-7)
    M = d.mass_matrix(q)
    assert_allclose(M, M.T, atol=0)
    assert np.linalg.eigvalsh(M).min() > 0
    near(0.5 * v @ M @ v, d.form.kinetic_energy(q, v))


def test_power_of_inputs_is_the_rate_of_energy_and_the_loss_of_what_is_passive():
    d = made("arm")
    q, v, u = state(d)
    a = d.forward(q, v, u)
    ahead, behind = (d.form.energy(d.integrate(q, s * h * v), v + s * h * a) for s in (1, -1))
    near((ahead - behind) / (2 * h), v @ (d.input_matrix(q) @ u - d.passive(q, v)), 1e-7)


def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(d):
    q, v, _ = state(d)
    C = d.coriolis_matrix(q, v)
    near(C @ v, d.coriolis(q, v))
    M_dot = (d.mass_matrix(d.integrate(q, h * v)) - d.mass_matrix(d.integrate(q, -h * v))) / (2 * h)
    D = M_dot - 2 * C
    near(D, -D.T, 1e-8)


def test_derivatives_are_those_of_differences(d):
    q, v, u = state(d)
    found = d.derivatives(q, v, u)

    def slope(f):
        return np.array([(f(h * e) - f(-h * e)) / (2 * h) for e in np.eye(d.nv)]).T

    near(found.q, slope(lambda x: d.forward(d.integrate(q, x), v, u)), 1e-7)
    near(found.v, slope(lambda x: d.forward(q, v + x, u)), 1e-7)
    near(d.mass_matrix(q) @ found.u, d.input_matrix(q))


def test_states_besides_motion_act_by_s_and_have_rates():
    d = made("heated")
    q, v, u = state(d)
    assert d.s_names == ("dc.flux", "oil.s")
    more = np.array([0.02, 0.0])
    k = d.passive(q, v) - d.passive(q, v, s=d.s_built + more)
    near(k, 0.2 * more[:1] / 0.01)  # k i, i = flux/L
    x, s = d.s_dot(q, v, u), d.s_built
    near(x[0], u[0] - 1.0 * s[0] / 0.01 - 0.2 * v[0])
    near(d.forward(q, v, u, s=s + more), d.form.accelerations(q, v, s + more, u=u))
    assert d.input_matrix(q).tolist() == [[0.0]]  # a voltage acts on a current


# -- frames -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", AXES)
def test_jacobians_are_slopes_of_poses_and_bias_accelerations_of_jacobians(d, axes):
    q, v, _ = state(d)
    for name in d.frames:
        X = d.pose(name, q)
        J = np.empty((6, d.nv))
        for k, e in enumerate(np.eye(d.nv)):
            A, B = (d.pose(name, d.integrate(q, s * h * e)) for s in (-1, 1))
            w, p = X.R @ (A.rotation.inverse() @ B.rotation).log() / (2 * h), (B.r - A.r) / (2 * h)
            particle = name == "bob"
            J[:, k] = {
                "world": [*w, *p],
                "body": [*X.R.T @ w, *X.R.T @ p],
                "spatial": [*w, *(p if particle else p + np.cross(X.r, w))],
            }[axes]
        near(d.jacobian(name, q, axes), J, 1e-8)
        ahead, behind = (d.jacobian(name, d.integrate(q, s * h * v), axes) @ v for s in (1, -1))
        near(d.bias_acceleration(name, q, v, axes), (ahead - behind) / (2 * h), 1e-7)


def test_poses_are_those_of_a_run():
    m = acted().snapshot()
    run = vv.simulate(m, 0.1, 1e-2, integrator=vv.DOP853())
    d, at = made("acted"), d_state(made("acted"), run)
    for name in ("hand", "bob"):
        near(d.pose(name, at).r, run[f"{name}.r"][-1], 1e-9)
    near(d.pose("tool", d.q_built).r, (1.3, 0.1, 0.25))


def d_state(d, run):
    return d.form.coordinates(run.final).q


def test_handles_stand_for_names():
    d = made("arm")
    q, _, _ = state(d)
    near(d.jacobian(d.definition["tool"], q), d.jacobian("tool", q), 0)


# -- configurations ---------------------------------------------------------------------------------------------


def test_difference_undoes_integrate(d):
    q, v, _ = state(d)
    near(d.difference(q, d.integrate(q, 0.7 * v)), 0.7 * v)
    other = d.integrate(q, v)
    X, Y = d.pose(d.frames[-1], d.integrate(q, d.difference(q, other))), d.pose(d.frames[-1], other)
    near(X.matrix, Y.matrix)


def test_a_free_body_is_moved_along_a_screw():
    d = made("acted")
    v = np.zeros(d.nv)
    free = [k for k, name in enumerate(d.names) if name.startswith("base")]
    v[free] = (0.3, -0.4, 1.2, 0.5, 0.1, -0.2)
    X, Y = d.pose("base", d.q_built), d.pose("base", d.integrate(d.q_built, v))
    near((X.inverse() @ Y).log(), v[free])


def test_coordinates_set_what_is_named_and_leave_the_rest():
    d = made("acted")
    q, _, _ = state(d)
    R = vv.geometry.SO3.exp(np.array([0.3, 0.2, 0.1]))
    found = d.coordinates({"wrist": 0.3, "slide.q": -0.1, "ball": R}, near=q)
    assert found[d.q_names.index("wrist.q")] == 0.3
    assert found[d.q_names.index("slide.q")] == -0.1
    at = d.q_names.index("ball.q[0]")
    near(found[at : at + 4], R.as_quat())
    base = [k for k, name in enumerate(d.q_names) if name.startswith("base")]
    assert_allclose(found[base], q[base], atol=0)


@pytest.mark.parametrize("seed", range(4))
def test_poses_within_reach_are_reached_to_rounding(seed):
    d, rng = made("arm"), np.random.default_rng(seed)
    q, _, _ = state(d, seed)
    X = d.pose("tool", q)
    found = d.pose("tool", d.solve_pose({"tool": X}, near=q + 0.3 * rng.normal(size=d.nv)))
    near(found.matrix, X.matrix, 1e-14)
    point = d.solve_pose({"tool": X.r, "link3": d.pose("link3", q).r})
    near(d.pose("tool", point).r, X.r, 1e-14)


def test_what_is_out_of_reach_is_said_with_the_distance_of_the_nearest():
    with pytest.raises(vv.AssemblyError, match=r"'tool' stays 3\.2\d+ m away"):
        made("arm").solve_pose({"tool": (5.0, 0.0, 0.0)})


# -- many states, threads ---------------------------------------------------------------------------------------


def test_leading_axes_are_many_calls(d):
    states = [state(d, seed) for seed in range(6)]
    q, v, u = (np.array(part).reshape(2, 3, -1) for part in zip(*states, strict=True))
    calls = {
        "forward": lambda q, v, u: d.forward(q, v, u),
        "inverse": lambda q, v, u: d.inverse(q, v, v),
        "mass_matrix": lambda q, v, u: d.mass_matrix(q),
        "gravity": lambda q, v, u: d.gravity(q),
        "passive": lambda q, v, u: d.passive(q, v),
        "input_matrix": lambda q, v, u: d.input_matrix(q),
        "jacobian": lambda q, v, u: d.jacobian(d.frames[-1], q, "body"),
        "bias": lambda q, v, u: d.bias_acceleration(d.frames[-1], q, v),
        "pose": lambda q, v, u: d.pose(d.frames[-1], q).r,
        "difference": lambda q, v, u: d.difference(q, d.integrate(q, v)),
    }
    for call in calls.values():
        found = call(q, v, u)
        one = call(*states[4])
        assert found.shape == (2, 3, *one.shape)
        near(found[1, 1], one)
    near(d.forward(q, v[0, 0], u[0])[1, 2], d.forward(q[1, 2], v[0, 0], u[0, 2]))  # axes that fit each other


def test_threads_do_not_disturb_each_other():
    d = made("acted")
    q, v, u = state(d)
    wanted, wrong = d.forward(q, v, u), []

    def work():
        for k in range(200):
            found = d.forward(q, v, u) if k % 2 else d.forward(q, 0 * v, u)
            if k % 2 and not np.array_equal(found, wanted):
                wrong.append(k)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# -- what is wrong ----------------------------------------------------------------------------------------------


def test_wrong_arguments_are_named():
    d = made("arm")
    q, v, _ = state(d)
    with pytest.raises(ModelError, match=r"q of the dynamics of 'arm' must have shape \(7,\), got \(6,\)"):
        d.mass_matrix(q[:6])
    with pytest.raises(ModelError, match="v of the dynamics of 'arm' must be finite"):
        d.inverse(q, v * np.nan, v)
    with pytest.raises(ModelError, match="u of the dynamics of 'arm' must have shape"):
        d.forward(q, v, [1.0])
    with pytest.raises(ModelError, match="do not fit each other"):
        d.forward(np.zeros((2, 7)), np.zeros((3, 7)))
    with pytest.raises(ModelError, match="Did you mean 'tool'"):
        d.jacobian("tol", q)
    with pytest.raises(ModelError, match=r"frame='local'.*'body'"):
        d.jacobian("tool", q, "local")
    with pytest.raises(ModelError, match="Did you mean 'j3'"):
        d.coordinates({"j33": 0.1})
    with pytest.raises(ModelError, match="all of its 7 velocities are independent"):
        vv.dynamics(arm(), independent=("j1",))
    with pytest.raises(ModelError, match="takes a Mechanism, got str"):
        vv.dynamics("arm")


def test_quaternions_of_another_length_are_refused():
    d = made("acted")
    q, v, _ = state(d)
    q[d.q_names.index("ball.q[0]")] += 0.1
    for call in (
        lambda: d.mass_matrix(q),
        lambda: d.pose("tool", q),
        lambda: d.forward(q, v),
        lambda: d.gravity([q, q]),
        lambda: d.integrate(q, v),
        lambda: d.difference(q, q),
        lambda: d.coordinates({}, near=q),
    ):
        with pytest.raises(ModelError, match=r"ball|length"):
            call()


def test_a_joint_without_inertia_is_named():
    m = vv.Mechanism("thin", gravity=(0, 0, -9.81))
    m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("spin", m.ground, "rod", at=(0, 0, 0), axis=(1, 0, 0))
    d = vv.dynamics(m)
    with pytest.raises(ModelError, match="moves no inertia"):
        d.forward([0.0], [0.0])


def test_derivatives_of_what_is_no_number_are_refused():
    with pytest.raises(ModelError, match="v of the dynamics of 'arm' must be finite"):
        made("arm").derivatives(np.zeros(7), np.full(7, np.nan))


def test_what_cannot_move_has_no_dynamics():
    m = vv.Mechanism("wall")
    m.fixed("weld", m.ground, m.body("stone", mass=1.0, inertia=(1, 1, 1)))
    with pytest.raises(ModelError, match="nothing in mechanism 'wall' can move"):
        vv.dynamics(m)


def test_prescribed_motions_are_refused():
    m = vv.Mechanism("driven")
    m.body("rod", mass=1.0, inertia=(1, 1, 1))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("shaft", "hinge", rate=1.0)
    with pytest.raises(ModelError, match=r"prescribed motions, 'shaft'"):
        vv.dynamics(m)


def stopped(width):
    m = vv.Mechanism("stopped")
    m.body("rod", mass=1.0, inertia=(1, 1, 1))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1))
    m.stop("end", "hinge", -1.0, 0.0, stiffness=1e3, width=width)
    return vv.dynamics(m)


@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-9])
def test_where_a_stop_begins_it_has_half_its_stiffness(width):
    """k (δ δ')' with δ = (x + √(x² + w²))/2 at x = 0, whatever w: no kink as long as numbers tell x from it."""
    near(stopped(width).derivatives([0.0], [0.0]).q, [[-500.0]], 1e-6)


def test_a_kink_has_no_derivative():
    d = stopped(1e-14)
    near(d.derivatives([0.1], [0.0]).q, [[-1e3]], 1e-8)
    with pytest.raises(ModelError, match=r"no derivative here by the configuration along 'hinge\.rate'"):
        d.derivatives([0.0], [0.0])


# -- against Pinocchio ------------------------------------------------------------------------------------------


def test_an_arm_is_that_of_pinocchio():
    pin = pytest.importorskip("pinocchio")
    from benchmarks.peers_trees import PinocchioTree

    d = made("arm")
    q, v, a = np.random.default_rng(5).normal(size=(3, 7))
    peer = PinocchioTree(d.form.tree)
    model = peer.model
    last = model.getJointId("link6")
    X = vv.geometry.SE3.from_matrix(d.form.tree.links[-1].X_LB) @ d.pose("link6", q).inverse() @ d.pose("tool", q)
    tool = model.addFrame(pin.Frame("tool", last, 0, pin.SE3(X.R, X.r), pin.FrameType.OP_FRAME))
    data = model.createData()
    near(d.coriolis(q, v) + d.gravity(q), pin.nonLinearEffects(model, data, q, v))
    near(d.inverse(q, v, a) - d.passive(q, v), pin.rnea(model, data, q, v, a))
    near(d.gravity(q), pin.computeGeneralizedGravity(model, data, q))
    swap = [3, 4, 5, 0, 1, 2]  # their rows are (v; ω)
    axes = {"world": pin.LOCAL_WORLD_ALIGNED, "body": pin.LOCAL, "spatial": pin.WORLD}
    for name, theirs in axes.items():
        near(d.jacobian("tool", q, name), pin.computeFrameJacobian(model, data, q, tool, theirs)[swap])
    pin.forwardKinematics(model, data, q, v, 0 * v)
    near(
        d.bias_acceleration("tool", q, v),
        pin.getFrameClassicalAcceleration(model, data, tool, pin.LOCAL_WORLD_ALIGNED).vector[swap],
    )
    pin.updateFramePlacements(model, data)
    near(d.pose("tool", q).matrix, data.oMf[tool].homogeneous)
    C = pin.computeCoriolisMatrix(model, data, q, v)
    near(d.coriolis_matrix(q, v) @ v, C @ v)
