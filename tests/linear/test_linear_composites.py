"""Composites of the language and Lagrangians: efforts and multipliers are eliminated."""

import numpy as np
import pytest
import systems
from numpy.testing import assert_allclose

import visviva as vv
from visviva.language import compose, storage
from visviva.library import electric, rotation, thermal
from visviva.linear.elimination import eliminated


def test_an_oscillator_has_its_matrices():
    lin = vv.linearise(systems.oscillator(), outputs=["q", "p.y"])
    assert lin.states == ("q", "p")
    assert (lin.inputs, lin.outputs) == (("p",), ("q", "p.y"))
    assert_allclose(lin.A, [[0, 1], [-1.5, 0]], atol=1e-12)
    assert_allclose(lin.B, [[0], [1]], atol=1e-12)
    assert_allclose(lin.C, [[1, 0], [0, 1]], atol=1e-12)
    assert_allclose((lin.M, lin.K), ([[1.0]], [[1.5]]), rtol=1e-10)


def test_an_energy_that_is_not_quadratic_is_taken_where_it_is():
    at = {"osc.q": 0.4, "p": 0.0}
    system = systems.damped(systems.hard_spring())
    with pytest.raises(vv.AssemblyError, match=r"'p' changes by -0.6"):
        vv.linearise(system, at=at)
    lin = vv.linearise(system, at=at, residual_ok=True)
    q, p = lin.states.index("osc.q"), lin.states.index("p")
    assert_allclose(lin.A[p, q], -(1.5 * np.cosh(0.4) + 1.2 * 0.4**2), rtol=1e-10)
    assert_allclose(lin.A[p, p], -0.2, rtol=1e-10)


def test_heat_is_of_second_order():
    lin = vv.linearise(systems.hot())
    s = lin.states.index("s")
    assert_allclose(lin.A[s], np.where(np.arange(3) == s, -0.25, 0.0), atol=1e-12)  # k/c of the wall
    assert lin.stable


def test_an_input_at_a_junction_without_storage_passes_straight_through():
    """A torque on a damper alone turns it at once, ω = τ/d, beside a wheel that another torque turns."""
    parts = {"oil": rotation.damper(0.25), "wheel": rotation.inertia(2.0), "bearing": rotation.damper(0.5)}
    heat = {"room": thermal.environment(300.0)}
    joined = {"lever": ("oil.p",), "axle": ("wheel.p", "bearing.p"), "s": ("oil.s", "bearing.s", "room.s")}
    system = compose("apart", parts | heat, joined, outer=("lever", "axle"))
    lin = vv.linearise(system, outputs=["lever.y", "axle.y"])
    assert_allclose(lin.A, [[-0.25]], rtol=1e-9)
    assert_allclose(lin.D, [[4.0, 0.0], [0.0, 0.0]], atol=1e-9)
    assert_allclose(lin.C @ lin.B, [[0.0, 0.0], [0.0, 0.5]], atol=1e-9)


def drive():
    return compose(
        "drive",
        {
            "battery": electric.voltage_source(24.0),
            "loop": electric.series(battery=-1),
            "coil": electric.inductor(2e-3),
            "machine": electric.motor(0.05),
            "rotor": rotation.inertia(5e-4),
            "gear": rotation.gear(20.0),
            "wheel": rotation.inertia(0.4),
        },
        {
            "drawn": ("battery.q", "loop.battery"),
            "phi": ("loop.phi", "coil.phi", "machine.phi"),
            "shaft": ("machine.p", "rotor.p", "gear.a"),
            "wheel": ("gear.b", "wheel.p"),
        },
    )


def test_masses_on_a_gear_are_one_degree_of_freedom():
    """Index 2: the gear holds two momenta together; ω² = k²/(L J), J reduced to the fast shaft."""
    lin = vv.linearise(drive(), steady=True)
    assert lin.n == 3  # charge, flux and one momentum
    J = 5e-4 + 0.4 / 20.0**2
    assert_allclose(np.abs(lin.poles()[1:]), 0.05 / np.sqrt(2e-3 * J), rtol=1e-9)
    assert lin.poles()[0] == 0


def test_what_falls_has_no_equilibrium():
    weight = storage({"q": systems.displacement}, H=lambda x, g: g * x.q, g=3.0)
    with pytest.raises(vv.AssemblyError, match=r"no equilibrium of 'osc' was found .*: 'p' still changes by -3"):
        vv.linearise(systems.oscillator(weight))


def test_a_lagrangian_has_its_frequency():
    model = vv.lagrangian("pendulum", q=("angle",), L=lambda q, v: v.angle**2 + 9.0 * np.cos(q.angle))
    lin = vv.linearise(model)
    assert_allclose(np.abs(lin.poles().imag), np.sqrt(4.5), rtol=1e-10)


def test_a_state_that_an_input_prescribes_is_none_but_an_output():
    """δ + u = 0 with δ' = w: no state is left, and y = δ = -u; y = w would be -u'."""
    one, none = np.ones((1, 1)), np.zeros((1, 1))
    found = eliminated([none, one, none], [one, none, one], np.zeros((0, 1)), [one, none, none], "held")
    assert found.A.shape == (0, 0)
    assert_allclose(found.D, -1.0)
    assert not found.improper.any()
    assert eliminated([none, one, none], [one, none, one], np.zeros((0, 1)), [none, one, none], "held").improper.all()


def test_an_input_that_is_all_of_a_row_has_no_state_space():
    one, none = np.ones((1, 1)), np.zeros((1, 1))
    with pytest.raises(vv.ModelError, match="prescribes what follows from others"):
        eliminated([none, one, none], [none, none, one], np.zeros((0, 1)), [one, none, none], "torn")


def test_a_multiplier_that_nothing_determines_is_singular():
    one, none = np.ones((1, 1)), np.zeros((1, 1))
    with pytest.raises(vv.ModelError, match="undetermined"):
        eliminated([none, one, none], [none, none, none], np.zeros((0, 1)), [one, none, none], "loose")
