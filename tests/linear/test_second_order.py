"""Composites and Lagrangians in the form M q̈ + D q̇ + K q = B u, where they have one."""

import numpy as np
import pytest
import systems
from numpy.testing import assert_allclose

import visviva as vv
from visviva.language import compose
from visviva.library import electric, rotation, thermal, translation


def two_masses(m=(3.0, 2.0), k=(12.0, 5.0), d=0.7):
    """Wall, spring, mass, spring with damper, mass; a force on the second mass."""
    return compose(
        "two masses",
        {
            "first": translation.mass(m[0]),
            "second": translation.mass(m[1]),
            "wall": translation.spring(k[0]),
            "between": translation.spring(k[1]),
            "hold": translation.kinematic(first=1),
            "join": translation.kinematic(first=-1, second=1),
            "oil": translation.damper(d),
            "room": thermal.environment(300.0),
        },
        {
            "x1": ("wall.q", "hold.q"),
            "x12": ("between.q", "join.q"),
            "p1": ("first.p", "hold.first", "join.first"),
            "p2": ("second.p", "join.second", "oil.p"),
            "s": ("oil.s", "room.s"),
        },
        outer=("p2",),
    )


def test_a_chain_of_masses_has_the_matrices_of_its_parts():
    """In the elongations e1 = x1, e12 = x2 - x1: v1 = ė1, v2 = ė1 + ė12."""
    lin = vv.linearise(two_masses())
    found, T = lin.mechanics, np.array([[1.0, 0.0], [1.0, 1.0]])
    assert lin.states.index("x1") < lin.states.index("x12")
    assert_allclose(found.M, T.T @ np.diag([3.0, 2.0]) @ T, rtol=1e-9)
    assert_allclose(found.K, np.diag([12.0, 5.0]), rtol=1e-9, atol=1e-9)
    assert_allclose(found.damping, T.T @ np.diag([0.0, 0.7]) @ T, rtol=1e-9, atol=1e-9)
    assert not found.gyroscopic.any()
    assert not found.circulatory.any()
    assert_allclose(found.B, [[1.0], [1.0]], rtol=1e-9)


def test_its_poles_are_those_of_the_quadratic_problem():
    lin = vv.linearise(two_masses())
    for pole in lin.poles():
        singular = np.linalg.svd(lin.M * pole**2 + lin.mechanics.D * pole + lin.K, compute_uv=False)
        assert singular[-1] < 1e-8 * singular[0]


def test_heat_is_another_state():
    mechanics = vv.linearise(systems.hot()).mechanics
    found = [mechanics.M, mechanics.D, mechanics.K, mechanics.B]
    assert_allclose(np.ravel(found), [1.0, 0.2, 1.5, 1.0], rtol=1e-9)
    assert_allclose(mechanics.S, [[0.0]], atol=1e-12)


def test_shafts_on_a_gear_have_one_inertia():
    """Two momenta that a gear holds together are one: J1 + J2/n² on the fast shaft, with its spring."""
    system = compose(
        "geared",
        {
            "fast": rotation.inertia(0.3),
            "slow": rotation.inertia(8.0),
            "mesh": rotation.gear(4.0),
            "wire": rotation.spring(20.0),
            "hold": rotation.kinematic(shaft=1),
        },
        {
            "a": ("wire.q", "hold.q"),
            "one": ("fast.p", "mesh.a", "hold.shaft"),
            "two": ("slow.p", "mesh.b"),
        },
    )
    found = vv.linearise(system).mechanics
    assert_allclose((found.M, found.K), ([[0.3 + 8.0 / 16]], [[20.0]]), rtol=1e-9)


def test_a_circuit_has_one_with_charge_and_flux():
    """L q̈ + R q̇ + q/C = u."""
    system = compose(
        "circuit",
        {
            "coil": electric.inductor(0.2),
            "plates": electric.capacitor(0.05),
            "loop": electric.series(plates=1),
            "wire": electric.resistor(3.0),
            "room": thermal.environment(300.0),
        },
        {
            "q": ("plates.q", "loop.plates"),
            "phi": ("coil.phi", "loop.phi", "wire.phi"),
            "s": ("wire.s", "room.s"),
        },
        outer=("phi",),
    )
    found = vv.linearise(system).mechanics
    assert_allclose(np.ravel([found.M, found.D, found.K, found.B]), [0.2, 3.0, 20.0, 1.0], rtol=1e-9)


def test_a_lagrangian_has_its_mass_and_its_stiffness():
    model = vv.lagrangian("pendulum", q=("angle",), L=lambda q, v: v.angle**2 + 9.0 * np.cos(q.angle))
    lin = vv.linearise(model)
    assert_allclose((lin.M, lin.K), ([[2.0]], [[9.0]]), rtol=1e-9)
    assert lin.modes().real


def test_what_has_no_positions_or_rates_of_its_own_has_none():
    spinning = compose(
        "wheel",
        {"wheel": rotation.inertia(2.0), "oil": rotation.damper(0.5), "room": thermal.environment(300.0)},
        {"p": ("wheel.p", "oil.p"), "s": ("oil.s", "room.s")},
    )
    lin = vv.linearise(spinning)
    assert lin.mechanics is None
    with pytest.raises(vv.ModelError, match="no form of second order, with M, D and K: that takes as many"):
        _ = lin.K
