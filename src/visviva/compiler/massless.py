"""Motions without inertia: a thin rod may spin about its axis at no cost, which leaves its motion undetermined."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.compiler.mechanism import compile_mechanism, lie_state
from visviva.errors import ModelError
from visviva.geometry.nullspace import split
from visviva.mechanism.parts import Body
from visviva.model import Model

INERTIA_TOLERANCE = 1e-12  # of the body's own inertia


def check_massless_motion(model: Model, x: Array) -> None:
    """An error that names body and axis if the joints allow a motion that has no kinetic energy."""
    if model.mechanism is None:
        return
    lie = compile_mechanism(model.mechanism, "lie")
    at = lie.layout.act(tuple(lie.kinetic))
    unit = np.concatenate([_units(part.M) for part in lie.kinetic.values()])  # so that sizes of bodies do not compare
    M = np.diag(lie.E(np.zeros(lie.layout.size)))[at] / unit**2
    if M.min() > INERTIA_TOLERANCE:
        return
    Z = split(lie.C(lie_state(model, lie, x))[:, at] / unit).Z
    inertias, motions = np.linalg.eigh(Z.T @ (M[:, None] * Z))
    if not len(inertias) or inertias[0] > INERTIA_TOLERANCE:
        return
    motion = (Z @ motions[:, 0]) / unit
    twists = {name: motion[k : k + 6] for name, k in _body_columns(lie).items()}
    name = max(twists, key=lambda body: float(np.abs(twists[body][:3]).max()))
    body = model.mechanism.parts[name]
    assert isinstance(body, Body)
    axis = body.R_BC @ twists[name][:3]
    axis = axis / np.linalg.norm(axis)
    raise ModelError(
        f"body {name!r} can spin about its axis {np.round(axis, 6).tolist()} (body frame), about which it has no\n"
        "inertia: its motion would be undetermined. Let joints fix that spin, or give the body some thickness\n"
        "(e.g. vv.inertia.cylinder instead of vv.inertia.rod)."
    )


def _units(M: Array) -> Array:
    """Square roots of a body's own inertia: of its mass for translations, of its mean moment for rotations."""
    masses = np.diag(M)
    spin = masses[:3] if len(masses) == 6 else masses[:0]
    return np.sqrt(np.concatenate([np.full(len(spin), spin.mean() or masses[-1]) if len(spin) else spin, masses[-3:]]))


def _body_columns(lie: Model) -> dict[str, int]:
    """First velocity column of each rigid body."""
    first = min(lie.layout.z[variable].start for variable in lie.kinetic)
    return {
        part.name: lie.layout.z[variable].start - first for variable, part in lie.kinetic.items() if len(part.M) == 6
    }
