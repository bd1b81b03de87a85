"""Both laws at every step of the compiled engine, for energies of every kind and steps over three decades."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from physics_systems import AIR, GASES, spring_of_gas, two_gases
from systems import damped, hard_spring, hot, oscillator
from test_compiled import own_folder  # noqa: F401 - a fixture
from test_ephs_laws import pendulum, two_bodies

import visviva as vv
from visviva.compiler import build, program
from visviva.compiler.build import energy_address
from visviva.compiler.codegen import energy_source
from visviva.compiler.laws import energy_law, symbols
from visviva.integrate.collocation import EnergyCollocation

STEPS = [1.0, 0.1, 0.01, 0.001]


def push(t):
    return 3 * np.sin(2 * t)


# by name: system, initial values, inputs, and the step [s] that a fraction of one is taken of
SYSTEMS = {
    "quadratic, damped": (damped(), {"osc.q": 1.0, "p": 0.2}, {}, 1.0),
    "quadratic, driven and heated": (hot(), {"osc.q": 1.0, "p": 0.2, "s": 0.0}, {"p": push}, 1.0),
    "pendulum, damped": (damped(pendulum()), {"osc.q": 2.5, "p": 0.2}, {}, 1.0),
    "pendulum, driven and heated": (hot(pendulum()), {"osc.q": 2.5, "p": 0.2, "s": -0.1}, {"p": push}, 1.0),
    "heat capacities": (two_bodies(), {"a": 0.3, "b": -0.2}, {}, 1.0),
    "ideal gases": (two_gases(), GASES, {}, 0.05),
}
LOSSLESS = {
    "pendulum": (oscillator(pendulum()), {"q": 2.5, "p": 0.2}, {"p": push}, 1.0),
    "hard spring": (oscillator(hard_spring()), {"q": 1.0, "p": 0.2}, {}, 1.0),
    "ideal gas": (spring_of_gas(), AIR.initial("air", "gas", 300.0, 0.02) | {"p": 0.0, "q": 0.0}, {}, 0.05),
}
SCHEMES = [vv.DiscreteGradient(), EnergyCollocation()]


def simulated(case, scheme, fraction, steps=25):
    system, start, inputs, unit = case
    h = fraction * unit
    return vv.simulate(system, t_end=steps * h, h=h, initial=start, inputs=inputs, integrator=scheme)


def check_first_law(run):
    """ΔH + heat = work at every step; with the environment's share, the same for the energy."""
    worst = run.record.closure.max() / run.energy_unit
    assert worst <= 1e-13, f"first law: a step misses {worst:.2g} of the energy scale"


def check_second_law(run):
    """No dissipation makes negative entropy in any step, and the entropy of it all does not fall."""
    record, model = run.record, run.model
    assert record.heat.min(initial=0.0) >= -1e-15 * run.energy_unit, "second law: a component destroys entropy"
    entropic = np.concatenate([np.full(part.dim, part.entropy) for part in model.reservoirs] or [np.zeros(0, bool)])
    entropy = model.entropy(record.x) + record.taken[:, entropic].sum(-1)
    assert np.diff(entropy).min() >= -1e-13 * np.abs(entropy).max(), "second law: the entropy falls"


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("fraction", STEPS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
@pytest.mark.parametrize("case", SYSTEMS.values(), ids=SYSTEMS)
def test_both_laws_hold_at_every_step(case, scheme, fraction):
    run = simulated(case, scheme, fraction)
    check_first_law(run)
    check_second_law(run)
    assert run.audit().ok


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("fraction", STEPS)
@pytest.mark.parametrize(
    "scheme", [*SCHEMES, vv.Suzuki4(vv.DiscreteGradient())], ids=lambda scheme: type(scheme).__name__
)
@pytest.mark.parametrize("case", LOSSLESS.values(), ids=LOSSLESS)
def test_energy_is_work_where_nothing_is_lost(case, scheme, fraction):
    run = simulated(case, scheme, fraction)
    check_first_law(run)
    assert_allclose(run["energy"] - run["energy"][0], run["work"], rtol=0, atol=1e-12 * run.energy_unit)


def midpoint_source(law):
    """An energy kernel that is not a discrete gradient: the slope at the mean."""
    x, ends = symbols("x", law.size), zip(symbols("a", law.size), symbols("b", law.size), strict=True)
    mean = dict(zip(x, [(a + b) / 2 for a, b in ends], strict=True))
    slopes = [slope.xreplace(mean) for slope in law.slopes]
    return energy_source(SimpleNamespace(size=law.size, width=law.width, differences=slopes))


def test_the_slope_at_the_mean_breaks_the_first_law(own_folder, monkeypatch):  # noqa: F811
    monkeypatch.setattr(build, "energy_source", midpoint_source)
    monkeypatch.setattr(program, "energy_address", energy_address.__wrapped__)  # leaves no trace for later tests
    with pytest.raises(AssertionError, match="first law"):
        check_first_law(simulated(SYSTEMS["pendulum, damped"], vv.DiscreteGradient(), 0.1))


# -- energies that users give --------------------------------------------------------------------------------------

ENERGY = ctypes.CFUNCTYPE(None, ctypes.c_int64, *6 * [ctypes.c_void_p], ctypes.c_double, ctypes.c_int64)


def compiled_secant(law, a, b, p):
    """The compiled discrete gradient between two states, and its derivative by the second."""
    e, dE = np.zeros(law.size), np.zeros((law.size, law.size))
    places = np.zeros(4, dtype=np.int64)
    arrays = [array.ctypes.data for array in (places, p, a, b, e, dE)]
    ENERGY(energy_address(law))(1, *arrays, 1.0, 1)
    return e, dE


def grown(smaller):
    """One more function, sum or product; all stay of the size of one for arguments of that size."""
    one = st.sampled_from(
        [
            lambda x: sympy.exp(x / 2),
            sympy.sin,
            sympy.cos,
            sympy.tanh,
            sympy.atan,
            lambda x: sympy.log(1 + x**2),
            lambda x: sympy.sqrt(1 + x**2),
            lambda x: x**2 / 2,
            lambda x: x**3 / 3,
            lambda x: 1 / (2 + sympy.sin(x)),
        ]
    )
    two = st.sampled_from([lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y / 2])
    return st.builds(lambda f, x: f(x), one, smaller) | st.builds(lambda f, x, y: f(x, y), two, smaller, smaller)


LEAVES = st.sampled_from([*symbols("x", 2), symbols("p", 1)[0] * symbols("x", 2)[0]])
ENERGIES = st.recursive(LEAVES, grown, max_leaves=4)
POINTS = st.lists(st.floats(-1.5, 1.5), min_size=2, max_size=2).map(np.array)


@settings(max_examples=12)  # each is a law to compile
@given(H=ENERGIES, data=st.data())
def test_any_smooth_energy_has_an_exact_and_differentiated_discrete_gradient(H, data):
    law, p = energy_law(sympy.sympify(H), 2, 1), np.array([0.7])
    for size in (1.0, 1e-3, 1e-5, 1e-8):
        a, step = data.draw(POINTS), data.draw(POINTS)
        b = a + size * step
        e, dE = compiled_secant(law, a, b, p)
        plain = law.secant(a, b, p)
        unit = 1.0 + np.abs(plain).max() + abs(law.energy(a, p))
        assert_allclose(e, plain, rtol=0, atol=1e-13 * unit)
        gain = law.energy(b, p) - law.energy(a, p)
        assert_allclose(e @ (b - a), gain, rtol=0, atol=1e-14 * unit)
        assert_allclose(e, law.gradient(0.5 * (a + b), p), rtol=0, atol=unit * (1e-13 + 10 * (size * 4) ** 2))
        delta = 1e-4 * np.eye(2)
        slopes = np.stack([(law.secant(a, b + d, p) - law.secant(a, b - d, p)) / 2e-4 for d in delta], -1)
        assert_allclose(dE, slopes, rtol=0, atol=1e-5 * (unit + np.abs(slopes).max()))
