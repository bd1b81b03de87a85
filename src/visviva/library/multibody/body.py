"""The rigid body as a composite: storage of potential and kinetic energy, their coupling, gyroscopic effects."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.geometry.inertia import check_inertia
from visviva.language import AbstractSystem, Composite, Quantity, Reversible, Storage, compose, reversible, storage
from visviva.library.multibody.parameters import entries, filled, taking
from visviva.library.multibody.spatial import Domain, coupling, domain, hat
from visviva.numerics.rank import DATA

DOWN = (0.0, 0.0, -9.81)


def rigid_body(
    mass: float,
    inertia: ArrayLike,
    gravity: ArrayLike = DOWN,
    group: str = "SE3",
    potential: Callable[..., Any] | None = None,
    **parameters: float,
) -> Composite:
    """A rigid body with its frame at the centre of mass; boxes pe, ke, pkc and lp, outer port p.

        q⁻¹ q_dot = u,   p_dot = ad_uᵀ p - T*L_q(dV) + p.f,   p.e = u,   u = dE_ke(p)

    mass, inertia: [kg], [kg m²]: principal moments (3,) or the tensor (3, 3), about the centre of mass.
    gravity:       acceleration γ [m/s²] in the inertial frame; V = -w·r with the weight w = m γ [N].
    group:         "SE3", or "SO3xR3" with velocities (ω in the body, ν in the inertial frame) and the outer port q,
                   whose state the joints need.
    potential:     a further V(x), traced, of the pose x.q with x.q.R and x.q.r; `parameters` are its own.
    Source:        Lohmayer, Capobianco and Leyendecker, Fig. 2 and (16) to (22).

    A thin rod has no moment about its own axis, and no momentum there: its kinetic energy is one of the momentum p_k
    along the other principal axes E, (Eᵀ u_ω; u_v) = dE_ke(p_k), by the box `axes`.
    """
    space = domain(group)
    mass, J = check_inertia(mass, inertia)
    moments, E = heavy_axes(J)
    weight = mass * finite_vector(gravity, "gravity", 3)
    boxes: dict[str, AbstractSystem] = {"pe": _potential(space, weight, potential, parameters)}
    junctions = {"q": ["pe.q", "pkc.q"], "p": ["pkc.p", "ke.p", "lp.p"]}
    if len(moments) == 3:
        boxes |= {"ke": _kinetic(space, mass, J), "pkc": potential_kinetic(space), "lp": lie_poisson(space)}
    else:
        boxes |= {**_thin(space, mass, moments, E), "pkc": potential_kinetic(space)}
        junctions |= {"p": ["pkc.p", "axes.p", "lp.p"], "p_k": ["ke.p_k", "axes.p_k", "lp.p_k"]}
    return compose("body", boxes, junctions, outer=("q", "p") if space.direct else ("p",))


def heavy_axes(J: Array) -> tuple[Array, Array]:
    """Principal moments of a tensor that are not zero, (k,), and the axes (ω; v) that have momentum, (6, k + 3)."""
    moments, axes = np.linalg.eigh(J)
    heavy = moments > DATA * np.trace(J)
    k = np.count_nonzero(heavy)
    E = np.zeros((6, k + 3))
    E[:3, :k], E[3:, k:] = axes[:, heavy], np.eye(3)
    return moments[heavy], E


def ground(group: str = "SE3") -> Composite:
    """What does not move, at the origin: like a body, with the row u = 0 in place of the kinetic energy."""
    space = domain(group)
    boxes = {
        "pe": storage({"q": space.pose}, H=0.0),
        "pkc": potential_kinetic(space),
        "fixed": reversible({"p": space.momentum}, C=np.eye(6)),
    }
    junctions = {"q": ("pe.q", "pkc.q"), "p": ("pkc.p", "fixed.p")}
    return compose("ground", boxes, junctions, outer=("q", "p") if space.direct else ("p",))


@cache
def potential_kinetic(space: Domain) -> Reversible:
    """Pose and momentum of a body coupled: q⁻¹ q_dot = u, and the force of its potential."""
    return reversible({"q": space.pose, "p": space.momentum}, J=coupling(6))


@cache
def lie_poisson(space: Domain) -> Reversible:
    """Gyroscopic effects, J(p) u = ad_uᵀ p: [[p̂_ω, p̂_v], [p̂_v, 0]], without p̂_v on SO(3) x R³.

    Source: Lohmayer, Capobianco and Leyendecker (15), (19).
    """
    return reversible({"p": space.momentum}, J=lambda x: _gyroscopic(space, x.p))


def _gyroscopic(space: Domain, p: Any) -> Any:
    p_w, p_v = hat(p[:3]), hat(np.zeros(3) if space.direct else p[3:])
    return np.block([[p_w, p_v], [p_v, np.zeros((3, 3))]])


def _thin(space: Domain, mass: float, moments: Array, E: Array) -> dict[str, AbstractSystem]:
    """ke, axes and lp of a body with momentum along some axes only, see `heavy_axes`."""
    n = E.shape[1]
    momentum = Quantity(f"R{n}", "momentum")
    values = {f"J{j + 1}": float(moment) for j, moment in enumerate(moments)}

    def H(given: dict[str, Any]) -> Any:
        p = given["x"].p_k
        inertias = [*(given[name] for name in values), *3 * [given["m"]]]
        return sum(one**2 / (2 * inertia) for one, inertia in zip(p, inertias, strict=True))

    return {
        "ke": storage({"p_k": momentum}, H=taking(("x", *values, "m"), H), m=mass, **values),
        "axes": reversible({"p": space.momentum, "p_k": momentum}, C=np.hstack([E.T, -np.eye(n)])),
        "lp": reversible({"p": space.momentum, "p_k": momentum.state}, J=lambda x: _gyroscopic(space, E @ x.p_k)),
    }


def _kinetic(space: Domain, mass: float, J: Array) -> Storage:
    """E_ke(p) = p_ω·J⁻¹ p_ω / 2 + p_v·p_v / 2m; source: Lohmayer, Capobianco and Leyendecker (18)."""
    if np.count_nonzero(J - np.diag(np.diag(J))) == 0:
        values = {f"J{k + 1}": float(J[k, k]) for k in range(3)}

        def rotation(p: Any, given: dict[str, Any]) -> Any:
            return sum(p[k] ** 2 / (2 * given[f"J{k + 1}"]) for k in range(3))
    else:
        inverse = np.linalg.inv(J)
        grid, values = entries("Jinv_", (inverse + inverse.T) / 2)
        grid[np.tril_indices(3, -1)] = grid.T[np.tril_indices(3, -1)]
        values = {name: value for name, value in values.items() if name in grid}

        def rotation(p: Any, given: dict[str, Any]) -> Any:
            return 0.5 * (p[:3] @ filled(grid, given) @ p[:3])

    def H(given: dict[str, Any]) -> Any:
        p = given["x"].p
        return rotation(p, given) + (p[3] ** 2 + p[4] ** 2 + p[5] ** 2) / (2 * given["m"])

    return storage({"p": space.momentum}, H=taking(("x", *values, "m"), H), m=mass, **values)


def _potential(
    space: Domain, weight: Array, potential: Callable[..., Any] | None, parameters: dict[str, float]
) -> Storage:
    """V(q) = -w·r plus what the user adds; source: Lohmayer, Capobianco and Leyendecker (17)."""
    grid, values = entries("w", weight)
    own = list(inspect.signature(potential).parameters) if potential is not None else []
    if taken := values.keys() & parameters.keys():
        raise ModelError(f"parameter {min(taken)!r} of the potential is the weight's name: use another name.")

    def H(given: dict[str, Any]) -> Any:
        V = -(filled(grid, given) @ given["x"].q.r)
        return V + potential(**{name: given[name] for name in own}) if potential is not None else V

    names = dict.fromkeys(("x", *own, *values, *parameters))
    return storage({"q": space.pose}, H=taking(names, H), **values, **parameters)
