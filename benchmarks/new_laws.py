"""`python -m benchmarks.new_laws`: one line for each energy that is new to the process, CPU times [s].

Tracing and differentiating it (SymPy), compiling the result from its syntax tree, compiling the same by Numba, and one
call for a hundred instances of either code. Imports that the package puts off until they are needed fall to the first
line; that of Numba is not counted.

`python -m benchmarks.new_laws library`: one line, all laws of the library: how many, and both times of compiling.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from visviva.language import Quantity, storage

ENERGIES: list[Callable[..., Any]] = [
    lambda x, k: k * x.q**6 + x.q**2,
    lambda x, k: k * (np.cosh(x.q) - 1),
    lambda x, k: k * np.sqrt(1 + x.q**2),
    lambda x, k: k * np.log(1 + x.q**2),
    lambda x, k: k * (1 - np.exp(-x.q)) ** 2,
]
INSTANCES = 100


def source(H: Callable[..., Any]) -> str:
    """What is compiled for an energy of one displacement."""
    from visviva.compiler.codegen import energy_source
    from visviva.compiler.traced import energy_of

    part = storage({"q": Quantity("R", "displacement")}, H=H, k=2.0)
    return energy_source(energy_of("new", "q", part.H, part.interface["q"], 300.0).law)


def compiled(signature: str, text: str) -> tuple[int, float, int, float]:
    """Address and CPU time [s] of compiling a law, from its syntax tree and by Numba."""
    import numba  # noqa: F401 - its import is not counted

    from visviva.kernels.laws import _by_numba, law_address, law_digest

    began = time.thread_time()
    direct = law_address(signature, text)
    between = time.thread_time()
    other = _by_numba(law_digest(signature, text), signature, text)
    return direct, between - began, other, time.thread_time() - between


def call_time(address: int) -> float:
    """Of one call for many instances of an energy of one displacement, with its derivatives [s]."""
    kinds = ctypes.c_int64, *[ctypes.c_void_p] * 6, ctypes.c_double, ctypes.c_int64
    law = ctypes.CFUNCTYPE(None, *kinds)(address)
    places = np.arange(INSTANCES)
    T = np.stack([places, places, places, 0 * places], axis=1).ravel()
    arrays = [T, np.full(8, 2.0), np.linspace(-1, 1, INSTANCES), np.linspace(-0.9, 1.2, INSTANCES)]
    arrays += [np.zeros(INSTANCES), np.zeros(INSTANCES)]
    given = [INSTANCES, *(array.ctypes.data for array in arrays), 1.0, 1]
    times = []
    for _ in range(20):
        began = time.thread_time()
        for _ in range(200):
            law(*given)
        times.append((time.thread_time() - began) / 200)
    return min(times)


def main() -> None:
    """Each energy in turn."""
    from visviva.kernels.signatures import ENERGY

    for H in ENERGIES:
        began = time.thread_time()
        text = source(H)
        tracing = time.thread_time() - began
        direct, compiling, other, by_numba = compiled(ENERGY, text)
        print(tracing, compiling, by_numba, call_time(direct), call_time(other))


def library() -> None:
    """All laws of one system of each kind."""
    import visviva as vv
    from visviva.cli.samples import DOMAINS, alone
    from visviva.compiler.flows import NotCompilable
    from visviva.compiler.program import build_program
    from visviva.compiler.tableau import MIDPOINT
    from visviva.kernels import laws

    found: dict[tuple[str, str], tuple[float, float]] = {}
    real = laws.law_address

    def timed(signature: str, text: str) -> int:
        with mock.patch.object(laws, "law_address", real):
            address, direct, _, by_numba = compiled(signature, text)
        found.setdefault((signature, text), (direct, by_numba))
        return address

    with mock.patch.object(laws, "law_address", timed):
        for system in (one for domain in DOMAINS.values() for one in domain()):
            try:
                build_program(vv.compile(alone(system)), MIDPOINT)
            except NotCompilable:
                continue
    print(len(found), *(sum(times) for times in zip(*found.values(), strict=True)))


if __name__ == "__main__":
    library() if sys.argv[1:] == ["library"] else main()
