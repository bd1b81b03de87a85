"""Constraints of rigid systems are judged in the size of their own terms: by no length that the user has not given."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import forms
from visviva.forms import coordinates
from visviva.forms.flows.flow import FlowState

LENGTHS = (1e-9, 1.0, 1e4)


def bob(length):
    """A point mass on two slides, on a rod of a length, with gravity in proportion to it."""
    slides = {
        ("ground", "slide"): coordinates.prismatic("x", axis=(1, 0, 0)),
        ("slide", "bob"): coordinates.prismatic("y", axis=(0, 1, 0)),
    }
    p = coordinates.joined(slides, q0=[0.6 * length, -0.8 * length])
    rod = forms.Geometric("rod", lambda q: [np.sqrt(q.x**2 + q.y**2) - length])
    body = forms.Moments.from_parts(2.0, (0, 0, 0), np.full(3, 1e-3 * length**2))
    return vv.RigidSystem(p, bodies={"bob": body}, gravity=(0, -9.81 * length, 0), constraints=[rod])


@pytest.mark.parametrize("length", LENGTHS)
def test_starts_off_their_constraints_are_refused_at_every_size(length):
    system = bob(length)
    good, bad = np.array([0.6, -0.8]), np.array([0.6, -0.8004])
    system.checked((good * length, [0.8 * length, 0.6 * length]))
    with pytest.raises(vv.AssemblyError, match="the positions of the start do not satisfy 'rod'"):
        system.checked((bad * length, [0.0, 0.0]))
    with pytest.raises(vv.AssemblyError, match="the velocities of the start do not satisfy 'rod'"):
        system.checked((good * length, [0.8 * length, 0.601 * length]))


def test_violations_are_the_same_at_every_size():
    found = []
    for length in LENGTHS:
        system = bob(length)
        state = FlowState(0.0, np.array([0.6, -0.81]) * length, np.array([0.9, 0.6]) * length, np.zeros(0))
        found.append([system.violations(state)[name] for name in ("g", "g_v")])
    assert min(found[0]) > 1e-3
    assert_allclose(found, np.broadcast_to(found[0], (3, 2)), rtol=1e-6)


def slider_crank(length):
    """A crank, a rod hinged to it, and a slide that the end of the rod has to follow: angles beside a shift."""
    links = {
        ("ground", "crank"): coordinates.revolute("a", axis=(0, 0, 1)),
        ("ground", "slider"): coordinates.prismatic("x", axis=(1, 0, 0)),
    }
    p = coordinates.joined(links, q0=[0.5, 3.5 * length])

    def rod(q):
        return [((q.x - length * np.cos(q.a)) ** 2 + (length * np.sin(q.a)) ** 2 - (2.7 * length) ** 2) / length]

    moments = [forms.Moments.from_parts(m, (0, 0, 0), np.full(3, 0.1 * m * length**2)) for m in (2.0, 0.7)]
    bodies = dict(zip(("crank", "slider"), moments, strict=True))
    return vv.RigidSystem(p, bodies=bodies, constraints=[forms.Geometric("rod", rod)])


STARTS = {
    "bob": (bob, (0.63, -0.85), (0.9, 0.6), (True, True)),
    "slider-crank": (slider_crank, (0.6, 3.3), (1.2, -0.4), (False, True)),
}


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("length", [1e-9, 1e-6, 1e-3, 1e3, 1e6])
def test_consistent_states_are_the_same_at_every_size(name, length):
    """In metres a millionth of them would be taken for nothing, and thousands for what cannot be closed."""
    make, q, xi, shifts = STARTS[name]
    wanted = make(1.0).consistent(q, xi)
    units = np.where(shifts, length, 1.0)
    found = make(length).consistent(units * q, units * xi)
    for one, other in zip(found, wanted, strict=True):
        assert_allclose(one / units, other, rtol=0, atol=1e-12)
    assert max(make(length).violations(FlowState(0.0, *found, np.zeros(0)))[level] for level in ("g", "g_v")) < 1e-13


@pytest.mark.parametrize("length", LENGTHS)
def test_what_cannot_be_closed_is_refused_at_every_size(length):
    far = forms.Geometric("far", lambda q: [q.x - 7.0 * length])
    system = slider_crank(length)
    other = vv.RigidSystem(system.parameterisation, bodies=system.bodies, constraints=[*system.constraints, far])
    with pytest.raises(vv.AssemblyError, match="no position near the given one satisfies all constraints"):
        other.consistent([0.6, 3.3 * length], [0.0, 0.0])


@pytest.mark.parametrize("length", [*LENGTHS, 1e-6, 1e3])
def test_the_nearest_state_is_the_same_at_every_size(length):
    """It is accepted as a start, and is that of a system of another size."""
    start = np.array([0.62, -0.81]), np.array([0.9, 0.7])
    q, xi = bob(length).consistent(*(length * part for part in start))
    assert bob(length).checked((q, xi)).t == 0.0
    assert_allclose(np.concatenate([q, xi]) / length, np.concatenate(bob(1.0).consistent(*start)), rtol=1e-12)
