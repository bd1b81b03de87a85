"""Feasibility: forces that a motion takes and that no input of an under-actuated mechanism can give.

M a + bias = B u has a solution u where (B⊥)ᵀ(M a + bias) = 0 with BᵀB⊥ = 0. Of coordinates that B does not drive, or
not on their own, one row of (B⊥)ᵀ each: one there, and on driven ones what cancels the inputs.

Source: Konz, (4.60) with its sign and M.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, finite_array
from visviva._suggestions import suggesting
from visviva.errors import ModelError
from visviva.forms.dynamics.handle import Dynamics
from visviva.forms.minimal.point import Point
from visviva.numerics.nullspace import inclusion
from visviva.numerics.rank import independent_columns, rank

if TYPE_CHECKING:
    from visviva.control.references import ReferencePoint

InputMatrix = Array | Callable[[Array], Array]
FEASIBLE = 1e-6  # of the largest force


@suggesting
@final
@dataclass(frozen=True, eq=False)
class Feasibility:
    """Forces that no input gives.

    times:    (n,) [s].   names: velocities along which they act, (k,).
    force:    (n, k) [N, N m].   directions: B⊥, (n, nv, k).   scale: largest force that the motion takes.
    """

    times: Array
    names: tuple[str, ...]
    force: Array
    directions: Array
    scale: float
    owner: str

    @property
    def worst(self) -> float:
        """Largest one."""
        return float(np.abs(self.force).max(initial=0.0))

    def __bool__(self) -> bool:
        """Whether inputs can give all forces, to a millionth of the largest."""
        return self.worst <= FEASIBLE * max(self.scale, 1e-12)

    def require(self) -> None:
        """An error if not."""
        if self:
            return
        k, j = np.unravel_index(int(np.abs(self.force).argmax()), self.force.shape)
        raise ModelError(
            f"the reference of mechanism {self.owner!r} is not feasible: at t = {self.times[k]:.6g} s it takes "
            f"{self.force[k, j]:.4g} N or N m along {self.names[j]}, which no input can give.\n"
            "Plan it by a flat output, e.g. vv.control.flat.quadcopter(path), or give fewer goals."
        )

    def __repr__(self) -> str:
        if not self.names:
            return "<feasible: inputs drive all velocities>"
        what = "feasible" if self else "not feasible"
        return f"<{what}: at most {self.worst:.3g} of {self.scale:.3g} [N, N m] along {', '.join(self.names)}>"


def feasibility(d: Dynamics, times: Array, points: ReferencePoint, inputs: InputMatrix | None) -> Feasibility:
    """At samples of a motion."""
    forces, directions, found = list[Array](), list[Array](), list[Array]()
    driven: NDArray[np.intp] | None = None
    for t, q, v, a in zip(times, *points, strict=True):
        f = d.inverse(q, v, a)
        B = _drives(d, q, inputs)
        if driven is None:
            driven = _actuated_velocities(B, d.sizes)
        rest = np.setdiff1d(np.arange(d.nv), driven)
        across = inclusion(B.T, rest, units=d.sizes)
        if len(driven):
            off = float(np.abs(B.T @ across).max(initial=0.0))
            if off > 1e-6 * max(float(np.abs(B).max()), 1e-300):
                raise ModelError(
                    f"inputs of {d.name!r} drive other velocities at t = {t:g} s than at t = {times[0]:g} s: "
                    "ask for the feasibility of these times separately."
                )
        forces.append(f)
        directions.append(across)
        found.append(across.T @ f)
    rest = np.arange(d.nv) if driven is None else np.setdiff1d(np.arange(d.nv), driven)
    shape = len(times), len(rest)
    scale = float(np.abs(forces).max(initial=0.0))
    names = tuple(d.names[k] for k in rest)
    across_all = np.array(directions).reshape(shape[0], d.nv, shape[1])
    return Feasibility(times, names, np.array(found).reshape(shape), across_all, scale, d.name)


def _drives(d: Dynamics, q: Array, inputs: InputMatrix | None) -> Array:
    """B, beside the rows of loops, whose reactions are free, where all velocities are kept."""
    if inputs is None:
        B = d.input_matrix(q)
    else:
        B = finite_array(inputs(q) if callable(inputs) else inputs, "input matrix B", (d.nv, None))
    if d.loops is not None and d.loops.independent is None:
        B = np.concatenate([B, Point(d.form, q, np.zeros(d.nv), np.array(d.s_built)).Z.T], axis=1)
    return B


def _actuated_velocities(B: Array, sizes: Array) -> NDArray[np.intp]:
    """Velocities on which inputs act independently, the best conditioned ones."""
    scaled = B * sizes[:, None]
    return independent_columns(scaled.T, rank(scaled.T))
