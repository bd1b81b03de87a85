"""`visviva cache`: what is shipped, what is compiled on this machine, whether it is whole."""

from __future__ import annotations

import shutil
from pathlib import Path

from visviva.kernels.cache import FOLDER
from visviva.kernels.files import contents, root
from visviva.kernels.shipped import load

DAYS = 30.0


def show() -> None:
    """One line about shipped kernels, and one for each folder of compiled code."""
    print(f"shipped kernels   {shipped()}")
    print(f"cache             {root()}")
    for path in folders():
        files = [file for file in path.rglob("*") if file.is_file()]
        print(f"  {path.name:<26}{len(files):>6} files {sum(file.stat().st_size for file in files) / 1e6:9.1f} MB")


def shipped() -> str:
    """What is shipped and used here, or why it is not."""
    reason = load.why_not()
    if reason is not None:
        return f"not used: {reason}"
    found = load.library()
    if not isinstance(found, load.Library):
        return "not used, see the note above"
    entries = sum(map(len, found.manifest["entries"].values()))
    size = sum(path.stat().st_size for path in load.FOLDER.glob("*.o.xz"))
    return (
        f"for {found.level}: {entries + len(found.manifest['functions'])} functions; {size / 1e6:.1f} MB for all levels"
    )


def folders() -> list[Path]:
    """All folders of compiled code, of this version and of others."""
    return sorted(path for path in root().iterdir() if path.is_dir() and FOLDER.fullmatch(path.name))


def check() -> bool:
    """Whether every file of the cache is as it was written; others are removed, as no run would use them."""
    damaged = [
        file for path in folders() for file in path.rglob("*") if file.is_file() and contents(file) is None
    ]  # fmt: skip
    for file in damaged:
        print(f"damaged, removed: {file.relative_to(root())}")
        file.unlink(missing_ok=True)
    print(f"{len(damaged)} damaged files in {root()}")
    return not damaged


def clear() -> None:
    """Remove all compiled code; what is shipped stays."""
    found = folders()
    for path in found:
        shutil.rmtree(path, ignore_errors=True)  # another process may be at the same
    print(f"{len(found)} folders removed from {root()}")
