"""Both laws over kinks: energies and laws with abs, max, min, clip and where, in every engine."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from systems import coupling, mass
from test_engine_laws import compiled_secant

import visviva as vv
from visviva.compiler.laws import canonical, energy_law, symbols
from visviva.language import Quantity, compose, storage
from visviva.language.slopes import slope
from visviva.language.tangents import numeric_tangents, tangents
from visviva.language.trace import Traced, expressions

# of two variables, with the places of their kinks in the first one
ENERGIES = {
    "abs": (lambda x, y: np.abs(x), (0.0,)),
    "cube": (lambda x, y: abs(x) ** 3 + y**2 / 2, (0.0,)),
    "root": (lambda x, y: abs(x) ** 1.5, (0.0,)),
    "exponent that is no fraction": (lambda x, y: abs(x) ** 1.3, (0.0,)),
    "one side": (lambda x, y: np.maximum(0, x - 1) ** 2 / 2, (1.0,)),
    "contact": (lambda x, y: np.maximum(0, x - 0.1) ** 1.5, (0.1,)),
    "saturated": (lambda x, y: x * np.clip(x, -0.5, 0.5) - 0.5 * np.clip(x, -0.5, 0.5) ** 2, (-0.5, 0.5)),
    "two stiffnesses": (lambda x, y: np.where(x > 0, 2 * x**2, x**2), (0.0,)),
    "a root on one side": (lambda x, y: np.where(x > 0, x**1.5, 0), (0.0,)),
    "decimals": (lambda x, y: np.where(x > 0.1, 100 * x**2, 20.0 * x - 1.0), (0.1,)),
    "three branches": (lambda x, y: np.where(x > 1, 2 * x - 1, np.where(x > 0, x**2, 0)), (0.0, 1.0)),
    "odd": (lambda x, y: x**2 * np.sign(x), (0.0,)),
    "rope": (lambda x, y: np.maximum(0, np.sqrt(x**2 + y**2) - 1) ** 2, (0.9539392014169456,)),
    "across a line": (lambda x, y: np.where(x + y > 0, (x + y) * x, 0), (-0.3,)),
    "across a circle": (lambda x, y: np.where(x**2 + y**2 > 1, (x**2 + y**2) * y, y), (0.9539392014169456,)),
    "the larger of two": (lambda x, y: np.maximum(x * y, np.sin(x)), (0.0,)),
    "functions of kinks": (lambda x, y: np.sin(np.abs(x)) * np.exp(np.maximum(x, y)), (0.0, 0.3)),
}


def law_of(name):
    value = expressions(ENERGIES[name][0](*map(Traced, symbols("x", 2))), "H").item()
    (value,), numbers = canonical([value], {}, [])
    return energy_law(value, 2, len(numbers)), np.array(numbers)


def ends(kinks, size):
    """Steps over a kink, beside it, from it, to it, and none at all."""
    rng = np.random.default_rng(0)
    a, b = (0.3 * np.eye(2)[1] + size * rng.uniform(-1.0, 1.0, (len(kinks), 24, 2)) for _ in range(2))
    for each in (a, b):
        each[..., 0] += np.array(kinks)[:, None]
    a[:, :4, 0] = b[:, 4:8, 0] = np.array(kinks)[:, None]
    b[:, 8:10] = a[:, 8:10]
    b[:, 3] = a[:, 3]
    return a.reshape(-1, 2), b.reshape(-1, 2)


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("name", ENERGIES)
def test_the_discrete_gradient_is_exact_over_a_kink(name, size):
    law, p = law_of(name)
    a, b = ends(ENERGIES[name][1], size)
    D = law.secant(a, b, p)
    H = law.energy(a, p), law.energy(b, p)
    unit = 1.0 + np.abs(H).max()
    assert np.isfinite(D).all()
    assert np.isfinite(law.gradient(a, p)).all()
    assert_allclose((D * (b - a)).sum(-1), H[1] - H[0], rtol=0, atol=2e-15 * unit)


TIES = [name for name in ENERGIES if name not in ("the larger of two", "across a circle", "rope")]  # kinks in x alone


@pytest.mark.parametrize("name", TIES)
def test_between_equal_ends_on_a_kink_it_is_the_gradient(name):
    """The slope of the branch that holds there, as documented, and not a mean of both."""
    law, p = law_of(name)
    for kink in ENERGIES[name][1]:
        at = np.array([kink, -kink if name == "across a line" else 0.3])
        assert_allclose(law.secant(at, at, p), law.gradient(at, p), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", ["root", "saturated", "two stiffnesses", "across a line", "odd", "rope"])
def test_compiled_differences_are_the_same_and_their_derivatives_are_exact(name):
    law, p = law_of(name)
    for size in (1.0, 1e-3):
        for a, b in zip(*ends(ENERGIES[name][1], size), strict=True):
            e, dE = compiled_secant(law, a, b, p)
            assert_allclose(e, law.secant(a, b, p), rtol=1e-13, atol=1e-13)
            assert np.isfinite(dE).all()
    a, b = np.array([ENERGIES[name][1][0] - 0.4, 0.3]), np.array([ENERGIES[name][1][0] + 0.7, 0.35])
    _, dE = compiled_secant(law, a, b, p)
    d = 1e-5 * np.eye(2)
    slopes = np.stack([(law.secant(a, b + each, p) - law.secant(a, b - each, p)) / 2e-5 for each in d], -1)
    assert_allclose(dE, slopes, rtol=0, atol=1e-8 * (1 + np.abs(slopes).max()))


def test_the_slope_at_the_mean_is_not():
    law, p = law_of("two stiffnesses")
    a, b = np.array([-0.3, 0.0]), np.array([0.5, 0.0])
    assert abs(law.gradient((a + b) / 2, p) @ (b - a) - (law.energy(b, p) - law.energy(a, p))) > 0.01


# -- where powers begin ----------------------------------------------------------------------------------------------

AT_ZERO = {  # energies whose gradient is zero at zero
    "downwards": lambda x: (-x) ** 1.5,
    "downwards, no fraction": lambda x: (-x) ** 1.3,
    "abs": lambda x: abs(x) ** 1.5,
    "abs, no fraction": lambda x: abs(x) ** 1.3,
    "odd": lambda x: x * abs(x) ** 0.3,
    "odd root": lambda x: x * np.sqrt(abs(x)),
    "max": lambda x: np.maximum(x, 0) ** 1.5,
    "min": lambda x: (-np.minimum(x, 0)) ** 1.5,
    "product with a root": lambda x: x * np.sqrt(np.maximum(x, 0)),
    "root of a square": lambda x: np.sqrt(x**2),
    "norm": lambda x: np.sqrt(x**2 + x**4),
    "power of a norm": lambda x: (x**2 + x**4) ** 0.6,
    "chord": lambda x: np.sqrt(1 - np.cos(x)),
    "where": lambda x: np.where(x > 0, x**1.5, 0),
    "sign": lambda x: np.sign(x) * abs(x) ** 1.3,
}


@pytest.mark.parametrize("name", AT_ZERO)
def test_gradients_differences_and_tangents_are_zero_where_powers_begin(name):
    given = expressions(AT_ZERO[name](Traced(symbols("x", 1)[0])), "H").item()
    (value,), numbers = canonical([given], {}, [])
    law, p, zero = energy_law(value, 1, len(numbers)), np.array(numbers), np.zeros(1)
    assert_allclose(law.gradient(zero, p), 0.0, atol=0)
    assert_allclose(law.secant(zero, zero, p), 0.0, atol=0)
    e, dE = compiled_secant(law, zero, zero, p)
    assert_allclose(e, 0.0, atol=0)
    assert np.isfinite(dE).all()
    x, v = sympy.symbols("x0 v", real=True)
    assert_allclose(numeric_tangents(tangents([given, 2 * given], {x: v}), [x, v])(np.array([0.0, 3.0])), 0.0, atol=0)
    with np.errstate(all="ignore"):  # of the branch that is not taken
        assert sympy.lambdify([x], slope(given, x), modules="numpy")(np.float64(0.0)) == 0.0
    assert sympy.lambdify([x], slope(given, x), modules="math")(0.0) == 0.0


@pytest.mark.parametrize("name", AT_ZERO)
def test_slopes_in_c_are_zero_where_powers_begin(name, tmp_path):
    given = expressions(AT_ZERO[name](Traced(symbols("x", 1)[0])), "H").item()
    found = in_c(slope(given, symbols("x", 1)[0]), tmp_path)
    assert found(0.0) == 0.0


def in_c(expr, folder):
    """A function of x0 as a C compiler makes it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = folder / "f.c", folder / "f.so"
    source.write_text(f"#include <math.h>\ndouble f(double x0) {{ return {sympy.ccode(expr)}; }}\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    function = ctypes.CDLL(str(library)).f
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return function


@pytest.mark.parametrize("H", [lambda x: 1 / abs(x), lambda x: np.log(abs(x)), lambda x: np.log(x**2)])
def test_no_step_passes_a_pole_of_two_sides(H):
    law = energy_law(expressions(H(Traced(symbols("x", 1)[0])), "H").item(), 1, 0)
    one, p = np.ones(1), np.zeros(0)
    assert np.isnan(law.secant(-one, 2 * one, p)).all()
    assert_allclose(law.secant(one, 2 * one, p), law.energy(2 * one, p) - law.energy(one, p), rtol=1e-14)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("H", [lambda x: x.q**1.5, lambda x: np.log(x.q), lambda x: 1 / abs(x.q - 1) + 1 / (x.q + 1)])
def test_a_start_outside_the_domain_is_refused_by_name(H, compiled):
    scheme = vv.DiscreteGradient(compiled=compiled)
    with pytest.raises(vv.ModelError, match=r"(?s)energy 'pe' of 'osc' has no finite value .* q = .*inside the domain"):
        vv.simulate(oscillator(H), t_end=1.0, h=0.1, initial={"q": -1.0, "p": 0.0}, integrator=scheme)


# -- runs ------------------------------------------------------------------------------------------------------------

POTENTIALS = {
    "abs": lambda x: np.abs(x.q),
    "cube": lambda x: abs(x.q) ** 3,
    "root": lambda x: 3 * abs(x.q) ** 1.5,
    "one side": lambda x: 50 * np.maximum(0, x.q - 1) ** 2 + 0.05 * x.q**2,
    "saturated": lambda x: x.q * np.clip(x.q, -0.2, 0.2) - 0.5 * np.clip(x.q, -0.2, 0.2) ** 2,
    "two stiffnesses": lambda x: np.where(x.q > 0, 0.5 * x.q**2, 50 * x.q**2),
}


def oscillator(H):
    boxes = {"pe": storage({"q": Quantity("R", "displacement")}, H=H), "ke": mass(), "pkc": coupling()}
    return compose("osc", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}, outer=("p",))


@pytest.mark.parametrize("start", [1.3, 0.0], ids=["beside the kink", "at a kink"])
@pytest.mark.parametrize("name", POTENTIALS)
def test_energy_is_kept_by_runs_that_cross_the_kink_many_times(name, start):
    initial = {"q": start, "p": 1.0 if start == 0 else 0.0}
    run = vv.simulate(oscillator(POTENTIALS[name]), t_end=100.0, h=0.05, initial=initial)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law < 2e-15
    assert not run.notes
    crossings = np.count_nonzero(np.diff(np.sign(np.ravel(run["q"]) - (name == "one side"))))
    assert crossings >= 10


@pytest.mark.parametrize("name", ["abs", "two stiffnesses"])
def test_compiled_runs_are_those_of_numpy(name):
    both = [
        vv.simulate(oscillator(POTENTIALS[name]), t_end=2.0, h=0.05, initial={"q": 0.3, "p": 0.5}, integrator=scheme)
        for scheme in (vv.DiscreteGradient(), vv.DiscreteGradient(compiled=False))
    ]
    assert_allclose(both[0]["q"], both[1]["q"], atol=1e-12)


def test_where_a_force_jumps_the_steps_that_need_it_are_divided_and_the_balance_holds():
    """A minimum at a kink, where the resting force is anything between both slopes."""
    system = vv.lagrangian(
        "detent", q=("x",), M=[1.0], V=lambda q: abs(q.x) - 0.3 * q.x, damping=[0.2], q0=[1.0], v0=[0.0]
    )
    run = vv.simulate(system, t_end=60.0, h=0.1)
    assert run.audit().ok
    assert abs(run["q"][-1, 0]) < 1e-2


def arm(**options):
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), **options)
    return m


def hanging(energy):
    m = vv.Mechanism(gravity=(0, 0, -9.81))
    m.body("ball", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(1.2, 0, 0), twist=(0.1, 0.2, 0, 0, 0.3, 0))
    m.spring("rope", m.ground, "ball", at_a=(0, 0, 0), at_b=(1.2, 0.1, 0), energy=energy)
    return m


MECHANISMS = {
    "rope": lambda: hanging(lambda l: 500 * np.maximum(0, l - 1) ** 2),
    "rope of two stiffnesses": lambda: hanging(lambda l: np.where(l > 1, 200 * (l - 1) ** 2, 20 * (l - 1) ** 2)),
    "one-sided torsion": lambda: arm(potential=lambda a: 200 * np.maximum(0, a - 0.3) ** 2),
    "detent": lambda: arm(potential=lambda a: 5 * abs(a - 1) ** 1.5),
    "dry friction": lambda: arm(friction=lambda rate: 0.4 * np.clip(rate / 0.05, -1, 1)),
    "drag": lambda: arm(friction=lambda rate: 0.3 * rate**2 * np.sign(rate)),
    "friction of two senses": lambda: arm(friction=lambda rate: np.where(rate > 0, 0.5 * rate, 0.1 * rate)),
}


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.LieMidpoint()], ids=["PHMP", "LieMidpoint"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_keep_both_laws(name, integrator):
    run = vv.simulate(MECHANISMS[name](), t_end=4.0, h=0.01, integrator=integrator)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law < 5e-15
    assert audit.second_law >= 0
    assert not run.notes


@pytest.mark.parametrize("compiled", [True, False])
def test_a_saturated_controller_takes_part_in_the_balance(compiled):
    laws = {
        "clip": lambda t, x, z: np.clip(-3 * z.p, -0.2, 0.2),
        "larger": lambda t, x, z: np.maximum(-z.p, -0.1),
        "cases": lambda t, x, z: np.where(z.p > 0, -z.p, -0.1 * z.p),
        "from a time on": lambda t, x, z: np.where(t > 0.5, -z.p, 0),
    }
    for law in laws.values():
        run = vv.simulate(
            oscillator(lambda x: x.q**2), t_end=2.0, h=0.05, initial={"q": 1.0, "p": 0.0}, inputs={"p": law},
            integrator=vv.DiscreteGradient(compiled=compiled),
        )  # fmt: skip
        assert run.audit().first_law < 1e-15
        assert run.audit().ok


# -- jumps are refused where they are given --------------------------------------------------------------------------


def lagrangian(**options):
    return vv.lagrangian("ball", q=("x", "y"), **{"M": [1.0, 1.0], "V": lambda q: q.x**2 + q.y**2} | options)


def kane(**options):
    return vv.kane("ball", q=("x",), bodies={"b": vv.KaneBody(mass=1.0, v=lambda xi: [xi.x_dot, 0])}, **options)


def driven(**options):
    m = arm()
    m.drive("crank", "hinge", **options)


def bound(g):
    m = vv.Mechanism()
    p = m.particle("p", mass=1.0, at=(0.3, 0, 0.3))
    m.constraint("track", (p,), g=g)


def fed(law):
    vv.simulate(oscillator(lambda x: x.q**2), t_end=1.0, h=0.1, initial={"q": 1.0, "p": 0.0}, inputs={"p": law})


JUMPS = {
    "spring": (lambda: hanging(lambda l: np.where(l > 1, l**2, 0)), "energy of spring 'rope' jumps at l = 1: it is 0"),
    "potential": (
        lambda: arm(potential=np.sign),
        "of joint 'hinge' jumps at angle = 0: it is -1 before and 1",
    ),
    "friction": (
        lambda: arm(friction=lambda r: 0.3 * np.sign(r)),
        r"(?s)'hinge' jumps at rate = 0.*coulomb\(level",
    ),
    "V": (lambda: lagrangian(V=lambda q: np.sign(q.x)), "V of 'ball' jumps at x = 0"),
    "momentum": (
        lambda: lagrangian(M=None, V=None, L=lambda q, v: v.x**2 + v.y**2 + abs(v.x)),
        "a momentum ∂L/∂v of 'ball' jumps at v_x = 0",
    ),
    "damping": (
        lambda: lagrangian(damping=lambda q, v: [np.where(v.x > 1, 1.0, 2.0), 1.0]),
        "the force of damping 'damping' of 'ball' jumps at v_x = 1: it is 2 before and 1",
    ),
    "Kane's potential": (lambda: kane(V=lambda q: np.sign(q.x)), "potential energy V of 'ball' jumps at x = 0"),
    "Kane's force": (lambda: kane(tau={"x_dot": lambda xi: -np.sign(xi.x_dot)}), "force of 'ball' jumps at x_dot = 0"),
    "drive": (
        lambda: driven(position=lambda t: np.where(t > 0.5, 1.0, 0.0)),
        "the position of drive 'crank' jumps at t = 0.5: it is 0 before and 1 after",
    ),
    "constraint": (lambda: bound(lambda p: p.r[2] - np.where(p.r[0] > 0, 0.3, 0)), r"'track' jumps at p.r\[0\] = 0"),
    "feedback": (
        lambda: fed(lambda t, x, z: -np.sign(z.p)),
        r"port 'p' jumps at z\[\"p\"\] = 0: it is 1 before",
    ),
}


STEEP = {
    "storage": (
        lambda: oscillator(lambda x: abs(x.q) ** 0.5),
        "the energy H of a storage has an unbounded slope at q = 0",
    ),
    "spring": (lambda: hanging(lambda l: abs(l - 1) ** 0.5), "energy of spring 'rope' has an unbounded slope at l = 1"),
    "potential": (
        lambda: arm(potential=lambda a: abs(a) ** 0.5),
        "of joint 'hinge' has an unbounded slope at angle = 0",
    ),
    "friction": (
        lambda: arm(friction=lambda r: np.sign(r) * abs(r) ** 0.5),
        "(?s)'hinge' has an unbounded slope at rate = 0.*v_reg",
    ),
    "V": (lambda: lagrangian(V=lambda q: abs(q.x) ** 0.5), "V of 'ball' has an unbounded slope at x = 0"),
    "L": (
        lambda: lagrangian(M=None, V=None, L=lambda q, v: v.x**2 + v.y**2 - abs(q.x) ** 0.5),
        "L of 'ball' has an unbounded slope at x = 0",
    ),
    "damping": (
        lambda: lagrangian(damping=lambda q, v: [abs(v.x) ** -0.5, 1.0]),
        "the force of damping 'damping' of 'ball' has an unbounded slope at v_x = 0",
    ),
    "Kane's potential": (lambda: kane(V=lambda q: abs(q.x) ** 0.5), "V of 'ball' has an unbounded slope at x = 0"),
    "drive": (
        lambda: driven(position=lambda t: abs(t - 1) ** 0.5),
        "the position of drive 'crank' has an unbounded slope at t = 1",
    ),
    "constraint": (
        lambda: bound(lambda p: p.r[2] - abs(p.r[0]) ** 0.5),
        r"'track' has an unbounded slope at p.r\[0\] = 0",
    ),
    "feedback": (
        lambda: fed(lambda t, x, z: -np.sign(z.p) * abs(z.p) ** 0.5),
        r"port 'p' has an unbounded slope at z\[\"p\"\] = 0",
    ),
}


@pytest.mark.parametrize("name", STEEP)
def test_what_has_an_unbounded_slope_is_refused_by_name(name):
    make, message = STEEP[name]
    with pytest.raises(vv.ModelError, match=message):
        make()


@pytest.mark.parametrize("name", JUMPS)
def test_what_jumps_is_refused_by_name(name):
    make, message = JUMPS[name]
    with pytest.raises(vv.ModelError, match=message):
        make()


def test_a_damper_may_have_two_coefficients():
    """Its matrix jumps at rest, its force does not."""
    lagrangian(damping=lambda q, v: [np.where(v.x > 0, 1.0, 2.0), 1.0])
