"""Whether two mechanisms of the same parts differ in masses, stiffnesses and laws alone, and not in their geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.mechanism.box import Box
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.contact_height import ContactHeight
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.function_condition import FunctionCondition
from visviva.mechanism.parts import Body, Joint, Particle
from visviva.mechanism.velocity_conditions import VelocityCondition

if TYPE_CHECKING:
    from visviva.mechanism.inventory import Parts


def same_geometry(m: Parts, other: Parts) -> bool:
    """Whether all bodies, joints and conditions are in the same places: then a state means the same in both."""
    if m.parts.keys() != other.parts.keys():  # a matrix of friction is a part of its own
        return False
    return all(part is other.parts[name] or _same_places(part, other.parts[name]) for name, part in m.parts.items())


def _same_places(one: Any, two: Any) -> bool:
    match one:
        case Body():
            return same(one, two, "R_WB", "r_WB", "R_BC", "com")
        case Particle():
            return same(one, two, "r_W")
        case Joint():
            return same(one, two, "R_W", "r_W", "parent_frame", "q_built", "joint")
        case Coupling():
            terms = [[(t.joint.name, t.coordinate, t.coefficient) for t in part.terms] for part in (one, two)]
            return terms[0] == terms[1] and one.offset == two.offset and one.target == two.target
        case FunctionCondition():
            return same(one.placements, two.placements, "L", "c") and one.function is two.function
        case VelocityCondition():
            return one.twists.law is two.twists.law and same(one.twists, two.twists, "numbers")
        case ContactHeight():
            return same(one, two, "numbers")
    return not isinstance(one, AbstractCondition | Box)


def same(one: Any, two: Any, *names: str) -> bool:
    """Whether some attributes have the same values, bit for bit."""
    return all(_equal(getattr(one, name), getattr(two, name)) for name in names)


def _equal(one: Any, two: Any) -> bool:
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(_equal, one, two))
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        return one.tobytes() == two.tobytes() and one.shape == two.shape
    return type(one) is type(two) and bool(one == two)
