"""Waiting: from the start of a process to its first result, and for a law that nobody has used before."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.row import Row, against, duration

LIBRARIES = "import numpy, scipy, sympy, numba"
NEW_LAWS = "from benchmarks.new_laws import main; main()"
LIBRARY_LAWS = "from benchmarks.new_laws import library; library()"
FIRST = """
import visviva as vv
from visviva.cli.samples import oscillator
vv.simulate(oscillator(), t_end=1.0, h=0.01, initial={"q": 1.0, "p": 0.0})
"""


def rows(quick: bool = False) -> list[Row]:
    """In processes of their own: without compiled code, with it, and with a new energy."""
    repeats = 1 if quick else 3
    with tempfile.TemporaryDirectory() as folder:
        cold = process(FIRST, folder)[0]
        warm = min(process(FIRST, folder)[0] for _ in range(repeats))
        bare = min(process(LIBRARIES, folder)[0] for _ in range(repeats))
        empty = min(process("import visviva", folder)[0] for _ in range(repeats))
        laws = [[float(t) for t in text.split()] for text in process(NEW_LAWS, folder)[1].splitlines()]
        number, direct, by_numba = (float(t) for t in process(LIBRARY_LAWS, f"{folder}/laws")[1].split())
    (first_tracing, first_compiling, *_), *others = laws
    tracing, compiling, numba, call, numba_call = (
        sorted(times)[len(others) // 2] for times in zip(*others, strict=True)
    )
    return [
        Row("first result on a machine, all kernels compiled", duration(cold)),
        against("first result of a later process", warm, LIBRARIES, bare),
        against("import visviva", empty, "import numpy", min(process("import numpy")[0] for _ in range(repeats))),
        Row("a new energy, first of a process, SymPy imported", duration(first_tracing + first_compiling)),
        Row("a further one: traced and differentiated by SymPy", duration(tracing)),
        against("a further one: compiled", compiling, "Numba", numba),
        against("a further one: a call for 100 instances", call, "Numba", numba_call),
        against(f"the {number:.0f} laws of the library compiled", direct, "Numba", by_numba),
    ]


def process(program: str, cache: str = "") -> tuple[float, str]:
    """CPU time of a Python process [s], and what it prints; cache: folder of the compiled code.

    Modules are kept as byte code, as they are in a package that was installed.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent.parent,
        env=environment | ({"VISVIVA_CACHE_DIR": cache} if cache else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout
