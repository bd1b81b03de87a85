"""Laws compiled from their syntax trees have the bits of those that Numba compiles, and of plain Python."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from law_calls import EDGES, SIZE, assert_same_bits, called, drawn, numba_address, plain_call, seed
from law_samples import LAWS

from visviva.kernels.direct import emission
from visviva.kernels.direct.emission import Target, emit, host, undefined_symbols
from visviva.kernels.direct.module import Module
from visviva.kernels.direct.writer import Untranslatable
from visviva.kernels.laws import law_address, law_objects
from visviva.kernels.object_code import link_object
from visviva.kernels.signatures import ENERGY, FLOW, INPUTS, RATE, ROWS

LINUX = "x86_64-unknown-linux-gnu"
GROUPS = [name if name in ("kinks", "feedback") else pytest.param(name, marks=pytest.mark.slow) for name in LAWS]


@cache
def laws_of(group):
    return LAWS[group]()


def written(*lines, imports=()):
    """A law of the signature INPUTS with these lines."""
    names = [f"from visviva.kernels.elementary import {', '.join(imports)}"] if imports else []
    return "\n".join(
        ["import math", *names, "", "", "def law(n, T, P, t, x, u):", *(f"    {line}" for line in lines), ""]
    )


def result(source, x, size):
    """What a law of the signature INPUTS writes."""
    given = [1, np.zeros(1, np.int64), x, 0.0, x, np.zeros(size)]
    return called(law_address(INPUTS, source), INPUTS, given)[-1]


def assert_like_plain_python(signature, source, times):
    draw, compared = np.random.default_rng(seed(source)), 0
    for _ in range(times):
        given = drawn(signature, draw, 0.0)
        try:
            expected = plain_call(signature, source, given)
        except (
            ArithmeticError,
            ValueError,
            TypeError,
        ):  # Python refuses what is nan or infinite here, and roots of < 0
            continue
        found = called(law_address(signature, source), signature, given)
        assert_same_bits(found, expected)
        compared += 1
    return compared


def assert_like_numba(signature, source, times):
    one, other = law_address(signature, source), numba_address(signature, source)
    draw = np.random.default_rng(seed(source))
    for edges in (0.0, 0.02, 0.3):
        for _ in range(times):
            given = drawn(signature, draw, edges)
            assert_same_bits(called(one, signature, given), called(other, signature, given))


@pytest.mark.parametrize("group", GROUPS)
def test_laws_have_the_bits_of_plain_python(group):
    compared = [assert_like_plain_python(*law, times=3) for law in laws_of(group)]
    assert np.mean(np.array(compared) > 0) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("group", list(LAWS))
def test_laws_have_the_bits_of_numba(group):
    for law in laws_of(group):
        assert_like_numba(*law, times=20)


FUNCTIONS = "sin cos tan exp log sqrt asin acos atan sinh cosh tanh asinh atanh expm1 log1p floor ceil log10 erf"
OPERATIONS = {
    "sums": ["u[0] = x[0] + x[1] - x[2] * x[3] / x[4]", "u[1] = -x[0] + +x[1] - 3"],
    "whole numbers": [
        "k = 7 * T[0] - 3",
        "u[0] = k",
        "u[1] = k / 4",
        "u[2] = k // 5 + k % 5",
        "u[3] = (-k) // 5 + (-k) % 5",
    ],
    "remainders": ["u[0] = x[0] % x[1]", "u[1] = -x[0] % x[1]", "u[2] = x[0] // x[1]", "u[3] = (-x[0]) // x[1]"],
    "powers": ["u[0] = x[0] ** x[1]", "u[1] = 2 ** x[0]", "u[2] = T[0] ** 2", "u[3] = x[0] ** 0.5"],
    "whole powers": ["u[0] = x[0] ** 2", "u[1] = x[0] ** 1", "u[2] = x[0] ** 0"],
    "loops": [
        "s = 0.0",
        "for i in range(2, 9):",
        "    s += x[i] * i",
        "for i in range(9, 2, -3):",
        "    s -= x[i]",
        "u[0] = s",
    ],
    "branches": [
        "if x[0] > x[1]:",
        "    u[0] = 1.0",
        "elif x[1] > x[2] and not x[3] > x[4]:",
        "    u[0] = 2.0",
        "else:",
        "    u[0] = 3",
    ],
    "choices": [
        "u[0] = x[0] if x[0] < x[1] else 2",
        "u[1] = 1 if x[0] < x[1] else x[2] if x[2] <= x[3] or x[4] != x[5] else 0",
    ],
    "chains": [
        "a, b = x[0], x[1]",
        "u[0] = 1.0 if 0.2 < a <= b else 0.0",
        "live = a == a and b > 0.0",
        "u[1] = 1.0 if live else 0.0",
    ],
    "extremes": [
        "u[0] = min(x[0], x[1], 0.5)",
        "u[1] = max(x[0], 1)",
        "u[2] = abs(x[0] - x[1])",
        "u[3] = max(T[0], T[1], 3)",
    ],
    "functions": [
        f"u[{k}] = math.{name}(x[{k}])"
        for k, name in enumerate(
            [
                "sin",
                "cos",
                "tan",
                "exp",
                "log",
                "sqrt",
                "asin",
                "acos",
                "atan",
                "sinh",
                "cosh",
                "tanh",
                "asinh",
                "atanh",
                "expm1",
                "log1p",
                "floor",
                "ceil",
                "log2",
                "log10",
                "erf",
            ]
        )
    ],
    "more functions": [
        "u[0] = math.atan2(x[0], x[1]) + math.hypot(x[2], x[3])",
        "u[1] = math.copysign(x[0], -x[1]) + math.pi",
    ],
    "sequences": ["a = b = x[0]", "a, b = b + 1.0, a", "u[0], u[1] = a, b", "u[2] += float('inf') * a", "u[3] *= 2"],
}


@pytest.mark.parametrize("lines", OPERATIONS.values(), ids=OPERATIONS)
def test_operations_have_the_bits_of_plain_python(lines):
    assert assert_like_plain_python(INPUTS, written(*lines), times=50) == 50


@pytest.mark.parametrize("k", [3, 4, 7, 13, -1, -5])
def test_whole_powers_are_products(k):
    x = np.random.default_rng(0).normal(size=8)
    found = result(written(f"for i in range(8):\n        u[i] = x[i] ** {k}"), x, 8)
    np.testing.assert_allclose(found, x**k, rtol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name != "sequences"])  # Numba has no float("inf")
def test_operations_have_the_bits_of_numba(name):
    assert_like_numba(INPUTS, written(*OPERATIONS[name]), times=50)


HANDFUL = {
    "energy": (ENERGY, "n, T, P, xa, xb, e, dE, scale, mode", ["e[T[0]] += scale * powq_(xa[0], xb[1], P[2])"]),
    "flow": (
        FLOW,
        "n, T, P, s, end, z, u, dE, dX, cx, amp, t, rh, stage, mode, r, rs, V, out",
        ["for i in range(3):", "    V[T[1] + i] -= z[0] * dE[i] + t * s[i]", "out[0] = dpowq_(z[0], z[1], 1.5)"],
    ),
    "rate": (
        RATE,
        "n, T, P, rates, temperatures, out",
        ["out[0] = math.tanh(rates[0] / P[0]) * (1.0 if P[1] > 0 else -P[1])"],
    ),
    "rows": (
        ROWS,
        "P, q0, q1, dq1, mode, A, dA",
        [
            "A[0] = arcq_(q0[0], q1[0]) + dbowq_(q0[1], q1[1])",
            "if mode == 1:",
            "    dA[0] = atanc_(q0[0], q1[0]) % P[0]",
        ],
    ),
}


@pytest.mark.parametrize("name", HANDFUL)
def test_each_signature_has_the_bits_of_numba(name):
    signature, arguments, lines = HANDFUL[name]
    helpers = "from visviva.kernels.elementary import powq_, dpowq_, arcq_, dbowq_, atanc_"
    source = "\n".join(["import math", helpers, "", f"def law({arguments}):", *(f"    {line}" for line in lines), ""])
    assert_like_numba(signature, source, times=100)


@pytest.mark.parametrize("a", EDGES)
def test_edges_of_whole_and_float_division(a):
    """As in NumPy: a division by zero is inf or nan, one of whole numbers by zero is 0."""
    source = written(
        "k = T[0]",
        "u[0] = x[0] / x[1]",
        "u[1] = k // T[1]",
        "u[2] = k % T[1]",
        "u[3] = x[0] // x[1]",
        "u[4] = x[0] % x[1]",
    )
    x = np.concatenate([[a, 0.0], np.zeros(SIZE)])
    T = np.array([-(2**63), 0])
    with np.errstate(all="ignore"):
        expected = [a / np.float64(0.0), 0.0, 0.0, a / np.float64(0.0), np.nan]
    u = called(law_address(INPUTS, source), INPUTS, [1, T, x, 0.0, x, np.zeros(8)])[-1]
    np.testing.assert_array_equal(u[:5], expected)
    u = called(law_address(INPUTS, source), INPUTS, [1, np.array([-(2**63), -1]), x, 0.0, x, np.zeros(8)])[-1]
    assert (u[1], u[2]) == (0.0, 0.0)  # the processor would stop


@pytest.mark.parametrize(("a", "b"), [(1.0, 5e-324), (-1e300, 1e-9), (0.5, -1e-310)])
def test_a_quotient_that_overflows_is_infinite(a, b):
    assert result(written("u[0] = x[0] // x[1]"), np.array([a, b]), 1)[0] == np.copysign(np.inf, a * b)


def test_what_does_not_matter_is_not_read():
    """`and`, `or` and conditional expressions ask in order: beyond the end of an array there is nothing to read."""
    far = 2**40
    source = written(
        f"u[0] = 1.0 if x[0] > 2.0 and x[{far}] > 0.0 else 2.0",
        f"u[1] = 1.0 if x[0] < 2.0 or x[{far}] > 0.0 else 2.0",
        f"u[2] = x[{far}] if x[0] > 2.0 else 3.0",
    )
    u = called(law_address(INPUTS, source), INPUTS, [1, np.zeros(1, int), np.zeros(1), 0.0, np.ones(1), np.zeros(3)])[
        -1
    ]
    assert u.tolist() == [2.0, 1.0, 3.0]


def test_sums_of_hundreds_of_terms_are_translated():
    source = written("u[0] = " + " + ".join(f"x[{k}]" for k in range(900)))
    x = np.arange(900.0)
    assert result(source, x, 1)[0] == x.sum()


REFUSED = {
    "a name": written("u[0] = nowhere"),
    "a function": written("u[0] = print(1)"),
    "a function of math": written("u[0] = math.gamma(x[0])"),
    "a loop": written("while n > 0:", "    n -= 1"),
    "a list": written("u[0] = sum([x[0], x[1]])"),
    "two kinds": written("k = 1", "k = 0.5", "u[0] = k"),
    "None": written("u[0] = x[0] if x[0] > 0 else None"),
    "a result": written("return 1.0"),
    "a float as a place": written("u[x[0]] = 1.0"),
    "numbers as truths": written("u[0] = x[0] or x[1]"),
    "an unknown power": written("u[0] = x[0] ** T[0]"),
    "another import": "import os\n" + written("u[0] = 1.0"),
    "another helper": written("u[0] = nothing_(x[0])", imports=["nothing_"]),
    "other arguments": "def law(n):\n    pass\n",
    "no law": "x = 1\n",
    "two functions": written("u[0] = 1.0") + "\n\ndef other():\n    pass\n",
    "no Python": "def law(:\n",
    "depth": written("u[0] = " + "-(" * 900 + "x[0]" + ")" * 900),
    "a huge number": written(f"u[0] = {2**70}"),
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED)
def test_what_is_not_known_is_refused_in_one_way(source):
    with pytest.raises(Untranslatable):
        Module().law("law", INPUTS, source)


def test_what_is_not_known_is_left_to_numba():
    source = written("k = 0", "while k < 3:", "    u[k] = x[k] * x[k]", "    k += 1")
    assert result(source, np.array([2.0, 3.0, 4.0]), 3).tolist() == [4.0, 9.0, 16.0]


def test_an_old_llvm_is_not_asked(monkeypatch):
    monkeypatch.setattr(emission, "OLDEST", 1000)
    with pytest.raises(Untranslatable, match="older than 1000"):
        emit(Module(), host())


def test_text_that_llvm_refuses_is_refused():
    module = Module()
    module._functions.append("define void @broken() { ret i64 1 }\n")
    with pytest.raises(Untranslatable, match="LLVM refuses"):
        emit(module, host())


def test_code_that_needs_what_is_not_there_is_not_linked():
    """LLVM would end the process."""
    module = Module()
    module.declared["no_such_function"] = 1
    module._functions.append(
        "define void @law(ptr %u) {\n  %x = call double @no_such_function(double 1.0)\n"
        "  store double %x, ptr %u\n  ret void\n}\n"
    )
    with pytest.raises(Untranslatable, match="needs no_such_function"):
        emit(module, host())


@pytest.mark.parametrize("cpu", ["x86-64-v2", "x86-64-v3"])
def test_many_laws_in_one_object_for_another_processor(cpu):
    pairs = [(INPUTS, written(*lines)) for lines in OPERATIONS.values()]
    pairs += [(INPUTS, written("u[0] = sinc_(x[0]) + powq_(x[0], x[1], x[2])", imports=["sinc_", "powq_"]))] * 2
    target = Target(LINUX, cpu)
    symbols, code = law_objects(pairs, target)
    assert law_objects(pairs, target) == (symbols, code)  # byte for byte
    assert len(symbols) == len(OPERATIONS) + 1
    assert set(undefined_symbols(code)) >= {"pow", "atan2"}
    if host().triple != LINUX or (cpu.endswith("v3") and "+avx2" not in host().features):
        pytest.skip("this processor is another one")
    addresses = link_object(code, list(symbols.values()))
    for (signature, source), symbol in zip(pairs, symbols.values(), strict=False):
        given = drawn(signature, np.random.default_rng(1), 0.1)
        assert_same_bits(
            called(addresses[symbol], signature, given), called(law_address(signature, source), signature, given)
        )
