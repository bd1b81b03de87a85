"""The contract of conditions."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.mechanism import Mechanism
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.positions import close, settled
from visviva.testing.laws import require

STEP = 1e-5


def check_condition(m: Mechanism, condition: AbstractCondition, *, samples: int = 6, seed: int = 0) -> None:
    """Test a condition at configurations near a mechanism as built; AssertionError names the law that fails.

    "gradient":        C(q, q) is the gradient of `value`.
    "increment":       C(q0, q1) Δq = value(q1) - value(q0); without a g, C at the mean of both ends.
    "rate":            D_q Δq + D_v Δv = C(q1, q1) v1 - C(q0, q0) v0.
    "bend":            the derivative of C v along v.
    "two ends":        C(q0, q1) = C(q1, q0).
    The joints of the mechanism are closed at all of them; its other conditions are not asked.
    """
    held = {name: part for name, part in m.parts.items() if not isinstance(part, AbstractCondition)}
    bare = m.definition.variant(parts=held)
    linkage, rng = Linkage(bare), np.random.default_rng(seed)
    q0 = close(linkage, linkage.kinematics.as_built)
    for k in range(samples):
        V = rng.uniform(-1, 1, linkage.kinematics.n) * (0.3 if k < samples - 1 else 1e-6)
        V = linkage.saddle(linkage.kinematics.place(q0)).solve(linkage.metric * V, np.zeros(linkage.m))[0]
        q1 = settled(linkage, linkage.kinematics.retract(q0, V))
        if q1 is not None:
            _check_between(condition, _own(linkage, condition, q0), _own(linkage, condition, q1), rng)


def _own(linkage: Linkage, condition: AbstractCondition, q: Array) -> Array:
    places = {body.name: at for body, at in zip(linkage.bodies, linkage.kinematics.places, strict=True)}
    return np.concatenate([q[places[mover.name]] for mover in condition.movers])


def _check_between(part: AbstractCondition, q0: Array, q1: Array, rng: np.random.Generator) -> None:
    turned, (v0, v1) = np.zeros(len(part.follows)), rng.uniform(-1, 1, (2, len(q0)))
    C, C0, C1 = part.C(q0, q1), part.C(q0, q0), part.C(q1, q1)
    if C.shape != (part.rows, len(q0)):
        raise AssertionError(f"gradient: C has shape {C.shape} for {part.rows} rows over {len(q0)} coordinates")
    scale = float(np.abs(C).max()) * len(q0)
    size = float(part.magnitude(q1, turned).max()) + scale
    require("two ends", part.C(q1, q0), C, 1e-13, scale)

    def along(q: Array) -> Array:
        return apply(part.C(q, q), v1)

    require("bend", part.bend(q1, v1), _slope(along, q1, v1), 1e-6, scale)
    if part.kind == "nonholonomic":
        mean = 0.5 * (q0 + q1)
        require("increment", C, part.C(mean, mean), 1e-13, scale)
        return
    slopes = np.stack([_slope(lambda q: part.value(q, turned), q1, e) for e in np.eye(len(q1))], axis=-1)
    require("gradient", C1, slopes, 1e-8, size)
    require("increment", C @ (q1 - q0), part.value(q1, turned) - part.value(q0, turned), 1e-14, size)
    D_q, D_v = part.rate_secants(q0, q1, v0, v1)
    require("rate", D_q @ (q1 - q0) + D_v @ (v1 - v0), C1 @ v1 - C0 @ v0, 1e-14, 10 * scale)


def _slope(function: object, q: Array, v: Array) -> Array:
    assert callable(function)
    return np.asarray((function(q + STEP * v) - function(q - STEP * v)) / (2 * STEP))
