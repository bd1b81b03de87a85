"""Adaptive steps: estimates against true errors, laws at every step, and runs whose nodes are not equally distant."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from catalogue import pair_with
from scipy.integrate import solve_ivp
from systems import oscillator
from test_ephs_laws import SYSTEMS

import visviva as vv
from visviva.demo import double_pendulum, rolling_disc
from visviva.views.mechanism_strobe import instants

START = {"q": 1.0, "p": 0.0}
SCHEMES = [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient(), vv.Suzuki4(vv.PHMPGGL())]


def arm(friction=0.0):
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    rod = m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), friction=friction)
    return m


def exact_angle(t):
    """q̈ = 1.5 g cos q, from rest at q = 0."""
    motion = solve_ivp(
        lambda _, y: (y[1], 14.715 * np.cos(y[0])), (0, t[-1]), (0, 0), "DOP853", t, rtol=1e-12, atol=1e-12
    )
    return motion.y


# -- the estimate -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scheme", [vv.DiscreteGradient(), vv.EnergyCollocation()], ids=lambda part: type(part).__name__
)
def test_it_is_the_true_local_error_of_a_linear_oscillator(scheme):
    """Of pairs, from the node where they start, relative to the largest values so far."""
    run = vv.simulate(oscillator(), 6.0, 0.5, initial=START, integrator=vv.Adaptive(scheme, tolerance=1e-5))
    w, (q, p) = np.sqrt(1.5), (run["q"][:, 0], run["p"][:, 0])  # unit mass
    span = run.t[2::2] - run.t[:-2:2]
    c, s = np.cos(w * span), np.sin(w * span)
    off_q = np.abs(q[2::2] - (q[:-2:2] * c + p[:-2:2] * s / w))
    off_p = np.abs(p[2::2] - (p[:-2:2] * c - q[:-2:2] * s * w))
    largest = (np.maximum.accumulate(np.abs(y[::2]))[1:] for y in (q, p))
    true = np.maximum(*(off / size for off, size in zip((off_q, off_p), largest, strict=True)))
    estimated = run["local_error"].reshape(-1, 2).sum(1)
    np.testing.assert_allclose(estimated, true, rtol=0.05)
    assert (estimated <= 1e-5).all()
    assert np.median(estimated) > 2e-6  # steps are no smaller than they need to be


@pytest.mark.parametrize(
    "scheme", [*SCHEMES[:3], pytest.param(SCHEMES[3], marks=pytest.mark.slow)], ids=lambda scheme: type(scheme).__name__
)
def test_the_error_of_a_pendulum_falls_as_promised(scheme):
    """As tolerance^(p/(p + 1)), and it is of the size that the local errors add up to."""
    errors, tolerances = [], (1e-3, 1e-4, 1e-5) if scheme.order == 2 else (1e-5, 1e-6, 1e-7)
    for tolerance in tolerances:
        run = vv.simulate(arm(), 2.0, 0.2, integrator=vv.Adaptive(scheme, tolerance=tolerance))
        errors.append(np.abs(run["hinge.q"] - exact_angle(run.t)[0]).max())
        assert 0.03 < errors[-1] / run["local_error"].sum() < 3.0
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert slope == pytest.approx(scheme.order / (scheme.order + 1), abs=0.1)


def test_the_double_pendulum_against_its_equations():
    """Rods of 1 m and 1 kg, angles from the x axis downwards; Lagrange's equations by hand."""
    m = vv.Mechanism("rods", gravity=(0, 0, -9.81))
    a, b = (
        m.body(name, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(x, 0, 0)) for name, x in (("a", 0.5), ("b", 1.5))
    )
    m.revolute("top", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("elbow", a, b, at=(1, 0, 0), axis=(0, 1, 0))

    def lagrange(_, y):
        q1, q2, w1, w2 = y
        c, s = np.cos(q1 - q2), np.sin(q1 - q2)
        M = np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
        force = np.array([-0.5 * s * w2**2 + 9.81 * 1.5 * np.cos(q1), 0.5 * s * w1**2 + 9.81 * 0.5 * np.cos(q2)])
        return (w1, w2, *np.linalg.solve(M, force))

    run = vv.simulate(m, 1.5, 0.1, integrator=vv.Adaptive(vv.PHMP(), tolerance=1e-6))
    exact = solve_ivp(lagrange, (0, 1.5), np.zeros(4), "DOP853", run.t, rtol=1e-12, atol=1e-12).y
    off = np.abs(run["top.q"] - exact[0]).max(), np.abs(run["top.q"] + run["elbow.q"] - exact[1]).max()
    assert max(off) < run["local_error"].sum() * 5 < 5e-3
    assert run.record.h.max() > 3 * run.record.h.min()


def geared_pendulum():
    """A rod of 1 m and 1 kg, geared 1 : 3 to a flywheel."""
    m = vv.Mechanism("geared", gravity=(0, 0, -9.81))
    rod = m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    wheel = m.body("wheel", mass=1.0, inertia=(0.03, 0.03, 0.05), at=(0, 1, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("shaft", m.ground, wheel, at=(0, 1, 0), axis=(0, 0, 1))
    m.gear("mesh", "shaft", "hinge", ratio=3.0)
    return m


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # PHMPGGL of gears runs in NumPy
@pytest.mark.parametrize(
    "scheme", [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()], ids=lambda scheme: type(scheme).__name__
)
def test_a_pendulum_geared_to_a_wheel_against_its_equation(scheme):
    """(1/3 + 9 · 0.05) θ'' = 9.81/2 cos θ, θ downwards from the x axis; the gear is a row beyond those of joints."""
    run = vv.simulate(geared_pendulum(), 1.5, 0.1, integrator=vv.Adaptive(scheme, tolerance=1e-5))
    exact = solve_ivp(
        lambda _, y: (y[1], 9.81 / 2 * np.cos(y[0]) / (1 / 3 + 9 * 0.05)), (0, 1.5), (0.0, 0.0), "DOP853", run.t,
        rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    off = np.abs(run["hinge.q"] - exact.y[0]).max()
    assert 1e-6 < off < 5 * run["local_error"].sum() < 1e-2
    assert run.audit().ok
    assert run.audit().first_law <= 1e-13
    assert np.abs(run["shaft.q"] - 3 * run["hinge.q"]).max() <= 1e-12


def test_conditions_on_velocities_at_steps_of_any_length():
    run = vv.simulate(rolling_disc(lean=1.2, turning=1.5), 0.2, 0.05, integrator=vv.Adaptive(tolerance=1e-5))
    assert run.audit().ok
    assert run.audit().first_law <= 1e-13
    assert run.audit().g <= 1e-12


# -- what is kept -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES[:3], ids=lambda scheme: type(scheme).__name__)
def test_every_step_is_one_of_the_inner_scheme(scheme):
    m = pair_with(0.1)
    m.torque("motor", "h2")
    run = vv.simulate(m, 0.5, 0.1, integrator=vv.Adaptive(scheme, 1e-4), inputs={"motor": lambda t: np.sin(7 * t)})
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert len(np.unique(run.record.h)) > 2
    assert run["heat"][-1] > 0
    if "g_v" in scheme.preserves:
        assert audit.g_v <= 1e-12
    for k in (4, 9):  # again, with the length that it had
        h = run.record.h[k]
        state = dataclasses.replace(
            run.final, x=run.record.x[k], t0=run.t[k], steps=0, h=0.0, angles=run.record.angles[k],
            w=run.record.w_mid[k - 1], rate=(),
        )  # fmt: skip
        again = vv.simulate(
            m, run.t[k] + h, h, integrator=scheme, initial=state, inputs={"motor": lambda t: np.sin(7 * t)}
        )
        np.testing.assert_allclose(again.record.x[-1], run.record.x[k + 1], rtol=0, atol=1e-12)


def test_a_system_with_entropy():
    system, start = SYSTEMS["hot pendulum"]
    run = vv.simulate(system, 2.0, 0.2, initial=start, integrator=vv.Adaptive(vv.DiscreteGradient(), 1e-6))
    assert run.audit().ok
    assert run.audit().first_law <= 1e-13


# -- nodes that are not equally distant ---------------------------------------------------------------------------


def adaptive(tolerance=1e-4, **options):
    return vv.simulate(pair_with(0.1), 1.0, 0.1, integrator=vv.Adaptive(tolerance=tolerance), **options)


def test_times_and_lengths_agree():
    run = adaptive()
    assert (run.t[0], run.t[-1]) == (0.0, 1.0)
    np.testing.assert_allclose(np.diff(run.t), run["step_size"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.t_mid, 0.5 * (run.t[1:] + run.t[:-1]), rtol=0, atol=1e-15)
    assert run["step_size"].max() <= 0.1
    assert run.steps == len(run.t) - 1 == run.audit().steps


def test_a_longest_step_is_not_passed():
    run = vv.simulate(pair_with(), 0.3, 0.005, integrator=vv.Adaptive(tolerance=0.1))
    np.testing.assert_allclose(run["step_size"], 0.005, rtol=1e-9)
    assert run.steps == 60


def test_thinning_keeps_the_accounts_of_unequal_steps():
    fine, coarse = adaptive(), adaptive(every=7)
    nodes = np.unique(np.append(np.arange(0, fine.steps, 7), fine.steps))
    np.testing.assert_array_equal(coarse.t, fine.t[nodes])
    np.testing.assert_array_equal(coarse["b.r"], fine["b.r"][nodes])
    assert coarse.steps == fine.steps
    np.testing.assert_allclose(coarse["heat"][-1], fine["heat"][-1], rtol=1e-13)
    np.testing.assert_allclose(coarse["local_error"].sum(), fine["local_error"].sum(), rtol=1e-13)
    kept = adaptive(every=7, record=("b.r", "local_error", "heat"))
    np.testing.assert_array_equal(kept["b.r"], coarse["b.r"])
    np.testing.assert_allclose(kept["heat"], coarse["heat"], rtol=1e-13)
    assert kept.audit().steps == fine.steps
    assert kept.audit().first_law == pytest.approx(fine.audit().first_law, rel=0.5)


def test_values_between_unequal_nodes():
    run, fine = adaptive(1e-6), vv.simulate(pair_with(0.1), 1.0, 1e-3)
    for t in (0.0123, 0.5, 0.987):
        np.testing.assert_allclose(run.at(t, "b.r"), fine.at(t, "b.r"), atol=2e-3)


def test_powers_refer_to_the_length_of_each_step():
    run = adaptive()
    h, heat = run["step_size"], np.diff(run["heat.h1"])
    np.testing.assert_allclose(run["h1.a.power"], heat / h, rtol=1e-6, atol=1e-9)
    m = pair_with()
    m.torque("motor", "h2")
    run = vv.simulate(m, 0.5, 0.1, integrator=vv.Adaptive(), inputs={"motor": 1.0})
    np.testing.assert_allclose(run["motor.power"] * run["step_size"], np.diff(run["motor.work"]), rtol=1e-9, atol=1e-12)


def test_inputs_are_those_of_the_times():
    run = vv.simulate(
        oscillator(), 3.0, 0.3, initial=START, inputs={"p": np.sin}, integrator=vv.Adaptive(vv.DiscreteGradient())
    )
    np.testing.assert_allclose(run["p.u"][:, 0], np.sin(run.t_mid), rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.record.u[:, 0], np.sin(run.t), rtol=0, atol=1e-14)


def test_a_stop_condition_ends_inside_of_a_pair_and_the_run_goes_on():
    whole = adaptive(1e-6)
    part = adaptive(1e-6, stop=lambda now: now["h1.q"] > 0.7)
    n = part.steps
    assert n == int(np.argmax(whole["h1.q"] > 0.7))
    np.testing.assert_array_equal(part.t, whole.t[: n + 1])
    assert part.final.t == part.t[-1]
    rest = vv.simulate(pair_with(0.1), 1.0, 0.1, integrator=vv.Adaptive(tolerance=1e-6), initial=part.final)
    assert (rest.t[0], rest.t[-1]) == (part.t[-1], 1.0)
    assert rest["step_size"][0] <= 1.5 * part["step_size"][-1]  # not the longest step again
    np.testing.assert_allclose(rest["b.r"][-1], whole["b.r"][-1], atol=1e-3)
    fixed = vv.simulate(pair_with(0.1), 1.0, 0.01, initial=part.final)
    assert fixed.audit().ok


def test_chunks_do_not_show_in_unequal_steps(monkeypatch):
    whole = adaptive()
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", 1e-9)
    again = adaptive()
    np.testing.assert_array_equal(again.t, whole.t)
    np.testing.assert_array_equal(again.record.x, whole.record.x)


def test_pictures_show_equal_distances_in_time():
    t = np.concatenate([np.linspace(0, 0.1, 1000), np.linspace(0.2, 1.0, 81)])
    np.testing.assert_allclose(t[instants(t, 11)], np.linspace(0, 1, 11), atol=1e-3)
    assert instants(np.zeros(1), 12).tolist() == [0]
    assert instants(np.linspace(0, 1, 3), 12).tolist() == [0, 1, 2]


# -- steps that fail ----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # fixed steps are too long
def test_a_step_without_solution_is_shortened():
    fixed = vv.simulate(double_pendulum(), 10.0, 0.5)
    assert "divided into smaller ones" in fixed.notes[0]
    run = vv.simulate(double_pendulum(), 3.0, 0.5, integrator=vv.Adaptive(tolerance=1e-3))
    assert run.notes == ()
    assert run.audit().ok


def test_a_tolerance_that_cannot_be_met_ends_the_run():
    with pytest.raises(vv.ConvergenceError, match=r"h_min = 0\.05 s the local error is .* above the tolerance") as end:
        vv.simulate(arm(), 2.0, 0.1, integrator=vv.Adaptive(tolerance=1e-8, h_min=0.05))
    assert "larger tolerance or a smaller h_min" in str(end.value)
    assert end.value.run.steps == 0


def test_a_bad_input_ends_an_adaptive_run():
    m = pair_with()
    m.torque("motor", "h2")
    with pytest.raises(vv.ConvergenceError, match="port 'motor'") as bad:
        vv.simulate(m, 1.0, 0.1, integrator=vv.Adaptive(), inputs={"motor": lambda t: np.nan if t > 0.5 else 0.0})
    assert 0.3 < bad.value.run.t[-1] <= 0.5
    assert bad.value.run.audit().ok


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: vv.Adaptive("PHMP"), "Adaptive chooses the steps of an integrator such as"),
        (lambda: vv.Adaptive(vv.Adaptive()), "Adaptive chooses the steps of an integrator such as"),
        (lambda: vv.Adaptive(tolerance=0), "tolerance must be positive"),
        (lambda: vv.Adaptive(tolerance=1e-14), "tolerance must be at least 1e-11, got 1e-14"),
        (lambda: vv.Adaptive(h_min=-1), r"h_min \[s\] must be positive"),
        (lambda: vv.Suzuki4(vv.Adaptive()), "Suzuki4 composes an integrator"),
        (lambda: vv.simulate(arm(), 1.0, 0.1, integrator=vv.Adaptive(h_min=0.2)), r"h_min = 0\.2 s, is longer than"),
        (lambda: vv.estimate(arm(), 1.0, 0.1, integrator=vv.Adaptive()), "steps of one length; vv.Adaptive chooses"),
    ],
)
def test_wrong_arguments_of_adaptive_steps(make, message):
    with pytest.raises(vv.ModelError, match=message):
        make()


def test_no_time_is_no_adaptive_step():
    run = vv.simulate(arm(), 0.0, 0.1, integrator=vv.Adaptive())
    assert run.steps == 0
    assert run.audit().ok
