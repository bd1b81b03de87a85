"""Systems that are written in coordinates, as boxes of the language: coupled they move as when written by hand."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ModelError
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.language import Quantity, compose, environment
from visviva.library.electric import inductor, motor, resistor
from visviva.library.quantities import angular_momentum, entropy

INERTIA, WEIGHT, DRAG, L, K, R = 0.2, 1.5, 0.1, 0.05, 0.3, 0.8


def kinetic(x):
    """A pendulum whose moment of inertia depends on the angle."""
    return x.p**2 / (2 * INERTIA * (1 + 0.3 * np.sin(x.q) ** 2))


def arm() -> PortHamiltonian:
    """With friction and a lever that depend on the angle."""
    return PortHamiltonian(
        ("q", "p"),
        lambda x: kinetic(x) + WEIGHT * (1 - np.cos(x.q)),
        [[0, 1], [-1, 0]],
        R=lambda x: [[0, 0], [0, DRAG * (1 + x.q**2)]],
        G=lambda x: [[0], [1 + 0.2 * np.cos(x.q)]],
        inputs=("tau",),
        name="arm",
    )


def push(t):
    return np.sin(3 * t)


def test_a_box_alone_moves_as_its_system():
    box = arm().box({"tau": angular_momentum})
    found = vv.simulate(box, t_end=1.0, h=0.01, initial={"x": (0.5, 0.0)}, inputs={"tau": push})
    expected = vv.simulate(arm(), t_end=1.0, h=0.01, initial=(0.5, 0.0), inputs={"tau": push})
    np.testing.assert_allclose(found["x"], np.stack([expected["q"], expected["p"]], axis=-1), atol=1e-12)
    np.testing.assert_allclose(found["heat"], expected["heat"], atol=1e-12)
    assert found.audit().ok


def with_motor(box):
    """A motor of the library at its port."""
    return compose(
        "drive",
        {"arm": box, "motor": motor(K), "coil": inductor(L), "wire": resistor(R), "env": environment({"s": entropy})},
        {"phi": ("motor.phi", "coil.phi", "wire.phi"), "s": ("wire.s", "env.s"), "p": ("motor.p", "arm.tau")},
        outer={"voltage": "phi"},
    )


def test_a_box_with_a_motor_of_the_library_moves_as_the_whole_written_by_hand():
    by_hand = PortHamiltonian(
        ("q", "p", "phi"),
        lambda x: kinetic(x) + WEIGHT * (1 - np.cos(x.q)) + x.phi**2 / (2 * L),
        lambda x: [[0, 1, 0], [-1, 0, K * (1 + 0.2 * np.cos(x.q))], [0, -K * (1 + 0.2 * np.cos(x.q)), 0]],
        R=lambda x: [[0, 0, 0], [0, DRAG * (1 + x.q**2), 0], [0, 0, R]],
        G=[[0], [0], [1]],
        inputs=("voltage",),
    )
    system = with_motor(arm().box({"tau": angular_momentum}))
    start = {"arm.x": (0.5, 0.0), "phi": 0.02}
    found = vv.simulate(system, t_end=1.0, h=0.01, initial=start, inputs={"voltage": push})
    expected = vv.simulate(by_hand, t_end=1.0, h=0.01, initial=(0.5, 0.0, 0.02), inputs={"voltage": push})
    np.testing.assert_allclose(found["arm.x"], np.stack([expected["q"], expected["p"]], axis=-1), atol=1e-11)
    np.testing.assert_allclose(np.squeeze(found["phi"]), expected["phi"], atol=1e-11)
    assert found.audit().ok


def sleigh(**options) -> vv.forms.kane.system.KaneSystem:
    return vv.kane(
        "sleigh",
        q=("x", "y", "theta"),
        xi=("w", "v"),
        q_dot=lambda q, xi: [xi.v * np.cos(q.theta), xi.v * np.sin(q.theta), xi.w],
        bodies={"sleigh": vv.KaneBody(mass=1.0, v=_centre, w=lambda xi: xi.w, inertia=0.5)},
        **options,
    )


def _centre(q, xi):
    c, s = np.cos(q.theta), np.sin(q.theta)
    return [xi.v * c - 0.4 * xi.w * s, xi.v * s + 0.4 * xi.w * c]


def test_a_system_of_kane_is_a_box_too():
    """Nonholonomic: its J is no Poisson bracket, and the balance of energy holds all the same."""
    system = sleigh(tau={"w": lambda xi: -0.1 * xi.w})
    box = system.box({"tau_w": angular_momentum})
    start = np.array([0, 0, 0.3, 1.2, 1.0])
    found = vv.simulate(box, t_end=1.0, h=0.01, initial={"x": start}, inputs={"tau_w": push})
    expected = vv.simulate(system.hamiltonian, t_end=1.0, h=0.01, initial=start, inputs={"tau_w": push})
    names = ("x", "y", "theta", "p_w", "p_v")
    np.testing.assert_allclose(found["x"], np.stack([expected[name] for name in names], axis=-1), atol=1e-11)
    assert found.audit().ok


def test_what_is_no_port():
    with pytest.raises(ModelError, match="'arm' has no input 'force' for a port; its inputs are tau"):
        arm().box({"force": angular_momentum})
    with pytest.raises(ModelError, match="port 'tau' of 'arm' is one number that flows"):
        arm().box({"tau": Quantity("R3", "momentum")})
    with pytest.raises(ModelError, match="port 'tau' of 'arm' is one number that flows"):
        arm().box({"tau": entropy})
    with pytest.raises(ModelError, match="ports of the box of 'arm' are quantities by input"):
        arm().box(["tau"])


def test_impressed_forces_have_no_place_in_a_box():
    with pytest.raises(ModelError, match="'sleigh' has forces along v that no potential and no friction gives"):
        sleigh(tau={"v": lambda xi: 1.0 + 0 * xi.v}).box({"tau_w": angular_momentum})
