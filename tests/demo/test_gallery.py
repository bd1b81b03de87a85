"""The mechanisms of the gallery do what their pages say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.demo.chain import LENGTH, fold
from visviva.demo.overconstrained import bennett_hinges

FREEDOMS = {
    "pendulum": (1, {}),
    "double_pendulum": (2, {}),
    "heavy_top": (3, {}),
    "gyroscope": (3, {}),
    "driven_crank": (1, {}),
    "four_bar": (1, {"D": 3}),
    "slider_crank": (1, {}),
    "bennett": (1, {"h4": 3}),
    "sarrus": (1, {"head y": 1}),
    "stewart": (6, {}),
    "screw_press": (1, {"collar": 4}),
    "differential": (2, {}),
    "rolling_disc": (3, {}),
    "snakeboard": (4, {}),
}


@pytest.mark.parametrize("name", FREEDOMS)
def test_a_mechanism_has_the_freedoms_that_its_page_counts(name):
    m = getattr(demo, name)()
    assert (m.mobility(), m.redundant()) == FREEDOMS[name]


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # a rotor turns fast
@pytest.mark.parametrize("name", FREEDOMS)
def test_every_joule_of_a_few_steps_is_accounted_for(name):
    run = vv.simulate(getattr(demo, name)(), t_end=0.03, h=0.01)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law < 1e-13


def test_the_slider_crank_has_the_energy_of_the_benchmark():
    run = vv.simulate(demo.slider_crank(), t_end=0.01, h=0.01)
    assert run["energy"][0] == pytest.approx(0.76643568, abs=1e-14)
    assert_allclose(run["slider.twist"][0, 3:], (0.24, 0, 0), atol=1e-14)
    assert_allclose(run["conrod.r"][0], (0.1, 0.05, 0.1), atol=1e-15)


@pytest.mark.parametrize("theta", [0.7, 1.5, 2.9, -0.4])
def test_bennett_closes(theta):
    points, axes = bennett_hinges(theta)
    assert_allclose(points[-1], points[0], atol=1e-14)
    assert_allclose(axes[-1], axes[0], atol=1e-14)


def test_bennett_has_the_published_energy_and_singular_values():
    points, axes = bennett_hinges()
    screws = np.concatenate([axes, np.cross(points, axes)], axis=1)[:4]
    found = np.linalg.svd(screws, compute_uv=False)
    assert_allclose(found[:3], (2.466186, 1.544177, 0.971769), atol=1e-6)
    assert found[3] < 1e-14
    run = vv.simulate(demo.bennett(), t_end=0.01, h=0.01)
    assert run["energy"][0] == pytest.approx(0.3869794180, abs=1e-10)


def test_bennett_turns_as_published_and_with_order_two():
    errors = []
    for h in (0.02, 0.01):
        run = vv.simulate(demo.bennett(), t_end=1.0, h=h)
        errors.append(0.7 + run["h1.q"][-1] - 1.596082442)
    assert abs(errors[1]) < 1e-5
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)
    assert (4 * errors[1] - errors[0]) / 3 == pytest.approx(0, abs=2e-8)


def test_the_platform_of_sarrus_keeps_to_its_line():
    run = vv.simulate(demo.sarrus(), t_end=0.3, h=0.01)
    assert abs(run["centre.r"][:, :2]).max() < 1e-13
    assert abs(run["platform.R"] - np.eye(3)).max() < 1e-13
    assert np.ptp(run["centre.r"][:, 2]) > 0.3


def test_the_chain_is_folded_at_equal_steps():
    s = np.linspace(0, LENGTH, 2001)
    points = fold(s)
    assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), s[1], rtol=1e-3)
    assert_allclose(points[0], 0.0)
    assert points[-1, 2] == pytest.approx(0.0, abs=1e-12)


def test_links_of_the_chain_meet():
    m = demo.folded_chain(12)
    assert m.mobility() == 36
    assert str(m.assemble()[1]) == "nothing had to change"


@pytest.mark.slow
def test_the_end_of_the_chain_overtakes_a_stone():
    run = vv.simulate(demo.folded_chain(40), t_end=0.8, h=0.002)
    ahead = run["tip.r"][0, 2] - run["tip.r"][:, 2] - 0.5 * 9.81 * run.t**2
    assert ahead[-1] > 0.2
    assert run.audit().ok
