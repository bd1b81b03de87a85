"""Minimal forms of mechanisms: states of runs, reactions, inverse dynamics, what compiled trees know, and runs."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
from messages import says

import visviva as vv
from visviva import demo
from visviva.errors import AssemblyError, ModelError
from visviva.forms.minimal.tree_forces import beyond_joints, tree_forces

J = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.35]])


def arm(**more):
    """A hinge, a sleeve and a slide, with springs and dampers that are linear in the joints."""
    m = vv.Mechanism("arm", gravity=(0.3, 0, -9.81))
    for k, name in enumerate(("upper", "lower", "hand")):
        m.body(name, mass=1.0 + k, inertia=J, at=(0.5 + k, 0.1, 0.2), com=(0.1, 0, 0.05 * k))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis=(0, 1, 0.2), rate=1.0, friction=0.3)
    m.cylindrical("elbow", "lower", "upper", at=(1, 0, 0), axis=(0, 0.3, 1), friction=(0.1, 0.2))
    m.prismatic("slide", "lower", "hand", at=(2, 0, 0), axis=(1, 0.2, 0), friction=0.5)
    m.torque("motor", "elbow")
    m.force("push", "slide")
    m.torsion("spring", "elbow", k=4.0, angle=0.3, damping=0.1)
    return m


def random_state(form, seed=0, size=0.3):
    rng = np.random.default_rng(seed)
    q = form.advance_q(form.initial.q, size * rng.normal(size=form.n))
    return form.projected(0.0, q, rng.normal(size=form.n), form.initial.s)


# -- states ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", [vv.PHMP(compiled=False), vv.LieMidpoint()], ids=["directors", "lie"])
def test_states_of_runs_have_coordinates_with_all_their_turns(integrator):
    m = vv.Mechanism("wheel")
    m.body("wheel", mass=1.0, inertia=J, com=(0.1, 0, 0))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis=(0, 0, 1), rate=20.0)
    run = vv.simulate(m, t_end=1.0, h=0.01, integrator=integrator)
    found = vv.analytical(m).coordinates(run.final)
    np.testing.assert_allclose(found.q, run["axle.q"][-1:], rtol=1e-12)
    np.testing.assert_allclose(found.xi, run["axle.rate"][-1:], rtol=1e-12)
    assert found.q[0] > 15.0


def test_velocities_of_director_runs_are_the_projected_ones():
    """Those of the nodes that a run shows, for a loop."""
    m = demo.slider_crank()
    run = vv.simulate(m, t_end=0.05, h=0.005, integrator=vv.PHMP(compiled=False))
    form = vv.analytical(m)
    q, xi, _s = form.coordinates(run.final)
    for name, value in zip(form.xi_names, xi, strict=True):
        joint = name.split(".")[0]
        if joint in ("bearing", "guide"):
            np.testing.assert_allclose(value, run[f"{joint}.rate"][-1], rtol=1e-9)
    assert np.abs(form.constraints(q) @ xi).max() <= 1e-12 * np.abs(xi).max()


def test_states_that_violate_joints_are_refused():
    form = vv.analytical(demo.slider_crank())
    x = form.x(*form.initial)
    off = x.copy()
    off[form.model.layout.x["slider.q"]][:3] += [0, 0.1, 0]
    off[form.model.layout.x["slider.q"].start + 1] += 0.1
    with pytest.raises(AssemblyError, match=says("'slider-crank'", "'guide'", "'slider'", "m.assemble()")):
        form.coordinates(off)
    off = x.copy()
    off[form.model.layout.x["slider.v"].start + 4] += 0.1
    with pytest.raises(AssemblyError, match=says("velocities of mechanism 'slider-crank'", "'slider'")):
        form.coordinates(off)
    q, xi, s = form.initial
    moved = q.copy()
    moved[form.q_names.index("guide.q")] += 0.05
    with pytest.raises(AssemblyError, match=says("violates 'ball'", "form.initial", "form.projected")):
        form.accelerations(moved, xi, s)
    with pytest.raises(AssemblyError, match=says("violates 'ball': its rate")):
        form.accelerations(q, xi + 1.0, s)
    with pytest.raises(AssemblyError, match=says("violates 'ball'")):
        vv.simulate(form, 0.1, 0.01, initial=(moved, xi))


def test_a_loop_that_cannot_be_closed_is_named():
    m = demo.four_bar()
    m.drive("rocker motor", "D", rate=1.0)
    m.parts["A"] = dataclasses.replace(m.parts["A"], rate=None)
    form = vv.analytical(m)
    q, xi, s = form.initial
    with pytest.raises(AssemblyError, match=says("'four bar' cannot be closed from this state", "g =")):
        form.projected(0.0, q, xi, s + 3.0)


def test_states_of_other_things_are_refused():
    form = vv.analytical(demo.pendulum())
    with pytest.raises(ModelError, match=says("m.assemble() returns two things")):
        form.coordinates(demo.pendulum().assemble())
    with pytest.raises(ModelError, match=says("other bodies", "upper, lower, hand", "pendulum")):
        form.coordinates(arm().assemble()[0])
    with pytest.raises(ModelError, match="state x of 'pendulum'"):
        form.coordinates(np.zeros(3))
    run = vv.simulate(arm(), t_end=0.01, h=0.01, integrator=vv.PHMP(compiled=False))
    with pytest.raises(ModelError, match=says("no state of mechanism 'pendulum'")):
        form.coordinates(run.final)
    with pytest.raises(ModelError, match=says("coordinates q of 'pendulum'")):
        form.mass_matrix([1.0, 2.0])


def test_projection_brings_a_state_back_to_its_loops():
    form = vv.analytical(demo.bennett())
    q, xi, s = form.initial
    q, xi, s = form.projected(0.0, q + 0.02, xi + 0.3, s)
    x = form.x(q, xi, s)
    assert np.abs(form.model.g(x)).max() <= 1e-13
    assert np.abs(form.model.g_v(x)).max() <= 1e-13


# -- equations ---------------------------------------------------------------------------------------------------------


def test_jacobian_is_that_of_the_bodies():
    form = vv.analytical(arm())
    q, xi, s = random_state(form)
    h = 1e-6
    ahead, behind = (form.x(form.advance_q(q, sign * h * xi), xi, s) for sign in (1, -1))
    point = form.at(q, xi, s)
    moved = np.concatenate(
        [((ahead - behind) / (2 * h))[form.model.layout.x[f"{b.name}.q"]][:3] for b in form.definition.bodies]
    )
    np.testing.assert_allclose(moved, point.V.reshape(-1, 6)[:, 3:].ravel(), atol=1e-8)
    S_dot = (form.S(form.advance_q(q, h * xi)) - form.S(form.advance_q(q, -h * xi))) / (2 * h)
    np.testing.assert_allclose(point.S_dot, S_dot, atol=1e-8)


def test_inverse_dynamics_undoes_accelerations():
    form = vv.analytical(arm(), inputs={"motor": 2.0})
    q, xi, s = random_state(form)
    tau = np.array([0.3, -0.2, 0.5, 1.0])
    xi_dot = form.accelerations(q, xi, s, tau=tau)
    np.testing.assert_allclose(form.inverse_dynamics(q, xi, xi_dot, s), tau, atol=1e-12)
    np.testing.assert_allclose(form.mass_matrix(q) @ xi_dot + form.bias(q, xi) - form.forces(q, xi, s), tau, atol=1e-12)


@pytest.mark.parametrize("build", [demo.slider_crank, demo.screw_press, demo.bennett])
def test_reactions_are_those_of_a_run(build):
    """At the start of a run, where both have the same state; of redundant joints those of least norm."""
    m = build()
    run = vv.simulate(m, t_end=1e-3, h=1e-3, integrator=vv.PHMP(compiled=False))
    found = vv.analytical(m).reactions(*vv.analytical(m).initial)
    assert set(found) == {joint.name for joint in m.joints}
    scale = max(np.abs(value).max() for value in found.values())
    for joint in m.joints:
        np.testing.assert_allclose(found[joint.name], run[f"{joint.name}.reaction"][0], atol=1e-9 * scale)


def test_reaction_of_a_drive_supplies_its_power():
    m = demo.pendulum()
    m.drive("motor", m.joints[0].name, rate=lambda t: 2.0 + np.sin(t))
    form = vv.analytical(m)
    q, xi, s = form.initial
    torque = form.reactions(q, xi, s)["motor"]
    assert xi == pytest.approx([2.0])
    assert form.power(0.0, q, xi, s) == pytest.approx(torque[0] * 2.0 - m.joints[0].friction[0] * 2.0**2)
    M = form.mass_matrix(q)[0, 0]
    assert form.accelerations(q, xi, s) == pytest.approx([1.0])
    assert torque == pytest.approx(M * 1.0 - form.forces(q, xi, s))


def test_inputs_may_be_functions_of_time_and_of_states():
    m = arm()
    form = vv.analytical(m, inputs={"motor": lambda t: 3.0 * t, "push": 0.5})
    q, xi, s = random_state(form)
    rest = vv.analytical(m).forces(q, xi, s)
    pushed = form.forces(q, xi, s, t=2.0) - rest
    at = [form.xi_names.index(name) for name in ("elbow.rate[0]", "slide.rate")]
    np.testing.assert_allclose(pushed[at], [6.0, 0.5], atol=1e-12)
    assert np.abs(np.delete(pushed, at)).max() <= 1e-12
    with pytest.raises(ModelError, match=says("'engine'", "motor, push")):
        vv.analytical(m, inputs={"engine": 1.0})


# -- what compiled trees know ------------------------------------------------------------------------------------------


def test_compiled_trees_have_the_same_accelerations_where_they_know_all_forces():
    from visviva.forms.trees.dynamics import TreeDynamics

    form = vv.analytical(arm(), inputs={"motor": 2.0, "push": -1.0})
    forces = tree_forces(form)
    tree = TreeDynamics(form.tree, forces.damping, forces.stiffness, forces.relaxed)
    q, xi, s = random_state(form)
    tau = forces.B @ [2.0, -1.0]
    np.testing.assert_allclose(tree.accelerations(q, xi, tau), form.accelerations(q, xi, s), rtol=1e-12)
    np.testing.assert_allclose(tree.mass_matrix(q), form.mass_matrix(q), atol=1e-12)


@pytest.mark.parametrize(
    ("add", "why"),
    [
        (lambda m: m.spring("rope", m.ground, "hand", at_a=(0, 0, 1), k=1.0), "'rope'"),
        (lambda m: m.wrench("load", "hand"), "'load'"),
        (lambda m: m.drive("crank", "shoulder", rate=1.0), "no tree of joints holds: 'crank'"),
        (lambda m: m.torsion("hard", "shoulder", energy=lambda a: a**4), "'hard'"),
        (lambda m: m.motor("dc", "shoulder", resistance=1.0, inductance=0.1, k=1.0), "states besides motion: dc.flux"),
        (lambda m: m.stop("end", "shoulder", -3, 3, stiffness=10.0), "'end'"),
    ],
)
def test_what_does_not_act_linearly_in_joints_is_named(add, why):
    m = arm()
    assert beyond_joints(vv.analytical(m)) == ""
    add(m)
    form = vv.analytical(m)
    assert why in beyond_joints(form)
    with pytest.raises(ModelError, match=says("'arm'", why, "gravity, linear springs")):
        tree_forces(form)


# -- runs --------------------------------------------------------------------------------------------------------------


@functools.cache
def expected_motion(build):
    return vv.simulate(vv.analytical(build()), 0.01, 0.005, integrator=vv.Gauss8())


@pytest.mark.parametrize("build", [demo.heavy_top, demo.slider_crank])
@pytest.mark.parametrize("form", ["kane-velocity", "kane-momentum", "partially-lagrangian", "hamel"])
def test_forms_can_be_simulated(form, build):
    """The same motion in each, a loop among them, to the accuracy of a step of order 8."""
    expected, run = (
        expected_motion(build),
        vv.simulate(vv.analytical(build(), form), 0.01, 0.005, integrator=vv.Gauss8()),
    )
    np.testing.assert_allclose(run["q"], expected["q"], atol=1e-10)
    np.testing.assert_allclose(run["energy"], expected["energy"], rtol=1e-10)


def test_angles_of_cut_hinges_count_turns():
    """A shaft on two bearings, of which the tree holds one: the spring about the other winds up over many turns."""
    m, k, J = vv.Mechanism("shaft"), 0.05, 0.3
    m.body("left", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
    m.body("right", mass=1.0, inertia=(0.1, 0.1, 0.2), at=(0, 0, 1))
    m.fixed("flange", "left", "right")
    m.revolute("first", m.ground, "left", at=(0, 0, 0), axis=(0, 0, 1), rate=7.0)
    m.revolute("second", m.ground, "right", at=(0, 0, 1), axis=(0, 0, 1))
    for hinge in ("first", "second"):
        m.torsion(f"spring of {hinge}", hinge, k=k)
    form = vv.analytical(m)
    assert [joint.name for joint in form.spanning.cut] in (["first"], ["second"])
    assert form.extra == 1
    assert form.energy([9.0], [0.0], [8.9]) == pytest.approx(k * 9.0**2)
    run, w = vv.simulate(form, 1.2, 0.4), np.sqrt(2 * k / J)
    np.testing.assert_allclose(run["q"][:, 0], 7.0 / w * np.sin(w * run.t), atol=1e-6)
    assert np.abs(run["q"]).max() > 1.5 * np.pi
    assert np.ptp(run["energy"]) < 1e-7


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_unknown_forms_and_other_systems_are_refused():
    m = demo.pendulum()
    with pytest.raises(ModelError, match=says("'lagrange'", "minimal", "kane-momentum", "hamel")):
        vv.analytical(m, form="lagrange")
    with pytest.raises(ModelError, match=says("Mechanism, got Composite", "vv.equations")):
        vv.analytical(demo.motor_loop())
    with pytest.raises(ModelError, match=says("'oscillator' is no mechanism")):
        vv.analytical(vv.lagrangian("oscillator", q=("x",), M=[[1.0]], V=lambda q: q[0] ** 2))
    assert vv.analytical(vv.compile(m)).n == 1


def test_a_motion_without_inertia_is_named():
    m = vv.Mechanism("lonely")
    m.body("rod", massless=True, at=(1, 0, 0))
    m.body("ball", mass=1.0, inertia=J, at=(2, 0, 0))
    m.revolute("hinge", m.ground, "ball", at=(2, 0, 0), axis=(0, 0, 1))
    m.prismatic("slide", m.ground, "rod", axis=(1, 0, 0))
    form = vv.analytical(m)
    with pytest.raises(ModelError, match=says("'lonely'", "without inertia", "slide.rate", "undetermined")) as error:
        form.accelerations(np.zeros(2), np.zeros(2))
    assert "hinge" not in str(error.value)


def test_a_quaternion_of_zero_is_no_rotation():
    form = vv.analytical(demo.heavy_top())
    with pytest.raises(ModelError, match="quaternion of link 'top'"):
        form.mass_matrix(np.zeros(4))


def test_a_condition_on_velocities_does_not_keep_positions_from_closing():
    """A rod locks the hinge; what blades and wheels ask of velocities says nothing of where it is locked."""
    m = vv.Mechanism("locked lever", gravity=(0, 0, -9.81))
    m.body("lever", mass=1.0, inertia=J, at=(0.5, 0.1, 0.2))
    m.revolute("hinge", m.ground, "lever", at=(0, 0, 0), axis=(0, 1, 0.2))
    m.distance("rod", "ground", "lever", at_a=(0.2, 0.3, -1.0), at_b=(0.7, 0.1, 0.1))
    m.velocity_constraint("blade", "lever", A=lambda a: [0, 0, 0, 0.2, 0.1, 0.9])
    form = vv.analytical(m)
    q = form.projected(0.0, form.initial.q + 1e-3, np.ones(1), form.initial.s)[0]
    np.testing.assert_allclose(q, form.initial.q, atol=1e-12)
