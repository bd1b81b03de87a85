"""Friction of joints as it is given: numbers, laws or functions, one for each coordinate, all checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.geometry.definite import semidefinite, symmetric
from visviva.library.joints import AbstractJoint, Angle
from visviva.mechanism.friction import FrictionLaw, law_of
from visviva.mechanism.thermal import Thermal

OneFriction = float | FrictionLaw | Callable[..., Any]
Friction = ArrayLike | OneFriction | Sequence[OneFriction]


def units_of(joint: AbstractJoint, turning: str, sliding: str) -> list[str]:
    """Of what belongs to the coordinates of a joint."""
    return [turning if isinstance(part, Angle) else sliding for part in joint.coordinates]


def joint_friction(
    name: str, joint: AbstractJoint, given: Friction, sink: Thermal | None, trace: Callable[..., Any]
) -> tuple[Array, tuple[FrictionLaw | None, ...]]:
    """Viscous coefficients of its coordinates, and other laws, None where there is none.

    A ball, or what turns like one, has one law, on the size of its relative angular velocity, and no coefficients.
    trace: calls a function that traces others, see `Builder._traced`.
    """
    ball = joint.spins
    units = ["N m s/rad"] if ball else units_of(joint, "N m s/rad", "N s/m")
    where, none = f"friction of joint {name!r}", np.zeros(0 if ball else len(units))
    if is_matrix(given) and len(units) == 1 and not ball:
        given = float(friction_matrix(given, joint, where)[0, 0])
    if (np.isscalar(given) and given == 0) or is_matrix(given):
        return none, ()
    laws = [trace(law_of, one, where, ", ".join(units)) for one in _each(given, where, units)]
    for law in laws:
        if law is not None and law.warm and sink is None:
            raise ModelError(
                f"{where} depends on the temperature, but its heat goes to the environment, whose temperature stays.\n"
                "Say what gets warm: heat_to=m.thermal(..., capacity=...)."
            )
    if ball:
        return none, tuple(laws) if laws[0] is not None else ()
    coefficients = np.array([0.0 if law is None or law.d is None else law.d for law in laws])
    others = tuple(None if law is None or law.d is not None else law for law in laws)
    return coefficients, others if any(law is not None for law in others) else ()


def is_matrix(given: object) -> bool:
    """Whether friction is a matrix over all coordinates of a joint, and no list of numbers or laws."""
    if callable(given) or isinstance(given, FrictionLaw):
        return False
    if isinstance(given, list | tuple) and any(callable(one) or isinstance(one, FrictionLaw) for one in given):
        return False
    try:
        return np.ndim(given) == 2  # type: ignore[arg-type]
    except ValueError:  # ragged: said where its numbers are looked at
        return False


def friction_matrix(given: Any, joint: AbstractJoint, where: str) -> Array:
    """D ⪰ 0 of the force against the rates of all coordinates of a joint, (k, k), or against ω of a ball, (3, 3)."""
    k = 3 if joint.spins else len(joint.coordinates)
    if not k:
        raise ModelError(f"{where} is a matrix, but a {joint.kind} joint has no coordinates: give one number or law.")
    return semidefinite(symmetric(given, k, where), where)


def _each(given: Any, where: str, units: list[str]) -> list[Any]:
    """One for each coordinate."""
    single = callable(given) or isinstance(given, FrictionLaw)
    listed = isinstance(given, list | tuple) and any(callable(one) or isinstance(one, FrictionLaw) for one in given)
    if len(units) == 1 and not listed:
        return [given]
    named = f"{where} [{', '.join(units)}]"
    if single:
        raise ModelError(f"{named} is one law, but the joint has {len(units)} coordinates: give one for each.")
    if listed:
        if len(given) != len(units):
            raise ModelError(f"{named} must be {len(units)} numbers or laws, got {len(given)}.")
        return list(given)
    return finite_vector(given, named, len(units)).tolist()
