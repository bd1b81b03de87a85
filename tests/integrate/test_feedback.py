"""Inputs that depend on states and efforts are solved inside the step."""

from __future__ import annotations

import numpy as np
import pytest
from catalogue import pair_with
from systems import coupling, hot, mass, spring

import visviva as vv
from visviva.language import compose

FORMS = [
    vv.DiscreteGradient(),
    vv.DiscreteGradient(compiled=False),
    vv.EnergyCollocation(),
    vv.EnergyCollocation(compiled=False),
]


def oscillator():
    boxes = {"pe": spring(), "ke": mass(), "pkc": coupling()}
    return compose("osc", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}, outer=("p",))


def law(t, x, z):
    return -0.3 * z.p + 0.1 * np.sin(3 * t) - 0.2 * x.q**3


def run_of(integrator, h=0.05, force=law):
    options = {"initial": {"q": 1.0, "p": 0.0}, "inputs": {"p": force}, "integrator": integrator}
    return vv.simulate(oscillator(), t_end=1.0, h=h, **options)


@pytest.mark.parametrize("integrator", FORMS, ids=repr)
def test_it_is_the_solution_of_the_closed_loop(integrator):
    from scipy.integrate import solve_ivp

    def rate(t, y):  # spring k = 1.5, mass m = 1
        q, p = y
        return [p, -1.5 * q - 0.3 * p + 0.1 * np.sin(3 * t) - 0.2 * q**3]

    exact = solve_ivp(rate, (0, 1), [1.0, 0.0], rtol=1e-11, atol=1e-12).y[:, -1]
    errors = []
    for h in (0.1, 0.05):
        run = run_of(integrator, h)
        assert run.audit().ok
        errors.append(np.abs([run["q"][-1, 0] - exact[0], run["p"][-1, 0] - exact[1]]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(integrator.order, abs=0.3)


@pytest.mark.parametrize("scheme", [vv.DiscreteGradient, vv.EnergyCollocation])
def test_both_forms_agree_and_show_the_inputs(scheme):
    a, b = (run_of(scheme(compiled=flag)) for flag in (True, False))
    np.testing.assert_allclose(a.record.x, b.record.x, atol=1e-13)
    np.testing.assert_allclose(a["p.u"], b["p.u"], atol=1e-12)
    np.testing.assert_allclose(a["p.power"], b["p.power"], atol=1e-12)
    assert np.abs(a["p.u"]).max() > 0.05


def test_a_damping_input_takes_energy_out():
    run = run_of(vv.DiscreteGradient(), force=lambda z: -0.5 * z.p)
    assert (run["p.power"] <= 0).all()
    assert run["work"][-1] == pytest.approx(run["energy"][-1] - run["energy"][0], abs=1e-13)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_torque_of_a_joint_may_depend_on_the_motion(compiled):
    m = pair_with(0.1)
    m.torque("motor", "h2")
    scheme = vv.DiscreteGradient(compiled=compiled)
    options = {"t_end": 0.1, "h": 0.01, "integrator": scheme}
    steady = vv.simulate(m, inputs={"motor": 0.3}, **options)
    traced = vv.simulate(m, inputs={"motor": lambda t, x, z: 0.3 + 0 * t}, **options)
    np.testing.assert_allclose(traced.record.x, steady.record.x, atol=1e-11)


def test_temperatures_can_be_felt():
    names = list(vv.compile(hot()).layout.x)
    start = dict.fromkeys(names, 0.1)
    run = vv.simulate(
        hot(), t_end=0.2, h=0.01, initial=start, inputs={"p": lambda theta, theta0: (theta.s - theta0) / 100}
    )
    assert run.audit().ok
    assert np.abs(run["p.u"]).max() > 0


def test_what_cannot_be_traced_or_solved_is_an_error():
    with pytest.raises(
        vv.ModelError, match=r"input of port 'p' cannot be traced: it asks for z\['pp'\]; there is q, p"
    ):
        run_of(vv.DiscreteGradient(), force=lambda z: z.pp)
    with pytest.raises(vv.ModelError, match=r"the input of port 'p' must be 1 numbers, got shape \(2,\)"):
        run_of(vv.DiscreteGradient(), force=lambda z: [z.p, 1.0])
