"""Which products are fused is written in a kernel, and does not depend on what surrounds it."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from visviva.kernels.functions import kernel, unfused
from visviva.kernels.fusing import fuse
from visviva.kernels.object_code import host_features

A, B = 1.0 + 2.0**-30, 1.0 - 2.0**-30  # their product is 1 - 2^-60, which rounds to 1


def function(build):
    number = ir.DoubleType()
    made = ir.Function(ir.Module(), ir.FunctionType(number, [number] * 4), "f")
    builder = ir.IRBuilder(made.append_basic_block())
    builder.ret(build(builder, *made.args))
    fuse(made)
    return [one.opname for one in made.blocks[0].instructions]


def test_a_product_in_a_sum_is_fused():
    assert function(lambda f, a, b, c, d: f.fadd(f.fmul(a, b), c)) == ["fmul", "call", "ret"]
    assert function(lambda f, a, b, c, d: f.fadd(c, f.fmul(a, b))) == ["fmul", "call", "ret"]
    assert function(lambda f, a, b, c, d: f.fsub(f.fmul(a, b), c)) == ["fmul", "fneg", "call", "ret"]
    assert function(lambda f, a, b, c, d: f.fsub(c, f.fmul(a, b))) == ["fmul", "fneg", "call", "ret"]


def test_of_two_products_the_first_is_fused():
    assert function(lambda f, a, b, c, d: f.fadd(f.fmul(a, b), f.fmul(c, d))) == ["fmul", "fmul", "call", "ret"]


def test_a_product_that_is_used_twice_is_not_fused():
    def square(f, a, b, c, d):
        product = f.fmul(a, b)
        return f.fmul(f.fadd(product, c), product)

    assert function(square) == ["fmul", "fadd", "fmul", "ret"]


def fused(a, b, c):
    return a * b - c


def fused_difference(a, b, c):
    return c - a * b


def rounded(a, b, c):
    return a * b - c


def once() -> bool:
    return "fma" in host_features()


def test_a_kernel_rounds_once_and_an_unfused_one_after_each_operation():
    assert unfused(rounded)(A, B, 1.0) == rounded(A, B, 1.0) == 0.0
    assert kernel(fused)(A, B, 1.0) == (-(2.0**-60) if once() else 0.0)
    assert kernel(fused_difference)(A, B, 1.0) == (2.0**-60 if once() else 0.0)


def test_lanes_are_fused_like_numbers():
    from visviva.kernels.trees.lanes import WIDTH, load, store

    def products(T, out):
        store(out, 0, 0, load(T, 0, 0) * load(T, 0, 1) - load(T, 0, 2))

    T, out = np.empty((1, 3, WIDTH)), np.empty((1, 1, WIDTH))
    T[0, 0], T[0, 1], T[0, 2] = A, B, 1.0
    kernel(products)(T, out)
    assert (out == (-(2.0**-60) if once() else 0.0)).all()
