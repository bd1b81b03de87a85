"""A mechanism as a composite of the language, at a state."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.compiler import compile
from visviva.model import Model
from visviva.testing.laws import require
from visviva.testing.readings.instant import Instant, close, slope


def composite(now: Instant) -> None:
    """Momenta of the composite change as those of the Model; energy, heat and work are the same."""
    m, given = now.case.mechanism, now.case.constant_inputs
    model = compile(m.system())
    x = model.pack(m.system_state(now.motion))
    u = np.concatenate([np.zeros(0), *(np.atleast_1d(given[port.name]) for port in model.ports)])
    xi, z = rates_of(model, x, u)
    now.same_energy(float(model.H(x)))
    now.same_power(float(model.heats(x, z).sum()), now.heat, "heat")
    now.same_power(float(model.outputs(x, z) @ u), now.power, "work")
    unit = now.units.power / now.units.body_velocities(now.form)
    expected = zip(m.bodies, now.split_by_body(now.form.masses * now.v_dot), now.split_by_body(unit), strict=True)
    for body, p_dot, one in expected:
        if body.mass:
            found = xi[model.layout.z[f"p_{body.name}"]]
            close(found / one, p_dot / one, f"momentum of {body.name}", now.scale, 1e-7)


def rates_of(model: Model, x: Array, u: Array) -> tuple[Array, Array]:
    """ξ and z of a Model with junctions: its rows C(x) (e, w) = 0 hold, and go on to hold.

    E ξ = f - C_eᵀλ,   0 = f_w - C_wᵀλ,   d/dt (C_e e + C_w w) = 0
    """
    dim, solved = model.layout.dim, model.layout.solved
    z, C = np.array(model.z(x)), model.C(x)
    m = C.shape[1]
    z[dim:m] = np.linalg.lstsq(C[:, dim:], -C[:, :dim] @ z[:dim], rcond=None)[0]
    require("rows", C @ z[:m], 0.0, 1e-10, 1.0)
    f, inverse = model.flow(x, z, u), np.linalg.inv(model.E(x)[:dim, :dim])

    def rows(h: float) -> Array:
        """At the states next to x, along each of its increments."""
        moved = model.retract(np.tile(x, (dim, 1)), h * np.eye(dim))
        efforts = np.concatenate([model.z(moved)[:, :dim], np.tile(z[dim:m], (dim, 1))], axis=1)
        return np.einsum("kij,kj->ik", model.C(moved), efforts)

    A = slope(rows)
    zeros = np.zeros((m - dim, m - dim))
    K = np.block([[A @ inverse @ C[:, :dim].T, -C[:, dim:]], [C[:, dim:].T, zeros]])
    found = np.linalg.lstsq(K, np.concatenate([A @ inverse @ f[:dim], f[dim:m]]), rcond=1e-11)[0]
    z[m:solved] = found[: len(C)]
    return inverse @ model.flow(x, z, u)[:dim], z
