"""The joint as a composite: offsets, the constraint of a pair, joint potential and friction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.language import AbstractSystem, Composite, Quantity, Reversible, compose, environment, reversible, storage
from visviva.library.joints import AbstractJoint
from visviva.library.multibody.closure import PairClosure
from visviva.library.multibody.friction import friction_tensor, viscous
from visviva.library.multibody.pairs import RelativePose, relative_pose, relative_pose_of
from visviva.library.multibody.parameters import Grid, constraint_box, entries, numbered
from visviva.library.multibody.spatial import Ad_inverse, Domain, coupling, domain, shift

HERE = SE3.identity()


def joint(
    kind: str | AbstractJoint,
    o1: SE3 = HERE,
    o2: SE3 = HERE,
    *,
    pitch: float | None = None,
    group: str = "SE3",
    potential: Callable[..., Any] | None = None,
    friction: ArrayLike | None = None,
    theta0: float | None = 300.0,
    drive: bool = False,
    general: bool = False,
    **parameters: float,
) -> Composite:
    """A joint between two bodies; boxes pe, pkc, hc, o1, o2, mf and env, outer ports p_1 and p_2.

        q_r⁻¹ q_r_dot = u_r,   0 = T*L(dV_r) + iᵀ λ + μ u_r,   0 = Ad(I(q_r)⁻¹) Ad(o1⁻¹) u_1 - Ad(o2⁻¹) u_2 + i u_r

    The multiplier λ of box hc is the wrench on body 2, in the frame C2.

    kind:       a lower pair: spherical, planar, cylindrical, revolute, prismatic or screw, the last with its pitch
                [m/rad]; universal, about z of C1, then x of C2; or table, which is planar with u_r = (angular velocity,
                velocities along x and y of C1). Or a joint of `library.joints` itself.
    o1, o2:     poses of the joint frames C1 in body 1 and C2 in body 2; z is the axis or the normal of the plane.
    potential:  V_r(x), traced, of the relative pose x.q_r; `parameters` are its own.
    friction:   μ, a number, the diagonal or the matrix; None leaves out the boxes mf and env.
    theta0:     temperature of the environment that takes the heat [K]; None shows the outer port s instead.
    drive:      True shows the outer port p_r, where motors, gears and springs act between the bodies: its effort is
                u_r, its flow the force along u_r on body 2.
    general:    True makes parameters of all numbers of the offsets, zeros and ones too: longer equations, but one
                compiled law for all joints of a kind.
    group:      as that of the bodies. Offsets and relative poses of SO3xR3 turn with the bodies, so that there the
                joint has the outer ports q_1 and q_2 for their poses, which share the state only.
    Source:     Lohmayer, Capobianco and Leyendecker, Fig. 3 and (24) to (31), with Ad(o⁻¹) in (27).
    """
    space = domain(group)
    pair = relative_pose_of(kind) if isinstance(kind, AbstractJoint) else relative_pose(kind, pitch)
    relative, momentum = pair.pose_quantity, pair.momentum
    boxes: dict[str, AbstractSystem] = {
        "pe": storage({"q_r": relative}, H=0.0 if potential is None else potential, **parameters),
        "pkc": reversible({"q_r": relative, "p_r": momentum}, J=coupling(pair.n)),
        "hc": replace(
            _constraint(space, pair, _pose(o1, "o1"), general),
            closure=PairClosure(pair, _pose(o1, "o1"), _pose(o2, "o2")),
        ),
        "o1": _offset(space, _pose(o1, "o1"), "1", general),
        "o2": _offset(space, _pose(o2, "o2"), "2", general),
    }
    junctions = {
        "q_r": ["pe.q_r", "pkc.q_r", "hc.q_r"],
        "p_r": ["pkc.p_r", "hc.p_r"],
        "p_j1": ["o1.p_j1", "hc.p_j1"],
        "p_j2": ["o2.p_j2", "hc.p_j2"],
        "p_1": ["o1.p_1"],
        "p_2": ["o2.p_2"],
    }
    outer = ["p_1", "p_2"]
    if space.direct:
        junctions |= {"q_1": ["o1.q_1", *(["hc.q_1"] if pair.translates else [])], "q_2": ["o2.q_2"]}
        outer = ["q_1", "q_2", *outer]
    if drive:
        outer.append("p_r")
    if friction is not None:
        boxes["mf"] = viscous(
            {"p_r": momentum}, friction_tensor(friction, pair.units, kind if isinstance(kind, str) else kind.kind)
        )
        junctions["p_r"].append("mf.p_r")
        junctions["s"] = ["mf.s"]
        if theta0 is None:
            outer.append("s")
        else:
            boxes["env"] = environment({"s": Quantity("R", "entropy")}, theta0)
            junctions["s"].append("env.s")
    return compose("joint", boxes, junctions, outer)


def _pose(offset: Any, name: str) -> SE3:
    if not isinstance(offset, SE3) or offset.shape:
        raise ModelError(f"{name} of a joint must be one pose, SE3.from_parts(R, r), got {offset!r}.")
    R = np.where(np.abs(offset.R - np.rint(offset.R)) < 1e-15, np.rint(offset.R), offset.R)  # quarter turns are exact
    return SE3.from_parts(R, offset.r, name)


def _offset(space: Domain, o: SE3, body: str, general: bool) -> Reversible:
    """u_j = Ad(o⁻¹) u and the dual for forces; source: Lohmayer, Capobianco and Leyendecker (24), (27)."""
    (R, rotation), (r, arm) = entries("R", o.R, _plain(general)), entries("r", o.r, () if general else (0.0,))
    return numbered(_offset_box(space, body, Grid.of(R), Grid.of(r)), rotation | arm)


@cache
def _offset_box(space: Domain, body: str, R: Grid, r: Grid) -> Reversible:
    pose, port = f"q_{body}", f"p_{body}"

    def C(given: dict[str, Any]) -> Any:
        R_BC, r_BC = R.filled(given), r.filled(given)
        map_ = shift(R_BC, r_BC, getattr(given["x"], pose).R) if space.direct else Ad_inverse(R_BC, r_BC)
        return np.hstack([map_, -np.eye(6)])

    ports: dict[str, Any] = {pose: space.pose.state} if space.direct else {}
    ports |= {port: space.momentum, f"p_j{body}": space.momentum}
    return constraint_box(ports, C, [*R.names, *r.names])


def _plain(general: bool) -> tuple[float, ...]:
    """Entries of a rotation that stay numbers."""
    return () if general else (0.0, 1.0, -1.0)


def _constraint(space: Domain, pair: RelativePose, o1: SE3, general: bool) -> Reversible:
    """0 = Ad(I(q_r)⁻¹) u_j1 - u_j2 + i u_r; source: Lohmayer, Capobianco and Leyendecker (28).

    On SO(3) x R³ relative translations are turned into the inertial frame by that of C1, B1 o1.
    """
    turned = space.direct and pair.translates
    R1, rotation = entries("R", o1.R, _plain(general)) if turned else (np.eye(3), {})
    return numbered(_constraint_box(space, pair, Grid.of(R1)), rotation | pair.parameters)


@cache
def _constraint_box(space: Domain, pair: RelativePose, R1: Grid) -> Reversible:
    turned = space.direct and pair.translates

    def C(given: dict[str, Any]) -> Any:
        (R, r), i = pair.pose(given["x"].q_r, given), pair.inclusion(given["x"].q_r, given)
        if not space.direct:
            return np.hstack([Ad_inverse(R, r), -np.eye(6), i])
        R_IC1 = given["x"].q_1.R @ R1.filled(given) if turned else np.eye(3)
        return np.hstack([shift(R, r, R_IC1), -np.eye(6), np.vstack([i[:3], R_IC1 @ R @ i[3:]])])

    ports: dict[str, Any] = {"q_r": pair.pose_quantity.state} | ({"q_1": space.pose.state} if turned else {})
    ports |= {"p_j1": space.momentum, "p_j2": space.momentum, "p_r": pair.momentum}
    return constraint_box(ports, C, [*R1.names, *pair.parameters])
