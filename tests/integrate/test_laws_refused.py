"""Laws of feedback that cannot be solved are refused by name when they are given, or end a run with the time."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv

SCHEMES = [vv.PHMP(), vv.PHMPGGL(compiled=False), vv.LieMidpoint(), vv.DOP853()]


def pendulum():
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis="y")
    m.torque("motor", "hinge")
    return m


def given(inputs, scheme=None, t_end=0.1):
    return vv.simulate(pendulum(), t_end=t_end, h=0.01, integrator=scheme, inputs=inputs)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_names_that_are_not_there_come_with_the_nearest(scheme):
    with pytest.raises(vv.ModelError, match=r"port 'motor' .* asks for x\['hinge.w'\]; .*mean 'hinge.rate'"):
        given({"motor": lambda x: x["hinge.w"]}, scheme)
    with pytest.raises(vv.ModelError, match=r"x\['hing.q'\]; .*did you mean 'hinge.q'"):
        given(lambda t, x: {"motor": x["hing.q"]}, scheme)


def test_a_law_has_the_shape_of_its_port_and_names_ports():
    with pytest.raises(vv.ModelError, match=r"the input of port 'motor' must be 1 numbers, got shape \(3,\)"):
        given({"motor": lambda x: x["arm.r"]})
    with pytest.raises(vv.ModelError, match=r"inputs name 'moter', but the ports of 'pendulum' are: motor"):
        given(lambda t, x: {"moter": -x["hinge.q"]})
    with pytest.raises(vv.ModelError, match=r"law of the inputs must return inputs by port name"):
        given(lambda t, x: -x["hinge.q"])
    with pytest.raises(vv.ModelError, match=r"inputs are given by port name, .*or by one law of all ports"):
        given(3.0)
    with pytest.raises(vv.ModelError, match=r"port 'motor' asks for t, state; a law takes t, the time"):
        given({"motor": lambda t, state: -state["hinge.q"]})
    with pytest.raises(vv.ModelError, match=r"it asks for z\['hinge'\]; there is none"):
        given({"motor": lambda t, z: z["hinge"]})


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_law_that_jumps_is_refused_with_the_way_out(scheme):
    for law in (
        lambda x: -np.sign(x["hinge.rate"]),
        lambda x: np.where(x["hinge.q"] > 0.1, 1.0, -1.0),
    ):
        with pytest.raises(vv.ModelError, match=r"(?s)port 'motor' .*jump.*vv.friction.*vv.Sampled"):
            given({"motor": law}, scheme)
    given({"motor": lambda t, x: np.where(t > 0.05, 1.0, 0.0) - x["hinge.q"]}, scheme)  # in time alone


def test_a_law_that_branches_says_how_to_write_it():
    with pytest.raises(vv.ModelError, match=r"(?s)cannot be traced: it compares a state.*np.clip"):
        given({"motor": lambda x: 1.0 if x["hinge.q"] > 0 else -1.0})
    with pytest.raises(vv.ModelError, match=r"(?s)np.interp knots that do not rise"):
        given({"motor": lambda x: np.interp(x["hinge.q"], [0.0, 0.0], [1.0, 2.0])})


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "scheme", [*SCHEMES, vv.PHMP(compiled=False), vv.LieMidpoint(compiled=False), vv.RK4()], ids=repr
)
def test_a_law_that_gives_no_number_ends_the_run_with_the_time(scheme):
    text = r"the law of port 'motor' gives no finite number at t = 0\.0\d"
    with pytest.raises(vv.ConvergenceError, match=text) as error:
        given({"motor": lambda t, x: -np.sqrt(0.0525 - t) * x["hinge.rate"]}, scheme)
    run = error.value.run
    assert 0.03 < run.t[-1] < 0.0525
    assert run.audit().ok


def test_a_law_of_all_ports_leaves_prescribed_motion_to_time():
    m = pendulum()
    m.body("tip", mass=0.1, inertia=(0.01, 0.01, 0.01), at=(1.0, 0, 0))
    m.revolute("wrist", "arm", "tip", at=(1.0, 0, 0), axis="y")
    m.drive("servo", "wrist", rate=0.0)
    with pytest.raises(vv.ModelError, match="port 'servo' prescribes a motion"):
        vv.simulate(m, t_end=0.1, h=0.01, inputs=lambda t, x: {"servo": -x["wrist.q"]})


def test_a_scheme_of_ones_own_that_solves_no_laws_refuses_them():
    from visviva.integrate.choice import check_feedback
    from visviva.integrate.inputs import input_function

    class Own(vv.integrate.integrator.AbstractIntegrator):
        form = "directors"

        def prepare(self, model): ...

    model = input_function(vv.compile(pendulum(), "directors"), {"motor": lambda x: -x["hinge.q"]})[1]
    with pytest.raises(vv.ModelError, match="'motor' depends on states or efforts, which Own does not solve inside"):
        check_feedback(model, Own())
