"""What moves in a given way without mass, for dampers to act against: a fluid, or a belt.

A rigid motion is one screw, turned or advanced by a drive: first law and power are those of drives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_number, finite_vector
from visviva.errors import ModelError
from visviva.geometry.screws import chasles
from visviva.mechanism.builder import End
from visviva.mechanism.parts import Body

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism

ROUNDING = 1e-12  # of the distance of an axis, and of a metre: a smaller pitch is none


def add_stream(m: Mechanism, name: str, twist: ArrayLike, rate: float | Callable[[float], Any], against: End) -> Body:
    """The massless body, its joint `<name> axis` and its drive `<name> drive`."""
    V = finite_vector(twist, f"twist (ω; v) of stream {name!r}", 6)
    if not V.any():
        raise ModelError(
            f"the twist of stream {name!r} is zero: it does not move.\n"
            "Let the damper act against the ground, or the body, in which the fluid is at rest."
        )
    m._new_name(name, "stream")
    joint, drive = f"{name} axis", f"{name} drive"
    m._new_name(joint, "joint")
    m._new_name(drive, "drive")
    screw = chasles(V)
    u, pitch, speed = screw.direction, float(screw.pitch), float(screw.magnitude)
    turning = bool(V[:3].any())
    at = screw.point if turning else np.zeros(3)
    law = _scaled(speed, rate, name)
    body = m.body(name, massless=True, at=at)
    if not turning:
        m.prismatic(joint, against, body, at=at, axis=u)
    elif abs(pitch) <= ROUNDING * max(1.0, float(np.linalg.norm(at))):
        m.revolute(joint, against, body, at=at, axis=u)
    else:
        m.screw(joint, against, body, at=at, axis=u, pitch=pitch)
    m.drive(drive, joint, rate=law)
    return body


def _scaled(speed: float, rate: float | Callable[[float], Any], name: str) -> float | Callable[[float], Any]:
    if not callable(rate):
        return speed * finite_number(rate, f"rate of stream {name!r}")
    given: Callable[[float], Any] = rate
    return lambda t: speed * given(t)
