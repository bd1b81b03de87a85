"""The text of a module as an object file, for this processor or for a named one."""

from __future__ import annotations

import struct
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any, final

from visviva.kernels.direct.module import Module
from visviva.kernels.direct.operations import FUNCTIONS, INTRINSICS, ROUNDED
from visviva.kernels.direct.writer import Untranslatable

OLDEST = 20  # of the versions of LLVM whose language is written here
LINKED = frozenset(  # what an object may need; all of it is in the C library
    {*FUNCTIONS, *ROUNDED, *(name for name in INTRINSICS if name not in ("fabs", "copysign")), "pow", "fmod"}
    | {"sincos", "exp10", "memset", "memcpy", "memmove"}
)
_emitting = threading.Lock()


@final
@dataclass(frozen=True)
class Target:
    """triple: "x86_64-unknown-linux-gnu".   cpu: "x86-64-v3".   features: "+avx2,-sse4a", or "" for its own."""

    triple: str
    cpu: str
    features: str = ""


@cache
def host() -> Target:
    """This processor."""
    import llvmlite.binding as llvm

    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


def emit(module: Module, target: Target) -> bytes:
    """Optimised machine code of a module; raises `Untranslatable` where LLVM does not take it.

    The same text gives the same bytes. Only functions of the C library are left to be linked.
    """
    import llvmlite.binding as llvm

    if llvm.llvm_version_info[0] < OLDEST:
        raise Untranslatable(f"LLVM {llvm.llvm_version_info[0]} is older than {OLDEST}")
    with _emitting:
        _initialise(target.triple == llvm.get_process_triple())
        try:
            code = _emitted(llvm, module.text(), target)
        except RuntimeError as cause:
            raise Untranslatable(f"LLVM refuses the text: {cause}") from cause
    needed = {*undefined_symbols(code), *(name for name in module.declared if not name.startswith("llvm."))}
    missing = sorted(name for name in needed if name not in LINKED)
    if target.triple == llvm.get_process_triple():
        missing += sorted(name for name in needed - set(missing) if not llvm.address_of_symbol(name))
    if missing:  # LLVM would end the process
        raise Untranslatable(f"object code that needs {', '.join(missing)}")
    return code


def _emitted(llvm: Any, text: str, target: Target) -> bytes:
    parsed = llvm.parse_assembly(text, llvm.create_context())
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="default", codemodel="jitdefault", jit=True
    )
    parsed.triple = target.triple
    parsed.data_layout = str(machine.target_data)
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(parsed, builder)
    return bytes(machine.emit_object(parsed))


@cache
def _initialise(native: bool) -> None:
    import llvmlite.binding as llvm

    if native:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
        llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine).close()  # makes LLVM look into the process
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()


def undefined_symbols(code: bytes) -> list[str]:
    """Names that an object file in the format ELF (64 bit) wants to be linked; of other formats, none is found."""
    if code[:6] != b"\x7fELF\x02\x01":
        return []
    (sections,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", code, sections + k * size) for k in range(count)]
    found = []
    for _, kind, _, _, offset, length, link, _ in headers:
        if kind != 2:  # a table of symbols
            continue
        names = headers[link][4]
        for at in range(offset, offset + length, 24):
            name, _, _, section = struct.unpack_from("<IBBH", code, at)
            if name and section == 0:
                found.append(code[names + name : code.index(b"\0", names + name)].decode())
    return sorted(found)
