"""Compiled code on disk, in a folder whose name is a hash of everything the code depends on.

Numba's own index sees an edit of the file of a function, but not of what the function calls in other files: a kernel
would go on with the old helper. Here any edit of a kernel source gives another folder, so a stale one is never asked.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import re
import shutil
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from visviva.kernels.files import contents, keep
from visviva.kernels.files import root as root  # told to all who ask here

SOURCES = Path(__file__).parent
APART = (SOURCES / "shipped", SOURCES / "direct")  # the one calls code, the other has a key of its own
KEEPING = (  # the code is the same whatever is in them
    "announce.py", "cache.py", "code_files.py", "files.py", "laws.py", "object_code.py", "packed.py",
)  # fmt: skip
FLAGS = (  # settings of Numba that change the code it makes, and that its own index ignores
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "DISABLE_INTEL_SVML",
    "ENABLE_AVX",
    "LOOP_VECTORIZE",
    "OPT",
    "SLP_VECTORIZE",
)
FOLDER = re.compile(r"(kernels|laws)-[0-9a-f]{16}")
_loading = threading.RLock()  # sys.modules is one for all threads


def key(sources: Path = SOURCES, digest: str | None = None) -> str:
    """Hash of all Python files in `sources`, of the versions of Python and Numba, and of settings that change code.

    digest: of the sources, where it is known.
    """
    import numba

    config: Any = numba.config  # a module whose names are set when it is imported, unknown to type checkers
    settings = [getattr(config, flag) for flag in FLAGS]
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"  # the layout of objects depends on it
    made_of = f"{digest or digest_of(sources)} {python} {numba.__version__} {settings}"
    return hashlib.sha256(made_of.encode()).hexdigest()[:16]


@cache  # the sources of a process are those it has imported, whatever happens to the files meanwhile
def digest_of(sources: Path = SOURCES) -> str:
    """Hash of all Python files in a folder that have a part in the code."""
    digest = hashlib.sha256()
    for file in sorted(sources.rglob("*.py")):
        kept = file.parent == SOURCES and file.name in KEEPING
        if file.parent in APART or kept or file.name == "__init__.py":
            continue
        text = file.read_bytes()
        digest.update(f"{file.relative_to(sources).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def folder(sources: Path = SOURCES, digest: str | None = None) -> Path:
    """The folder of the code that is compiled from `sources`, made if needed; its time is that of the last use."""
    path = root() / f"kernels-{key(sources, digest)}"
    with suppress(OSError):  # what cannot be kept is said where it is written
        path.mkdir(parents=True, exist_ok=True)
        os.utime(path)
    return path


def stale(days: float = 30.0) -> list[Path]:
    """Folders of other sources or settings that were not used for some days."""
    from visviva.kernels import laws

    limit, current = time.time() - 86400 * days, (f"kernels-{key()}", f"laws-{laws.key()}")
    return sorted(
        path
        for path in root().iterdir()
        if FOLDER.fullmatch(path.name) and path.name not in current and path.stat().st_mtime <= limit
    )


def clean(days: float = 30.0) -> list[Path]:
    """Removes the stale folders, and says which."""
    removed = stale(days)
    for path in removed:
        shutil.rmtree(path, ignore_errors=True)  # another process may be at the same
    return removed


def load_generated(key: str, source: str) -> ModuleType:
    """The module with this source, which is kept next to the code that is compiled from it.

    key: names the source; equal sources may share it, different ones may not.

    The module is run from `source` itself, not imported: Python's bytecode cache tells versions by second and length,
    and would take a file that was just replaced for the old one.
    """
    path = _generated(key)
    name, lines = f"{path.parent.name}.{path.stem}", source.splitlines(keepends=True)
    with _loading:
        if name in sys.modules and linecache.getlines(str(path)) == lines:
            return sys.modules[name]
        if generated_source(key) != source:
            keep(path, source.encode())
        module = ModuleType(name)
        module.__file__ = str(path)
        sys.modules[name] = module
        linecache.cache[str(path)] = len(source), None, lines, str(path)  # the source, whether it is on file or not
        try:
            exec(compile(source, str(path), "exec"), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
    return module


def generated_source(key: str) -> str | None:
    """The source that was kept under a key, if any was."""
    source = contents(_generated(key))
    return None if source is None else source.decode()


def _generated(key: str) -> Path:
    return folder() / f"g{key}.py"
