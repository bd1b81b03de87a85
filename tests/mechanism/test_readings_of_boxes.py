"""Boxes of mechanisms in other readings: each says what another formulation says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import visviva as vv
from visviva.forms.minimal.form import MinimalForm
from visviva.language import Composite, compose, irreversible
from visviva.library import boxes, electric, rotation, translation
from visviva.library.quantities import angle, angular_momentum, entropy
from visviva.mechanism import definition_of

HANGING = {"hinge.q": np.pi / 2, "elbow.q": 0.0}
STEP = vv.LieMidpoint(compiled=False)


def arm(inertia: float = 0.0) -> vv.Mechanism:
    """Two rods on hinges; inertia: of the upper one about its hinge, besides."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    upper = m.body("upper", mass=1.0, inertia=(1.0, 0.1 + inertia, 1.0), at=(0.5, 0, 0))
    lower = m.body("lower", mass=0.7, inertia=vv.inertia.rod(0.7, 1.0, axis="x"), at=(1.5, 0, 0))
    m.revolute("hinge", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    m.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0, 1, 0))
    return m


def motor() -> Composite:
    parts = {"coil": electric.inductor(1e-3), "wire": electric.resistor(0.5), "emf": electric.motor(0.1)}
    junctions = {"phi": ("coil.phi", "wire.phi", "emf.phi"), "s": ("wire.s",), "shaft": ("emf.p",)}
    return compose("motor", parts, junctions, outer={"supply": "phi", "shaft": "shaft", "s": "s"})


def motors() -> tuple[vv.Mechanism, vv.Mechanism]:
    """The same motor, of the builder and as a box."""
    built, boxed = arm(), arm()
    built.motor("dc", "hinge", resistance=0.5, inductance=1e-3, k=0.1)
    boxed.box("dc", motor(), {"shaft": "hinge"})
    return built, boxed


def rotor(ratio: float | None = None) -> Composite:
    """A rotor, on the joint itself or behind a gear."""
    if ratio is None:
        return compose("rotor", {"r": rotation.inertia(0.2)}, {"p": ("r.p",)}, outer=("p",))
    parts = {"g": rotation.gear(ratio), "r": rotation.inertia(0.2)}
    return compose("rotor", parts, {"p": ("g.a",), "fast": ("g.b", "r.p")}, outer=("p",))


def gears() -> Composite:
    """A rotor behind two gears, with a junction without storage between them."""
    parts = {"g": rotation.gear(2.0), "h": rotation.gear(3.0), "r": rotation.inertia(0.01)}
    return compose("gears", parts, {"p": ("g.a",), "m": ("g.b", "h.a"), "b": ("h.b", "r.p")}, outer=("p",))


def gas_slide() -> vv.Mechanism:
    m = vv.Mechanism("slide", gravity=(0, 0, -9.81))
    piston = m.body("piston", mass=2.0, inertia=(0.01, 0.01, 0.01), at=(0, 0, 0.1))
    m.prismatic("guide", m.ground, piston, at=(0, 0, 0), axis=(0, 0, 1))
    m.thermal("wall", capacity=50.0, conductance_to_environment=1.0)
    spring = boxes.gas_spring(5e-3, volume=5e-4, pressure=1e5, conductance=0.5)
    m.box("spring", spring, {"rod": "guide", "s": "wall"})
    return m


def with_rotor(kind: str) -> vv.Mechanism:
    m = arm()
    m.box("rotor", {"direct": rotor(), "geared": rotor(0.5), "twice": gears()}[kind], {"p": "hinge"})
    return m


def heavier(kind: str) -> vv.Mechanism:
    """The arm whose upper rod turns with the rotor as one body: J and n² J."""
    ratio = {"direct": 1.0, "geared": 2.0, "twice": 1 / 6}[kind]
    return arm({"direct": 0.2, "geared": 0.2, "twice": 0.01}[kind] * ratio**2)


KINDS = ["direct", "geared", "twice"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_rotor_tied_to_a_joint_is_an_inertia_of_it(kind: str) -> None:
    boxed, one = (vv.dynamics(m) for m in (with_rotor(kind), heavier(kind)))
    q, v, a = np.array([0.3, -0.7]), np.array([1.2, -2.1]), np.array([0.4, 3.0])
    np.testing.assert_allclose(boxed.mass_matrix(q), one.mass_matrix(q), rtol=1e-12)
    np.testing.assert_allclose(boxed.forward(q, v), one.forward(q, v), rtol=1e-11)
    np.testing.assert_allclose(boxed.inverse(q, v, a), one.inverse(q, v, a), rtol=1e-11)
    for form in ("minimal", "hamel", "partially-lagrangian", "kane-velocity"):
        found = [vv.analytical(m, form).accelerations(q, v) for m in (with_rotor(kind), heavier(kind))]
        np.testing.assert_allclose(*found, rtol=1e-11, err_msg=form)


@pytest.mark.parametrize("kind", KINDS)
def test_reactions_of_joints_are_not_those_of_rows_inside_of_boxes(kind: str) -> None:
    moving = {"hinge.q": 0.3, "elbow.q": 0.5, "hinge.rate": 0.7, "elbow.rate": -0.4}
    found = []
    for m in (with_rotor(kind), heavier(kind)):
        form = MinimalForm(definition_of(m))
        state = form.coordinates(moving)
        found.append(form.reactions(state.q, state.xi, state.s))
    for joint in ("hinge", "elbow"):
        np.testing.assert_allclose(found[0][joint], found[1][joint], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_linear_system_has_rotors_as_inertia(kind: str) -> None:
    found = [vv.linearise(m, at=HANGING) for m in (with_rotor(kind), heavier(kind))]
    assert found[0].states == found[1].states
    np.testing.assert_allclose(found[0].A, found[1].A, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found[0].mechanics.M, found[1].mechanics.M, rtol=1e-11)
    np.testing.assert_allclose(found[0].mechanics.K, found[1].mechanics.K, rtol=1e-8, atol=1e-9)


def test_ties_across_a_closed_loop_follow_its_motion() -> None:
    """A rotor on a joint that no tree has: its inertia changes with the configuration."""

    def linkage() -> vv.Mechanism:
        m = vv.Mechanism("four bars", gravity=(0, 0, -9.81))
        bars = {"a": (0.0, 0, 0.15, 0.3), "b": (0.25, 0, 0.4, 0.5), "c": (0.55, 0, 0.25, 0.5)}
        for name, (x, y, z, mass) in bars.items():
            m.body(name, mass=mass, inertia=(0.01, 0.01, 0.01), at=(x, y, z))
        for name, ends, at in (
            ("one", (m.ground, "a"), (0, 0, 0)), ("two", ("a", "b"), (0, 0, 0.3)),
            ("three", ("b", "c"), (0.5, 0, 0.5)), ("four", (m.ground, "c"), (0.6, 0, 0)),
        ):  # fmt: skip
            m.revolute(name, *ends, at=at, axis=(0, 1, 0))
        return m

    ends = []
    for place in ("two", "three"):
        m = linkage()
        m.box("rotor", rotor(), {"p": place})
        start = {"one.rate": 3.0}
        runs = [
            vv.simulate(m, t_end=0.02, h=h, initial=start, integrator=scheme)
            for h, scheme in ((2e-3, vv.RK4(compiled=False)), (1e-3, STEP), (5e-4, STEP))
        ]
        exact = (4 * runs[2]["one.q"][-1] - runs[1]["one.q"][-1]) / 3
        ends.append(abs(runs[0]["one.q"][-1] - exact))
        assert runs[0].audit().first_law < 1e-8
    assert max(ends) < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_momenta_of_a_start_belong_to_the_velocities(kind: str) -> None:
    m = with_rotor(kind)
    state = {"direct": "rotor.p", "geared": "rotor.fast", "twice": "rotor.b"}[kind]
    run = vv.simulate(m, t_end=0.02, h=1e-3, initial={"hinge.rate": 1.5}, integrator=STEP)
    ratio = {"direct": 0.2, "geared": 0.4, "twice": 0.01 / 6}[kind]
    np.testing.assert_allclose(np.ravel(run[state])[0], ratio * 1.5, rtol=1e-12)
    same = vv.simulate(heavier(kind), t_end=0.02, h=1e-3, initial={"hinge.rate": 1.5}, integrator=STEP)
    np.testing.assert_allclose(run["hinge.q"], same["hinge.q"], atol=2e-6)
    assert run.audit().first_law < 1e-13
    with pytest.raises(vv.AssemblyError, match=rf"initial state of 'arm' has '{state}' at the rate .* they are tied"):
        vv.linearise(m, at={state: 7.0}, residual_ok=True)


def test_a_linear_system_of_a_gas_spring_is_the_slope_of_its_run() -> None:
    m = gas_slide()
    lin = vv.linearise(m, at={"guide.rate": 0.05}, residual_ok=True)
    assert lin.states[:3] == ("guide.q", "guide.rate", "wall.s")
    form = vv.analytical(m)
    start = form.coordinates({"guide.rate": 0.05})
    full = np.concatenate([start.q, start.xi, start.s])

    def rates(x: Any) -> Any:
        xi_dot, s_dot = form.rates(0.0, x[:1], x[1:2], x[2:])
        return np.concatenate([x[1:2], xi_dot, s_dot])

    steps = 1e-5 * np.maximum(np.abs(full), 1e-2)
    columns = [(rates(full + d) - rates(full - d)) / (2 * d.max()) for d in np.diag(steps)]
    names = [*form.q_names, *form.xi_names, *form.s_names]
    at = [names.index(name if name in names else "guide.q") for name in lin.states]
    np.testing.assert_allclose(lin.A, np.array(columns).T[np.ix_(at, at)], rtol=2e-6, atol=1e-6)
    coarse, fine = (vv.simulate(m, t_end=0.01, h=h, integrator=STEP)["guide.q"][-1] for h in (1e-3, 5e-4))
    run = vv.simulate(m, t_end=0.01, h=1e-3, integrator=vv.RK4(compiled=False))
    np.testing.assert_allclose(run["guide.q"][-1], (4 * fine - coarse) / 3, atol=1e-8)


def maxwell(k: float, d: float) -> Composite:
    """A spring in series with a damper, with a junction without storage between them."""
    parts = {"spring": translation.spring(k), "damper": translation.damper(d), "tie": translation.kinematic(a=1, b=-1)}
    junctions = {"q": ("tie.q", "spring.q"), "p": ("tie.a",), "b": ("tie.b", "damper.p"), "s": ("damper.s",)}
    return compose("maxwell", parts, junctions, outer=("p", "s"))


def test_rates_that_do_not_depend_on_a_joint_are_smooth_in_it() -> None:
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0.1, -0.2))
    m.body("hand", mass=1.2, inertia=(0.02, 0.03, 0.04), at=(1.0, 0.3, 0.2))
    m.revolute("base", m.ground, "arm", at=(0, 0.1, 0), axis=(0.3, 1, 0.2))
    m.prismatic("wrist", "arm", "hand", at=(0.9, 0.2, 0.1), axis=(1, 0.2, 0.3))
    m.trace_spring("hold", m.ground, "hand", G=(4, 5, 6), K=(300, 400, 500))
    m.box("x", maxwell(100.0, 5.0), {"p": "wrist"})
    A = vv.linearise(m, at={"base.q": 0.0}, residual_ok=True).A
    np.testing.assert_allclose(A[-1], [0, 0, 0, 1, -100.0 / 5.0], rtol=1e-9, atol=1e-9)


def test_the_linear_system_of_a_motor_is_the_same_as_a_box() -> None:
    built, boxed = (vv.linearise(m, at=HANGING) for m in motors())
    assert boxed.states == (*built.states[:-1], "dc.phi")
    np.testing.assert_allclose(built.A, boxed.A, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(built.B, boxed.B, rtol=1e-9, atol=1e-9)
    assert (boxed.units["dc.phi"], boxed.units["dc"]) == ("V s", "V")


def test_what_ties_joints_rigidly_is_named() -> None:
    m = arm()
    stage = compose("stage", {"g": rotation.gear(2.0)}, {"a": ("g.a",), "b": ("g.b",)}, outer=("a", "b"))
    m.box("stage", stage, {"a": "hinge", "b": "elbow"})
    with pytest.raises(vv.ModelError, match=r"'stage.g' of mechanism 'arm' ties joints rigidly, without an inertia"):
        vv.analytical(m)
    driven = arm()
    fan = {"spin": rotation.speed_source(), "r": rotation.inertia(0.1)}
    driven.box("fan", compose("fan", fan, {"p": ("spin.p", "r.p")}, outer=()))
    with pytest.raises(
        vv.ModelError, match=r"'fan.spin' of mechanism 'arm' prescribes the speed of what has an inertia"
    ):
        vv.analytical(driven)


def test_an_equilibrium_of_a_gas_spring_has_the_pressure_of_its_load() -> None:
    """At the temperature of the environment p V = n R θ0, and p A = m g."""
    m = vv.Mechanism("strut", gravity=(0, 0, -9.81))
    m.body("table", mass=60.0, inertia=(1, 1, 1), at=(0, 0, 0))
    m.prismatic("guide", m.ground, "table", at=(0, 0, 0), axis=(0, 0, 1), friction=300.0)
    m.box("gas", boxes.gas_spring(5e-3, volume=5e-4, pressure=1e5, conductance=2.0), {"rod": "guide"})
    found = vv.equilibrium(m)
    pressure = 60.0 * 9.81 / 5e-3
    sunk = (1e5 / pressure - 1) * 5e-4 / 5e-3
    run = vv.simulate(m, t_end=0.01, h=1e-3, initial=found, integrator=STEP)
    np.testing.assert_allclose(run["guide.q"], sunk, rtol=1e-9)
    assert found.stability != "unstable"
    lin = vv.linearise(m)
    np.testing.assert_allclose(lin.A, vv.linearise(m, at=found).A, rtol=1e-6, atol=1e-9)


def test_an_equilibrium_keeps_what_gears_have_turned() -> None:
    """The deflection of the teeth goes with both angles, q = a - n b, as in a run that comes to rest."""
    m = arm()
    gearbox = boxes.backlash_gearbox(5.0, play=0.02, stiffness=400.0, loss=0.2, friction=1e-3)
    m.box("gearbox", gearbox, {"a": "hinge", "b": "elbow"})
    start = {"hinge.q": 1.2, "elbow.q": 0.1}
    found = vv.equilibrium(m, initial=start)
    run = vv.simulate(m, t_end=0.05, h=1e-3, initial=start, integrator=STEP)
    motion, other = found.motion, run["hinge.q"][-1] - 1.2 - 5.0 * (run["elbow.q"][-1] - 0.1)
    turned = motion.angles["hinge"] - 1.2 - 5.0 * (motion.angles["elbow"] - 0.1)
    ratio = np.ravel(run["gearbox.q"])[-1] / other
    np.testing.assert_allclose(motion.others["gearbox.q"][0], ratio * turned, rtol=1e-6)
    rest = vv.simulate(m, t_end=0.01, h=1e-3, initial=found, integrator=STEP)
    np.testing.assert_allclose(rest["hinge.q"], rest["hinge.q"][0], atol=1e-12)


def test_an_equilibrium_of_a_motor_is_the_same_as_a_box() -> None:
    built, boxed = (vv.equilibrium(m, initial={"hinge.q": 1.0}) for m in motors())
    np.testing.assert_allclose(boxed.motion.angles["hinge"], built.motion.angles["hinge"], atol=1e-9)
    np.testing.assert_allclose(boxed.energy, built.energy, rtol=1e-12)
    np.testing.assert_allclose(boxed.reactions["elbow"], built.reactions["elbow"], atol=1e-8)
    assert (boxed.stability, built.stability) == ("stable", "stable")
    pushed = vv.equilibrium(motors()[1], initial={"hinge.q": 1.0}, inputs={"dc": 12.0})
    np.testing.assert_allclose(pushed.motion.others["dc.phi"], 1e-3 * 12.0 / 0.5, rtol=1e-9)  # i = u/R


def hydraulic() -> vv.Mechanism:
    m = vv.Mechanism("press", gravity=(0, 0, -9.81))
    m.body("tool", mass=20.0, inertia=(1, 1, 1), at=(0, 0, 0))
    m.prismatic("guide", m.ground, "tool", at=(0, 0, 0), axis=(0, 0, 1))
    m.box("ram", boxes.hydraulic_cylinder(1e-3, 6e-4, compliance=2e-12, leak=1e-12), {"rod": "guide"})
    return m


def driven_arm(*, rotor: bool = True) -> vv.Mechanism:
    """Boxes of all kinds of ports: rates, a coordinate that is stored and one that is read, heat, inputs, a rotor."""

    def M(x: Any, e: Any, theta: Any, d: Any) -> Any:
        mu = d * x.q**2
        return [[mu * theta.s, -mu * e.p], [-mu * e.p, mu * e.p**2 / theta.s]]

    m = arm()
    m.thermal("housing", capacity=20.0, conductance_to_environment=0.5)
    m.box(
        "dc", boxes.thermal_motor(0.6, 2e-3, 0.08, capacity=15.0, conductance=0.5), {"shaft": "hinge", "s": "housing"}
    )
    m.box("seal", boxes.lugre(50.0, 0.05, 0.08, v_st=0.1, sigma1=0.01, sigma2=0.002), {"p": "elbow"})
    m.box("k", compose("spring", {"k": rotation.spring(3.0)}, {"q": ("k.q",)}, outer=("q",)), {"q": "elbow"})
    law = irreversible({"p": angular_momentum, "s": entropy, "q": angle.state}, M=M, d=0.5)
    grip = compose("grip", {"law": law}, {"p": ("law.p",), "s": ("law.s",), "q": ("law.q",)}, outer=("p", "s", "q"))
    m.box("grip", grip, {"p": "elbow", "q": "elbow"})
    if rotor:
        m.box("rotor", gears(), {"p": "hinge"})
    return m


EVERY = {
    "driven arm": (driven_arm, {"dc": 3.0}, 1e-4),
    "gas spring": (gas_slide, {}, 1e-4),
    "hydraulic": (hydraulic, {"ram.a": 1e-5, "ram.b": -2e-5}, 1e-8),
    "arm without rotor": (lambda: driven_arm(rotor=False), {"dc": 3.0}, 1e-4),
    "geared rotor": (lambda: with_rotor("geared"), {}, 0.0),
}


def somewhere(name: str) -> tuple[vv.Mechanism, dict[str, float], Any, tuple[Any, Any, Any]]:
    """A mechanism with inputs, its minimal form, and a state of that which is in no way special."""
    made, inputs, size = EVERY[name]
    m, rng = made(), np.random.default_rng(3)
    form = vv.analytical(m, inputs=inputs)
    q, xi, s = form.initial
    away = 0.3 if "hinge" in m.parts else 0.002
    return m, inputs, form, (q + away, xi + 0.5, s + size * rng.uniform(0.5, 1.0, len(s)))


def values_of(form: Any, q: Any, xi: Any, s: Any) -> dict[str, float]:
    """All states of the model by name, and coordinates and velocities."""
    x, found = form.x(q, xi, s), dict[str, float]()
    for variable in form.model.variables:
        own = x[form.model.layout.x[variable.name]]
        names = [variable.name] if len(own) == 1 else [f"{variable.name}[{k}]" for k in range(len(own))]
        found |= dict(zip(names, own, strict=True))
    return found | dict(zip(form.names, (*q, *xi, *s), strict=True))


@pytest.mark.parametrize("name", EVERY)
def test_the_bond_graph_of_a_mechanism_has_its_boxes(name: str) -> None:
    m, inputs, form, (q, xi, s) = somewhere(name)
    flow = vv.bond_graph(m, inputs=inputs).flow()
    values = values_of(form, q, xi, s)
    y = np.array([values[state] for state in flow.plan.independent])
    found = dict(zip(flow.plan.independent, flow.rates(0.0, np.zeros(0), y, np.zeros(1))[0], strict=True))
    xi_dot, s_dot = form.rates(0.0, q, xi, s)
    rates = dict(zip(form.names, (*form.q_dot(q, xi), *xi_dot, *s_dot), strict=True))
    assert set(form.names) <= set(found)
    for state, rate in rates.items():
        np.testing.assert_allclose(found[state], rate, rtol=1e-11, atol=1e-13, err_msg=state)


def test_figures_of_kanes_equations_name_momenta_in_boxes() -> None:
    with pytest.raises(vv.ModelError, match=r"momenta in boxes that are tied to joints, rotor.p, which"):
        vv.bond_graph(with_rotor("direct"), figure=4)


def test_the_bond_graph_of_a_motor_is_the_same_as_a_box() -> None:
    built, boxed = (vv.bond_graph(m) for m in motors())
    kinds = [sorted(one.kind for one in graph.elements.values() if one.kind not in "01") for graph in (built, boxed)]
    extra = sorted([*kinds[0], "RS", "Se"])
    extra.remove("R")  # the heat of a box has an environment in the graph
    assert kinds[1] == extra
    assert "dc" in boxed.elements


@pytest.mark.parametrize("name", ["arm without rotor", "gas spring", "hydraulic"])
def test_symbols_of_boxes_are_the_equations_in_numbers(name: str) -> None:
    m, _, form, (q, xi, s) = somewhere(name)
    e = vv.symbols(m)
    u = form.inputs(0.0)
    assert [e.names[symbol] for symbol in e.u] == [port.name for port in form.full.ports]
    xi_dot, s_dot = form.rates(0.0, q, xi, s)
    np.testing.assert_allclose(e.accelerations(q, xi, s, u), xi_dot, rtol=1e-10)
    T, V, rates = e.function("T", "V", "s_dot")(q, xi, s, u, 0.0)
    np.testing.assert_allclose(np.ravel(rates), s_dot, rtol=1e-10, atol=1e-14)
    x = form.x(q, xi, s)
    still = form.x(q, 0 * xi, s)
    np.testing.assert_allclose(T, form.open.H(x) - form.open.H(still), rtol=1e-10)
    assert np.isfinite(V)


def test_symbols_of_a_motor_are_the_same_as_a_box() -> None:
    built, boxed = (vv.symbols(m) for m in motors())
    q, xi, s, u = np.array([0.3, 0.4]), np.array([1.0, -2.0]), np.array([2e-3]), np.array([12.0])
    np.testing.assert_allclose(built.accelerations(q, xi, s, u), boxed.accelerations(q, xi, s, u), rtol=1e-12)
    found = [np.ravel(e.function("s_dot")(q, xi, s, u, 0.0)) for e in (built, boxed)]
    np.testing.assert_allclose(*found, rtol=1e-12)
    assert [e.units[e.s[0]] for e in (built, boxed)] == ["V s", "V s"]
    assert [e.units[e.u[0]] for e in (built, boxed)] == ["V", "V"]
    directors = [vv.symbols(m, "directors") for m in motors()]
    assert [len(e.s) for e in directors] == [1, 1]


@pytest.mark.parametrize(("kind", "form"), [("geared", "minimal"), ("twice", "minimal"), ("direct", "directors")])
def test_symbols_name_a_box_that_ties_a_momentum(kind: str, form: str) -> None:
    with pytest.raises(vv.ModelError, match="box 'rotor' ties a momentum of its own to a joint, by gears"):
        vv.symbols(with_rotor(kind), form)


def test_symbols_have_a_rotor_on_a_joint_as_its_inertia() -> None:
    m = arm()
    damped = {"r": rotation.inertia(0.2), "d": rotation.damper(0.3)}
    m.box("rotor", compose("rotor", damped, {"p": ("r.p", "d.p"), "s": ("d.s",)}, outer=("p", "s")), {"p": "hinge"})
    e, form = vv.symbols(m), vv.analytical(m)
    q, xi = np.array([0.3, -0.7]), np.array([1.2, -2.1])
    np.testing.assert_allclose(e.accelerations(q, xi), form.accelerations(q, xi), rtol=1e-12)
    M, T = e.function("M", "T")(q, xi, (), (), 0.0)
    np.testing.assert_allclose(M, form.mass_matrix(q), rtol=1e-12)
    np.testing.assert_allclose(T, 0.5 * xi @ form.mass_matrix(q) @ xi, rtol=1e-12)
    assert "rotor" not in e.energies


def test_an_implicit_system_has_ports_where_boxes_act() -> None:
    """Rates and forces of the mechanism, with those of its boxes at their ports, satisfy it; power is kept."""
    m, _, form, (q, xi, s) = somewhere("arm without rotor")
    point = form.at(q, xi, s)
    network = m.kinestatics(form.motion(q, xi, s))
    system = network.implicit()
    u = form.inputs(0.0)
    found = form.solve(point, u, np.zeros(len(u)))
    ends = np.cumsum([0, 6, 6])
    V_dot = {body.name: found.V_dot[a:b] for body, a, b in zip(m.bodies, ends, ends[1:], strict=False)}
    k, grip = -3.0 * q[1], -0.5 * q[1] ** 2 * xi[1]
    shaft, elbow = point.force(u) - vv.analytical(arm()).at(q, xi).force(np.zeros(0))  # all that boxes do
    inputs = {"dc.shaft": shaft, "k.q": k, "grip.p": grip, "seal.p": elbow - k - grip}
    x_dot, dH = network.x_dot(V_dot, inputs), network.dH()
    f, e = network.flows(), network.efforts(inputs)
    assert {"dc.shaft", "k.q", "grip.p", "grip.q", "seal.p"} <= set(system.ports)
    x_dot["housing.s"] = e["housing.heat"]
    assert np.abs(system.residual(x_dot, dH, f, e)).max() < 1e-11
    stored = sum(float(dH[name] @ x_dot[name]) for name in system.states)
    np.testing.assert_allclose(stored, sum(float(e[name] @ f[name]) for name in system.ports), rtol=1e-11)


READINGS = {
    "linearise": lambda m: vv.linearise(m, residual_ok=True),
    "dynamics": vv.dynamics,
    "equilibrium": vv.equilibrium,
    "RK4": lambda m: vv.simulate(m, t_end=1e-3, h=1e-3, integrator=vv.RK4()),
}


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS.keys())
def test_who_refuses_a_box_that_ties_joints_names_a_scheme_that_takes_it(reading: Any) -> None:
    m = vv.Mechanism("two", gravity=(0, 0, -9.81))
    for k, name in enumerate(("a", "b")):
        m.body(name, mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5 + 3 * k, 0, 0))
        m.revolute(f"hinge_{name}", m.ground, name, at=(3 * k, 0, 0), axis=(0, 1, 0))
    gear = compose("gear", {"mesh": rotation.gear(2.0)}, {"a": ["mesh.a"], "b": ["mesh.b"]}, outer=("a", "b"))
    m.box("gear", gear, {"a": "hinge_a", "b": "hinge_b"})
    with pytest.raises(vv.ModelError, match=r"(?s)'gear.*vv\.LieMidpoint\(\)"):
        reading(m)
    for scheme in (vv.LieMidpoint, vv.PHMP, vv.PHMPGGL):
        run = vv.simulate(m, t_end=1e-3, h=1e-3, integrator=scheme(compiled=False))
        np.testing.assert_allclose(run["hinge_a.rate"][-1], 2 * run["hinge_b.rate"][-1], rtol=1e-6)


def test_a_linear_system_takes_a_shaft_that_only_boxes_push() -> None:
    """A wheel in the play of a gearbox, on a motor without current: all forces on it vanish but for rounding."""
    m = vv.Mechanism("drive", gravity=(0, 0, -9.81))
    m.body("wheel", mass=0.5, inertia=vv.inertia.cylinder(0.5, 0.06, 0.02, axis="y"), at=(0, 0, 0))
    m.body("arm", mass=1.0, inertia=vv.inertia.rod(1.0, 0.5, axis="x"), at=(0.45, 0, 0))
    m.revolute("fast", m.ground, "wheel", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("slow", m.ground, "arm", at=(0.2, 0, 0), axis=(0, 1, 0))
    m.box("dc", boxes.thermal_motor(0.6, 2e-3, 0.08, capacity=15.0, conductance=0.5), {"shaft": "fast"})
    gearbox = boxes.backlash_gearbox(5.0, play=0.02, stiffness=400.0, loss=0.2, friction=1e-3)
    m.box("gearbox", gearbox, {"a": "fast", "b": "slow"})
    m.box("seal", boxes.lugre(50.0, 0.05, 0.08, v_st=0.1, sigma1=0.01, sigma2=0.002), {"p": "slow"})
    rest = vv.equilibrium(m)
    for at in (None, rest):
        system = vv.linearise(m, at=at)
        assert {"slow.q", "slow.rate", "dc.supply"} <= set(system.states)
        assert np.linalg.eigvals(system.A).real.max() < 1e-6
    with pytest.raises(vv.AssemblyError, match="no equilibrium"):
        vv.linearise(m, at={"slow.q": 0.2})
