"""Ports that show one freedom of a joint, or a body in world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.language import Quantity, Reversible, reversible
from visviva.library.multibody.parameters import entries, filled, taking
from visviva.library.multibody.rows import BODY, PUSH
from visviva.library.quantities import momentum_along

WRENCH = Quantity("R6", "momentum")


def freedom_port(momentum: Quantity, k: int, unit: str) -> Reversible:
    """A port whose effort is the k-th rate of a joint's port p_r, and whose flow is the force or torque along it.

    unit: of that freedom, "rad" or "m": the port is one of `library.rotation`, or of `library.translation`.
    """
    C = np.append(np.eye(momentum.dim)[k], -1.0)[None]
    return reversible({"p_r": momentum, "port": momentum_along(unit)}, C=C)


def wrench_port(axes: Array | None = None) -> Reversible:
    """A port of a body's momentum: effort (ω; v) of the centre of mass, flow the wrench (m; f) there.

    axes: None for axes of the world; else those of the port, in the ones of the body.
    """
    R, values = entries("R", np.eye(3) if axes is None else axes, ())

    def C(given: dict[str, Any]) -> Any:
        zero, q = np.zeros((3, 3)), given["x"].q
        if axes is not None:
            turn = filled(R, given).T
            return np.hstack([np.block([[turn, zero], [zero, turn @ q.R.T]]), -np.eye(6)])
        return np.hstack([np.block([[q.R, zero], [zero, np.eye(3)]]), -np.eye(6)])

    ports: dict[str, Any] = {"q": BODY.pose.state, "p": BODY.momentum, "port": WRENCH}
    numbers: dict[str, Any] = {} if axes is None else values
    return reversible(ports, C=taking(("x", *numbers), C), **numbers)


def force_port() -> Reversible:
    """A port of a particle's momentum: effort v, flow the force."""
    return reversible({"p": PUSH, "port": PUSH}, C=np.hstack([np.eye(3), -np.eye(3)]))
