"""Numbers and vectors as a reader wants them."""

from __future__ import annotations

from visviva._arrays import Array


def number(value: float) -> str:
    """Six digits, and zero for what is rounding."""
    short = f"{float(value):.6g}"
    return "0" if short in ("-0", "0") or abs(float(value)) < 1e-12 else short


def vector(values: Array) -> str:
    """In brackets."""
    return f"({', '.join(number(value) for value in values)})"
