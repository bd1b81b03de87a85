"""Flights with perfect state: errors as small as those that were flown, within the limits of the rotors."""

import warnings
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, RunWarning, control, copter
from visviva.copter.vehicles.allotment import limits

QUAD = copter.quadcopter().without_bias()


flown = lru_cache(copter.fly)


@pytest.mark.parametrize("name", ["looping", "flip"])
def test_aerobatics_stay_near_the_reference(name):
    flight = flown(name)
    found, real = flight.figures, flight.plan.flown
    assert found.e_r < real.e_r
    assert found.e_R < real.e_R
    assert found.e_phi <= found.e_R
    low, high = QUAD.rotors[0].thrusts
    assert flight.thrusts.min() > low - 1e-9
    assert flight.thrusts.max() < high + 1e-9
    assert flight.run.engine == "compiled"
    assert np.linalg.norm(flight.run["craft.r"][-1] - flight.plan.path(flight.plan.duration).r) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transitions", "tricopter transitions"])
def test_transitions_stay_near_the_reference(name):
    flight = copter.fly(name)
    for name in ("e_r", "e_R", "e_phi"):
        assert getattr(flight.figures, name) < 0.4 * getattr(flight.plan.flown, name)


def test_the_law_knows_rotational_drag_about_z_alone():
    plan = copter.Manoeuvre("turn", QUAD, control.pose(np.zeros(3), control.turn("z", control.polynomial(0, 1.5, 2.0))))
    known = copter.fly(plan).figures.e_phi
    without = replace(QUAD, drag=replace(QUAD.drag, Upsilon=np.zeros(3)))
    assert copter.fly(plan, believed=without).figures.e_phi > 10 * known


@pytest.mark.slow
def test_what_the_law_does_not_know_costs():
    assert copter.fly("flip", believed=QUAD.simplified()).figures.e_R > 1.2 * flown("flip").figures.e_R


@pytest.mark.slow
def test_with_a_perfect_model_only_the_hold_is_left():
    """Errors fall with the period of the law, and the angle of (5.73b) is that of the rotation."""
    exact = replace(QUAD.simplified(), rotors=QUAD.rotors)
    slow, fast = (copter.fly("looping", exact, approach="particle", period=T).figures for T in (5e-3, 1e-3))
    assert slow.e_r < 5e-3
    assert fast.e_r < 0.4 * slow.e_r


def test_thrusts_are_those_of_the_wrench():
    flight = flown("flip")
    assert_allclose(flight.thrusts @ QUAD.allocation().T, flight.run["rotors.u"], atol=1e-9)


def test_more_rotors_than_needed_share_the_wrench_within_their_ranges():
    """A short hop that six rotors can only follow at their limits: shown are thrusts of the wrench that acted."""
    six = copter.ring(replace(QUAD.rotors[0], speeds=(360, 420)), np.arange(6) * np.pi / 3, (1, -1) * 3, radius=0.24)
    hexa = replace(QUAD, name="hexa", mass=1.25, rotors=six)
    path = control.flat.quadcopter(control.polynomial(np.zeros(3), [0.03, 0.0, 0.0], 0.3, degree=9))
    with pytest.warns(RunWarning, match="hop takes more than the rotors of 'hexa' can give"):
        flight = copter.fly(copter.Manoeuvre("hop", hexa, path), hexa)
    low, high = six[0].thrusts
    assert flight.thrusts.shape[1] == 6
    assert low - 1e-9 < flight.thrusts.min() < low + 1e-6
    assert high - 1e-6 < flight.thrusts.max() < high + 1e-9
    assert_allclose(flight.thrusts @ hexa.allocation().T, flight.run["rotors.u"], atol=1e-6)


def test_a_flight_is_a_table_and_a_picture(tmp_path):
    flight = flown("flip")
    assert "Table 5.2" in str(flight)
    assert "rms e_r" in str(flight)
    figure = flight.plot(tmp_path / "flip.png")
    assert (tmp_path / "flip.png").read_bytes().startswith(b"\x89PNG")
    assert [axes.get_title() for axes in figure.axes] == ["flip", "errors", "thrusts"]
    trace, _, thrusts = figure.axes
    assert [text.get_text() for text in thrusts.get_legend().get_texts()] == [rotor.name for rotor in QUAD.rotors]
    arms = np.array([line.get_xdata() for line in trace.lines if line.get_linewidth() == 2.0])
    assert (np.abs(np.diff(arms, axis=0)).max(axis=1) > 1e-3).all()  # none lies on the one before, as in a hover


@pytest.mark.parametrize(("point", "shown"), [((0, 1, 1.5), "yz"), ((0.8, 1, 1.5), "xyz"), ((0.8, 1, 1), "xy")])
def test_a_picture_shows_the_axes_along_which_the_path_extends(point, shown):
    gates = control.spline([(0, 0, 1), point, (0, 2, 1)], [0, 1.5, 3], degree=7)
    path = control.flat.quadcopter(gates, control.hold(0.0, 3.0), gravity=QUAD.gravity, drag=QUAD.drag.mean / QUAD.mass)
    flight = copter.fly(copter.Manoeuvre("gates", QUAD, path), QUAD)
    trace, errors, thrusts = flight.plot().axes
    for screen, world in zip("xyz", shown, strict=False):
        assert getattr(trace, f"get_{screen}label")() == f"{world} [m]"
        low, high = getattr(trace, f"get_{screen}lim")()
        r = flight.trace[0][:, "xyz".index(world)]
        assert low < r.min() - 0.05
        assert r.max() + 0.05 < high
    assert errors.get_xlim() == thrusts.get_xlim() == (0, flight.plan.duration)
    assert thrusts.get_ylabel() == "thrust [N]"


def test_a_reference_with_a_level_attitude_is_no_path_of_a_quadcopter():
    path = control.pose(control.polynomial(np.zeros(3), [0.1, 0.0, 0.0], 0.4), np.eye(3))
    with pytest.warns(RunWarning, match=r"slide takes more than the rotors of 'quadcopter'.*a force of \([-\d.]+, "):
        flight = copter.fly(copter.Manoeuvre("slide", QUAD, path))
    assert flight.figures.e_r > 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        copter.fly(copter.Manoeuvre("slide", copter.tricopter().without_bias(), path))


def test_limits_hold_a_tilting_rotor_in_its_sector():
    tri = copter.tricopter()
    W, l = limits(tri)
    rng = np.random.default_rng(0)
    x = rng.uniform(-9, 9, (2000, 6))
    inside = (x @ W.T <= l).all(axis=1)
    F, tilt = np.hypot(x[:, :3], x[:, 3:]), np.arctan2(x[:, 3:], x[:, :3])
    low, high = tri.rotors[0].thrusts
    assert inside.any()
    assert F[inside].max() <= high
    assert F[inside].min() >= low
    assert np.abs(tilt[inside]).max() <= np.pi / 4


def test_other_rotors_cannot_be_believed():
    shorter = replace(QUAD, rotors=tuple(replace(each, position=0.9 * each.position) for each in QUAD.rotors))
    with pytest.raises(ModelError, match="have rotors at other places"):
        copter.fly("flip", QUAD, believed=shorter)


def test_a_reference_that_takes_too_much_thrust_is_refused():
    heavy = replace(QUAD, mass=2.0, inertia=2 * QUAD.inertia)
    with pytest.raises(ModelError, match=r"looping cannot be flown.*takes a thrust of \d+\.\d* N.*push with 32.74 N"):
        copter.fly("looping", heavy)
