"""Root loci and Campbell diagrams."""

import numpy as np
import pytest
from linear_models import ROTOR, rods, rotor
from numpy.testing import assert_allclose

import visviva as vv
from visviva.linear import LinearSystem


def family(c, k=4.0):
    """q̈ + (c - 0.3) q̇ + k q = 0."""
    A = np.array([[0, 1.0], [-k, -(c - 0.3)]])
    return LinearSystem("family", A, np.zeros((2, 0)), np.eye(2), np.zeros((2, 0)), ("q", "v"), (), ("q", "v"))


def crossing(value):
    """Two oscillators whose frequencies cross at value = 2."""
    A = np.zeros((4, 4))
    A[0, 1], A[1, 0], A[2, 3], A[3, 2] = 1, -(value**2), 1, -4.0
    return LinearSystem("crossing", A, np.zeros((4, 0)), np.eye(4), np.zeros((4, 0)), tuple("abcd"), (), tuple("abcd"))


def test_branches_are_followed_through_a_crossing():
    values = np.linspace(1, 3, 20)
    locus = vv.root_locus(crossing, values)
    rising = [branch for branch in locus.roots.T if abs(branch[0] - 1j) < 1e-9]
    assert_allclose(rising[0].imag, values, atol=1e-9)
    assert locus.frequencies.shape == (20, 2)


def test_limits_of_stability_are_found_between_values():
    locus = vv.root_locus(family, np.linspace(0, 1, 6), parameter="c")
    assert_allclose(locus.limits(1e-6), [0.3], atol=1e-6)
    assert_allclose(locus.growth[0], 0.15, rtol=1e-12)
    falling = vv.root_locus(family, np.linspace(1, 0, 6))
    assert_allclose(falling.limits(1e-6), [0.3], atol=1e-6)
    assert len(vv.root_locus(family, [0.5, 1.0]).limits()) == 0


def test_a_mechanism_is_linearised_at_each_value():
    locus = vv.root_locus(lambda d: rods(friction=d), [0.1, 0.3], parameter="friction")
    assert_allclose(locus.roots.real, np.repeat([[-0.15], [-0.45]], 2, axis=1), rtol=1e-9)
    assert locus.systems[0].states == ("hinge0.q", "hinge0.rate")


def test_a_rotor_has_its_campbell_diagram(tmp_path):
    speeds = np.array([20.0, 40.0])
    locus = vv.root_locus(lambda speed: rotor(speed, driven=True), speeds, parameter="speed", steady=True)
    Ip, Id, k = ROTOR["axial"] * speeds, ROTOR["diametral"], ROTOR["tilting"]
    forward = (Ip + np.sqrt(Ip**2 + 4 * Id * k)) / (2 * Id)
    assert_allclose(locus.frequencies.max(axis=1), forward, rtol=1e-8)
    path = tmp_path / "campbell.png"
    figure = locus.campbell(orders=(1, 2), path=path)
    assert path.stat().st_size > 10_000
    assert figure.axes[0].get_xlabel() == "speed [rad/s]"
    assert len(figure.axes[0].lines) == locus.frequencies.shape[1] + 2


def test_a_locus_is_drawn(tmp_path):
    path = tmp_path / "locus.png"
    locus = vv.root_locus(family, np.linspace(0, 5, 20), parameter="c")
    locus.plot(path)
    assert repr(locus) == "<RootLocus of 'family': 2 branches, 20 values of c 0 … 5>"
    assert path.stat().st_size > 10_000


def test_bad_families_are_errors():
    with pytest.raises(vv.ModelError, match="rises or falls"):
        vv.root_locus(family, [0.0, 1.0, 0.5])
    with pytest.raises(vv.ModelError, match="from 2 to 4 at 2"):
        vv.root_locus(lambda v: family(v) if v < 2 else crossing(v), [1.0, 2.0])
    with pytest.raises(vv.ModelError, match="takes a Mechanism"):
        vv.root_locus(lambda v: v, [1.0])
