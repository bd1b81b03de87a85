"""Files of the cache: where they are, and what was written whole into them. Nothing here needs a compiler."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import platformdirs

from visviva._files import atomic_file


@cache
def root() -> Path:
    """Where all keyed folders are: $VISVIVA_CACHE_DIR, or the user's cache, or where that cannot be written to, a
    temporary folder of this user. Where there is none either, nothing will be kept.
    """
    wanted = os.environ.get("VISVIVA_CACHE_DIR")
    path = Path(wanted).absolute() if wanted else platformdirs.user_cache_path("visviva")
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError:
        with suppress(OSError):
            return _temporary()
    return path


def _temporary() -> Path:
    """The same folder for every process, unless somebody else has made it: code is run from it."""
    user = os.getuid() if hasattr(os, "getuid") else 0  # temporary folders of Windows are private
    path = Path(tempfile.gettempdir(), f"visviva-{user}")
    path.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and path.stat().st_uid != user:
        return Path(tempfile.mkdtemp(prefix="visviva-"))
    return path


def seal(data: bytes) -> bytes:
    """The last line of a file that is kept: a digest of what is before it. Python reads it as a comment."""
    return f"# sha256 {hashlib.sha256(data).hexdigest()}\n".encode()


SEAL = len(seal(b""))


def contents(path: Path) -> bytes | None:
    """What was kept in a file, if that is still there and unchanged."""
    try:
        file = path.read_bytes()
    except OSError:
        return None
    data = file[:-SEAL]
    return data if file[-SEAL:] == seal(data) else None


def keep(path: Path, data: bytes) -> None:
    """Write a file of the cache; where that is impossible, say so once: the program goes on without it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path, durable=False) as file:  # what a crash of the machine tears, its digest tells
            file.write(data + seal(data))
    except OSError as cause:
        say_unkept(path.parent, cause.strerror)


@cache
def say_unkept(folder: Path, reason: str) -> None:
    """Once in a process; not a warning of Python, which some turn into an error."""
    logging.getLogger("visviva").warning(
        "compiled code cannot be kept in %s (%s): every new process compiles it again.\n"
        "Make room there, or set VISVIVA_CACHE_DIR to another folder.",
        folder,
        reason,
    )
