"""Motions through singular configurations: they pass with exact energy and are warned of, or end with a name."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.demo import bennett, double_pendulum, four_bar, slider_crank
from visviva.results import loop_margin

SCHEMES = [vv.PHMP(), vv.PHMPGGL(), vv.DiscreteGradient()]
EACH = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)


def warning(run):
    """What the audit says of singular configurations."""
    found = [text for text in run.audit().warnings if "near a singular configuration" in text]
    assert len(found) <= 1
    return found[0] if found else ""


def parallelogram(angle, rate=-1.0):
    """Cranks of 1 m, a coupler of 2 m, no gravity: kinetic energy does not depend on the angle, which is uniform."""
    m = vv.Mechanism("parallelogram")
    tip, turn = np.array([np.cos(angle), np.sin(angle), 0]), vv.geometry.SO3.exp([0, 0, angle])
    for name, x in (("left", 0), ("right", 2)):
        m.body(name, inertia=vv.inertia.box(1.0, (1.0, 0.1, 0.1)), at=0.5 * tip + (x, 0, 0), rotation=turn)
    m.body("top", inertia=vv.inertia.box(1.0, (2.0, 0.1, 0.1)), at=tip + np.array([1, 0, 0]))
    m.revolute("A", "ground", "left", at=(0, 0, 0), axis=(0, 0, 1), rate=rate)
    m.revolute("B", "left", "top", at=tip, axis=(0, 0, 1))
    m.revolute("C", "top", "right", at=tip + np.array([2, 0, 0]), axis=(0, 0, 1))
    m.revolute("D", "ground", "right", at=(2, 0, 0), axis=(0, 0, 1))
    return m


@EACH
@pytest.mark.parametrize("h", [0.1, 0.0307])
def test_a_parallelogram_passes_the_line(scheme, h):
    """At 0.3 s, nearly at a node or between two; it stays a parallelogram."""
    run = vv.simulate(parallelogram(0.3), 1.0, h, integrator=scheme)
    assert run.audit().ok
    np.testing.assert_allclose(run["A.q"], -run.t, rtol=0, atol=2 * h**2)
    np.testing.assert_allclose(run["D.q"], run["A.q"], rtol=0, atol=1e-6)
    assert run["loop_margin"].min() < 0.02 < run["loop_margin"][0]
    text = warning(run)
    assert "the loop of 'A', 'B', 'C', 'D' is near a singular configuration" in text
    assert abs(float(text.split("t = ")[1].split(" s")[0]) - 0.3) < h


def test_far_from_the_line_nothing_is_said():
    run = vv.simulate(parallelogram(2.0), 1.5, 0.01)
    assert warning(run) == ""
    assert run["loop_margin"].min() > 0.1


def test_a_long_run_is_searched_between_the_nodes_that_were_sampled():
    """The line is passed in one of 4000 steps."""
    run = vv.simulate(parallelogram(0.3003), 0.8, 0.0002)
    assert "at t = 0.3" in warning(run)


def equal_slider_crank(rate):
    """Crank and rod of equal length: with the crank upright the slider is at the shaft, and two ways lead on."""
    m = vv.Mechanism("equal slider-crank")
    for name, x, turn in (("crank", 0.25, 0.0), ("rod", 0.75, 0.0)):
        m.body(
            name,
            inertia=vv.inertia.box(1.0, (0.5, 0.05, 0.05)),
            at=(x, 0, 0),
            rotation=vv.geometry.SO3.exp([0, turn, 0]),
        )
    m.body("slider", inertia=vv.inertia.box(0.5, (0.1, 0.1, 0.1)), at=(1, 0, 0))
    m.revolute("shaft", m.ground, "crank", at=(0, 0, 0), axis=(0, 0, 1), rate=rate)
    m.revolute("elbow", "crank", "rod", at=(0.5, 0, 0), axis=(0, 0, 1))
    m.revolute("wrist", "rod", "slider", at=(1, 0, 0), axis=(0, 0, 1))
    m.prismatic("guide", m.ground, "slider", at=(1, 0, 0), axis=(1, 0, 0))
    return m


@EACH
def test_a_slider_crank_of_equal_bars_passes_or_says_where_it_stops(scheme):
    try:
        run = vv.simulate(equal_slider_crank(3.0), 2.0, 0.01, integrator=scheme)
    except vv.ConvergenceError as error:
        assert "the loop of 'shaft', 'elbow', 'wrist', 'guide' is near a singular configuration" in str(error)  # noqa: PT017
        run = error.run
    assert "the loop of 'shaft', 'elbow', 'wrist', 'guide'" in warning(run)
    assert run.audit().first_law <= 1e-13
    assert run.audit().g <= 1e-12
    assert run.t[-1] > 0.4


@pytest.mark.parametrize("make", [slider_crank, bennett, four_bar], ids=lambda make: make.__name__)
def test_dead_centres_and_mobile_loops_are_no_singular_configurations(make):
    """A crank shaft turns past its dead centres, and a Bennett linkage is mobile though Grübler says no."""
    run = vv.simulate(make(), 3.0, 0.01)
    assert run.audit().ok
    assert run["loop_margin"].min() > 1e-2
    assert warning(run) == ""


def test_a_step_that_fails_near_the_line_names_the_loop():
    scheme = vv.PHMP(newton=vv.Newton(max_iterations=0))
    with pytest.raises(vv.ConvergenceError, match=r"There the loop of 'A', 'B', 'C', 'D' is near") as end:
        vv.simulate(parallelogram(0.01, rate=-20.0), 1.0, 0.1, integrator=scheme)
    assert "margin 0.01" in str(end.value)
    assert "may branch off or lock" in str(end.value)
    with pytest.raises(vv.ConvergenceError, match=r"Try a smaller h; if it still fails") as end:
        vv.simulate(parallelogram(1.5, rate=-20.0), 1.0, 0.1, integrator=scheme)


def test_trees_have_no_margin():
    run = vv.simulate(double_pendulum(), 0.1, 0.01)
    assert "loop_margin" not in run
    np.testing.assert_array_equal(loop_margin(run), np.ones(11))
