"""The height of a disc's sharp edge over a plane: g = n·d - ρ |n x a|.

d: from a point of the plane to the centre of the disc,   a: its unit axis,   ρ: its radius,   n: unit normal.

With the axes x, y of the plane, u = (x·a, y·a) and |n x a| = |u|. Height n·d and u are quadratic in the coordinates of
the bodies, so that only |u| needs a discrete derivative: with s = |u| and bars for means of both ends,

    Δs = 2 ū·Δu/(s0 + s1),        Δ(u/s) = mean(1/s) Δu - ū 2 ū·Δu/((s0 + s1) s0 s1)

are exact whatever the disc has turned; the second makes the rate of g exact too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, dot
from visviva.geometry.quadratic import Quadratic
from visviva.library.joints import along, cosine
from visviva.mechanism.conditions import AbstractCondition, Kind
from visviva.mechanism.coordinates import movers, pair_functions
from visviva.mechanism.motion_laws import MotionLaw
from visviva.mechanism.parts import Body, Carrier, Particle
from visviva.mechanism.world_fields import POSE


@final
@dataclass(frozen=True, eq=False)
class ContactHeight(AbstractCondition):
    """g = n·d - ρ |n x a| = 0 for a disc on the child and a plane on the parent.

    plane, disc: (orientation, origin) of their frames in the world as built: z along the normal, and along the axis.
    """

    name: str
    parent: Carrier
    child: Body
    plane: tuple[Array, Array] = field(metadata=POSE)
    disc: tuple[Array, Array] = field(metadata=POSE)
    radius: float
    force_unit: str = field(default="N", init=False)
    kind: Kind = field(default="holonomic", init=False)
    rows: int = field(default=1, init=False)
    follows: tuple[str, ...] = field(default=(), init=False)
    shifted: bool = field(default=False, init=False)
    law: MotionLaw | None = field(default=None, init=False)
    expects: Array = field(default_factory=lambda: np.zeros(0), init=False)

    def frame_on(self, end: Carrier) -> tuple[Array, Array]:
        """Orientation and origin of the frame that moves with one end, in the world as built."""
        return self.plane if end is self.parent else self.disc

    @cached_property
    def movers(self) -> tuple[Body | Particle, ...]:  # type: ignore[override]
        """The disc, and what carries the plane."""
        return movers(self)

    @property
    def numbers(self) -> Array:
        """Of the functions `contacts.height_on_ground` and `height_on_body`."""
        (R_P, r_P), (R_C, r_C), body = self.plane, self.disc, self.child
        if isinstance(self.parent, Body):
            R_P, r_P = self.parent.R_WC.T @ R_P, self.parent.to_principal(r_P)
        axis, centre = body.R_WC.T @ R_C[:, 2], body.to_principal(r_C)
        return np.concatenate([axis, centre, [self.radius], R_P.T.ravel(), r_P])

    @cached_property
    def _d(self) -> Quadratic:
        """n·d."""
        return pair_functions(self, (along(2),))

    @cached_property
    def _u(self) -> Quadratic:
        """x·a, y·a."""
        return pair_functions(self, (cosine(0, 2), cosine(1, 2)))

    def value(self, q: Array, turned: Array) -> Array:  # noqa: D102
        return self._d.value(q) - self.radius * _length(self._u.value(q))[..., None]

    def magnitude(self, q: Array, turned: Array) -> Array:  # noqa: D102
        return self._d.magnitude(q) + self.radius

    def C(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        u0, u1 = self._u.value(q0), self._u.value(q1)
        mean, slope = 0.5 * (q0 + q1), (u0 + u1) / (_length(u0) + _length(u1))[..., None]
        return self._d.gradient(mean) - self.radius * slope[..., None, :] @ self._u.gradient(mean)

    def rate_secants(self, q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:  # noqa: D102
        q, v = 0.5 * (q0 + q1), 0.5 * (v0 + v1)
        u0, u1, slope = self._u.value(q0), self._u.value(q1), self._u.gradient(q)
        s0, s1 = _length(u0)[..., None], _length(u1)[..., None]
        u, e = 0.5 * (u0 + u1), 0.5 * (u0 / s0 + u1 / s1)
        u_dot = 0.5 * (apply(self._u.gradient(q0), v0) + apply(self._u.gradient(q1), v1))
        turned = 0.5 * (1 / s0 + 1 / s1) * u_dot - 2 * dot(u, u_dot)[..., None] / ((s0 + s1) * s0 * s1) * u
        bent = e[..., None, :] @ self._u.turn(v) + turned[..., None, :] @ slope
        D_q = self._d.turn(v) - self.radius * bent
        return D_q, self._d.gradient(q) - self.radius * e[..., None, :] @ slope

    def bend(self, q: Array, v: Array) -> Array:  # noqa: D102
        u, u_dot = self._u.value(q), apply(self._u.gradient(q), v)
        s = _length(u)
        s_ddot = (dot(u_dot, u_dot) + dot(u, apply(self._u.turn(v), v)) - (dot(u, u_dot) / s) ** 2) / s
        return apply(self._d.turn(v), v) - self.radius * s_ddot[..., None]


def _length(u: Array) -> Array:
    return np.hypot(u[..., 0], u[..., 1])
