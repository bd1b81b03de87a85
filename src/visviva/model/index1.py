"""The index-1 form: accelerations and multipliers at one instant, also where constraints are redundant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.model.driven import row_inputs
from visviva.model.linked import linked_rank
from visviva.numerics.constrained import NoInertia, constrained
from visviva.numerics.rank import LEAST, velocity_units

if TYPE_CHECKING:
    from visviva.model.model import Model

SHARE = 0.1  # of the fastest velocity: those below are not named


@final
@dataclass(frozen=True, eq=False)
class Accelerations:
    """v_dot of the velocity variables, in their order; w, the multipliers of least norm; rank of the constraints."""

    v_dot: Array
    w: Array
    rank: int


def accelerations(
    model: Model, x: Array, v: Array | None = None, u: Array | None = None, u_dot: Array | None = None
) -> Accelerations:
    """Solve M v̇ + Cᵀw = f(x, v, u),  C v̇ = -Ċ v - B u̇, for any rank of C, as long as M is definite on ker C.

    v: velocities in the order of the velocity variables; they replace those in x (default: those in x).
    u: inputs; default zero.   u_dot: rates of inputs that drive constraints; default zero.

    Where C loses rank the accelerations are still unique, and w is the solution of least Euclidean norm in SI
    units (newtons and newton-metres weigh the same).
    """
    if model.junctions:
        names = ", ".join(junction.name for junction in model.junctions)
        raise ModelError(
            f"model {model.name!r} has junctions without storage ({names}): its index-1 form is not mechanical."
        )
    at_z = model.layout.act(tuple(model.kinetic))
    at_x = model.layout.read(tuple(model.kinetic))
    if not len(at_z):
        raise ModelError(f"model {model.name!r} has no velocities: accelerations need a kinetic storage.")
    x = finite_vector(x, "x", model.layout.size)
    if v is not None:
        x[at_x] = finite_vector(v, "v", len(at_x))
    width = sum(port.width for port in model.ports)
    u = np.zeros(width) if u is None else finite_vector(u, "u", width)
    driven = row_inputs(model, x, None if u_dot is None else finite_vector(u_dot, "u_dot", width))
    z = model.z(x)
    force = model.flow(x, z, u)[at_z]
    M = model.E(x)[np.ix_(at_z, at_z)]
    C = model.C(x)[:, at_z]
    bias = np.concatenate([np.zeros(0), *(part.bias(*model.local(part, x, z)) for part in model.constraints)])
    unit = velocity_units(np.diagonal(M), C)  # velocities without inertia: with which they move others by theirs
    try:
        found = constrained(M, C, force, -(bias + driven), unit, decide=lambda: linked_rank(model, x), lightest=LEAST)
    except NoInertia as light:
        raise ModelError(_undetermined(model, light)) from None
    return Accelerations(found.a, found.w, found.rank)


def _undetermined(model: Model, light: NoInertia) -> str:
    owners = [name for name in model.kinetic for _ in model.layout.act((name,))]
    motion = np.abs(light.motion)
    moving = dict.fromkeys(name for name, part in zip(owners, motion, strict=True) if part > SHARE * motion.max())
    return (
        f"model {model.name!r} has a motion without inertia, in {', '.join(moving)}: its acceleration is\n"
        "undetermined. Give what moves there mass and inertia, or hold it by a constraint."
    )
