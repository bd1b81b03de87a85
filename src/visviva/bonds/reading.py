"""Expressions as text and back: a small grammar, so that no text from a file is ever run as code."""

from __future__ import annotations

import ast
from typing import Any

from visviva.errors import ModelError
from visviva.language.kinks import continuous, kink

FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sqrt", "sinh", "cosh", "tanh"}
    | {"Abs", "Max", "Min", "sign"}
)


def written(expression: Any, names: dict[Any, str]) -> str:
    """An expression in names that are identifiers."""
    import sympy

    return str(sympy.sympify(expression).xreplace({symbol: sympy.Symbol(name) for symbol, name in names.items()}))


def read(text: str, names: dict[str, Any] | None, what: str) -> Any:
    """The expression of a text: numbers, names, + - * / **, and functions; an error for anything else.

    names: what names stand for; None: each is a symbol, with dots too, e.g. q_left.spring.
    """
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise ModelError(f"{what} is no expression: {text!r}.") from None
    return _value(tree, names, what)


def _value(node: ast.expr, names: dict[str, Any] | None, what: str) -> Any:
    import sympy

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return sympy.sympify(number)
        case ast.Name(id="pi"):
            return sympy.pi
        case ast.Name(id=name) if names is not None and name in names:
            return names[name]
        case ast.Name() | ast.Attribute() if names is None and not any(isinstance(n, ast.Call) for n in ast.walk(node)):
            return sympy.Symbol(ast.unparse(node), real=True)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names, what)
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = _value(left, names, what), _value(right, names, what)
            match operator:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
                case ast.Pow():
                    return a**b
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return continuous(getattr(sympy, name)(*(_value(argument, names, what) for argument in arguments)))
        case ast.Call(
            func=ast.Name(id="where"),
            args=[
                ast.Compare(left=left, ops=[ast.Gt() | ast.GtE() | ast.Lt() as relation], comparators=[right]),
                *rest,
            ],
            keywords=[],
        ) if len(rest) == 2:
            a, b, f, g = (_value(part, names, what) for part in (left, right, *rest))
            c = b - a if isinstance(relation, ast.Lt) else a - b
            return kink("case_")(c, f, f if isinstance(relation, ast.GtE) else g, g)
    raise ModelError(
        f"{what} has {ast.unparse(node)!r} in it: expressions have numbers, names, + - * / ** and "
        f"{', '.join(sorted(FUNCTIONS))}, where(a > b, c, d)."
    )
