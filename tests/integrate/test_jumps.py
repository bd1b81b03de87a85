"""Inputs that jump: steps that are chosen end there, steps of one length say that they do not."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.integrate.drive_jumps import first_jump
from visviva.integrate.jumps import locate_jump

JUMP, T = 1.2345, 3.0


def cart():
    m = vv.Mechanism("cart")
    body = m.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic("rail", m.ground, body, at=(0, 0, 0), axis=(1, 0, 0))
    m.force("push", "rail")
    return m


def push(t):
    return 1.0 if t < JUMP else -2.0


def path(t, jump=JUMP):
    late = t - jump
    return 0.5 * t**2 if late < 0 else 0.5 * jump**2 + jump * late - late**2


@pytest.mark.parametrize("inner", [vv.PHMP(), vv.LieMidpoint()], ids=["PHMP", "LieMidpoint"])
@pytest.mark.parametrize("h", [0.5, 0.07])
def test_adaptive_steps_end_on_jumps(inner, h):
    """Between jumps the force is constant, so that every step is exact and no estimate can see the jump."""
    run = vv.simulate(cart(), T, h, integrator=vv.Adaptive(inner), inputs={"push": push})
    np.testing.assert_allclose(run["rail.q"], [path(t) for t in run.t], atol=1e-12)
    assert np.abs(run.t - JUMP).min() < 1e-14
    assert run.steps <= T / h + 8
    assert run.warnings == ()


def test_adaptive_steps_end_on_every_edge_of_a_square_wave():
    edges = np.array([0.31, 0.77, 1.9, 2.003])
    run = vv.simulate(
        cart(), T, 0.5, integrator=vv.Adaptive(), inputs={"push": lambda t: (-1.0) ** np.searchsorted(edges, t)}
    )
    assert max(np.abs(run.t - edge).min() for edge in edges) < 1e-14
    ends = np.concatenate([[0.0], edges, [T]])
    v, x = 0.0, 0.0
    for k, span in enumerate(np.diff(ends)):
        a = (-1.0) ** k
        x, v = x + v * span + 0.5 * a * span**2, v + a * span
    assert run["rail.q"][-1] == pytest.approx(x, abs=1e-11)


def test_a_jump_at_the_start_of_a_run_needs_no_step_of_its_own():
    run = vv.simulate(cart(), 1.0, 0.25, integrator=vv.Adaptive(), inputs={"push": lambda t: float(t > 0)})
    assert run.steps == 4
    assert run["rail.q"][-1] == pytest.approx(0.5, abs=1e-13)


def test_an_adaptive_run_over_a_drive_by_a_table_whose_rate_bends():
    """Where the body is follows from the integral of the table."""
    m = vv.Mechanism("table")
    body = m.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic("rail", m.ground, body, at=(0, 0, 0), axis=(1, 0, 0))
    m.drive("feed", "rail", rate=lambda t: float(np.interp(t, [0.0, 0.52, 1.1, 1.13], [0.0, 1.0, 1.0, -1.0])))
    run = vv.simulate(m, 2.0, 0.3, integrator=vv.Adaptive(vv.PHMPGGL(compiled=False), 1e-6))
    assert run["rail.q"][-1] == pytest.approx(0.26 + 0.58 - 0.87, abs=1e-4)


def test_dop853_resolves_a_jump():
    m = cart()
    run = vv.simulate(m, T, 0.5, integrator=vv.DOP853(), inputs={"push": push})
    assert run["rail.q"][-1] == pytest.approx(path(T), abs=1e-6)
    assert run.warnings == ()


def test_a_jump_inside_of_a_fixed_step_is_warned_of():
    with pytest.warns(vv.RunWarning, match=r"the input 'push' jumps inside of a step, at t = 1\.2345 s"):
        run = vv.simulate(cart(), T, 0.01, inputs={"push": push})
    assert abs(run["rail.q"][-1] - path(T)) > 1e-3
    assert run.audit().ok


@pytest.mark.parametrize(
    "law",
    [
        lambda t: 1.0 if t < 1.25 else -2.0,  # steps end there
        lambda t: np.sin(40 * t),
        lambda t: np.tanh((t - JUMP) / 0.02),
        lambda t: abs(t - JUMP),
        lambda t: 3.0,
    ],
    ids=["on a node", "fast", "steep", "bent", "constant"],
)
def test_other_inputs_are_not_warned_of(law):
    assert vv.simulate(cart(), T, 0.01, inputs={"push": law}).warnings == ()


# -- pulses ----------------------------------------------------------------------------------------------------------

START, LONG = 0.5, 1e-5  # a pulse that is far shorter than any step


def kick(t):
    return 1.0 / LONG if START < t < START + LONG else 0.0


def kick_in_the_dark(t):
    """The same, where the time is compared with nothing."""
    return 1.0 / LONG if (t - START) ** 2 < LONG * (t - START) else 0.0


ADAPTIVE = [vv.Adaptive(), vv.Adaptive(vv.LieMidpoint(compiled=False)), vv.DOP853(), vv.DOP853(compiled=False)]


@pytest.mark.parametrize("integrator", [*ADAPTIVE, vv.Relaxed()], ids=lambda each: repr(each)[:30])
@pytest.mark.parametrize("law", [kick, vv.Jumping(kick_in_the_dark, at=[START, START + LONG])], ids=["seen", "said"])
def test_a_pulse_much_shorter_than_the_steps_gives_all_of_its_impulse(integrator, law):
    run = vv.simulate(cart(), 1.0, 0.1, integrator=integrator, inputs={"push": law})
    assert run["rail.rate"][-1] == pytest.approx(1.0, rel=1e-10)
    assert run["rail.q"][-1] == pytest.approx(0.5 - 0.5 * LONG, rel=1e-9)
    assert run.warnings == ()


@pytest.mark.parametrize("options", [{}, {"stop": lambda now: False}], ids=["alone", "beside stop"])
def test_a_pulse_inside_of_a_fixed_step_is_warned_of(options):
    law = vv.Jumping(kick_in_the_dark, at=[START, START + LONG])
    with pytest.warns(vv.RunWarning, match=r"the input 'push' jumps inside of a step, at t = 0\.50001 s"):
        run = vv.simulate(cart(), 1.0, 0.1, inputs={"push": law}, **options)
    assert run["rail.q"][-1] == 0.0
    with pytest.warns(vv.RunWarning, match=r"jumps inside of a step, at t = 0\.50001 s"):
        vv.simulate(cart(), 1.0, 0.1, inputs={"push": kick})


def test_a_table_with_many_knots_costs_no_step_each():
    knots = np.linspace(0.0, 1.0, 5001)
    law = {"push": lambda t: float(np.interp(t, knots, np.sin(knots)))}
    run = vv.simulate(cart(), 1.0, 0.1, integrator=vv.Adaptive(vv.PHMP(), 1e-3), inputs=law)
    assert run.steps < 40
    assert run["rail.q"][-1] == pytest.approx(1.0 - np.sin(1.0), abs=1e-3)


def test_adaptive_steps_end_where_an_input_with_states_jumps_in_time():
    law = {"push": lambda t, x: np.where(t < JUMP, 1.0, -2.0)}
    run = vv.simulate(cart(), T, 0.5, integrator=vv.Adaptive(vv.LieMidpoint(compiled=False)), inputs=law)
    assert np.abs(run.t - JUMP).min() < 1e-14
    assert run["rail.q"][-1] == pytest.approx(path(T), abs=1e-11)


# -- jumps on nodes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("scheme", [vv.RK4, vv.Gauss8, lambda **on: vv.DOP853(None, **on)], ids=["RK4", "G8", "DOP"])
def test_a_jump_on_a_node_belongs_to_the_step_after_it(scheme, compiled):
    """Schemes with stages at the ends of steps took its value into the step before, an error of first order."""
    run = vv.simulate(
        cart(), 2.0, 0.1, integrator=scheme(compiled=compiled), inputs={"push": lambda t: 1.0 if t < 0.7 else -2.0}
    )
    assert run["rail.q"][-1] == pytest.approx(path(2.0, 0.7), abs=1e-12)


@pytest.mark.parametrize("integrator", [vv.Adaptive(), vv.DOP853()], ids=["Adaptive", "DOP853"])
def test_a_run_that_is_continued_at_a_jump_goes_on_behind_it(integrator):
    first = vv.simulate(cart(), JUMP, 0.5, integrator=integrator, inputs={"push": push})
    run = vv.simulate(cart(), T, 0.5, integrator=integrator, inputs={"push": push}, initial=first.final)
    assert run["rail.q"][-1] == pytest.approx(path(T), abs=1e-11)


# -- drives ----------------------------------------------------------------------------------------------------------


def driven(rate):
    m = vv.Mechanism("driven")
    body = m.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic("rail", m.ground, body, at=(0, 0, 0), axis=(1, 0, 0))
    m.drive("feed", "rail", rate=rate)
    return m


DRIVEN_END = JUMP - 2.0 * (T - JUMP)


@pytest.mark.parametrize("rate", [push, lambda t: np.where(t < JUMP, 1.0, -2.0)], ids=["called", "traced"])
@pytest.mark.parametrize(
    ("integrator", "what"),
    [
        (vv.Adaptive(), "velocities of the scheme alternate about the motion"),
        (vv.DOP853(compiled=False), "work of the impulse is not in the balance of energy"),
        (vv.Relaxed(compiled=False), "work of the impulse is not in the balance of energy"),
    ],
    ids=["Adaptive", "DOP853", "Relaxed"],
)
def test_a_drive_whose_rate_jumps_is_warned_of_by_what_is_true(rate, integrator, what):
    """Neither are steps too long nor is the motion wrong."""
    with pytest.warns(vv.RunWarning, match=what):
        run = vv.simulate(driven(rate), T, 0.5, integrator=integrator)
    (text,) = run.warnings
    assert text.startswith("the rate of drive 'feed' jumps at t = 1.2345 s")
    assert run["rail.q"][-1] == pytest.approx(DRIVEN_END, abs=1e-11)
    assert not any("step is too large" in each for each in run.audit().warnings)


@pytest.mark.parametrize(("power", "jump"), [(1, JUMP), (2, None), (3, None)])
def test_a_drive_that_sets_in_jumps_where_its_rate_does_not_vanish_there(power, jump):
    """From zero on any rate is large compared with itself, however slowly it grows."""
    m = vv.Mechanism("lifted")
    m.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic("rail", m.ground, "plate", at=(0, 0, 0), axis=(1, 0, 0))
    m.drive("feed", "rail", position=lambda t: 1e-6 * np.maximum(t - JUMP, 0) ** power)
    assert first_jump(m["feed"].law, 0.0, T) == jump


def test_a_scheme_that_keeps_rates_accounts_for_the_impulse_of_a_drive():
    run = vv.simulate(driven(push), T, 0.5, integrator=vv.Adaptive(vv.PHMPGGL(compiled=False)))
    assert run.warnings == ()
    assert run.audit().ok
    assert run["energy"][-1] - run["energy"][0] == pytest.approx(0.5 * (4.0 - 1.0), abs=1e-11)
    assert run["feed.work"][-1] == pytest.approx(1.5, abs=1e-11)


def test_looking_for_jumps_asks_little_more_than_the_steps_do():
    asked = []
    vv.simulate(cart(), T, 0.01, inputs={"push": lambda t: float(asked.append(t) or np.sin(3 * t))})
    assert len(asked) < 2 * 300 + 100 + 5 * 100


def test_bisection_finds_a_jump_to_rounding_and_no_slope():
    def u(t):
        return np.array([push(t), 5.0 * t])

    a, b = locate_jump(u, 1.0, 2.0, 0)
    assert a < JUMP <= b
    assert b - a < 1e-15
    assert locate_jump(u, 1.0, 2.0, 1) is None
    assert locate_jump(u, 0.0, 1.0, 0) is None


def test_an_input_that_turns_back_within_half_a_step_is_no_jump():
    run = vv.simulate(cart(), 30.0, 1.0, inputs={"push": lambda t: np.sin(3 * t)})
    assert run.warnings == ()
