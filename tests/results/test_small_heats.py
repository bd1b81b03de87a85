"""Heats that are small beside c θ: accounted for to rounding of themselves."""

from __future__ import annotations

import ctypes

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.compiler.build import gradient_address
from visviva.compiler.laws import energy_law, symbols
from visviva.language import compose, storage
from visviva.library import thermal, translation
from visviva.library.quantities import entropy

C, THETA = 1e3, 300.0  # c θ = 3e5 J
SPEEDS = {"1e-7 of c θ": 0.2, "1e-12": 1e-3, "1e-16": 1e-5}
SCHEMES = {
    "midpoint": vv.DiscreteGradient(),
    "midpoint in NumPy": vv.DiscreteGradient(compiled=False),
    "collocation": vv.EnergyCollocation(),
    "steps of any length": vv.Adaptive(vv.DiscreteGradient()),
}
BODIES = {
    "of the library": thermal.capacity(C),
    "by hand": storage({"s": entropy}, H=lambda x, c, hot: c * hot * np.exp(x.s / c), c=C, hot=THETA),
}


def brake(body):
    """A mass that is braked, and the body that takes the heat, with a wall to the environment."""
    boxes = {
        "mass": translation.mass(1.0), "brake": translation.damper(0.5), "body": body,
        "wall": thermal.conduction(1.0), "env": thermal.environment(THETA),
    }  # fmt: skip
    junctions = {"p": ("mass.p", "brake.p"), "s": ("brake.s", "body.s", "wall.s1"), "s_env": ("wall.s2", "env.s")}
    return compose("brake", boxes, junctions)


@pytest.mark.parametrize("speed", SPEEDS.values(), ids=SPEEDS)
@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_small_heat_is_closed_relative_to_itself(body, scheme, speed):
    run = vv.simulate(brake(body), t_end=5.0, h=0.1, initial={"p": speed, "s": 0.0}, integrator=scheme)
    audit = run.audit()
    assert audit.ok
    assert audit.unit == pytest.approx(speed**2 / 2, rel=1e-2)  # of what is there, not of what c θ rounds to
    assert audit.first_law < 1e-14
    assert abs(sum(part.energy_in for part in audit.components.values())) < 1e-14 * speed**2
    warm, lost = audit.components["body"], -audit.components["mass"].energy_in
    assert warm.energy_in == pytest.approx(lost - audit.components["s_env"].energy_in, rel=1e-13)
    assert warm.energy_in == pytest.approx(THETA * float(run["s"][-1, 0]), rel=1e-6)


def test_powers_of_small_heats_are_as_exact():
    run = vv.simulate(brake(BODIES["by hand"]), t_end=5.0, h=0.1, initial={"p": 1e-3, "s": 0.0})
    assert_allclose(run["body.s.power"] + run["wall.s.power"] + run["brake.s.power"], 0.0, atol=1e-20)


def test_the_energy_of_a_capacity_counts_from_its_reference():
    run = vv.simulate(brake(BODIES["of the library"]), t_end=5.0, h=0.1, initial={"p": 1e-3, "s": 0.0})
    assert run["energy.body"][0] == 0.0
    assert run["energy.body"][-1] == pytest.approx(run.audit().components["body"].energy_in, rel=1e-14)
    total = run["energy"] + THETA * run["s_env"][:, 0]
    assert_allclose(total, total[0], rtol=1e-15)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("s0", [0.0, 40.0])
def test_changes_of_energy_have_no_cancellation(body, s0):
    """To rounding of θ Δs, with s as it is known."""
    (part,) = vv.compile(brake(body)).storages[1:]
    for ds in (1e-12, 1e-6, 3.0):
        s1 = s0 + ds
        found, size = part.change(np.array([s0]), np.array([s1]))
        with mpmath.workdps(50):
            a, b = mpmath.mpf(s0), mpmath.mpf(s1)
            exact = C * THETA * (mpmath.exp(b / C) - mpmath.exp(a / C)) - THETA * (b - a)
            heat = float(THETA * (b - a))
            assert abs(float(found - exact)) < 4e-16 * heat
        assert size <= heat


def test_what_has_no_zero_counts_from_the_start_in_any_energy():
    """A weight far up, and an energy with a large constant."""
    far = storage({"q": translation.displacement}, H=lambda x: 1e9 + 9.81 * x.q)
    boxes = {"weight": far, "mass": translation.mass(1.0), "k": translation.kinematic()}
    system = compose("fall", boxes, {"q": ("weight.q", "k.q"), "p": ("mass.p", "k.p")})
    audit = vv.simulate(system, t_end=1.0, h=0.1, initial={"q": 0.0, "p": 0.0}).audit()
    assert audit.ok
    assert audit.first_law < 1e-14
    assert audit.unit < 200.0


@pytest.mark.parametrize(("name", "exact"), [("expm1", mpmath.expm1), ("log1p", lambda x: mpmath.log(1 + x))])
def test_functions_near_zero_keep_their_digits(name, exact):
    """As numbers in NumPy and compiled, as gradients, and as divided differences."""
    function = getattr(np, name)
    box = storage({"q": translation.displacement}, H=lambda x: function(x.q))
    value = box.H.values.item().xreplace(dict(zip(box.H.states["q"], symbols("x", 1), strict=True)))
    law, none = energy_law(value, 1, 0), np.zeros(0)
    for x in (1e-12, -1e-9, 0.3):
        with mpmath.workdps(40):
            wanted = float(exact(mpmath.mpf(x)))
        assert_allclose(law.energy(np.array([x]), none), wanted, rtol=4e-16)
        assert_allclose(compiled_energy(law, x), wanted, rtol=4e-16)
        assert_allclose(law.secant(np.array([0.0]), np.array([x]), none) * x, wanted, rtol=4e-16)


def compiled_energy(law, x):
    """H by the function that compiled code calls: (n, T, P, xa, xb, e, dE, scale, mode)."""
    places, e = np.zeros(4, dtype=np.int64), np.zeros(1)
    array, number = ctypes.c_void_p, ctypes.c_int64
    call = ctypes.CFUNCTYPE(None, number, *[array] * 6, ctypes.c_double, number)(gradient_address(law))
    at, nothing = np.array([x]), np.zeros(1)
    arrays = (places, nothing, at, at, e, nothing)
    call(1, *(one.ctypes.data for one in arrays), 1.0, 2)
    return e[0]


def test_equations_show_what_is_meant():
    eqs = vv.equations(brake(BODIES["of the library"]))
    assert "exp(s/c" in str(eqs)
    text = str(thermal.capacity(C).H.values.item())
    assert text == "c*theta_ref*(exp(s/c) - 1)"
