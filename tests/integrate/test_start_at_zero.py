"""What is zero at the start has no size of its own: positions at the origin, entropies and momenta that grow."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.language import compose
from visviva.library import translation

PLAIN = [vv.PHMP(compiled=False), vv.PHMPGGL(compiled=False), vv.LieMidpoint(compiled=False)]


@pytest.mark.parametrize("scheme", [vv.PHMP(), *PLAIN], ids=repr)
def test_a_bead_that_starts_at_the_origin(scheme):
    """All terms of its rows vanish there. It slides down a wire: s = g sin α t²/2."""
    m = vv.Mechanism("bead", gravity=(0, 0, -9.81))
    m.particle("p", mass=0.4, at=(0, 0, 0))
    m.point_on_line("wire", m.ground, "p", axis=(4, 0, -3))
    run = vv.simulate(m, t_end=0.1, h=0.01, integrator=scheme)
    np.testing.assert_allclose(run["wire.q"], 0.5 * 9.81 * 0.6 * run.t**2, rtol=0, atol=1e-14)
    assert run.audit().ok


def bob(**options):
    m = vv.Mechanism("bob", gravity=(0, 0, -9.81))
    m.thermal("node", capacity=0.5)
    m.body("bob", inertia=vv.inertia.sphere(1.0, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "bob", at=(0, 0, 0), axis=(0, 1, 0), heat_to="node", **options)
    return m


@pytest.mark.parametrize(
    "options", [{"friction": 0.2}, {"limits": (-0.1, 0.4), "stop_stiffness": 300.0, "stop_damping": 60.0}], ids=str
)
def test_adaptive_steps_of_a_node_that_gets_its_first_heat(options):
    """Heat grows with the third power of time from rest, or sets in at a stop: relative to itself no step is short."""
    fine = vv.simulate(bob(**options), t_end=0.5, h=1e-4, record=("node.temperature", "hinge.q"))
    run = vv.simulate(bob(**options), t_end=0.5, h=0.02, integrator=vv.Adaptive(tolerance=1e-5))
    assert run.audit().ok
    assert fine["node.temperature"][-1] > 300.1
    for name, unit in (("node.temperature", 300.0), ("hinge.q", 1.0)):
        assert abs(run[name][-1] - fine[name][-1]) < 3 * unit * run["local_error"].sum() < 3e-3 * unit


def test_adaptive_steps_of_a_mass_that_is_pushed_from_zero():
    """p' = t²: p = t³/3, whose relative error is the same in a first step of any length."""
    pushed = compose("pushed", {"mass": translation.mass(2.0)}, {"p": ("mass.p",)}, outer=("p",))
    run = vv.simulate(
        pushed, t_end=1.0, h=0.1, initial={"p": 0.0}, inputs={"p": lambda t: t**2},
        integrator=vv.Adaptive(vv.DiscreteGradient(), 1e-6),
    )  # fmt: skip
    assert run["p"][-1, 0] == pytest.approx(1 / 3, abs=1e-4)


def test_a_node_of_the_smallest_capacity_does_not_hinder_a_step():
    """Differences of its entropy warm it slightly: more would be infinite temperatures."""
    m = vv.Mechanism("dust")
    m.thermal("node", capacity=2e-19, conductance_to_environment=2e-22)
    m.particle("grain", mass=8e-6, at=(1e-3, 0.0, 0.0), velocity=(0.0, 1e-6, 0.0))
    run = vv.simulate(m, 3.0, 1.0, integrator=vv.LieMidpoint(compiled=False))
    assert run.audit().ok
    assert run["node.temperature"][-1] == 300.0
