"""The page of a flight is one file, and what it plays is the flight."""

import json
import re
from dataclasses import replace
from functools import lru_cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from plain_flights import fly, in_python  # noqa: F401

from visviva import ModelError, RunWarning, control, copter
from visviva.copter.flights.flight_page import moving

TRICOPTER = copter.tricopter().without_bias()


def aside(vehicle, duration=0.4):
    """A step to the side in level attitude."""
    path = control.pose(control.polynomial((0, 0, 1.0), (0.1, 0, 1.0), duration), np.eye(3))
    return copter.Manoeuvre("aside <b>", vehicle, path)


@lru_cache
def flown():
    return copter.fly(aside(TRICOPTER))


def text_of(flight, path):
    flight.page(path)
    assert plt.get_fignums() == []
    return path.read_text(encoding="utf-8")


def test_the_page_is_one_file_with_figures_pictures_and_audit(tmp_path):
    text = text_of(flown(), tmp_path / "flight.html")
    assert not re.search(r'(src|href)="(?!#)', text.replace('xlink:href="#', ""))
    assert text.count("<svg") == 3
    assert "rms e_r" in text
    assert "every joule accounted for" in text
    assert "<b>" not in text
    assert json.loads(re.search(r"^const motion = (.*);$", text, re.MULTILINE)[1]) == json.loads(
        json.dumps(moving(flown()))
    )


def test_the_motion_is_that_of_the_flight():
    flight, motion = flown(), moving(flown())
    points, t = np.array(motion["points"]), np.array(motion["t"])
    kept = np.searchsorted(flight.run.t, t - 1e-9)
    r, R = (values[kept] for values in flight.trace)
    craft, target = (i for i, _ in motion["marks"])
    assert_allclose(points[:, craft], r, atol=1e-5)
    assert_allclose(points[-1, target], (0.1, 0, 1.0), atol=1e-5)
    for (hub, end, _), rotor in zip(motion["lines"], TRICOPTER.rotors, strict=False):
        assert hub == craft
        assert_allclose(points[:, end], r + R @ rotor.position, atol=1e-5)


def test_thrusts_and_discs_tilt_with_their_rotors():
    flight, motion = flown(), moving(flown())
    points, tilts = np.array(motion["points"]), flight.tilts
    assert np.abs(tilts).max() > 0.05
    (_, _), (thrust, kind) = motion["strokes"][:2]
    ring, side = motion["strokes"][0]
    assert (kind, side) == ("thrust", "right")
    arrow = points[:, thrust[1]] - points[:, thrust[0]]
    for corner in ring:
        assert_allclose(np.einsum("ni,ni->n", points[:, corner] - points[:, thrust[0]], arrow), 0, atol=1e-5)
    F = flight.thrusts[np.searchsorted(flight.thrust_times, motion["t"]).clip(max=len(flight.thrusts) - 1), 0]
    assert_allclose(np.linalg.norm(arrow, axis=1) / F, 0.6 * TRICOPTER.arm / TRICOPTER.hover.thrusts.mean(), rtol=1e-3)


def test_a_flight_by_sensors_has_a_page_with_its_cautions(in_python, tmp_path):  # noqa: F811
    quad = copter.quadcopter().without_bias()
    flight = fly(copter.Sensors(blind=((0.05, 0.4),)), plan=aside(quad), settle=0.2, vehicle=quad, patience=0.05)
    assert flight.cautions
    text = text_of(flight, tmp_path / "flight.html")
    assert '<p class="caution">frames were missing' in text
    assert_allclose(np.array(moving(flight)["points"])[:, 0][[0, -1]], flight.trace[0][[0, -1]], atol=1e-5)


def test_what_a_reference_takes_too_much_of_is_on_the_page(tmp_path):
    plan = aside(copter.quadcopter().without_bias())  # level, though its rotors do not tilt
    with pytest.warns(RunWarning, match="takes more than the rotors") as warned:
        flight = copter.fly(plan)
    assert flight.cautions[0] == str(warned[0].message)
    assert '<p class="caution">aside &lt;b&gt; takes more' in text_of(flight, tmp_path / "flight.html")


def test_what_never_flew_has_no_page(in_python, tmp_path):  # noqa: F811
    with pytest.raises(ModelError, match="was not flown"):
        fly(copter.Sensors(dropout=0.9999)).page(tmp_path / "flight.html")


def test_rotors_with_options_tilt_as_asked():
    late = replace(TRICOPTER, rotors=[replace(rotor, lag=1e-3) for rotor in TRICOPTER.rotors])
    assert_allclose(copter.fly(aside(late)).tilts, flown().tilts, atol=0.02)
