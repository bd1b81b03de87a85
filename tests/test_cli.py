"""The command line: it explains itself, tells its version, and its demo closes every balance."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import visviva as vv
from visviva import cli
from visviva.cli import main


def test_help_names_the_commands(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "usage: visviva" in text
    assert "demo" in text


def test_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"visviva {vv.__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["dance"], ["demo", "--loud"]])
def test_what_it_does_not_know_ends_with_its_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: visviva" in capsys.readouterr().err


def test_it_is_installed_as_a_command():
    command = Path(sys.executable).parent / "visviva"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"visviva {vv.__version__}\n"


def test_the_demo_writes_a_plot_and_a_page_of_each_mechanism(tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert main(["demo", "--out", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {
        f"{stem}.{suffix}" for stem in ("double_pendulum", "four_bar") for suffix in ("png", "html")
    }
    assert all(path.stat().st_size > 10_000 for path in out.iterdir())
    text = capsys.readouterr().out
    assert text.count("every joule accounted for") == 2
    assert "NOT CLOSED" not in text


def test_an_error_of_the_package_is_told_without_a_traceback(monkeypatch, capsys):
    def fail(out):
        raise vv.ModelError("the rod has no mass.")

    monkeypatch.setattr(cli, "run_demo", fail)
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == "error: the rod has no mass.\n"
