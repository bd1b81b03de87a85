"""What acts on rigid bodies, as compiled blocks: gyroscopic moments and wrenches as laws, joints by their functions.

A pose has the coordinates (r, d1, d2, d3) and Q = R̄⁻ᵀ; forces D on them pull back to (Qᵀ Σ d_i x D_i, D_r).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.compiler.flows import FlowLaw, NotCompilable, flow_law, flow_of
from visviva.compiler.laws import symbols
from visviva.geometry.embedding import AbstractSpace, Flat, Rotations
from visviva.geometry.quadratic import Quadratic
from visviva.model.body import Gyroscopic, PosePort
from visviva.model.holonomic import Holonomic
from visviva.model.measured import MeasuredDissipation, MeasuredPort
from visviva.model.structure import AbstractStructure
from visviva.model.turn import TurnFriction, TurnPort

POSES = Rotations(3, "space")


@flow_of.register
def _(part: Gyroscopic, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    q, e, J = symbols("x", 6)[:3], symbols("e", 6), symbols("p", 9)
    pi = [sum(J[3 * i + j] * q[j] for j in range(3)) for i in range(3)]
    flows = (*_cross(pi, e[:3]), *(0 * e[3] for _ in range(3)))
    return flow_law(flows, reads, acts, 0, 9), part.M[:3, :3].ravel()


@flow_of.register
def _(part: PosePort, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    if reads != (POSES,):
        raise NotCompilable(f"{part.name!r} acts on the space {reads[0]}, which has no expression")
    x, u, Q = symbols("x", 12), symbols("u", 6), symbols("c", 9)
    m, f = list(u[:3]), list(u[3:])
    if part.axes is not None:
        p = symbols("p", 9)
        own = [[sum(p[3 * i + j] * w[j] for j in range(3)) for i in range(3)] for w in (m, f)]
        m, f = ([sum(x[3 + 3 * j + i] * w[j] for j in range(3)) for i in range(3)] for w in own)
    arms = [_cross(x[i : i + 3], _cross(m, x[i : i + 3])) for i in (3, 6, 9)]
    moment = [sum(arm[i] for arm in arms) / 2 for i in range(3)]
    flows = (*(sum(Q[3 * j + i] * moment[i] for i in range(3)) for j in range(3)), *f)
    numbers = np.zeros(0) if part.axes is None else part.axes.ravel()
    return flow_law(flows, reads, acts, 6, len(numbers)), numbers


def _cross(a: Any, b: Any) -> tuple[Any, Any, Any]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@final
@dataclass(frozen=True, eq=False)
class Joint:
    """A block of `kernels.joints`: its kind, its functions, and a constant."""

    kind: str
    g: Quadratic
    constant: float = 0.0


def joint_of(part: AbstractStructure, reads: tuple[AbstractSpace, ...]) -> Joint | None:
    """The joint block of a structure, if it is one."""
    match part:
        case Holonomic():
            joint = Joint("holonomic", part.g)
        case TurnFriction():
            joint = Joint("friction", part.turn.cos_sin, part.d)
        case TurnPort():
            joint = Joint("torque", part.turn.cos_sin)
        case MeasuredDissipation() if part.y.m == 1 and not part.line:
            joint = Joint("friction", part.y, float(part.D[0, 0]))
        case MeasuredPort() if part.width == 1:
            joint = Joint("torque", part.y)
        case _:
            return None
    if not all(space in (POSES, Flat(3)) for space in reads):
        raise NotCompilable(f"{part.name!r} acts on spaces other than poses and points")
    return joint


def coefficients(g: Quadratic) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Places (r, i, j) of A and (r, i) of b that are not zero, and their values followed by c."""
    A, b = np.argwhere(g.A != 0), np.argwhere(g.b != 0)
    return A, b, np.concatenate([g.A[tuple(A.T)], g.b[tuple(b.T)], g.c])
