"""Expressions as text and back: a small grammar, so that no text from a file is ever run as code."""

from __future__ import annotations

import ast
from typing import Any

from visviva.errors import ModelError

FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "Abs"}
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
            return getattr(sympy, name)(*(_value(argument, names, what) for argument in arguments))
    raise ModelError(
        f"{what} has {ast.unparse(node)!r} in it: expressions have numbers, names, + - * / ** and "
        f"{', '.join(sorted(FUNCTIONS))}."
    )
