"""The six lower kinematic pairs: subgroups of rigid motions, with their inclusions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError

Placement = tuple[Any, Any]  # R (3, 3) and r (3,) of the frame C2 in C1


@final
@dataclass(frozen=True, eq=False)
class LowerPair:
    """Relative poses q_r that form a subgroup of SE(3); z is the axis, or the normal of the plane.

    group, dual:   spaces of q_r and of its momentum.
    pose:          I(q_r), of the state as a traced function sees it and the parameters.
    inclusion:     the columns of i = T_e I, (6, n): u_r to the twist of C2 against C1, in C2.
    units:         of its freedoms; friction by one number needs a single one.
    Source:        Lohmayer, Capobianco and Leyendecker, section 5.1.
    """

    group: str
    dual: str
    pose: Callable[[Any, Mapping[str, Any]], Placement]
    inclusion: Callable[[Mapping[str, Any]], Any]
    units: tuple[str, ...]
    parameters: dict[str, float] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many freedoms there are."""
        return len(self.units)

    @property
    def translates(self) -> bool:
        """Whether the origins of the joint frames move apart."""
        return "m" in self.units or bool(self.parameters)


def lower_pair(kind: str, pitch: float | None = None) -> LowerPair:
    """The pair of a given kind; only the screw has a pitch [m/rad], and needs it."""
    if kind == "screw":
        if pitch is None:
            raise ModelError("a screw joint needs its pitch [m/rad]: pitch=0.01. Without one it is a revolute joint.")
        return _screw(finite_number(pitch, "pitch of a screw joint [m/rad]"))
    if kind not in _PAIRS:
        raise ModelError(f"there is no lower pair {kind!r}; there is {', '.join((*_PAIRS, 'screw'))}.")
    if pitch is not None:
        raise ModelError(f"a {kind} joint has no pitch: it belongs to kind='screw'.")
    return _PAIRS[kind]


def turned(R: Any) -> Any:
    """A plane rotation as the rotation about z."""
    return np.block([[R, np.zeros((2, 1))], [np.zeros((1, 2)), np.ones((1, 1))]])


def _columns(*rows: int) -> Callable[[Mapping[str, Any]], Any]:
    basis = np.eye(6)[:, rows]
    return lambda _: basis


def _cylindrical(q: Any, _: Mapping[str, Any]) -> Placement:
    return turned(np.array([[q[0], q[2]], [q[1], q[3]]], dtype=object)), np.array([0, 0, q[4]], dtype=object)


def _screw(pitch: float) -> LowerPair:
    def pose(q: Any, given: Mapping[str, Any]) -> Placement:
        c, s = np.cos(q), np.sin(q)
        return turned(np.array([[c, -s], [s, c]], dtype=object)), np.array([0, 0, given["pitch"] * q], dtype=object)

    def inclusion(given: Mapping[str, Any]) -> Any:
        return np.array([[0], [0], [1], [0], [0], [given["pitch"]]], dtype=object)

    return LowerPair("R", "R", pose, inclusion, ("rad",), {"pitch": pitch})


_PAIRS = {
    "spherical": LowerPair("SO3", "so3*", lambda q, _: (q.R, np.zeros(3)), _columns(0, 1, 2), ("rad",) * 3),
    "planar": LowerPair(
        "SE2", "se2*", lambda q, _: (turned(q.R), np.array([*q.r, 0])), _columns(2, 3, 4), ("rad", "m", "m")
    ),
    "cylindrical": LowerPair("SO2xR", "R2", _cylindrical, _columns(2, 5), ("rad", "m")),
    "revolute": LowerPair("SO2", "so2*", lambda q, _: (turned(q.R), np.zeros(3)), _columns(2), ("rad",)),
    "prismatic": LowerPair("R", "R", lambda q, _: (np.eye(3), np.array([0, 0, q])), _columns(5), ("m",)),
}
LOWER_PAIRS = (*_PAIRS, "screw")
