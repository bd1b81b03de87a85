"""Units do not matter: a mechanism whose lengths, times and masses are multiplied moves as before, in every reading."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.testing.readings import READINGS, Case, Units, instant

UNITS = [(1e3, 5e-3, 1e6), (2e-2, 60.0, 10.0), (1e-3, 1e-3, 1e4)]  # of length, time and mass


def arm(length, time, mass):
    """Two links on skew hinges, one with dry friction that warms a node, and a torque."""
    energy = mass * length**2 / time**2
    m = vv.Mechanism("arm", gravity=np.array([0.3, 0, -2.0]) * length / time**2)
    m.thermal("node", capacity=0.01 * energy, conductance_to_environment=0.003 * energy / time)
    for name, at in (("upper", (0.5, 0.1, 0.0)), ("lower", (1.2, 0.2, -0.3))):
        J = np.array([0.1, 0.2, 0.15]) * mass * length**2
        m.body(name, mass=mass, inertia=J, at=np.array(at) * length)
    m.revolute("shoulder", "ground", "upper", at=np.zeros(3), axis=(0.2, 1, 0.1), rate=0.7 / time)
    dry = {"friction": vv.friction.coulomb(0.2 * energy, v_reg=0.1 / time), "heat_to": "node"}
    place = np.array([0.9, 0.2, 0]) * length
    m.revolute("elbow", "upper", "lower", at=place, axis=(1, 0.3, 0.2), rate=-0.4 / time, **dry)
    m.torque("push", "elbow")
    return m, {"push": 0.3 * energy}


def angles(run):
    return np.column_stack([run["shoulder.q"].ravel(), run["elbow.q"].ravel()])


@pytest.mark.parametrize("scheme", [vv.PHMP, vv.PHMPGGL, vv.LieMidpoint])
@pytest.mark.parametrize("units", UNITS)
def test_runs_in_numpy(scheme, units):
    """No step is divided: differences of a law are taken in the sizes of its variables."""
    ends = []
    for one in ((1.0, 1.0, 1.0), units):
        m, inputs = arm(*one)
        h = 0.02 * one[1]
        run = vv.simulate(m, 3 * h, h, integrator=scheme(compiled=False), inputs=inputs)
        assert not run.notes
        ends.append(angles(run)[-1])
    assert_allclose(ends[1], ends[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("units", UNITS)
def test_linearisation(units):
    length, time, mass = units
    (plain, u), (m, scaled) = arm(1.0, 1.0, 1.0), arm(*units)
    form = vv.analytical(m)
    q, xi, s = vv.analytical(plain).initial
    one = vv.linearise(plain, (q, xi, s), operating=u, residual_ok=True)
    other = vv.linearise(m, form.initial, operating=scaled, residual_ok=True)
    energy = mass * length**2 / time**2
    unit = np.array([1.0, 1.0, 1 / time, 1 / time, energy])  # of angles, rates, entropy
    assert_allclose(time * other.A * unit / unit[:, None], one.A, rtol=0, atol=1e-7 * np.abs(one.A).max())
    assert_allclose(time * other.B * energy / unit[:, None], one.B, rtol=0, atol=1e-7 * np.abs(one.B).max())


@pytest.mark.parametrize("units", UNITS)
def test_the_implicit_system(units):
    """Rates, efforts and flows of the Model satisfy it, whatever the momenta are beside lengths of one."""
    m, inputs = arm(*units)
    READINGS["implicit system"](instant(Case(m, inputs, Units(*units)), vv.analytical(m).initial))


def test_states_without_velocities_do_not_want_them_consistent():
    """Of a mechanism whose given velocities contradict each other, equations at a given state can be had."""
    m, _ = arm(1.0, 1.0, 1.0)
    m.spherical("weld", "ground", "lower", at=(1.5, 0.3, -0.2))
    with pytest.raises(vv.AssemblyError):
        m.assemble()
    form = vv.analytical(m)
    q = form.coordinates(m.assemble(fixed=())[0]).q
    assert np.isfinite(form.mass_matrix(q)).all()
