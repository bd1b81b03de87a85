"""How a file is written: its place, its mode, links that stay links; and what is said where it cannot be."""

from __future__ import annotations

import io
import os
import stat
import threading
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from visviva import _files
from visviva._files import atomic_file, output_file, write_bytes, write_figure, write_text

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes, links and pipes of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_nothing_is_seen_before_the_end(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with output_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, vv.ModelError])
def test_an_error_on_the_way_leaves_the_old_file_alone(error, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail():
        with output_file(path) as file:
            file.write(b"half")
            raise error("on the way")

    with pytest.raises(error, match="on the way"):
        fail()
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_the_contents_are_on_disk_before_the_name_is(tmp_path, monkeypatch):
    done = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(_files.os, "fsync", lambda handle: done.append("fsync") or fsync(handle))
    monkeypatch.setattr(_files.os, "replace", lambda *names: done.append("replace") or replace(*names))
    write_bytes(tmp_path / "a", b"1")
    with atomic_file(tmp_path / "b", durable=False) as file:
        file.write(b"1")
    assert done == ["fsync", "replace", "replace"]


@POSIX
def test_modes_are_those_of_open(tmp_path):
    for mask in (0o022, 0o077):
        before = os.umask(mask)
        try:
            write_text(tmp_path / f"new{mask}", "x")
            (tmp_path / f"plain{mask}").write_text("x")
        finally:
            os.umask(before)
        assert mode(tmp_path / f"new{mask}") == mode(tmp_path / f"plain{mask}") == 0o666 & ~mask
    script = tmp_path / "script"
    script.write_text("old")
    script.chmod(0o750)
    write_text(script, "new")
    assert mode(script) == 0o750


@POSIX
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target.txt", tmp_path / "link.txt"
    link.symlink_to(Path("far", "target.txt"))
    for text in ("first", "second"):  # the first time it leads nowhere
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert [one.name for one in target.parent.iterdir()] == ["target.txt"]


@POSIX
def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "words")
    reader.join()
    assert read == ["words"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@POSIX
def test_the_longest_name_is_possible(tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    write_text(path, "x")
    assert path.read_text() == "x"


def test_names_without_a_folder_are_in_the_current_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text("a.txt", "x")
    assert (tmp_path / "a.txt").read_text() == "x"


def test_a_file_that_is_open_is_the_users(tmp_path):
    data = io.BytesIO()
    write_text(data, "words")
    assert data.getvalue() == b"words"
    with pytest.raises(vv.ModelError, match=r"a file to write is given by its path, got 5\."):
        write_text(5, "words")


def test_places_that_cannot_be_are_named(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(vv.ModelError, match=r"absent.a\.csv' cannot be written: there is no folder '.*absent'\. Make"):
        write_text(tmp_path / "absent" / "a.csv", "x")
    with pytest.raises(vv.ModelError, match=r"cannot be written: it is a folder\. Give the name of a file in it\."):
        write_text(tmp_path, "x")
    with pytest.raises(vv.ModelError, match=r"'.*file' is a file, and not a folder\."):
        write_text(tmp_path / "file" / "a.csv", "x")
    with pytest.raises(vv.ModelError, match=r"'.*file' is a file, and not a folder\."):
        write_text(tmp_path / "file" / "a.csv", "x", folders=True)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_missing_folders_are_made_on_request(tmp_path):
    write_text(tmp_path / "a" / "b" / "c.txt", "x", folders=True)
    assert (tmp_path / "a" / "b" / "c.txt").read_text() == "x"


def test_a_file_that_is_protected_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")
    monkeypatch.setattr(_files.os, "access", lambda *_: False)  # modes do not bind an administrator
    with pytest.raises(vv.ModelError, match=r"Permission denied\. What was there before is unchanged; give a path"):
        write_text(path, "new")
    assert path.read_text() == "old"


def test_a_folder_that_is_protected_is_named(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(vv.ModelError, match=r"a\.txt' cannot be written: Permission denied\. Nothing was written"):
        write_text(tmp_path / "a.txt", "new")


# -- figures ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def figure():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1))
    figure.add_subplot().plot([0, 1])
    return figure


@pytest.mark.parametrize(
    ("name", "written", "start"),
    [
        ("a.png", "a.png", b"\x89PNG"),
        ("a.pdf", "a.pdf", b"%PDF"),
        ("a.svg", "a.svg", b"<?xml"),
        ("a", "a.png", b"\x89PNG"),
        ("a.", "a.png", b"\x89PNG"),
        (".a/b", ".a/b.png", b"\x89PNG"),
    ],
)
def test_the_ending_says_the_format_as_in_savefig(name, written, start, figure, tmp_path):
    for folder in ("own", "matplotlib"):
        (tmp_path / folder / ".a").mkdir(parents=True)
    write_figure(f"{tmp_path}/own/{name}", figure)
    figure.savefig(f"{tmp_path}/matplotlib/{name}")
    for folder in ("own", "matplotlib"):
        assert [path for path in (tmp_path / folder).rglob("*") if path.is_file()] == [tmp_path / folder / written]
    assert (tmp_path / "own" / written).read_bytes().startswith(start)


def test_a_figure_goes_into_an_open_file_too(figure):
    data = io.BytesIO()
    write_figure(data, figure)
    assert data.getvalue().startswith(b"\x89PNG")


def test_a_figure_that_cannot_be_drawn_leaves_the_old_file(figure, tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"old")
    figure.axes[0].set_title(r"$\nonsense$")
    with pytest.raises(ValueError, match="nonsense"):
        write_figure(path, figure)
    assert path.read_bytes() == b"old"


def test_arrays_go_into_an_open_file_too():
    from written_files import run

    data = io.BytesIO()
    run().to_npz(data, "energy")
    data.seek(0)
    with np.load(data) as file:
        np.testing.assert_array_equal(file["energy"], run()["energy"])
