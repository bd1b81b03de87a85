"""`python -m benchmarks.new_laws`: one line for each energy that is new to the process, two CPU times [s].

The first is that of tracing and differentiating it (SymPy), the second that of compiling the result (Numba). Imports
that the package puts off until they are needed fall to the first line.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.language import Quantity, storage

ENERGIES: list[Callable[..., Any]] = [
    lambda x, k: k * x.q**6 + x.q**2,
    lambda x, k: k * (np.cosh(x.q) - 1),
    lambda x, k: k * np.sqrt(1 + x.q**2),
    lambda x, k: k * np.log(1 + x.q**2),
    lambda x, k: k * (1 - np.exp(-x.q)) ** 2,
]


def source(H: Callable[..., Any]) -> str:
    """What is compiled for an energy of one displacement."""
    from visviva.compiler.codegen import energy_source
    from visviva.compiler.traced import energy_of

    part = storage({"q": Quantity("R", "displacement")}, H=H, k=2.0)
    return energy_source(energy_of("new", "q", part.H, part.interface["q"], 300.0).law)


def address(key: str, text: str) -> int:
    """Of the function compiled from a source."""
    from visviva.kernels.cache import addressable, load_generated
    from visviva.kernels.calls import ENERGY

    return int(addressable(ENERGY, load_generated(key, text).law).address)


def main() -> None:
    """Each energy in turn."""
    for k, H in enumerate(ENERGIES):
        began = time.thread_time()
        text = source(H)
        between = time.thread_time()
        address(f"new{k}", text)
        print(between - began, time.thread_time() - between)


if __name__ == "__main__":
    main()
