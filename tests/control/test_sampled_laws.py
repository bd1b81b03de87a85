"""Tracking laws in runs: states read by name, references, what is refused, and laws as text."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, random_gains, random_state

import visviva as vv
from visviva.errors import ModelError, PartialRunError


def mixed():
    """A flying base with a slider, a ball, a hinge and a planar joint on the ground beside it."""
    m = vv.Mechanism("mixed", gravity=(0, 0, -9.81))
    base = m.body("base", mass=3.0, inertia=(0.2, 0.3, 0.4), at=(0.1, 0.2, 0), com=(0.02, 0.01, 0))
    rail = m.body("rail", mass=1.0, inertia=(0.02, 0.03, 0.04), at=(0.4, 0, 0.1))
    arm = m.body("arm", mass=0.8, inertia=(0.01, 0.03, 0.03), at=(0.8, 0.1, 0.1), com=(0.1, 0, 0))
    hand = m.body("hand", mass=0.3, inertia=(0.004, 0.003, 0.005), at=(1.2, 0.1, 0.2))
    plate = m.body("plate", mass=1.0, inertia=(0.02, 0.03, 0.04), at=(-1, 0, 0))
    bob = m.particle("bob", mass=0.2, at=(1.5, 0, 0))
    m.prismatic("slide", base, rail, axis=(1, 0.2, 0))
    m.spherical("ball", rail, arm, at=(0.6, 0, 0.1))
    m.revolute("wrist", arm, hand, at=(1.0, 0.1, 0.1), axis=(0, 1, 0.3))
    m.planar("plane", m.ground, plate, at=(-1, 0, 0), normal=(0, 1, 1))
    m.torque("motor", "wrist")
    m.wrench("pull", bob)
    return m


@pytest.mark.parametrize("build", [mixed, plants.robot_arm, plants.free_body, plants.plate])
def test_states_read_by_name_are_those_that_were_set(build):
    m = build()
    d = vv.dynamics(m)
    sim = vv.Simulator(m, h=1e-3)
    for seed in range(3):
        q, v, *_ = random_state(d, seed)
        sim.reset((q, v))
        found_q, found_v = c.StateReading(d)(sim)
        assert_allclose(d.difference(q, found_q), 0, atol=1e-10)
        assert_allclose(found_v, v, atol=1e-9)


def test_independent_velocities_of_loops_are_read_as_well():
    from visviva.demo import slider_crank

    m = slider_crank()
    d = vv.dynamics(m, independent=("bearing",))
    sim = vv.Simulator(m, h=1e-3)
    for _ in range(20):
        sim.step()
    q, v = c.StateReading(d)(sim)
    assert v.shape == (1,)
    assert_allclose(v[0], np.ravel(sim["bearing.rate"])[0], atol=1e-12)
    assert_allclose(d.pose(d.frames[-1], q).r, sim[f"{d.frames[-1]}.r"], atol=1e-8)


def test_an_arm_follows_a_moving_reference_in_a_sampled_run():
    m = plants.robot_arm()
    d = vv.dynamics(m)
    home = d.coordinates({"theta2": 0.3, "theta3": 0.4, "theta5": 0.8})
    A, w = np.array([0.3, 0.2, -0.2, 0.4, 0.3, 0.5]), 2.0

    def goal(t):
        return home + A * np.sin(w * t), A * w * np.cos(w * t), -A * w * w * np.sin(w * t)

    own = c.gains((1.0, (0, 0, 0), 0.05), (20.0, (0, 0, 0), 1.0), (100.0, (0, 0, 0), 5.0))
    law = c.tracking(m, {("ground", "tool"): own}, "energy")
    start = goal(0.0)[0] + 0.1
    controller = law.at(goal, record=True)
    sampled = vv.Sampled(controller, period=2e-3)
    run = vv.simulate(m, t_end=1.0, h=2e-3, initial=(start, goal(0.0)[1]), sampled=sampled)
    W = np.array([e.W for e in controller.evaluations])
    assert W[-1] < 1e-3 * W[0]
    assert controller.times[:3] == pytest.approx([0.0, 2e-3, 4e-3])
    assert run.audit().ok


def test_a_configuration_is_a_goal_to_hold():
    law = c.tracking(plants.wheel(), {"axle": c.gains(1.0, 4.0, 4.0)})
    run = vv.simulate(plants.wheel(), t_end=6.0, h=1e-2, sampled=vv.Sampled(law.at([0.5]), period=1e-2))
    assert run["axle.q"][-1] == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(ModelError, match=r"goal\(t\) -> \(q_R, v_R, a_R\), or a configuration q_R of 1 numbers"):
        law.at([0.5, 0.3])
    short = law.at(lambda t: ([0.5], [0.0]))
    with pytest.raises((ModelError, PartialRunError), match=r"gives \(q_R, v_R, a_R\)"):
        vv.simulate(plants.wheel(), t_end=0.1, h=1e-2, sampled=vv.Sampled(short, period=1e-2))


def test_states_of_wrong_length_are_named():
    law = c.tracking(plants.wheel(), {"axle": c.gains(1.0, 4.0, 4.0)})
    with pytest.raises(ModelError, match="v_R of 'wheel' must have shape"):
        law.evaluate([0.0], [0.0], [0.0], [0.0, 1.0], [0.0])
    with pytest.raises(AttributeError, match="Did you mean 'template'"):
        law.templates  # noqa: B018


def test_a_law_says_what_it_is():
    m, actuators = plants.quadcopter()
    own = c.matching.quadcopter((-6, -7, -8, -9), heading=(5.0, 1.0))
    law = c.tracking(m, {("ground", "craft"): own.gains()}, "body", actuators=actuators, limits={"rotors": (0.1, 7.0)})
    text = str(law)
    for part in (
        "Tracking of 'quadcopter': body-based template", "6 velocities, 4 inputs: under-actuated by 2",
        "ground → craft: mass 1 at [0.0, 0.0, 0.03503]", "matching Λ_D: 0", "matching Λ_K: 0",
        "as built it can be held",
        "poles of the loop:     -9 (×2), -8 (×2), -7 (×2), -6 (×2), -5 (×2), -2.946 ± 1.456i",
        "rotors.thrust0 2.455", "8 limits W u ≤ l; as built the least slack is 2.355",
    ):  # fmt: skip
        assert part in text
    unmatched = c.tracking(m, {("ground", "craft"): random_gains(2)}, "energy", actuators=actuators)
    assert "small errors do not follow the template" in str(unmatched)
    assert "transport by twist" in str(unmatched)
    assert repr(law) == "<tracking of 'quadcopter': body-based template, 4 inputs>"
    assert "inertia 1, damping 4, stiffness 4" in str(c.tracking(plants.wheel(), {"axle": c.gains(1.0, 4.0, 4.0)}))


def test_control_is_imported_on_first_use():
    import subprocess
    import sys

    code = "import visviva, sys; assert 'visviva.control' not in sys.modules; visviva.control.gains; print('ok')"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == "ok", found.stderr
