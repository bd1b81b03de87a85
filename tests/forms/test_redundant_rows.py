"""Constraints whose rows depend on each other, at states that have drifted off them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from rigid_models import particle
from scipy.integrate import solve_ivp
from test_loops import bennett

from visviva.errors import AssemblyError
from visviva.forms import Acceleration, Geometric, Loop, RigidSystem
from visviva.forms.rigid.redundant import agreeing


def linkage(baumgarte=(0.0, 0.0)):
    """Bennett's, five rows of which two are independent on its motion and three off it, and a state of it."""
    system, ratio = bennett()
    if any(baumgarte):
        pin = system.constraints[0]
        closed = Loop(pin.name, pin.a, pin.b, pin.kind, pin.X_aJ, pin.X_bJ, baumgarte)
        p = system.parameterisation
        system = RigidSystem(p, bodies=system.bodies, gravity=system.gravity, constraints=[closed])
    t1 = 2.1
    q, xi = system.consistent((t1, 2 * np.arctan(ratio / np.tan(t1 / 2)), -t1), (4.0, 0, 0))
    return system, q, xi


def gap(system, y):
    return np.abs(system.rows(system.instant(y[:3], y[3:]))["pin"].position).max()


OFF = np.array([0.7, -0.4, 0.9])


@pytest.mark.parametrize("size", [1e-8, 1e-6, 1e-4, 1e-3])
def test_accelerations_are_continuous_across_the_constraints(size):
    system, q, xi = linkage()
    on = system.accelerations(q, xi)
    assert np.abs(on).max() > 1
    off = system.accelerations(q + size * OFF, xi + size * OFF[::-1])
    assert_allclose(off, on, atol=100 * size * np.abs(on).max())


def test_scipy_moves_what_may_move():
    """A drift of 1e-7 makes a third row independent, which would hold the linkage or contradict the others."""
    system, q, xi = linkage()
    exact, drifted = (
        solve_ivp(system.rhs, (0, 0.1), np.concatenate([q + off, xi]), rtol=1e-5, atol=1e-5).y[:, -1]
        for off in (0 * OFF, 1e-5 * OFF)
    )
    assert gap(system, drifted) > 1e-6
    assert abs(drifted[0] - q[0]) > 0.05
    assert_allclose(drifted, exact, atol=1e-3)
    assert system.energy(drifted[:3], drifted[3:]) == pytest.approx(system.energy(q, xi), rel=1e-3)


def test_stabilisation_closes_redundant_rows():
    """Errors fall like (1 + 20 t) e^{-20 t}, to a tenth after 0.2 s; without stabilisation they stay."""
    left = {}
    for rates in ((0.0, 0.0), (40.0, 400.0)):
        system, q, xi = linkage(rates)
        start = np.concatenate([q + 1e-4 * OFF, 0.1 * xi])
        end = solve_ivp(system.rhs, (0, 0.2), start, rtol=1e-3, atol=1e-7).y[:, -1]
        left[rates] = gap(system, end) / gap(system, start)
    assert left[0.0, 0.0] > 0.5
    assert left[40.0, 400.0] == pytest.approx(5 * np.exp(-4), rel=0.3)


def test_independent_rows_stay_as_they_are():
    system = particle().constrain(Geometric("rod", lambda q: [(q.x**2 + q.y**2 - 1) / 2], baumgarte=(2.0, 3.0)))
    at = system.instant((1.1, 0.2), (0.3, 0.4))
    rows = system.rows(at)
    assert agreeing(system, at, rows) is rows


def test_contradictions_are_found_off_the_constraints_too():
    rod = Geometric("rod", lambda q: [(q.x**2 + q.y**2 - 1) / 2])
    system = particle().constrain(rod, Acceleration("pull", lambda t, q, xi: [[q[0], q[1]]], [5.0]))
    with pytest.raises(AssemblyError, match="constraints contradict each other: rod, pull"):
        system.accelerations((1.0 + 1e-5, 0.0), (0.0, 1.0))
