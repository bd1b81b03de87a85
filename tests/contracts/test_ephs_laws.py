"""Both laws, per step and component, for systems of the language: linear and not, isolated and driven, hot and cold."""

from __future__ import annotations

import numpy as np
import pytest
from systems import (
    conduction,
    coupling,
    damped,
    damper,
    displacement,
    entropy,
    hard_spring,
    hot,
    mass,
    momentum,
    oscillator,
    spring,
)

import visviva as vv
from visviva.language import compose, environment, irreversible, reversible, storage
from visviva.testing import check_model, check_storage

STEPS = [1.0, 0.1, 0.01, 0.001]


def pendulum():
    return storage({"q": displacement}, H=lambda x, g: g * (1 - np.cos(x.q)), g=9.81)


def two_bodies():
    """Two bodies of different temperatures that exchange heat through a wall."""
    bodies = {
        "hot": storage({"s": entropy}, H=lambda x, c, theta0: c * theta0 * np.exp(x.s / c), c=1.5),
        "cold": storage({"s": entropy}, H=lambda x, c, theta0: 0.9 * c * theta0 * np.exp(x.s / c), c=0.7),
    }
    junctions = {"a": ("hot.s", "wall.s1"), "b": ("cold.s", "wall.s2")}
    return compose("two bodies", bodies | {"wall": conduction(0.8)}, junctions)


SYSTEMS = {
    "oscillator": (oscillator(), {"q": 1.0, "p": 0.2}),
    "hard oscillator": (oscillator(hard_spring()), {"q": 1.0, "p": 0.2}),
    "damped": (damped(), {"osc.q": 1.0, "p": 0.2}),
    "damped pendulum": (damped(pendulum(), theta0=250.0), {"osc.q": 2.5, "p": 0.2}),
    "hot": (hot(), {"osc.q": 2.0, "p": 1.0, "s": 0.05}),
    "hot pendulum": (hot(pendulum()), {"osc.q": 2.5, "p": 1.0, "s": -0.1}),
    "two bodies": (two_bodies(), {"a": 0.3, "b": -0.2}),
}


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize(("system", "start"), SYSTEMS.values(), ids=SYSTEMS)
def test_first_and_second_law_at_any_step_size(system, start, h):
    run = vv.simulate(system, t_end=30 * h, h=h, initial=start)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law <= 1e-13
    assert run.record.heat.min(initial=0.0) >= -1e-13 * run.energy_unit
    assert abs(sum(account.energy_in for account in audit.components.values())) <= 1e-12 * max(1.0, run.energy_unit)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("h", STEPS[:3])
def test_a_driven_hot_system_takes_up_exactly_the_work(h):
    start = {"osc.q": 0.5, "p": 0.0, "s": 0.0}
    run = vv.simulate(hot(hard_spring()), t_end=30 * h, h=h, initial=start, inputs={"p": lambda t: 3 * np.sin(2 * t)})
    audit = run.audit()
    assert audit.ok
    assert np.abs(run["work"]).max() > 0
    total = run["energy"] + 300.0 * run["s_env"][:, 0]
    np.testing.assert_allclose(total - total[0], run["work"], rtol=0, atol=1e-12 * run.energy_unit)


def test_the_damped_oscillator_converges_to_its_closed_form():
    """(8): q̈ + d q̇ + k q = 0 with m = 1."""
    k, d, t = 1.5, 0.2, 3.0
    w = np.sqrt(k - d**2 / 4)
    exact = np.exp(-d * t / 2) * (np.cos(w * t) + d / (2 * w) * np.sin(w * t))
    errors = []
    for h in (0.02, 0.01):
        run = vv.simulate(damped(spring(k)), t_end=t, h=h, initial={"osc.q": 1.0, "p": 0.0})
        errors.append(abs(run["osc.q"][-1, 0] - exact))
        lost = run["energy"][0] - run["energy"][-1]
        assert run["s"][-1, 0] == pytest.approx(lost / 300.0, rel=1e-12)
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.1)


def test_two_bodies_come_to_one_temperature():
    """Closed form: c1 θ1 + c2 θ2 is conserved, and both temperatures become equal."""
    run = vv.simulate(two_bodies(), t_end=200.0, h=0.5, initial={"a": 0.3, "b": -0.2})
    theta1, theta2 = 300 * np.exp(run["a"][:, 0] / 1.5), 270 * np.exp(run["b"][:, 0] / 0.7)
    assert theta1[-1] == pytest.approx(theta2[-1], rel=1e-6)
    final = (1.5 * theta1[0] + 0.7 * theta2[0]) / 2.2
    assert theta1[-1] == pytest.approx(final, rel=1e-6)
    np.testing.assert_allclose(1.5 * theta1 + 0.7 * theta2, 2.2 * final, rtol=1e-12)


@pytest.mark.parametrize(("system", "start"), SYSTEMS.values(), ids=SYSTEMS)
def test_every_compiled_system_is_a_model(system, start):
    model = vv.compile(system)
    check_model(model, model.pack(start))


def test_traced_energies_are_storages():
    for make in (pendulum, spring, hard_spring):
        box = make()
        system = compose("one", {"pe": box}, {"q": ("pe.q",)})
        check_storage(vv.compile(system).storages[0], 1)


def test_masses_at_one_junction_force_each_other():
    system = compose("two masses", {"a": mass(), "b": mass()}, {"p": ("a.p", "b.p")})
    with pytest.raises(vv.ModelError, match="junction 'p' of 'two masses' has 2 boxes that set its effort: a, b"):
        vv.compile(system)


def test_a_state_that_nothing_stores_cannot_be_read():
    gyrator = reversible({"p": momentum, "q": displacement}, J=lambda x: [[0, x.q], [-x.q, 0]])
    system = compose("loose", {"m": mass(), "g": gyrator}, {"p": ("m.p", "g.p"), "q": ("g.q",)})
    with pytest.raises(vv.ModelError, match=r"g\.q reads the state of junction 'q', where nothing stores it"):
        vv.compile(system)


def test_one_environment_temperature():
    boxes = {"a": environment({"s": entropy}, 300.0), "b": environment({"s": entropy}, 280.0), "wall": conduction()}
    system = compose("two rooms", boxes, {"x": ("a.s", "wall.s1"), "y": ("b.s", "wall.s2")})
    with pytest.raises(vv.ModelError, match="environments of different temperatures: a at 300 K, b at 280 K"):
        vv.compile(system)


def test_two_ports_of_a_box_at_one_junction():
    system = compose("short", {"m": mass(), "g": reversible({"a": momentum, "b": momentum}, J=[[0, 1], [-1, 0]])},
                     {"p": ("m.p", "g.a", "g.b")})  # fmt: skip
    with pytest.raises(vv.ModelError, match="two ports of box 'g' are at one junction"):
        vv.compile(system)


def test_a_constraint_ties_two_masses():
    """A lever of ratio 2 between two masses: v1 = 2 v2, the multiplier is the force; energy and ratio are kept."""
    boxes = {
        "m1": mass(1.0),
        "m2": mass(3.0),
        "lever": reversible({"a": momentum, "b": momentum}, C=[[1, -2]]),
        "pe": spring(),
        "pkc": coupling(),
    }
    junctions = {"a": ("m1.p", "lever.a", "pkc.p"), "b": ("m2.p", "lever.b"), "q": ("pe.q", "pkc.q")}
    system = compose("lever", boxes, junctions)
    run = vv.simulate(system, t_end=2.0, h=0.005, initial={"q": 1.0, "a": 0.0, "b": 0.0})
    assert run.audit().ok
    np.testing.assert_allclose(run["a"][:, 0], 2 * run["b"][:, 0] / 3.0, atol=1e-12)
    w = np.sqrt(1.5 / (1.0 + 3.0 / 4))  # the second mass is felt with a quarter of its inertia
    np.testing.assert_allclose(run["q"][:, 0], np.cos(w * run.t), atol=1e-4)


# -- ill-posed systems and starts ----------------------------------------------------------------------------------


def lever_system():
    boxes = {"m1": mass(1.0), "m2": mass(3.0), "lever": reversible({"a": momentum, "b": momentum}, C=[[1, -2]])}
    return compose("lever", boxes, {"a": ("m1.p", "lever.a"), "b": ("m2.p", "lever.b")})


def test_a_start_that_violates_a_constraint_is_named():
    with pytest.raises(vv.AssemblyError, match="violates the constraint of 'lever': 1 instead of 0"):
        vv.simulate(lever_system(), t_end=1.0, h=0.1, initial={"a": 1.0, "b": 0.0})


def test_the_nearest_consistent_start():
    model = vv.compile(lever_system())
    start = vv.consistent(model, {"a": 1.0, "b": 0.0})
    assert start["a"][0] == pytest.approx(2 * start["b"][0] / 3, rel=1e-12)
    kept = vv.consistent(model, {"a": 1.0, "b": 0.0}, fixed=("a",))
    assert (kept["a"][0], kept["b"][0]) == pytest.approx((1.0, 1.5))
    assert vv.simulate(lever_system(), t_end=1.0, h=0.1, initial=kept).audit().ok
    with pytest.raises(vv.AssemblyError, match="violates the constraint of 'lever'"):
        vv.consistent(model, {"a": 1.0, "b": 0.0}, fixed=("a", "b"))
    with pytest.raises(vv.ModelError, match="names 'c'; the variables are a, b"):
        vv.consistent(model, {"a": 1.0, "b": 0.0}, fixed=("c",))


def test_an_effort_that_nothing_determines_is_named():
    """A coupling whose second port ends nowhere: its effort appears in no balance that could fix it."""
    free = reversible({"p": momentum, "q": displacement}, J=[[0, 0], [0, 0]])
    system = compose("loose end", {"m": mass(), "free": free}, {"p": ("m.p", "free.p"), "q": ("free.q",)})
    with pytest.raises(vv.ModelError, match="'loose end' does not determine: effort row of 'q'"):
        vv.simulate(system, t_end=1.0, h=0.1, initial={"p": 1.0})


def test_the_same_constraint_twice_is_solved_once():
    """Redundant constraints are ordinary: one row is dropped and checked, the motion is that of one lever."""
    boxes = {"m1": mass(1.0), "m2": mass(3.0), "pe": spring(), "pkc": coupling()}
    ends = {"a": ["m1.p", "pkc.p"], "b": ["m2.p"], "q": ["pe.q", "pkc.q"]}
    for name in ("one", "two"):
        boxes[name] = reversible({"a": momentum, "b": momentum}, C=[[1, -2]])
        ends["a"].append(f"{name}.a")
        ends["b"].append(f"{name}.b")
    run = vv.simulate(compose("levers", boxes, ends), t_end=1.0, h=0.01, initial={"q": 1.0, "a": 0.0, "b": 0.0})
    assert run.audit().ok
    w = np.sqrt(1.5 / 1.75)
    np.testing.assert_allclose(run["q"][:, 0], np.cos(w * run.t), atol=1e-4)
    assert any("redundant constraints in two" in warning for warning in run.audit().warnings)


def cooled():
    """A body of constant U'' that work cools through a heat pump without end: its temperature falls below zero."""
    body = storage({"s": entropy}, H=lambda x, a, theta0: theta0 * x.s + 0.5 * a * x.s**2, a=100.0)
    return compose("cooled", {"body": body}, {"s": ("body.s",)}, outer=("s",))


def test_a_negative_temperature_is_refused_at_the_start_and_on_the_way():
    with pytest.raises(vv.AssemblyError, match=r"junction 's' of 'cooled' means a temperature of -100 K"):
        vv.simulate(cooled(), t_end=1.0, h=0.1, initial={"s": -4.0})
    with pytest.raises(vv.ConvergenceError, match="the temperature at junction 's' would be -") as failure:
        vv.simulate(cooled(), t_end=10.0, h=0.1, initial={"s": 0.0}, inputs={"s": -1.0})
    run = failure.value.run
    assert (300.0 + 100.0 * run["s"][:, 0] > 0).all()
    assert run.t[-1] == pytest.approx(2.9, abs=0.11)


def test_the_analysis_of_a_system():
    model = vv.compile(hot())
    analysis = vv.analyse(model, model.pack({"osc.q": 1.0, "p": 0.0, "s": 0.0}))
    assert (analysis.states, analysis.index, analysis.reservoirs) == (3, 0, ("s_env",))
    model = vv.compile(lever_system())
    analysis = vv.analyse(model, model.pack({"a": 2.0, "b": 3.0}))
    assert (analysis.rows, analysis.rank, analysis.index) == (1, 1, 2)
    assert "constraint rows: 1 of rank 1" in str(analysis)
    resistor = reversible({"p": momentum, "q": displacement}, J=[[0, 1], [-1, 0]])
    boxes = {"m": mass(), "g": resistor, "d": damper_of_flow(), "env": environment({"s": entropy})}
    system = compose("gyrator", boxes, {"p": ("m.p", "g.p"), "q": ("g.q", "d.q"), "s": ("d.s", "env.s")})
    model = vv.compile(system)
    assert vv.analyse(model, model.pack({"p": 1.0})).index == 1
    run = vv.simulate(system, t_end=1.0, h=0.001, initial={"p": 1.0})
    assert run["p"][-1, 0] == pytest.approx(np.exp(-1 / 0.2), rel=1e-4)  # ṗ = -v/d through the gyrator
    assert run.audit().ok


def damper_of_flow():
    return irreversible(
        {"q": displacement, "s": entropy},
        M=lambda e, theta, d: [[theta.s * d, -d * e.q], [-d * e.q, d * e.q**2 / theta.s]],
        d=0.2,
    )


# -- what a careful reader tried -----------------------------------------------------------------------------------


def loose_spring():
    """A spring whose far end moves freely: its force must vanish, also at the start."""
    return compose("loose", {"sp": spring(), "pkc": coupling()}, {"q": ("sp.q", "pkc.q"), "p": ("pkc.p",)}, outer="p")


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
def test_a_junction_without_storage_constrains_the_start():
    with pytest.raises(vv.AssemblyError, match=r"violates the balance of flows at junction 'p': -1\.5 instead of 0"):
        vv.simulate(loose_spring(), t_end=1.0, h=0.1, initial={"q": 1.0})
    assert vv.consistent(vv.compile(loose_spring()), {"q": 1.0})["q"][0] == pytest.approx(0.0, abs=1e-12)
    force = {"p": lambda t: 1.5 * np.cos(t)}
    run = vv.simulate(loose_spring(), t_end=1.0, h=0.01, initial={"q": 1.0}, inputs=force)
    np.testing.assert_allclose(run["q"][:, 0], np.cos(run.t), atol=1e-4)
    assert run.audit().ok


@pytest.mark.parametrize("h", STEPS)
def test_entropy_that_is_pumped_in_brings_its_energy(h):
    body = storage({"s": entropy}, H=lambda x, c, theta0: c * theta0 * np.exp(x.s / c), c=2.0)
    boxes = {"a": body, "c": conduction(), "e": environment({"s": entropy})}
    system = compose("pumped", boxes, {"a": ("a.s", "c.s1"), "m": ("c.s2", "e.s")}, outer=("a",))
    run = vv.simulate(system, t_end=20 * h, h=h, initial={"a": 0.0}, inputs={"a": lambda t: 0.1 * np.sin(t)})
    audit = run.audit()
    assert audit.ok
    assert abs(sum(account.energy_in for account in audit.components.values())) <= 1e-12 * run.energy_unit
    carried = 300.0 * 0.1 * np.cumsum(h * np.sin(run.t_mid))  # θ0 times the entropy pumped in, beside the work
    total = run["energy"] + 300.0 * run["m"][:, 0] - run["work"]
    np.testing.assert_allclose(np.diff(total), np.diff(np.append(0.0, carried)), atol=1e-11)


def test_a_reversible_component_leaves_entropy_alone():
    with pytest.raises(vv.ModelError, match=r"J of a component with ports s .* must leave entropy alone"):
        reversible({"s": entropy, "p": momentum}, J=[[0, 1], [-1, 0]])
    with pytest.raises(vv.ModelError, match=r"C of a component with ports a .* must leave entropy alone"):
        reversible({"a": entropy, "b": entropy}, C=[[1, -2]])
    reversible({"a": entropy, "b": entropy}, C=[[1, -1]])  # one temperature at both: nothing is wrong with that


def walled(H):
    pe = storage({"q": displacement}, H=H)
    return compose(
        "wall", {"pe": pe, "ke": mass(), "pkc": coupling()}, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}
    )


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length
@pytest.mark.parametrize("h", [2.0, 1.0, 0.5, 0.1])
@pytest.mark.parametrize("H", [lambda x: 1 / x.q + x.q, lambda x: x.q - np.log(x.q), lambda x: np.tan(x.q - 1) ** 2])
def test_no_step_crosses_a_pole_or_leaves_the_domain(H, h):
    """Either the step stays where the energy is defined, or it is refused."""
    try:
        run = vv.simulate(walled(H), t_end=10 * h, h=h, initial={"q": 0.5, "p": 0.3})
    except vv.ConvergenceError as error:
        run = error.run
    assert np.isfinite(run["energy"]).all()
    assert (run["q"] > -0.58).all()  # the poles: q = 0 and q = 1 - π/2
    assert run.audit().first_law <= 1e-13


def test_heat_needs_somewhere_to_go():
    system = compose("hot air", {"m": mass(), "mf": damper()}, {"p": ("m.p", "mf.p"), "s": ("mf.s",)})
    with pytest.raises(vv.ModelError, match=r"the heat of mf\.s has nowhere to go: junction 's' of 'hot air'"):
        vv.compile(system)


def test_a_system_without_states():
    """Friction driven from outside, its heat taken by the environment: nothing is stored, all is accounted for."""
    boxes = {"mf": damper(), "env": environment({"s": entropy})}
    system = compose("brake", boxes, {"p": ("mf.p",), "s": ("mf.s", "env.s")}, outer=("p",))
    run = vv.simulate(system, t_end=1.0, h=0.1, initial={}, inputs={"p": 0.6})
    assert run.audit().ok
    assert run["work"][-1] == pytest.approx(0.6**2 / 0.2, rel=1e-9)  # v = f/d
    assert 300 * run["s"][-1, 0] == pytest.approx(run["work"][-1], rel=1e-9)


def test_a_dirac_structure_in_any_representation_is_a_component():
    from visviva.structure import Dirac

    ports = {"q": 1, "p": 1}
    made = [
        Dirac.constrained(np.array([[0.0, 1], [-1, 0]]), np.zeros((0, 2)), ports),
        Dirac.input_output(np.array([[0.0, 1], [-1, 0]]), ports),
    ]
    made.append(Dirac.kernel(made[0].F, made[0].E, ports))
    for structure in made:
        pkc = reversible({"q": displacement, "p": momentum}, dirac=structure)
        np.testing.assert_allclose(np.array(pkc.J.values, dtype=float), [[0, 1], [-1, 0]], atol=1e-14)
    lever = Dirac.constrained(np.zeros((2, 2)), np.array([[1.0, -2.0]]), {"a": 1, "b": 1})
    box = reversible({"a": momentum, "b": momentum}, dirac=lever)
    system = compose("lever", {"m": mass(), "n": mass(), "l": box}, {"a": ("m.p", "l.a"), "b": ("n.p", "l.b")})
    run = vv.simulate(system, t_end=1.0, h=0.1, initial={"a": 2.0, "b": 1.0})
    np.testing.assert_allclose(run["a"], 2 * run["b"], atol=1e-12)
    with pytest.raises(vv.ModelError, match="they must agree"):
        reversible({"x": momentum}, dirac=lever)
    with pytest.raises(vv.ModelError, match="not both"):
        reversible({"a": momentum, "b": momentum}, C=[[1, -2]], dirac=lever)
