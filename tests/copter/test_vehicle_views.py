"""A vehicle prints and draws what it is."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import copter
from visviva.copter.vehicles.plot_vehicle import disc_radius

QUAD, TRICOPTER = copter.quadcopter(), copter.tricopter()


def arrows(axes):
    """Starts and ends of those that turn or push, by colour."""
    return [
        (np.array(note.xyann), np.array(note.xy), note.arrow_patch.get_edgecolor())
        for note in axes.texts
        if getattr(note, "arrow_patch", None) is not None
    ]


def test_a_table_has_units_and_what_rotors_share_once():
    text = str(QUAD)
    assert "mass              1.001 kg, weight 9.82 N" in text
    assert "thrust to weight  3.33" in text
    assert text.count("1.44e-05 N s²/rad²") == 1
    rows = {line[2:20].strip(): line[20:].split() for line in text.splitlines()}
    assert rows["turn"][:4] == ["left", "right", "left", "right"]
    assert_allclose([float(x) for x in rows["thrust at hover"][:4]], QUAD.hover.thrusts, rtol=5e-3)
    assert "lag" not in text
    assert "tilt" not in text
    volts = 0.0105 * QUAD.hover.speeds + 0.1 * QUAD.hover.currents
    assert f"power at hover    {volts @ QUAD.hover.currents:.4g} W" in text


def test_a_table_tells_tilts_options_and_the_battery():
    assert "tilt              -75…75 °" in str(TRICOPTER)
    one, *others = QUAD.rotors
    text = str(replace(QUAD, rotors=[replace(one, lag=0.02), *others], battery=copter.Battery((9.9, 12.6), 0.03, 2.2)))
    assert "9.9 to 12.6 V, 0.03 Ω, 2.2 A h" in text
    assert [line.split() for line in text.splitlines() if "lag" in line] == [["lag", "0.02", "0", "0", "0", "s"]]


@pytest.mark.parametrize("vehicle", [QUAD, TRICOPTER], ids=repr)
def test_arrows_turn_about_the_axes_of_rotors(vehicle, tmp_path):
    figure = vehicle.plot(tmp_path / "vehicle.png")
    assert (tmp_path / "vehicle.png").stat().st_size > 10_000
    above, aside = figure.axes
    turning = arrows(above)[: len(vehicle.rotors)]
    for rotor in vehicle.rotors:
        start, end, _ = min(turning, key=lambda arrow: np.linalg.norm(arrow[1] - rotor.position[:2]))
        radius, step = start - rotor.position[:2], end - start
        assert np.sign(radius[0] * step[1] - radius[1] * step[0]) == rotor.spin
    pushing = arrows(aside)[: len(vehicle.rotors)]
    assert all(end[1] > start[1] for start, end, _ in pushing)
    names = {note.get_text() for note in above.texts}
    assert {"x", "y", *(rotor.name for rotor in vehicle.rotors)} < names
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert ("tilt axis" in labels) == bool(vehicle.tilting)
    plt.close(figure)


def test_rotors_above_each_other_share_a_name_and_keep_their_size():
    up = [replace(rotor, name=f"{rotor.name}u", position=np.add(rotor.position, (0, 0, 0.05))) for rotor in QUAD.rotors]
    stacked = replace(QUAD, rotors=[*QUAD.rotors, *up])
    assert disc_radius(stacked, up[0]) == pytest.approx(disc_radius(QUAD, QUAD.rotors[0]), rel=0.05)
    figure = stacked.plot()
    assert "rotor1, rotor1u" in {note.get_text() for note in figure.axes[0].texts}
    plt.close(figure)
