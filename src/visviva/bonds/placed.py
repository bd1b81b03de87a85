"""A mechanism at one state: poses, twists and the moduli of transformers in its bond graph, with their rates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry.hat import skew
from visviva.geometry.linear import cross
from visviva.mechanism.assembly import Motion
from visviva.mechanism.body_twists import inertia_of
from visviva.mechanism.parts import Body, Particle

if TYPE_CHECKING:
    pass


@final
class Placed:
    """All bodies at one state of a tree that spans them; each thing is computed once, for all bodies together.

    Arrays over bodies are in the order of the mechanism; those of particles have the axes of the world.
    """

    def __init__(self, point: Point, bodies: Bodies) -> None:
        self.point, self.bodies = point, bodies
        self.kept: dict[str, Array] = {}

    def keep(self, key: str, make: Callable[[], Array]) -> Array:
        """What several elements ask for."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]

    @cached_property
    def motion(self) -> Motion:
        """Configuration and velocities."""
        layout, x, names = self.point.form.model.layout, self.point.x, self.bodies.number
        q, V = ({name: x[layout.x[f"{name}.{letter}"]] for name in names} for letter in "qv")
        return Motion(q, V, {})

    @property
    def centres(self) -> Array:
        """Centres of mass in the world, (b, 3)."""
        return self.point._bodies[1]

    @cached_property
    def _poses(self) -> tuple[Array, Array]:
        """R_WB and r_WB."""
        R_WC, centre = self.point._bodies[:2]
        R = np.where(self.bodies.turns, R_WC @ self.bodies.R_CB, np.eye(3))
        return R, centre - (R @ self.bodies.com[..., None])[..., 0]

    @cached_property
    def _twists(self) -> Array:
        """(ω; v) of body frames in their own axes; of a particle (0; v)."""
        R, V = self._poses[0], (self.point._bodies[2] @ self.point.xi)
        w = np.where(self.bodies.turns[:, 0], (np.swapaxes(self.bodies.R_CB, -1, -2) @ V[:, :3, None])[..., 0], 0.0)
        v = (np.swapaxes(R, -1, -2) @ V[:, 3:, None])[..., 0] - cross(w, self.bodies.com)
        return np.concatenate([w, v], axis=-1)

    @cached_property
    def _Ad(self) -> tuple[Array, Array, Array]:
        """Ad(X_WB), its inverse, and ad(V)."""
        R, r = self._poses
        Rt = np.swapaxes(R, -1, -2)
        ad = _blocks(skew(self._twists[:, :3]), skew(self._twists[:, 3:]))
        return _blocks(R, skew(r) @ R), _blocks(Rt, -Rt @ skew(r)), ad

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        """Rates of Ad(X_WB), Ad(X_WB) ad(V), and of its inverse, -ad(V) Ad(X_WB)⁻¹."""
        Ad, inverse, ad = self._Ad
        return Ad @ ad, -ad @ inverse

    @cached_property
    def _columns(self) -> tuple[Array, Array]:
        """Twists of all links in the world at its origin over all velocities, (L, 6, n), and their rates."""
        tree = self.point.tree
        r, r_dot = skew(tree.r), skew((tree.Jv @ self.point.xi[:, None])[..., 0])
        rate = tree.Jv_dot + r @ tree.Jw_dot + r_dot @ tree.Jw
        return (
            np.concatenate([tree.Jw, tree.Jv + r @ tree.Jw], axis=1),
            np.concatenate([tree.Jw_dot, rate], axis=1),
        )

    def R(self, body: Body) -> Array:
        """R_WB."""
        return self._poses[0][self.bodies.number[body.name]]

    def velocity(self, end: Body | Particle) -> Array:
        """Twist of a body in its own axes, velocity of a particle."""
        V = self._twists[self.bodies.number[end.name]]
        return V if isinstance(end, Body) else V[3:]

    # -- moduli -------------------------------------------------------------------------------------------------
    def to_world(self, end: Body | Particle) -> Array:
        """The twist in the world at its origin over the velocity of an end: Ad(X_WB), or (0; 1)."""
        return self._Ad[0][self.bodies.number[end.name]] if isinstance(end, Body) else PUSH

    def to_world_rate(self, end: Body | Particle) -> Array:
        """Its rate."""
        return self._rates[0][self.bodies.number[end.name]] if isinstance(end, Body) else 0.0 * PUSH

    def from_world(self, body: Body) -> Array:
        """Ad(X_WB)⁻¹."""
        return self._Ad[1][self.bodies.number[body.name]]

    def from_world_rate(self, body: Body) -> Array:
        """Its rate."""
        return self._rates[1][self.bodies.number[body.name]]

    def structure(self, body: Body) -> Array:
        """-[[π̂, p̂], [p̂, 0]] of the momentum P = (π; p): M V̇ + structure V = F."""
        P = self.bodies.inertias[self.bodies.number[body.name]] @ self.velocity(body)
        return -_blocks(skew(P[:3]), skew(P[3:]), last=False)

    def at_point(self, particle: Particle) -> Array:
        """The velocity at a particle over a twist in the world, (3, 6)."""
        return np.hstack([-skew(self._position(particle)), np.eye(3)])

    def at_point_rate(self, particle: Particle) -> Array:
        """Its rate."""
        return np.hstack([-skew(self.velocity(particle)), np.zeros((3, 3))])

    def turning_about(self, body: Body, particle: Particle) -> Array:
        """The twist in the world of a frame that turns with a body about a particle at rest, (6, 6)."""
        R = self.R(body)
        return np.block([[R, np.zeros((3, 3))], [skew(self._position(particle)) @ R, np.zeros((3, 3))]])

    def turning_about_rate(self, body: Body, particle: Particle) -> Array:
        """Its rate."""
        R, r = self.R(body), skew(self._position(particle))
        R_dot, r_dot = R @ skew(self.velocity(body)[:3]), skew(self.velocity(particle))
        return np.block([[R_dot, np.zeros((3, 3))], [r_dot @ R + r @ R_dot, np.zeros((3, 3))]])

    def _position(self, particle: Particle) -> Array:
        return self._poses[1][self.bodies.number[particle.name]]

    def S(self, link: int, own: slice) -> Array:
        """The twist in the world at its origin of a link, over some velocities, (6, k)."""
        return self._columns[0][link][:, own]

    def S_rate(self, link: int, own: slice) -> Array:
        """Its rate."""
        return self._columns[1][link][:, own]

    # -- rows of constraints ------------------------------------------------------------------------------------
    def model_velocity(self, end: Body | Particle) -> Array:
        """Velocities as the Model has them, (ω; v) in principal axes and world axes, over the twist of an end."""
        T = self._model_velocities[self.bodies.number[end.name]]
        return T if isinstance(end, Body) else T[3:, 3:]

    @cached_property
    def _model_velocities(self) -> Array:
        R = self._poses[0]
        T = np.zeros((len(R), 6, 6))
        T[:, :3, :3], T[:, 3:, :3], T[:, 3:, 3:] = self.bodies.R_CB, -R @ skew(self.bodies.com), R
        return T

    @cached_property
    def model_drift(self) -> Array:
        """The rates of these matrices times the twists, of all bodies one after the other as in the Model."""
        w, v = self._twists[:, :3], self._twists[:, 3:]
        turned = cross(w, v + cross(w, self.bodies.com))
        drift = np.concatenate([np.zeros_like(w), (self._poses[0] @ turned[..., None])[..., 0]], axis=-1)
        return drift.reshape(-1)[self.point.form.moving]

    @cached_property
    def row_drift(self) -> Array:
        """(dC/dt) V of all rows of constraints that the tree does not hold, and C times the drift of twists."""
        point, model = self.point, self.point.form.open
        z = np.zeros(model.layout.total)
        z[point.form.at_z] = point.V
        bias = [part.bias(*model.local(part, point.x, z)) for part in model.constraints]
        return np.concatenate(bias) + point.C @ self.model_drift


@final
class Bodies:
    """Constants of all bodies, one after the other."""

    def __init__(self, form: MinimalForm) -> None:
        bodies = form.definition.bodies
        self.number = {body.name: k for k, body in enumerate(bodies)}
        self.turns = form.rigid[:, None, None]
        self.R_CB = np.array([body.R_BC.T if isinstance(body, Body) else np.eye(3) for body in bodies])
        self.com = np.array([body.com if isinstance(body, Body) else np.zeros(3) for body in bodies])
        self.inertias = np.array(
            [inertia_of(body) if isinstance(body, Body) and body.mass else np.zeros((6, 6)) for body in bodies]
        )


def _blocks(a: Array, b: Array, last: bool = True) -> Array:
    """[[a, 0], [b, a]], or [[a, b], [b, 0]]."""
    found = np.zeros((*a.shape[:-2], 6, 6))
    found[..., :3, :3], found[..., 3:, :3] = a, b
    if last:
        found[..., 3:, 3:] = a
    else:
        found[..., :3, 3:] = b
    return found


PUSH = np.vstack([np.zeros((3, 3)), np.eye(3)])
