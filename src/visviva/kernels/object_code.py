"""Machine code in memory: object files are linked into the process by LLVM, whoever has made them.

Numba is not needed for it: llvmlite alone is imported in a tenth of the time.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

_linking = threading.Lock()  # LLVM links one object at a time
_linked: list[Any] = []  # what is called by address must outlive every caller


@cache
def _host() -> Any:
    """The target machine of this process, whose conventions of linking all code here follows."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


@cache
def host_features() -> frozenset[str]:
    """What the processor of this machine can do, in the words of LLVM."""
    import llvmlite.binding as llvm

    return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)


def link_object(code: bytes, symbols: list[str]) -> dict[str, int]:
    """Addresses of functions of an object file, valid as long as the process lives.

    An object that needs what the process does not have, or that lacks one of the symbols, raises RuntimeError: LLVM
    would end the process instead, so who calls this has a digest that vouches for the code.
    """
    import llvmlite.binding as llvm

    with _linking:
        machine = _host().create_target_machine(opt=0, jit=True, codemodel="jitdefault", reloc="default")
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        addresses = {symbol: int(engine.get_function_address(symbol)) for symbol in symbols}
        _linked.append((engine, machine))
    missing = sorted(symbol for symbol, address in addresses.items() if not address)
    if missing:
        raise RuntimeError(f"object code without the function(s) {', '.join(missing)}")
    return addresses
