"""A mechanism as a composite of the language, at a state."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.compiler import compile
from visviva.mechanism import Mechanism
from visviva.mechanism.composite.state import momentum_variable
from visviva.mechanism.composite.wiring import box_names
from visviva.mechanism.parts import Body
from visviva.model import Model
from visviva.model.driven import row_inputs
from visviva.testing.laws import require
from visviva.testing.readings.case import Units
from visviva.testing.readings.instant import Instant, close, slope


def composite(now: Instant) -> None:
    """Momenta of the composite change as those of the Model; energy, heat and work are the same."""
    m, own = now.case.mechanism, now.model.port_columns
    model = compile(m.system())
    x = model.pack(m.system_state(now.motion))
    names = {short: name for name, short in box_names(m.definition).items()}
    columns = np.concatenate([np.zeros(0, int), *(np.r_[own[names[port.name]]] for port in model.ports)])
    u, u_dot = now.u[columns], now.u_dot[columns]
    xi, z = rates_of(model, x, u, u_dot, increments(model, m, now.units))
    now.same_energy(float(model.H(x)))
    now.same_power(float(model.heats(x, z).sum()), now.heat, "heat")
    now.same_power(float(model.outputs(x, z) @ u), now.power, "work")
    unit = now.units.power / now.units.body_velocities(now.form)
    expected = zip(m.bodies, now.split_by_body(now.form.masses * now.v_dot), now.split_by_body(unit), strict=True)
    names = box_names(m.definition)
    for body, p_dot, one in expected:
        if body.mass:
            name, axes = momentum_variable(body, names[body.name])
            close(
                xi[model.layout.z[name]] / (axes.T @ one), axes.T @ (p_dot / one), f"momentum of {body.name}", now.scale
            )


def rates_of(model: Model, x: Array, u: Array, u_dot: Array, sizes: Array) -> tuple[Array, Array]:
    """ξ and z of a Model with junctions: its rows C(x) (e, w) + B u = 0 hold, and go on to hold.

    E ξ = f - C_eᵀλ,   0 = f_w - C_wᵀλ,   d/dt (C_e e + C_w w) + B u_dot = 0

    sizes: of increments of all states, for differences.
    """
    dim, solved = model.layout.dim, model.layout.solved
    z, C = np.array(model.z(x)), model.C(x)
    m = C.shape[1]
    driven, driven_rate = row_inputs(model, x, u), row_inputs(model, x, u_dot)
    z[dim:m] = _least_squares(C[:, dim:], -C[:, :dim] @ z[:dim] - driven, *_by_largest(C[:, dim:]))
    require("rows", C @ z[:m] + driven, 0.0, 1e-10, float((np.abs(C) @ np.abs(z[:m])).max(initial=1e-300)))
    f, inverse = model.flow(x, z, u), np.linalg.inv(model.E(x)[:dim, :dim])

    def rows(h: float) -> Array:
        """At the states next to x, along each of its increments."""
        moved = model.retract(np.tile(x, (dim, 1)), h * np.diag(sizes))
        efforts = np.concatenate([model.z(moved)[:, :dim], np.tile(z[dim:m], (dim, 1))], axis=1)
        return np.einsum("kij,kj->ik", model.C(moved), efforts)

    A = slope(rows) / sizes
    zeros = np.zeros((m - dim, m - dim))
    K = np.block([[A @ inverse @ C[:, :dim].T, -C[:, dim:]], [C[:, dim:].T, zeros]])
    found = _least_squares(K, np.concatenate([A @ inverse @ f[:dim] + driven_rate, f[dim:m]]), *_by_sums(K))
    z[m:solved] = found[: len(C)]
    return inverse @ model.flow(x, z, u)[:dim], z


def increments(model: Model, m: Mechanism, units: Units) -> Array:
    """Sizes of increments of all states: turns, shifts, momenta, coordinates of joints, ½ l² of lines, entropies."""
    twist, names = np.array(3 * [1.0] + 3 * [units.length]), box_names(m.definition)
    sizes = np.full(model.layout.dim, min(1.0, units.length))
    given = {f"{names[stop.name]}.y": units.coordinates(stop.joint)[[stop.at.number]] for stop in m.stops}
    for part in m.joint_elements:
        given[f"{names[part.name]}.{part.port}"] = np.array(
            [units.coordinates(one.joint)[one.number] for one in part.coordinates]
        )
    for body in m.bodies:
        name, axes = momentum_variable(body, names[body.name])
        by_speed = twist if isinstance(body, Body) else twist[3:]
        given[name] = units.energy * units.time / (np.abs(axes).T @ by_speed)
        given[f"q_{names[body.name]}"] = by_speed
    given |= {f"flux_{names[motor.name]}": np.array([units.time]) for motor in m.motors}
    given |= {f"s_{names[node.name]}": np.array([units.energy / model.theta0]) for node in m.thermals}
    for variable in model.variables:
        at = model.layout.z[variable.name]
        if variable.name in given:
            sizes[at] = given[variable.name]
        elif variable.name == "q_ground":
            sizes[at] = twist
        elif variable.name.endswith(".y") and at.stop - at.start == 1:
            sizes[at] = units.length**2
    return sizes


def _least_squares(K: Array, right: Array, rows: Array, columns: Array) -> Array:
    """The solution of K y = right, with rows and columns multiplied by numbers that make them about one.

    Solved for again with what it misses: singular vectors mix all unknowns, and small ones round as the largest do.
    """
    scaled, y = rows[:, None] * K * columns, np.zeros(len(columns))
    for _ in range(3):
        y = y + columns * np.linalg.lstsq(scaled, rows * (right - K @ y), rcond=1e-14)[0]
    return y


def _by_largest(K: Array) -> tuple[Array, Array]:
    """Rows and columns whose largest entries are about one: many rows over few unknowns."""
    rows, columns = np.ones(K.shape[0]), np.ones(K.shape[1])
    for _ in range(8):
        scaled = np.abs(rows[:, None] * K * columns)
        for axis, sizes in ((1, rows), (0, columns)):
            largest = scaled.max(axis, initial=0.0)
            sizes /= np.sqrt(np.where(largest > 0, largest, 1.0))
    return rows, columns


def _by_sums(K: Array) -> tuple[Array, Array]:
    """Rows and columns that sum up to one: of a square matrix that leaves no choice to the units it is given in."""
    from scipy.sparse import csc_array

    from visviva.kernels.ordering import equilibration

    return equilibration(csc_array(K))
