"""The command line: it explains itself, tells its version, its demo closes every balance, its cache is filled once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import visviva as vv
from visviva import cli
from visviva.cli import main, precompile, samples
from visviva.compiler.flows import NotCompilable
from visviva.kernels import cache, files

COMMAND = Path(sys.executable).parent / "visviva"


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("VISVIVA_CACHE_DIR", str(tmp_path))
    cache.root.cache_clear()
    yield tmp_path
    cache.root.cache_clear()


def test_help_names_the_commands(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "usage: visviva" in text
    assert "demo" in text
    assert "precompile" in text


def test_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"visviva {vv.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["demo", "--loud"], ["precompile", "--fast"], ["cache", "--check", "--clear"]]
)
def test_what_it_does_not_know_ends_with_its_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: visviva" in capsys.readouterr().err


def test_it_is_installed_as_a_command():
    done = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"visviva {vv.__version__}\n"


def test_the_demo_audits_and_draws_each_system(tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert main(["demo", "--out", str(out)]) == 0
    assert plt.get_fignums() == []
    files = {
        *(f"{stem}{rest}" for stem in ("double_pendulum", "four_bar") for rest in (".png", "_motion.png", ".html")),
        *(f"motor_loop{what}.png" for what in ("", "_sankey", "_temperatures")),
    }
    assert {path.name for path in out.iterdir()} == files
    assert all(path.stat().st_size > 10_000 for path in out.iterdir())
    text = capsys.readouterr().out
    assert text.count("every joule accounted for") == 3
    assert "NOT CLOSED" not in text
    assert all(name in text for name in files)


def test_an_error_of_the_package_is_told_without_a_traceback(monkeypatch, capsys):
    def fail(out):
        raise vv.ModelError("the rod has no mass.")

    monkeypatch.setattr(cli, "run_demo", fail)
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == "error: the rod has no mass.\n"


def test_precompiling_says_what_it_does_where_and_how_long(own_cache, monkeypatch, capsys):
    monkeypatch.setattr(precompile, "KERNELS", {"nothing": lambda: None})
    monkeypatch.setattr(precompile, "DOMAINS", {"springs": lambda: [samples.translation.spring(1.0)]})
    assert main(["precompile"]) == 0
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("nothing")
    assert second.startswith("laws of springs")
    assert second.endswith(" s")
    assert last.endswith(f"MB in {cache.root()}")


def test_the_cache_is_shown_checked_and_cleared(own_cache, capsys):
    whole, broken = own_cache / "kernels-0123456789abcdef" / "whole", own_cache / "laws-0123456789abcdef" / "broken"
    files.keep(whole, b"code")
    files.keep(broken, b"code")
    broken.write_bytes(b"cod")
    (own_cache / "letters").mkdir()
    assert main(["cache"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("shipped kernels")
    assert f"cache             {own_cache}" in text
    assert "laws-0123456789abcdef" in text
    assert "letters" not in text
    assert main(["cache", "--check"]) == 1
    assert f"damaged, removed: {broken.relative_to(own_cache)}\n1 damaged files" in capsys.readouterr().out
    assert main(["cache", "--check"]) == 0
    assert whole.exists()
    assert main(["cache", "--clear"]) == 0
    assert list(own_cache.iterdir()) == [own_cache / "letters"]


def test_precompiling_counts_what_has_no_compiled_form(own_cache, monkeypatch):
    def refuse(model, tableau):
        raise NotCompilable("'box' has no expression")

    monkeypatch.setattr(precompile, "build_program", refuse)
    assert precompile.compile_laws([samples.translation.mass(1.0)]) == "1 of 1 have no compiled form"


def test_cleaning_removes_what_other_versions_left_a_month_ago(own_cache, capsys):
    old, new = own_cache / "kernels-0123456789abcdef", own_cache / "kernels-fedcba9876543210"
    for path in (old, new, own_cache / "letters"):
        path.mkdir()
        (path / "file").touch()
    month_ago = time.time() - 31 * 86400
    for path in (old, own_cache / "letters"):
        os.utime(path, (month_ago, month_ago))
    assert main(["precompile", "--clean"]) == 0
    assert not old.exists()
    assert new.exists()
    assert (own_cache / "letters").exists()
    assert capsys.readouterr().out == f"removed {old}\n1 stale folders removed from {own_cache}\n"


@pytest.mark.slow
def test_what_was_precompiled_is_not_compiled_again(tmp_path):
    found = []
    for _ in range(2):
        subprocess.run([COMMAND, "precompile"], env=os.environ | {"VISVIVA_CACHE_DIR": str(tmp_path)}, check=True)
        found.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()})
    assert found[0]
    assert found[0] == found[1]
