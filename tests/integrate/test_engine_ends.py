"""How runs of the compiled engine end: interrupted, stopped, failed or continued, and what is left of them."""

from __future__ import annotations

import dataclasses
import os
import pickle
import signal
import threading

import numpy as np
import pytest
from compiled_models import gyroscope, point
from numpy.testing import assert_allclose, assert_array_equal
from physics_systems import GASES, charging, motor, rlc, two_gases
from systems import coupling, displacement, entropy, hard_spring, hot, mass, oscillator
from test_models import series_damper
from test_rows import driven_mass

import visviva as vv
from visviva.geometry.embedding import SE3_SPACE
from visviva.integrate.collocation import EnergyCollocation
from visviva.language import compose, storage
from visviva.model import Port, RowKind, Rows

WARM = {"osc.q": 1.0, "p": 0.0, "s": 0.1}


def push(t):
    return 3 * np.sin(2 * t)


def run_hot(t_end, h=0.01, force=push, **options):
    return vv.simulate(hot(hard_spring()), t_end=t_end, h=h, inputs={"p": force}, **{"initial": WARM} | options)


def assert_begins_like(part, whole):
    """The part is the begin of the whole, bit for bit."""
    n = part.steps
    for name in ("x", "taken", "u"):
        assert_array_equal(getattr(part.record, name), getattr(whole.record, name)[: n + 1])
    for name in ("heat", "work", "w_mid"):
        assert_array_equal(getattr(part.record, name), getattr(whole.record, name)[:n])


def assert_ends_like(rest, whole):
    n = rest.steps
    for name in ("t", "x", "taken"):
        assert_array_equal(getattr(rest.record, name), getattr(whole.record, name)[len(whole.t) - n - 1 :])
    for name in ("heat", "work", "w_mid"):
        assert_array_equal(getattr(rest.record, name), getattr(whole.record, name)[whole.steps - n :])


# -- interrupted ---------------------------------------------------------------------------------------------------


def ctrl_c(t):
    os.kill(os.getpid(), signal.SIGINT)


def twice(t):
    ctrl_c(t)
    ctrl_c(t)


def interrupt(t):
    raise KeyboardInterrupt


@pytest.mark.parametrize("act", [ctrl_c, twice, interrupt])
def test_ctrl_c_in_an_input_keeps_what_was_computed(act):
    whole, before = run_hot(2.0), signal.getsignal(signal.SIGINT)

    def force(t):
        if 0.7 < t < 0.72:
            act(t)
        return push(t)

    with pytest.raises(
        vv.Interrupted, match=r"interrupted at t = .* s after \d+ steps.*initial=error\.run\.final"
    ) as end:
        run_hot(2.0, force=force)
    assert signal.getsignal(signal.SIGINT) is before
    part = end.value.run
    assert 0.69 <= part.t[-1] < 2.0
    assert_begins_like(part, whole)
    assert_ends_like(run_hot(2.0, initial=part.final), whole)


def test_ctrl_c_ends_a_run_that_no_python_takes_part_in():
    timer = threading.Timer(0.3, ctrl_c, (0.0,))
    timer.start()
    with pytest.raises(vv.Interrupted, match="interrupted at t = ") as end:
        vv.simulate(hot(), t_end=1e5, h=0.001, initial=WARM, every=10**6)
    timer.join()
    part = end.value.run
    assert part.final.t == part.t[-1] < 1e5
    again = vv.simulate(hot(), t_end=part.final.t, h=0.001, initial=WARM, every=10**6)
    assert_array_equal(again.final.x, part.final.x)


def test_a_run_in_another_thread_leaves_signals_alone():
    runs, before = [], signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=lambda: runs.append(run_hot(0.1)))
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGINT) is before
    assert_array_equal(runs[0].record.x, run_hot(0.1).record.x)


# -- stopped -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [1e-9, 0.1])
def test_a_stop_condition_ends_the_run_at_its_step(monkeypatch, seconds):
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", seconds)
    whole = run_hot(2.0)
    level = 0.5 * whole["p"].max()
    run = run_hot(2.0, stop=lambda now: now["p"][0] > level)
    first = int(np.argmax(whole["p"][:, 0] > level))
    assert run.steps == first > 1
    assert run.notes == (f"stopped by the stop condition at t = {whole.t[first]:g} s",)
    assert_begins_like(run, whole)
    assert_ends_like(run_hot(2.0, initial=run.final), whole)


# -- failed --------------------------------------------------------------------------------------------------------


def falling():
    """A mass that falls into H = -1/q: the step that would pass the pole has no solution, however small it is."""
    boxes = {"pe": storage({"q": displacement}, H=lambda x: -1 / x.q), "ke": mass(), "pkc": coupling()}
    return compose("fall", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")})


def test_a_step_without_solution_names_time_and_component_and_keeps_the_valid_part():
    with pytest.raises(vv.ConvergenceError, match=r"'fall': the step from t = 1\.\d+ s with h = 0\.05 s") as end:
        vv.simulate(falling(), t_end=2.0, h=0.05, initial={"q": 1.0, "p": 0.0})
    run = end.value.run
    assert "variable 'q'" in str(end.value) or "variable 'p'" in str(end.value)
    assert run.t[-1] == pytest.approx(np.pi / np.sqrt(8), abs=0.1)  # when it reaches the pole
    assert f"from t = {run.t[-1]:g} s" in str(end.value)
    assert (run["q"] > 0).all()
    assert run.audit().first_law <= 1e-13


def test_an_input_that_returns_nan_ends_the_run_before_its_step():
    message = r"the input of port 'p', at t = 0\.505 s, must be one finite number, got nan.*valid up to t = 0\.5 s"
    with pytest.raises(vv.ConvergenceError, match=message) as end:
        run_hot(1.0, force=lambda t: np.nan if t > 0.501 else push(t))
    assert end.value.run.steps == 50
    assert_begins_like(end.value.run, run_hot(1.0))


def test_an_input_that_raises_ends_the_run_before_its_step():
    with pytest.raises(
        vv.ConvergenceError, match=r"port 'p' raised ZeroDivisionError at t = 0\.505 s.*valid up to t = 0\.5 s"
    ) as end:
        run_hot(1.0, force=lambda t: 1 / (0 if t > 0.501 else 1))
    assert end.value.run.steps == 50


def cooling():
    """A body with θ = θ0 + 100 s, from which entropy is drawn: at s = -3 it would be at absolute zero."""
    body = storage({"s": entropy}, H=lambda x, theta0: theta0 * x.s + 50 * x.s**2)
    return compose("cooling", {"body": body}, {"s": ("body.s",)}, outer=("s",))


def test_a_body_is_not_cooled_below_absolute_zero():
    with pytest.raises(
        vv.ConvergenceError, match=r"'cooling': the step from t = 2\.9 .*temperature at junction 's' would be .* K"
    ) as end:
        vv.simulate(cooling(), t_end=10.0, h=0.1, initial={"s": 0.0}, inputs={"s": -1.0})
    run = end.value.run
    assert (300 + 100 * run["s"] > 0).all()
    assert run.steps == 29
    assert run.audit().ok


# -- continued -----------------------------------------------------------------------------------------------------


def current(t):
    return 0.2 * np.sin(30 * t)


def waves(t):
    return [1.0, np.cos(t)]


CONTINUED = {
    "heat and environment": (hot(hard_spring()), WARM, {"p": push}, 0.05),
    "circuit": (rlc(), {"phi": 0.0, "q": 0.5, "s": 0.1}, {"phi": current}, 0.05),
    "junctions and reservoir": (charging(), {"drawn": 0.0, "q": 0.0}, {}, 0.02),
    "motor": (motor(), {"drawn": 0.0, "phi": 0.0, "p": 0.0}, {"p": current}, 0.01),
    "gases": (two_gases(), GASES, {}, 0.02),
    "junction": (series_damper(), {"q": 0.5, "p": -1.0}, {}, 0.1),
    "driven rows": (driven_mass(), {"q": 0.3, "v": 0.0}, {"drive": np.sin}, 0.1),
    "pose": (gyroscope(SE3_SPACE), {"x": point(SE3_SPACE), "v": [1.0, -0.5, 0.3]}, {"jets": waves}, 0.05),
}  # fmt: skip


def assert_continues(system, start, **options):
    h = options["h"]
    whole = vv.simulate(system, t_end=50 * h, initial=start, **options)
    for n in (1, 2, 7, 33, 50):
        part = vv.simulate(system, t_end=n * h, initial=start, **options)
        assert_begins_like(part, whole)
        assert_ends_like(vv.simulate(system, t_end=50 * h, initial=part.final, **options), whole)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # a step is a long one
@pytest.mark.parametrize("seconds", [1e-9, 0.1])
@pytest.mark.parametrize(("system", "start", "inputs", "h"), CONTINUED.values(), ids=CONTINUED)
def test_a_continued_run_is_the_same_bit_for_bit(monkeypatch, system, start, inputs, h, seconds):
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", seconds)
    assert_continues(system, start, h=h, inputs=inputs, integrator=vv.DiscreteGradient())


@pytest.mark.parametrize("name", ["heat and environment", "junctions and reservoir", "gases"])
def test_a_continued_collocation_is_the_same_bit_for_bit(name):
    system, start, inputs, h = CONTINUED[name]
    assert_continues(system, start, h=h, inputs=inputs, integrator=EnergyCollocation())


def test_a_continued_composition_is_the_same_bit_for_bit():
    scheme = vv.Suzuki4(vv.DiscreteGradient())
    assert_continues(oscillator(hard_spring()), {"q": 1.0, "p": 0.2}, h=0.1, inputs={"p": push}, integrator=scheme)


def test_chunks_do_not_show(monkeypatch):
    whole = run_hot(1.0)
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", 1e-9)
    assert_ends_like(run_hot(1.0), whole)


def test_a_run_is_continued_from_a_file_bit_for_bit():
    whole, part = run_hot(1.0), run_hot(0.37)
    again = pickle.loads(pickle.dumps(part))
    assert_begins_like(again, whole)
    for state in (again.final, pickle.loads(pickle.dumps(part.final))):
        assert_ends_like(run_hot(1.0, initial=state), whole)


def test_a_long_run_keeps_few_nodes_and_the_same_end():
    options = {"t_end": 1000.0, "h": 0.01, "initial": {"q": 1.0, "p": 0.0}}
    run, fine = (vv.simulate(oscillator(hard_spring()), every=every, **options) for every in (10**4, 10))
    assert_allclose(run.t, 100.0 * np.arange(11), rtol=1e-14)
    assert run.final.steps == 10**5
    assert_array_equal(run.final.x, fine.final.x)
    assert_array_equal(run["q"], fine["q"][::1000])
    assert run.audit().first_law <= 1e-13


# -- divided -------------------------------------------------------------------------------------------------------


def orbit():
    """Kepler's radial motion: near the pericentre a long step has no solution."""
    well = storage({"q": displacement}, H=lambda x, L: L**2 / (2 * x.q**2) - 1 / x.q, L=0.3)
    boxes = {"pe": well, "ke": mass(), "pkc": coupling()}
    return compose("orbit", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")})


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps that are divided are said so
@pytest.mark.parametrize("seconds", [1e-9, 10.0])
def test_a_step_that_is_too_large_is_divided_and_the_grid_stays(monkeypatch, seconds):
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", seconds)
    start, options = {"q": 1.0, "p": 0.0}, {"h": 0.1, "integrator": vv.DiscreteGradient()}
    run = vv.simulate(orbit(), t_end=4.0, initial=start, **options)
    assert_allclose(run.t, 0.1 * np.arange(41), rtol=1e-15)
    assert run.notes == ("2 steps had no solution and were divided into smaller ones; reduce h where that matters",)
    assert run.audit().first_law <= 1e-13
    plain = vv.simulate(orbit(), t_end=4.0, h=0.1, initial=start, integrator=vv.DiscreteGradient(compiled=False))
    assert plain.notes == run.notes
    assert_allclose(run.record.x, plain.record.x, rtol=0, atol=1e-9)
    for n in (9, 11, 30):
        part = vv.simulate(orbit(), t_end=0.1 * n, initial=start, **options)
        assert_begins_like(part, run)
        assert_ends_like(vv.simulate(orbit(), t_end=4.0, initial=part.final, **options), run)


# -- rows that follow from others ----------------------------------------------------------------------------------


def driven_twice():
    """A velocity that two drives prescribe: one of them is enough, and the other must agree."""
    model = driven_mass()
    again = Rows("other", ("v",), 1, np.array([[2.0]]), kind=RowKind.DRIVEN)
    drive = Port("second", ("other",), 1, np.array([[-2.0]]))
    return dataclasses.replace(model, structures=(*model.structures, again, drive))


def test_a_redundant_row_is_left_out_and_holds():
    start, options = {"q": 0.3, "v": 0.0}, {"t_end": 1.0, "h": 0.1, "integrator": vv.DiscreteGradient()}
    once = vv.simulate(driven_mass(), initial=start, inputs={"drive": np.sin}, **options)
    twice = vv.simulate(driven_twice(), initial=start, inputs={"drive": np.sin, "second": np.sin}, **options)
    assert twice.final.active.sum() == 1
    assert_allclose(twice.record.x, once.record.x, rtol=0, atol=1e-13)
    assert_allclose(twice["work"], once["work"], rtol=0, atol=1e-13)


def test_rows_that_contradict_each_other_end_the_run():
    drives = {"drive": np.sin, "second": lambda t: np.sin(t) if t < 0.55 else 0.0}
    options = {"t_end": 1.0, "h": 0.1, "integrator": vv.DiscreteGradient()}
    with pytest.raises(
        vv.ConvergenceError, match=r"from t = 0\.5 s .*a redundant constraint is violated, worst in the .*'other'"
    ) as end:
        vv.simulate(driven_twice(), initial={"q": 0.3, "v": 0.0}, inputs=drives, **options)
    assert end.value.run.steps == 5
