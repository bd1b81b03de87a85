"""Systems of vv.lagrangian as boxes of the language: they move as they do alone, and with motors as mechanisms do."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.language import compose
from visviva.library import electric, thermal
from visviva.library.quantities import angular_momentum

MASS, ARM, MOMENT = 1.0, 0.5, 1.0 / 12.0
PENDULUM = {
    "M": MASS * ARM**2 + MOMENT,
    "V": lambda q, w: -w * np.sin(q[0]),
    "inputs": {"tau": [1.0]},
    "parameters": {"w": MASS * 9.81 * ARM},
}
SCHEME = vv.DiscreteGradient(compiled=False)
RESISTANCE, INDUCTANCE, K = 0.5, 1e-3, 0.1


def driven(box):
    """A motor of the library at its port."""
    parts = {
        "arm": box,
        "emf": electric.motor(K),
        "coil": electric.inductor(INDUCTANCE),
        "wire": electric.resistor(RESISTANCE),
        "air": thermal.environment(),
    }
    junctions = {
        "phi": ("emf.phi", "coil.phi", "wire.phi"),
        "s": ("wire.s", "air.s"),
        "shaft": ("emf.p", "arm.tau"),
    }
    return compose("drive", parts, junctions, outer={"dc": "phi"})


def test_a_box_moves_as_its_lagrangian():
    """Two links with a mass matrix of the configuration, by M and V or by L."""

    def M(q):
        c = np.cos(q[1])
        return [[3 + 2 * c, 1 + c], [1 + c, 1]]

    def V(q):
        return 9.81 * (2 * np.sin(q[0]) + np.sin(q[0] + q[1]))

    def L(q, v):
        c = np.cos(q[1])
        return 0.5 * ((3 + 2 * c) * v[0] ** 2 + 2 * (1 + c) * v[0] * v[1] + v[1] ** 2) - V(q)

    inputs = {"tau": [0.0, 1.0]}
    start = np.array([0.3, 0.5])
    given = {"inputs": inputs, "damping": [0.1, 0.2]}
    model = vv.lagrangian("arm", 2, M=M, V=V, q0=start, **given)

    def ends(h):
        whole = vv.simulate(model, 0.2, h, inputs={"tau": 0.4}, integrator=SCHEME)
        runs = []
        for kind in ({"M": M, "V": V}, {"L": L}):
            box = vv.lagrangian_box("arm", 2, {"tau": angular_momentum}, **kind, **given)
            run = vv.simulate(box, 0.2, h, initial={"x": (*start, 0, 0)}, inputs={"tau": 0.4}, integrator=SCHEME)
            assert run.audit().first_law <= 1e-13
            runs.append(run["x"][-1, :2])
        np.testing.assert_allclose(runs[0], runs[1], atol=1e-12)
        return np.abs(runs[0] - np.ravel(whole["q"][-1])).max()

    coarse, fine = ends(0.02), ends(0.01)
    assert coarse < 1e-3
    assert coarse / fine == pytest.approx(4.0, abs=0.5)


def test_with_a_motor_it_is_the_mechanism_with_a_motor():
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("rod", mass=MASS, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(ARM, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0))
    m.motor("dc", "hinge", resistance=RESISTANCE, inductance=INDUCTANCE, k=K)
    system = driven(vv.lagrangian_box("arm", "turn", {"tau": angular_momentum}, **PENDULUM))

    def gap(h):
        built = vv.simulate(m, 0.2, h, inputs={"dc": 12.0}, integrator=vv.LieMidpoint(compiled=False))
        run = vv.simulate(
            system, 0.2, h, initial={"arm.x": (0.0, 0.0), "phi": 0.0}, inputs={"dc": 12.0}, integrator=SCHEME
        )
        assert run.audit().first_law <= 1e-13
        return abs(run["arm.x"][-1, 0] - built["hinge.q"][-1])

    coarse, fine = gap(2e-3), gap(1e-3)
    assert coarse < 1e-3
    assert coarse / fine == pytest.approx(4.0, abs=0.5)


def test_momenta_that_are_not_linear_in_velocities_are_refused():
    with pytest.raises(vv.ModelError, match=r"L of 'odd' is not ½ v·M\(q\) v - V\(q\).*\n.*vv\.connect"):
        vv.lagrangian_box("odd", 1, {"tau": angular_momentum}, L=lambda q, v: v[0] ** 4, inputs={"tau": [1.0]})
