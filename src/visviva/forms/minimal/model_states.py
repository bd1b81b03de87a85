"""States of a mechanism's model in Lie form, put together from what minimal coordinates say of it."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.conditions import angle_variable
from visviva.geometry.turning import continued
from visviva.mechanism.joint_coordinates import turn_name, turn_names
from visviva.mechanism.parts import Joint
from visviva.mechanism.spanning.spanning import Spanning
from visviva.model import Model
from visviva.model.inner_unknowns import InnerUnknowns


@final
class ModelStates:
    """Which variables of a model follow from coordinates q of a tree, and which are states s of their own.

    Poses and velocities of bodies follow, and so do lengths of springs, the angles of joints in the tree, and momenta
    in boxes that are tied to joints. Others
    are states: currents, entropies, what drives prescribe, and angles of joints that are cut, of which the
    configuration says all but the number of turns.

    s: where each state of its own is in s, by variable.   extra: their number.
    turned: where angles are in q, by variable.   stacked: places in x of angles that are one of several that a spring
    acts along, and the variable of each.   lengths: what follows from poses, by variable.
    """

    def __init__(self, model: Model, spanning: Spanning, inner: InnerUnknowns | None = None) -> None:
        assert model.definition is not None
        self.model, self.spanning, self.inner = model, spanning, inner
        self.angles = angle_variables(model)
        at = {(place.joint.name, place.coordinate): place.q for place in spanning.places if place.joint is not None}
        self.turned = {
            name: at[joint.name, k] for name, (joint, k) in self.angles.items() if (joint.name, k) in at
        }  # where the angles of the tree are in q
        bodies = {f"{body.name}.{letter}" for body in model.definition.bodies for letter in "qv"}
        follow = bodies | (set(model.measured) - set(self.angles)) | set(self.turned)
        follow |= set(() if inner is None else inner.tied)
        self.s: dict[str, slice] = {}
        self.extra = 0
        for variable in model.variables:
            if variable.name not in follow:
                self.s[variable.name] = slice(self.extra, self.extra + variable.space.size)
                self.extra += variable.space.size
        self.stacked = {
            model.layout.x[part.variable].start + k: angle_variable(turn_name(one))
            for part in model.definition.joint_elements
            if part.energy is not None and len(part.coordinates) > 1
            for k, one in enumerate(part.coordinates)
            if one.turns
        }
        self.lengths = {name: part for name, part in model.measured.items() if name not in self.angles}

    def s_of(self, x: Array) -> Array:
        """Its own states in a state of the model."""
        return np.concatenate([np.zeros(0), *(x[self.model.layout.x[name]] for name in self.s)])

    def x(self, q: Array, poses: Array, V: Array, s: Array) -> Array:
        """States of the model (..., size); poses, V: coordinates and velocities of all bodies, one after the other."""
        model, x = self.model, np.zeros((*q.shape[:-1], self.model.layout.size))
        assert model.definition is not None
        names = [body.name for body in model.definition.bodies]
        x[..., model.layout.read(tuple(f"{name}.q" for name in names))] = poses
        x[..., model.layout.read(tuple(f"{name}.v" for name in names))] = V
        for name, part in self.lengths.items():
            x[..., model.layout.x[name]] = part.value(x[..., model.layout.read(part.reads)])
        for name, place in self.turned.items():
            x[..., model.layout.x[name]] = q[..., place]
        for name, at in self.s.items():
            value = s[..., at]
            if name in self.angles:
                part = model.measured[name]
                value = continued(part.value(x[..., model.layout.read(part.reads)]), value)
            x[..., model.layout.x[name]] = value
        for place, angle in self.stacked.items():  # each angle of several is followed by itself
            x[..., place] = x[..., model.layout.x[angle].start]
        return x if self.inner is None else self.inner.completed(x)


def angle_variables(model: Model) -> dict[str, tuple[Joint, int]]:
    """The variables of a mechanism's model that are angles over many turns: joint, and number of the coordinate."""
    m = model.definition
    assert m is not None
    single = [(part.variable, part.coordinates[0]) for part in m.joint_elements if len(part.coordinates) == 1]
    single += [(stop.variable, stop.at) for stop in m.stops]
    single += [place for box in m.boxes for place in box.joint_states.items()]
    found = {variable: (one.joint, one.number) for variable, one in single if one.turns}
    for joint in m.joints:
        for name, angle in turn_names(joint).items():
            found[angle_variable(name)] = joint, joint.joint.coordinates.index(angle)
    return {name: place for name, place in found.items() if name in model.measured}
