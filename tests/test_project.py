"""What the project promises of itself: a light import, names that resolve, texts that agree with the code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import visviva

ROOT = Path(__file__).parent.parent
HEAVY = {"scipy", "matplotlib", "sympy", "numba", "rich"}
# a folder as it stands on one machine, after a sign that cannot belong to a URL or to a relative path
MACHINE_PATH = re.compile(r"(?<![\w./-])(?:/(?:home|Users|root|work)/|[A-Z]:\\Users\\)\w")


def loaded_by(statement: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after `statement`."""
    code = f"import sys; {statement}; print(*(sys.modules.keys() & {HEAVY!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def tracked_texts() -> list[tuple[str, str]]:
    """Name and text of every file under version control that is text."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    texts = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        data = path.read_bytes() if path.is_file() else b""
        if b"\0" not in data:
            texts.append((name, data.decode("utf-8")))
    return texts


def test_import_loads_numpy_only():
    assert loaded_by("import visviva") == set()


def test_the_check_of_imports_sees_a_heavy_one():
    assert loaded_by("import visviva, rich") == {"rich"}


@pytest.mark.parametrize("name", visviva.__all__)
def test_public_name_resolves(name):
    assert getattr(visviva, name) is not None
    assert name in dir(visviva)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'perpetuum_mobile'"):
        visviva.perpetuum_mobile  # noqa: B018 - the access is the test


def test_version_is_the_one_that_is_packaged():
    assert tomllib.loads(text_of("pyproject.toml"))["project"]["version"] == visviva.__version__


def test_changelog_has_a_place_for_the_next_change():
    assert re.search(r"^## \[?Unreleased\]?$", text_of("CHANGELOG.md"), re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/installation.md"])
def test_make_commands_in_the_texts_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:`|\$ )make ([a-z-]+)", text_of(page))) <= targets


@pytest.mark.parametrize("page", ["README.md", "docs/installation.md"])
def test_extras_in_the_texts_exist(page):
    extras = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"].keys()
    named = re.findall(r"(?:\.|visviva)\[([a-z,]+)\]", text_of(page))
    assert {extra for names in named for extra in names.split(",")} <= extras


def test_no_text_names_a_folder_of_one_machine():
    found = [f"{name}: {hit[0]}" for name, text in tracked_texts() for hit in MACHINE_PATH.finditer(text)]
    assert not found, "write paths relative to the project"


@pytest.mark.parametrize("folder", [("", "home", "ada", "visviva"), ("", "Users", "ada"), ("", "work", "x")])
def test_a_folder_of_one_machine_is_recognised(folder):
    assert MACHINE_PATH.search(f"see {'/'.join(folder)}.")
    assert not MACHINE_PATH.search(f"see https://visviva.example{'/'.join(folder)}.")
