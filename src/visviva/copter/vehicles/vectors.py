"""Products of vectors that compiled functions of multicopters share."""

from __future__ import annotations

from visviva._arrays import Array


def cross(a: Array, b: Array, out: Array) -> None:
    """a × b."""
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z
