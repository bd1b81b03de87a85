"""Sampled laws against the exact discrete-time system: x⁺ = x + T v + ½ T² u/m, v⁺ = v + T u/m, u held."""

import numpy as np
import pytest

import visviva as vv


def cart(mass=2.0):
    m = vv.Mechanism("cart")
    body = m.body("cart", mass=mass, inertia=(0.1, 0.1, 0.1))
    m.prismatic("rail", m.ground, body, axis="x")
    m.force("push", "rail")
    return m


def pd(now):
    return {"push": -8.0 * now["rail.q"] - 3.0 * now["rail.rate"]}


def exact(t_end, period, delay=0.0, offset=0.0, mass=2.0, x=1.0, v=0.0):
    """Position and velocity at t_end, event by event."""
    t, u, arriving, tick = 0.0, 0.0, [], offset
    while t < t_end - 1e-12:
        if tick <= t + 1e-12:
            arriving.append((t + delay, -8.0 * x - 3.0 * v))
            tick += period
        while arriving and arriving[0][0] <= t + 1e-12:
            u = arriving.pop(0)[1]
        T = min([tick, t_end, *(time for time, _ in arriving[:1])]) - t
        x, v, t = x + T * v + 0.5 * T * T * u / mass, v + T * u / mass, t + T
    return x, v


SCHEMES = [
    vv.PHMP(),
    vv.PHMPGGL(),
    vv.LieMidpoint(),
    vv.RK4(),
    vv.DOP853(),
    vv.Adaptive(vv.PHMP()),
    vv.PHMP(compiled=False),
]
NAMES = ["PHMP", "PHMPGGL", "LieMidpoint", "RK4", "DOP853", "Adaptive", "PHMP in NumPy"]


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
@pytest.mark.parametrize(
    ("period", "delay", "offset"), [(0.02, 0.0, 0.0), (0.02, 0.03, 0.01), (0.025, 0.007, 0.013)], ids=str
)
def test_a_sampled_law_is_the_exact_discrete_time_system(period, delay, offset, scheme):
    law = vv.Sampled(pd, period=period, delay=delay, offset=offset)
    run = vv.simulate(cart(), t_end=1.0, h=0.01, integrator=scheme, initial={"rail.q": 1.0}, sampled=law)
    assert run.t[-1] == pytest.approx(1.0, abs=1e-12)
    x, v = exact(1.0, period, delay, offset)
    assert run["rail.q"][-1] == pytest.approx(x, abs=1e-10)
    assert run["rail.rate"][-1] == pytest.approx(v, abs=1e-10)
    assert run.audit().ok


def test_several_laws_and_objects_that_remember():
    class Counter:
        seen = -1

        def reset(self):
            self.seen = 0

        def update(self, now):
            self.seen += 1
            return {"load": (0, 0, 0, 0, 0, self.seen)}

    m, count = cart(), Counter()
    lift = m.body("lift", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic("column", m.ground, lift, axis="z")
    m.wrench("load", lift)
    laws = [vv.Sampled(pd, period=0.01), vv.Sampled(count, period=0.1)]
    for _ in range(2):  # the second run begins anew
        run = vv.simulate(m, t_end=0.3, h=0.01, initial={"rail.q": 1.0}, sampled=laws)
        assert count.seen == 3
    force = np.repeat([1.0, 2.0, 3.0], 10)
    np.testing.assert_allclose(np.diff(run["column.rate"]), 0.01 * force, rtol=0, atol=1e-12)
    assert run["push.power"].any()


def test_ticks_come_late_by_the_dice_of_the_seed():
    def ticks(seed):
        seen = []

        def law(now):
            seen.append(now.t)
            return {"push": 0.0}

        vv.simulate(cart(), t_end=0.5, h=0.01, sampled=vv.Sampled(law, period=0.05, jitter=0.01, seed=seed))
        return np.array(seen)

    late = ticks(1) - 0.05 * np.arange(10)
    assert (late >= 0).all()
    assert (late <= 0.01).all()
    assert np.ptp(late) > 1e-3
    np.testing.assert_array_equal(ticks(1), ticks(1))
    assert (ticks(1) != ticks(2)).any()


def test_stop_every_and_record_are_those_of_any_run():
    how = {"t_end": 1.0, "h": 0.01, "initial": {"rail.q": 1.0}, "sampled": vv.Sampled(pd, period=0.02)}
    whole = vv.simulate(cart(), **how)
    ended = vv.simulate(cart(), stop=lambda now: now["rail.q"] < 0.5, **how)
    assert ended["rail.q"][-1] < 0.5 <= ended["rail.q"][-2]
    np.testing.assert_array_equal(ended["rail.q"], whole["rail.q"][: len(ended.t)])
    few = vv.simulate(cart(), every=10, record=("rail.q",), **how)
    np.testing.assert_array_equal(few["rail.q"], whole["rail.q"][::10])
    assert few.audit().ok


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (lambda now: {"pusch": 1.0}, "push"),
        (lambda now: {"push": np.nan if now.t > 0.045 else 0.0}, "one finite number"),
        (lambda now: {"push": (1.0, 2.0)}, "one finite number"),
        (lambda now: 1.0, "by port name"),
        (lambda now: {"push": 1 / (now.t < 0.045)}, "ZeroDivisionError at t = 0.05"),
        (lambda now: {"push": now["rale.q"]}, "rail"),
    ],
)
def test_laws_that_go_wrong_say_when_and_keep_what_is_valid(law, says):
    with pytest.raises(vv.ConvergenceError, match=says) as caught:
        vv.simulate(cart(), t_end=1.0, h=0.01, sampled=vv.Sampled(law, period=0.05))
    assert "at t = " in str(caught.value)
    assert caught.value.run.t[-1] in (0.0, pytest.approx(0.05))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"law": 3.0, "period": 0.1}, "law"),
        ({"law": pd, "period": 0.0}, "period"),
        ({"law": pd, "period": 0.1, "delay": -1.0}, "delay"),
        ({"law": pd, "period": 0.1, "jitter": 0.2}, "late"),
    ],
)
def test_wrong_laws_are_refused_when_they_are_given(wrong, says):
    with pytest.raises(vv.ModelError, match=says):
        vv.Sampled(**wrong)


def test_what_is_no_sampled_law_is_refused():
    with pytest.raises(vv.ModelError, match=r"vv\.Sampled"):
        vv.simulate(cart(), t_end=1.0, h=0.01, sampled=pd)
