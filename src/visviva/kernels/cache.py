"""Compiled code on disk, in a folder whose name is a hash of everything the code depends on.

Numba's own index sees an edit of the file of a function, but not of what the function calls in other files: a kernel
would go on with the old helper. Here any edit of a kernel source gives another folder, so a stale one is never asked.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numba
import platformdirs

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = numba.config  # a module whose names are set when it is imported, unknown to type checkers
FUSED = {"contract"}  # a product and a sum with one rounding; more of fast mathematics would drop tests for nan
SOURCES = Path(__file__).parent
FLAGS = (  # settings of Numba that change the code it makes, and that its own index ignores
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "DISABLE_INTEL_SVML",
    "ENABLE_AVX",
    "LOOP_VECTORIZE",
    "OPT",
    "SLP_VECTORIZE",
)
FOLDER = re.compile(r"kernels-[0-9a-f]{16}")
_setting = threading.RLock()  # numba.config is one for all threads
_referenced: list[Any] = []  # what is called by address must outlive every caller


def key(sources: Path = SOURCES) -> str:
    """Hash of all Python files in `sources`, of Numba's version, and of its settings that change the code."""
    settings = [getattr(config, flag) for flag in FLAGS]
    return hashlib.sha256(f"{_digest(sources)} {numba.__version__} {settings}".encode()).hexdigest()[:16]


@cache  # the sources of a process are those it has imported, whatever happens to the files meanwhile
def _digest(sources: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(sources.rglob("*.py")):
        text = file.read_bytes()
        digest.update(f"{file.relative_to(sources).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()


@cache
def root() -> Path:
    """Where all keyed folders are: $VISVIVA_CACHE_DIR, or the user's cache, or where that cannot be written to, a
    temporary folder of this user.
    """
    wanted = os.environ.get("VISVIVA_CACHE_DIR")
    path = Path(wanted).absolute() if wanted else platformdirs.user_cache_path("visviva")
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError:
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


def folder(sources: Path = SOURCES) -> Path:
    """The folder of the code that is compiled from `sources`, made if needed; its time is that of the last use."""
    path = root() / f"kernels-{key(sources)}"
    path.mkdir(parents=True, exist_ok=True)
    os.utime(path)
    return path


def stale(days: float = 30.0) -> list[Path]:
    """Folders of other sources or settings that were not used for some days."""
    limit, current = time.time() - 86400 * days, f"kernels-{key()}"
    return sorted(
        path
        for path in root().iterdir()
        if FOLDER.fullmatch(path.name) and path.name != current and path.stat().st_mtime <= limit
    )


def clean(days: float = 30.0) -> list[Path]:
    """Removes the stale folders, and says which."""
    removed = stale(days)
    for path in removed:
        shutil.rmtree(path, ignore_errors=True)  # another process may be at the same
    return removed


@contextmanager
def _kept_in_folder() -> Iterator[None]:
    """Numba asks for the folder once for each function, when it is decorated."""
    with _setting:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder())
        try:
            yield
        finally:
            config.CACHE_DIR = before


def kernel(function: Function) -> Function:
    """`function` compiled for each set of argument types it is called with; it runs without Python's global lock.

    A division by zero gives inf or nan, as in NumPy, and no exception: callers test what comes out. It works in memory
    that it is given: without an array of its own, nothing has to count who holds which.
    """
    return _compiled(function, _nrt=False)


def allocating(function: Function) -> Function:
    """A `kernel` that makes arrays."""
    return _compiled(function)


def inner(function: Function) -> Function:
    """A `kernel` that only other kernels call: what Python would need to call it is half of its compilation."""
    return _compiled(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def woven(function: Function) -> Function:
    """An `inner` kernel whose text is written into every caller: many numbers go in and out, and stay in registers."""
    return _compiled(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def _compiled(function: Function, **options: Any) -> Function:
    with _kept_in_folder():
        compiled: Any = numba.njit(cache=True, error_model="numpy", nogil=True, fastmath=FUSED, **options)(function)
    return compiled


def addressable(signature: Any, function: Callable[..., Any]) -> Any:
    """`function` compiled for one signature as a C callback; its `address` is valid as long as the process lives."""
    with _kept_in_folder():
        compiled = numba.cfunc(signature, cache=True, error_model="numpy")(function)
    _referenced.append(compiled)
    return compiled


def load_generated(key: str, source: str) -> ModuleType:
    """The module with this source, on file next to the code that is compiled from it.

    key: names the source; equal sources may share it, different ones may not.

    Numba caches only what has a file. The module is run from `source` itself, not imported: Python's bytecode cache
    tells versions by second and length, and would take a file that was just replaced for the old one.
    """
    path = folder() / f"g{key}.py"
    name = f"{path.parent.name}.{path.stem}"
    with _setting:
        if name in sys.modules and _text(path) == source:
            return sys.modules[name]
        if _text(path) != source:
            _replace(path, source)
        module = ModuleType(name)
        module.__file__ = str(path)
        sys.modules[name] = module
        try:
            exec(compile(source, path, "exec"), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
    return module


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None


def _replace(path: Path, source: str) -> None:
    """Writes a file at one stroke: who reads it sees the old text or the new one, also with several writers."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    with os.fdopen(handle, "wb") as file:
        file.write(source.encode())
    os.replace(temporary, path)
