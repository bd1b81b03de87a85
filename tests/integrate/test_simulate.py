"""The time loop: grid, thinning, stop, interruption, continuation, failure."""

from __future__ import annotations

import contextlib
import signal

import numpy as np
import pytest
from catalogue import pair_with
from test_models import oscillator

import visviva as vv
from visviva.integrate import BadInput


def driven():
    m = pair_with(0.1)
    m.torque("motor", "h2")
    return m


PUSH = {"motor": lambda t: np.sin(7 * t)}


def same(a, b):
    """States and what each step did, bit for bit; sums over many steps at a time may differ by rounding."""
    names = ("t", "x", "angles", "u", "w_mid", "heat", "work", "power", "iterations")
    return all(np.array_equal(getattr(a.record, name), getattr(b.record, name)) for name in names)


# -- the grid ----------------------------------------------------------------------------------------------------


def test_the_run_ends_at_t_end():
    run = vv.simulate(pair_with(), t_end=0.1, h=0.01)
    assert len(run.t) == 11
    assert run.t[-1] == pytest.approx(0.1, abs=1e-15)
    assert run.notes == ()
    np.testing.assert_allclose(run.t_mid, (run.t[1:] + run.t[:-1]) / 2, atol=1e-15)


def test_a_step_that_does_not_fit_is_changed_and_said():
    run = vv.simulate(pair_with(), t_end=0.1, h=0.03)
    assert len(run.t) == 4
    assert run.t[-1] == pytest.approx(0.1)
    assert "h changed from 0.03" in run.notes[0]
    assert any("h changed" in warning for warning in run.audit().warnings)


def test_no_time_is_no_step():
    run = vv.simulate(pair_with(), t_end=0.0, h=0.01)
    assert len(run.t) == 1
    assert run["energy"].shape == (1,)
    assert run.audit().ok


def test_every_keeps_the_accounts():
    fine = vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH)
    coarse = vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH, every=7)
    np.testing.assert_array_equal(coarse.t, fine.t[[0, 7, 14, 20]])
    np.testing.assert_array_equal(coarse["b.r"], fine["b.r"][[0, 7, 14, 20]])
    np.testing.assert_allclose(coarse["work"][-1], fine["work"][-1], rtol=1e-13)
    np.testing.assert_allclose(coarse["heat"][-1], fine["heat"][-1], rtol=1e-13)
    assert coarse.audit().first_law == pytest.approx(fine.audit().first_law, rel=0.5)
    assert coarse.record.closure.max() == fine.record.closure.max()
    assert coarse.final.steps == fine.final.steps == 20


# -- stopping, interrupting, continuing ---------------------------------------------------------------------------


def test_a_continued_run_is_the_same_bit_for_bit():
    whole = vv.simulate(driven(), t_end=0.2, h=0.005, inputs=PUSH)
    first = vv.simulate(driven(), t_end=0.085, h=0.005, inputs=PUSH)
    second = vv.simulate(driven(), t_end=0.2, h=0.005, inputs=PUSH, initial=first.final)
    assert second.t[0] == first.t[-1]
    np.testing.assert_array_equal(second.record.x[-1], whole.record.x[-1])
    np.testing.assert_array_equal(second.record.x, whole.record.x[17:])
    np.testing.assert_array_equal(second["h2.q"], whole["h2.q"][17:])


def test_chunks_do_not_show(monkeypatch):
    whole = vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH)
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", 1e-9)
    assert same(vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH), whole)


def test_a_stop_condition_ends_the_run_at_its_step():
    run = vv.simulate(pair_with(), t_end=5.0, h=0.01, stop=lambda now: now["h1.q"] > 0.5)
    assert run["h1.q"][-1] > 0.5
    assert (run["h1.q"][:-1] <= 0.5).all()
    assert run.final.t == pytest.approx(run.t[-1])
    assert "stop condition" in run.notes[0]
    again = vv.simulate(pair_with(), t_end=run.t[-1], h=0.01)
    np.testing.assert_array_equal(run.final.x, again.final.x)


def test_a_stop_condition_sees_time_and_step_quantities():
    run = vv.simulate(driven(), t_end=1.0, h=0.01, inputs=PUSH, stop=lambda now: now.t > 0.1 and now["motor.power"] < 9)
    assert run.t[-1] == pytest.approx(0.11)


@pytest.mark.parametrize("raises", [False, True], ids=["signal", "KeyboardInterrupt"])
def test_ctrl_c_keeps_what_was_computed(raises):
    whole = vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH)

    def interrupted(t):
        if t > 0.035 and raises:
            raise KeyboardInterrupt
        if 0.035 < t < 0.04:
            signal.raise_signal(signal.SIGINT)  # noted, and asked for when the chunk is done
        return PUSH["motor"](t)

    with pytest.raises(vv.Interrupted, match=r"interrupted at t = 0\.\d+ s after \d+ steps") as stopped:
        vv.simulate(driven(), t_end=0.1, h=0.005, inputs={"motor": interrupted})
    part = stopped.value.run
    assert part.steps == 7 if raises else 7 <= part.steps < 20
    np.testing.assert_array_equal(part.record.x, whole.record.x[: part.steps + 1])
    rest = vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH, initial=part.final)
    np.testing.assert_array_equal(rest.record.x[-1], whole.record.x[-1])


# -- failure ------------------------------------------------------------------------------------------------------


def test_a_step_without_solution_raises_and_keeps_the_valid_part():
    m = vv.Mechanism("whirl", gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(1e-3, 1e-3, 2e-4), com=(0, 0, 0.1), twist=(300.0, 0, 500.0, 0, 0, 0))
    b = m.body("b", mass=1.0, inertia=(1e-3, 1e-3, 2e-4), at=(0, 0, 0.3))
    m.spherical("pivot", m.ground, a, at=(0, 0, 0))
    m.spherical("link", a, b, at=(0, 0, 0.2))
    with pytest.raises(vv.ConvergenceError, match=r"'whirl': the step from t = .* could not be solved") as failure:
        vv.simulate(m, t_end=100.0, h=1.0, integrator=vv.PHMP(newton=vv.Newton(max_iterations=2)))
    run = failure.value.run
    assert np.isfinite(run.record.x).all()
    assert run.record.closure.max(initial=0.0) <= 1e-10 * max(1.0, run.energy_scale)
    assert "smaller h" in str(failure.value)


def test_an_input_that_returns_nan_ends_the_run():
    with pytest.raises(
        vv.ConvergenceError, match=r"port 'motor', at t = 0\.055 s, must be one finite number, got nan"
    ) as bad:
        vv.simulate(driven(), t_end=0.1, h=0.01, inputs={"motor": lambda t: np.nan if t > 0.05 else 0.0})
    assert bad.value.run.t[-1] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inputs": {"engine": 1.0}}, "inputs name 'engine', but the ports of 'pair' are: motor"),
        ({"inputs": {"motor": [1.0, 2.0]}}, "port 'motor' must be one finite number"),
        ({"inputs": {"motor": "full"}}, "port 'motor' must be one finite number"),
        ({"h": 0.0}, r"h \[s\] must be positive"),
        ({"h": np.nan}, "must be finite"),
        ({"t_end": -1.0}, "lies before the start of the run"),
        ({"every": 0}, "every must be a whole number"),
        ({"integrator": "PHMP"}, "integrator must be an integrator such as vv.PHMP"),
        ({"integrator": vv.PHMP}, "integrator must be an integrator such as vv.PHMP"),
        ({"integrator": vv.PHMP(newton=3)}, r"newton of PHMP\(newton=3, compiled=True\) must be a vv.Newton"),
        ({"integrator": vv.PHMPGGL(compiled="no")}, "must be True or False"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(vv.VisvivaError, match=message):
        vv.simulate(driven(), **{"t_end": 0.1, "h": 0.01} | arguments)


def test_a_model_needs_an_integrator_and_a_start():
    with pytest.raises(vv.ModelError, match="needs integrator="):
        vv.simulate(oscillator(), t_end=1.0, h=0.1)
    with pytest.raises(vv.ModelError, match="needs initial= with: q, p"):
        vv.simulate(oscillator(), t_end=1.0, h=0.1, integrator=vv.DiscreteGradient())
    with pytest.raises(vv.ModelError, match="takes a Mechanism or a Model, got int"):
        vv.simulate(3, t_end=1.0, h=0.1)
    with pytest.raises(vv.ModelError, match="PHMP integrates models in director form"):
        vv.simulate(oscillator(), t_end=1.0, h=0.1, integrator=vv.PHMP(), initial={"q": [1.0], "p": [0.0]})


def test_a_model_that_breaks_its_law_is_refused_at_the_start():
    broken = oscillator(J=((0.0, 1.0), (-0.9, 0.0)))
    with pytest.raises(vv.ModelError, match="J of 'coupling' must be skew"):
        vv.simulate(broken, t_end=1.0, h=0.1, integrator=vv.DiscreteGradient(), initial={"q": [1.0], "p": [0.0]})
    broken = oscillator(R=((-0.1,),))
    with pytest.raises(vv.ModelError, match="R of 'damper' must be positive semidefinite"):
        vv.simulate(broken, t_end=1.0, h=0.1, integrator=vv.DiscreteGradient(), initial={"q": [1.0], "p": [0.0]})


def test_a_state_of_another_model_is_refused():
    run = vv.simulate(pair_with(), t_end=0.01, h=0.01)
    other = driven()
    other.particle("bob", mass=1.0, at=(5.0, 0, 0), velocity=(0, 0, 0))
    with pytest.raises(vv.ModelError, match="does not fit model 'pair'"):
        vv.simulate(other, t_end=0.02, h=0.01, initial=run.final)


def test_an_inconsistent_configuration_names_the_joint():
    m = driven()
    motion, _ = m.assemble()
    motion.q["b"] = motion.q["b"] + np.eye(12)[0] * 0.01
    with pytest.raises(vv.AssemblyError, match="holonomic row of 'h2'"):
        vv.simulate(m, t_end=0.1, h=0.01, initial=motion)


def test_a_spin_without_inertia_names_body_and_axis():
    m = vv.Mechanism("rod on a ball", gravity=(0, 0, -9.81))
    rod = m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis=(0, 3, 4)), at=(0, 0.3, 0.4))
    m.spherical("ball", m.ground, rod, at=(0, 0, 0))
    with pytest.raises(vv.ModelError, match=r"body 'rod' can spin about its axis \[-?0\.0, -?0\.6, -?0\.8\]"):
        vv.simulate(m, t_end=0.1, h=0.01)


@pytest.mark.parametrize("seconds", [1e-9, 10.0])
def test_stop_conditions_see_the_whole_run(monkeypatch, seconds):
    """Sums since the start, not since some chunk; reactions as the finished run has them."""
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", seconds)
    whole = vv.simulate(driven(), t_end=0.5, h=0.005, inputs=PUSH)
    run = vv.simulate(driven(), t_end=0.5, h=0.005, inputs=PUSH, stop=lambda now: now["heat"] > 0.2, every=3)
    assert run.t[-1] == whole.t[np.argmax(whole["heat"] > 0.2)]
    seen = []
    vv.simulate(driven(), t_end=0.05, h=0.005, inputs=PUSH, stop=lambda now: bool(seen.append(now["h2.reaction"])))
    np.testing.assert_allclose(seen, whole["h2.reaction"][1:11], atol=1e-9)


def test_reactions_use_the_inputs_at_the_nodes():
    m = driven()
    fast = {"motor": lambda t: 20 * np.sin(200 * t)}
    fine = vv.simulate(m, t_end=0.1, h=0.005, inputs=fast)
    coarse = vv.simulate(m, t_end=0.1, h=0.005, inputs=fast, every=5)
    np.testing.assert_allclose(coarse["h2.reaction"], fine["h2.reaction"][::5], atol=1e-9)
    np.testing.assert_allclose(fine.record.u[:, 0], 20 * np.sin(200 * fine.t))


def test_thinning_does_not_change_the_audit():
    """One node per swing: the energy scale is that of the swing all the same."""
    m = vv.Mechanism("swing", gravity=(0, 0, -9.81))
    rod = m.body("rod", inertia=vv.inertia.cylinder(1.0, 0.02, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
    fine, coarse = (vv.simulate(m, t_end=3.88, h=0.01, every=n).audit() for n in (1, 194))
    assert coarse.energy_scale == fine.energy_scale
    assert (coarse.first_law, coarse.g_v, coarse.ok) == (fine.first_law, fine.g_v, True)


def test_power_is_that_of_the_step_at_t_mid():
    fine = vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH)
    coarse = vv.simulate(driven(), t_end=0.1, h=0.005, inputs=PUSH, every=5)
    np.testing.assert_array_equal(coarse["motor.power"], fine["motor.power"][4::5])
    np.testing.assert_array_equal(coarse.t_mid, fine.t_mid[4::5])


def test_a_run_of_another_scheme_is_continued_on_the_constraints():
    first = vv.simulate(pair_with(), t_end=0.2, h=0.02)
    second = vv.simulate(pair_with(), t_end=0.4, h=0.02, integrator=vv.PHMPGGL(), initial=first.final)
    assert "projected on the constraints" in second.notes[0]
    assert second.audit().first_law <= 1e-13
    assert second.audit().g_v <= 1e-12


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # far too long steps are what it is about
def test_a_half_turn_per_step_is_no_raw_error():
    """Newton passes through states whose mean is singular; what comes out is a run or an error with a run."""
    from visviva.demo import double_pendulum

    with contextlib.suppress(vv.ConvergenceError):
        assert vv.simulate(double_pendulum(), t_end=4, h=0.3, integrator=vv.DiscreteGradient()).audit().ok


def test_a_run_does_not_change_with_its_mechanism():
    m = pair_with()
    run = vv.simulate(m, t_end=0.02, h=0.01)
    m.body("new", inertia=vv.inertia.sphere(1.0, 0.1))
    assert run["a.twist"].shape == (3, 6)
    assert "new.r" not in run


def test_bodies_of_very_different_size():
    m = vv.Mechanism("ship and fly")
    m.body("ship", inertia=vv.inertia.box(1e6, (30, 10, 10)))
    m.body("fly", inertia=vv.inertia.sphere(1e-6, 1e-3), at=(0, 0, 20), twist=(0, 0, 1, 0, 0, 0))
    assert vv.simulate(m, t_end=0.02, h=0.01).audit().ok


def test_an_unresolved_spin_is_warned_of():
    m = vv.Mechanism("spin")
    m.body("top", mass=1.0, inertia=(1, 2, 2.5), twist=(300, 0.1, 0, 0, 0, 0))
    with pytest.warns(vv.RunWarning, match="body 'top' turns by about 30 rad per step"):
        warnings = vv.simulate(m, t_end=1.0, h=0.1).audit().warnings
    assert any("body 'top' turns by about 30 rad per step" in warning for warning in warnings)


def test_values_between_nodes():
    run = vv.simulate(pair_with(), t_end=0.1, h=0.01)
    np.testing.assert_array_equal(run.at(0.03, "b.r"), run["b.r"][3])
    fine = vv.simulate(pair_with(), t_end=0.1, h=0.001)
    np.testing.assert_allclose(run.at(0.0345, "b.r"), fine.at(0.0345, "b.r"), atol=1e-3)
    R = run.at(0.0345, "b.R")
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    with pytest.raises(vv.ModelError, match=r"lies outside of what is known, from t = 0 to 0\.1 s"):
        run.at(0.2, "b.r")


def _raise(now):
    raise ZeroDivisionError("no")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inputs": [1.0]}, "inputs are given by port name"),
        ({"inputs": dict}, "inputs are given by port name"),
        ({"stop": 0.5}, "stop must be a function of a Snapshot"),
        ({"every": "a"}, "every must be numbers"),
        ({"every": 2.5}, "every must be a whole number"),
        ({"initial": "x"}, "the initial state of mechanism .* must be values by name such as .*run.final"),
        ({"initial": pair_with().assemble()}, r"m.assemble\(\) returns two things: pass the first"),
        ({"stop": _raise}, "the stop condition raised ZeroDivisionError: no"),
        ({"inputs": {"motor": lambda t: 1 / 0}}, "input of port 'motor' raised ZeroDivisionError at t = 0 s"),
        ({"inputs": {"motor": lambda: 1.0}}, "input of port 'motor' raised TypeError"),
    ],
)
def test_more_bad_arguments(arguments, message):
    with pytest.raises(vv.VisvivaError, match=message):
        vv.simulate(driven(), **{"t_end": 0.1, "h": 0.01} | arguments)


def test_the_motion_of_another_mechanism_is_refused():
    m = vv.Mechanism("other")
    m.body("c", inertia=vv.inertia.sphere(1.0, 0.1))
    with pytest.raises(vv.ModelError, match=r"of other bodies \(c\) than those of mechanism 'pair'"):
        vv.simulate(driven(), t_end=0.1, h=0.01, initial=m.assemble()[0])


def test_velocities_that_violate_a_joint_are_refused():
    run = vv.simulate(pair_with(), t_end=0.01, h=0.01)
    values = {name: run.record.x[0, at] for name, at in run.model.layout.x.items()}
    values["b.v"] = values["b.v"] + 1.0
    with pytest.raises(vv.AssemblyError, match="violates the constraint of"):
        vv.simulate(pair_with(), t_end=0.1, h=0.01, initial=values)


def test_progress_is_shown_when_asked_for(capsys):
    vv.simulate(pair_with(), t_end=0.05, h=0.01, progress=True)
    assert "pair" in capsys.readouterr().err
    vv.simulate(pair_with(), t_end=0.05, h=0.01)
    assert capsys.readouterr().err == ""


def test_the_cause_of_a_stop_condition_that_fails_is_kept():
    with pytest.raises(vv.ConvergenceError, match="the stop condition raised ZeroDivisionError: no") as end:
        vv.simulate(pair_with(), 0.1, 0.01, stop=_raise)
    assert isinstance(end.value.__cause__, ZeroDivisionError)


def test_inputs_are_evaluated_in_the_middle_of_steps_and_at_nodes():
    seen = []
    vv.simulate(driven(), 0.03, 0.01, inputs={"motor": lambda t: float(seen.append(t) or 0.0)})
    np.testing.assert_allclose(np.unique(np.round(seen, 9)), [0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03])


def test_a_bad_input_at_the_start_is_told_before_any_step():
    with pytest.raises(BadInput, match="'motor' raised ZeroDivisionError at t = 0 s"):
        vv.simulate(driven(), 0.03, 0.01, inputs={"motor": lambda t: 1.0 / t})
