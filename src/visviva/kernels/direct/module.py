"""Laws in one module, with the functions of `kernels.elementary` that they call; those are read, not imported."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import final

from visviva.kernels.direct import operations
from visviva.kernels.direct.translation import Result, Translation
from visviva.kernels.direct.writer import FLOAT, WHOLE, Kind, Untranslatable, Value, Writer

ELEMENTARY = Path(__file__).parent.with_name("elementary.py")
SCALARS: dict[str, Kind] = {"n": WHOLE, "x": FLOAT}
ENTRIES: dict[str, Kind] = {"I": WHOLE, "F": FLOAT}
PRELUDE = '''
def modulo(x, y):
    """x % y with the sign of y."""
    rest = math.fmod(x, y)
    if y == 0.0:
        return rest
    if rest != 0.0:
        if (y < 0.0) != (rest < 0.0):
            return rest + y
        return rest
    return -0.0 if y < 0.0 else 0.0


def floor_divide(x, y):
    """x // y: the quotient without the rest, which is whole but for rounding."""
    if y == 0.0:
        return x / y
    rest = math.fmod(x, y)
    part = (x - rest) / y
    if rest != 0.0 and (y < 0.0) != (rest < 0.0):
        part = part - 1.0
    if abs(part) == math.inf:
        return part
    if part < 0.0 or part > 0.0:
        below = part - modulo_one(part)
        return below + 1.0 if part - below > 0.5 else below
    return part * part * x / y


def modulo_one(x):
    """What is left of a number above the next whole one below; exact."""
    rest = math.fmod(x, 1.0)
    return rest + 1.0 if rest < 0.0 else rest
'''


@final
class Library:
    """Functions in a source text, and the constants between them."""

    def __init__(self, source: str) -> None:
        tree = ast.parse(source)
        self.functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        known: dict[str, object] = {"math": math}
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]):  # of the package's own source: safe to evaluate
                    known[name] = eval(compile(ast.Expression(node.value), "<constants>", "eval"), known)
        self.constants = {
            name: operations.constant(value) for name, value in known.items() if isinstance(value, int | float)
        }


@cache
def _libraries() -> tuple[Library, Library]:
    """The functions that laws import, and those that Python's operations need."""
    return Library(ELEMENTARY.read_text()), Library(PRELUDE)


@final
class Module:
    """Text in LLVM's language: `law` adds one, `text` is all."""

    def __init__(self) -> None:
        self.declared: dict[str, int] = {}
        self._functions: list[str] = []
        self._made: dict[str, Translation] = {}

    def law(self, symbol: str, signature: str, source: str) -> None:
        """The function `law` of a generated source, under the name `symbol`."""
        try:
            tree = ast.parse(source)
            self._law(symbol, signature, tree)
        except (SyntaxError, RecursionError) as cause:
            raise Untranslatable(str(cause)) from cause

    def _law(self, symbol: str, signature: str, tree: ast.Module) -> None:
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        if [node.name for node in functions] != ["law"]:
            raise Untranslatable("a source with something else than one law")
        (node,) = functions
        names = _arguments(node)
        if len(names) != len(signature):
            raise Untranslatable(f"a law of {len(names)} arguments for the signature '{signature}'")
        letters = dict(zip(names, signature, strict=True))
        around = _Around(self, _imported(tree), {})
        written = Translation(
            around,
            {name: SCALARS[letter] for name, letter in letters.items() if letter in SCALARS},
            {name: ENTRIES[letter] for name, letter in letters.items() if letter in ENTRIES},
            node.body,
        )
        if written.returns is not None:
            raise Untranslatable("a law that returns something")
        types = {name: SCALARS.get(letter, "ptr") for name, letter in letters.items()}
        self._functions.append(_text(written, symbol, types))

    def helper(self, library: Library, name: str, kinds: Sequence[Kind]) -> tuple[str, Translation]:
        """A function for arguments of these kinds, made if needed, and its name here."""
        symbol = f"{name}.{'.'.join(kinds)}"
        if symbol not in self._made:
            node = library.functions[name]
            names = _arguments(node)
            if len(names) != len(kinds):
                raise Untranslatable(f"{name} of {len(kinds)} arguments")
            scalars = dict(zip(names, kinds, strict=True))
            around = _Around(self, dict.fromkeys(library.functions, library), library.constants)
            written = Translation(around, scalars, {}, node.body)
            if written.returns is None:
                raise Untranslatable(f"{name} returns nothing")
            self._made[symbol] = written
            self._functions.append(_text(written, symbol, scalars, "internal "))
        return symbol, self._made[symbol]

    def text(self) -> str:
        """All of it."""
        declarations = [
            f"declare double @{name}({', '.join(['double'] * count)}) nounwind readonly"
            for name, count in sorted(self.declared.items())
        ]
        return "\n".join(['source_filename = "laws"', "", *self._functions, *declarations, ""])


@final
class _Around:
    """What a function sees of the module: functions by name, each with the library it is from, and constants."""

    modules = frozenset({"math"})

    def __init__(self, module: Module, functions: Mapping[str, Library], constants: Mapping[str, Value]) -> None:
        self.module = module
        self.functions = functions
        self.constants = constants

    def declare(self, name: str, arguments: int) -> None:
        self.module.declared[name] = arguments

    def call(self, w: Writer, name: str, values: Sequence[Value]) -> Result:
        prelude = _libraries()[1]
        library = self.functions.get(name, prelude if name in prelude.functions else None)
        if library is None:
            raise Untranslatable(f"a call of '{name}'")
        symbol, made = self.module.helper(library, name, [value.kind for value in values])
        given, kinds = ", ".join(f"{value.kind} {value.text}" for value in values), made.returns or ()
        call = f"{made.result} @{symbol}({given})"
        if not made.is_tuple:
            return w.do(kinds[0], f"call {call}")
        packed = w.do(WHOLE, f"call {call}").text
        return tuple(w.do(kind, f"extractvalue {made.result} {packed}, {k}") for k, kind in enumerate(kinds))


def _arguments(node: ast.FunctionDef) -> list[str]:
    given = node.args
    if given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg or given.defaults:
        raise Untranslatable(f"arguments of {node.name} that are not plain")
    return [one.arg for one in given.args]


def _imported(tree: ast.Module) -> dict[str, Library]:
    """Functions of `kernels.elementary` that a law imports; other imports than those and `math` are not known."""
    elementary, found = _libraries()[0], dict[str, Library]()
    for node in tree.body:
        match node:
            case ast.Import(names=[ast.alias(name="math", asname=None)]):
                pass
            case ast.ImportFrom(module="visviva.kernels.elementary", names=names):
                for one in names:
                    if one.asname or one.name not in elementary.functions:
                        raise Untranslatable(f"the import of '{one.name}'")
                    found[one.name] = elementary
            case ast.FunctionDef() | ast.Assign() | ast.Expr(value=ast.Constant(value=str())):
                pass  # constants of a module are for those who call its law
            case _:
                raise Untranslatable(f"{ast.unparse(node)[:80]}")
    return found


def _text(written: Translation, symbol: str, types: Mapping[str, str], linkage: str = "") -> str:
    arguments = ", ".join(f"{kind} %a.{name}" for name, kind in types.items())
    return written.w.text(symbol, written.result, arguments, linkage)
