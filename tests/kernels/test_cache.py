from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import pytest

from visviva.kernels import announce as announcing
from visviva.kernels import cache, files, functions
from visviva.kernels.announce import announce

# A package of its own whose sources can be edited; they take the place of the kernels of this one.
HELPER = "from visviva.kernels.functions import kernel\n\n@kernel\ndef slope():\n    return {slope}\n"
MAIN = """
from pathlib import Path
from visviva.kernels import cache, jit
cache.folder.__defaults__ = cache.key.__defaults__ = (Path(__file__).parent, None)
from package import edited
from package.helper import slope
from visviva.kernels.functions import kernel

@kernel
def line(x):
    return slope() * x

stats = line.meaning.stats
print(line(2.0), sum(stats.cache_hits.values()), cache.folder().name, stats.cache_path)
"""
GENERATED = """
from visviva.kernels.functions import kernel
from visviva.kernels.jit import callback

@kernel
def half(x):
    return x / 2

quarter = callback("x:x", lambda x: half(half(x)))
"""


@pytest.fixture
def own_root(tmp_path, monkeypatch):
    """An empty cache for this test."""
    monkeypatch.setenv("VISVIVA_CACHE_DIR", str(tmp_path / "cache"))
    cache.root.cache_clear()
    yield tmp_path / "cache"
    cache.root.cache_clear()


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "edited.py").touch()
    (folder / "helper.py").write_text(HELPER.format(slope=3.0))
    (folder / "main.py").write_text(MAIN)
    return folder


def run(*arguments: str, cwd: Path, **variables: str) -> list[str]:
    environment = {**os.environ, "VISVIVA_CACHE_DIR": str(cwd / "cache"), **variables}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_stale_cache_never_answers(package, tmp_path):
    """The caller's file does not change, only what it calls in another one: Numba alone would not see it."""
    value, hits, name, path = run("-m", "package.main", cwd=tmp_path)
    assert (value, hits) == ("6.0", "0")
    assert Path(path) == tmp_path / "cache" / name
    assert list(Path(path).glob("main.line-*.nbc"))

    assert run("-m", "package.main", cwd=tmp_path) == ["6.0", "1", name, path]

    (package / "helper.py").write_text(HELPER.format(slope=5.0))
    value, hits, other, _ = run("-m", "package.main", cwd=tmp_path)
    assert (value, hits) == ("10.0", "0")
    assert other != name


def test_with_one_folder_for_all_sources_the_stale_answer_comes(package, tmp_path):
    """The broken form: what the test above would say without the key."""
    same = "from visviva.kernels import cache\n\ncache.key = lambda sources, digest=None: 16 * '0'\n"
    (package / "edited.py").write_text(same)
    assert run("-m", "package.main", cwd=tmp_path)[:2] == ["6.0", "0"]
    (package / "helper.py").write_text(HELPER.format(slope=5.0))
    assert run("-m", "package.main", cwd=tmp_path)[:2] == ["6.0", "1"]


def test_key_depends_on_sources_version_and_settings(package, tmp_path, monkeypatch):
    copy = shutil.copytree(package, tmp_path / "copy")
    first = cache.key(package)
    assert cache.key(copy) == first

    edited = shutil.copytree(package, tmp_path / "edited")
    (edited / "helper.py").write_text(HELPER.format(slope=4.0))
    assert cache.key(edited) != first

    renamed = shutil.copytree(package, tmp_path / "renamed")
    (renamed / "helper.py").rename(renamed / "aid.py")
    assert cache.key(renamed) != first

    with monkeypatch.context() as change:
        change.setattr(numba.config, "BOUNDSCHECK", 1)
        assert cache.key(package) != first
    with monkeypatch.context() as change:
        change.setattr(numba, "__version__", "0.0")
        assert cache.key(package) != first
    assert cache.key(package) == first


def test_settings_of_numba_are_left_as_they_were(own_root, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "elsewhere")
    kernel = functions.kernel(lambda x: x)
    assert Path(kernel.meaning.stats.cache_path) == cache.folder()
    assert numba.config.CACHE_DIR == "elsewhere"


def test_root_is_the_folder_asked_for(own_root):
    assert cache.root() == own_root
    assert own_root.is_dir()


def test_root_is_the_users_cache_by_default(own_root, tmp_path, monkeypatch):
    monkeypatch.delenv("VISVIVA_CACHE_DIR")
    monkeypatch.setattr(files.platformdirs, "user_cache_path", lambda name: tmp_path / name)
    assert cache.root() == tmp_path / "visviva"


def test_root_that_cannot_be_written_to_is_replaced(own_root, tmp_path, monkeypatch):
    own_root.write_text("a file, not a folder")
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
    root = cache.root()
    assert root.parent == tmp_path
    cache.root.cache_clear()
    assert cache.root() == root  # the next process finds it again


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="temporary folders are private")
def test_a_temporary_folder_of_somebody_else_is_not_used(own_root, tmp_path, monkeypatch):
    own_root.write_text("a file, not a folder")
    monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
    stranger = os.getuid() + 1
    (tmp_path / f"visviva-{stranger}").mkdir()
    monkeypatch.setattr(files.os, "getuid", lambda: stranger)
    assert cache.root() != tmp_path / f"visviva-{stranger}"


def test_only_old_folders_of_other_sources_are_cleaned(own_root):
    current = cache.folder()
    old, new, foreign = own_root / f"kernels-{0:016x}", own_root / f"kernels-{1:016x}", own_root / "photographs"
    for path in (old, new, foreign):
        path.mkdir()
        (path / "file").touch()
    for path in (current, old, foreign):
        os.utime(path, times=(0, time.time() - 40 * 86400))
    assert cache.stale() == [old]
    assert cache.clean() == [old]
    assert sorted(own_root.iterdir()) == sorted([current, new, foreign])
    assert cache.stale(days=0) == [new]


def test_generated_source_lives_in_the_keyed_folder(own_root):
    module = cache.load_generated("abc", GENERATED)
    assert Path(module.__file__) == cache.folder() / "gabc.py"
    assert Path(module.__file__).read_text().startswith(GENERATED)
    assert cache.generated_source("abc") == GENERATED
    assert module.quarter.ctypes(8.0) == 2.0
    assert module.quarter.address != 0
    assert cache.load_generated("abc", GENERATED) is module
    assert [path.name for path in cache.folder().glob("g*.py")] == ["gabc.py"]


def test_another_source_under_the_same_name_is_not_mistaken_for_the_old_one(own_root):
    assert cache.load_generated("same", "value = 1\n").value == 1
    assert cache.load_generated("same", "value = 2\n").value == 2


def test_generated_source_that_fails_leaves_no_module(own_root):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.load_generated("bad", "1 / 0\n")


def test_generated_source_is_cached_and_shared_by_processes(tmp_path):
    code = (
        "from visviva.kernels.cache import load_generated\n"
        f"module = load_generated('abc', {GENERATED!r})\n"
        "print(module.quarter.ctypes(8.0), module.quarter.cache_hits)"
    )
    answers: list[list[str]] = []
    racers = [
        threading.Thread(target=lambda: answers.append(run("-c", code, cwd=tmp_path))) for _ in range(2)
    ]  # each one waits for a process of its own
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert [value for value, _ in answers] == ["2.0", "2.0"]
    assert run("-c", code, cwd=tmp_path) == ["2.0", "1"]


@pytest.fixture
def talkative(monkeypatch):
    monkeypatch.setenv("VISVIVA_PROGRESS", "1")
    monkeypatch.setattr(announcing, "PATIENCE", 0.01)


def wait_until_spoken(capsys):
    text = ""
    while "..." not in text:
        text += capsys.readouterr().err
        time.sleep(0.005)
    return text


def test_a_long_compilation_is_announced_once(talkative, capsys):
    threads = threading.active_count()
    with announce("springs"):
        text = wait_until_spoken(capsys)
    assert text + capsys.readouterr().err == "visviva: compiling springs, once per machine ... done in 0 s\n"
    assert threading.active_count() == threads


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_far_a_compilation_is(talkative, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(announcing, "PACE", 0.01)
    with announce("springs"):
        announcing.count("spring")
        announcing.count("law")
        while " 2 functions, 0 s" not in stream.getvalue():
            time.sleep(0.005)
    assert stream.getvalue().endswith("\rvisviva: compiling springs, once per machine ... 2 functions, done in 0 s\n")


def test_a_compilation_that_fails_ends_its_line(talkative, capsys):
    def compilation():
        with announce("springs"):
            wait_until_spoken(capsys)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        compilation()
    assert capsys.readouterr().err == " stopped after 0 s\n"


def test_a_short_compilation_is_not_announced(talkative, capsys, monkeypatch):
    monkeypatch.setattr(announcing, "PATIENCE", 60.0)
    with announce("springs"):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stream", ["captured", "none"])
def test_nothing_is_announced_where_nobody_reads_it(stream, capsys, monkeypatch):
    monkeypatch.delenv("VISVIVA_PROGRESS", raising=False)
    monkeypatch.setattr(announcing, "PATIENCE", 0.001)
    if stream == "none":
        monkeypatch.setattr(sys, "stderr", None)
    with announce("springs"):
        time.sleep(0.02)
    assert capsys.readouterr().err == ""
