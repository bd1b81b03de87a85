"""Kernels of plain functions: they compute what these do, and no edit is missed."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from visviva.copter.agents import lean
from visviva.kernels.twins import digest_of_sources, kernel_of, prepare

LOW = "RISE = 1.0\n\ndef rise(x):\n    return {slope} * x\n"
MIDDLE = "from own.part.low import RISE, rise\n\ndef line(x):\n    return rise(x) + RISE\n"
TOP = """
from own.part.middle import line
from visviva.kernels.twins import kernel_of

def twice(x):
    return 2 * line(x)

made = kernel_of(twice)
print(made(2.0), twice(2.0), sum(made.meaning.stats.cache_hits.values()))
"""
NUMBERS = "import numpy as np\n\nCOUNT = np.int64(3)\nTABLE = np.array([1.0, 2.0])\nSTEP = 2.0\n"
INNER = """
from __future__ import annotations
from typing import NamedTuple

class In(NamedTuple):
    a: float
    b: float
"""
USER = """
from __future__ import annotations
from typing import NamedTuple
from own.part import inner
from own.part.numbers import COUNT, STEP, TABLE

class Out(NamedTuple):
    one: inner.In
    x: float

def use(out: Out, step=STEP):
    return COUNT * out.one.a + TABLE[0] * out.one.b + step
"""


@pytest.fixture
def own(tmp_path):
    folder = tmp_path / "own" / "part"
    folder.mkdir(parents=True)
    for path in (folder.parent / "__init__.py", folder / "__init__.py"):
        path.touch()
    for name, text in (("low", LOW.format(slope=3.0)), ("middle", MIDDLE), ("top", TOP)):
        (folder / f"{name}.py").write_text(text)
    return folder


def run(cwd: Path, program: str = "import own.part.top") -> list[str]:
    environment = {**os.environ, "VISVIVA_CACHE_DIR": str(cwd / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout.split()


def test_edits_of_what_is_called_are_seen_however_deep(own, tmp_path):
    assert run(tmp_path) == ["14.0", "14.0", "0"]
    assert run(tmp_path) == ["14.0", "14.0", "1"]
    (own / "low.py").write_text(LOW.format(slope=5.0))
    assert run(tmp_path) == ["22.0", "22.0", "0"]
    (own / "low.py").write_text(LOW.format(slope=5.0).replace("1.0", "2.0"))
    assert run(tmp_path) == ["24.0", "24.0", "0"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("COUNT = np.int64(3)", "COUNT = np.int64(5)"),
        ("TABLE = np.array([1.0, 2.0])", "TABLE = np.array([1.0 + 1e-12, 2.0])"),
        ("a: float\n    b: float", "b: float\n    a: float"),
        ("STEP = 2.0", "STEP = 4.0"),
    ],
)
def test_what_a_kernel_is_made_of_has_a_part_in_its_digest(before, after, tmp_path):
    folder = tmp_path / "own" / "part"
    folder.mkdir(parents=True)
    for path in (folder.parent / "__init__.py", folder / "__init__.py"):
        path.touch()
    (folder / "numbers.py").write_text(NUMBERS.replace(before, after))
    (folder / "inner.py").write_text(INNER.replace(before, after))
    (folder / "top.py").write_text(USER)
    found = digest_there(tmp_path)
    assert digest_there(tmp_path) == found
    (folder / "numbers.py").write_text(NUMBERS)
    (folder / "inner.py").write_text(INNER)
    assert digest_there(tmp_path) != found


def test_a_file_that_was_edited_since_it_was_imported_is_nobody_elses(own, tmp_path):
    program = "import os, time; import own.part.top as t; from visviva.kernels.twins import digest_of_sources as d\n"
    edit = "time.sleep(0.05); os.utime('own/part/low.py')\n"
    kept, edited = (run(tmp_path, program + part + "print(d(t.line))")[-1] for part in ("", edit))
    assert kept != edited
    assert run(tmp_path, program + "print(d(t.line))")[-1] == kept


def digest_there(folder):
    program = "import own.part.top as t; from visviva.kernels.twins import digest_of_sources as d; print(d(t.use))"
    return run(folder, program)


def test_a_number_of_another_module_is_part_of_the_digest(monkeypatch):
    digest_of_sources.cache_clear()
    before = digest_of_sources(lean.smooth)
    digest_of_sources.cache_clear()
    monkeypatch.setattr(lean, "MEMORY", 2 * lean.MEMORY)
    assert digest_of_sources(lean.smooth) != before
    digest_of_sources.cache_clear()


def test_it_computes_what_the_plain_function_does():
    kernel, rng = kernel_of(lean.put_leaned), np.random.default_rng(1)
    share, force, motion = rng.normal(size=3), rng.normal(size=2), rng.normal(size=(3, 7))
    plain, made = motion.copy(), motion.copy()
    lean.put_leaned(share, force, plain)
    kernel(share, force, made)
    np.testing.assert_allclose(made, plain, rtol=1e-14)
    assert np.abs(plain - motion).max() > 0.1


def test_what_is_not_shipped_is_compiled_before_it_is_called(monkeypatch):
    said = []
    monkeypatch.setattr("visviva.kernels.twins.announce", lambda what: said.append(what) or nullcontext())
    kernel, arguments = kernel_of(lean.smooth), (np.zeros(3), 0.1, np.zeros(2))
    prepare(kernel, arguments, "leans")
    assert said == ["leans"]
    assert len(kernel.meaning.signatures) == 1
