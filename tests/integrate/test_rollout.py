"""A rollout is many runs: each the one that `reset` and `run` would make, whoever makes it; a failure is its own."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from bench import arm, cart_pole, warm_motor

import visviva as vv
from visviva.demo.linkage import four_bar
from visviva.demo.platform import stewart
from visviva.demo.rolling import rolling_disc
from visviva.errors import AssemblyError, ModelError

STARTS_AS_PAIRS = np.array([[0.1, 0.2, 0.3], [1.1, 1.2, 1.3]]), np.zeros((2, 3))
H = 1e-3
URDF = """<robot name="two"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="0 0 0.2"/><mass value="0.5"/>
<inertia ixx="0.005" iyy="0.005" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="9" velocity="9"/><dynamics damping="0.1"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/>
<axis xyz="0 1 0"/></joint></robot>"""


def driven_arm(n=3):
    """An arm with two motors, and friction in one joint."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    above = m.ground
    for k in range(n):
        link = m.body(f"l{k}", inertia=vv.inertia.box(1.0, (0.1, 0.12, 0.4)), at=(0, 0, 0.2 + 0.4 * k))
        friction = 0.05 if k == 0 else 0.0
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        m.revolute(f"j{k}", above, link, at=(0, 0, 0.4 * k), axis=axis, friction=friction)
        above = link
    m.torque("m1", "j1")
    m.torque("m2", "j2")
    m.frame("tool", above, at=(0.05, 0, 0.4 * n))
    return m


STARTS = {"j0.q": np.array([0.1, -0.4, 0.9, 0.2, 0.6]), "j1.rate": np.array([0.0, 1.0, -2.0, 0.5, 0.1])}
FIXED = [vv.RK4(), vv.DOP853(tolerance=None), vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()]


def one_by_one(sim, starts, n, i):
    sim.reset({name: float(values[i]) for name, values in starts.items()})
    return sim.run(n * sim.h)


@pytest.mark.parametrize("scheme", FIXED, ids=repr)
def test_each_member_is_the_run_that_reset_and_run_would_make(scheme):
    sim = vv.Simulator(driven_arm(), h=H, integrator=scheme)
    names = ("tool.r", "j1.q", "j2.rate", "l1.R")
    many = sim.rollout(STARTS, steps=20, record=names)
    assert many["tool.r"].shape == (5, 21, 3)
    assert many.ok.all()
    for i in range(5):
        run = one_by_one(sim, STARTS, 20, i)
        for name in names:
            np.testing.assert_array_equal(many[name][i], run[name], err_msg=name)
        np.testing.assert_array_equal(many.t, run.t)
        np.testing.assert_array_equal(many.final[i].x, run.final.x)
        audit = run.audit()
        assert many.audit.first_law[i] == pytest.approx(audit.first_law, rel=1e-6, abs=1e-17)
        assert many.audit.g[i] == pytest.approx(audit.g, rel=1e-6, abs=1e-17)
        assert many.audit.second_law[i] == pytest.approx(audit.second_law, rel=1e-6)
        assert many.audit.closed[i] == audit.is_closed


@pytest.mark.parametrize("scheme", [vv.DOP853(), vv.Relaxed(), vv.Gauss8(), vv.Adaptive()], ids=repr)
def test_schemes_that_choose_or_iterate_their_steps_agree_to_their_accuracy(scheme):
    sim = vv.Simulator(driven_arm(), h=5 * H, integrator=scheme)
    many = sim.rollout(STARTS, steps=6, record=("tool.r",))
    assert many["tool.r"].shape == (5, 7, 3)
    for i in (0, 4):
        sim.reset({name: float(values[i]) for name, values in STARTS.items()})
        for k in range(6):
            sim.step()
            np.testing.assert_allclose(many["tool.r"][i, k + 1], sim["tool.r"], rtol=0, atol=1e-9)
    assert many.t == pytest.approx(5 * H * np.arange(7))


@pytest.mark.parametrize("scheme", [vv.RK4(), vv.PHMP()], ids=repr)
def test_who_makes_them_does_not_show(scheme):
    sim = vv.Simulator(driven_arm(), h=H, integrator=scheme)
    rng = np.random.default_rng(1)
    starts = {"j1.q": rng.uniform(-1, 1, 9)}
    inputs = {"m1": rng.normal(size=(9, 12)), "m2": rng.normal(size=9)}
    alone = sim.rollout(starts, inputs=inputs, steps=12, record=("tool.r",))
    with ThreadPoolExecutor(2) as pool:
        others = [sim.rollout(starts, inputs=inputs, steps=12, record=("tool.r",), workers=w) for w in (2, 3, pool)]
    for other in others:
        np.testing.assert_array_equal(other["tool.r"], alone["tool.r"])
        np.testing.assert_array_equal(other.audit.first_law, alone.audit.first_law)
    few = sim.rollout(
        {"j1.q": starts["j1.q"][6:8]}, inputs={"m1": inputs["m1"][6:8], "m2": inputs["m2"][6:8]}, steps=12
    )
    np.testing.assert_array_equal(few.final[1].x, alone.final[7].x)


def test_members_go_to_other_processes():
    sim = vv.Simulator(driven_arm(), h=H)
    starts = {"j1.q": np.linspace(-1, 1, 3)}
    with ProcessPoolExecutor(1) as pool:
        many = sim.rollout(starts, inputs={"m1": 0.2}, steps=4, record="tool.r", workers=pool)
    np.testing.assert_array_equal(
        many["tool.r"], sim.rollout(starts, inputs={"m1": 0.2}, steps=4, record="tool.r")["tool.r"]
    )
    assert pickle.loads(pickle.dumps(many)).status == many.status
    with ThreadPoolExecutor(1) as pool, pytest.raises(ModelError, match="sent to an executor as files are"):
        sim.rollout(starts, inputs={"m1": lambda t: t}, steps=4, workers=pool)


@pytest.mark.parametrize("scheme", [*FIXED, vv.BalancedGauss8(), vv.RK4(compiled=False)], ids=repr)
def test_inputs_are_held_over_steps_as_those_of_step_are(scheme):
    sim = vv.Simulator(driven_arm(), h=H, integrator=scheme, inputs={"m2": 0.3})
    U = np.random.default_rng(0).normal(size=(5, 8))
    many = sim.rollout(STARTS, inputs={"m1": U}, steps=8, record=("tool.r",))
    for i in (0, 3):
        sim.reset({name: float(values[i]) for name, values in STARTS.items()})
        for k in range(8):
            sim.step({"m1": U[i, k]})
        np.testing.assert_allclose(many["tool.r"][i, -1], sim["tool.r"], rtol=0, atol=4e-16)
        if not isinstance(scheme, vv.BalancedGauss8):
            np.testing.assert_array_equal(many.final[i].x, sim.state.x)
        if not sim.audit().exact:
            assert many.audit.first_law[i] == pytest.approx(sim.audit().first_law, rel=1e-9)


def test_inputs_may_be_numbers_arrays_functions_or_one_array():
    sim = vv.Simulator(driven_arm(), h=H, integrator=vv.RK4())
    start = {"j1.q": np.full(3, 0.2)}
    all_ways = [
        {"m1": 0.5, "m2": -0.2},
        {"m1": np.full(3, 0.5), "m2": np.full((1, 6), -0.2)},
        {"m1": lambda t: 0.5, "m2": np.full((3, 6), -0.2)},
        np.broadcast_to([0.5, -0.2], (3, 6, 2)),
        np.broadcast_to([0.5, -0.2], (1, 1, 2)),
    ]
    ends = [sim.rollout(start, inputs=inputs, steps=6, record="tool.r")["tool.r"] for inputs in all_ways]
    for end in ends[1:]:
        np.testing.assert_allclose(end, ends[0], rtol=0, atol=1e-15)
    rising = sim.rollout(start, inputs={"m1": lambda t: 10 * t}, steps=6, record="j1.rate")
    sim.reset({"j1.q": 0.2})
    assert sim.give({"m1": lambda t: 10 * t})
    np.testing.assert_array_equal(rising["j1.rate"][2], sim.run(6 * H)["j1.rate"])


def test_ports_with_several_numbers_have_them_on_the_last_axis():
    m = driven_arm()
    m.wrench("hand", "l2")
    sim = vv.Simulator(m, h=H)
    W = np.random.default_rng(3).normal(size=(2, 5, 6))
    many = sim.rollout({"j1.q": np.array([0.1, 0.3])}, inputs={"hand": W}, steps=5)
    one = sim.rollout([{"j1.q": 0.3}], inputs={"hand": W[1:]}, steps=5)
    np.testing.assert_array_equal(many.final[1].x, one.final[0].x)
    same = sim.rollout([{"j1.q": 0.3}], inputs={"hand": W[0, 0]}, steps=2)
    other = sim.rollout([{"j1.q": 0.3}], inputs={"hand": np.tile(W[0, 0], (1, 2, 1))}, steps=2)
    np.testing.assert_array_equal(same.final[0].x, other.final[0].x)


def test_starts_may_be_states_runs_motions_and_coordinates():
    m = driven_arm()
    sim = vv.Simulator(m, h=H, integrator=vv.RK4())
    sim.step({"m1": 1.0}, n=3)
    run = vv.simulate(m, 0.01, H, integrator=vv.RK4())
    many = sim.rollout([sim.state, run, m.assemble()[0], None], steps=4, record="j1.q")
    assert many.t.shape == (4, 5)
    assert many.t[:, 0] == pytest.approx([0.003, 0.01, 0, 0])
    sim.step(n=4)
    np.testing.assert_array_equal(many.final[0].x, sim.state.x)
    d = vv.dynamics(m)
    q, v = np.array([[0.1, 0.2, 0.3], [1.0, -0.5, 4.0]]), np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    at = sim.rollout((q, v), steps=4, record=("j1.q", "tool.r"))
    np.testing.assert_array_equal(at["j1.q"][:, 0], q[:, 1])
    np.testing.assert_allclose(at["tool.r"][:, 0], d.pose("tool", q).r, rtol=0, atol=1e-15)
    sim.reset(at.initial[1])
    np.testing.assert_array_equal(sim.run(4 * H)["tool.r"], at["tool.r"][1])
    named = sim.rollout(
        {f"j{k}.{what}": values[:, k] for k in range(3) for what, values in (("q", q), ("rate", v))}, steps=4
    )
    np.testing.assert_allclose(named.final[1].x, at.final[1].x, rtol=0, atol=1e-13)
    loop = four_bar()
    e = vv.dynamics(loop)
    closed = e.coordinates({"A": 0.3})
    sim = vv.Simulator(loop, h=H, integrator=vv.RK4())
    many = sim.rollout((np.array([e.q_built, closed]), np.zeros((2, e.nv))), steps=2, record="A.q")
    assert many["A.q"][1, 0] == pytest.approx(0.3)


@pytest.mark.parametrize("scheme", [vv.RK4(), vv.PHMP()], ids=repr)
def test_members_may_have_parameters_of_their_own(scheme):
    m = driven_arm()
    sim = vv.Simulator(m, h=H, integrator=scheme)
    masses, q = np.array([0.5, 1.0, 2.0]), np.array([0.1, 0.2, 0.3])
    many = sim.rollout({"j1.q": q}, parameters={"l2.mass": masses}, inputs={"m1": 0.3}, steps=5, record="tool.r")
    two = sim.rollout({"j1.q": q}, parameters={"l2.mass": masses}, inputs={"m1": 0.3}, steps=5, workers=2)
    for i in range(3):
        other = sim.with_parameters({"l2.mass": float(masses[i])})
        other.reset({"j1.q": float(q[i])})
        other.step({"m1": 0.3}, n=5)
        np.testing.assert_array_equal(many.final[i].x, other.state.x)
        np.testing.assert_array_equal(two.final[i].x, other.state.x)
    assert many.run(2).model.definition["l2"].mass == 2.0
    with pytest.raises(ModelError, match=r"initial 'j1\.q' 2, parameter 'l2\.mass' 3"):
        sim.rollout({"j1.q": q[:2]}, parameters={"l2.mass": masses}, steps=5)
    with pytest.raises(ModelError, match=r"l2\.mass"):
        sim.rollout({"j1.q": q}, parameters={"l2.weight": masses}, steps=5)


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.LieMidpoint()], ids=repr)
def test_coordinates_are_starts_in_every_scheme(scheme):
    q, v = np.array([[0.1, 0.2, 0.3], [1.0, -0.5, 0.4]]), np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    many = vv.Simulator(driven_arm(), h=H, integrator=scheme).rollout((q, v), steps=2, record=("j1.q", "j2.rate"))
    np.testing.assert_allclose(many["j1.q"][:, 0], q[:, 1], rtol=0, atol=1e-14)
    np.testing.assert_allclose(many["j2.rate"][:, 0], v[:, 2], rtol=0, atol=1e-13)


CASES = {
    "arm": (lambda: arm(7), {"j1.q": np.array([0.2, 0.5])}, [vv.RK4(), vv.DOP853(), vv.PHMP(), vv.LieMidpoint()]),
    "cart-pole": (cart_pole, {"pivot.q": np.array([0.2, 0.5])}, [vv.RK4(), vv.PHMP(), vv.PHMPGGL()]),
    "four-bar": (four_bar, {"A.q": np.array([0.2, 0.5])}, [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4()]),
    "Stewart": (stewart, [None, None], [vv.PHMP()]),
    "disc": (rolling_disc, [None, None], [vv.PHMP(), vv.LieMidpoint()]),
    "motor": (warm_motor, {"hinge.q": np.array([0.2, 0.5])}, [vv.PHMP(), vv.DOP853(tolerance=None)]),
    "URDF": (lambda: vv.read_urdf(URDF), {"shoulder.q": np.array([0.2, 0.5])}, [vv.RK4(), vv.PHMP()]),
}


@pytest.mark.parametrize(
    ("name", "scheme"), [(name, s) for name, (_, _, schemes) in CASES.items() for s in schemes], ids=str
)
def test_mechanisms_of_all_kinds_roll_out(name, scheme):
    build, starts, _ = CASES[name]
    sim = vv.Simulator(build(), h=2 * H, integrator=scheme)
    many = sim.rollout(starts, steps=3, record="energy")
    assert many.ok.all(), many.status
    sim.reset({key: float(values[1]) for key, values in starts.items()} if isinstance(starts, dict) else None)
    sim.step(n=3)
    np.testing.assert_allclose(many.final[1].x, sim.state.x, rtol=1e-12, atol=1e-13)
    assert many["energy"].shape == (2, 4)


def test_a_composite_rolls_out():
    from visviva.language import compose
    from visviva.library import rotation, thermal

    pendulum = compose(
        "pendulum",
        {"weight": rotation.pendulum(m=1.0, length=1.0), "wheel": rotation.inertia(1.0), "pkc": rotation.kinematic(),
         "damper": rotation.damper(0.2), "room": thermal.environment()},
        {"q": ("weight.q", "pkc.q"), "p": ("wheel.p", "pkc.p", "damper.p"), "s": ("damper.s", "room.s")},
    )  # fmt: skip
    sim = vv.Simulator(pendulum, h=0.01)
    many = sim.rollout({"q": np.array([0.5, 2.0]), "p": 0.0}, steps=5, record="q")
    run = vv.simulate(pendulum, 0.05, 0.01, initial={"q": 2.0, "p": 0.0})
    np.testing.assert_array_equal(many["q"][1], run["q"])


def stiff():
    """A wheel on a spring that is far too stiff for explicit steps, unless it is at rest."""
    m = vv.Mechanism("stiff")
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("hinge", m.ground, wheel, at=(0, 0, 0), axis="z")
    m.torsion("coil", "hinge", k=1e12)
    m.frame("tip", wheel, at=(1, 0, 0))
    return m


def test_one_failure_spares_the_others_and_says_what_happened():
    sim = vv.Simulator(stiff(), h=H, integrator=vv.RK4())
    many = sim.rollout({"hinge.rate": np.array([0.0, 1e-3, 0.0])}, steps=40, record=("tip.r", "energy"), every=3)
    assert many.ok.tolist() == [True, False, True]
    assert many.status[0] == "ok"
    assert many.status[1].startswith("failed at t = ")
    assert "could not be solved" in many.status[1]
    assert 0 < many.steps[1] < 40
    reached = many.steps[1] // 3 + 1
    assert np.isfinite(many["tip.r"][1, :reached]).all()
    assert np.isnan(many["tip.r"][1, reached:]).all()
    assert np.isfinite(many["tip.r"][[0, 2]]).all()
    assert many["tip.r"].shape == (3, 15, 3)
    assert many.final[1].t == pytest.approx(many.steps[1] * H)
    assert "1 not ok, the first is 1" in repr(many)
    run = many.run(2)
    np.testing.assert_array_equal(run["tip.r"], many["tip.r"][2])


def test_inputs_that_break_end_their_members_alone():
    def breaking(t):
        return float("nan") if t > 4.5 * H else 0.0

    many = vv.Simulator(driven_arm(), h=H).rollout([None, None], inputs={"m1": breaking}, steps=8, record="j1.q")
    assert many.steps.tolist() == [4, 4]
    assert "must be one finite number" in many.status[0]


def test_every_nth_node_is_kept_and_all_steps_count():
    sim = vv.Simulator(driven_arm(), h=H, integrator=vv.RK4())
    full = sim.rollout(STARTS, steps=10, record=("tool.r", "j0.q"))
    thin = sim.rollout(STARTS, steps=10, record=("tool.r", "j0.q"), every=4)
    assert thin.t == pytest.approx(H * np.array([0, 4, 8, 10]))
    for name in full.names:
        np.testing.assert_array_equal(thin[name], full[name][:, [0, 4, 8, 10]])
    np.testing.assert_array_equal(thin.audit.first_law, full.audit.first_law)


def test_quantities_that_need_accounts_are_those_of_runs():
    sim = vv.Simulator(driven_arm(), h=H)
    many = sim.rollout(STARTS, inputs={"m1": 0.4}, steps=6, record=("heat.*", "m1.work", "j1.reaction_mid", "tool.r"))
    run = many.run(2)
    for name in many.names:
        np.testing.assert_array_equal(many[name][2], run[name], err_msg=name)
    assert many["j1.reaction_mid"].shape == (5, 6, 6)
    assert run.audit().ok


def test_the_simulator_stays_where_it_is():
    sim = vv.Simulator(driven_arm(), h=H, inputs={"m1": 0.1})
    sim.step({"m2": 1.0}, n=2)
    before = sim.state.x.copy()
    sim.rollout(STARTS, steps=3, inputs={"m1": 5.0})
    np.testing.assert_array_equal(sim.state.x, before)
    sim.step()
    other = vv.Simulator(driven_arm(), h=H, inputs={"m1": 0.1})
    other.step({"m2": 1.0}, n=2)
    other.step()
    np.testing.assert_array_equal(sim.state.x, other.state.x)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"initial": {"j0.q": np.zeros(3), "j1.q": np.zeros(4)}}, r"initial 'j0.q' 3, initial 'j1.q' 4"),
        ({"initial": {"j0.q": np.zeros(3)}, "inputs": {"m1": np.zeros(2)}}, r"initial 'j0.q' 3, input 'm1' 2"),
        ({"initial": [None] * 3, "inputs": np.zeros((2, 4, 2))}, "initial 3, inputs 2"),
        ({"initial": [None] * 2, "inputs": np.zeros((2, 5, 2))}, r"\(B, 4, 2\)"),
        ({"initial": [None] * 2, "inputs": {"m1": np.zeros((2, 5))}}, r"held over each\nof 4 steps"),
        ({"initial": [None] * 2, "inputs": {"m1": "much"}}, "must be numbers or a function of time, got str"),
        ({"initial": [None] * 2, "inputs": {"m1": [0.0, np.nan]}}, r"finite numbers, got nan at \(1,\)"),
        ({"initial": [None] * 2, "inputs": {"m3": 0.0}}, "inputs name 'm3', but the ports"),
        ({"initial": [None] * 2, "inputs": {"m1": lambda t, x, z: 0.0}}, "Give it to the Simulator"),
        ({"initial": None}, "nothing says how many runs"),
        ({"initial": {"j0.q": 0.1}}, r"nothing says how many runs a rollout is \(initial 'j0.q' is one for all\)"),
        ({"initial": {"j0.angle": np.zeros(2)}}, r"member 0 of 2 .* cannot start: .*j0\.rate"),
        ({"initial": [None], "steps": 0}, "at least 1, got steps = 0"),
        ({"initial": [None], "workers": 0}, "workers is a number of threads"),
        ({"initial": [None], "every": 0}, "every must be a whole number"),
        ({"initial": [None], "record": "tool.v"}, "tool.twist"),
        ({"initial": [None], "record": "first_law"}, "many.audit has it"),
        ({"initial": (np.zeros((2, 4)), np.zeros((2, 3)))}, r"\(B, 3\) and \(B, 3\).*\n.*got \(2, 4\)"),
        ({"initial": (np.full((2, 3), np.inf), np.zeros((2, 3)))}, r"member 0 of 2 .*q\[0, 0\] is inf"),
        ({"initial": [None], "records": "tool.r"}, "record"),
        ({"initial": [None] * 3, "parameters": {"l0.mass": np.ones(2)}}, r"initial 3, parameter 'l0.mass' 2"),
        ({"initial": [None] * 3, "parameters": [1.0, 2.0]}, "parameters of a rollout are given by name"),
        ({"initial": {"j0.q": [[1.0], [1.0, 2.0]]}}, "rows have different lengths"),
        ({"initial": [None], "parameters": {"l0.mass": [1.0, -2.0]}}, "member 1 of 2 .* mass"),
    ],
)
def test_what_cannot_be_rolled_out_is_said_before_a_step_is_made(arguments, message):
    sim = vv.Simulator(driven_arm(), h=H, integrator=vv.RK4())
    with pytest.raises(ModelError, match=message):
        sim.rollout(**{"steps": 4} | arguments)


def test_two_pairs_of_coordinates_are_two_starts():
    sim, (q, v) = vv.Simulator(driven_arm(), h=H, integrator=vv.RK4()), STARTS_AS_PAIRS
    pairs = sim.rollout(((q[0], v[0]), (q[1], v[1])), steps=2, record="j0.q")
    listed = sim.rollout([(q[0], v[0]), (q[1], v[1])], steps=2, record="j0.q")
    np.testing.assert_array_equal(pairs["j0.q"], listed["j0.q"])
    np.testing.assert_allclose(pairs["j0.q"][:, 0], q[:, 0], rtol=0, atol=1e-15)


def test_a_start_that_cannot_be_assembled_names_its_member_and_joint():
    sim = vv.Simulator(four_bar(), h=H)
    with pytest.raises(AssemblyError, match=r"member 1 of 2 \(from 0\) cannot start: (.|\n)*A\.q = (.|\n)*open by"):
        sim.rollout([{"A.q": 0.2}, {"A.q": 0.2, "C.q": 2.0}], steps=2)
    e = vv.dynamics(four_bar())
    open_loop = np.array([e.q_built, e.q_built + 0.3])
    with pytest.raises(ModelError, match="member 1 of 2"):
        vv.Simulator(four_bar(), h=H, integrator=vv.RK4()).rollout((open_loop, np.zeros((2, e.nv))), steps=2)
    with pytest.raises(ModelError, match="member 0 of 2"):
        vv.Simulator(driven_arm(), h=H).rollout((np.zeros((2, 4)), np.zeros((2, 3))), steps=2)


def test_only_what_was_recorded_can_be_read():
    many = vv.Simulator(driven_arm(), h=H).rollout([None], steps=2, record="tool.r")
    with pytest.raises(ModelError, match=r"'j0\.q' was not recorded.*kept tool\.r"):
        many["j0.q"]
    with pytest.raises(ModelError, match="1 members, numbered from 0; got 3"):
        many.run(3)
    assert "tool.r" in many
    assert len(many) == 1
    assert "closed to rounding" in str(many.audit)


def test_steps_that_miss_energy_are_told_from_those_that_are_ok():
    """Schemes that claim the first law are held to it, others to an error of the motion that a run would warn of."""
    sim = vv.Simulator(driven_arm(), h=0.04, integrator=vv.RK4())
    many = sim.rollout({"j1.rate": np.array([0.1, 40.0])}, steps=10)
    assert many.ok.tolist() == [True, False]
    assert many.status[1].startswith("not closed: the steps miss")
    assert many.audit.drift[0] < 1e-5 < many.audit.drift[1]
    assert not many.audit.exact
    assert not many.audit.closed.any()
