"""A control law that is an object does what a function of the same expression does, wherever laws are taken."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.errors import VisvivaError
from visviva.model.control_law import AbstractControlLaw


class Gains(AbstractControlLaw):
    reads = ("a.q", "a.rate", "b.q", "b.rate")
    size = 4
    writes = ("motor_b", "motor_a")
    widths = (1, 1)

    def inputs(self, t, y):
        return np.array([-3.0 * y[2] - 0.5 * y[3] + np.sin(t), -5.0 * y[0] - y[1]])


def by_functions(t, x):
    return {
        "motor_b": -3.0 * x["b.q"] - 0.5 * x["b.rate"] + np.sin(t),
        "motor_a": -5.0 * x["a.q"] - x["a.rate"],
    }


def pendulum():
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    upper = m.body("upper", mass=1.0, inertia=(0.02, 0.02, 0.001), at=(0.25, 0, 0))
    lower = m.body("lower", mass=0.7, inertia=(0.01, 0.01, 0.001), at=(0.75, 0, 0))
    a = m.revolute("a", m.ground, upper, at=(0, 0, 0), axis="y")
    b = m.revolute("b", upper, lower, at=(0.5, 0, 0), axis="y")
    m.torque("motor_a", a)
    m.torque("motor_b", b)
    return m


SCHEMES = [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4(), vv.DOP853(), vv.Gauss8()]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_inside_of_steps(scheme):
    ends = [
        vv.simulate(pendulum(), t_end=0.3, h=0.01, integrator=scheme, inputs=law, initial={"a.q": 0.3})
        for law in (Gains(), by_functions)
    ]
    assert ends[0].engine == ends[1].engine
    np.testing.assert_allclose(ends[0]["b.q"], ends[1]["b.q"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(ends[0]["motor_a.work"], ends[1]["motor_a.work"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("scheme", SCHEMES[:4], ids=repr)
def test_sampled(scheme):
    def law(now):
        return by_functions(now.t, now)

    ends = [
        vv.simulate(
            pendulum(), t_end=0.3, h=0.01, integrator=scheme, initial={"a.q": 0.3},
            sampled=vv.Sampled(one, period=0.02, delay=0.005),
        )
        for one in (Gains(), law)
    ]  # fmt: skip
    np.testing.assert_allclose(ends[0]["b.q"], ends[1]["b.q"], rtol=0, atol=1e-11)


class Failing(Gains):
    def inputs(self, t, y):
        if t > 0.1:
            raise ValueError("no solution for the wrist")
        return super().inputs(t, y)


def test_an_exception_of_a_law_ends_the_run_and_is_told():
    with pytest.raises(VisvivaError, match="no solution for the wrist"):
        vv.simulate(pendulum(), t_end=0.3, h=0.01, inputs=Failing())


class Elsewhere(Gains):
    writes = ("motor_a", "motor_c")


def test_unknown_ports_are_refused():
    with pytest.raises(VisvivaError, match="motor_c"):
        vv.simulate(pendulum(), t_end=0.3, h=0.01, inputs=Elsewhere())
