"""Simulators with other numbers: the same runs as of a mechanism built with them, and no code is compiled for them."""

from __future__ import annotations

import numpy as np
import parts
import pytest
from numba.core import event
from numpy.testing import assert_allclose, assert_array_equal
from parts import BODIES, ELEMENTS

import visviva as vv
from visviva.kernels import cache, laws
from visviva.mechanism.calls import signature

H = 1e-3
SIZES = (
    "mass",
    "k",
    "damping",
    "length",
    "friction",
    "capacity",
    "resistance",
    "inductance",
    "stiffness",
    "d",
    "radius",
)
QUICK = ("spring", "friction law", "motor", "gear", "own constraint", "own velocity constraint", "closed loop")
PLACES = ("com", "at_a", "at_b", "twist")


@pytest.fixture
def compilations(monkeypatch):
    """What is compiled or written as code, by name."""
    found: list[str] = []

    class Listener(event.Listener):
        def on_start(self, event):
            found.append(str(event.data.get("dispatcher")))

        def on_end(self, event):
            pass

    load, address = cache.load_generated, laws.law_address
    monkeypatch.setattr(cache, "load_generated", lambda key, source: (found.append(key), load(key, source))[1])
    monkeypatch.setattr(laws, "law_address", lambda kind, source: (found.append(source), address(kind, source))[1])
    listener = Listener()
    with event.install_listener("numba:compile", listener):
        yield found


def pendulum() -> vv.Mechanism:
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.5, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    m.revolute("hinge", "ground", "arm", at=(0, 0, 0), axis="y", friction=0.1)
    m.spring("cord", "ground", "arm", k=20.0, length=0.4, at_a=(0.5, 0, 1), damping=0.3)
    return m


def four_bar() -> vv.Mechanism:
    m = vv.Mechanism("four bar", gravity=(0, 0, -9.81))
    points = {"A": (0, 0, 0), "B": (0, 0, 0.4), "C": (1.2, 0, 0.9), "D": (1.0, 0, 0)}
    for name, (a, b) in {"crank": "AB", "coupler": "BC", "rocker": "DC"}.items():
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=np.add(points[a], points[b]) / 2)
    for name, ends in {"A": ("ground", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker")}.items():
        m.revolute(name, *ends, at=points[name], axis="y")
    m.revolute("D", "ground", "rocker", at=points["D"], axis="y")
    return m


def changed_numbers(m: vv.Mechanism) -> dict[str, object]:
    """Other sizes of many parameters at once."""
    found: dict[str, object] = {"gravity": np.array([0.3, 0.2, -3.0])}
    for name, value in m.parameters.items():
        word = name.rpartition(".")[2]
        if word in SIZES and isinstance(value, float) and value:
            found[name] = 1.07 * value
        elif word in (*SIZES, *PLACES) and np.ndim(value) == 1:
            found[name] = 1.07 * np.asarray(value)
    return found


def built_with(m: vv.Mechanism, values: dict[str, object]) -> vv.Mechanism:
    whole = {word: values.get(word, getattr(m, word)) for word in ("gravity", "theta0")}
    built = vv.Mechanism(m.name, **whole)
    for call in m._calls:
        options = dict(signature(call.method).bind(*call.arguments, **call.options).arguments)
        changed = {n.rpartition(".")[2]: v for n, v in values.items() if n.rpartition(".")[0] == options["name"]}
        options = call.numbers if changed.keys() & {"mass", "com"} else options
        getattr(built, call.method)(**{**options, **changed})
    return built


@pytest.mark.parametrize(
    "element",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in (*ELEMENTS, *BODIES)],
)
@pytest.mark.filterwarnings("ignore::visviva.RunWarning")
def test_runs_are_those_of_a_mechanism_built_with_the_numbers_and_nothing_is_compiled(element, compilations):
    sample = parts.sample((ELEMENTS | BODIES)[element].joint, element)
    m, values = sample.mechanism, changed_numbers(sample.mechanism)
    sim = vv.Simulator(m, h=H, inputs=sample.inputs)
    sim.step(n=2)
    compilations.clear()
    other = sim.with_parameters(values)
    other.step(n=2)
    assert compilations == []
    wanted = vv.Simulator(built_with(m, values), h=H, inputs=sample.inputs)
    wanted.step(n=2)
    assert_array_equal(other.state.x, wanted.state.x)
    assert_array_equal(other.state.w, wanted.state.w)
    run = vv.simulate(m, 2 * H, H, inputs=sample.inputs, parameters=values)
    assert_array_equal(run.final.x, wanted.state.x)


@pytest.mark.parametrize("scheme", [vv.PHMPGGL(), vv.DOP853(), vv.Adaptive(vv.PHMP())], ids=repr)
def test_other_schemes_take_numbers_as_well(scheme):
    m, values = pendulum(), {"arm.mass": 2.0, "cord.k": 30.0}
    runs = [
        vv.simulate(m, 0.02, H, integrator=scheme, parameters=values),
        vv.simulate(built_with(m, values), 0.02, H, integrator=scheme),
    ]
    assert_array_equal(runs[0]["arm.r"], runs[1]["arm.r"])


@pytest.mark.parametrize(
    "values",
    [
        {"cord.length": 0.0},
        {"hinge.friction": 0.0},
        {"cord.damping": 0.0},
        {"gravity": (0, 0, 0)},
        {"arm.com": (0, 0, 0.1)},
    ],
)
def test_numbers_that_are_structure_give_other_tables(values):
    m = pendulum()
    one, two = vv.Simulator(m, h=H).with_parameters(values), vv.Simulator(built_with(m, values), h=H)
    for sim in (one, two):
        sim.step(n=3)
    assert_array_equal(one.state.x, two.state.x)


# -- at once ------------------------------------------------------------------------------------------------------


def test_a_run_goes_on_with_other_numbers_bit_for_bit():
    sim = vv.Simulator(pendulum(), h=H)
    sim.step(n=10)
    before = sim.state
    sim.parameters["arm.mass"] = 2.0
    assert sim.parameters["arm.mass"] == 2.0
    assert sim.t == before.t
    assert_array_equal(sim.state.x, before.x)
    wanted = vv.Simulator(pendulum().with_parameters({"arm.mass": 2.0}), h=H)
    wanted.reset(before)
    sim.step(n=5), wanted.step(n=5)
    assert_allclose(sim.state.x, wanted.state.x, rtol=1e-14, atol=1e-15)
    assert sim.audit().steps == 5
    assert sim.audit().ok


def test_other_bodies_go_on_where_their_frames_are():
    sim = vv.Simulator(pendulum(), h=H, initial={"hinge.q": 0.3, "hinge.rate": 2.0})
    sim.step(n=10)
    names = ("arm.r", "arm.R", "arm.twist", "hinge.q", "hinge.rate")
    before = {name: sim[name] for name in names}
    sim.set_parameters({"arm.com": (0.1, 0.05, 0.0), "arm.inertia": [[0.3, 0.05, 0], [0.05, 0.2, 0], [0, 0, 0.25]]})
    for name in names:
        assert_allclose(sim[name], before[name], rtol=1e-12, atol=1e-13, err_msg=name)
    sim.step(n=5)
    assert sim.audit().ok


def test_currents_and_temperatures_go_on():
    m = pendulum()
    m.thermal("copper", capacity=5.0, temperature=310.0)
    m.motor("dc", "hinge", resistance=2.0, inductance=0.01, k=0.1, current=1.0, heat_to="copper")
    sim = vv.Simulator(m, h=H, inputs={"dc": 6.0})
    sim.step(n=20)
    before = sim["dc.current"], sim["copper.temperature"]
    sim.set_parameters({"dc.inductance": 0.03, "copper.capacity": 9.0})
    assert_allclose((sim["dc.current"], sim["copper.temperature"]), before, rtol=1e-14)
    sim.step(n=5)
    assert sim.audit().ok


def test_a_joint_that_is_moved_takes_its_loop_along():
    sim = vv.Simulator(four_bar(), h=H, initial={"A.rate": 3.0})
    sim.step(n=50)
    q = sim["A.q"]
    sim.parameters["D.at"] = (1.0, 0, 0.02)
    assert abs(sim["A.q"] - q) < 0.1
    assert np.abs(sim["g"]).max() < 1e-9
    sim.step(n=20)
    assert sim.audit().ok


def test_a_loop_that_cannot_close_names_its_joints_and_how_far_they_are_open():
    m = pendulum()
    m.body("rod", mass=0.5, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0.5))
    m.spherical("eye", "arm", "rod", at=(1, 0, 0))
    m.distance("strut", "ground", "rod", at_a=(2, 0, 1), at_b=(1, 0, 1))
    sim = vv.Simulator(m, h=H)
    sim.step()
    with pytest.raises(vv.AssemblyError, match=r"(?s)strut.* m"):
        sim.parameters["strut.length"] = 50.0
    other = sim.with_parameters({"strut.length": 50.0})
    with pytest.raises(vv.AssemblyError, match=r"(?s)strut.* m"):
        other.reset()
    sim.parameters["strut.length"] = 1.1
    end = sim["rod.r"] + sim["rod.R"] @ (0, 0, 0.5)
    assert_allclose(np.linalg.norm(end - (2, 0, 1)), 1.1, rtol=1e-9)
    sim.step(n=5)
    assert sim.audit().ok


def test_after_a_change_that_fails_all_is_as_before():
    sim = vv.Simulator(pendulum(), h=H)
    sim.step(n=3)
    x = sim.state.x
    with pytest.raises(vv.ModelError, match="must be positive"):
        sim.parameters["arm.mass"] = -1.0
    assert_array_equal(sim.state.x, x)
    assert sim.parameters["arm.mass"] == 1.5


def test_inputs_and_copies_keep_theirs():
    m = pendulum()
    m.torque("push", "hinge")
    sim = vv.Simulator(m, h=H, inputs={"push": lambda t: np.sin(t)})
    other = sim.copy()
    sim.set_parameters({"arm.mass": 2.0})
    assert other.parameters["arm.mass"] == 1.5
    fresh = vv.Simulator(m.with_parameters({"arm.mass": 2.0}), h=H, inputs={"push": lambda t: np.sin(t)})
    sim.step(n=4), fresh.step(n=4)
    assert_array_equal(sim.state.x, fresh.state.x)


def test_given_at_the_start_they_are_those_of_the_run():
    sim = vv.Simulator(pendulum(), h=H, parameters={"arm.mass": 2.0})
    assert "arm.mass" in sim.parameters
    assert sim.parameters.get("arm.mass") == 2.0
    assert "arm.mass" in str(sim.parameters)


def test_what_is_no_mechanism_has_no_parameters_by_name():
    composite = pendulum().system()
    with pytest.raises(vv.ModelError, match="numbers of a Mechanism by name"):
        vv.simulate(composite, 0.1, H, parameters={"arm.mass": 2.0}, initial={})
    model = vv.compile(pendulum())
    sim = vv.Simulator(model, h=H, integrator=vv.LieMidpoint())
    sim.parameters["arm.mass"] = 2.0
    assert sim.parameters["arm.mass"] == 2.0
    with pytest.raises(vv.ModelError, match="cannot be taken away"):
        del sim.parameters["arm.mass"]


def test_variants_of_one_mechanism_read_their_own_velocities():
    m = pendulum()
    heavy = {"arm.inertia": (3.0, 3.0, 3.0)}
    one, two = vv.Simulator(m.with_parameters(heavy), h=0.01), vv.Simulator(m, h=0.01)
    for sim in (one, two):
        sim.reset({"hinge.rate": 1.0})
        assert_allclose(sim["hinge.rate"], 1.0, rtol=1e-14)
    run = vv.simulate(m, t_end=0.05, h=0.01, initial={"hinge.rate": 1.0}, parameters=heavy)
    one.step(n=5)
    assert_allclose(one["hinge.rate"], run["hinge.rate"][-1], rtol=1e-13)


@pytest.mark.parametrize("law", [{"rate": lambda t: 3 * t}, {"position": lambda t: 0.5 * np.sin(3 * t)}])
def test_drives_go_on_from_where_they_are(law):
    m = pendulum()
    m.drive("servo", "hinge", **law)
    sim, same = vv.Simulator(m, h=0.01), vv.Simulator(m, h=0.01)
    sim.step(n=10)
    sim.parameters["arm.mass"] = float(sim.parameters["arm.mass"])
    sim.step(n=10)
    same.step(n=20)
    assert_allclose(sim["hinge.q"], same["hinge.q"], rtol=1e-13)
    assert sim.audit().ok


def test_a_joint_that_is_pressed_into_its_stop_goes_on():
    m = vv.Mechanism("stop")
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute("hinge", m.ground, wheel, at=(0, 0, 0), axis="z", limits=(-0.1, 0.1), stop_stiffness=100.0, rate=1.0)
    sim = vv.Simulator(m, h=0.01)
    sim.step(n=13)
    q = sim["hinge.q"]
    assert q > 0.1
    sim.parameters["wheel.mass"] = 2.0
    assert sim["hinge.q"] == q


def test_numbers_that_move_a_driven_joint_on_the_way_say_how_to_start_with_them():
    m = pendulum()
    m.drive("servo", "hinge", position=lambda t: 0.5 * np.sin(3 * t))
    sim = vv.Simulator(m, h=0.01)
    sim.step(n=20)
    with pytest.raises(vv.AssemblyError, match=r"where drives prescribe positions \(servo\)"):
        sim.parameters["arm.com"] = (0.1, 0.0, 0.0)


def test_inputs_are_those_that_the_simulator_was_made_with():
    m = pendulum()
    m.torque("motor", "hinge")
    given = {"motor": 1.0}
    sim = vv.Simulator(m, h=0.01, inputs=given)
    given["motor"] = 50.0
    sim.parameters["arm.mass"] = 2.0
    sim.step()
    assert sim["motor.u"] == 1.0
