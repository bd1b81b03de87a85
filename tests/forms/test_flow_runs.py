"""Mechanisms integrated in minimal velocities: ordinary runs, whose audits say what is kept and what is not."""

import dataclasses
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.language import compose
from visviva.library import translation

PLAIN = [
    vv.RK4(compiled=False),
    vv.DOP853(compiled=False),
    vv.Gauss8(compiled=False),
    vv.Relaxed(compiled=False),
    vv.BalancedGauss8(compiled=False),
]


def name(scheme):
    return type(scheme).__name__


def arm(friction=0.02, spring=False):
    """Two links on skew hinges, with a motor on the second."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(0.02, 0.03, 0.01), at=(0.15, 0, 0))
    b = m.body("b", mass=0.8, inertia=(0.01, 0.02, 0.02), at=(0.45, 0, 0))
    m.revolute("h0", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0.3), friction=friction, rate=1.0)
    h1 = m.revolute("h1", a, b, at=(0.3, 0, 0), axis=(0.2, 1, 0), friction=friction)
    m.torque("motor", h1)
    m.frame("tip", b, at=(0.6, 0, 0))
    if spring:
        m.spring("s", m.ground, b, at_a=(0, 0, 0.5), at_b=(0.6, 0, 0), k=30.0, length=0.4, damping=0.5)
    return m


def four_bar():
    m = vv.Mechanism("four bar", gravity=(0, -9.81, 0))
    points = [(0, 0, 0), (0, 0.2, 0), (0.5, 0.5, 0), (0.5, 0, 0)]
    bars = []
    for k in range(3):
        middle = 0.5 * (np.array(points[k]) + np.array(points[k + 1]))
        bars.append(m.body(f"bar{k}", mass=1.0, inertia=(0.01, 0.01, 0.02), at=tuple(middle)))
    for k, (one, two) in enumerate(zip([m.ground, *bars], [*bars, m.ground], strict=True)):
        m.revolute(f"j{k}", one, two, at=points[k], axis=(0, 0, 1), **({"rate": 2.0} if k == 0 else {}))
    return m


@pytest.fixture(scope="module")
def exact():
    """The arm after 0.1 s, by the implicit midpoint rule at two steps, extrapolated to order 4."""
    ends = [
        vv.simulate(arm(), 0.1, h, integrator=vv.DiscreteGradient(compiled=False), inputs={"motor": 0.3})["tip.r"][-1]
        for h in (0.005, 0.0025)
    ]
    return (4 * ends[1] - ends[0]) / 3


@pytest.mark.parametrize("scheme", PLAIN, ids=name)
def test_a_run_agrees_with_another_formulation_and_closes(scheme, exact):
    run = vv.simulate(arm(), 0.1, 0.02, integrator=scheme, inputs={"motor": 0.3})
    audit = run.audit()
    assert_allclose(run["tip.r"][-1], exact, atol=2e-7)
    assert audit.ok
    assert audit.g < 1e-14
    assert audit.g_v < 1e-14
    assert audit.exact == ("energy" in scheme.preserves)
    assert audit.first_law < (1e-15 if audit.exact else 1e-5)
    assert run["heat"][-1] > 0
    assert run["motor.work"][-1] == pytest.approx(0.3 * run["h1.q"][-1], rel=1e-6)
    assert run.engine == "NumPy"


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # what is off is said
def test_an_inexact_audit_says_so_and_is_no_failure():
    run = vv.simulate(arm(), 0.2, 0.05, integrator=vv.RK4(compiled=False))
    audit, text = run.audit(), str(run.audit())
    assert audit.first_law > 1e-9
    assert audit.ok
    assert "RK4 keeps energy to its accuracy only" in text
    assert "no verdict" in text
    assert "✗" not in text


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # what is off is said
def test_a_coarse_run_is_warned_of():
    run = vv.simulate(arm(friction=0.0), 1.0, 0.1, integrator=vv.RK4(compiled=False))
    assert any("energy is off by" in warning for warning in run.audit().warnings)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # what is off is said
def test_a_violated_claim_is_still_a_failure():
    """A scheme that claims energy and does not keep it is called out."""
    run = vv.simulate(arm(), 0.1, 0.05, integrator=vv.RK4(compiled=False))
    claims = vv.Run(run.model, run.record, run.final, vv.PHMP(), ())
    assert not claims.audit().ok


@pytest.mark.parametrize("scheme", PLAIN, ids=name)
def test_runs_continue(scheme):
    whole = vv.simulate(arm(), 0.08, 0.02, integrator=scheme)
    half = vv.simulate(arm(), 0.04, 0.02, integrator=scheme)
    rest = vv.simulate(arm(), 0.08, 0.02, integrator=scheme, initial=pickle.loads(pickle.dumps(half)).final)
    assert_allclose(rest.record.x[-1], whole.record.x[-1], atol=0 if scheme.fixed_step else 1e-13)


@pytest.mark.parametrize("scheme", PLAIN[1:4], ids=name)
def test_loops_stay_closed(scheme):
    run = vv.simulate(four_bar(), 0.06, 0.02, integrator=scheme)
    audit = run.audit()
    assert audit.ok
    assert audit.g < 1e-13
    assert audit.g_v < 1e-13
    assert any("constraints that no tree of joints holds" in note for note in run.notes) == scheme.compiled
    assert np.abs(run["bar1.r"][-1] - run["bar1.r"][0]).max() > 1e-2


def test_the_work_of_a_drive_is_that_of_its_reaction():
    """A shaft of inertia 0.7 whose rate 1 + 5 t is prescribed: ½ J (ω₁² - ω₀²), all of it by the drive."""
    m = vv.Mechanism("shaft")
    m.body("shaft", mass=2.0, inertia=(0.4, 0.4, 0.7), at=(0, 0, 0))
    m.revolute("bearing", m.ground, "shaft", at=(0, 0, 0), axis=(0, 0, 1))
    m.drive("motor", "bearing", rate=lambda t: 1.0 + 5.0 * t)
    run = vv.simulate(m, 0.2, 0.05, integrator=vv.DOP853(compiled=False))
    assert run["motor.work"][-1] == pytest.approx(0.35 * (2.0**2 - 1.0), rel=1e-9)
    assert run.audit().first_law < 1e-9


def test_reactions_follow_from_accelerations_at_both_ends():
    m = arm()
    run = vv.simulate(m, 0.04, 0.002, integrator=vv.DOP853(compiled=False))
    other = vv.simulate(m, 0.04, 0.002, integrator=vv.DiscreteGradient(compiled=False))
    assert_allclose(run["h1.reaction"], other["h1.reaction"], atol=2e-3)
    mine, theirs = (0.5 * (r["h1.reaction_mid"][1:] + r["h1.reaction_mid"][:-1]) for r in (run, other))
    assert_allclose(mine, theirs, atol=1e-3)  # multipliers of single midpoint steps alternate about their means
    means = 0.5 * (run["h1.reaction"][1:] + run["h1.reaction"][:-1])
    assert_allclose(
        run["h1.reaction_mid"], means, atol=1e-4
    )  # multipliers are means; their rows those of the mean state


def test_springs_dampers_and_inputs_over_time_come_along():
    run = vv.simulate(
        arm(spring=True), 0.1, 0.02, integrator=vv.Relaxed(), inputs={"motor": lambda t: 0.5 * np.sin(20 * t)}
    )
    audit = run.audit()
    assert audit.first_law < 1e-14  # energies are summed in other orders in compiled code and in the audit
    assert audit.components["s"].exergy_destroyed > 0
    assert run.engine == "compiled"
    assert not run.notes


def test_composites_are_refused_with_a_way_out():
    system = compose(
        "osc",
        {"spring": translation.spring(1.5), "mass": translation.mass(1.0), "pkc": translation.kinematic()},
        {"q": ("spring.q", "pkc.q"), "p": ("mass.p", "pkc.p")},
    )
    with pytest.raises(vv.ModelError, match=r"'osc' is neither.\nUse vv.DiscreteGradient\(\)"):
        vv.simulate(system, 1.0, 0.1, integrator=vv.DOP853(), initial={"q": 1.0, "p": 0.0})


def test_flows_take_no_midpoint_schemes_and_no_inputs_of_models():
    flow = vv.HandFlow(lambda t, q, v: -q, 1, name="osc")
    with pytest.raises(vv.ModelError, match="PHMP does not integrate 'osc'"):
        vv.simulate(flow, 1.0, 0.1, integrator=vv.PHMP(), initial=([1], [0]))
    with pytest.raises(vv.ModelError, match="inputs= of simulate"):
        vv.simulate(flow, 1.0, 0.1, initial=([1], [0]), inputs={"u": 1.0})  # type: ignore[call-overload]


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme", [vv.RK4(), vv.DOP853(None), vv.DOP853(), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8()], ids=repr
)
def test_compiled_trees_are_the_plain_ones(scheme):
    runs = [
        vv.simulate(arm(), 0.5, 0.01, integrator=dataclasses.replace(scheme, compiled=c), inputs={"motor": 0.3})
        for c in (True, False)
    ]
    assert [run.engine for run in runs] == ["compiled", "NumPy"]
    assert_allclose(runs[0]["tip.r"][-1], runs[1]["tip.r"][-1], atol=1e-8 if scheme.tolerance else 1e-12)
    for quantity in ("heat.h0", "heat.h1", "motor.work"):
        assert runs[0][quantity][-1] == pytest.approx(runs[1][quantity][-1], rel=1e-5)
    assert runs[0].audit().first_law <= max(2 * runs[1].audit().first_law, 1e-14)


@pytest.mark.slow
def test_compiled_relaxation_closes_with_damping_over_many_steps():
    run = vv.simulate(arm(), 20.0, 0.01, integrator=vv.Relaxed(), inputs={"motor": 0.3})
    assert run.engine == "compiled"
    assert run.audit().first_law < 1e-13
    assert run.audit().drift < 1e-12
    assert not any("balance" in note for note in run.notes)
