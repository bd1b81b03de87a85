"""Where parts of a mechanism are, as symbols: frames on bodies, functions of pairs of frames, coordinates of joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.symbols.frames import Frame
from visviva.forms.symbols.moving import Moving, axis_on, constant, dot, function_of, point_on, stacked
from visviva.forms.symbols.parameters import Parameters, directions, tidy
from visviva.forms.symbols.steps import Steps, zeros
from visviva.forms.symbols.tree import TreeSymbols
from visviva.forms.symbols.variables import Variables
from visviva.library.joints import Along, AlongChild, Angle, Coordinate, Dot, Meet, Rod, Row
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Pair, Particle
from visviva.views.equations_names import Label


@final
class Places:
    """Everything that constraints, springs and inputs need to know of a mechanism that moves."""

    def __init__(
        self,
        form: MinimalForm,
        variables: Variables,
        tree: TreeSymbols,
        frames: Sequence[Frame],
        parameters: Parameters,
        steps: Steps,
    ) -> None:
        self.form, self.variables, self.tree, self.frames = form, variables, tree, frames
        self.parameters, self.steps, self.n = parameters, steps, form.n
        self._made: dict[Any, Moving] = {}
        self.place = {
            (place.joint.name, place.coordinate): place
            for place in form.spanning.places
            if place.joint is not None and place.coordinate is not None
        }
        self.scale = max((float(np.abs(body_at(b)).max()) for b in form.mechanism.bodies), default=0.0)

    # -- vectors --------------------------------------------------------------------------------------------------

    def frame(self, carrier: Body | Particle) -> Frame:
        """The frame of the link that carries a body."""
        return self.frames[self.form.spanning.link[carrier.name]]

    def centre(self, carrier: Body | Particle) -> Moving:
        """The centre of mass of a body, or the particle."""
        key = "centre", carrier.name
        if key not in self._made:
            com = self.tree.com[self.form.spanning.link[carrier.name]]
            self._made[key] = point_on(self.frame(carrier), com, self.steps, Label("r", (carrier.name, "C")))
        return self._made[key]

    def principal(self, body: Body) -> list[Moving]:
        """The directors: principal axes of a body."""
        key = "principal", body.name
        if key not in self._made:
            k = self.form.mechanism.bodies.index(body)
            columns = directions(self.form.R_LC[k]).T
            parts = [self._axis(body, column, f"{i + 1}") for i, column in enumerate(columns)]
            self._made[key] = stacked(parts)
        return [self._made[key][3 * i : 3 * i + 3] for i in range(3)]

    def axis(self, pair: Pair, end: Carrier, i: int) -> Moving:
        """Axis i of the frame of a pair on one of its ends."""
        a = pair.frame_on(end)[0][:, i]
        if not isinstance(end, Body):
            return constant(directions(a), self.n)
        return self._axis(end, directions(self._R_LW(end) @ a), "")

    def origin(self, pair: Any, end: Carrier) -> Moving:
        """Origin of the frame of a pair on one of its ends."""
        if isinstance(end, Particle):
            return self.centre(end)
        side = "a" if end is pair.parent else "b"
        return self.attached(end, pair.frame_on(end)[1], Label(side, (pair.name,)))

    def attached(self, end: Ground | Body, r_W: Any, label: Label) -> Moving:
        """A point that is at r_W as built and moves with a body; its place there is a parameter."""
        key = "point", end.name, label, tuple(np.asarray(r_W).tolist())
        if key not in self._made:
            if isinstance(end, Ground):
                self._made[key] = constant(self.parameters.vector(r_W, label, "m", self.scale), self.n)
            else:
                link = self.form.tree.links[self.form.spanning.link[end.name]]
                local = link.X_LB[:3, 3] + self._R_LW(end) @ (r_W - end.r_WB)
                p = self.parameters.vector(local, label, "m", self.scale)
                self._made[key] = point_on(self.frame(end), p, self.steps, label.at("r"))
        return self._made[key]

    def _R_LW(self, body: Body) -> Any:
        """From world axes as built to those of the link."""
        link = self.form.tree.links[self.form.spanning.link[body.name]]
        return link.X_LB[:3, :3] @ body.R_WB.T

    def _axis(self, body: Body, a: Any, suffix: str) -> Moving:
        key = "axis", body.name, tuple(a)
        if key not in self._made:
            self._made[key] = axis_on(self.frame(body), a, self.steps, Label("e", (body.name, suffix)))
        return self._made[key]

    # -- functions ------------------------------------------------------------------------------------------------

    def functions(self, pair: Any, rows: Sequence[Row]) -> Moving:
        """Functions of the relative placement of two frames; see `mechanism.coordinates.pair_functions`."""
        P, C = pair.parent, pair.child
        found: list[Moving] = []
        for row in rows:
            match row:
                case Dot(i, j):
                    found.append(dot(self.axis(pair, P, i), self.axis(pair, C, j)))
                case Meet():
                    found.append(self._between(pair))
                case Along(i):
                    found.append(dot(self.axis(pair, P, i), self._between(pair)))
                case AlongChild(i):
                    found.append(dot(self.axis(pair, C, i), self._between(pair)))
                case Rod(length):
                    d = self._between(pair)
                    l = self.parameters.number(length, Label("l", (pair.name,)), "m")
                    square = dot(d, d)
                    half = Moving(square.value - l**2, square.row, square.rate, square.bias)
                    found.append(Moving(half.value / 2, half.row / 2, half.rate / 2, half.bias / 2))
        return stacked(found).named(self.steps, Label("y", (pair.name,)))

    def _between(self, pair: Any) -> Moving:
        """d, from the origin on the parent to that on the child."""
        return (self.origin(pair, pair.child) - self.origin(pair, pair.parent)).named(self.steps, Label("d", (pair.name,)))

    def coordinate(self, joint: Joint, coordinate: Coordinate) -> Moving:
        """A coordinate of a joint; of a joint that is cut the angle follows from its cosine and sine.

        Its turns are known to better than half a turn by the state that follows it, where there is one.
        """
        import sympy

        place = self.place.get((joint.name, joint.joint.coordinates.index(coordinate)))
        if place is not None:
            row = zeros(1, self.n)
            row[0, place.xi] = sympy.Integer(1)
            return Moving(self.variables.q[place.q], row, self.variables.xi[place.xi], zeros(1))
        if not isinstance(coordinate, Angle):
            return self.functions(joint, (coordinate,))
        c, s = sympy.symbols("c s", real=True)
        near = self.turned(joint, coordinate)
        angle = near + sympy.atan2(s * sympy.cos(near) - c * sympy.sin(near), c * sympy.cos(near) + s * sympy.sin(near))
        y = self.functions(joint, (coordinate.cos, coordinate.sin))
        value = function_of(angle, (c, s), y).value  # its derivatives are those of atan2(s, c)
        found = function_of(sympy.atan2(s, c), (c, s), y)
        return Moving(value, found.row, found.rate, found.bias).named(self.steps, Label("theta", (joint.name,)))

    def turned(self, joint: Joint, angle: Angle) -> Any:
        """The state that knows the turns of an angle, or zero where none is followed."""
        import sympy

        k = joint.joint.coordinates.index(angle)
        for name, (other, number) in self.form.states.angles.items():
            if other is joint and number == k and name in self.form.states.s:
                return self.variables.s[self.form.states.s[name]][0]
        return sympy.Integer(0)

    def directors(self, movers: Sequence[Body | Particle]) -> Moving:
        """Coordinates (φ, d1, d2, d3) of bodies and r of particles, one after the other."""
        parts = [
            part
            for mover in movers
            for part in (self.centre(mover), *(self.principal(mover) if isinstance(mover, Body) else ()))
        ]
        return stacked(parts)

    def twist(self, body: Body | Particle) -> Moving:
        """(ω; v) of a body at its centre of mass in world axes, v of a particle: rate is the twist, row its Jacobian.

        bias is that of its rate; it has no value.
        """
        centre, frame = self.centre(body), self.frame(body)
        linear = Moving(zeros(3), centre.row, centre.rate, centre.bias)
        if isinstance(body, Particle):
            return linear
        label = Label("omega", (body.name, "W"))
        angular = Moving(
            zeros(3), frame.R @ frame.J[:3], frame.R @ frame.V[:3], frame.R @ frame.B[:3]
        ).named(self.steps, label)  # fmt: skip
        return stacked([angular, linear])

    def angle_names(self, joint: Joint) -> dict[str, Angle]:
        """Its angles by the names that runs follow."""
        return turn_names(joint)


def body_at(body: Body | Particle) -> Any:
    """Where it is as built."""
    at = body.r_WB if isinstance(body, Body) else body.r_W
    if at is None:
        raise ModelError(f"{body.name!r} has no place.")
    return tidy(at)
