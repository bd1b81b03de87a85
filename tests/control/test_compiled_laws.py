"""Tracking laws in compiled code are those in Python: inputs, references, runs in all schemes, and failures."""

from __future__ import annotations

import functools
import pickle

import numpy as np
import pytest
from plants import (
    bicopter,
    c,
    free_body,
    octocopter,
    pvtol,
    quadcopter,
    random_gains,
    random_state,
    robot_arm,
    scara,
    two_masses,
)

import visviva as vv
from visviva.errors import ConvergenceError, ModelError, RunWarning
from visviva.geometry import SO3

TIGHT = 1e-10  # of the largest input
APPROACHES = ("particle", "body", "energy")
ONE = c.gains(mass=1.3, damping=2.0, stiffness=3.0)
POINT = c.point_gains((0.3, 0, 0), mass=1.0, damping=4.0, stiffness=4.0)
TOOL = ("ground", "tool")
LIGHT = np.arange(1.0, 9.0)
NEVER = np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0], [0, 1.0, 1.0, 0]])  # with u1 ≤ -1 and -u1 ≤ -1


@functools.cache
def flying_arm(hand=False):
    """Two joints on a body that flies with rotors; frames are turned and shifted everywhere."""
    m = vv.Mechanism("flying arm", gravity=(0, 0, -9.81))
    R = SO3.exp([0.2, -0.4, 0.3])
    base = m.body(
        "base", mass=1.4, inertia=(0.03, 0.02, 0.05), at=(0.2, -0.1, 0.5), rotation=R, com=(0.01, 0.02, -0.03)
    )
    upper = m.body("upper", mass=0.4, inertia=(0.004, 0.005, 0.002), at=(0.2, -0.1, 0.3), com=(0.02, 0, -0.1))
    lower = m.body("lower", mass=0.2, inertia=(0.002, 0.003, 0.001), at=(0.4, -0.1, 0.1), com=(0.05, 0.01, 0))
    m.revolute("shoulder", base, upper, at=(0.2, -0.1, 0.4), axis=(0.1, 1.0, 0.2), q_built=0.3)
    m.prismatic("slide", lower, upper, axis=(1.0, 0.0, 0.4))
    m.frame("tool", lower, at=(0.6, -0.1, 0.1), rotation=SO3.exp([0.3, 0.1, -0.2]))
    m.wrench("rotors", base)
    if hand:
        m.wrench("hand", lower)
        return m, {"rotors": c.Thrusters(np.eye(6)[:, [1, 4]], ("a", "b"))}
    m.torque("at_shoulder", "shoulder")
    m.force("at_slide", "slide")
    return m, {"rotors": c.Thrusters(np.eye(6) + 0.2 * np.random.default_rng(5).normal(size=(6, 6)), tuple("abcdef"))}


def _fly(gains, approach, hand=False, **more):
    m, rotors = flying_arm(hand)
    return c.tracking(m, gains, approach, actuators=rotors, **more)


def _craft(plant, approach, **more):
    m, rotors, *_ = plant()
    return c.tracking(m, {("ground", "craft"): random_gains(2)}, approach, actuators=rotors, **more)


def _redundant_arm(approach):
    """Eight rotors on a body that six of them move, with limits in which some of them cannot do their part."""
    m, _ = flying_arm()
    rng = np.random.default_rng(6)
    rotors = {"rotors": c.Thrusters(rng.normal(size=(6, 8)), tuple("abcdefgh"))}
    A = rng.normal(size=(10, 10))
    gains = {("ground", "base"): random_gains(3), "shoulder": ONE, "slide": ONE}
    limits = {"rotors": (-4, 4), "at_slide": (-1, 1)}
    return c.tracking(m, gains, approach, actuators=rotors, weight=A @ A.T + np.eye(10), limits=limits)


def laws():
    found = {}
    for a in APPROACHES:
        found |= {
            f"scara tool {a}": lambda a=a: c.tracking(scara(), {("ground", "two"): POINT}, a),
            f"scara joints {a}": lambda a=a: c.tracking(scara(), {"first": ONE, "second": ONE}, a),
            f"arm {a}": lambda a=a: c.tracking(robot_arm(), {TOOL: random_gains(1)}, a),
            f"free body {a}": lambda a=a: c.tracking(free_body(), {("ground", "body"): random_gains(2)}, a),
            f"quadcopter {a}": lambda a=a: _craft(quadcopter, a),
            f"planar {a}": lambda a=a: _craft(pvtol, a),
            f"spring {a}": lambda a=a: c.tracking(two_masses(), {"z1": ONE, "z2": ONE}, a),
            f"flying arm {a}": lambda a=a: _fly(
                {("ground", "base"): random_gains(3), "shoulder": ONE, "slide": ONE}, a
            ),
        }
        found |= {
            f"octocopter {a}": lambda a=a: _craft(octocopter, a, weight=LIGHT),
            f"octocopter with limits {a}": lambda a=a: _craft(octocopter, a, weight=LIGHT, limits={"rotors": (0, 4.0)}),
            f"flying arm, redundant {a}": lambda a=a: _redundant_arm(a),
        }
    many = {
        TOOL: random_gains(1),
        ("link2", "tool"): random_gains(3),
        ("tool", "link3"): random_gains(5),
        "theta3": ONE,
    }
    back = {("tool", "ground"): random_gains(1), ("link4", "tool"): random_gains(3)}
    fly = {("ground", "base"): random_gains(3), ("base", "tool"): random_gains(4)}
    for a in ("particle", "body"):
        found |= {
            f"arm, between bodies {a}": lambda a=a: c.tracking(robot_arm(), many, a),
            f"arm, ground from the tool {a}": lambda a=a: c.tracking(robot_arm(), back, a),
            f"flying arm with a hand {a}": lambda a=a: _fly(fly, a, hand=True),
        }
    for kind in ("twist", "centre"):
        found |= {
            f"arm by {kind}": lambda k=kind: c.tracking(robot_arm(), {TOOL: random_gains(1)}, "energy", transport=k),
            f"quadcopter by {kind}": lambda k=kind: _craft(quadcopter, "energy", transport=k),
        }
    box = {f"tau{k + 1}": (-2.0 * (k + 1), 3.0) for k in range(6)}
    rows = np.random.default_rng(1).normal(size=(9, 4))
    found |= {
        "arm with limits": lambda: c.tracking(robot_arm(), {TOOL: random_gains(1)}, "body", limits=box),
        "wide limits": lambda: c.tracking(robot_arm(), {TOOL: random_gains(1)}, "body", limits={"tau1": (-1e6, 1e6)}),
        "polygon of thrusts": lambda: _craft(bicopter, "body", limits=(rows, np.ones(9))),
        "no inputs fit": lambda: _craft(quadcopter, "body", limits=(NEVER, np.array([-1.0, -1.0, 2.0]))),
    }  # fmt: skip
    return found


def read(law, q, v):
    """What a controller of the law reads at a state."""
    d, out = law.d, []
    for name in c.StateReading(d).names:
        part, _, end = name.rpartition(".")
        if end in ("q", "rate"):
            out.append(q[d.entries[part].q] if end == "q" else v[d.entries[part].xi])
        else:
            X = d.pose(part, q)
            out.append({"r": X.r, "R": X.R.ravel(), "twist": d.jacobian(part, q, "body") @ v}[end])
    return np.concatenate(out)


def port_values(law, q, u):
    given = law.actuation.port_values(q, u)
    return np.concatenate([np.atleast_1d(given[port]) for port in law.actuation.ports])


@pytest.mark.parametrize("name", laws())
def test_inputs_are_those_in_python(name):
    law = laws()[name]()
    statuses = set()
    for seed in range(8):
        q, v, q_R, v_R, a_R = random_state(law.d, seed)

        def goal(t, q_R=q_R, v_R=v_R, a_R=a_R):
            return law.d.integrate(q_R, t * v_R), v_R, a_R

        controller = law.at(goal)
        assert controller.compiled, controller.why_not
        exact = law.evaluate(q, v, q_R, v_R, a_R)
        statuses.add(exact.status)
        wanted = port_values(law, q, exact.u)
        found = controller.inputs(0.0, read(law, q, v))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=TIGHT * np.abs(wanted).max())
    if name in ("arm with limits", "polygon of thrusts") or "octocopter with" in name or "redundant" in name:
        assert "optimal" in statuses
    if name == "no inputs fit":
        assert statuses == {"infeasible least violation"}


def test_redundant_inputs_take_over_at_once():
    """Limits that only shift work from one rotor to another cost no accelerations, and are none that act."""
    free = _craft(octocopter, "body", weight=np.ones(8))
    q, v, q_R, v_R, a_R = random_state(free.d, 3, size=0.05)
    wanted = free.at(lambda t: (q_R, v_R, a_R))
    B = free.actuation.matrix(q)
    wanted.inputs(0.0, read(free, q, v))
    u = wanted.code.control.u.copy()
    top = np.sort(u)[-2:].mean()  # below the largest of them
    own = _craft(octocopter, "body", weight=np.ones(8), limits={"rotors": (-20.0, top)}).at(lambda t: (q_R, v_R, a_R))
    own.inputs(0.0, read(free, q, v))
    found = own.code.control
    np.testing.assert_allclose(B @ found.u, B @ u, atol=1e-9 * np.abs(u).max())
    assert found.u.max() == pytest.approx(top, rel=1e-12)
    assert found.status[1] == 0


def test_redundant_inputs_whose_limits_contradict_each_other_are_asked_in_python():
    never = np.array([[1.0, *np.zeros(7)], [-1.0, *np.zeros(7)]])
    law = _craft(octocopter, "body", weight=np.ones(8), limits=(never, np.array([-1.0, -1.0])))
    assert "contradict each other" in law.at(law.d.q_built, compiled=True).why_not


def test_inputs_are_not_those_of_another_reference():
    """The comparison above can fail."""
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body")
    q, v, q_R, v_R, a_R = random_state(law.d, 0)
    found = law.at(lambda t: (q_R, v_R, a_R + 1e-7)).inputs(0.0, read(law, q, v))
    assert np.abs(found - law.evaluate(q, v, q_R, v_R, a_R).u).max() > TIGHT * np.abs(found).max()


# -- references -------------------------------------------------------------------------------------------------------


def reference_values(controller, t):
    from visviva.kernels.control.tracking import reference_at

    d, compiled = controller.law.d, controller._compiled
    found = [np.empty((1, n)) for n in (d.nq, d.nv, d.nv)]
    assert reference_at(compiled.row, np.array([t]), *found) == 1
    return [part[0] for part in found]


def assert_reference(controller, times, rtol=1e-9):
    d = controller.law.d
    for t in times:
        exact = [np.array(part) for part in controller.goal(t)]
        found = reference_values(controller, t)
        for _, at in d.tree.dynamics.quaternions:
            exact[0][at : at + 4] *= np.sign(exact[0][at : at + 4] @ found[0][at : at + 4])
        for a, b in zip(exact, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=0, atol=rtol * max(1.0, np.abs(a).max()), err_msg=f"t = {t}")


def test_references_between_knots():
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body")
    w = np.array([3.0, 11.0])

    def goal(t):
        return np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)

    times = np.concatenate(
        [np.random.default_rng(0).uniform(0, 2, 100), 0.32 * np.arange(6), np.nextafter(0.96, [0, 1])]
    )
    assert_reference(law.at(goal), times)
    assert_reference(law.at(goal), np.sort(times))


def test_references_may_give_the_same_arrays_again():
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body")
    q, v, a, w = np.zeros(2), np.zeros(2), np.zeros(2), np.array([3.0, 2.0])

    def goal(t):
        q[:], v[:], a[:] = np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)
        return q, v, a

    assert_reference(law.at(goal), np.linspace(0, 2, 57))


def test_references_may_give_their_values_one_after_the_other():
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body")
    assert_reference(law.at(lambda t: ([f(t), 0] for f in (np.sin, np.cos, lambda s: -np.sin(s)))), [0.0, 0.3, 1.7])


def test_references_are_accurate_in_the_middle_of_intervals():
    """There accelerations of polynomials are off most, by more than where they are compared with the reference."""
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body")

    def goal(t):
        return np.full(2, np.sin(t)), np.full(2, np.cos(t)), np.full(2, -np.sin(t))

    assert_reference(law.at(goal), np.arange(0, 5, 0.01))


def test_smooth_references_are_asked_seldom():
    """Spacings of knots grow as soon as errors of polynomials allow it: a hundred values per second are enough."""
    law, asked = c.tracking(scara(), {"first": ONE, "second": ONE}, "body"), []

    def goal(t):
        asked.append(t)
        return np.full(2, 0.5 * np.sin(t)), np.full(2, 0.5 * np.cos(t)), np.full(2, -0.5 * np.sin(t))

    controller = law.at(goal)
    for t in np.arange(0, 5, 0.01):
        reference_values(controller, t)
    assert len(asked) < 500


def test_references_with_breaks_are_exact_on_both_sides():
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body")
    line = c.joined(c.hold([0.2, 0.5], 0.1), c.polynomial([0.2, 0.5], [0.9, -0.4], 0.5, degree=3), c.hold([0.9, -0.4]))
    controller = law.at(AsGoal(line))
    breaks = np.array(controller.breaks)
    assert set(np.round(breaks, 9)) >= {0.1, 0.6}
    near = np.concatenate([breaks, np.nextafter(breaks, -1), np.nextafter(breaks, 2), breaks - 1e-4, breaks + 1e-4])
    assert_reference(controller, [*near, *np.linspace(0, 1, 57)])


class AsGoal:
    def __init__(self, path):
        self.path, self.breaks = path, tuple(path.breaks)

    def __call__(self, t):
        return tuple(self.path.derivatives(t, 2))


def test_references_that_bend_without_saying_so_are_asked_themselves():
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body")
    controller = law.at(lambda t: (np.array([abs(t - 0.513), 0.1]), np.array([np.sign(t - 0.513), 0.0]), np.zeros(2)))
    assert_reference(controller, np.linspace(0, 1, 401))


def test_references_of_what_flies_and_turns():
    law = _craft(quadcopter, "body")
    path = c.pose(
        c.lissajous((1.0, 0.5, 0.2), (3.0, 2.0, 5.0)), c.rotation_vector(c.lissajous((2.5, 1.0, 0.5), (2.0, 3.0, 1.0)))
    )
    controller = law.at(c.reference(law.d, {"craft": path}))
    assert_reference(controller, np.random.default_rng(0).uniform(0, 3, 60))


# -- runs -------------------------------------------------------------------------------------------------------------

SCHEMES = [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4()]


def swing(t):
    q = np.array([np.sin(t), 0.5 + 0.3 * np.cos(2 * t)])
    return q, np.array([np.cos(t), -0.6 * np.sin(2 * t)]), np.array([-np.sin(t), -1.2 * np.cos(2 * t)])


@functools.cache
def swinging():
    return c.tracking(scara(), {"first": c.gains(1.0, 6.0, 9.0), "second": c.gains(1.0, 6.0, 9.0)}, "body")


def hover(t):
    still = np.zeros(6)
    return np.array([0.1, 0, 0.2, 1.0, 0, 0, 0]), still, still


@pytest.mark.parametrize("plant", ["tree", "craft"])
@pytest.mark.parametrize("how", ["inside of steps", "sampled", "sampled with a delay"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_runs_are_those_of_the_law_in_python(scheme, how, plant):
    law, goal = (swinging(), swing) if plant == "tree" else (_craft(quadcopter, "body"), hover)
    m = law.d.definition
    runs = []
    for compiled in (True, False):
        controller = law.at(goal, compiled=compiled)
        assert controller.compiled is compiled
        delay = 0.002 if "delay" in how else 0.0
        given = {"inputs": controller} if how == "inside of steps" else {"sampled": vv.Sampled(controller, 0.01, delay)}
        runs.append(vv.simulate(m, t_end=0.1, h=0.005, integrator=scheme, **given))
    for name in ("first.q", "second.rate") if plant == "tree" else ("craft.r", "craft.twist"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], rtol=0, atol=1e-9)
    assert runs[0].audit().ok
    np.testing.assert_allclose(runs[0].record.work, runs[1].record.work, rtol=0, atol=1e-9)


@functools.cache
def five_bar():
    m = vv.Mechanism("five-bar", gravity=(0, -9.81, 0))
    rod = (0.002, 0.002, 0.002)
    a = m.body("a", mass=0.5, inertia=rod, at=(-0.2, 0.15, 0))
    b = m.body("b", mass=0.5, inertia=rod, at=(0.2, 0.15, 0))
    e = m.body("e", mass=0.3, inertia=rod, at=(-0.1, 0.4, 0))
    f = m.body("f", mass=0.3, inertia=rod, at=(0.1, 0.4, 0))
    m.revolute("left", m.ground, a, at=(-0.2, 0, 0), axis="z")
    m.revolute("right", m.ground, b, at=(0.2, 0, 0), axis="z")
    m.revolute("elbow", a, e, at=(-0.2, 0.3, 0), axis="z")
    m.revolute("knee", b, f, at=(0.2, 0.3, 0), axis="z")
    m.revolute("tip", e, f, at=(0, 0.5, 0), axis="z")
    m.frame("pen", e, at=(0, 0.5, 0))
    m.torque("t1", "left")
    m.torque("t2", "right")
    return m


@pytest.mark.slow
@pytest.mark.parametrize("how", ["inside of steps", "sampled"])
def test_loops_are_asked_in_python(how):
    m = five_bar()
    law = c.tracking(
        m,
        {"left": c.gains(1.0, 20.0, 100.0), "right": c.gains(1.0, 20.0, 100.0)},
        "body",
        independent=("left", "right"),
    )
    q = law.d.coordinates({"left": 0.2, "right": 0.1})
    controller = law.at(q)
    assert not controller.compiled
    assert "loops" in controller.why_not
    given = {"inputs": controller} if how == "inside of steps" else {"sampled": vv.Sampled(controller, 0.005)}
    run = vv.simulate(m, t_end=1.0, h=0.005, **given)
    assert run.audit().ok
    assert abs(run["left.q"][-1] - 0.2) < 2e-3
    assert abs(run["right.q"][-1] - 0.1) < 2e-3
    record = run.tracking
    assert record.W[-1] < 1e-3 * record.W[0]


# -- failures ---------------------------------------------------------------------------------------------------------


def out_of_reach(t):
    if t > 0.2:
        raise ValueError("wrist out of reach")
    return swing(t)


def not_a_number(t):
    q, v, a = swing(t)
    return q * (np.nan if t > 0.2 else 1.0), v, a


@pytest.mark.parametrize("how", ["inside of steps", "sampled"])
@pytest.mark.parametrize("scheme", SCHEMES[:1] + SCHEMES[2:], ids=repr)
@pytest.mark.parametrize(("goal", "why"), [(out_of_reach, "wrist out of reach"), (not_a_number, "must be finite")])
def test_a_reference_that_ends_ends_the_run_there(scheme, how, goal, why):
    controller = swinging().at(goal)
    given = {"inputs": controller} if how == "inside of steps" else {"sampled": vv.Sampled(controller, 0.01)}
    with pytest.raises(ConvergenceError, match=why) as told:
        vv.simulate(scara(), t_end=0.6, h=0.005, integrator=scheme, **given)
    assert "t = 0.2" in str(told.value)
    assert told.value.run.t[-1] == pytest.approx(0.205, abs=0.0051)
    assert told.value.run.audit().ok


@pytest.mark.parametrize("how", ["inside of steps", "sampled"])
@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.RK4()], ids=repr)
def test_a_singular_template_is_told(scheme, how):
    controller = c.tracking(scara(), {("ground", "two"): POINT}, "body").at(np.array([0.4, 0.3]))
    given = {"inputs": controller} if how == "inside of steps" else {"sampled": vv.Sampled(controller, 0.01)}
    with pytest.raises(ConvergenceError, match=r"desired inertia of 'scara' is singular at t = 0"):
        vv.simulate(scara(), t_end=0.1, h=0.005, integrator=scheme, **given)


def test_a_singular_transport_map_is_told():
    law = c.tracking(scara(), {("ground", "two"): POINT}, "energy")
    with pytest.raises(ModelError, match="transport map"):
        law.at(np.array([0.4, 0.3])).inputs(0.0, np.zeros(4))


def test_states_that_are_no_numbers_are_told():
    with pytest.raises(ModelError, match="not finite"):
        swinging().at(swing).inputs(0.0, np.array([0.1, np.nan, 0.2, 0.3]))


def test_a_failure_is_not_remembered():
    controller = swinging().at(out_of_reach)
    for _ in range(2):
        with pytest.raises(ValueError, match="wrist"):
            controller.inputs(0.3, np.zeros(4))
    assert np.isfinite(controller.inputs(0.1, np.zeros(4))).all()
    assert controller.failure is None


CONTRADICTING = (np.array([[1.0, 0], [-1.0, 0], [0, 1.0]]), np.array([-1.0, -1.0, 0.5]))  # u1 ≤ -1 and u1 ≥ 1


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "in Python"])
@pytest.mark.parametrize("how", ["inside of steps", "sampled"])
@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.RK4()], ids=repr)
def test_limits_that_contradict_each_other_are_violated_least_and_told(scheme, how, compiled):
    law = c.tracking(scara(), {"first": ONE, "second": ONE}, "body", limits=CONTRADICTING)
    controller = law.at(np.array([0.4, 0.3]), compiled=compiled)
    given = {"inputs": controller} if how == "inside of steps" else {"sampled": vv.Sampled(controller, 0.01)}
    with pytest.warns(RunWarning, match="contradict each other"):
        run = vv.simulate(scara(), t_end=0.1, h=0.005, integrator=scheme, **given)
    assert "contradict" in str(run.audit())
    np.testing.assert_allclose(run["t1.u"], 0.0, atol=1e-12)  # as far from -1 as from 1
    assert len(set(run["t2.u"].ravel())) >= 9  # and none of them is an old one


def test_a_run_without_contradiction_says_nothing():
    run = vv.simulate(scara(), t_end=0.05, h=0.005, inputs=swinging().at(swing))
    assert run.warnings == ()


def test_runs_can_be_pickled():
    for given in ({"inputs": swinging().at(swing)}, {"sampled": vv.Sampled(swinging().at(swing), 0.01)}):
        run = vv.simulate(scara(), t_end=0.05, h=0.005, **given)
        again = pickle.loads(pickle.dumps(run))
        np.testing.assert_array_equal(again["first.q"], run["first.q"])
        np.testing.assert_allclose(again.tracking.W, run.tracking.W)
    local = vv.simulate(scara(), t_end=0.05, h=0.005, inputs=swinging().at(lambda t: swing(t)))
    again = pickle.loads(pickle.dumps(local))
    np.testing.assert_array_equal(again["first.q"], local["first.q"])
    with pytest.raises(ModelError, match="local function"):
        _ = again.tracking
