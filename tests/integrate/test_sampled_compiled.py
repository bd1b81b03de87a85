"""Sampled laws in compiled code are those in Python: same ticks, same values, same steps, and nothing is left out."""

import functools
import math
import time
import warnings

import numba
import numpy as np
import pytest

import visviva as vv
from visviva.compiler.sampled_laws import sampled_law
from visviva.geometry import SO3
from visviva.integrate import ticks
from visviva.integrate.loop import Loop
from visviva.integrate.step_buffer import StepBuffer
from visviva.kernels import laws

CLOSE = {"rtol": 1e-12, "atol": 2e-12}  # laws are summed in another order, and controllers answer to that
ROD = vv.inertia.rod(1.0, 1.0, axis="x")


@functools.cache
def arm():
    """A tree: a slide whose parent is the moving part, a hinge with its zero elsewhere, a ball and a particle."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    base = m.body("base", mass=2.0, inertia=(0.1, 0.1, 0.1))
    upper, lower = m.body("upper", inertia=ROD, at=(0.5, 0, 0)), m.body("lower", inertia=ROD, at=(1.5, 0, 0))
    m.prismatic("rail", base, m.ground, axis="x", friction=0.3)
    m.revolute("shoulder", base, upper, at=(0, 0, 0), axis="y", friction=0.1, q_built=0.4)
    m.revolute("elbow", lower, upper, at=(1, 0, 0), axis="y", friction=0.1)
    m.frame("tool", lower, at=(2, 0, 0))
    m.force("push", "rail")
    m.torque("at_shoulder", "shoulder")
    m.torque("at_elbow", "elbow")
    m.wrench("load", lower)
    return m


@functools.cache
def four_bar():
    m = vv.Mechanism("four-bar", gravity=(0, 0, -9.81))
    crank = m.body("crank", inertia=vv.inertia.rod(1.0, 1.0, axis="z"), at=(0, 0, 0.5))
    coupler = m.body("coupler", inertia=vv.inertia.rod(1.0, 2.0, axis="x"), at=(1, 0, 1))
    rocker = m.body("rocker", inertia=vv.inertia.rod(1.0, 1.0, axis="z"), at=(2, 0, 0.5))
    m.revolute("a", m.ground, crank, at=(0, 0, 0), axis="y", friction=0.1)
    m.revolute("b", crank, coupler, at=(0, 0, 1), axis="y")
    m.revolute("c", coupler, rocker, at=(2, 0, 1), axis="y")
    m.revolute("d", m.ground, rocker, at=(2, 0, 0), axis="y")
    m.torque("motor", "a")
    return m


@functools.cache
def craft(way):
    """What flies with an arm on it; from another place than the origin, or about another point than its centre."""
    m = vv.Mechanism(f"craft {way}", gravity=(0, 0, -9.81))
    given = {
        "plain": {},
        "placed": {"at": (0.3, -0.2, 0.5), "rotation": SO3.exp([0.3, -0.4, 0.5]).R},
        "off its centre": {"at": (0.3, -0.2, 0.5), "com": (0.05, 0.02, -0.03)},
    }[way]
    hull = m.body("hull", mass=2.0, inertia=(0.1, 0.2, 0.15), **given)
    m.wrench("rotors", hull)
    hand = m.body("hand", mass=0.5, inertia=(0.01, 0.02, 0.02), at=(0.6, 0, 0.4))
    m.revolute("elbow", hull, hand, at=(0.4, 0, 0.4), axis="y", friction=0.1)
    m.torque("motor", "elbow")
    return m


def fly(now):
    w, v = now["hull.twist"][:3], now["hull.twist"][3:]
    f = 20.0 * (np.array([0.1, 0.0, 1.0]) - now["hull.r"]) + np.array([0.0, 0.0, 24.0])
    wrench = np.concatenate([-now["hull.R"] @ w, f - 3.0 * now["hull.R"] @ v])
    return {"rotors": wrench, "motor": -2.0 * now["elbow.q"] - 0.3 * now["elbow.rate"]}


def fly_by_hand(now):
    """Twists of what does not fly by itself are read."""
    return fly(now) | {"motor": -0.5 * now["hand.twist"][1] + 0.5 * now["hull.twist"][1]}


def hold_arm(now):
    gap = np.array([0.7 - now["shoulder.q"], 0.2 - now["elbow.q"]])
    torque = np.clip(30.0 * gap - 4.0 * np.array([now["shoulder.rate"], now["elbow.rate"]]), -15, 15)
    return {"at_shoulder": torque[0], "at_elbow": torque[1], "push": min(max(-9.0 * now["rail.q"], -2.0), 2.0)}


def see_tool(now):
    back = now["tool.R"] @ np.array([0.0, 0.0, 1.0]) * math.sin(3.0 * now.t)
    twist, r = now["tool.twist"], now["tool.r"]
    side = np.where(now["upper.twist"][1] > 0.1, -1.0, 0.5) + np.interp(r[2], [-1.0, 0.0, 1.0], [0.0, 1.0, -1.0])
    return {"load": np.concatenate([-0.3 * twist[:3], back - 0.2 * twist[3:] + side * r]), "push": -now["rail.rate"]}


def hold_joints(now):
    gap = np.array([0.7 - now["shoulder.q"], 0.2 - now["elbow.q"]])
    torque = np.clip(30.0 * gap - 4.0 * np.array([now["shoulder.rate"], now["elbow.rate"]]), -15, 15)
    return {"at_shoulder": torque[0], "at_elbow": torque[1]}


def push_tool(now):
    back = now["tool.R"] @ np.array([0.0, 0.0, 1.0]) * math.sin(3.0 * now.t)
    return {"load": np.concatenate([-0.3 * now["tool.twist"][:3], back - 0.2 * now["tool.twist"][3:]])}


def one_product_each(now):
    """It is rounded alike, however it is written."""
    return {"push": -9.0 * now["rail.q"], "at_shoulder": -0.5 * now["shoulder.rate"]}


def hold_crank(now):
    return {"motor": 40.0 * np.sin(0.4 - now["a.q"]) - 3.0 * now["a.rate"] - 0.1 * now["rocker.r"][0]}


def both(m, laws, h=0.01, t_end=0.3, **how):
    """The run with laws in compiled code, and that with laws in Python."""
    runs = []
    for compiled in (True, False):
        given = [vv.Sampled(**law, compiled=compiled) for law in laws]
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*asked in Python.*")
            runs.append(vv.simulate(m, t_end, h, sampled=given, **how))
    return runs


def assert_same(one, other):
    assert one.record.steps == other.record.steps
    for name in ("t", "x", "angles", "u", "u_mid", "h", "heat", "work"):
        np.testing.assert_allclose(getattr(one.record, name), getattr(other.record, name), err_msg=name, **CLOSE)
    assert one.audit().ok
    assert other.audit().ok


TIMING = {
    "each step": {"period": 0.01},
    "delay": {"period": 0.02, "delay": 0.05, "offset": 0.01},
    "between steps": {"period": 0.013, "delay": 0.004, "offset": 0.005},
    "late": {"period": 0.03, "delay": 0.011, "jitter": 0.008, "seed": 3},
}
IMPLICIT = {"PHMP": vv.PHMP(), "PHMPGGL": vv.PHMPGGL(), "LieMidpoint": vv.LieMidpoint()}
EXPLICIT = {"RK4": vv.RK4(), "DOP853, fixed": vv.DOP853(tolerance=None)}


@pytest.mark.parametrize("timing", TIMING.values(), ids=TIMING)
@pytest.mark.parametrize("scheme", (IMPLICIT | EXPLICIT).values(), ids=IMPLICIT | EXPLICIT)
def test_a_compiled_law_gives_what_it_gives_in_python_on_a_tree(scheme, timing):
    for law in (hold_arm, see_tool):
        assert_same(*both(arm(), [{"law": law, **timing}], integrator=scheme, initial={"elbow.rate": 1.0}))


@pytest.mark.parametrize("timing", TIMING.values(), ids=TIMING)
@pytest.mark.parametrize("scheme", IMPLICIT.values(), ids=IMPLICIT)
def test_a_compiled_law_gives_what_it_gives_in_python_on_a_loop(scheme, timing):
    assert_same(*both(four_bar(), [{"law": hold_crank, **timing}], integrator=scheme, initial={"a.rate": 1.0}))


@pytest.mark.parametrize("way", ["plain", "placed", "off its centre"])
@pytest.mark.parametrize("law", [fly, fly_by_hand], ids=lambda law: law.__name__)
@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.RK4()], ids=["PHMP", "RK4"])
def test_a_compiled_law_gives_what_it_gives_in_python_on_what_flies(scheme, law, way):
    start = {"hull.twist": (0.5, -0.3, 0.7, 0.2, -0.1, 0.3), "elbow.rate": 1.0}
    one, other = both(craft(way), [{"law": law, **TIMING["between steps"]}], integrator=scheme, initial=start)
    assert_same(one, other)
    assert np.abs(one["hull.twist"][-1]).min() > 1e-3  # all six of them are seen


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.RK4()], ids=["PHMP", "RK4"])
def test_several_laws_act_by_clocks_of_their_own(scheme):
    laws = [
        {"law": hold_joints, "period": 0.02, "delay": 0.02},
        {"law": push_tool, "period": 0.03, "offset": 0.01},
        {"law": lambda now: {"push": now.t}, "period": 0.05, "delay": 0.01},
    ]
    assert_same(*both(arm(), laws, integrator=scheme))


def test_runs_go_on_where_the_memory_of_compiled_steps_is_full():
    one, other = both(arm(), [{"law": one_product_each, "period": 0.002, "delay": 0.009}], h=0.001, t_end=3.0)
    assert np.array_equal(one.record.x, other.record.x)
    assert_same(one, other)


@pytest.mark.parametrize("timing", [TIMING["delay"], TIMING["late"]], ids=["delay", "late"])
@pytest.mark.parametrize("k", [0, 7, 20])
def test_a_step_that_misses_energy_is_made_anew_with_the_inputs_that_it_had(timing, k, monkeypatch):
    plain = vv.simulate(arm(), 0.3, 0.01, sampled=vv.Sampled(hold_arm, compiled=False, **timing))
    found, first_wrong = [k], Loop._first_wrong

    def wrong(self, record):
        return found.pop() if found and record.steps > k else first_wrong(self, record)

    monkeypatch.setattr(Loop, "_first_wrong", wrong)
    run = vv.simulate(arm(), 0.3, 0.01, sampled=vv.Sampled(hold_arm, compiled=True, **timing))
    assert not found
    assert_same(run, plain)


def test_laws_go_on_in_python_with_the_values_that_are_on_the_way(monkeypatch):
    timing = {"period": 0.002, "delay": 0.0073, "jitter": 0.001}
    plain = vv.simulate(arm(), 2.0, 0.001, sampled=vv.Sampled(one_product_each, compiled=False, **timing))
    made, steps_from = [], StepBuffer.steps_from

    def once(self, state):
        made.append(state.t)
        return steps_from(self, state) if len(made) == 1 else None

    monkeypatch.setattr(StepBuffer, "steps_from", once)
    run = vv.simulate(arm(), 2.0, 0.001, sampled=vv.Sampled(one_product_each, **timing))
    assert len(made) == 2
    assert 0.3 < made[1] < 1.9
    assert_same(run, plain)


# -- laws that do more than to compute -----------------------------------------------------------------------------

GAINS = {"k": 3.0}
COUNT = [0]
TOTAL = 0.0


def changes_a_list(seen):
    def law(now):
        seen.append(float(now.t))
        return {"push": -now["rail.q"]}

    return law


def changes_a_number_of_an_array(seen):
    total = np.zeros(1)

    def law(now):
        total[0] += 0.01
        seen.extend([0])
        return {"push": -total[0]}

    return law


def changes_a_variable(seen):
    count = 0

    def law(now):
        nonlocal count
        count += 1
        seen.append(count)
        return {"push": -now["rail.q"] * count}

    return law


def changes_a_global(seen):
    def law(now):
        global TOTAL
        TOTAL += 1.0
        seen.append(TOTAL)
        return {"push": -now["rail.q"]}

    return law


def counts_in_a_table(seen):
    def law(now):
        COUNT[0] = COUNT[0] + 1
        seen[len(seen) :] = [0]
        return {"push": 0.1}

    return law


def throws_dice(seen):
    dice = np.random.default_rng(0)

    def law(now):
        seen.append(0)
        return {"push": dice.uniform()}

    return law


def remembers_by_default(seen):
    def law(now, memory=[0.0]):  # noqa: B006
        memory[0] += 1.0
        seen.insert(0, memory[0])
        return {"push": memory[0]}

    return law


IMPURE = [
    changes_a_list, changes_a_number_of_an_array, changes_a_variable, changes_a_global, counts_in_a_table, throws_dice,
    remembers_by_default,
]  # fmt: skip


@pytest.mark.parametrize("made", IMPURE, ids=lambda made: made.__name__)
def test_a_law_that_changes_something_is_asked_at_every_tick(made):
    seen = []
    vv.simulate(arm(), 0.1, 0.01, sampled=vv.Sampled(made(seen), period=0.02))
    assert len(seen) == 5
    with pytest.warns(vv.RunWarning, match="asked in Python, not in compiled code"):
        vv.simulate(arm(), 0.1, 0.01, sampled=vv.Sampled(made(seen), period=0.02, compiled=True))


def branches(now):
    return {"push": 1.0 if now["rail.q"] > 0 else -1.0}


def catches(now):
    try:
        return {"push": -now["rail.q"] / GAINS["k"]}
    except TypeError:
        return {"push": 100.0}


def prints(now):
    print(now.t)
    return {"push": 0.0}


WEIGHTS = np.linspace(-1e-3, 1e-3, 2000).reshape(2, 1000)


def network(now):
    return {"push": (WEIGHTS[0] * np.tanh(WEIGHTS[1] * now["rail.q"] + 0.1)).sum()}


class Remembering:
    def reset(self):
        self.total = 0.0

    def update(self, now):
        self.total += now["rail.q"]
        return {"push": -self.total}


@pytest.mark.parametrize(
    ("law", "why"),
    [
        (branches, "branches on the answer"),
        (catches, "catches exceptions"),
        (prints, "'print'"),
        (Remembering(), "Remembering"),
        (network, "2000 numbers at once"),
        (lambda now: {"push": now["energy"]}, "no quantity of the motion"),
        (lambda now: {"push": np.random.default_rng().uniform()}, "random"),
        (lambda now: {"push": GAINS.get("k")}, "get"),
    ],
    ids=["branch", "except", "print", "object", "network", "power", "random", "method"],
)
def test_the_warning_says_why_a_law_is_asked_in_python(law, why, capsys):
    with pytest.warns(vv.RunWarning, match=why):
        asked = vv.simulate(arm(), 0.1, 0.01, sampled=vv.Sampled(law, period=0.02, compiled=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is said where nobody has asked for speed
        quiet = vv.simulate(arm(), 0.1, 0.01, sampled=vv.Sampled(law, period=0.02))
    assert_same(asked, quiet) if why != "random" else None


def test_a_law_of_very_many_operations_is_not_traced_to_its_end(monkeypatch):
    def law(now):
        return {"push": 1e-4 * sum(math.sin(k * now["rail.q"] + 0.1) for k in range(10_000))}

    began = time.process_time()
    vv.simulate(arm(), 0.02, 0.01, sampled=vv.Sampled(law, period=0.02))
    assert time.process_time() - began < 5.0
    monkeypatch.setattr(ticks, "MOST_OPERATIONS", (10, 20))
    with pytest.warns(vv.RunWarning, match="too many operations"):
        vv.simulate(arm(), 0.02, 0.01, sampled=vv.Sampled(law, period=0.02, compiled=True))


def test_laws_beside_functions_and_stop_are_asked_in_python():
    law = vv.Sampled(hold_arm, period=0.02, compiled=True)
    for how, why in (({"stop": lambda now: False}, "stop="), ({"inputs": {"load": lambda t: np.ones(6) * t}}, "funct")):
        with pytest.warns(vv.RunWarning, match=why):
            vv.simulate(arm(), 0.1, 0.01, sampled=law, **how)


def test_numbers_around_a_law_are_those_of_each_run():
    goal, gains = np.array([0.5]), {"k": 4.0}

    def law(now):
        return {"push": gains["k"] * (goal[0] - now["rail.q"]) * GAINS["k"]}

    for goal[0], gains["k"], GAINS["k"] in ((0.5, 4.0, 3.0), (1.0, 4.0, 3.0), (1.0, 5.0, 3.0), (1.0, 5.0, 2.0)):
        run = both(arm(), [{"law": law, "period": 0.05}], t_end=0.1)[0]
        assert run["push.u"][0] == pytest.approx(gains["k"] * goal[0] * GAINS["k"], rel=1e-14)


def servo(k, d, limit, goal=0.25):
    def law(now):
        torque = k[0] * (goal - now["shoulder.q"]) - d[0] * now["shoulder.rate"]
        push = -k[1] * now["rail.q"] - d[1] * now["rail.rate"] ** 2 * math.sin(3 * now.t)
        return {"at_shoulder": np.clip(torque, -limit, limit), "push": push}

    return law


def code_of(law):
    """The address of its code, and its numbers."""
    traced = sampled_law(vv.compile(arm()), law, 10_000)
    return traced.address, traced.numbers


ROUND = [((30, 9), (4, 2), 15), ((5.0, 90.0), (0.5, 7), 3), ((2, 2), (2, 2), 2), ((1 / 64, 3), (1e6, 2), 8.0)]
OTHER = [((3.1, 9.3), (4.7, 2.9), 15.2), ((93.1, 0.7), (0.3, 71.9), 0.1), ((-3.3, 5.7), (-0.7, 1.9), 1.1)]


@pytest.mark.parametrize("gains", [ROUND, OTHER], ids=["round", "any"])
def test_laws_that_differ_in_their_gains_alone_are_compiled_once(gains):
    first, *others = [code_of(servo(*own)) for own in gains]
    assert {address for address, _ in others} == {first[0]}
    assert len({tuple(numbers) for _, numbers in [first, *others]}) == len(gains)


@pytest.mark.parametrize("gains", [*ROUND, *OTHER, ((1, -1), (0, 1), 1), ((0.0, 1.0), (-1.0, 0), 0.5)], ids=str)
def test_a_law_with_any_gains_gives_what_it_gives_in_python(gains):
    k, d, limit = gains
    own = servo([min(abs(one), 30.0) for one in k], [min(abs(one), 5.0) for one in d], limit)
    assert_same(*both(arm(), [{"law": own, "period": 0.01}], t_end=0.1))


def test_what_makes_a_law_what_it_is_is_no_gain():
    """Exponents are structure, and so are numbers inside of functions that have none to change."""

    def power(n):
        return lambda now: {"push": 3.0 * now["rail.q"] ** n}

    assert code_of(power(2))[0] != code_of(power(3))[0]
    np.testing.assert_array_equal(code_of(power(2))[1], [3.0])


def test_what_a_law_uses_twice_is_one_number():
    def law(now):
        gap = 3.0 * now["rail.q"] + 2.0
        return {"push": gap * gap, "at_shoulder": gap}

    assert len(code_of(law)[1]) == 2


def test_many_gains_in_a_loop_leave_no_code_behind():
    before = len(laws._addresses)
    for k in range(2, 40):
        code_of(servo((k, 2 * k), (k + 0.5, 100 - k), 3 * k))
    assert len(laws._addresses) <= before + 1


def test_laws_call_functions_and_have_numbers_by_default():
    def error(now, name, goal=0.1):
        return goal - now[f"{name}.q"]

    def law(now, scale=2.0, *, names=("shoulder", "elbow")):
        u = {}
        for name in names:
            u[f"at_{name}"] = scale * error(now, name)
        return u

    assert_same(*both(arm(), [{"law": law, "period": 0.02}]))
    assert_same(*both(arm(), [{"law": functools.partial(law, scale=3.0), "period": 0.02}]))


def test_ports_are_named_by_their_handles():
    m = vv.Mechanism("slide")
    m.prismatic("rail", m.ground, m.body("cart", mass=2.0, inertia=(1, 1, 1)), axis="x")
    push = m.force("push", "rail")
    assert_same(*both(m, [{"law": lambda now: {push: 1.0 - now["rail.q"]}, "period": 0.02}]))


def test_quantities_of_steps_are_not_there_before_the_first():
    with pytest.raises(vv.ConvergenceError, match=r"'push.power' is a quantity of steps"):
        vv.simulate(arm(), 0.1, 0.01, sampled=vv.Sampled(lambda now: {"push": now["push.power"]}, period=0.02))


# -- laws of arrays ------------------------------------------------------------------------------------------------


def hold_by_arrays(t, y, u):
    for k in range(2):
        u[k] = min(max(30.0 * (0.2 * (k + 1) - y[k]) - 4.0 * y[2 + k], -15.0), 15.0)
    if t > 0.1:  # a branch that no expression has
        u[2:] = 0.1 * t - 0.2 * y[4:]


ARRAYS = {
    "reads": ["shoulder.q", "elbow.q", "shoulder.rate", "elbow.rate", "tool.twist"],
    "writes": ["at_shoulder", "at_elbow", "load"],
}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.RK4()], ids=["PHMP", "RK4"])
def test_a_law_of_numba_gives_what_it_gives_in_python(scheme):
    def plain(t, y, u):
        u[:] = 0.0
        hold_by_arrays(t, y, u)

    laws = [{"law": numba.njit(plain_with_zeros(numba.njit(hold_by_arrays))), "period": 0.02, "delay": 0.013, **ARRAYS}]
    assert_same(*both(arm(), laws, integrator=scheme))
    python = vv.simulate(arm(), 0.3, 0.01, sampled=vv.Sampled(plain, 0.02, 0.013, **ARRAYS), integrator=scheme)
    assert_same(both(arm(), laws, integrator=scheme)[0], python)


def plain_with_zeros(hold):
    def law(t, y, u):
        u[:] = 0.0
        hold(t, y, u)

    return law


@pytest.mark.slow
def test_what_a_law_of_numba_leaves_out_or_raises_ends_the_run():
    def silent(t, y, u):
        u[0] = 1.0

    def raising(t, y, u):
        u[:] = 1.0
        if t > 0.05:
            raise ValueError("too late")

    for law, says in ((silent, "one finite number"), (raising, "ValueError at t = 0.06")):
        with pytest.raises(vv.ConvergenceError, match=says):
            vv.simulate(arm(), 0.1, 0.01, sampled=vv.Sampled(numba.njit(law), period=0.02, **ARRAYS))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"law": numba.njit(hold_by_arrays)}, "needs both names"),
        ({"law": hold_by_arrays, "reads": ("rail.q",)}, "needs both names"),
        ({"law": hold_by_arrays, "reads": "rail.q", "writes": ("push",)}, "list of names"),
    ],
)
def test_laws_of_arrays_say_what_they_read_and_write(given, says):
    with pytest.raises(vv.ModelError, match=says):
        vv.Sampled(period=0.1, **given)


def test_names_of_laws_of_arrays_are_checked():
    for names, says in (({"writes": ["motr"]}, "motr"), ({"reads": ["shoulder.w"]}, "shoulder")):
        law = vv.Sampled(numba.njit(hold_by_arrays), period=0.02, **(ARRAYS | names))
        with pytest.raises(vv.ConvergenceError, match=says):
            vv.simulate(arm(), 0.1, 0.01, sampled=law)


TWO_GAINS = [3.0, 7.0]


def _projected(now):
    r = now["tool.r"]
    r[2] = 0.0  # of a copy: what is asked for again is as it was
    return {"push": np.sqrt(r[0] ** 2 + r[2] ** 2) - 3 * now["tool.r"][2]}


def _looping(now):
    x = now["elbow.q"]
    for _ in range(16):
        x = x - (x - 0.3 * np.sin(x) - now["elbow.q"]) / (1 - 0.3 * np.cos(x))
    return {"push": x}


TRICKY = {
    "answers compared": lambda now: {"push": 5.0 if (now["elbow.q"] > 0) != (now["elbow.rate"] > 0) else -5.0},
    "an answer and True": lambda now: {"push": 5.0 if (now["elbow.rate"] > 0) == True else -5.0},  # noqa: E712
    "by is": lambda now: {"push": 5.0 if (now["elbow.rate"] > 0) is True else -5.0},
    "a text": lambda now: {"push": 1.0 if f"{now.t:.3f}" == "0.000" else 0.0},
    "largest along an axis": lambda now: {"push": np.sum(np.max(now["tool.R"], axis=0))},
    "largest and initial": lambda now: {"push": np.max(now["tool.r"], initial=10.0)},
    "largest of all": lambda now: {"push": np.max(now["tool.r"])},
    "largest of a generator": lambda now: {"push": max((g for g in TWO_GAINS), default=1.0) * now["elbow.rate"]},
    "written into": _projected,
    "a long loop": _looping,
}


@pytest.mark.parametrize("name", TRICKY)
def test_what_symbols_would_take_for_something_else_is_what_it_is_in_python(name):
    start = {"elbow.q": 0.2, "elbow.rate": -0.5}
    runs = [
        vv.simulate(
            arm(), t_end=0.1, h=0.01, initial=start, sampled=vv.Sampled(TRICKY[name], period=0.01, compiled=compiled)
        )
        for compiled in (None, False)
    ]
    np.testing.assert_allclose(runs[0]["elbow.q"], runs[1]["elbow.q"], **CLOSE)


def test_numbers_with_a_behaviour_of_their_own_are_not_traced():
    class Counting(float):
        asked = 0

        def __mul__(self, other):
            Counting.asked += 1
            return float(self) * other

    gain = Counting(2.0)
    vv.simulate(arm(), t_end=0.05, h=0.01, sampled=vv.Sampled(lambda now: {"push": gain * now["elbow.q"]}, period=0.01))
    assert Counting.asked == 5
