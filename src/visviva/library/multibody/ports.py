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


def freedom_spring(
    momentum: Quantity,
    freedoms: tuple[int, ...] = (0,),
    *,
    energy: Storage | None = None,
    damping: Array | None = None,
    theta0: float = 300.0,
) -> Composite:
    """A spring and damper along freedoms of a joint; boxes pe, pkc, mf and env, outer port p_r, that of the joint.

        y_dot = u_r,   force on p_r: dU(y) + D u_r   of the freedoms, by their numbers

    energy:  a storage with one port, "angle" or "y"; angles are continuous over many turns, other than rotations.
    damping: D ⪰ 0, (k, k).
    """
    n, at = momentum.dim, list(freedoms)
    boxes: dict[str, AbstractSystem] = {}
    junctions: dict[str, list[str]] = {"p_r": []}
    if energy is not None:
        ((port, y),) = energy.interface.items()
        kept = [*at, *range(n, 2 * n)]
        J = coupling(n)[np.ix_(kept, kept)]
        boxes |= {"pe": energy, "pkc": reversible({port: y.quantity, "p_r": momentum}, J=J)}
        junctions[port] = [f"pe.{port}", f"pkc.{port}"]
        junctions["p_r"].append("pkc.p_r")
    if damping is not None:
        D = np.zeros((n, n))
        D[np.ix_(at, at)] = damping
        boxes |= {"mf": viscous(momentum, D), "env": environment({"s": ENTROPY}, theta0)}
        junctions["s"] = ["mf.s", "env.s"]
        junctions["p_r"].append("mf.p_r")
    return compose("spring", boxes, junctions, outer=("p_r",))


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
