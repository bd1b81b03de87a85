"""State equations and motions of bond graphs: closed forms, and the same motion by the system of the language."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from textbook_graphs import TEXTBOOK

import visviva as vv
from visviva.bonds import GY, IC, MGY, MTF, NIC, TF, BondGraph, C, I, R, Se, Sf, one, zero

EXAMPLES = {example.name: example for example in TEXTBOOK}
FINE = vv.DOP853(tolerance=1e-11)


def rates(graph):
    return {str(x): rate for x, rate in graph.equations().rates.items()}


def symbols(names):
    return sympy.symbols(names, real=True)


def same(a, b):
    return sympy.simplify(a - b) == 0


def test_series_circuit():
    found = rates(EXAMPLES["series circuit"].graph)
    u, L, C_, R_, p, q = symbols("u L C R p_L q_C")
    assert same(found["p_L"], u - q / C_ - R_ * p / L)
    assert same(found["q_C"], p / L)


def test_two_masses_on_a_lever_move_as_one():
    equations = EXAMPLES["two masses on a lever"].graph.equations()
    F, m, n, T, p = symbols("F m n T p_m")
    assert same(equations.rates[p], F * m / (m + T**2 * n))
    assert same(equations.dependent[symbols("p_n")], T * n * p / m)


def test_algebraic_loop_is_solved():
    found = rates(EXAMPLES["ladder of resistors"].graph)
    u, r1, r2, r3, C_, q = symbols("u r1 r2 r3 C q_C")
    parallel = r1 * r2 / (r1 + r2)
    assert same(found["q_C"], (u * r2 / (r1 + r2) - q / C_) / (parallel + r3))  # Thévenin


def test_voltage_divider_has_no_states():
    equations = EXAMPLES["voltage divider"].graph.equations()
    u, r1, r2 = symbols("u r1 r2")
    assert not equations.rates
    assert same(equations.variables["e", "4"][0], u * r2 / (r1 + r2))


def test_motor_is_the_usual_one():
    found = rates(EXAMPLES["direct-current motor"].graph)
    u, L, Ra, K, J, b, p, h = symbols("u L Ra K J b p_L p_J")
    assert same(found["p_L"], u - Ra * p / L - K * h / J)
    assert same(found["p_J"], K * p / L - b * h / J)


def test_gyrators_in_a_row_differentiate():
    graph = BondGraph(
        "g", {"i": Sf(lambda t: np.sin(t)), "G1": GY(2.0), "G2": GY(3.0), "m": I(1.5)}, ["i -> G1 -> G2 -> m"]
    )
    equations = graph.equations()
    t, G1, G2, m = symbols("t G1 G2 m")
    assert same(equations.dependent[symbols("p_m")], m * G1 / G2 * sympy.sin(t))
    assert same(equations.variables["e", "3"][0], m * G1 / G2 * sympy.cos(t))


def test_crank_carries_the_slider_along():
    """(J + m n²) w' + m n n' w + n q/k = 0 with n = -r sin φ: Lagrange's equation."""
    equations = EXAMPLES["crank and slider"].graph.equations()
    J, m, k, r, phi, p, q = symbols("J m k r phi p_J q_k")
    n, w = -r * sympy.sin(phi), p / J
    acceleration = -(m * n * sympy.diff(n, phi) * w**2 + n * q / k) / (J + m * n**2)
    assert same(equations.rates[p], J * acceleration)


def test_pendulum_from_free_flow_and_derivative_masses():
    graph = pendulum()
    w_dot = rates(graph)["f_w"]
    m, l, th = symbols("m l th")
    assert same(w_dot, -sympy.Rational(1962, 100) * sympy.sin(th) / (m * l))
    assert graph.causality.derivative == ("m",)


def pendulum():
    def modulus(x, l):
        return [[l * np.cos(x.th)], [l * np.sin(x.th)]]

    elements = {
        "w": one(free=True),
        "T": MTF(modulus, l=0.7),
        "v": one(width=2),
        "m": I(2.0),
        "mg": Se([0.0, -2 * 9.81]),
    }
    return BondGraph("pendulum", elements, ["w -> T -> v -> m", "mg -> v"], coordinates={"th": "w"})


def test_pendulum_keeps_its_energy():
    run = vv.simulate(pendulum(), 0.5, 0.05, initial={"th": 0.5})
    height = 0.7 * (1 - np.cos(run["th"]))
    assert_allclose(run["energy"] + 2 * 9.81 * height, 2 * 9.81 * height[0], rtol=1e-8)
    assert_allclose(run["p_m_1"], 2 * 0.7 * np.cos(run["th"]) * run["f_w"], rtol=1e-12)


def test_field_elements_and_their_energy():
    def T(q, p, m):
        return p**2 / (2 * m * (1 + q**2))

    graph = BondGraph("ic", {"v": one(), "T": IC(H=T, m=2.0), "k": C(0.5)}, ["v -> T.I", "v -> T.C", "v -> k"])
    run = vv.simulate(graph.flow(), 2.0, 0.05, initial={"p_T": 1.0, "q_k": 0.3}, integrator=FINE)
    assert np.ptp(run["energy"]) < 1e-9 * run["energy"][0]
    found = rates(graph)
    m, k, q, p, x = symbols("m k q_T p_T q_k")
    assert same(found["p_T"], p**2 * q / (m * (1 + q**2) ** 2) - x / k)


def test_nonholonomic_field_is_the_sleigh():
    """Chaplygin's sleigh by hand: A = diag(J + m a², m), Dᵀξ = (-m a w v, m a w²)."""
    elements = {
        "f": one(),
        "T": NIC(
            lambda J, m, a: [[J + m * a**2, 0], [0, m]],
            lambda f, m, a: [-m * a * f[0] * f[1], m * a * f[0] ** 2],
            width=2,
            J=0.5,
            m=1.0,
            a=0.4,
        ),
    }
    graph = BondGraph("sleigh", elements, ["f -> T.I", "f -> T.C"])
    run = vv.simulate(graph.flow(), 3.0, 0.05, initial={"p_T_1": 0.66 * 2.0, "p_T_2": 1.0}, integrator=FINE)
    assert_allclose(run["f.f"][-1], [0.0817319482, 1.9067226139], rtol=1e-9)
    assert np.ptp(run["energy"]) < 1e-10


# -- graphs and systems ---------------------------------------------------------------------------------------------

MOTIONS = {
    "series circuit": {"q_C": 0.3},
    "two masses and a spring": {"p_m1": 0.5, "q_k": 0.2},
    "two masses on a lever": {},
    "two capacitors in parallel": {},
    "direct-current motor": {"p_J": 0.01},
    "motor without inductance": {"p_J": 0.01},
    "ladder of resistors": {"q_C": 0.3},
    "spring behind a gyrator": {"q_k": 0.4},
    "drive train with a gear": {"q_k": 0.002},
    "loudspeaker": {"q_k": 1e-4},
    "brake that gets warm": {"p_J": 3.0},
    "crank and slider": {"phi": 0.7, "q_k": 0.02},
    "mass on a moving base": {"p_m": 0.3},
}
SCALES = {"drive train with a gear": 0.1, "loudspeaker": 0.01, "direct-current motor": 0.3}


@pytest.mark.parametrize("name", MOTIONS)
def test_system_has_the_same_motion(name):
    graph, t_end = EXAMPLES[name].graph, SCALES.get(name, 1.0)
    flow = graph.flow()
    end = vv.simulate(flow, t_end, t_end / 10, initial=MOTIONS[name], integrator=FINE)
    run = vv.simulate(graph.system(), t_end, t_end / 200, initial=MOTIONS[name], integrator=vv.EnergyCollocation())
    for state in flow.plan.independent:
        size = np.abs(end[state]).max()
        assert_allclose(run[state][-1, 0], end[state][-1], rtol=0, atol=2e-7 * max(size, 1e-12), err_msg=state)
    audit = run.audit()
    assert audit.first_law < 1e-11
    assert (audit.second_law or 0.0) > -1e-11


def test_matrices_on_multibonds_have_systems():
    elements = {
        "v": one(),
        "M": I([[2.0, 0.5], [0.5, 1.0]]),
        "K": C([[1.0, 0.2], [0.2, 2.0]]),
        "D": R([[0.2, 0.1], [0.1, 0.3]]),
        "G": GY([[0, 1.0], [-1.0, 0]]),
    }
    graph = BondGraph("mat", elements, ["v -> M", "v -> K", "v -> D", "v -> G"])
    end = vv.simulate(graph.flow(), 1.0, 0.1, initial={"q_K_1": 1.0, "p_M_2": 0.5}, integrator=FINE)
    start = {"q_K": [1.0, 0.0], "p_M": [0.0, 0.5]}
    run = vv.simulate(graph.system(), 1.0, 0.005, initial=start, integrator=vv.EnergyCollocation())
    assert_allclose(run["q_K"][-1], [end["q_K_1"][-1], end["q_K_2"][-1]], atol=1e-7)
    assert_allclose(run["p_M"][-1], [end["p_M_1"][-1], end["p_M_2"][-1]], atol=1e-7)


def test_transformer_between_displacements_has_a_system():
    """Springs of compliance c and, behind a lever of ratio n, b in one line with a damper r under a force F:
    q_c = c F (1 - exp(-t/T)) with T = r (c + b/n²), and q_b = b F/n times the same."""
    elements = {
        "F": Se(3.0),
        "v": one(),
        "r": R(0.5),
        "near": zero(),
        "c": C(1.0),
        "n": TF(2.0),
        "far": zero(),
        "b": C(0.4),
    }
    bonds = ["F -> v -> near -> n -> far -> b", "v -> r", "near -> c"]
    graph = BondGraph("springs", elements, bonds, domain="translation")
    run = vv.simulate(graph.system(), 1.0, 0.005, initial={"q_c": 0.0, "q_b": 0.0}, integrator=vv.EnergyCollocation())
    rise = 1.0 - np.exp(-run.t / (0.5 * (1.0 + 0.4 / 4.0)))
    assert_allclose(run["q_c"].ravel(), 3.0 * rise, atol=1e-8)
    assert_allclose(run["q_b"].ravel(), 0.6 * rise, atol=1e-8)


def test_matrices_that_are_not_symmetric_are_not_transposed():
    elements = {
        "v": one(),
        "M": I([[2.0, 0.5], [0.5, 1.0]]),
        "G": GY([[1.0, 0.5], [-0.3, 2.0]]),
        "u": one(),
        "N": I([[1.0, 0.2], [0.2, 3.0]]),
        "T": TF([[1.0, 2.0], [0.3, 1.0]]),
        "w": one(),
        "K": C([[1.0, 0.1], [0.1, 0.5]]),
    }
    graph = BondGraph("mat", elements, ["v -> M", "v -> G -> u -> N", "v -> T -> w -> K"])
    variables = graph.equations().variables
    at = dict(zip(symbols("p_M_1 p_M_2"), (0.7, -0.4), strict=True))
    velocity = np.linalg.solve(np.array([[2.0, 0.5], [0.5, 1.0]]), [0.7, -0.4])
    flow, effort = ([float(entry.subs(at)) for entry in variables[name]] for name in (("f", "6"), ("e", "3")))
    assert_allclose(flow, np.array([[1.0, 2.0], [0.3, 1.0]]) @ velocity, rtol=1e-12)
    assert_allclose(effort, np.array([[1.0, 0.5], [-0.3, 2.0]]).T @ velocity, rtol=1e-12)  # e_out = rᵀ f_in
    end = vv.simulate(graph, 0.5, 0.1, initial={"q_K_1": 1.0, "p_M_2": 0.5}, integrator=FINE)
    start = {"q_K": [1.0, 0.0], "p_M": [0.0, 0.5]}
    run = vv.simulate(graph.system(), 0.5, 0.005, initial=start, integrator=vv.EnergyCollocation())
    for name in ("q_K", "p_M", "p_N"):
        assert_allclose(run[name][-1], [end[f"{name}_1"][-1], end[f"{name}_2"][-1]], atol=1e-7)


def test_displacements_couple_by_gyrators_and_conductances():
    elements = {
        "a": zero(),
        "c": C(1.0),
        "G": GY(2.0),
        "b": zero(),
        "d": C(3.0),
        "r": R(G=lambda e: 0.1 + 0.2 * e**2),
        "s": R(5.0),
    }
    graph = BondGraph("q", elements, ["a -> G -> b", "a -> c", "b -> d", "b -> r", "a -> s"])
    start = {"q_c": 1.0, "q_d": 0.2}
    end = vv.simulate(graph.flow(), 1.0, 0.1, initial=start, integrator=FINE)
    run = vv.simulate(graph.system(), 1.0, 0.005, initial=start, integrator=vv.EnergyCollocation())
    for state in start:
        assert_allclose(run[state][-1, 0], end[state][-1], atol=1e-7)


def test_inputs_are_outer_ports_and_laws_of_time():
    def push(t):
        return 0.3 * np.sin(2 * t)

    elements = {"v": one(), "m": I(2.0), "k": C(0.5), "d": R(0.3)}
    bonds = ["F -> v -> m", "v -> k", "v -> d"]
    flow = BondGraph("o", {"F": Se(push), **elements}, bonds, domain="translation").flow()
    system = BondGraph("o", {"F": Se(), **elements}, bonds, domain="translation").system()
    end = vv.simulate(flow, 2.0, 0.1, integrator=FINE)
    run = vv.simulate(system, 2.0, 0.01, inputs={"F": push}, integrator=vv.EnergyCollocation())
    assert_allclose(run["p_m"][-1, 0], end["p_m"][-1], atol=1e-7)
    assert_allclose(np.gradient(end["energy"], end.t)[5:-5], end["power"][5:-5], atol=5e-3)
    assert_allclose(end["F.e"], push(end.t), atol=1e-15)


def test_modulated_gyrator_reads_a_state():
    elements = {"a": one(), "m": I(1.0), "G": MGY(lambda x: 1.0 + x.q_k), "b": one(), "n": I(2.0), "k": C(0.5)}
    graph = BondGraph("g", elements, ["a -> m", "a -> G -> b", "b -> n", "a -> k"])
    start = {"p_m": 0.5, "q_k": 0.3}
    end = vv.simulate(graph.flow(), 1.0, 0.1, initial=start, integrator=FINE)
    run = vv.simulate(graph.system(), 1.0, 0.005, initial=start, integrator=vv.EnergyCollocation())
    assert_allclose(run["p_n"][-1, 0], end["p_n"][-1], atol=1e-7)
    assert np.ptp(end["energy"]) < 1e-9


def test_equations_read_as_text_and_latex():
    equations = EXAMPLES["two masses on a lever"].graph.equations()
    assert str(equations).splitlines() == ["two masses on a lever:", "p_m' = F*m/(T**2*n + m)", "p_n = T*n*p_m/m"]
    assert r"\dot{p_{m}} &= \frac{F m}{T^{2} n + m}" in equations.latex()
    assert len(equations.as_sympy()) == 2


# -- refusals -------------------------------------------------------------------------------------------------------

ELEMENTS = {"v": one(), "m": I(1.0), "k": C(0.5)}


def refused(elements, bonds, **options):
    return BondGraph("g", elements, bonds, **options).flow()


def test_nonlinear_storage_cannot_follow():
    elements = {"s": Sf(1.0), "v": one(), "m": I(H=lambda p: p**4)}
    with pytest.raises(vv.ModelError, match="I 'm' of 'g' is in derivative causality, and its energy is a function"):
        refused(elements, ["s -> v -> m"])


def test_loop_through_a_nonlinear_resistor_is_refused():
    elements = {"u": Se(1.0), "a": one(), "r1": R(lambda f: 1 + f**2), "z": zero(), "r2": R(G=lambda e: 1 + e**2)}
    with pytest.raises(vv.ModelError, match=r"R 'r.' of 'g' has a nonlinear law within .*: r1, r2"):
        refused(elements, ["u -> a -> r1", "a -> z -> r2"])
    with pytest.raises(vv.ModelError, match=r"R 'r2' of 'g' has a nonlinear law within .*: r1, r2"):
        refused({**elements, "r1": R(2.0)}, ["u -> a -> r1", "a -> z -> r2"])


def test_inputs_without_a_law_are_named():
    with pytest.raises(vv.ModelError, match=r"F of 'g' are inputs without a law"):
        refused({"F": Se(), **ELEMENTS}, ["F -> v -> m", "v -> k"])


def test_start_by_unknown_names_is_refused():
    flow = refused(ELEMENTS, ["v -> m", "v -> k"])
    with pytest.raises(vv.ModelError, match="has no 'q_m'"):
        vv.simulate(flow, 1.0, 0.1, initial={"q_m": 1.0})
    with pytest.raises(vv.ModelError, match=r"starts from initial=\{name: value\} of its states p_m, q_k"):
        vv.simulate(flow, 1.0, 0.1, initial=[1.0])


def test_law_of_a_dependent_state_is_refused():
    elements = {"v": one(), "m": I(1.0), "n": I(2.0), "T": MTF(lambda x: 1 + x.p_n), "w": one(), "k": C(1.0)}
    with pytest.raises(
        vv.ModelError, match="the law of 'T' depends on the state 'p_n', which is in derivative causality"
    ):
        refused(elements, ["v -> m", "v -> n", "v -> T -> w -> k"])


def test_singular_loop_is_named():
    elements = {"u": Se(1.0), "a": one(), "T": TF(1.0), "b": one()}
    with pytest.raises(vv.ModelError, match=r"no causality|no unique solution"):
        vv.simulate(refused(elements, ["u -> a -> T -> b", "b -> a"]), 1.0, 0.1)


def test_fields_and_modulated_sources_have_no_system():
    graph = BondGraph("g", {"v": one(), "T": IC(H=lambda q, p: p**2 + q**2)}, ["v -> T.I", "v -> T.C"])
    with pytest.raises(vv.ModelError, match="IC 'T' of 'g' has no counterpart"):
        graph.system()
    source = BondGraph("g", {"F": Se(lambda x: x.q_k), **ELEMENTS}, ["F -> v -> m", "v -> k"])
    with pytest.raises(vv.ModelError, match="MSe 'F' of 'g' depends on states"):
        source.system()


def test_resistor_law_must_suit_its_junction_in_a_system():
    graph = BondGraph(
        "g",
        {"z": zero(), "c": C(1.0), "r": R(lambda f: 1 + f**2), "a": one(), "L": I(1.0)},
        ["z -> c", "z -> a -> L", "z -> r"],
    )
    with pytest.raises(vv.ModelError, match=r"the law of R 'r' in 'g' must be one of its effort here, R\(G=lambda e"):
        graph.system()
