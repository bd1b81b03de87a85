"""Sources: efforts that are given over time, what they take, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.language import Quantity, compose, reversible, source
from visviva.library import electric, hydraulic, rotation, thermal, translation
from visviva.library.quantities import charge, entropy, momentum
from visviva.views.pattern_style import COLOURS

K, A, B, W = 2.0, 1.0, 0.5, 3.0  # stiffness, masses, angular frequency of the drive
REST = {"q": 0.0, "a": 0.0, "b": 0.0}
SCHEMES = {
    "midpoint": (vv.DiscreteGradient(), 2),
    "midpoint in NumPy": (vv.DiscreteGradient(compiled=False), 2),
    "collocation": (vv.EnergyCollocation(), 4),
    "collocation in NumPy": (vv.EnergyCollocation(compiled=False), 4),
    "composition": (vv.Suzuki4(vv.DiscreteGradient()), 4),
}


def shaken(drive=None):
    """A mass whose velocity is given pulls another one by a spring."""
    boxes = {
        "spring": translation.spring(K),
        "a": translation.mass(A),
        "b": translation.mass(B),
        "k": translation.kinematic(a=1, b=-1),
        "drive": translation.velocity_source() if drive is None else drive,
    }
    junctions = {"q": ("spring.q", "k.q"), "a": ("a.p", "k.a", "drive.p"), "b": ("b.p", "k.b")}
    return compose("shaken", boxes, junctions)


def speed(t):
    return np.sin(W * t)


def exact(t):
    """(q, b) by hand: q' = u - b/B, b' = K q."""
    found = solve_ivp(
        lambda t, y: [speed(t) - y[1] / B, K * y[0]], (0, max(t)), [0, 0], t_eval=t, rtol=1e-12, atol=1e-13
    )
    return found.y


def run_of(scheme, h, t_end=2.0, u=speed):
    return vv.simulate(shaken(), t_end=t_end, h=h, initial=REST, inputs={"drive": u}, integrator=scheme)


# -- motion, force and work ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "order"), SCHEMES.values(), ids=SCHEMES)
def test_the_motion_is_that_of_the_equations_with_the_order_of_the_scheme(scheme, order):
    errors = []
    for h in (0.04, 0.02):
        run = run_of(scheme, h)
        errors.append(np.abs(np.array([run["q"][:, 0], run["b"][:, 0]]) - exact(run.t)).max())
    assert errors[1] < 1e-2
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.1)


@pytest.mark.parametrize("scheme", [vv.DiscreteGradient(), vv.DiscreteGradient(compiled=False)], ids=str)
def test_a_mass_has_the_velocity_that_is_given_at_every_node(scheme):
    run = run_of(scheme, 0.05)
    assert_allclose(run["a"][:, 0] / A, speed(run.t), atol=1e-13)


def test_the_force_is_what_mass_and_spring_take_and_does_not_alternate():
    run = run_of(vv.DiscreteGradient(), 0.02)
    t = run.t_mid
    force = A * W * np.cos(W * t) + K * exact(t)[0]
    assert_allclose(run["drive.flow"][:, 0], force, atol=2e-3)


@pytest.mark.parametrize(("scheme", "order"), SCHEMES.values(), ids=SCHEMES)
def test_its_work_is_in_the_audit(scheme, order):
    run = run_of(scheme, 0.05)
    audit = run.audit()
    assert audit.ok
    assert audit.first_law < 1e-14
    stored = sum(run[f"energy.{name}"][-1] for name in ("spring", "a", "b"))
    assert run["drive.work"][-1] == pytest.approx(stored, rel=1e-12)
    assert -audit.components["drive"].energy_in == pytest.approx(stored, rel=1e-12)
    assert "drive (input)" not in audit.components


def test_what_a_source_gives_is_the_power_at_its_junction():
    run = run_of(vv.DiscreteGradient(), 0.05)
    assert_allclose(run["drive.a.power"], -run["drive.flow"][:, 0] * run["drive.u"][:, 0], atol=1e-13)


JUMPS = {
    "midpoint": vv.DiscreteGradient(),
    "composition": vv.Suzuki4(vv.DiscreteGradient()),
    "steps that end on it": vv.Adaptive(vv.DiscreteGradient()),
}


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")
@pytest.mark.parametrize("scheme", JUMPS.values(), ids=JUMPS)
def test_a_jump_is_over_within_one_step_and_its_work_is_accounted_for(scheme):
    """Velocities would alternate from there on if a step took its input from the middle."""
    run = vv.simulate(
        shaken(), t_end=1.0, h=0.05, initial=REST | {"q": 0.1}, integrator=scheme,
        inputs={"drive": lambda t: 0.0 if t < 0.5 else 2.0},
    )  # fmt: skip
    assert_allclose(run["a"][:, 0], np.where(run.t < 0.5 - 1e-9, 0.0, 2.0 * A), atol=1e-12)
    assert run.audit().first_law < 1e-13


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")
def test_a_jump_inside_of_a_step_is_over_at_its_end():
    run = run_of(vv.DiscreteGradient(), 0.1, u=lambda t: 0.0 if t < 0.55 else 2.0)
    assert set(np.round(run["a"][:, 0], 12)) == {0.0, 2.0}


LATE = {"compared": lambda t: 0.0 if t < 0.5 else 2.0, "looked up": lambda t: (0.0, 2.0)[int(2 * t + 1e-9) > 0]}


@pytest.mark.parametrize("u", LATE.values(), ids=LATE)
@pytest.mark.parametrize(
    "scheme", [vv.EnergyCollocation(), vv.Adaptive(vv.EnergyCollocation())], ids=["steps", "adaptive"]
)
def test_a_scheme_whose_states_do_not_follow_a_jump_refuses_it_before_the_run(scheme, u):
    with pytest.raises(vv.ModelError, match=r"'drive' jumps at t = 0\.5 s(.|\n)*vv\.DiscreteGradient"):
        run_of(scheme, 0.05, u=u)
    run = run_of(scheme, 0.05, t_end=0.45, u=u)  # it is not in this run
    assert_allclose(run["a"], 0.0, atol=1e-14)
    run_of(scheme, 0.05, u=lambda t: 0.0 if t < 0.5 else t - 0.5)  # a bend is none


def test_collocation_has_what_is_given_at_nodes_to_order_2():
    errors = [np.abs((run := run_of(vv.EnergyCollocation(), h))["a"][:, 0] - speed(run.t)).max() for h in (0.04, 0.02)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_run_goes_on_bit_for_bit():
    options = {"h": 0.05, "inputs": {"drive": speed}}
    whole = vv.simulate(shaken(), t_end=2.0, initial=REST, **options)
    part = vv.simulate(shaken(), t_end=1.0, initial=REST, **options)
    rest = vv.simulate(shaken(), t_end=2.0, initial=part.final, **options)
    assert (rest["a"] == whole["a"][20:]).all()


LAWS = {
    "a law of states": {"drive": lambda t, x: -x.q},
    "a law of all ports": lambda t, x: {"drive": -x.q},
    "a law of all ports over time": lambda t: {"drive": np.where(t < 0.5, 0.0, 2.0)},
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_no_law_that_counts_in_the_middle_of_a_step_gives_an_effort(law):
    with pytest.raises(vv.ModelError, match="port 'drive' prescribes an effort: a source follows a function of time"):
        vv.simulate(shaken(), t_end=1.0, h=0.05, initial=REST, inputs=law)


def test_a_source_in_a_box_is_called_by_its_path():
    lab = compose("lab", {"rig": shaken(), "other": translation.mass(1.0)}, {"p": ("other.p",)})
    start = {f"rig.{name}": value for name, value in REST.items()} | {"p": 0.0}
    run = vv.simulate(lab, t_end=2.0, h=0.05, initial=start, inputs={"rig.drive": speed})
    assert_allclose(run["rig.q"], run_of(vv.DiscreteGradient(), 0.05)["q"], atol=1e-14)


# -- beside drives of mechanisms -------------------------------------------------------------------------------------


def arm(driven):
    """Two links; the first hinge is driven, or shows a torque port."""
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("upper", mass=1.0, inertia=(0.02, 0.1, 0.1), at=(0.5, 0, 0))
    m.body("lower", mass=0.7, inertia=(0.01, 0.06, 0.06), at=(1.4, 0, 0))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("elbow", "upper", "lower", at=(1, 0, 0), axis=(0, 1, 0))
    if driven:
        m.drive("drive", "shoulder", rate=rate)
    else:
        m.torque("port", "shoulder")
    return m


def rate(t):
    return 1.5 * np.sin(2.0 * t)


def test_it_moves_a_joint_as_the_drive_of_a_mechanism_does():
    """A source at the port of a hinge; both schemes are of second order, and so is their difference."""
    apart, works = [], []
    for h in (0.02, 0.01):
        own = vv.simulate(arm(True), t_end=1.0, h=h)
        boxes = {"arm": arm(False).system(), "drive": rotation.speed_source()}
        system = compose("driven", boxes, {"p": ("arm.port", "drive.p")})
        run = vv.simulate(
            system, t_end=1.0, h=h, initial={f"arm.{name}": x for name, x in arm(False).system_state().items()},
            inputs={"drive": rate},
        )  # fmt: skip
        assert run.audit().first_law < 1e-12
        apart.append(np.abs(run["arm.q_lower"][-1, :3] - own["lower.r"][-1]).max())
        works.append(abs(run["drive.work"][-1] - own["drive.work"][-1]))
    assert apart[1] < 1e-3
    assert works[1] < 1e-3
    assert apart[0] / apart[1] == pytest.approx(4.0, rel=0.15)
    assert works[0] / works[1] == pytest.approx(4.0, rel=0.15)


# -- other domains ---------------------------------------------------------------------------------------------------


def bath(theta=lambda t: 50.0 * np.sin(t)):
    boxes = {
        "body": thermal.capacity(10.0), "wall": thermal.conduction(2.0), "bath": thermal.temperature_source(),
        "leak": thermal.conduction(1.0), "env": thermal.environment(300.0),
    }  # fmt: skip
    junctions = {
        "s": ("body.s", "wall.s1", "leak.s1"), "s_bath": ("wall.s2", "bath.s"), "s_env": ("env.s", "leak.s2"),
    }  # fmt: skip
    return compose("bath", boxes, junctions)


@pytest.mark.parametrize("scheme", [vv.DiscreteGradient(), vv.EnergyCollocation()], ids=str)
def test_heat_of_a_temperature_that_is_given_is_in_both_laws(scheme):
    """c θ' = 2 (θ_b - θ) - (θ - 300), with all heat that the bath gives in the balance of energy."""
    run = vv.simulate(
        bath(), t_end=20.0, h=0.1, initial={"s": 0.0}, inputs={"bath": lambda t: 50.0 * np.sin(t)}, integrator=scheme
    )
    found = solve_ivp(
        lambda t, y: [2 * (300 + 50 * np.sin(t) - y[0]) / 10 - (y[0] - 300) / 10], (0, 20), [300.0], rtol=1e-11
    )
    theta = thermal.temperature(run["s"][-1, 0], 10.0)
    assert theta == pytest.approx(found.y[0, -1], abs=5e-3)
    audit = run.audit()
    assert audit.ok
    assert audit.second_law >= 0
    gained = {name: part.energy_in for name, part in audit.components.items()}
    assert -gained["bath"] == pytest.approx(gained["body"] + gained["s_env"], abs=1e-10)


def test_a_body_at_a_temperature_that_is_given_takes_its_heat():
    """U = c θ: what the source gives is c (θ1 - θ0), exactly; as work only its exergy counts."""
    boxes = {"body": thermal.capacity(10.0), "bath": thermal.temperature_source(), "env": thermal.environment(300.0)}
    system = compose("held", boxes, {"s": ("body.s", "bath.s"), "s_env": ("env.s",)})
    run = vv.simulate(system, t_end=1.0, h=0.01, initial={"s": 0.0}, inputs={"bath": lambda t: 30.0 * t})
    assert -run.audit().components["bath"].energy_in == pytest.approx(300.0, rel=1e-5)
    assert run.audit().first_law < 1e-13


CURVED = {
    "heat": (thermal.capacity(10.0), thermal.temperature_source(), "s", lambda u: 10.0 * np.log((300 + u) / 300)),
    "third power": (
        vv.language.storage({"p": momentum}, H=lambda x: x.p**2 / 2 + x.p**4 / 4), translation.velocity_source(), "p",
        lambda u: np.array([next(r.real for r in np.roots([1, 0, 1, -v]) if abs(r.imag) < 1e-9) for v in u]),
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")
@pytest.mark.parametrize(("body", "drive", "port", "state"), CURVED.values(), ids=CURVED)
@pytest.mark.parametrize("u", [lambda t: 0.0 if t < 0.5 else 60.0, lambda t: 30.0 * np.sin(t)], ids=["jump", "sine"])
@pytest.mark.parametrize(
    "scheme", [vv.DiscreteGradient(), vv.DiscreteGradient(compiled=False), vv.Adaptive(vv.DiscreteGradient())], ids=str
)
def test_states_of_any_energy_have_what_is_given_at_every_node(body, drive, port, state, u, scheme):
    boxes = {"body": body, "drive": drive, "env": thermal.environment(300.0)}
    system = compose("held", boxes, {"x": (f"body.{port}", f"drive.{port}"), "s_env": ("env.s",)})
    run = vv.simulate(system, t_end=1.0, h=0.1, initial={"x": 0.0}, inputs={"drive": u}, integrator=scheme)
    given = np.array([u(t + 1e-12) for t in run.t])
    assert_allclose(run["x"][:, 0], state(given), rtol=1e-9, atol=1e-9)
    assert run.audit().first_law < 1e-12
    gained = run.audit().components
    assert -gained["drive"].energy_in == pytest.approx(gained["body"].energy_in, rel=1e-10)


@pytest.mark.filterwarnings("ignore:velocities violate the constraints:visviva.RunWarning")
def test_a_jump_says_where_no_state_with_the_effort_was_found():
    """The effort of this energy has no value at the origin, from which states are sought."""
    body = vv.language.storage({"p": momentum}, H=lambda x: x.p**2 / 2 - np.log(x.p))
    system = compose("held", {"body": body, "drive": translation.velocity_source()}, {"p": ("body.p", "drive.p")})
    with pytest.warns(vv.RunWarning, match=r"source 'drive' jumps at t = 0\.5 s, .* 'body' .* alternate"):
        vv.simulate(system, t_end=1.0, h=0.1, initial={"p": 1.0}, inputs={"drive": lambda t: 0.0 if t < 0.5 else 0.5})


@pytest.mark.filterwarnings("ignore:velocities violate the constraints:visviva.RunWarning")
def test_a_jump_says_where_states_alternate_about_it():
    """Several numbers in one energy that is not quadratic."""
    two = Quantity("R2", "momentum")
    mass = vv.language.storage({"p": two}, H=lambda x: (x.p @ x.p) / 2 + (x.p @ x.p) ** 2 / 4)
    system = compose("towed", {"mass": mass, "drive": source({"p": two})}, {"p": ("mass.p", "drive.p")})
    options = {"t_end": 1.0, "h": 0.1, "initial": {"p": [0, 0]}}
    with pytest.warns(vv.RunWarning, match=r"source 'drive' jumps at t = 0\.5 s, .* 'mass' .* alternate"):
        vv.simulate(system, inputs={"drive": lambda t: [0.0, 0.0] if t < 0.5 else [2.0, 1.0]}, **options)


def test_a_voltage_across_a_coil():
    boxes = {
        "battery": electric.voltage_source(), "coil": electric.inductor(0.2), "loop": electric.series(q=-1),
    }  # fmt: skip
    system = compose("coil", boxes, {"q": ("battery.q", "loop.q"), "phi": ("coil.phi", "loop.phi")})
    run = vv.simulate(system, t_end=2.0, h=0.01, initial={"phi": 0.0}, inputs={"battery": lambda t: 5 * np.cos(t)})
    assert_allclose(run["phi"][:, 0], 5 * np.sin(run.t), atol=1e-4)
    assert run["battery.work"][-1] == pytest.approx(run["energy.coil"][-1], rel=1e-12)


def test_sources_of_the_library_are_constant_or_given():
    for given, constant, port in (
        (electric.voltage_source(), electric.voltage_source(2.0), "q"),
        (electric.current_source(), electric.current_source(2.0), "phi"),
        (hydraulic.pressure_source(), hydraulic.pressure_source(2.0), "V"),
        (hydraulic.flow_source(), hydraulic.flow_source(2.0), "Gam"),
    ):
        assert (given.kind, constant.kind) == ("source", "storage")
        assert list(given.interface) == list(constant.interface) == [port]
        assert given.interface[port].quantity == constant.interface[port].quantity


# -- readings --------------------------------------------------------------------------------------------------------


def test_equations_of_a_source_at_a_storage_have_a_row_and_an_unknown_flow():
    text = str(vv.equations(shaken()))
    assert "a' = drive.f - k*q" in text
    assert "0 = -drive.e + v_a" in text


def towed():
    boxes = {
        "spring": translation.spring(2.0), "d": translation.damper(1.0), "env": thermal.environment(),
        "k": translation.kinematic(), "drive": translation.velocity_source(),
    }  # fmt: skip
    return compose("towed", boxes, {"q": ("spring.q", "k.q"), "p": ("k.p", "drive.p", "d.p"), "s": ("d.s", "env.s")})


def test_equations_of_a_source_at_a_junction_without_storage_are_explicit():
    eqs = vv.equations(towed())
    u, q = eqs.sources["drive"]["e"], eqs.states["q"][0]
    parameters = eqs.parameters
    assert eqs.rates["q"] == u
    assert (eqs.sources["drive"]["f"] - parameters["d.d"] * u - parameters["spring.k"] * q).expand() == 0
    assert not eqs.constraints
    assert r"\text{.f}" in eqs.latex()


def test_bond_graphs_have_sources_of_flow_at_momenta_and_of_effort_elsewhere():
    shaken_graph = vv.bond_graph(shaken())
    assert shaken_graph.elements["drive"].kind == "Sf"
    assert "derivative causality: a" in str(shaken_graph)
    assert vv.bond_graph(bath()).elements["bath"].kind == "Se"
    assert vv.bond_graph(towed()).elements["drive"].kind == "Sf"
    assert "derivative causality: none" in str(vv.bond_graph(towed()))


def test_a_temperature_that_is_given_comes_back_from_a_bond_graph():
    options = {"t_end": 5.0, "h": 0.1, "inputs": {"bath": lambda t: 50.0 * np.sin(t)}}
    there = vv.simulate(bath(), initial={"s": 0.0}, **options)
    back = vv.simulate(vv.bond_graph(bath()).system(), initial={"q_body": 0.0}, **options)
    assert_allclose(back["q_body"], there["s"], rtol=0, atol=1e-15)


def test_pictures_show_sources():
    assert COLOURS["source"] in vv.draw(shaken(), legend=True).svg


def response(lin, s):
    return (lin.C @ np.linalg.solve(s * np.eye(lin.n) - lin.A, lin.B) + lin.D).ravel()


def test_small_motions_follow_what_is_given():
    """States that the input prescribes are none; as outputs they are what it gives."""
    lin = vv.linearise(shaken(), outputs=["q", "a", "b"])
    assert lin.states == ("q", "b")
    s = 1.7j
    q = 1.0 / (s + K / (B * s))
    assert_allclose(response(lin, s), [q, A, K * q / s], rtol=1e-8)


def test_small_motions_may_feel_the_rate_of_what_is_given():
    """A relative velocity u of two masses, one of them on a spring: (A + B) v' + K q = B u'."""
    boxes = {
        "a": translation.mass(A), "b": translation.mass(B), "spring": translation.spring(K),
        "k": translation.kinematic(), "drive": translation.velocity_source(),
        "tie": reversible({"a": momentum, "b": momentum, "r": momentum}, C=[[1, -1, -1]]),
    }  # fmt: skip
    junctions = {
        "q": ("spring.q", "k.q"), "a": ("a.p", "tie.a", "k.p"), "b": ("b.p", "tie.b"), "r": ("tie.r", "drive.p"),
    }  # fmt: skip
    system = compose("pushing", boxes, junctions)
    s = 0.8j
    q = B * s / ((A + B) * s**2 + K)
    assert_allclose(response(vv.linearise(system, outputs=["q", "a", "b"]), s), [q, A * s * q, B * (s * q - 1)])
    lin = vv.linearise(system)
    assert_allclose(response(lin, s), [{"q": q, "a": A * s * q, "b": B * (s * q - 1)}[name] for name in lin.states])


def test_small_motions_do_not_depend_on_units_of_other_domains():
    boxes = {
        "mass": translation.mass(10.0), "drive": translation.velocity_source(),
        "cap": electric.capacitor(1e-9), "supply": electric.voltage_source(),
    }  # fmt: skip
    system = compose("rig", boxes, {"p": ("mass.p", "drive.p"), "q": ("cap.q", "supply.q")})
    lin = vv.linearise(system, outputs=["p", "q"])
    assert lin.n == 0
    assert_allclose(lin.D, np.diag([10.0, 1e-9]), rtol=1e-8, atol=1e-20)


def test_the_force_of_a_source_at_a_mass_is_no_output_of_a_linear_system():
    with pytest.raises(vv.ModelError, match=r"'drive.y' of 'shaken' depends on the rate of an input"):
        vv.linearise(shaken(), outputs=["drive.y"])
    lin = vv.linearise(towed(), outputs=["drive.y"])  # without a mass it is
    assert_allclose(response(lin, 2j), [1.0 + 2.0 / 2j])


# -- what is refused -------------------------------------------------------------------------------------------------


def test_a_source_has_one_power_port():
    with pytest.raises(vv.ModelError, match=r"a source has exactly one power port, got a: .*, b: "):
        source({"a": momentum, "b": momentum})
    with pytest.raises(vv.ModelError, match="state only"):
        source({"a": momentum.state})


TWO = {
    "two sources": ({"a": source({"q": charge}), "b": source({"q": charge})}, "q"),
    "an environment": ({"a": source({"s": entropy}), "b": thermal.environment()}, "s"),
}


@pytest.mark.parametrize(("boxes", "port"), TWO.values(), ids=TWO)
def test_one_junction_has_one_effort(boxes, port):
    system = compose("torn", boxes, {"j": (f"a.{port}", f"b.{port}")})
    with pytest.raises(vv.ModelError, match="junction 'j' of 'torn' has 2 boxes that give its effort: a, b"):
        vv.compile(system)


def test_a_start_has_the_effort_that_is_given():
    with pytest.raises(vv.AssemblyError, match=r"violates the constraint of 'drive': -1(.|\n)*inputs=\{'drive'"):
        vv.simulate(shaken(), t_end=1.0, h=0.1, initial=REST, inputs={"drive": 1.0})
    start = vv.consistent(vv.compile(shaken()), REST, inputs={"drive": 1.0})
    assert_allclose(start["a"], A, atol=1e-14)
    run = vv.simulate(shaken(), t_end=1.0, h=0.1, initial=start, inputs={"drive": 1.0})
    assert_allclose(run["a"], A, atol=1e-13)
    with pytest.raises(vv.ModelError, match=r"names 'motor'; the ports of 'shaken' are: drive"):
        vv.consistent(vv.compile(shaken()), REST, inputs={"motor": 1.0})


@pytest.mark.parametrize("V", [0.0, 1e-3, 1e3], ids=lambda V: f"V = {V:g}")
def test_a_start_is_judged_by_the_terms_of_each_row_whatever_other_domains_have(V):
    boxes = {
        "ram": translation.mass(1.0), "drive": translation.velocity_source(), "oil": hydraulic.compliance(1e-10),
    }  # fmt: skip
    system = compose("press", boxes, {"v": ("ram.p", "drive.p"), "V": ("oil.V",)})
    options = {"t_end": 0.1, "h": 0.01, "inputs": {"drive": lambda t: 0.005}}
    with pytest.raises(vv.AssemblyError, match=r"violates the constraint of 'drive': -0\.005"):
        vv.simulate(system, initial={"v": 0.0, "V": V}, **options)
    start = vv.consistent(vv.compile(system), {"v": 0.0, "V": V}, inputs={"drive": 0.005})
    assert_allclose(vv.simulate(system, initial=start, **options)["v"], 0.005, rtol=1e-12)


def test_a_consistent_start_of_what_is_no_model_is_refused():
    with pytest.raises(vv.ModelError, match=r"takes a Model or a composite system, got Mechanism; .*assemble"):
        vv.consistent(arm(True), {})


def test_a_start_at_rest_is_found_from_any_guess():
    start = vv.consistent(shaken(), {"q": 0.0, "a": 3.0, "b": 0.0})
    assert abs(start["a"][0]) < 1e-14
    vv.simulate(shaken(), t_end=0.1, h=0.05, initial=start)


def test_a_start_is_judged_by_its_own_row_beside_junctions_without_storage():
    """Both sources are at one junction each; that of the damper has an effort of its own."""
    boxes = {
        "ram": translation.mass(1.0), "drive": translation.velocity_source(), "oil": hydraulic.compliance(1e-10),
        "d": translation.damper(2.0), "env": thermal.environment(), "tow": translation.velocity_source(),
    }  # fmt: skip
    junctions = {
        "v": ("ram.p", "drive.p"), "V": ("oil.V",), "w": ("d.p", "tow.p"), "s": ("d.s", "env.s"),
    }  # fmt: skip
    system = compose("press", boxes, junctions)
    options = {"t_end": 0.1, "h": 0.01, "inputs": {"drive": lambda t: 0.005, "tow": lambda t: 1e3}}
    with pytest.raises(vv.AssemblyError, match=r"violates the constraint of 'drive': -0\.005"):
        vv.simulate(system, initial={"v": 0.0, "V": 1e-3}, **options)
    assert vv.simulate(system, initial={"v": 0.005, "V": 1e-3}, **options).audit().ok


def test_what_is_given_over_time_is_not_held_over_steps():
    sim = vv.Simulator(shaken(), h=0.1, initial=REST, inputs={"drive": speed})
    sim.step(n=3)
    assert_allclose(sim["a"], A * speed(0.3), atol=1e-14)
    with pytest.raises(vv.ModelError, match="port 'drive' prescribes an effort"):
        sim.step({"drive": 1.0})
    with pytest.raises(vv.ModelError, match="port 'drive' prescribes an effort"):
        sim.step([1.0])
    with pytest.raises(vv.ModelError, match="port 'drive' prescribes an effort"):
        sim.rollout([REST], inputs={"drive": [1.0]}, steps=3)


def held(now):
    return {"drive": 1.0}


class Held:
    """The same by an object, which is asked in Python."""

    writes = ("drive",)

    def update(self, now):
        return held(now)


SAMPLED = {
    "compiled": vv.Sampled(held, period=0.2),
    "in Python": vv.Sampled(held, period=0.2, compiled=False),
    "that starts later": vv.Sampled(Held(), period=0.2, offset=0.4),
    "of arrays": vv.Sampled(lambda t, y, u: None, period=0.2, reads=("q",), writes=("drive",), offset=0.4),
}


@pytest.mark.parametrize("sampled", SAMPLED.values(), ids=SAMPLED)
def test_a_sampled_law_of_a_source_is_refused_before_the_run(sampled):
    with pytest.raises(vv.ModelError, match="port 'drive' prescribes an effort"):
        vv.simulate(shaken(), t_end=1.0, h=0.1, initial=REST, sampled=sampled)


def test_sources_of_vectors():
    """The wrench port of a body in space is held at a twist."""
    three = Quantity("R3", "momentum")
    mass = vv.language.storage({"p": three}, H=lambda x: x.p @ x.p / 2)
    system = compose("towed", {"mass": mass, "drive": source({"p": three})}, {"p": ("mass.p", "drive.p")})
    run = vv.simulate(
        system, t_end=1.0, h=0.1, initial={"p": [0, 0, 1]}, inputs={"drive": lambda t: [t, -t, np.cos(t)]}
    )
    assert_allclose(run["p"], np.stack([run.t, -run.t, np.cos(run.t)], axis=1), atol=1e-13)
    assert run["drive.flow"].shape == (10, 3)
