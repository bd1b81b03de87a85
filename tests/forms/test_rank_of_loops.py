"""Which rows of loops count: the same in metres and in millimetres, near singular poses and at them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.forms import Loop, Moments, RigidSystem, coordinates
from visviva.forms.calculus.hamel import check_inertia
from visviva.forms.rigid.gauss import rows_of_one_size
from visviva.numerics.rank import counted, singular_values, velocity_units

NEAR = (1e-3, 1e-5, 1e-7, 1e-10, 1e-13, 0.0)


def shifted(x):
    X = np.eye(4)
    X[0, 3] = x
    return X


def slider_crank(unit):
    """Crank 1 and rod 2 in the plane, and a slide of their end along x; lengths in some unit [1/m]."""
    joints = {
        ("ground", "crank"): coordinates.revolute("crank", at=shifted(0.0)),
        ("crank", "rod"): coordinates.revolute("rod", at=shifted(1.0 * unit)),
        ("ground", "piston"): coordinates.prismatic("way", axis=(1, 0, 0)),
    }
    body = Moments.from_parts(1.0, (0.5 * unit, 0, 0), (0, unit**2 / 3, unit**2 / 3))
    pin = Loop("pin", "rod", "piston", "spherical", shifted(2.0 * unit), shifted(0.0))
    return RigidSystem(
        coordinates.joined(joints),
        bodies={"crank": body, "rod": body, "piston": body},
        gravity=(0, -9.81 * unit, 0),
        constraints=[pin],
    )


def parallelogram(unit):
    """All links parallel at zero: there its two rows have the rank one."""
    joints = {
        ("ground", "a"): coordinates.revolute("a", at=shifted(0.0)),
        ("a", "b"): coordinates.revolute("b", at=shifted(1.0 * unit)),
        ("b", "c"): coordinates.revolute("c", at=shifted(2.0 * unit)),
    }
    body = Moments.from_parts(1.0, (0.5 * unit, 0, 0), (0, unit**2 / 3, unit**2 / 3))
    pin = Loop("pin", "c", "ground", "revolute", shifted(1.0 * unit), shifted(2.0 * unit))
    return RigidSystem(
        coordinates.joined(joints),
        bodies=dict.fromkeys("abc", body),
        gravity=(0, -9.81 * unit, 0),
        constraints=[pin],
    )


def rank_of(system, q):
    at = system.instant(q, np.zeros(system.n))
    M = system.terms(q, np.zeros(system.n)).M
    (rows,) = system.rows(at).values()
    unit = velocity_units(np.diag(M))
    return counted(singular_values(rows_of_one_size(rows.Z * unit, rows.terms * unit)[0]))


@pytest.mark.parametrize("near", NEAR)
def test_the_rank_of_a_parallelogram_near_its_singular_pose_has_no_unit(near):
    """Folded flat by an angle δ; rows differ by it, which counts above √ε."""
    q = near, -near, np.pi + near
    found = {rank_of(parallelogram(unit), q) for unit in (1.0, 1e3, 1e-3)}
    assert found == {2 if near > 1e-8 else 1}


@pytest.mark.parametrize("near", NEAR)
def test_accelerations_have_no_unit(near):
    """A slider-crank near its dead centre: two rows of three count, in every unit."""
    angle = near
    rod = -np.arcsin(np.sin(angle) / 2) - angle
    found = []
    for unit in (1.0, 1e3, 1e-3):
        system = slider_crank(unit)
        q = np.array([angle, rod, (np.cos(angle) + 2 * np.cos(angle + rod)) * unit])
        assert rank_of(system, q) == 2
        found.append(system.accelerations(q, np.zeros(3)) / (1.0, 1.0, unit))
    assert_allclose(found[1], found[0], rtol=1e-7, atol=1e-7)
    assert_allclose(found[2], found[0], rtol=1e-7, atol=1e-7)


def test_a_small_inertia_is_one_whatever_its_unit():
    """A rotor of a micrometre beside a kilogram on a slide: 1e-12 kg m², or 1e-6 kg mm²."""
    for unit in (1.0, 1e3):
        check_inertia(np.diag([1.0, 1e-12 * unit**2]), ("way", "angle"))
        with pytest.raises(ModelError, match="mass matrix is singular"):
            check_inertia(np.outer(*[(1.0, 1e-3 * unit)] * 2), ("way", "angle"))
