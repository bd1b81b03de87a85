"""One function in LLVM's language, line by line.

Variables live on the stack: LLVM makes registers of them. All start at zero, so that no value is undefined.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Literal, final

FLOAT: Literal["double"] = "double"
WHOLE: Literal["i64"] = "i64"
TRUTH: Literal["i1"] = "i1"
Kind = Literal["double", "i64", "i1"]


class Untranslatable(Exception):
    """Something that this compiler does not know; Numba is asked instead."""


@final
@dataclass(frozen=True)
class Value:
    """A number: its kind, and the constant or the name of a register in which it is."""

    kind: Kind
    text: str

    @property
    def is_constant(self) -> bool:
        """Whether it is known now."""
        return not self.text.startswith("%")


def float_constant(x: float) -> Value:
    """A float to its last bit."""
    return Value(FLOAT, f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}")


def whole_constant(k: int) -> Value:
    """A whole number of 64 bits."""
    if not -(2**63) <= k < 2**63:
        raise Untranslatable(f"{k} has more than 64 bits")
    return Value(WHOLE, str(k))


def truth_constant(truth: bool) -> Value:
    """True or false."""
    return Value(TRUTH, "true" if truth else "false")


@final
class Writer:
    """Each operation rounds: a product and a sum are never fused, so that results are those of every processor."""

    def __init__(self) -> None:
        self.start: list[str] = []  # of the first block: variables
        self.lines: list[str] = []
        self.variables: dict[str, Kind] = {}
        self.block = "first"
        self.ended = False  # after a jump, until the next block begins
        self._count = 0

    def number(self) -> int:
        """One that was not used in this function."""
        self._count += 1
        return self._count

    def do(self, kind: Kind, instruction: str) -> Value:
        """The result of an instruction, in a new register."""
        name = f"%t{self.number()}"
        self.lines.append(f"  {name} = {instruction}")
        return Value(kind, name)

    def effect(self, instruction: str) -> None:
        """An instruction without a result."""
        self.lines.append(f"  {instruction}")

    def begin(self, block: str) -> None:
        """What follows belongs to a new block."""
        self.lines.append(f"{block}:")
        self.block, self.ended = block, False

    def jump(self, block: str) -> None:
        """End a block, if it has not ended yet."""
        if not self.ended:
            self.effect(f"br label %{block}")
        self.ended = True

    def branch(self, condition: Value, then: str, other: str) -> None:
        """End a block by a choice."""
        self.effect(f"br i1 {condition.text}, label %{then}, label %{other}")
        self.ended = True

    def read(self, variable: str) -> Value:
        """The value of a variable."""
        kind = self.variables[variable]
        return self.do(kind, f"load {kind}, ptr %v.{variable}")

    def assign(self, variable: str, value: Value) -> None:
        """A variable has one kind; whole numbers become floats where it is one."""
        kind = self.variables.get(variable)
        if kind is None:
            kind = self.variables[variable] = value.kind
            self.start += [f"  %v.{variable} = alloca {kind}", f"  store {kind} zeroinitializer, ptr %v.{variable}"]
        value = self.as_float(value) if kind == FLOAT else value
        if value.kind != kind:
            raise Untranslatable(f"'{variable}' is both {kind} and {value.kind}")
        self.effect(f"store {kind} {value.text}, ptr %v.{variable}")

    def as_float(self, value: Value) -> Value:
        """A number as a float."""
        if value.kind == FLOAT:
            return value
        value = self.as_whole(value)
        if value.is_constant:
            return float_constant(float(int(value.text)))
        return self.do(FLOAT, f"sitofp i64 {value.text} to double")

    def as_whole(self, value: Value) -> Value:
        """A whole number or a truth as a whole number."""
        if value.kind == FLOAT:
            raise Untranslatable("a float where a whole number is needed")
        if value.kind == WHOLE:
            return value
        if value.is_constant:
            return whole_constant(int(value.text == "true"))
        return self.do(WHOLE, f"zext i1 {value.text} to i64")

    def as_truth(self, value: Value) -> Value:
        """Whether a number is not zero; nan is not."""
        if value.kind == TRUTH:
            return value
        if value.kind == WHOLE:
            return self.do(TRUTH, f"icmp ne i64 {value.text}, 0")
        return self.do(TRUTH, f"fcmp une double {value.text}, {float_constant(0.0).text}")

    def alike(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Two numbers of one kind: floats where one is."""
        if FLOAT in (a.kind, b.kind):
            return self.as_float(a), self.as_float(b)
        return self.as_whole(a), self.as_whole(b)

    def text(self, name: str, result: str, arguments: str, linkage: str = "") -> str:
        """The whole function."""
        head = f"define {linkage}{result} @{name}({arguments}) nounwind {{"
        return "\n".join([head, "first:", *self.start, *self.lines, "}", ""])
