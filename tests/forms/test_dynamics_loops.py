"""vv.dynamics of mechanisms with loops, gears and rolling: all or independent velocities, branches, dead points."""

from __future__ import annotations

import formulation_catalogue
import numpy as np
import pytest
import scipy.optimize
from numpy.testing import assert_allclose
from robots import four_bar

import visviva as vv
from visviva.demo import slider_crank, stewart
from visviva.errors import AssemblyError, ModelError

h = 1e-5
CLOSED = {
    "four bar": (four_bar, ("A",)),
    "slider-crank": (slider_crank, ("crank pin",)),
    "Stewart platform": (stewart, None),
    "rolling disc": (formulation_catalogue.CATALOGUE["rolling disc"].build, None),
    "gears": (formulation_catalogue.CATALOGUE["differential"].build, None),
    "motor on a crank": (formulation_catalogue.CATALOGUE["motor on a crank"].build, None),
}


def near(found, wanted, tolerance=1e-11):
    assert_allclose(found, wanted, rtol=0, atol=tolerance * max(1.0, np.abs(wanted).max(initial=0.0)))


@pytest.fixture(params=CLOSED, scope="module")
def d(request):
    build, _ = CLOSED[request.param]
    return vv.dynamics(build(), independent="rank")


def moving(d, seed=0):
    rng = np.random.default_rng(seed)
    v = 0.3 * rng.normal(size=d.nv)
    return d.integrate(d.q_built, 0.2 * v), v, rng.normal(size=d.nu)


def whole(d, q, v):
    """All velocities of the tree."""
    return d.loops.at(q, v, np.array(d.s_built)).point.xi


def test_accelerations_by_independent_velocities_are_those_of_the_model(d):
    q, v, u = moving(d)
    wanted = d.form.accelerations(q, whole(d, q, v), u=u, u_dot=np.zeros(d.nu))
    near(d.forward(q, v, u), wanted[d.loops.independent], 1e-12)


def test_inverse_dynamics_by_independent_velocities_is_what_inputs_supply(d):
    q, v, u = moving(d)
    a = d.forward(q, v, u)
    near(d.inverse(q, v, a), d.input_matrix(q) @ u)
    near(d.mass_matrix(q) @ a + d.coriolis(q, v) + d.gravity(q) + d.passive(q, v), d.inverse(q, v, a))
    tau = np.random.default_rng(1).normal(size=d.nv)
    near(d.inverse(q, v, d.forward(q, v, tau=tau)), tau, 1e-12)


def test_kinetic_energy_and_poses_are_those_of_the_tree(d):
    q, v, _ = moving(d)
    near(0.5 * v @ d.mass_matrix(q) @ v, d.form.kinetic_energy(q, whole(d, q, v)))
    every = vv.dynamics(d.definition)
    for name in d.frames[1:3]:
        near(d.pose(name, q).matrix, every.pose(name, q).matrix, 0)
        near(d.jacobian(name, q) @ v, every.jacobian(name, q) @ whole(d, q, v))


def test_bias_accelerations_are_rates_of_jacobians_along_loops(d):
    q, v, _ = moving(d)
    for axes in ("world", "body", "spatial"):
        ahead, behind = (d.jacobian(d.frames[1], d.integrate(q, s * h * v), axes) @ v for s in (1, -1))
        near(d.bias_acceleration(d.frames[1], q, v, axes), (ahead - behind) / (2 * h), 1e-7)


def test_all_velocities_obey_the_constraints():
    d = vv.dynamics(four_bar())
    q, rng = d.coordinates({"A": 0.4}), np.random.default_rng(0)
    v, u = d.loops.projector(q, np.zeros(0)) @ rng.normal(size=d.nv), rng.normal(size=d.nu)
    near(d.forward(q, v, u), d.form.accelerations(q, v, u=u))
    near(d.mass_matrix(q), d.form.mass_matrix(q))
    near(d.coriolis(q, v), d.form.bias(q, v))
    near(d.input_matrix(q), d.form.at(q).S.T @ d.form.open.B(d.form.x(q))[d.form.at_z])
    with pytest.raises(AssemblyError, match="violates"):
        d.forward(q, rng.normal(size=d.nv))
    with pytest.raises(AssemblyError, match="violates"):
        d.forward(q + 0.1, v)
    with pytest.raises(ModelError, match="independent='rank'"):
        d.derivatives(q, v, u)


def test_derivatives_along_independent_velocities_are_those_of_differences():
    d = vv.dynamics(four_bar(), independent=("A",))
    q, v, u = moving(d)
    found = d.derivatives(q, v, u)
    ahead, behind = (d.forward(d.integrate(q, [s * h]), v, u) for s in (1, -1))
    near(found.q[:, 0], (ahead - behind) / (2 * h), 1e-6)
    near(found.v[:, 0], (d.forward(q, v + h, u) - d.forward(q, v - h, u)) / (2 * h), 1e-6)
    near(d.mass_matrix(q) @ found.u, d.input_matrix(q))


def test_a_chosen_joint_is_in_the_tree_though_others_hold_as_well():
    for name in "ABCD":
        d = vv.dynamics(four_bar(), independent=(name,))
        assert d.names == (f"{name}.rate",)
        q = d.integrate(d.q_built, [0.1])
        near(d.q_built[d.q_names.index(f"{name}.q")] + 0.1, q[d.q_names.index(f"{name}.q")])
        near(np.abs(d.form.open.g(d.form.x(q))).max(), 0.0, 1e-13)


def test_leading_axes_of_loops_are_many_calls():
    d = vv.dynamics(four_bar(), independent=("A",))
    q = np.array([d.coordinates({"A": x}) for x in (0.0, 0.2, 0.4)])
    v, u = np.ones((3, 1)), np.ones(2)
    near(d.forward(q, v, u)[2], d.forward(q[2], v[2], u))
    near(d.jacobian("pen", q)[1], d.jacobian("pen", q[1]))
    near(d.mass_matrix(q)[1], d.mass_matrix(q[1]))


# -- configurations ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.5, -1.0, 3.0, 2 * np.pi])
def test_a_crank_goes_where_it_is_asked_and_stays_on_its_branch(angle):
    d = vv.dynamics(four_bar())
    q = d.coordinates({"A": angle})
    assert q[d.q_names.index("A.q")] == angle
    near(d.form.open.g(d.form.x(q)), np.zeros(len(d.form.open.kinds)), 1e-13)
    if angle == 2 * np.pi:  # a whole turn is where it began
        near(d.pose("pen", q).matrix, d.pose("pen", d.q_built).matrix, 1e-12)


def test_joints_that_close_loops_have_coordinates_as_well():
    d = vv.dynamics(four_bar())
    (cut,) = d.form.spanning.cut
    q = d.coordinates({cut.name: 0.2})
    other = vv.dynamics(four_bar(), independent=(cut.name,))
    p = other.coordinates({cut.name: 0.2})
    near(d.pose("pen", q).matrix, other.pose("pen", p).matrix, 1e-12)


def test_a_rocker_is_not_taken_beyond_its_dead_point():
    with pytest.raises(AssemblyError, match=r"cannot be assembled with D = 3.*% of the way, to D\.q = "):
        vv.dynamics(four_bar()).coordinates({"D": 3.0})


def test_a_dead_point_is_named_with_what_can_move_there():
    crank, q = extreme()
    rocker, x = vv.dynamics(four_bar(), independent=("D",)), crank.form.x(q)
    q = rocker.form.coordinates(x).q
    near(rocker.form.open.g(rocker.form.x(q)), np.zeros(len(rocker.form.open.kinds)), 1e-12)
    with pytest.raises(ModelError, match=r"dead point of D\.rate: A\.rate.* can move while it stands still"):
        rocker.mass_matrix(q)
    assert crank.mass_matrix(crank.form.coordinates(x).q) > 0


def extreme():
    """Where the rocker turns back: its rate over that of the crank vanishes."""
    crank = vv.dynamics(four_bar(), independent=("A",))
    at = crank.form.xi_names.index("D.rate")

    def rate(angle):
        return crank.loops.at(crank.coordinates({"A": angle}), np.ones(1), np.zeros(0)).N[at, 0]

    angles = np.linspace(0, np.pi, 7)
    values = [rate(x) for x in angles]
    k = next(k for k in range(6) if values[k] * values[k + 1] < 0)
    return crank, crank.coordinates({"A": scipy.optimize.brentq(rate, angles[k], angles[k + 1], xtol=1e-15)})


def test_poses_of_loops_are_reached_to_rounding():
    for independent in (None, ("A",)):
        d = vv.dynamics(four_bar(), independent=independent)
        q = d.coordinates({"A": 0.7})
        near(d.solve_pose({"pen": d.pose("pen", q)}), q, 1e-12)
        with pytest.raises(AssemblyError, match="'pen' stays"):
            d.solve_pose({"pen": (0.5, 0.3, 0.8)})


def test_a_platform_is_moved_by_its_legs_and_legs_by_the_platform():
    m = stewart()
    names = [joint.name for joint in m.joints if joint.joint.kind == "prismatic"]
    assert len(names) == 6
    d = vv.dynamics(m, independent=names)
    q = d.coordinates({name: 0.03 * (-1) ** k for k, name in enumerate(names)})
    near(q[[d.q_names.index(f"{name}.q") for name in names]], 0.03 * (-1.0) ** np.arange(6), 0)
    near(d.solve_pose({"deck": d.pose("deck", q)}), q, 1e-10)


def test_wrong_numbers_of_independent_coordinates_are_counted():
    with pytest.raises(ModelError, match=r"has 1 independent velocities, and 2 are named: A\.rate, D\.rate"):
        vv.dynamics(four_bar(), independent=("A", "D"))
    with pytest.raises(ModelError, match=r"names? .*'A\.rate' twice"):
        vv.dynamics(four_bar(), independent=("A", "A"))
    with pytest.raises(ModelError, match="has no 'crank'"):
        vv.dynamics(four_bar(), independent=("crank",))
