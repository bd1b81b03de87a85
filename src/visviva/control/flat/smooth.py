"""How smooth the path of a flat output must be, so that velocities of the machine do not jump."""

from __future__ import annotations

from visviva.control.abstract_path import AbstractPath, jumps
from visviva.errors import ModelError


def require_smooth(path: AbstractPath, order: int, what: str) -> None:
    """An error if a derivative up to some order jumps: velocities of the machine would."""
    for jump in jumps(path, order):
        raise ModelError(
            f"{what} has a derivative of order {jump.order} that jumps by {jump.size:.4g} at t = {jump.t:g} s;\n"
            f"it takes {order} continuous ones, or velocities would jump. Use polynomial(..., degree={2 * order + 1}) "
            f"or spline(..., degree={2 * order + 1}), whose derivatives up to {order} vanish at both ends."
        )
