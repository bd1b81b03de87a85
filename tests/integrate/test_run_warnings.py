"""What a run knows, it says: warnings of a category of their own, each with its cause, and silence elsewhere."""

from __future__ import annotations

import pickle
import re
import warnings

import numpy as np
import pytest
from systems import oscillator

import visviva as vv
from visviva.demo import four_bar

H = 0.01


def mass_on_spring(k, stretch=0.01, load=False, gravity=0.0):
    """A mass of 1 kg on a slide, and a spring that begins stretched."""
    m = vv.Mechanism("mass on spring", gravity=(0, 0, -gravity))
    mass = m.body("mass", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1 - stretch))
    m.prismatic("slide", m.ground, mass, at=(0, 0, -1), axis=(0, 0, 1))
    m.spring("spring", m.ground, mass, k=k, length=1.0, at_a=(0, 0, 0))
    if load:
        m.force("load", "slide")
    return m


def circling(speed):
    """A particle on a rod of 1 m."""
    m = vv.Mechanism("sling")
    m.particle("stone", mass=1.0, at=(1, 0, 0), velocity=(0, speed, 0))
    m.distance("string", m.ground, "stone", at_a=(0, 0, 0))
    return m


def warned(*arguments, **options):
    """A run and the warnings that it issued."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = vv.simulate(*arguments, **options)
    assert all(issubclass(warning.category, vv.RunWarning) for warning in caught)
    return run, caught


# -- steps too long for the motion -----------------------------------------------------------------------------------


@pytest.mark.parametrize("wh", [1.0, 10.0, 100.0])
def test_a_vibration_that_steps_do_not_resolve_is_warned_of(wh):
    run, caught = warned(mass_on_spring((wh / H) ** 2), 2.0, H)
    (text,) = run.warnings
    assert run.audit().ok  # exact energy is no proof of accuracy
    assert [str(warning.message) for warning in caught] == [text]
    assert "steps are too long for the motion" in text
    assert "most of it in 'spring'" in text
    assert text in run.audit().warnings


@pytest.mark.parametrize("wh", [1.0, 10.0])
def test_the_step_that_a_warning_names_resolves_the_vibration(wh):
    m = mass_on_spring((wh / H) ** 2)
    run, _ = warned(m, 2.0, H)
    h = float(re.search(r"h = (\S+) s would do there", run.warnings[0])[1])
    assert 0.1 < wh / H * h < 0.7
    assert vv.simulate(m, 0.5, h).warnings == ()


@pytest.mark.parametrize("options", [{"every": 20}, {"record": "mass.r"}, {"integrator": vv.PHMPGGL()}], ids=str)
def test_a_vibration_is_seen_whatever_is_kept(options):
    run, _ = warned(mass_on_spring(1e6), 2.0, H, **options)
    assert any("most of it in 'spring'" in text for text in run.warnings)


def test_a_vibration_that_is_resolved_is_not_warned_of():
    assert vv.simulate(mass_on_spring((0.3 / H) ** 2), 2.0, H).warnings == ()


def test_a_stiff_spring_that_carries_a_slow_load_is_not_warned_of():
    """ωh = 10, but what moves follows the load."""
    inputs = {"load": lambda t: -500.0 - 5000.0 * t**2}
    run = vv.simulate(mass_on_spring(1e6, stretch=500.0 / 1e6, load=True), 2.0, H, inputs=inputs)
    assert run.warnings == ()
    assert run["slide.q"][-1] == pytest.approx(-2e4 / 1e6, rel=1e-2)


def test_a_stiff_spring_at_rest_is_not_warned_of():
    run = vv.simulate(mass_on_spring(1e6, stretch=9.81e-6, gravity=9.81), 2.0, H)
    assert run.warnings == ()


@pytest.mark.parametrize("wh", [1.0, 10.0])
def test_composites_are_looked_at_as_well(wh):
    system, start = oscillator(), {"q": 1.0, "p": 0.0}
    fine = vv.simulate(system, 10.0, 0.1, initial=start)
    period = 2 * np.diff(fine.t[:-1][np.diff(np.sign(fine["p"][:, 0])) != 0]).mean()
    h = wh * period / (2 * np.pi)
    run, caught = warned(system, 200 * h, h, initial=start)
    assert fine.warnings == ()
    assert "steps are too long for the motion" in str(caught[0].message)
    assert run.audit().ok


@pytest.mark.parametrize(("turn", "told"), [(1.0, True), (0.1, False)])
def test_a_particle_on_a_circle_turns_too_far_in_a_step(turn, told):
    run, _ = warned(circling(turn / H), 1.0, H, integrator=vv.PHMPGGL())
    assert any("velocity of 'stone'" in text for text in run.warnings) is told


# -- what else is said -----------------------------------------------------------------------------------------------


def test_a_warning_points_at_the_line_of_the_user():
    _, caught = warned(mass_on_spring(1e6), 2.0, H)
    assert caught[0].filename == __file__


def test_warnings_are_silenced_by_their_category_and_stay_in_the_run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=vv.RunWarning)
        run = vv.simulate(mass_on_spring(1e6), 2.0, H)
    assert len(run.warnings) == 1
    assert run.warnings == pickle.loads(pickle.dumps(run)).warnings
    assert "; 1 warning: steps are too long" in repr(run)
    assert "warning" not in repr(vv.simulate(mass_on_spring(1.0), 0.1, H))


def test_a_run_shorter_than_half_a_step_asks_whether_its_arguments_were_swapped():
    with pytest.warns(vv.RunWarning, match=r"run of 0\.01 s is shorter than half a step of h = 10 s.*swapped\?"):
        run = vv.simulate(mass_on_spring(1.0), 0.01, 10.0)
    assert run.steps == 1


def test_a_singular_start_is_warned_of_with_the_way_out():
    m = vv.Mechanism("flat")
    left = m.body("left", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    coupler = m.body("coupler", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(2, 0, 0))
    right = m.body("right", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(2.5, 0, 0))
    for name, a, b, x in (("A", m.ground, left, 0), ("B", left, coupler, 1), ("C", coupler, right, 3)):
        m.revolute(name, a, b, at=(x, 0, 0), axis=(0, 0, 1))
    m.revolute("D", m.ground, right, at=(2, 0, 0), axis=(0, 0, 1))
    with pytest.warns(vv.RunWarning, match=r"start: the configuration is singular.*Start a little beside it"):
        vv.simulate(m, 0.02, H)


def test_notes_are_no_warnings():
    """A step that was fitted, redundant constraints, a stop condition that was met: nothing is wrong."""
    run = vv.simulate(four_bar(), t_end=0.1, h=0.003, stop=lambda now: now.t > 0.05)
    assert len(run.notes) == 2
    assert run.warnings == ()
    assert any(text.startswith("redundant constraints") for text in run.audit().warnings)


def test_a_run_that_fails_keeps_its_warnings_and_raises_once():
    def torque(t):
        return np.inf if t > 1.5 else 0.0

    m = mass_on_spring(1e6, load=True)
    with pytest.raises(vv.ConvergenceError) as failed:
        vv.simulate(m, 2.0, H, inputs={"load": torque})
    assert failed.value.run.warnings == ()
