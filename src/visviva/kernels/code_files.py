"""Compiled code of one function on disk: a file for each set of argument types, which is used only if it is whole.

Numba's own cache has an index beside the code and trusts both: damaged ones stop the program, and two processes that
add to one index at once can leave each other's code under a name. Here the name of a file follows from what its code
was made for, and the file holds a digest of its contents. Whatever is not exactly what was written counts as absent;
where nothing can be written, the code stays in memory.
"""

from __future__ import annotations

import hashlib
import linecache
import pickle
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, final

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from visviva.kernels.announce import count
from visviva.kernels.files import contents, keep


@final
class CodeFiles(NullCache):
    """What a compiled function of Numba asks before it compiles, and tells what it has compiled.

    function: the Python function.   folder: where its files are.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self.function = function
        self.folder = folder

    @property
    def cache_path(self) -> str:
        """The folder, for Numba's statistics."""
        return str(self.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature, or None."""
        target_context.refresh()
        made_for = self._made_for(sig, target_context.codegen())
        data = contents(self._path(made_for))
        if data is None:
            return None
        try:
            found, code = pickle.loads(data)
        except (AttributeError, ImportError):  # of a type that another version of a library has elsewhere
            return None
        return CompileResult._rebuild(target_context, *code) if found == made_for else None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep the code for a signature, which has just been compiled."""
        count(self.function.__qualname__)
        made_for = self._made_for(sig, cres.codegen)
        if self._source and not cres.library.has_dynamic_globals:  # with them, code holds addresses of this process
            keep(self._path(made_for), dumps((made_for, cres._reduce())))

    @cached_property
    def _source(self) -> str:
        """Hash of the file of the function as this process has read it, or "", as for what is typed at a prompt."""
        text = "".join(linecache.getlines(self.function.__code__.co_filename))
        return hashlib.sha256(text.encode()).hexdigest() if text else ""

    def _made_for(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Source, place in it, bytecode, values of outer variables, argument types, processor."""
        code = self.function.__code__
        outer = dumps([cell.cell_contents for cell in self.function.__closure__ or ()])
        return self._source, code.co_firstlineno, code.co_code, outer, sig, codegen.magic_tuple()

    def _path(self, made_for: tuple[Any, ...]) -> Path:
        code = self.function.__code__
        digest = hashlib.sha256(repr(made_for).encode()).hexdigest()[:20]
        name = f"{Path(code.co_filename).stem}.{code.co_name}".replace("<", "").replace(">", "")
        return self.folder / f"{name}-{digest}.nbc"
