"""The unit in which balances are judged is that of the terms that are added and subtracted, not of their sum."""

import dataclasses

import numpy as np
import pytest

import visviva as vv
from visviva.results import Run
from visviva.results.accounts import Accounts
from visviva.results.rounding import EPS, ROUNDINGS

DIRECTION = np.array([0.36, 0.48, 0.8])


def mass_on_spring(amplitude, k=1.0, origin=0.0, mass=1.0):
    """A particle on a spring of length 1, drawn out by a small part of it; its ends are near `origin` [m]."""
    m = vv.Mechanism("mass on a spring")
    at = origin * np.array([1.0, 0.3, -0.2])
    end = at + (1.0 + amplitude) * DIRECTION
    p = m.particle("p", mass=mass, at=end)
    m.spring("spring", m.ground, p, k=k, length=1.0, at_a=at, at_b=end)
    return m, 0.1 * float(np.sqrt(mass / k))


def two_springs_on_a_hinge(amplitude):
    """A rod between two stiff springs that nearly balance each other."""
    m = vv.Mechanism("rod", gravity=(0, 0, -9.81))
    rod = m.body("rod", mass=2.0, inertia=(0.01, 0.2, 0.2), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), rate=amplitude)
    for name, z in (("above", 1.0), ("below", -1.0)):
        m.spring(name, m.ground, rod, k=1e6, length=0.7, at_a=(1, 0, z), at_b=(1, 0, 0))
    return m, 1e-4


def heavy_beside_light():
    """A ton of ore hangs beside a milligram that vibrates by a micrometre."""
    m = vv.Mechanism("heavy beside light", gravity=(0, 0, -9.81))
    ore = m.body("ore", mass=1e3, inertia=(100.0, 100.0, 100.0), at=(0, 0, -2))
    m.spherical("rope", m.ground, ore, at=(0, 0, 0))
    grain = m.particle("grain", mass=1e-6, at=(1.0 + 1e-6, 0, 0))
    m.spring("hair", ore, grain, k=1e-3, length=0.5)
    return m, 1e-3


SCHEMES = [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.PHMP(compiled=False)]


@pytest.mark.parametrize("scheme", SCHEMES, ids=["PHMP", "PHMPGGL", "LieMidpoint", "PHMP in NumPy"])
@pytest.mark.parametrize("origin", [0.0, 1e6])
@pytest.mark.parametrize("amplitude", [1e-3, 1e-6, 1e-9])
def test_small_vibrations_are_closed_and_their_steps_are_whole(amplitude, origin, scheme):
    m, h = mass_on_spring(amplitude, k=1e6, origin=origin)
    run = vv.simulate(m, t_end=40 * h, h=h, integrator=scheme)
    audit = run.audit()
    assert audit.ok
    assert audit.roundings < 0.25 * ROUNDINGS
    assert not [note for note in run.notes if "divided" in note]


def test_rounding_of_a_small_vibration_is_that_of_its_length():
    """½ k (l - l₀)² rounds like ε k l |l - l₀|: 4e-7 of itself at 1e-9 of the length."""
    m, h = mass_on_spring(1e-9)
    audit = vv.simulate(m, t_end=40 * h, h=h).audit()
    energy = 0.5 * (1e-9) ** 2
    assert 2 * EPS / 1e-9 < audit.rounding / energy < 10 * EPS / 1e-9


@pytest.mark.parametrize("rate", [1e-3, 1e-7])
def test_stiff_springs_that_balance_each_other_are_closed(rate):
    m, h = two_springs_on_a_hinge(rate)
    assert vv.simulate(m, t_end=200 * h, h=h).audit().ok


def test_heavy_beside_light_is_closed():
    m, h = heavy_beside_light()
    assert vv.simulate(m, t_end=200 * h, h=h).audit().ok


def with_defect(run, roundings):
    """The run, its last step with so many roundings of energy too much: its first mover goes a little faster."""
    model, record = run.model, run.record
    x, at = record.x.copy(), model.layout.x[next(iter(model.kinetic))]
    part = model.kinetic[next(iter(model.kinetic))]
    v = x[-1, at]
    v *= np.sqrt(1.0 + roundings * run.rounding / part.H(v))
    last = slice(-1, None)
    columns = Accounts(model, x[0]).of(
        x[-2:], record.u[-2:], record.taken[-2:], record.heat[last], record.work[last],
        record.u_mid[last] * record.h[last, None], record.w_mid[last], record.h[last],
    )  # fmt: skip
    closure = record.closure.copy()
    closure[last] = columns["closure"]
    return Run(model, dataclasses.replace(record, x=x, closure=closure), run.final, run.integrator, ())


@pytest.mark.parametrize(
    "build",
    [
        lambda: mass_on_spring(1e-9),
        lambda: mass_on_spring(1e-6, k=1e6, origin=1e6),
        lambda: mass_on_spring(0.1),
        lambda: two_springs_on_a_hinge(1e-3),
        heavy_beside_light,
    ],
    ids=["1e-9 of a length", "far away", "large", "stiff", "heavy beside light"],
)
def test_a_defect_of_a_hundred_roundings_is_caught(build):
    m, h = build()
    run = vv.simulate(m, t_end=20 * h, h=h)
    assert with_defect(run, 10.0).audit().ok
    audit = with_defect(run, 100.0).audit()
    assert not audit.ok
    assert "NOT CLOSED" in str(audit)


def test_a_step_that_misses_a_thousand_roundings_is_no_solution(monkeypatch):
    """Also where so little moves that they are nothing beside the energies stored."""
    from visviva.integrate.stepping import Stepping

    m, h = mass_on_spring(1e-6)
    stepping = vv.PHMP(compiled=False)
    original = Stepping._solve

    def wrong(self, state, h, u):
        step, active = original(self, state, h, u)
        return dataclasses.replace(step, work=np.append(step.work, 1e5 * EPS * 1e-6)), active

    monkeypatch.setattr(Stepping, "_solve", wrong)
    with pytest.raises(vv.ConvergenceError, match="balance of energy is off"):
        vv.simulate(m, t_end=4 * h, h=h, integrator=stepping)


@pytest.mark.parametrize("scheme", SCHEMES, ids=["PHMP", "PHMPGGL", "LieMidpoint", "PHMP in NumPy"])
@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("axis", [(0.6, 0, -0.8), (0.36, 0.48, 0.8)])
def test_a_block_that_slides_at_its_centre_of_mass_is_closed(axis, friction, scheme):
    """Nothing turns it, so that its moments are rounding alone; they must not stop Newton's method."""
    m = vv.Mechanism("block", gravity=(0, 0, -9.81))
    block = m.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
    m.prismatic("slide", m.ground, block, at=(0, 0, 0), axis=axis, friction=friction)
    audit = vv.simulate(m, t_end=1.0, h=0.01, integrator=scheme).audit()
    assert audit.ok
    assert audit.roundings < 2.0


def test_couplings_far_from_the_origin_are_solved():
    """Rates of a lead have derivatives by differences: their lengths are those of what they differ in."""
    m, at = vv.Mechanism("far screw", gravity=(0, 0, -9.81)), np.array([0.6, 1e6, -3e5])
    block = m.body("block", mass=1.0, inertia=(0.1, 0.15, 0.2), at=at)
    m.screw("screw", m.ground, block, at=at, axis=(0.6, 0, -0.8), pitch=0.1)
    near, origin = vv.Mechanism("near screw", gravity=(0, 0, -9.81)), np.zeros(3)
    nut = near.body("block", mass=1.0, inertia=(0.1, 0.15, 0.2), at=origin)
    near.screw("screw", near.ground, nut, at=origin, axis=(0.6, 0, -0.8), pitch=0.1)
    scheme = vv.PHMPGGL(compiled=False)
    runs = [vv.simulate(each, t_end=0.05, h=0.01, integrator=scheme) for each in (m, near)]
    assert all(run.audit().ok for run in runs)
    np.testing.assert_allclose(runs[0]["screw.q"], runs[1]["screw.q"], rtol=0, atol=1e-8)


def test_an_energy_that_is_a_sum_rounds_as_its_terms_do():
    """1 - cos(q) at small angles, in small units: drawn at random, and called NOT CLOSED."""
    from visviva.testing import check_mechanism, random_mechanism

    check_mechanism(random_mechanism(8168), compare=False)
    m = vv.Mechanism("pendulum of a torsion")
    body = m.body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("hinge", m.ground, body, at=(0, 0, 0), axis="z")
    m.torsion("spring", "hinge", energy=lambda q: 5.0 * (1 - np.cos(q)))
    audit = vv.simulate(m, t_end=1.0, h=0.01, initial={"hinge.q": 1e-7}).audit()
    assert audit.ok
    assert audit.roundings < 2.0
    assert audit.rounding == pytest.approx(EPS * 10.0, rel=0.1)
