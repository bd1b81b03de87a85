"""Functions with kinks in energies, losses, friction and inputs: each in every reading, with the kink at the start."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.language import compose, irreversible, storage
from visviva.library import thermal, translation
from visviva.library.onsager import heating
from visviva.library.quantities import displacement, entropy, momentum

FUNCTIONS = {
    "abs": np.abs,
    "power of abs": lambda q: np.abs(q) ** 1.5,
    "root of a square": lambda q: np.sqrt(q**2),
    "sign": lambda q: q**2 * np.sign(q),
    "maximum": lambda q: np.maximum(0, q) ** 1.5,
    "two of them": lambda q: np.maximum(q, 0) * np.minimum(q, 0),
    "minimum": lambda q: np.minimum(q**2, 1),
    "clip": lambda q: np.clip(q, -1, 1) * q,
    "where": lambda q: np.where(q > 0, q**2, 3 * q**2),
    "a branch without a value": lambda q: np.where(q > 0, q**3 / np.where(q > 0, q, 1.0), 0),
    "nested": lambda q: np.where(q > 1, 2 * q - 1, np.where(q < -1, -2 * q - 1, q**2)),
    "cube root": lambda q: np.cbrt(q) ** 4,
    "copysign": lambda q: np.copysign(q**2, q),
    "function of abs": lambda q: np.log1p(np.abs(q)),
    "saturating": lambda q: q / (1 + np.abs(q)),
}
EACH = pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
POINTS = (0.0, 1.0, -1.0, 0.3)
SCHEMES = (vv.DiscreteGradient(), vv.DiscreteGradient(compiled=False), vv.EnergyCollocation())


def oscillator(spring=None, outer=(), **more):
    boxes = {"spring": spring or translation.spring(1.0), "mass": translation.mass(1.0), "k": translation.kinematic()}
    junctions = {"q": ("spring.q", "k.q"), "p": ("mass.p", "k.p", *(f"{name}.p" for name in more))}
    if more:
        boxes |= more | {"env": thermal.environment()}
        junctions["s"] = (*(f"{name}.s" for name in more), "env.s")
    return compose("osc", boxes, junctions, outer)


def stored(f):
    return oscillator(storage({"q": displacement}, H=lambda x: f(x.q) + 0.05 * x.q**2))


def lossy(f):
    law = irreversible({"p": momentum, "s": entropy}, M=lambda e, theta: heating(f(e.p) ** 2 + 0.1, e.p, theta.s))
    return oscillator(loss=law)


def rubbing(f):
    m = vv.Mechanism("rubbing", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0), friction=lambda r: r * (f(r) ** 2 + 0.1))
    return m


def assert_runs(system, initial, **options):
    for scheme in SCHEMES:
        run = vv.simulate(system, t_end=1.0, h=0.05, initial=initial, integrator=scheme, **options)
        assert run.audit().ok
        assert np.isfinite(run["q"]).all()


def numbers_of(eqs, name, values):
    (rate,) = np.ravel(eqs.rates[name])
    known = {eqs.states[at][0]: value for at, value in values.items()} | {eqs.efforts["p"][0]: values["p"]}
    return float(rate.subs(known).subs(eqs.values))


@EACH
def test_energies(f):
    system = stored(f)
    for start in ({"q": 0.0, "p": 0.0}, {"q": 0.0, "p": 1.0}):
        assert_runs(system, start)
    part = vv.compile(system).storages[0]
    for a in POINTS:
        assert np.isfinite(part.dH(np.array([a]))).all()
        for b in POINTS:
            D = part.mean_effort(np.array([a]), np.array([b]))
            gained = float(part.H(np.array([b])) - part.H(np.array([a])))
            assert float(D[0] * (b - a)) == pytest.approx(gained, abs=1e-14)
    assert np.isfinite(vv.linearise(system, at={"q": 0.3, "p": 0.0}, residual_ok=True).A).all()
    eqs, graph = vv.equations(system), vv.bond_graph(system)
    assert eqs.latex()
    assert str(graph.equations())
    for q in POINTS:
        found = numbers_of(eqs, "p", {"q": q, "p": 0.0})
        assert found == pytest.approx(-float(part.dH(np.array([q]))[0]), abs=1e-14)


@EACH
def test_losses(f):
    system = lossy(f)
    assert_runs(system, {"q": 1.0, "p": 0.0})
    assert np.isfinite(vv.linearise(system, at={"q": 0.0, "p": 0.3}, residual_ok=True).A).all()
    eqs = vv.equations(system)
    assert eqs.latex()
    assert str(vv.bond_graph(system))
    for p in POINTS:
        found = numbers_of(eqs, "p", {"q": 0.2, "p": p})
        assert found == pytest.approx(-0.2 - float(p * (f(np.float64(p)) ** 2 + 0.1)), abs=1e-14)


@EACH
def test_friction_of_joints(f):
    m = rubbing(f)
    for compiled in (True, False):
        run = vv.simulate(m, t_end=0.5, h=0.05, integrator=vv.PHMP(compiled=compiled))
        assert run.audit().ok
    assert np.isfinite(vv.linearise(m).A).all()
    assert str(vv.symbols(m))
    assert str(vv.bond_graph(m))


@EACH
def test_inputs(f):
    def law(t, x, z):
        return 0.3 - 0.1 * f(x.q) - 0.1 * f(z.p)

    system = oscillator(outer=("p",))
    assert_runs(system, {"q": 0.0, "p": 0.0}, inputs={"p": law})
    lin = vv.linearise(system, at={"q": 0.3, "p": 0.2}, operating={"p": law}, residual_ok=True)
    assert np.isfinite(lin.A).all()


def test_what_rests_on_a_kink_is_accounted_for():
    """The force jumps there, from 0 to 1; what is left of it is rounding."""
    run = vv.simulate(stored(lambda q: np.maximum(0, q)), t_end=1.0, h=0.05, initial={"q": 0.0, "p": 0.0})
    assert run.audit().ok
    assert np.abs(run["q"]).max() < 1e-15
