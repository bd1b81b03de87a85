"""Products and sums with one rounding, chosen in the text of a function before anything is optimised.

LLVM may fuse a product and a sum where it is allowed to, and its choice depends on what else it knows: the same kernel
alone and among others would round in other places. Here each kernel says itself which of its products are fused.
"""

from __future__ import annotations

from typing import Any, final

from llvmlite import ir
from numba.core import cgutils
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering, NativeLowering

SUMS = ("fadd", "fsub")


def fuse(function: ir.Function) -> None:
    """Replace a b + c, a b - c and c - a b by llvm.fmuladd where nothing else uses the product.

    Of two products in a sum the first is fused. On processors without the instruction, LLVM makes two of it again.
    """
    instructions = [(block, one) for block in function.blocks for one in block.instructions]
    uses: dict[Any, int] = {}
    for _, one in instructions:
        for value in _operands(one):
            uses[value] = uses.get(value, 0) + 1
    for block, one in instructions:
        if getattr(one, "opname", None) not in SUMS:
            continue
        for k, product in enumerate(one.operands):
            if getattr(product, "opname", None) == "fmul" and uses[product] == 1:
                builder = ir.IRBuilder(block)
                builder.position_before(one)
                fused = _fused(builder, one.opname, k, product, one.operands[1 - k])
                block.instructions.remove(one)
                fused._name = one.name  # all who use the sum write its name
                break


def _operands(one: Any) -> list[Any]:
    return [value for value, _ in one.incomings] if isinstance(one, ir.PhiInstr) else one.operands


def _fused(builder: Any, sum_: str, k: int, product: Any, other: Any) -> Any:
    """The product is term `k` of a sum or difference, `other` the second term."""
    a, b = product.operands
    if sum_ == "fsub":
        other, a = (builder.fneg(other), a) if k == 0 else (other, builder.fneg(a))
    kind = product.type
    suffix = f"v{kind.count}f64" if isinstance(kind, ir.VectorType) else "f64"
    declared = ir.FunctionType(kind, [kind] * 3)
    return builder.call(
        cgutils.get_or_insert_function(builder.module, declared, f"llvm.fmuladd.{suffix}"), [a, b, other]
    )


@final
class FusedLower(Lower):
    """Numba's own translation to LLVM, and `fuse`."""

    def lower_normal_function(self, fndesc: Any) -> None:  # noqa: D102
        super().lower_normal_function(fndesc)
        fuse(self.function)


@register_pass(mutates_CFG=True, analysis_only=False)
class FusedLowering(BaseNativeLowering):
    """The pass that makes it."""

    _name = "fused_native_lowering"  # type: ignore[assignment]

    @property
    def lowering_class(self) -> type[Lower]:  # noqa: D102
        return FusedLower


@final
class FusedCompiler(CompilerBase):
    """Numba's compiler with `FusedLowering` in place of its own."""

    def define_pipelines(self) -> list[Any]:  # noqa: D102
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(FusedLowering if kind is NativeLowering else kind, text) for kind, text in passes.passes]
        passes.finalize()
        return [passes]
