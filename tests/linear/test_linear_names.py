"""Whatever is linearised: its states, inputs and outputs have the names that the user gave, and it has no others."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.bonds import C, I, R, one
from visviva.forms import Hamel
from visviva.forms.calculus.parameterisation import Parameterisation

K, D, M = 8.0, 0.4, 2.0
POLES = np.roots([M, D, K])
ANONYMOUS = re.compile(r"^(q|v|x|xi|s|p|u|y|w)\[\d+\]$|^∫")


def oscillator():
    m = vv.Mechanism("oscillator")
    m.body("block", mass=M, inertia=(1, 1, 1))
    m.prismatic("rail", m.ground, "block", at=(0, 0, 0), axis=(1, 0, 0))
    m.spring("spring", "block", m.ground, at_b=(-1, 0, 0), k=K, length=1.0, damping=D)
    m.wrench("push", "block", frame="world")
    return m


def kane(form="velocity"):
    return vv.kane(
        "oscillator",
        q="x",
        xi="v",
        q_dot=lambda xi: [xi.v],
        bodies={"block": vv.KaneBody(mass=M, v=lambda xi: [xi.v, 0])},
        V=lambda q: K * q.x**2 / 2,
        tau={"v": lambda xi: -D * xi.v},
    ).form(form)


def lagrangian():
    return vv.lagrangian(
        "oscillator", "x", M=[M], V=lambda q: K * q[0] ** 2 / 2, damping=[D], inputs={"push": [1.0]}, q0=[0.0]
    )


def bond_graph():
    elements = {"joint": one(domain="translation"), "mass": I(M), "spring": C(1 / K), "damper": R(D)}
    return vv.BondGraph("oscillator", elements, ["joint -> mass", "joint -> spring", "joint -> damper"])


def by_hand(**given):
    return vv.HandFlow(lambda t, q, xi: (-K * q - D * xi) / M, 1, name="oscillator", **given)


ORIGIN = ([0.0], [0.0])
SUBJECTS = {
    "mechanism": (oscillator, None, ("rail.q", "rail.rate")),
    "model of a mechanism": (lambda: vv.compile(oscillator()), None, ("rail.q", "rail.rate")),
    **{
        form: (lambda form=form: vv.analytical(oscillator(), form), None, ("rail.q", "rail.rate"))
        for form in ("minimal", "hamel", "kane-velocity", "partially-lagrangian")
    },
    "momenta": (lambda: vv.analytical(oscillator(), "kane-momentum"), None, ("rail.q", "rail.p")),
    "momenta at a state": (lambda: vv.analytical(oscillator(), "kane-momentum"), ORIGIN, ("rail.q", "rail.p")),
    "Kane system": (lambda: kane().system, ORIGIN, ("x", "v")),
    "Kane velocities": (kane, ORIGIN, ("x", "v")),
    "Kane momenta": (lambda: kane("momentum"), ORIGIN, ("x", "p_v")),
    "Kane as Hamilton": (lambda: kane("hamilton"), ORIGIN, ("x", "p_v")),
    "Lagrangian": (lagrangian, None, ("x", "x.rate")),
    "bond graph": (bond_graph, None, ("q_spring", "p_mass")),
    "flow of a bond graph": (lambda: bond_graph().flow(), {"p_mass": 0.0, "q_spring": 0.0}, ("p_mass", "q_spring")),
    "by hand": (lambda: by_hand(names=("x", "x_dot")), ORIGIN, ("x", "x_dot")),
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_damped_oscillator_has_two_states_with_names(name):
    make, at, states = SUBJECTS[name]
    found = vv.linearise(make(), at)
    assert found.states == found.outputs == states
    assert found.stable
    assert_allclose(sorted(found.poles(), key=lambda z: z.imag), sorted(POLES, key=lambda z: z.imag), rtol=1e-9)
    for part in (*found.states, *found.inputs, *found.outputs):
        assert not ANONYMOUS.match(part)


@pytest.mark.parametrize("name", ["mechanism", "momenta", "Lagrangian"])
def test_inputs_have_the_names_of_ports(name):
    make, at, _ = SUBJECTS[name]
    found = vv.linearise(make(), at)
    assert {part.split("[")[0] for part in found.inputs} == {"push"}


def pendulums():
    """Two pendulums that a spring couples: a mass matrix that is not diagonal."""
    m = vv.Mechanism("pendulums", gravity=(0, 0, -9.81))
    above, mass = m.ground, 1.0
    for n in range(2):
        m.body(f"rod{n}", inertia=vv.inertia.sphere(mass + n, 0.1), at=(0, 0, -n - 0.7))
        m.revolute(f"hinge{n}", above, f"rod{n}", at=(0, 0, -n), axis=(0, 1, 0), friction=0.1)
        above = f"rod{n}"
    m.torque("motor", "hinge0")
    return m


def test_momenta_are_the_mass_matrix_times_velocities():
    velocity, momentum = (vv.linearise(vv.analytical(pendulums(), form)) for form in ("minimal", "kane-momentum"))
    assert momentum.states == ("hinge0.q", "hinge1.q", "hinge0.p", "hinge1.p")
    T = np.block([[np.eye(2), np.zeros((2, 2))], [np.zeros((2, 2)), velocity.M]])
    assert_allclose(momentum.A @ T, T @ velocity.A, atol=1e-9)
    assert_allclose(momentum.B, T @ velocity.B, atol=1e-12)


def test_outputs_of_momenta_are_what_they_are_called():
    form = vv.analytical(pendulums(), "kane-momentum")
    found = vv.linearise(form, outputs=["hinge1.p", "hinge1.rate", "hinge0.q"])
    assert found.outputs == ("hinge1.p", "hinge1.rate", "hinge0.q")
    inverse = np.linalg.inv(vv.linearise(pendulums()).M)
    assert_allclose(found.C, [[0, 0, 0, 1], [0, 0, *inverse[1]], [1, 0, 0, 0]], atol=1e-12)


def test_momenta_about_a_motion_are_refused():
    with pytest.raises(vv.ModelError, match=r"linearise\(\) of a MomentumForm has no steady="):
        vv.linearise(vv.analytical(pendulums(), "kane-momentum"), steady=True)


def test_a_kane_system_must_rest_where_it_is_linearised():
    with pytest.raises(vv.ModelError, match="does not say where it rests"):
        vv.linearise(kane())
    with pytest.raises(
        vv.AssemblyError, match="'oscillator' is not at rest in this state: 'v' changes by -4 per second"
    ):
        vv.linearise(kane(), ([1.0], [0.0]))
    assert vv.linearise(kane(), ([1.0], [0.0]), residual_ok=True).stable
    with pytest.raises(vv.ModelError, match="'r'"):
        vv.linearise(kane(), ORIGIN, outputs=["r"])


def test_time_is_no_state():
    """A pull that depends on time: rest is where it vanishes, and its slope is no eigenvalue."""
    timed = vv.kane(
        "timed",
        q="x",
        bodies={"block": vv.KaneBody(mass=M, v=lambda xi: [xi.x_dot, 0])},
        V=lambda q: K * q.x**2 / 2,
        tau={"x_dot": lambda t, xi: np.sin(t) - D * xi.x_dot},
    )
    found = vv.linearise(timed, ORIGIN)
    assert found.states == ("x", "x_dot")
    assert_allclose(sorted(found.poles(), key=lambda z: z.imag), sorted(POLES, key=lambda z: z.imag), rtol=1e-9)


def test_states_on_which_nothing_depends_may_change_in_steady_motion():
    wheel = vv.kane(
        "wheel", q="angle", bodies={"rim": vv.KaneBody(mass=1.0, v=[0, 0], w=lambda xi: xi.angle_dot, inertia=2.0)}
    )
    with pytest.raises(vv.AssemblyError, match="'angle' changes by 3 per second"):
        vv.linearise(wheel, ([0.0], [3.0]))
    assert_allclose(vv.linearise(wheel, ([0.0], [3.0]), steady=True).A, [[0, 1], [0, 0]], atol=1e-12)


def test_both_spellings_are_one_function():
    assert vv.linearize is vv.linearise


def test_increments_along_velocities_that_are_no_rates_are_not_called_coordinates():
    """On a sphere b = φ̇ sin θ: the increment along b is no increment of φ; φ itself is an output."""
    p = Parameterisation(("th", "ph"), ("a", "b"), A=lambda q: [[1, 0], [0, 1 / np.sin(q.th)]], q0=(1.0, 0.0))
    system = Hamel(p, lambda q, xi: 0.5 * (xi.a**2 + xi.b**2) - 3.0 * (q.th - 1.0) ** 2 - 2.0 * q.ph**2)
    found = vv.linearise(system, ([1.0, 0.0], [0.0, 0.0]), outputs=["ph", "∫b"])
    assert found.states == ("∫a", "∫b", "a", "b")
    assert_allclose(found.C, [[0, 1 / np.sin(1.0), 0, 0], [0, 1, 0, 0]], atol=1e-9)
