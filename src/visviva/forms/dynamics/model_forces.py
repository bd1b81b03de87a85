"""What acts on a mechanism by its Model, in generalised forces: for all that has no compiled form on trees."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.dynamics.evaluator import Evaluator
from visviva.forms.dynamics.frames import PlacedFrame, PlacedFrames
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.kernels.trees.frames import BODY, WORLD
from visviva.mechanism.parts import Force, Motor, Torque, WrenchPort


@final
class ModelForces:
    """Forces of springs, dampers, friction, stops and motors, and the matrix of the inputs, over the velocities ξ."""

    def __init__(self, form: MinimalForm) -> None:
        self.form = form

    @property
    def tied(self) -> bool:
        """Whether boxes have momenta that are tied to joints: inertias that no body has."""
        return self.form.inner is not None and bool(self.form.inner.tied)

    def tied_inertia(self, q: Array, v: Array, s: Array) -> Array:
        """Of these, (n, n)."""
        point = Point(self.form, q, np.zeros(self.form.n), s)
        return np.asarray(point.M - point.body_M)

    @cached_property
    def _weightless(self) -> MinimalForm:
        """The same mechanism on the same tree without gravity: what acts there is all that is not a weight."""
        m = self.form.definition.variant(gravity=np.zeros(3))
        form = MinimalForm(m, wanted=self.form.wanted)
        assert form.names == self.form.names  # coordinates have one order in both
        return form

    def passive(self, q: Array, v: Array, s: Array) -> Array:
        """Their sum on the left-hand side, (n,)."""
        form = self._weightless
        return -Point(form, q, v, s).force(np.zeros(len(form.inputs.base)))

    def s_dot(self, q: Array, v: Array, s: Array, u: Array) -> Array:
        """Rates of the states besides motion, (ns,)."""
        form = self.form
        if self.tied:
            point = Point(form, q, v, s)
            return form.solve(point, u, np.zeros(len(u))).s_dot
        flow = Point(form, q, v, s).flow(u)
        return np.concatenate([np.zeros(0), *(flow[form.open.layout.z[name]] for name in form.states.s)])

    def input_matrix(self, q: Array, s: Array) -> Array:
        """B of all ports, (n, nu)."""
        point = Point(self.form, q, np.zeros(self.form.n), s)
        return np.asarray(point.S.T @ self.form.full.B(point.x)[self.form.at_z])


@final
class WrenchInputs(NamedTuple):
    """Inputs that act on a frame: their columns, in which axes its Jacobian has rows, and whether they are a force."""

    columns: slice
    frame: PlacedFrame
    rows: int
    point: bool


@final
class TreeInputs:
    """B (n, nu) of a tree: forces along coordinates are constant, wrenches turn with the Jacobian of their body.

    beyond: whether ports act in joints that the tree does not have, which close loops.
    """

    def __init__(self, form: MinimalForm, frames: PlacedFrames) -> None:
        places = form.spanning.places
        at = {(place.joint.name, place.coordinate): place.xi.start for place in places if place.joint is not None}
        self.constant = np.zeros((form.n, len(form.inputs.base)))
        self.wrenches = list[WrenchInputs]()
        self.beyond = False
        for port in form.definition.ports:
            columns = form.model.port_columns[port.name]
            match port:
                case Torque() | Force():
                    place = at.get((port.joint.name, port.at.number))
                    if place is None:
                        self.beyond = True
                    else:
                        self.constant[place, columns] = 1.0
                case WrenchPort():
                    rows = BODY if port.frame == "body" else WORLD
                    self.wrenches.append(WrenchInputs(columns, frames.centre(port.carrier), rows, port.width == 3))
                case Motor():  # its voltage drives a current, which is a state
                    pass

    def matrix(self, tree: Evaluator, q: Array) -> Array:
        """At configurations (..., nq)."""
        B = np.broadcast_to(self.constant, (*q.shape[:-1], *self.constant.shape)).copy()
        for columns, frame, rows, point in self.wrenches:
            J = tree.jacobian(frame.path, frame.X, rows, q)
            B[..., columns] = np.swapaxes(J[..., 3:, :] if point else J, -1, -2)
        return B
