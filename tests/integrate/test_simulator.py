"""A Simulator makes the steps of `simulate`, one by one: the same bits, the same accounts, the same refusals."""

import threading

import numpy as np
import pytest

import visviva as vv
from visviva.demo.linkage import four_bar
from visviva.integrate.step_buffer import StepBuffer
from visviva.library import electric, rotation

H = 1e-3


def double_pendulum():
    m = vv.Mechanism("double pendulum", gravity=(0, 0, -9.81))
    rod = vv.inertia.rod(1.0, 1.0, axis="x")
    upper, lower = m.body("upper", inertia=rod, at=(0.5, 0, 0)), m.body("lower", inertia=rod, at=(1.5, 0, 0))
    m.revolute("shoulder", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    m.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0, 1, 0))
    m.frame("tool", lower, at=(2, 0, 0))
    m.torque("motor", "shoulder")
    m.wrench("load", lower)
    return m


def slider():
    m = vv.Mechanism("slider", gravity=(0, 0, -9.81))
    block = m.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic("slide", m.ground, block, axis=(0.6, 0, -0.8))
    m.force("push", "slide")
    return m


SCHEMES = [
    vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.Suzuki4(vv.PHMP()), vv.RK4(), vv.Gauss8(), vv.PHMP(compiled=False),
]  # fmt: skip
NAMES = ["PHMP", "PHMPGGL", "LieMidpoint", "Suzuki4", "RK4", "Gauss8", "PHMP in NumPy"]


def frictionless(m, scheme):
    """Compositions with negative parts are for models without losses."""
    return m if not isinstance(scheme, vv.Suzuki4) else slider()


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_steps_are_those_of_simulate_to_the_last_bit(scheme):
    m = frictionless(double_pendulum(), scheme)
    port = "motor" if "motor" in m.parts else "push"
    run = vv.simulate(m, t_end=20 * H, h=H, integrator=scheme, inputs={port: 0.3})
    sim = vv.Simulator(m, h=H, integrator=scheme)
    for _ in range(5):
        sim.step({port: 0.3})
    sim.step({port: 0.3}, n=15)
    np.testing.assert_array_equal(sim.state.x, run.final.x)
    assert sim.t == run.t[-1]
    ours, theirs = sim.audit(), run.audit()
    assert ours.ok
    assert ours.first_law == pytest.approx(theirs.first_law, rel=1e-3)
    assert ours.components[port].energy_in == pytest.approx(theirs.components[port].energy_in, rel=1e-13)


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()], ids=repr)
def test_loops_with_redundant_rows_are_stepped_as_well(scheme):
    m = four_bar()
    run = vv.simulate(m, t_end=0.05, h=0.005, integrator=scheme)
    sim = vv.Simulator(m, h=0.005, integrator=scheme)
    sim.step(n=10)
    np.testing.assert_array_equal(sim.state.x, run.final.x)
    assert sim.audit().ok


def test_quantities_are_those_of_a_run_by_the_same_names():
    m = double_pendulum()
    names = (
        "tool.r",
        "tool.R",
        "lower.twist",
        "shoulder.q",
        "elbow.rate",
        "shoulder.reaction",
        "energy",
        "motor.power",
    )
    run = vv.simulate(m, t_end=5 * H, h=H, inputs={"motor": 1.0})
    sim = vv.Simulator(m, h=H)
    assert sim["tool.r"] == pytest.approx([2, 0, 0])
    for k in range(1, 6):
        sim.step({"motor": 1.0})
        for name in names:
            at = k - 1 if len(run[name]) == len(run.t_mid) else k
            np.testing.assert_allclose(sim[name], run[name][at], rtol=0, atol=1e-12, err_msg=name)


def test_inputs_of_a_step_go_before_those_of_the_simulator_and_are_never_asked_for_ahead():
    asked = []

    def motor(t):
        asked.append(t)
        return np.sin(t)

    m = double_pendulum()
    sim = vv.Simulator(m, h=H, inputs={"motor": motor})
    asked.clear()
    sim.step({"motor": 0.2})
    assert not [t for t in asked if t > H]
    sim.step()
    assert max(asked) <= 2 * H
    sim.step(np.array([0.2, 0, 0, 0, 0, 0, 0]))
    sim.step({"load": (0, 0, 0, 0, 0, 1.0)})
    assert max(asked) <= 4 * H
    inputs = {
        "motor": lambda t: [0.2, np.sin(t), 0.2, np.sin(t)][min(3, int(t / H))],
        "load": lambda t: [0, 0, 0, 0, 0, float(t > 3 * H)],
    }
    run = vv.simulate(m, t_end=4 * H, h=H, inputs=inputs, stop=lambda now: False)
    np.testing.assert_array_equal(sim.state.x, run.final.x)


def test_reset_copy_and_state_begin_anew():
    m = double_pendulum()
    sim = vv.Simulator(m, h=H)
    sim.step({"motor": 1.0}, n=200)  # more than are kept at a time
    there = sim.state
    other = sim.copy()
    sim.step(n=3)
    other.step(n=3)
    np.testing.assert_array_equal(sim.state.x, other.state.x)
    sim.reset()
    assert sim.t == 0.0
    np.testing.assert_array_equal(sim.state.x, vv.Simulator(m, h=H).state.x)
    sim.state = there
    assert sim.t == there.t
    sim.step(n=3)
    np.testing.assert_array_equal(sim.state.x, other.state.x)
    sim.reset({"shoulder.q": 0.3, "elbow.rate": 1.0})
    assert sim["shoulder.q"] == pytest.approx(0.3, abs=1e-15)
    assert sim["elbow.rate"] == pytest.approx(1.0, abs=1e-14)


def test_a_run_continues_from_where_it_was_stepped_to_and_is_in_the_accounts():
    m = double_pendulum()
    sim = vv.Simulator(m, h=H)
    sim.step({"motor": 1.0}, n=7)
    run = sim.run(t_end=0.02, every=4)
    sim.step({"motor": 1.0}, n=7)
    whole = vv.simulate(m, t_end=0.027, h=H, inputs={"motor": lambda t: float(not 0.007 < t < 0.02)})
    assert run.t[0] == pytest.approx(0.007)
    assert run.t[-1] == pytest.approx(0.02)
    np.testing.assert_allclose(sim.state.x, whole.final.x, rtol=0, atol=1e-12)
    assert sim.audit().components["motor"].energy_in == pytest.approx(whole.audit().components["motor"].energy_in)


def test_models_and_composites_are_stepped_as_well():
    from visviva.language import compose

    parts = {"coil": electric.inductor(0.02), "winding": electric.resistor(0.8), "machine": electric.motor(0.2)}
    parts |= {"wheel": rotation.inertia(0.05)}
    joined = {"supply": ("coil.phi", "winding.phi", "machine.phi"), "shaft": ("machine.p", "wheel.p")}
    from visviva.library import thermal

    parts["room"] = thermal.environment(300.0)
    joined["s"] = ("winding.s", "room.s")
    drive = compose("drive", parts, joined, outer=("supply",))
    start = {"supply": 0.0, "shaft": 0.0}
    run = vv.simulate(drive, t_end=0.1, h=0.01, initial=start, inputs={"supply": 24.0})
    sim = vv.Simulator(drive, h=0.01)
    with pytest.raises(vv.ModelError, match="no state yet"):
        sim.step()
    sim.reset(start)
    sim.step({"supply": 24.0}, n=10)
    np.testing.assert_array_equal(sim.state.x, run.final.x)
    assert sim.audit().ok


def test_a_step_without_solution_leaves_the_last_good_state():
    m = vv.Mechanism("rod")
    body = m.body("rod", mass=1.0, inertia=(1, 1, 1))
    m.spring("spring", m.ground, body, energy=lambda l: -1e6 * np.log(1.0 - l), at_a=(0, 0, 0.5), at_b=(0, 0, 0))
    m.wrench("pull", body)
    sim = vv.Simulator(m, h=0.1)
    before = sim.state.x
    with pytest.raises(vv.ConvergenceError, match="could not be solved") as caught:
        sim.step({"pull": (0, 0, 0, 0, 0, -1e12)})
    np.testing.assert_array_equal(sim.state.x, before)
    assert sim.t == 0.0
    assert caught.value.run.steps == 0


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"moter": 1.0}, "motor"),
        ({"motor": np.nan}, "one finite number"),
        ({"load": (1, 2, 3)}, "6 finite numbers"),
        ({"motor": "fast"}, "one finite number"),
        ([1.0, 2.0], "7 finite numbers"),
        (np.full(7, np.inf), "7 finite numbers"),
    ],
)
def test_inputs_that_are_wrong_are_named(inputs, says):
    sim = vv.Simulator(double_pendulum(), h=H)
    with pytest.raises(vv.ModelError, match=says):
        sim.step(inputs)
    assert sim.t == 0.0
    with pytest.raises(vv.ModelError, match="whole number of steps"):
        sim.step(n=0)


def test_runs_of_one_mechanism_at_the_same_time_do_not_meet():
    m = double_pendulum()
    expected = vv.simulate(m, t_end=0.2, h=H, inputs={"motor": 0.5}).final.x
    found = []

    def work():
        for _ in range(5):
            found.append(vv.simulate(m, t_end=0.2, h=H, inputs={"motor": 0.5}).final.x)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 15
    for x in found:
        np.testing.assert_array_equal(x, expected)


def test_a_mechanism_that_grows_is_prepared_anew():
    m = double_pendulum()
    light = vv.simulate(m, t_end=0.1, h=H)
    tip = m.particle("tip", mass=1.0, at=(2, 0, 0))
    m.distance("string", "lower", tip, at_a=(1.5, 0, 0), at_b=(2, 0, 0))
    heavy = vv.simulate(m, t_end=0.1, h=H)
    assert "tip.r" in heavy.names
    assert "tip.r" not in light.names
    m.gravity = np.zeros(3)
    assert np.abs(vv.simulate(m, t_end=0.1, h=H)["shoulder.q"]).max() < 1e-12


def test_a_reset_forgets_steps_that_were_not_accounted_for():
    sim = vv.Simulator(double_pendulum(), h=H)
    sim.step(n=20)
    assert sim["shoulder.q"] > 0
    sim.reset()
    assert (sim.t, float(sim["shoulder.q"]), sim.state.t, sim.copy().t) == (0.0, 0.0, 0.0, 0.0)
    assert sim.audit().steps == 0
    sim.step(n=3)
    assert sim.run(t_end=0.01).t[0] == pytest.approx(3 * H)


def test_an_interruption_leaves_the_simulator_where_its_clock_is(monkeypatch):
    """The kernel has gone on when the exception comes."""
    sim, other = (vv.Simulator(double_pendulum(), h=H) for _ in range(2))
    sim.step(n=5)
    buffer = sim._steps._buffer

    def interrupted(call=buffer._call):
        call()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(buffer, "_call", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sim.step(n=10)
    assert sim.t == pytest.approx(5 * H)
    sim.step(n=2)
    other.step(n=7)
    np.testing.assert_array_equal(sim.state.x, other.state.x)


def test_a_warning_that_is_an_error_does_not_move_it():
    jump = vv.Jumping(lambda t: 1.0 if t < 0.0137 else -1.0, at=[0.0137])
    sim, other = (vv.Simulator(double_pendulum(), h=H, inputs={"motor": jump}) for _ in range(2))
    sim.step(n=5)
    with pytest.raises(vv.RunWarning):  # warnings are errors in tests
        sim.run(t_end=0.05)
    sim.step()
    other.step(n=6)
    np.testing.assert_array_equal(sim.state.x, other.state.x)


def test_a_bushing_that_would_pass_half_a_turn_is_refused_at_its_step():
    m = vv.Mechanism("bushing")
    body = m.body("body", mass=1.0, inertia=(1, 1, 1))
    m.revolute("hinge", m.ground, body, at=(0, 0, 0), axis="z")
    m.bushing("rubber", m.ground, body, at=(0, 0, 0), K=[0.1, 0.1, 0.1, 1, 1, 1])
    sim = vv.Simulator(m, h=0.01, initial={"hinge.q": 2.8, "hinge.rate": 2.0})
    with pytest.raises(vv.ConvergenceError, match="half a turn"):
        sim.step(n=60)
    assert sim.t == pytest.approx(0.17)
    assert sim["hinge.q"] < np.pi


@pytest.mark.parametrize(("size", "seed"), [(1e4, 0), (1e5, 3), (1e5, 4)])
def test_steps_that_miss_energy_are_found_before_anything_is_read(size, seed):
    """Extreme loads: what is read in between changes nothing, and each step has its own input."""
    dice = np.random.default_rng(seed)
    loads = [dice.normal() * size * (dice.random() < 0.5) for _ in range(60)]
    m = four_bar()
    m.torque("motor", "A")

    def steps(look):
        sim = vv.Simulator(m, h=1e-2)
        for load in loads:
            try:
                sim.step({"motor": load})
            except vv.ConvergenceError:
                break
            if look:
                assert sim.state.t == sim.t
        return sim.state

    seen, unseen = steps(look=True), steps(look=False)
    assert seen.t == unseen.t
    np.testing.assert_allclose(seen.x, unseen.x, rtol=0, atol=1e-6)


def test_laws_that_are_solved_inside_of_steps_cannot_be_held():
    m = double_pendulum()
    m.motor("dc", "elbow", resistance=1.0, inductance=0.1, k=0.5)
    law = {"dc": lambda t, x, z: 10 - 2 * x["dc.flux"]}
    sim = vv.Simulator(m, h=H, integrator=vv.DiscreteGradient(compiled=False), inputs=law)
    sim.step({"motor": 0.1})
    with pytest.raises(vv.ModelError, match="solved inside"):
        sim.step({"dc": 0.0})
    with pytest.raises(vv.ModelError, match="solved inside"):
        sim.step(np.zeros(8))


def test_reactions_and_sums_are_those_of_a_run_with_inputs_over_time():
    m = double_pendulum()
    inputs = {"motor": lambda t: 10 * t}
    run = vv.simulate(m, t_end=0.3, h=0.01, inputs=inputs)
    sim = vv.Simulator(m, h=0.01, inputs=inputs)
    sim.step(n=30)
    np.testing.assert_array_equal(sim.state.x, run.final.x)
    np.testing.assert_allclose(sim["shoulder.reaction"], run["shoulder.reaction"][-1], rtol=0, atol=1e-10)
    for name in ("heat", "work", "motor.work", "heat.shoulder"):
        assert sim[name] == pytest.approx(run[name][-1], rel=1e-12), name


def test_positions_need_no_inputs():
    sim = vv.Simulator(double_pendulum(), h=H, inputs={"motor": lambda t: np.nan if t > 0 else 0.0})
    with pytest.raises(vv.ConvergenceError, match="motor"):
        sim.step()
    assert sim["shoulder.q"] == 0.0
    sim.step({"motor": 0.0}, n=3)
    assert sim["shoulder.q"] > 0.0


def test_an_input_that_breaks_at_the_end_of_a_step_leaves_nothing_of_that_step():
    sim = vv.Simulator(double_pendulum(), h=H, inputs={"motor": lambda t: np.nan if t > 2.9 * H else 0.3})
    sim.step(n=2)
    with pytest.raises(vv.ConvergenceError, match="motor") as caught:
        sim.step()
    assert caught.value.run.record.count.sum() == 2
    assert sim.t == 2 * H
    sim.step({"motor": 0.3})
    assert np.array_equal(sim.state.x, vv.simulate(double_pendulum(), 3 * H, H, inputs={"motor": 0.3}).final.x)


@pytest.mark.parametrize("n", [1, 5])
def test_steps_that_need_a_second_look_are_counted_once(n, monkeypatch):
    looks, is_closed = [], StepBuffer._is_closed

    def sometimes(buffer, first, last):
        looks.append(first)
        return len(looks) % 4 != 3 and is_closed(buffer, first, last)

    monkeypatch.setattr(StepBuffer, "_is_closed", sometimes)
    sim = vv.Simulator(double_pendulum(), h=H)
    for k in range(12):
        sim.step({"motor": 0.3}, n=n)
        assert sim.t == pytest.approx((k + 1) * n * H)
    run = vv.simulate(double_pendulum(), 12 * n * H, H, inputs={"motor": 0.3})
    assert np.array_equal(sim.state.x, run.final.x)


def test_what_it_was_made_with_stays_and_copies_go_their_own_way():
    import copy
    import pickle

    sim = vv.Simulator(double_pendulum(), h=H)
    for name in ("h", "integrator"):
        with pytest.raises(AttributeError):
            setattr(sim, name, 1.0)
    other = copy.copy(sim)
    other.step(n=20)
    assert sim.t == 0.0
    assert copy.deepcopy(other).t == other.t
    with pytest.raises(vv.ModelError, match=r"sim\.state"):
        pickle.dumps(sim)
    for wrong in (1.5, "3", None, 0):
        with pytest.raises(vv.ModelError, match="whole number"):
            sim.step(n=wrong)
    for wrong in (3, None, ("pole", 1)):
        with pytest.raises(vv.ModelError, match="by name"):
            sim[wrong]


@pytest.mark.parametrize("scheme", [vv.DOP853(), vv.Adaptive(vv.PHMP(), tolerance=1e-4)], ids=["DOP853", "Adaptive"])
def test_schemes_that_choose_their_steps_end_at_whole_numbers_of_steps(scheme):
    sim = vv.Simulator(double_pendulum(), h=0.1, integrator=scheme)
    for k in range(1, 8):
        sim.step()
        assert sim.t == k * 0.1
    sim.step(n=3)
    assert sim.t == 10 * 0.1
    sim.run(1.05)
    sim.step()
    assert sim.t == 1.05 + 0.1
    sim.reset()
    sim.step()
    assert sim.t == 0.1


def test_a_drive_that_was_held_goes_on_by_the_rates_of_its_law():
    m = slider()
    m.drive("lead", "slide", position=lambda t: t**2)
    sim = vv.Simulator(m, h=0.1)
    sim.step()
    assert sim["slide.q"] == pytest.approx(0.01)
    sim.step({"lead": 1.0})
    assert sim["slide.q"] == pytest.approx(0.11)  # the law is at 0.04
    sim.step()
    assert sim["slide.q"] == pytest.approx(0.11 + 0.09 - 0.04)


def driven_wrist():
    m = double_pendulum()
    m.drive("servo", "elbow", rate=lambda t: 3.0)
    return m


RATES = ("shoulder.rate", "elbow.rate")


def test_a_step_that_fails_leaves_the_inputs_of_the_last_one():
    def breaks(t):
        if t > 0.035:
            raise ValueError("no signal")
        return 0.0

    sim = vv.Simulator(driven_wrist(), h=0.01, inputs={"motor": breaks})
    sim.step(n=3)
    before = [sim[name] for name in RATES]
    with pytest.raises(vv.ConvergenceError, match="no signal"):
        sim.step({"servo": -20.0})
    assert [sim[name] for name in RATES] == before


@pytest.mark.parametrize("looks", [True, False])
def test_velocities_do_not_depend_on_when_they_are_read(looks):
    sim = vv.Simulator(driven_wrist(), h=0.01)
    sim.step({"servo": -2.0}, n=3)
    wanted = [sim.copy()[name] for name in RATES]
    assert sim.state.steps == 3
    if looks:
        assert sim["shoulder.rate"] == wanted[0]
    sim.run(sim.t)
    assert [sim[name] for name in RATES] == wanted
