"""Frequency and step responses, zeros, reachable and visible states."""

import numpy as np
import pytest
from linear_models import motor_arm, rods, spring_chain
from numpy.testing import assert_allclose

import visviva as vv
from visviva.linear import LinearSystem


def oscillator(w=2.0, d=0.4):
    return LinearSystem(
        "oscillator", np.array([[0, 1.0], [-(w**2), -d]]), np.array([[0.0], [1.0]]), np.eye(2), np.zeros((2, 1)),
        ("q", "v"), ("f",), ("q", "v"), {"q": "m", "v": "m/s", "f": "N"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def arm():
    return vv.linearise(motor_arm(), outputs=["hinge0.q", "rod0.r", "rod0.twist", "motor.y"])


def test_a_frequency_response_is_that_of_the_formula():
    w = np.geomspace(0.1, 30, 40)
    found = oscillator().frequency_response(w)
    exact = 1 / (4 - w**2 + 0.4j * w)
    assert_allclose(found["q", "f"], exact, rtol=1e-12)
    assert_allclose(found["v", "f"], 1j * w * exact, rtol=1e-12)
    assert_allclose(found.phase[:, 0, 0], np.unwrap(np.angle(exact)), atol=1e-12)


def test_a_step_response_is_that_of_the_formula_at_any_spacing():
    t = np.array([0.0, 0.3, 0.31, 2.0, 7.5])
    d, w = 0.2, np.sqrt(4 - 0.04)
    exact = 0.25 * (1 - np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t)))
    assert_allclose(oscillator().step_response(t)["q", "f"], exact, atol=1e-13)


def test_a_step_response_is_a_small_motion(arm):
    """The same as a simulation with a small voltage, to second order of it."""
    small = 1e-4
    form = vv.analytical(motor_arm(), inputs={"motor": small})
    run = vv.simulate(form, t_end=0.5, h=0.05, integrator=vv.DOP853(tolerance=1e-12))
    step = arm.step_response(run.t)["hinge0.q", "motor"]
    assert_allclose(step, run["hinge0.q"] / small, atol=1e-6 * step.max())


def test_power_that_goes_in_is_dissipated(arm):
    """Current over voltage of a passive machine: its real part is never negative."""
    w = np.geomspace(1e-2, 1e4, 60)
    assert (arm.frequency_response(w)["motor.y", "motor"].real > 0).all()


def test_outputs_follow_the_body(arm):
    """The centre of a hanging rod: x = l/2 θ, height of second order; its twist has θ̇."""
    names = arm.outputs
    C = arm.C
    assert_allclose(np.abs(C[names.index("rod0.r[0]")]), [0.5, 0, 0], atol=1e-11)
    assert_allclose(C[names.index("rod0.r[2]")], 0.0, atol=1e-11)
    assert_allclose(C[names.index("rod0.twist[1]")], [0, 1, 0], atol=1e-11)
    assert (arm.unit("rod0.r[0]"), arm.unit("rod0.twist[1]"), arm.unit("rod0.twist[4]")) == ("m", "rad/s", "m/s")


def test_zeros_are_the_poles_of_what_the_input_holds():
    """A chain of two masses, pushed and seen at the first one: with it held, the second swings between two springs."""
    m = spring_chain(2, mass=1.0, k=3.0)
    m.force("push", "slide0")
    lin = vv.linearise(m, outputs=["slide0.q"])
    assert_allclose(np.abs(lin.zeros()), np.sqrt(6.0), rtol=1e-9)
    seen = vv.linearise(m, outputs=["slide1.q"])
    assert len(seen.zeros()) == 0  # all of the force goes through both
    with pytest.raises(vv.ModelError, match="as many inputs as outputs"):
        vv.linearise(m).zeros()


def test_what_inputs_reach_and_outputs_show():
    m = spring_chain(3)
    m.force("middle", "slide1")
    m.force("first", "slide0")
    lin = vv.linearise(m, outputs=["slide1.q", "slide0.q"])
    assert lin.select(["middle"]).controllable() == 4  # the mode in which the middle rests stays
    assert lin.select(["first"]).controllable() == 6
    assert lin.select(outputs=["slide1.q"]).observable() == 4
    assert lin.select(outputs=["slide0.q"]).observable() == 6
    assert lin.select(inputs=[]).controllable() == 0


def test_a_free_place_is_reached_but_not_shown_by_rates():
    flow = LinearSystem("cart", np.array([[0, 1.0], [0, 0]]), np.array([[0.0], [1.0]]), np.array([[0.0, 1.0]]),
                        np.zeros((1, 1)), ("q", "v"), ("f",), ("v",))  # fmt: skip
    assert flow.controllable() == 2
    assert flow.observable() == 1


def test_a_bode_plot_has_both_parts(arm, tmp_path):
    path = tmp_path / "bode.png"
    figure = arm.select(["motor"], ["hinge0.q", "motor.y"]).bode(path=path)
    assert path.stat().st_size > 10_000
    top, low = figure.axes
    assert (top.get_xscale(), top.get_yscale(), low.get_ylabel()) == ("log", "log", "phase [°]")
    assert len(top.lines) == 2


def test_names_select_groups(arm):
    assert arm.select(outputs=["rod0.r", "hinge0.q"]).outputs == ("rod0.r[0]", "rod0.r[1]", "rod0.r[2]", "hinge0.q")
    with pytest.raises(vv.ModelError, match=r"Did you mean 'rod0.r"):
        arm.select(outputs=["rod0.rr"])
    with pytest.raises(vv.ModelError, match="list of names"):
        arm.select(outputs="hinge0.q")
    with pytest.raises(vv.ModelError, match="has no 'x'"):
        arm.frequency_response([1.0])["hinge0.q", "x"]
    with pytest.raises(vv.ModelError, match="has no 'x'"):
        arm.unit("x")


def test_responses_without_a_value_are_errors():
    with pytest.raises(vv.ModelError, match="undamped pole at 2 rad/s"):
        oscillator(d=0.0).frequency_response(2.0)
    with pytest.raises(vv.ModelError, match="has no inputs"):
        vv.linearise(rods()).frequency_response(1.0)
    with pytest.raises(vv.ModelError, match="one vector that rises"):
        oscillator().step_response([1.0, 0.5])
    with pytest.raises(vv.ModelError, match="one vector"):
        oscillator().frequency_response([[1.0]])
    blind = LinearSystem(
        "blind", -np.eye(1), np.ones((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), ("x",), ("u",), ("y",)
    )
    with pytest.raises(vv.ModelError, match="shows nothing of its input"):
        blind.zeros()


def test_python_control_gets_the_same_system(arm):
    pytest.importorskip("control.statesp")
    import control

    one = arm.select(["motor"], ["hinge0.q"])
    other = one.to_control()
    assert other.input_labels == ["motor"]
    assert other.state_labels == ["hinge0_q", "hinge0_rate", "motor_flux"]
    assert_allclose(other(3.0j), one.frequency_response(3.0)["hinge0.q", "motor"][0])
    assert_allclose(np.sort_complex(control.poles(other)), np.sort_complex(one.poles()), rtol=1e-9)


def test_without_python_control_there_is_a_hint(arm, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(vv.ModelError, match=r"pip install 'visviva\[control\]'"):
        arm.to_control()
