"""What acts in the joints of a tree, as numbers, where nothing else does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.slopes import slope
from visviva.library.joints import TURN, along
from visviva.mechanism.builder import Part
from visviva.mechanism.elements import Torsion
from visviva.mechanism.parts import Force, Torque, WrenchPort

if TYPE_CHECKING:
    from visviva.forms.minimal.form import MinimalForm


@final
@dataclass(frozen=True, eq=False)
class TreeForces:
    """τ = B u - damping ξ - stiffness (q - relaxed), besides gravity: one entry per velocity of the tree.

    stiffness and relaxed are those of hinges and sliders, whose velocities are rates of their coordinates.
    """

    damping: Array  # (n,)
    stiffness: Array  # (n,)
    relaxed: Array  # (n,)
    B: Array  # (n, inputs)

    @property
    def ports(self) -> NDArray[np.int64]:
        """The velocity that each input acts on."""
        return np.argmax(self.B, axis=0).astype(np.int64)


def beyond_trees(form: MinimalForm) -> str:
    """What keeps a mechanism from being a tree of joints, in words; empty if there is nothing."""
    if form.open.constraints:
        names = ", ".join(repr(part.name) for part in form.open.constraints)
        return f"constraints that no tree of joints holds: {names}"
    return f"states besides motion: {', '.join(form.s_names)}" if form.extra else ""


def beyond_joints(form: MinimalForm) -> str:
    """What a mechanism has that `TreeForces` cannot say, in words; empty if there is nothing."""
    return beyond_trees(form) or beyond_linear(form)


def beyond_linear(form: MinimalForm, *, wrenches: bool = False) -> str:
    """What acts on a mechanism besides linear forces in joints, in words; empty if there is nothing.

    wrenches: whether ports may act on bodies.
    """
    if form.open.feedback:
        return "inputs that depend on states"
    m = form.mechanism
    others: list[Part] = [*m.elements, *m.stops]
    others += [joint for joint in m.joints if any(law is not None for law in joint.laws)]
    others += [p for p in m.ports if not isinstance(p, Torque | Force | WrenchPort if wrenches else Torque | Force)]
    others += [part for part in m.torsions if part.energy is not None and linear(part) is None]
    names = ", ".join(repr(part.name) for part in others)
    return f"forces that are not linear in its joints: {names}" if others else ""


def tree_forces(form: MinimalForm) -> TreeForces:
    """The forces of a mechanism that has no others, else an error that says which."""
    if reason := beyond_joints(form):
        raise ModelError(
            f"mechanism {form.name!r} has {reason}.\n"
            "Forces in joints alone are gravity, linear springs and dampers, torques and forces along them."
        )
    springs = joint_springs(form)
    assert springs is not None
    places = form.spanning.places
    at = {(place.joint.name, place.coordinate): place.xi.start for place in places if place.joint is not None}
    B = np.zeros((form.n, len(form.inputs.base)))
    for port in form.mechanism.ports:
        assert isinstance(port, Torque | Force)
        B[at[port.joint.name, coordinate_of(port)], form.model.port_columns[port.name]] = 1.0
    return TreeForces(*springs, B)


def joint_springs(form: MinimalForm) -> tuple[Array, Array, Array] | None:
    """Damping, stiffness and where springs are relaxed, (n,) each, of linear forces in the joints of a tree.

    None where something else acts, such as a spring in a joint that closes a loop.
    """
    if form.extra or beyond_linear(form, wrenches=True):
        return None
    places = form.spanning.places
    at = {(place.joint.name, place.coordinate): place.xi.start for place in places if place.joint is not None}
    if any((part.joint.name, 0) not in at for part in form.mechanism.torsions):
        return None
    damping, stiffness, moment = (np.zeros(form.n) for _ in range(3))
    for joint in form.mechanism.joints:
        for k, d in enumerate(joint.friction):
            if (joint.name, k) in at:
                damping[at[joint.name, k]] += d
            elif d:
                return None
    for part in form.mechanism.torsions:
        damping[at[part.joint.name, 0]] += part.damping
        if part.energy is not None:
            found = linear(part)
            assert found is not None
            stiffness[at[part.joint.name, 0]] += found[0]
            moment[at[part.joint.name, 0]] += found[1]
    return damping, stiffness, np.divide(moment, stiffness, out=np.zeros(form.n), where=stiffness != 0)


def linear(part: Torsion) -> tuple[float, float] | None:
    """(k, m) of the torque -(k θ - m) of a spring about the axis of a joint; None where it is not linear."""
    assert part.energy is not None
    H = part.energy.H
    (angle,) = H.states["angle"]
    U = H.values.item().subs(list(H.parameters.values()))
    moment = slope(U, angle)
    k = slope(moment, angle)
    if k.free_symbols or not k > 0:
        return None
    return float(k), -float(moment.subs(angle, 0))


def coordinate_of(port: Torque | Force) -> int:
    """Which coordinate of its joint an input acts on: the angle about z, or the displacement along it."""
    return port.joint.joint.coordinates.index(TURN if isinstance(port, Torque) else along(2))
