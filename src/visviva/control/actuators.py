"""Actuators: what a law computes, and how ports of a mechanism take it.

Ports on joints are inputs as they are, and so are wrench ports, in axes of the world or of their body. Rotors and
thrusters push along axes of a body: `thrusters` says which wrench in these axes each of them makes, of which a wrench
port takes what arrives at the centre of mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, frozen
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.forms.dynamics.handle import Dynamics
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Motor, WrenchPort


@final
@dataclass(frozen=True, eq=False)
class Thrusters:
    """Wrench (m; f) = matrix u of actuators on a body, about the origin and in axes of the body's frame.

    names: of the actuators, one per column.
    """

    matrix: Array  # (6, k)
    names: tuple[str, ...]


@helpful
def thrusters(
    points: ArrayLike, directions: ArrayLike, drag: ArrayLike = 0.0, *, names: Sequence[str] | None = None
) -> Thrusters:
    """Forces u_i along directions at points of a body, with moments drag_i u_i about the same axes.

    points: (k, 3) in the body's frame [m].   directions: (k, 3), or (3,) for all, of unit length.
    drag:   κ_T/κ_F of each [m], with the sign of the moment on the body.
    """
    r = np.atleast_2d(finite_array(points, "points of thrusters", (3,)))
    d = np.broadcast_to(np.atleast_2d(finite_array(directions, "directions of thrusters", (3,))), r.shape)
    c = np.broadcast_to(finite_array(drag, "drag of thrusters"), len(r))
    length = np.linalg.norm(d, axis=1)
    if not np.allclose(length, 1.0, atol=1e-9):
        raise ModelError(f"directions of thrusters have length one, got lengths {length.round(6)}.")
    named = tuple(names) if names is not None else tuple(f"thrust{i}" for i in range(len(r)))
    if len(named) != len(r):
        raise ModelError(f"there are {len(r)} thrusters and {len(named)} names: {', '.join(named)}.")
    return Thrusters(frozen(np.concatenate([np.cross(r, d) + c[:, None] * d, d], axis=1).T), named)


@final
class Actuation:
    """Inputs u of a law: their names, B(q) with generalised forces B u, and values of ports."""

    def __init__(
        self, d: Dynamics, given: Mapping[Any, Thrusters] | None, chosen: str | Sequence[Any] | None = None
    ) -> None:
        self._d = d
        m = d.definition
        ports = {port.name: port for port in m.ports}
        named = {str(getattr(port, "name", port)): own for port, own in (given or {}).items()}
        wanted = [chosen] if isinstance(chosen, str) else list(ports if chosen is None else chosen)
        driven = [str(getattr(port, "name", port)) for port in wanted]
        for name in driven:
            if name not in ports:
                raise unknown_name(name, ports, f"mechanism {m.name!r} with its ports")
        self.names: tuple[str, ...] = ()
        self._direct: list[tuple[str, slice, slice]] = []  # port, columns of u, columns of the ports
        self._thrust: list[tuple[str, slice, Array, Body]] = []
        self.turning = set[str]()  # ports of thrusters that are in axes of the world
        for name, own in named.items():
            if name not in ports:
                raise unknown_name(name, ports, f"mechanism {m.name!r} with its ports")
            port = ports[name]
            if not isinstance(own, Thrusters):
                raise ModelError(f"actuators of port {name!r} are given by vv.control.thrusters(...), got {own!r}.")
            if not isinstance(port, WrenchPort) or not isinstance(port.carrier, Body):
                raise ModelError(
                    f"thrusters act by a wrench port on a body, m.wrench({name!r}, body), not by {name!r}."
                )
        self._ports = [port for port in m.ports if port.name in driven]
        for port in self._ports:
            at, name = len(self.names), port.name
            if name in named:
                own, carrier = named[name], port.carrier  # type: ignore[union-attr]
                assert isinstance(carrier, Body)
                self.names += tuple(f"{name}.{one}" for one in own.names)
                self._thrust.append((name, slice(at, len(self.names)), own.matrix, carrier))
                if port.frame == "world":  # type: ignore[union-attr]
                    self.turning.add(name)
                continue
            columns = d.form.model.port_columns[name]
            self.names += d.input_names[columns]
            self._direct.append((name, slice(at, len(self.names)), columns))
        self.nu = len(self.names)
        self._check_ports()
        self.ports = tuple(port.name for port in self._ports)
        self.widths = tuple(port.width for port in self._ports)

    @property
    def parts(self) -> dict[str, tuple[slice, slice, tuple[Array, Body] | None]]:
        """By port: columns of u, columns of the ports, and matrix and body of thrusters."""
        found: dict[str, tuple[slice, slice, tuple[Array, Body] | None]] = {}
        for name, own, columns in self._direct:
            found[name] = own, columns, None
        for name, own, matrix, carrier in self._thrust:
            found[name] = own, self._d.form.model.port_columns[name], (matrix, carrier)
        return found

    def matrix(self, q: Array) -> Array:
        """B(q), (n, nu)."""
        B = np.zeros((self._d.nv, self.nu))
        if self._direct:
            ports = self._d.input_matrix(q)
            for _, own, columns in self._direct:
                B[:, own] = ports[:, columns]
        for _, own, matrix, carrier in self._thrust:
            B[:, own] = self._d.jacobian(carrier.name, q, "body").T @ matrix
        return B

    def port_values(self, q: Array, u: Array) -> dict[str, Any]:
        """Inputs by port name: numbers, or wrenches at centres of mass, in axes of their ports."""
        values: dict[str, Any] = {}
        for name, own, _ in self._direct:
            values[name] = float(u[own.start]) if own.stop == own.start + 1 else u[own].copy()
        for name, own, matrix, carrier in self._thrust:
            F, R = matrix @ u[own], self._d.pose(carrier.name, q).R if name in self.turning else np.eye(3)
            values[name] = np.concatenate([R @ (F[:3] - np.cross(carrier.com, F[3:])), R @ F[3:]])
        return values

    @property
    def is_turning(self) -> bool:
        """Whether values of ports turn with a body while u is held."""
        return bool(self.turning)

    def _check_ports(self) -> None:
        if not self.nu:
            raise ModelError(
                f"mechanism {self._d.name!r} has no input ports: add them with m.torque(...), m.force(...) or "
                "m.wrench(...)."
            )
        voltages = [port.name for port in self._ports if isinstance(port, Motor)]
        if voltages:
            raise ModelError(
                f"the input {voltages[0]!r} is the voltage of a motor, which drives a current, not a force: its "
                "column of B is zero.\nControl the torque by m.torque(...), and the current by a loop of its own."
            )
        motors = [motor.name for motor in self._d.definition.motors]
        if motors:
            raise ModelError(
                f"the current of motor {motors[0]!r} is a state that pushes {self._d.name!r}, and a tracking law knows "
                "positions and velocities alone.\nLeave the motor out and control its torque by m.torque(...); the "
                "current is the business of a faster loop."
            )


def limits_of(given: Any, names: Sequence[str]) -> tuple[Array, Array] | None:
    """W u ≤ l of limits that are given by name, {"motor": (lo, hi)}, or as (W, l)."""
    if given is None:
        return None
    n = len(names)
    if not isinstance(given, Mapping):
        try:
            W, l = given
        except (TypeError, ValueError):
            raise ModelError(
                f"limits are given by input, {{'motor': (lo, hi)}}, or as (W, l); got {given!r}."
            ) from None
        W, l = finite_array(W, "W of the limits"), finite_array(l, "l of the limits")
        if W.ndim != 2 or W.shape[1] != n or l.shape != W.shape[:1]:
            raise ModelError(
                f"limits W u ≤ l of {n} inputs ({', '.join(names)}) have W of shape (m, {n}) and l of shape (m,), "
                f"got {W.shape} and {l.shape}."
            )
        return frozen(W), frozen(l)
    rows, bounds = [], []
    for name, pair in given.items():
        own = str(getattr(name, "name", name))
        columns = [k for k, one in enumerate(names) if one == own or one.startswith((f"{own}[", f"{own}."))]
        if not columns:
            raise unknown_name(own, names, "limits name inputs of the law, which")
        try:
            lo, hi = (np.broadcast_to(np.asarray(part, dtype=np.float64), len(columns)) for part in pair)
        except (TypeError, ValueError):
            raise ModelError(f"limits of {own!r} are (lowest, highest), each a number, got {pair!r}.") from None
        if np.isnan(lo).any() or np.isnan(hi).any() or (lo > hi).any():
            raise ModelError(f"limits of {own!r} are (lowest, highest) with lowest ≤ highest, got {pair!r}.")
        for k, below, above in zip(columns, lo, hi, strict=True):
            for sign, bound in ((1.0, above), (-1.0, -below)):
                if np.isfinite(bound):
                    rows.append(sign * np.eye(n)[k])
                    bounds.append(bound)
    return (frozen(rows), frozen(bounds)) if rows else None
