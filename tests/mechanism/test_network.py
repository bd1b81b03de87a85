"""The kinestatic network of a mechanism and its implicit system: published numbers, every joint, every port."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from small_mechanisms import CATALOGUE, bennett, cardan, cardan_with_a_massless_cross, double_pendulum, four_bar, rods

import visviva as vv
from visviva.compiler import initial_x
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.state import Coordinates
from visviva.geometry import SE3
from visviva.mechanism.body_twists import relative_rates, relative_twist
from visviva.mechanism.coordinates import POSES, joint_rows, movers, space_of
from visviva.mechanism.mobility import mobility
from visviva.mechanism.placement import coordinates_of
from visviva.testing.readings import READINGS, Case, Units, instant
from visviva.testing.structures import check_dirac

MECHANISMS = pytest.mark.parametrize("make", CATALOGUE.values(), ids=CATALOGUE)


@MECHANISMS
def test_the_structure_is_dirac_and_its_mobility_that_of_the_rows(make):
    network = make()[0].kinestatics()
    check_dirac(network.structure())
    massless = 6 * len(network.massless)
    assert network.mobility() == mobility(network.definition)
    assert network.rank() + network.mobility() == network.kinestatics.constraints().shape[1]
    assert network.structure().n <= network.kinestatics.graph().n - massless


@MECHANISMS
def test_pairs_allow_what_the_rows_of_their_joints_do(make):
    """The constraint wrenches of a pair and the derivatives of the joint's functions span one space."""
    network = make()[0].kinestatics()
    for joint in network.definition.joints:
        rates = relative_rates(joint.joint.rows, joint, network.motion)
        pair = network.kinestatics.pairs[joint.name]
        assert len(rates) == len(pair.A)
        assert_allclose(rates @ pair.S, 0, atol=1e-12)


@MECHANISMS
def test_rates_of_joints_are_those_of_their_coordinates(make):
    network = make()[0].kinestatics()
    for joint in network.definition.joints:
        if joint.rate is not None:
            assert_allclose(network.rates(joint), joint.rate, atol=1e-12)


@MECHANISMS
def test_relative_rates_are_the_derivatives_of_functions(make):
    network = make()[0].kinestatics()
    motion = network.motion
    for joint in network.definition.joints:
        q, h = coordinates_of(joint, motion), 1e-6
        step = np.concatenate([_lifted(end, motion) for end in movers(joint)])
        g = joint_rows(joint)
        slope = (g.value(q + h * step) - g.value(q - h * step)) / (2 * h)
        found = relative_rates(joint.joint.rows, joint, motion) @ relative_twist(joint, motion)
        assert_allclose(found, slope, atol=1e-8)


def _lifted(end, motion):
    return space_of(end).lift(motion.q[end.name]) @ motion.V[end.name]


# -- published numbers


def test_four_bar_in_space():
    network = four_bar()[0].kinestatics()
    assert len(network.kinestatics.constraints()) == 20
    assert (network.rank(), network.mobility(), network.redundancy()) == (17, 1, 3)
    stresses = network.self_stresses()
    assert list(stresses) == ["A", "B", "C", "D"]
    for wrenches in stresses.values():  # forces normal to the plane and couples in it, the same in every joint
        assert_allclose(wrenches[[2, 3, 4]], 0, atol=1e-12)
        assert_allclose(wrenches, stresses["A"], atol=1e-12)
    assert "self-stress 3\njoints that can carry self-stress: A, B, C, D" in str(network)


def test_bennett():
    network = bennett()[0].kinestatics()
    screws = np.hstack([pair.S for pair in network.kinestatics.pairs.values()])
    values = np.linalg.svd(screws, compute_uv=False)
    assert_allclose(values[:3], [2.466186, 1.544177, 0.971769], atol=1e-6)
    assert values[3] < 1e-14
    assert (network.mobility(), network.redundancy()) == (1, 3)


def test_the_graph_has_children_as_tails():
    network = double_pendulum()[0].kinestatics()
    assert network.kinestatics.edges == {
        "hinge": ("upper arm", "ground"),
        "elbow": ("b", "upper arm"),
        "cord": ("b", "ground"),
        "cord.damping": ("b", "ground"),
    }
    assert_allclose(network.kinestatics.incidence(), [[-1, 1, 0, 0], [0, -1, -1, -1]])


def test_double_pendulum_with_skew_axes_and_a_spring():
    """m = 30, rank F1 = 20, ten constraints: five of each hinge, and as many rates of reactions."""
    m = vv.Mechanism("C22", gravity=(0, -9.81, 0))
    m.body("a", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), at=(0.5, 0, 0))
    m.body("b", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), at=(1.5, 0, 0))
    m.revolute("first", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("second", "a", "b", at=(1, 0, 0), axis=(0, 1, 1))
    m.trace_spring("spring", "ground", "b", G=np.eye(3), K=np.eye(3))
    network = m.kinestatics()
    assert network.structure().n == 18
    system = network.implicit()
    assert (system.n, system.rank(), len(system.algebraic()[0])) == (30, 20, 10)
    assert system.ports == {}
    assert system.states == {"a.H": 6, "a.P": 6, "b.H": 6, "b.P": 6, "spring": 6}
    assert {name: len(rows) for name, rows in network.constraints().items()} == {"first": 5, "second": 5}


# -- the implicit system


def accelerations(network, inputs):
    """Of the index-1 form, and the slopes of the springs, at the motion of a network."""
    m = network.definition
    model = vv.compile(m)
    x = initial_x(model, network.motion)
    u = np.concatenate([np.zeros(0), *(np.atleast_1d(inputs[port.name]) for port in model.ports)])
    v_dot, z = model.accelerations(x, u=u).v_dot, model.z(x)
    names = [name.removesuffix(".v") for name in model.kinetic]
    ends = np.cumsum([0, *(len(network.motion.V[name]) for name in names)])
    slopes = {part.name: z[model.layout.z[f"{part.name}.y"]] for part in m.elements if part.energy is not None}
    slopes |= {
        part.name: z[model.layout.z[f"{part.name}.angle"]] for part in m.joint_elements if part.energy is not None
    }
    return {name: v_dot[a:b] for name, a, b in zip(names, ends, ends[1:], strict=False)}, slopes


@MECHANISMS
def test_accelerations_of_the_index_1_form_fulfil_it(make):
    m, inputs = make()
    network = m.kinestatics()
    v_dot, slopes = accelerations(network, inputs)
    system = network.implicit()
    x_dot, dH, f, e = network.x_dot(v_dot), network.dH(slopes), network.flows(), network.efforts(inputs)
    assert np.abs(system.residual(x_dot, dH, f, e)).max() <= 1e-11
    stored = sum(dH[name] @ x_dot[name] for name in system.states)
    assert stored == pytest.approx(sum(e[name] @ f[name] for name in system.ports), abs=1e-11)
    for name in system.ports:
        if name not in inputs:
            assert e[name] @ f[name] <= 0  # what dissipates takes power
    if inputs:
        other = network.efforts({name: 2 * np.asarray(u) for name, u in inputs.items()})
        assert np.abs(system.residual(x_dot, dH, f, other)).max() > 1e-3


@MECHANISMS
def test_constraints_and_reactions_by_joint_are_those_of_the_system(make):
    network = make()[0].kinestatics()
    system = network.implicit()
    C, D = system.algebraic()
    assert_allclose(D, 0, atol=1e-12)
    rows = np.vstack([np.zeros((0, C.shape[1])), *network.constraints().values()])
    rank = np.linalg.matrix_rank(rows, tol=1e-9) if len(rows) else 0
    assert rank == len(C) == system.undetermined().shape[1] == sum(system.states.values()) - system.rank()
    if len(rows):
        assert np.linalg.matrix_rank(np.vstack([rows, C]), tol=1e-9) == rank
        assert np.linalg.matrix_rank(np.vstack([rows, system.undetermined().T]), tol=1e-9) == rank


def test_joints_at_a_massless_body_act_as_one():
    crossed, direct = cardan_with_a_massless_cross()[0].kinestatics(), cardan()[0].kinestatics()
    assert crossed.structure().same_as(direct.structure())
    assert list(crossed.constraints()) == ["u + v"]
    assert len(crossed.constraints()["u + v"]) == 4


def test_particles_have_three_velocities():
    network = rods()[0].kinestatics()
    assert network.implicit().states == {"a.H": 6, "a.P": 6, "bob.r": 3, "bob.p": 3, "bead.r": 3, "bead.p": 3}


def test_at_another_motion():
    """With the elbow turned its own screw stays, and that of the hinge; a body beyond it is elsewhere."""
    m = double_pendulum()[0]
    start = m.assemble()[0]
    elbow = m["elbow"]
    X = SE3(np.eye(3), elbow.r_W) @ SE3.exp([*(0.4 * elbow.R_W[:, 2]), 0, 0, 0]) @ SE3(np.eye(3), -elbow.r_W)
    turned = X @ SE3(POSES.rotation(start.q["b"]), POSES.translation(start.q["b"]))
    network = m.kinestatics(type(start)(start.q | {"b": POSES.point(turned.R, turned.r)}, start.V, start.angles))
    assert network.mobility() == 2
    for joint, pair in m.kinestatics().kinestatics.pairs.items():
        assert_allclose(network.kinestatics.pairs[joint].S, pair.S, atol=1e-12)
    assert_allclose(network.dH({"cord": 1.0, "coil": 1.0})["b.H"][3:], turned.R.T @ [0, 0, 9.81], atol=1e-12)


# -- errors


def test_wrong_use_is_refused():
    with pytest.raises(vv.ModelError, match="mechanism 'empty' has no bodies"):
        vv.Mechanism("empty").kinestatics()
    m = double_pendulum()[0]
    with pytest.raises(
        vv.ModelError, match=r"the state is of other bodies \(a\) than those of mechanism 'double pendulum'"
    ):
        m.kinestatics(cardan()[0].assemble()[0])
    network = m.kinestatics()
    with pytest.raises(vv.ModelError, match="'rope' is no spring or stop with an energy; there is cord, coil"):
        network.dH({"rope": 1.0})
    with pytest.raises(vv.ModelError, match="no port 'engine'; its ports are motor, load"):
        network.efforts({"engine": 1.0})
    with pytest.raises(vv.ModelError, match="input of port 'motor' must"):
        network.efforts({"motor": (1.0, 2.0)})


def test_strong_springs_do_not_round_in_the_rows_of_slow_twists():
    """Units in which momenta are one would make wrenches of a mechanism that hardly moves many powers of ten large."""
    slow = 1e-5
    m = vv.Mechanism("four-bar")
    corners = np.array([(0.0, 0.0, 0.0), (0.1, 0.5, 0.0), (0.8, 0.7, 0.0), (0.9, 0.0, 0.0)])
    ring = [m.ground]
    for name, a, b in zip(("crank", "coupler", "rocker"), corners, corners[1:], strict=False):
        ring.append(m.body(name, mass=1.0, inertia=[0.1, 0.1, 0.1], at=(a + b) / 2, twist=(0, 0, slow, 0, 0, 0)))
    for k, corner in enumerate(corners):
        m.revolute(f"hinge{k}", ring[k], (*ring, m.ground)[k + 1], at=corner, axis=(0, 0, 1))
    m.spring("spring", m.ground, "coupler", k=1.0, length=0.1, at_a=(0, 2.0, 0.3), at_b=(0.5, 0.6, 0))
    form = MinimalForm(m)
    q, xi, s = form.coordinates(m.assemble(fixed=())[0])
    case = Case(m, units=Units(length=1.0, time=1 / slow, mass=1.0))
    READINGS["implicit system"](instant(case, Coordinates(*form.projected(0.0, q, xi, s))))
