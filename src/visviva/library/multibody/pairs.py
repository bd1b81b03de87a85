"""Kinematic pairs by their relative poses: the six lower pairs, which are subgroups of rigid motions, and two more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language import Quantity
from visviva.library.quantities import momentum_along

Placement = tuple[Any, Any]  # R (3, 3) and r (3,) of the frame C2 in C1


@final
@dataclass(frozen=True, eq=False)
class RelativePose:
    """Relative poses q_r; z is the axis, or the normal of the plane.

    group, dual:   spaces of q_r and of its momentum.
    pose:          I(q_r), of the state as a traced function sees it and the parameters.
    inclusion:     the columns of i, (6, n): u_r to the twist of C2 against C1, in C2. For a lower pair q_r forms a
                   subgroup of SE(3), and i = T_e I is constant.
    units:         of its freedoms; friction by one number needs a single one.
    Source:        Lohmayer, Capobianco and Leyendecker, section 5.1.
    """

    group: str
    dual: str
    pose: Callable[[Any, Mapping[str, Any]], Placement]
    inclusion: Callable[[Any, Mapping[str, Any]], Any]
    units: tuple[str, ...]
    parameters: dict[str, float] = field(default_factory=dict)

    @property
    def pose_quantity(self) -> Quantity:
        """That of q_r."""
        return Quantity(self.group, "relative_pose")

    @property
    def momentum(self) -> Quantity:
        """That of p_r."""
        return momentum_along(*self.units) if self.dual == "R" else Quantity(self.dual, "momentum")

    @property
    def n(self) -> int:
        """How many freedoms there are."""
        return len(self.units)

    @property
    def translates(self) -> bool:
        """Whether the origins of the joint frames move apart."""
        return "m" in self.units or bool(self.parameters)


def relative_pose(kind: str, pitch: float | None = None) -> RelativePose:
    """The pair of a given kind; only the screw has a pitch [m/rad], and needs it."""
    if kind == "screw":
        if pitch is None:
            raise ModelError("a screw joint needs its pitch [m/rad]: pitch=0.01. Without one it is a revolute joint.")
        return _screw(finite_number(pitch, "pitch of a screw joint [m/rad]"))
    if kind not in _PAIRS:
        raise ModelError(f"there is no joint {kind!r}; there is {', '.join((*_PAIRS, 'screw'))}.")
    if pitch is not None:
        raise ModelError(f"a {kind} joint has no pitch: it belongs to kind='screw'.")
    return _PAIRS[kind]


def turned(R: Any) -> Any:
    """A plane rotation as the rotation about z."""
    return np.block([[R, np.zeros((2, 1))], [np.zeros((1, 2)), np.ones((1, 1))]])


def _columns(*rows: int) -> Callable[[Any, Mapping[str, Any]], Any]:
    basis = np.eye(6)[:, rows]
    return lambda _, __: basis


def _plane(q: Any) -> Any:
    """A rotation of SO(2) from the first four coordinates of a product."""
    return np.array([[q[0], q[2]], [q[1], q[3]]], dtype=object)


def _about_x(R: Any) -> Any:
    return np.block([[np.ones((1, 1)), np.zeros((1, 2))], [np.zeros((2, 1)), R]])


def _cylindrical(q: Any, _: Mapping[str, Any]) -> Placement:
    return turned(_plane(q)), np.array([0, 0, q[4]], dtype=object)


def _table(q: Any, _: Mapping[str, Any]) -> Placement:
    return turned(_plane(q)), np.array([q[4], q[5], 0], dtype=object)


def _table_inclusion(q: Any, _: Mapping[str, Any]) -> Any:
    """(e_z, 0, 0; 0, Rᵀe_x, Rᵀe_y): displacements along the axes of C1."""
    zero = np.zeros((3, 1))
    return np.block([[np.eye(3)[:, 2:], np.zeros((3, 2))], [zero, turned(_plane(q)).T[:, :2]]])


def _universal(q: Any, _: Mapping[str, Any]) -> Placement:
    """R_z R_x: the first axis is z of C1, the second x of C2."""
    return turned(_plane(q)) @ _about_x(_plane(q[4:])), np.zeros(3)


def _universal_inclusion(q: Any, _: Mapping[str, Any]) -> Any:
    """(R_xᵀe_z, e_x; 0, 0)."""
    axes = np.column_stack([_about_x(_plane(q[4:])).T[:, 2], np.eye(3)[:, 0]])
    return np.vstack([axes, np.zeros((3, 2))])


def _screw(pitch: float) -> RelativePose:
    def pose(q: Any, given: Mapping[str, Any]) -> Placement:
        c, s = np.cos(q), np.sin(q)
        return turned(np.array([[c, -s], [s, c]], dtype=object)), np.array([0, 0, given["pitch"] * q], dtype=object)

    def inclusion(_: Any, given: Mapping[str, Any]) -> Any:
        return np.array([[0], [0], [1], [0], [0], [given["pitch"]]], dtype=object)

    return RelativePose("R", "R", pose, inclusion, ("rad",), {"pitch": pitch})


_PAIRS = {
    "spherical": RelativePose("SO3", "so3*", lambda q, _: (q.R, np.zeros(3)), _columns(0, 1, 2), ("rad",) * 3),
    "planar": RelativePose(
        "SE2", "se2*", lambda q, _: (turned(q.R), np.array([*q.r, 0])), _columns(2, 3, 4), ("rad", "m", "m")
    ),
    "cylindrical": RelativePose("SO2xR", "R2", _cylindrical, _columns(2, 5), ("rad", "m")),
    "revolute": RelativePose("SO2", "so2*", lambda q, _: (turned(q.R), np.zeros(3)), _columns(2), ("rad",)),
    "prismatic": RelativePose("R", "R", lambda q, _: (np.eye(3), np.array([0, 0, q])), _columns(5), ("m",)),
    "universal": RelativePose("SO2xSO2", "R2", _universal, _universal_inclusion, ("rad", "rad")),
    "table": RelativePose("SO2xR2", "R3", _table, _table_inclusion, ("rad", "m", "m")),
}
LOWER_PAIRS = ("spherical", "planar", "cylindrical", "revolute", "prismatic", "screw")
