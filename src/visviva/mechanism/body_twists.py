"""Twists of the bodies of a mechanism at a motion, of their own frames and against each other."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.inertia import Inertia
from visviva.library.joints import Product
from visviva.mechanism.assembly import Motion
from visviva.mechanism.coordinates import pair_functions
from visviva.mechanism.elements import Element
from visviva.mechanism.parts import Body, Carrier, Pair, PairCoordinate, PairTwist, Particle
from visviva.mechanism.placement import coordinates_of, frame_pose, principal_pose


def momentum_of(part: Body | Particle) -> str:
    """The state that is its momentum."""
    return f"{part.name}.P" if isinstance(part, Body) else f"{part.name}.p"


def body_pose(body: Body, motion: Motion) -> SE3:
    """Pose of the body frame B, as the user gave it, at a motion."""
    X = principal_pose(body, motion)
    R = X.R @ body.R_BC.T
    return SE3(R, X.r - R @ body.com)


def inertia_of(body: Body) -> Array:
    """𝓘 (6, 6) of a body in its frame B."""
    return Inertia(body.mass, body.J, body.com).matrix()


def twist_of(body: Body, motion: Motion) -> Array:
    """Twist (ω; v) of the body frame in its own axes."""
    R, V = body_pose(body, motion).R, motion.V[body.name]
    w = body.R_BC @ V[:3]
    return np.concatenate([w, R.T @ V[3:] - np.cross(w, body.com)])


def twist_rate(body: Body, motion: Motion, V_dot: Array) -> Array:
    """Rate of `twist_of` for accelerations V_dot = (ω_dot; v_dot) as those of the model of a mechanism."""
    R, V = body_pose(body, motion).R, motion.V[body.name]
    w, w_dot = body.R_BC @ V[:3], body.R_BC @ V_dot[:3]
    return np.concatenate([w_dot, R.T @ V_dot[3:] - np.cross(w, R.T @ V[3:]) - np.cross(w_dot, body.com)])


def world_twist(end: Carrier, motion: Motion) -> Array:
    """Twist in the world at its origin; a particle does not turn."""
    if isinstance(end, Body):
        return body_pose(end, motion).Ad() @ twist_of(end, motion)
    return np.concatenate([np.zeros(3), motion.V[end.name]]) if isinstance(end, Particle) else np.zeros(6)


def relative_twist(pair: Pair, motion: Motion) -> Array:
    """Twist of the child against the parent, in the world at its origin."""
    return world_twist(pair.child, motion) - world_twist(pair.parent, motion)


def end_twist(element: Element, motion: Motion) -> Array:
    """Twist of the child against the parent, in the frame on the child."""
    return frame_pose(element, element.child, motion).inverse().Ad() @ relative_twist(element, motion)


def measured_rates(element: Element, motion: Motion) -> Array:
    """Rates of what a spring measures over `end_twist`, shape (k, 6)."""
    return relative_rates(element.rows, element, motion) @ frame_pose(element, element.child, motion).Ad()


def pair_rates(one: PairCoordinate | PairTwist, motion: Motion) -> Array:
    """The rate of a displacement, or rates of a twist, of two frames, as of `relative_rates`, shape (k, 6)."""
    if isinstance(one, PairTwist):
        y = pair_functions(one, one.twist.products).value(coordinates_of(one, motion))
        return np.asarray(one.twist.matrix(y) @ relative_rates(one.twist.products, one, motion))
    row = relative_rates((one.product,), one, motion)
    if not one.is_length:
        return row
    P, C = (frame_pose(one, end, motion) for end in (one.parent, one.child))
    return row / np.linalg.norm(C.r - P.r)


def relative_rates(rows: tuple[Product, ...], pair: Pair, motion: Motion) -> Array:
    """Rates of functions of two frames over the twist of the child against the parent, in the world, shape (k, 6).

    The functions do not change when both ends move as one body, so that this twist is enough.
    """
    P, C = (frame_pose(pair, end, motion) for end in (pair.parent, pair.child))
    vectors = np.concatenate([P.R.T, C.R.T, [C.r - P.r], np.eye(3)])  # in the order of `Vector`
    found = list[Array]()
    for row in rows:
        f, _, moment = row.wrench(vectors[row.u], vectors[row.w])
        found.append(np.concatenate([moment + np.cross(C.r, f), f]))
    return np.array(found).reshape(-1, 6)
