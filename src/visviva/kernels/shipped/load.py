"""Shipped object code, found, checked and linked: once per process, when the first kernel is called.

    manifest.json     digest of the sources of kernels, version of the layout; symbols of entries by kernel and by
                      layout of the arguments, and of functions that are called by address; digest of each object,
                      known bits
    <level>.o.xz      the object code for a level of processors; laws-<level>.o.xz that of generated laws

What does not fit in any respect is not used, with one note; $VISVIVA_SHIPPED=0 does without, and without a note.
"""

from __future__ import annotations

import hashlib
import json
import logging
import lzma
import os
import platform
import sys
import sysconfig
import threading
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, final

from visviva.kernels.cache import digest_of
from visviva.kernels.object_code import host_features, link_object
from visviva.kernels.shipped.entry import PACK, AbstractEntries, Entries

FOLDER = Path(__file__).parent
KEYS = ("objects", "bits", "entries", "twins", "functions", "pack", "laws", "compiler")  # of the manifest, besides
VERSION = 2  # of how arguments are laid out and entries are called
LEVELS = {  # of processors, best first: what they must be able to do
    "x86-64-v4": (
        "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl",
        "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "ssse3",
    ),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "ssse3"),
    "x86-64-v2": ("cx16", "popcnt", "sse4.1", "sse4.2", "ssse3"),
}  # fmt: skip
OTHER_CODE = (  # settings of Numba that ask for other code than is shipped
    "NUMBA_BOUNDSCHECK", "NUMBA_CPU_FEATURES", "NUMBA_CPU_NAME", "NUMBA_DEBUGINFO", "NUMBA_DISABLE_INTEL_SVML",
    "NUMBA_DISABLE_JIT", "NUMBA_ENABLE_AVX", "NUMBA_LOOP_VECTORIZE", "NUMBA_OPT", "NUMBA_SLP_VECTORIZE",
)  # fmt: skip


class Unfit(Exception):
    """Why shipped code is not used, where something is wrong with it."""


class AbstractLibrary(ABC):
    """Where kernels are looked for before they are compiled."""

    @abstractmethod
    def entries(self, name: str, sources: str | None = None) -> AbstractEntries | None:
        """The ways into a kernel that was made of these sources."""

    @abstractmethod
    def address(self, name: str, signature: str) -> int | None:
        """The address of a function of kernels, as C calls it."""

    @abstractmethod
    def law(self, digest: str, signature: str, source: str) -> int | None:
        """The address of a generated law, named by a digest of its signature and source."""


@final
class Library(AbstractLibrary):
    """Object code in memory.

    level: of processors that it is for.   manifest: as it was read.   addresses: by symbol.
    """

    def __init__(self, level: str, manifest: dict[str, Any], addresses: dict[str, int]) -> None:
        self.level, self.manifest = level, manifest
        self._addresses = addresses
        self._pack = PACK(addresses[manifest["pack"]])

    def entries(self, name: str, sources: str | None = None) -> Entries | None:  # noqa: D102
        kernel = self.manifest["entries"].get(name)
        if kernel is None or self.manifest["twins"].get(name) != sources:
            return None
        places = {layout: (self._addresses[symbol], results) for layout, (symbol, results) in kernel.items()}
        return Entries(places, self._pack)

    def address(self, name: str, signature: str) -> int | None:  # noqa: D102
        symbol = self.manifest["functions"].get(spelled(name, signature))
        return None if symbol is None else self._addresses[symbol]

    def law(self, digest: str, signature: str, source: str) -> int | None:  # noqa: D102
        return self._laws.get(digest)

    def probe_bits(self) -> list[str]:
        """What a small kernel computes here."""
        from visviva.kernels.probe import probe, probe_bits

        entries = self.entries(probe.name)  # type: ignore[attr-defined]

        def run(*arguments: Any) -> Any:
            done, result = (False, None) if entries is None else entries.call(arguments)
            if not done:
                raise Unfit("they do not take their arguments")
            return result

        return probe_bits(run)

    @cached_property
    def _laws(self) -> dict[str, int]:
        """Addresses of all laws; none where another version of their compiler has made them."""
        from visviva.kernels.laws import compiler_digest, law_symbol

        if self.manifest["compiler"] != compiler_digest():
            return {}
        symbols = {digest: law_symbol(digest) for digest in self.manifest["laws"]}
        try:
            found = link_object(read_object(self.manifest, f"laws-{self.level}"), sorted(symbols.values()))
        except (Unfit, KeyError, RuntimeError) as reason:
            _say("laws", reason)
            return {}
        return {digest: found[symbol] for digest, symbol in symbols.items()}


def law_of(digest: str, signature: str, source: str) -> int | None:
    """The address of a generated law."""
    found = library()
    return None if found is None else found.law(digest, signature, source)


def entries_of(name: str, sources: str | None = None) -> AbstractEntries | None:
    """The ways into a kernel; sources: digest of those that are none of `visviva.kernels`."""
    found = library()
    return None if found is None else found.entries(name, sources)


def address_of(name: str, signature: str) -> int | None:
    """The address of a function of kernels."""
    found = library()
    return None if found is None else found.address(name, signature)


def spelled(name: str, signature: str) -> str:
    """The name of a function that is called by address, with its types."""
    return f"{name}({signature})"


def why_not() -> str | None:
    """Why no shipped code can be used here, where that is as it should be."""
    wanted = os.environ.get("VISVIVA_SHIPPED", "")
    if wanted.lower() in ("0", "no", "false", "off"):
        return f"VISVIVA_SHIPPED={wanted}"
    asked = [name for name in OTHER_CODE if os.environ.get(name) not in (None, "", "0")]
    if asked:
        return f"{asked[0]} asks for other code"
    if sys.platform != "linux" or platform.machine() != "x86_64" or sys.implementation.name != "cpython":
        return f"nothing is shipped for {sys.implementation.name} on {sys.platform}, {platform.machine()}"
    if sysconfig.get_config_var("Py_GIL_DISABLED") or object.__basicsize__ != 16:
        return "nothing is shipped for this build of Python"
    if not (FOLDER / "manifest.json").exists():
        return "this installation has no shipped code"
    return None


_state: list[AbstractLibrary | None] = []  # of this process, once it is known
_loading = threading.Lock()


def use(other: AbstractLibrary | None) -> None:
    """Look for kernels elsewhere from now on; those that were found already stay."""
    _state[:] = [other]


def library() -> AbstractLibrary | None:
    """The shipped code of this process; None where there is none that fits."""
    if _state:
        return _state[0]
    with _loading:  # other threads wait for what the first one finds
        if not _state:
            found = None
            if why_not() is None:
                try:
                    found = _load()
                except Unfit as reason:
                    _say("kernels", reason)
                except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as reason:
                    _say("kernels", Unfit(f"their manifest does not say what they are ({reason!r})"))
            _state.append(found)
    return _state[0]


def _say(what: str, reason: Exception) -> None:
    """Not a warning of Python, which some turn into an error."""
    note = "shipped %s are not used: %s. They are compiled instead, once per machine."
    logging.getLogger("visviva").warning(note, what, reason)


def read_manifest(folder: Path = FOLDER) -> dict[str, Any]:
    """What is shipped; whatever is not exactly that raises `Unfit`."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        version, sources = manifest["version"], manifest["sources"]
    except (OSError, ValueError, KeyError, TypeError) as cause:
        raise Unfit(f"their manifest cannot be read ({cause})") from cause
    lacking = [key for key in KEYS if key not in manifest]
    if lacking:
        raise Unfit(f"their manifest has no {lacking[0]!r}")
    if version != VERSION:
        raise Unfit(f"they are of version {version}, this is version {VERSION}")
    if sources != digest_of():
        raise Unfit("they were made from other sources")
    return dict(manifest)


def level_of(manifest: dict[str, Any], features: frozenset[str]) -> str:
    """The best level that is shipped and that a processor with some features has."""
    for level, needed in LEVELS.items():
        if level in manifest["objects"] and features.issuperset(needed):
            return level
    raise Unfit(f"this processor has none of the levels {', '.join(LEVELS)}")


def read_object(manifest: dict[str, Any], name: str, folder: Path = FOLDER) -> bytes:
    """The object code of a name, if it is the one that was made."""
    try:
        code = lzma.decompress((folder / f"{name}.o.xz").read_bytes())
    except (OSError, lzma.LZMAError, EOFError) as cause:
        raise Unfit(f"{name}.o.xz cannot be read ({cause})") from cause
    if hashlib.sha256(code).hexdigest() != manifest["objects"][name]:
        raise Unfit(f"{name}.o.xz is damaged")
    return code


def linked(manifest: dict[str, Any], level: str, code: bytes) -> Library:
    """Object code in this process."""
    entries = {symbol for kernel in manifest["entries"].values() for symbol, _ in kernel.values()}
    return Library(level, manifest, link_object(code, sorted({*entries, *manifest["functions"].values()})))


def _load() -> Library:
    manifest = read_manifest()
    level = level_of(manifest, host_features())
    found = linked(manifest, level, read_object(manifest, level))
    bits = found.probe_bits()
    if bits != manifest["bits"][level]:
        raise Unfit(f"they compute {bits[0]} here, where {manifest['bits'][level][0]} is right")
    return found
