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

from visviva.kernels.functions import Deferred
from visviva.kernels.signatures import (
    ACCELERATE,
    ACT,
    ENERGY,
    ENERGY_OF_TREE,
    FLOW,
    INPUTS,
    PACKED,
    PULL,
    RATE,
    RETRACT,
    ROWS,
    STORED,
)  # fmt: skip


def _caller(signature: str) -> Any:
    """A function that calls an address with addresses of arrays, whole numbers and floats."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    word = types.int64, ir.IntType(64)
    plain = {"x": (types.float64, ir.DoubleType()), "": (types.void, ir.VoidType())}
    plain["w"] = types.int32, ir.IntType(32)
    letters, _, last = signature.partition(":")
    arguments, kinds = zip(*(plain.get(letter, word) for letter in letters), strict=True)
    result, kind = plain.get(last, word)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        function = ir.FunctionType(kind, kinds)
        pointer = builder.inttoptr(values[0], function.as_pointer())
        found = builder.call(pointer, [builder.extract_value(values[1], k) for k in range(len(kinds))])
        return context.get_dummy_value() if result == types.void else found

    @intrinsic
    def call(typing: Any, address: Any, values: Any) -> Any:
        return result(types.int64, types.Tuple(arguments)), codegen

    return call


call_energy: Any = Deferred(lambda: _caller(ENERGY))
call_flow: Any = Deferred(lambda: _caller(FLOW))
call_retract: Any = Deferred(lambda: _caller(RETRACT))
call_pull: Any = Deferred(lambda: _caller(PULL))
call_rows: Any = Deferred(lambda: _caller(ROWS))
call_rate: Any = Deferred(lambda: _caller(RATE))
call_accelerate: Any = Deferred(lambda: _caller(ACCELERATE))
call_energy_of_tree: Any = Deferred(lambda: _caller(ENERGY_OF_TREE))
call_act: Any = Deferred(lambda: _caller(ACT))
call_stored: Any = Deferred(lambda: _caller(STORED))
call_inputs: Any = Deferred(lambda: _caller(INPUTS))
call_packed: Any = Deferred(lambda: _caller(PACKED))
