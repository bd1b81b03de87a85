"""Transfer functions are those of formulas, whatever states stand for them; pictures of loops show what they should."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from linear_models import G, rods, rolling, spring_chain
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.linear import LinearSystem

W = np.array([0.3, 2.0, 20.0, 300.0])


def system(A, B, C, D=None):
    """A linear system by its matrices."""
    A, B, C = (np.atleast_2d(np.asarray(part, float)) for part in (A, B, C))
    D = np.zeros((len(C), B.shape[1])) if D is None else np.atleast_2d(D)
    names = [
        tuple(f"{letter}{k}" for k in range(n)) for letter, n in zip("xuy", (len(A), B.shape[1], len(C)), strict=True)
    ]
    return LinearSystem("matrices", A, B, C, D, *names)


@pytest.fixture
def arm():
    m = rods(2)
    m.motor("motor", "hinge0", resistance=2.0, inductance=0.05, k=2.0)
    return vv.linearise(m, outputs=["hinge0.q", "hinge1.q", "motor.y"])


def test_factors_are_those_of_the_formula():
    """(s + 3)/((s + 1)(s² + 2 s + 5))."""
    found = system([[0, 1, 0], [0, 0, 1], [-5, -7, -3]], [[0], [0], [1]], [[3, 1, 0]]).transfer_function()
    assert_allclose(found.num, [1, 3], rtol=1e-12)
    assert_allclose(found.den, [1, 3, 7, 5], rtol=1e-12)
    assert found.gain == pytest.approx(1.0, rel=1e-12)
    assert str(found) == "y0 / u0 = 1 (s + 3) / [(s + 1) (s² + 2 s + 5)]"


def test_what_passes_straight_through_has_as_many_zeros_as_poles():
    found = system([[-2.0]], [[1.0]], [[3.0]], [[0.5]]).transfer_function()  # 0.5 + 3/(s + 2)
    assert_allclose([*found.zeros, *found.poles, found.gain], [-8, -2, 0.5], rtol=1e-12)
    none = system(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), [[4.0]]).transfer_function()
    assert none(1j) == 4.0


def test_factors_give_the_frequency_response(arm):
    response = arm.frequency_response(W)
    for output in arm.outputs:
        found = arm.transfer_function(output, "motor")
        assert_allclose(found(1j * W), response[output, "motor"], rtol=1e-10)
        assert len(found.poles) == 5


def test_what_the_output_does_not_show_cancels():
    """Pushed and seen in the middle, a chain of three has no part of the mode that is antisymmetric."""
    m = spring_chain(3, mass=1.0, k=100.0)
    m.force("push", "slide1")
    found = vv.linearise(m).transfer_function("slide1.q", "push")
    squares = 100.0 * (2 + np.sqrt(2) * np.array([1, -1]))
    assert_allclose(np.sort(found.poles.imag**2), np.repeat(np.sort(squares), 2), rtol=1e-9)
    assert_allclose(found.zeros.imag**2, [200.0, 200.0], rtol=1e-9)
    assert "(s² + 200)" in str(found)


def test_nothing_seen_is_zero():
    assert not system([[-1.0]], [[0.0]], [[1.0]]).transfer_function()(2j)


def test_a_transfer_function_does_not_depend_on_the_choice_of_states():
    """Of a loop: torque on the crank to its angle, with velocities of the crank or of the rocker as states."""
    m = demo.four_bar()
    m.torque("engine", "A")
    found = [vv.linearise(m, velocities=[rate], outputs=["A.q", "engine.y"]) for rate in ("A.rate", "B.rate")]
    assert found[0].states != found[1].states
    for output in ("A.q", "engine.y"):
        one, other = (lin.transfer_function(output, "engine") for lin in found)
        assert_allclose(other(1j * W), one(1j * W), rtol=1e-8)


def test_a_disc_that_rolls_has_more_inertia_than_mass():
    """x/f = 1/((m + J/r²) s²) along the track: a condition on velocities, and more increments than velocities."""
    m = rolling(0.0, axial=0.5)
    m.wrench("wind", "disc", frame="world")
    lin = vv.linearise(m, outputs=["disc.r"])
    found = lin.transfer_function("disc.r[0]", "wind[3]")
    assert_allclose(found(1j * W), 1 / (1.5 * 2.0 * (1j * W) ** 2), rtol=1e-8)
    assert str(found) == "disc.r[0] / wind[3] = 0.333333 / [s s]"
    falls = lin.transfer_function("disc.r[1]", "wind[3]")
    assert not falls(1j * W).any()


def test_a_pole_and_a_zero_that_are_near_each_other_are_kept():
    """1 + 5e-7/(s + 1) = (s + 1.0000005)/(s + 1) is not one."""
    found = system([[-1.0]], [[1.0]], [[5e-7]], [[1.0]]).transfer_function()
    assert_allclose([*found.zeros, *found.poles], [-1 - 5e-7, -1], rtol=1e-14)


def test_poles_that_cannot_be_told_apart_are_not_guessed():
    """Many lags in a row: rounding spreads their poles so far that their product is off."""
    n, turn = 60, np.linalg.qr(np.random.default_rng(0).standard_normal((60, 60)))[0]
    A = turn @ (-np.eye(n) + np.eye(n, k=1)) @ turn.T
    with pytest.raises(vv.ModelError, match="lie too close together"):
        system(A, turn[:, -1:], turn[:, :1].T).transfer_function()


def test_one_input_and_one_output_are_wanted(arm):
    with pytest.raises(vv.ModelError, match=r"(?s)'rods' has 1 and 3.*transfer_function\('arm.q', 'motor'\)"):
        arm.transfer_function()


# -- pictures ---------------------------------------------------------------------------------------------------


def test_a_nyquist_plot_has_the_response_its_mirror_and_the_point(tmp_path):
    lag = system([[-1.0]], [[1.0]], [[2.0]])  # a circle from 2 to 0
    figure = lag.nyquist(path=tmp_path / "nyquist.png")
    (axes,) = figure.axes
    _, ahead, behind, point = axes.lines
    x, y = ahead.get_data()
    assert_allclose((x - 1) ** 2 + y**2, 1.0, atol=1e-9)
    assert (y < 0).all()
    assert_allclose(behind.get_ydata(), -y)
    assert (point.get_xdata(), point.get_ydata()) == ([-1.0], [0.0])
    assert axes.get_xlim()[0] < -1
    assert axes.get_xlim()[1] > 2
    assert (tmp_path / "nyquist.png").stat().st_size > 0
    plt.close(figure)


def test_an_undamped_pole_runs_out_of_a_nyquist_plot():
    m = rods()
    m.torque("hand", "hinge0")
    figure = vv.linearise(m, outputs=["hinge0.q"]).nyquist()
    assert figure.axes[0].get_xlim()[1] < 10
    plt.close(figure)


def test_a_nichols_plot_has_decibels_over_degrees():
    three = system([[-1, 0, 0], [1, -1, 0], [0, 1, -1]], [[1], [0], [0]], [[0, 0, 8]])  # 8/(s + 1)³
    figure = three.nichols(np.geomspace(1e-3, 1e3, 400))
    axes = figure.axes[0]
    phase, size = next(line.get_data() for line in axes.lines if line.get_label() == "y0 / u0")
    assert np.interp(180.0, -phase, size) == pytest.approx(0.0, abs=0.01)  # |8/(1 + i√3)³| = 1
    assert phase[0] == pytest.approx(0.0, abs=0.5)
    crosses = [line.get_data() for line in axes.lines if line.get_marker() == "+"]
    assert_allclose(crosses, [([-180.0], [0.0])])
    plt.close(figure)


def test_lines_of_a_nichols_plot_are_those_of_the_closed_loop():
    figure = system([[-1.0]], [[1.0]], [[2.0]]).nichols()
    lines = [line for line in figure.axes[0].lines if line.get_color() == "0.85"]
    for line, level in zip(lines, (-12, -6, -3, 0, 1, 3, 6, 12), strict=False):
        L = 10 ** (line.get_ydata() / 20) * np.exp(1j * np.radians(line.get_xdata()))
        assert_allclose(20 * np.log10(np.abs(L / (1 + L))), level, atol=1e-6)
    plt.close(figure)


def test_poles_and_zeros_are_mapped(arm):
    figure = arm.select(outputs=["hinge0.q"]).pole_zero_map()
    shown = {line.get_label(): line.get_xydata() for line in figure.axes[0].lines}
    assert_allclose(np.sort(np.abs(shown["zeros"][:, 1])), np.sqrt(1.5 * G) * np.ones(2), rtol=1e-9)
    assert len(shown["poles"]) == 5
    plt.close(figure)
    figure = arm.pole_zero_map()  # no zeros between three outputs and one input
    assert len({line.get_label(): line for line in figure.axes[0].lines}["zeros"].get_xdata()) == 0
    plt.close(figure)
