"""Springs about joint axes, and ports that show one freedom of a joint, or a body in world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.language import AbstractSystem, Composite, Quantity, Reversible, Storage, compose, environment, reversible
from visviva.library.multibody.friction import ENTROPY, viscous
from visviva.library.multibody.rows import BODY, PUSH
from visviva.library.multibody.spatial import coupling
from visviva.library.quantities import momentum_along

WRENCH = Quantity("R6", "momentum")


def torsion(
    momentum: Quantity, *, energy: Storage | None = None, damping: float = 0.0, theta0: float = 300.0
) -> Composite:
    """A spring and damper about the axis of a joint; boxes pe, pkc, mf and env, outer port p_r, that of the joint.

        angle_dot = u_r[0],   force on p_r[0]: dU(angle) + damping u_r[0]

    energy: a storage with the port angle. The angle is continuous over many turns, other than a rotation.
    """
    n = momentum.dim
    boxes: dict[str, AbstractSystem] = {}
    junctions: dict[str, list[str]] = {"p_r": []}
    if energy is not None:
        angle = energy.interface["angle"].quantity
        J = coupling(n)[[0, *range(n, 2 * n)]][:, [0, *range(n, 2 * n)]]  # of the first freedom only
        boxes |= {"pe": energy, "pkc": reversible({"angle": angle, "p_r": momentum}, J=J)}
        junctions["angle"] = ["pe.angle", "pkc.angle"]
        junctions["p_r"].append("pkc.p_r")
    if damping:
        boxes |= {
            "mf": viscous(momentum, damping * np.diag(np.eye(n)[0])),
            "env": environment({"s": ENTROPY}, theta0),
        }
        junctions["s"] = ["mf.s", "env.s"]
        junctions["p_r"].append("mf.p_r")
    return compose("torsion", boxes, junctions, outer=("p_r",))


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

    def C(x: Any) -> Any:
        zero = np.zeros((3, 3))
        if axes is not None:
            return np.hstack([np.block([[axes.T, zero], [zero, axes.T @ x.q.R.T]]), -np.eye(6)])
        return np.hstack([np.block([[x.q.R, zero], [zero, np.eye(3)]]), -np.eye(6)])

    return reversible({"q": BODY.pose.state, "p": BODY.momentum, "port": WRENCH}, C=C)


def force_port() -> Reversible:
    """A port of a particle's momentum: effort v, flow the force."""
    return reversible({"p": PUSH, "port": PUSH}, C=np.hstack([np.eye(3), -np.eye(3)]))
