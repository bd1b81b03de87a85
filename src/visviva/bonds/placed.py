"""A mechanism at the states of its bond graph: poses, twists and the moduli of transformers, with their rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import AbstractLaw, Formula, Function
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.mechanism.assembly import Motion
from visviva.mechanism.body_twists import body_pose, twist_of
from visviva.mechanism.parts import Body, Particle

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws


@final
class Placed:
    """All bodies at one state of a tree that spans them."""

    def __init__(self, point: Point) -> None:
        self.point = point

    @cached_property
    def motion(self) -> Motion:
        """Configuration and velocities."""
        layout, x = self.point.form.model.layout, self.point.x
        names = [body.name for body in self.point.form.mechanism.bodies]
        q, V = ({name: x[layout.x[f"{name}.{letter}"]] for name in names} for letter in "qv")
        return Motion(q, V, {})

    def pose(self, body: Body) -> SE3:
        """X_WB."""
        return body_pose(body, self.motion)

    def position(self, particle: Particle) -> Array:
        """In the world."""
        return self.motion.q[particle.name]

    def velocity(self, end: Body | Particle) -> Array:
        """Twist of a body in its own axes, velocity of a particle."""
        return twist_of(end, self.motion) if isinstance(end, Body) else self.motion.V[end.name]

    # -- moduli -------------------------------------------------------------------------------------------------
    def to_world(self, end: Body | Particle) -> Array:
        """The twist in the world at its origin over the velocity of an end: Ad(X_WB), or (0; 1)."""
        return self.pose(end).Ad() if isinstance(end, Body) else PUSH

    def to_world_rate(self, end: Body | Particle) -> Array:
        """Its rate, Ad(X_WB) ad(V)."""
        return self.pose(end).Ad() @ _ad(self.velocity(end)) if isinstance(end, Body) else 0.0 * PUSH

    def from_world(self, body: Body) -> Array:
        """Ad(X_WB)⁻¹."""
        return self.pose(body).inverse().Ad()

    def from_world_rate(self, body: Body) -> Array:
        """-ad(V) Ad(X_WB)⁻¹."""
        return -_ad(self.velocity(body)) @ self.from_world(body)

    def at_point(self, particle: Particle) -> Array:
        """The velocity at a particle over a twist in the world, (3, 6)."""
        return np.hstack([-skew(self.position(particle)), np.eye(3)])

    def at_point_rate(self, particle: Particle) -> Array:
        """Its rate."""
        return np.hstack([-skew(self.velocity(particle)), np.zeros((3, 3))])

    def turning_about(self, body: Body, particle: Particle) -> Array:
        """The twist in the world of a frame that turns with a body about a particle at rest, (6, 6)."""
        R = self.pose(body).R
        return np.block([[R, np.zeros((3, 3))], [skew(self.position(particle)) @ R, np.zeros((3, 3))]])

    def turning_about_rate(self, body: Body, particle: Particle) -> Array:
        """Its rate."""
        R, r = self.pose(body).R, skew(self.position(particle))
        R_dot, r_dot = R @ skew(self.velocity(body)[:3]), skew(self.velocity(particle))
        return np.block([[R_dot, np.zeros((3, 3))], [r_dot @ R + r @ R_dot, np.zeros((3, 3))]])

    def S(self, link: int, own: slice) -> Array:
        """The twist in the world at its origin of a link, over some velocities, (6, k)."""
        tree = self.point.tree
        Jw, Jv = tree.Jw[link][:, own], tree.Jv[link][:, own]
        return np.vstack([Jw, Jv + skew(tree.r[link]) @ Jw])

    def S_rate(self, link: int, own: slice) -> Array:
        """Its rate."""
        tree = self.point.tree
        Jw, Jw_dot, Jv_dot = tree.Jw[link][:, own], tree.Jw_dot[link][:, own], tree.Jv_dot[link][:, own]
        r_dot = tree.Jv[link] @ self.point.xi
        return np.vstack([Jw_dot, Jv_dot + skew(tree.r[link]) @ Jw_dot + skew(r_dot) @ Jw])

    def model_velocity(self, end: Body | Particle) -> Array:
        """Velocities as the Model has them, (ω; v) in principal axes and world axes, over the twist of an end."""
        if not isinstance(end, Body):
            return np.eye(3)
        R = self.pose(end).R
        return np.block([[end.R_BC.T, np.zeros((3, 3))], [-R @ skew(end.com), R]])

    def model_drift(self, end: Body | Particle) -> Array:
        """The rate of this matrix times the twist."""
        if not isinstance(end, Body):
            return np.zeros(3)
        R, (w, v) = self.pose(end).R, np.split(self.velocity(end), 2)
        return np.concatenate([np.zeros(3), R @ np.cross(w, v + np.cross(w, end.com))])


PUSH = np.vstack([np.zeros((3, 3)), np.eye(3)])


def _ad(V: Array) -> Array:
    w, v = skew(V[:3]), skew(V[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


@final
class Placements:
    """Where the states of a graph say that the bodies are; the last state that was asked for is kept."""

    def __init__(self, form: MinimalForm) -> None:
        self.form = form
        self._last: Placed | None = None

    def of(self, laws: Laws) -> Callable[[Array], Placed]:
        """A function of the states of a graph."""
        q_at, xi_at = (np.array([laws.names.index(name) for name in names], dtype=np.intp)
                       for names in (self.form.q_names, self.form.xi_names))  # fmt: skip
        return lambda x: self.at(x[q_at], x[xi_at])

    def at(self, q: Array, xi: Array) -> Placed:
        """At coordinates and velocities of the tree."""
        last = self._last
        if last is None or not (np.array_equal(last.point.q, q) and np.array_equal(last.point.xi, xi)):
            self._last = last = Placed(Point(self.form, q, xi, self.form.initial.s))
        return last


Value = Callable[[Placed], Array]


@final
@dataclass(frozen=True, eq=False)
class PlacedLaw(AbstractLaw):
    """The law of one element as functions of where bodies are.

    role: "matrix" or "output" of the element; of a 0-junction that closes a loop "drift".   rate: of it.
    drift: of a matrix, its rate times the flow, where that is all that is known.
    """

    placements: Placements
    what: str
    role: str
    shape: tuple[int, ...]
    value: Value
    rate: Value | None = None
    drift: Value | None = None

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """One."""
        placed = self.placements.of(laws)

        def function(value: Value) -> Function:
            return lambda t, x, given: value(placed(x))

        def further(value: Value | None, shape: tuple[int, ...]) -> Formula | None:
            return None if value is None else Formula(f"rate of {self.what}", laws.scope, shape, function=function(value))

        rates, drift = further(self.rate, self.shape), further(self.drift, self.shape[:1])
        own = Formula(self.what, laws.scope, self.shape, function=function(self.value), rates=rates, drift=drift)
        return {self.role: own}


@final
@dataclass(frozen=True, eq=False)
class TimeLaw(AbstractLaw):
    """The output of a source as a function of time, with its rate where that is known."""

    what: str
    width: int
    value: Callable[[float], Array]
    rate: Callable[[float], Array] | None = None

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """One."""
        value, rate = self.value, self.rate
        rates = None
        if rate is not None:
            rates = Formula(f"rate of {self.what}", laws.scope, (self.width,), function=lambda t, x, given: rate(t))
        return {
            "output": Formula(
                self.what, laws.scope, (self.width,), function=lambda t, x, given: value(t), rates=rates
            )
        }


@final
@dataclass(frozen=True, eq=False)
class ReadingLaw(AbstractLaw):
    """The output of a resistor as a function of its own flow, and of states by name."""

    what: str
    width: int
    reads: tuple[str, ...]
    value: Callable[[Array, Array], Array]  # of the flow, and of the states that it reads

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """One."""
        at = np.array([laws.names.index(name) for name in self.reads], dtype=np.intp)
        value = self.value
        output = Formula(
            self.what,
            laws.scope,
            (self.width,),
            inputs=tuple(f"f_{k}" for k in range(self.width)),
            function=lambda t, x, given: value(given, x[at]),
        )
        return {"output": output, "factor": output}
