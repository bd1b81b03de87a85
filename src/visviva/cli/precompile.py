"""`visviva precompile`: the kernels and the laws of the library, compiled before anybody waits for them."""

from __future__ import annotations

import time
from pathlib import Path

import visviva as vv
from visviva.cli.kernel_samples import KERNELS
from visviva.cli.samples import DOMAINS, alone
from visviva.compiler.flows import NotCompilable
from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
from visviva.kernels import cache, files
from visviva.language import AbstractSystem


def precompile() -> None:
    """Call every kernel and compile every law of the library, one line each; what is shipped or kept is only loaded."""
    began = time.perf_counter()
    for name, run in KERNELS.items():
        line = _Line(name)
        run()
        line.end()
    for domain, systems in DOMAINS.items():
        line = _Line(f"laws of {domain}")
        line.end(compile_laws(systems()))
    print(f"{time.perf_counter() - began:.1f} s in all; {size(files.root()) / 1e6:.1f} MB in {files.root()}")


def compile_laws(systems: list[AbstractSystem]) -> str:
    """Write, compile and keep the functions of all laws in some systems; says how many have no compiled form."""
    without = 0
    for system in systems:
        try:
            build_program(vv.compile(alone(system)), MIDPOINT)
        except NotCompilable:
            without += 1
    return f"{without} of {len(systems)} have no compiled form" if without else ""


def clean_cache() -> None:
    """Remove folders of other versions and settings that nobody used for a month."""
    removed = cache.clean()
    for path in removed:
        print(f"removed {path}")
    print(f"{len(removed)} stale folders removed from {cache.root()}")


def size(path: Path) -> int:
    """Of all files in a folder, in bytes."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


class _Line:
    """Says what is done before it is done, and behind it how long it took."""

    def __init__(self, what: str) -> None:
        print(f"{what:<36}", end="", flush=True)
        self.began = time.perf_counter()

    def end(self, note: str = "") -> None:
        print(f"{time.perf_counter() - self.began:6.1f} s  {note}".rstrip(), flush=True)
