"""What acts in the joints of a tree, as numbers, where nothing else does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.slopes import slope
from visviva.mechanism.elements import JointElement
from visviva.mechanism.inventory import Part
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
    m = form.definition
    others: list[Part] = [*m.elements, *m.stops, *m.boxes]
    others += [joint for joint in m.joints if any(law is not None for law in joint.laws)]
    others += [p for p in m.ports if not isinstance(p, Torque | Force | WrenchPort if wrenches else Torque | Force)]
    others += [part for part in m.joint_elements if not _is_linear(part)]
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
    for port in form.definition.ports:
        assert isinstance(port, Torque | Force)
        B[at[port.joint.name, port.at.number], form.model.port_columns[port.name]] = 1.0
    return TreeForces(*springs, B)


def joint_springs(form: MinimalForm) -> tuple[Array, Array, Array] | None:
    """Damping, stiffness and where springs are relaxed, (n,) each, of linear forces in the joints of a tree.

    None where something else acts, such as a spring in a joint that closes a loop.
    """
    if form.extra or beyond_linear(form, wrenches=True):
        return None
    places = form.spanning.places
    at = {(place.joint.name, place.coordinate): place.xi.start for place in places if place.joint is not None}
    along = [(part, part.coordinates[0]) for part in form.definition.joint_elements]  # those of several are not linear
    if any((one.joint.name, one.number) not in at for _, one in along):
        return None
    damping, stiffness, moment = (np.zeros(form.n) for _ in range(3))
    for joint in form.definition.joints:
        for k, d in enumerate(joint.friction):
            if (joint.name, k) in at:
                damping[at[joint.name, k]] += d
            elif d:
                return None
    for part, one in along:
        here = at[one.joint.name, one.number]
        damping[here] += 0.0 if part.damping is None else part.damping[0, 0]
        if part.energy is not None:
            found = linear(part)
            assert found is not None
            stiffness[here] += found[0]
            moment[here] += found[1]
    return damping, stiffness, np.divide(moment, stiffness, out=np.zeros(form.n), where=stiffness != 0)


def _is_linear(part: JointElement) -> bool:
    """Whether its force is linear in one coordinate."""
    return len(part.coordinates) == 1 and (part.energy is None or linear(part) is not None)


def linear(part: JointElement) -> tuple[float, float] | None:
    """(k, m) of the force -(k q - m) of a spring along one coordinate; None where it is not linear."""
    assert part.energy is not None
    H = part.energy.H
    (q,) = H.states[part.port]
    U = H.values.item().subs(list(H.parameters.values()))
    force = slope(U, q)
    k = slope(force, q)
    if k.free_symbols or not k > 0:
        return None
    return float(k), -float(force.subs(q, 0))
