"""Code of laws is compiled once per machine; a damaged, protected or shared cache changes no result."""

from __future__ import annotations

import logging
import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from law_calls import called

from visviva.compiler import build
from visviva.kernels import cache, files, laws
from visviva.kernels.signatures import INPUTS

SOURCE = """import math
from visviva.kernels.elementary import sinc_


def law(n, T, P, t, x, u):
    for instance in range(n):
        u[instance] = sinc_(x[instance]) + math.cos(t)
"""
X = np.array([0.01, 1.0, 2.0])
EXPECTED = np.sinc(X / np.pi) + np.cos(0.5)


@pytest.fixture
def own_root(tmp_path, monkeypatch):
    """An empty cache, and a process that has compiled nothing."""
    monkeypatch.setenv("VISVIVA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(laws, "_addresses", {})
    files.root.cache_clear()
    files.say_unkept.cache_clear()
    yield tmp_path / "cache"
    files.root.cache_clear()
    files.say_unkept.cache_clear()


@pytest.fixture
def compilations(monkeypatch):
    """How often something is compiled."""
    found, emit = [], laws.emit
    monkeypatch.setattr(laws, "emit", lambda module, target: (found.append(target), emit(module, target))[1])
    return found


def evaluate(source=SOURCE):
    """The law in a process that has not met it."""
    laws._addresses.clear()
    given = [3, np.zeros(1, np.int64), X, 0.5, X, np.zeros(3)]
    return called(laws.law_address(INPUTS, source), INPUTS, given)[-1]


def objects(root):
    return sorted(root.rglob("*.o"))


def test_a_law_is_compiled_once(own_root, compilations):
    for _ in range(2):
        np.testing.assert_allclose(evaluate(), EXPECTED, rtol=1e-15)
    assert len(compilations) == 1
    (path,) = objects(own_root)
    assert path.parent == laws.folder()
    assert laws.law_address(INPUTS, SOURCE) == laws.law_address(INPUTS, SOURCE)


DAMAGES = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "one bit": lambda data: data[:200] + bytes([data[200] ^ 4]) + data[201:],
    "random": lambda data: random.Random(1).randbytes(len(data)),
    "of another law": lambda data: data,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_counts_as_absent(damage, own_root, compilations):
    evaluate()
    (path,) = objects(own_root)
    data = path.read_bytes()
    if damage == "of another law":
        evaluate(SOURCE.replace("cos", "sin"))
        (data,) = (other.read_bytes() for other in objects(own_root) if other != path)
        compilations.clear()
        compilations.append(None)
    path.write_bytes(DAMAGES[damage](data))
    np.testing.assert_allclose(evaluate(), EXPECTED, rtol=1e-15)
    assert len(compilations) == 2
    np.testing.assert_allclose(evaluate(), EXPECTED, rtol=1e-15)
    assert len(compilations) == 2  # it was mended


def test_where_nothing_can_be_kept_code_stays_in_memory(own_root, monkeypatch, caplog):
    def full(path, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "atomic_file", full)
    with caplog.at_level(logging.WARNING, logger="visviva"):
        for _ in range(2):
            np.testing.assert_allclose(evaluate(), EXPECTED, rtol=1e-15)
    assert objects(own_root) == []
    assert len(caplog.records) == 1


def test_a_law_that_comes_with_the_package_is_asked_first(own_root, compilations, monkeypatch):
    evaluate()
    (address,) = laws._addresses.values()
    compilations.clear()
    asked = []
    monkeypatch.setattr(laws, "law_of", lambda digest, *law: (asked.append(digest), address)[1])
    np.testing.assert_allclose(evaluate(SOURCE + "\n"), EXPECTED, rtol=1e-15)
    assert asked == [laws.law_digest(INPUTS, SOURCE + "\n")]
    assert compilations == []


def test_threads_that_ask_at_once_share_one_compilation(own_root, compilations):
    answers: list[int] = []
    sources = [SOURCE, SOURCE.replace("cos", "sin"), SOURCE.replace("cos", "exp")] * 4
    racers = [threading.Thread(target=lambda s=s: answers.append(laws.law_address(INPUTS, s))) for s in sources]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert len(answers) == 12
    assert len(set(answers)) == len(compilations) == 3


def test_folders_of_laws_are_cleaned_like_those_of_kernels(own_root):
    current, old = laws.folder(), own_root / f"laws-{0:016x}"
    old.mkdir()
    for path in (current, old):
        os.utime(path, times=(0, 0))
    assert cache.clean() == [old]


def test_constants_are_read_without_running_the_source():
    source = "PAIRS = ((0, 1), (1, 1))\nENDS = ()\n\n\ndef law():\n    raise SystemExit\n"
    assert laws.constants(source) == {"PAIRS": ((0, 1), (1, 1)), "ENDS": ()}


def test_sources_are_kept_to_be_read(own_root):
    assert build._source("abc", lambda: SOURCE) == SOURCE
    assert build._source("abc", lambda: "another") == SOURCE
    assert (laws.folder() / "gabc.py").read_text().startswith(SOURCE)


WITHOUT_NUMBA = f"""
import sys
sys.modules["numba"] = None  # an import of it raises
import numpy as np
from visviva.compiler.build import energy_address
from visviva.compiler.laws import energy_law, symbols
from visviva.kernels.laws import law_address

(x,) = symbols("x", 1)
law = energy_law(x**4 + x**2, 1, 0)
import ctypes
places, xa, xb, e = np.zeros(4, np.int64), np.array([0.5]), np.array([1.5]), np.zeros(1)
C = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 6, ctypes.c_double, ctypes.c_int64)
C(energy_address(law))(1, *(a.ctypes.data for a in (places, e, xa, xb, e, e)), 1.0, 0)
print(e[0])
print(law_address({INPUTS!r}, {SOURCE!r}) != 0)
"""


def started(root, code=WITHOUT_NUMBA):
    environment = {**os.environ, "VISVIVA_CACHE_DIR": str(root)}
    return subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)


def test_processes_without_numba_fill_one_cache_at_once(tmp_path):
    both = [started(tmp_path), started(tmp_path)]
    for one in (*both, started(tmp_path)):
        value, found = one.communicate()[0].split()
        assert float(value) == pytest.approx(7.0, rel=1e-15)  # (1.5⁴ - 0.5⁴) + (1.5² - 0.5²)
        assert found == "True"
    assert len(objects(tmp_path)) == 2
    assert all(files.contents(path) is not None for path in tmp_path.rglob("*.*"))
