"""Laws over steps: W = T + V falls by what is damped in every step, to rounding, where it can; and where it cannot."""

from __future__ import annotations

from functools import cache

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, random_gains, random_state

import visviva as vv
from visviva.control.discrete_template import DiscreteTemplate
from visviva.errors import ConvergenceError, ModelError
from visviva.geometry import SO3

APPROACHES = ("particle", "body", "energy")
STEPS = (0.05, 0.005, 0.0005)
EXACT = 1e-13  # of the largest energy
JOINT = c.gains(1.0, 3.0, 9.0)
POINT = c.point_gains((0.3, 0, 0), mass=1.0, damping=3.0, stiffness=9.0)

pytestmark = pytest.mark.slow


@cache
def pvtol():
    m, actuators, _ = plants.pvtol()
    return m, actuators


def wheel(approach, **options):
    return c.tracking(plants.wheel(), {"axle": JOINT}, approach, **options)


def joints(approach, **options):
    return c.tracking(plants.scara(), {"first": JOINT, "second": c.gains(0.5, 2.0, 5.0)}, approach, **options)


def tool(approach, **options):
    return c.tracking(plants.scara(), {("ground", "two"): POINT}, approach, **options)


def free(approach, **options):
    return c.tracking(plants.free_body(), {("ground", "body"): random_gains(3)}, approach, **options)


def workspace(approach, **options):
    return c.tracking(plants.robot_arm(), {("ground", "tool"): random_gains(3)}, approach, **options)


def two_pairs(approach, **options):
    gains = {("ground", "tool"): random_gains(3), ("ground", "link3"): random_gains(4)}
    return c.tracking(plants.robot_arm(), gains, approach, **options)


def masses(approach, **options):
    gains = {"z1": c.gains(1.0, 3.0, 3.0), "z2": c.gains(1.0, 3.0, 3.0)}
    return c.tracking(plants.two_masses(), gains, approach, **options)


def craft(approach, **options):
    m, actuators = pvtol()
    return c.tracking(m, {("ground", "craft"): random_gains(2)}, approach, actuators=actuators, **options)


LAWS = {"wheel": wheel, "joints": joints, "tool": tool, "free": free, "workspace": workspace, "masses": masses,
        "craft": craft, "two pairs": two_pairs}  # fmt: skip


def start(name, law):
    """(q, v) and a configuration near it."""
    if name in ("joints", "tool"):
        return np.array([0.1, 1.9]), np.array([0.3, -0.4]), np.array([0.4, 1.4])
    if "arm" in law.d.name:  # away from its wrist's singular configuration
        q_R = np.array([0.2, 0.3, 0.1, 0.2, 0.9, 0.1])
        off = np.array([0.1, -0.08, 0.05, 0.1, 0.15, -0.1])
        return q_R + off, np.array([0.2, -0.1, 0.3, 0.1, -0.2, 0.1]), q_R
    q, v, q_R, *_ = random_state(law.d, 5, 0.3)
    return q, v, q_R


def moving(d, q_R):
    """A reference about q_R; rotations turn about an axis that turns with them."""
    w = np.linspace(1.0, 0.3, d.nv)

    def goal(t):
        return d.integrate(q_R, 0.3 * np.sin(2 * t) * w), 0.6 * np.cos(2 * t) * w, -1.2 * np.sin(2 * t) * w

    return goal


def loop(name, approach, h, n, *, on_the_move=False, integrator=None, velocities=None, **options):
    """The law after a run of n steps, and the run."""
    law = LAWS[name](approach, **options)
    q, v, q_R = start(name, law)
    over_steps = law.discrete(moving(law.d, q_R) if on_the_move else q_R, h, integrator, velocities=velocities)
    run = vv.simulate(
        law.d.definition, t_end=n * h, h=h, initial=(q, v), integrator=integrator,
        sampled=vv.Sampled(over_steps, period=h),
    )  # fmt: skip
    return over_steps, run


def check_balance(over_steps, n, matched=True, rounding=EXACT):
    """It closes, and where inputs can follow the template W falls by what is damped."""
    b = over_steps.balance()
    scale = b.W.max()
    assert len(b.damping) == len(b.matching) == len(b.defect) == len(b.W) - 1 == len(b.t) - 1 == n
    assert_allclose(np.diff(b.W), -b.damping + b.matching, rtol=0, atol=EXACT * scale)
    assert np.abs(b.defect).max() < EXACT * scale
    assert (b.damping >= 0).all()
    assert b.damping.max() > 0
    if matched:  # what remains is rounding of the plant's own step, of the size of ε/h² in forces
        assert np.abs(b.matching).max() < max(rounding, 1e-14 / over_steps.h) * scale
        assert (np.diff(b.W) <= rounding * scale).all()
    else:
        assert np.abs(b.matching).max() > 1e-5 * scale
    return b


# -- where it holds ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("approach", APPROACHES)
@pytest.mark.parametrize("name", ["wheel", "joints", "tool", "free"])
def test_energy_falls_by_what_is_damped_where_the_reference_rests(name, approach, h):
    over_steps, _ = loop(name, approach, h, 15)
    check_balance(over_steps, 15)


@pytest.mark.parametrize("approach", ["particle", "body"])
def test_several_pairs_have_one_velocity_where_the_reference_rests(approach):
    over_steps, _ = loop("two pairs", approach, 0.01, 8)
    check_balance(over_steps, 8, rounding=1e-11)


@pytest.mark.parametrize("approach", APPROACHES)
def test_energy_at_rest_is_that_of_the_law_at_the_states_of_the_run(approach):
    over_steps, run = loop("tool", approach, 0.02, 20)
    law, q_R = over_steps.law, start("tool", over_steps.law)[2]
    still = np.zeros(2)
    q = np.stack([run["first.q"], run["second.q"]], axis=1)
    v = np.stack([run["first.rate"], run["second.rate"]], axis=1)
    W = [law.evaluate(q[k], v[k], q_R, still, still).W for k in range(21)]
    assert_allclose(over_steps.balance().W, W, rtol=0, atol=EXACT * W[0])


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(
    ("name", "approach", "options"),
    [
        ("wheel", "energy", {}),
        ("joints", "energy", {}),
        ("joints", "body", {}),
        ("tool", "energy", {}),
        ("free", "body", {}),
        ("free", "energy", {}),
        ("free", "energy", {"transport": "centre"}),
    ],
)
def test_energy_falls_by_what_is_damped_on_moving_references(name, approach, options, h):
    over_steps, _ = loop(name, approach, h, 15, on_the_move=True, **options)
    check_balance(over_steps, 15)


@pytest.mark.parametrize("h", [0.02, 0.002, 0.0002])
@pytest.mark.parametrize("approach", ["energy", "body"])
def test_work_space_of_an_arm_has_one_velocity_of_its_error(approach, h):
    over_steps, _ = loop("workspace", approach, h, 12, on_the_move=True)
    b = check_balance(over_steps, 12, rounding=1e-11)
    assert b.W[-1] < b.W[0]


@pytest.mark.parametrize("on_the_move", [False, True])
@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(("name", "approach"), [("masses", "energy"), ("craft", "body"), ("craft", "energy")])
def test_missing_inputs_work_what_the_balance_says(name, approach, h, on_the_move):
    over_steps, _ = loop(name, approach, h, 15, on_the_move=on_the_move)
    check_balance(over_steps, 15, matched=False)


@pytest.mark.parametrize("on_the_move", [False, True])
@pytest.mark.parametrize("h", [0.05, 0.005])
def test_limits_work_what_the_balance_says_and_are_kept(h, on_the_move):
    limits = {"t1": (-0.1, 0.1), "t2": (-0.05, 0.05)}
    over_steps, run = loop("joints", "energy", h, 15, on_the_move=on_the_move, limits=limits)
    check_balance(over_steps, 15, matched=False)
    assert np.abs(run["t1.u"]).max() <= 0.1 + 1e-12
    assert np.abs(run["t2.u"]).max() <= 0.05 + 1e-12


@pytest.mark.parametrize("on_the_move", [False, True])
@pytest.mark.parametrize(
    "scheme", [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4()], ids=lambda s: type(s).__name__
)
def test_it_is_exact_whatever_scheme_makes_the_steps(scheme, on_the_move):
    over_steps, _ = loop("joints", "energy", 0.02, 15, integrator=scheme, on_the_move=on_the_move)
    check_balance(over_steps, 15)


# -- where it does not -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "approach"), [("wheel", "particle"), ("joints", "particle"), ("free", "particle"), ("two pairs", "body")]
)
def test_without_one_velocity_of_the_error_the_defect_is_a_power(name, approach):
    found = [loop(name, approach, 0.1 / n, n, on_the_move=True)[0].balance() for n in (20, 40)]
    coarse, fine = (b.defect.sum() / b.W[0] for b in found)  # over the same time
    assert abs(fine) > 1e-5
    assert coarse == pytest.approx(fine, rel=0.2)  # it does not vanish with the step


def test_velocities_of_nodes_miss_the_balance_on_moving_references_by_third_order():
    h = np.array([0.04, 0.02, 0.01])
    rows = [loop("joints", "energy", own, round(0.4 / own), on_the_move=True, velocities="nodes")[0] for own in h]
    defects = [np.abs(row.balance().defect).max() / row.balance().W[0] for row in rows]
    assert np.polyfit(np.log(h), np.log(defects), 1)[0] == pytest.approx(3.0, abs=0.25)
    assert defects[-1] > 1e-9


# -- what it is next to the law in continuous time ---------------------------------------------------------------------


def energies(run, law, q_R, times):
    """T + V of a law at times of a run."""
    at = np.searchsorted(run.t, times - 1e-9)
    q, v = (np.stack([run[f"{name}.{what}"][at] for name in ("first", "second")], axis=1) for what in ("q", "rate"))
    return np.array([law.evaluate(q[k], v[k], q_R, np.zeros(2), np.zeros(2)).W for k in range(len(at))])


def test_energies_converge_at_second_order_inside_steps_and_at_first_order_held():
    law = tool("energy")
    q, v, q_R = start("tool", law)
    m, t_end, times = law.d.definition, 0.6, np.linspace(0.0, 0.6, 16)
    fine = vv.simulate(m, t_end, 0.6 / 480, inputs=law.at(q_R), initial=(q, v), integrator=vv.RK4())
    exact = energies(fine, law, q_R, times)
    h = 0.6 / np.array([30, 60, 120])
    errors = {"inside": [], "held": [], "over steps": []}
    for own in h:
        over_steps = vv.Sampled(law.discrete(q_R, own), period=own)
        runs = {
            "inside": vv.simulate(m, t_end, own, inputs=law.at(q_R), initial=(q, v)),
            "held": vv.simulate(m, t_end, 0.6 / 480, sampled=vv.Sampled(law.at(q_R), period=own), initial=(q, v)),
            "over steps": vv.simulate(m, t_end, own, sampled=over_steps, initial=(q, v)),
        }
        for name, run in runs.items():
            errors[name].append(np.abs(energies(run, law, q_R, times) - exact).max())
    slopes = {name: np.polyfit(np.log(h), np.log(own), 1)[0] for name, own in errors.items()}
    assert slopes["inside"] == pytest.approx(2.0, abs=0.15)
    assert slopes["over steps"] == pytest.approx(2.0, abs=0.15)
    assert slopes["held"] == pytest.approx(1.0, abs=0.15)


def mismatch(run, law, q_R, h):
    """Largest power of b̃ along the nodes of a run: how far its steps are from those of the template [W]."""
    over_steps = DiscreteTemplate(law.template, h, "nodes")
    q, v = (np.stack([run[f"{name}.{what}"] for name in ("first", "second")], axis=1) for what in ("q", "rate"))
    still, found = np.zeros(2), []
    for k in range(len(q) - 1):
        step = over_steps.step(over_steps.start(q[k], v[k], q_R, still), q[k + 1], v[k + 1], q_R, still)
        assert abs(step.defect) < EXACT * step.W0 + 1e-15
        found.append(abs(step.matching) / h)
    return max(found)


def test_steps_of_ordinary_laws_miss_the_template_at_second_and_at_first_order():
    law = joints("energy")
    q, v, q_R = start("joints", law)
    m, h = law.d.definition, np.array([0.04, 0.02, 0.01])
    inside, held = [], []
    for own in h:
        inside.append(mismatch(vv.simulate(m, 0.6, own, inputs=law.at(q_R), initial=(q, v)), law, q_R, own))
        ticks = vv.Sampled(law.at(q_R), period=own)
        held.append(mismatch(vv.simulate(m, 0.6, own, sampled=ticks, initial=(q, v)), law, q_R, own))
    assert np.polyfit(np.log(h), np.log(inside), 1)[0] == pytest.approx(2.0, abs=0.2)
    assert np.polyfit(np.log(h), np.log(held), 1)[0] == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("velocities", ["nodes", "increments"])
@pytest.mark.parametrize("law", [free("body"), free("particle"), workspace("energy"), tool("energy")], ids=repr)
def test_forces_of_a_small_step_are_those_of_the_template(law, velocities):
    d, errors, steps = law.d, [], np.array([0.02, 0.01, 0.005])
    q, v, q_R, v_R, a_R = random_state(d, 5, 0.3)
    a = np.random.default_rng(1).normal(size=d.nv)
    t = law.template.at(q, v, q_R, v_R, a_R).template
    for h in steps:
        over_steps = DiscreteTemplate(law.template, h, velocities)
        ends = (
            d.integrate(q, h * v + h**2 / 2 * a),
            v + h * a,
            d.integrate(q_R, h * v_R + h**2 / 2 * a_R),
            v_R + h * a_R,
        )
        b = over_steps.step(over_steps.start(q, v, q_R, v_R), *ends).b_tilde
        errors.append(np.linalg.norm(b - t.M_bar @ a - t.b_bar))
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.2)  # it is that of the middle


def test_inputs_of_a_rest_do_not_alternate_where_velocities_are_those_of_nodes():
    rough = {}
    for velocities in ("nodes", "increments"):
        _, run = loop("joints", "energy", 0.1, 60, velocities=velocities)
        rough[velocities] = np.abs(np.diff(run["t1.u"].reshape(-1)[-6:], 2)).max()
    assert rough["nodes"] < 1e-3 < 1e-2 < rough["increments"]


# -- the solution ------------------------------------------------------------------------------------------------------


def test_no_other_inputs_leave_less_of_the_template():
    m, _ = pvtol()
    law = craft("body")
    q, v, q_R = start("craft", law)
    over_steps = law.discrete(q_R, 0.02)
    sim = vv.Simulator(m, 0.02, initial=(q, v))
    over_steps(sim)
    node, still = over_steps.template.start(q, v, q_R, np.zeros(3)), np.zeros(3)

    def size(u):
        other = sim.copy()
        other.step(law.actuation.port_values(q, u))
        step = over_steps.template.step(node, *c.StateReading(law.d)(other), q_R, still)
        return step.b_tilde @ np.linalg.solve(step.M_bar, step.b_tilde)

    least = size(over_steps.u)
    rng = np.random.default_rng(0)
    for _ in range(8):
        assert size(over_steps.u + 1e-2 * rng.normal(size=2)) > least


def test_inputs_that_are_more_than_needed_are_shared_by_their_weight():
    m = vv.Mechanism("two motors")
    m.revolute("axle", m.ground, m.body("wheel", mass=1.0, inertia=(1, 1, 1)), axis="z", at=(0, 0, 0))
    m.torque("left", "axle")
    m.torque("right", "axle")
    law = c.tracking(m, {"axle": JOINT}, weight=(1.0, 3.0))
    over_steps = law.discrete([0.5], 0.02)
    run = vv.simulate(m, 0.2, 0.02, sampled=vv.Sampled(over_steps, period=0.02))
    check_balance(over_steps, 10)
    assert_allclose(run["left.u"], 3 * run["right.u"], rtol=1e-9)


def test_a_simulator_is_driven_as_a_sampled_run_is():
    over_steps, run = loop("joints", "energy", 0.02, 10, on_the_move=True)
    q, v, _ = start("joints", over_steps.law)
    W = over_steps.balance().W
    over_steps.reset()
    sim = vv.Simulator(over_steps.law.d.definition, 0.02, initial=(q, v))
    for _ in range(10):
        sim.step(over_steps(sim))
    assert_allclose(over_steps.balance().W, W, rtol=1e-12)
    assert_allclose(sim["second.q"], run["second.q"][-1], rtol=1e-12)


def test_a_plant_that_is_another_one_shows_in_the_work_of_matching():
    law = joints("energy")
    q, v, q_R = start("joints", law)
    heavy = plants.scara().with_parameters({"two.mass": 2.0})
    over_steps = law.discrete(q_R, 0.02)
    vv.simulate(heavy, 0.3, 0.02, sampled=vv.Sampled(over_steps, period=0.02), initial=(q, v))
    b = over_steps.balance()
    assert np.abs(b.defect).max() < EXACT * b.W[0]
    assert np.abs(b.matching[:-1]).max() > 1e-4 * b.W[0]


def test_a_spinning_body_is_led_through_many_turns():
    law = free("body")
    still, spin = np.zeros(6), np.array([0, 0, 3.0, 0, 0, 0])

    def goal(t):
        return plants.pose_coordinates(np.zeros(3), SO3.exp([0, 0, 3.0 * t]).R), spin, still

    q = plants.pose_coordinates([0.2, 0, 0.1], SO3.exp([0.4, 0.3, 0]).R)
    over_steps = law.discrete(goal, 0.1)
    vv.simulate(law.d.definition, 8.0, 0.1, sampled=vv.Sampled(over_steps, period=0.1), initial=(q, spin))
    assert check_balance(over_steps, 80).W[-1] < 0.2 * over_steps.balance().W[0]


# -- errors ------------------------------------------------------------------------------------------------------------


def test_baselines_and_maps_that_are_functions_are_refused():
    plain = c.tracking(plants.scara(), {"first": JOINT, "second": JOINT}, "computed torque")
    with pytest.raises(ModelError, match="no template over steps"):
        plain.discrete([0.0, 1.0], 0.01)
    own = joints("energy", transport=lambda q, v, q_R, v_R: (np.eye(2), np.zeros((2, 2))))
    with pytest.raises(ModelError, match="has no increments"):
        own.discrete([0.0, 1.0], 0.01)


def test_other_velocities_and_steps_that_vary_are_refused():
    law = joints("body")
    with pytest.raises(ModelError, match="velocities='node'"):
        law.discrete([0.0, 1.0], 0.01, velocities="node")
    with pytest.raises(ModelError, match="steps of one length"):
        law.discrete([0.0, 1.0], 0.01, vv.DOP853())


def test_a_law_over_steps_is_asked_at_each_of_them():
    law = joints("body")
    over_steps = law.discrete([0.4, 1.4], 0.01)
    with pytest.raises(ModelError, match="not been asked"):
        over_steps.balance()
    with pytest.raises(ConvergenceError, match="start of each"):
        vv.simulate(law.d.definition, 0.1, 0.01, sampled=vv.Sampled(over_steps, period=0.02))


def test_half_a_turn_in_a_step_has_no_velocity():
    law = free("body")
    over_steps = DiscreteTemplate(law.template, 0.1)
    q = plants.pose_coordinates(np.zeros(3), np.eye(3))
    turned = plants.pose_coordinates(np.zeros(3), np.diag([-1.0, -1.0, 1.0]))
    with pytest.raises(c.SingularTemplateError, match="half a turn"):
        over_steps.step(over_steps.start(q, np.zeros(6), q, np.zeros(6)), turned, np.zeros(6), q, np.zeros(6))
