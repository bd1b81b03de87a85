"""A cache may be damaged, protected, full or shared: every run gives its result, and damaged code is never run."""

from __future__ import annotations

import logging
import os
import pickle
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from visviva.kernels import cache, code_files, files, functions

GENERATED = """
from visviva.kernels.functions import kernel
from visviva.kernels.jit import callback

@kernel
def half(x):
    return x / 2

quarter = callback("x:x", lambda x: half(half(x)))
"""
PROGRAM = f"""
from visviva.kernels.cache import load_generated
module = load_generated("abc", {GENERATED!r})
print(module.quarter.ctypes(8.0), module.half(3.0), module.quarter.cache_hits)
"""


@pytest.fixture
def own_root(tmp_path, monkeypatch):
    """An empty cache for this test."""
    monkeypatch.setenv("VISVIVA_CACHE_DIR", str(tmp_path / "cache"))
    cache.root.cache_clear()
    files.say_unkept.cache_clear()
    yield tmp_path / "cache"
    cache.root.cache_clear()
    files.say_unkept.cache_clear()
    sys.modules.pop(f"{cache.folder().name}.gabc", None)


def started(root: Path, program: str = PROGRAM) -> subprocess.Popen[str]:
    environment = {**os.environ, "VISVIVA_CACHE_DIR": str(root)}
    return subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> list[str]:
    out, _ = process.communicate()
    assert process.returncode == 0
    return out.split()


def compiled() -> tuple[float, float, int]:
    """The program again, in this process, as a new one would run it: nothing of it is in memory."""
    name = f"{cache.folder().name}.gabc"
    sys.modules.pop(name, None)
    module = cache.load_generated("abc", GENERATED)
    return module.quarter.ctypes(8.0), module.half(3.0), module.quarter.cache_hits


def kept(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


def empty(data: bytes, draw: random.Random) -> bytes:
    return b""


def truncated(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def randomised(data: bytes, draw: random.Random) -> bytes:
    return draw.randbytes(len(data))


def flipped(data: bytes, draw: random.Random) -> bytes:
    """One bit is another."""
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :]


def extended(data: bytes, draw: random.Random) -> bytes:
    return data + draw.randbytes(10)


DAMAGES = [empty, truncated, randomised, flipped, extended]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_made_again(damage, own_root):
    assert compiled() == (2.0, 1.5, 0)
    paths = kept(own_root)
    assert sorted(path.suffix for path in paths) == [".nbc", ".nbc", ".py"]
    assert compiled() == (2.0, 1.5, 1)
    whole, draw = {path: files.contents(path) for path in paths}, random.Random(1)
    for path in paths:
        path.write_bytes(damage(path.read_bytes(), draw))
        assert files.contents(path) is None
    assert compiled() == (2.0, 1.5, 0)
    assert [files.contents(path) is not None for path in paths] == [True] * 3
    assert files.contents(paths[-1]) == whole[paths[-1]]  # the source
    assert compiled() == (2.0, 1.5, 1)


def test_no_single_bit_goes_unnoticed(tmp_path):
    """Object code with one wrong bit is a crash, or wrong numbers: it must not even be unpickled."""
    path = tmp_path / "file"
    files.keep(path, b"some code")
    data = path.read_bytes()
    for at in range(8 * len(data)):
        path.write_bytes(data[: at // 8] + bytes([data[at // 8] ^ (1 << at % 8)]) + data[at // 8 + 1 :])
        assert files.contents(path) is None


def test_without_the_digest_damaged_code_is_read(own_root, monkeypatch):
    """The broken form: what the tests above would say without it."""
    compiled()
    for path in own_root.rglob("*.nbc"):
        path.write_bytes(path.read_bytes()[:100])
    monkeypatch.setattr(code_files, "contents", lambda path: path.read_bytes())
    with pytest.raises((pickle.UnpicklingError, EOFError)):
        compiled()


def test_code_for_other_types_is_not_taken_for_this(own_root):
    """Names are short digests; what a file was made for is compared in full."""
    compiled()
    first, second = own_root.rglob("*.nbc")
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)
    assert compiled() == (2.0, 1.5, 0)


def test_code_of_a_type_that_is_gone_counts_as_absent(own_root, monkeypatch):
    compiled()

    def gone(data):
        raise ModuleNotFoundError("No module named 'numpy._core'")

    monkeypatch.setattr(code_files.pickle, "loads", gone)
    assert compiled() == (2.0, 1.5, 0)


def test_folders_in_place_of_files_are_lived_with(own_root, caplog):
    compiled()
    for path in kept(own_root):
        path.unlink()
        path.mkdir()
    assert compiled() == compiled() == (2.0, 1.5, 0)
    assert len(caplog.records) == 1


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")])
def test_where_nothing_can_be_kept_code_stays_in_memory_and_that_is_said_once(error, own_root, monkeypatch, caplog):
    def full(path, **options):
        raise error

    monkeypatch.setattr(files, "atomic_file", full)
    with caplog.at_level(logging.WARNING, logger="visviva"):
        assert compiled() == compiled() == (2.0, 1.5, 0)
        assert cache.load_generated("abc", GENERATED) is cache.load_generated("abc", GENERATED)
    assert kept(own_root) == []
    assert [record.getMessage() for record in caplog.records] == [
        f"compiled code cannot be kept in {cache.folder()} ({error.strerror}): every new process compiles it again.\n"
        "Make room there, or set VISVIVA_CACHE_DIR to another folder."
    ]


def test_a_disk_that_becomes_full_leaves_no_half_files(own_root):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    folder = cache.folder()
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))
    try:
        files.keep(folder / "code", b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert kept(own_root) == []


def test_a_folder_that_is_removed_meanwhile_is_made_again(own_root):
    cache.folder().rmdir()
    files.keep(own_root / "kernels-0" / "code", b"x")
    assert files.contents(own_root / "kernels-0" / "code") == b"x"


def test_no_folder_at_all_is_enough(tmp_path, own_root, monkeypatch, caplog):
    own_root.write_text("a file, not a folder")
    (tmp_path / "tmp").write_text("neither")
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path / "tmp"))
    assert cache.root() == own_root
    assert compiled() == compiled() == (2.0, 1.5, 0)
    assert len(caplog.records) == 1


def test_what_has_no_source_is_not_kept(own_root):
    """Functions typed at a prompt may differ in their constants alone, which their bytecode does not tell."""
    for factor in (2.0, 3.0):
        scope: dict[str, object] = {}
        exec(compile(f"def f(x):\n    return {factor} * x\n", "<prompt>", "exec"), scope)
        assert functions.kernel(scope["f"])(1.0) == factor
    assert kept(own_root) == []


def test_values_of_outer_variables_count(own_root):
    def scaled(factor):
        def f(x):
            return factor * x

        return functions.kernel(f)

    assert [scaled(factor)(1.0) for factor in (2.0, 3.0, 2.0)] == [2.0, 3.0, 2.0]
    assert len(kept(own_root)) == 2


@pytest.mark.slow
def test_two_processes_fill_and_mend_one_cache_at_once(tmp_path):
    draw = random.Random(2)
    for damage in (None, flipped):
        for path in kept(tmp_path) if damage else []:
            path.write_bytes(damage(path.read_bytes(), draw))
        both = [started(tmp_path), started(tmp_path)]
        assert [answer(one)[:2] for one in both] == [["2.0", "1.5"]] * 2
        assert all(files.contents(path) is not None for path in kept(tmp_path))
    assert answer(started(tmp_path)) == ["2.0", "1.5", "1"]


# -- whole runs -------------------------------------------------------------------------------------------------------

RUN = """
import visviva as vv
from visviva.cli.samples import oscillator
run = vv.simulate(oscillator(), t_end=1.0, h=0.1, integrator=vv.DiscreteGradient(), initial={"q": 1.0, "p": 0.0})
print(run.engine, float(run["q"][-1, 0]).hex())
"""


def some(damage):
    """Every second file, by chance, is damaged in this way."""

    def half(data: bytes, draw: random.Random) -> bytes:
        return damage(data, draw) if draw.random() < 0.5 else data

    half.__name__ = f"some_{damage.__name__}"
    return half


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with all that the run needs, and its result."""
    root = tmp_path_factory.mktemp("filled")
    result = answer(started(root, RUN))
    assert answer(started(root, RUN)) == result
    return root, result


@pytest.mark.slow
@pytest.mark.parametrize("damage", [*DAMAGES, some(truncated), some(flipped)], ids=lambda damage: damage.__name__)
def test_two_runs_at_once_on_a_damaged_cache_give_their_result(damage, filled, tmp_path):
    root, result = filled
    shutil.copytree(root, tmp_path / "cache")
    draw = random.Random(3)
    for path in kept(tmp_path / "cache"):
        path.write_bytes(damage(path.read_bytes(), draw))
    both = [started(tmp_path / "cache", RUN), started(tmp_path / "cache", RUN)]
    assert [answer(one) for one in both] == [result, result]


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 4096, 50_000])
def test_two_runs_at_once_on_a_full_disk_give_their_result(size, filled, tmp_path):
    pytest.importorskip("resource")
    limited = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n{RUN}"
    both = [started(tmp_path, limited), started(tmp_path, limited)]
    assert [answer(one) for one in both] == [filled[1]] * 2
    assert all(files.contents(path) is not None for path in kept(tmp_path))


@pytest.mark.slow
def test_runs_on_a_protected_cache_give_their_result(filled, tmp_path):
    root, result = filled
    shutil.copytree(root, tmp_path / "cache")
    for path in (tmp_path / "cache").rglob("*"):
        path.chmod(0o444 if path.is_file() else 0o555)
    (tmp_path / "cache").chmod(0o555)
    assert answer(started(tmp_path / "cache", RUN)) == result
