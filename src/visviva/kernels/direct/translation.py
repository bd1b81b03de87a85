"""Statements and expressions of a syntax tree, one after the other, as lines of a `Writer`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Protocol, final

from visviva.kernels.direct import operations
from visviva.kernels.direct.writer import (
    FLOAT,
    TRUTH,
    WHOLE,
    Kind,
    Untranslatable,
    Value,
    Writer,
    float_constant,
)

Result = Value | tuple[Value, ...]
BUILTINS = ("abs", "min", "max", "float", "int")


class Surroundings(Protocol):
    """What a function finds outside of itself."""

    constants: Mapping[str, Value]
    modules: frozenset[str]  # under which names `math` is known

    def declare(self, name: str, arguments: int) -> None:
        """Tell that a function of floats is called."""

    def call(self, w: Writer, name: str, values: Sequence[Value]) -> Result:
        """Call another function of the module."""


@final
class Translation:
    """The body of one function.

    scalars: names and kinds of arguments.   pointers: names of those that are arrays, and the kinds of their entries.
    returns: kinds of what it returns, found in its first return; laws return nothing.
    """

    def __init__(
        self,
        around: Surroundings,
        scalars: Mapping[str, Kind],
        pointers: Mapping[str, Kind],
        body: Sequence[ast.stmt],
    ) -> None:
        self.around = around
        self.pointers = pointers
        self.w = Writer()
        self.returns: tuple[Kind, ...] | None = None
        self.is_tuple = False
        for name, kind in scalars.items():
            self.w.assign(name, Value(kind, f"%a.{name}"))
        self._statements(body)
        if not self.w.ended:
            if self.returns is not None:
                raise Untranslatable("a function that returns something only sometimes")
            self.w.effect("ret void")

    @property
    def result(self) -> str:
        """What it returns, as a type of LLVM."""
        if self.returns is None:
            return "void"
        return f"{{ {', '.join(self.returns)} }}" if self.is_tuple else self.returns[0]

    # -- statements ------------------------------------------------------------------------------------------------

    def _statements(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if self.w.ended:
                return
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=given):
                value = self._result(given)
                for target in targets:
                    self._assign(target, value)
            case ast.AugAssign(target=ast.Name() as target, op=operator, value=given):
                self._assign(target, self._operation(operator, self.value(target), given))
            case ast.AugAssign(target=ast.Subscript() as target, op=operator, value=given):
                kind, place = self._place(target)
                old = self.w.do(kind, f"load {kind}, ptr {place}")
                self._store(kind, place, self._operation(operator, old, given))
            case ast.If():
                self._if(statement)
            case ast.For():
                self._for(statement)
            case ast.Return(value=ast.expr() as given):
                self._return(self._result(given))
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                pass
            case _:
                raise Untranslatable(f"the statement {type(statement).__name__}")

    def _assign(self, target: ast.expr, value: Result) -> None:
        match target, value:
            case ast.Name(id=name), Value():
                if name in self.pointers:
                    raise Untranslatable(f"an array '{name}' that changes")
                self.w.assign(name, value)
            case ast.Subscript(), Value():
                self._store(*self._place(target), value)
            case ast.Tuple(elts=targets), tuple() if len(targets) == len(value):
                for one, part in zip(targets, value, strict=True):
                    self._assign(one, part)
            case _:
                raise Untranslatable(f"an assignment to {type(target).__name__}")

    def _store(self, kind: Kind, place: str, value: Value) -> None:
        value = self.w.as_float(value) if kind == FLOAT else self.w.as_whole(value)
        self.w.effect(f"store {kind} {value.text}, ptr {place}")

    def _place(self, node: ast.Subscript) -> tuple[Kind, str]:
        """The address of an entry of an array, and its kind."""
        if not isinstance(node.value, ast.Name) or node.value.id not in self.pointers:
            raise Untranslatable("an entry of something that is no array")
        name, index = node.value.id, self.w.as_whole(self.value(node.slice))
        kind = self.pointers[name]
        return kind, self.w.do(WHOLE, f"getelementptr {kind}, ptr %a.{name}, i64 {index.text}").text

    def _if(self, node: ast.If) -> None:
        k = self.w.number()
        self.w.branch(self.truth(node.test), f"then{k}", f"else{k}")
        self.w.begin(f"then{k}")
        self._statements(node.body)
        ended = self.w.ended
        self.w.jump(f"end{k}")
        self.w.begin(f"else{k}")
        self._statements(node.orelse)
        ended = ended and self.w.ended
        self.w.jump(f"end{k}")
        if not ended:
            self.w.begin(f"end{k}")

    def _for(self, node: ast.For) -> None:
        match node:
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=[_, *_] as given, keywords=[]),
                orelse=[],
            ) if len(given) <= 3:
                pass
            case _:
                raise Untranslatable("a loop over something else than a range")
        step = _whole_literal(given[2]) if len(given) == 3 else 1
        if not step:
            raise Untranslatable("a range whose step is not known, or zero")
        ends = [ast.Constant(0), *given] if len(given) == 1 else given[:2]
        first, last = (self.w.as_whole(self.value(one)) for one in ends)
        k, w = self.w.number(), self.w
        counter = f"{name}.{k}"  # what the body does to its variable is no matter
        w.assign(counter, first)
        w.jump(f"head{k}")
        w.begin(f"head{k}")
        at = w.read(counter)
        inside = operations.compared(w, ast.Lt() if step > 0 else ast.Gt(), at, last)
        w.branch(inside, f"body{k}", f"done{k}")
        w.begin(f"body{k}")
        w.assign(name, at)
        self._statements(node.body)
        if not w.ended:
            w.assign(counter, w.do(WHOLE, f"add nsw i64 {at.text}, {step}"))
        w.jump(f"head{k}")
        w.begin(f"done{k}")

    def _return(self, value: Result) -> None:
        parts = value if isinstance(value, tuple) else (value,)
        kinds = tuple(part.kind for part in parts)
        if self.returns is None:
            self.returns, self.is_tuple = kinds, isinstance(value, tuple)
        if (self.returns, self.is_tuple) != (kinds, isinstance(value, tuple)):
            raise Untranslatable("a function that returns several kinds")
        if not isinstance(value, tuple):
            self.w.effect(f"ret {self.result} {value.text}")
        else:
            packed = "poison"
            for k, part in enumerate(value):
                packed = self.w.do(WHOLE, f"insertvalue {self.result} {packed}, {part.kind} {part.text}, {k}").text
            self.w.effect(f"ret {self.result} {packed}")
        self.w.ended = True

    # -- expressions -----------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """One number."""
        found = self._result(node)
        if isinstance(found, tuple):
            raise Untranslatable("several numbers where one is needed")
        return found

    def truth(self, node: ast.expr) -> Value:
        """A number as a condition."""
        return self.w.as_truth(self.value(node))

    def _result(self, node: ast.expr) -> Result:
        match node:
            case ast.Constant(value=value):
                return operations.constant(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in self.around.modules:
                if name in operations.CONSTANTS:
                    return operations.CONSTANTS[name]
            case ast.Tuple(elts=parts):
                return tuple(self.value(part) for part in parts)
            case ast.Subscript(value=ast.Call() as call):
                found, k = self._call(call), _whole_literal(node.slice)
                if isinstance(found, tuple) and k is not None and 0 <= k < len(found):
                    return found[k]
            case ast.Subscript():
                kind, place = self._place(node)
                return self.w.do(kind, f"load {kind}, ptr {place}")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return operations.negated(self.w, self.value(operand))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.w.do(TRUTH, f"xor i1 {self.truth(operand).text}, true")
            case ast.BinOp():
                return self._binary(node)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp():
                return self._bool(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
        raise Untranslatable(f"the expression {ast.unparse(node)[:80]}")

    def _name(self, name: str) -> Value:
        if name in self.w.variables:
            return self.w.read(name)
        if name in self.around.constants and name not in self.pointers:
            return self.around.constants[name]
        raise Untranslatable(f"the name '{name}'")

    def _binary(self, node: ast.BinOp) -> Value:
        """Long sums are deep trees that lean to the left: they are walked without recursion."""
        spine: list[ast.BinOp] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            spine.append(first)
            first = first.left
        value = self.value(first)
        for one in reversed(spine):
            value = self._operation(one.op, value, one.right)
        return value

    def _operation(self, operator: ast.operator, a: Value, right: ast.expr) -> Value:
        if isinstance(operator, ast.Pow) and (exponent := _whole_literal(right)) is not None:
            return operations.whole_power(self.w, a, exponent)
        b = self.value(right)
        name = {ast.Mod: "modulo", ast.FloorDiv: "floor_divide"}.get(type(operator))
        if name and FLOAT in (a.kind, b.kind):
            found = self.around.call(self.w, name, [self.w.as_float(a), self.w.as_float(b)])
            assert isinstance(found, Value)
            return found
        return operations.binary(self.w, self.around.declare, operator, a, b)

    def _compare(self, node: ast.Compare) -> Value:
        a, found = self.value(node.left), None
        if len(node.ops) > 1 and not all(isinstance(one, ast.Name | ast.Constant) for one in node.comparators):
            raise Untranslatable("a chain of comparisons of more than names and constants")
        for operator, right in zip(node.ops, node.comparators, strict=True):
            b = self.value(right)
            holds = operations.compared(self.w, operator, a, b)
            found = holds if found is None else self.w.do(TRUTH, f"and i1 {found.text}, {holds.text}")
            a = b
        assert found is not None
        return found

    def _bool(self, node: ast.BoolOp) -> Value:
        """What comes later is asked only if it matters: it may read beyond an array, or take long."""
        w, k, decided = self.w, self.w.number(), "true" if isinstance(node.op, ast.Or) else "false"
        ways: list[str] = []
        for j, part in enumerate(node.values):
            value = self.value(part)
            if value.kind != TRUTH:
                raise Untranslatable("'and' or 'or' of numbers")
            if j == len(node.values) - 1:
                ways.append(f"[ {value.text}, %{w.block} ]")
                w.jump(f"end{k}")
                break
            ways.append(f"[ {decided}, %{w.block} ]")
            more, end = f"more{k}.{j}", f"end{k}"
            w.branch(value, *((end, more) if decided == "true" else (more, end)))
            w.begin(more)
        w.begin(f"end{k}")
        return w.do(TRUTH, f"phi i1 {', '.join(ways)}")

    def _choice(self, node: ast.IfExp) -> Value:
        """Only one side is evaluated."""
        w, k = self.w, self.w.number()
        w.branch(self.truth(node.test), f"then{k}", f"else{k}")
        w.begin(f"then{k}")
        a, end_a, after_a = self.value(node.body), w.block, len(w.lines)
        w.jump(f"end{k}")
        w.begin(f"else{k}")
        b, end_b = self.value(node.orelse), w.block
        if a.kind != b.kind:  # the first side is converted where it was evaluated
            rest = w.lines[after_a:]
            del w.lines[after_a:]
            a = w.as_float(a) if FLOAT in (a.kind, b.kind) else w.as_whole(a)
            w.lines += rest
            b = w.as_float(b) if a.kind == FLOAT else w.as_whole(b)
        w.jump(f"end{k}")
        w.begin(f"end{k}")
        return w.do(a.kind, f"phi {a.kind} [ {a.text}, %{end_a} ], [ {b.text}, %{end_b} ]")

    def _call(self, node: ast.Call) -> Result:
        if node.keywords:
            raise Untranslatable("arguments by name")
        match node.func, node.args:
            case ast.Name(id="float"), [ast.Constant(value=str(text))]:
                return float_constant(float(text))
            case ast.Name(id=name), _ if name in BUILTINS:
                return operations.builtin(self.w, self.around.declare, name, [self.value(one) for one in node.args])
            case ast.Name(id=name), _:
                return self.around.call(self.w, name, [self.value(one) for one in node.args])
            case ast.Attribute(value=ast.Name(id=module), attr=name), _ if module in self.around.modules:
                given = [self.value(one) for one in node.args]
                return operations.math_function(self.w, self.around.declare, name, given)
        raise Untranslatable(f"a call of {ast.unparse(node.func)[:80]}")


def _whole_literal(node: ast.expr) -> int | None:
    """A whole number that stands in the text, with or without a sign."""
    match node:
        case ast.Constant(value=int() as k) if not isinstance(k, bool):
            return k
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as k)) if not isinstance(k, bool):
            return -k
    return None
