"""Calls of compiled laws by address, so that a new law compiles nothing but itself.

    energy(n, T, P, xa, xb, e, dE, scale, mode)
    rate(n, T, P, rates, temperatures, out)
    flow(n, T, P, s, end, z, u, dE, dX, cx, amp, t, 1/h, stage, mode, r, rs, V, out)
    retract(row, h, x0, y, x1, s, dX),   pull(row, h, mode, s, z, dE, dX)        see `kernels.turned`
    rows(P, q0, q1, dq1, mode, A, dA)                                           see `kernels.multibody.rows`
    accelerate(sizes, C, K, E, q, xi, tau, L, xi_dot, W),   energy_of_tree(sizes, C, K, E, q, xi, W)
                                                                                see `kernels.trees.addresses`
    act(tables, t, q, xi, u, L, P),   stored(tables, q)                         see `kernels.trees.acting`
    inputs(n, T, P, t, x, u)                                    laws of feedback, see `compiler.codegen`
    entry(results, error, row)                                  any kernel with its arguments in a row, see `packed`

T: rows of places, one row per instance.   P: parameters.   s: coordinates at the stage.   end: coordinates at the end.
z: efforts and algebraic unknowns.   u: inputs.   dE: derivatives of z.   dX: of coordinates that are not flat.
cx: of flat ones.   amp: size of the rounding of z, in units of eps.   r, V: residual and matrix.   rs: size of its
rounding.   out: power of each instance.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

f8 = types.CPointer(types.float64)
c16 = types.CPointer(types.complex128)
i8 = types.CPointer(types.int64)
n, x = types.int64, types.float64
ENERGY = types.void(n, i8, f8, f8, f8, f8, f8, x, n)
FLOW = types.void(n, i8, f8, f8, f8, f8, f8, f8, f8, f8, f8, x, x, n, n, f8, f8, f8, f8)
RETRACT = types.void(i8, x, f8, f8, f8, f8, f8)
PULL = types.void(i8, x, n, f8, f8, f8, f8)
ROWS = types.void(f8, f8, f8, f8, n, f8, f8)
RATE = types.void(n, i8, f8, f8, f8, f8)
ACCELERATE = types.int64(i8, f8, i8, f8, f8, f8, f8, f8, f8, f8)
ACCELERATE_COMPLEX = types.int64(i8, f8, i8, f8, c16, c16, c16, c16, c16, c16)
ENERGY_OF_TREE = types.float64(i8, f8, i8, f8, f8, f8, f8)
ACT = types.void(i8, f8, f8, f8, f8, f8, f8)
STORED = types.float64(i8, f8)
INPUTS = types.void(n, i8, f8, x, f8, f8)
PACKED = types.int32(i8, i8, i8)


def _caller(signature: Any) -> Any:
    """A function that calls an address with addresses of arrays, whole numbers and floats."""
    arguments = [types.float64 if argument == types.float64 else types.int64 for argument in signature.args]
    plain = {types.float64: ir.DoubleType(), types.int64: ir.IntType(64), types.void: ir.VoidType()}
    plain[types.int32] = ir.IntType(32)
    kinds, result = [plain[argument] for argument in arguments], signature.return_type

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        function = ir.FunctionType(plain[result], kinds)
        pointer = builder.inttoptr(values[0], function.as_pointer())
        found = builder.call(pointer, [builder.extract_value(values[1], k) for k in range(len(kinds))])
        return context.get_dummy_value() if result == types.void else found

    @intrinsic
    def call(typing: Any, address: Any, values: Any) -> Any:
        return result(types.int64, types.Tuple(arguments)), codegen

    return call


call_energy = _caller(ENERGY)
call_flow = _caller(FLOW)
call_retract = _caller(RETRACT)
call_pull = _caller(PULL)
call_rows = _caller(ROWS)
call_rate = _caller(RATE)
call_accelerate = _caller(ACCELERATE)
call_energy_of_tree = _caller(ENERGY_OF_TREE)
call_act = _caller(ACT)
call_stored = _caller(STORED)
call_inputs = _caller(INPUTS)
call_packed = _caller(PACKED)
