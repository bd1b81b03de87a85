"""Each port has one sampled law: two of them are refused, whatever they are made of."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ModelError, VisvivaError


@pytest.fixture(scope="module")
def m():
    m = vv.Mechanism("cart")
    m.prismatic("rail", m.ground, m.body("cart", mass=1.0, inertia=(0.1,) * 3), at=(0, 0, 0), axis="x")
    m.force("push", "rail")
    return m


def steer(now):
    return {"push": -now["rail.q"]}


def hold(now):
    return {"push": 1.0 if now.t < 10 else 0.0}


def arrays(t, y, u):
    u[0] = -y[0]


class Keeper:
    def update(self, now):
        return {"push": 0.5}


def tracking(m):
    return vv.control.tracking(m, {"rail": vv.control.gains(1.0, 2.0, 1.0)}).at(np.zeros(1))


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize(
    "second",
    [
        lambda m: (vv.Sampled(hold, period=0.02, offset=0.5), "'hold' every 0.02 s"),
        lambda m: (vv.Sampled(Keeper(), period=0.02), "'Keeper' every 0.02 s"),
        lambda m: (vv.Sampled(tracking(m), period=0.02), "'Controller' every 0.02 s"),
        lambda m: (vv.Sampled(arrays, period=0.02, reads=["rail.q"], writes=["push"]), "'arrays' every 0.02 s"),
    ],
)
def test_two_laws_of_one_port_are_refused_with_both_names(m, second, compiled):
    other, name = second(m)
    first = vv.Sampled(steer, period=0.01, compiled=compiled)
    with pytest.raises(VisvivaError, match="port 'push'") as refused:
        vv.simulate(m, t_end=1.0, h=0.01, sampled=[first, other])
    assert "sampled[0], 'steer' every 0.01 s" in str(refused.value)
    assert f"sampled[1], {name}" in str(refused.value)


def test_laws_that_say_what_they_write_are_refused_before_the_first_step(m):
    asked = list[float]()

    class Counted:
        writes = ("push",)

        def update(self, now):
            asked.append(now.t)
            return {"push": 0.0}

    with pytest.raises(VisvivaError, match=r"'Counted' every 0\.01 s and sampled"):
        vv.simulate(m, t_end=1.0, h=0.01, sampled=[vv.Sampled(Counted(), period=0.01), vv.Sampled(tracking(m), 0.02)])
    assert not asked


def test_laws_of_different_ports_act_together():
    m = vv.Mechanism("two carts")
    for k in range(2):
        m.prismatic(f"rail{k}", m.ground, m.body(f"cart{k}", mass=1.0, inertia=(0.1,) * 3), at=(0, k, 0), axis="x")
        m.force(f"push{k}", f"rail{k}")
    laws = [
        vv.Sampled(lambda now: {"push0": 1.0}, period=0.01),
        vv.Sampled(lambda now: {"push1": 2.0}, period=0.02),
    ]
    run = vv.simulate(m, t_end=1.0, h=0.01, sampled=laws)
    np.testing.assert_allclose([run["rail0.q"][-1], run["rail1.q"][-1]], [0.5, 1.0], rtol=1e-9)


def test_a_port_of_several_numbers_takes_no_single_one():
    m = vv.Mechanism("craft")
    m.wrench("thrust", m.body("craft", mass=1.0, inertia=(1, 1, 1)))
    for given in (1.0, (1.0, 0.0, 0.0), np.zeros((1, 6)), (np.nan,) * 6):
        with pytest.raises(VisvivaError, match="'thrust' must be 6 finite numbers"):
            vv.Simulator(m, h=0.01).step({"thrust": given})
    with pytest.raises(VisvivaError, match="6"):
        vv.simulate(m, 0.02, 0.01, sampled=vv.Sampled(lambda now: {"thrust": 1.0}, period=0.01))


# -- a law inside of steps beside a sampled one -----------------------------------------------------------------------


def two_carts():
    m = vv.Mechanism("two carts")
    for k in range(2):
        m.prismatic(f"rail{k}", m.ground, m.body(f"cart{k}", mass=1.0, inertia=(0.1,) * 3), at=(0, k, 0), axis="x")
        m.force(f"push{k}", f"rail{k}")
    return m


INSIDE = {
    "one port": {"push": lambda t, x: -x["rail.rate"]},
    "all ports": lambda t, x: {"push": -x["rail.rate"]},
}


@pytest.mark.parametrize("inside", [*INSIDE, "tracking"])
@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize(
    "sampled",
    [
        lambda m, how: vv.Sampled(steer, period=0.01, offset=0.5, compiled=how),
        lambda m, how: vv.Sampled(tracking(m), period=0.01, offset=0.5, compiled=how),
        lambda m, how: vv.Sampled(arrays, period=0.01, offset=0.5, reads=["rail.q"], writes=["push"]),
    ],
)
def test_a_law_inside_of_steps_and_a_sampled_one_are_refused_before_the_first_step(m, inside, sampled, compiled):
    inputs = tracking(m) if inside == "tracking" else INSIDE[inside]
    with pytest.raises(ModelError, match=r"port 'push': one of inputs=, .* and sampled\[0\], .* every 0\.01 s"):
        vv.simulate(m, t_end=1.0, h=0.01, inputs=inputs, sampled=sampled(m, compiled))


def test_a_law_that_only_asking_tells_is_refused_at_its_first_tick(m):
    with pytest.raises(VisvivaError, match=r"at t = 0 s: two laws give inputs of port 'push'"):
        vv.simulate(m, t_end=1.0, h=0.01, inputs=INSIDE["one port"], sampled=vv.Sampled(Keeper(), period=0.01))


def test_the_port_that_both_give_is_named_and_others_act_together():
    m, inside = two_carts(), {"push0": lambda t, x: 1.0 - x["rail0.rate"]}
    run = vv.simulate(m, t_end=0.5, h=0.01, inputs=inside, sampled=vv.Sampled(lambda now: {"push1": 2.0}, period=0.01))
    assert run["rail1.q"][-1] == pytest.approx(0.25, rel=1e-12)
    assert 0 < run["rail0.q"][-1] < 0.125
    both = inside | {"push1": lambda t, x: -x["rail1.rate"]}
    with pytest.raises(ModelError, match="port 'push1'"):
        vv.simulate(m, t_end=0.5, h=0.01, inputs=both, sampled=vv.Sampled(lambda now: {"push1": 2.0}, period=0.01))
    with pytest.raises(ModelError, match="port 'push1' is a law"):
        vv.Simulator(m, 0.01, inputs=both).step({"push1": 1.0})
