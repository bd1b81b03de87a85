"""A file that is overwritten is the old one or the new one, whole, whatever happens on the way."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest
from written_files import KINDS, is_whole, write

import visviva as vv

STRIKES = int(os.environ.get("VISVIVA_STRIKES", "5"))  # kills, and full disks, for each kind of file in the slow tests
resource = pytest.importorskip("resource", reason="files are limited in size, and processes forked, on POSIX only")


class FullDisk:
    """No file can grow beyond some bytes, as long as the block lasts; Python ignores the signal that comes with it."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __enter__(self) -> None:
        self.before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.size, self.before[1]))

    def __exit__(self, *error: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self.before)


def overwrite_on_a_full_disk(name, folder, size):
    (folder / name).write_bytes(b"old")
    with FullDisk(size), pytest.raises(vv.ModelError, match=r"cannot be written: File too large\. What was there"):
        write(name, folder)
    assert (folder / name).read_bytes() == b"old"


@pytest.mark.parametrize("name", KINDS)
def test_a_full_disk_leaves_the_old_file(name, tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    new.mkdir()
    old.mkdir()
    path = write(name, new)
    assert is_whole(path)
    assert not list(new.glob(".*"))
    overwrite_on_a_full_disk(name, old, path.stat().st_size // 2)
    assert not list(old.glob(".*"))


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_disk_that_is_full_anywhere_leaves_the_old_file(name, tmp_path):
    size, draw = write(name, tmp_path).stat().st_size, random.Random(name)
    for _ in range(STRIKES):
        overwrite_on_a_full_disk(name, tmp_path, draw.randrange(size))
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a copy of this process writes, and is killed")
@pytest.mark.parametrize("name", KINDS)
def test_a_kill_leaves_a_whole_file(name, tmp_path):
    path = write(name, tmp_path)
    began = time.perf_counter()
    write(name, tmp_path)
    lasts, draw = time.perf_counter() - began, random.Random(name)
    for kill in range(STRIKES):
        changed = tmp_path.stat().st_mtime_ns
        writer = os.fork()
        if writer == 0:
            try:
                while True:
                    write(name, tmp_path)
            finally:
                os._exit(1)
        at_random = kill % 2  # or when something has begun to happen in the folder
        until = time.perf_counter() + 1.5 * lasts * (draw.random() if at_random else 1.0)
        while time.perf_counter() < until:
            if not at_random and tmp_path.stat().st_mtime_ns != changed:
                time.sleep(draw.uniform(0.0, 0.01))
                break
            time.sleep(1e-4)
        os.kill(writer, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]) == -signal.SIGKILL  # it did not stop by itself
        assert is_whole(path)
