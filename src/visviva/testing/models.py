"""The laws of the seam."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, dot, transpose
from visviva.model import Model, RowKind
from visviva.testing.laws import require

EXACT = 1e-12


def check_model(model: Model, x: Array, *, seed: int = 0) -> None:
    """Test a model at a state x with random algebraic unknowns and inputs; AssertionError names the law that fails.

    "J is skew", "R is symmetric", "R is positive", "flow is (J - R) z + B u", "E' z = dH",
    "power balance":   z·flow = y·u - z·R z,
    "heat":            the heats of all dissipations add up to z·R z,
    "rows are rates":  C z of holonomic rows is the rate of g along the motion,
    "bias":            its change along the motion at constant z.
    """
    rng = np.random.default_rng(seed)
    z = model.z(x, rng.standard_normal(len(model.kinds)))
    u = rng.standard_normal(sum(port.width for port in model.ports))
    J, R, B, E = model.J(x), model.R(x, z), model.B(x), model.E(x)
    size = float(np.abs(J).max(initial=0.0) + np.abs(R).max(initial=0.0))
    require("J is skew", J, -transpose(J), EXACT, size)
    require("R is symmetric", R, transpose(R), EXACT, size)
    require("R is positive", np.minimum(np.linalg.eigvalsh(R), 0.0), 0.0, EXACT, size)
    flow = model.flow(x, z, u)
    unit = float(np.abs(flow).max(initial=0.0)) + 1.0
    require("flow is (J - R) z + B u", flow, (J - R) @ z + B @ u, EXACT, unit)
    require("E' z = dH", (E.T @ z)[: model.layout.dim], _differential(model, x), 1e-7, unit)
    heat = float(z @ R @ z)
    require("power balance", dot(z, flow), float(model.outputs(x, z) @ u) - heat, EXACT, unit * float(np.abs(z).max()))
    require("heat", model.heats(x, z).sum(), heat, EXACT, unit * float(np.abs(z).max()))
    _check_rows(model, x, z)


def _differential(model: Model, x: Array) -> Array:
    """dH, left-trivialised, by central differences along the retraction."""
    steps = 1e-5 * np.eye(model.layout.dim)
    ahead, behind = model.H(model.retract(x, steps)), model.H(model.retract(x, -steps))
    return (ahead - behind) / 2e-5


def _check_rows(model: Model, x: Array, z: Array) -> None:
    """Along the motion with rates ξ = velocities, for the rows that have a g."""
    parts = [part for part in model.constraints if part.kind is RowKind.HOLONOMIC]
    if not parts:
        return
    xi = model.flow(x, z, np.zeros(sum(port.width for port in model.ports)))[: model.layout.dim]
    xi[model.layout.act(tuple(model.kinetic))] = 0.0
    h = 1e-5
    ahead, behind = model.retract(x, h * xi), model.retract(x, -h * xi)
    for part in parts:
        (q, e), (q1, _), (q0, _) = (model.local(part, at, z) for at in (x, ahead, behind))
        C = part.C(q)
        scale = 1.0 + float(np.abs(C).max() * (1.0 + np.abs(e).max()) ** 2)
        require("rows are rates", apply(C, e), (part.value(q1) - part.value(q0)) / (2 * h), 1e-7, scale)
        change = (apply(part.C(q1), e) - apply(part.C(q0), e)) / (2 * h)
        require("bias", part.bias(q, e), change, 1e-6, scale)
