"""Each port has one sampled law: two of them are refused, whatever they are made of."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.errors import VisvivaError


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
