"""The implicit system of mechanisms with laws of friction, motors, end stops and heat: what (37) holds of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.compiler import initial_x
from visviva.mechanism.network import kinestatics_of

INPUTS = {"motor": 5.0, "tau": 0.7}


def everything() -> vv.Mechanism:
    m = vv.Mechanism("all", gravity=(0.3, -1, -9.81), theta0=290.0)
    oil = m.thermal("oil", capacity=20.0, temperature=320.0, conductance_to_environment=0.5)
    m.body("a", mass=1.0, inertia=(0.3, 0.2, 0.4), com=(0.1, 0, 0.05), at=(0.5, 0, 0))
    m.body("b", mass=0.7, inertia=(0.1, 0.2, 0.15), at=(1.3, 0.1, 0))
    m.body("c", mass=0.4, inertia=(0.1, 0.05, 0.12), at=(2, 0, 0.2))
    warm = vv.friction.coulomb(1.0, v_reg=0.1, factor=lambda theta: np.exp(-(theta - 300) / 40))
    ball = vv.friction.stribeck(coulomb=0.4, static=0.7, speed=0.2, v_reg=0.05)
    dry = vv.friction.coulomb(0.5, v_reg=0.1)
    m.revolute("hinge", m.ground, "a", at=(0, 0, 0), axis=(0, 0.6, 0.8), rate=1.7, friction=warm, heat_to=oil)
    m.spherical("ball", "a", "b", at=(1, 0, 0), friction=ball)
    m.cylindrical("slide", "b", "c", at=(1.6, 0, 0), axis=(1, 0, 0), rate=(0.4, -0.3), friction=[0.2, dry])
    m.motor("motor", "hinge", resistance=2.0, inductance=0.1, k=0.3, current=1.4, heat_to=oil)
    m.stop("end", "slide", -0.2, 0.6, stiffness=300.0, damping=40.0, coordinate=1, width=0.3)
    m.torque("tau", "slide")
    m.spring("cord", m.ground, "b", k=20.0, length=0.4, damping=0.5, at_a=(0, 0, 1))
    m.torsion("coil", "hinge", k=3.0, angle=0.4, damping=0.1, heat_to=oil)
    return m


def accelerations(network, inputs):
    model = vv.compile(network.definition)
    u = np.concatenate([np.zeros(0), *(np.atleast_1d(inputs[port.name]) for port in model.ports)])
    v_dot = model.accelerations(initial_x(model, network.motion), u=u).v_dot
    names = [name.removesuffix(".v") for name in model.kinetic]
    return dict(zip(names, v_dot.reshape(len(names), 6), strict=True))


@pytest.fixture(scope="module")
def network():
    return everything().kinestatics()


def test_accelerations_of_the_model_fulfil_it(network):
    system, v_dot = network.implicit(), accelerations(network, INPUTS)
    x_dot, dH, f, e = network.x_dot(v_dot, INPUTS), network.dH(), network.flows(), network.efforts(INPUTS)
    assert np.abs(system.residual(x_dot, dH, f, e)).max() < 1e-12
    stored = sum(dH[name] @ x_dot[name] for name in system.states)
    assert stored == pytest.approx(sum(e[name] @ f[name] for name in system.ports), abs=1e-12)


def test_losses_and_heat_are_open_ports(network):
    system = network.implicit()
    assert list(system.ports) == [
        "cord.damping", "hinge.friction", "coil.damping", "ball.friction", "slide.friction", "end.damping", "tau",
        "motor", "motor.resistance", "oil.heat",
    ]  # fmt: skip
    assert {"end", "motor.flux", "oil.s", "coil", "cord"} <= set(system.states)
    f, e = network.flows(), network.efforts(INPUTS)
    for name in ("hinge.friction", "ball.friction", "slide.friction", "end.damping", "motor.resistance"):
        assert e[name] @ f[name] < 0  # each of them takes power


def test_each_law_counts(network):
    """Without one of them, the accelerations no longer fit: none is left out by both sides."""
    system, v_dot = network.implicit(), accelerations(network, INPUTS)
    x_dot, dH, f, e = network.x_dot(v_dot, INPUTS), network.dH(), network.flows(), network.efforts(INPUTS)
    for name in system.ports:
        missing = system.residual(x_dot, dH, f, e | {name: 0 * e[name]})
        assert np.abs(missing).max() > 1e-3, name


def test_heat_warms_the_oil(network):
    """θ ṡ is what hinge, coil and winding dissipate, less what goes to the environment."""
    f, e = network.flows(), network.efforts(INPUTS)
    heat = sum(-e[name] @ f[name] for name in ("hinge.friction", "coil.damping", "motor.resistance"))
    assert 320.0 * e["oil.heat"][0] == pytest.approx(heat - 0.5 * (320.0 - 290.0), rel=1e-12)


def test_currents_and_temperatures_may_be_given(network):
    warm = network.efforts(INPUTS, inside={"oil": 380.0, "motor": 0.2})
    assert warm["motor.resistance"] == pytest.approx(-0.4)
    factor = np.exp(-(380.0 - 320.0) / 40)
    assert_allclose(warm["hinge.friction"], factor * network.efforts(INPUTS)["hinge.friction"])
    assert network.dH(inside={"oil": 380.0})["oil.s"] == pytest.approx(90.0)
    assert network.flows(inside={"motor": 0.2})["motor"] == pytest.approx(0.2)


def test_slopes_are_those_of_the_model(network):
    model = vv.compile(network.definition)
    z, dH = model.z(initial_x(model, network.motion)), network.dH()
    assert_allclose(dH["coil"], z[model.layout.z["coil.angle"]], rtol=1e-12)
    assert_allclose(dH["end"], z[model.layout.z["end.y"]], rtol=1e-12)
    given = {"cord": z[model.layout.z["cord.y"]]}
    assert_allclose(network.dH(given)["cord"], dH["cord"], rtol=1e-12)


def test_a_ball_at_rest_has_no_friction(network):
    q, V, angles = network.motion.q, network.motion.V, network.motion.angles
    rest = type(network.motion)(q, {name: 0 * part for name, part in V.items()}, angles)
    assert_allclose(kinestatics_of(network.definition, rest).efforts()["ball.friction"], 0)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda n: n.efforts({}, inside={"engine": 1.0}), "no motor or thermal node 'engine': there is motor, oil"),
        (lambda n: n.efforts({}, inside={"oil": -3.0}), "temperature of 'oil'"),
        (lambda n: n.dH({"rope": 1.0}), "'rope' is no spring or stop with an energy"),
        (lambda n: n.dH({"cord": (1.0, 2.0)}), "slope of spring 'cord'"),
    ],
)
def test_wrong_values_are_refused(network, call, found):
    with pytest.raises(vv.ModelError, match=found):
        call(network)


# -- constraints and undetermined reactions by name


def test_undetermined_reactions_of_the_four_bar():
    """Three states of self-stress run round the loop: couples about x and z and a force along y, in every hinge."""
    network = demo.four_bar().kinestatics()
    system = network.implicit()
    loose = system.undetermined_reactions()
    assert list(loose) == ["A", "B", "C", "D"]
    assert [part.shape for part in loose.values()] == [(5, 3)] * 4
    assert_allclose(sum(system.constraints[name].T @ part for name, part in loose.items()), 0, atol=1e-12)
    for name, part in loose.items():  # as wrenches in the world they are those of the kinestatic network
        own = network.kinestatics.pairs[name].A.T @ part
        both = np.hstack([own, network.self_stresses()[name]])
        assert np.linalg.matrix_rank(both, tol=1e-9) == 3
        assert_allclose(own[[1, 3, 5]], 0, atol=1e-9)
    text = str(system)
    assert "A: 5 rows, 3 of its reactions undetermined" in text
    assert "self-stress: 3 states, without any load" in text


def test_bennett_has_three_as_well_and_a_chain_none():
    bennett = demo.bennett().kinestatics().implicit()
    assert {part.shape[1] for part in bennett.undetermined_reactions().values()} == {3}
    chain = everything().kinestatics().implicit()
    assert chain.undetermined_reactions() == {}
    assert "undetermined" not in str(chain)
    assert "ball: 3 rows" in str(chain)
