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


@pytest.mark.parametrize("length", [*LENGTHS, 1e-6, 1e3])
def test_the_nearest_state_is_the_same_at_every_size(length):
    """It is accepted as a start, and is that of a system of another size."""
    start = np.array([0.62, -0.81]), np.array([0.9, 0.7])
    q, xi = bob(length).consistent(*(length * part for part in start))
    assert bob(length).checked((q, xi)).t == 0.0
    assert_allclose(np.concatenate([q, xi]) / length, np.concatenate(bob(1.0).consistent(*start)), rtol=1e-12)
