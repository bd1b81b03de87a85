"""Short trigonometric expressions: products of cosines as sums over angles, so that all that cancels does.

A polynomial in cosines and sines of sums of angles is Σ a_k cos φ_k + b_k sin φ_k with distinct φ_k, in one way only.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

SMALL = 6  # terms of a sum that is tried to be a product
Sum = dict[tuple[Any, bool], Any]  # (angle, whether a sine) -> coefficient


def shortest(value: Any, amounts: Set[Any] = frozenset()) -> Any:
    """The shorter of two normal forms: with sums of angles, or with powers of cosines and sines.

    amounts: symbols such as masses, whose terms are put together: J + m (a² + b² + 2 a b cos q).
    """
    import sympy

    value = sympy.expand(value)
    if not amounts & value.free_symbols:
        return _shorter(value)
    parts: dict[Any, Any] = {}
    for term in sympy.Add.make_args(value):
        owners = amounts & term.free_symbols
        owner = next(iter(owners)) if len(owners) == 1 else sympy.Integer(1)
        parts[owner] = parts.get(owner, 0) + term / owner
    return sympy.Add(*(owner * _shorter(sympy.expand(part)) for owner, part in parts.items()))


def _shorter(value: Any) -> Any:
    import sympy

    if not value.has(sympy.sin, sympy.cos):
        return sympy.factor_terms(value)
    forms = [_collected(_sums(value)), _powers(value)]
    return min(forms, key=lambda form: form.count_ops())


def _powers(value: Any) -> Any:
    """With sin² = 1 - cos², or the other way, whichever is shorter for each angle."""
    import sympy

    for angle in sorted({f.args[0] for f in value.atoms(sympy.sin, sympy.cos)}, key=str):
        c, s = sympy.cos(angle), sympy.sin(angle)
        options = [value]
        for a, b in ((c, s), (s, c)):
            reduced = value.replace(
                lambda e, a=a: e.is_Pow and e.base == a and e.exp.is_Integer and e.exp > 1,
                lambda e, a=a, b=b: (1 - b**2) ** (int(e.exp) // 2) * a ** (int(e.exp) % 2),
            )
            options.append(sympy.expand(reduced))
        value = min(options, key=lambda one: one.count_ops())
    return sympy.factor_terms(value)


def _sums(value: Any) -> Sum:
    """The unique form of a sum of products."""
    import sympy

    total: Sum = {}
    for term in sympy.Add.make_args(value):
        part: Sum = {(sympy.Integer(0), False): sympy.Integer(1)}
        for factor in sympy.Mul.make_args(term):
            base, power = factor.as_base_exp()
            if isinstance(base, sympy.sin | sympy.cos) and power.is_Integer and power > 0:
                for _ in range(int(power)):
                    part = _times(part, base.args[0], isinstance(base, sympy.sin))
            else:
                part = {key: coefficient * factor for key, coefficient in part.items()}
        for key, coefficient in part.items():
            total[key] = total.get(key, 0) + coefficient
    return total


def _times(part: Sum, b: Any, sine: bool) -> Sum:
    """cos a cos b = ½ cos(a - b) + ½ cos(a + b), and so on."""
    found: Sum = {}

    def add(angle: Any, is_sine: bool, coefficient: Any) -> None:
        if angle.could_extract_minus_sign():
            angle, coefficient = -angle, -coefficient if is_sine else coefficient
        if not (is_sine and angle == 0):
            found[angle, is_sine] = found.get((angle, is_sine), 0) + coefficient

    for (a, first), coefficient in part.items():
        half = coefficient / 2
        match first, sine:
            case False, False:
                add(a - b, False, half)
                add(a + b, False, half)
            case True, True:
                add(a - b, False, half)
                add(a + b, False, -half)
            case True, False:
                add(a + b, True, half)
                add(a - b, True, half)
            case _:
                add(a + b, True, half)
                add(a - b, True, -half)
    return found


def _collected(total: Sum) -> Any:
    import sympy

    parts = []
    for (angle, sine), coefficient in total.items():
        parts.append(_factored(sympy.expand(coefficient)) * (sympy.sin(angle) if sine else sympy.cos(angle)))
    return sympy.factor_terms(sympy.Add(*parts))


def _factored(value: Any) -> Any:
    """A sum of a few terms as a product where it is one: a² + 2 a b + b² = (a + b)²."""
    import sympy

    options = [sympy.factor_terms(value)]
    if value.is_Add and len(value.args) <= SMALL:
        options.append(sympy.factor(value))
    return min(options, key=lambda one: one.count_ops())
