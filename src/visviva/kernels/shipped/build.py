"""Kernels compiled ahead of time: what a process has called is merged, optimised as a whole and written as an object.

Numba compiles each kernel for itself, with what it calls; here the copies of what several of them call become one, all
but the entries is internal, and LLVM optimises once more. The result depends on the sources, the versions of Numba and
llvmlite, and the level of processors: the same of them give the same bytes.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import lzma
from pathlib import Path
from typing import Any, final

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types

from visviva.kernels.cache import SOURCES, digest_of
from visviva.kernels.direct.emission import LINKED, Target, undefined_symbols
from visviva.kernels.functions import Kernel
from visviva.kernels.jit import add_entry, callbacks
from visviva.kernels.joints import JOINTS, joint_address
from visviva.kernels.laws import compiler_digest, law_objects
from visviva.kernels.pack import pack_address
from visviva.kernels.probe import probe_bits
from visviva.kernels.shipped.entry import MOST, AbstractEntries
from visviva.kernels.shipped.layout import Unnamed, fits, layout_of
from visviva.kernels.shipped.load import LEVELS, VERSION, AbstractLibrary, linked, spelled, use
from visviva.kernels.turned import turning
from visviva.kernels.twins import kernel_of

KERNELS = "visviva.kernels."  # generated functions are not among them
TRIPLE = "x86_64-unknown-linux-gnu"


@final
class Recorded(AbstractEntries):
    """No way into a kernel, but a note of those that were looked for."""

    def __init__(self) -> None:
        self.asked: dict[str, tuple[Any, ...]] = {}  # types by layout

    def function(self, arguments: tuple[Any, ...], layout: str) -> Any:  # noqa: D102
        self.asked.setdefault(layout, tuple(numba.typeof(value) for value in arguments))

    def call(self, arguments: tuple[Any, ...]) -> tuple[bool, Any]:  # noqa: D102
        try:
            self.function(arguments, layout_of(arguments))
        except Unnamed as what:
            raise AssertionError("a kernel is called with what cannot be shipped") from what
        return False, None


@final
class Recording(AbstractLibrary):
    """A note of all kernels that a process calls, while Numba compiles them."""

    def __init__(self) -> None:
        self.found: dict[str, Recorded] = {}
        self.twins: dict[str, str] = {}  # digests of their sources
        self.laws: dict[str, tuple[str, str]] = {}
        use(self)

    def entries(self, name: str, sources: str | None = None) -> Recorded | None:  # noqa: D102
        if sources is not None:
            self.twins[name] = sources
        return self.found.setdefault(name, Recorded()) if name.startswith(KERNELS) or sources else None

    def address(self, name: str, signature: str) -> None:  # noqa: D102
        return None

    def law(self, digest: str, signature: str, source: str) -> None:  # noqa: D102
        self.laws[digest] = signature, source


def results_of(kind: Any) -> str:
    """The letters of what a kernel returns."""
    letters = {types.none: "", types.int64: "i", types.float64: "f"}
    members: Any = kind if isinstance(kind, types.BaseTuple) else [kind]
    found = "".join(letters.get(types.unliteral(member), "?") for member in members)
    if "?" in found or len(found) > MOST:
        raise RuntimeError(f"an entry cannot return {kind}")
    return found


def _kernel(name: str) -> Kernel:
    module, function = name.rsplit(".", 1)
    found = getattr(importlib.import_module(module), function)
    return found if isinstance(found, Kernel) else kernel_of(found)


@final
class Objects:
    """All that was recorded, in one module of LLVM."""

    def __init__(self, recording: Recording) -> None:
        probe_bits()
        pack_address(), turning()  # compiled, and known to `callbacks`
        for kind in JOINTS:
            joint_address(kind)
        self.entries: dict[str, dict[str, tuple[str, str]]] = {}
        self.functions: dict[str, str] = {}
        self._laws, self._twins = dict(sorted(recording.laws.items())), recording.twins
        self._module = llvm.parse_assembly(f'target triple = "{TRIPLE}"')
        ways = ir.Module("entries")
        ways.triple = TRIPLE
        declared: list[str] = []
        for name in sorted(recording.found):
            asked = recording.found[name].asked
            for layout, kinds in sorted(asked.items()):
                if any(fits(layout, other) for other in asked if other != layout):
                    continue  # one that only reads what this one could write takes its place
                compiled = _kernel(name).meaning.overloads[kinds]
                self._link(compiled.library, compiled.fndesc.llvm_func_name)
                symbol = f"entry{len(declared)}"
                declared.append(symbol)
                add_entry(ways, symbol, compiled)
                self.entries.setdefault(name, {})[layout] = symbol, results_of(compiled.signature.return_type)
        named = {spelled(*key): function for key, function in callbacks.items() if key[0].startswith(KERNELS)}
        for name in sorted(named):
            self._link(named[name]._library, named[name]._wrapper_name)
            self.functions[name] = named[name]._wrapper_name
        self._module.link_in(llvm.parse_assembly(str(ways)))
        self._rename({*declared, *self.functions.values()})

    def _link(self, library: Any, symbol: str) -> None:
        """Add what a function needs; what is there already is not added again."""
        other = llvm.parse_bitcode(library._get_module_for_linking().as_bitcode())
        other.triple = TRIPLE
        other.get_function(symbol).linkage = "external"
        self._module.link_in(other)

    def _rename(self, exported: set[str]) -> None:
        """All but what is exported is internal; names that say where and in which order something was compiled go."""
        new = {name: f"function{k}" for k, name in enumerate(sorted(set(self.functions.values())))}
        self.functions = {name: new[symbol] for name, symbol in self.functions.items()}
        for k, value in enumerate([*self._module.functions, *self._module.global_variables]):
            if value.is_declaration:
                continue
            if value.name in exported:
                value.name = new.get(value.name, value.name)
                value.linkage = "external"
            else:
                value.linkage = "internal"
                value.name = f"v{k}"

    def emit(self, level: str) -> bytes:
        """The object code for a level of processors."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(TRIPLE)
        machine = target.create_target_machine(cpu=level, opt=3, reloc="pic", codemodel="small")
        module = llvm.parse_bitcode(self._module.as_bitcode())
        module.data_layout = str(machine.target_data)
        tuning = llvm.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization, tuning.slp_vectorization = True, False
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        code = bytes(machine.emit_object(module))
        foreign = [name for name in undefined_symbols(code) if name not in LINKED]
        if foreign:
            raise RuntimeError(f"shipped kernels would need {', '.join(name[:80] for name in foreign)}")
        if b".py" in code:
            raise RuntimeError("shipped kernels would hold the name of a file: one of them can raise an exception")
        return code

    def emit_laws(self, level: str) -> bytes:
        """The object code of all laws that were met."""
        return law_objects(list(self._laws.values()), Target(TRIPLE, level))[1]

    def manifest(self) -> dict[str, Any]:
        """All but what depends on the level."""
        (pack,) = (symbol for name, symbol in self.functions.items() if name.startswith("visviva.kernels.pack.pack("))
        return {
            "version": VERSION, "sources": digest_of(SOURCES), "numba": numba.__version__, "pack": pack,
            "entries": self.entries, "twins": self._twins, "functions": self.functions, "objects": {}, "bits": {},
            "compiler": compiler_digest(), "laws": list(self._laws),
        }  # fmt: skip


def write(objects: Objects, folder: Path) -> dict[str, int]:
    """Write objects for all levels, and the manifest; sizes of the files in bytes, by name.

    What they compute for known arguments is measured with the objects themselves.
    """
    manifest, sizes = objects.manifest(), {}
    for level in LEVELS:
        code = objects.emit(level)
        for name, one in ((level, code), (f"laws-{level}", objects.emit_laws(level))):
            packed = lzma.compress(one, preset=9 | lzma.PRESET_EXTREME)
            (folder / f"{name}.o.xz").write_bytes(packed)
            sizes[name] = len(packed)
            manifest["objects"][name] = hashlib.sha256(one).hexdigest()
        manifest["bits"][level] = linked(manifest, level, code).probe_bits()
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    return sizes
