"""Motors, end stops and thermal nodes of the builder: what is refused, and how results are called."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv

MOTOR = {"resistance": 1.0, "inductance": 0.01, "k": 0.1}


@pytest.fixture
def m():
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.body("far", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1.5, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0))
    m.fixed("weld", "rod", "far")
    return m


def hinge(m, **options):
    return m.revolute("other", m.ground, "far", at=(1, 0, 0), axis=(0, 1, 0), **options)


BAD = {
    "motor on a weld": (
        lambda m: m.motor("motor", "weld", **MOTOR),
        ("motor 'motor'", "joint 'weld'", "is fixed", "no coordinate"),
    ),
    "motor on a body": (lambda m: m.motor("motor", "rod", **MOTOR), ("motor 'motor'", "body 'rod'", "give a joint")),
    "motor on a ball": (
        lambda m: m.motor("motor", m.spherical("ball", m.ground, "far", at=(1, 0, 0)), **MOTOR),
        ("joint 'ball'", "is spherical", "no coordinate"),
    ),
    "motor without constant": (lambda m: m.motor("motor", "hinge", **MOTOR | {"k": 0.0}), ("k = 0", "couples nothing")),
    "resistance": (
        lambda m: m.motor("motor", "hinge", **MOTOR | {"resistance": -1}),
        ("resistance of motor", "positive"),
    ),
    "inductance": (
        lambda m: m.motor("motor", "hinge", **MOTOR | {"inductance": 0}),
        ("inductance of motor", "positive"),
    ),
    "unknown heat_to": (
        lambda m: m.motor("motor", "hinge", **MOTOR, heat_to="oil"),
        ("mechanism 'arm' has no 'oil'",),
    ),
    "heat_to of a body": (lambda m: hinge(m, friction=0.1, heat_to="rod"), ("heat_to of joint 'other'", "body 'rod'")),
    "foreign heat_to": (
        lambda m: hinge(m, friction=0.1, heat_to=vv.Mechanism().thermal("oil", capacity=1.0)),
        ("heat_to of joint 'other'", "another mechanism"),
    ),
    "capacity": (lambda m: m.thermal("oil", capacity=0.0), ("capacity of thermal node 'oil'", "positive")),
    "temperature": (lambda m: m.thermal("oil", capacity=1.0, temperature=-5.0), ("temperature", "positive")),
    "conductance": (
        lambda m: m.thermal("oil", capacity=1.0, conductance_to_environment=-1.0),
        ("conductance of thermal node 'oil'", "at least 0"),
    ),
    "name of the environment": (lambda m: m.thermal("environment", capacity=1.0), ("reserved",)),
    "reversed limits": (
        lambda m: hinge(m, limits=(1, -1), stop_stiffness=1.0),
        ("joint 'other'", "from 1 to -1", "low"),
    ),
    "one limit": (lambda m: hinge(m, limits=1.0, stop_stiffness=1.0), ("two finite numbers", "(low, high)")),
    "no stiffness": (lambda m: hinge(m, limits=(-1, 1)), ("no stop_stiffness",)),
    "no limits": (lambda m: hinge(m, stop_stiffness=5.0), ("no limits",)),
    "negative stiffness": (lambda m: hinge(m, limits=(-1, 1), stop_stiffness=-5.0), ("stiffness", "positive")),
    "negative damping": (
        lambda m: hinge(m, limits=(-1, 1), stop_stiffness=5.0, stop_damping=-1.0),
        ("damping", "at least 0"),
    ),
    "stop on a weld": (lambda m: m.stop("s", "weld", -1, 1, stiffness=1.0), ("stop 's'", "'weld'", "no coordinate")),
    "stop of no coordinate": (
        lambda m: m.stop("s", "hinge", -1, 1, stiffness=1.0, coordinate=1),
        ("coordinate 1", "which has 0 'angle'"),
    ),
    "stop width": (lambda m: m.stop("s", "hinge", -1, 1, stiffness=1.0, width=0.0), ("width of stop 's'", "positive")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_name(m, case):
    before = dict(m.parts)
    build, words = BAD[case]
    with pytest.raises(vv.ModelError) as error:
        build(m)
    assert all(word in str(error.value) for word in words), error.value
    assert {name for name in m.parts if name != "ball"} == set(before)


def test_a_start_outside_of_the_limits_is_refused(m):
    m.stop("stop", "hinge", 0.5, 1.0, stiffness=10.0)
    with pytest.raises(
        vv.AssemblyError, match=r"joint 'hinge' starts at 0 rad, outside of its limits from 0.5 to 1 rad"
    ):
        vv.simulate(m, t_end=0.1, h=0.01)


def test_other_readings_see_a_motor_too(m):
    m.motor("motor", "hinge", **MOTOR)
    assert m.system().interface["motor"].quantity.name == "flux linkage"
    assert m.kinestatics().mobility() == 1
    assert "hinge" in m.kinestatics().actuated()


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()], ids=["PHMP", "PHMPGGL", "Lie"])
def test_results_go_by_the_names_of_the_parts(m, integrator):
    node = m.thermal("winding", capacity=2.0, temperature=310.0)
    m.motor("motor", "hinge", **MOTOR, heat_to=node, current=2.0)
    m.stop("stop", "hinge", -0.1, 0.01, stiffness=500.0, damping=100.0)
    run = vv.simulate(m, t_end=0.1, h=0.01, integrator=integrator, inputs={"motor": 12.0})
    assert run["motor.current"][0] == pytest.approx(2.0)
    assert_allclose(run["motor.torque"], 0.1 * run["motor.current"])
    assert_allclose(run["motor.u"], 12.0)
    assert run["winding.temperature"][0] == pytest.approx(310.0)
    assert run.unit("winding.temperature") == "K"
    assert run.unit("motor.current") == "A"
    assert run["motor.work"][-1] > 0
    assert run["stop.force"].shape == run.t.shape
    assert (np.diff(run["entropy.motor"]) > 0).all()
    for name in run.names:
        assert np.isfinite(run[name]).all(), name
    text = str(run.audit())
    assert "winding" in text
    assert "every joule accounted for" in text
    current, mean = run["motor.current"], run["motor.power"] / 12.0
    assert_allclose(mean, 0.5 * (current[1:] + current[:-1]), rtol=1e-9)


def test_pictures_and_pages_take_them(m, tmp_path):
    node = m.thermal("winding", capacity=2.0)
    m.motor("motor", "hinge", **MOTOR, heat_to=node)
    m.stop("stop", "hinge", -0.1, 0.1, stiffness=500.0)
    vv.draw(m, tmp_path / "arm.svg")
    assert "motor" in (tmp_path / "arm.svg").read_text()
    run = vv.simulate(m, t_end=0.05, h=0.01, inputs={"motor": 12.0})
    run.page(tmp_path / "arm.html")
    for what in ("energy", "heat", "audit", "winding.temperature"):
        run.plot(what, tmp_path / "plot.png")
    run.sankey(tmp_path / "sankey.png")
    plt.close("all")
    run.to_npz(tmp_path / "run.npz")


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # long steps are what it is about
def test_steps_that_jump_over_the_regularisation_are_noted(m):
    m.body("wheel", mass=1.0, inertia=(0.01, 0.01, 0.01), at=(3, 0, 0))
    dry = vv.friction.coulomb(20.0, v_reg=1e-6)
    m.revolute("axle", m.ground, "wheel", at=(3, 0, 0), axis=(0, 1, 0), friction=dry)
    m.torque("shake", "axle")
    run = vv.simulate(m, t_end=1.0, h=0.01, inputs={"shake": lambda t: 40.0 * np.sin(60 * t)})
    assert any("'axle' jumps over zero" in warning for warning in run.audit().warnings)


def test_an_equilibrium_has_no_current(m):
    free = vv.equilibrium(m)
    m.motor("motor", "hinge", **MOTOR, current=5.0, heat_to=m.thermal("winding", capacity=2.0))
    found = vv.equilibrium(m)
    assert found.stable
    for name, q in free.motion.q.items():
        assert_allclose(found.motion.q[name], q, atol=1e-9)


def test_an_equilibrium_can_lean_on_a_stop(m):
    m.stop("stop", "hinge", -0.5, 0.4, stiffness=1e4)
    found = vv.equilibrium(m)
    angle = found.motion.angles["hinge"]
    assert 0.4 < angle < 0.41
    assert 1e4 * (angle - 0.4) == pytest.approx(2 * 9.81 * np.cos(angle), rel=1e-2)  # two masses at 0.5 and 1.5 m
