"""Four numbers as one type of Numba, and the functions of `lanes` as instructions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

from visviva.kernels.trees.lanes import WIDTH

VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
INDEX = ir.IntType(32)


class Lanes(types.Type):
    """The type of four numbers of 64 bits."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes{WIDTH}")


lanes = Lanes()
number = types.float64


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _spread(builder: Any, x: Any) -> Any:
    """The same number in every lane."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), x, ir.Constant(INDEX, 0))
    zeros = ir.Constant(ir.VectorType(INDEX, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), zeros)


def _as_lanes(builder: Any, x: Any, kind: Any) -> Any:
    return x if kind == lanes else _spread(builder, x)


def _binary(symbol: Callable[..., Any], instruction: str) -> None:
    """Defines an operation of lanes with lanes or with numbers."""

    @infer_global(symbol)
    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and lanes in args and all(kind in (lanes, number) for kind in args):
                return signature(lanes, *args)
            return None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        left, right = (_as_lanes(builder, x, kind) for x, kind in zip(args, sig.args, strict=True))
        return getattr(builder, instruction)(left, right)

    for kinds in ((lanes, lanes), (lanes, number), (number, lanes)):
        lower_builtin(symbol, *kinds)(lower)


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _binary(_symbol, _instruction)


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(lanes, lanes) if tuple(args) == (lanes,) else None


def _negative(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fsub(ir.Constant(VECTOR, [-0.0] * WIDTH), args[0])


lower_builtin(operator.neg, lanes)(_negative)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, places: Any, place_kinds: Any) -> Any:
    """Of an entry, or of the first of four."""
    view = context.make_array(kind)(context, builder, array)
    at = [context.cast(builder, k, t, types.intp) for k, t in zip(places, place_kinds, strict=True)]
    at += [context.get_constant(types.intp, 0)] * (kind.ndim - len(at))
    pointer = cgutils.get_item_pointer(context, builder, kind, view, at, wraparound=False)
    return pointer if len(places) == kind.ndim else builder.bitcast(pointer, VECTOR.as_pointer())


def _read(kind: Any, places: int) -> tuple[Any, Any]:
    value = kind.dtype if kind.ndim == places else lanes

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = _pointer(context, builder, sig.args[0], args[0], args[1:], sig.args[1:])
        if sig.args[0].ndim == places:
            return context.unpack_value(builder, sig.args[0].dtype, at)
        found = builder.load(at)
        found.align = 8
        return found

    return value, codegen


def _write(places: int) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind, given = sig.args[0], sig.args[-1]
        at = _pointer(context, builder, kind, args[0], args[1:-1], sig.args[1:-1])
        if kind.ndim == places:
            context.pack_value(builder, kind.dtype, context.cast(builder, args[-1], given, kind.dtype), at)
        else:
            builder.store(_as_lanes(builder, args[-1], given), at).align = 8
        return context.get_dummy_value()

    return codegen


def _load(typing: Any, T: Any, i: Any, k: Any) -> Any:
    """T[i, k], as lanes where T has a third axis."""
    value, codegen = _read(T, 2)
    return value(T, i, k), codegen


def _item(typing: Any, x: Any, i: Any) -> Any:
    """x[i], as lanes where x has a second axis."""
    value, codegen = _read(x, 1)
    return value(x, i), codegen


def _store(typing: Any, T: Any, i: Any, k: Any, value: Any) -> Any:
    """T[i, k] = value, in every lane."""
    return types.void(T, i, k, value), _write(2)


def _put_item(typing: Any, x: Any, i: Any, value: Any) -> Any:
    """x[i] = value, in every lane."""
    return types.void(x, i, value), _write(1)


def _load_four(typing: Any, T: Any, i: Any, k: Any) -> Any:
    """T[i, k : k + 4] of a plain array, as lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = _pointer(context, builder, sig.args[0], args[0], args[1:], sig.args[1:])
        found = builder.load(builder.bitcast(at, VECTOR.as_pointer()))
        found.align = 8
        return found

    return lanes(T, i, k), codegen


def _store_four(typing: Any, T: Any, i: Any, k: Any, value: Any) -> Any:
    """T[i, k : k + 4] = value of a plain array."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = _pointer(context, builder, sig.args[0], args[0], args[1:3], sig.args[1:3])
        builder.store(_as_lanes(builder, args[3], sig.args[3]), builder.bitcast(at, VECTOR.as_pointer())).align = 8
        return context.get_dummy_value()

    return types.void(T, i, k, value), codegen


def _floor(typing: Any, x: Any) -> Any:
    """The largest whole number that is not above x, or the real part of x."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = _real(context, builder, sig.args[0], args[0])
        name = f"llvm.floor.v{WIDTH}f64" if sig.args[0] == lanes else "llvm.floor.f64"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(value.type, [value.type]), name)
        return builder.call(function, [value])

    return (lanes if x == lanes else number)(x), codegen


def _real(context: Any, builder: Any, kind: Any, x: Any) -> Any:
    """The real part of a complex number, anything else as it is."""
    return context.make_complex(builder, kind, x).real if kind == types.complex128 else x


def _exceeds(typing: Any, x: Any, limit: Any) -> Any:
    """Whether x > limit, in every lane; false where x is not a number. Of a complex number its real part counts."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, limit = _real(context, builder, sig.args[0], args[0]), args[1]
        if sig.args[0] != lanes:
            return builder.fcmp_ordered(">", x, limit)
        each = [builder.extract_element(x, ir.Constant(INDEX, k)) for k in range(WIDTH)]
        above = [builder.fcmp_ordered(">", one, limit) for one in each]
        return builder.and_(builder.and_(above[0], above[1]), builder.and_(above[2], above[3]))

    return types.boolean(x, limit), codegen


def _reciprocal(typing: Any, x: Any) -> Any:
    """1/x; of a complex number to first order in its imaginary part, and like the others infinite at zero."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = _real(context, builder, sig.args[0], args[0])
        one = ir.Constant(value.type, [1.0] * WIDTH if sig.args[0] == lanes else 1.0)
        found = builder.fdiv(one, value)
        if sig.args[0] != types.complex128:
            return found
        result = context.make_complex(builder, types.complex128)
        given = context.make_complex(builder, types.complex128, args[0])
        result.real, result.imag = found, builder.fneg(builder.fmul(builder.fmul(found, found), given.imag))
        return result._getvalue()

    return x(x), codegen


FUNCTIONS: dict[str, Any] = {
    function.__name__.removeprefix("_"): intrinsic(function)
    for function in (_load, _item, _store, _put_item, _load_four, _store_four, _floor, _exceeds, _reciprocal)
}
