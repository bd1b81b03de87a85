"""Files at one stroke: who reads one finds what was there before or what was written, and always whole.

A file is written beside its place, forced to the disk, and moved over what was there. Whatever ends a program on the
way (an error, a full disk, a kill) leaves the old file as it was.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol, runtime_checkable

from visviva.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@runtime_checkable
class OpenFile(Protocol):
    """Whatever bytes can be written to."""

    def write(self, data: bytes, /) -> Any:
        """Take some bytes."""


@contextmanager
def atomic_file(path: str | PathLike[str], *, durable: bool = True) -> Iterator[IO[bytes]]:
    """A new binary file, which takes its place when the block ends without an error.

    durable: whether it is whole even after a crash of the machine, for some milliseconds; after any other end it is.

    As with `open`, links are followed, a file that is there keeps its mode and must be writable, a new one gets that of
    the process. A device or a pipe has no contents to lose: it is written to as it is.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:  # a folder refuses here
            yield file
        return
    if mode is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    place = Path(os.path.realpath(path))
    temporary = place.with_name(f".visviva-{uuid.uuid4().hex}.tmp")  # its own name: that of the place may be too long
    try:
        with open(temporary, "xb") as file:
            yield file
            if durable:  # else the new name could reach the disk before the contents do
                file.flush()
                os.fsync(file.fileno())
        if mode is not None:
            shutil.copymode(place, temporary)
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _mode(path: str | PathLike[str]) -> int | None:
    """Kind and permissions of what is there, if anything is."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


@contextmanager
def output_file(path: str | PathLike[str] | OpenFile, *, folders: bool = False) -> Iterator[Any]:
    """An `atomic_file` where the user wants it, or an error that says why it cannot be there.

    A file that is open already is the user's own: it is written to as it is.

    folders: whether missing folders are made.
    """
    if not isinstance(path, str | PathLike):
        if not isinstance(path, OpenFile):
            raise ModelError(f"a file to write is given by its path, got {path!r}.")
        yield path
        return
    try:
        if folders:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as file:
            yield file
    except OSError as cause:
        raise ModelError(f"'{os.fspath(path)}' cannot be written: {_reason(Path(path), cause)}") from cause


def _reason(path: Path, cause: OSError) -> str:
    """Why a file cannot be written, and what to do."""
    if path.is_dir():
        return "it is a folder. Give the name of a file in it."
    if not path.parent.exists():
        return f"there is no folder '{path.parent}'. Make it first, or give a path in one that is there."
    if not path.parent.is_dir():
        return f"'{path.parent}' is a file, and not a folder. Give a path in a folder."
    kept = "What was there before is unchanged" if path.exists() else "Nothing was written"
    return f"{cause.strerror or cause}. {kept}; give a path where there is room and permission to write."


def write_bytes(path: str | PathLike[str], data: bytes, *, folders: bool = False) -> None:
    """Bytes as an `output_file`."""
    with output_file(path, folders=folders) as file:
        file.write(data)


def write_text(path: str | PathLike[str], text: str, *, folders: bool = False) -> None:
    """Text in UTF-8 as an `output_file`, with the line ends that it has."""
    write_bytes(path, text.encode(), folders=folders)


def write_figure(path: str | PathLike[str] | IO[bytes], figure: Figure, **options: Any) -> None:
    """A figure of Matplotlib as an `output_file`, or into a file that is open.

    The ending of the name says which format; a name without one gets that of Matplotlib's default, as in `savefig`.
    """
    if not isinstance(path, str | PathLike):
        figure.savefig(path, **options)
        return
    name = os.fspath(path)
    kind = os.path.splitext(name)[1][1:]
    if not kind:
        kind = figure.canvas.get_default_filetype()
        name = f"{name.rstrip('.')}.{kind}"
    write_bytes(name, figure_bytes(figure, kind, **options))


def figure_bytes(figure: Figure, kind: str, **options: Any) -> bytes:
    """The contents of a file with a figure of Matplotlib; kind: "png", "pdf", …"""
    data = io.BytesIO()
    figure.savefig(data, format=kind, **options)
    return data.getvalue()
