"""Short trigonometric expressions: products of cosines as sums over angles, so that all that cancels does.

A polynomial in cosines and sines of sums of angles is Σ a_k cos φ_k + b_k sin φ_k with distinct φ_k, in one way only.
"""

from __future__ import annotations

from typing import Any

Sum = dict[tuple[Any, bool], Any]  # (angle, whether a sine) -> coefficient


def shortest(value: Any) -> Any:
    """The shorter of two normal forms: with sums of angles, or with powers of cosines and sines."""
    import sympy

    value = sympy.expand(value)
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
        short = sympy.factor_terms(sympy.expand(coefficient))
        parts.append(short * (sympy.sin(angle) if sine else sympy.cos(angle)))
    return sympy.factor_terms(sympy.Add(*parts))
