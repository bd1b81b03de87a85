"""What every spring and damper keeps, in every scheme and at any step size: energy, momentum, and a heat >= 0."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from spring_models import CONSERVATIVE, DAMPED, SPRINGS, spring

import visviva as vv
from visviva.compiler import FORMS, compile_mechanism, initial_x
from visviva.testing import check_model

SCHEMES = {
    "PHMP": vv.PHMP(compiled=False),
    "PHMPGGL": vv.PHMPGGL(),
    "DiscreteGradient": vv.DiscreteGradient(compiled=False),
}
NUMPY = SCHEMES["PHMP"]
ROUNDING = 1e-14  # of the unit of energy, per step


def closure(run):
    return run.record.closure.max() / run.energy_unit


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", CONSERVATIVE)
@pytest.mark.parametrize("h", [0.05, 0.004])
def test_springs_keep_energy_and_momentum(name, scheme, h):
    run = vv.simulate(CONSERVATIVE[name](), t_end=8 * h, h=h, integrator=SCHEMES[scheme])
    assert closure(run) <= ROUNDING
    assert_allclose(run["momentum"], run["momentum"][:1] + 0 * run["momentum"], atol=1e-14)
    assert run["heat"][-1] == 0


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", DAMPED)
@pytest.mark.parametrize("h", [0.05, 0.004])
def test_dampers_turn_energy_into_heat_and_nothing_else(name, scheme, h):
    run = vv.simulate(DAMPED[name](), t_end=8 * h, h=h, integrator=SCHEMES[scheme])
    assert closure(run) <= ROUNDING
    assert_allclose(run["momentum"], run["momentum"][:1] + 0 * run["momentum"], atol=1e-14)
    assert (np.diff(run["heat"]) > 0).all()
    assert_allclose(run["energy"] + run["heat"], run["energy"][0], rtol=1e-13)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["linear spring", "torsion", "damped bushing"])
def test_powers_of_springs_balance_where_they_meet(name, scheme):
    """`run.powers` refuses powers that do not cancel."""
    run = vv.simulate(SPRINGS[name](), t_end=0.1, h=0.02, integrator=SCHEMES[scheme])
    into = sum(power.exergy for (component, _), power in run.powers.items() if component == "s")
    assert_allclose(into, np.diff(run["energy.s"] + run["heat"]) / 0.02, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SPRINGS)
def test_the_laws_of_the_seam_hold_with_springs(name, form):
    m = SPRINGS[name]()
    model = compile_mechanism(m, form)
    check_model(model, initial_x(model, m.assemble()[0]))


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_what_is_measured_follows_the_configuration(name, scheme):
    run = vv.simulate(CONSERVATIVE[name](), t_end=0.4, h=0.04, integrator=SCHEMES[scheme])
    x, layout = run.final.x, run.model.layout
    for variable, part in run.model.measured.items():
        assert_allclose(x[layout.x[variable]], part.value(x[layout.read(part.reads)]), atol=1e-13)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
def test_a_torsion_spring_counts_turns():
    """Two turns and back, and a run that is continued from beyond the first."""
    m = vv.Mechanism("two turns")
    rotor = m.body("rotor", mass=1.0, inertia=(1, 1, 1))
    hinge = m.revolute("hinge", m.ground, rotor, at=(0, 0, 0), axis=(0, 0, 1), rate=14.0)
    m.torsion("s", hinge, k=1.0)
    for scheme in SCHEMES.values():
        run = vv.simulate(m, t_end=2.0, h=0.1, integrator=scheme)
        assert run["hinge.q"].max() > 4 * np.pi - 0.1
        assert_allclose(run["s.angle"], run["hinge.q"], atol=1e-12)
        assert_allclose(run.record.x[:, run.model.layout.x["s.angle"]][:, 0], run["hinge.q"], atol=1e-12)
        assert_allclose(run["energy.s"], 0.5 * run["hinge.q"] ** 2, atol=1e-11)
        assert closure(run) <= ROUNDING
        half = vv.simulate(m, t_end=1.0, h=0.1, integrator=scheme)
        again = vv.simulate(m, initial=half.final, t_end=2.0, h=0.1, integrator=scheme)
        assert_allclose(again["s.angle"][-1], run["s.angle"][-1], rtol=1e-12)


def test_a_joint_with_a_potential_is_a_joint_with_a_torsion_spring():
    def arm(potential):
        m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
        b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
        how = {"potential": lambda angle: 2 * angle**2} if potential else {}
        hinge = m.revolute("hinge", m.ground, b, at=(0, 0, 0), axis=(0, 1, 0), **how)
        if not potential:
            m.torsion("tor", hinge, k=4.0)
        return vv.simulate(m, t_end=0.5, h=0.01, integrator=NUMPY)

    first, second = arm(True), arm(False)
    assert_allclose(first["hinge.q"], second["hinge.q"], atol=1e-12)
    assert_allclose(first["energy.hinge.potential"], second["energy.tor"], atol=1e-12)


def test_a_spring_of_no_length_passes_through_its_own_ends():
    """Two particles that meet: no direction is needed, and the damper has none there."""
    m = vv.Mechanism("through")
    m.particle("p", mass=1.0, at=(1, 0, 0))
    m.spring("s", m.ground, "p", k=4.0, length=0.0, at_a=(0, 0, 0))
    run = vv.simulate(m, t_end=np.pi, h=np.pi / 100, integrator=NUMPY)
    assert_allclose(run["p.r"][-1], [1, 0, 0], atol=2e-3)
    assert closure(run) <= ROUNDING
    rest = vv.Mechanism("at rest")
    rest.particle("p", mass=1.0, at=(0, 0, 0))
    rest.spring("s", rest.ground, "p", k=4.0, length=0.0, damping=1.0, at_a=(0, 0, 0))
    assert_allclose(vv.simulate(rest, t_end=0.1, h=0.01, integrator=NUMPY)["p.r"], 0, atol=1e-15)


def test_an_energy_without_a_rule_still_balances():
    """np.abs has no divided difference: Gonzalez' formula takes over."""
    run = vv.simulate(spring(energy=lambda l: np.abs(l - 0.3) ** 3 * 40), t_end=0.2, h=0.02, integrator=NUMPY)
    assert closure(run) <= ROUNDING


def test_a_composition_takes_springs_and_keeps_energy():
    run = vv.simulate(spring(k=50.0, length=0.5), t_end=0.2, h=0.05, integrator=vv.Suzuki4(NUMPY))
    assert closure(run) <= 10 * ROUNDING


@pytest.mark.parametrize("name", ["bushing", "torsion"])
def test_runs_with_springs_can_be_pickled(name):
    run = vv.simulate(SPRINGS[name](), t_end=0.1, h=0.05, integrator=NUMPY)
    again = pickle.loads(pickle.dumps(run))
    assert_allclose(again["energy.s"], run["energy.s"], rtol=0)


def test_a_spring_between_joined_bodies_adds_to_reactions():
    """A rod on a hinge, held level by a spring: the statics of a lever."""
    m = vv.Mechanism("lever", gravity=(0, 0, -10.0))
    rod = m.body("rod", inertia=vv.inertia.box(1.0, (1.0, 0.1, 0.1)), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
    m.spring("s", m.ground, rod, k=100.0, length=0.95, at_a=(1, 0, 1), at_b=(1, 0, 0))
    run = vv.simulate(m, t_end=0.05, h=0.01, integrator=NUMPY)
    assert_allclose(run["s.force"], 5.0, atol=1e-9)
    assert_allclose(np.linalg.norm(run["hinge.reaction"][:, 3:], axis=-1), 5.0, atol=1e-8)
    assert_allclose(run["rod.r"][-1], [0.5, 0, 0], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", SPRINGS)
def test_compiled_steps_are_those_in_numpy(name):
    runs = [vv.simulate(SPRINGS[name](), t_end=1.0, h=0.02, integrator=vv.PHMP(compiled=c)) for c in (True, False)]
    assert closure(runs[0]) <= ROUNDING
    unit = np.abs(runs[1].record.x).max()
    assert_allclose(runs[0].record.x, runs[1].record.x, rtol=0, atol=1e-10 * unit)
    assert_allclose(runs[0]["heat"], runs[1]["heat"], rtol=0, atol=1e-10 * runs[1].energy_unit)
