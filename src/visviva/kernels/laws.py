"""Generated laws as machine code: found among what comes with the package, in the cache, or compiled.

`kernels.direct` compiles them; where it cannot, Numba does. Sources and code are kept in a folder of the cache whose
name is a hash of all that the code depends on but the source: the compiler, the functions laws call, LLVM, the
processor.
"""

from __future__ import annotations

import ast
import hashlib
import logging
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from visviva.kernels.direct.emission import Target, emit, host
from visviva.kernels.direct.module import ELEMENTARY, Module
from visviva.kernels.direct.writer import Untranslatable
from visviva.kernels.files import contents, keep, root
from visviva.kernels.object_code import link_object
from visviva.kernels.shipped.load import law_of

_finding = threading.RLock()  # who asks for what another thread compiles waits for it
_addresses: dict[str, int] = {}


def law_address(signature: str, source: str) -> int:
    """Address of the function `law` of a generated source, valid as long as the process lives.

    signature: one of `kernels.signatures`.
    """
    digest = law_digest(signature, source)
    with _finding:
        if digest not in _addresses:
            address = law_of(digest, signature, source)
            _addresses[digest] = _own(digest, signature, source) if address is None else address
        return _addresses[digest]


def law_digest(signature: str, source: str) -> str:
    """Names a law: equal ones have one name."""
    return hashlib.sha256(f"{signature}\n{source}".encode()).hexdigest()


def law_symbol(digest: str) -> str:
    """The name of its function in an object file."""
    return f"law_{digest}"


def law_objects(laws: Sequence[tuple[str, str]], target: Target) -> tuple[dict[str, str], bytes]:
    """Symbols by digest, and one object file with all laws (signature, source) for a target; the same bytes each time.

    Raises `Untranslatable` if one of them is.
    """
    module, symbols = Module(), dict[str, str]()
    for signature, source in laws:
        digest = law_digest(signature, source)
        if digest not in symbols:
            symbols[digest] = law_symbol(digest)
            module.law(symbols[digest], signature, source)
    return symbols, emit(module, target)


def _own(digest: str, signature: str, source: str) -> int:
    """From the cache, or compiled and kept."""
    path, symbol = folder() / f"{digest[:20]}.o", law_symbol(digest)
    file = contents(path)
    if file is not None and file[:64] == digest.encode():  # names are short; what a file is for is compared in full
        return link_object(file[64:], [symbol])[symbol]
    try:
        code = law_objects([(signature, source)], host())[1]
    except Untranslatable as cause:
        logging.getLogger("visviva").info("a law is left to Numba: %s", cause)
        return _by_numba(digest, signature, source)
    keep(path, digest.encode() + code)
    return link_object(code, [symbol])[symbol]


def _by_numba(digest: str, signature: str, source: str) -> int:
    """What the direct compiler does not know."""
    from visviva.kernels.cache import load_generated
    from visviva.kernels.functions import addressable

    return addressable(signature, load_generated(digest[:20], source).law)


def folder() -> Path:
    """Where sources and code of laws are, made if needed; its time is that of the last use."""
    path = root() / f"laws-{key()}"
    with suppress(OSError):  # what cannot be kept is said where it is written
        path.mkdir(parents=True, exist_ok=True)
        os.utime(path)
    return path


@cache  # sources are those that this process has read, whatever happens to the files meanwhile
def key() -> str:
    """Hash of the compiler, of the functions that laws call, of LLVM and of the processor."""
    import llvmlite

    made_by = (compiler_digest(), llvmlite.__version__, host())
    return hashlib.sha256(repr(made_by).encode()).hexdigest()[:16]


@cache
def compiler_digest() -> str:
    """Hash of the compiler and of the functions that laws call."""
    digest = hashlib.sha256()
    for path in (*sorted(Path(__file__).with_name("direct").glob("*.py")), ELEMENTARY):
        digest.update(path.name.encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def kept_source(name: str) -> str | None:
    """The source that was kept under a name, if any was."""
    source = contents(_source_path(name))
    return None if source is None else source.decode()


def keep_source(name: str, source: str) -> None:
    """Keep a source under a name, to be found again and to be read."""
    keep(_source_path(name), source.encode())


def _source_path(name: str) -> Path:
    return folder() / f"g{name}.py"


def constants(source: str) -> dict[str, Any]:
    """Literals that are assigned to names in a source, which is not run."""
    found: dict[str, Any] = {}
    for node in ast.parse(source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = ast.literal_eval(value)
    return found
