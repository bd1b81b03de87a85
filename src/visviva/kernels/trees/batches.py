"""Forward dynamics of many motions in one call."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.calls import call_accelerate
from visviva.kernels.functions import kernel
from visviva.kernels.multibody.tables import Int


@kernel
def accelerate_all(
    address: int,
    sizes: Int,
    C: Array,
    K: Int,
    E: Array,
    Q: Array,
    XI: Array,
    TAU: Array,
    L: Array,
    out: Array,
    W: Array,
) -> int:
    """out[b] = ξ̇ at Q[b], XI[b], TAU[b] and the wrenches L[b]; a link whose joint has no inertia, or -1."""
    for b in range(Q.shape[0]):
        singular = call_accelerate(
            address,
            (
                sizes.ctypes.data, C.ctypes.data, K.ctypes.data, E.ctypes.data, Q[b].ctypes.data, XI[b].ctypes.data,
                TAU[b].ctypes.data, L[b].ctypes.data, out[b].ctypes.data, W.ctypes.data,
            ),
        )  # fmt: skip
        if singular >= 0:
            return singular
    return -1
