"""Where parts of a mechanism are, as symbols: frames on bodies, functions of pairs of frames, coordinates of joints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from visviva.forms.calculus.moving import Moving, dot, stacked
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.model_states import ModelStates
from visviva.forms.symbols.frames import Frame
from visviva.forms.symbols.moving import axis_on, constant, function_of, named, point_on, value_and_rate
from visviva.forms.symbols.parameters import Parameters, directions
from visviva.forms.symbols.steps import Steps, zeros
from visviva.forms.symbols.tree import TreeSymbols
from visviva.forms.symbols.variables import Variables
from visviva.library.joints import Angle, Family, Length, Product, Scalar, Vector
from visviva.mechanism import Definition
from visviva.mechanism.parts import Along, Body, Carrier, Ground, Joint, JointCoordinate, Pair, PairTwist, Particle
from visviva.views.equations_names import Label


class AbstractPlaces(ABC):
    """Everything that constraints, springs and inputs need to know of a mechanism that moves.

    variables: its symbols.   states: which other states it has.   constraints: names of those that are not held, in the
    order of the multipliers.   n: number of velocities.   scale: size of the mechanism [m].
    """

    m: Definition
    variables: Variables
    states: ModelStates
    parameters: Parameters
    steps: Steps
    constraints: tuple[str, ...]
    n: int
    scale: float

    @abstractmethod
    def centre(self, carrier: Body | Particle) -> Moving:
        """The centre of mass of a body, or the particle, in world axes."""

    @abstractmethod
    def principal(self, body: Body) -> list[Moving]:
        """The directors: principal axes of a body."""

    @abstractmethod
    def axis(self, pair: Pair, end: Carrier, i: int) -> Moving:
        """Axis i of the frame of a pair on one of its ends."""

    @abstractmethod
    def attached(self, end: Ground | Body, r_W: Any, label: Label) -> Moving:
        """A point that is at r_W as built and moves with a body; its place there is a parameter."""

    @abstractmethod
    def twist(self, body: Body | Particle) -> Moving:
        """(ω; v) of a body at its centre of mass in world axes, v of a particle: rate is the twist, row its Jacobian.

        bias is that of its rate; it has no value.
        """

    @abstractmethod
    def own(self, joint: Joint, k: int) -> Moving | None:
        """Coordinate k of a joint where it is one of the coordinates; None where it follows from them."""

    def origin(self, pair: Any, end: Carrier) -> Moving:
        """Origin of the frame of a pair on one of its ends."""
        if isinstance(end, Particle):
            return self.centre(end)
        side = "a" if end is pair.parent else "b"
        return self.attached(end, pair.frame_on(end)[1], Label(side, (pair.name,)))

    def functions(self, pair: Any, rows: Sequence[Product]) -> Moving:
        """Functions of the relative placement of two frames; see `mechanism.coordinates.pair_functions`."""
        found: list[Moving] = []
        for row in rows:
            product = dot(self._vector(pair, row.u), self._vector(pair, row.w))
            if row.family is Family.ROD:
                l = self.parameters.number(row.length, Label("l", (pair.name,)), "m")
                product = Moving((product.value - l**2) / 2, product.row / 2, product.rate / 2, product.bias / 2)
            found.append(product)
        return named(stacked(found), self.steps, Label("y", (pair.name,)))

    def _vector(self, pair: Any, one: Vector) -> Moving:
        """A vector of a pair, see `library.joints.scalars`."""
        if one == Vector.D:
            return self._between(pair)
        if one >= Vector.EX:
            return constant(directions(np.eye(3)[one - Vector.EX]), self.n)
        end, first = (pair.parent, Vector.PX) if one < Vector.CX else (pair.child, Vector.CX)
        return self.axis(pair, end, one - first)

    def _between(self, pair: Any) -> Moving:
        """d, from the origin on the parent to that on the child."""
        return named(
            self.origin(pair, pair.child) - self.origin(pair, pair.parent), self.steps, Label("d", (pair.name,))
        )

    def coordinate(self, joint: Joint, coordinate: Scalar) -> Moving:
        """A coordinate of a joint; of a joint that is cut the angle follows from its cosine and sine.

        Its turns are known to better than half a turn by the state that follows it, where there is one.
        """
        import sympy

        coordinates = joint.joint.coordinates
        own = self.own(joint, coordinates.index(coordinate)) if coordinate in coordinates else None
        if own is not None:
            return own
        if not isinstance(coordinate, Angle):
            return self.functions(joint, (coordinate,))
        c, s = sympy.symbols("c s", real=True)
        near = self.turned(joint, coordinate)
        angle = near + sympy.atan2(s * sympy.cos(near) - c * sympy.sin(near), c * sympy.cos(near) + s * sympy.sin(near))
        y = self.functions(joint, (coordinate.cos, coordinate.sin))
        found = function_of(sympy.atan2(s, c), (c, s), y)  # its derivatives are those of the angle over many turns
        value = np.array([value_and_rate(angle, (c, s), y)[0]], dtype=object)
        return named(Moving(value, found.row, found.rate, found.bias), self.steps, Label("theta", (joint.name,)))

    def along(self, one: Along) -> Moving:
        """A coordinate of a joint, or a displacement between two frames; a twist has no value, but a rate."""
        import sympy

        if isinstance(one, JointCoordinate):
            return self.coordinate(one.joint, one.scalar)
        if isinstance(one, PairTwist):
            y = self.functions(one, one.twist.products)
            W, slope, rest = (one.twist.matrix(part) for part in (y.value, y.rate, zeros(len(y.value))))
            moving = Moving(zeros(one.width), W @ y.row, W @ y.rate, W @ y.bias + (slope - rest) @ y.rate)
            return named(moving, self.steps, Label("u", (one.name,)))
        y = self.functions(one, (one.product,))
        if not isinstance(one.scalar, Length):
            return y
        square = sympy.Symbol("y", positive=True)
        return named(function_of(sympy.sqrt(2 * square), (square,), y), self.steps, Label("l", (one.name,)))

    def turned(self, joint: Joint, angle: Angle) -> Any:
        """The state that knows the turns of an angle, or zero where none is followed."""
        import sympy

        k = joint.joint.coordinates.index(angle)
        for name, (other, number) in self.states.angles.items():
            if other is joint and number == k and name in self.states.s:
                return self.variables.s[self.states.s[name]][0]
        return sympy.Integer(0)

    def directors(self, movers: Sequence[Body | Particle]) -> Moving:
        """Coordinates (φ, d1, d2, d3) of bodies and r of particles, one after the other."""
        parts = [
            part
            for mover in movers
            for part in (self.centre(mover), *(self.principal(mover) if isinstance(mover, Body) else ()))
        ]
        return stacked(parts)


@final
class TreePlaces(AbstractPlaces):
    """On the frames of a tree of links, over its minimal velocities."""

    def __init__(
        self,
        form: MinimalForm,
        variables: Variables,
        tree: TreeSymbols,
        frames: Sequence[Frame],
        parameters: Parameters,
        steps: Steps,
    ) -> None:
        self.m, self.states, self.variables = form.definition, form.states, variables
        self.form, self.tree, self.frames = form, tree, frames
        self.parameters, self.steps, self.n = parameters, steps, form.n
        self.constraints = tuple(dict.fromkeys(part.name for part in form.open.constraints))
        self.scale = size_of(form.definition)
        self._made: dict[Any, Moving] = {}
        self._place = {
            (place.joint.name, place.coordinate): place
            for place in form.spanning.places
            if place.joint is not None and place.coordinate is not None
        }

    def frame(self, carrier: Body | Particle) -> Frame:
        """The frame of the link that carries a body."""
        return self.frames[self.form.spanning.link[carrier.name]]

    def centre(self, carrier: Body | Particle) -> Moving:  # noqa: D102
        key = "centre", carrier.name
        if key not in self._made:
            com = self.tree.com[self.form.spanning.link[carrier.name]]
            self._made[key] = point_on(self.frame(carrier), com, self.steps, Label("r", (carrier.name, "C")))
        return self._made[key]

    def principal(self, body: Body) -> list[Moving]:  # noqa: D102
        columns = directions(self.form.R_LC[self.m.bodies.index(body)]).T
        return [self._axis(body, column) for column in columns]

    def axis(self, pair: Pair, end: Carrier, i: int) -> Moving:  # noqa: D102
        a = pair.frame_on(end)[0][:, i]
        if not isinstance(end, Body):
            return constant(directions(a), self.n)
        return self._axis(end, directions(self._R_LW(end) @ a))

    def attached(self, end: Ground | Body, r_W: Any, label: Label) -> Moving:  # noqa: D102
        key = "point", end.name, label
        if key not in self._made:
            if isinstance(end, Ground):
                self._made[key] = constant(self.parameters.vector(r_W, label, "m", self.scale), self.n)
            else:
                link = self.form.tree.links[self.form.spanning.link[end.name]]
                local = link.X_LB[:3, 3] + self._R_LW(end) @ (r_W - end.r_WB)
                p = self.parameters.vector(local, label, "m", self.scale)
                self._made[key] = point_on(self.frame(end), p, self.steps, label.at("r"))
        return self._made[key]

    def twist(self, body: Body | Particle) -> Moving:  # noqa: D102
        centre, frame = self.centre(body), self.frame(body)
        linear = Moving(zeros(3), centre.row, centre.rate, centre.bias)
        if isinstance(body, Particle):
            return linear
        R = frame.R
        angular = Moving(zeros(3), R @ frame.Jw, R @ frame.w, R @ frame.bw)
        return stacked([named(angular, self.steps, Label("omega", (body.name, "W"))), linear])

    def own(self, joint: Joint, k: int) -> Moving | None:  # noqa: D102
        place = self._place.get((joint.name, k))
        if place is None:
            return None
        row = zeros(1, self.n)
        row[0, place.xi] += 1
        return Moving(self.variables.q[place.q], row, self.variables.xi[place.xi], zeros(1))

    def _R_LW(self, body: Body) -> Any:
        """From world axes as built to those of the link."""
        link = self.form.tree.links[self.form.spanning.link[body.name]]
        return link.X_LB[:3, :3] @ body.R_WB.T

    def _axis(self, body: Body, a: Any) -> Moving:
        key = "axis", body.name, tuple(a)
        if key not in self._made:
            self._made[key] = axis_on(self.frame(body), a, self.steps, Label("e", (body.name,)))
        return self._made[key]


def size_of(m: Definition) -> float:
    """The largest coordinate of a body as built: rounding of lengths is in proportion to it."""
    places = [body.r_WB if isinstance(body, Body) else body.r_W for body in m.bodies]
    return max((float(np.abs(r).max()) for r in places), default=0.0)
