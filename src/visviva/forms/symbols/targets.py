"""Languages of generated functions: how assignments are written, and how the text becomes a function of (x, out)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, final

from visviva.compiler.printing import HELPERS
from visviva.compiler.printing import text as scalar_text
from visviva.errors import ModelError


@final
@dataclass(frozen=True, eq=False)
class Assignments:
    """loads: symbols of arguments that are used, by place.   steps: symbols and expressions.   values: the result.

    names: what the arguments are called, by place.
    """

    loads: dict[int, Any]
    steps: list[tuple[Any, Any]]
    values: list[Any]
    names: dict[int, str] = field(default_factory=dict)

    def called(self, k: int) -> str:
        """The name of an argument, without what could end a comment."""
        return re.sub(r"[^\w .,+-]", "_", self.names.get(k, str(self.loads[k])))


@final
@dataclass(frozen=True, eq=False)
class Target:
    """write: the text of assignments.   load: from the text, a function that fills out (N, m) from x (N, k)."""

    write: Callable[[Assignments], str]
    load: Callable[[str], Callable[..., Any]]


def _lines(
    a: Assignments, load: str, store: str, spell: Callable[[Any], str], declare: str = "", end: str = ""
) -> list[str]:
    remark = "/* {} */" if end else "# {}"
    lines = [
        f"{declare}{symbol} = {load.format(k)}{end}  {remark.format(a.called(k))}" for k, symbol in a.loads.items()
    ]
    lines += [f"{declare}{symbol} = {spell(value)}{end}" for symbol, value in a.steps]
    return lines + [f"{store.format(k)} = {spell(value)}{end}" for k, value in enumerate(a.values)]


# -- NumPy ------------------------------------------------------------------------------------------------------------


@cache
def _numpy_printer() -> Any:
    from sympy.printing.numpy import NumPyPrinter

    class Printer(NumPyPrinter):  # type: ignore[misc]
        """Fractions as floats."""

        def _print_Rational(self, expr: Any) -> str:
            return repr(float(expr))

    return Printer(
        {"user_functions": {name: name for name in HELPERS}, "fully_qualified_modules": True, "order": "none"}
    )


def _write_numpy(a: Assignments) -> str:
    body = _lines(a, "x[:, {}]", "out[:, {}]", lambda value: str(_numpy_printer().doprint(value)))
    return "\n".join(
        ["import functools", "", "import numpy", "", "", "def evaluate(x, out):", *(f"    {line}" for line in body), ""]
    )


def _load_numpy(source: str) -> Callable[..., Any]:
    from visviva.language.discrete import FUNCTIONS

    scope: dict[str, Any] = dict(FUNCTIONS)
    exec(compile(source, "<generated>", "exec"), scope)
    return scope["evaluate"]


# -- Numba ------------------------------------------------------------------------------------------------------------


def _write_numba(a: Assignments) -> str:
    body = _lines(a, "x[k, {}]", "out[k, {}]", scalar_text)
    used = [name for name in HELPERS if any(f"{name}(" in line for line in body)]
    helpers = [f"from visviva.kernels.elementary import {', '.join(used)}"] if used else []
    head = ["import math", *helpers, "", "", "def evaluate(x, out):", "    for k in range(x.shape[0]):"]
    return "\n".join([*head, *(f"        {line}" for line in body), ""])


def _load_numba(source: str) -> Callable[..., Any]:
    from visviva.kernels.cache import load_generated
    from visviva.kernels.functions import kernel

    module = load_generated(hashlib.sha256(source.encode()).hexdigest()[:20], source)
    return kernel(module.evaluate)


# -- C ----------------------------------------------------------------------------------------------------------------

ARCS = """\
/* arccos z/sqrt(1 - z*z) = sum c_k (1 - z)^k with c_k = c_(k-1) k/(2 k + 1), and its derivative by z, for 0 <= z. */
static double half_arc(int order, double z) {
    double c = 1.0, power = 1.0, total = order == 0 ? 1.0 : 0.0;
    for (int k = 1; k <= 71; ++k) {
        c *= k / (2.0 * k + 1.0);
        total += order == 0 ? c * (power *= 1.0 - z) : order == 1 ? -k * c * power : k * (k - 1.0) * c * power;
        if (order == 1) power *= 1.0 - z;
        if (order == 2 && k > 1) power *= 1.0 - z;
    }
    return total;
}
static double arc_(double t) { double z = 0.5 * sqrt(1.0 + t); return half_arc(0, z) / (2.0 * z); }
static double darc_(double t) {
    double z = 0.5 * sqrt(1.0 + t);
    return (half_arc(1, z) - half_arc(0, z) / z) / (16.0 * z * z);
}
static double bow_(double t) { double z = 0.5 * sqrt(1.0 + t); return -half_arc(1, z) / (16.0 * z * z); }
static double dbow_(double t) {
    double z = 0.5 * sqrt(1.0 + t);
    return (2.0 * half_arc(1, z) / z - half_arc(2, z)) / (128.0 * z * z * z);
}
"""
ARC_NAMES = ("arc_", "darc_", "bow_", "dbow_")


@cache
def _c_printer() -> Any:
    from sympy.printing.c import C99CodePrinter

    class Printer(C99CodePrinter):  # type: ignore[misc]
        """Small whole powers as products, fractions as floats."""

        def _print_Pow(self, expr: Any) -> str:
            base, exponent = expr.args
            if exponent.is_Integer and 2 <= abs(int(exponent)) <= 8 and base.is_Atom:
                product = "*".join([self._print(base)] * abs(int(exponent)))
                return f"({product})" if exponent > 0 else f"(1.0/({product}))"
            return str(super()._print_Pow(expr))

        def _print_Rational(self, expr: Any) -> str:
            return repr(float(expr))

        _print_NumberSymbol = _print_Rational

    settings = {"precision": 17, "order": "none", "math_macros": {}}  # M_PI and its like are no part of C99
    return Printer({"user_functions": {name: name for name in ARC_NAMES}} | settings)


def _write_c(a: Assignments) -> str:
    body = _lines(a, "x[{}]", "out[{}]", lambda value: str(_c_printer().doprint(value)), "const double ", ";")
    body += [f"(void){name};" for name, used in (("x", a.loads), ("out", a.values)) if not used]
    helpers = [ARCS] if any(f"{name}(" in line for line in body for name in ARC_NAMES) else []
    size = len(a.values)
    head = ["#include <math.h>", "", *helpers, "static void one(const double *x, double *out) {"]
    loop = [
        "}",
        "",
        "void evaluate(long n, long width, const double *x, double *out) {",
        f"    for (long k = 0; k < n; ++k) one(x + k * width, out + k * {size}L);",
        "}",
        "",
    ]
    return "\n".join([*head, *(f"    {line}" for line in body), *loop])


def _load_c(source: str) -> Callable[..., Any]:
    """Compiled by the machine's C compiler into a shared library, kept in a folder of its own for this process."""
    import ctypes
    import shutil
    import subprocess
    import tempfile
    from pathlib import Path

    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise ModelError(
            "there is no C compiler (cc, gcc, clang) on the path: the text of the function is in .source, and\n"
            'target="numba" runs without one.'
        )
    with tempfile.TemporaryDirectory(prefix="visviva-") as folder:
        text, library = Path(folder) / "generated.c", Path(folder) / "generated.so"
        text.write_text(source)
        made = subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", "-ffp-contract=off", "-o", str(library), str(text), "-lm"],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise ModelError(f"the C compiler refused the generated code: {made.stderr[:500]}")
        function = ctypes.CDLL(str(library)).evaluate
    function.restype = None
    pointer = ctypes.POINTER(ctypes.c_double)

    def evaluate(x: Any, out: Any) -> None:
        rows = ctypes.c_long(len(x)), ctypes.c_long(x.shape[1])
        function(*rows, x.ctypes.data_as(pointer), out.ctypes.data_as(pointer))

    return evaluate


TARGETS = {
    "numpy": Target(_write_numpy, _load_numpy),
    "numba": Target(_write_numba, _load_numba),
    "c": Target(_write_c, _load_c),
}
