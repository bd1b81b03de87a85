"""Every example proves its title, and the README prints what it says."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONG = ("07_pictures", "15_falling_chain", "20_one_motion", "21_small_motions", "42_looping")  # they run alone
SHORT = [path for path in EXAMPLES if "_track_" not in path.stem and path.stem not in LONG]
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?")
MISSED = re.compile(r"(\S+) missed, (\S+) allowed")


def run_script(script: Path | str, folder: Path, *arguments: str) -> str:
    """Standard output of a script run in a folder of its own, where any warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_here(script: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The same in this process, which has imported and compiled most of it already; names and arguments are its own."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [str(script)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(script), run_name="__main__")
    return capsys.readouterr().out


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def assert_same_output(printed: str, stated: str) -> None:
    """Equal words, and numbers that agree but for rounding, whose digits depend on the machine.

    What an audit missed is counted in units of rounding: any number of them below what it allows is the same to us.
    """
    for missed, allowed in MISSED.findall(printed):
        assert float(missed) < float(allowed)
    printed, stated = MISSED.sub(r"missed, \2 allowed", printed), MISSED.sub(r"missed, \2 allowed", stated)
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", stated).split()
    numbers = [list(map(float, NUMBER.findall(text))) for text in (printed, stated)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.05, abs=1e-11)


@pytest.mark.parametrize("example", SHORT, ids=lambda path: path.stem)
def test_example_proves_its_title(example, tmp_path, monkeypatch, capsys):
    assert len(run_here(example, tmp_path, monkeypatch, capsys).splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} <= {"out"}


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_by_itself(example, tmp_path):
    """In a process of its own, where nothing was imported before it."""
    assert len(run_script(example, tmp_path).splitlines()) == 1


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_has_a_number_and_a_title_of_one_line(example):
    assert re.fullmatch(r"\d\d_[a-z_]+", example.stem)
    assert re.match(r'"""[A-Z][^\n]+\.("""|\n\n)', example.read_text(encoding="utf-8"))


def test_an_example_writes_where_it_is_told(tmp_path):
    run_script(EXAMPLES[0], tmp_path, "elsewhere")
    assert {path.name for path in (tmp_path / "elsewhere").iterdir()} == {"arm.html", "arm.png"}


@pytest.mark.parametrize(("number", "file"), [(0, "arm.html"), (1, "drive.png")])
def test_the_programs_of_the_readme_print_what_the_readme_says(number, file, tmp_path):
    program, stated = blocks("README.md", "python")[number], blocks("README.md", "text")[number]
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    assert_same_output(run_script("program.py", tmp_path), stated)
    assert (tmp_path / file).stat().st_size > 10_000


@pytest.mark.slow
def test_the_other_programs_of_the_readme_go_on_from_the_first(tmp_path):
    first, _, *others = blocks("README.md", "python")
    (tmp_path / "program.py").write_text("\n".join([first, *others]), encoding="utf-8")
    assert "modes of 'mechanism'" in run_script("program.py", tmp_path)
    assert {"arm.svg", "arm_report.html", "looping.html"} <= {path.name for path in tmp_path.iterdir()}


def test_the_front_page_of_the_documentation_has_the_program_of_the_readme():
    assert blocks("README.md", "python")[0] in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("printed", ["heat 4.2 J", "heat 3.72 W", "heat 3.72 J 0"])
def test_another_output_is_recognised(printed):
    assert_same_output("heat 3.718 J", "heat 3.72 J")
    with pytest.raises(AssertionError):
        assert_same_output(printed, "heat 3.72 J")


def test_links_of_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)", text) if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
