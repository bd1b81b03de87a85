"""Kernels that are shipped: exactly those that would be compiled, or none."""

from __future__ import annotations

import importlib
import json
import logging
import lzma
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from visviva.cli.kernel_samples import KERNELS
from visviva.kernels import probe
from visviva.kernels.functions import Kernel
from visviva.kernels.shipped import load
from visviva.kernels.shipped.layout import Unnamed, fits, layout_of
from visviva.kernels.twins import digest_of_sources

FITS = load.why_not() is None


def shipped() -> load.Library:
    found = load.library()
    if not isinstance(found, load.Library):
        pytest.skip("no shipped kernels here: " + (load.why_not() or "see the note in the log"))
    return found


# -- what is shipped ------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not FITS, reason=f"{load.why_not()}")
def test_what_is_shipped_was_made_from_these_sources():
    """Run `make kernels` where this fails: until then everybody waits for the compiler."""
    manifest = load.read_manifest()
    for name, digest in manifest["twins"].items():
        module, function = name.rsplit(".", 1)
        assert digest_of_sources(getattr(importlib.import_module(module), function)) == digest, name


NO_COMPILER = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == "numba" or name.startswith("numba."):
            raise ImportError("Numba is asked for")

sys.meta_path.insert(0, Blocked())
from visviva.cli.kernel_samples import KERNELS
for name in sys.argv[1:]:
    KERNELS[name]()
print("done")
"""


def without_numba(*names: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-c", NO_COMPILER, *names]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)


SLOWLY = [
    pytest.param(name, marks=pytest.mark.slow) for name in ("tree, viscous friction", "equations of motion, tree")
]


@pytest.mark.parametrize("name", ["graph, feedback", "trees", *SLOWLY])
def test_a_run_needs_no_compiler(name, tmp_path):
    shipped()
    done = without_numba(name, VISVIVA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "done\n", done.stderr


@pytest.mark.slow
def test_no_sample_needs_a_compiler(tmp_path):
    shipped()
    done = without_numba(*KERNELS, VISVIVA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "done\n", done.stderr


def test_without_what_is_shipped_the_compiler_is_asked_for(tmp_path):
    """The broken form: what the tests above would say."""
    done = without_numba("trees", VISVIVA_CACHE_DIR=str(tmp_path), VISVIVA_SHIPPED="0")
    assert "Numba is asked for" in done.stderr


# -- layouts --------------------------------------------------------------------------------------------------------


def test_a_layout_tells_what_types_tell():
    x = np.zeros((3, 4))
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    found = [layout_of(value) for value in (x, x.T, x[:, ::2], frozen, np.zeros(2, dtype=np.int64), None, 2, 2.0, True)]
    assert found == ["f8 2C", "f8 2F", "f8 2A", "f8 1C!", "i8 1C", "None", "i", "f", "b"]
    tables = probe.Tables(np.zeros(1, dtype=np.int64), x)
    assert layout_of((tables, (1.0,))) == "(Tables(i8 1C, f8 2C), (f))"


@pytest.mark.parametrize("value", [np.zeros(2).view(np.matrix), np.float32(1.0), "text", np.zeros(2, dtype=">f8"), [1]])
def test_what_has_no_layout_is_not_shipped(value):
    with pytest.raises(Unnamed):
        layout_of(value)


# -- calls ----------------------------------------------------------------------------------------------------------

NUMBERS = np.arange(6.0).reshape(2, 3)
PLACES = np.array([1, 0], dtype=np.int64)


def called(numbers=NUMBERS, places=PLACES, nothing=None, x=0.5, k=3):
    """Whether there is a way for these arguments, and the numbers that come out of it."""
    out = np.zeros(3)
    found, result = shipped().entries(probe.probe.name).call((probe.Tables(places, numbers), nothing, x, k, out))
    return found, result, out.tolist()


def expected(x=0.5, k=3, numbers=NUMBERS):
    out = np.zeros(3)
    return True, probe.probe.py_func(probe.Tables(PLACES, numbers), None, x, k, out), out.tolist()


def test_a_call_is_the_python_function():
    found, result, out = called()
    right = expected()
    assert (found, result) == right[:2]
    assert out == pytest.approx(right[2], rel=1e-15)


@pytest.mark.parametrize(
    "other",
    [
        {"numbers": NUMBERS.astype(np.float32)},
        {"numbers": np.asfortranarray(NUMBERS)},
        {"numbers": np.arange(12.0).reshape(2, 6)[:, ::2]},
        {"numbers": NUMBERS.ravel()},
        {"numbers": NUMBERS.view(np.matrix)},
        {"numbers": NUMBERS.tolist()},
        {"places": PLACES.astype(np.int32)},
        {"nothing": np.zeros(1)},
        {"x": 1},
        {"x": 1j},
        {"k": 2.0},
        {"k": True},
    ],
    ids=lambda other: f"{next(iter(other))} {type(next(iter(other.values()))).__name__}",
)
def test_what_an_entry_is_not_made_for_is_left_to_the_compiler(other):
    """Before and after the layout was learned: a wrong one would be a memory error."""
    assert called()[0]
    found, result, out = called(**other)
    assert (found, result, out) == (False, None, [0.0, 0.0, 0.0])
    assert called()[0]


def test_what_may_only_be_read_is_not_given_to_a_kernel_that_may_write():
    frozen = NUMBERS.copy()
    frozen.flags.writeable = False
    assert not called(numbers=frozen)[0]


@pytest.mark.parametrize(
    ("given", "entry", "right"),
    [
        ("(f8 1C, i8 2F)", "(f8 1C, i8 2F)", True),
        ("(f8 1C, i8 2F)", "(f8 1C!, i8 2F)", True),
        ("(f8 1C, i8 2F)", "(f8 1C!, i8 2F!)", True),
        ("(f8 1C!, i8 2F)", "(f8 1C!, i8 2F!)", True),
        ("(f8 1C!, i8 2F)", "(f8 1C, i8 2F)", False),
        ("(f8 1C!, i8 2F)", "(f8 1C, i8 2F!)", False),
        ("(f8 1C, i8 2F)", "(f8 1C, i8 2C)", False),
        ("(f8 1C)", "(f8 1C, i8 2F)", False),
    ],
)
def test_what_an_entry_only_reads_may_be_written_to_by_others(given, entry, right):
    assert fits(given, entry) == right


def test_a_number_of_bits_that_is_equal_but_not_the_same_object_is_taken():
    """As arrays have it that come out of a file."""
    numbers = pickle.loads(pickle.dumps(NUMBERS))
    strange = np.frombuffer(NUMBERS.tobytes(), dtype=pickle.loads(pickle.dumps(np.dtype("f8")))).reshape(2, 3).copy()
    for one in (numbers, strange):
        assert called(numbers=one) == called()


def test_other_sizes_are_the_same_layout():
    for n in (0, 1, 50):
        numbers = np.linspace(0.0, 1.0, 2 * n).reshape(2, n)
        found, result, out = called(numbers=numbers)
        assert found
        assert out == pytest.approx(expected(numbers=numbers)[2], rel=1e-14)
        assert result == (3, 2 * n)


def test_too_few_arguments_are_no_call():
    entries = shipped().entries(probe.probe.name)
    called()
    assert entries.call((probe.Tables(PLACES, NUMBERS),)) == (False, None)
    assert entries.call(()) == (False, None)


def test_calls_of_several_threads_do_not_meet():
    shipped()
    right = {x: called(x=x) for x in np.linspace(-1.0, 1.0, 8).tolist()}
    wrong = []

    def work(x):
        wrong.extend(x for _ in range(300) if called(x=x) != right[x])

    threads = [threading.Thread(target=work, args=(x,)) for x in right]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# -- what is wrong is not used --------------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of what is shipped, which this process takes for it."""
    shipped()
    folder = tmp_path / "shipped"
    shutil.copytree(load.FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    monkeypatch.setattr(load, "FOLDER", folder)
    monkeypatch.setattr(load, "_state", [])
    for function in (load.read_manifest, load.read_object):
        monkeypatch.setattr(function, "__defaults__", (folder,))
    return folder


def level() -> str:
    return load.level_of(load.read_manifest(), load.host_features())


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def edit(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def other_code(folder: Path) -> None:
    """Object code that is whole, but not what the manifest says."""
    path = folder / f"{level()}.o.xz"
    code = bytearray(lzma.decompress(path.read_bytes()))
    code[len(code) // 2] ^= 1
    path.write_bytes(lzma.compress(bytes(code)))


WRONG = {
    "flipped bit": (lambda folder: flip(folder / f"{level()}.o.xz", 5000), "cannot be read|is damaged"),
    "truncated": (lambda folder: (folder / f"{level()}.o.xz").write_bytes(b"\xfd7zXZ"), "cannot be read"),
    "missing": (lambda folder: (folder / f"{level()}.o.xz").unlink(), "cannot be read"),
    "other code": (other_code, "is damaged"),
    "other sources": (lambda folder: edit(folder, sources="0" * 64), "made from other sources"),
    "other version": (lambda folder: edit(folder, version=0), f"of version 0, this is version {load.VERSION}"),
    "no manifest at all": (lambda folder: (folder / "manifest.json").write_text("{"), "manifest cannot be read"),
    "other bits": (lambda folder: edit(folder, bits={level(): ["0x0p+0"]}), "they compute -0x1"),
}


@pytest.mark.parametrize("damage", WRONG)
def test_broken_code_is_compiled_instead_with_one_note(damage, copy, caplog):
    break_it, reason = WRONG[damage]
    break_it(copy)
    with caplog.at_level(logging.WARNING, logger="visviva"):
        assert load.library() is None
        assert load.library() is None
    fresh = Kernel(probe.probe.py_func, {})
    assert probe.probe_bits(fresh) == probe.probe_bits()
    (record,) = caplog.records
    assert "shipped kernels are not used" in record.getMessage()
    assert re.search(reason, record.getMessage())


def test_a_processor_gets_the_best_code_that_it_can_run():
    manifest = {"objects": dict.fromkeys(load.LEVELS)}
    wide, fused, plain = map(frozenset, load.LEVELS.values())
    every = wide | fused | plain
    assert load.level_of(manifest, every) == "x86-64-v4"
    assert load.level_of(manifest, every - {"avx512vl"}) == "x86-64-v3"
    assert load.level_of(manifest, every - {"fma"}) == "x86-64-v2"
    assert load.level_of({"objects": {"x86-64-v2": ""}}, every) == "x86-64-v2"
    with pytest.raises(load.Unfit, match="none of the levels x86-64-v4, x86-64-v3, x86-64-v2"):
        load.level_of(manifest, frozenset({"sse2"}))


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("VISVIVA_SHIPPED", "0", "VISVIVA_SHIPPED=0"),
        ("NUMBA_BOUNDSCHECK", "1", "NUMBA_BOUNDSCHECK asks"),
        ("NUMBA_DISABLE_JIT", "1", "NUMBA_DISABLE_JIT asks"),
    ],
)
def test_who_asks_for_other_code_gets_it_without_a_note(name, value, reason, monkeypatch, caplog):
    monkeypatch.setenv(name, value)
    monkeypatch.setattr(load, "_state", [])
    assert load.library() is None
    assert load.why_not().startswith(reason)
    assert not caplog.records


@pytest.mark.parametrize(
    ("attribute", "value"), [("sys.platform", "win32"), ("platform.machine", lambda: "aarch64")]
)  # fmt: skip
def test_elsewhere_nothing_is_shipped_and_nothing_is_said(attribute, value, monkeypatch, caplog):
    monkeypatch.setattr(f"visviva.kernels.shipped.load.{attribute}", value)
    monkeypatch.setattr(load, "_state", [])
    assert load.library() is None
    assert "nothing is shipped for" in load.why_not()
    assert not caplog.records


def test_a_source_tree_without_objects_compiles(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(load, "FOLDER", tmp_path)
    monkeypatch.setattr(load, "_state", [])
    assert load.library() is None
    assert load.why_not() == "this installation has no shipped code"
    assert not caplog.records


def test_a_function_with_another_signature_is_not_found():
    found = shipped()
    assert found.address("visviva.kernels.pack.pack", "nII:n")
    assert found.address("visviva.kernels.pack.pack", "nIF:n") is None
    assert found.entries("visviva.kernels.nothing") is None


def test_whole_numbers_that_no_word_holds_are_left_to_the_compiler():
    assert called(k=2**63 - 1)[1][0] == 2**63 - 1
    assert not called(k=2**63)[0]
    assert not called(k=2**64 + 5)[0]


@pytest.mark.parametrize("key", ["objects", "bits", "entries", "twins", "pack", "laws", "compiler"])
def test_a_manifest_that_lacks_something_is_not_used_with_one_note(key, copy, caplog):
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest[key]
    path.write_text(json.dumps(manifest))
    with caplog.at_level(logging.WARNING, logger="visviva"):
        found = load.library()
        if found is not None:
            assert found.law("0", "n", "") is None
    assert len(caplog.records) == 1
