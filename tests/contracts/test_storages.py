"""Storages: gradient, secant and consistency for every kind, and each law against a storage that breaks it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from visviva.model import Energy, Kinetic, Linear, QuadraticEnergy
from visviva.testing import check_storage

M = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]])


def pendulum(energy=lambda q: 9.81 * (1 - np.cos(q[..., 0])), gradient=lambda q: 9.81 * np.sin(q)):
    return Energy("pendulum", "q", energy, gradient)


def quartic():
    return Energy("quartic", "q", lambda q: 0.25 * (q**4).sum(-1) + q[..., 0] * q[..., 1], _quartic_slope)


def _quartic_slope(q):
    return q**3 + np.stack([q[..., 1], q[..., 0], np.zeros_like(q[..., 0])], -1)


def exponential():
    return Energy("exponential", "q", lambda q: 300.0 * np.exp(q[..., 0]), lambda q: 300.0 * np.exp(q))


STORAGES = {
    "kinetic": (Kinetic("body", "v", M), 3),
    "linear": (Linear("weight", "q", np.array([0.0, 1.0, -9.81])), 3),
    "quadratic": (QuadraticEnergy("spring", "q", M), 3),
    "pendulum": (pendulum(), 1),
    "quartic": (quartic(), 3),
    "exponential": (exponential(), 1),
}


@pytest.mark.parametrize(("storage", "n"), STORAGES.values(), ids=STORAGES)
def test_every_storage_obeys_its_laws(storage, n):
    check_storage(storage, n)


@pytest.mark.parametrize(("storage", "n"), STORAGES.values(), ids=STORAGES)
@given(data=st.data())
def test_secant_property_at_every_scale(storage, n, data):
    q0, dq = (np.array(data.draw(st.lists(st.floats(-2, 2), min_size=n, max_size=n))) for _ in range(2))
    size = data.draw(st.sampled_from([1.0, 1e-3, 1e-5, 1e-8]))
    q1 = q0 + size * np.where(np.abs(dq) < 1e-12, 0.0, dq)
    H0, H1 = storage.H(q0), storage.H(q1)
    rounding = 64 * np.finfo(float).eps * max(abs(float(H0)), abs(float(H1)), 1e-300)
    assert_allclose(storage.mean_effort(q0, q1) @ (q1 - q0), H1 - H0, rtol=1e-12, atol=rounding)


def test_no_motion_gives_the_gradient():
    q = np.array([0.7])
    assert_allclose(pendulum().mean_effort(q, q), pendulum().dH(q), rtol=1e-15)


class MidpointOnly:
    """The gradient at the mean: consistent, but not exact for an energy that is not quadratic."""

    H, dH = pendulum().H, pendulum().dH

    @staticmethod
    def mean_effort(q0, q1):
        return pendulum().dH((q0 + q1) / 2)


class FirstPoint:
    """A secant along q1 - q0 that forgets the gradient across it: exact, but not consistent in several dimensions."""

    H, dH = quartic().H, quartic().dH

    @staticmethod
    def mean_effort(q0, q1):
        dq = q1 - q0
        return ((quartic().H(q1) - quartic().H(q0)) / (dq * dq).sum(-1))[..., None] * dq


@pytest.mark.parametrize(
    ("law", "storage", "n"),
    [
        ("gradient", pendulum(gradient=lambda q: -9.81 * np.sin(q)), 1),
        ("secant", MidpointOnly(), 1),
        ("consistency", FirstPoint(), 3),
    ],
)
def test_the_checker_names_the_law_that_is_broken(law, storage, n):
    with pytest.raises(AssertionError, match=law):
        check_storage(storage, n)
