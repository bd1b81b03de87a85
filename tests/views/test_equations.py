"""Reduced equations of small systems: the printed ones come out, names are clear, bad systems are refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from paper_systems import DISPLACEMENT, ENTROPY, MOMENTUM, damped_oscillator, friction, oscillator, with_other_ports

from visviva.errors import ModelError
from visviva.language import Quantity, compose, environment, renamed, reversible, storage
from visviva.views.equations import equations

MASS = storage({"p": MOMENTUM}, H=lambda x, m: x.p**2 / (2 * m), m=1.0)
COUPLING = reversible({"q": DISPLACEMENT, "p": MOMENTUM}, J=[[0, 1], [-1, 0]])
LEVER = reversible({"p_1": MOMENTUM, "p_2": MOMENTUM}, C=lambda n: [[n, -1]], n=3.0)


def real(names):
    return sympy.symbols(names, real=True)


def test_oscillator_has_the_printed_equations():
    """(5)."""
    eqs = equations(oscillator())
    q, p, v, k, m, f = real("q p v k m p.f")
    assert eqs.rates == {"q": v, "p": -k * q + f}
    assert eqs.outer == {"p": {"e": v, "f": f}}
    assert eqs.where == {"v": p / m}
    assert eqs.values == {k: 1.5, m: 2.0}


@pytest.mark.parametrize(
    "change", [lambda s: s, lambda s: s.flatten(), with_other_ports], ids=["as_is", "flat", "renamed"]
)
def test_damped_oscillator_has_the_printed_equations(change):
    """(8)."""
    eqs = equations(change(damped_oscillator()))
    q, p, v, k, d, m = real("q p v k d m")
    theta0 = sympy.Symbol("theta_0", positive=True)
    qdot, pdot, sdot = real("qdot pdot sdot")
    assert eqs.as_sympy() == [
        sympy.Eq(qdot, v),
        sympy.Eq(pdot, -k * q - d * v),
        sympy.Eq(sdot, d * v**2 / theta0),
        sympy.Eq(v, p / m),
    ]
    assert eqs.values[theta0] == 300.0
    assert not eqs.algebraic
    assert not eqs.constraints
    assert not eqs.outer


def test_text_and_latex_are_those_of_the_paper():
    eqs = equations(damped_oscillator())
    assert str(eqs) == "damped:\n  q' = v\n  p' = -d*v - k*q\n  s' = d*v**2/theta_0\nwhere\n  v = p/m"
    assert eqs.latex().splitlines()[1:-1] == [
        r"\dot{q} &= v \\",
        r"\dot{p} &= - d v - k q \\",
        r"\dot{s} &= \frac{d v^{2}}{\theta_{0}} \\",
        r"\text{where}\quad v &= \frac{p}{m}",
    ]
    assert eqs._repr_latex_() == f"$$\n{eqs.latex()}\n$$"
    assert repr(eqs) == "<Equations of 'damped': 1 rate osc.q, 1 rate p, 1 rate s>"


def test_variables_of_outer_ports_are_written_as_such():
    assert equations(oscillator()).latex().splitlines()[2:4] == [
        r"\dot{p} &= - k q + p\text{.f} \\",
        r"p\text{.e} &= v \\",
    ]


def test_a_warm_storage_shows_its_temperature():
    heat = storage({"s": ENTROPY}, H=lambda x, c: 300 * c * np.exp(x.s / c), c=2.0)
    eqs = equations(
        compose("warm", {"mf": friction(), "hot": heat}, {"p": ("mf.p",), "s": ("mf.s", "hot.s")}, ("p", "s"))
    )
    theta, c, s, d, v, f = real("theta c s d p.e s.f")
    theta0 = sympy.Symbol("theta_0", positive=True)
    assert eqs.rates == {"s": d * v**2 / theta + f}
    assert eqs.where == {"theta": 300 * sympy.exp(s / c)}
    assert eqs.outer["s"]["e"] == theta - theta0
    assert eqs.outer["p"] == {"e": v, "f": d * v}
    assert theta0 not in eqs.values


def test_a_lever_between_masses_keeps_its_multiplier():
    boxes = {"m_1": MASS, "m_2": MASS, "lever": LEVER}
    eqs = equations(compose("two", boxes, {"p_1": ("m_1.p", "lever.p_1"), "p_2": ("m_2.p", "lever.p_2")}))
    n, lam, v1, v2 = real("n lambda_lever v_1 v_2")
    assert eqs.rates == {"p_1": -n * lam, "p_2": lam}
    assert eqs.constraints == {"lever": n * v1 - v2}
    assert eqs.multipliers == {"lever": (lam,)}


def test_a_lever_to_a_damper_is_eliminated():
    boxes = {"mass": MASS, "lever": LEVER, "mf": friction(), "env": environment({"s": ENTROPY})}
    wires = {"p": ("mass.p", "lever.p_1"), "p_2": ("lever.p_2", "mf.p"), "s": ("mf.s", "env.s")}
    eqs = equations(compose("geared", boxes, wires))
    n, d, v = real("n d v")
    theta0 = sympy.Symbol("theta_0", positive=True)
    assert not eqs.constraints
    assert not eqs.algebraic
    assert eqs.rates["p"] == -d * n**2 * v
    assert eqs.rates["s"] == d * n**2 * v**2 / theta0


def test_two_levers_in_parallel_leave_the_second_as_a_constraint():
    boxes = {"mass": MASS, "a": LEVER, "b": LEVER}
    eqs = equations(compose("loop", boxes, {"p": ("mass.p", "a.p_1", "b.p_1"), "p_2": ("a.p_2", "b.p_2")}))
    na, nb, lam, v = real("n_a n_b lambda_b v")
    assert sympy.expand(eqs.constraints["b"] - (nb - na) * v) == 0
    assert sympy.expand(eqs.rates["p"] - (na - nb) * lam) == 0


def test_a_junction_without_state_has_its_effort_as_unknown():
    boxes = {"a": friction(), "b": friction(), "env": environment({"s": ENTROPY})}
    eqs = equations(compose("massless", boxes, {"p": ("a.p", "b.p"), "s": ("a.s", "b.s", "env.s")}))
    v, da, db = real("v d_a d_b")
    assert eqs.efforts["p"] == (v,)
    assert sympy.expand(eqs.algebraic["p"] - (da + db) * v) == 0


@pytest.mark.parametrize("system", [MASS, renamed(oscillator(), {"p": "p_out"})], ids=["primitive", "renamed"])
def test_any_system_has_equations(system):
    (port,) = system.interface
    assert set(equations(system).outer) == {port}


def test_a_primitive_system_shows_its_structure():
    """(3)."""
    eqs = equations(reversible({"q": DISPLACEMENT, "p": MOMENTUM}, J=[[0, 1], [-1, 0]]))
    q_e, p_e = real("q.e p.e")
    assert {port: pair["f"] for port, pair in eqs.outer.items()} == {"q": -p_e, "p": q_e}


def test_vectors_and_matrices_have_names():
    plane, push = Quantity("R2", "displacement"), Quantity("R2", "momentum")
    boxes = {
        "pe": storage({"q": plane}, H=lambda x, k: 0.5 * k * (x.q @ x.q), k=1.0),
        "ke": storage({"p": push}, H=lambda x: 0.5 * (x.p @ x.p)),
        "pkc": reversible(
            {"q": plane, "p": push}, J=lambda b: [[0, 0, 1, 0], [0, 0, b, 1], [-1, -b, 0, 0], [0, -1, 0, 0]], b=2.0
        ),
    }
    eqs = equations(compose("plane", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}))
    b, v1, v2, f1, f2 = real("b v_1 v_2 f_q_1 f_q_2")
    assert eqs.rates["q"] == sympy.ImmutableMatrix([v1, b * v1 + v2])
    assert eqs.rates["p"] == sympy.ImmutableMatrix([-f1 - b * f2, -f2])
    assert "q' = J_pkc_q_p v" in str(eqs)
    assert "p' = -J_pkc_q_p^T f_q" in str(eqs)
    assert r"\dot{p} &= -J_{\mathrm{pkc},q,p}^{\top} f_{q}" in eqs.latex()
    assert eqs.where["J_pkc_q_p"] == sympy.Matrix([[1, 0], [b, 1]])


# -- names


def test_equal_names_get_the_box_as_subscript():
    boxes = {"a": oscillator(), "b": oscillator()}
    eqs = equations(compose("two", boxes, {"p_a": ("a.p",), "p_b": ("b.p",)}))
    q_a, k_a, p_b, m_b = real("q_a k_a p_b m_b")
    assert eqs.states["a.q"] == (q_a,)
    assert eqs.rates["p_a"] == -k_a * q_a
    assert eqs.where["v_b"] == p_b / m_b
    assert eqs.parameters["a.pe.k"] == k_a


def test_no_two_symbols_look_alike():
    spring = storage({"q": DISPLACEMENT}, H=lambda x, p, v: p * x.q**2 + v * x.q, p=1.0, v=2.0)
    boxes = {"pe": spring, "ke": MASS, "pkc": reversible({"q": DISPLACEMENT, "p": MOMENTUM}, J=[[0, 1], [-1, 0]])}
    eqs = equations(compose("clash", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}))
    v = eqs.variables
    every = [*v.states["q"], *v.states["p"], *v.parameters.values(), *v.efforts["p"].entries]
    assert len({v.spelling[symbol] for symbol in every}) == len({str(symbol) for symbol in every}) == len(every)
    assert v.states["p"] == real("p,")


def test_a_name_that_is_taken_at_every_level_gets_a_number():
    spring = storage({"q": DISPLACEMENT}, H=lambda x, k, k_pe: k * x.q**2 + k_pe * x.q, k=1.0, k_pe=2.0)
    other = storage({"q": DISPLACEMENT}, H=lambda x, k: k * x.q**2, k=1.0)
    eqs = equations(compose("odd", {"pe": spring, "o": other}, {"q": ("pe.q",), "r": ("o.q",)}))
    assert len(set(eqs.parameters.values())) == 3


# -- errors


def test_two_storages_at_one_junction_are_refused():
    system = compose("twice", {"a": MASS, "b": MASS}, {"p": ("a.p", "b.p")})
    with pytest.raises(ModelError, match=r"junction 'p' of 'twice' has two boxes that hold its state: a and b"):
        equations(system)


def test_a_state_that_nobody_holds_is_refused():
    lp = reversible(
        {"p": Quantity("so3*", "momentum")},
        J=lambda x: [[0, -x.p[2], x.p[1]], [x.p[2], 0, -x.p[0]], [-x.p[1], x.p[0], 0]],
    )
    with pytest.raises(
        ModelError, match=r"box 'lp' of 'alone' depends on the state of junction 'p'.*\n.*Add a storage"
    ):
        equations(compose("alone", {"lp": lp}, {"p": ("lp.p",)}))
    assert equations(compose("open", {"lp": lp}, {"p": ("lp.p",)}, ("p",))).outer["p"]["f"].shape == (3, 1)


def test_environments_of_two_temperatures_are_refused():
    boxes = {"a": environment({"s": ENTROPY}, 300.0), "b": environment({"s": ENTROPY}, 290.0)}
    with pytest.raises(ModelError, match=r"different temperatures: a at 300 K, b at 290 K"):
        equations(compose("two", boxes, {"s": ("a.s",), "r": ("b.s",)}))


def test_something_that_is_no_system_is_refused():
    with pytest.raises(ModelError, match="equations are those of a system of the language, got 3"):
        equations(3)


def test_kinks_are_written_as_mathematics():
    """The slope of ½ k max(0, q - 1)² is shown without the cases that the maximum has already."""
    from visviva.reports.mathml import mathml

    def shown(H):
        boxes = {"pe": storage({"q": DISPLACEMENT}, H=H, k=2.0), "ke": MASS, "pkc": COUPLING}
        return equations(compose("osc", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}))

    bumper = shown(lambda x, k: 0.5 * k * np.maximum(0, x.q - 1) ** 2)
    assert "p' = -k*Max(0, q - 1)" in str(bumper)
    assert r"\dot{p} &= - k \max\left(0, q - 1\right)" in bumper.latex()
    two = shown(lambda x, k: np.where(x.q > 0, k * x.q**2, x.q**2))
    assert "p' = -where(q > 0, 2*k*q, 2*q)" in str(two)
    cases = r"\begin{cases} 2 k q & \text{for}\: q > 0 \\ 2 q & \text{for}\: q \leq 0 \end{cases}"
    assert cases in two.latex()
    assert "<mtr><mtd><mrow><mn>2</mn><mi>k</mi><mi>q</mi></mrow></mtd>" in mathml(cases)
    cubic = shown(lambda x, k: k * abs(x.q) ** 3)
    assert r"3 k q^{2} \operatorname{sign}\left(q\right)" in cubic.latex()
