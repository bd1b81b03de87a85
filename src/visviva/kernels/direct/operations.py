"""Arithmetic and functions of `math`, each by the instructions that Numba has for it: so results agree to the last bit.

Nothing raises: a division of floats by zero gives inf or nan, one of whole numbers gives 0.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from visviva.kernels.direct.writer import (
    FLOAT,
    TRUTH,
    WHOLE,
    Untranslatable,
    Value,
    Writer,
    float_constant,
    truth_constant,
    whole_constant,
)

INTRINSICS = {name: f"llvm.{name}.f64" for name in ("fabs", "exp", "exp2", "log", "log10", "sin", "cos", "copysign")}
FUNCTIONS = (  # of the C library
    *("sqrt", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "hypot"),
    *("expm1", "log1p", "log2", "erf", "erfc", "lgamma"),
)
ROUNDED = ("floor", "ceil", "trunc")  # whole numbers
TWO = ("atan2", "hypot", "copysign", "pow", "fmod")  # the others have one argument
CONSTANTS = {name: float_constant(getattr(math, name)) for name in ("pi", "e", "tau", "inf", "nan")}
LONGEST_POWER = 0x10000  # of a whole exponent that is written out

FLOAT_OPERATIONS: dict[type[ast.operator], str] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
WHOLE_OPERATIONS: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
FLOAT_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "oeq", ast.NotEq: "une", ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge",
}  # fmt: skip
WHOLE_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge",
}  # fmt: skip

Declare = Callable[[str, int], None]  # tells a module that a function of so many floats is called


def library_call(w: Writer, declare: Declare, name: str, *values: Value) -> Value:
    """A function of floats that is linked, or an intrinsic of LLVM."""
    declare(name, len(values))
    given = ", ".join(f"double {w.as_float(value).text}" for value in values)
    return w.do(FLOAT, f"call double @{name}({given})")


def float_operation(w: Writer, name: str, a: Value, b: Value) -> Value:
    """fadd, fsub, fmul, fdiv or frem."""
    return w.do(FLOAT, f"{name} double {w.as_float(a).text}, {w.as_float(b).text}")


def binary(w: Writer, declare: Declare, operator: ast.operator, a: Value, b: Value) -> Value:
    """a + b, a - b, a * b, a / b, a // b, a % b, a ** b."""
    kind = type(operator)
    if kind is ast.Pow:
        if b.kind != FLOAT:
            raise Untranslatable("a power whose whole exponent is not a constant")
        return library_call(w, declare, "llvm.pow.f64", a, b)
    if kind is ast.Div or FLOAT in (a.kind, b.kind):
        if kind in FLOAT_OPERATIONS:
            return float_operation(w, FLOAT_OPERATIONS[kind], a, b)
    elif kind in WHOLE_OPERATIONS:
        return w.do(WHOLE, f"{WHOLE_OPERATIONS[kind]} i64 {w.as_whole(a).text}, {w.as_whole(b).text}")
    elif kind in (ast.FloorDiv, ast.Mod):
        return _whole_division(w, w.as_whole(a), w.as_whole(b), remainder=kind is ast.Mod)
    raise Untranslatable(f"the operation {kind.__name__} of {a.kind} and {b.kind}")


def _whole_division(w: Writer, a: Value, b: Value, remainder: bool) -> Value:
    """Rounded down; what the processor would stop at, b = 0 or -2⁶³/-1, is 0. Selections only: it is rare."""
    by_zero = w.do(TRUTH, f"icmp eq i64 {b.text}, 0")
    lowest = w.do(TRUTH, f"icmp eq i64 {a.text}, {-(2**63)}")
    minus_one = w.do(TRUTH, f"icmp eq i64 {b.text}, -1")
    overflow = w.do(TRUTH, f"and i1 {lowest.text}, {minus_one.text}")
    refused = w.do(TRUTH, f"or i1 {by_zero.text}, {overflow.text}")
    divisor = w.do(WHOLE, f"select i1 {refused.text}, i64 1, i64 {b.text}")
    quotient = w.do(WHOLE, f"sdiv i64 {a.text}, {divisor.text}")
    rest = w.do(WHOLE, f"srem i64 {a.text}, {divisor.text}")
    signs = w.do(WHOLE, f"xor i64 {divisor.text}, {rest.text}")
    apart = w.do(TRUTH, f"icmp slt i64 {signs.text}, 0")
    some = w.do(TRUTH, f"icmp ne i64 {rest.text}, 0")
    down = w.do(TRUTH, f"and i1 {apart.text}, {some.text}")
    if remainder:
        moved = w.do(WHOLE, f"add i64 {rest.text}, {divisor.text}")
        found = w.do(WHOLE, f"select i1 {down.text}, i64 {moved.text}, i64 {rest.text}")
    else:
        moved = w.do(WHOLE, f"sub i64 {quotient.text}, 1")
        found = w.do(WHOLE, f"select i1 {down.text}, i64 {moved.text}, i64 {quotient.text}")
    return w.do(WHOLE, f"select i1 {refused.text}, i64 0, i64 {found.text}")


def whole_power(w: Writer, base: Value, exponent: int) -> Value:
    """By squaring, written out; of whole numbers only upwards."""
    base = w.as_whole(base) if base.kind == TRUTH else base
    if abs(exponent) > LONGEST_POWER or (base.kind == WHOLE and exponent < 0):
        raise Untranslatable(f"the power {exponent} of {base.kind}")

    def product(a: Value, b: Value) -> Value:
        return float_operation(w, "fmul", a, b) if base.kind == FLOAT else w.do(WHOLE, f"mul i64 {a.text}, {b.text}")

    result, square, left = (float_constant(1.0) if base.kind == FLOAT else whole_constant(1)), base, abs(exponent)
    while left:
        result = product(result, square) if left & 1 else result
        left >>= 1
        square = product(square, square)
    return float_operation(w, "fdiv", float_constant(1.0), result) if exponent < 0 else result


def negated(w: Writer, value: Value) -> Value:
    """-x, with the sign of zeros."""
    if value.kind == FLOAT:
        return float_operation(w, "fsub", float_constant(-0.0), value)
    value = w.as_whole(value)
    return whole_constant(-int(value.text)) if value.is_constant else w.do(WHOLE, f"sub i64 0, {value.text}")


def compared(w: Writer, operator: ast.cmpop, a: Value, b: Value) -> Value:
    """a == b, a != b, a < b, a <= b, a > b, a >= b; of nan only != is true."""
    a, b = w.alike(a, b)
    names, head = (FLOAT_COMPARISONS, "fcmp %s double") if a.kind == FLOAT else (WHOLE_COMPARISONS, "icmp %s i64")
    if type(operator) not in names:
        raise Untranslatable(f"the comparison {type(operator).__name__}")
    return w.do(TRUTH, f"{head % names[type(operator)]} {a.text}, {b.text}")


def extreme(w: Writer, operator: ast.cmpop, values: Sequence[Value]) -> Value:
    """min or max in Python's order: a later value counts if it is beyond the one so far."""
    if len(values) < 2:
        raise Untranslatable("min or max of fewer than two numbers")
    found = values[0]
    for value in values[1:]:
        found, value = w.alike(found, value)
        beyond = compared(w, operator, value, found)
        found = w.do(found.kind, f"select i1 {beyond.text}, {found.kind} {value.text}, {found.kind} {found.text}")
    return found


def builtin(w: Writer, declare: Declare, name: str, values: Sequence[Value]) -> Value:
    """abs, min, max, float, int of numbers."""
    match name, values:
        case "abs", [value] if value.kind == FLOAT:
            return library_call(w, declare, INTRINSICS["fabs"], value)
        case "abs", [value] if value.kind == WHOLE:
            negative = compared(w, ast.Lt(), value, whole_constant(0))
            return w.do(WHOLE, f"select i1 {negative.text}, i64 {negated(w, value).text}, i64 {value.text}")
        case "min", _:
            return extreme(w, ast.Lt(), values)
        case "max", _:
            return extreme(w, ast.Gt(), values)
        case "float", [value]:
            return w.as_float(value)
        case "int", [value]:
            return _truncated(w, value)
    raise Untranslatable(f"{name} of {len(values)}")


def _truncated(w: Writer, value: Value) -> Value:
    return w.do(WHOLE, f"fptosi double {value.text} to i64") if value.kind == FLOAT else w.as_whole(value)


def math_function(w: Writer, declare: Declare, name: str, values: Sequence[Value]) -> Value:
    """A function of `math`."""
    if len(values) != (2 if name in TWO else 1):
        raise Untranslatable(f"math.{name} of {len(values)}")
    if name in INTRINSICS:
        return library_call(w, declare, INTRINSICS[name], *values)
    if name in FUNCTIONS:
        return library_call(w, declare, name, *values)
    if name in ROUNDED:
        return _truncated(w, library_call(w, declare, name, *values))
    match name, values:
        case "pow", [a, b] if b.kind == FLOAT:
            return library_call(w, declare, "llvm.pow.f64", a, b)
        case "fmod", [a, b]:
            return float_operation(w, "frem", a, b)
        case "isnan", [a]:
            a = w.as_float(a)
            return w.do(TRUTH, f"fcmp uno double {a.text}, {a.text}")
        case "isfinite", [a]:
            a = float_operation(w, "fsub", a, a)
            return w.do(TRUTH, f"fcmp ord double {a.text}, {a.text}")
        case "radians", [a]:
            return float_operation(w, "fmul", a, float_constant(math.pi / 180))
        case "degrees", [a]:
            return float_operation(w, "fmul", a, float_constant(180 / math.pi))
    raise Untranslatable(f"math.{name}")


def constant(value: Any) -> Value:
    """A number of Python."""
    match value:
        case bool():
            return truth_constant(value)
        case int():
            return whole_constant(value)
        case float():
            return float_constant(value)
    raise Untranslatable(f"the constant {value!r}")
