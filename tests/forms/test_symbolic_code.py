"""Generated functions: NumPy, Numba and C agree, take batches, and say what they lack."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
import sympy
from messages import says
from numpy.testing import assert_allclose
from parts import sample
from symbolic_models import double_pendulum, six_joint_arm, top

import visviva as vv
from visviva.errors import ModelError
from visviva.forms.symbols import targets
from visviva.forms.symbols.targets import Assignments

compiler = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler")
ALL = ("M", "c", "f", "Z", "z", "T", "V", "D", "q_dot", "A", "Gamma")


def states(e, count=3):
    rng = np.random.default_rng(0)
    q = rng.normal(size=(count, len(e.q)))
    quaternions = [k for k, symbol in enumerate(e.q) if str(symbol).startswith("q_tip")]
    if quaternions:
        q[:, quaternions] /= np.linalg.norm(q[:, quaternions], axis=1, keepdims=True)
    return q, rng.normal(size=(count, len(e.xi))), np.zeros((count, 0)), rng.normal(size=(count, len(e.u)))


@compiler
@pytest.mark.parametrize("build", [six_joint_arm, top])
def test_c_agrees_with_numpy(build):
    e = vv.symbols(build())
    given = states(e)
    names = ALL[:5] if build is six_joint_arm else ("M", "Gamma", "q_dot", "A")
    for ours, theirs in zip(e.function(*names, target="c")(*given), e.function(*names)(*given), strict=True):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(theirs).max(initial=0.0)))


def test_numba_agrees_with_numpy():
    e = vv.symbols(double_pendulum())
    given = states(e)
    for ours, theirs in zip(e.function(*ALL, target="numba")(*given), e.function(*ALL)(*given), strict=True):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


X = sympy.Symbol("x0", real=True)
EVERY = [
    sympy.pi * X, sympy.sqrt(2) * X, sympy.E + X,
    X**2, X**-3, sympy.sqrt(X), X ** sympy.Rational(3, 2), sympy.exp(-X), sympy.log(X), sympy.tanh(X), sympy.Abs(-X),
    sympy.sign(X - 1), sympy.Max(0, X - 1), sympy.atan2(X, 2), sympy.Rational(1, 3) * X, sympy.Float(0.1) + X,
]  # fmt: skip


@compiler
def test_every_function_is_the_same_in_all_languages():
    from visviva.language.functions import symbolic

    arcs = [symbolic(name)(1 + 2 * sympy.cos(X)) for name in ("arc_", "darc_", "bow_", "dbow_")]
    assignments = Assignments({0: X}, [], [*EVERY, *arcs])
    x = np.linspace(0.3, 2.9, 7)[:, None]
    found = {}
    for name, target in targets.TARGETS.items():
        found[name] = np.empty((7, len(assignments.values)))
        target.load(target.write(assignments))(x, found[name])
    for name in ("numba", "c"):
        assert_allclose(found[name], found["numpy"], rtol=1e-12, atol=1e-15, err_msg=name)


@compiler
@pytest.mark.parametrize("values", [EVERY, [sympy.Integer(2)], []], ids=["every", "constant", "none"])
def test_c_is_c99_without_a_warning(values, tmp_path):
    """Constants read no argument, and M_PI is no part of the standard."""
    (tmp_path / "code.c").write_text(
        targets.TARGETS["c"].write(Assignments({0: X} if X in _used(values) else {}, [], values))
    )
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "code.c", "-o", "code.o"]
    made = subprocess.run([shutil.which("cc") or "gcc", *strict], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


def _used(values):
    return {symbol for value in values for symbol in value.free_symbols}


def test_matrices_of_one_column_stay_matrices():
    m = double_pendulum()
    m.torque("motor", "1")
    e = vv.symbols(m, "directors")
    q = np.random.default_rng(0).normal(size=24)
    assert e.function("B_v")(q, q).shape == (24, 1)
    assert e.function("V_q")(q, q).shape == (24,)
    with pytest.raises(ModelError, match=says("B_v of 'double pendulum' is not finite at this state")):
        e.function("B_v")(np.zeros(24), q)


def test_functions_take_batches_and_single_states():
    e = vv.symbols(double_pendulum())
    evaluate = e.function("M", "T")
    q, xi, s, u = states(e, 4)
    M, T = evaluate(q, xi, s, u)
    assert M.shape == (4, 2, 2)
    assert T.shape == (4,)
    one, energy = evaluate(q[2], xi[2])
    assert one.shape == (2, 2)
    assert energy.shape == ()
    assert_allclose(M[2], one)
    assert_allclose(T[2], energy)
    assert evaluate(q[:, None], xi)[0].shape == (4, 4, 2, 2)


def test_arguments_are_called_by_their_names():
    """In comments, whatever the names are."""
    m = vv.Mechanism("names")
    m.body("/ #", mass=1.0, inertia=(1, 1, 1))
    m.revolute("a b", m.ground, "/ #", at=(1, 0, 0), axis=(0, 0, 1), friction=0.1)
    e = vv.symbols(m)
    assert "x1 = x[1];  /* qdot_a b */" in e.function("f", target="c").source
    assert "x1 = x[:, 1]  # qdot_a b" in e.function("f").source
    assert "/* m__ _ */" in e.function("M", target="c").source


def test_time_is_an_argument():
    m = double_pendulum()
    m.drive("motor", "1", rate=lambda t: np.sin(3 * t))
    e = vv.symbols(m)
    evaluate = e.function("r", "z")
    r, z = evaluate([0, 0], [0, 0], [0.0], (), np.array([0.0, 0.5]))
    assert_allclose(r[:, 0], np.sin([0, 1.5]), rtol=1e-15)
    assert_allclose(z[:, 0], 3 * np.cos([0, 1.5]), rtol=1e-15)


def test_bad_calls_are_refused():
    e = vv.symbols(double_pendulum())
    evaluate = e.function("M")
    with pytest.raises(ModelError, match=says("q of the function of 'double pendulum' must have 2 entries")):
        evaluate([1.0, 2.0, 3.0], [0, 0])
    with pytest.raises(ModelError, match=says("takes q, xi, s, u, t; got 6 values")):
        evaluate([0, 0], [0, 0], (), (), 0.0, 1.0)
    with pytest.raises(ModelError, match=says("has no parameter 'm_three'; it has g, m_one")):
        evaluate([0, 0], [0, 0], parameters={"m_three": 1.0})
    with pytest.raises(ModelError, match=says("generated for numpy, numba, c, not for 'fortran'")):
        e.function("M", target="fortran")
    for name in ("B", "_listed", "latex", "q", "rows", "energies", "name", 3, ["M", "c"]):
        with pytest.raises(ModelError, match=says(f"no quantity {name!r}")):
            e.function(name)
    with pytest.raises(ModelError, match=says("not for ['c']")):
        e.function("M", target=["c"])
    for given, message in (
        ((), "takes q, xi, s, u, t; got 0 values"),
        (([np.nan, 0], [0, 0]), "q of the function of 'double pendulum' must be finite"),
        (("ab", [0, 0]), "q of the function of 'double pendulum' must be numbers"),
        (([1j, 0], [0, 0]), "q of the function of 'double pendulum' must be numbers"),
        ((np.zeros((3, 2)), np.zeros((2, 2))), "do not go together: q (3,), xi (2,)"),
        ((0.0, [0, 0]), "q of the function of 'double pendulum' must have 2 entries, got shape ()"),
    ):
        with pytest.raises(ModelError, match=says(message)):
            evaluate(*given)
    for parameters, message in (
        ({"m_one": np.inf}, "parameter 'm_one' must be finite"),
        ({"m_one": "heavy"}, "parameter 'm_one' must be"),
        (["m_one"], "are {name: number}, got ['m_one']"),
    ):
        with pytest.raises(ModelError, match=says(message)):
            evaluate([0, 0], [0, 0], parameters=parameters)
    for value in ("M", object()):
        with pytest.raises(ModelError, match=says("give expressions or matrices of the equations")):
            e.expanded(value)
        with pytest.raises(ModelError, match=says("give expressions or matrices of the equations")):
            e.definitions(value)


def test_without_a_compiler_the_text_is_there(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    evaluate = vv.symbols(double_pendulum()).function("M", target="c")
    assert "void evaluate(" in evaluate.source
    with pytest.raises(ModelError, match=says("there is no C compiler")):
        evaluate([0, 0], [0, 0])


@pytest.mark.parametrize("element", ["knife edge", "gravity"])
def test_a_row_that_is_rounding_says_nothing(element):
    """A blade between welded bodies: at most states its row is a rounding error, and no constraint."""
    m = sample("fixed", element).mechanism
    e, form = vv.symbols(m), vv.analytical(m)
    assert e.rank == 0
    rows = []
    for q, xi in np.random.default_rng(3).uniform(-3, 3, (30, 2, 1)):
        found = e.accelerations(q, xi)
        assert_allclose(found, form.rates(0.0, q, xi, form.initial[2])[0], rtol=0, atol=1e-12)
        rows.append(np.abs(e.function("Z")(q, xi)).max(initial=0.0))
    assert (0 < max(rows) < 1e-14) == (element == "knife edge")
